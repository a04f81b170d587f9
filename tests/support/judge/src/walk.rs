//! From statements to sites: the walk that notes every access with its path, and what each name stands for on the way.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::expr::{Counter, Id, Node};
use crate::machine::{Met, make_round_conditions};
use crate::resolve::{Resolved, Scope};
use crate::site::{Access, Barrier, CounterInfo, Extent, Kind, Program, Site, Step, Vector};
use crate::text::{Array, Claim, Kernel, Level, Raw, Stmt, Type, U32, argument};

impl Program {
    /// The sites of a kernel.
    pub(crate) fn of(kernel: &Kernel) -> Resolved<Program> {
        let mut scope = Scope { arrays: kernel.arrays.clone(), ..Scope::default() };
        written(&kernel.body, &mut scope.written);
        let copies = vec![Vec::new(); kernel.arrays.len()];
        let mut walk = Walk { scope, copies, ..Walk::default() };
        for (i, array) in kernel.arrays.iter().enumerate() {
            walk.scope.array_of.insert(array.name.clone(), i);
        }
        for (name, ty) in &kernel.scalars {
            let id = walk.scope.exprs.add(Node::Launch(name.as_str().into()), *ty);
            walk.scope.names.extend([name.clone(), argument(name)].map(|name| (name, id)));
        }
        let checks = kernel.checks.iter().map(|c| walk.scope.cond(c)).collect::<Resolved<_>>()?;
        let lens = kernel.arrays.iter().map(|a| walk.scope.index(&a.len)).collect::<Resolved<_>>()?;
        walk.list(&kernel.body, Level::Grid, &mut Where::default())?;
        let Walk { scope: Scope { exprs, arrays, .. }, counters, sites, sides, barriers, vectors, met, copies, .. } =
            walk;
        let (name, scalars) = (kernel.name.clone(), kernel.scalars.clone());
        Ok(Program {
            name,
            exprs,
            arrays,
            lens,
            copies,
            counters,
            checks,
            sites,
            sides,
            barriers,
            vectors,
            met,
            scalars,
        })
    }
}

/// The names of arrays that are written.
fn written(list: &[Stmt], found: &mut HashSet<String>) {
    for stmt in list {
        if let Stmt::Assign { array, .. } | Stmt::Atomic { array, .. } = stmt {
            found.insert(array.clone());
        }
        nested(stmt).into_iter().for_each(|inner| written(inner, found));
    }
}

/// The lists inside a statement.
fn nested(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::If { then, els, .. } => vec![then, els],
        Stmt::While { head, body, .. } => vec![head, body],
        Stmt::Seq { body, .. } | Stmt::Share { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The variables that a list sets.
fn set(list: &[Stmt], found: &mut BTreeSet<String>) {
    for stmt in list {
        if let Stmt::Set { var, .. } = stmt {
            found.insert(var.clone());
        }
        nested(stmt).into_iter().for_each(|inner| set(inner, found));
    }
}

/// The way to a statement.
#[derive(Debug, Clone, Default)]
struct Where {
    path: Vec<Step>,
    when: Vec<(Id, bool)>,
}

#[derive(Default)]
struct Walk {
    scope: Scope,
    counters: Vec<CounterInfo>,
    sites: Vec<Site>,
    sides: Vec<(Site, Id)>,
    barriers: Vec<Barrier>,
    vectors: Vec<Vector>,
    copies: Vec<Vec<Counter>>,
    met: Vec<Vec<Met>>,
    /// When a barrier was met in what was walked last.
    last: Met,
}

impl Walk {
    fn list(&mut self, list: &[Stmt], level: Level, here: &mut Where) -> Resolved<()> {
        let number = self.met.len();
        self.met.push(Vec::with_capacity(list.len()));
        for (at, stmt) in list.iter().enumerate() {
            here.path.push(Step { list: number, level, at, kind: Kind::Plain, branch: 0 });
            self.last = Met::default();
            self.stmt(stmt, level, here)?;
            let met = std::mem::take(&mut self.last);
            self.met[number].push(met);
            here.path.pop();
        }
        self.last = Met::any(&self.met[number]);
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, level: Level, here: &mut Where) -> Resolved<()> {
        match stmt {
            Stmt::Assign { claim, array, index, value } => {
                self.reads(index, here)?;
                self.reads(value, here)?;
                self.site(Access::Write, array, index, *claim, here)
            }
            Stmt::Atomic { claim, array, index, values, old } => {
                self.reads(index, here)?;
                values.iter().try_for_each(|v| self.reads(v, here))?;
                self.site(Access::Atomic, array, index, *claim, here)?;
                if let Some(old) = old {
                    let ty = self.scope.arrays[self.scope.array(array)?].ty;
                    self.forget(old, ty);
                }
                Ok(())
            }
            Stmt::Let { var, ty, value } => self.name(var, value, *ty, here),
            Stmt::Local { var, ty, init: Some(value) } => self.name(var, value, Some(*ty), here),
            Stmt::Local { var, ty, init: None } => {
                self.forget(var, *ty);
                Ok(())
            }
            Stmt::Set { var, value } => {
                let ty = self.scope.ty(&Raw::Name(var.clone()));
                self.name(var, value, ty, here)
            }
            Stmt::Shuffle { var, value, mask } => {
                self.reads(value, here)?;
                let ty = self.scope.ty(value).filter(|_| !mask).unwrap_or(U32);
                self.forget(var, ty);
                Ok(())
            }
            Stmt::Allocate { array } => {
                let Array { name, len, .. } = self.scope.arrays[*array].clone();
                self.scope.index(&len)?;
                self.copies[*array] = self.scope.counters.clone();
                self.scope.array_of.insert(name, *array);
                Ok(())
            }
            Stmt::Sync(scope) => {
                self.last = Met::at(*scope);
                self.barriers.push(Barrier { level: *scope, path: here.path.clone(), when: here.when.clone() });
                Ok(())
            }
            Stmt::Vector { array, index, len } => {
                let first = self.made(Access::Read, array, index, Claim::Compiler, here)?;
                self.vectors.push(Vector { first, len: *len });
                Ok(())
            }
            Stmt::Print { values } => values.iter().try_for_each(|v| self.reads(v, here)),
            Stmt::Abbreviate { name, value } => {
                self.scope.abbreviations.insert(name.clone(), value.clone());
                Ok(())
            }
            Stmt::If { .. } => self.branch(stmt, level, here),
            Stmt::Seq { .. } | Stmt::While { .. } => self.rounds(stmt, level, here),
            Stmt::Share { level: inner, var, n, body } => {
                self.reads(n, here)?;
                let n = self.scope.index(n)?;
                let c = self.open(var, Extent::Below(n), Some(*inner));
                self.inside(body, (Kind::Share(c), 0), *inner, None, here)?;
                if *inner == Level::Block {
                    self.last = std::mem::take(&mut self.last).outside(&self.scope.exprs, c).perhaps();
                }
                self.close();
                Ok(())
            }
        }
    }

    /// `var` stands for a value from here on.
    fn name(&mut self, var: &str, value: &Raw, ty: Option<Type>, here: &mut Where) -> Resolved<()> {
        self.reads(value, here)?;
        let Some(ty) = ty.or_else(|| self.scope.ty(value)) else {
            self.scope.untyped.insert(var.to_string());
            return Ok(());
        };
        let id = self.scope.typed(value, Some(ty))?;
        self.scope.names.insert(var.to_string(), id);
        Ok(())
    }

    /// Nothing is known of `var` from here on.
    fn forget(&mut self, var: &str, ty: Type) {
        let id = self.scope.unknown(ty);
        self.scope.names.insert(var.to_string(), id);
    }

    fn open(&mut self, var: &str, extent: Extent, member: Option<Level>) -> Counter {
        let c = Counter(self.counters.len());
        self.counters.push(CounterInfo { name: var.to_string(), extent, member });
        let id = self.scope.exprs.add(Node::Counter(c), U32);
        self.scope.names.insert(var.to_string(), id);
        self.scope.counters.push(c);
        c
    }

    fn close(&mut self) {
        self.scope.counters.pop();
    }

    /// A list inside the statement that `here` ends with, where `cond` has a value.
    fn inside(
        &mut self,
        list: &[Stmt],
        (kind, branch): (Kind, u8),
        level: Level,
        cond: Option<(Id, bool)>,
        here: &mut Where,
    ) -> Resolved<()> {
        let depth = here.path.len() - 1;
        let plain = here.path[depth];
        here.path[depth] = Step { kind, branch, ..plain };
        here.when.extend(cond);
        let done = self.list(list, level, here);
        here.when.truncate(here.when.len() - usize::from(cond.is_some()));
        here.path[depth] = plain;
        done
    }

    fn branch(&mut self, stmt: &Stmt, level: Level, here: &mut Where) -> Resolved<()> {
        let Stmt::If { cond, then, els } = stmt else { return Ok(()) };
        self.reads(cond, here)?;
        let cond = self.scope.cond(cond)?;
        let before = self.scope.names.clone();
        self.inside(then, (Kind::Plain, 1), level, Some((cond, true)), here)?;
        let met = std::mem::take(&mut self.last);
        let after = std::mem::replace(&mut self.scope.names, before.clone());
        self.inside(els, (Kind::Plain, 2), level, Some((cond, false)), here)?;
        self.last = met.when(cond, true).or(std::mem::take(&mut self.last).when(cond, false));
        let other = std::mem::replace(&mut self.scope.names, before);
        let mut names: Vec<String> = self.scope.names.keys().cloned().collect();
        // Expressions are made in this order, which must not change from run to run.
        names.sort();
        let joined: HashMap<String, Id> =
            names.into_iter().map(|n| (self.join(cond, after[&n], other[&n]), n)).map(|(id, n)| (n, id)).collect();
        self.scope.names = joined;
        Ok(())
    }

    /// Loops: what the body sets is unknown at its head and after it.
    fn rounds(&mut self, stmt: &Stmt, level: Level, here: &mut Where) -> Resolved<()> {
        let (var, extent) = match stmt {
            Stmt::Seq { var, start, end, step, .. } => {
                for e in [start, end, step] {
                    self.reads(e, here)?;
                }
                let extent = Extent::Steps {
                    start: self.scope.index(start)?,
                    end: self.scope.index(end)?,
                    step: self.scope.index(step)?,
                };
                (var.clone(), extent)
            }
            _ => (format!("round{}", self.counters.len()), Extent::Open),
        };
        let mut changed = BTreeSet::new();
        nested(stmt).into_iter().for_each(|list| set(list, &mut changed));
        let types: Vec<_> =
            changed.into_iter().filter_map(|v| Some((self.scope.ty(&Raw::Name(v.clone()))?, v))).collect();
        let c = self.open(&var, extent, None);
        types.iter().for_each(|(ty, v)| self.forget(v, *ty));
        match stmt {
            Stmt::Seq { body, .. } => {
                self.inside(body, (Kind::Rounds(c), 0), level, None, here)?;
                let met = std::mem::take(&mut self.last).outside(&self.scope.exprs, c);
                if met != Met::default() {
                    make_round_conditions(&mut self.scope.exprs, c, &self.counters[c.0].extent);
                }
                self.last = met.when_there_are_rounds(&mut self.scope.exprs, &self.counters[c.0].extent);
            }
            Stmt::While { head, cond, body } => {
                self.inside(head, (Kind::Rounds(c), 1), level, None, here)?;
                let met = std::mem::take(&mut self.last);
                let test = vec![Stmt::If { cond: cond.clone(), then: body.clone(), els: Vec::new() }];
                self.inside(&test, (Kind::Rounds(c), 2), level, None, here)?;
                self.last = met.or(std::mem::take(&mut self.last)).outside(&self.scope.exprs, c);
            }
            _ => {}
        }
        self.close();
        types.iter().for_each(|(ty, v)| self.forget(v, *ty));
        Ok(())
    }

    /// Notes the loads of an expression; what a side of a choice reads happens only where it is chosen.
    fn reads(&mut self, raw: &Raw, here: &mut Where) -> Resolved<()> {
        match raw {
            Raw::Int(..) | Raw::Real(..) | Raw::Bool(_) | Raw::Len(_) => Ok(()),
            Raw::Name(name) => match self.scope.abbreviations.get(name).cloned() {
                Some(raw) => self.reads(&raw, here),
                None => Ok(()),
            },
            Raw::Load(array, index) => {
                self.reads(index, here)?;
                self.site(Access::Read, array, index, Claim::Compiler, here)
            }
            Raw::Within(load, sides) => {
                self.reads(load, here)?;
                sides.iter().try_for_each(|side| self.asks(load, side, here))
            }
            Raw::Neg(a) | Raw::Not(a) | Raw::Cast(a, _) | Raw::Bits(a, _) => self.reads(a, here),
            Raw::Bin(_, ab) => {
                self.reads(&ab.0, here)?;
                self.reads(&ab.1, here)
            }
            Raw::Call(_, args) => args.iter().try_for_each(|a| self.reads(a, here)),
            Raw::Select(cab) => {
                let (c, a, b) = &**cab;
                self.reads(c, here)?;
                let cond = self.scope.cond(c)?;
                for (side, holds) in [(a, true), (b, false)] {
                    here.when.push((cond, holds));
                    self.reads(side, here)?;
                    here.when.pop();
                }
                Ok(())
            }
        }
    }

    /// Notes that a load asks for a row or a column, and how many there are.
    fn asks(&mut self, load: &Raw, (at, len): &(Raw, Raw), here: &Where) -> Resolved<()> {
        let Raw::Load(array, _) = load else { return Err("what has rows and columns is a load".into()) };
        let site = self.made(Access::Read, array, at, Claim::Compiler, here)?;
        let len = self.scope.index(len)?;
        self.sides.push((site, len));
        Ok(())
    }

    fn site(&mut self, access: Access, array: &str, index: &Raw, claim: Claim, here: &Where) -> Resolved<()> {
        let site = self.made(access, array, index, claim, here)?;
        self.sites.push(site);
        Ok(())
    }

    fn made(&mut self, access: Access, array: &str, index: &Raw, claim: Claim, here: &Where) -> Resolved<Site> {
        let (array, index) = (self.scope.array(array)?, self.scope.index(index)?);
        let element = self.scope.exprs.add(Node::Element, U32);
        let replaced = |&(cond, holds): &(Id, bool)| (self.scope.exprs.replace(cond, index, element), holds);
        let when_element = here.when.iter().map(replaced).collect();
        let (path, when) = (here.path.clone(), here.when.clone());
        Ok(Site { access, array, index, path, when, when_element, claim })
    }

    /// What a variable is after a branch.
    fn join(&mut self, cond: Id, then: Id, els: Id) -> Id {
        if then == els {
            return then;
        }
        let ty = self.scope.exprs.ty(then);
        self.scope.exprs.add(Node::Select(cond, then, els), ty)
    }
}
