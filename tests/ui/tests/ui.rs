//! A kernel author's mistakes, each with its message to the letter. After a change of a message:
//! `TRYBUILD=overwrite cargo test -p obsidian-messages`, then read the diff.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("*.rs");
}

/// The most lines of a message: what a reader sees at once.
const MAX_LINES: usize = 30;

/// Those of rustc about what the macros make count as well. The pages of `obsidian-build/tests/refused` are counted by their own test.
#[test]
fn no_message_is_long() {
    let mut long = Vec::new();
    for file in std::fs::read_dir(".").unwrap().map(|f| f.unwrap().path()) {
        if file.extension().is_some_and(|e| e == "stderr") {
            let text = std::fs::read_to_string(&file).unwrap();
            let lines = text.split("\n\n").map(|message| message.trim().lines().count()).max().unwrap_or(0);
            long.extend((lines > MAX_LINES).then(|| format!("{}: {lines} lines", file.display())));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// A message that only says what is wrong leaves its reader alone.
#[test]
fn every_message_helps() {
    let files = std::fs::read_dir(".").unwrap().map(|f| f.unwrap().path());
    let silent: Vec<_> = files
        .filter(|f| f.extension().is_some_and(|e| e == "stderr"))
        .filter(|f| {
            let text = std::fs::read_to_string(f).unwrap();
            text.contains("error: [OB") && !text.contains("= help:")
        })
        .collect();
    assert!(silent.is_empty(), "no help: {silent:?}");
}
