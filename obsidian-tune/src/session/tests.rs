//! Tunings of a space whose times are known, and of real kernels on the CPU.

use super::*;
use crate::record::{GENERATOR, Header, SCHEMA};
use crate::search::{Exhaustive, Greedy};
use crate::source::{File, Kernel, WHOLE, compile};
use std::path::PathBuf;

fn kernel() -> Kernel {
    let text = "#[kernel(threads = [32, 64], SEQ = [1, 2, 4, 8])]
        pub fn sums<const SEQ: u32>(a: DPull<u32>) -> DPush<Grid, u32> {
            a.split_up(256).as_grid_map(|c| {
                let parts = c.split_up(SEQ).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))).compute();
                exec_block(reduce(parts, |a, b| a + b))
            })
        }";
    let mut found = compile(&[File { path: "f.rs".into(), text: text.into() }], WHOLE);
    assert!(found.mistakes.is_empty(), "{}", found.mistakes[0]);
    found.kernels.remove(0)
}

fn header(candidates: &Candidates) -> Header {
    let [text, variants] = candidates.marks();
    let own = |text: &str| text.to_string();
    Header {
        schema: own(SCHEMA),
        generator: own(GENERATOR),
        kernel: own("sums"),
        text,
        variants,
        backend: own("none"),
        device: own("none"),
        driver: own("none"),
        problem: own("len = 1024"),
    }
}

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("obsidian-session-{}-{name}.jsonl", std::process::id()))
}

/// Times that are known; counts what it is asked for, and dies when it is told to.
struct Fake {
    times: Vec<Result<f64, Invalid>>,
    samples: usize,
    verified: Vec<usize>,
    dies_after: usize,
}

impl Fake {
    fn new(times: Vec<Result<f64, Invalid>>) -> Fake {
        Fake { times, samples: 0, verified: Vec::new(), dies_after: usize::MAX }
    }
}

impl Bench for Fake {
    fn verify(&mut self, variant: usize) -> Result<(), Invalid> {
        self.verified.push(variant);
        match &self.times[variant] {
            Err(why @ (Invalid::Verify(_) | Invalid::Build(_))) => Err(why.clone()),
            _ => Ok(()),
        }
    }

    fn sample(&mut self, variant: usize) -> Result<f64, Invalid> {
        assert!(self.verified.contains(&variant), "measured before it was verified");
        assert!(self.samples < self.dies_after, "killed");
        self.samples += 1;
        self.times[variant].clone()
    }
}

fn plan(searcher: &dyn Searcher) -> Plan<'_> {
    Plan { searcher, budget: Budget::default(), rounds: 9, seed: 1, roof: None }
}

fn times(of: [f64; 8]) -> Vec<Result<f64, Invalid>> {
    of.map(Ok).to_vec()
}

/// In the order threads 32 and 64 of each `SEQ`.
const TIMES: [f64; 8] = [4.0, 4.0, 3.0, 3.1, 1.0, 1.2, 2.0, 2.0];

fn tuned(name: &str, bench: &mut Fake, plan: &Plan<'_>) -> Result<Conclusion, Failure> {
    let kernel = kernel();
    let variants: Vec<&Variant> = kernel.variants().collect();
    let candidates = Candidates::new(&variants, Target::Cpu).unpruned();
    let mut record = Record::open(&path(name), &header(&candidates)).unwrap();
    tune(&candidates, bench, &mut record, plan, &mut |_| {})
}

#[test]
fn the_fastest_is_chosen_and_those_that_fail_never() {
    let mut bench = Fake::new(times(TIMES));
    bench.times[4] = Err(Invalid::Verify("element 0".into()));
    bench.times[6] = Err(Invalid::Build("no".into()));
    bench.times[7] = Err(Invalid::Launch("no".into()));
    let found = tuned("fastest", &mut bench, &plan(&Exhaustive)).unwrap();
    assert_eq!((found.chosen.as_str(), found.verdict.as_str()), ("threads = 64, SEQ = 4", "win"));
    let failed = Record::open(
        &path("fastest"),
        &header(&Candidates::new(&kernel().variants().collect::<Vec<_>>(), Target::Cpu)),
    );
    let failed = failed.unwrap().contents().measurements.iter().filter(|m| m.found.is_err()).count();
    assert_eq!(failed, 3, "each with its reason in the record");
    std::fs::remove_file(path("fastest")).unwrap();
}

#[test]
fn of_equals_the_simplest_is_chosen() {
    let mut bench = Fake::new(times([1.0; 8]));
    let found = tuned("equals", &mut bench, &plan(&Exhaustive)).unwrap();
    // The least shared memory, then the fewest barriers, then the fewest threads.
    assert_eq!((found.chosen.as_str(), found.verdict.as_str()), ("threads = 32, SEQ = 8", "tie"));
    assert_eq!(found.tied.len(), 8);
    std::fs::remove_file(path("equals")).unwrap();
}

#[test]
fn where_nothing_can_be_measured_the_reasons_are_told() {
    let mut bench = Fake::new(vec![Err(Invalid::Launch("too long".into())); 8]);
    let failure = tuned("none", &mut bench, &plan(&Exhaustive)).unwrap_err().to_string();
    assert!(failure.starts_with("no variant could be measured"), "{failure}");
    assert_eq!(failure.matches("launch: too long").count(), 8);
    std::fs::remove_file(path("none")).unwrap();
}

#[test]
fn budgets_end_a_search() {
    let mut bench = Fake::new(times(TIMES));
    let budget = Budget { points: Some(3), ..Budget::default() };
    let found = tuned("points", &mut bench, &Plan { budget, ..plan(&Exhaustive) }).unwrap();
    assert_eq!((found.chosen.as_str(), bench.verified.len()), ("threads = 32, SEQ = 2", 3));
    let budget = Budget { target: Some(3.0), ..Budget::default() };
    let mut bench = Fake::new(times(TIMES));
    std::fs::remove_file(path("points")).unwrap();
    tuned("points", &mut bench, &Plan { budget, ..plan(&Exhaustive) }).unwrap();
    assert_eq!(bench.verified.len(), 3);
    std::fs::remove_file(path("points")).unwrap();
}

#[test]
fn a_tuning_that_is_killed_goes_on_and_measures_nothing_twice() {
    for searcher in [&Exhaustive as &dyn Searcher, &Greedy] {
        let mut whole = Fake::new(times(TIMES));
        let expected = tuned("whole", &mut whole, &plan(searcher)).unwrap();
        std::fs::remove_file(path("whole")).unwrap();
        let mut samples = 0;
        for dies_after in [1, 2, 5, 7, 100] {
            let mut bench = Fake::new(times(TIMES));
            bench.dies_after = dies_after;
            let work = std::panic::AssertUnwindSafe(|| tuned("killed", &mut bench, &plan(searcher)));
            let found = std::panic::catch_unwind(work);
            samples += bench.samples;
            if let Ok(found) = found {
                assert_eq!(found.unwrap(), expected);
            }
        }
        assert_eq!(samples, whole.samples, "{}: a sample was lost or taken twice", searcher.name());
        std::fs::remove_file(path("killed")).unwrap();
    }
}

#[test]
fn a_changed_variant_is_measured_again_and_no_other() {
    let mut bench = Fake::new(times(TIMES));
    tuned("changed", &mut bench, &plan(&Exhaustive)).unwrap();
    // As if the third variant had been another program then.
    let text = std::fs::read_to_string(path("changed")).unwrap();
    let kernel = kernel();
    let variants: Vec<&Variant> = kernel.variants().collect();
    let candidates = Candidates::new(&variants, Target::Cpu);
    let mut last = String::new();
    let lines = text.lines().map(|text| {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        if value["program"] == candidates.programs[2] {
            value["program"] = "another".into();
        }
        value.as_object_mut().unwrap().remove("mark");
        crate::record::line(&value, &mut last)
    });
    std::fs::write(path("changed"), lines.collect::<String>()).unwrap();
    let mut bench = Fake::new(times(TIMES));
    tuned("changed", &mut bench, &plan(&Exhaustive)).unwrap();
    assert_eq!((bench.verified.clone(), bench.samples), (vec![2], 3));
    std::fs::remove_file(path("changed")).unwrap();
}

#[test]
fn on_the_cpu_variants_are_built_verified_and_timed() {
    use crate::arguments::Problem;
    use crate::bench::OnDevice;
    let kernel = kernel();
    let variants: Vec<&Variant> = kernel.variants().collect();
    let candidates = Candidates::new(&variants, Target::Cpu);
    assert_eq!(candidates.pruned().iter().filter(|p| p.is_some()).count(), 4, "threads make no difference");
    let problem = Problem { len: 1 << 14, set: BTreeMap::new(), below: 1 << 16 };
    let folder = std::env::temp_dir().join(format!("obsidian-tune-{}", std::process::id()));
    let device = obsidian_runtime::Device::cpu();
    let mut bench = OnDevice::new(&device, "sums", &variants, (&problem, &folder)).unwrap();
    let mut record = Record::open(&path("cpu"), &header(&candidates)).unwrap();
    let found = tune(&candidates, &mut bench, &mut record, &plan(&Exhaustive), &mut |_| {}).unwrap();
    assert!(found.chosen.starts_with("threads = 32"), "{found:?}");
    assert_eq!(found.pruned["threads = 64, SEQ = 8"], "the same code as `threads = 32, SEQ = 8`");
    let measured = record.contents().samples(|phase| matches!(phase, Phase::Search(_)));
    assert_eq!(measured.len(), 4);
    std::fs::remove_file(path("cpu")).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_differs_from_the_interpreter_is_never_timed() {
    use crate::arguments::Problem;
    use crate::bench::OnDevice;
    let kernel = kernel();
    let mut wrong: Vec<Variant> = kernel.variants().cloned().collect();
    // The second variant's code is that of another program.
    let text = "#[kernel(threads = [32, 64], SEQ = [1, 2, 4, 8])]
        pub fn sums<const SEQ: u32>(a: DPull<u32>) -> DPush<Grid, u32> {
            a.split_up(256).as_grid_map(|c| exec_block(reduce(c.map(|x| x + SEQ), |a, b| a + b)))
        }";
    let other = compile(&[File { path: "g.rs".into(), text: text.into() }], WHOLE).kernels.remove(0);
    wrong[1].native = other.variants().next().unwrap().native.clone();
    let variants: Vec<&Variant> = wrong.iter().collect();
    let problem = Problem { len: 1 << 12, set: BTreeMap::new(), below: 1 << 16 };
    let folder = std::env::temp_dir().join(format!("obsidian-tune-wrong-{}", std::process::id()));
    let device = obsidian_runtime::Device::cpu();
    let mut bench = OnDevice::new(&device, "sums", &variants, (&problem, &folder)).unwrap();
    assert_eq!(bench.verify(0), Ok(()));
    // What it means is still what the first variant gives.
    bench.plant(1, &wrong[0]);
    assert!(matches!(bench.verify(1), Err(Invalid::Verify(what)) if what.contains("element 0 of result 0")));
    std::fs::remove_dir_all(folder).unwrap();
}
