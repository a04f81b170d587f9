//! Wisdom chooses what it should, and nothing where anything about it is not so here.

use super::*;
use crate::fixtures::SUM_CHUNKS;

const KERNEL: Kernel = Kernel::new(&SUM_CHUNKS);

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("obsidian-wisdom-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).expect("a file");
    }

    fn known(&self) -> Known {
        Wisdom::read(&self.0).of(&KERNEL, &Device::cpu())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn found(len: u64, chosen: &str) -> Found {
    Found { len, chosen: chosen.into(), ..Found::here(&KERNEL, &Device::cpu()) }
}

#[test]
fn the_nearest_length_chooses_and_the_rule_is_told() {
    let folder = Folder::new("nearest");
    folder.put("a.wisdom", found(1000, "threads = 4").text());
    folder.put("b.wisdom", found(100_000, "threads = 2").text());
    folder.put("readme.txt", "not wisdom");
    let known = folder.known();
    let chosen = |len: u64| {
        let chosen = known.choose(len);
        (chosen.variant().threads(), chosen.rule())
    };
    assert_eq!(chosen(1000), (4, Rule::SameLength));
    assert_eq!(chosen(100_000), (2, Rule::SameLength));
    assert_eq!(chosen(0), (4, Rule::NearestLength(1000)));
    // Halfway between 10^3 and 10^5 by their ratio is 10^4.
    assert_eq!(chosen(10_000), (4, Rule::NearestLength(1000)));
    assert_eq!(chosen(10_001), (2, Rule::NearestLength(100_000)));
    assert_eq!(chosen(u64::MAX), (2, Rule::NearestLength(100_000)));
    assert_eq!(known.choose(1000).to_string(), "threads = 4 (the best on this device for this length)");
    assert!(known.refused().is_empty());
}

#[test]
fn without_wisdom_what_is_shipped_is_chosen_then_the_first() {
    let known = Wisdom::read("nowhere at all").of(&KERNEL, &Device::cpu());
    let last = KERNEL.variants().last().expect("a variant");
    let (first, shipped) = (known.choose(7), known.choose_or(7, last));
    assert_eq!((first.variant().threads(), first.rule()), (2, Rule::First));
    assert_eq!((shipped.variant().threads(), shipped.rule()), (4, Rule::Shipped));
}

/// A change of one thing that a file says of itself.
type Change = (&'static str, fn(&mut Found));

#[test]
fn each_mismatch_is_refused_with_what_differs() {
    let changes: [Change; 7] = [
        ("schema", |f| f.schema = "obsidian-wisdom-0".into()),
        ("generator", |f| f.generator = "another".into()),
        ("text", |f| f.text = "another".into()),
        ("variants", |f| f.variants = "another".into()),
        ("backend", |f| f.backend = "cuda".into()),
        ("device", |f| f.device = "another".into()),
        ("driver", |f| f.driver = "another".into()),
    ];
    for (name, change) in changes {
        let folder = Folder::new(name);
        let mut wrong = found(1000, "threads = 4");
        change(&mut wrong);
        folder.put("a.wisdom", wrong.text());
        let known = folder.known();
        assert_eq!(known.choose(1000).rule(), Rule::First, "{name}");
        let [Refused { why: Reason::Mismatch { what, .. }, .. }] = known.refused() else {
            panic!("{name}: {:?}", known.refused())
        };
        assert_eq!(*what, name);
        assert!(known.refused()[0].to_string().contains("a.wisdom: this wisdom is not about this: its "), "{name}");
    }
    // Of another kernel it is not about this one; of no variant it chooses none.
    let folder = Folder::new("kernel");
    folder.put("a.wisdom", Found { kernel: "another".into(), ..found(1, "threads = 4") }.text());
    folder.put("b.wisdom", found(1, "threads = 8").text());
    let known = folder.known();
    assert_eq!(known.choose(1).rule(), Rule::First);
    let whys: Vec<&Reason> = known.refused().iter().map(|refused| &refused.why).collect();
    assert_eq!(whys, [&Reason::NoVariant("threads = 8".into())]);
}

#[test]
fn a_thousand_damaged_files_are_refused() {
    let (whole, folder) = (found(1000, "threads = 4").text().into_bytes(), Folder::new("damaged"));
    let mut state = 18u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut count = 0;
    while count < 1000 {
        let mut bytes = whole.clone();
        let at = below(bytes.len());
        match below(5) {
            0 => bytes[at] ^= 1 << below(8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, below(256) as u8),
            3 => bytes.truncate(at),
            _ => bytes.swap(at, below(whole.len())),
        }
        if bytes == whole {
            continue;
        }
        count += 1;
        folder.put("a.wisdom", &bytes);
        let wisdom = Wisdom::read(&folder.0);
        let [Refused { why: Reason::Damaged(_), .. }] = wisdom.refused() else {
            panic!("{}", String::from_utf8_lossy(&bytes))
        };
        assert_eq!(wisdom.of(&KERNEL, &Device::cpu()).choose(1000).rule(), Rule::First);
    }
}

#[test]
fn what_was_written_is_read() {
    let mut whole = found(1 << 40, "threads = 4");
    whole.driver = "two\nlines".into();
    let read = Found::parse(whole.text().as_bytes());
    assert_eq!(read, Ok(Found { driver: "two lines".into(), ..whole }));
}
