use super::*;
use crate::interp::{self, Args, Fault};
use crate::passes::{barriers, layout, virtualise};
use crate::program::text::read;
use crate::program::{Target, print};

/// A kernel whose rounds load 64 elements in three stages by `load` and add them up by `work`, which may do more.
fn staged(load: &str, work: &str) -> Program {
    let text = format!(
        "kernel staged (threads = 32, shared = 0 B, target = sm_80)
  in  xs: u32[len(xs)]
  mut ys: u32[len(ys)]
  in  n: u32
  out out: u32[64]
  distribute Block b0 < 2
    shared per Block s1: u32[32]
    forall Block t1 < 32
      s1[t1] = 0
    local v0: u32 = 0
    seq k2 in 0..n
      shared per Block s2: u32[64] in 3 stages
      forall Block t3 < 64
        {load}
      forall Block t4 < 32
        {work}
    forall Block t5 < 32
      out[(b0 * 32) + t5] = s1[t5]
"
    );
    let mut program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.options.target = Target::from_name("sm_80").expect("a target");
    program
}

const LOAD: &str = "s2[t3] = xs[(k2 * 64) + t3]";
const WORK: &str = "s1[t4] = s1[t4] + s2[63 - t4]";

/// The machine form, as far as what waits for what goes, with `change` made before barriers are placed.
fn machine(mut program: Program, change: impl FnOnce(&mut Block)) -> Program {
    run(&mut program);
    change(&mut program.body);
    layout::run(&mut program).expect("it fits");
    barriers::place(&mut program);
    virtualise::run(&mut program, virtualise::Waiting::Warps);
    program
}

fn results(program: &Program, rounds: u32) -> Result<Vec<u32>, Fault> {
    let args = Args::new().buffer((0..rounds * 64).collect::<Vec<u32>>()).buffer(vec![1u32; 4]);
    interp::run_on(program, &args.scalar(rounds), 1).map(|out| out.to_vec(1).expect("an output"))
}

/// Changes the `at`-th of the statements that `which` names.
fn change(list: &mut Block, at: &mut usize, which: &dyn Fn(&StmtKind) -> bool, by: &dyn Fn(&mut Block, usize)) {
    for i in 0..list.len() {
        if which(&list[i].kind) {
            if *at == 0 {
                *at = usize::MAX;
                return by(list, i);
            }
            *at -= 1;
        }
        for inner in walk::nested_mut(&mut list[i].kind) {
            change(inner, at, which, by);
            if *at == usize::MAX {
                return;
            }
        }
    }
}

#[test]
fn what_is_on_its_way_is_waited_for() {
    for rounds in [0, 1, 2, 3, 7] {
        let right = machine(staged(LOAD, WORK), |_| {});
        assert!(any_copies(&right.body), "{}", print(&right));
        let sum = |t: u32| (0..rounds).map(|k| k * 64 + 63 - t).sum();
        let expected: Vec<u32> = (0..64).map(|i| sum(i % 32)).collect();
        assert_eq!(results(&right, rounds).unwrap_or_else(|e| panic!("{e}\n{}", print(&right))), expected);
    }
    let sync = |kind: &StmtKind| matches!(kind, StmtKind::Sync { .. });
    let commit = |kind: &StmtKind| matches!(kind, StmtKind::Commit);
    let wait = |kind: &StmtKind| matches!(kind, StmtKind::Await { .. });
    let removed = |list: &mut Block, at: usize| drop(list.remove(at));
    let later = |list: &mut Block, at: usize| list[at].kind = StmtKind::Await { pending: 2 };
    type Which<'a> = &'a dyn Fn(&StmtKind) -> bool;
    type By<'a> = &'a dyn Fn(&mut Block, usize);
    let wrong: [(&str, Which<'_>, usize, By<'_>); 6] = [
        ("the tiles of the block before may be in use", &sync, 0, &removed),
        ("what arrived is not there for others, nor is a tile free", &sync, 1, &removed),
        ("the first groups are one", &commit, 0, &removed),
        ("later copies are in no group", &commit, 1, &removed),
        ("nothing is waited for", &wait, 0, &removed),
        ("too few groups are waited for", &wait, 0, &later),
    ];
    for (what, which, at, by) in wrong {
        let broken = machine(staged(LOAD, WORK), |body| {
            let mut at = at;
            change(body, &mut at, which, by);
            assert_eq!(at, usize::MAX, "{what}: there is no such statement");
        });
        assert!(results(&broken, 7).is_err(), "{what}\n{}", print(&broken));
    }
}

/// A load that sees what rounds change comes in its turn.
#[test]
fn what_rounds_change_is_loaded_in_turn() {
    let elements = "s2[t3] = xs[min((k2 * 64) + t3, len(xs) - 1)]";
    let cases = [
        ("an updated buffer", "s2[t3] = ys[t3 % 4]", "ys[t4 % 4] = s2[t4]"),
        ("memory of the block", "s2[t3] = s1[t3 % 32] + 1", WORK),
        ("a write elsewhere", "ys[t3 % 4] = 1", WORK),
        ("an atomic update", "atomic_add(ys[t3 % 4], 1)", WORK),
        ("work that writes a tile", elements, "s2[t4] = s1[t4]"),
        ("an atomic update of a tile", "s2[t3] = xs[t3]\n        atomic_add(s2[t3], 1)", WORK),
        ("a variable that rounds set", "s2[t3] = xs[v0]", WORK),
        ("a load that sets it", "v0 = k2", WORK),
    ];
    for (what, load, work) in cases {
        let load = if load.starts_with("s2") { load.to_string() } else { format!("{load}\n        {elements}") };
        let mut program = staged(&load, work);
        let turn = print(&{
            let mut turn = program.clone();
            in_turn(&mut turn);
            turn
        });
        run(&mut program);
        assert_eq!(print(&program), turn, "{what}");
    }
}

/// What is copied could arrive after what is written later.
#[test]
fn an_element_that_is_written_twice_is_not_copied() {
    let copied = |load: &str| {
        let mut program = staged(load, WORK);
        run(&mut program);
        any_copies(&program.body)
    };
    let next = "\n        ";
    assert!(copied(&format!("s2[t3 & 31] = xs[t3]{next}s2[(t3 & 31) + 32] = xs[t3]")));
    assert!(!copied(&format!("s2[t3] = xs[t3]{next}s2[t3] = 7")));
    assert!(!copied(&format!("s2[t3] = xs[t3]{next}s2[63 - t3] = xs[t3]")));
    // Nor is what a variable stood for before it was set.
    let set = format!("local a: u32 = k2{next}let b = a{next}a = 5{next}s2[t3] = if b > 0 {{ xs[t3] }} else {{ b }}");
    let program =
        machine(staged(&set, "s1[t4] = s1[t4] + (if s2[63 - t4] == (63 - t4) { k2 + 1 } else { 0 })"), |_| {});
    assert_eq!(results(&program, 5).expect("no fault")[0], 2 + 3 + 4 + 5, "{}", print(&program));
}

/// The number of rounds is read once, in front of them.
#[test]
fn rounds_may_change_what_their_number_is_read_from() {
    let mut program = staged("s2[t3] = xs[t3]", "s1[t4] = ((s1[t4] + s2[t4]) - t4) + 1");
    let StmtKind::DistrPar { body, .. } = &mut program.body[0].kind else { panic!("a grid") };
    let count = body.iter().find_map(|s| if let StmtKind::Allocate { array } = s.kind { Some(array) } else { None });
    let zero = program.exprs.u32(0);
    let five = program.exprs.u32(5);
    let (array, fill) = (count.expect("an array"), body.iter().position(|s| matches!(s.kind, StmtKind::ForAll { .. })));
    let StmtKind::ForAll { body: filled, .. } = &mut body[fill.expect("a loop")].kind else { panic!("a loop") };
    let StmtKind::Assign { value, .. } = &mut filled[0].kind else { panic!("a write") };
    *value = five;
    let n = program.exprs.load(array, zero, crate::program::ScalarType::U32);
    let at = body.iter().position(|s| matches!(s.kind, StmtKind::SeqFor { .. })).expect("a loop");
    let StmtKind::SeqFor { end, .. } = &mut body[at].kind else { panic!("a loop") };
    *end = n;
    assert_eq!(results(&machine(program, |_| {}), 1).expect("no fault"), [10; 64]);
}

/// A round alone is no loop: what it writes waits for its barriers as any other array.
#[test]
fn a_round_alone_has_its_barriers() {
    let mut program = staged("s2[t3] = t3", "s1[t4] = s2[63 - t4]");
    let StmtKind::DistrPar { body, .. } = &mut program.body[0].kind else { panic!("a grid") };
    let at = body.iter().position(|s| matches!(s.kind, StmtKind::SeqFor { .. })).expect("a loop");
    let StmtKind::SeqFor { body: round, .. } = body.remove(at).kind else { panic!("a loop") };
    body.splice(at..at, round);
    let expected: Vec<u32> = (0..64).map(|i| 63 - i % 32).collect();
    assert_eq!(results(&machine(program, |_| {}), 1).expect("no fault"), expected);
}

/// What no instruction copies waits in registers; what is more than elements, or too much, comes in its turn.
#[test]
fn what_cannot_be_copied_waits_in_registers() {
    let held = |load: &str, tile: u32| {
        let mut program = staged(load, WORK);
        let tiles = program.arrays.iter_mut().filter(|a| a.stages > 1);
        let len = program.exprs.u32(tile);
        tiles.for_each(|a| a.len = len);
        run(&mut program);
        assert!(!any_copies(&program.body) && program.arrays.iter().all(|a| a.stages == 1), "{}", print(&program));
        program.arrays.iter().filter(|a| a.space == Space::Registers).count()
    };
    assert_eq!(held("s2[t3] = xs[(k2 * 64) + t3] + 1", 64), 1);
    assert_eq!(held("s2[t3] = t3 + k2", 64), 1);
    assert_eq!(held("s2[t3] = xs[xs[t3]] * 2\n        s2[t3 + 64] = xs[t3] * 2", 128), 2);
    assert_eq!(held("local a: u32\n        a = xs[t3] * 2\n        s2[t3] = a", 64), 0);
}
