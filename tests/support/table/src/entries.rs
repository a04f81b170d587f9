//! The kernels by the type of their elements.

use obsidian::{Buffer, Device, Error};

use crate::items::Item;
use crate::kernels::*;

/// What a launch gives.
pub type Found<T> = Result<Buffer<T>, Error>;

/// The algorithms of a type of elements.
pub trait Entries: Item {
    /// `reduce`.
    fn reduced(device: &Device, xs: &Buffer<Self>, op: u32) -> Found<Self>;
    /// `scan`.
    fn scanned(device: &Device, xs: &Buffer<Self>, op: u32) -> Found<Self>;
    /// `scan_exclusive` from [`Item::INIT`].
    fn before(device: &Device, xs: &Buffer<Self>, op: u32) -> Found<Self>;
    /// `segmented_scan`, of segments that begin where a key is a multiple of the base.
    fn in_segments(device: &Device, xs: &Buffer<Self>, keys: &Buffer<u32>, base: u32, op: u32) -> Found<Self>;
    /// `segmented_reduce` from [`Item::INIT`].
    fn segments(device: &Device, xs: &Buffer<Self>, offsets: &Buffer<u32>, op: u32) -> Found<Self>;
    /// `sort_by`.
    fn sorted(device: &Device, xs: &Buffer<Self>, order: u32) -> Found<Self>;
    /// `sort_by_key`.
    fn by_key(device: &Device, xs: &Buffer<Self>, by: u32) -> Found<Self>;
    /// `top_k_by`.
    fn first(device: &Device, xs: &Buffer<Self>, k: u32, order: u32) -> Found<Self>;
    /// `histogram`.
    fn counted(device: &Device, xs: &Buffer<Self>, by: u32) -> Found<u32>;
    /// `filter`.
    fn filtered(device: &Device, xs: &Buffer<Self>, which: u32) -> Found<Self>;
    /// `partition`.
    fn parted(device: &Device, xs: &Buffer<Self>, which: u32) -> Result<(Buffer<Self>, Buffer<Self>), Error>;
    /// `transpose_2d`.
    fn turned(device: &Device, xs: &Buffer<Self>, columns: u32) -> Found<Self>;
}

/// The algorithms that ask whether elements are equal.
pub trait Equal: Entries {
    /// `unique`.
    fn distinct(device: &Device, xs: &Buffer<Self>) -> Found<Self>;
    /// `run_length`: the elements, and how many.
    fn runs(device: &Device, xs: &Buffer<Self>) -> Result<Vec<(Self, u32)>, Error>;
}

macro_rules! entries {
    ($($ty:ty: $reduced:ident $scanned:ident $before:ident($($init:ident)?) $in_segments:ident $segments:ident
        $sorted:ident $by_key:ident $first:ident $counted:ident $filtered:ident $parted:ident $turned:ident;
        $a:ident $b:ident $c:ident $d:ident $e:ident)*) => { $(impl Entries for $ty {
        fn reduced(device: &Device, xs: &Buffer<$ty>, op: u32) -> Found<$ty> {
            $reduced.with($a { OP: op, ..Default::default() }).run(device, xs)
        }
        fn scanned(device: &Device, xs: &Buffer<$ty>, op: u32) -> Found<$ty> {
            $scanned.with($b { OP: op, ..Default::default() }).run(device, xs)
        }
        fn before(device: &Device, xs: &Buffer<$ty>, op: u32) -> Found<$ty> {
            $before.with($c { OP: op, ..Default::default() }).run(device, xs $(, <$ty>::$init)?)
        }
        fn in_segments(device: &Device, xs: &Buffer<$ty>, keys: &Buffer<u32>, base: u32, op: u32) -> Found<$ty> {
            $in_segments.with($d { OP: op, ..Default::default() }).run(device, xs, keys, base)
        }
        fn segments(device: &Device, xs: &Buffer<$ty>, offsets: &Buffer<u32>, op: u32) -> Found<$ty> {
            $segments.with($e { OP: op, ..Default::default() }).run(device, xs, offsets $(, <$ty>::$init)?)
        }
        fn sorted(device: &Device, xs: &Buffer<$ty>, order: u32) -> Found<$ty> {
            $sorted.run(device, xs, order)
        }
        fn by_key(device: &Device, xs: &Buffer<$ty>, by: u32) -> Found<$ty> {
            $by_key.run(device, xs, by)
        }
        fn first(device: &Device, xs: &Buffer<$ty>, k: u32, order: u32) -> Found<$ty> {
            $first.run(device, xs, k, order)
        }
        fn counted(device: &Device, xs: &Buffer<$ty>, by: u32) -> Found<u32> {
            $counted.run(device, xs, by)
        }
        fn filtered(device: &Device, xs: &Buffer<$ty>, which: u32) -> Found<$ty> {
            $filtered.run(device, xs, which)
        }
        fn parted(device: &Device, xs: &Buffer<$ty>, which: u32) -> Result<(Buffer<$ty>, Buffer<$ty>), Error> {
            $parted.run(device, xs, which)
        }
        fn turned(device: &Device, xs: &Buffer<$ty>, columns: u32) -> Found<$ty> {
            $turned.run(device, xs, columns)
        }
    })* };
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        entries! {
            $ty: reduced scanned before(INIT) in_segments segments sorted by_key first counted filtered parted turned;
            ReducedParams ScannedParams BeforeParams InSegmentsParams SegmentsParams
        }

        impl Equal for $ty {
            fn distinct(device: &Device, xs: &Buffer<$ty>) -> Found<$ty> {
                distinct.run(device, xs)
            }
            fn runs(device: &Device, xs: &Buffer<$ty>) -> Result<Vec<($ty, u32)>, Error> {
                runs.run(device, xs)?.to_vec()
            }
        }
    )* };
}

numbers!(u32 i64 f32 f64);

entries! {
    (u32, i64): reduced_pairs scanned_pairs before_pairs() in_segments_pairs segments_pairs sorted_pairs by_key_pairs first_pairs
        counted_pairs filtered_pairs parted_pairs turned_pairs;
    ReducedPairsParams ScannedPairsParams BeforePairsParams InSegmentsPairsParams SegmentsPairsParams
}
