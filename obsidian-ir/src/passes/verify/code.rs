//! The walk through the code of blocks and warps, phase by phase: the races of each, what it reads, what has been written before.

use std::convert::Infallible;

use super::counters::counters_in;
use super::filled::Known;
use super::gather::{Branches, Counters};
use super::phase::{Parties, races};
use super::report::{About, Verdict};
use super::{Verify, sides};
use crate::level::Level;
use crate::passes::access::{Kind, Look, Site};
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{Block, ExprId, Space, Stmt, StmtKind};
use crate::tables::HashSet;

impl<'p> Visitor<'p> for Verify<'p> {
    type Scope = ();
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, (): &()) -> Result<Option<()>, Infallible> {
        match &stmt.kind {
            StmtKind::Allocate { array } => self.filled.allocate(*array),
            StmtKind::DistrPar { level: Level::Warp, body, .. } => {
                if let Some(around) = Around::count(&stmt.kind) {
                    self.warps(around, body);
                }
                return Ok(None);
            }
            StmtKind::DistrPar { .. } | StmtKind::SeqWhile { .. } => {}
            _ => self.leaf(stmt),
        }
        Ok((!matches!(stmt.kind, StmtKind::ForAll { .. })).then_some(()))
    }

    fn evaluates(&mut self, stmt: &'p Stmt, _: ExprId, (): &()) -> Result<(), Infallible> {
        // The test of a `while` comes after its head, and sees what that has written.
        if let StmtKind::SeqWhile { .. } = stmt.kind {
            self.leaf(stmt);
        }
        Ok(())
    }

    fn enter(&mut self, around: Around, _: &'p Block, (): &()) -> Result<Option<()>, Infallible> {
        // The second side of a branch begins with what the first has begun with.
        if keeps(around) && !matches!(around, Around::Given { truth: false, .. }) {
            self.before.push(self.filled.clone());
        }
        self.sites.enter_around(around, Look::Symbol);
        Ok(Some(()))
    }

    fn leave(&mut self, around: Around, (): &(), (): &()) {
        let Some(before) = keeps(around).then(|| self.before.pop()).flatten() else { return };
        match around {
            Around::Given { truth: true, .. } => {
                let then = std::mem::replace(&mut self.filled, before);
                self.before.push(then);
            }
            Around::Given { .. } => self.filled.both(&before),
            _ => self.filled = before,
        }
    }

    fn end(&mut self, stmt: &'p Stmt, (): ()) -> Result<(), Infallible> {
        self.sites.name_of(stmt);
        if let StmtKind::SeqFor { .. } = stmt.kind {
            // What all rounds together write.
            let mut written = Vec::new();
            self.gather(std::slice::from_ref(stmt), (Known::Sure, Counters::Open, Branches::Perhaps), &mut written);
            sides::joined(self.p, written).iter().for_each(|site| self.filled.write(site, &mut self.sites));
        }
        Ok(())
    }
}

/// Whether what a list writes may be missing behind it.
fn keeps(around: Around) -> bool {
    !matches!(around, Around::Head | Around::Count { rounds: Rounds::Instances(_), .. })
}

impl<'p> Verify<'p> {
    /// Looks at the phases of a list.
    pub(super) fn phases_of(&mut self, list: &'p Block) {
        let Ok(()) = visit(self, list, ());
    }

    fn warps(&mut self, around: Around, body: &'p Block) {
        let entered = self.sites.enter_around(around, Look::Symbol);
        let outside = std::mem::take(&mut self.seen);
        self.phases_of(body);
        let mut all = std::mem::replace(&mut self.seen, outside);
        // Warps are not in step: what is not a warp's own is one phase for all of their code, in all rounds of its loops.
        let own = counters_in(body);
        if !own.is_empty() {
            all.clear();
            self.gather(body, (Known::Sure, Counters::Some, Branches::Perhaps), &mut all);
        }
        let shared = |s: &Site| self.p.array(s.array).space != Space::Shared(Level::Warp);
        all.retain(shared);
        let mut findings = self.raced(&all, (Parties::Warps, &own));
        if !own.is_empty() && findings.iter().any(|(_, finding, _)| matches!(finding.verdict, Verdict::Unproved(_))) {
            let mut some = Vec::new();
            self.gather(body, (Known::Perhaps, Counters::Sample, Branches::Perhaps), &mut some);
            for (array, finding, _) in &mut findings {
                let of: Vec<Site> = some.iter().filter(|s| s.array == *array).cloned().collect();
                finding.exemplify(races(self.p, &of, (Parties::Warps, &HashSet::default()), &mut self.sites));
            }
        }
        if entered {
            self.sites.leave();
        }
        for (array, finding, span) in findings {
            self.judge(array, (finding.claim, span), About::Writes, finding.verdict);
        }
    }

    /// A phase: its races, what it reads, what it writes.
    fn leaf(&mut self, stmt: &Stmt) {
        self.own_arrays(stmt);
        let found = self.sites.leaf(stmt);
        if found.is_empty() {
            return;
        }
        self.phases(&found, (Parties::Instances, &HashSet::default()));
        for at in 0..found.len() {
            if found[at].kind != Kind::Write {
                let verdict = self.filled.read(&found, at, &mut self.sites);
                let site = &found[at];
                let claim = self.filled.claim(site.array);
                self.judge(site.array, (claim, site.span), About::Reads, verdict);
            }
        }
        let joined = sides::joined(self.p, found.clone());
        joined.iter().for_each(|site| self.filled.write(site, &mut self.sites));
        self.seen.extend(found);
    }
}
