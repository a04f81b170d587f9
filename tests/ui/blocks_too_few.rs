use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn half(xs: DPull<u32>) -> DPush<Grid, u32> {
        let n = xs.len();
        mk_push(n, |write| distr_par((n + 127) / 128, |b| for_all(64, |i| {
            let at = b * 64 + i;
            if at < n { write(xs[at], at); }
        })))
    }
}

fn main() {}
