//! Bounds: no instance of a site has an index that is not below the length of its array, no row and no column that is asked for is
//! one that there is not.

use std::collections::HashSet;
use std::io;

use crate::encode::{Encoder, FIRST, Mode};
use crate::expr::Id;
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
    let whole = program.sites.iter().filter(|s| program.arrays[s.array].space != Space::Fault);
    let whole = whole.map(|site| Question { site, len: program.lens[site.array] });
    for question in whole.chain(program.sides.iter().map(|(site, len)| Question { site, len: *len })) {
        let Question { site, len } = question;
        let counters: Vec<_> = site.counters().collect();
        let new = seen.insert((site.array, site.index, len, site.when.clone(), counters));
        if !new || inside_by_range(program, question) {
            continue;
        }
        let tested = site.access != Access::Write || site.claim == Claim::Author;
        if tested && program.exprs.leaves(site.index).data {
            session.report.guarded += 1;
            continue;
        }
        open.push(question);
    }
    // All at once, since most kernels have no fault at all.
    let stray = |encoder: &mut Encoder<'_>, questions: &[Question<'_>]| -> Vec<Term> {
        let each: Vec<Term> = questions.iter().map(|&question| strays(encoder, question)).collect();
        vec![encoder.terms.or(&each)]
    };
    if open.len() > 1 && matches!(session.ask(|e| stray(e, &open))?, Outcome::Never) {
        return Ok(());
    }
    for question in open {
        let site = question.site;
        let name = session.array(site.array);
        match session.ask(|e| stray(e, &[question]))? {
            Outcome::Never => {}
            Outcome::Unknown => session.unknown(format!("bounds of `{name}`")),
            // A model of functions that are not followed, such as `leading_zeros`, is no run: the index has no value in it.
            Outcome::Model(model) => match model.happens(program, site, FIRST) {
                Some(true) if model.index(program, site, FIRST).is_some() => {
                    let model = model.text(program, &[(&site.path, FIRST)]);
                    session.found(Finding { fault: Fault::OutOfBounds, array: name.into(), model });
                }
                Some(false) => session.contradiction("bounds", name),
                // A read or an update by what is not known is tested when the kernel runs.
                _ if site.access != Access::Write => session.report.guarded += 1,
                _ => session.unknown(format!("bounds of `{name}` by data")),
            },
        }
    }
    Ok(())
}

/// Whether the site's index is below that.
#[derive(Debug, Clone, Copy)]
struct Question<'p> {
    site: &'p Site,
    len: Id,
}

fn strays(encoder: &mut Encoder<'_>, Question { site, len }: Question<'_>) -> Term {
    let path = encoder.path(site, FIRST);
    let (index, len) = (encoder.value(site.index, FIRST), encoder.value(len, FIRST));
    let inside = encoder.less(U32, index, len);
    let outside = encoder.terms.not(inside);
    encoder.terms.and(&[path, outside])
}

/// Whether the ranges of the counters are enough.
fn inside_by_range(program: &Program, Question { site, len }: Question<'_>) -> bool {
    let mut encoder = Encoder::new(program, Mode::Integers);
    let (index, len) = (encoder.value(site.index, FIRST), encoder.value(len, FIRST));
    index.high < len.low
}
