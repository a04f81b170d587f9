// output: 3 4 5 6 3 3 7 8 9 10 7 7 10 9 8 7 9 9 6 5 4 3 5 5
#[kernel(threads = 1)]
pub fn k() -> Push<Grid, u32> {
    iota(2).as_grid_map(|v35| two({ let mut m36 = mk_pull(8, |v38| v38 + 3); for v37 in 0..v35 { let v36 = m36; m36 = v36.reverse(); } let v36 = m36; v36 }, |v46| v46.pad_to(6, v46[v35])).push())
}
