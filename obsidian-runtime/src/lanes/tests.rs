//! Every unit gives the bits of the portable group, and that one those of scalar arithmetic.

use super::*;

/// Words that are special as floats or as integers, and some that are nothing special.
fn words() -> Vec<u32> {
    let floats =
        [0.0, -0.0, 1.0, -1.5, 0.3, 65535.5, 16777217.0, 2147483648.0, -2147483648.0, 4294967296.0, 3e38, -3e38, 1e-40];
    let more = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 2147483500.0, 4294967000.0, -2147483900.0, 2.5, -2.5];
    let integers = [1, 2, 31, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_ff7f];
    let mut words: Vec<u32> = floats.into_iter().chain(more).map(f32::to_bits).chain(integers).collect();
    words.extend((0..26u32).map(|i| i.wrapping_mul(0x9e37_79b9)));
    words
}

fn read<L: Lanes>(x: L) -> Vec<u32> {
    let mut out = vec![0; L::LANES];
    unsafe { x.store(out.as_mut_ptr()) };
    out
}

/// Whether each lane holds.
fn truth<L: Lanes>(m: L::Mask) -> Vec<u32> {
    unsafe { read(L::select(m, L::splat(1), L::splat(0))) }
}

/// All results of two groups and a third, in one list. NaNs count as one value: which bits they have is not promised.
unsafe fn everything<L: Lanes>(a: L, b: L, c: L) -> Vec<(&'static str, Vec<u32>)> {
    macro_rules! all {
        ($($value:expr;)+) => { vec![$((stringify!($value), read($value))),+] };
    }
    macro_rules! tests {
        ($($value:expr;)+) => { vec![$((stringify!($value), truth::<L>($value))),+] };
    }
    unsafe {
        let mut results = all! {
            a.add(b); a.sub(b); a.mul(b); a.and(b); a.or(b); a.xor(b);
            a.shl(5); a.shr_u32(7); a.shr_i32(31); a.min_u32(b); a.max_u32(b); a.min_i32(b); a.max_i32(b);
            a.i32_to_f32(); a.u32_to_f32(); a.f32_to_i32(); a.f32_to_u32(); a.f32_to_i32_or_min();
            a.add_f32(b); a.sub_f32(b); a.mul_f32(b); a.div_f32(b); a.mul_add_f32(b, c); a.sqrt_f32();
            a.floor_f32(); a.ceil_f32(); a.trunc_f32(); a.min_f32(b); a.max_f32(b);
        };
        results.extend(tests! {
            a.eq(b); a.lt_u32(b); a.lt_i32(b); a.le_u32(b); a.le_i32(b); a.eq_f32(b); a.lt_f32(b); a.le_f32(b);
            L::mask(0x5a17_93c4_0f0f_a005); L::both(a.lt_u32(b), a.lt_i32(b)); L::either(a.lt_u32(b), a.lt_i32(b));
            L::differ(a.lt_u32(b), a.lt_i32(b)); L::not(a.lt_f32(b));
        });
        results.push(("any", vec![L::any(a.lt_f32(b)).into(), L::any(L::mask(0)).into()]));
        for (name, words) in &mut results {
            let is_float =
                name.contains("_f32") && !name.contains("f32_to") && !name.contains(".l") && !name.contains(".e");
            for word in words.iter_mut().filter(|word| is_float && f32::from_bits(**word).is_nan()) {
                *word = f32::NAN.to_bits();
            }
        }
        results
    }
}

/// Groups of `L` out of the words, against groups of 16 of the portable form.
fn agrees<L: Lanes>() {
    let words = words();
    let at = |from: usize, n: usize| (0..n).map(|l| words[(from + l) % words.len()]).collect::<Vec<u32>>();
    for (i, j) in (0..words.len()).flat_map(|i| (0..words.len()).map(move |j| (i, j))) {
        let [a, b, c] = [at(i, L::LANES), at(j, L::LANES), at(i + j, L::LANES)];
        let ours = unsafe { everything(L::load(a.as_ptr()), L::load(b.as_ptr()), L::load(c.as_ptr())) };
        for part in 0..L::LANES / SMALLEST {
            let word = |x: &[u32]| Portable(x[part * SMALLEST..][..SMALLEST].try_into().expect("16 words"));
            let portable = unsafe { everything(word(&a), word(&b), word(&c)) };
            for ((name, ours), (_, expected)) in ours.iter().zip(&portable) {
                let masks = name.contains("mask(0x");
                let whole = ours.len() == L::LANES;
                if whole && !(masks && part > 0) {
                    assert_eq!(&ours[part * SMALLEST..][..SMALLEST], &expected[..], "{name} of {a:x?} and {b:x?}");
                }
            }
        }
    }
}

fn moves<L: Lanes>() {
    let from: Vec<u32> = (100..100 + L::LANES as u32).collect();
    for bits in [0, 1, 0x8000_8000_8000_8000, 0x5555_1234_ffff_0ff0, u64::MAX] {
        let mut to = vec![7; L::LANES];
        let is_set = |l: usize| bits >> l & 1 != 0;
        unsafe {
            let loaded = read(L::load_where(L::mask(bits), from.as_ptr()));
            assert!((0..L::LANES).all(|l| loaded[l] == if is_set(l) { from[l] } else { 0 }));
            L::load(from.as_ptr()).store_where(L::mask(bits), to.as_mut_ptr());
        }
        assert!((0..L::LANES).all(|l| to[l] == if is_set(l) { from[l] } else { 7 }));
    }
    // What a mask leaves out may lie anywhere.
    let one = [5u32];
    unsafe { assert_eq!(read(L::load_where(L::mask(1), one.as_ptr()))[0], 5) };
}

fn permutes<L: Lanes>() {
    let words: Vec<u32> = (0..32).map(|i| i * 3 + 1).collect();
    for seed in 0..200u32 {
        let order =
            std::array::from_fn(|l| (seed.wrapping_mul(0x9e37_79b9) >> (l % 20)).wrapping_add(l as u32 * seed) % 32);
        let picked = unsafe { L::permute(L::load(words.as_ptr()), L::load(words[16..].as_ptr()), &order) };
        assert_eq!(read(picked), order.map(|i| words[i as usize]));
    }
}

fn gathers<L: Lanes>() {
    let words: Vec<u32> = (0..100).map(|i| i * 11 + 3).collect();
    let at: Vec<u32> = (0..L::LANES as u32).map(|l| (l * 37 + 5) % 100).collect();
    let found = unsafe { read(L::gather(words.as_ptr(), L::load(at.as_ptr()))) };
    assert!(found.iter().zip(&at).all(|(word, at)| *word == words[*at as usize]));
}

/// Rows in any order, with gaps, one of them before the first lane's.
fn turns_rows<L: Lanes>() {
    let words: Vec<u32> = (0..16 * 33).map(|i| i * 7 + 5).collect();
    let from = 5 * 33;
    let at: [isize; SMALLEST] = std::array::from_fn(|l| ((l as isize * 11 + 5) % 16) * 33 - from);
    let mut to = vec![0; words.len()];
    let loaded = unsafe {
        let loaded = L::load_rows(words.as_ptr().add(from as usize), &at);
        L::store_rows(loaded, Past::NEVER, to.as_mut_ptr().add(from as usize), &at);
        loaded.map(|vector| read(vector))
    };
    for (k, vector) in loaded.iter().enumerate() {
        assert!((0..SMALLEST).all(|l| vector[l] == words[(from + at[l]) as usize + k]), "{k}");
    }
    // The gaps are left alone.
    assert!(words.iter().zip(&to).enumerate().all(|(i, (word, to))| *to == if i % 33 < 16 { *word } else { 0 }));
}

/// Vectors of a large output at whole lines and beside them, and of one that stays.
fn goes_past<L: Lanes>() {
    let mut out = vec![0u32; 1 << 20];
    let line = out.as_ptr().align_offset(64);
    let words: Vec<u32> = (1..=L::LANES as u32).collect();
    let past = Past::of(out.as_mut_ptr(), out.len());
    assert_eq!(past.takes_lines(unsafe { out.as_mut_ptr().add(line) }), cpu() != Unit::Scalar);
    for (from, how) in [(line, past), (line + 64 + 5, past), (line + 192, Past::NEVER)] {
        unsafe { L::load(words.as_ptr()).store_past(how, out.as_mut_ptr().add(from)) };
    }
    Past::finish();
    let places = [line, line + 69, line + 192].map(|from| from..from + L::LANES);
    for (i, word) in out.iter().enumerate() {
        let at = places.iter().find(|place| place.contains(&i)).map_or(0, |place| words[i - place.start]);
        assert_eq!(*word, at, "{i}");
    }
}

#[test]
fn the_portable_group_is_scalar_arithmetic() {
    use obsidian_abi::{max_f32, min_f32};
    let same = |a: f32, b: u32| a.to_bits() == b || a.is_nan() && f32::from_bits(b).is_nan();
    for (a, b) in words().into_iter().flat_map(|a| words().into_iter().map(move |b| (a, b))) {
        let (x, y) = (Portable([a; SMALLEST]), Portable([b; SMALLEST]));
        let (p, q) = (f32::from_bits(a), f32::from_bits(b));
        unsafe {
            assert!(same(min_f32(p, q), x.min_f32(y).0[3]) && same(max_f32(p, q), x.max_f32(y).0[3]), "{p} {q}");
            assert_eq!(x.f32_to_u32().0[1], p as u32, "{p}");
            assert_eq!(x.f32_to_i32().0[1], p as i32 as u32, "{p}");
            assert_eq!(x.u32_to_f32().0[1], (a as f32).to_bits(), "{a}");
        }
    }
    moves::<Portable>();
    permutes::<Portable>();
    turns_rows::<Portable>();
    goes_past::<Portable>();
    gathers::<Pair<Portable>>();
    agrees::<Pair<Portable>>();
    moves::<Pair<Pair<Portable>>>();
}

/// Runs what follows where the machine has the unit, and says so where it has not.
#[cfg(target_arch = "x86_64")]
macro_rules! on {
    ($unit:ident, $($test:expr;)+) => {
        if units::best() >= Unit::$unit { $($test;)+ } else { eprintln!("skipped: no {}", stringify!($unit)) }
    };
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_agrees_with_the_portable_group() {
    on!(Avx2, agrees::<Avx2>(); moves::<Avx2>(); permutes::<Avx2>(); turns_rows::<Avx2>(); goes_past::<Avx2>(); goes_past::<Pair<Avx2>>(); gathers::<Pair<Avx2>>(); moves::<Pair<Avx2>>(););
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx_512_agrees_with_the_portable_group() {
    on!(Avx512, agrees::<Avx512>(); moves::<Avx512>(); permutes::<Avx512>(); turns_rows::<Avx512>(); goes_past::<Avx512>(); goes_past::<Pair<Avx512>>(); gathers::<Pair<Avx512>>(); agrees::<Pair<Avx512>>(););
}
