//! Access: which threads touch which elements. [`Effects`] speak of whole arrays; `Sites` of single elements, thread by
//! thread.
//!
//! A *site* is a load, an assignment or an atomic update in the text of a phase. Its index is evaluated for every value
//! of the loops around it at once, as a `Table`: in closed form where it is affine in the loops' rounds, as a table
//! otherwise. The block, launch scalars and lengths stay symbols (`Sum`); what depends on data has no index. Work is
//! bounded: an index that would take more than the budget counts as unknown too.

mod by_data;
mod cases;
mod effects;
mod guards;
pub(crate) mod last;
mod leaves;
mod rests;
mod sides;
mod site;
mod sites;
mod thread;
mod turned;

pub(crate) use by_data::limits;
pub(crate) use cases::{Condition, below, is_fixed};
pub(crate) use effects::union;
pub use effects::{Effects, Loads};
pub(crate) use leaves::for_alls;
pub(crate) use rests::small_remainder;
pub(crate) use site::{ByData, DataTerm, Kind, Purpose, Site, Sure, Team, Work};
pub(crate) use sites::{Look, Sites};
