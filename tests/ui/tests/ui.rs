//! A kernel author's mistakes, each with its message to the letter. After a change of a message:
//! `TRYBUILD=overwrite cargo test -p obsidian-messages`, then read the diff.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("*.rs");
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
