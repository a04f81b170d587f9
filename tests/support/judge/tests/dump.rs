mod court;
#[path = "../../../oracle/sources.rs"]
#[allow(dead_code)]
mod sources;
#[test]
fn dump() {
    for t in sources::kernels(|_| true) { for c in court::cases(t).unwrap() { if c.name.contains(&std::env::var("K").unwrap()) { println!("{}", c.text); } } }
}
