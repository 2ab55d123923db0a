//! The certificate on file: lines of words and integers.

use std::fmt::{self, Write as _};

use crate::tariff::{Price, Tariff};

/// The first line of certificates of rules that are never wrong, of those that may be, and of those that count one
/// thing after another.
const HEAD: &str = "minrule-proof 1";
const SPARSE_HEAD: &str = "minrule-proof 2";
const IN_TURN_HEAD: &str = "minrule-proof 3";
/// No number in a certificate exceeds this; sums of many of them still fit into 128 bits.
const MOST: u64 = 1 << 62;

/// All that there is to know about objectives: name, what is paid for, and what else where that does not decide.
macro_rules! objectives {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $first:expr, $second:expr;)+) => {
        /// What "smallest" means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Objective { $($(#[$doc])* $variant),+ }

        impl Objective {
            /// All there are.
            pub const ALL: &'static [Objective] = &[$(Objective::$variant),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Objective::$variant => $name),+ }
            }

            /// What is paid for, and what else where that does not decide.
            pub(crate) fn tariffs(self) -> (Tariff, Option<Tariff>) {
                match self { $(Objective::$variant => ($first, $second)),+ }
            }
        }
    };
}

objectives! {
    /// The number of rules.
    Rules = "rules": Tariff::RULES, None;
    /// The number of literals.
    Literals = "literals": Tariff::LITERALS, None;
    /// Literals plus one for each rule.
    Size = "size": Tariff::SIZE, None;
    /// The number of rules, and among the sets with fewest rules the number of literals.
    RulesThenLiterals = "rules-then-literals": Tariff::RULES, Some(Tariff::LITERALS);
}

impl Objective {
    /// What a set of rules costs, of which each has so many literals.
    pub fn cost(self, sizes: impl Iterator<Item = usize> + Clone) -> Bound {
        let (first, second) = self.tariffs();
        let sum = |tariff: Tariff| sizes.clone().map(|size| tariff.rule(size)).sum();
        Bound { first: sum(first), second: second.map_or(0, sum) }
    }

    /// The objective of this name.
    pub fn named(name: &str) -> Option<Objective> {
        Objective::ALL.iter().copied().find(|objective| objective.name() == name)
    }
}

impl Tariff {
    /// The objective that pays by this tariff alone: certificates call the tariff by its name.
    pub(crate) fn objective(self) -> Option<Objective> {
        Objective::ALL.iter().copied().find(|objective| objective.tariffs() == (self, None))
    }

    fn named(name: &str) -> Option<Tariff> {
        let (tariff, None) = Objective::named(name)?.tariffs() else { return None };
        Some(tariff)
    }
}

/// What every valid set of rules costs at least; compared by the first part, then by the second,
/// which is zero for every objective but [`Objective::RulesThenLiterals`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// Rules, literals or size.
    pub first: u64,
    /// Literals, if the first part counts rules.
    pub second: u64,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.second > 0 { write!(f, " {}", self.second) } else { Ok(()) }
    }
}

/// A bound for one class of a table, and why it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// SHA-256 of the table's bytes as they were read.
    pub table: String,
    /// The label of the class.
    pub class: String,
    /// Classes that come before it, if classes have an order: the examples are those that none of their rules
    /// covers.
    pub after: Vec<String>,
    /// What is minimised.
    pub objective: Objective,
    /// What that costs in rows, if rules may cover rows of other classes and leave out rows of their own.
    pub price: Option<Price>,
    /// The bound; where there is a price, in parts of a row.
    pub bound: Bound,
    /// Why it holds.
    pub argument: Argument,
}

/// Why a bound holds. Examples are positives of the class, numbered from 0 here and from 1 on file;
/// so are the rules of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// Nothing costs less than nothing.
    Nothing,
    /// No rule covers two of these examples: they need one each.
    Apart(Vec<usize>),
    /// No rule is worth more than it costs: every cover costs the sum of the prices at least.
    Prices(Pricing),
    /// Moreover, a cover that costs less than the bound needs only rules of this pool, or others that
    /// one of the pool stands in for; and no cover by the pool costs less.
    Pool(Pricing, Vec<Vec<i32>>, Vec<Cover>),
    /// One argument for the first part of the bound. The other is for the second, and about covers that have no more
    /// rules than the first part says.
    InTurn(Box<Argument>, Box<Argument>),
}

/// Prices of the examples, and what rules cost in the same money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pricing {
    /// What a rule weighs.
    pub tariff: Tariff,
    /// How much of the money of prices makes one unit of weight.
    pub unit: u64,
    /// What each rule pays besides its weight, in the money of prices, where the number of rules is limited.
    pub charge: u64,
    /// Examples that have a price, and which. The others have none; where examples may be left out, they have
    /// the price of that.
    pub prices: Vec<(usize, u64)>,
}

/// The claim that no cover by rules of the pool costs less than `least`, and its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// What its rules cost.
    pub tariff: Tariff,
    /// The most rules it may have.
    pub limit: Option<u64>,
    /// What it costs at least.
    pub least: u64,
    /// How much of the money of the steps' prices makes one unit of cost.
    pub unit: u64,
    /// Why.
    pub steps: Vec<Step>,
}

impl Cover {
    /// Gives the examples other numbers.
    pub fn renumber(&mut self, number: &[usize]) {
        for step in &mut self.steps {
            match step {
                Step::Spare(example, other) => {
                    (*example, *other) = (number[*example], number[*other]);
                }
                Step::Take(_, example) | Step::Stuck(example) => *example = number[*example],
                Step::Prices { prices, cuts, .. } => {
                    prices.iter_mut().for_each(|(example, _)| *example = number[*example]);
                    prices.sort_unstable();
                    for (examples, _) in cuts {
                        examples.iter_mut().for_each(|example| *example = number[*example]);
                        examples.sort_unstable();
                    }
                }
                Step::Drop(..) | Step::Try(_) | Step::End => {}
            }
        }
    }
}

/// A step of the argument about covers. At each moment there are rules still in play, examples still
/// to cover, and what that must cost at least. See `docs/PROOFS.md` for why each step is sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The first rule goes: the second covers as much of what is to cover, and costs no more.
    Drop(usize, usize),
    /// The first example goes: whoever covers the second covers it too.
    Spare(usize, usize),
    /// The rule is taken: it alone covers the example.
    Take(usize, usize),
    /// Rules go that are too dear at these prices; perhaps everything is, and the case is closed.
    Prices {
        /// What one more rule costs, if their number is limited.
        limit: u64,
        /// A rule goes if a cover with it costs so much more than it must at least.
        slack: u64,
        /// Of examples.
        prices: Vec<(usize, u64)>,
        /// Of cuts: rules that count for half of these examples each cover half of them together, rounded up.
        cuts: Vec<(Vec<usize>, u64)>,
    },
    /// Up to the matching end: the case in which the rule is taken. Then it goes.
    Try(usize),
    /// The end of a case.
    End,
    /// No rule covers the example any more: the case is closed.
    Stuck(usize),
}

/// A certificate that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Garbled {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Certificate {
    /// The certificate as it is written.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("a string takes everything");
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let head = match self.argument {
            _ if self.price.is_some() => SPARSE_HEAD,
            Argument::InTurn(..) => IN_TURN_HEAD,
            _ => HEAD,
        };
        writeln!(out, "{head}")?;
        writeln!(out, "table {}", self.table)?;
        writeln!(out, "class {}", escaped(&self.class))?;
        self.after.iter().try_for_each(|class| writeln!(out, "after {}", escaped(class)))?;
        writeln!(out, "objective {}", self.objective.name())?;
        if let Some(price) = self.price {
            writeln!(out, "price {price}")?;
        }
        writeln!(out, "bound {}", self.bound)?;
        self.argument.write("because", out)?;
        writeln!(out, "qed")
    }

    /// Reads a certificate. Memory stays in proportion to the text.
    pub fn parse(text: &[u8]) -> Result<Certificate, Garbled> {
        let text = std::str::from_utf8(text).map_err(|error| {
            let line = 1 + text[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            Garbled { line, problem: "it is no text".to_string() }
        })?;
        let mut lines = Lines { rest: text.split('\n').enumerate().peekable(), line: 0 };
        let (sparse, in_turn) = match lines.next()? {
            HEAD => (false, false),
            SPARSE_HEAD => (true, false),
            IN_TURN_HEAD => (false, true),
            _ => {
                let heads = format!("\"{HEAD}\", \"{SPARSE_HEAD}\" or \"{IN_TURN_HEAD}\"");
                return Err(lines.garbled(format!("a certificate begins with {heads}")));
            }
        };
        let table = lines.tagged("table")?.to_string();
        let class = lines.tagged("class")?;
        let class = lines.label(class)?;
        let after = if sparse {
            lines.while_tagged("after", |lines, label| lines.label(label))?
        } else {
            Vec::new()
        };
        let objective = lines.objective()?;
        let price = if sparse { Some(lines.price()?) } else { None };
        let bound = lines.tagged("bound")?;
        let bound = match lines.numbers(bound)?[..] {
            [first] => Bound { first, second: 0 },
            [first, second] if objective == Objective::RulesThenLiterals => Bound { first, second },
            _ => return Err(lines.garbled("a bound is one number, or two for rules-then-literals")),
        };
        let mut argument = lines.argument("because")?;
        if in_turn {
            argument = Argument::InTurn(Box::new(argument), Box::new(lines.argument("then")?));
        }
        if lines.next()? != "qed" || !lines.at_the_end() {
            return Err(lines.garbled("\"qed\" and nothing else should stand at the end"));
        }
        Ok(Certificate { table, class, after, objective, price, bound, argument })
    }
}

impl Argument {
    /// After a word that says what it is for.
    fn write(&self, word: &str, out: &mut String) -> fmt::Result {
        match self {
            Argument::Nothing => writeln!(out, "{word} nothing"),
            Argument::Apart(examples) => {
                write!(out, "{word} apart")?;
                examples.iter().try_for_each(|example| write!(out, " {}", example + 1))?;
                writeln!(out)
            }
            Argument::Prices(pricing) => {
                writeln!(out, "{word} prices")?;
                pricing.write(out)
            }
            Argument::Pool(pricing, pool, covers) => {
                writeln!(out, "{word} pool")?;
                pricing.write(out)?;
                for term in pool {
                    write!(out, "rule")?;
                    term.iter().try_for_each(|literal| write!(out, " {literal}"))?;
                    writeln!(out)?;
                }
                covers.iter().try_for_each(|cover| cover.write(out))
            }
            Argument::InTurn(first, then) => {
                first.write(word, out)?;
                then.write("then", out)
            }
        }
    }
}

impl Pricing {
    fn write(&self, out: &mut String) -> fmt::Result {
        let Tariff { per_rule, per_literal } = self.tariff;
        writeln!(out, "weights {per_rule} {per_literal} unit {}", self.unit)?;
        write!(out, "prices")?;
        write_named("limit", self.charge, out)?;
        write_prices(&self.prices, out)
    }
}

impl Cover {
    fn write(&self, out: &mut String) -> fmt::Result {
        let measure = self.tariff.objective().expect("covers are counted by the tariff of an objective");
        write!(out, "cover {} least {} unit {}", measure.name(), self.least, self.unit)?;
        if let Some(limit) = self.limit {
            write!(out, " limit {limit}")?;
        }
        writeln!(out)?;
        for step in &self.steps {
            match step {
                Step::Drop(rule, other) => writeln!(out, "drop {} by {}", rule + 1, other + 1)?,
                Step::Spare(example, other) => writeln!(out, "spare {} by {}", example + 1, other + 1)?,
                Step::Take(rule, example) => writeln!(out, "take {} for {}", rule + 1, example + 1)?,
                Step::Prices { limit, slack, prices, cuts } => {
                    write!(out, "prices")?;
                    write_named("limit", *limit, out)?;
                    write_named("slack", *slack, out)?;
                    for (examples, price) in cuts {
                        let examples: Vec<String> =
                            examples.iter().map(|example| (example + 1).to_string()).collect();
                        write!(out, " {}:{price}", examples.join("+"))?;
                    }
                    write_prices(prices, out)?;
                }
                Step::Try(rule) => writeln!(out, "try {}", rule + 1)?,
                Step::End => writeln!(out, "end")?,
                Step::Stuck(example) => writeln!(out, "stuck {}", example + 1)?,
            }
        }
        writeln!(out, "covered")
    }
}

/// A number that goes by a name, unless it is zero.
fn write_named(name: &str, number: u64, out: &mut String) -> fmt::Result {
    if number > 0 { write!(out, " {name}:{number}") } else { Ok(()) }
}

fn write_prices(prices: &[(usize, u64)], out: &mut String) -> fmt::Result {
    prices.iter().try_for_each(|(example, price)| write!(out, " {}:{price}", example + 1))?;
    writeln!(out)
}

/// A label on one line.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(text: &str) -> Option<String> {
    let mut label = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        label.push(match c {
            '\\' => match chars.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            c => c,
        });
    }
    Some(label)
}

/// The lines still to read.
struct Lines<'t> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Split<'t, char>>>,
    /// The last one read, from 1.
    line: usize,
}

impl<'t> Lines<'t> {
    fn garbled(&self, problem: impl Into<String>) -> Garbled {
        Garbled { line: self.line, problem: problem.into() }
    }

    fn next(&mut self) -> Result<&'t str, Garbled> {
        self.line += 1;
        let line = self.rest.next().map(|(_, line)| line);
        line.ok_or_else(|| self.garbled("the certificate ends too early"))
    }

    /// Whether nothing is left but the end of the last line.
    fn at_the_end(&mut self) -> bool {
        self.rest.next().is_none_or(|(_, line)| line.is_empty()) && self.rest.next().is_none()
    }

    /// The rest of the next line, which begins with this word.
    fn tagged(&mut self, word: &str) -> Result<&'t str, Garbled> {
        let line = self.next()?;
        after(line, word).ok_or_else(|| self.garbled(format!("\"{word}\" should stand here")))
    }

    /// What comes of each line as long as they begin with this word.
    fn while_tagged<T>(
        &mut self,
        word: &str,
        read: impl Fn(&mut Self, &'t str) -> Result<T, Garbled>,
    ) -> Result<Vec<T>, Garbled> {
        let mut all = Vec::new();
        while let Some(rest) = self.rest.peek().and_then(|(_, line)| after(line, word)) {
            self.next()?;
            all.push(read(self, rest)?);
        }
        Ok(all)
    }

    fn label(&self, text: &str) -> Result<String, Garbled> {
        unescaped(text).ok_or_else(|| self.garbled("the label is badly escaped"))
    }

    fn objective(&mut self) -> Result<Objective, Garbled> {
        let given = self.tagged("objective")?;
        Objective::named(given).ok_or_else(|| self.garbled("no such objective"))
    }

    fn price(&mut self) -> Result<Price, Garbled> {
        let given = self.tagged("price")?;
        let fraction = given.split_once('/').ok_or_else(|| self.garbled("a price is a fraction"))?;
        let price = Price { numerator: self.number(fraction.0)?, denominator: self.number(fraction.1)? };
        match price {
            Price { numerator: 1.., denominator: 1.. } => Ok(price),
            _ => Err(self.garbled("a price is a fraction of numbers from 1 on")),
        }
    }

    fn number(&self, text: &str) -> Result<u64, Garbled> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&number| digits && number <= MOST);
        number.ok_or_else(|| self.garbled(format!("\"{}\" is no number from 0 to 2^62", shown(text))))
    }

    fn numbers(&self, text: &str) -> Result<Vec<u64>, Garbled> {
        text.split_ascii_whitespace().map(|word| self.number(word)).collect()
    }

    /// A number from 1 as a place from 0.
    fn place(&self, text: &str) -> Result<usize, Garbled> {
        let number = self.number(text)?;
        number
            .checked_sub(1)
            .map(|place| place as usize)
            .ok_or_else(|| self.garbled("numbers begin at 1"))
    }

    fn places(&self, text: &str) -> Result<Vec<usize>, Garbled> {
        text.split_ascii_whitespace().map(|word| self.place(word)).collect()
    }

    fn literals(&mut self, text: &str) -> Result<Vec<i32>, Garbled> {
        let literal = |word: &str| word.parse().ok().filter(|literal| *literal != 0);
        let literals: Option<Vec<i32>> = text.split_ascii_whitespace().map(literal).collect();
        literals.ok_or_else(|| self.garbled("literals are numbers other than zero"))
    }

    fn prices<'w>(&self, words: impl Iterator<Item = &'w str>) -> Result<Vec<(usize, u64)>, Garbled> {
        let price = |word: &str| {
            let (example, price) =
                word.split_once(':').ok_or_else(|| self.garbled("a price is an example:price"))?;
            Ok((self.place(example)?, self.number(price)?))
        };
        words.map(price).collect()
    }

    /// An argument after this word.
    fn argument(&mut self, word: &str) -> Result<Argument, Garbled> {
        let argument = self.tagged(word)?;
        let (kind, rest) = argument.split_once(' ').unwrap_or((argument, ""));
        Ok(match (kind, rest) {
            ("nothing", "") => Argument::Nothing,
            ("apart", examples) => Argument::Apart(self.places(examples)?),
            ("prices", "") => Argument::Prices(self.pricing()?),
            ("pool", "") => {
                let pricing = self.pricing()?;
                let pool = self.while_tagged("rule", Lines::literals)?;
                let covers = self.while_tagged("cover", Lines::cover)?;
                Argument::Pool(pricing, pool, covers)
            }
            _ => return Err(self.garbled("no such argument")),
        })
    }

    /// The number that comes next by this name; zero, if none does.
    fn named<'w>(
        &self,
        name: &str,
        words: &mut std::iter::Peekable<impl Iterator<Item = &'w str>>,
    ) -> Result<u64, Garbled> {
        let number = words.peek().and_then(|word| word.strip_prefix(name)?.strip_prefix(':'));
        let Some(number) = number else { return Ok(0) };
        words.next();
        self.number(number)
    }

    fn cut(&self, word: &str) -> Result<(Vec<usize>, u64), Garbled> {
        let (examples, price) = word
            .split_once(':')
            .ok_or_else(|| self.garbled("the price of a cut is example+example:price"))?;
        let examples =
            examples.split('+').map(|example| self.place(example)).collect::<Result<_, _>>()?;
        Ok((examples, self.number(price)?))
    }

    fn pricing(&mut self) -> Result<Pricing, Garbled> {
        let weights: Vec<&str> = self.tagged("weights")?.split_ascii_whitespace().collect();
        let [per_rule, per_literal, "unit", unit] = weights[..] else {
            return Err(self.garbled("weights are two numbers and a unit"));
        };
        let (per_rule, per_literal) = (self.number(per_rule)?, self.number(per_literal)?);
        let tariff = Tariff { per_rule, per_literal };
        let unit = self.number(unit)?;
        let mut words = self.tagged("prices")?.split_ascii_whitespace().peekable();
        let charge = self.named("limit", &mut words)?;
        Ok(Pricing { tariff, unit, charge, prices: self.prices(words)? })
    }

    fn cover(&mut self, head: &str) -> Result<Cover, Garbled> {
        let words: Vec<&str> = head.split_ascii_whitespace().collect();
        let (measure, least, unit, limit) = match words[..] {
            [measure, "least", least, "unit", unit] => (measure, least, unit, None),
            [measure, "least", least, "unit", unit, "limit", limit] => {
                (measure, least, unit, Some(limit))
            }
            _ => return Err(self.garbled("a cover has a measure, what it costs at least, and a unit")),
        };
        let tariff = Tariff::named(measure).ok_or_else(|| self.garbled("no such measure"))?;
        let (least, unit) = (self.number(least)?, self.number(unit)?);
        let limit = limit.map(|limit| self.number(limit)).transpose()?;
        let mut steps = Vec::new();
        loop {
            let line = self.next()?;
            let mut words = line.split_ascii_whitespace();
            let step = match (words.next(), words.next(), words.next(), words.next(), words.next()) {
                (Some("covered"), None, ..) => return Ok(Cover { tariff, limit, least, unit, steps }),
                (Some("prices"), ..) => {
                    let mut words = line.split_ascii_whitespace().skip(1).peekable();
                    let limit = self.named("limit", &mut words)?;
                    let slack = self.named("slack", &mut words)?;
                    let (cuts, single): (Vec<&str>, Vec<&str>) =
                        words.partition(|word| word.contains('+'));
                    let cuts = cuts.into_iter().map(|word| self.cut(word)).collect::<Result<_, _>>()?;
                    Step::Prices { limit, slack, prices: self.prices(single.into_iter())?, cuts }
                }
                (Some("drop"), Some(rule), Some("by"), Some(other), None) => {
                    Step::Drop(self.place(rule)?, self.place(other)?)
                }
                (Some("spare"), Some(example), Some("by"), Some(other), None) => {
                    Step::Spare(self.place(example)?, self.place(other)?)
                }
                (Some("take"), Some(rule), Some("for"), Some(example), None) => {
                    Step::Take(self.place(rule)?, self.place(example)?)
                }
                (Some("try"), Some(rule), None, ..) => Step::Try(self.place(rule)?),
                (Some("end"), None, ..) => Step::End,
                (Some("stuck"), Some(example), None, ..) => Step::Stuck(self.place(example)?),
                _ => return Err(self.garbled(format!("\"{}\" is no step", shown(line)))),
            };
            steps.push(step);
        }
    }
}

/// What follows a word and a space, or nothing if the word is all.
fn after<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(word)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// The beginning of a text that is fit to be shown.
fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_default).collect()
}
