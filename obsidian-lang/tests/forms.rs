//! Every program of `programs`, in every form that the compiler brings it into: its text reads back as the same program.

use obsidian_ir::program::Program;
use obsidian_ir::program::text::round_trip;
use obsidian_lang::driver::{Variant, unproved};
use obsidian_lang::syntax::SpanTable;
use obsidian_sources as sources;

/// The forms of a variant.
fn forms(v: &Variant) -> impl Iterator<Item = &Program> {
    [&v.native, &v.machine].into_iter().chain(&v.group).chain(&v.sub_groups)
}

#[test]
fn every_form_of_every_program_reads_back() {
    let evaluated = sources::kernels(|_| true)
        .into_iter()
        .flat_map(|tokens| unproved(tokens, &mut SpanTable::default()).expect("compiles, as it did in its crate"));
    let compiled = sources::compiled(|_| true);
    let (mut count, mut wrong) = (0, Vec::new());
    let mut check = |p: &Program| {
        count += 1;
        wrong.extend(round_trip(p).err());
    };
    evaluated.for_each(|p| check(&p));
    compiled.iter().flat_map(|entry| &entry.variants).flat_map(forms).for_each(check);
    println!("{count} programs");
    assert!(wrong.is_empty(), "{} programs, the first:\n{}", wrong.len(), wrong[0]);
    assert!(count > 2000, "{count} programs");
}
