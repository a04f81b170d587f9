//! Races between threads whose number only the launch knows, and between rounds that parties are in by themselves.

use super::tests::{block_with, found_in};

/// What is said of a block that does `body`, with an array `s` of 64 elements.
fn block(body: &str) -> String {
    block_with(64, body)
}

/// However many threads there are, they are not one.
#[test]
fn threads_of_an_unknown_number_may_meet() {
    let open = "[OB054] it is not proved that no two threads meet";
    let apart = |body: &str| block(&format!("    forall Block i < n\n      {body}\n"));
    for body in
        ["prove s[0] = i", "prove s[n & 63] = i", "prove s[0] = s[1]", "prove s[i] = s[0]", "prove s[i] = s[i ^ 1]"]
    {
        let text = apart(body);
        assert!(text.starts_with(open), "{body}: {text}");
    }
    let twice = apart("prove s[0] = i\n      prove s[1] = s[0]");
    assert!(twice.starts_with(open), "{twice}");
    assert_eq!(block("    forall Block i < 1\n      prove s[0] = i\n"), "");
}

/// Each warp is in a round of its own: that two of these meet says nothing of a round that happens.
#[test]
fn rounds_that_warps_are_in_by_themselves_are_a_doubt() {
    let warps = |place: &str| {
        block(&format!(
            "    distribute Warp w < 2
      seq k in 0..n
        forall Warp i < 4
          prove s[{place}] = i
"
        ))
    };
    assert_eq!(warps("(w * 4) + i"), "");
    assert_eq!(warps("((w * 4) + (k * 8)) + i"), "");
    let text = warps("((w * 4) + (k * 4)) + i");
    assert!(text.starts_with("[OB054] it is not proved that no two threads meet"), "{text}");
}

/// Warps of which only the launch knows the number are not one.
#[test]
fn warps_of_an_unknown_number_may_meet() {
    let warps = |n: &str, body: &str| {
        block(&format!("    distribute Warp w < {n}\n      forall Warp i < 32\n        {body}\n"))
    };
    for n in ["n", "min(n, 2)", "2"] {
        for body in ["prove s[i] = i", "prove s[i] = s[i] + 1", "if i == 3\n          prove s[0] = i"] {
            let text = warps(n, body);
            assert!(text.starts_with("[OB05"), "{n}: {body}: {text}");
        }
    }
    for body in ["prove s[i] = i", "prove s[(w * 32) + i] = i"] {
        assert_eq!(warps("1", body), "", "{body}");
    }
    assert_eq!(warps("2", "prove s[(w * 32) + i] = i"), "");
}

/// Rows of a length that only the launch knows are their threads' own, as far as these read there, too.
#[test]
fn rows_of_an_unknown_length_are_read_by_their_own_threads() {
    let rows = |value: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  k: u32
  mut x: u32[len(x)]
  distribute Block b < n
    forall Block i < k
      prove x[(b * k) + i] = {value}
"
        );
        found_in(&text)
    };
    for own in ["i", "x[(b * k) + i] + 1"] {
        assert_eq!(rows(own), "", "{own}");
    }
    for other in ["x[0]", "x[((b * k) + i) + 1]", "x[(b * n) + i]", "x[(b * k) + i] + x[i]"] {
        assert_ne!(rows(other), "", "{other}");
    }
}
