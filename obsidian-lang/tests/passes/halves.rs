//! Halves of odd lengths, and loops whose array shrinks.

use obsidian_ir::interp::{self, Args, Outputs};

use super::{compiled, mistakes};

/// What a kernel over chunks of `n` gives for 0, 1, .. in two of them.
fn run(n: u32, body: &str) -> Outputs {
    let text = format!(
        "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
            xs.split_up({n}).as_grid_map(|c| exec_block({{ {body} }})) }}"
    );
    let xs: Vec<u32> = (0..2 * n).collect();
    interp::run(&compiled(&text)[0].native, &Args::new().buffers(vec![xs.into()])).expect("no fault")
}

fn outputs(values: impl IntoIterator<Item = u32>) -> Outputs {
    let copy = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> { xs.push() }";
    let values: Vec<u32> = values.into_iter().collect();
    interp::run(&compiled(copy)[0].native, &Args::new().buffers(vec![values.into()])).expect("no fault")
}

#[test]
fn the_second_half_has_one_more() {
    for n in [2, 3, 7, 64, 65] {
        let turned = (0..2).flat_map(|b| (n / 2..n).chain(0..n / 2).map(move |i| b * n + i));
        assert_eq!(run(n, "let (low, high) = c.halve(); high.append(low).push()"), outputs(turned), "{n}");
    }
}

#[test]
fn a_loop_on_the_length_may_shrink_its_array() {
    let sum = "let mut a = c;
        while a.len() > 1 {
            let (low, high) = a.halve();
            a = mk_pull(high.len(), |i| high[i] + low.get_or(i, 0)).compute();
        }
        a.push()";
    for n in [1, 2, 5, 64, 65] {
        let sums = (0..2).map(|b| (b * n..(b + 1) * n).sum());
        assert_eq!(run(n, sum), outputs(sums), "{n}");
    }
}

/// A tree that only powers of two fit says so.
#[test]
fn trees_of_halves_take_powers_of_two() {
    let text = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(96).as_grid_map(|c| exec_block(c.red2(|a, b| a + b))) }";
    assert_eq!(mistakes(text).first().map(|e| e.code), Some("OB034"));
}
