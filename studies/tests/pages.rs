//! The pages of the studies are what the command prints, and the spaces are as large as they should be.

use std::path::Path;

use obsidian_studies::{KEPT, Point, STUDIES, Study, large_scan, page, rows};

#[test]
fn pages_are_up_to_date() {
    for study in &STUDIES {
        let kernels = study.compiled().unwrap_or_else(|e| panic!("{}: {e}", study.name));
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(KEPT);
        let combined = match study.point {
            Point::Variant => 0,
            Point::LargeScan => large_scan::combinations(&kernels).len(),
        };
        let page = page(study, &kernels, combined).unwrap();
        for (file, text) in page.files() {
            let found = std::fs::read_to_string(kept.join(&file)).unwrap_or_default();
            assert_eq!(found, text, "{file}: run `cargo xtask study {} --bless`", study.name);
        }
    }
}

#[test]
fn the_space_of_the_reductions_has_318_points() {
    let kernels = Study::named("jfp-reduce").unwrap().compiled().unwrap();
    let rows = rows(&kernels, &["RED"]);
    let points: Vec<usize> = rows.iter().map(|row| row.points).collect();
    assert_eq!(points, [42, 42, 42, 48, 48, 48, 48]);
    // On the CPU the numbers of threads make no difference.
    assert_eq!(rows.iter().map(|row| row.programs).collect::<Vec<_>>(), [7, 7, 7, 8, 8, 8, 8]);
    // What the paper tells of them: `red4` reads with a stride, `red5` to `red7` do not, the fewest barriers last.
    let moved = |row: usize| rows[row].moved.unwrap();
    assert!(moved(3).0 > moved(4).1 && moved(6).1 < 1.2, "{rows:#?}");
    assert!(rows[6].barriers.1 < rows[0].barriers.1);
}

#[test]
fn the_other_spaces_of_the_paper_are_as_large_as_it_says() {
    let count = |name: &str| -> Vec<usize> {
        let kernels = Study::named(name).unwrap().compiled().unwrap();
        kernels.iter().map(|kernel| kernel.variants().count()).collect()
    };
    assert_eq!(count("jfp-scan"), [150]);
    assert_eq!(count("jfp-large"), [126, 42]);
    let large = Study::named("jfp-large-scan").unwrap().compiled().unwrap();
    let all = large_scan::combinations(&large);
    assert_eq!(all.len(), 1890);
    // Of seven reductions, five scans, three scans, six numbers of threads and three of elements each is there once.
    assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), 1890);
}

#[test]
fn the_points_of_a_small_study_are_verified() {
    let study = Study::named("fcl").unwrap();
    let folder = std::env::temp_dir().join(format!("obsidian-studies-{}", std::process::id()));
    let kernels = study.compiled().unwrap();
    let kernel = kernels.iter().find(|kernel| kernel.name == "reversed").unwrap();
    assert_eq!(study.verified(kernel, 1, &folder), Ok(kernel.variants().count()));
    std::fs::remove_dir_all(folder).unwrap();
}
