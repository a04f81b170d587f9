//! What CUDA's assembler is told of the blocks that a multiprocessor has at one time, where it does not see it: it saves registers for blocks
//! that cannot be there, by storing them in local memory. Source: PTX ISA, `.minnctapersm`; CUDA C++, `__launch_bounds__`.

use crate::passes::cost;
use crate::program::Program;

/// The blocks that a multiprocessor has at one time, at most: one of a grid of one block, else what dynamic shared memory leaves room for on
/// the largest device. `None` where ptxas sees it, since shared memory is static.
pub(super) fn resident_blocks(p: &Program) -> Option<u32> {
    if p.exprs.as_u32(p.blocks) == Some(1) {
        return Some(1);
    }
    (p.dynamic_shared() > 0).then(|| cost::most_blocks(p.threads, p.shared_bytes).max(1))
}
