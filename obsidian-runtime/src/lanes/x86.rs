//! Lane groups of x86-64: 16 words in one register of AVX-512, in two of AVX2.

use std::arch::x86_64::*;

use super::{Lanes, SMALLEST};

/// One register.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(__m512i);

/// Two registers: lanes 0 to 7, and 8 to 15.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(__m256i, __m256i);

#[inline(always)]
unsafe fn f(x: __m512i) -> __m512 {
    unsafe { _mm512_castsi512_ps(x) }
}

#[inline(always)]
unsafe fn i(x: __m512) -> __m512i {
    unsafe { _mm512_castps_si512(x) }
}

#[inline(always)]
unsafe fn g(x: __m256i) -> __m256 {
    unsafe { _mm256_castsi256_ps(x) }
}

#[inline(always)]
unsafe fn j(x: __m256) -> __m256i {
    unsafe { _mm256_castps_si256(x) }
}

/// `name(arguments) -> result = value`, of one register.
macro_rules! one {
    ($($name:ident($a:ident $(, $arg:ident)*) -> $result:ty = $value:expr;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self $(, $arg: Self)*) -> $result {
            unsafe {
                let $a = self.0;
                $(let $arg = $arg.0;)*
                $value
            }
        }
    )+};
}

impl Lanes for Avx512 {
    type Mask = __mmask16;
    const LANES: usize = SMALLEST;
    const FAST: bool = true;

    one! {
        add(a, b) -> Self = Avx512(_mm512_add_epi32(a, b));
        sub(a, b) -> Self = Avx512(_mm512_sub_epi32(a, b));
        mul(a, b) -> Self = Avx512(_mm512_mullo_epi32(a, b));
        and(a, b) -> Self = Avx512(_mm512_and_si512(a, b));
        or(a, b) -> Self = Avx512(_mm512_or_si512(a, b));
        xor(a, b) -> Self = Avx512(_mm512_xor_si512(a, b));
        min_u32(a, b) -> Self = Avx512(_mm512_min_epu32(a, b));
        max_u32(a, b) -> Self = Avx512(_mm512_max_epu32(a, b));
        min_i32(a, b) -> Self = Avx512(_mm512_min_epi32(a, b));
        max_i32(a, b) -> Self = Avx512(_mm512_max_epi32(a, b));
        add_f32(a, b) -> Self = Avx512(i(_mm512_add_ps(f(a), f(b))));
        sub_f32(a, b) -> Self = Avx512(i(_mm512_sub_ps(f(a), f(b))));
        mul_f32(a, b) -> Self = Avx512(i(_mm512_mul_ps(f(a), f(b))));
        div_f32(a, b) -> Self = Avx512(i(_mm512_div_ps(f(a), f(b))));
        mul_add_f32(a, b, c) -> Self = Avx512(i(_mm512_fmadd_ps(f(a), f(b), f(c))));
        sqrt_f32(a) -> Self = Avx512(i(_mm512_sqrt_ps(f(a))));
        floor_f32(a) -> Self = Avx512(i(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(f(a))));
        ceil_f32(a) -> Self = Avx512(i(_mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(f(a))));
        trunc_f32(a) -> Self = Avx512(i(_mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(f(a))));
        i32_to_f32(a) -> Self = Avx512(i(_mm512_cvtepi32_ps(a)));
        u32_to_f32(a) -> Self = Avx512(i(_mm512_cvtepu32_ps(a)));
        f32_to_i32_or_min(a) -> Self = Avx512(_mm512_cvttps_epi32(f(a)));
        eq(a, b) -> u16 = _mm512_cmpeq_epu32_mask(a, b);
        lt_u32(a, b) -> u16 = _mm512_cmplt_epu32_mask(a, b);
        lt_i32(a, b) -> u16 = _mm512_cmplt_epi32_mask(a, b);
        le_u32(a, b) -> u16 = _mm512_cmple_epu32_mask(a, b);
        le_i32(a, b) -> u16 = _mm512_cmple_epi32_mask(a, b);
        eq_f32(a, b) -> u16 = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(f(a), f(b));
        lt_f32(a, b) -> u16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(f(a), f(b));
        le_f32(a, b) -> u16 = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(f(a), f(b));
    }

    #[inline(always)]
    unsafe fn splat(x: u32) -> Self {
        unsafe { Avx512(_mm512_set1_epi32(x as i32)) }
    }

    #[inline(always)]
    unsafe fn load(p: *const u32) -> Self {
        unsafe { Avx512(_mm512_loadu_epi32(p.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut u32) {
        unsafe { _mm512_storeu_epi32(p.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, p: *mut u32) {
        unsafe { _mm512_stream_si512(p.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_where(m: u16, p: *const u32) -> Self {
        unsafe { Avx512(_mm512_maskz_loadu_epi32(m, p.cast())) }
    }

    #[inline(always)]
    unsafe fn store_where(self, m: u16, p: *mut u32) {
        unsafe { _mm512_mask_storeu_epi32(p.cast(), m, self.0) }
    }

    #[inline(always)]
    unsafe fn permute(a: Self, b: Self, order: &[u32; SMALLEST]) -> Self {
        unsafe { Avx512(_mm512_permutex2var_epi32(a.0, Self::load(order.as_ptr()).0, b.0)) }
    }

    #[inline(always)]
    unsafe fn gather(p: *const u32, at: Self) -> Self {
        unsafe { Avx512(_mm512_i32gather_epi32::<4>(at.0, p.cast())) }
    }

    /// Pairs of words, pairs of pairs, then quarters of vectors.
    #[inline(always)]
    unsafe fn transpose(rows: [Self; SMALLEST]) -> [Self; SMALLEST] {
        unsafe {
            // Quarter `b` of `fours[c][j]` has word `4 b + c` of rows `4 j` to `4 j + 3`.
            let mut fours = [[rows[0].0; 4]; 4];
            for j in 0..4 {
                let [p, q, r, s] = [rows[4 * j].0, rows[4 * j + 1].0, rows[4 * j + 2].0, rows[4 * j + 3].0];
                let (low, low_too) = (_mm512_unpacklo_epi32(p, q), _mm512_unpacklo_epi32(r, s));
                let (high, high_too) = (_mm512_unpackhi_epi32(p, q), _mm512_unpackhi_epi32(r, s));
                fours[0][j] = _mm512_unpacklo_epi64(low, low_too);
                fours[1][j] = _mm512_unpackhi_epi64(low, low_too);
                fours[2][j] = _mm512_unpacklo_epi64(high, high_too);
                fours[3][j] = _mm512_unpackhi_epi64(high, high_too);
            }
            let mut turned = rows;
            for (c, [p, q, r, s]) in fours.into_iter().enumerate() {
                let (lower, lower_too) = (_mm512_shuffle_i32x4::<0x44>(p, q), _mm512_shuffle_i32x4::<0x44>(r, s));
                let (upper, upper_too) = (_mm512_shuffle_i32x4::<0xee>(p, q), _mm512_shuffle_i32x4::<0xee>(r, s));
                turned[c] = Avx512(_mm512_shuffle_i32x4::<0x88>(lower, lower_too));
                turned[4 + c] = Avx512(_mm512_shuffle_i32x4::<0xdd>(lower, lower_too));
                turned[8 + c] = Avx512(_mm512_shuffle_i32x4::<0x88>(upper, upper_too));
                turned[12 + c] = Avx512(_mm512_shuffle_i32x4::<0xdd>(upper, upper_too));
            }
            turned
        }
    }

    #[inline(always)]
    unsafe fn shl(self, count: u32) -> Self {
        unsafe { Avx512(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(count as i32))) }
    }

    #[inline(always)]
    unsafe fn shr_u32(self, count: u32) -> Self {
        unsafe { Avx512(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(count as i32))) }
    }

    #[inline(always)]
    unsafe fn shr_i32(self, count: u32) -> Self {
        unsafe { Avx512(_mm512_sra_epi32(self.0, _mm_cvtsi32_si128(count as i32))) }
    }

    masks_of_16_bits! {}

    #[inline(always)]
    unsafe fn select(m: u16, a: Self, b: Self) -> Self {
        unsafe { Avx512(_mm512_mask_blend_epi32(m, b.0, a.0)) }
    }
}

/// `name(arguments) -> (results) = value`, of each of two registers.
macro_rules! two {
    ($($name:ident($a:ident $(, $arg:ident)*) = $value:expr;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self $(, $arg: Self)*) -> Self {
            unsafe {
                let low = { let $a = self.0; $(let $arg = $arg.0;)* $value };
                let high = { let $a = self.1; $(let $arg = $arg.1;)* $value };
                Avx2(low, high)
            }
        }
    )+};
}

/// Masks are lanes of zeros and ones.
macro_rules! masks {
    ($($name:ident($a:ident, $b:ident) = $value:expr;)+) => {$(
        #[inline(always)]
        unsafe fn $name(self, o: Self) -> Avx2 {
            unsafe {
                let low = { let ($a, $b) = (self.0, o.0); $value };
                let high = { let ($a, $b) = (self.1, o.1); $value };
                Avx2(low, high)
            }
        }
    )+};
}

impl Lanes for Avx2 {
    type Mask = Avx2;
    const LANES: usize = SMALLEST;
    const FAST: bool = true;

    two! {
        add(a, b) = _mm256_add_epi32(a, b);
        sub(a, b) = _mm256_sub_epi32(a, b);
        mul(a, b) = _mm256_mullo_epi32(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        min_u32(a, b) = _mm256_min_epu32(a, b);
        max_u32(a, b) = _mm256_max_epu32(a, b);
        min_i32(a, b) = _mm256_min_epi32(a, b);
        max_i32(a, b) = _mm256_max_epi32(a, b);
        add_f32(a, b) = j(_mm256_add_ps(g(a), g(b)));
        sub_f32(a, b) = j(_mm256_sub_ps(g(a), g(b)));
        mul_f32(a, b) = j(_mm256_mul_ps(g(a), g(b)));
        div_f32(a, b) = j(_mm256_div_ps(g(a), g(b)));
        mul_add_f32(a, b, c) = j(_mm256_fmadd_ps(g(a), g(b), g(c)));
        sqrt_f32(a) = j(_mm256_sqrt_ps(g(a)));
        floor_f32(a) = j(_mm256_floor_ps(g(a)));
        ceil_f32(a) = j(_mm256_ceil_ps(g(a)));
        trunc_f32(a) = j(_mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(g(a)));
        i32_to_f32(a) = j(_mm256_cvtepi32_ps(a));
        f32_to_i32_or_min(a) = _mm256_cvttps_epi32(g(a));
    }

    masks! {
        eq(a, b) = _mm256_cmpeq_epi32(a, b);
        lt_u32(a, b) = {
            let sign = _mm256_set1_epi32(i32::MIN);
            _mm256_cmpgt_epi32(_mm256_xor_si256(b, sign), _mm256_xor_si256(a, sign))
        };
        lt_i32(a, b) = _mm256_cmpgt_epi32(b, a);
        eq_f32(a, b) = j(_mm256_cmp_ps::<_CMP_EQ_OQ>(g(a), g(b)));
        lt_f32(a, b) = j(_mm256_cmp_ps::<_CMP_LT_OQ>(g(a), g(b)));
        le_f32(a, b) = j(_mm256_cmp_ps::<_CMP_LE_OQ>(g(a), g(b)));
    }

    #[inline(always)]
    unsafe fn splat(x: u32) -> Self {
        unsafe { Avx2(_mm256_set1_epi32(x as i32), _mm256_set1_epi32(x as i32)) }
    }

    #[inline(always)]
    unsafe fn load(p: *const u32) -> Self {
        unsafe { Avx2(_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(8).cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut u32) {
        unsafe {
            _mm256_storeu_si256(p.cast(), self.0);
            _mm256_storeu_si256(p.add(8).cast(), self.1);
        }
    }

    #[inline(always)]
    unsafe fn stream(self, p: *mut u32) {
        unsafe {
            _mm256_stream_si256(p.cast(), self.0);
            _mm256_stream_si256(p.add(8).cast(), self.1);
        }
    }

    #[inline(always)]
    unsafe fn load_where(m: Self, p: *const u32) -> Self {
        unsafe {
            let high = p.wrapping_add(8);
            Avx2(_mm256_maskload_epi32(p.cast(), m.0), _mm256_maskload_epi32(high.cast(), m.1))
        }
    }

    #[inline(always)]
    unsafe fn store_where(self, m: Self, p: *mut u32) {
        unsafe {
            _mm256_maskstore_epi32(p.cast(), m.0, self.0);
            _mm256_maskstore_epi32(p.wrapping_add(8).cast(), m.1, self.1);
        }
    }

    #[inline(always)]
    unsafe fn permute(a: Self, b: Self, order: &[u32; SMALLEST]) -> Self {
        unsafe {
            let order = Self::load(order.as_ptr());
            Avx2(from_four([a.0, a.1, b.0, b.1], order.0), from_four([a.0, a.1, b.0, b.1], order.1))
        }
    }

    #[inline(always)]
    unsafe fn gather(p: *const u32, at: Self) -> Self {
        unsafe { Avx2(_mm256_i32gather_epi32::<4>(p.cast(), at.0), _mm256_i32gather_epi32::<4>(p.cast(), at.1)) }
    }

    /// Quarters of 8 rows and 8 words.
    #[inline(always)]
    unsafe fn transpose(rows: [Self; SMALLEST]) -> [Self; SMALLEST] {
        unsafe {
            let mut turned = rows;
            for (half, from) in [(0, 0), (0, 8), (1, 0), (1, 8)] {
                let mut eight = [rows[from].0; 8];
                for k in 0..8 {
                    eight[k] = if half == 0 { rows[from + k].0 } else { rows[from + k].1 };
                }
                let eight = transpose_eight(eight);
                for k in 0..8 {
                    let to = &mut turned[8 * half + k];
                    *(if from == 0 { &mut to.0 } else { &mut to.1 }) = eight[k];
                }
            }
            turned
        }
    }

    #[inline(always)]
    unsafe fn shl(self, count: u32) -> Self {
        unsafe {
            let count = _mm_cvtsi32_si128(count as i32);
            Avx2(_mm256_sll_epi32(self.0, count), _mm256_sll_epi32(self.1, count))
        }
    }

    #[inline(always)]
    unsafe fn shr_u32(self, count: u32) -> Self {
        unsafe {
            let count = _mm_cvtsi32_si128(count as i32);
            Avx2(_mm256_srl_epi32(self.0, count), _mm256_srl_epi32(self.1, count))
        }
    }

    #[inline(always)]
    unsafe fn shr_i32(self, count: u32) -> Self {
        unsafe {
            let count = _mm_cvtsi32_si128(count as i32);
            Avx2(_mm256_sra_epi32(self.0, count), _mm256_sra_epi32(self.1, count))
        }
    }

    #[inline(always)]
    unsafe fn mask(bits: u64) -> Self {
        unsafe {
            let bit = |l: i32| _mm256_setr_epi32(1 << l, 2 << l, 4 << l, 8 << l, 16 << l, 32 << l, 64 << l, 128 << l);
            let (bits, low, high) = (_mm256_set1_epi32(bits as i32), bit(0), bit(8));
            let is_set = |bit: __m256i| _mm256_cmpeq_epi32(_mm256_and_si256(bits, bit), bit);
            Avx2(is_set(low), is_set(high))
        }
    }

    #[inline(always)]
    unsafe fn both(a: Self, b: Self) -> Self {
        unsafe { a.and(b) }
    }

    #[inline(always)]
    unsafe fn either(a: Self, b: Self) -> Self {
        unsafe { a.or(b) }
    }

    #[inline(always)]
    unsafe fn differ(a: Self, b: Self) -> Self {
        unsafe { a.xor(b) }
    }

    #[inline(always)]
    unsafe fn not(a: Self) -> Self {
        unsafe { a.xor(Self::splat(u32::MAX)) }
    }

    #[inline(always)]
    unsafe fn any(m: Self) -> bool {
        unsafe { _mm256_movemask_epi8(_mm256_or_si256(m.0, m.1)) != 0 }
    }

    #[inline(always)]
    unsafe fn select(m: Self, a: Self, b: Self) -> Self {
        unsafe { Avx2(_mm256_blendv_epi8(b.0, a.0, m.0), _mm256_blendv_epi8(b.1, a.1, m.1)) }
    }
}

/// Word `l` of register `k` is word `k` of register `l`.
#[inline(always)]
unsafe fn transpose_eight(rows: [__m256i; 8]) -> [__m256i; 8] {
    unsafe {
        // Half `b` of `fours[c][j]` has word `4 b + c` of rows `4 j` to `4 j + 3`.
        let mut fours = [[rows[0]; 2]; 4];
        for j in 0..2 {
            let [p, q, r, s] = [rows[4 * j], rows[4 * j + 1], rows[4 * j + 2], rows[4 * j + 3]];
            let (low, low_too) = (_mm256_unpacklo_epi32(p, q), _mm256_unpacklo_epi32(r, s));
            let (high, high_too) = (_mm256_unpackhi_epi32(p, q), _mm256_unpackhi_epi32(r, s));
            fours[0][j] = _mm256_unpacklo_epi64(low, low_too);
            fours[1][j] = _mm256_unpackhi_epi64(low, low_too);
            fours[2][j] = _mm256_unpacklo_epi64(high, high_too);
            fours[3][j] = _mm256_unpackhi_epi64(high, high_too);
        }
        let mut turned = rows;
        for c in 0..4 {
            turned[c] = _mm256_permute2x128_si256::<0x20>(fours[c][0], fours[c][1]);
            turned[4 + c] = _mm256_permute2x128_si256::<0x31>(fours[c][0], fours[c][1]);
        }
        turned
    }
}

/// Eight words picked out of four registers.
#[inline(always)]
unsafe fn from_four(from: [__m256i; 4], order: __m256i) -> __m256i {
    unsafe {
        // Bit 3 of an index says which of two registers, bit 4 which of two pairs: moved to the sign, where a blend looks.
        let (second, high) = (g(_mm256_slli_epi32::<28>(order)), g(_mm256_slli_epi32::<27>(order)));
        let [a, b, c, d] = from;
        let low = _mm256_blendv_ps(
            g(_mm256_permutevar8x32_epi32(a, order)),
            g(_mm256_permutevar8x32_epi32(b, order)),
            second,
        );
        let up = _mm256_blendv_ps(
            g(_mm256_permutevar8x32_epi32(c, order)),
            g(_mm256_permutevar8x32_epi32(d, order)),
            second,
        );
        j(_mm256_blendv_ps(low, up, high))
    }
}
