//! Scopes: names to slots, and the variables that closures capture.

use std::collections::HashMap;

use super::arena::TyId;
use crate::syntax::ast::Mutability;

/// A variable in scope.
#[derive(Debug, Clone)]
pub struct Local {
    /// Its slot in the frame that was asked.
    pub slot: u32,
    /// Its type.
    pub ty: TyId,
    /// Whether it may be assigned.
    pub mutable: Mutability,
    /// What its name stands for.
    pub form: Form,
    /// Whether the frame that was asked made it, or captured it.
    pub home: Home,
}

/// What a variable's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Its value.
    Value,
    /// A program that is evaluated wherever the name stands.
    ByName,
}

/// Where a variable lives, seen from a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In this frame.
    Here,
    /// Copied from the frame around it.
    Captured,
}

/// The slots of a function or of a closure.
#[derive(Debug, Default)]
struct Frame {
    scopes: Vec<HashMap<String, Local>>,
    slots: u32,
    captures: Vec<(u32, u32)>,
}

/// The frames around the expression being checked, outermost first.
#[derive(Debug)]
pub struct Scopes {
    frames: Vec<Frame>,
}

impl Scopes {
    /// One empty frame.
    pub fn new() -> Scopes {
        let mut scopes = Scopes { frames: Vec::new() };
        scopes.open_frame();
        scopes
    }

    /// Enters a closure.
    pub fn open_frame(&mut self) {
        self.frames.push(Frame { scopes: vec![HashMap::new()], ..Frame::default() });
    }

    /// Leaves a closure; returns its captures and its number of slots.
    pub fn close_frame(&mut self) -> (Vec<(u32, u32)>, u32) {
        self.frames.pop().map_or((Vec::new(), 0), |f| (f.captures, f.slots))
    }

    /// Enters a block.
    pub fn open(&mut self) {
        if let Some(f) = self.frames.last_mut() {
            f.scopes.push(HashMap::new());
        }
    }

    /// Leaves a block.
    pub fn close(&mut self) {
        if let Some(f) = self.frames.last_mut() {
            f.scopes.pop();
        }
    }

    /// Makes a variable; its slot.
    pub fn bind(&mut self, name: &str, ty: TyId, mutable: Mutability) -> u32 {
        self.bind_as(Form::Value, name, ty, mutable)
    }

    /// Makes a variable whose name stands for a program; `ty` is that of a function without parameters.
    pub fn bind_program(&mut self, name: &str, ty: TyId) -> u32 {
        self.bind_as(Form::ByName, name, ty, Mutability::Fixed)
    }

    fn bind_as(&mut self, form: Form, name: &str, ty: TyId, mutable: Mutability) -> u32 {
        let Some(frame) = self.frames.last_mut() else { return 0 };
        let slot = frame.slots;
        frame.slots += 1;
        if let Some(scope) = frame.scopes.last_mut() {
            scope.insert(name.to_string(), Local { slot, ty, mutable, form, home: Home::Here });
        }
        slot
    }

    /// Finds a variable; the closures on the way capture it.
    pub fn find(&mut self, name: &str) -> Option<Local> {
        self.find_in(self.frames.len().checked_sub(1)?, name)
    }

    fn find_in(&mut self, depth: usize, name: &str) -> Option<Local> {
        if let Some(found) = self.frames[depth].scopes.iter().rev().find_map(|s| s.get(name)) {
            return Some(found.clone());
        }
        let outer = self.find_in(depth.checked_sub(1)?, name)?;
        let frame = &mut self.frames[depth];
        let slot = frame.slots;
        frame.slots += 1;
        frame.captures.push((outer.slot, slot));
        let local = Local { slot, home: Home::Captured, ..outer };
        frame.scopes[0].insert(name.to_string(), local.clone());
        Some(local)
    }

    /// Every name in scope, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().flat_map(|f| &f.scopes).flat_map(|s| s.keys().map(String::as_str))
    }
}
