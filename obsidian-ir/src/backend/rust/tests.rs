//! Programs built by hand, printed, and read back by `syn`. That the code runs and is right is tested where there is a
//! compiler: the workspace's own tests.

use super::expr::Printer;
use super::fixtures::{Build, mixed, saxpy, sums};
use super::native;
use crate::passes::{Native, structured};
use crate::program::text::read;
use crate::program::{BinOp, Program, Range, ScalarType};

/// A program as the printer takes it: laid out, in as much shared memory as it wants.
fn form(mut p: Program) -> Native {
    p.shared_limit = u32::MAX;
    structured(&mut p).expect("fits");
    Native::checked(p).unwrap_or_else(|e| panic!("{e}"))
}

fn text(p: &Program) -> String {
    let items = native(&form(p.clone()));
    syn::parse2::<syn::File>(items.clone()).expect("an item");
    items.to_string()
}

#[test]
fn indices_that_do_not_wrap_are_plain_usize() {
    let code = text(&saxpy());
    assert!(code.contains("(__v0 * 1024usize) + __v1"), "{code}");
    // Only where a block's part of the output begins may wrap, which is tested when it runs.
    assert!(code.matches("u32 :: wrapping").count() == 2 && !code.contains(". wrapping_mul"), "{code}");
}

#[test]
fn indices_that_may_wrap_wrap_at_32_bits() {
    let mut b = Build::new("f", 32);
    let (v, i) = b.index("i", u32::MAX);
    let k = b.u32(512);
    let e = b.bin(BinOp::Mul, i, k);
    let mut printer = Printer::new(&b.0);
    printer.wide_vars[v.0 as usize] = true;
    let expected = "(((__v0 as u32)) . wrapping_mul ((512u32)) as usize)";
    assert_eq!(printer.wide(e).to_string(), expected);
}

#[test]
fn division_by_data_is_guarded_and_by_a_constant_not() {
    let mut b = Build::new("f", 32);
    let x = b.scalar("x", ScalarType::I32);
    let y = b.scalar("y", ScalarType::I32);
    let by_data = b.bin(BinOp::Div, x, y);
    let v = b.0.new_var("d", ScalarType::I32, false, Range::new(1, 9));
    let d = b.0.exprs.var(v);
    let by_known = b.bin(BinOp::Div, x, d);
    let printer = Printer::new(&b.0);
    assert!(printer.value(by_data).to_string().contains("__y == 0"));
    assert!(!printer.value(by_known).to_string().contains("== 0"));
}

#[test]
fn shared_arrays_have_storage_of_their_own() {
    let code = text(&sums("sums", ScalarType::I32));
    assert_eq!(code.matches("MaybeUninit").count(), 8);
    assert!(!code.contains("Vec"));
}

#[test]
fn large_shared_memory_is_on_the_heap() {
    let mut p = sums("sums", ScalarType::I32);
    for a in &mut p.arrays {
        if a.name == "s256" {
            a.len = p.exprs.u32(1 << 17);
        }
    }
    let code = text(&p);
    assert!(code.contains("Vec") && !code.contains("MaybeUninit"), "{code}");
}

#[test]
fn atomics_of_buffers_are_atomic_and_of_shared_memory_plain() {
    let code = text(&mixed());
    assert_eq!(code.matches("compare_exchange_weak").count(), 1);
    assert_eq!(code.matches(". wrapping_add").count(), 1);
}

/// The CPU version of a kernel with this update of the buffer `m` or of the shared array `s1`.
fn exchanged(update: &str) -> String {
    let program = format!(
        "\
kernel f (threads = 64, shared = 256 B)
  mut m: f32[64]
  distribute Block b0 < 1
    shared per Block s1: f32[64] at 0
    forall Block i1 < 64
      s1[i1] = 1.0
    sync Block
    forall Block i2 < 64
      {update}
"
    );
    text(&read(&program).expect("a program"))
}

#[test]
fn an_exchange_that_nobody_asks_of_is_a_store() {
    let code = exchanged("atomic_exchange(m[i2], 1.0)");
    assert!(code.contains("AtomicU32") && code.contains(". store (") && !code.contains("swap"), "{code}");
    let asked = exchanged("let old3 = atomic_exchange(m[i2], 1.0)");
    assert!(asked.contains(". swap (") && !asked.contains(". store ("), "{asked}");
    let shared = exchanged("atomic_exchange(s1[i2], 1.0)");
    assert!(!shared.contains("Atomic"), "{shared}");
}

#[test]
fn a_loop_takes_each_index_from_its_start_to_below_its_end_once() {
    let text =
        super::count_up(&super::local("v", 1), quote::quote!(7usize), quote::quote!(9usize), quote::quote!(f(__v1);));
    let expected = "{ let __end : usize = 9usize ; let mut __v1 : usize = 7usize ; while __v1 < __end { f (__v1) ; __v1 += 1 ; } }";
    assert_eq!(text.to_string(), expected);
}

/// Whether the loop over `i1`, whose body is this, ends before its last instance.
fn ends_early(body: &str) -> bool {
    let program = format!(
        "\
kernel f (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  out out: u32[len(xs)]
  distribute Block b0 < (len(xs) + 63) >> 6
    forall Block i1 < 64
      {body}
"
    );
    let code = text(&read(&program).expect("a program"));
    code.contains("__end : usize = usize :: min (64usize ,")
}

#[test]
fn a_loop_ends_where_its_instances_have_nothing_to_do() {
    let store = "\n        out[i1] = 1";
    assert!(ends_early(&format!("if i1 < (len(xs) & 63){store}")));
    // Another comparison, another index, what differs from instance to instance, what is read, and others that do something else.
    for line in ["if i1 <= 7", "if (i1 + 1) < 7", "if i1 < (i1 & 6)", "if i1 < xs[0]"] {
        assert!(!ends_early(&format!("{line}{store}")), "{line}");
    }
    assert!(!ends_early(&format!("if i1 < 7{store}\n      else\n        out[i1] = 2")));
    assert!(!ends_early(&format!("if i1 < 7{store}\n      out[i1] = 2")));
}
