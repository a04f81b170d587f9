//! `cp.async` (PTX ISA, asynchronous copies): a copy reads and writes at the last moment that its wait leaves it, so that whoever
//! reads too early, or overwrites what is still to be read, shows. Until then garbage stands where it writes.

use std::collections::VecDeque;

use crate::fault::Fault;
use crate::op::{Instruction, Operand, Space};
use crate::step::{Around, Lane};

/// What stands where a copy is on its way to.
const ON_ITS_WAY: u8 = 0xa5;

/// A copy: the addresses to and from, and how many bytes.
#[derive(Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: usize,
}

/// A thread's copies.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Since the last group.
    open: Vec<Copy>,
    /// The latest last.
    groups: VecDeque<Vec<Copy>>,
}

impl Lane {
    /// `cp.async.ca.shared.global [to], [from], bytes`.
    pub(crate) fn begin_copy(&mut self, i: &Instruction, around: &mut Around<'_>) -> Result<(), Fault> {
        let [to, from, Operand::Immediate(bytes @ (4 | 8 | 16))] = i.args.as_slice() else {
            return Err(Fault::Text {
                line: i.line,
                what: "a copy has two addresses and 4, 8 or 16 bytes".to_string(),
            });
        };
        let (to, from, bytes) = (self.address(to), self.address(from), *bytes as usize);
        // Outside of memory and at odd addresses it fails here, where it stands.
        self.bytes(i, Space::Global, from, bytes, around)?;
        self.bytes(i, Space::Shared, to, bytes, around)?.fill(ON_ITS_WAY);
        self.copies.open.push(Copy { to, from, bytes });
        Ok(())
    }

    /// `cp.async.commit_group`.
    pub(crate) fn commit_copies(&mut self) {
        let group = std::mem::take(&mut self.copies.open);
        self.copies.groups.push_back(group);
    }

    /// `cp.async.wait_group pending`.
    pub(crate) fn wait_for_copies(&mut self, i: &Instruction, around: &mut Around<'_>) -> Result<(), Fault> {
        let pending = match i.args.first() {
            Some(Operand::Immediate(pending)) => *pending as usize,
            _ => {
                return Err(Fault::Text { line: i.line, what: "a wait for copies has a number of groups".to_string() });
            }
        };
        while self.copies.groups.len() > pending {
            for Copy { to, from, bytes } in self.copies.groups.pop_front().unwrap_or_default() {
                let found = self.bytes(i, Space::Global, from, bytes, around)?.to_vec();
                self.bytes(i, Space::Shared, to, bytes, around)?.copy_from_slice(&found);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Launch, Memory, Module};

    /// What two words are after each was copied in a group of its own, and the thread waited `so`.
    fn found(wait: &str) -> Vec<u8> {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 xs, .param .u64 out)\n{{\n\
             .shared .align 16 .b8 smem[8];\n.reg .u32 %u<4>;\n.reg .u64 %a<3>;\n\
             ld.param.u64 %a1, [xs];\nld.param.u64 %a2, [out];\nmov.u32 %u1, smem;\n\
             cp.async.ca.shared.global [%u1], [%a1], 4;\ncp.async.commit_group;\n\
             cp.async.ca.shared.global [%u1+4], [%a1+4], 4;\ncp.async.commit_group;\n{wait}\n\
             ld.shared.u32 %u2, [%u1];\nld.shared.u32 %u3, [%u1+4];\nst.global.v2.u32 [%a2], {{%u2, %u3}};\nret;\n}}"
        );
        let module = Module::parse(&text).unwrap();
        let mut memory = Memory::new();
        let (xs, out) = (memory.allocate((1..=8).collect()), memory.allocate(vec![0; 8]));
        module.launch("k", &Launch::new(1, 1), &[xs, out], &mut memory).unwrap();
        memory.bytes(out).to_vec()
    }

    #[test]
    fn what_is_not_waited_for_is_not_there() {
        assert_eq!(found("cp.async.wait_group 0;"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(found("cp.async.wait_group 1;"), [1, 2, 3, 4, 0xa5, 0xa5, 0xa5, 0xa5]);
        assert_eq!(found("cp.async.wait_group 2;"), [0xa5; 8]);
        assert_eq!(found(""), [0xa5; 8]);
    }
}
