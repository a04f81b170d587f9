//! Control flow of the host's: what branches and loops mean, by the interpreter, and what is refused.

use obsidian_ir::interp::{Args, Fault, module};
use obsidian_ir::module::{StepKind, check};
use obsidian_ir::program::ParamId;
use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;

use super::{compiled, numbers, run};

/// The code of the error of a text, with its message.
fn refused(text: &str) -> String {
    let error = compile_all(text.parse().unwrap(), &mut SpanTable::default()).expect_err("an error");
    error.iter().map(|e| format!("{}: {} {:?} {:?}", e.code, e.message, e.notes, e.help)).collect()
}

const LIFE: &str = "
    fn alive(board: DPull<u32>, cols: u32, i: u32) -> u32 {
        let n = board.len();
        let (left, right) = (i + n - 1, i + 1);
        let around = board[(left + n - cols) % n] + board[(i + n - cols) % n] + board[(right + n - cols) % n]
            + board[left % n] + board[right % n]
            + board[(left + cols) % n] + board[(i + cols) % n] + board[(right + cols) % n];
        if around == 3 || (around == 2 && board[i] == 1) { 1 } else { 0 }
    }

    #[kernel(threads = 64)]
    pub fn life(board: DPull<u32>, cols: u32, generations: u32) -> Program<Device, DPull<u32>> {
        let mut now = board;
        for _g in 0..generations {
            let before = now;
            now = mk_pull(before.len(), |i| alive(before, cols, i)).compute();
        }
        now
    }";

fn lived(board: &[u32], cols: usize) -> Vec<u32> {
    let n = board.len();
    let at = |i: usize, d: isize| board[(i as isize + d).rem_euclid(n as isize) as usize];
    let c = cols as isize;
    (0..n)
        .map(|i| {
            let around: u32 = [-c - 1, -c, 1 - c, -1, 1, c - 1, c, c + 1].into_iter().map(|d| at(i, d)).sum();
            u32::from(around == 3 || (around == 2 && board[i] == 1))
        })
        .collect()
}

#[test]
fn a_board_lives_for_generations() {
    let module = &compiled(LIFE)[0].module;
    for (n, cols) in [(0, 1), (12, 4), (600, 20), (1600, 40)] {
        let board: Vec<u32> = numbers(n).iter().map(|x| (x % 3) & 1).collect();
        let mut expected = board.clone();
        for generations in 0..4u32 {
            let args = Args::new().buffer(board.clone()).scalar(cols as u32).scalar(generations);
            let out = module::run(module, &args).unwrap();
            assert_eq!(out.to_vec::<u32>(0).unwrap(), expected, "{n} cells, {generations} generations");
            expected = lived(&expected, cols);
        }
    }
}

#[test]
fn what_is_fetched_ends_a_loop() {
    let text = "#[kernel(threads = 64)]
        pub fn halved(xs: DPull<u32>, most: u32) -> Program<Device, (DPull<u32>, u32)> {
            let mut now = xs.map(|x| x + most);
            let mut rounds = 0u32;
            while rounds < most && reduce(now, |a, b| max(a, b)).fetch(0) > 100 {
                now = now.map(|x| x / 2).compute();
                rounds = rounds + 1;
            }
            (now, rounds)
        }";
    // A carried array is stored before the loop.
    assert!(refused(text).starts_with("OB038"), "{}", refused(text));
    let text = text.replace("xs.map(|x| x + most)", "xs.map(|x| x + most).compute()");
    let module = &compiled(&text)[0].module;
    for (n, most) in [(1, 50u32), (257, 50), (257, 3), (5000, 0), (5000, 50)] {
        let mut now: Vec<u32> = numbers(n).iter().map(|x| x + most).collect();
        let mut rounds = 0;
        while rounds < most && now.iter().any(|&x| x > 100) {
            now.iter_mut().for_each(|x| *x /= 2);
            rounds += 1;
        }
        let out = module::run(module, &Args::new().buffer(numbers(n)).scalar(most)).unwrap();
        assert_eq!((out.to_vec::<u32>(0).unwrap(), out.to_vec::<u32>(1).unwrap()), (now, vec![rounds]));
    }
}

#[test]
fn arrays_change_places_and_old_ones_stay() {
    let text = "#[kernel(threads = 64)]
        pub fn turned(xs: DPull<u32>, ys: DPull<u32>, n: u32) -> Program<Device, (DPull<u32>, DPull<u32>, DPull<u32>)> {
            let mut a = xs.compute();
            let first = a;
            let mut b = ys.take(xs.len()).compute();
            let mut sum = 1u32;
            for i in 1..=n {
                let c = a.map(|x| x + sum + i).compute();
                a = b;
                b = c;
                for k in 0..i {
                    sum = 3 * sum + k;
                }
            }
            (a, b, first.zip_with(first.reverse(), |x, y| x + y + sum).compute())
        }";
    let module = &compiled(text)[0].module;
    for n in 0..5u32 {
        let xs = numbers(300);
        let ys: Vec<u32> = xs.iter().map(|x| x ^ 55).collect();
        let (mut a, mut b, mut sum) = (xs.clone(), ys.clone(), 1u32);
        for i in 1..=n {
            let c: Vec<u32> = a.iter().map(|x| x.wrapping_add(sum).wrapping_add(i)).collect();
            (a, b) = (b, c);
            for k in 0..i {
                sum = sum.wrapping_mul(3).wrapping_add(k);
            }
        }
        let last = xs.iter().zip(xs.iter().rev()).map(|(x, y)| x.wrapping_add(*y).wrapping_add(sum));
        let last: Vec<u32> = last.collect();
        let out = module::run(module, &Args::new().buffer(xs).buffer(ys).scalar(n)).unwrap();
        let found = [0, 1, 2].map(|i| out.to_vec::<u32>(i).unwrap());
        assert_eq!(found, [a, b, last], "{n} rounds");
    }
}

#[test]
fn a_branch_joins_arrays_of_two_lengths() {
    let text = "#[kernel(threads = 64)]
        pub fn either(xs: DPull<u32>, most: u32) -> Program<Device, (DPull<u32>, u32)> {
            let mut kept = xs;
            let mut which = 7u32;
            if xs.len() > most && reduce(xs, |a, b| a + b).fetch(0) % 2 == 0 {
                kept = xs.map(|x| x / 2).take(most).compute();
                which = kept.fetch(most - 1);
            } else {
                kept = xs.map(|x| x + 1).compute();
            }
            (scan(kept, |a, b| a + b), which + kept.len())
        }";
    let module = &compiled(text)[0].module;
    for (n, most) in [(0, 5u32), (5, 5), (6, 5), (3000, 1), (3001, 1), (3002, 2500), (3003, 2500), (3004, 2500)] {
        let xs = numbers(n);
        let sum = xs.iter().fold(0u32, |a, b| a.wrapping_add(*b));
        let half = n as u32 > most && sum.is_multiple_of(2);
        let kept: Vec<u32> =
            if half { xs[..most as usize].iter().map(|x| x / 2).collect() } else { xs.iter().map(|x| x + 1).collect() };
        let which = if half { kept[kept.len() - 1] } else { 7 };
        let mut total = 0u32;
        let scanned = kept.iter().map(|x| {
            total = total.wrapping_add(*x);
            total
        });
        let scanned: Vec<u32> = scanned.collect();
        let out = module::run(module, &Args::new().buffer(xs).scalar(most)).unwrap();
        assert_eq!(out.to_vec::<u32>(0).unwrap(), scanned, "{n} elements, {most}");
        assert_eq!(out.to_vec::<u32>(1).unwrap(), [which.wrapping_add(kept.len() as u32)], "{n} elements, {most}");
    }
}

#[test]
fn what_the_host_cannot_do_is_refused() {
    let entry = |body: &str| {
        format!(
            "#[kernel] pub fn f(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {{ let mut now = xs; {body} now }}"
        )
    };
    let code = |body: &str| refused(&entry(body));
    let endless = code("while n > 3 { now = now.map(|x| x + 1).compute(); }");
    assert!(endless.contains("OB036") && endless.contains("never ends"), "{endless}");
    let endless = code("while xs.fetch(0) > 3 { now = now.map(|x| x + 1).compute(); }");
    assert!(endless.contains("OB036"), "{endless}");
    let endless = code("let mut k = 0u32; while true { now = now.map(|x| x + k).compute(); k = k + n; }");
    assert!(endless.contains("OB033") || endless.contains("OB036"), "{endless}");
    let grows = code("for k in 0..n { now = mk_pull(2 * n, |i| i + k).compute(); }");
    assert!(grows.contains("OB038") && grows.contains("changes its length"), "{grows}");
    let delayed = code("for k in 0..n { now = now.map(|x| x + k); }");
    assert!(delayed.contains("OB038") && delayed.contains("not stored"), "{delayed}");
    let unknown = code("if non_empty(xs)[0] > 3 { now = now.map(|x| x + 1).compute(); }");
    assert!(unknown.contains("OB039") && unknown.contains("fetch"), "{unknown}");
    let unknown = code("for k in 0..non_empty(xs)[0] { now = now.map(|x| x + k).compute(); }");
    assert!(unknown.contains("OB039"), "{unknown}");
    let delayed = code("let k = now.map(|x| x + 1).fetch(0); now = now.map(|x| x + k).compute();");
    assert!(delayed.contains("OB039") && delayed.contains("not stored"), "{delayed}");
}

#[test]
fn an_element_that_is_not_there_is_not_fetched() {
    let text = "#[kernel] pub fn f(xs: DPull<u32>, at: u32) -> Program<Device, DPull<u32>> {
            let n = xs.fetch(at);
            mk_pull(n, |i| i + n).compute()
        }";
    let out = run(text, &Args::new().buffer(vec![7u32, 3]).scalar(1u32)).unwrap();
    assert_eq!(out.to_vec::<u32>(0).unwrap(), [3, 4, 5]);
    let refused = run(text, &Args::new().buffer(vec![7u32, 3]).scalar(2u32));
    assert!(matches!(&refused, Err(Fault::Refused { found: 2, .. })), "{refused:?}");
}

/// Each rule of the validator, by a module that breaks it.
#[test]
fn broken_modules_are_found() {
    let text = LIFE.replace("now\n    }", "if generations > 2 { now = now.map(|x| 1 - x).compute(); } now\n    }");
    let module = &compiled(&text)[0].module;
    assert!(check(module).is_ok());
    let broken = |change: &dyn Fn(&mut obsidian_ir::module::Module)| {
        let mut module = module.clone();
        change(&mut module);
        let error = check(&module).err().map_or_else(String::new, |e| e.message);
        assert!(!error.is_empty(), "a broken module is accepted");
        error
    };
    let looping = |m: &mut obsidian_ir::module::Module, f: &dyn Fn(&mut obsidian_ir::module::Looping<_, _>)| {
        let found = m.steps.iter_mut().find_map(|step| match &mut step.kind {
            StepKind::Loop(looping) => Some(looping),
            _ => None,
        });
        f(found.expect("a loop"));
    };
    let unwritten = broken(&|m| looping(m, &|l| l.body.clear()));
    assert!(unwritten.contains("nothing has written it"), "{unwritten}");
    let outside = broken(&|m| looping(m, &|l| l.buffers[0].init = l.buffers[0].next));
    assert!(outside.contains("nothing has written it"), "{outside}");
    let twice = broken(&|m| looping(m, &|l| l.buffers[0].result = l.buffers[0].inside));
    assert!(twice.contains("written twice"), "{twice}");
    let early = broken(&|m| {
        let variable = ParamId(m.declared as u32);
        let ty = m.host.exprs.ty(m
            .steps
            .iter()
            .find_map(|s| match &s.kind {
                StepKind::Loop(l) => l.counter.map(|c| c.from),
                _ => None,
            })
            .unwrap());
        let e = m.host.exprs.scalar(variable, ty);
        looping(m, &|l| l.counter.iter_mut().for_each(|c| c.to = e));
    });
    assert!(early.contains("nothing has set it"), "{early}");
    let side = broken(&|m| {
        for step in &mut m.steps {
            if let StepKind::If(branch) = &mut step.kind {
                let joined = branch.buffers[0];
                branch.buffers[0].els = joined.then;
            }
        }
    });
    assert!(side.contains("nothing has written it"), "{side}");
}

#[test]
fn messages_call_stored_arrays_what_the_code_does() {
    let of = |body: &str| {
        let text = format!("#[kernel] pub fn f(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {{ {body} }}");
        refused(&text)
    };
    let bound = of("let ys = xs.map(|x| x + 1).compute(); ys.take(ys[0]).compute()");
    assert!(bound.contains(" ys[0]"), "{bound}");
    // A library's names are none of the user's.
    let again = of("let xs = sort(xs); xs.take(xs[0]).compute()");
    assert!(again.contains(" xs[0]"), "{again}");
    let tuple = of("let (kept, left) = partition(xs, |x| x > 3); kept.take(left[0]).compute()");
    assert!(tuple.contains(" left[0]"), "{tuple}");
    let assigned = of("let mut now = xs; now = now.map(|x| x + 1).compute(); now.take(now[0]).compute()");
    assert!(assigned.contains(" now[0]"), "{assigned}");
    let carried = of("let mut now = xs.map(|x| x + 1).compute();
        for _k in 0..n { let m = now[0]; now = now.map(|x| x + 1).compute(); let all = now.take(m).compute(); }
        now");
    assert!(carried.contains(" now[0]"), "{carried}");
}

#[test]
fn a_returned_push_of_a_stored_array_is_that_array() {
    let launches = |module: &obsidian_ir::module::Module| {
        module.steps.iter().filter(|step| matches!(step.kind, StepKind::Launch(_))).count()
    };
    let one = "#[kernel] pub fn f(xs: DPull<u32>) -> Program<Device, DPush<Grid, u32>> {
        let ys = xs.map(|x| x + 1).compute();
        ys.push()
    }";
    assert_eq!(launches(&compiled(one)[0].module), 1);
    // An input is no result, nor is one buffer two of them.
    let copied =
        "#[kernel] pub fn f(xs: DPull<u32>) -> Program<Device, (DPush<Grid, u32>, DPull<u32>, DPush<Grid, u32>)> {
        let ys = xs.map(|x| x + 1).compute();
        (xs.push(), ys, ys.push())
    }";
    assert_eq!(launches(&compiled(copied)[0].module), 2);
    for n in [0, 1, 300] {
        let xs = numbers(n);
        let ys: Vec<u32> = xs.iter().map(|x| x + 1).collect();
        let out = run(one, &Args::new().buffer(xs.clone())).unwrap();
        assert_eq!(out.to_vec::<u32>(0).unwrap(), ys);
        let out = run(copied, &Args::new().buffer(xs.clone())).unwrap();
        assert_eq!([0, 1, 2].map(|i| out.to_vec::<u32>(i).unwrap()), [xs, ys.clone(), ys]);
    }
}
