//! The dataflow network of a block: a column for what each phase writes, a row for each element, a line from every element
//! read to the one computed from it, a dot where there are several.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::svg::{Anchor, Point, Svg};
use crate::passes::access::{Kind, Purpose, Site, Sites, Team, for_alls};
use crate::passes::index::{Budget, Sum, lanes_of};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};

/// Rows of a picture, at most.
const MAX_ROWS: u32 = 256;
/// Touches looked at.
const MAX_TOUCHES: u64 = 1 << 22;
/// Pixels from column to column.
const COLUMN: u32 = 56;
/// Pixels from row to row.
const ROW: u32 = 14;
/// Pixels around.
const MARGIN: u32 = 40;

/// Why there is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// The elements of the longest array.
    pub rows: u32,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an array has {} elements, and a picture at most {MAX_ROWS}: draw the kernel at a smaller size",
            self.rows
        )
    }
}

impl std::error::Error for TooLarge {}

/// The network of the first block of a laid-out program.
///
/// # Errors
/// [`TooLarge`] where a block touches more elements of an array than a picture has rows.
pub fn network(program: &Program) -> Result<String, TooLarge> {
    let mut net =
        Network { program, columns: Vec::new(), latest: BTreeMap::new(), sources: BTreeMap::new(), unknown: 0 };
    let mut sites = Sites::new(program, Purpose::Costs, Budget::new(MAX_TOUCHES));
    for_alls(&mut sites, &program.body, &mut |sites, stmt, body| net.phase(sites, stmt, body));
    net.picture()
}

/// A column and a row.
type Node = (u32, u32);

struct Network<'p> {
    program: &'p Program,
    /// Names of what each column holds; the first is the inputs'.
    columns: Vec<BTreeSet<String>>,
    /// The column that last wrote an element.
    latest: BTreeMap<(ArrayId, u32), u32>,
    /// What each node is computed from.
    sources: BTreeMap<Node, BTreeSet<Node>>,
    /// Accesses whose element is not known while compiling.
    unknown: usize,
}

impl Network<'_> {
    /// One loop over threads: a column.
    fn phase(&mut self, sites: &mut Sites<'_>, stmt: &Stmt, body: &Block) {
        let StmtKind::ForAll { level, var, n, .. } = stmt.kind else { return };
        let column = self.columns.len().max(1) as u32;
        let mut written = Vec::new();
        for part in parts(self.program, body) {
            let alone = Stmt { kind: StmtKind::ForAll { level, var, n, body: part }, ..stmt.clone() };
            let found = sites.leaf(&alone);
            let (reads, writes): (Vec<Site>, Vec<Site>) = found.into_iter().partition(|s| s.kind == Kind::Read);
            for write in &writes {
                self.edges(write, &reads, column, &mut written);
            }
        }
        if written.is_empty() {
            return;
        }
        self.columns.resize(column as usize + 1, BTreeSet::new());
        for (array, row) in written {
            self.latest.insert((array, row), column);
            self.columns[column as usize].insert(self.program.array(array).name.clone());
        }
    }

    /// The lines that end in what `write` writes.
    fn edges(&mut self, write: &Site, reads: &[Site], column: u32, written: &mut Vec<(ArrayId, u32)>) {
        let Team::Threads(dims) = write.team else { return };
        let targets = self.rows(write);
        written.extend(targets.iter().map(|&(_, row)| (write.array, row)));
        let mut from: BTreeMap<u64, BTreeSet<Node>> = BTreeMap::new();
        for read in reads {
            for (lane, row) in self.rows(read) {
                let node = (self.latest.get(&(read.array, row)).copied().unwrap_or(0), row);
                if node.0 == 0 {
                    self.columns.resize(self.columns.len().max(1), BTreeSet::new());
                    self.columns[0].insert(self.program.array(read.array).name.clone());
                }
                from.entry(instance(read, dims, lane)).or_default().insert(node);
            }
        }
        for (lane, row) in targets {
            let sources = from.get(&instance(write, dims, lane)).into_iter().flatten();
            self.sources.entry((column, row)).or_default().extend(sources);
        }
    }

    /// The lanes of a site with the rows that they touch. A row is an element; the elements of a warp's array follow
    /// those of the warps before, and those of a buffer are counted from the block's first.
    fn rows(&mut self, site: &Site) -> Vec<(u64, u32)> {
        let steady = |i: &Sum| i.terms.iter().all(|(_, c)| c.as_uniform().is_some());
        if !site.index.as_ref().is_some_and(steady) {
            self.unknown += 1;
            return Vec::new();
        }
        let array = self.program.array(site.array);
        let own = site.warp.filter(|_| array.space == Space::Shared(crate::level::Level::Warp));
        let len = self.program.exprs.as_u32(array.len).unwrap_or(0);
        let copy = |lane: u64| own.map_or(0, |dim| lane / lanes_of(&site.extents[dim + 1..]).max(1));
        site.elements().into_iter().map(|(lane, e)| (lane, e.wrapping_add(copy(lane) as u32 * len))).collect()
    }

    fn picture(mut self) -> Result<String, TooLarge> {
        let rows = self.sources.iter().flat_map(|(to, from)| from.iter().chain([to])).map(|n| n.1).max();
        let rows = rows.map_or(0, |r| r.saturating_add(1));
        if rows > MAX_ROWS {
            return Err(TooLarge { rows });
        }
        let at = |(column, row): Node| -> Point { (MARGIN + column * COLUMN, MARGIN + row * ROW) };
        let name = |(column, row): Node, columns: &[BTreeSet<String>]| {
            let names = columns.get(column as usize).map(|c| c.iter().cloned().collect::<Vec<_>>().join(", "));
            format!("{}[{row}]", names.unwrap_or_default())
        };
        let mut svg = Svg::default();
        for (&to, from) in &self.sources {
            for &node in from {
                svg.line(at(node), at(to), &format!("{} from {}", name(to, &self.columns), name(node, &self.columns)));
            }
        }
        for (&to, from) in self.sources.iter().filter(|(_, from)| from.len() > 1) {
            svg.dot(at(to), &format!("{} from {} elements", name(to, &self.columns), from.len()));
        }
        for row in 0..rows {
            svg.text((MARGIN - 8, MARGIN + row * ROW + 4), Anchor::End, &row.to_string());
        }
        let columns = std::mem::take(&mut self.columns);
        for (column, names) in (0..).zip(&columns) {
            let mut names = names.iter();
            let more = if names.len() > 1 { " .." } else { "" };
            let label = names.next().map_or(String::new(), |first| format!("{first}{more}"));
            svg.text((MARGIN + column * COLUMN, MARGIN - 16), Anchor::Middle, &label);
        }
        let unknown = match self.unknown {
            0 => String::new(),
            n => format!("; {n} accesses depend on data and are not drawn"),
        };
        let size = (MARGIN * 2 + (columns.len() as u32).saturating_sub(1) * COLUMN, MARGIN * 2 + rows * ROW);
        Ok(svg.finish(size, &format!("Dataflow of a block of {}{unknown}", self.program.name)))
    }
}

/// The instance that computes: a round of all loops if there is no loop inside the thread, else the thread.
fn instance(site: &Site, dims: usize, lane: u64) -> u64 {
    lane / lanes_of(&site.extents[dims..]).max(1)
}

/// The body of a `ForAll` as a body for each of its assignments, so that each is seen with what it reads alone. A body
/// that sets variables stays whole: then all that a thread reads leads to all that it writes.
fn parts(p: &Program, body: &Block) -> Vec<Block> {
    let sets = |s: &Stmt| matches!(s.kind, StmtKind::Local { .. } | StmtKind::Set { .. } | StmtKind::Shuffle { .. });
    if any(body, &sets) { vec![body.clone()] } else { alone(p, body) }
}

fn any(block: &Block, test: &dyn Fn(&Stmt) -> bool) -> bool {
    block.iter().any(|s| test(s) || walk::nested(&s.kind).any(|inner| any(inner, test)))
}

/// Each assignment in a block, with the branches and loops around it and the names that it needs.
fn alone(p: &Program, block: &Block) -> Vec<Block> {
    let mut out = Vec::new();
    for (at, stmt) in block.iter().enumerate() {
        let mut inner: Vec<Stmt> = Vec::new();
        match &stmt.kind {
            StmtKind::Assign { .. } | StmtKind::Atomic { .. } => inner.push(stmt.clone()),
            kind => {
                for (side, nested) in walk::nested(kind).enumerate() {
                    inner.extend(alone(p, nested).into_iter().map(|part| with_side(stmt, side, part)));
                }
            }
        }
        out.extend(inner.into_iter().map(|stmt| with_names(p, &block[..at], stmt)));
    }
    out
}

/// The statement with one of its blocks, the others empty.
fn with_side(stmt: &Stmt, side: usize, part: Block) -> Stmt {
    let mut stmt = stmt.clone();
    let mut part = Some(part);
    for (at, block) in walk::nested_mut(&mut stmt.kind).enumerate() {
        *block = if at == side { part.take().unwrap_or_default() } else { Vec::new() };
    }
    stmt
}

/// The statement behind those of `before` that bind names it needs.
fn with_names(p: &Program, before: &[Stmt], stmt: Stmt) -> Block {
    let mut roots = walk::evaluated(std::slice::from_ref(&stmt));
    let mut needed = Vec::new();
    for named in before.iter().rev() {
        if let StmtKind::Let { var, value } = named.kind
            && reads(p, &roots, var)
        {
            roots.push(value);
            needed.push(named.clone());
        }
    }
    needed.into_iter().rev().chain([stmt]).collect()
}

fn reads(p: &Program, roots: &[ExprId], var: VarId) -> bool {
    walk::reachable(&p.exprs, roots.iter().copied(), |_| false).into_iter().any(|e| p.exprs.expr(e) == Expr::Var(var))
}
