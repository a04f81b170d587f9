//! Two groups as one: more work in flight than one vector gives.

use super::{Lanes, SMALLEST};

/// The lanes of the first, then those of the second.
#[derive(Debug, Clone, Copy)]
pub struct Pair<L>(L, L);

/// Functions that do to both halves what their name says.
macro_rules! halves {
    ($($name:ident($($arg:ident),*) $(-> $mask:ident)?;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self $(, $arg: Self)*) -> halves!(@ $($mask)?) {
            unsafe { halves!(@ $($mask)? (self.0.$name($($arg.0),*)), (self.1.$name($($arg.1),*))) }
        }
    )+};
    (@) => { Self };
    (@ mask) => { (L::Mask, L::Mask) };
    (@ ($a:expr), ($b:expr)) => { Pair($a, $b) };
    (@ mask ($a:expr), ($b:expr)) => { ($a, $b) };
}

macro_rules! shifts {
    ($($name:ident)+) => {$(
        #[inline(always)]
        unsafe fn $name(self, count: u32) -> Self {
            unsafe { Pair(self.0.$name(count), self.1.$name(count)) }
        }
    )+};
}

macro_rules! masks {
    ($($name:ident)+) => {$(
        #[inline(always)]
        unsafe fn $name(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            unsafe { (L::$name(a.0, b.0), L::$name(a.1, b.1)) }
        }
    )+};
}

impl<L: Lanes> Lanes for Pair<L> {
    type Mask = (L::Mask, L::Mask);
    const LANES: usize = 2 * L::LANES;
    const FAST: bool = L::FAST;

    #[inline(always)]
    unsafe fn splat(x: u32) -> Self {
        unsafe { Pair(L::splat(x), L::splat(x)) }
    }

    #[inline(always)]
    unsafe fn load(p: *const u32) -> Self {
        unsafe { Pair(L::load(p), L::load(p.add(L::LANES))) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut u32) {
        unsafe {
            self.0.store(p);
            self.1.store(p.add(L::LANES));
        }
    }

    #[inline(always)]
    unsafe fn stream(self, p: *mut u32) {
        unsafe {
            self.0.stream(p);
            self.1.stream(p.add(L::LANES));
        }
    }

    #[inline(always)]
    unsafe fn load_where(m: Self::Mask, p: *const u32) -> Self {
        unsafe { Pair(L::load_where(m.0, p), L::load_where(m.1, p.wrapping_add(L::LANES))) }
    }

    #[inline(always)]
    unsafe fn store_where(self, m: Self::Mask, p: *mut u32) {
        unsafe {
            self.0.store_where(m.0, p);
            self.1.store_where(m.1, p.wrapping_add(L::LANES));
        }
    }

    /// The printer permutes the smallest groups only.
    #[inline(always)]
    unsafe fn permute(a: Self, _b: Self, _order: &[u32; SMALLEST]) -> Self {
        a
    }

    #[inline(always)]
    unsafe fn gather(p: *const u32, at: Self) -> Self {
        unsafe { Pair(L::gather(p, at.0), L::gather(p, at.1)) }
    }

    /// As [`Lanes::permute`].
    #[inline(always)]
    unsafe fn transpose(rows: [Self; SMALLEST]) -> [Self; SMALLEST] {
        rows
    }

    halves! {
        add(o); sub(o); mul(o); and(o); or(o); xor(o);
        min_u32(o); max_u32(o); min_i32(o); max_i32(o);
        add_f32(o); sub_f32(o); mul_f32(o); div_f32(o); mul_add_f32(b, c);
        sqrt_f32(); floor_f32(); ceil_f32(); trunc_f32(); i32_to_f32(); u32_to_f32(); f32_to_i32_or_min();
        eq(o) -> mask; lt_u32(o) -> mask; lt_i32(o) -> mask; le_u32(o) -> mask; le_i32(o) -> mask;
        eq_f32(o) -> mask; lt_f32(o) -> mask; le_f32(o) -> mask;
    }

    shifts! { shl shr_u32 shr_i32 }

    masks! { both either differ }

    #[inline(always)]
    unsafe fn mask(bits: u64) -> Self::Mask {
        unsafe { (L::mask(bits), L::mask(bits >> L::LANES)) }
    }

    #[inline(always)]
    unsafe fn not(a: Self::Mask) -> Self::Mask {
        unsafe { (L::not(a.0), L::not(a.1)) }
    }

    #[inline(always)]
    unsafe fn any(m: Self::Mask) -> bool {
        unsafe { L::any(m.0) | L::any(m.1) }
    }

    #[inline(always)]
    unsafe fn select(m: Self::Mask, a: Self, b: Self) -> Self {
        unsafe { Pair(L::select(m.0, a.0, b.0), L::select(m.1, a.1, b.1)) }
    }
}
