//! Good prices without an LP: subgradients over the rules that were generated.
//!
//! At any prices, a cover costs no less than the prices add up to, less what rules are worth beyond their cost. This
//! bound is concave in the prices; where an example is covered by no rule that is worth its cost, its price may rise,
//! and where it is covered by several, it must fall (Held and Karp 1971; Caprara, Fischetti and Toth 1999 for covers).
//! A step takes a look at each rule, where a simplex solver that knows all examples takes a thousand times as long.
//! The prices come close to the LP's, not there.

/// Steps at a time, at most and at least, and the looks at prices that these may take.
const MOST_STEPS: usize = 2_000;
const LEAST_STEPS: usize = 200;
const LOOKS: usize = 100_000_000;
/// After how many steps their length is adapted.
const SPAN: usize = 20;
/// How long steps are to begin with.
const FIRST_LENGTH: f64 = 0.1;
const SHORTEST: f64 = 0.001;
const LONGEST: f64 = 2.0;
/// Bounds of a span that differ by more than this part call for shorter steps, by less than that for longer ones.
const UNSTEADY: f64 = 0.01;
const SLOW: f64 = 0.001;

/// Rules as lists of examples, and prices of these. Examples go by their rank: only the first ones are in play.
pub(super) struct Ascent {
    costs: Vec<f64>,
    /// Of each rule, in order.
    ranks_of: Vec<Vec<u32>>,
    /// Of each example in play.
    prices: Vec<f64>,
    length: f64,
}

impl Ascent {
    /// With so many examples in play.
    pub(super) fn new(examples: usize) -> Ascent {
        Ascent {
            costs: Vec::new(),
            ranks_of: Vec::new(),
            prices: vec![0.0; examples],
            length: FIRST_LENGTH,
        }
    }

    /// How many examples are in play.
    pub(super) fn examples(&self) -> usize {
        self.prices.len()
    }

    /// Brings more examples into play.
    pub(super) fn extend_to(&mut self, examples: usize) {
        self.prices.resize(examples, 0.0);
        self.length = FIRST_LENGTH;
    }

    pub(super) fn add(&mut self, cost: f64, mut ranks: Vec<u32>) {
        ranks.sort_unstable();
        self.costs.push(cost);
        self.ranks_of.push(ranks);
    }

    /// What rules cost, and the examples in play that they cover.
    fn columns(&self) -> Vec<(f64, &[u32])> {
        let in_play = |ranks: &[u32]| ranks.partition_point(|&rank| (rank as usize) < self.prices.len());
        let columns = self.costs.iter().zip(&self.ranks_of);
        columns.map(|(&cost, ranks)| (cost, &ranks[..in_play(ranks)])).collect()
    }

    /// Goes so many steps up, towards what the best cover costs, and stays at the best prices on the way.
    pub(super) fn climb(&mut self, best: f64) {
        let mut here = self.prices.clone();
        let mut summit = (f64::NEG_INFINITY, here.clone());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut length = self.length;
        let mut covered = vec![0i32; here.len()];
        let columns = self.columns();
        let size: usize = columns.iter().map(|(_, ranks)| ranks.len()).sum();
        for step in 1..=(LOOKS / size.max(1)).clamp(LEAST_STEPS, MOST_STEPS) {
            covered.fill(0);
            let mut bound: f64 = here.iter().sum();
            for (cost, ranks) in &columns {
                let worth = value(&here, ranks) - cost;
                if worth > 0.0 {
                    bound -= worth;
                    ranks.iter().for_each(|&rank| covered[rank as usize] += 1);
                }
            }
            if bound > summit.0 {
                summit.0 = bound;
                summit.1.copy_from_slice(&here);
            }
            (low, high) = (low.min(bound), high.max(bound));
            if step % SPAN == 0 {
                let spread = (high - low) / high.abs().max(1.0);
                length *= if spread > UNSTEADY {
                    0.5
                } else if spread < SLOW {
                    1.5
                } else {
                    1.0
                };
                length = length.clamp(SHORTEST, LONGEST);
                (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
            }
            let up = |covered: i32, price: f64| match 1 - covered {
                ..0 if price <= 0.0 => 0.0,
                up => f64::from(up),
            };
            let norm: f64 = covered.iter().zip(&here).map(|(&c, &price)| up(c, price).powi(2)).sum();
            if norm == 0.0 {
                break;
            }
            let stride = length * (best - bound).max(1.0) / norm;
            for (price, &covered) in here.iter_mut().zip(&covered) {
                *price = (*price + stride * up(covered, *price)).max(0.0);
            }
        }
        (self.prices, self.length) = (summit.1, length);
    }

    /// These prices by rank, lowered to where no rule is worth more than it costs, and raised as far as that allows.
    pub(super) fn feasible(&self) -> Vec<f64> {
        let columns = self.columns();
        let mut prices = self.prices.clone();
        let mut worths: Vec<(f64, usize)> = columns
            .iter()
            .enumerate()
            .map(|(rule, (cost, ranks))| (value(&prices, ranks) - cost, rule))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        worths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, rule) in worths {
            let (cost, ranks) = columns[rule];
            let value = value(&prices, ranks);
            if value > cost {
                ranks.iter().for_each(|&rank| prices[rank as usize] *= cost / value);
            }
        }
        let mut rules_of = vec![Vec::new(); prices.len()];
        let mut slack = Vec::with_capacity(columns.len());
        for (rule, (cost, ranks)) in columns.iter().enumerate() {
            slack.push((cost - value(&prices, ranks)).max(0.0));
            ranks.iter().for_each(|&rank| rules_of[rank as usize].push(rule));
        }
        // Those with the fewest rules first, which the others leave least.
        let mut order: Vec<usize> = (0..prices.len()).collect();
        order.sort_by_key(|&rank| rules_of[rank].len());
        for rank in order {
            let rise = rules_of[rank].iter().map(|&rule| slack[rule]).reduce(f64::min).unwrap_or(0.0);
            prices[rank] += rise;
            rules_of[rank].iter().for_each(|&rule| slack[rule] -= rise);
        }
        prices
    }
}

fn value(prices: &[f64], ranks: &[u32]) -> f64 {
    ranks.iter().map(|&rank| prices[rank as usize]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::cover::lp::CoverLp;

    #[test]
    fn feasible_prices_pay_for_no_rule_and_nearly_for_a_cover() {
        let mut random = fastrand::Rng::with_seed(18);
        for _ in 0..200 {
            let examples = random.usize(1..30);
            let mut ascent = Ascent::new(examples);
            let mut columns: Vec<(f64, Vec<u32>)> =
                (0..examples as u32).map(|rank| (3.0, vec![rank])).collect();
            for _ in 0..random.usize(0..40) {
                let ranks: Vec<u32> = (0..examples as u32).filter(|_| random.u8(..4) == 0).collect();
                columns.push((random.i32(1..8).into(), ranks));
            }
            columns.iter().for_each(|(cost, ranks)| ascent.add(*cost, ranks.clone()));
            let known = 3.0 * examples as f64;
            ascent.climb(known);
            let prices = ascent.feasible();
            assert!(prices.iter().all(|price| *price >= 0.0));
            for (cost, ranks) in &columns {
                assert!(value(&prices, ranks) <= cost + 1e-9);
            }
            let mut lp = CoverLp::new(examples);
            for (cost, ranks) in &columns {
                lp.add_rule(*cost, ranks.iter().map(|&rank| (rank as usize, 1.0))).unwrap();
            }
            let (optimum, sum) = (lp.solve().unwrap().cost, prices.iter().sum::<f64>());
            assert!(sum <= optimum + 1e-6 && sum > 0.9 * optimum, "{sum} of {optimum}");
        }
    }
}
