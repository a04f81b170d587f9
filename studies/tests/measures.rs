//! What is promised of the tuner holds on every space that is recorded. No clock: times are those of the files.

use obsidian_studies::KEPT;
use obsidian_studies::measures::{Measures, all, page};
use obsidian_studies::recorded::On;

fn count(measures: &Measures, searcher: &str) -> usize {
    measures.evaluations.iter().find(|(name, _)| *name == searcher).map_or(usize::MAX, |(_, count)| *count)
}

#[test]
fn what_is_promised_of_the_tuner_holds_on_every_recorded_space() {
    let (all, shipped) = all().unwrap();
    let kept = std::fs::read_to_string(format!("{}/../{KEPT}/measures.md", env!("CARGO_MANIFEST_DIR")));
    let text = page(&all, &shipped);
    println!("{text}");
    assert!(all.len() >= 6);
    for m in &all {
        let name = m.subject.name();
        assert!(m.recording.points.iter().all(|point| point.rounds.is_ok()), "{name}: every point was measured");
        // An OpenCL device may be a processor or not, and nothing but what does not fit is proved to be needless there.
        if m.subject.on == On::Cpu {
            assert!(2 * m.pruned >= m.points, "{name}: {} of {} are pruned", m.pruned, m.points);
        }
        assert!(m.lost <= 1.05, "{name}: without what is pruned the best takes {} times as long", m.lost);
        // On Intel's driver half of a point's samples differ by a factor of 1.4 to 3.5: more rounds than are recorded would be needed.
        if m.subject.on != On::Intel {
            assert_eq!(m.verdicts.len(), 1, "{name}: tunings that are repeated come to {:?}", m.verdicts);
        }
        for searcher in ["greedy", "genetic"] {
            let (own, random) = (count(m, searcher), count(m, "random"));
            // Where a third of all points is near the best, any three will do.
            assert!(2 * own <= random || random <= 3, "{name}: {searcher} needs {own} evaluations, random {random}");
        }
    }
    for s in &shipped {
        assert!(s.variants.len() <= 5 && s.worst <= 1.10, "{s:?}");
    }
    assert_eq!(kept.unwrap_or_default(), text, "run `cargo xtask study measures --bless`");
}
