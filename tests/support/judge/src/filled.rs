//! Initialisation: what is read from an array of a block, a warp or a thread has been written before.

use std::collections::HashSet;
use std::io;

use crate::cover::{misses, writes};
use crate::encode::{Encoder, FIRST, SECOND};
use crate::expr::{Counter, Id};
use crate::image::Images;
use crate::order::{self, Relation};
use crate::session::{Outcome, Session};
use crate::site::{Access, Extent, Kind, Program, Site};
use crate::smt::Term;
use crate::text::{Level, Space, U32};
use crate::verdict::{Fault, Finding};
use crate::witness::Writer;

/// Reads in one question.
const MAX_READS: usize = 16;

/// A read, and who may have written before it.
struct Read<'p> {
    site: &'p Site,
    writers: Vec<Writer<'p>>,
}

/// Asks about every read of an array that the kernel allocates.
pub(crate) fn judge(session: &mut Session<'_>) -> io::Result<()> {
    let program = session.program;
    let mut seen = HashSet::new();
    let mut reads = Vec::new();
    for site in program.sites.iter().filter(|s| s.access != Access::Write) {
        if program.arrays[site.array].space != Space::Allocated {
            continue;
        }
        let path: Vec<(usize, usize)> = site.path.iter().map(|s| (s.list, s.at)).collect();
        if seen.insert((site.array, site.index, site.when.clone(), path)) {
            let writers = writing(program, site).flat_map(|w| earlier(program, w, site)).collect();
            reads.push(Read { site, writers });
        }
    }
    for some in reads.chunks(MAX_READS) {
        together(session, some)?;
    }
    Ok(())
}

/// The sites that write what a read may read.
fn writing<'p>(program: &'p Program, read: &Site) -> impl Iterator<Item = &'p Site> {
    let array = read.array;
    program.sites.iter().filter(move |s| s.array == array && s.access != Access::Read)
}

/// Some reads at once, since of most there is nothing to find; then one by one.
fn together(session: &mut Session<'_>, reads: &[Read<'_>]) -> io::Result<()> {
    let images: Vec<Images<'_, '_>> = reads.iter().map(|r| Images::of(session.program, &r.writers)).collect();
    let any = |encoder: &mut Encoder<'_>| {
        let each: Vec<Term> = reads.iter().zip(&images).map(|(r, i)| missing(encoder, r, i)).collect();
        vec![encoder.terms.or(&each)]
    };
    if reads.len() > 1 && matches!(session.ask(any)?, Outcome::Never) {
        return Ok(());
    }
    reads.iter().zip(&images).try_for_each(|(read, images)| alone(session, read, images))
}

/// That a read happens, and that no guess has written what it reads.
fn missing(encoder: &mut Encoder<'_>, read: &Read<'_>, images: &Images<'_, '_>) -> Term {
    let element = encoder.value(read.site.index, FIRST);
    let mut all = vec![encoder.path(read.site, FIRST), encoder.in_array(read.site.array, element)];
    all.extend(misses(encoder, images, &read.writers, element));
    encoder.terms.and(&all)
}

/// That some instance has written before what a read reads.
fn written(encoder: &mut Encoder<'_>, read: &Site) -> Term {
    let program = encoder.program;
    let element = encoder.value(read.index, FIRST);
    let mut each = Vec::new();
    for site in writing(program, read) {
        let before = order::before(site, read);
        if before != Relation::Never {
            let mut all = vec![encoder.relation(&before, SECOND, FIRST), writes(encoder, site, element, SECOND)];
            all.extend(program.copies[read.array].iter().map(|&c| encoder.agree(c, FIRST, SECOND)));
            each.push(encoder.terms.and(&all));
        }
    }
    encoder.terms.or(&each)
}

fn alone(session: &mut Session<'_>, read: &Read<'_>, images: &Images<'_, '_>) -> io::Result<()> {
    let program = session.program;
    let (site, name) = (read.site, session.array(read.site.array));
    let what = format!("initialisation of `{name}`");
    // Where loops that only writers are in make no round, a model is most likely real.
    let empty = empty_loops(program, read);
    let attempts = if empty.is_empty() { vec![Vec::new()] } else { vec![empty, Vec::new()] };
    for loops in attempts {
        let question = |encoder: &mut Encoder<'_>| {
            let mut all = vec![missing(encoder, read, images)];
            all.extend(loops.iter().map(|&(start, end)| no_round(encoder, start, end)));
            all
        };
        let model = match session.ask(question)? {
            Outcome::Never if loops.is_empty() => return Ok(()),
            Outcome::Never => continue,
            Outcome::Unknown => break,
            Outcome::Model(model) => model,
        };
        let reached = |encoder: &mut Encoder<'_>| {
            let mut all = model.same_launch(encoder);
            all.extend(model.same_counters(encoder, FIRST));
            all.push(written(encoder, site));
            all
        };
        if !matches!(session.ask(reached)?, Outcome::Never) {
            continue;
        }
        let sure = model.happens(program, site, FIRST).filter(|_| model.index(program, site, FIRST).is_some());
        match sure {
            Some(true) => {
                let text = model.text(program, &[(&site.path, FIRST)]);
                session.found(Finding { fault: Fault::Uninitialised, array: name.into(), model: text });
            }
            Some(false) => session.contradiction(&what, name),
            None => session.unknown(format!("{what} by data")),
        }
        return Ok(());
    }
    session.unknown(what);
    Ok(())
}

/// The instances of a site that are done before a reader: those that part from it in an earlier statement, and those of the
/// round before it.
fn earlier<'p>(program: &Program, site: &'p Site, reader: &Site) -> Vec<Writer<'p>> {
    let mut found = Vec::new();
    let mut shared: Vec<Counter> = Vec::new();
    for (a, b) in site.path.iter().zip(&reader.path) {
        if a.at != b.at {
            if a.at < b.at && a.level != Level::Grid {
                found.push(Writer { site, shared, earlier: None });
            }
            return found;
        }
        if let Kind::Rounds(c) = a.kind
            && a.level != Level::Grid
            && !program.copies[reader.array].contains(&c)
            && program.counters[c.0].extent != Extent::Open
        {
            found.push(Writer { site, shared: shared.clone(), earlier: Some(c) });
        }
        if a.branch != b.branch {
            // The head of a loop comes before its body.
            if let (Kind::Rounds(c), true) = (a.kind, a.branch < b.branch) {
                shared.push(c);
                found.push(Writer { site, shared, earlier: None });
            }
            return found;
        }
        match a.kind {
            Kind::Share(c) | Kind::Rounds(c) => shared.push(c),
            Kind::Plain => {}
        }
    }
    found
}

/// Start and end of the loops of unknown length that writers are in, and the reader is not.
fn empty_loops(program: &Program, read: &Read<'_>) -> Vec<(Id, Id)> {
    let around: Vec<Counter> = read.site.counters().collect();
    let mut found = Vec::new();
    for c in read.writers.iter().flat_map(|w| w.site.counters()).filter(|c| !around.contains(c)) {
        if let Extent::Steps { start, end, .. } = program.counters[c.0].extent {
            let outer = |id: Id| program.exprs.leaves(id).counters.iter().all(|c| around.contains(c));
            let known = program.exprs.int(start).is_some() && program.exprs.int(end).is_some();
            if !known && outer(start) && outer(end) && !found.contains(&(start, end)) {
                found.push((start, end));
            }
        }
    }
    found
}

fn no_round(encoder: &mut Encoder<'_>, start: Id, end: Id) -> Term {
    let (start, end) = (encoder.value(start, FIRST), encoder.value(end, FIRST));
    let some = encoder.less(U32, start, end);
    encoder.terms.not(some)
}
