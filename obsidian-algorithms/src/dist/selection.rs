//! Selections over all ranks.

use obsidian::Error;
use obsidian::exchange::Exchange;

use super::spread::Spread;
use super::together;
use crate::number::Number;

/// The elements whose flag is set, in their order. Each rank keeps its own; [`Spread::balanced`] shares them out again. Cost: that of
/// [`filter`](crate::filter), and one exchange of a number.
///
/// # Errors
/// A rank has not as many flags as elements; as of [`Exchange`]; what the device reports.
pub fn filter<T: Number>(ranks: &impl Exchange, xs: &Spread<T>, flags: &Spread<bool>) -> Result<Spread<T>, Error> {
    xs.as_long(ranks, flags, "flags")?;
    let kept = together(ranks, crate::selection::filter(xs.part(), flags.part()))?;
    Spread::joined(ranks, kept)
}
