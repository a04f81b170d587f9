//! Every function of the library at lengths that are no multiples of anything: a row for each in `obsidian_fuzz::table`, run by the reference
//! interpreter in three orders and as PTX by its own on several numbers of blocks. The names come from the library itself, so
//! that a function without a row, and without a word of who tests it, fails.

mod elsewhere;

use std::collections::BTreeSet;

use obsidian_fuzz::table::{Form, LENGTHS, Row, case, functions, kernel, rows, set};

use elsewhere::ELSEWHERE;

/// Set to `all`, the interpreters run what takes them minutes, too.
const LONG: &str = "OBSIDIAN_LENGTHS";

/// The longest array of a row that the interpreters are given.
fn most(form: Form) -> usize {
    let all = std::env::var_os(LONG).is_some_and(|value| value == "all");
    let quick = match form {
        Form::Device | Form::OfDevice => 1003,
        _ => 65_537,
    };
    form.most().min(if all { usize::MAX } else { quick })
}

/// What is wrong with a row, if anything.
fn wrong(row: &Row) -> Option<String> {
    let (names, form, ..) = row;
    let mut case = match case(row) {
        Ok(case) => case,
        Err(verdict) => return Some(format!("{names}, {form:?}: {verdict:?}")),
    };
    LENGTHS.into_iter().filter(|&n| n <= most(*form)).find_map(|n| {
        set(&mut case, row, n);
        case.interpreted().err().map(|wrong| format!("{names}, {form:?}, {n} elements: {wrong}"))
    })
}

#[test]
fn every_row_means_at_every_length_what_it_says() {
    let wrong: Vec<String> = rows().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows().count(), wrong.join("\n"));
}

#[test]
fn every_function_of_the_library_has_a_row() {
    let library = functions();
    assert!(library.len() > 300, "{}", library.len());
    let rows: BTreeSet<&str> = rows().flat_map(|row| row.0.split_whitespace()).collect();
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().flat_map(|(names, _)| names.split_whitespace()).collect();
    let missing: Vec<_> = library.iter().filter(|name| !rows.contains(*name) && !elsewhere.contains(*name)).collect();
    assert!(missing.is_empty(), "no row of `rows`, nor of `elsewhere.rs`: {missing:?}");
    let strangers: Vec<_> = rows.union(&elsewhere).filter(|name| !library.contains(*name)).collect();
    assert!(strangers.is_empty(), "no functions of the library: {strangers:?}");
    let twice: Vec<_> = rows.intersection(&elsewhere).collect();
    assert!(twice.is_empty(), "in both: {twice:?}");
}

/// A row's kernel has what the row is of.
#[test]
fn a_row_mentions_the_functions_it_is_of() {
    for (names, form, text, _) in rows() {
        let around = kernel(*form, "");
        let mut words = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .chain(around.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        let first = names.split_whitespace().next().unwrap_or_default();
        assert!(words.any(|word| word == first), "`{first}` is not in `{text}`");
    }
}
