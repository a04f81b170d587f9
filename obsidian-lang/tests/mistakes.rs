//! A newcomer's mistakes, each with marks for its message: one if it stands at the token that is wrong, under the expected code; one
//! if it names what `mistakes.md` says it must name; one if it says what to write instead, and that compiles. Each has to have two.

use std::fs;
use std::path::Path;

use obsidian_ir::diag::Diagnostic;
use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;

/// The marks that a message must have.
const NEEDED: usize = 2;

/// A section of `mistakes.md`.
#[derive(Debug, Default)]
struct Mistake {
    title: String,
    code: String,
    /// The token that is wrong.
    at: String,
    /// What the message must name.
    names: Vec<String>,
    /// What its help must contain.
    help: String,
    wrong: String,
    /// The same kernel put right by the advice.
    right: String,
}

fn mistakes() -> Vec<Mistake> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split("\n## ").skip(1).map(mistake).collect()
}

fn mistake(section: &str) -> Mistake {
    let mut blocks =
        section.split("```rust\n").skip(1).map(|block| block.split("```").next().unwrap_or_default().to_string());
    let value = |key: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("no `{key}` in:\n{section}")).to_string()
    };
    Mistake {
        title: section.lines().next().unwrap_or_default().to_string(),
        code: value("code"),
        at: value("at"),
        names: value("names").split(" ; ").map(String::from).collect(),
        help: value("help"),
        wrong: blocks.next().unwrap_or_default(),
        right: blocks.next().unwrap_or_default(),
    }
}

fn errors(text: &str, spans: &mut SpanTable) -> Vec<Diagnostic> {
    let tokens = text.parse().unwrap_or_else(|e| panic!("{e}:\n{text}"));
    compile_all(tokens, spans).err().unwrap_or_default()
}

/// The marks of a mistake's message; what is missing.
fn marks(mistake: &Mistake) -> (usize, String) {
    let mut spans = SpanTable::default();
    let errors = errors(&mistake.wrong, &mut spans);
    let right = self::errors(&mistake.right, &mut SpanTable::default());
    let at = |e: &Diagnostic| spans.get(e.span).source_text().unwrap_or_default();
    let Some(e) = errors.iter().find(|e| e.code == mistake.code).or(errors.first()) else {
        return (0, "it compiles".to_string());
    };
    let said = format!("{} {}", e.message, e.notes.join(" "));
    let placed = e.code == mistake.code && at(e) == mistake.at;
    let named = mistake.names.iter().all(|name| said.contains(name));
    let helped = right.is_empty() && e.help.as_ref().is_some_and(|help| help.contains(&mistake.help));
    let count = [placed, named, helped].into_iter().filter(|mark| *mark).count();
    let missing = format!(
        "placed {placed}, named {named}, helped {helped}: at `{}`: {e}\nright: {}",
        at(e),
        right.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    );
    (count, missing)
}

#[test]
fn each_message_has_two_marks_of_three() {
    let all = mistakes();
    assert!(all.len() >= 40, "{} mistakes", all.len());
    let poor = all.iter().map(|m| (m, marks(m))).filter(|(_, (count, _))| *count < NEEDED);
    let poor: Vec<String> = poor.map(|(m, (count, missing))| format!("{} ({count}): {missing}", m.title)).collect();
    assert!(poor.is_empty(), "{} of {} are poor:\n\n{}", poor.len(), all.len(), poor.join("\n\n"));
}

/// Advice that does not compile is worse than none.
#[test]
fn what_is_right_compiles() {
    for mistake in mistakes() {
        let errors = errors(&mistake.right, &mut SpanTable::default());
        assert!(errors.is_empty(), "{}: {}\n{}", mistake.title, mistake.right, errors[0]);
    }
}
