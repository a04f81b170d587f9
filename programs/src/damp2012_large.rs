//! The large sorter of DAMP 2012, Fig. 6: a loop of the host over these kernels (19).

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// The smaller of two far apart stays at the lower place. A place beyond the end has no partner.
    fn far<S: Size>(xs: Pull<u32, S>, stride: u32, partner: impl Fn(u32) -> u32) -> Pull<u32, S> {
        let n = xs.len();
        mk_pull(n, |i| {
            let j = partner(i);
            let other = if j < n { xs[j] } else { xs[i] };
            if i & stride == 0 { min(xs[i], other) } else { max(other, xs[i]) }
        })
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn small_sort(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.tsort2()))
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn small_merge(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| exec_block(c.bitonic_merge_with(min, max)))
    }

    /// Mirror images within blocks of twice the stride, which is known at launch only.
    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn v_swap(stride: u32, input: DPull<u32>) -> DPush<Grid, u32> {
        input.far(stride, |i| i ^ (2 * stride - 1)).split_up(8).as_grid_map(|c| c.push())
    }

    #[kernel(threads = [256, 1, 32, 33, 64, 100, 1024])]
    pub fn i_swap(stride: u32, input: DPull<u32>) -> DPush<Grid, u32> {
        input.far(stride, |i| i ^ stride).split_up(512).as_grid_map(|c| c.push())
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        small_sort.kernel(),
        small_merge.kernel(),
        v_swap.kernel(),
        i_swap.kernel(),
    ]
}
