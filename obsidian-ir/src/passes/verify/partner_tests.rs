//! Partners that exchange (R41): what is proved, and what the rule must not let through.

use super::tests::found_in;

/// What is said of threads `i` with partners `p` that do `body`.
fn partners(i: &str, p: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    let text = format!(
        "kernel k (threads = 256, shared = 0 B)
  mut m: u32[len(m)]
  in  j: u32
  in  xs: u32[len(xs)]
  where len(m) <= 0xfffffeff   // too many
  distribute Block b < (len(m) + 255) >> 8
    forall Block t < 256
      if ((b * 256) + t) < len(m)
        let i = {i}
        let p = {p}
{body}"
    );
    found_in(&text)
}

const OWN: &str = "(b * 256) + t";
const EXCHANGE: &str = "\n  let x = m[i]\n  prove m[i] = m[p]\n  prove m[p] = x";

fn exchange(test: &str) -> String {
    format!("if {test}{EXCHANGE}")
}

#[test]
fn of_two_partners_one_alone_exchanges() {
    for test in ["(p > i) & (p < len(m))", "(p < len(m)) & (i < p)", "p < i", "((p > i) & (p < len(m))) & (xs[i] > 3)"]
    {
        for k in ["1 << j", "j", "5", "len(m)"] {
            assert_eq!(partners(OWN, &format!("i ^ ({k})"), &exchange(test)), "", "{test} {k}");
        }
    }
    let in_two_steps =
        "if (p > i) & (p < len(m))\n  let x = m[i]\n  let y = m[p]\n  if x > y\n    prove m[i] = y\n    prove m[p] = x";
    assert_eq!(partners(OWN, "i ^ j", in_two_steps), "");
}

#[test]
fn partners_that_both_exchange_meet() {
    let good = exchange("(p > i) & (p < len(m))");
    for (i, p, body) in [
        // Both do it, or nobody says which one does.
        (OWN, "i ^ j", exchange("p < len(m)")),
        (OWN, "i ^ j", exchange("(p != i) & (p < len(m))")),
        (OWN, "i ^ j", exchange("((p > i) | (p < i)) & (p < len(m))")),
        (OWN, "i ^ j", exchange("(p > j) & (p < len(m))")),
        (OWN, "i ^ j", exchange("(p >= i) & (p < len(m))")),
        // A read before the test.
        (OWN, "i ^ j", "let y = m[i]\n".to_string() + &exchange("(p > i) & (p < len(m))") + "\n  prove m[i] = y"),
        // The first of two partners writes the second, and the second the first.
        (
            OWN,
            "i ^ j",
            "if (p > i) & (p < len(m))\n  prove m[p] = m[i]\nif (p < i) & (p < len(m))\n  prove m[p] = m[i]"
                .to_string(),
        ),
        // The partner of another.
        (OWN, "(i + 1) ^ j", good.clone()),
        // Partners of partners are others.
        (OWN, "i ^ t", good.clone()),
        (OWN, "i ^ xs[0]", good.clone()),
        (OWN, "i + j", good.clone()),
        (OWN, "i | j", good.clone()),
        // Two threads have one place.
        ("((b * 256) + t) >> 1", "i ^ j", good.clone()),
        ("t", "i ^ j", good.clone()),
        // A third place.
        (OWN, "i ^ j", good + "\n  prove m[i ^ 1] = 3"),
    ] {
        let text = partners(i, p, &body);
        assert!(text.contains("no two threads meet on an element of `m`"), "{i}, {p}\n{body}\n{text}");
    }
}
