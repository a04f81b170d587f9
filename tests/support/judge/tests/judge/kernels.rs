//! Kernels that are wrong, by class, and beside each some that look alike and are right.

use obsidian_judge::Fault;

/// A kernel and what is wrong with it.
pub struct Wrong {
    pub class: char,
    pub fault: Fault,
    pub text: &'static str,
}

const fn wrong(class: char, fault: Fault, text: &'static str) -> Wrong {
    Wrong { class, fault, text }
}

/// Each is to be refuted, whatever the compiler says of it.
pub const WRONG: &[Wrong] = &[
    // A: a loop's counter is not the same for two blocks.
    wrong('A', Fault::Race, "#[kernel(threads = 32)]
        pub fn rounds_of_blocks(n: u32, y: Mut<u32, 4096>) -> Program<Grid, ()> {
            distr_par(64, |b| seq_for(n, |k| for_all(32, |i| { y[(b + k % 32) * 32 + i] = k; })))
        }"),
    wrong('A', Fault::Race, "#[kernel(threads = 32)]
        pub fn known_rounds_of_blocks(y: Mut<u32, 4096>) -> Program<Grid, ()> {
            distr_par(64, |b| seq_for(8, |k| for_all(32, |i| { y[(b + k) * 32 + i] = k; })))
        }"),
    wrong('A', Fault::Race, "#[kernel(threads = 32)]
        pub fn next_block_is_read(n: u32, y: Mut<u32, 4096>) -> Program<Grid, ()> {
            distr_par(64, |b| seq_for(n, |k| for_all(32, |i| { y[b * 64 + i] = y[(b * 64 + 64 * (k % 2)) % 4096 + i]; })))
        }"),
    // B: nor for two warps of a block.
    wrong('B', Fault::Race, "#[kernel(threads = 128)]
        pub fn rounds_of_warps(n: u32, x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(512).as_grid_map(|c| exec_block({
                let m = c.new_mut();
                distr_par(4, |w| seq_for(n, |k| for_all(32, |i| { m[(w + k % 8) * 32 + i] = k; })));
                m.to_pull()
            }))
        }"),
    wrong('B', Fault::Race, "#[kernel(threads = 128)]
        pub fn known_rounds_of_warps(x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(512).as_grid_map(|c| exec_block({
                let m = c.new_mut();
                distr_par(4, |w| seq_for(2, |k| for_all(32, |i| { m[(w + k) * 32 + i] = k; })));
                m.to_pull()
            }))
        }"),
    // C: what nobody wrote.
    wrong('C', Fault::Uninitialised, "fn last(v: u32) -> Program<Thread, u32> {
            let r = mk_push(4, |write| write(v, 0)).compute();
            r[3]
        }
        #[kernel(threads = 32)]
        pub fn one_of_four(x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(32).as_grid_map(|c| c.as_block_map(|v| exec_thread(last(v))))
        }"),
    wrong('C', Fault::Uninitialised, "fn fifth(n: u32, v: u32) -> Program<Thread, u32> {
            let r = replicate(8, v).new_mut();
            let s = mk_push(8, |write| seq_for(n, |k| write(r[k & 7], k & 7))).compute();
            s[5]
        }
        #[kernel(threads = 32)]
        pub fn no_round(n: u32, x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(32).as_grid_map(|c| c.as_block_map(|v| exec_thread(fifth(n, v))))
        }"),
    // D: fewer writes than elements.
    wrong('D', Fault::Unwritten, "#[kernel(threads = 64)]
        pub fn half_of_a_block(x: DPull<u32>) -> DPush<Grid, u32> {
            mk_push(x.len(), |write| for_all2((x.len() + 127) / 128, 64, |b, i| {
                let at = b * 64 + i;
                if at < x.len() { write(x[at], at) }
            }))
        }"),
    wrong('D', Fault::Unwritten, "#[kernel(threads = 64)]
        pub fn the_last_block(x: DPull<u32>) -> DPush<Grid, u32> {
            mk_push(x.len(), |write| for_all2(x.len() / 64, 64, |b, i| {
                let at = b * 64 + i;
                if at < x.len() { write(x[at], at) }
            }))
        }"),
    // E: products that wrap.
    wrong('E', Fault::Race, "#[kernel(threads = 32)]
        pub fn quarters(n: u32, y: DMut<u32>) -> Program<Grid, ()> {
            distr_par(n, |b| for_all(32, |i| if b * 1073741824 + i < y.len() { y[b * 1073741824 + i] = b; }))
        }"),
    wrong('E', Fault::Race, "#[kernel(threads = 64)]
        pub fn many_blocks(n: u32, a: u32, y: DMut<u32>) -> Program<Grid, ()> {
            distr_par(n, |b| for_all(64, |i| if b * 64 + i + a < y.len() { y[b * 64 + i + a] = b; }))
        }"),
    // F: lengths that wrap.
    wrong('F', Fault::Unwritten, "#[kernel(threads = 256)]
        pub fn rounded_up(x: DPull<u8>) -> DPush<Grid, u8> {
            mk_push(x.len(), |write| for_all2((x.len() + 255) / 256, 256, |b, i| {
                let at = b * 256 + i;
                if at < x.len() { write(x[at], at) }
            }))
        }"),
];

/// Neighbours of those above: none is to be refuted, and all that the compiler accepts are to be proved.
pub const RIGHT: &[&str] = &[
    "#[kernel(threads = 32)]
        pub fn rounds_in_place(n: u32, y: Mut<u32, 2048>) -> Program<Grid, ()> {
            distr_par(64, |b| seq_for(n, |k| for_all(32, |i| { y[b * 32 + i] = k; })))
        }",
    "#[kernel(threads = 128)]
        pub fn rounds_of_warps_apart(n: u32, x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(512).as_grid_map(|c| exec_block({
                let m = c.new_mut();
                distr_par(4, |w| seq_for(n, |k| for_all(32, |i| { m[w * 128 + (k % 4) * 32 + i] = k; })));
                m.to_pull()
            }))
        }",
    "fn last(v: u32) -> Program<Thread, u32> {
            let r = mk_push(4, |write| seq_for(4, |i| write(v + i, i))).compute();
            r[3]
        }
        #[kernel(threads = 32)]
        pub fn four_of_four(x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(32).as_grid_map(|c| c.as_block_map(|v| exec_thread(last(v))))
        }",
    "#[kernel(threads = 64)]
        pub fn whole_blocks(x: DPull<u32>) -> DPush<Grid, u32> {
            x.split_up(64).as_grid_map(|c| c.reverse().push())
        }",
];
