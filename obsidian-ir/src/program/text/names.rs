//! How the text tells arrays and scalar parameters apart, whatever their authors have called them.
//!
//! An array that the program allocates has the number that its name ends in; the others have the least numbers that are
//! left, in the order of the text. Where that is not so, or two arrays share a name, the number is written: `s1@4`.

use crate::program::walk;
use crate::program::{ArrayId, Block, Expr, ParamId, ParamKind, Program, Space, StmtKind};
use crate::tables::HashSet;

/// Numbers above this are not taken from a name: a text of one line must not make a table of millions.
pub(super) const MAX_NUMBER: u32 = 1 << 20;

/// Names that stand for something else than a parameter.
pub(super) const RESERVED: [&str; 9] = ["tid", "warp", "lane", "block", "blocks", "true", "false", "inf", "NaN"];

/// An array as a text declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub name: String,
    /// The number that is written, if any.
    pub number: Option<u32>,
    /// Whether a statement or a line of the head allocates it; else a parameter does.
    pub allocated: bool,
}

/// The number of each array that a text declares, in its order.
pub(super) fn numbers(declared: &[Declared]) -> Vec<u32> {
    let mut taken: HashSet<u32> = declared.iter().filter_map(|d| d.number).collect();
    let mut out: Vec<Option<u32>> = declared.iter().map(|d| d.number).collect();
    for (d, number) in declared.iter().zip(&mut out) {
        if let (None, true, Some(n)) = (d.number, d.allocated, final_number(&d.name))
            && taken.insert(n)
        {
            *number = Some(n);
        }
    }
    let mut next = 0;
    let mut free = || {
        while !taken.insert(next) {
            next += 1;
        }
        next
    };
    out.into_iter().map(|number| number.unwrap_or_else(&mut free)).collect()
}

/// The number that a name ends in.
pub(super) fn final_number(name: &str) -> Option<u32> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = name.get(name.len() - digits..)?;
    // `s01` and `s1` are two names.
    let plain = !number.is_empty() && (number == "0" || !number.starts_with('0'));
    number.parse().ok().filter(|n| plain && *n <= MAX_NUMBER)
}

/// What the arrays and scalar parameters of a program are called in its text.
pub(super) struct Names {
    /// The arrays that no parameter and no statement brings, though some statement touches them.
    pub unallocated: Vec<ArrayId>,
    /// Whether an array's number is written.
    numbered: HashSet<ArrayId>,
    /// The parameters that would be taken for a variable or a register.
    ambiguous: HashSet<ParamId>,
}

impl Names {
    pub(super) fn new(p: &Program) -> Names {
        let (mut allocated, mut touched) = (Vec::new(), HashSet::default());
        collect(p, &p.body, &mut allocated, &mut touched);
        let params: Vec<ArrayId> = p.params.iter().flat_map(|param| arrays_of(&param.kind).iter().copied()).collect();
        let brought: HashSet<ArrayId> = allocated.iter().chain(&params).copied().collect();
        let mut unallocated: Vec<ArrayId> = touched.difference(&brought).copied().collect();
        unallocated.sort_unstable();
        let order: Vec<(ArrayId, bool)> = params
            .iter()
            .map(|&a| (a, false))
            .chain(unallocated.iter().chain(&allocated).map(|&a| (a, true)))
            .collect();
        let vars: HashSet<&str> = p.vars.iter().map(|v| v.name.as_str()).collect();
        let ambiguous = |param: &&ParamId| {
            let name = p.param(**param).name.as_str();
            RESERVED.contains(&name) || vars.contains(name)
        };
        let ids: Vec<ParamId> = (0..p.params.len() as u32).map(ParamId).collect();
        let ambiguous = ids.iter().filter(ambiguous).copied().collect();
        Names { unallocated, numbered: numbered(p, &order), ambiguous }
    }

    /// What an array is called.
    pub(super) fn array(&self, p: &Program, id: ArrayId) -> String {
        let name = &p.array(id).name;
        if self.numbered.contains(&id) { format!("{name}@{}", id.0) } else { name.clone() }
    }

    /// The number that is written where a parameter's array is declared.
    pub(super) fn number(&self, id: ArrayId) -> String {
        if self.numbered.contains(&id) { format!("@{}", id.0) } else { String::new() }
    }

    /// What a scalar parameter is called.
    pub(super) fn scalar(&self, p: &Program, id: ParamId) -> String {
        let name = &p.param(id).name;
        if self.ambiguous.contains(&id) { format!("arg({name})") } else { name.clone() }
    }
}

/// The arrays whose number is not the one that a reader would give them.
fn numbered(p: &Program, order: &[(ArrayId, bool)]) -> HashSet<ArrayId> {
    let mut seen = HashSet::default();
    let twice: HashSet<&str> =
        order.iter().map(|(a, _)| p.array(*a).name.as_str()).filter(|name| !seen.insert(*name)).collect();
    let mut written: HashSet<ArrayId> =
        order.iter().map(|(a, _)| *a).filter(|a| twice.contains(p.array(*a).name.as_str())).collect();
    loop {
        let declared = |&(a, allocated): &(ArrayId, bool)| Declared {
            name: p.array(a).name.clone(),
            number: written.contains(&a).then_some(a.0),
            allocated,
        };
        let declared: Vec<Declared> = order.iter().map(declared).collect();
        let given = numbers(&declared);
        let wrong: Vec<ArrayId> =
            order.iter().zip(given).filter(|((a, _), n)| a.0 != *n).map(|((a, _), _)| *a).collect();
        if wrong.is_empty() {
            return written;
        }
        written.extend(wrong);
    }
}

/// The arrays of a parameter.
pub(super) fn arrays_of(kind: &ParamKind) -> &[ArrayId] {
    match kind {
        ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. } => arrays,
        ParamKind::Fault(array) => std::slice::from_ref(array),
        ParamKind::Scalar(_) => &[],
    }
}

/// The arrays that a list allocates, in its order and once each, and all that it touches.
fn collect(p: &Program, list: &Block, allocated: &mut Vec<ArrayId>, touched: &mut HashSet<ArrayId>) {
    let mut roots = Vec::new();
    gather(list, allocated, touched, &mut roots);
    for id in walk::reachable(&p.exprs, roots, |_| false) {
        if let Expr::Load(array, _) = p.exprs.expr(id) {
            touched.insert(array);
        }
    }
}

fn gather(
    list: &Block,
    allocated: &mut Vec<ArrayId>,
    touched: &mut HashSet<ArrayId>,
    roots: &mut Vec<crate::program::ExprId>,
) {
    for stmt in list {
        roots.extend(walk::direct(&stmt.kind));
        match &stmt.kind {
            StmtKind::Allocate { array } if !allocated.contains(array) => allocated.push(*array),
            StmtKind::Assign { array, .. }
            | StmtKind::Atomic { array, .. }
            | StmtKind::LoadVector { array, .. }
            | StmtKind::StoreVector { array, .. }
            | StmtKind::Copy { array, .. } => {
                touched.insert(*array);
            }
            _ => {}
        }
        walk::nested(&stmt.kind).for_each(|inner| gather(inner, allocated, touched, roots));
    }
}

/// The words that say where an array lives.
pub(super) fn space(space: Space) -> String {
    match space {
        Space::Shared(level) => format!("shared per {level}"),
        Space::Local => "local".to_string(),
        Space::Lanes => "lanes".to_string(),
        Space::Registers => "registers".to_string(),
        Space::Global(_) => "global".to_string(),
    }
}
