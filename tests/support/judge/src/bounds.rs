//! Bounds: no instance of a site has an index that is not below the length of its array.

use std::collections::HashSet;
use std::io;

use crate::encode::{Encoder, FIRST, Mode};
use crate::session::{Outcome, Session};
use crate::site::{Access, Program, Site};
use crate::smt::Term;
use crate::text::{Claim, Space, U32};
use crate::verdict::{Fault, Finding};

/// Asks about every site that is not tested when the kernel runs.
pub(crate) fn judge(session: &mut Session<'_>) -> io::Result<()> {
    let program = session.program;
    let mut seen = HashSet::new();
    let mut open = Vec::new();
    for site in program.sites.iter().filter(|s| program.arrays[s.array].space != Space::Fault) {
        let counters: Vec<_> = site.counters().collect();
        if !seen.insert((site.array, site.index, site.when.clone(), counters)) || inside_by_range(program, site) {
            continue;
        }
        let tested = site.access != Access::Write || site.claim == Claim::Author;
        if tested && program.exprs.leaves(site.index).data {
            session.report.guarded += 1;
            continue;
        }
        open.push(site);
    }
    // All at once, since most kernels have no fault at all.
    let stray = |encoder: &mut Encoder<'_>, sites: &[&Site]| -> Vec<Term> {
        let each: Vec<Term> = sites.iter().map(|site| strays(encoder, site)).collect();
        vec![encoder.terms.or(&each)]
    };
    if open.len() > 1 && matches!(session.ask(|e| stray(e, &open))?, Outcome::Never) {
        return Ok(());
    }
    for site in open {
        let name = session.array(site.array);
        match session.ask(|e| stray(e, &[site]))? {
            Outcome::Never => {}
            Outcome::Unknown => session.unknown(format!("bounds of `{name}`")),
            Outcome::Model(model) => match model.happens(program, site, FIRST) {
                Some(true) => {
                    let model = model.text(program, &[(&site.path, FIRST)]);
                    session.found(Finding { fault: Fault::OutOfBounds, array: name.into(), model });
                }
                Some(false) => session.contradiction("bounds", name),
                // A read or an update by what is not known is tested when the kernel runs.
                None if site.access != Access::Write => session.report.guarded += 1,
                None => session.unknown(format!("bounds of `{name}` by data")),
            },
        }
    }
    Ok(())
}

fn strays(encoder: &mut Encoder<'_>, site: &Site) -> Term {
    let path = encoder.path(site, FIRST);
    let (index, len) = (encoder.value(site.index, FIRST), encoder.len(site.array, FIRST));
    let inside = encoder.less(U32, index, len);
    let outside = encoder.terms.not(inside);
    encoder.terms.and(&[path, outside])
}

/// Whether the ranges of the counters are enough.
fn inside_by_range(program: &Program, site: &Site) -> bool {
    let mut encoder = Encoder::new(program, Mode::Integers);
    let (index, len) = (encoder.value(site.index, FIRST), encoder.len(site.array, FIRST));
    index.high < len.low
}
