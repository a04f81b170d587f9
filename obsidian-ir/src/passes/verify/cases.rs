//! R26. The numbers that a block's lanes touch, where branches decide how: `if b % 2 == 0 { .. } else { .. }`, whose sides fill the
//! block's part in two ways.
//!
//! *Why:* a condition made of the launch's numbers, of inputs and of the block's number is one for all of a block, however often it is
//! asked for. So a block is in one case, and touches what it touches there; if that is the same interval in all cases, each number
//! once, then this is what every block touches.

use super::cover::{self, Covered, cover};
use super::output::{Part, WHOLE};
use super::report::{Fault, Verdict, who};
use super::sides::are_opposite;
use crate::passes::access::{Condition, Site, Sites, Sure};
use crate::passes::bounds::shown;
use crate::passes::index::Table;
use crate::program::{Expr, ExprId, ParamKind, Program, Space};

/// What lanes touch: the first number, and how many follow one another.
type Interval = (u32, u32);

/// A site with what must hold for it besides.
#[derive(Clone)]
struct Member<'a> {
    site: Site,
    numbers: &'a Table,
    open: Vec<Condition>,
}

/// The numbers that a block's lanes touch, each once.
pub(super) fn interval(part: &Part<'_>, numbers: &[&Table], sites: &mut Sites<'_>) -> Result<Interval, Verdict> {
    let plain = |sites: &mut Sites<'_>| touched(&part.sites, numbers, sites);
    let open: Option<Vec<Vec<Condition>>> = part.sites.iter().map(|s| sites.conditions(s.guard.sure)).collect();
    let Some(open) = open.filter(|open| !open.iter().all(Vec::is_empty)) else { return plain(sites) };
    if !open.iter().flatten().all(|&(cond, _)| is_the_blocks(sites, cond, part.block)) {
        return plain(sites);
    }
    let sure = |site: &Site| {
        let mut site = site.clone();
        site.guard.sure = Sure::Always;
        site
    };
    let members = part.sites.iter().zip(numbers).zip(open);
    let members: Vec<Member<'_>> =
        members.map(|((site, numbers), open)| Member { site: sure(site), numbers, open }).collect();
    match in_cases(&members, &mut Vec::new(), sites)? {
        Some(all) => Ok(all),
        // In one case nothing is written.
        None => plain(sites),
    }
}

/// What all of some sites touch, case by case; nothing where there is none in some case.
fn in_cases(
    members: &[Member<'_>],
    held: &mut Vec<Condition>,
    sites: &mut Sites<'_>,
) -> Result<Option<Interval>, Verdict> {
    let p = sites.program();
    let Some(&(cond, _)) = members.iter().flat_map(|m| &m.open).next() else {
        let (of, numbers): (Vec<&Site>, Vec<&Table>) = members.iter().map(|m| (&m.site, m.numbers)).unzip();
        return match of.is_empty() {
            true => Ok(None),
            false => touched(&of, &numbers, sites).map(Some).map_err(|verdict| in_case(p, verdict, held)),
        };
    };
    let mut both = [None; 2];
    for (k, truth) in [true, false].into_iter().enumerate() {
        let inside: Vec<Member<'_>> = members.iter().filter_map(|m| m.where_it_is(p, (cond, truth))).collect();
        held.push((cond, truth));
        both[k] = in_cases(&inside, held, sites)?;
        held.pop();
    }
    match both {
        [Some(one), Some(other)] if one != other => {
            let (element, lacks) = match only_in(one, other) {
                Some(element) => (element, false),
                None => (only_in(other, one).unwrap_or(other.0), true),
            };
            held.push((cond, lacks));
            let needed = format!("{WHOLE}; no thread writes this element {}", spoken(p, held));
            Err(Verdict::Doubtful(Fault::Missing { element: format!("{element} of a block's part"), needed }))
        }
        [Some(one), Some(_)] => Ok(Some(one)),
        _ => Ok(None),
    }
}

impl<'a> Member<'a> {
    /// The site where a condition holds, or does not; `None` where it does not happen then.
    fn where_it_is(&self, p: &Program, (cond, truth): Condition) -> Option<Member<'a>> {
        let says = |&(other, holds): &Condition| match () {
            () if other == cond => Some(holds),
            () if are_opposite(p, cond, other) => Some(!holds),
            () => None,
        };
        if self.open.iter().filter_map(says).any(|holds| holds != truth) {
            return None;
        }
        let open = self.open.iter().filter(|&other| says(other).is_none()).copied().collect();
        Some(Member { open, ..self.clone() })
    }
}

/// A number of the first interval that is not in the other.
fn only_in((first, count): Interval, (start, len): Interval) -> Option<u32> {
    let ends = [first, first.wrapping_add(count.wrapping_sub(1)), start.wrapping_sub(1), start.wrapping_add(len)];
    let within = |e: u32, start: u32, len: u32| e.wrapping_sub(start) < len;
    ends.into_iter().find(|&e| within(e, first, count) && !within(e, start, len))
}

/// Whether a condition has one value in all of a block, wherever it is asked for.
fn is_the_blocks(sites: &Sites<'_>, cond: ExprId, block: Option<ExprId>) -> bool {
    let p = sites.program();
    sites.made_of(&[cond]).into_iter().all(|e| match p.exprs.expr(e) {
        Expr::Load(array, _) => match p.array(array).space {
            Space::Global(param) => matches!(p.param(param).kind, ParamKind::Input { .. }),
            _ => false,
        },
        Expr::Var(_) => Some(e) == block || sites.is_name(e),
        Expr::Special(_) => false,
        _ => true,
    })
}

/// What goes wrong in one case, which there need not be.
fn in_case(p: &Program, verdict: Verdict, held: &[Condition]) -> Verdict {
    let (Verdict::Refuted(fault) | Verdict::Doubtful(fault)) = verdict else { return verdict };
    let case = spoken(p, held);
    Verdict::Doubtful(match fault {
        Fault::Missing { element, needed } => {
            Fault::Missing { element, needed: format!("{needed}; no thread writes this element {case}") }
        }
        Fault::Twice { element, first, second } => Fault::Twice { element, first, second: format!("{second} {case}") },
        other => other,
    })
}

/// Conditions in words.
fn spoken(p: &Program, held: &[Condition]) -> String {
    let says =
        |&(cond, truth): &Condition| format!("`{}` {}", shown(p, cond), if truth { "holds" } else { "does not hold" });
    format!("where {}", held.iter().map(says).collect::<Vec<_>>().join(" and "))
}

/// The numbers that the lanes of some sites touch, each once.
fn touched(of: &[&Site], numbers: &[&Table], sites: &mut Sites<'_>) -> Result<Interval, Verdict> {
    let part = |element: u32| format!("{element} of a block's part");
    let says = |(k, lane): cover::At| who(of[k], lane);
    match cover(of, numbers, sites) {
        Covered::Once { first, count } => Ok((first, count)),
        Covered::Twice { element, lanes } => {
            let [first, second] = lanes.map(says);
            Err(Verdict::Refuted(Fault::Twice { element: part(element), first, second }))
        }
        Covered::Hole { element, .. } => {
            Err(Verdict::Refuted(Fault::Missing { element: part(element), needed: WHOLE.to_string() }))
        }
        Covered::Perhaps { element, lane } => {
            let needed = format!("{} writes it only where a condition holds that is not known", says(lane));
            Err(Verdict::Doubtful(Fault::Missing { element: part(element), needed }))
        }
        Covered::Meet { element, lanes } => {
            let [first, second] = lanes.map(says);
            Err(Verdict::Doubtful(Fault::Twice { element: part(element), first, second }))
        }
        Covered::Unknown => Err(Verdict::Unproved("it is not known which elements a block writes".to_string())),
    }
}
