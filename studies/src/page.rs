//! A study as a page of the guide.

use crate::Study;
use crate::table::{Row, Span};

/// Where the pages are, from the workspace.
pub const KEPT: &str = "docs/src/studies";

/// The page of a study whose points were counted so, all of them verified.
pub fn page(study: &Study, rows: &[Row], combinations: usize) -> String {
    let points: usize = rows.iter().map(|row| row.points).sum();
    let programs: usize = rows.iter().map(|row| row.programs).sum();
    let together = match combinations {
        0 => String::new(),
        n => format!(" of the launches, and {n} of all launches together, against prefix sums in plain Rust"),
    };
    let mut text = format!(
        "# {}

<!-- Rendered by `cargo xtask study {} --bless` -->

{}

`cargo xtask study {}` compiles the space of `{}`, counts what each point asks of a GPU, and verifies every one on the CPU: it gives, bit
for bit, what the reference interpreter gives for it. Points verified: {points}{together}. Different
programs on the CPU, which has no threads of a block: {programs}. How fast they are on a GPU is not told here: no GPU has run them.

From the least to the greatest of each row's points: bytes of shared memory, barriers of the block as they stand in the text,
bytes moved for each byte wanted, turns lost to bank conflicts for each element written, warps of an `sm_80` in use in percent
(registers are not considered). `-` where an access depends on data.

| | points | shared | barriers | moved | conflicts | occupancy |
|---|---:|---:|---:|---:|---:|---:|
",
        study.title, study.name, study.paper, study.name, study.file
    );
    let known = |span: &Option<Span>| span.map_or_else(|| "-".to_string(), |span| span.to_string());
    for row in rows {
        let Row { name, points, shared, barriers, moved, conflicts, occupancy, .. } = row;
        let (moved, conflicts) = (known(moved), known(conflicts));
        text += &format!("| `{name}` | {points} | {shared} | {barriers} | {moved} | {conflicts} | {occupancy} |\n");
    }
    text
}
