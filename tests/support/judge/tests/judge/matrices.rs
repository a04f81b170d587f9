//! Rows and columns: each that a load asks for is a question of its own, which its place in the whole does not answer.

use obsidian_judge::{Fault, Verdict};

use crate::court::{self, Case};

/// A kernel whose launches fit, that reads a neighbour of each element where its place is in the whole and `test` holds.
fn neighbours(test: &str, column: &str) -> Case {
    let text = format!(
        "#[kernel(threads = 32)] pub fn neighbours(m: DMat<u32>) -> PushMat<Grid, u32> {{
             mk_mat(m.rows(), m.cols(), |r, c| {{
                 if {test} && r * m.cols() + ({column}) < m.rows() * m.cols() {{ m[(r, {column})] }} else {{ 0 }}
             }}).push()
         }}"
    );
    let cases = court::cases(text.parse().expect("tokens")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    cases.into_iter().next().expect("a kernel")
}

#[test]
fn a_column_of_another_row_is_refuted() {
    let Some(solver) = court::solver() else { return };
    let wrong = vec![neighbours("r + 1 < m.rows()", "c + 1"), neighbours("c >= 0", "c + m.cols()")];
    for judged in court::judged(&solver, wrong) {
        let found = &judged.report().findings;
        assert!(
            found.iter().any(|f| f.fault == Fault::OutOfBounds && f.array == "m"),
            "{:#?}\n{}",
            judged.report(),
            judged.case.text
        );
    }
}

#[test]
fn a_column_of_the_row_is_not() {
    let Some(solver) = court::solver() else { return };
    let right = vec![neighbours("c > 0", "c - 1"), neighbours("c + 1 < m.cols()", "c + 1")];
    for judged in court::judged(&solver, right) {
        assert_eq!(judged.report().verdict(), Verdict::Proved, "{:#?}\n{}", judged.report(), judged.case.text);
        assert_eq!(judged.case.refused, None);
    }
}
