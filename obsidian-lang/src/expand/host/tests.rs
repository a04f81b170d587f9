//! Items of compiled kernels, read back by `syn`. That they compile and run is tested where there is a runtime: the
//! workspace's own tests.

use crate::driver::{compile, compile_all};
use crate::expand::{CpuCode, item_under, module_under};
use crate::syntax::SpanTable;
use quote::quote;

/// The item of the entry that `text` holds, for a runtime at `::rt::__private`.
fn item(text: &str) -> String {
    let entries = compile(text.parse().unwrap(), &mut SpanTable::default()).unwrap();
    let tokens = item_under(&entries[0], &quote!(::rt), CpuCode::Printed);
    syn::parse2::<syn::File>(tokens.clone()).expect("items");
    tokens.to_string()
}

/// A kernel whose parameters bear the names that the generated code would choose.
const NAMED: &str = "
    #[kernel(threads = 32)]
    fn named(out: DPull<(u32, bool)>, dev: i32) -> (DPush<Grid, (bool, i32)>, DPush<Grid, f32>) {
        (out.map(|(n, b)| (b, n as i32 + dev)).split_up(32).as_grid_map(|c| c.push()),
         out.map(|(n, _)| n as f32).split_up(32).as_grid_map(|c| c.push()))
    }";

#[test]
fn outputs_and_device_give_way_to_the_users_names() {
    let code = item(NAMED);
    let buffer = ":: rt :: __private :: Buffer";
    let given = format!("dev_ : & :: rt :: __private :: Device , out : & {buffer} < (u32 , bool) > , dev : i32");
    assert!(code.contains(&given), "{code}");
    let made = format!("out_ : & mut {buffer} < (bool , i32) > , out1 : & mut {buffer} < f32 >");
    assert!(code.contains(&made), "{code}");
}

#[test]
fn visibility_is_kept_through_the_module() {
    let cases = [
        ("", "pub (super) struct Entry"),
        ("pub", "pub struct Entry"),
        ("pub(crate)", "pub (crate) struct Entry"),
        ("pub(super)", "pub (in super :: super) struct Entry"),
    ];
    let kernel = "fn copy(xs: DPull<u32>) -> DPush<Grid, u32> { xs.split_up(32).as_grid_map(|c| c.push()) }";
    for (vis, expected) in cases {
        let code = item(&format!("#[kernel(threads = 32)] #[cfg(unix)] #[doc = \"Says.\"] {vis} {kernel}"));
        assert!(code.contains(expected), "{vis}: {code}");
        let vis = vis.replace('(', " (");
        for item in ["use __obsidian_copy", "const copy"] {
            assert!(code.contains(format!("{vis} {item}").trim_start()), "{item}: {code}");
        }
        assert_eq!(code.matches("cfg (unix)").count(), 4);
    }
}

/// A scan is a chain of tiles: one launch where blocks tell one another what they have, several elsewhere, each of which the CPU runs.
#[test]
fn kernels_of_chains_in_one_pass_have_no_code_for_the_cpu() {
    let without_code = |text: &str| {
        let entries = compile_all(text.parse().unwrap(), &mut SpanTable::default()).unwrap();
        let code = module_under(&entries.modules[0], &quote!(::rt), CpuCode::Printed).to_string();
        (code.matches("unsafe fn native").count(), code.matches("no code for CPUs").count())
    };
    let sums = "#[kernel] fn sums(xs: DPull<u32>) -> Program<Device, DPull<u32>> { scan(xs, |a, b| a + b) }";
    let sum = "#[kernel] fn sum(xs: DPull<u32>) -> Program<Device, Pull<u32>> { reduce(xs, |a, b| a + b) }";
    let (all, without) = without_code(sums);
    assert!(all > 2 && without == 1, "{without} of {all}");
    assert!(matches!(without_code(sum), (2.., 0)), "{:?}", without_code(sum));
}
