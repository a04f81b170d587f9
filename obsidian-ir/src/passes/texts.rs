//! Passes by text: a file of `texts` holds a program, passes that it goes through, and what they make of it. Both are read and
//! checked against the rules of their forms, and the interpreter gives the same for both where it takes them.
//!
//! `OBSIDIAN_BLESS=1 cargo test -p obsidian-ir texts` writes the files anew with what the passes make now. A program to begin
//! with is printed by `cargo run -p obsidian-lang --example passes FILE PASS`.
//!
//! ```text
//! // What is shown.
//! pass: machine unroll schedule    (what the passes lead to, then one or more of them)
//! length: 64                       (of every input; 64 if it does not say)
//! fault: index 64 is out of ..      (what the interpreter says of it, if it does not run to its end)
//! kernel ..
//! ==>
//! kernel ..
//! ```

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use obsidian_abi::arith;

use super::*;
use crate::interp::{self, Arg, Args, Buffer, Outputs};
use crate::program::text::read;
use crate::program::{Const, Param, ScalarType, print};
use crate::validate;

/// What stands between a program and what the passes make of it.
const BECOMES: &str = "==>\n";
/// The length of inputs where a file does not say it.
const LENGTH: u32 = 64;

/// A pass, with the form that it takes and the one that it gives.
struct Known {
    name: &'static str,
    from: Form,
    pass: fn(&mut Program) -> diag::Result<()>,
    to: Form,
}

/// What comes before a program is in structured form.
const PLACING: [Known; 12] = [
    Known { name: "copied", from: Form::STAGED, pass: |p| done(copied::run, p), to: Form::STAGED },
    Known { name: "intervals", from: Form::STAGED, pass: |p| done(intervals::narrow, p), to: Form::STAGED },
    Known { name: "names", from: Form::STAGED, pass: |p| done(names, p), to: Form::STAGED },
    Known { name: "prove", from: Form::STAGED, pass: |p| prove(p.clone()).map(|proved| *p = proved), to: Form::STAGED },
    Known { name: "written_back", from: Form::STAGED, pass: |p| done(keep, p), to: Form::STAGED },
    Known { name: "lanes", from: Form::STAGED, pass: |p| done(lanes::run, p), to: Form::IN_REGISTERS },
    Known { name: "in_memory", from: Form::STAGED, pass: |p| done(lanes::in_memory, p), to: Form::IN_REGISTERS },
    Known { name: "registers", from: Form::STAGED, pass: |p| done(registers::in_memory, p), to: Form::STAGED },
    Known { name: "stages", from: Form::IN_REGISTERS, pass: |p| done(stages::run, p), to: Form::IN_STAGES },
    Known { name: "pad", from: Form::IN_STAGES, pass: |p| done(pad::run, p), to: Form::PADDED },
    Known { name: "layout", from: Form::PADDED, pass: layout::run, to: Form::LAID_OUT },
    Known { name: "barriers", from: Form::LAID_OUT, pass: |p| done(barriers::place, p), to: Form::STRUCTURED },
];

/// What the passes of a list lead to.
const LOWERING: [(&str, &[Pass]); 6] = [
    ("native", TO_NATIVE),
    ("rust", &[("forward", crate::backend::rust::forward::run, Form::NATIVE)]),
    ("report", TO_COUNTED),
    ("machine", TO_MACHINE),
    ("group", TO_GROUP),
    ("sub-groups", TO_SUB_GROUPS),
];

fn names(program: &mut Program) {
    if let Some(named) = intervals::named(program) {
        *program = named;
    }
}

fn keep(program: &mut Program) {
    if let Some(kept) = written_back::run(program) {
        *program = kept;
    }
}

fn done(pass: impl Fn(&mut Program), program: &mut Program) -> diag::Result<()> {
    pass(program);
    Ok(())
}

/// A program through a pass on the way to a form, with the forms before and after it.
fn passed(to: &str, name: &str, program: &mut Program) -> Result<[Form; 2], String> {
    if let Some(known) = PLACING.iter().find(|known| to == "placed" && known.name == name) {
        (known.pass)(program).map_err(|e| e.to_string())?;
        return Ok([known.from, known.to]);
    }
    let (_, list) = LOWERING.iter().find(|(known, _)| *known == to).ok_or_else(|| format!("no way to `{to}`"))?;
    let at = list.iter().position(|(known, ..)| *known == name).ok_or_else(|| format!("no pass `{name}` to `{to}`"))?;
    let before = at.checked_sub(1).map_or(Form::STRUCTURED, |before| list[before].2);
    (list[at].1)(program);
    Ok([before, list[at].2])
}

/// A file of `texts`.
struct File {
    comments: String,
    to: String,
    passes: Vec<String>,
    length: u32,
    fault: Option<String>,
    before: Program,
    after: String,
}

impl File {
    fn read(text: &str) -> Result<File, String> {
        let (before, after) = text.split_once(BECOMES).unwrap_or((text, ""));
        let heads = |line: &&str| line.starts_with("kernel ");
        let head = before.split_inclusive('\n').take_while(|line| !heads(line)).map(str::len).sum::<usize>();
        let mut file = File {
            comments: String::new(),
            to: String::new(),
            passes: Vec::new(),
            length: LENGTH,
            fault: None,
            before: read(&before[head..]).map_err(|e| e.to_string())?,
            after: after.into(),
        };
        for line in before[..head].lines() {
            match line.split_once(": ") {
                _ if line.starts_with("//") => writeln!(file.comments, "{line}").map_err(|e| e.to_string())?,
                Some(("pass", names)) => {
                    let mut names = names.split_whitespace().map(str::to_owned);
                    (file.to, file.passes) = (names.next().unwrap_or_default(), names.collect());
                }
                Some(("length", n)) => file.length = n.parse().map_err(|e| format!("{e}: {line}"))?,
                Some(("fault", said)) => file.fault = Some(said.to_owned()),
                _ => return Err(format!("none of `//`, `pass:`, `length:` and `fault:`: {line}")),
            }
        }
        Ok(file)
    }

    /// As it must stand there, if the passes are right.
    fn print(&self, after: &str) -> String {
        let File { comments, to, passes, length, fault, before, .. } = self;
        let length = if *length == LENGTH { String::new() } else { format!("length: {length}\n") };
        let fault = fault.iter().map(|said| format!("fault: {said}\n")).collect::<String>();
        format!("{comments}pass: {to} {}\n{length}{fault}{}{BECOMES}{after}", passes.join(" "), print(before))
    }

    /// What the passes make of the program, after all that can be checked of both.
    fn run(&self) -> Result<String, String> {
        let mut program = self.before.clone();
        let mut meanings = Vec::new();
        for pass in &self.passes {
            let before = program.clone();
            let forms = passed(&self.to, pass, &mut program)?;
            for (program, form) in [(&before, forms[0]), (&program, forms[1])] {
                let told = |e: String| format!("`{pass}`: {e}\n{}", print(program));
                validate::check(program, &form).map_err(|e| told(e.to_string()))?;
                crate::program::text::round_trip(program).map_err(told)?;
                meanings.extend(self.meanings(program, form).map_err(told)?);
            }
        }
        match meanings.windows(2).all(|two| two[0] == two[1]) {
            true => Ok(print(&program)),
            false => Err(format!("it no longer means the same:\n{}", print(&program))),
        }
    }

    /// What it writes on one and on two real blocks, if it is in a form that can run, and does so to its end.
    fn meanings(&self, program: &Program, form: Form) -> Result<Vec<Outputs>, String> {
        if [Form::STAGED, Form::IN_REGISTERS, Form::IN_STAGES, Form::PADDED, Form::LAID_OUT].contains(&form) {
            return Ok(Vec::new());
        }
        let args = Args(program.params.iter().filter_map(|param| argument(program, param, self.length)).collect());
        let run = match self.to.as_str() {
            "group" => interp::run_untested,
            _ => interp::run_on,
        };
        let ends = [1, 2].iter().map(|&blocks| match (run(program, &args, blocks), &self.fault) {
            (Ok(outputs), None) => Ok(Some(outputs)),
            (Err(fault), Some(said)) if fault.to_string() == *said => Ok(None),
            (Err(fault), _) => Err(fault.to_string()),
            (Ok(_), Some(said)) => Err(format!("it runs to its end, without: {said}")),
        });
        Ok(ends.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }
}

/// Small numbers of a parameter's type.
fn argument(program: &Program, param: &Param, length: u32) -> Option<Arg> {
    let number = |i: u32, ty| arith::cast(Const { ty: ScalarType::U32, bits: (i * 7 % 61).into() }, ty);
    match &param.kind {
        ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
            let numbers = |ty| (0..len.unwrap_or(length)).map(|i| number(i, ty).bits).collect();
            let buffer = |ty| Buffer { ty, bits: numbers(ty) };
            Some(Arg::Buffers(arrays.iter().map(|&array| buffer(program.array(array).elem)).collect()))
        }
        ParamKind::Scalar(ty) => Some(Arg::Scalar(number(1, *ty))),
        _ => None,
    }
}

fn texts() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes/texts");
    let mut paths: Vec<_> = std::fs::read_dir(dir).expect("texts").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

/// What is wrong with a file; blessed, it is written anew instead.
fn wrong(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let file = File::read(&text)?;
    let after = file.run()?;
    let expected = file.print(&after);
    if std::env::var_os("OBSIDIAN_BLESS").is_some() {
        return std::fs::write(path, expected).map_err(|e| e.to_string());
    }
    match text == expected {
        true => Ok(()),
        false if file.after != after => Err(format!("the passes make of it\n{after}")),
        false => Err(format!("it is printed otherwise:\n{expected}")),
    }
}

#[test]
fn passes_make_what_their_texts_say() {
    let texts = texts();
    let wrong: Vec<_> =
        texts.iter().filter_map(|path| Some(format!("{}: {}", path.display(), wrong(path).err()?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let all = LOWERING.iter().flat_map(|(_, list)| list.iter().map(|(name, ..)| *name));
    let mut without: BTreeSet<&str> = all.chain(PLACING.iter().map(|known| known.name)).collect();
    for path in texts {
        let text = std::fs::read_to_string(&path).expect("a text");
        let file = File::read(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        without.retain(|name| !file.passes.iter().any(|pass| pass == name));
    }
    assert!(without.is_empty(), "no text for the passes {without:?}");
}
