// buffer u32: 3 0 5
// output: 1013 710 1215
struct P { a: u32, b: u32, c: u32 }
#[kernel(threads = 32)]
pub fn k(v1: DPull<u32>) -> DPush<Grid, u32> {
    v1.map(|x| P { a: x, b: x * 2, c: 7 }).map(|P { a, c: d, .. }| {
        let p = P { a: a + d, b: 5, c: a };
        let P { a: e, b: f, c: g } = P { b: 1, ..p };
        e * 100 + f * 10 + g
    }).push()
}
