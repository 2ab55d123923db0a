//! The claim that no rule covers two of these examples.
//!
//! A rule that covers two examples uses only literals that both satisfy. If all of these together
//! let a negative through, so does the rule.

use crate::grid::Grid;
use crate::verdict::Refusal;

/// Whether no two of these examples can share a rule.
pub(crate) fn check(grid: &Grid, examples: &[usize], tired: &dyn Fn() -> bool) -> Result<(), Refusal> {
    for (i, &example) in examples.iter().enumerate() {
        if example >= grid.positives {
            return Err(Refusal::NoSuchExample { example: example + 1, examples: grid.positives });
        }
        if tired() {
            return Err(Refusal::Unfinished);
        }
        for &other in &examples[..i] {
            let both = |literal: &usize| {
                let with = &grid.positives_with[*literal];
                with.contains(example) && with.contains(other)
            };
            if grid.is_consistent((0..grid.literals()).filter(both)) {
                return Err(Refusal::NotApart { example: other + 1, other: example + 1 });
            }
        }
    }
    Ok(())
}
