//! Races: no two instances that nothing orders touch one element, where one of them writes; and no two instances at all write one
//! element of an output.

use std::io;

use crate::encode::{Encoder, FIRST, SECOND};
use crate::expr::{Counter, Id};
use crate::order::{self, Relation};
use crate::session::{Model, Outcome, Session};
use crate::site::{Access, Program, Site, Step};
use crate::smt::Term;
use crate::text::{Claim, Level, Space, U32};
use crate::verdict::{Fault, Finding};

/// Sites that differ in nothing but a number that is added to the index, and in where they stand in their thread's list.
#[derive(Debug)]
struct Family<'p> {
    site: &'p Site,
    base: Id,
    /// In 32 bits.
    offsets: Vec<i128>,
}

/// Pairs of families in one question.
const MAX_PAIRS: usize = 64;

/// Asks about every array that somebody writes.
pub(crate) fn judge(session: &mut Session<'_>) -> io::Result<()> {
    let program = session.program;
    for (array, declared) in program.arrays.iter().enumerate() {
        if matches!(declared.space, Space::Input | Space::Fault) {
            continue;
        }
        let families = families(program, array);
        let mut pairs = Vec::new();
        for (i, first) in families.iter().enumerate() {
            for second in &families[i..] {
                pairs.extend(pair(program, array, first, second));
            }
        }
        for some in pairs.chunks(MAX_PAIRS) {
            ask(session, array, some)?;
        }
    }
    Ok(())
}

/// Two families that may meet.
struct Pair<'f, 'p> {
    first: &'f Family<'p>,
    second: &'f Family<'p>,
    apart: Relation,
    /// One site of the family may meet another one of it.
    own: bool,
    fault: Fault,
}

fn pair<'f, 'p>(
    program: &Program,
    array: usize,
    first: &'f Family<'p>,
    second: &'f Family<'p>,
) -> Option<Pair<'f, 'p>> {
    let (a, b) = (first.site, second.site);
    let both = |access| a.access == access && b.access == access;
    if both(Access::Read) || both(Access::Atomic) {
        return None;
    }
    if program.arrays[array].space == Space::Output && both(Access::Write) {
        let same = std::ptr::eq(first, second);
        let differ = a.counters().map(Relation::Differ).fold(Relation::Never, Relation::or);
        let apart = if same { differ } else { Relation::Always };
        let own = same && first.offsets.len() > 1;
        let possible = own || apart != Relation::Never;
        return possible.then_some(Pair { first, second, apart, own, fault: Fault::WrittenTwice });
    }
    let apart = order::unordered(a, b).where_agree(&program.copies[array]);
    (apart != Relation::Never).then_some(Pair { first, second, apart, own: false, fault: Fault::Race })
}

fn ask(session: &mut Session<'_>, array: usize, pairs: &[Pair<'_, '_>]) -> io::Result<()> {
    let (program, name) = (session.program, session.array(array));
    let copies = &program.copies[array];
    match session.ask(|e| vec![any_meets(e, pairs, copies)])? {
        Outcome::Never => return Ok(()),
        Outcome::Unknown | Outcome::Model(_) => {}
    }
    for pair in pairs {
        let what = format!("{} of `{name}`", if pair.fault == Fault::Race { "races" } else { "single writes" });
        match session.ask(|e| vec![any_meets(e, std::slice::from_ref(pair), copies)])? {
            Outcome::Never => {}
            Outcome::Unknown => session.unknown(what),
            Outcome::Model(model) => match happens(program, pair, &model) {
                Some(true) => {
                    let text = model.text(program, &[(&pair.first.site.path, FIRST), (&pair.second.site.path, SECOND)]);
                    session.found(Finding { fault: pair.fault, array: name.into(), model: text });
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
fn happens(program: &Program, pair: &Pair<'_, '_>, model: &Model) -> Option<bool> {
    let both = [(pair.first, FIRST), (pair.second, SECOND)];
    let mut places = Vec::new();
    for (family, instance) in both {
        if !model.happens(program, family.site, instance)? {
            return Some(false);
        }
        let base = model.known(instance).value(&program.exprs, family.base)?;
        places.push(family.offsets.iter().map(|o| (base + o).rem_euclid(1 << 32)).collect::<Vec<_>>());
    }
    let apart = pair.own || pair.apart.holds(&model.known(FIRST), &model.known(SECOND))?;
    Some(apart && places[0].iter().any(|place| places[1].contains(place)))
}

fn any_meets(encoder: &mut Encoder<'_>, pairs: &[Pair<'_, '_>], copies: &[Counter]) -> Term {
    let each: Vec<Term> = pairs.iter().map(|pair| meets(encoder, pair, copies)).collect();
    encoder.terms.or(&each)
}

fn meets(encoder: &mut Encoder<'_>, pair: &Pair<'_, '_>, copies: &[Counter]) -> Term {
    let mut all = vec![encoder.path(pair.first.site, FIRST), encoder.path(pair.second.site, SECOND)];
    all.extend(copies.iter().map(|&c| encoder.agree(c, FIRST, SECOND)));
    let (a, first) = place(encoder, pair.first, 1);
    let (b, second) = place(encoder, pair.second, 2);
    all.push(encoder.terms.equal(a, b));
    all.extend([first.1, second.1]);
    let apart = encoder.relation(&pair.apart, FIRST, SECOND);
    let apart = if pair.own {
        let same = encoder.terms.equal(first.0, second.0);
        let other = encoder.terms.not(same);
        encoder.terms.or(&[apart, other])
    } else {
        apart
    };
    all.push(apart);
    encoder.terms.and(&all)
}

/// The index of any site of a family; its offset, and that it is one.
fn place(encoder: &mut Encoder<'_>, family: &Family<'_>, side: u32) -> (Term, (Term, Term)) {
    let instance = if side == 1 { FIRST } else { SECOND };
    let base = encoder.value(family.base, instance);
    let (offset, known) = match family.offsets.as_slice() {
        [one] => (encoder.constant(*one, U32), encoder.terms.bool(true)),
        many => {
            let offset = encoder.function(&format!("offset{}_{side}", family.base.number()), &[], U32);
            let each: Vec<Term> = many
                .iter()
                .map(|&o| {
                    let o = encoder.constant(o, U32);
                    encoder.terms.equal(offset.term, o.term)
                })
                .collect();
            (offset, encoder.terms.or(&each))
        }
    };
    let sum = encoder.sum(base, offset);
    (sum.term, (offset.term, known))
}

fn families<'p>(program: &'p Program, array: usize) -> Vec<Family<'p>> {
    type Key = (Access, Vec<Step>, Vec<(Id, bool)>, Id);
    let mut found: Vec<(Key, Family<'p>)> = Vec::new();
    for site in program.sites.iter().filter(|s| s.array == array && s.claim != Claim::Author) {
        let (base, offset) = program.exprs.and_number(site.index);
        let mut path = site.path.clone();
        // In a thread's own list the order does not matter between threads.
        if let Some(last) = path.last_mut().filter(|s| s.level == Level::Thread) {
            last.at = 0;
        }
        let key = (site.access, path, site.when.clone(), base);
        // One instance that writes an element of an output twice makes two families.
        let twice = |f: &Family<'_>| writes_output(program, site) && f.offsets.contains(&offset);
        match found.iter_mut().find(|(k, f)| *k == key && !twice(f)) {
            Some((_, family)) if family.offsets.contains(&offset) => {}
            Some((_, family)) => family.offsets.push(offset),
            None => found.push((key, Family { site, base, offsets: vec![offset] })),
        }
    }
    found.into_iter().map(|(_, family)| family).collect()
}

fn writes_output(program: &Program, site: &Site) -> bool {
    program.arrays[site.array].space == Space::Output && site.access == Access::Write
}
