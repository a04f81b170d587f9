//! The text of a module: entries with their parameters, variables, registers and instructions.

use std::collections::HashMap;

use crate::decode::decode;
use crate::fault::Fault;
use crate::op::{Base, Instruction, Op, Operand, Special};
use crate::types::Type;

/// An `.entry`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Types of the parameters, in order.
    pub(crate) params: Vec<Type>,
    /// `.reqntid`.
    pub(crate) threads: Option<u32>,
    /// Width of each register, in bits.
    pub(crate) registers: Vec<u32>,
    /// Bytes of shared memory a block, and of local memory a thread.
    pub(crate) shared: usize,
    pub(crate) local: usize,
    pub(crate) code: Vec<Instruction>,
}

/// Parses all entries.
pub(crate) fn module(text: &str) -> Result<Vec<Entry>, Fault> {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(text.lines()) {
        reader.line = number;
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            reader.take(line)?;
        }
    }
    match reader.entry {
        Some(_) => Err(reader.wrong("the entry does not end")),
        None => Ok(reader.done),
    }
}

/// What a name of the body stands for.
#[derive(Debug, Clone)]
enum Name {
    Register(usize),
    /// Where a shared or local variable begins.
    Variable(u64),
    Param(usize),
}

#[derive(Default)]
struct Reader {
    line: u32,
    done: Vec<Entry>,
    entry: Option<Building>,
    /// The name of the shared memory whose size a launch gives, in the entries that follow.
    dynamic: Option<String>,
}

struct Building {
    entry: Entry,
    names: HashMap<String, Name>,
    labels: HashMap<String, usize>,
    /// Instruction, operand, label: to be resolved at the end.
    jumps: Vec<(usize, String, u32)>,
    inside: bool,
}

impl Reader {
    fn wrong(&self, what: impl Into<String>) -> Fault {
        Fault::Text { line: self.line, what: what.into() }
    }

    fn take(&mut self, line: &str) -> Result<(), Fault> {
        let Some(mut b) = self.entry.take() else { return self.outside(line) };
        match line {
            "{" if !b.inside => b.inside = true,
            "}" if b.inside => {
                self.done.push(self.finish(b)?);
                return Ok(());
            }
            ")" => {}
            _ if line.starts_with(".param") => {
                for part in line.trim_end_matches([')', ' ']).split(',') {
                    self.param(&mut b, part.trim())?;
                }
            }
            _ if line.starts_with(".reqntid") || line.starts_with(".maxntid") => {
                let n = line.split([' ', ',']).nth(1).and_then(|n| n.parse().ok());
                b.entry.threads = if line.starts_with(".reqntid") { n } else { None };
            }
            _ if [".minnctapersm", ".pragma", ".loc "].iter().any(|d| line.starts_with(d)) => {}
            _ if !b.inside => return Err(self.wrong(format!("`{line}` between parameters and body"))),
            _ if line.starts_with(".reg") => self.registers(&mut b, line)?,
            _ if line.starts_with(".shared") || line.starts_with(".local") => self.variable(&mut b, line)?,
            _ => match line.strip_suffix(':') {
                Some(label) => {
                    b.labels.insert(label.to_string(), b.entry.code.len());
                }
                None => self.instruction(&mut b, line)?,
            },
        }
        self.entry = Some(b);
        Ok(())
    }

    fn outside(&mut self, line: &str) -> Result<(), Fault> {
        // `.extern .shared .align 128 .b8 smem[];`.
        if let Some(variable) = line.strip_prefix(".extern .shared ").and_then(|text| text.strip_suffix("[];")) {
            self.dynamic = variable.split_whitespace().last().map(str::to_string);
            return Ok(());
        }
        let Some(rest) = line.strip_prefix(".visible .entry ") else {
            let known = [".version", ".target", ".address_size", ".file"].iter().any(|d| line.starts_with(d));
            return if known { Ok(()) } else { Err(self.wrong(format!("`{line}` outside an entry"))) };
        };
        let (name, params) = rest.split_once('(').unwrap_or((rest, ""));
        let entry = Entry {
            name: name.trim().to_string(),
            params: Vec::new(),
            threads: None,
            registers: Vec::new(),
            shared: 0,
            local: 0,
            code: Vec::new(),
        };
        // No entry of the subset has static memory beside it.
        let names = self.dynamic.iter().map(|name| (name.clone(), Name::Variable(0))).collect();
        let mut b = Building { entry, names, labels: HashMap::new(), jumps: Vec::new(), inside: false };
        for part in params.trim_end_matches([')', ' ']).split(',').filter(|p| !p.trim().is_empty()) {
            self.param(&mut b, part.trim())?;
        }
        self.entry = Some(b);
        Ok(())
    }

    /// `.param .u64 name`.
    fn param(&self, b: &mut Building, text: &str) -> Result<(), Fault> {
        if text.is_empty() {
            return Ok(());
        }
        let mut words = text.split_whitespace();
        let (Some(".param"), Some(ty), Some(name)) = (words.next(), words.next(), words.next()) else {
            return Err(self.wrong(format!("`{text}` is no parameter")));
        };
        let ty = Type::parse(ty.trim_start_matches('.')).ok_or_else(|| self.wrong(format!("type `{ty}`")))?;
        b.names.insert(name.to_string(), Name::Param(b.entry.params.len()));
        b.entry.params.push(ty);
        Ok(())
    }

    /// `.reg .u32 %u<5>;`, `.reg .u32 %u;`.
    fn registers(&self, b: &mut Building, line: &str) -> Result<(), Fault> {
        let mut words = line.trim_end_matches(';').split_whitespace().skip(1);
        let ty = words.next().and_then(|t| Type::parse(t.trim_start_matches('.')));
        let (Some(ty), Some(name)) = (ty, words.next()) else { return Err(self.wrong("registers")) };
        let mut add = |name: String| {
            b.names.insert(name, Name::Register(b.entry.registers.len()));
            b.entry.registers.push(ty.bits);
        };
        match name.trim_end_matches('>').split_once('<') {
            Some((stem, count)) => {
                let count: u32 = count.parse().map_err(|_| self.wrong("a number of registers"))?;
                (0..count).for_each(|i| add(format!("{stem}{i}")));
            }
            None => add(name.to_string()),
        }
        Ok(())
    }

    /// `.shared .align 128 .b8 smem[1536];`.
    fn variable(&self, b: &mut Building, line: &str) -> Result<(), Fault> {
        let words: Vec<&str> = line.trim_end_matches(';').split_whitespace().collect();
        let parsed = (|| {
            let align: usize = match words.iter().position(|w| *w == ".align") {
                Some(i) => words.get(i + 1)?.parse().ok()?,
                None => 16,
            };
            let (name, len) = words.last()?.trim_end_matches(']').split_once('[')?;
            let ty = Type::parse(words.get(words.len() - 2)?.trim_start_matches('.'))?;
            Some((name, len.parse::<usize>().ok()? * ty.bytes(), align.max(1)))
        })();
        let Some((name, bytes, align)) = parsed else { return Err(self.wrong(format!("`{line}` is no variable"))) };
        if line.starts_with(".shared") && self.dynamic.is_some() {
            return Err(self.wrong("static beside dynamic shared memory is not in the subset"));
        }
        let total = if line.starts_with(".shared") { &mut b.entry.shared } else { &mut b.entry.local };
        let at = total.next_multiple_of(align);
        *total = at + bytes;
        b.names.insert(name.to_string(), Name::Variable(at as u64));
        Ok(())
    }

    fn instruction(&self, b: &mut Building, line: &str) -> Result<(), Fault> {
        let Some(line) = line.strip_suffix(';') else { return Err(self.wrong(format!("no `;` after `{line}`"))) };
        let (guard, rest) = match line.strip_prefix('@') {
            Some(text) => {
                let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                let (name, when) = name.strip_prefix('!').map_or((name, 1), |n| (n, 0));
                let Some(Name::Register(r)) = b.names.get(name) else {
                    return Err(self.wrong(format!("`{name}` guards, but is no register")));
                };
                (Some((*r, when)), rest.trim())
            }
            None => (None, line),
        };
        let (opcode, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let op = decode(opcode).ok_or_else(|| self.wrong(format!("`{opcode}` is not in the subset")))?;
        let index = b.entry.code.len();
        let args = if op == Op::Branch {
            b.jumps.push((index, args.trim().to_string(), self.line));
            Vec::new()
        } else {
            split(args).into_iter().map(|a| self.operand(b, a)).collect::<Result<_, _>>()?
        };
        b.entry.code.push(Instruction { guard, op, args, line: self.line });
        Ok(())
    }

    fn operand(&self, b: &Building, text: &str) -> Result<Operand, Fault> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            return Ok(Operand::Vector(
                split(inner).into_iter().map(|a| self.operand(b, a)).collect::<Result<_, _>>()?,
            ));
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            return self.address(b, inner.trim());
        }
        if let Some((value, predicate)) = text.split_once('|') {
            let pair = (self.operand(b, value)?, self.operand(b, predicate)?);
            return Ok(Operand::Pair(Box::new(pair.0), Box::new(pair.1)));
        }
        if let Some(special) = special(text) {
            return Ok(Operand::Special(special));
        }
        match b.names.get(text) {
            Some(Name::Register(r)) => Ok(Operand::Register(*r)),
            Some(Name::Variable(at)) => Ok(Operand::Immediate(*at)),
            _ if text == "_" => Ok(Operand::Sink),
            _ => immediate(text).map(Operand::Immediate).ok_or_else(|| self.wrong(format!("`{text}` is no operand"))),
        }
    }

    fn address(&self, b: &Building, text: &str) -> Result<Operand, Fault> {
        let (base, offset) = match text.find(['+', '-']).filter(|&i| i > 0) {
            Some(i) => (&text[..i], text[i..].trim_start_matches('+').parse::<i64>()),
            None => (text, Ok(0)),
        };
        let offset = offset.map_err(|_| self.wrong(format!("the offset of `{text}`")))?;
        let base = match b.names.get(base.trim()) {
            Some(Name::Register(r)) => Base::Register(*r),
            Some(Name::Variable(at)) => Base::Constant(*at),
            Some(Name::Param(i)) => Base::Param(*i),
            None => Base::Constant(immediate(base).ok_or_else(|| self.wrong(format!("`{base}` is no address")))?),
        };
        Ok(Operand::Address(base, offset))
    }

    fn finish(&self, mut b: Building) -> Result<Entry, Fault> {
        for (at, label, line) in b.jumps {
            let Some(&target) = b.labels.get(&label) else {
                return Err(Fault::Text { line, what: format!("there is no label `{label}`") });
            };
            b.entry.code[at].args = vec![Operand::Target(target)];
        }
        Ok(b.entry)
    }
}

/// Operands at the commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

fn special(text: &str) -> Option<Special> {
    Some(match text {
        "%tid.x" => Special::Tid,
        "%ntid.x" => Special::NTid,
        "%ctaid.x" => Special::CtaId,
        "%nctaid.x" => Special::NCtaId,
        "%laneid" => Special::LaneId,
        _ => return None,
    })
}

/// Integers, and floats by their bits: `0f3F800000`, `0d3FF0000000000000` (PTX ISA §4.5).
fn immediate(text: &str) -> Option<u64> {
    let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
    if let Some(bits) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0d")) {
        return hex(bits);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return hex(digits);
    }
    let digits = text.strip_suffix('U').unwrap_or(text);
    digits.parse::<u64>().ok().or_else(|| digits.parse::<i64>().ok().map(|v| v as u64))
}
