//! The loops over threads in a block's code, each visited with the sites of what stands around it.

use super::sites::Sites;
use crate::level::Level;
use crate::passes::walk;
use crate::program::{Block, Stmt, StmtKind};

/// Visits every `ForAll` and its body in order. A loop around it is one unknown round; of warps, all rounds are seen where
/// their number is known, and none where it is not.
pub(crate) fn for_alls(sites: &mut Sites<'_>, block: &Block, visit: &mut dyn FnMut(&mut Sites<'_>, &Stmt, &Block)) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::ForAll { body, .. } => visit(sites, stmt, body),
            StmtKind::Let { var, value } => sites.name(*var, *value),
            StmtKind::SeqFor { var, body, .. } => {
                sites.symbol(*var);
                for_alls(sites, body, visit);
            }
            StmtKind::DistrPar { level: Level::Warp, var, n, body } => {
                if sites.enter_warps(*var, *n).is_some() {
                    for_alls(sites, body, visit);
                    sites.leave();
                }
            }
            StmtKind::DistrPar { var, body, .. } => {
                sites.symbol(*var);
                for_alls(sites, body, visit);
            }
            kind => walk::nested(kind).for_each(|inner| for_alls(sites, inner, visit)),
        }
    }
}
