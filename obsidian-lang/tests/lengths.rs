//! Which array stands where which is asked for, by what is known of its length.

use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;

/// The codes of what is wrong with a kernel of `xs: DPull<u32>`, beside some functions.
fn mistakes(body: &str) -> Vec<&'static str> {
    let text = format!(
        "fn doubled<S: Size>(xs: Pull<u32, S>) -> Pull<u32, S> {{ xs.append(xs) }}
         fn with_one<S: Size>(xs: Pull<u32, S>) -> Pull<u32, S> {{ singleton(1).append(xs).append(singleton(1)) }}
         fn any(xs: DPull<u32>) -> DPull<u32> {{ xs.reverse() }}
         fn seven() -> DPull<u32> {{ iota(7) }}
         fn known(xs: Pull<u32>) -> Pull<u32> {{ xs.reverse() }}
         fn same<S: Size>(xs: Pull<u32, S>, ys: Pull<u32, S>) -> Pull<u32, S> {{ if xs.len() > 4 {{ xs }} else {{ ys }} }}
         fn added<S: Size>(m: Mut<u32, S>, xs: Pull<u32, S>) -> Program<Block, ()> {{
             for_all(xs.len(), |i| {{ atomic_add(m, i, xs[i]); }})
         }}
         #[kernel(threads = 32)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {body} }}"
    );
    let found = compile_all(text.parse().expect("tokens"), &mut SpanTable::default());
    found.err().unwrap_or_default().iter().map(|mistake| mistake.code).collect()
}

#[test]
fn a_known_length_stands_for_any() {
    for body in [
        "xs.append(singleton(0)).push()",
        "singleton(0).append(xs).push()",
        "xs.zip_with([1, 2, 3], |x, y| x * y).push()",
        "[1, 2, 3].zip_with3(xs, iota(9), |x, y, z| x * y + z).push()",
        "{ let ys: DPull<u32> = iota(7); ys.push() }",
        "any(iota(7)).push()",
        "seven().append(known(iota(7))).push()",
        "doubled(xs).append(doubled(iota(7))).append(with_one(xs)).push()",
        "known(with_one(doubled(iota(7)))).push()",
        "iota(7).push()",
        "iota(7).push().append(xs.push())",
        "xs.zip(iota(7)).map(|(x, i)| x + i).push()",
    ] {
        assert_eq!(mistakes(body), [""; 0], "{body}");
    }
}

#[test]
fn any_length_does_not_stand_for_a_known_one() {
    for body in [
        "known(xs).push()",
        "known(xs.append(iota(7))).push()",
        "known(iota(7).append(xs)).push()",
        "known(same(iota(7), xs)).push()",
        "{ let ys: Pull<u32> = xs; ys.push() }",
        // What changes has one kind of length.
        "xs.chunks(8).as_grid_map(|c| exec_block({ let m = new_mut(iota(8).push()); added(m, c); m.to_pull().push() }))",
    ] {
        assert_eq!(mistakes(body), ["OB026"], "{body}");
    }
}
