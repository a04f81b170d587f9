//! What of a computed array has been written: by places that are turned, in part, in copies of warps.

use super::tests::found_in;

/// What is said of a block whose threads read the `len` elements of `t` after `writes`.
fn block(len: u32, writes: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: u32[64]
  out out: u32[{len}]
  distribute Block b < 1
    shared per Block t: u32[{len}]
{writes}    forall Block o < {len}
      prove out[o] = t[o]
"
    );
    found_in(&text)
}

/// A number of the launch turns the places of whole tiles; of a tile that is cut off nobody knows which places these are.
#[test]
fn turned_places_fill_an_array_of_whole_tiles() {
    let turned = |len: u32, threads: u32, place: &str| {
        block(len, &format!("    forall Block i < {threads}\n      prove t[{place}] = i\n"))
    };
    let tiles = "((i >> 6) * 64) + (((i & 63) + n) & 63)";
    assert_eq!(turned(64, 64, "(i + n) & 63"), "");
    assert_eq!(turned(64, 64, "i ^ (n & 63)"), "");
    assert_eq!(turned(128, 128, tiles), "");
    assert_ne!(turned(96, 96, tiles), "");
    assert_ne!(turned(128, 127, tiles), "");
    assert_ne!(turned(64, 63, "(i + n) & 63"), "");
    assert_ne!(turned(128, 64, "(i + n) & 63"), "");
    assert_ne!(turned(64, 64, "((i >> 1) + n) & 63"), "");
}

/// What is written where data says so may not be there in the next phase; what one side of a branch or the other writes is.
#[test]
fn what_may_be_written_is_not_read() {
    let phase = |body: &str| block(64, &format!("    forall Block i < 64\n{body}"));
    assert_eq!(phase("      prove t[i] = i\n"), "");
    let sides = |other: &str| {
        phase(&format!("      if xs[i] > 3\n        prove t[i] = i\n      else\n        prove t[{other}] = 7\n"))
    };
    assert_eq!(sides("i"), "");
    assert_eq!(sides("(i * 2) >> 1"), "");
    assert_ne!(sides("0"), "");
    assert_ne!(phase("      if xs[i] > 3\n        prove t[i] = i\n"), "");
    assert_ne!(phase("      if n > 3\n        prove t[i] = i\n"), "");
    assert_ne!(phase("      if i < n\n        prove t[i] = i\n"), "");
    assert_ne!(phase("      if i < 63\n        prove t[i] = i\n"), "");
    assert_ne!(phase("      prove t[i & 62] = i\n"), "");
    assert_ne!(block(64, "    if xs[0] > 3\n      forall Block i < 64\n        prove t[i] = i\n"), "");
    assert_ne!(block(64, "    seq k in 0..n\n      forall Block i < 64\n        prove t[i] = i\n"), "");
    assert_eq!(block(64, "    seq k in 0..2\n      forall Block i < 32\n        prove t[(k * 32) + i] = i\n"), "");
    assert_ne!(block(64, "    seq k in 0..2\n      forall Block i < 32\n        prove t[(k * 31) + i] = i\n"), "");
}
