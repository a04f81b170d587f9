//! The program as barriers see it: statements with their touches, found once; and back again.

use super::touch::{Grain, Map, Touch};
use crate::diag::Span;
use crate::level::Level;
use crate::passes::access::{Purpose, Sites};
use crate::passes::index::Budget;
use crate::passes::walk;
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
    let mut maker = Maker { sites: Sites::new(p, Purpose::Order, budget), map: &map };
    let nodes = maker.block(body);
    (nodes, map.cells as usize)
}

struct Maker<'p> {
    sites: Sites<'p>,
    map: &'p Map<'p>,
}

impl Maker<'_> {
    fn block(&mut self, block: &Block) -> Vec<Node> {
        block.iter().map(|stmt| self.node(stmt)).collect()
    }

    fn touches(&mut self, stmt: &Stmt) -> Vec<Touch> {
        let found = self.sites.leaf(stmt);
        found.iter().filter_map(|site| self.map.touch(site, &mut self.sites)).collect()
    }

    fn node(&mut self, stmt: &Stmt) -> Node {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Sync { scope } => Node::Sync(*scope, span),
            StmtKind::If { then, els, .. } => {
                let touches = self.touches(&walk::shell(stmt));
                Node::If(walk::shell(stmt), touches, self.block(then), self.block(els))
            }
            StmtKind::SeqFor { var, body, .. } => {
                let touches = self.touches(&walk::shell(stmt));
                self.sites.symbol(*var);
                Node::Loop(walk::shell(stmt), touches, self.block(body))
            }
            StmtKind::SeqWhile { head, cond, body } => {
                let mut whole = self.block(head);
                whole.push(Node::Test(self.touches(&walk::shell(stmt))));
                whole.extend(self.block(body));
                Node::While(*cond, span, whole)
            }
            StmtKind::DistrPar { level: Level::Warp, var, n, body } => {
                let entered = self.sites.enter_warps(*var, *n).is_some();
                if !entered {
                    self.sites.unknown(*var);
                }
                let body = self.block(body);
                if entered {
                    self.sites.leave();
                }
                Node::Warps(walk::shell(stmt), body)
            }
            StmtKind::DistrPar { var, body, .. } => {
                let touches = self.touches(&walk::shell(stmt));
                self.sites.symbol(*var);
                Node::Loop(walk::shell(stmt), touches, self.block(body))
            }
            kind => {
                let touches = self.touches(stmt);
                if let StmtKind::Let { var, value } = kind {
                    self.sites.name(*var, *value);
                }
                Node::Leaf(stmt.clone(), touches)
            }
        }
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
