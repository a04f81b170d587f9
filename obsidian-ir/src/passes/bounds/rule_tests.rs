//! Rules of the prover whose weakening the tests of whole kernels do not notice: programs made by hand.

use super::check;
use crate::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{
    ArrayId, BinOp, Block, ExprId, LaunchCheck, Param, ParamId, ParamKind, Program, Range, ScalarType, Space, StmtKind,
};

/// Whether all indices are proved in a block with the arrays `m` and `s` of 64 elements and the scalar `x`.
pub(super) fn proved(body: impl FnOnce(&mut Program, [ArrayId; 2], ExprId) -> Block) -> bool {
    let mut p = fixture::program(64);
    let param = ParamId(p.params.len() as u32);
    p.params.push(Param::new("x", ParamKind::Scalar(ScalarType::U32)));
    let x = p.exprs.scalar(param, ScalarType::U32);
    let arrays = ["m", "s"].map(|name| p.new_array(name, ScalarType::U32, 64, Space::Shared(Level::Block)));
    let one = Make::u32(&mut p, 1);
    let grid = p.distribute(Level::Block, one, |p, _| body(p, arrays, x));
    p.body = vec![grid];
    check(&p).is_ok()
}

pub(super) fn write(p: &mut Program, array: ArrayId, index: ExprId) -> crate::program::Stmt {
    let value = Make::u32(p, 7);
    stmt(StmtKind::Assign { array, index, value })
}

/// `if t < 64 { t = t + 100; m[t] = 7 }`.
#[test]
fn what_is_known_of_a_variable_is_forgotten_when_it_is_set() {
    let accepted = |sets: &[u32]| {
        proved(|p, [m, _], x| {
            vec![p.for_all(Level::Block, 64, |p, _| {
                let var = p.new_var("t", ScalarType::U32, true, Range::full(ScalarType::U32));
                let t = p.exprs.var(var);
                let limit = Make::u32(p, 64);
                let cond = p.op(BinOp::Lt, t, limit);
                let mut then = Vec::new();
                for &more in sets {
                    let more = Make::u32(p, more);
                    let value = p.op(BinOp::Add, t, more);
                    then.push(stmt(StmtKind::Set { var, value }));
                }
                then.push(write(p, m, t));
                vec![stmt(StmtKind::Local { var, init: Some(x) }), stmt(StmtKind::If { cond, then, els: Vec::new() })]
            })]
        })
    };
    assert!(accepted(&[]));
    assert!(!accepted(&[100]));
}

/// `for j in 0..t { if t < 64 { m[t - 1 - j] = 7 } t = t / 2 }`: the loop goes on to the first value of `t`.
#[test]
fn the_end_of_a_loop_that_changes_in_it_says_nothing() {
    let accepted = |changes: &[u32]| {
        proved(|p, [m, _], x| {
            vec![p.for_all(Level::Block, 64, |p, _| {
                let var = p.new_var("t", ScalarType::U32, true, Range::full(ScalarType::U32));
                let t = p.exprs.var(var);
                let (j, index) = p.index("j", u32::MAX);
                let [zero, one, limit] = [0, 1, 64].map(|n| Make::u32(p, n));
                let last = p.op(BinOp::Sub, t, one);
                let at = p.op(BinOp::Sub, last, index);
                let cond = p.op(BinOp::Lt, t, limit);
                let then = vec![write(p, m, at)];
                let mut body = vec![stmt(StmtKind::If { cond, then, els: Vec::new() })];
                for &by in changes {
                    let by = Make::u32(p, by);
                    let value = p.op(BinOp::Div, t, by);
                    body.push(stmt(StmtKind::Set { var, value }));
                }
                let around = StmtKind::SeqFor { var: j, start: zero, end: t, step: one, body };
                vec![stmt(StmtKind::Local { var, init: Some(x) }), stmt(around)]
            })]
        })
    };
    assert!(accepted(&[]));
    assert!(!accepted(&[2]));
}

/// `if s[0] < 64 { in one phase s[0] = 7; in the next m[s[0]] = 7 }`.
#[test]
fn what_is_known_of_shared_memory_does_not_last() {
    let accepted = |phases: bool| {
        proved(|p, [m, s], _| {
            let [zero, limit] = [0, 64].map(|n| Make::u32(p, n));
            let at = p.get(s, zero);
            let cond = p.op(BinOp::Lt, at, limit);
            let set = p.for_all(Level::Block, 1, |p, _| vec![write(p, s, zero)]);
            let used = p.for_all(Level::Block, 1, |p, _| {
                let then = vec![write(p, m, at)];
                if phases { then } else { vec![stmt(StmtKind::If { cond, then, els: Vec::new() })] }
            });
            if phases {
                vec![stmt(StmtKind::If { cond, then: vec![set, used], els: Vec::new() })]
            } else {
                vec![set, used]
            }
        })
    };
    assert!(!accepted(true));
    // An index that depends on memory is tested where it is used, if at all.
    assert!(!accepted(false));
}

/// `m[if s[0] < 64 { s[0] } else { 0 }] = 7`, while another thread may write `s[0]`.
#[test]
fn memory_that_is_written_meanwhile_is_read_twice() {
    let accepted = |written: bool| {
        proved(|p, [m, s], _| {
            vec![p.for_all(Level::Block, 64, |p, _| {
                let [zero, limit] = [0, 64].map(|n| Make::u32(p, n));
                let at = p.get(s, zero);
                let cond = p.op(BinOp::Lt, at, limit);
                let index = p.exprs.select(cond, at, zero);
                let mut list = vec![write(p, m, index)];
                if written {
                    list.push(write(p, s, zero));
                }
                list
            })]
        })
    };
    assert!(accepted(false));
    assert!(!accepted(true));
}

/// `m[x % n]` with `n` up to 64: one element more than 63.
#[test]
fn a_remainder_may_be_one_less_than_what_it_divides_by() {
    let accepted = |n: u32| {
        proved(|p, [m, _], x| {
            vec![p.for_all(Level::Block, 64, |p, i| {
                let [one, most] = [1, n].map(|n| Make::u32(p, n));
                let low = p.op(BinOp::Min, x, most);
                let by = p.op(BinOp::Max, low, one);
                let sum = p.op(BinOp::Add, x, i);
                let index = p.op(BinOp::Rem, sum, by);
                vec![write(p, m, index)]
            })]
        })
    };
    assert!(accepted(64));
    assert!(!accepted(65));
}

/// `if 1 <= x && i < y { m[a * 2 + i - a - a] = 7 }`, where `a` is `s[0] & 15`, with `x` rows of `y` elements, while another thread
/// may write `s[0]`.
#[test]
fn a_column_is_one_value() {
    let accepted = |written: bool| {
        let mut p = fixture::program(64);
        let [x, y] = ["x", "y"].map(|name| {
            let param = ParamId(p.params.len() as u32);
            p.params.push(Param::new(name, ParamKind::Scalar(ScalarType::U32)));
            p.exprs.scalar(param, ScalarType::U32)
        });
        let [zero, one, two, low, most] = [0, 1, 2, 15, u32::MAX].map(|n| Make::u32(&mut p, n));
        let some = p.op(BinOp::Max, y, one);
        let share = p.op(BinOp::Div, most, some);
        let cond = p.op(BinOp::Le, x, share);
        p.checks.push(LaunchCheck { cond, message: "the product must fit".to_string(), found: x });
        let [m, s] = ["m", "s"].map(|name| p.new_array(name, ScalarType::U32, 64, Space::Shared(Level::Block)));
        let len = p.op(BinOp::Mul, x, y);
        p.arrays[m.0 as usize].len = len;
        let grid = p.distribute(Level::Block, one, |p, _| {
            vec![p.for_all(Level::Block, 64, |p, i| {
                let at = p.get(s, zero);
                let at = p.op(BinOp::And, at, low);
                let twice = p.op(BinOp::Mul, at, two);
                let sum = p.op(BinOp::Add, twice, i);
                let less = p.op(BinOp::Sub, sum, at);
                let column = p.op(BinOp::Sub, less, at);
                let (row, inside) = (p.op(BinOp::Le, one, x), p.op(BinOp::Lt, i, y));
                let cond = p.op(BinOp::And, row, inside);
                let mut list = vec![stmt(StmtKind::If { cond, then: vec![write(p, m, column)], els: Vec::new() })];
                if written {
                    list.push(write(p, s, zero));
                }
                list
            })]
        });
        p.body = vec![grid];
        check(&p).is_ok()
    };
    assert!(accepted(false));
    assert!(!accepted(true));
}

/// `if 1 <= x && i < y { m[i] = 7 }`, where the launch says that the length `z` of `m` is `z / 4 * 4` and `x * y`: only
/// a product that does not wrap says that there are `x` rows.
#[test]
fn the_product_of_a_matrix_does_not_wrap() {
    let accepted = |fits: &[&str]| {
        let mut p = fixture::program(64);
        let [x, y, z] = ["x", "y", "z"].map(|name| {
            let param = ParamId(p.params.len() as u32);
            p.params.push(Param::new(name, ParamKind::Scalar(ScalarType::U32)));
            p.exprs.scalar(param, ScalarType::U32)
        });
        let [one, four, most] = [1, 4, u32::MAX].map(|n| Make::u32(&mut p, n));
        let some = p.op(BinOp::Max, y, one);
        let share = p.op(BinOp::Div, most, some);
        let quarter = p.op(BinOp::Div, z, four);
        // Of several products that the length is, the first is none of rows and columns.
        for (a, b) in [(quarter, four), (x, y)] {
            let product = p.op(BinOp::Mul, a, b);
            let cond = p.op(BinOp::Eq, product, z);
            p.checks.push(LaunchCheck { cond, message: "the length".to_string(), found: z });
        }
        for message in fits {
            let cond = p.op(BinOp::Le, x, share);
            p.checks.push(LaunchCheck { cond, message: message.to_string(), found: x });
        }
        let m = p.new_array("m", ScalarType::U32, 64, Space::Shared(Level::Block));
        p.arrays[m.0 as usize].len = z;
        let grid = p.distribute(Level::Block, one, |p, _| {
            vec![p.for_all(Level::Block, 64, |p, i| {
                let (row, inside) = (p.op(BinOp::Le, one, x), p.op(BinOp::Lt, i, y));
                let cond = p.op(BinOp::And, row, inside);
                vec![stmt(StmtKind::If { cond, then: vec![write(p, m, i)], els: Vec::new() })]
            })]
        });
        p.body = vec![grid];
        check(&p).is_ok()
    };
    assert!(accepted(&["the product must fit"]));
    assert!(!accepted(&[]));
}

/// Of a launch that is asked for the length of `ys`: `if at < len(xs) { at = at + more; out[..] = xs[at] }`. What the condition says is read again, but
/// not of a variable that has been set since.
#[test]
fn a_condition_tells_nothing_again_of_a_variable_that_was_set() {
    let open = |set: &str| {
        let text = format!(
            "kernel k (threads = 32, shared = 0 B)
  in  xs: u32[len(xs)]
  in  ys: u32[len(ys)]
  out out: u32[(len(xs) >> 5) * 32]
  distribute Block b0 < len(xs) >> 5
    forall Block i1 < 32
      let y2 = ys[(b0 * 32) + i1]
      local at3: u32 = xs[(b0 * 32) + i1]
      if at3 < len(xs)
{set}        out[(b0 * 32) + i1] = y2 + xs[at3]
      else
        out[(b0 * 32) + i1] = y2
"
        );
        let p = crate::program::text::read(&text).expect("a program");
        let unproved = super::unproved(&p).expect("nothing is refused");
        assert_eq!(unproved.required.len(), 1, "what is read of `ys`");
        unproved.loads.len()
    };
    assert_eq!(open(""), 0);
    assert_eq!(open("        at3 = at3 + 100\n"), 1);
}
