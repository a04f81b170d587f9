//! What a proof of an index lacks is asked of the launch, where lengths and scalars are all that it is about: neither less
//! than is needed, nor more.

use obsidian_ir::passes;

use super::staged;
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;

/// What the launch is asked for besides what `stage` asks, or the refusal's code.
fn asked(text: &str) -> Result<Vec<String>, &'static str> {
    let p = staged(&format!("#[kernel(threads = 64)] {text}")).remove(0);
    let before = p.checks.len();
    let proved = passes::prove(p).map_err(|e| e.code)?;
    let wraps = |message: &String| message.contains("2^32") || message.contains("indices wrap");
    Ok(proved.checks[before..].iter().map(|check| check.message.clone()).filter(|message| !wraps(message)).collect())
}

const TWO: &str = "(xs: DPull<u32>, ys: DPull<u32>) -> DPush<Grid, u32>";

#[test]
fn another_arrays_length() {
    let least = |what: &str| Ok(vec![format!("the length of `ys` must be at least {what}")]);
    assert_eq!(asked(&format!("fn k{TWO} {{ mk_pull(xs.len(), |i| xs[i] + ys[i]).push() }}")), least("`len(xs)`"));
    assert_eq!(asked(&format!("fn k{TWO} {{ xs.map(|x| x + ys[3]).push() }}")), least("4"));
    assert_eq!(
        asked(&format!("fn k{TWO} {{ xs.split_up(64).as_grid_map(|c| c.map(|x| x + ys[ys.len() - 1]).push()) }}")),
        least("1")
    );
    // A block reads one element, and there is one block for 64 elements.
    let blocks =
        format!("fn k{TWO} {{ mk_pull(xs.len() / 64, |b| mk_pull(64, |i| xs[b * 64 + i] + ys[b]).push()).as_grid() }}");
    assert_eq!(asked(&blocks), Ok(vec!["`len(xs)` must be at most `64 * len(ys) + 63`".to_string()]));
}

#[test]
fn scalars() {
    let rows = |at: &str| {
        format!(
            "fn k(n: u32, s: u32, out: DMut<u32>) -> Program<Grid, ()> {{ distr_par(n, |b| for_all(64, |i| {{ out[{at}] = b; }})) }}"
        )
    };
    let least = |what: &str| Ok(vec![format!("the length of `out` must be at least {what}")]);
    assert_eq!(asked(&rows("b * 64 + i")), least("`64 * n`"));
    assert_eq!(asked(&rows("s + b * 64 + i")), least("`64 * n + s`"));
}

/// A matrix that is read along its own sides, one for the other, must be long enough along both.
#[test]
fn a_side_of_a_matrix_for_the_other() {
    let square = |sides: &str, at: &str| {
        asked(&format!("fn k(a: DMat<f32>) -> PushMat<Grid, f32> {{ mk_mat({sides}, |r, c| {at}).push() }}"))
    };
    let [wide, tall] = ["`a_rows` must be at most `a_cols`", "`a_cols` must be at most `a_rows`"].map(str::to_string);
    assert_eq!(square("a.rows(), a.rows()", "a[(r, c)]"), Ok(vec![wide.clone()]));
    assert_eq!(square("a.rows(), a.rows()", "a[(r, c)] + a[(c, r)]"), Ok(vec![wide.clone()]));
    assert_eq!(square("a.cols(), a.cols()", "a[(r, c)] + a[(c, r)]"), Ok(vec![tall.clone()]));
    assert_eq!(square("a.rows(), a.cols()", "a[(c, r)]"), Ok(vec![tall, wide]));
    assert_eq!(square("a.rows(), a.cols()", "a[(r, c)]"), Ok(Vec::new()));
    // One column further there is none, whatever the sides are.
    assert_eq!(square("a.cols(), a.rows()", "a[(c, r + a.cols())]"), Err("OB050"));
}

/// What stays open is tested when the kernel runs; what strays in a small launch is a mistake.
#[test]
fn a_read_that_never_strays_has_a_guard() {
    let guarded = |block: &str| {
        let text = format!(
            "#[kernel(threads = 64)] fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| {{ let n = xs.len(); {block} }}) }}"
        );
        let proved = passes::prove(staged(&text).remove(0)).map_err(|e| e.code)?;
        Ok::<bool, &str>(proved.params.iter().any(|p| matches!(p.kind, obsidian_ir::program::ParamKind::Fault(_))))
    };
    let read = |at: &str| guarded(&format!("mk_pull(64, |i| {at}).push()"));
    assert_eq!(read("c[i]"), Ok(false));
    // This is `i`, unless the product wraps.
    assert_eq!(read("xs[(i * n + i) / (n + 1)]"), Ok(true));
    assert_eq!(read("xs[(i * n + i) / (n + 1) + n]"), Err("OB050"));
    // Of data nothing is known: the branch may be taken.
    assert_eq!(read("if c[i] > 5 { xs[(i * n + i) / (n + 1)] } else { 0 }"), Ok(true));
    assert_eq!(read("if c[i] > 5 { xs[(i * n + i) / (n + 1) + n] } else { 0 }"), Err("OB050"));
    // It strays in the last rounds of a long loop, and in no other.
    let summed = |at: &str| {
        guarded(&format!(
            "mk_pull(64, |i| exec_thread({{ let mut s = i; for k in 0..n {{ s = s + xs[{at}]; }} s }})).as_block()"
        ))
    };
    assert!(summed("(k * n + k) / (n + 1)").is_ok());
    assert_eq!(summed("(k * n + k) / (n + 1) + (k + 2) / n"), Err("OB050"));
}

/// Launches that another access rules out are not tried.
/// What strays in every launch is a mistake, though numbers of the host's decide it and a guard could be had.
#[test]
fn a_place_that_is_in_no_matrix() {
    let read = |at: &str| {
        let text = format!(
            "#[kernel] fn k(m: DMat<u32>) -> PushMat<Grid, u32> {{ mk_mat(m.rows(), m.cols(), |r, c| m[({at})]).push() }}"
        );
        passes::prove(staged(&text).remove(0)).map(|_| ()).map_err(|e| e.code)
    };
    for inside in ["r, c", "r, c / 2", "m.rows() - 1 - r, c", "max(r, 1) - 1, c"] {
        assert_eq!(read(inside), Ok(()), "{inside}");
    }
    for outside in ["r - 1, c", "r + 1, c", "r, c + m.cols() * m.rows()"] {
        assert_eq!(read(outside), Err("OB050"), "{outside}");
    }
}

/// All mistakes are told that have nothing to do with one another, those of several kernels of a program too.
#[test]
fn all_mistakes_are_told() {
    let told = |text: &str| {
        let tokens = text.parse().unwrap();
        let mistakes = stop_after(Stage::Proved, tokens, &mut SpanTable::default()).err().unwrap_or_default();
        mistakes.iter().map(|e| e.code).collect::<Vec<_>>()
    };
    let chunk = |more: u32| {
        let block = format!("let s = c.compute(); mk_pull(64, |i| s[i + {more}]).push()");
        format!("xs.split_up(64).as_grid_map(|c| exec_block({{ {block} }}))")
    };
    let [one, two] = [1, 2].map(chunk);
    let both = format!(
        "#[kernel] fn k(xs: DPull<u32>) -> (DPush<Grid, u32>, DPush<Grid, u32>) {{ let a = {one}; let b = {two}; (a, b) }}"
    );
    assert_eq!(told(&both), ["OB050", "OB050"]);
    let launches = format!(
        "#[kernel] fn k(xs: DPull<u32>) -> Program<Device, DPull<u32>> {{ let xs = {{ {one} }}.compute(); {{ {two} }}.compute() }}"
    );
    assert_eq!(told(&launches), ["OB050", "OB050"]);
}

#[test]
fn small_launches_keep_what_is_asked() {
    let second = |first: &str| {
        // This is `i`, unless the product wraps.
        let block = format!("let n = ys.len(); mk_pull(64, |i| c[i] + {first} + ys[(i * n + i) / (n + 1)]).push()");
        asked(&format!("fn k{TWO} {{ xs.split_up(64).as_grid_map(|c| {{ {block} }}) }}"))
    };
    assert_eq!(second("ys[i]"), Ok(vec!["the length of `ys` must be at least 64".to_string()]));
    // Here it strays in some, and is tested.
    assert_eq!(second("ys[0]"), Ok(vec!["the length of `ys` must be at least 1".to_string()]));
}

/// Neighbours in an array that is as long as all positions: a proof lacks that a column has a next one, and an element more would be asked for.
#[test]
fn an_array_need_not_be_longer_than_all_positions() {
    let of = |neighbour: &str| {
        asked(&format!(
            "fn k(m: DPull<u32>, rows: u32, cols: u32) -> DPush<Grid, u32> {{
                mk_pull(rows * cols, |i| {{ let (r, c) = (i / cols, i % cols); {neighbour} }}).chunks(64).as_grid_map(|c| c.push())
            }}"
        ))
    };
    assert_eq!(of("if c + 1 < cols { m[i + 1] } else { 0 }"), Ok(vec![]));
    // This one strays in such an array.
    assert_eq!(of("m[i + 1]"), Ok(vec!["the length of `m` must be at least `rows * cols + 1`".to_string()]));
}

/// What the launches of an entry at `Device` are asked of two arrays, or the first refusal's code.
fn asked_above(body: &str) -> Result<Vec<String>, &'static str> {
    let text = format!("#[kernel] fn k(xs: DPull<u32>, ys: DPull<u32>) -> Program<Device, DPull<u32>> {{ {body} }}");
    let output = stop_after(Stage::Proved, text.parse().expect("tokens"), &mut SpanTable::default());
    let modules = output.map_err(|errors| errors[0].code)?.modules;
    let kernels = modules.iter().flat_map(|entry| &entry.variants[0].module.kernels);
    let mut all: Vec<String> = kernels.flat_map(|p| &p.checks).map(|check| check.message.clone()).collect();
    all.retain(|message| message.contains("`ys`") || message.contains("len(ys)"));
    all.sort();
    all.dedup();
    Ok(all)
}

/// An array in chunks is read at many places: each alone needs less than all together.
#[test]
fn places_of_one_array_ask_once() {
    let scanned = |at: &str| asked_above(&format!("scan(mk_pull(xs.len(), |i| xs[i] + {at}), |a, b| a + b)"));
    let least = |what: &str| Ok(vec![format!("the length of `ys` must be at least `{what}`")]);
    assert_eq!(scanned("ys[i]"), least("len(xs)"));
    // The most that `i % 3` is, though few lengths need it: where none of the places strays in an array as long as `xs`, they are tested.
    assert_eq!(scanned("ys[i + i % 3]"), least("len(xs) + 2"));
    let less = vec!["`len(xs)` must be at most `len(ys) + 20`".to_string()];
    assert_eq!(scanned("if i + 20 < xs.len() { ys[i] } else { 0 }"), Ok(less));
    assert_eq!(scanned("xs[i + 1 + i % 3]"), Err("OB050"));
    assert_eq!(scanned("if i < ys.len() { ys[i] } else { 0 }"), Ok(vec![]));
    let summed =
        "let s = reduce(mk_pull(xs.len(), |i| xs[i] * ys[i]), |a, b| a + b).first(); xs.map(|x| x + s).compute()";
    assert_eq!(asked_above(summed), least("len(xs)"));
}

/// A condition that only a launch without work can keep is not asked: the read has a guard.
#[test]
fn nothing_is_asked_that_rules_out_all_work() {
    let read = |at: &str| {
        let block = format!("mk_pull(4, |i| if i % 2 < 1 {{ 0u8 }} else {{ c[{at}] }}).push()");
        asked(&format!("fn k(xs: DPull<u8>) -> DPush<Grid, u8> {{ xs.coalesce(2).as_grid_map(|c| {block}) }}"))
    };
    let alone = read("i % 2 - 1");
    assert!(alone.is_ok(), "{alone:?}");
    assert_eq!(read("(i % 2 - 1) ^ 1"), alone);
}

/// What is known of one output's lengths takes no steps from the proofs of another.
#[test]
fn an_output_is_proved_whatever_is_known_of_another() {
    let both = "#[kernel(threads = 64)] fn k(xs: DPull<u32>, m: DMat<u32>) -> (DPush<Grid, u32>, PushMat<Grid, u32>) {
        (xs.evens().push(), m.sub(3, 7, m.rows() - 7, m.cols() - 8).push())
    }";
    let output = stop_after(Stage::Proved, both.parse().expect("tokens"), &mut SpanTable::default());
    assert!(output.is_ok(), "{:?}", output.err().map(|errors| errors[0].to_string()));
}

/// A clamped index strays where there is no element, and nowhere else.
#[test]
fn a_clamped_index_needs_one_element() {
    let least = Ok(vec!["the length of `ys` must be at least 1".to_string()]);
    assert_eq!(asked(&format!("fn k{TWO} {{ mk_pull(xs.len(), |i| ys[min(i, ys.len() - 1)]).push() }}")), least);
    let two = Ok(vec!["the length of `ys` must be at least 2".to_string()]);
    assert_eq!(asked(&format!("fn k{TWO} {{ mk_pull(xs.len(), |i| ys[min(i, ys.len() - 2)]).push() }}")), two);
}

/// The first access cannot be had for any condition on the launch, and gets a guard. What its proof would have asked for
/// does not hold in the second.
#[test]
fn what_was_asked_in_vain_is_forgotten() {
    let args = "(a: u32, b: u32, xs: Pull<u32, 64>, out: DMut<u32>, two: DMut<u32>) -> Program<Grid, ()>";
    let second = "two[g * 64 + i] = if a - b >= 5 && a < 20 { xs[b] } else { 0 };";
    let tests = |first: &str| {
        let all = format!("distr_par(out.len() / 64, |g| for_all(64, |i| {{ {first} {second} }}))");
        let proved = passes::prove(staged(&format!("#[kernel(threads = 64)] fn k{args} {{ {all} }}")).remove(0));
        let proved = proved.unwrap_or_else(|e| panic!("{e}"));
        obsidian_ir::program::print(&proved).matches("fault[0]").count()
    };
    let alone = tests("");
    assert!(alone > 0);
    assert!(tests("out[g * 64 + i] = xs[(a - b) + a / b];") > alone);
}

/// What no launch keeps, what depends on data, and what the author tests himself are not asked for.
#[test]
fn nothing_else_is_asked_for() {
    let one = |body: &str| asked(&format!("fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {body} }}"));
    assert_eq!(one("mk_pull(xs.len(), |i| xs[i + 1]).push()"), Err("OB050"));
    assert_eq!(one("mk_pull(xs.len(), |i| xs[i - 1]).push()"), Err("OB050"));
    // An even length would be right, and a long array is no help.
    assert_eq!(one("mk_pull(xs.len(), |i| xs[i ^ 1]).push()"), Err("OB050"));
    assert_eq!(one("xs.split_up(64).as_grid_map(|c| mk_pull(64, |i| c[i + 1]).push())"), Err("OB050"));
    assert_eq!(one("mk_pull(xs.len(), |i| if i + 1 < xs.len() { xs[i + 1] } else { 0 }).push()"), Ok(vec![]));
    // The launch is asked for `len(ys) <= len(xs)` already.
    let shorter = |at: &str| {
        asked(&format!("fn k{TWO} {{ let a = xs.take(ys.len()); mk_pull(xs.len(), |i| ys[{at}] + a[0]).push() }}"))
    };
    assert!(shorter("i").is_ok());
    assert_eq!(shorter("i + 1"), Err("OB050"));
    let data = format!("fn k{TWO} {{ xs.map(|x| ys[x]).push() }}");
    assert_eq!(asked(&data), Ok(vec![]));
}

/// What is read in a loop is asked for where it goes round; the same behind it is asked for whatever the number of rounds.
#[test]
fn a_loop_does_not_ask_for_what_stands_behind_it() {
    let conditions = |code: &str| {
        let text = format!(
            "fn k(n: u32, k: u32, xs: DPull<u32>, ys: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| mk_pull(64, |i| exec_thread({{ let mut s = c[i]; {code} s }})).as_block()) }}"
        );
        asked(&text).map(|conditions| conditions.len())
    };
    let (rounds, behind) = ("for j in 0..n { s = s + ys[k]; }", "s = s + ys[k];");
    assert_eq!(conditions(rounds), Ok(1));
    assert_eq!(conditions(behind), Ok(1));
    assert_eq!(conditions(&format!("{rounds} {behind}")), Ok(2));
    assert_eq!(conditions(&format!("{behind} {rounds}")), Ok(1));
}

/// Whether a kernel of `xs` with the scalars `n` and `k` tests what it reads when it runs, and what the launch is asked for.
fn read_of(value: &str) -> Result<(bool, Vec<String>), &'static str> {
    let text = format!(
        "#[kernel] fn k(xs: DPull<u32>, n: u32, k: u32) -> DPush<Grid, u32> {{ mk_pull(n, |i| {value}).push() }}"
    );
    let p = staged(&text).remove(0);
    let before = p.checks.len();
    let proved = passes::prove(p).map_err(|e| e.code)?;
    let tested = proved.params.iter().any(|p| matches!(p.kind, obsidian_ir::program::ParamKind::Fault(_)));
    Ok((tested, proved.checks[before..].iter().map(|check| check.message.clone()).collect()))
}

/// Where a launch that misses what a proof lacks does no harm, the read is tested instead: a condition would rule out right launches.
#[test]
fn a_condition_that_asks_far_too_much_is_a_guard() {
    for value in [
        "xs[i * xs.len() / n]",
        "xs[i / max(k, 1)]",
        "xs[(i + k) % max(n, 1)]",
        "xs[min(i, k)]",
        "xs[i >> (k & 31)]",
        "if i < k { xs[i] } else { 0 }",
        "xs[i % xs.len()]",
    ] {
        assert_eq!(read_of(value), Ok((true, vec![])), "{value}");
    }
    let least = |what: &str| Ok((false, vec![format!("the length of `xs` must be at least {what}")]));
    assert_eq!(read_of("xs[i]"), least("`n`"));
    assert_eq!(read_of("xs[k] + i"), least("`k + 1`"));
    for value in ["xs[xs.len()]", "xs[i + xs.len()]", "xs[xs.len() * 2 - xs.len() % 2]"] {
        assert_eq!(read_of(value), Err("OB050"), "{value}");
    }
}
