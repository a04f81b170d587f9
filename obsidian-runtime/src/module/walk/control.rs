//! Branches and loops of a walk: what a loop carries from round to round, and what both leave behind.

use obsidian_abi::module::{BufferIndex, CarriedBuffer, CarriedValue, Found, HostExprId, Looping, Place, ValueId};

use super::{Home, Node, Reached, Sink, Walk};
use crate::error::Error;

impl<S: Sink> Walk<'_, S> {
    pub(super) fn rounds(&mut self, node: &Node, looping: &'static Looping) -> Result<Reached, Error> {
        let told = |walk: &Self, error| walk.at(node, error);
        let mut counter = None;
        if let Some(count) = looping.counter {
            let ends = (self.integer(count.from), self.integer(count.to));
            let from = ends.0.map_err(|e| told(self, e))?;
            let to = ends.1.map_err(|e| told(self, e))?;
            counter = Some((count.variable, from..to));
        }
        let capacity: Vec<u32> = {
            let lens = looping.buffers.iter().map(|c| Ok(self.instances[self.instance(c.init)?].len));
            lens.collect::<Result<_, Error>>().map_err(|e| told(self, e))?
        };
        self.carry(looping, |c| c.init, |v| v.init).map_err(|e| told(self, e))?;
        loop {
            if let Some((variable, rounds)) = &mut counter {
                let Some(value) = rounds.next() else { break };
                self.values.set(*variable, Some(Found { bits: value as u64, left: None }));
            }
            if self.list(&node.inner[0])? == Reached::Fetch {
                return Ok(Reached::Fetch);
            }
            if let Some(test) = looping.test
                && self.size(test).map_err(|e| told(self, e))? == 0
            {
                break;
            }
            if self.list(&node.inner[1])? == Reached::Fetch {
                return Ok(Reached::Fetch);
            }
            for (carried, &capacity) in looping.buffers.iter().zip(&capacity) {
                let next = self.instance(carried.next).map_err(|e| told(self, e))?;
                let found = self.instances[next].len;
                if found > capacity {
                    let buffer = self.info(carried.result)?.name;
                    return Err(told(self, Error::Grown { kernel: self.entry, buffer, capacity, found }));
                }
            }
            self.carry(looping, |c| c.next, |v| v.next).map_err(|e| told(self, e))?;
        }
        let buffers: Vec<_> = looping.buffers.iter().map(|c| (c.result, c.inside)).collect();
        // Variables are joined by their values, which no expression need name.
        for carried in looping.values {
            let found = self.values.value(carried.inside);
            self.values.set(carried.result, found);
        }
        self.settle(node, &buffers, &[])?;
        Ok(Reached::End)
    }

    /// Binds what a round begins with, all at once.
    fn carry(
        &mut self,
        looping: &'static Looping,
        buffer: impl Fn(&CarriedBuffer) -> BufferIndex,
        value: impl Fn(&CarriedValue) -> HostExprId,
    ) -> Result<(), Error> {
        let buffers = looping.buffers.iter().map(|c| Ok((c.inside, self.instance(buffer(c))?)));
        let buffers = buffers.collect::<Result<Vec<_>, Error>>()?;
        let values = looping.values.iter().map(|v| Ok((v.inside, self.data(value(v))?)));
        let values = values.collect::<Result<Vec<_>, Error>>()?;
        for &(_, id) in &buffers {
            self.instances[id].holders += 1;
        }
        for &(inside, id) in &buffers {
            self.bind(inside, id);
            self.instances[id].holders -= 1;
        }
        for (inside, found) in values {
            self.values.set(inside, Some(found));
        }
        Ok(())
    }

    /// Defines what a branch or a loop leaves: buffers by others, variables by expressions.
    pub(super) fn settle(
        &mut self,
        node: &Node,
        buffers: &[(BufferIndex, BufferIndex)],
        values: &[(ValueId, HostExprId)],
    ) -> Result<(), Error> {
        let found = values.iter().map(|&(result, expr)| Ok((result, self.data(expr)?)));
        for (result, found) in found.collect::<Result<Vec<_>, Error>>().map_err(|e| self.at(node, e))? {
            self.values.set(result, Some(found));
        }
        for &(result, from) in buffers {
            self.leave(node.number, result, from).map_err(|error| self.at(node, error))?;
        }
        Ok(())
    }

    /// Defines a buffer that is another one: the same memory, but for what the caller wants in a buffer of his.
    fn leave(&mut self, step: u32, result: BufferIndex, from: BufferIndex) -> Result<(), Error> {
        let (id, info) = (self.instance(from)?, self.info(result)?);
        let len = self.len(info)?;
        if self.instances[id].len != len || self.instances[id].fields != info.fields {
            let found = self.instances[id].len;
            return Err(self.broken(format!("{found} elements for `{}`, which has {len}", info.name)));
        }
        let Place::Output(output) = info.place else {
            self.bind(result, id);
            return Ok(());
        };
        let (output, home) = (output as usize, self.instances[id].home);
        if home != Home::Output(output) {
            let free = self.instances.iter().all(|other| other.home != Home::Output(output));
            if !(home == Home::Own && free && self.sink.moves(id, output)) {
                let to = self.define(result)?;
                return self.copied(step, id, to);
            }
            self.instances[id].home = Home::Output(output);
        }
        self.bind(result, id);
        Ok(())
    }
}
