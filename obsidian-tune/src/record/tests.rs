//! Records are written, read back, cut off, damaged, and asked about something else.

use super::*;
use crate::random::Random;

fn header() -> Header {
    let text = |text: &str| text.to_string();
    Header {
        schema: text(SCHEMA),
        generator: text(GENERATOR),
        kernel: text("sums"),
        text: text("00ff"),
        variants: text("ff00"),
        backend: text("cpu"),
        device: text("a processor, 2 threads"),
        driver: text("rustc 1.95.0"),
        problem: text("len = 1024"),
    }
}

fn measurement(variant: u32, phase: Phase, found: Result<f64, (String, String)>) -> Measurement {
    Measurement { variant: format!("threads = {variant}"), program: mark(&variant.to_string()), phase, found }
}

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("obsidian-record-{}-{name}.jsonl", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn written(path: &Path) -> Contents {
    let mut record = Record::open(path, &header()).unwrap();
    record.add(measurement(64, Phase::Search(0), Ok(1.25e-3))).unwrap();
    record.add(measurement(96, Phase::Search(0), Err(("build".into(), "it \"says\"\nno".into())))).unwrap();
    record.add(measurement(64, Phase::Round(3), Ok(1.0 / 3.0))).unwrap();
    let conclusion = Conclusion {
        chosen: "threads = 64".into(),
        verdict: "win".into(),
        tied: vec!["threads = 64".into()],
        rival: Some(("threads = 32".into(), Some((1.01, 1.75)))),
        pruned: [("threads = 128".to_string(), "the same code".to_string())].into(),
        searcher: "exhaustive".into(),
    };
    record.conclude(conclusion).unwrap();
    record.contents().clone()
}

#[test]
fn what_was_written_is_read() {
    let file = Temporary::new("read");
    let contents = written(&file.0);
    assert_eq!(Contents::read(&file.0).unwrap(), contents);
    // Going on with it changes nothing and keeps all.
    let before = std::fs::read_to_string(&file.0).unwrap();
    assert_eq!(Record::open(&file.0, &header()).unwrap().contents(), &contents);
    assert_eq!(std::fs::read_to_string(&file.0).unwrap(), before);
}

#[test]
fn a_kill_loses_the_line_that_was_being_written_and_no_other() {
    let file = Temporary::new("kill");
    let contents = written(&file.0);
    let whole = std::fs::read(&file.0).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&file.0, &whole[..cut]).unwrap();
        let lines = whole[..cut].iter().filter(|&&b| b == b'\n').count();
        let mut record = Record::open(&file.0, &header()).unwrap_or_else(|e| panic!("{cut}: {e}"));
        assert_eq!(record.contents().measurements.len(), lines.saturating_sub(1).min(3), "{cut}");
        record.add(measurement(32, Phase::Search(1), Ok(1.0))).unwrap();
        let again = Contents::read(&file.0).unwrap_or_else(|e| panic!("{cut}: {e}"));
        assert_eq!(again.measurements.last(), Some(&measurement(32, Phase::Search(1), Ok(1.0))));
        assert!(contents.measurements.starts_with(&again.measurements[..again.measurements.len() - 1]));
    }
}

#[test]
fn each_mismatch_is_refused_with_what_differs() {
    let file = Temporary::new("mismatch");
    written(&file.0);
    let found = Contents::read(&file.0).unwrap().header;
    for (name, _) in FIELDS {
        let mut expected = header();
        let field = match name {
            "schema" => &mut expected.schema,
            "generator" => &mut expected.generator,
            "kernel" => &mut expected.kernel,
            "text" => &mut expected.text,
            "variants" => &mut expected.variants,
            "backend" => &mut expected.backend,
            "device" => &mut expected.device,
            "driver" => &mut expected.driver,
            _ => &mut expected.problem,
        };
        *field = "another".into();
        let refusal = found.expect(&expected, &file.0).unwrap_err();
        assert!(matches!(&refusal, Refusal::Mismatch { what, .. } if *what == name), "{name}: {refusal}");
        assert!(refusal.to_string().contains("`another`"), "{refusal}");
        // Variants may have changed where a tuning goes on, since each measurement has its program's mark.
        let goes_on = Record::open(&file.0, &expected).is_ok();
        assert_eq!(goes_on, ["text", "variants"].contains(&name), "{name}");
        if goes_on {
            let again = Contents::read(&file.0).unwrap();
            assert_eq!(
                (again.measurements.len(), again.conclusion),
                (3, None),
                "the conclusion was about other variants"
            );
            std::fs::remove_file(&file.0).unwrap();
            written(&file.0);
        }
    }
    assert_eq!(found.expect(&header(), &file.0), Ok(()));
}

#[test]
fn a_thousand_damaged_files_are_refused_or_were_cut_at_a_line() {
    let file = Temporary::new("damage");
    let contents = written(&file.0);
    let whole = std::fs::read(&file.0).unwrap();
    let mut random = Random::new(18);
    let mut refused = 0;
    for _ in 0..1000 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.bits() as u8),
            _ => {
                let other = random.below(bytes.len());
                bytes.swap(at, other);
            }
        }
        if bytes == whole {
            continue;
        }
        std::fs::write(&file.0, &bytes).unwrap();
        match Contents::read(&file.0) {
            Err(refusal) => {
                refused += 1;
                assert!(refusal.to_string().contains("obsidian-record"), "{refusal}");
            }
            // The last line's end was lost, or stands where it makes no difference: nothing false is read.
            Ok(read) => {
                assert_eq!(read.header, contents.header);
                assert!(contents.measurements.starts_with(&read.measurements));
                assert!(read.conclusion.is_none() || read.conclusion == contents.conclusion);
            }
        }
    }
    assert!(refused > 900, "{refused}");
}

#[test]
fn every_time_is_read_as_it_was_written() {
    let file = Temporary::new("exact");
    let mut record = Record::open(&file.0, &header()).unwrap();
    let mut random = Random::new(3);
    for i in 0..2000 {
        let seconds = f64::from_bits(random.bits() >> 12 | 0x3f0 << 52) * 1e-3;
        record.contents.measurements.push(measurement(i, Phase::Search(0), Ok(seconds)));
    }
    std::fs::write(&file.0, record.contents.text()).unwrap();
    assert_eq!(Contents::read(&file.0).unwrap(), record.contents);
}
