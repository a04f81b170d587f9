//! The program as barriers see it: statements with their touches, found once; and back again.

use std::convert::Infallible;

use super::touch::{Grain, Map, Touch};
use crate::diag::Span;
use crate::level::Level;
use crate::passes::access::{Look, Purpose, Sites};
use crate::passes::index::Budget;
use crate::passes::walk;
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{Block, ExprId, Program, Stmt, StmtKind};

/// The most touches of elements that are analysed in one program; beyond them whole arrays count.
const MAX_TOUCHES: u64 = 1 << 21;

/// A statement of machine code: what a block's or a warp's threads run together.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// A statement without nested statements between which a barrier could stand.
    Leaf(Stmt, Vec<Touch>),
    /// The test of a `SeqWhile`, between its head and its body.
    Test(Vec<Touch>),
    Sync(Level, Span),
    /// A branch: the statement without its blocks, and what its condition touches.
    If(Stmt, Vec<Touch>, Vec<Node>, Vec<Node>),
    /// A `SeqFor` or the grid's `DistrPar` without its body, and what its bounds touch.
    Loop(Stmt, Vec<Touch>, Vec<Node>),
    /// A `SeqWhile`: condition, place, head and test and body.
    While(ExprId, Span, Vec<Node>),
    /// The block's warps: the `DistrPar` without its body.
    Warps(Stmt, Vec<Node>),
}

/// The nodes of a program, and how many cells its touches reach.
pub(super) fn nodes(p: &Program, body: &Block, grain: Grain) -> (Vec<Node>, usize) {
    let map = Map::new(p, grain);
    let budget = Budget::new(if grain == Grain::Elements { MAX_TOUCHES } else { 0 });
    let sites = Sites::new(p, Purpose::Order, budget);
    let mut maker = Maker { sites, map: &map, lists: vec![Vec::new()], touches: Vec::new() };
    let Ok(_) = visit(&mut maker, body, false);
    (maker.list(), map.cells as usize)
}

struct Maker<'m, 'p> {
    sites: Sites<'p>,
    map: &'m Map<'p>,
    /// The lists that are being made, and those in a statement whose node is.
    lists: Vec<Vec<Node>>,
    /// What the statements touch whose nodes are being made.
    touches: Vec<Vec<Touch>>,
}

impl<'p> Visitor<'p> for Maker<'_, 'p> {
    /// Whether the list is a loop whose rounds are lanes.
    type Scope = bool;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, _: &bool) -> Result<Option<bool>, Infallible> {
        let touches = match &stmt.kind {
            StmtKind::Sync { .. } | StmtKind::SeqWhile { .. } | StmtKind::DistrPar { level: Level::Warp, .. } => {
                Vec::new()
            }
            _ => self.touches(stmt),
        };
        self.touches.push(touches);
        Ok((!matches!(stmt.kind, StmtKind::ForAll { .. })).then_some(false))
    }

    fn evaluates(&mut self, stmt: &'p Stmt, _: ExprId, _: &bool) -> Result<(), Infallible> {
        if let StmtKind::SeqWhile { .. } = stmt.kind {
            let test = Node::Test(self.touches(stmt));
            self.push(test);
        }
        Ok(())
    }

    fn enter(&mut self, around: Around, _: &'p Block, _: &bool) -> Result<Option<bool>, Infallible> {
        self.lists.push(Vec::new());
        Ok(Some(self.sites.enter_around(around, Look::Symbol)))
    }

    fn leave(&mut self, _: Around, _: &bool, lanes: &bool) {
        if *lanes {
            self.sites.leave();
        }
    }

    fn end(&mut self, stmt: &'p Stmt, scope: bool) -> Result<bool, Infallible> {
        let touches = self.touches.pop().unwrap_or_default();
        let node = match &stmt.kind {
            StmtKind::Sync { scope } => Node::Sync(*scope, stmt.span),
            StmtKind::If { .. } => {
                let els = self.list();
                Node::If(walk::shell(stmt), touches, self.list(), els)
            }
            StmtKind::SeqWhile { cond, .. } => {
                let body = self.list();
                let mut whole = self.list();
                whole.extend(body);
                Node::While(*cond, stmt.span, whole)
            }
            StmtKind::DistrPar { level: Level::Warp, .. } => Node::Warps(walk::shell(stmt), self.list()),
            StmtKind::SeqFor { .. } | StmtKind::DistrPar { .. } => Node::Loop(walk::shell(stmt), touches, self.list()),
            _ => {
                self.sites.name_of(stmt);
                Node::Leaf(stmt.clone(), touches)
            }
        };
        self.push(node);
        Ok(scope)
    }
}

impl Maker<'_, '_> {
    /// The list that was made last.
    fn list(&mut self) -> Vec<Node> {
        self.lists.pop().unwrap_or_default()
    }

    fn push(&mut self, node: Node) {
        if let Some(list) = self.lists.last_mut() {
            list.push(node);
        }
    }

    fn touches(&mut self, stmt: &Stmt) -> Vec<Touch> {
        let found = self.sites.leaf(stmt);
        found.iter().filter_map(|site| self.map.touch(site, &mut self.sites)).collect()
    }
}

/// The statements of nodes.
pub(super) fn statements(nodes: Vec<Node>) -> Block {
    nodes.into_iter().filter_map(statement).collect()
}

fn statement(node: Node) -> Option<Stmt> {
    Some(match node {
        Node::Leaf(stmt, _) => stmt,
        Node::Test(_) => return None,
        Node::Sync(scope, span) => Stmt::new(StmtKind::Sync { scope }, span),
        Node::If(stmt, _, then, els) => filled(stmt, [then, els]),
        Node::Loop(stmt, _, body) | Node::Warps(stmt, body) => filled(stmt, [body, Vec::new()]),
        Node::While(cond, span, mut whole) => {
            let at = whole.iter().position(|n| matches!(n, Node::Test(_))).unwrap_or(0);
            let body = statements(whole.split_off(at + 1));
            Stmt::new(StmtKind::SeqWhile { head: statements(whole), cond, body }, span)
        }
    })
}

/// A statement with its blocks again.
fn filled(mut stmt: Stmt, blocks: [Vec<Node>; 2]) -> Stmt {
    for (inner, nodes) in walk::nested_mut(&mut stmt.kind).zip(blocks) {
        *inner = statements(nodes);
    }
    stmt
}
