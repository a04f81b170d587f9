//! Every program of `programs` and every kernel of the guide before the judge.

mod court;

use court::Case;

#[path = "../../../oracle/sources.rs"]
#[allow(dead_code)]
mod sources;

#[test]
fn nothing_is_wrong_with_the_programs() {
    let Some(solver) = court::solver() else { return };
    let cases: Vec<Case> =
        sources::kernels(|_| true).into_iter().flat_map(|t| court::cases(t).expect("compiles")).collect();
    for judged in court::judged(&solver, cases) {
        match &judged.report {
            Err(e) => println!("{:24} {e}", judged.case.name),
            Ok(r) => {
                println!(
                    "{:24} {:?} {} questions, {} guarded, {:?} {:?} {:?}",
                    r.name,
                    r.verdict(),
                    r.questions,
                    r.guarded,
                    judged.time,
                    r.unknown,
                    r.contradictions
                );
                r.findings.iter().for_each(|f| println!("    {f}"));
            }
        }
    }
}
