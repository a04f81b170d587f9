//! Barriers: a `Sync` wherever an element that one thread touches is touched by another since the last one, and one of
//! the two writes; nowhere else.
//!
//! Needs: `layout`. Virtual threads are taken as `virtualise` shares them out, so steps of one and the same real thread
//! need no barrier, and steps within whole warps need only a barrier of the warp. Arrays that share a place are compared by their bytes.
//! Ensures: any two touches that must be in order are, also around loops, the grid's included. No `Sync` inside
//! `ForAll`; a warp's only where whole warps reach it. An access that `access` cannot follow counts as one of the whole
//! array by all threads. Source: JFP 2016, where each `compute` synchronises; here by dependence.
//!
//! ```text
//! forall i { s1[i] = xs[i] }              forall i { s1[i] = xs[i] }
//! forall i { s2[i] = s1[i] * 3 }      =>  forall i { s2[i] = s1[i] * 3 }         (each thread reads what it wrote)
//! forall i { out[i] = s2[63 - i] }        sync Block
//!                                         forall i { out[i] = s2[63 - i] }
//! ```

mod nodes;
mod state;
mod touch;

use crate::diag::Span;
use crate::level::Level;
use crate::program::{Block, ExprId, Program, StmtKind};
use nodes::Node;
use state::{Need, Ordered, State, stronger};
use touch::{Grain, Touch};

/// Inserts `Sync` statements.
pub fn place(program: &mut Program) {
    program.body = placed(program, &program.body, Grain::Elements);
}

/// The barriers in the text of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BarrierReport {
    /// The number of dependences between whole arrays: a compiler that knows arrays only would place a barrier for
    /// each.
    pub per_array: u32,
    /// The block's barriers that are left.
    pub block: u32,
    /// The warps' barriers that are left.
    pub warp: u32,
}

/// The barriers in the text of a list: the block's, the warps'.
pub(super) fn count(body: &Block) -> [u32; 2] {
    let mut found = [0; 2];
    tally(body, &mut found);
    found
}

/// Counts the barriers of a laid-out program, and those that it would have if only whole arrays were looked at.
pub fn report(program: &Program) -> BarrierReport {
    let bare = without(program.body.clone());
    let per_array = count(&placed(program, &bare, Grain::Arrays));
    let [block, warp] = count(&program.body);
    BarrierReport { per_array: per_array[0] + per_array[1], block, warp }
}

fn without(mut body: Block) -> Block {
    body.retain(|s| !matches!(s.kind, StmtKind::Sync { .. }));
    for stmt in &mut body {
        for inner in super::walk::nested_mut(&mut stmt.kind) {
            *inner = without(std::mem::take(inner));
        }
    }
    body
}

fn tally(body: &Block, found: &mut [u32; 2]) {
    for stmt in body {
        if let StmtKind::Sync { scope } = stmt.kind {
            found[usize::from(scope == Level::Warp)] += 1;
        }
        super::walk::nested(&stmt.kind).for_each(|b| tally(b, found));
    }
}

fn placed(program: &Program, body: &Block, grain: Grain) -> Block {
    let (nodes, cells) = nodes::nodes(program, body, grain);
    let whole_warps = program.threads.is_multiple_of(32) || program.threads < 32;
    let placer = Placer { program, weakest: if whole_warps { Level::Warp } else { Level::Block } };
    nodes::statements(placer.list(nodes, &mut State::new(cells, Level::Block)))
}

struct Placer<'a> {
    program: &'a Program,
    /// The weakest barrier that all threads of a block can meet at.
    weakest: Level,
}

impl Placer<'_> {
    /// Places barriers in a list. `state`: what was touched since the last barrier, before and after.
    fn list(&self, list: Vec<Node>, state: &mut State) -> Vec<Node> {
        let mut out = Vec::with_capacity(list.len());
        for node in list {
            self.node(node, state, &mut out);
        }
        out
    }

    fn node(&self, node: Node, state: &mut State, out: &mut Vec<Node>) {
        let done = match node {
            Node::Sync(level, span) => {
                state.sync(level);
                Node::Sync(level, span)
            }
            Node::Leaf(stmt, touches) => {
                self.touch(&touches, stmt.span, state, out);
                Node::Leaf(stmt, touches)
            }
            Node::Test(touches) => {
                self.touch(&touches, Span::NONE, state, out);
                Node::Test(touches)
            }
            Node::If(stmt, touches, then, els) => {
                self.touch(&touches, stmt.span, state, out);
                let mut other = state.clone();
                let (then, els) = (self.list(then, state), self.list(els, &mut other));
                *state = state.clone().join(&other);
                Node::If(stmt, touches, then, els)
            }
            Node::Loop(stmt, touches, body) => {
                self.touch(&touches, stmt.span, state, out);
                let body = match stmt.kind {
                    StmtKind::DistrPar { n, .. } if matches!(self.program.exprs.as_u32(n), Some(0 | 1)) => {
                        self.list(body, state)
                    }
                    StmtKind::SeqFor { start, end, .. } if self.runs(start, end) => {
                        self.repeated(body, Rounds::Some, stmt.span, state, out)
                    }
                    _ => self.repeated(body, Rounds::Any, stmt.span, state, out),
                };
                Node::Loop(stmt, touches, body)
            }
            Node::While(cond, span, whole) => {
                let whole = self.repeated(whole, Rounds::Any, span, state, out);
                // The last round ends after the test.
                for node in &whole {
                    each(node, &mut |touch| state.note(touch, Ordered::No));
                    if matches!(node, Node::Test(_)) {
                        break;
                    }
                }
                Node::While(cond, span, whole)
            }
            Node::Warps(stmt, body) => {
                let body = self.warps(body, stmt.span, state, out);
                Node::Warps(stmt, body)
            }
        };
        out.push(done);
    }

    /// Whether a loop surely runs a round.
    fn runs(&self, start: ExprId, end: ExprId) -> bool {
        let [start, end] = [start, end].map(|e| self.program.exprs.as_u32(e));
        start.zip(end).is_some_and(|(a, b)| a < b)
    }

    /// A statement with touches; a barrier is placed before it if one is needed.
    fn touch(&self, touches: &[Touch], span: Span, state: &mut State, out: &mut Vec<Node>) {
        let need = touches.iter().map(|t| state.need(t, Ordered::No)).fold(None, stronger);
        self.sync(need, span, state, out);
        touches.iter().for_each(|t| state.note(t, Ordered::No));
    }

    /// The barrier that is needed and can stand in the code of `state`.
    fn sync(&self, need: Need, span: Span, state: &mut State, out: &mut Vec<Node>) {
        if let Some(level) = self.possible(need, state) {
            state.sync(level);
            out.push(Node::Sync(level, span));
        }
    }

    fn possible(&self, need: Need, state: &State) -> Need {
        need.map(|level| if state.scope() == Level::Block { level.max(self.weakest) } else { Level::Warp })
    }

    /// A loop body: barriers inside, at the end where one round meets the next, in front where it meets what was before.
    fn repeated(
        &self,
        body: Vec<Node>,
        rounds: Rounds,
        span: Span,
        state: &mut State,
        out: &mut Vec<Node>,
    ) -> Vec<Node> {
        let mut after = state.fresh();
        let mut body = self.list(body, &mut after);
        let meets_itself = self.possible(entry(&body, &after, &mut Passed::none()).need, &after);
        let meets_before = self.possible(entry(&body, state, &mut Passed::none()).need, state);
        match (meets_before, meets_itself) {
            // One barrier at the top serves both.
            (Some(a), Some(b)) => body.insert(0, Node::Sync(a.max(b), span)),
            (Some(level), None) => {
                out.push(Node::Sync(level, span));
                state.sync(level);
            }
            (None, Some(level)) => {
                body.push(Node::Sync(level, span));
                after.sync(level);
            }
            (None, None) => {}
        }
        let closed = entry(&body, state, &mut Passed::none()).closed;
        // A loop that may run no round leaves what was before as it was.
        *state = if closed && rounds == Rounds::Some { after } else { after.join(state) };
        body
    }

    /// The code of the block's warps: barriers of the warps inside, of the block (or of all warps) in front. At its end
    /// a warp's next round meets this one, be it the next virtual warp or the next virtual block.
    fn warps(&self, body: Vec<Node>, span: Span, state: &mut State, out: &mut Vec<Node>) -> Vec<Node> {
        let mut own = State::new(state.cells(), Level::Warp);
        let body = self.repeated(body, Rounds::Any, span, &mut own, &mut Vec::new());
        let syncs: Vec<usize> = (0..body.len()).filter(|&i| matches!(body[i], Node::Sync(..))).collect();
        let among = |hit: bool| if hit { Ordered::ByWarp } else { Ordered::No };
        let mut need = None;
        for (i, node) in body.iter().enumerate() {
            let ordered = among(syncs.iter().any(|&s| s < i));
            each(node, &mut |touch| need = stronger(need, state.need(touch, ordered)));
        }
        self.sync(need, span, state, out);
        for (i, node) in body.iter().enumerate() {
            let ordered = among(syncs.iter().any(|&s| s > i));
            each(node, &mut |touch| state.note(touch, ordered));
        }
        body
    }
}

/// Visits every touch of a node.
fn each(node: &Node, visit: &mut dyn FnMut(&Touch)) {
    match node {
        Node::Leaf(_, touches) | Node::Test(touches) => touches.iter().for_each(visit),
        Node::Sync(..) => {}
        Node::If(_, touches, then, els) => {
            touches.iter().for_each(&mut *visit);
            then.iter().chain(els).for_each(|n| each(n, visit));
        }
        Node::Loop(_, touches, body) => {
            touches.iter().for_each(&mut *visit);
            body.iter().for_each(|n| each(n, visit));
        }
        Node::While(_, _, body) | Node::Warps(_, body) => body.iter().for_each(|n| each(n, visit)),
    }
}

/// How many rounds a loop runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounds {
    /// One at least.
    Some,
    /// Perhaps none.
    Any,
}

/// How a list meets what came before it.
struct Entry {
    need: Need,
    /// Whether every path through it meets a barrier that ends the search.
    closed: bool,
}

/// What a list with its barriers needs in front, where `before` was touched.
fn entry(list: &[Node], before: &State, ordered: &mut Passed) -> Entry {
    let mut need = None;
    for node in list {
        let mut look = |touches: &[Touch], ordered: Ordered| {
            need = touches.iter().map(|t| before.need(t, ordered)).fold(need, stronger);
        };
        match node {
            Node::Sync(level, _) if *level >= before.scope() => return Entry { need, closed: true },
            Node::Sync(..) => ordered.0 = Ordered::ByWarp,
            Node::Leaf(_, touches) | Node::Test(touches) => look(touches, ordered.0),
            Node::If(_, touches, then, els) => {
                look(touches, ordered.0);
                let (mut a, mut b) = (Passed(ordered.0), Passed(ordered.0));
                let (x, y) = (entry(then, before, &mut a), entry(els, before, &mut b));
                need = stronger(need, stronger(x.need, y.need));
                if x.closed && y.closed {
                    return Entry { need, closed: true };
                }
            }
            Node::Loop(_, touches, body) => {
                look(touches, ordered.0);
                need = stronger(need, entry(body, before, &mut Passed(ordered.0)).need);
            }
            Node::While(_, _, whole) => {
                let found = entry(whole, before, &mut Passed(ordered.0));
                need = stronger(need, found.need);
                let at = whole.iter().position(|n| matches!(n, Node::Test(_))).unwrap_or(0);
                if entry(&whole[..at], before, &mut Passed(ordered.0)).closed {
                    return Entry { need, closed: true };
                }
            }
            Node::Warps(_, body) => {
                let mut inner = ordered.0;
                for node in body {
                    if matches!(node, Node::Sync(..)) {
                        inner = Ordered::ByWarp;
                    }
                    each(node, &mut |touch| need = stronger(need, before.need(touch, inner)));
                }
            }
        }
    }
    Entry { need, closed: false }
}

/// Barriers of warps passed on the way.
struct Passed(Ordered);

impl Passed {
    fn none() -> Passed {
        Passed(Ordered::No)
    }
}

#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;
