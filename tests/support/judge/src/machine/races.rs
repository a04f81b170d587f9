//! Races of real threads: no two of them touch one place without a barrier between them, where one of them writes. In shared
//! memory a place is a byte, whatever array it is of.

use std::collections::HashMap;
use std::io;

use super::Threads;
use super::barriers::same;
use super::met::{Between, phase};
use super::order::Order;
use super::touched::{Apart, Touched};
use crate::encode::{Encoder, FIRST, SECOND, Value};
use crate::eval::Known;
use crate::expr::{Counter, Id};
use crate::session::{Model, Outcome, Session};
use crate::site::{Access, Program, Site};
use crate::smt::Term;
use crate::text::{Claim, Level, Place, Space, U32};
use crate::verdict::{Fault, Finding};

/// Pairs of families in one question.
const MAX_PAIRS: usize = 64;

/// Sites between the same barriers that differ in nothing but a number that is added to the index.
struct Family<'p> {
    site: &'p Site,
    base: Id,
    offsets: Vec<i128>,
    /// Who touches which bytes, where that can be counted.
    touched: Option<Touched>,
}

/// Two families that may meet.
struct Pair<'f, 'p> {
    first: &'f Family<'p>,
    second: &'f Family<'p>,
    /// When the block has waited between them, and when a warp has.
    block: Order,
    warp: Order,
}

impl Pair<'_, '_> {
    /// The counters that say which block's work each is.
    fn turns(&self, program: &Program) -> [Option<Counter>; 2] {
        let is_block = |c: &Counter| program.counters[c.0].member == Some(Level::Block);
        [self.first, self.second].map(|family| family.site.counters().find(is_block))
    }
}

/// Asks about shared memory, and about every buffer that somebody writes.
pub(crate) fn judge(session: &mut Session<'_>, threads: Threads) -> io::Result<()> {
    let program = session.program;
    let families = families(program, threads);
    let mut pairs = Vec::new();
    for (i, first) in families.iter().enumerate() {
        for second in &families[i..] {
            pairs.extend(pair(program, threads, first, second));
        }
    }
    for some in pairs.chunks(MAX_PAIRS) {
        ask(session, threads, some)?;
    }
    Ok(())
}

/// The bytes of an array in shared memory.
fn bytes(program: &Program, array: usize) -> Option<(i128, i128)> {
    let (declared, len) = (&program.arrays[array], program.exprs.int(program.lens[array]));
    let Place { offset, .. } = declared.place?;
    let start = i128::from(offset);
    Some((start, start + len? * i128::from(declared.ty.bytes())))
}

fn pair<'f, 'p>(
    program: &Program,
    threads: Threads,
    first: &'f Family<'p>,
    second: &'f Family<'p>,
) -> Option<Pair<'f, 'p>> {
    let (a, b) = (first.site, second.site);
    let both = |access| a.access == access && b.access == access;
    if both(Access::Read) || both(Access::Atomic) {
        return None;
    }
    let meet = match (bytes(program, a.array), bytes(program, b.array)) {
        (Some(x), Some(y)) => x.0 < y.1 && y.0 < x.1,
        _ => a.array == b.array,
    };
    if !meet {
        return None;
    }
    let between = |of: super::met::Of| Between { program, thread: threads.thread, of }.met(&a.path, &b.path);
    let block = between(|met| &met.block);
    let shared = program.arrays[a.array].place.is_some();
    if shared && block == Order::Always {
        return None;
    }
    let warp = between(|met| &met.warp);
    let apart = if warp == Order::Always { Apart::Warps } else { Apart::Threads };
    if let (Some(x), Some(y)) = (&first.touched, &second.touched)
        && !x.meets(y, apart)
    {
        return None;
    }
    Some(Pair { first, second, block, warp })
}

fn ask(session: &mut Session<'_>, threads: Threads, pairs: &[Pair<'_, '_>]) -> io::Result<()> {
    let program = session.program;
    if matches!(session.ask(|e| vec![any_meets(e, threads, pairs)])?, Outcome::Never) {
        return Ok(());
    }
    for pair in pairs {
        let (name, other) = (session.array(pair.first.site.array), session.array(pair.second.site.array));
        let names = if name == other { name.to_string() } else { format!("{name}` and `{other}") };
        let what = format!("races of `{names}`");
        match session.ask(|e| vec![any_meets(e, threads, std::slice::from_ref(pair))])? {
            Outcome::Never => {}
            Outcome::Unknown => session.unknown(what),
            Outcome::Model(model) => match happens(program, threads, pair, &model) {
                Some(true) => {
                    let text = model.text(program, &[(&pair.first.site.path, FIRST), (&pair.second.site.path, SECOND)]);
                    session.found(Finding { fault: Fault::Race, array: names, model: text });
                    return Ok(());
                }
                Some(false) => session.contradiction(&what, name),
                None => session.unknown(format!("{what} by data")),
            },
        }
    }
    Ok(())
}

/// Whether a model is a run in which the two meet.
fn happens(program: &Program, threads: Threads, pair: &Pair<'_, '_>, model: &Model) -> Option<bool> {
    let mut places = Vec::new();
    for (family, instance) in [(pair.first, FIRST), (pair.second, SECOND)] {
        if !model.happens(program, family.site, instance)? {
            return Some(false);
        }
        let base = model.known(instance).value(&program.exprs, family.base)?;
        let declared = &program.arrays[family.site.array];
        let size = i128::from(declared.ty.bytes());
        let start = declared.place.map_or(0, |place| i128::from(place.offset));
        let each = family.offsets.iter().map(|o| start + (base + o).rem_euclid(1 << 32) * size);
        places.push(each.map(|from| (from, from + size)).collect::<Vec<_>>());
    }
    let touch = places[0].iter().any(|a| places[1].iter().any(|b| a.0 < b.1 && b.0 < a.1));
    let (first, second) = (model.known(FIRST), model.known(SECOND));
    Some(touch && unordered(program, threads, pair, &first, &second)?)
}

fn unordered(program: &Program, threads: Threads, pair: &Pair<'_, '_>, first: &Known, second: &Known) -> Option<bool> {
    let in_buffer = program.arrays[pair.first.site.array].place.is_none();
    let one_block = match pair.turns(program) {
        [Some(a), Some(b)] => first.counters.get(&a)? == second.counters.get(&b)?,
        _ => false,
    };
    if in_buffer && !one_block {
        return Some(true);
    }
    let agree = |c: &Counter| Some(first.counters.get(c)? == second.counters.get(c)?);
    if threads.block.is_some_and(|block| agree(&block) == Some(false)) {
        return Some(false);
    }
    let exprs = &program.exprs;
    let one_warp = first.value(exprs, threads.warp)? == second.value(exprs, threads.warp)?;
    let warp = if one_warp { pair.warp.holds(exprs, first, second) } else { Some(false) };
    let met = match (pair.block.holds(exprs, first, second), warp) {
        (Some(true), _) | (_, Some(true)) => true,
        (Some(false), Some(false)) => false,
        _ => return None,
    };
    Some(!agree(&threads.thread)? && !met)
}

fn any_meets(encoder: &mut Encoder<'_>, threads: Threads, pairs: &[Pair<'_, '_>]) -> Term {
    let each: Vec<Term> = pairs.iter().map(|pair| meets(encoder, threads, pair)).collect();
    encoder.terms.or(&each)
}

fn meets(encoder: &mut Encoder<'_>, threads: Threads, pair: &Pair<'_, '_>) -> Term {
    let mut all = vec![encoder.path(pair.first.site, FIRST), encoder.path(pair.second.site, SECOND)];
    all.push(touch(encoder, pair));
    let program = encoder.program;
    let thread = encoder.agree(threads.thread, FIRST, SECOND);
    let (met, in_warp) = (pair.block.term(encoder), pair.warp.term(encoder));
    let one_warp = same(encoder, threads.warp);
    let in_warp = encoder.terms.and(&[one_warp, in_warp]);
    let ordered = encoder.terms.or(&[thread, met, in_warp]);
    let loose = encoder.terms.not(ordered);
    if program.arrays[pair.first.site.array].place.is_some() {
        all.push(loose);
        all.extend(threads.block.map(|block| encoder.agree(block, FIRST, SECOND)));
        return encoder.terms.and(&all);
    }
    // What is in a buffer two blocks may touch.
    let one_block = match pair.turns(program) {
        [Some(a), Some(b)] => {
            let (a, b) = (encoder.counter(a, FIRST), encoder.counter(b, SECOND));
            encoder.terms.equal(a.term, b.term)
        }
        _ => encoder.terms.bool(false),
    };
    let other = encoder.terms.not(one_block);
    all.push(encoder.terms.or(&[other, loose]));
    encoder.terms.and(&all)
}

/// That two families touch one byte.
fn touch(encoder: &mut Encoder<'_>, pair: &Pair<'_, '_>) -> Term {
    let program = encoder.program;
    let arrays = [pair.first, pair.second].map(|f| &program.arrays[f.site.array]);
    let sizes = arrays.map(|a| i128::from(a.ty.bytes()));
    let starts = arrays.map(|a| a.place.map_or(0, |place| i128::from(place.offset)));
    let apart = starts[0] - starts[1];
    let (a, a_is_one) = place(encoder, pair.first, 1);
    let (b, b_is_one) = place(encoder, pair.second, 2);
    // Indices are in range, so that places in memory do not wrap.
    let touch = if sizes[0] == sizes[1] && apart % sizes[0] == 0 {
        let apart = encoder.constant(apart / sizes[0], U32);
        let a = encoder.plus(a, apart);
        encoder.terms.equal(a.term, b.term)
    } else {
        let [(a, a_end), (b, b_end)] = [(a, 0), (b, 1)].map(|(index, k)| {
            let (size, start) = (encoder.constant(sizes[k], U32), encoder.constant(starts[k], U32));
            let at = encoder.times(index, size);
            let at = encoder.plus(at, start);
            (at, encoder.plus(at, size))
        });
        let both = [encoder.less(U32, a, b_end), encoder.less(U32, b, a_end)];
        encoder.terms.and(&both)
    };
    encoder.terms.and(&[touch, a_is_one, b_is_one])
}

/// The index of any site of a family, and that it is one.
fn place(encoder: &mut Encoder<'_>, family: &Family<'_>, side: u32) -> (Value, Term) {
    let base = encoder.value(family.base, if side == 1 { FIRST } else { SECOND });
    let offset = encoder.function(&format!("offset{}_{side}", family.base.number()), &[], U32);
    let each: Vec<Term> = family.offsets.iter().map(|&o| encoder.constant(o, U32).term).collect();
    let each: Vec<Term> = each.into_iter().map(|o| encoder.terms.equal(offset.term, o)).collect();
    let (offset, known) = match family.offsets.as_slice() {
        [one] => (encoder.constant(*one, U32), encoder.terms.bool(true)),
        _ => (offset, encoder.terms.or(&each)),
    };
    (encoder.sum(base, offset), known)
}

fn families(program: &Program, threads: Threads) -> Vec<Family<'_>> {
    type Key = (usize, Access, Vec<(usize, usize, u8)>, Vec<Counter>, Vec<(Id, bool)>, Id);
    let mut found: Vec<Family<'_>> = Vec::new();
    let mut at: HashMap<Key, usize> = HashMap::new();
    let shared = |site: &Site| program.arrays[site.array].place.is_some();
    let buffer = |site: &Site| matches!(program.arrays[site.array].space, Space::Updated | Space::Output);
    let followed = |site: &&Site| site.claim != Claim::Author && (shared(site) || buffer(site));
    for site in program.sites.iter().filter(followed) {
        let (base, offset) = program.exprs.and_number(site.index);
        let phase = phase(program, &site.path);
        let counters = site.counters().collect();
        let key = (site.array, site.access, phase, counters, site.when.clone(), base);
        let family = *at.entry(key).or_insert_with(|| {
            found.push(Family { site, base, offsets: Vec::new(), touched: None });
            found.len() - 1
        });
        if !found[family].offsets.contains(&offset) {
            found[family].offsets.push(offset);
        }
    }
    for family in &mut found {
        family.touched = Touched::by(program, threads, family.site, family.base, &family.offsets);
    }
    found
}
