//! Covering: every element of an output is written by some instance.

use std::io;

use crate::encode::{Encoder, Instance, SECOND, Value};
use crate::image::Images;
use crate::session::{Outcome, Session};
use crate::site::{Access, Site};
use crate::smt::Term;
use crate::text::{Claim, Space};
use crate::verdict::{Fault, Finding};
use crate::witness::{self, Writer};

/// Sites whose instances are guessed one by one.
const MAX_GUESSES: usize = 64;

/// Asks about every output of which no element is written in `unsafe`.
pub(crate) fn judge(session: &mut Session<'_>) -> io::Result<()> {
    let program = session.program;
    for (array, declared) in program.arrays.iter().enumerate() {
        let sites: Vec<&Site> = program.sites.iter().filter(|s| s.array == array && s.access != Access::Read).collect();
        if declared.space != Space::Output || sites.iter().any(|s| s.claim == Claim::Author) {
            continue;
        }
        let writer = |site| Writer { site, shared: Vec::new(), earlier: None };
        let writers: Vec<Writer<'_>> = sites.iter().map(|s| writer(*s)).collect();
        let images = Images::of(program, &writers);
        let missing = |encoder: &mut Encoder<'_>| {
            let element = encoder.any_element();
            let mut all = vec![encoder.in_array(array, element)];
            all.extend(misses(encoder, &images, &writers, element));
            all
        };
        let what = format!("covering of `{}`", declared.name);
        let model = match session.ask(missing)? {
            Outcome::Never => continue,
            Outcome::Unknown => {
                session.unknown(what);
                continue;
            }
            Outcome::Model(model) => model,
        };
        // The guesses miss it; does everybody?
        let reached = |encoder: &mut Encoder<'_>| {
            let mut all = model.same_launch(encoder);
            all.extend(model.element.map(|e| encoder.element_is(e)));
            let element = encoder.any_element();
            let each: Vec<Term> = sites.iter().map(|site| writes(encoder, site, element, SECOND)).collect();
            all.push(encoder.terms.or(&each));
            all
        };
        match session.ask(reached)? {
            Outcome::Never => {
                let text = model.text(program, &[]);
                session.found(Finding { fault: Fault::Unwritten, array: declared.name.clone(), model: text });
            }
            Outcome::Model(_) | Outcome::Unknown => session.unknown(what),
        }
    }
    Ok(())
}

/// That an instance writes an element.
pub(crate) fn writes(encoder: &mut Encoder<'_>, site: &Site, element: Value, instance: Instance) -> Term {
    let both = [encoder.path(site, instance), encoder.reaches(site.index, instance, element)];
    encoder.terms.and(&both)
}

/// That none of the guesses writes an element.
pub(crate) fn misses(
    encoder: &mut Encoder<'_>,
    images: &Images<'_, '_>,
    writers: &[Writer<'_>],
    element: Value,
) -> Vec<Term> {
    encoder.element = Some(element);
    let mut hits = images.hits(encoder, element);
    if writers.len() <= MAX_GUESSES {
        hits.extend(writers.iter().filter_map(|w| witness::hit(encoder, w, element)));
    }
    hits.into_iter().map(|hit| encoder.terms.not(hit)).collect()
}
