//! Passes and printers on small kernels, from their text.

mod passes {
    pub mod borders;
    pub mod bounds;
    pub mod budget;
    pub mod double_buffers;
    pub mod halves;
    pub mod lanes;
    pub mod loops;
    pub mod opencl;
    pub mod promise;
    pub mod radix;
    pub mod record;
    pub mod redux;
    pub mod require;
    pub mod rows;
    pub mod turns;
    pub mod vectorise;
    pub mod verify;

    use obsidian_ir::diag::Diagnostic;
    use obsidian_ir::program::Program;
    use obsidian_lang::driver::{Output, Stage, Variant, View, compile, stop_after};
    use obsidian_lang::syntax::SpanTable;

    /// The first entry's variants.
    fn compiled(text: &str) -> Vec<Variant> {
        let entries = compile(text.parse().expect("tokens"), &mut SpanTable::default());
        entries.unwrap_or_else(|e| panic!("{e:?}")).swap_remove(0).variants
    }

    fn stopped(stage: Stage, text: &str) -> Output {
        let output = stop_after(stage, text.parse().expect("tokens"), &mut SpanTable::default());
        output.unwrap_or_else(|e| panic!("{e:?}"))
    }

    /// The default variant of each entry as a text.
    fn shown(view: View, text: &str) -> String {
        stopped(view.stage(), text).text(view).expect("it was reached")
    }

    /// Each entry as it was evaluated, before any pass.
    fn staged(text: &str) -> Vec<Program> {
        stopped(Stage::Evaluated, text).into_programs()
    }

    /// What the author of a kernel is told; nothing of one that compiles.
    fn mistakes(text: &str) -> Vec<Diagnostic> {
        compile(text.parse().expect("tokens"), &mut SpanTable::default()).err().unwrap_or_default()
    }

    /// The code of the author's first mistake; `guarded` where there is none, but a guard, and nothing where there is neither.
    fn code_or_guard(text: &str) -> &'static str {
        let guarded = || compiled(text)[0].native.params.iter().any(|p| p.name == "fault");
        match mistakes(text).first() {
            Some(e) => e.code,
            None if guarded() => "guarded",
            None => "",
        }
    }
}
