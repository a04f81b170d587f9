//! Statements of one line.

use super::expr::{Raw, Read, Reader};
use super::{Claim, Level, Op, Stmt, Type};

/// `per Block name: ..` without whose it is: that is where it stands.
pub(super) fn strip_level(rest: &str) -> &str {
    let per = rest.strip_prefix("per ").and_then(|r| r.split_once(' '));
    per.map_or(rest, |(_, declared)| declared)
}

/// Whose an array in shared memory is.
pub(super) fn owner(rest: &str) -> Option<Level> {
    match rest.strip_prefix("per ")?.split_once(' ')?.0 {
        "Warp" => Some(Level::Warp),
        "Block" => Some(Level::Block),
        _ => None,
    }
}

/// `u32` or `u32@3`: the type of an array, and the number that its name is written with.
pub(super) fn typed_number(word: &str) -> Read<(Type, String)> {
    let (ty, number) = word.split_once('@').map_or((word, String::new()), |(ty, n)| (ty, format!("@{n}")));
    let ty = Type::named(ty).ok_or_else(|| format!("`{ty}` is no type"))?;
    Ok((ty, number))
}

/// What follows `let`.
pub(super) fn binding(rest: &str) -> Read<Stmt> {
    let mut reader = Reader::new(rest)?;
    let var = reader.binder()?;
    let ty = if reader.accept(":") { Some(reader.ty()?) } else { None };
    reader.eat("=")?;
    if let Some(op) = rest.split_once("= ").filter(|(_, value)| value.starts_with("atomic_")) {
        return match write(op.1, Claim::Compiler)? {
            Stmt::Atomic { claim, array, index, values, .. } => {
                Ok(Stmt::Atomic { claim, array, index, values, old: Some(var) })
            }
            other => Ok(other),
        };
    }
    let value = reader.expr()?;
    if reader.accept_word("of") {
        let mask = rest.ends_with("all, ballot") || rest.ends_with("all, same");
        return Ok(Stmt::Shuffle { var, value, mask });
    }
    reader.end()?;
    Ok(Stmt::Let { var, ty, value })
}

/// What follows `print`: texts, and values between them.
pub(super) fn print(rest: &str) -> Read<Stmt> {
    let (mut reader, mut values) = (Reader::new(rest)?, Vec::new());
    reader.text()?;
    while reader.accept(",") {
        values.push(reader.expr()?);
        reader.eat(",")?;
        reader.text()?;
    }
    reader.end()?;
    Ok(Stmt::Print { values })
}

/// `array[index] = value`, `name = value`, `atomic_add(array[index], value)` or `let old = atomic_..`.
pub(super) fn write(text: &str, claim: Claim) -> Read<Stmt> {
    if let Some(bound) = text.strip_prefix("let ") {
        return match binding(bound)? {
            Stmt::Atomic { array, index, values, old, .. } => Ok(Stmt::Atomic { claim, array, index, values, old }),
            _ => Err("only a write has someone who answers for it".into()),
        };
    }
    let mut reader = Reader::new(text)?;
    match reader.atom()? {
        Raw::Load(array, index) => {
            reader.eat("=")?;
            let value = reader.expr()?;
            reader.end()?;
            Ok(Stmt::Assign { claim, array, index: *index, value })
        }
        Raw::Name(var) => {
            reader.eat("=")?;
            let value = reader.expr()?;
            reader.end()?;
            Ok(Stmt::Set { var, value })
        }
        Raw::Call(name, args) if name.starts_with("atomic_") => {
            reader.end()?;
            let mut args = args.into_iter();
            let Some(Raw::Load(array, index)) = args.next() else { return Err("an atomic update has a place".into()) };
            Ok(Stmt::Atomic { claim, array, index: *index, values: args.collect(), old: None })
        }
        _ => Err("this is no statement".into()),
    }
}

/// What follows `let` where neighbours are read as one: `a, b = array[index ..]`.
pub(super) fn vector(rest: &str) -> Read<Vec<Stmt>> {
    let mut reader = Reader::new(rest)?;
    let mut vars = vec![reader.binder()?];
    while reader.accept(",") {
        vars.push(reader.binder()?);
    }
    reader.eat("=")?;
    let (array, index) = neighbours(&mut reader)?;
    reader.end()?;
    let mut list = vec![Stmt::Vector { array: array.clone(), index: index.clone(), len: vars.len() as u32 }];
    for (k, var) in vars.into_iter().enumerate() {
        let value = Raw::Load(array.clone(), Box::new(further(&index, k)));
        list.push(Stmt::Let { var, ty: None, value });
    }
    Ok(list)
}

/// `array[index ..] = a, b`.
pub(super) fn store(text: &str, claim: Claim) -> Read<Vec<Stmt>> {
    let mut reader = Reader::new(text)?;
    let (array, index) = neighbours(&mut reader)?;
    reader.eat("=")?;
    let mut values = vec![reader.expr()?];
    while reader.accept(",") {
        values.push(reader.expr()?);
    }
    reader.end()?;
    let mut list = vec![Stmt::Vector { array: array.clone(), index: index.clone(), len: values.len() as u32 }];
    for (k, value) in values.into_iter().enumerate() {
        list.push(Stmt::Assign { claim, array: array.clone(), index: further(&index, k), value });
    }
    Ok(list)
}

/// What follows `copy`: `array[index] = from[at]`, perhaps with the number of neighbours before it.
pub(super) fn copy(rest: &str) -> Read<Vec<Stmt>> {
    let counted = rest.split_once(' ').and_then(|(count, copy)| Some((count.parse::<usize>().ok()?, copy)));
    let (count, copy) = counted.unwrap_or((1, rest));
    let Stmt::Assign { claim, array, index, value: Raw::Load(from, at) } = write(copy, Claim::Compiler)? else {
        return Err("a copy is of an element".into());
    };
    let mut list = Vec::new();
    if count > 1 {
        list.push(Stmt::Vector { array: array.clone(), index: index.clone(), len: count as u32 });
        list.push(Stmt::Vector { array: from.clone(), index: (*at).clone(), len: count as u32 });
    }
    for k in 0..count {
        let value = Raw::Load(from.clone(), Box::new(further(&at, k)));
        list.push(Stmt::Assign { claim, array: array.clone(), index: further(&index, k), value });
    }
    Ok(list)
}

fn neighbours(reader: &mut Reader) -> Read<(String, Raw)> {
    let array = reader.name()?;
    reader.eat("[")?;
    let index = reader.expr()?;
    reader.eat("..")?;
    reader.eat("]")?;
    Ok((array, index))
}

fn further(index: &Raw, k: usize) -> Raw {
    Raw::Bin(Op::Add, Box::new((index.clone(), Raw::Int(k as i128, None))))
}
