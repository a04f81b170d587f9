//! Barriers and vectors: every barrier is met by all threads that it waits for, in the same rounds; every vector lies at a
//! multiple of its size.

use std::io;

use super::Threads;
use crate::encode::{Encoder, FIRST, Instance, SECOND};
use crate::expr::{Counter, Id};
use crate::session::{Model, Outcome, Session};
use crate::site::{self, Barrier, Program, Vector};
use crate::smt::Term;
use crate::text::{Level, Op, Space, U32};
use crate::verdict::{Fault, Finding};

/// What a buffer's address is a multiple of.
const BUFFER_ALIGN: u32 = 16;

/// Asks about every barrier that may be missed, and every vector.
pub(crate) fn judge(session: &mut Session<'_>, threads: Threads) -> io::Result<()> {
    let program = session.program;
    for barrier in &program.barriers {
        missed(session, threads, barrier)?;
    }
    for vector in &program.vectors {
        crooked(session, vector)?;
    }
    Ok(())
}

/// What the way to a barrier depends on, where that is not the same for all threads.
fn ways(program: &Program, threads: Threads, barrier: &Barrier) -> bool {
    let loops = site::counters(&barrier.path).filter(|c| *c != threads.thread);
    let own = |id: Id| program.exprs.leaves(id).counters.contains(&threads.thread);
    loops.into_iter().any(|c| program.extent_asks(c, &[threads.thread]))
        || barrier.when.iter().any(|&(cond, _)| own(cond))
}

/// Whether one thread comes to a barrier and another, that it waits for, does not.
fn missed(session: &mut Session<'_>, threads: Threads, barrier: &Barrier) -> io::Result<()> {
    let program = session.program;
    if !ways(program, threads, barrier) {
        return Ok(());
    }
    let counters: Vec<Counter> = site::counters(&barrier.path).collect();
    let asked = |encoder: &mut Encoder<'_>| -> Vec<Term> {
        let comes = encoder.happens(&counters, &barrier.when, FIRST);
        let other = encoder.happens(&counters, &barrier.when, SECOND);
        let mut all = vec![comes, encoder.terms.not(other)];
        for &c in counters.iter().filter(|c| **c != threads.thread) {
            all.push(encoder.agree(c, FIRST, SECOND));
        }
        all.push(encoder.happens(&[threads.thread], &[], SECOND));
        if barrier.level == Level::Warp {
            all.push(same(encoder, threads.warp));
        }
        all
    };
    match session.ask(asked)? {
        Outcome::Never => {}
        Outcome::Unknown => session.unknown("barriers".to_string()),
        Outcome::Model(model) => match is_missed(program, barrier, &model) {
            Some(true) => {
                let model = model.text(program, &[(&barrier.path, FIRST), (&barrier.path, SECOND)]);
                session.found(Finding { fault: Fault::Divergence, array: "sync".into(), model });
            }
            Some(false) => session.contradiction("barriers", "sync"),
            None => session.report.by_data += 1,
        },
    }
    Ok(())
}

fn is_missed(program: &Program, barrier: &Barrier, model: &Model) -> Option<bool> {
    let comes = |instance: Instance| model.comes_to(program, &barrier.path, &barrier.when, instance);
    Some(comes(FIRST)? && !comes(SECOND)?)
}

/// That an expression has one value for both instances.
pub(super) fn same(encoder: &mut Encoder<'_>, id: Id) -> Term {
    let (a, b) = (encoder.value(id, FIRST), encoder.value(id, SECOND));
    encoder.terms.equal(a.term, b.term)
}

fn crooked(session: &mut Session<'_>, vector: &Vector) -> io::Result<()> {
    let (program, site) = (session.program, &vector.first);
    let array = &program.arrays[site.array];
    let size = array.ty.bytes();
    let align = size * vector.len;
    let offset = match (array.space, array.place) {
        (Space::Allocated, Some(place)) => place.offset,
        (Space::Allocated, None) => return Ok(()),
        _ => 0,
    };
    let name = session.array(site.array);
    let crooked_at = |index: i128| (i128::from(offset) + index * i128::from(size)) % i128::from(align) != 0;
    let outcome = session.ask(|encoder| {
        let path = encoder.path(site, FIRST);
        let index = encoder.value(site.index, FIRST);
        let (size, offset) = (encoder.constant(size.into(), U32), encoder.constant(offset.into(), U32));
        let (align, zero) = (encoder.constant(align.into(), U32), encoder.constant(0, U32));
        let place = encoder.times(index, size);
        let place = encoder.plus(place, offset);
        let rest = encoder.binary(Op::Rem, U32, place, align);
        let even = encoder.terms.equal(rest.term, zero.term);
        vec![path, encoder.terms.not(even)]
    })?;
    if align > BUFFER_ALIGN {
        session.found(Finding {
            fault: Fault::Misaligned,
            array: name.into(),
            model: format!("{align} bytes at once"),
        });
        return Ok(());
    }
    match outcome {
        Outcome::Never => {}
        Outcome::Unknown => session.unknown(format!("vectors of `{name}`")),
        Outcome::Model(model) => match model.happens(program, site, FIRST) {
            Some(true) if model.index(program, site, FIRST).is_some_and(crooked_at) => {
                let model = model.text(program, &[(&site.path, FIRST)]);
                session.found(Finding { fault: Fault::Misaligned, array: name.into(), model });
            }
            Some(_) => session.contradiction("vectors", name),
            None => session.unknown(format!("vectors of `{name}` by data")),
        },
    }
    Ok(())
}
