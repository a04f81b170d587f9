//! The loops over threads in a block's code, each visited with the sites of what stands around it.

use std::convert::Infallible;

use super::sites::{Look, Sites};
use crate::program::scoped::{Around, Visitor, visit};
use crate::program::{Block, Stmt, StmtKind};

/// Visits every `ForAll` and its body in order. A loop around it is one unknown round; of warps, all rounds are seen where
/// their number is known, and none where it is not.
pub(crate) fn for_alls<'p>(
    sites: &mut Sites<'p>,
    block: &'p Block,
    each: &mut dyn FnMut(&mut Sites<'p>, &'p Stmt, &'p Block),
) {
    let Ok(_) = visit(&mut Leaves { sites, each }, block, false);
}

struct Leaves<'w, 'p> {
    sites: &'w mut Sites<'p>,
    each: &'w mut dyn FnMut(&mut Sites<'p>, &'p Stmt, &'p Block),
}

impl<'p> Visitor<'p> for Leaves<'_, 'p> {
    /// Whether the list is a loop whose rounds are lanes.
    type Scope = bool;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, _: &bool) -> Result<Option<bool>, Infallible> {
        let StmtKind::ForAll { body, .. } = &stmt.kind else { return Ok(Some(false)) };
        (self.each)(self.sites, stmt, body);
        Ok(None)
    }

    fn enter(&mut self, around: Around, _: &'p Block, _: &bool) -> Result<Option<bool>, Infallible> {
        let lanes = self.sites.enter_around(around, Look::Symbol);
        Ok((lanes || !around.is_warps()).then_some(lanes))
    }

    fn leave(&mut self, _: Around, _: &bool, lanes: &bool) {
        if *lanes {
            self.sites.leave();
        }
    }

    fn end(&mut self, stmt: &'p Stmt, scope: bool) -> Result<bool, Infallible> {
        self.sites.name_of(stmt);
        Ok(scope)
    }
}
