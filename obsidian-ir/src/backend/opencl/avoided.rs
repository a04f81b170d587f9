//! Macros by which a text avoids what drivers get wrong, where it is compiled with their names: `docs/src/opencl.md` has the
//! table. In: a kernel's statements; out: the macros that they use. Knows no drivers: the runtime does.

/// The macros that `body` uses; `memory` is some that the kernel writes.
pub(super) fn macros(body: &str, memory: &str, threads: u32) -> String {
    let mut text = String::new();
    if body.contains("COMPLEMENT(") {
        text += COMPLEMENT;
    }
    if body.contains("PLACES(") {
        text += PLACES;
    }
    if body.contains("BARRIER(") {
        text += &barriers(threads, memory);
    }
    if body.contains("ROUND;") {
        text += &rounds(threads, memory);
    }
    text
}

/// Without vectors Intel's compiler for processors takes the wrong one of a number and a complement for the lesser. The offset of a
/// dimension that a launch does not have is 0, which no compiler knows.
const COMPLEMENT: &str = "\
// Compiled with HIDE_COMPLEMENTS for compilers that compare complements wrongly: they do not see any.
#ifdef HIDE_COMPLEMENTS
#define COMPLEMENT(type, x) (type)((x) ^ (type)(get_global_offset(2) - 1))
#else
#define COMPLEMENT(type, x) (type)~(x)
#endif
";

/// LLVM makes a choice among several places of local memory a table of them. PoCL's local memory is a variable of the group that
/// it makes an argument later, and it leaves the table as it is: it dies of it.
const PLACES: &str = "\
// Compiled with HIDE_PLACES for compilers that die of tables of places in local memory: they do not know any.
#ifdef HIDE_PLACES
#define PLACES(room) (room + get_global_offset(2))
#else
#define PLACES(room) room
#endif
";

/// Compilers for processors that look at several phases at once pack their comparisons into one vector; where such a vector
/// lives on over a barrier, those on LLVM before 18 read it wrong. A branch, if only one that nobody takes, keeps phases apart.
fn barriers(threads: u32, memory: &str) -> String {
    format!(
        "\
// Compiled with SPLIT_PHASES a phase begins with a branch that no item takes, for compilers that mix up comparisons of
// several phases.
#undef BARRIER
#ifdef SPLIT_PHASES
#define BARRIER(fences) barrier(fences); if (LOCAL_ID >= {threads}u) {memory}[0] = 0
#else
#define BARRIER(fences) barrier(fences)
#endif
"
    )
}

/// PoCL before 7.0 copies the code of each phase for the items of groups of at most two. Where a phase begins with the head of a
/// loop, as a round does whose first statement is a loop, the variables of that loop get lost, and PoCL with them.
fn rounds(threads: u32, memory: &str) -> String {
    format!(
        "\
// Compiled with SPLIT_ROUNDS a round of a loop around barriers begins with a branch that no item takes, for compilers that
// copy the items of a group and lose the variables of a loop that a round begins with.
#undef ROUND
#ifdef SPLIT_ROUNDS
#define ROUND if (LOCAL_ID >= {threads}u) {memory}[0] = 0
#else
#define ROUND
#endif
"
    )
}
