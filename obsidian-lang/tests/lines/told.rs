//! The lines that PTX and CUDA C tell under `line_info`, read as a compiler of the text reads them, for any program.

use std::path::PathBuf;

use obsidian_ir::backend::{cuda, ptx};
use obsidian_ir::diag::Span;
use obsidian_ir::passes::Machine;
use obsidian_ir::program::{Lined, ParamKind, Place, Places};

/// What is wrong with the lines that the texts of a program tell. Where `OBSIDIAN_LINES_OUT` names a folder, the texts go there.
pub fn check(machine: &Machine, wrong: &mut Vec<String>) {
    let places = machine.places.as_ref().expect("asked for");
    let plain = machine.changed(|p| p.places = None).expect("places are no part of the form");
    let (asm, c) = (ptx::print_lined(machine), cuda::print_lined(machine));
    let name = &machine.name;
    let without = |text: &str, told: fn(&str) -> bool| {
        text.lines().filter(|line| !told(line)).map(str::to_string).collect::<Vec<_>>()
    };
    let directive: fn(&str) -> bool = |line| line.starts_with("    .loc ") || line.starts_with(".file ");
    let lines = |text: String| text.lines().map(str::to_string).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    if without(&asm.text, directive).into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>()
        != lines(ptx::print(&plain))
    {
        wrong.push(format!("{name}.ptx: more than `.file` and `.loc` is another"));
    }
    if joined(&c.text) != joined(&cuda::print(&plain)) {
        wrong.push(format!("{name}.cu: more than `#line` is another"));
    }
    let records = machine.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
    of_ptx(&asm, places, records).into_iter().for_each(|what| wrong.push(format!("{name}.ptx: {what}")));
    of_c(&c, places, records).into_iter().for_each(|what| wrong.push(format!("{name}.cu: {what}")));
    if let Some(folder) = std::env::var_os("OBSIDIAN_LINES_OUT").map(PathBuf::from) {
        let write = |extension: &str, text: &str| std::fs::write(folder.join(format!("{name}.{extension}")), text);
        write("ptx", &asm.text).and_then(|()| write("cu", &c.text)).expect("a folder that can be written");
    }
}

/// C without its `#line`s, and without the ends of lines that these need.
fn joined(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("#line ")).collect()
}

/// The place that each load and store of a PTX text is told to have, against the token that it knows.
fn of_ptx(asm: &Lined, places: &Places, records: bool) -> Vec<String> {
    let (mut wrong, mut now) = (Vec::new(), None);
    for (line, spans) in asm.text.lines().zip(&asm.lines) {
        let text = line.trim_start();
        if let Some(numbers) = text.strip_prefix(".loc ") {
            let mut numbers = numbers.split(' ').map(|n| n.parse::<u32>().expect("a number"));
            let mut next = || numbers.next().expect("three numbers");
            now = Some(Place { file: next() - 1, line: next(), column: next() });
            continue;
        }
        let instruction = text.strip_prefix('@').and_then(|text| text.split_once(' ')).map_or(text, |(_, rest)| rest);
        let accesses = ["ld.", "st.", "atom.", "red."].iter().any(|op| instruction.starts_with(op));
        if !accesses || instruction.starts_with("ld.param") {
            continue;
        }
        match spans.first() {
            Some(span) if now == Some(places.of(*span)) => {}
            // Only the record of faults is the compiler's own.
            None if records && now == Some(places.of(Span::NONE)) => {}
            _ => wrong.push(format!("{now:?} is told of `{text}`, which is of {spans:?}")),
        }
    }
    wrong
}

/// The same of CUDA C: a compiler takes a line for the one after the line before it, if no `#line` says other.
fn of_c(c: &Lined, places: &Places, records: bool) -> Vec<String> {
    let (mut wrong, mut now): (_, Option<u32>) = (Vec::new(), None);
    let (mut own, mut seen) = (true, 0);
    for (number, (line, spans)) in (1u32..).zip(c.text.lines().zip(&c.lines)) {
        if let Some(told) = line.strip_prefix("#line ") {
            let (line, file) = told.split_once(' ').expect("a number and a file");
            now = line.parse().ok();
            own = !places.files().iter().any(|name| file == format!("\"{name}\""));
            if own && now != Some(number + 1) {
                wrong.push(format!("{told} stands in line {number}"));
            }
            continue;
        }
        // Its first statements would keep a line of the text that has the same number as theirs.
        if line.contains("__global__") && own {
            wrong.push(format!("`{line}` is of the text itself"));
        }
        if line.contains('[') && line.starts_with("    ") && !spans.is_empty() {
            let known: Vec<u32> = spans.iter().map(|span| places.of(*span).line).collect();
            let of_record = records && now == Some(places.of(Span::NONE).line);
            if own || !of_record && !now.is_some_and(|now| known.contains(&now)) {
                wrong.push(format!("line {now:?} is told of `{line}`, which is of {known:?}"));
            }
            seen += 1;
        }
        now = now.map(|now| now + 1);
    }
    if seen == 0 && !records && !own {
        wrong.push("no access was found".to_string());
    }
    wrong
}
