//! Kernels that are wrong on purpose: the judge refutes each, whatever the compiler says of it; and what only looks like them is
//! proved.

use obsidian_judge::Verdict;

use crate::court::{self, Case};
use crate::kernels::{RIGHT, WRONG};

/// The kernel of a text as it is written: what is wrong on purpose may be the arithmetic of the launch.
pub fn case(text: &str) -> Case {
    let cases = court::cases_as_written(text.parse().expect("tokens")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    cases.into_iter().next().expect("a kernel")
}

#[test]
fn wrong_kernels_are_refuted() {
    let Some(solver) = court::solver() else { return };
    let judged = court::judged(&solver, WRONG.iter().map(|w| case(w.text)).collect());
    let mut missed = Vec::new();
    for (wrong, judged) in WRONG.iter().zip(&judged) {
        let report = judged.report();
        match report.findings.iter().find(|f| f.fault == wrong.fault) {
            Some(finding) => println!("{} {:22} {finding}", wrong.class, report.name),
            None => missed.push(format!("{}: {:?} {:?}", report.name, report.findings, report.unknown)),
        }
    }
    assert!(missed.is_empty(), "not refuted:\n{}", missed.join("\n"));
}

#[test]
fn their_neighbours_are_proved() {
    let Some(solver) = court::solver() else { return };
    for judged in court::judged(&solver, RIGHT.iter().map(|text| case(text)).collect()) {
        let report = judged.report();
        assert_eq!(report.verdict(), Verdict::Proved, "{report:#?}\n{}", judged.case.text);
        assert_eq!(judged.case.refused, None, "{}", report.name);
    }
}

/// A function that the judge does not follow may have any value for it: that is no run.
#[test]
fn what_is_not_followed_refutes_nothing() {
    let Some(solver) = court::solver() else { return };
    let text = "#[kernel(threads = 32)] pub fn by_bits(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(33).as_grid_map(|c| exec_block({
            let m = c.new_mut();
            mk_pull(33, |i| m.to_pull()[i.leading_zeros()]).push()
        }))
    }";
    for judged in court::judged(&solver, vec![case(text)]) {
        assert_eq!(judged.case.refused, None);
        assert_eq!(judged.report().findings, [], "{}", judged.case.text);
        assert!(judged.report().guarded > 0, "{:#?}", judged.report());
    }
}
