//! Statements and headers, by lines and how far they are indented.

use super::expr::{Raw, Read, Reader};
use super::line::{binding, copy, owner, print, store, strip_level, typed_number, vector, write};
use super::{Array, Claim, Kernel, Level, Place, Space, Stmt, Type, Unreadable};

/// Reads a kernel: its head, its parameters and checks, its body.
pub(super) fn kernel(text: &str) -> Result<Kernel, Unreadable> {
    let lines = text.lines().filter(|l| !l.trim().is_empty()).map(Line::new).collect();
    let mut lines = Lines { lines, at: 0, kernel: Kernel::empty() };
    let body = lines.kernel().map_err(|what| {
        let line = lines.lines.get(lines.at.saturating_sub(1)).map_or(String::new(), |l| l.text.to_string());
        Unreadable { line, what }
    })?;
    Ok(Kernel { body, ..lines.kernel })
}

struct Line<'t> {
    depth: usize,
    text: &'t str,
}

impl<'t> Line<'t> {
    fn new(line: &'t str) -> Line<'t> {
        let depth = (line.len() - line.trim_start().len()) / 2;
        // What stands behind is for people.
        let text = line.split("   // ").next().unwrap_or(line).trim();
        Line { depth, text }
    }
}

struct Lines<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
    kernel: Kernel,
}

impl Kernel {
    fn empty() -> Kernel {
        let name = String::new();
        Kernel { name, threads: 1, arrays: Vec::new(), scalars: Vec::new(), checks: Vec::new(), body: Vec::new() }
    }
}

impl<'t> Lines<'t> {
    fn kernel(&mut self) -> Read<Vec<Stmt>> {
        let head = self.next(0).and_then(|l| l.strip_prefix("kernel ")).ok_or("a kernel begins with its name")?;
        self.kernel.name = head.split_whitespace().next().unwrap_or_default().to_string();
        let threads = head.split_once("threads = ").and_then(|(_, rest)| rest.split([',', ')']).next());
        self.kernel.threads = threads.and_then(|n| n.parse().ok()).ok_or("a kernel says how many threads it has")?;
        while let Some(line) = self.peek(1) {
            if !self.parameter(line)? {
                break;
            }
            self.at += 1;
        }
        let body = self.block(1)?;
        if self.at == self.lines.len() { Ok(body) } else { Err("text after the kernel".into()) }
    }

    fn peek(&self, depth: usize) -> Option<&'t str> {
        self.lines.get(self.at).filter(|l| l.depth == depth).map(|l| l.text)
    }

    fn next(&mut self, depth: usize) -> Option<&'t str> {
        let line = self.peek(depth)?;
        self.at += 1;
        Some(line)
    }

    /// Whether a line is a parameter or a check, which is then noted.
    fn parameter(&mut self, line: &str) -> Read<bool> {
        let Some((word, rest)) = line.split_once(' ') else { return Ok(false) };
        let space = match word {
            "in" => Space::Input,
            "mut" => Space::Updated,
            "out" => Space::Output,
            "fault" => {
                let ty = Type::Int { width: 64, signed: false };
                self.kernel.arrays.push(Array {
                    name: rest.to_string(),
                    ty,
                    len: Raw::Int(2, None),
                    space: Space::Fault,
                    place: None,
                });
                return Ok(true);
            }
            "with" => {
                let (_, declared) = rest.split_once(' ').ok_or("a line of the head that declares nothing")?;
                self.allocate(declared)?;
                return Ok(true);
            }
            "blocks:" => return Ok(true),
            "where" => {
                // What a refused launch reports may stand behind it.
                let mut reader = Reader::new(rest)?;
                self.kernel.checks.push(reader.expr()?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let (name, rest) = rest.split_once(':').ok_or("a parameter has a type")?;
        self.declare(space, name.trim(), rest)?;
        Ok(true)
    }

    /// `u32`, a scalar; `u32[len]`; `(u32, f32)[len]`, an array for each.
    fn declare(&mut self, space: Space, name: &str, rest: &str) -> Read<()> {
        let mut reader = Reader::new(rest)?;
        let (mut types, mut names) = (Vec::new(), Vec::new());
        let tuple = reader.accept("(");
        while !reader.accept(")") {
            let (ty, number) = typed_number(&reader.name()?)?;
            types.push(ty);
            names.push(number);
            reader.accept(",");
            if !tuple {
                break;
            }
        }
        if !reader.accept("[") {
            self.kernel.scalars.push((name.to_string(), types[0]));
            return reader.end();
        }
        let len = reader.expr()?;
        reader.eat("]")?;
        let named = |k: usize| {
            let number: &String = &names[k];
            if types.len() == 1 { format!("{name}{number}") } else { format!("{name}_{k}{number}") }
        };
        let arrays = types.iter().enumerate().map(|(k, &ty)| {
            let (name, len) = (named(k), len.clone());
            Array { name, ty, len, space, place: None }
        });
        self.kernel.arrays.extend(arrays);
        reader.end()
    }

    fn block(&mut self, depth: usize) -> Read<Vec<Stmt>> {
        let mut list = Vec::new();
        while let Some(line) = self.next(depth) {
            let stmt = self.stmt(line, depth, &mut list)?;
            list.extend(stmt);
        }
        Ok(list)
    }

    /// One statement; none where it belongs to the one before; several where a line has accesses to neighbours.
    fn stmt(&mut self, line: &str, depth: usize, list: &mut [Stmt]) -> Read<Vec<Stmt>> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(vec![match word {
            "distribute" | "forall" => self.share(word, rest, depth)?,
            "seq" => self.seq(rest, depth)?,
            "loop" => {
                let head = self.block(depth + 1)?;
                let test = self.next(depth).and_then(|l| l.strip_prefix("while ")).ok_or("a loop has a test")?;
                Stmt::While { head, cond: Reader::only(test)?, body: self.block(depth + 1)? }
            }
            "while" => Stmt::While { head: Vec::new(), cond: Reader::only(rest)?, body: self.block(depth + 1)? },
            "if" => Stmt::If { cond: Reader::only(rest)?, then: self.block(depth + 1)?, els: Vec::new() },
            "else" => {
                let Some(Stmt::If { els, .. }) = list.last_mut() else { return Err("`else` without `if`".into()) };
                *els = self.block(depth + 1)?;
                return Ok(Vec::new());
            }
            "shared" | "lanes" | "registers" => self.allocate(rest)?,
            "local" => self.local(rest)?,
            "let" if line.ends_with(" ..]") => return vector(rest),
            "let" => binding(rest)?,
            "print" => print(rest)?,
            "copy" => return copy(rest),
            // When copies have arrived is not asked about: where they are begun, they are taken to write.
            "commit" | "await" => return Ok(Vec::new()),
            "sync" => Stmt::Sync(if rest == "Warp" { Level::Warp } else { Level::Block }),
            _ if word.starts_with('$') => self.abbreviation(word, rest)?,
            "prove" if rest.contains(" ..] = ") => return store(rest, Claim::Compiler),
            "unsafe" if rest.contains(" ..] = ") => return store(rest, Claim::Author),
            _ if line.contains(" ..] = ") => return store(line, Claim::Compiler),
            "prove" => write(rest, Claim::Compiler)?,
            "unsafe" => write(rest, Claim::Author)?,
            _ => write(line, Claim::Compiler)?,
        }])
    }

    /// `$1 = ..`: from here on `$1` is written for that.
    fn abbreviation(&mut self, word: &str, rest: &str) -> Read<Stmt> {
        let value = rest.strip_prefix("= ").ok_or("an abbreviation has a value")?;
        Ok(Stmt::Abbreviate { name: word.to_string(), value: Reader::only(value)? })
    }

    fn share(&mut self, word: &str, rest: &str, depth: usize) -> Read<Stmt> {
        let mut reader = Reader::new(rest)?;
        let level = match reader.name()?.as_str() {
            // Whoever shares it out, a thread does it.
            _ if word == "forall" => Level::Thread,
            "Block" => Level::Block,
            "Warp" => Level::Warp,
            other => return Err(format!("`{other}` is no level to distribute")),
        };
        let var = reader.binder()?;
        reader.eat("<")?;
        let n = reader.expr()?;
        reader.end()?;
        Ok(Stmt::Share { level, var, n, body: self.block(depth + 1)? })
    }

    fn seq(&mut self, rest: &str, depth: usize) -> Read<Stmt> {
        let mut reader = Reader::new(rest)?;
        let var = reader.binder()?;
        if !reader.accept_word("in") {
            return Err("`in` is missing".into());
        }
        let start = reader.expr()?;
        reader.eat("..")?;
        let end = reader.expr()?;
        let step = if reader.accept_word("by") { reader.expr()? } else { Raw::Int(1, None) };
        reader.end()?;
        Ok(Stmt::Seq { var, start, end, step, body: self.block(depth + 1)? })
    }

    /// `name: type[len]`, perhaps with whose it is before it, and its place behind it.
    fn allocate(&mut self, rest: &str) -> Read<Stmt> {
        let mut reader = Reader::new(strip_level(rest))?;
        let name = reader.name()?;
        reader.eat(":")?;
        let ty = reader.ty()?;
        reader.eat("[")?;
        let len = reader.expr()?;
        reader.eat("]")?;
        // In which rows it lies is not the program's meaning.
        let offset = rest.rsplit_once(" at ").and_then(|(_, n)| n.parse().ok());
        let place = owner(rest).zip(offset).map(|(owner, offset)| Place { owner, offset });
        self.kernel.arrays.push(Array { name, ty, len, space: Space::Allocated, place });
        Ok(Stmt::Allocate { array: self.kernel.arrays.len() - 1 })
    }

    /// A thread's own array, or a variable.
    fn local(&mut self, rest: &str) -> Read<Stmt> {
        let mut reader = Reader::new(rest)?;
        let var = reader.binder()?;
        reader.eat(":")?;
        let ty = reader.ty()?;
        if reader.is("[") {
            return self.allocate(rest);
        }
        let init = if reader.accept("=") { Some(reader.expr()?) } else { None };
        reader.end()?;
        Ok(Stmt::Local { var, ty, init })
    }
}
