//! The sites of a list with the loops around them as lanes, where their number of rounds is known.

use std::convert::Infallible;

use super::Verify;
use super::filled::Known;
use crate::level::Level;
use crate::passes::access::{Look, Site, Sites, Sure};
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{Block, Stmt, StmtKind};

/// Blocks, and rounds of a loop, that an example is looked for in, where it is not known how many there are.
pub(super) const SAMPLE: u32 = 4;

/// How a branch in the code of a block is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branches {
    /// What it does happens perhaps.
    Perhaps,
    /// What each side does happens in that case.
    Cases,
}

/// How the counter of a loop is looked at whose number of rounds is not a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counters {
    /// It is a symbol, and there may be no round.
    Open,
    /// It is a symbol, and there is a round.
    Some,
    /// A few rounds are done, which are looked at.
    Sample,
}

impl<'p> Verify<'p> {
    /// The sites of a list, with the loops around them as lanes.
    pub(super) fn gather(
        &mut self,
        list: &'p [Stmt],
        (known, counters, branches): (Known, Counters, Branches),
        found: &mut Vec<Site>,
    ) {
        let mut gather = Gather { sites: &mut self.sites, counters, branches, sides: Vec::new(), found };
        let Ok(_) = visit(&mut gather, list, Scope { known, lanes: false });
    }
}

struct Gather<'g, 'p> {
    sites: &'g mut Sites<'p>,
    counters: Counters,
    branches: Branches,
    /// How many sites there were before each of the sides that are being gone through.
    sides: Vec<usize>,
    found: &'g mut Vec<Site>,
}

#[derive(Debug, Clone, Copy)]
struct Scope {
    known: Known,
    /// Whether the list is a loop whose rounds are lanes.
    lanes: bool,
}

impl<'p> Visitor<'p> for Gather<'_, 'p> {
    type Scope = Scope;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        let mut found = self.sites.leaf(stmt);
        if scope.known == Known::Perhaps {
            found.iter_mut().for_each(|site| site.guard.sure = Sure::Perhaps);
        }
        self.found.extend(found);
        let is_whole = matches!(stmt.kind, StmtKind::ForAll { .. } | StmtKind::DistrPar { level: Level::Block, .. });
        Ok((!is_whole).then_some(*scope))
    }

    fn enter(&mut self, around: Around, _: &'p Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        if let (Around::Given { .. }, Branches::Cases) = (around, self.branches) {
            self.sides.push(self.found.len());
            return Ok(Some(Scope { known: outer.known, lanes: false }));
        }
        let Around::Count { var, end, rounds } = around else {
            return Ok(Some(Scope { known: Known::Perhaps, lanes: false }));
        };
        let few = self.counters != Counters::Some || self.sites.has_room(end);
        let mut lanes = self.sites.enter_around(around, if few { Look::Lanes } else { Look::Symbol });
        let mut known = outer.known;
        match (rounds, self.counters) {
            _ if lanes => {}
            (Rounds::InTurn { .. }, Counters::Sample) => {
                self.sites.enter_some(var, SAMPLE);
                lanes = true;
            }
            (Rounds::InTurn { .. }, Counters::Some) => {}
            _ => known = Known::Perhaps,
        }
        Ok(Some(Scope { known, lanes }))
    }

    fn leave(&mut self, around: Around, _: &Scope, inner: &Scope) {
        if let (Around::Given { cond, truth }, Branches::Cases) = (around, self.branches) {
            for site in &mut self.found[self.sides.pop().unwrap_or_default()..] {
                site.guard.sure = self.sites.given((cond, truth), site.guard.sure);
            }
        }
        if inner.lanes {
            self.sites.leave();
        }
    }

    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, Infallible> {
        self.sites.name_of(stmt);
        Ok(scope)
    }
}
