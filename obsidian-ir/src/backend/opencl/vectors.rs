//! Vectors in OpenCL C: accesses to neighbours, which a compiler that makes vectors of a group's items gets one by one.

use super::ty;
use crate::backend::c::dialect::Vectors;

pub(super) const VECTORS: Vectors = Vectors {
    name: |elem, count| format!("{}{count}", ty(elem)),
    declared: None,
    load: |at| format!("LOAD{}({}, {}, {}, {})", at.count, at.space, at.vector, at.array, at.first),
    store: |at, values| {
        format!("STORE{}({}, {}, {}, {}, {values});", at.count, at.space, at.vector, at.array, at.first)
    },
};

/// A macro's name, what it is in a text of vectors, and what it is where elements are accessed one by one. A store stands in
/// braces, so that it may be several statements.
const MACROS: [[&str; 3]; 4] = [
    ["LOAD2(space, vector, a, i)", "*(space const vector *)&(a)[i]", "(vector)((a)[i], (a)[(i) + 1u])"],
    [
        "LOAD4(space, vector, a, i)",
        "*(space const vector *)&(a)[i]",
        "(vector)((a)[i], (a)[(i) + 1u], (a)[(i) + 2u], (a)[(i) + 3u])",
    ],
    ["STORE2(space, vector, a, i, x, y)", "*(space vector *)&(a)[i] = (vector)(x, y)", "(a)[i] = x; (a)[(i) + 1u] = y"],
    [
        "STORE4(space, vector, a, i, x, y, z, w)",
        "*(space vector *)&(a)[i] = (vector)(x, y, z, w)",
        "(a)[i] = x; (a)[(i) + 1u] = y; (a)[(i) + 2u] = z; (a)[(i) + 3u] = w",
    ],
];

/// The macros that a text uses. Compilers for processors make vectors of neighbouring items, and vectors of an item's own stand
/// in the way of that: with them a map in pairs was slower on PoCL, and one in fours on Intel's driver. An item that is alone in its
/// group has no neighbours; there Intel's compiler died of elements that are read one by one and compared with those beside them.
pub(super) fn macros(body: &str, threads: u32) -> String {
    let used = |[head, ..]: &&[&str; 3]| body.contains(head.split_inclusive('(').next().unwrap_or(head));
    let define = |[head, ..]: &[&str; 3], text: &str| format!("#define {head} {text}\n");
    let used: Vec<_> = MACROS.iter().filter(used).collect();
    if used.is_empty() {
        return String::new();
    }
    let vectors: String = used.iter().map(|row| define(row, row[1])).collect();
    if threads == 1 {
        return vectors;
    }
    let elements: String = used.iter().map(|row| define(row, row[2])).collect();
    format!(
        "\
// Compiled with ELEMENTWISE an item accesses its neighbours in memory one by one, for compilers that make vectors of the
// items of a group.
#ifdef ELEMENTWISE
{elements}#else
{vectors}#endif
"
    )
}
