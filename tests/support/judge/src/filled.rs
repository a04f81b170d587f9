//! Initialisation: what is read from an array of a block, a warp or a thread has been written before.

use std::collections::HashSet;
use std::io;

use crate::cover::{misses, read_element, writes};
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

/// Asks about every read of an array that the kernel allocates.
pub(crate) fn judge(session: &mut Session<'_>) -> io::Result<()> {
    let program = session.program;
    let mut seen = HashSet::new();
    for site in program.sites.iter().filter(|s| s.access != Access::Write) {
        if program.arrays[site.array].space != Space::Allocated {
            continue;
        }
        let path: Vec<(usize, usize)> = site.path.iter().map(|s| (s.list, s.at)).collect();
        if seen.insert((site.array, site.index, site.when.clone(), path)) {
            read(session, site)?;
        }
    }
    Ok(())
}

fn read(session: &mut Session<'_>, reader: &Site) -> io::Result<()> {
    let program = session.program;
    let sites: Vec<&Site> =
        program.sites.iter().filter(|s| s.array == reader.array && s.access != Access::Read).collect();
    let writers: Vec<Writer<'_>> = sites.iter().flat_map(|site| earlier(program, site, reader)).collect();
    let images = Images::of(program, &writers);
    let name = session.array(reader.array);
    let what = format!("initialisation of `{name}`");
    // Where loops that only writers are in make no round, a model is most likely real.
    let empty = empty_loops(program, &writers, reader);
    for some in if empty.is_empty() { vec![Vec::new()] } else { vec![empty, Vec::new()] } {
        let missing = |encoder: &mut Encoder<'_>| {
            let element = read_element(encoder, reader);
            let mut all = vec![encoder.path(reader, FIRST), encoder.in_array(reader.array, element)];
            all.extend(misses(encoder, &images, &writers, element));
            all.extend(some.iter().map(|&(start, end)| no_round(encoder, start, end)));
            all
        };
        let model = match session.ask(missing)? {
            Outcome::Never if some.is_empty() => return Ok(()),
            Outcome::Never => continue,
            Outcome::Unknown => break,
            Outcome::Model(model) => model,
        };
        let reached = |encoder: &mut Encoder<'_>| {
            let mut all = model.same_launch(encoder);
            all.extend(model.same_counters(encoder, FIRST));
            let element = read_element(encoder, reader);
            let each: Vec<Term> = sites
                .iter()
                .map(|site| {
                    let before = order::before(site, reader);
                    let mut both = vec![encoder.relation(&before, SECOND, FIRST)];
                    if before != Relation::Never {
                        both.extend(program.copies[reader.array].iter().map(|&c| encoder.agree(c, FIRST, SECOND)));
                        both.push(writes(encoder, site, element, SECOND));
                    }
                    encoder.terms.and(&both)
                })
                .collect();
            all.push(encoder.terms.or(&each));
            all
        };
        if !matches!(session.ask(reached)?, Outcome::Never) {
            continue;
        }
        let sure = model.happens(program, reader, FIRST).filter(|_| model.index(program, reader, FIRST).is_some());
        match sure {
            Some(true) => {
                let text = model.text(program, &[(reader, FIRST)]);
                session.found(Finding { fault: Fault::Uninitialised, array: name.into(), model: text });
                return Ok(());
            }
            Some(false) => session.contradiction(&what, name),
            None => {
                session.unknown(format!("{what} by data"));
                return Ok(());
            }
        }
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
fn empty_loops(program: &Program, writers: &[Writer<'_>], reader: &Site) -> Vec<(Id, Id)> {
    let around: Vec<Counter> = reader.counters().collect();
    let mut found = Vec::new();
    for c in writers.iter().flat_map(|w| w.site.counters()).filter(|c| !around.contains(c)) {
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
