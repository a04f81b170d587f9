//! What a message says besides its elements: a header of fixed size before every one. In: parts of a header; out: bytes, and back.

use std::fmt;

/// The first bytes of every message: another program's, or another version's, have others.
const MAGIC: [u8; 4] = *b"OBX1";
/// Bytes of a header.
pub const HEADER: usize = 40;

/// The kinds of exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    Hello,
    AllMerge,
    MergeBefore,
    AllReduce,
    ScanExclusive,
    AllToAllV,
    Halo,
    Broadcast,
    Gather,
}

impl Operation {
    const ALL: [Operation; 9] = [
        Operation::Hello,
        Operation::AllMerge,
        Operation::MergeBefore,
        Operation::AllReduce,
        Operation::ScanExclusive,
        Operation::AllToAllV,
        Operation::Halo,
        Operation::Broadcast,
        Operation::Gather,
    ];

    /// Its name in a program.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Hello => "hello",
            Operation::AllMerge => "all_merge",
            Operation::MergeBefore => "merge_before",
            Operation::AllReduce => "all_reduce",
            Operation::ScanExclusive => "scan_exclusive",
            Operation::AllToAllV => "all_to_all_v",
            Operation::Halo => "halo",
            Operation::Broadcast => "broadcast",
            Operation::Gather => "gather",
        }
    }
}

/// One exchange, as all ranks must do it: the number, the method, its root, the tag of the elements' type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub number: u64,
    pub operation: Operation,
    pub root: u32,
    pub elements: u64,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation.name())?;
        if matches!(self.operation, Operation::Broadcast | Operation::Gather) {
            write!(f, " with root {}", self.root)?;
        }
        write!(f, " of {}", super::payload::type_name(self.elements))
    }
}

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Elements of a step.
    Data,
    /// More bytes of the message before it.
    Rest,
    /// The sender waits for the receiver in a step.
    Waiting,
    /// The answer: the sender waits for rank `about`.
    Blocked,
    /// A rank cannot go on: `about` is to blame, the bytes say why.
    Failed,
    /// The sender has left after a step.
    Left,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Data, Kind::Rest, Kind::Waiting, Kind::Blocked, Kind::Failed, Kind::Left];
}

/// A message's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    pub step: Step,
    /// Bytes of elements, in this message and those that follow it.
    pub bytes: u64,
    /// A rank.
    pub about: u32,
}

impl Header {
    /// The header as bytes.
    pub fn encode(&self) -> [u8; HEADER] {
        let mut to = [0; HEADER];
        to[..4].copy_from_slice(&MAGIC);
        to[4] = self.kind as u8;
        to[5] = self.step.operation as u8;
        to[8..12].copy_from_slice(&self.step.root.to_le_bytes());
        to[12..16].copy_from_slice(&self.about.to_le_bytes());
        to[16..24].copy_from_slice(&self.step.number.to_le_bytes());
        to[24..32].copy_from_slice(&self.step.elements.to_le_bytes());
        to[32..40].copy_from_slice(&self.bytes.to_le_bytes());
        to
    }

    /// The header of a message; `None` where it is not one of this version.
    pub fn decode(message: &[u8]) -> Option<Header> {
        let from = message.first_chunk::<HEADER>().filter(|from| from[..4] == MAGIC)?;
        let four = |at: usize| from[at..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let eight = |at: usize| from[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let operation = *Operation::ALL.iter().find(|&&operation| operation as u8 == from[5])?;
        let kind = *Kind::ALL.iter().find(|&&kind| kind as u8 == from[4])?;
        let step = Step { number: eight(16)?, operation, root: four(8)?, elements: eight(24)? };
        Some(Header { kind, step, bytes: eight(32)?, about: four(12)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_go_and_come_back() {
        for kind in Kind::ALL {
            for operation in Operation::ALL {
                let step = Step { number: u64::MAX - 3, operation, root: 7, elements: 0x1234_5678_9abc };
                let header = Header { kind, step, bytes: 1 << 40, about: 9 };
                let mut bytes = header.encode().to_vec();
                assert_eq!(Header::decode(&bytes), Some(header));
                assert_eq!(Header::decode(&bytes[..HEADER - 1]), None);
                bytes[0] ^= 1;
                assert_eq!(Header::decode(&bytes), None);
            }
        }
    }
}
