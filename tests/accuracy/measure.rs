//! How far the library's functions are from the true values, in units in the last place, as the CPU version of a kernel
//! computes them. Single precision against `f64`, double precision against a table of 1300 bits (`scripts/reference.py`).

use obsidian::prelude::*;
use rayon::prelude::*;

use obsidian_programs::functions as kernels;

/// The table: name, arguments, the nearest `f64`, and what it is off in thousandths of an ulp.
const TABLE: &str = include_str!("f64.txt");

/// The worst that was found of a function.
#[derive(Debug, Clone)]
pub struct Worst {
    /// The function and its precision.
    pub name: String,
    /// Its greatest error.
    pub ulps: f64,
    /// What its documentation promises.
    pub limit: f64,
    /// Where.
    pub at: String,
}

impl Worst {
    fn new(name: &str, precision: &str, limit: f64) -> Worst {
        Worst { name: format!("{name} {precision}"), ulps: 0.0, limit, at: String::new() }
    }

    fn see(&mut self, ulps: f64, at: impl FnOnce() -> String) {
        if ulps > self.ulps || ulps.is_nan() {
            (self.ulps, self.at) = (ulps, at());
        }
    }
}

/// What is wrong where a NaN, an infinity or the sign of a zero is: more than any limit.
const WRONG: f64 = 1e9;

/// Calls `$use!` for each function of one number: name, kernels, limits.
macro_rules! functions_of_one {
    ($use:ident) => {
        $use! {
            exp single_exp 1 double_exp 1; exp2 single_exp2 1 double_exp2 2; exp_m1 single_exp_m1 2 double_exp_m1 2;
            ln single_ln 1 double_ln 2; log2 single_log2 2 double_log2 2; log10 single_log10 2 double_log10 2;
            ln_1p single_ln_1p 2 double_ln_1p 2; sin single_sin 2 double_sin 2; cos single_cos 2 double_cos 2;
            tan single_tan 2 double_tan 2; asin single_asin 2 double_asin 2; acos single_acos 2 double_acos 2;
            atan single_atan 2 double_atan 2; sinh single_sinh 2 double_sinh 2; cosh single_cosh 2 double_cosh 2;
            tanh single_tanh 2 double_tanh 2; asinh single_asinh 1 double_asinh 2; acosh single_acosh 1 double_acosh 2;
            atanh single_atanh 1 double_atanh 2; cbrt single_cbrt 1 double_cbrt 1;
        }
    };
}

/// The same for functions of two.
macro_rules! functions_of_two {
    ($use:ident) => {
        $use! {
            powf single_powf 1 double_powf 2; hypot single_hypot 2 double_hypot 2; atan2 single_atan2 2 double_atan2 2;
        }
    };
}

/// Every function of `f32` on every `stride`-th bit pattern, and on the edges of every exponent. Functions of two numbers
/// on as many pairs.
pub fn single(dev: &Device, stride: usize) -> Result<Vec<Worst>, Error> {
    let mut found = Vec::new();
    macro_rules! one {
        ($($name:ident $single:ident $limit:literal $double:ident $_limit:literal;)*) => {$(
            let mut worst = Worst::new(stringify!($name), "f32", f64::from($limit));
            for xs in patterns(stride) {
                let ys = kernels::$single.run(dev, &dev.upload(&xs)?)?.to_vec()?;
                let errors = xs.par_iter().zip(ys).map(|(&x, y)| (error(y, f64::from(x).$name()), x));
                let (ulps, x) = errors.reduce(|| (0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
                worst.see(ulps, || format!("{x:?}"));
            }
            found.push(worst);
        )*};
    }
    macro_rules! two {
        ($($name:ident $single:ident $limit:literal $double:ident $_limit:literal;)*) => {$(
            let mut worst = Worst::new(stringify!($name), "f32", f64::from($limit));
            for xs in pairs((1 << 32) / stride) {
                let ys = kernels::$single.run(dev, &dev.upload(&xs)?)?.to_vec()?;
                let truth = |(a, b): (f32, f32)| f64::from(a).$name(f64::from(b));
                let errors = xs.par_iter().zip(ys).map(|(&x, y)| (error(y, truth(x)), x));
                let (ulps, x) = errors.reduce(|| (0.0, (0.0, 0.0)), |a, b| if b.0 > a.0 { b } else { a });
                worst.see(ulps, || format!("({:e}, {:e})", x.0, x.1));
            }
            found.push(worst);
        )*};
    }
    functions_of_one!(one);
    functions_of_two!(two);
    Ok(found)
}

/// Every function of `f64` on the table, and on the edges against Rust's own, which differ from it by 4 ulp at most.
pub fn double(dev: &Device) -> Result<Vec<Worst>, Error> {
    let mut found = Vec::new();
    macro_rules! one {
        ($($name:ident $single:ident $_limit:literal $double:ident $limit:literal;)*) => {$(
            let mut worst = Worst::new(stringify!($name), "f64", f64::from($limit));
            let rows = table(stringify!($name));
            let xs: Vec<f64> = whole(rows.iter().map(|row| row[0]).chain(EDGES).collect());
            let ys = kernels::$double.run(dev, &dev.upload(&xs)?)?.to_vec()?;
            for (&y, row) in ys.iter().zip(&rows) {
                worst.see(table_error(y, row[1], row[2]), || format!("{:e}", row[0]));
            }
            for (&x, &y) in xs.iter().zip(&ys).skip(rows.len()) {
                worst.see(if alike(y, x.$name()) { 0.0 } else { WRONG }, || format!("{x:e}: {y:e}"));
            }
            found.push(worst);
        )*};
    }
    macro_rules! two {
        ($($name:ident $single:ident $_limit:literal $double:ident $limit:literal;)*) => {$(
            let mut worst = Worst::new(stringify!($name), "f64", f64::from($limit));
            let rows = table(stringify!($name));
            let edges = EDGES.iter().flat_map(|&a| EDGES.map(|b| (a, b)));
            let xs: Vec<(f64, f64)> = whole(rows.iter().map(|row| (row[0], row[1])).chain(edges).collect());
            let ys = kernels::$double.run(dev, &dev.upload(&xs)?)?.to_vec()?;
            for (&y, row) in ys.iter().zip(&rows) {
                worst.see(table_error(y, row[2], row[3]), || format!("({:e}, {:e})", row[0], row[1]));
            }
            for (&(a, b), &y) in xs.iter().zip(&ys).skip(rows.len()) {
                worst.see(if alike(y, a.$name(b)) { 0.0 } else { WRONG }, || format!("({a:e}, {b:e}): {y:e}"));
            }
            found.push(worst);
        )*};
    }
    functions_of_one!(one);
    functions_of_two!(two);
    Ok(found)
}

/// Arguments where functions change their ways. Rust's own inverse hyperbolic functions overflow at `MAX`: it is not here.
const EDGES: [f64; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    4.5,
    -4.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -5e-324,
    1e-300,
    -1e-300,
    1e150,
    -1e150,
    9007199254740991.0,
    -9007199254740991.0,
    709.9,
    -745.2,
    1100.0,
    -1100.0,
    1e300,
];

/// Repeats the last element up to a length that the kernels take.
fn whole<T: Copy>(mut xs: Vec<T>) -> Vec<T> {
    if let Some(&last) = xs.last() {
        xs.resize(xs.len().next_multiple_of(64), last);
    }
    xs
}

/// Bit patterns in pieces, then each exponent's ends and middle, of both signs.
fn patterns(stride: usize) -> impl Iterator<Item = Vec<f32>> {
    const PIECE: usize = 1 << 20;
    let edges = (0..512u32).flat_map(|top| {
        [0, 1, 2, 0x7f_ffff, 0x7f_fffe, 0x40_0000, 0x2a_aaab, 0x35_04f3, 0x49_0fdb].map(|low| top << 23 | low)
    });
    let all = 0..(1usize << 32).div_ceil(stride);
    let pieces = all.clone().step_by(PIECE).map(move |at| {
        let piece = at..(at + PIECE).min(all.end);
        whole(piece.map(|i| f32::from_bits((i * stride) as u32)).collect())
    });
    std::iter::once(whole(edges.map(f32::from_bits).collect())).chain(pieces)
}

/// Pairs of edges, then of any bits, of numbers of like size, and of numbers around 1 with any others.
fn pairs(count: usize) -> impl Iterator<Item = Vec<(f32, f32)>> {
    const PIECE: usize = 1 << 20;
    let edges = EDGES.map(|x| x as f32);
    let edges = edges.iter().flat_map(move |&a| edges.map(|b| (a, b))).collect();
    let hash = |i: usize| {
        (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let pair = move |i: usize| {
        let (a, b) = ((hash(i) >> 32) as u32, hash(i) as u32);
        let (a, b) = match i % 3 {
            0 => (a, b),
            1 => ((a >> 4) + 0x3800_0000, (b >> 4) + 0x3800_0000),
            _ => ((a >> 9) + 0x3f00_0000, b),
        };
        (f32::from_bits(a), f32::from_bits(b))
    };
    let pieces = (0..count).step_by(PIECE).map(move |at| whole((at..(at + PIECE).min(count)).map(pair).collect()));
    std::iter::once(whole(edges)).chain(pieces)
}

/// The error of `y` in units of the last place of an `f32` of the size of `truth`.
fn error(y: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    let same = nearest == y && nearest.is_sign_negative() == y.is_sign_negative();
    if same && (y.is_infinite() || truth == 0.0) || truth.is_nan() && y.is_nan() {
        return 0.0;
    }
    let signs = y.is_sign_negative() != truth.is_sign_negative();
    if truth.is_nan() || y.is_nan() || truth.is_infinite() || truth == 0.0 || signs {
        return WRONG;
    }
    let exponent = ((truth.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    // An infinity stands for the number after the greatest.
    let y = if y.is_infinite() { 2f64.powi(128).copysign(truth) } else { y.into() };
    (y - truth).abs() / 2f64.powi(exponent - 23)
}

/// The distance of `y` from a value of the table.
fn table_error(y: f64, nearest: f64, off: f64) -> f64 {
    if y.is_nan() || y.is_sign_negative() != nearest.is_sign_negative() {
        return WRONG;
    }
    let steps = (y.to_bits() as i64).wrapping_sub(nearest.to_bits() as i64) as f64;
    // Bits count away from zero.
    (if nearest < 0.0 { -steps } else { steps } - off).abs()
}

fn alike(a: f64, b: f64) -> bool {
    let near = (a.to_bits() as i64).wrapping_sub(b.to_bits() as i64).unsigned_abs() <= 4;
    near || a.is_nan() && b.is_nan()
}

/// The table's rows of a function: arguments, nearest value, what that is off in ulps.
fn table(name: &str) -> Vec<Vec<f64>> {
    let lines = TABLE.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let bits = |word: &str| u64::from_str_radix(word, 16).map_or(f64::NAN, f64::from_bits);
    let row = |line: &str| {
        let (values, off) = line.rsplit_once(' ').unwrap_or((line, ""));
        let mut row: Vec<f64> = values.split(' ').map(bits).collect();
        row.push(off.parse::<f64>().unwrap_or(f64::NAN) / 1000.0);
        row
    };
    lines.map(row).collect()
}
