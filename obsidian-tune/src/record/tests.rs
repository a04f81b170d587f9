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
        roof: Some(Roof { bytes: 4096, seconds: 2.5e-6 }),
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

/// A file that is damaged somewhere: a bit, a byte, the end, two bytes that change places, a line that is lost or comes twice.
fn damaged(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let (at, other) = (random.below(bytes.len()), random.below(bytes.len()));
    let mut lines: Vec<&[u8]> = whole.split_inclusive(|&b| b == b'\n').collect();
    let line = random.below(lines.len());
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, random.bits() as u8),
        3 => bytes.insert(at, b' '),
        4 => bytes.truncate(at),
        5 => bytes.swap(at, other),
        6 => {
            lines.remove(line);
            bytes = lines.concat();
        }
        _ => {
            lines.insert(line, lines[line]);
            bytes = lines.concat();
        }
    }
    bytes
}

#[test]
fn each_of_a_thousand_damaged_files_is_refused_with_its_reason() {
    let file = Temporary::new("damage");
    let contents = written(&file.0);
    let whole = std::fs::read(&file.0).unwrap();
    assert_eq!(Contents::read(&file.0).and_then(|read| read.finished(&file.0)), Ok(contents.clone()));
    let mut random = Random::new(18);
    let mut reasons = BTreeMap::new();
    while reasons.values().sum::<u32>() < 1000 {
        let bytes = damaged(&whole, &mut random);
        if bytes == whole {
            continue;
        }
        std::fs::write(&file.0, &bytes).unwrap();
        let refusal = match Contents::read(&file.0).and_then(|read| read.finished(&file.0)) {
            Err(refusal) => refusal,
            Ok(read) => panic!("{read:?} of\n{}", String::from_utf8_lossy(&bytes)),
        };
        let said = refusal.to_string();
        assert!(said.contains("obsidian-record"), "{said}");
        let kind = match &refusal {
            Refusal::Damaged { .. } => "damaged",
            Refusal::Unfinished(_) => "unfinished",
            Refusal::File(..) => "no text",
            Refusal::Mismatch { .. } => panic!("{said}"),
        };
        *reasons.entry(kind).or_default() += 1;
        // What a tuning goes on with was measured.
        if let Ok(record) = Record::open(&file.0, &header()) {
            assert!(contents.measurements.starts_with(&record.contents().measurements), "{said}");
        }
    }
    assert_eq!(reasons.len(), 3, "{reasons:?}");
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
    std::fs::write(&file.0, record.contents.text().0).unwrap();
    assert_eq!(Contents::read(&file.0).unwrap(), record.contents);
}
