//! A kernel author's mistakes, each with its message to the letter. After a change of a message:
//! `TRYBUILD=overwrite cargo test --test ui`, then read the diff.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
