//! Every function of the library that has a length, on devices: the rows of `obsidian_fuzz::table`, which `obsidian-fuzz --test table`
//! runs in the interpreters, by their CPU versions, their CUDA C and their OpenCL C.

use std::path::Path;

use obsidian_cuda_shim::Compiler;
use obsidian_fuzz::check::{Case, Verdict};
use obsidian_fuzz::table::{self, Form, LENGTHS, Row};
use obsidian_fuzz_devices::{Checks, CudaTexts, On, OpenClTexts, with_functions};
use obsidian_runtime::Device;

/// Set if a driver was set up.
const REQUIRED: &str = "OBSIDIAN_TEST_OPENCL";

/// The rows of some forms, each with its kernel.
fn cases_of(wanted: impl Fn(Form) -> bool) -> Vec<(&'static Row, Case)> {
    let case = |row: &'static Row| (row, table::case(row).unwrap_or_else(|verdict| panic!("{}: {verdict:?}", row.0)));
    table::rows().filter(|row| wanted(row.1)).map(case).collect()
}

/// All rows.
fn cases() -> Vec<(&'static Row, Case)> {
    cases_of(|_| true)
}

/// What takes several launches.
fn is_of_device(form: Form) -> bool {
    matches!(form, Form::Device | Form::OfDevice)
}

/// Runs each row at each length; all that is wrong. A row that the device cannot run is not one that passes.
fn all_wrong(cases: &mut [(&'static Row, Case)], mut run: impl FnMut(usize, &Case) -> Verdict) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, (row, case)) in cases.iter_mut().enumerate() {
        for n in LENGTHS.into_iter().filter(|&n| n <= row.1.most()) {
            table::set(case, row, n);
            match run(number, case) {
                Verdict::Same => {}
                other => {
                    wrong.push(format!("{}, {:?}, {n} elements: {other:?}", row.0, row.1));
                    break;
                }
            }
        }
    }
    wrong
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_function_at_every_length_on_the_cpu() {
    let mut cases = cases();
    let checks = Checks::new(vec![On::Cpu]);
    let functions =
        checks.functions(&cases.iter().map(|(_, case)| case).collect::<Vec<_>>()).expect("rustc takes them");
    let run = |number: usize, case: &Case| {
        with_functions(case, &functions[number]).map_or_else(Verdict::Wrong, |()| Verdict::Same)
    };
    assert_none(&all_wrong(&mut cases, run));
}

#[test]
fn every_function_as_cuda_c() {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler,
        Err(why) => return println!("SKIP: {why}"),
    };
    let mut cases = cases();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("table");
    let kernels: Vec<&Case> = cases.iter().map(|(_, case)| case).collect();
    let mut texts = CudaTexts::new(&compiler, &folder, &kernels).unwrap_or_else(|fault| panic!("{fault}"));
    let run = |number: usize, case: &Case| texts.run(number, case).map_or_else(Verdict::Wrong, |()| Verdict::Same);
    assert_none(&all_wrong(&mut cases, run));
}

/// The rows of some forms on the device that was set up, if one was. A driver that does not optimise compiles all of them in less than a
/// minute, one that does in many.
fn on_opencl(wanted: impl Fn(Form) -> bool) {
    if std::env::var_os(REQUIRED).is_none() {
        return println!("SKIP: {REQUIRED} does not ask for it");
    }
    let device = Device::opencl(0).unwrap_or_else(|error| panic!("{error}"));
    let mut cases = cases_of(wanted);
    let texts = OpenClTexts::of(&cases.iter().map(|(_, case)| case).collect::<Vec<_>>());
    assert_none(&all_wrong(&mut cases, |number, case| texts.run(number, case, &device)));
}

#[test]
fn every_function_on_opencl() {
    on_opencl(|form| !is_of_device(form));
}

#[test]
fn every_function_of_several_launches_on_opencl() {
    on_opencl(is_of_device);
}
