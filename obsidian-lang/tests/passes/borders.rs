//! Sums over neighbours whose author tests the border: the first kernel that many write.

use obsidian_ir::passes;
use obsidian_ir::program::{ParamKind, print};

use super::staged;

/// Whether a kernel over a matrix has guards, and the lines of its program.
fn proved(neighbours: &str) -> (bool, usize) {
    let text = format!(
        "#[kernel(threads = 64)] fn k(m: DMat<u32>) -> PushMat<Grid, u32> {{
            let (rows, cols) = (m.rows(), m.cols());
            let (h, w) = (rows as i32, cols as i32);
            mk_mat(rows, cols, |r, c| {{ let mut sum = 0; {neighbours} sum }}).push()
        }}"
    );
    let program = passes::prove(staged(&text).remove(0)).expect("accepted");
    let guarded = program.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
    (guarded, print(&program).lines().count())
}

/// Sums over `2 * far + 1` by as many neighbours, in signed numbers.
fn signed(far: u32) -> String {
    format!(
        "for dr in -{far}..={far} {{ for dc in -{far}..={far} {{
            let (y, x) = (r as i32 + dr, c as i32 + dc);
            if y >= 0 && y < h && x >= 0 && x < w {{ sum += m[(y as u32, x as u32)]; }}
        }} }}"
    )
}

#[test]
fn tests_of_the_border_prove_every_read() {
    assert!(!proved(&signed(1)).0);
    assert!(!proved(&signed(2)).0);
    let clamped = "for dr in -1..=1 { for dc in -1..=1 {
        let (y, x) = (min(max(r as i32 + dr, 0), h - 1), min(max(c as i32 + dc, 0), w - 1));
        sum += m[(y as u32, x as u32)];
    } }";
    assert!(!proved(clamped).0);
    assert!(!proved("if r > 0 { sum += m[(r - 1, c)]; } if c > 0 { sum += m[(r, c - 1)]; } if r + 1 < rows { sum += m[(r + 1, c)]; }").0);
    let unsigned = "for dr in 0..3 { for dc in 0..2 {
        if r + dr >= 1 && r + dr <= rows && c + dc >= 1 && c + dc <= cols { sum += m[(r + dr - 1, c + dc - 1)]; }
    } }";
    assert!(!proved(unsigned).0);
    // The one on the right lacks its test.
    assert!(proved("if r > 0 { sum += m[(r - 1, c)]; } if r + 1 < rows { sum += m[(r + 1, min(c + sum, 7))]; }").0);
}

/// Each further neighbour adds as much to the program as the first, however many are tested before it.
#[test]
fn programs_grow_with_the_number_of_neighbours() {
    let (small, large) = (proved(&signed(1)).1, proved(&signed(2)).1);
    assert!(large < small * 25 / 9 + 40, "{small} and {large} lines");
}
