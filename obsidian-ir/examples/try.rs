fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let mut spans = obsidian_ir::syntax::SpanTable::default();
    let t = std::time::Instant::now();
    match obsidian_ir::compiler::compile(text.parse().unwrap(), &mut spans) {
        Ok(es) => for e in es { for v in &e.variants { println!("{}", obsidian_ir::program::print(&v.native)); } },
        Err(es) => for e in es { let s = spans.get(e.span).start(); println!("error {}:{} {e}\n", s.line, s.column + 1); },
    }
    eprintln!("{:?}", t.elapsed());
}
