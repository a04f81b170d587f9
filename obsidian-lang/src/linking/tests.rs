//! Names across modules, on token level.

use super::*;

fn carried(id: &str, uses: &[&str], items: &str) -> Carried {
    let name = Ident::new(id, proc_macro2::Span::call_site());
    Carried { id: id.into(), name, uses: uses.iter().map(ToString::to_string).collect(), items: items.parse().unwrap() }
}

fn linked(text: &str, closures: &[Vec<Carried>]) -> std::result::Result<Linked, String> {
    let joined = |e: Vec<Diagnostic>| e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let text = read(text.parse().unwrap(), &mut SpanTable::default()).map_err(joined)?;
    link(&text, closures).map_err(joined)
}

fn titles(linked: &Linked) -> Vec<&str> {
    linked.fns.iter().map(|f| f.title.as_str()).collect()
}

fn nets() -> Carried {
    carried("nets", &[], "pub fn f() -> u32 { g() } fn g() -> u32 { 1 } pub fn h() -> u32 { 2 }")
}

#[test]
fn only_what_is_used_is_parsed_and_private_helpers_come_along() {
    let l = linked("use nets::*; fn k() -> u32 { f() }", &[vec![nets()]]).unwrap();
    assert_eq!(titles(&l), ["nets::f", "nets::g"]);
    assert_eq!(l.scopes[0].get("h"), Some(&Meaning::Unused));
    assert_eq!(l.scopes[0].get("g"), None, "private");
    assert_eq!(l.scopes[1].get("g"), Some(&Meaning::Fn(1)));
}

#[test]
fn a_rename_is_followed() {
    let l = linked("use a::nets::h as c; fn k() -> u32 { c() }", &[vec![nets()]]).unwrap();
    assert_eq!(titles(&l), ["nets::h"]);
    assert_eq!(l.origins.get("c"), Some(&(0, "h".to_string())));
}

#[test]
fn a_diamond_is_one_library() {
    let base = carried("base", &[], "pub fn one() -> u32 { 1 }");
    let left = carried("left", &["base"], "pub use base::*; pub fn l() -> u32 { one() }");
    let right = carried("right", &["base"], "pub use base::one; pub fn r() -> u32 { one() }");
    let closures = [vec![base.clone(), left], vec![base, right]];
    let l = linked("use left::*; use right::*; fn k() -> u32 { l() + r() + one() }", &closures).unwrap();
    assert_eq!(titles(&l), ["base::one", "left::l", "right::r"]);
}

#[test]
fn two_libraries_of_one_function_name_are_ambiguous_unless_the_author_says() {
    let other = carried("other", &[], "pub fn f() -> u32 { 3 }");
    let both = [vec![nets()], vec![other]];
    let meaning = |text: &str| linked(text, &both).unwrap().scopes[0].get("f").cloned();
    let ambiguous = Meaning::Ambiguous(vec!["nets".into(), "other".into()]);
    assert_eq!(meaning("use nets::*; use other::*; fn k() -> u32 { 1 }"), Some(ambiguous));
    assert_eq!(meaning("use nets::*; use other::*; fn f() -> u32 { 1 }"), None, "the author's own hides both");
    let l = linked("use nets::*; use other::{*, f}; fn k() -> u32 { f() }", &both).unwrap();
    assert_eq!(titles(&l), ["other::f"]);
}

#[test]
fn mistakes_are_named() {
    let one = [vec![nets()]];
    let error = |text: &str| linked(text, &one).unwrap_err();
    assert!(error("use nets::hh;").contains("did you mean `h`"));
    assert!(error("use nets::g;").contains("[OB072]"));
    assert!(error("use nets::f; fn f() {}").contains("[OB007]"));
    assert!(linked("use nets::f;", &[]).unwrap_err().contains("[OB075]"));
}

#[test]
fn what_is_carried_arrives() {
    let sent = [nets(), carried("x", &["nets"], "use a::nets::*; /// Doc.\n pub fn x() -> u32 { f() }")];
    let tokens: Vec<TokenTree> = encode(&sent).into_iter().collect();
    let [TokenTree::Group(group)] = tokens.as_slice() else { panic!("{tokens:?}") };
    let got = decode(group).unwrap();
    assert_eq!(got[1].uses, ["nets"]);
    assert_eq!(got[1].items.to_string(), sent[1].items.to_string());
    assert_eq!((got[0].id.as_str(), got.len()), ("nets", 2));
}
