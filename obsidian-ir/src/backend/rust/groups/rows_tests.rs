//! Rows by hand, printed: where each lane goes over neighbours of its own.

use super::tests::{Phase, count};
use crate::backend::rust::fixtures::{assign, stmt};
use crate::program::*;

/// `t * stride + o`
fn place(p: &mut Phase, stride: u32, o: u32) -> ExprId {
    let t = p.t;
    let row = p.bin(BinOp::Mul, t, stride);
    p.bin(BinOp::Add, row, o)
}

/// The sum of `s[t * stride + o]` of some `o`.
fn sum(p: &mut Phase, stride: u32, of: impl Iterator<Item = u32>) -> ExprId {
    let elements: Vec<ExprId> = of
        .map(|o| {
            let at = place(p, stride, o);
            p.b.load(p.s, at)
        })
        .collect();
    elements.into_iter().reduce(|a, b| p.b.bin(BinOp::Add, a, b)).expect("some")
}

/// `out[t] = sum of s[t * stride + o]`
fn folded(stride: u32, of: impl Iterator<Item = u32>) -> String {
    let mut p = Phase::new(64, 64 * stride);
    let all = sum(&mut p, stride, of);
    let body = vec![assign(p.out, p.t, all)];
    p.text(body)
}

#[test]
fn neighbours_of_each_lane_are_loaded_and_turned() {
    let text = folded(33, 0..32);
    assert_eq!((count(&text, ":: load_rows ("), count(&text, "33isize , 66isize")), (2, 2), "{text}");
    // In the order of the elements, each once.
    let names = text.split("let [").skip(1).filter_map(|text| text.split(']').next());
    let names: Vec<&str> = names.flat_map(|names| names.split(" , ")).map(str::trim).collect();
    let used: Vec<Option<usize>> = names.iter().map(|name| text.find(&format!(". add ({name})"))).collect();
    assert!(names.len() == 32 && used[0].is_none() && used.is_sorted() && used[1].is_some(), "{names:?} {text}");
    // Of 31 the last 16 begin with one that was loaded before.
    let text = folded(33, 0..31);
    assert_eq!((count(&text, ":: load_rows ("), count(&text, "offset (- 1isize)")), (2, 1), "{text}");
}

#[test]
fn too_few_neighbours_and_rows_with_holes_stay_scalar() {
    let holes = (0..8).chain(9..24).chain(30..40);
    for text in [folded(33, 0..15), folded(64, holes), folded(64, (0..16).map(|o| 2 * o))] {
        assert!(!text.contains("__L"), "{text}");
    }
}

/// What a later block reads is fetched with the rows of this one, if a block reads much: two blocks of 16 KiB ahead.
#[test]
fn rows_of_long_parts_are_fetched_with_their_loads() {
    let of_block = |rows: u32| {
        let mut p = Phase::new(256, 64);
        let (block, len) = (p.block.1, p.k(256 * rows));
        let base = p.b.bin(BinOp::Mul, block, len);
        let elements = (0..16).map(|o| {
            let row = place(&mut p, rows, o);
            let at = p.b.bin(BinOp::Add, base, row);
            p.b.load(p.x, at)
        });
        let elements: Vec<ExprId> = elements.collect();
        let all = elements.into_iter().reduce(|a, b| p.b.bin(BinOp::Add, a, b)).expect("some");
        let body = vec![assign(p.out, p.t, all)];
        p.text(body)
    };
    let long = of_block(16);
    assert_eq!((count(&long, "lanes :: fetch_rows ("), count(&long, ":: load_rows (")), (1, 1), "{long}");
    assert!(long.contains("wrapping_add (8192usize)"), "{long}");
    // Blocks of 2^22 bytes are too long for that.
    assert_eq!(count(&of_block(4096), "lanes :: fetch_rows ("), 0);
}

/// Each lane goes over its neighbours in a loop, which keeps them in an array of its own, and stores sums: `s[t * 33 + k]` and `to[t * 40 + at(j)]`,
/// `k` and `j` below `n`.
fn loops(n: u32, to: fn(&Phase) -> ArrayId) -> String {
    loops_to(n, to, |_, j| j)
}

fn loops_to(n: u32, to: fn(&Phase) -> ArrayId, at: fn(&mut Phase, ExprId) -> ExprId) -> String {
    let mut p = Phase::new(64, 64 * 33);
    let len = p.k(n);
    let own = p.b.array("own", ScalarType::U32, len, Space::Local);
    let (acc, so_far) = p.local("acc");
    let counters = ["k", "j"].map(|name| p.b.0.new_var(name, ScalarType::U32, false, Range::new(0, i128::from(n) - 1)));
    let [k, j] = counters.map(|v| p.b.0.exprs.var(v));
    let (zero, one) = (p.k(0), p.k(1));
    let row = place(&mut p, 33, 0);
    let from = p.b.bin(BinOp::Add, row, k);
    let element = p.b.load(p.s, from);
    let kept = p.b.load(own, j);
    let next = p.b.bin(BinOp::Add, so_far, kept);
    let row = place(&mut p, 40, 0);
    let element_of_row = at(&mut p, j);
    let at = p.b.bin(BinOp::Add, row, element_of_row);
    let round = |var, body| stmt(StmtKind::SeqFor { var, start: zero, end: len, step: one, body });
    let body = vec![
        stmt(StmtKind::Allocate { array: own }),
        round(counters[0], vec![assign(own, k, element)]),
        stmt(StmtKind::Local { var: acc, init: Some(zero) }),
        round(counters[1], vec![stmt(StmtKind::Set { var: acc, value: next }), assign(to(&p), at, so_far)]),
    ];
    p.text(body)
}

#[test]
fn loops_over_rows_are_printed_round_by_round() {
    let text = loops(32, |p| p.out);
    assert_eq!((count(&text, ":: load_rows ("), count(&text, ":: store_rows (")), (2, 2), "{text}");
    let lanes = text.split("while __group").nth(1).and_then(|text| text.split("else").next()).expect("groups");
    // No loop is left in a group, and each sum is of its own round: it is stored under another name.
    assert!(!lanes.contains("while __v") && count(lanes, ". add (__o") == 32, "{lanes}");
    let stored = lanes.split(":: store_rows ([").nth(1).and_then(|text| text.split(']').next()).expect("names");
    let names: std::collections::BTreeSet<&str> = stored.split(" , ").map(str::trim).collect();
    assert_eq!(names.len(), 16, "{stored}");
}

#[test]
fn rows_that_are_not_stored_whole_or_are_read_stay_scalar() {
    for text in [loops(8, |p| p.out), loops(32, |p| p.s)] {
        assert!(!text.contains("__L"), "{text}");
    }
    // More rounds than a group's code is worth.
    assert!(!loops(200, |p| p.out).contains("__L"));
}

/// `for k in 0..4 { base = x[k]; out[t] = out' + s[t * 64 + base] + .. + s[t * 64 + base + 15] }`: rows that are elsewhere in each round.
#[test]
fn rows_whose_place_a_round_finds_anew_stay_scalar() {
    let mut p = Phase::new(64, 64 * 64);
    let (acc, so_far) = p.local("acc");
    let counter = p.b.0.new_var("k", ScalarType::U32, false, Range::new(0, 3));
    let bound = p.b.0.new_var("base", ScalarType::U32, false, Range::new(0, 31));
    let (k, base) = (p.b.0.exprs.var(counter), p.b.0.exprs.var(bound));
    let loaded = p.b.load(p.x, k);
    let small = p.bin(BinOp::And, loaded, 31);
    let mut sum = so_far;
    for o in 0..16 {
        let row = place(&mut p, 64, o);
        let at = p.b.bin(BinOp::Add, row, base);
        let element = p.b.load(p.s, at);
        sum = p.b.bin(BinOp::Add, sum, element);
    }
    let (zero, end, step) = (p.k(0), p.k(4), p.k(1));
    let set = vec![stmt(StmtKind::Let { var: bound, value: small }), stmt(StmtKind::Set { var: acc, value: sum })];
    let body = vec![
        stmt(StmtKind::Local { var: acc, init: Some(zero) }),
        stmt(StmtKind::SeqFor { var: counter, start: zero, end, step, body: set }),
        assign(p.out, p.t, so_far),
    ];
    let text = p.text(body);
    assert!(!text.contains("__L"), "{text}");
}

#[test]
fn rows_may_be_stored_from_the_last_element_on() {
    let text = loops_to(
        32,
        |p| p.out,
        |p, j| {
            let last = p.k(31);
            p.b.bin(BinOp::Sub, last, j)
        },
    );
    // Lane 0's first store is its element 31.
    assert!(text.contains("offset (- 31isize)") && text.contains("offset (- 15isize)"), "{text}");
    assert_eq!(count(&text, ":: store_rows ("), 2, "{text}");
}

#[test]
fn an_element_that_is_stored_twice_stays_scalar() {
    let text = loops_to(32, |p| p.out, |p, j| p.bin(BinOp::Shr, j, 1));
    assert!(!text.contains("__L"), "{text}");
}

/// `out[t] = s[t * 33] + ..`, 16 of them, with what the phase does besides.
fn beside(more: fn(&mut Phase, Stmt) -> Block) -> String {
    let mut p = Phase::new(64, 64 * 33);
    let all = sum(&mut p, 33, 0..16);
    let rows = assign(p.out, p.t, all);
    let body = more(&mut p, rows);
    p.text(body)
}

#[test]
fn rows_of_an_array_that_the_phase_writes_stay_scalar() {
    let text = beside(|p, rows| vec![assign(p.s, p.t, p.t), rows]);
    assert!(!text.contains("__L"), "{text}");
}

#[test]
fn rows_stored_to_an_array_that_the_phase_reads_stay_scalar() {
    let mut p = Phase::new(64, 64 * 33);
    let (t, zero) = (p.t, p.k(0));
    let last = p.b.load(p.s, zero);
    let stores = (0..16).map(|o| {
        let at = place(&mut p, 33, o);
        assign(p.s, at, t)
    });
    let mut body: Block = stores.collect();
    body.push(assign(p.out, t, last));
    assert!(!p.text(body).contains("__L"));
}

#[test]
fn rows_under_a_condition_stay_scalar() {
    let of_lane = |p: &mut Phase, rows| {
        let at = p.t;
        let own = p.b.load(p.x, at);
        let cond = p.bin(BinOp::Lt, own, 7);
        vec![stmt(StmtKind::If { cond, then: vec![rows], els: vec![] })]
    };
    let of_block = |p: &mut Phase, rows| {
        let block = p.block.1;
        let cond = p.bin(BinOp::Lt, block, 7);
        vec![stmt(StmtKind::If { cond, then: vec![rows], els: vec![] })]
    };
    for text in [beside(of_lane), beside(of_block)] {
        assert!(!text.contains("__L"), "{text}");
    }
}

/// `out[t] = if times * t >= by { of[times * t - by] } else { 0 }`
fn earlier(times: u32, by: u32, of: fn(&Phase) -> ArrayId) -> String {
    let mut p = Phase::new(64, 64);
    let (value, found) = p.local("value");
    let t = p.t;
    let from = p.bin(BinOp::Mul, t, times);
    let (cond, before) = (p.bin(BinOp::Ge, from, by), p.bin(BinOp::Sub, from, by));
    let element = p.b.load(of(&p), before);
    let zero = p.k(0);
    let set = |value_is| vec![stmt(StmtKind::Set { var: value, value: value_is })];
    let body = vec![
        stmt(StmtKind::Local { var: value, init: None }),
        stmt(StmtKind::If { cond, then: set(element), els: set(zero) }),
        assign(p.out, t, found),
    ];
    p.text(body)
}

#[test]
fn elements_before_a_lanes_own_are_loaded_where_there_are_any() {
    let text = earlier(1, 5, |p| p.s);
    assert!(text.contains("wrapping_sub (5usize)") && count(&text, ":: load_where (") == 1, "{text}");
    // An input may have so many elements that an index which wraps is one of them.
    let text = earlier(1, 5, |p| p.x);
    assert!(!text.contains("__L"), "{text}");
    let text = earlier(3, 5, |p| p.s);
    assert!(!text.contains("__L"), "{text}");
}

#[test]
fn elements_anywhere_are_gathered_beside_rows_alone() {
    let gathered = |rows: u32| {
        let mut p = Phase::new(64, 64 * 33);
        let at = p.t;
        let own = p.b.load(p.s, at);
        let place = p.bin(BinOp::And, own, 63);
        let anywhere = p.b.load(p.s, place);
        let all = sum(&mut p, 33, 0..rows);
        let value = p.b.bin(BinOp::Add, anywhere, all);
        let body = vec![assign(p.out, p.t, value)];
        p.text(body)
    };
    let text = gathered(16);
    assert_eq!((count(&text, ":: gather ("), count(&text, ":: load_rows (")), (1, 1), "{text}");
    assert!(!gathered(1).contains("__L"));
}

#[test]
fn nothing_is_gathered_without_rows() {
    let mut p = Phase::new(64, 64);
    let at = p.t;
    let own = p.b.load(p.s, at);
    let place = p.bin(BinOp::And, own, 63);
    let anywhere = p.b.load(p.s, place);
    // A choice is a reason for lanes.
    let cond = p.bin(BinOp::Lt, own, 7);
    let (one, two) = (p.k(1), p.k(2));
    let chosen = p.b.0.exprs.select(cond, one, two);
    let value = p.b.bin(BinOp::Add, anywhere, chosen);
    let body = vec![assign(p.out, p.t, value)];
    assert!(!p.text(body).contains("__L"));
}

/// Each element has a name of its own for what lanes share of its place, which is so much more than that of the first.
#[test]
fn rows_begin_at_a_number_that_lanes_share() {
    let rows = |more: fn(u32) -> u32| {
        let mut p = Phase::new(64, 64 * 33);
        let t = p.t;
        let (across, down) = (p.bin(BinOp::And, t, 31), p.bin(BinOp::Shr, t, 5));
        let (row, first) = (p.bin(BinOp::Mul, across, 33), p.bin(BinOp::Mul, down, 16));
        let (mut body, mut sum) = (Vec::new(), p.k(0));
        for k in 0..16 {
            let value = p.bin(BinOp::Add, first, more(k));
            let range = p.b.0.exprs.range(value);
            let var = p.b.0.new_var("shared", ScalarType::U32, false, range);
            let named = p.b.0.exprs.var(var);
            body.push(stmt(StmtKind::Let { var, value }));
            let at = p.b.bin(BinOp::Add, row, named);
            let element = p.b.load(p.s, at);
            sum = p.b.bin(BinOp::Add, sum, element);
        }
        body.push(assign(p.out, t, sum));
        p.text(body)
    };
    let text = rows(|k| k);
    assert_eq!(count(&text, ":: load_rows ("), 1, "{text}");
    assert!(!rows(|k| 2 * k).contains("load_rows"));
}

/// Threads that read neighbours of their own in 16 rounds, of a column each, and store in each round where it is said.
fn strip(store: fn(&mut Phase, [ExprId; 2]) -> ExprId) -> String {
    strip_after(|_| None, store)
}

/// The same after a statement.
fn strip_after(before: fn(&mut Phase) -> Option<Stmt>, store: fn(&mut Phase, [ExprId; 2]) -> ExprId) -> String {
    let mut p = Phase::new(64, 64 * 33);
    let large = p.k(1 << 20);
    p.out = p.b.output("large", &[ScalarType::U32], large)[0];
    let (t, counter) = (p.t, p.b.0.new_var("k", ScalarType::U32, false, Range::new(0, 15)));
    let k = p.b.0.exprs.var(counter);
    let (across, down) = (p.bin(BinOp::And, t, 31), p.bin(BinOp::Shr, t, 5));
    let (column, first) = (p.bin(BinOp::Mul, across, 33), p.bin(BinOp::Mul, down, 16));
    let row = p.b.bin(BinOp::Add, first, k);
    let from = p.b.bin(BinOp::Add, column, row);
    let (element, to) = (p.b.load(p.s, from), store(&mut p, [row, across]));
    let [start, end, step] = [0, 16, 1].map(|k| p.k(k));
    let body = vec![assign(p.out, to, element)];
    let rounds = stmt(StmtKind::SeqFor { var: counter, start, end, step, body });
    let body = before(&mut p).into_iter().chain([rounds]).collect();
    let text = p.text(body);
    text.split("while __group").nth(1).expect("groups").to_string()
}

/// Without lanes too, what lies side by side is stored one after the other.
#[test]
fn columns_are_turned_into_rows() {
    let in_rows = |p: &mut Phase, [row, across]: [ExprId; 2]| {
        let rows = p.bin(BinOp::Mul, row, 32);
        p.b.bin(BinOp::Add, rows, across)
    };
    let text = strip(in_rows);
    // Where there are no lanes.
    let others = |text: &str| text.rsplit_once("} else {").expect("the others").1.to_string();
    assert_eq!((count(&text, ":: load_rows ("), count(&text, ":: store_rows (")), (1, 0), "{text}");
    let rounds_of_all = "usize = 0usize ; while __v2 < __end { { let __end : usize = 64usize ; let mut __v0";
    assert!(others(&text).contains(rounds_of_all), "{text}");
    // What is read before the rounds is read once.
    let reads = |p: &mut Phase| {
        let var = p.b.0.new_var("read", ScalarType::U32, false, Range::full(ScalarType::U32));
        let t = p.t;
        let value = p.b.load(p.x, t);
        Some(stmt(StmtKind::Let { var, value }))
    };
    let text = strip_after(reads, in_rows);
    assert!(!others(&text).contains(rounds_of_all), "{text}");
    let text = strip(|p, [row, across]| {
        let columns = p.bin(BinOp::Mul, across, 33);
        p.b.bin(BinOp::Add, row, columns)
    });
    assert_eq!((count(&text, ":: load_rows ("), count(&text, ":: store_rows (")), (1, 1), "{text}");
    assert!(!others(&text).contains(rounds_of_all), "{text}");
}

/// Those that a part has go to it; what threads keep in shared memory stays in the caches.
#[test]
fn lines_of_an_output_that_no_part_has_go_past_the_caches() {
    fn in_rows(p: &mut Phase, [row, across]: [ExprId; 2], by: u32) -> ExprId {
        let rows = p.bin(BinOp::Mul, row, by);
        p.b.bin(BinOp::Add, rows, across)
    }
    let columns = strip(|p, [row, across]| {
        let columns = p.bin(BinOp::Mul, across, 33);
        p.b.bin(BinOp::Add, row, columns)
    });
    assert!(columns.contains("] , __past"), "{columns}");
    // Rows of 32 side by side are one part of 1,024 words; between rows of 64 there are gaps.
    let dense = strip(|p, places| in_rows(p, places, 32));
    let apart = strip(|p, places| in_rows(p, places, 64));
    assert_eq!((count(&dense, ". store ("), count(&dense, ". store_past (")), (16, 0), "{dense}");
    assert_eq!((count(&apart, ". store ("), count(&apart, ". store_past (__past")), (0, 16), "{apart}");
}
