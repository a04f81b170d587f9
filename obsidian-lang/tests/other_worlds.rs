//! Words of Rust's iterators, CUDA and CubeCL in kernels: each is answered with what says the same here, and that compiles.

use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;

/// What is said of a kernel's text.
fn errors(body: &str) -> Vec<String> {
    let text = format!("#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {body} }}");
    match compile_all(text.parse().expect("tokens"), &mut SpanTable::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|e| e.to_string()).collect(),
    }
}

#[test]
fn each_word_has_an_answer_that_compiles() {
    let words = [
        ("xs.iter().map(|x| x + 1).push()", "`xs.map(|x| x + 1)`", "xs.map(|x| x + 1).push()"),
        ("xs.map(|x| x + xs.fold(0)).push()", "`xs.sum()`", "xs.map(|x| x + xs.sum()).push()"),
        (
            "xs.chunks(64).as_grid_map(|c| c.fold(0, |a, x| a + x))",
            "`xs.foldl(init, |acc, x| ..)`",
            "xs.chunks(64).as_grid_map(|c| singleton(c).as_block_map(|c| exec_thread(c.foldl(0, |acc, x| acc + x))))",
        ),
        ("xs.map(|x| x + 1).collect()", "`xs.push()`", "xs.map(|x| x + 1).push()"),
        (
            "xs.enumerate().map(|p| p.1).push()",
            "`mk_pull(xs.len(), |i| (i, xs[i]))`",
            "mk_pull(xs.len(), |i| (i, xs[i])).map(|p| p.1).push()",
        ),
        (
            "xs.chunks(64).map(|c| c.position(7)).push()",
            "`for i in 0..xs.len() { if xs[i] == x { at = i; break; } }`",
            "xs.split_up(64).map(|c| { let mut at = 64; for i in 0..c.len() { if c[i] == 7 { at = i; break; } } at }).push()",
        ),
        ("xs.windows(3).push()", "`xs.stencil(1, |near| ..)`", "xs.stencil(1, |near| near[0] + near[2]).push()"),
        ("xs.clone().push()", "leave it out", "xs.push()"),
        (
            "mk_pull(xs.len(), |_i| xs[threadIdx()]).push()",
            "`mk_pull(n, |i| ..)`",
            "mk_pull(xs.len(), |i| xs[i]).push()",
        ),
        (
            "xs.chunks(64).as_grid_map(|c| exec_block({ __syncthreads(); c.push() }))",
            "`xs.compute()`",
            "xs.chunks(64).as_grid_map(|c| exec_block(reduce(c, |a, b| max(a, b))))",
        ),
        (
            "xs.split_up(64).as_grid_map(|c| exec_block({ let s = __shared__(c); s.push() }))",
            "`xs.compute()` in a block",
            "xs.split_up(64).as_grid_map(|c| exec_block({ let s = c.compute(); s.push() }))",
        ),
        (
            "xs.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|w| exec_warp(__shfl_xor_sync(w, 1).push())))",
            "`ys[i ^ 1]`",
            "xs.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|w| exec_warp({
                let ys = w.compute_lanes();
                mk_pull(32, |i| ys[i ^ 1]).push()
            })))",
        ),
    ];
    for (wrong, answer, right) in words {
        let said = errors(wrong);
        assert!(said.iter().any(|e| e.contains("OB021") && e.contains(answer)), "{wrong}: {said:?}");
        assert_eq!(errors(right), Vec::<String>::new(), "{right}");
    }
}

/// Types of Rust, of CUDA and of the host, each with what stands here, and that compiles.
#[test]
fn each_type_has_an_answer_that_compiles() {
    let compiled = |text: &str| match compile_all(text.parse().expect("tokens"), &mut SpanTable::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|e| e.to_string()).collect(),
    };
    let entry = |items: &str, param: &str, body: &str| {
        compiled(&format!("{items} #[kernel(threads = 64)] pub fn k(xs: {param}) -> DPush<Grid, f32> {{ {body} }}"))
    };
    let types = [
        ("", "Vec<f32>", "`DPull<T>`", "", "DPull<f32>", "xs.push()"),
        ("", "Matrix<f32>", "`DMat<T>`", "", "DMat<f32>", "xs.as_grid_map(|row| exec_block(row.sum()))"),
        ("", "DPull<float4>", "`(f32, f32, f32, f32)`", "", "DPull<(f32, f32, f32, f32)>", "xs.map(|v| v.3).push()"),
        (
            "",
            "DPull<Body>",
            "inside `kernel!`",
            "struct Body { x: f32, mass: f32 }",
            "DPull<Body>",
            "xs.map(|b| b.x / b.mass).push()",
        ),
        (
            "fn root(x: f32) -> Option<f32> { x }",
            "DPull<f32>",
            "`(bool, f32)`",
            "fn root(x: f32) -> (bool, f32) { (x > 0.0, if x > 0.0 { sqrt(x) } else { 0.0 }) }",
            "DPull<f32>",
            "xs.map(|x| root(x).1).push()",
        ),
        ("", "DPull<u128>", "`u64`", "", "DPull<u64>", "xs.map(|x| x as f32).push()"),
        ("", "String", "`DPull<u8>`", "", "DPull<u8>", "xs.map(|x| x as f32).push()"),
        (
            "fn back(xs: Pull<f32>) -> Block { xs.reverse().push() }",
            "DPull<f32>",
            "`Push<Block, T>`",
            "fn back(xs: Pull<f32>) -> Push<Block, f32> { xs.reverse().push() }",
            "DPull<f32>",
            "xs.split_up(64).as_grid_map(|c| back(c))",
        ),
    ];
    for (wrong, param, answer, items, right, body) in types {
        let said = entry(wrong, param, body);
        assert!(said.iter().any(|e| e.contains("OB005") && e.contains(answer)), "{param} {wrong}: {said:?}");
        assert_eq!(entry(items, right, body), Vec::<String>::new(), "{right}");
    }
}

/// Where what is said of an array as a whole is no number, or not in this place.
#[test]
fn totals_are_answered_where_they_stand() {
    let words = [
        (
            "xs.chunks(64).as_grid_map(|c| c.sum())",
            "`exec_block(x)`",
            "xs.chunks(64).as_grid_map(|c| exec_block(c.sum()))",
        ),
        (
            "let s = xs.sum(); xs.map(|x| x / s).push()",
            "`xs.chunks(1024).as_grid_map(|c| exec_block(c.sum(..)))`",
            "xs.chunks(1024).as_grid_map(|c| exec_block(c.sum()))",
        ),
        ("xs.map(|x| x - xs.min()).push()", "`xs.minimum()`", "xs.map(|x| x - xs.minimum()).push()"),
        (
            "xs.map(|x| x + xs.reduce(|a, b| a + b)).push()",
            "`xs.foldl(init, |acc, x| ..)`",
            "xs.map(|x| x + xs.foldl(0, |acc, x| acc + x)).push()",
        ),
    ];
    for (wrong, answer, right) in words {
        let said = errors(wrong);
        assert!(said.iter().any(|e| e.contains(answer)), "{wrong}: {said:?}");
        assert_eq!(errors(right), Vec::<String>::new(), "{right}");
    }
}
