//! Launches as text.

use crate::ast::Launched;

/// What launches make of an array; `v` makes the names of this place.
pub(super) fn launched(what: Launched, v: u32, receiver: &str, arg: impl Fn(usize) -> String) -> String {
    match what {
        Launched::Stored => format!("{}.compute()", receiver),
        Launched::Scanned => format!("scan({}, {})", arg(0), arg(1)),
        Launched::Combined => format!(
            "{{ let a{v} = {}; let s{v} = reduce(a{v}, {}).first(); mk_pull(a{v}.len(), |_i| s{v}).zip_with(a{v}, {}) }}",
            arg(0),
            arg(1),
            arg(1)
        ),
        // The number of rounds is an element that the host fetches.
        Launched::Repeated => format!(
            "{{ let mut a{v} = {}.compute(); let n{v} = mk_pull(a{v}.len(), |i| i % 3).compute().fetch(a{v}.len() - 1); \
             for _k{v} in 0..n{v} {{ a{v} = a{v}.map({}).compute(); }} a{v} }}",
            receiver,
            arg(1)
        ),
        Launched::Chosen => format!(
            "{{ let a{v} = {}.compute(); if a{v}.len() % 2 == 0 {{ a{v}.map({}).compute() }} else {{ a{v} }} }}",
            receiver,
            arg(1)
        ),
        Launched::Replaced => format!(
            "{{ let mut a{v} = {}.compute(); \
             for k{v} in 0..a{v}.len() % 4 {{ let b{v} = a{v}.map({}).compute(); if k{v} % 2 == 0 {{ a{v} = b{v}; }} }} a{v} }}",
            receiver,
            arg(1)
        ),
        Launched::Turned => format!("{{ let a{v} = {}; transpose_2d(a{v}, 2 - a{v}.len() % 2) }}", arg(0)),
        Launched::Chained => format!(
            "{{ let a{v} = non_empty({}); chain(a{v}.chunks(3), a{v}[0], |c{v}| (c{v}[0], c{v}), {}, \
             |_c{v}, p{v}, k{v}| mk_pull(k{v}.len(), |_i| p{v}).zip_with(k{v}, {}).push()) }}",
            arg(0),
            arg(1),
            arg(1)
        ),
        Launched::Doubled => format!(
            "{{ let a{v} = {}; let n{v} = a{v}.len(); let f{v} = a{v}.map({}); \
             let (p{v}, q{v}) = compute_two(n{v}, n{v}, |w{v}, u{v}| for_all(n{v}, |i| {{ w{v}(a{v}[i], i); u{v}(f{v}[i], n{v} - 1 - i) }})); \
             mk_pull(n{v}, |i| if i % 2 == 0 {{ p{v}[i] }} else {{ q{v}[i] }}) }}",
            arg(0),
            arg(1)
        ),
        Launched::Shaped => format!(
            "{{ let a{v} = {}; let c{v} = 2 - a{v}.len() % 2; let n{v} = a{v}.len() % 3; \
             let m{v} = mk_mat(a{v}.len() / c{v}, c{v}, |r, c| a{v}[r * c{v} + c]).compute(); \
             let l{v} = seq_fold(n{v}, m{v}, |m, _i| m.map(|r| r.map({})).compute()); \
             let o{v} = if n{v} == 1 {{ l{v}.map(|r| r.map({})).compute() }} else {{ l{v} }}; \
             mk_pull(a{v}.len(), |i| o{v}[(i / c{v}, i % c{v})]) }}",
            arg(0),
            arg(1),
            arg(1)
        ),
        Launched::Sorted => format!("sort({})", arg(0)),
        Launched::Parted => {
            format!("{{ let (k{v}, l{v}) = partition({}, {}); k{v}.append(l{v}) }}", arg(0), arg(1))
        }
        Launched::Excluded => {
            format!("{{ let a{v} = non_empty({}); scan_exclusive(a{v}, a{v}[0], {}) }}", arg(0), arg(1))
        }
        Launched::Segmented => {
            format!("{{ let a{v} = {}; segmented_scan(a{v}, a{v}.map({}), {}) }}", arg(0), arg(2), arg(1))
        }
        Launched::Segments => format!(
            "{{ let a{v} = non_empty({}); let n{v} = a{v}.len() + 1; let o{v} = mk_pull(n{v}, |s| s * 7 % n{v}).compute(); \
             segmented_reduce(a{v}, o{v}, a{v}[0], {}) }}",
            arg(0),
            arg(1)
        ),
        Launched::Runs => format!(
            "{{ let a{v} = {}; let r{v} = run_length(a{v}); \
             mk_pull(a{v}.len(), |i| if i < r{v}.len() && r{v}[i].1 > 1 {{ r{v}[i].0 }} else {{ a{v}[i] }}) }}",
            arg(0)
        ),
        Launched::Greatest => format!(
            "{{ let a{v} = {}; let t{v} = top_k(a{v}, 3); \
             mk_pull(a{v}.len(), |i| if i < t{v}.len() {{ t{v}[i] }} else {{ a{v}[i] }}) }}",
            arg(0)
        ),
    }
}
