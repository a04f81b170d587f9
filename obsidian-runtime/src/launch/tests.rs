//! Launches of hand-written kernels on the CPU: results for every geometry, and every refusal.

use super::*;
use crate::element::ScalarArg;
use crate::fixtures::{COUNT, GROW, SUM_CHUNKS, UNPAIR};
use crate::kernel::Choice;

fn sum_chunks(options: &LaunchOptions, input: &[i32], bias: i32) -> Result<Vec<i32>, Error> {
    let dev = Device::cpu();
    let input = dev.upload(input)?;
    let plan = plan(&SUM_CHUNKS, options, &dev, &[input.len() as u64, bias.bits()])?;
    let mut out = plan.allocate::<i32>(0)?;
    plan.launch(&mut [Arg::Buffer(input.raw()), Arg::Scalar(bias.bits())], &mut [out.raw_mut()])?;
    out.to_vec()
}

fn expected(input: &[i32], bias: i32) -> Vec<i32> {
    input.chunks(4).map(|chunk| chunk.iter().fold(bias, |sum, &x| sum.wrapping_add(x))).collect()
}

#[test]
fn any_geometry_gives_the_same_result() {
    for len in [4, 8, 12, 400, 40_000] {
        let input: Vec<i32> = (0..len).map(|i: i32| i.wrapping_mul(0x9e37_79b9u32 as i32)).collect();
        for blocks in [None, Some(1), Some(2), Some(3), Some(64), Some(u32::MAX)] {
            for choice in [Choice::ANY, Choice::ANY.threads(4)] {
                let options = LaunchOptions { choice, blocks, stream: Some(Device::cpu().stream()) };
                assert_eq!(sum_chunks(&options, &input, -3).unwrap(), expected(&input, -3), "{len} {blocks:?}");
            }
        }
    }
}

#[test]
fn nothing_to_do_succeeds() {
    assert_eq!(sum_chunks(&LaunchOptions::DEFAULT, &[], 1).unwrap(), []);
}

#[test]
fn tuples_and_several_outputs() {
    let dev = Device::cpu();
    let values: Vec<(f64, bool)> = (0..100).map(|i| (f64::from(i) / 7.0, i % 3 == 0)).collect();
    let input = dev.upload(&values).unwrap();
    let plan = plan(&UNPAIR, &LaunchOptions::DEFAULT, &dev, &[100]).unwrap();
    assert_eq!((plan.output_len(0), plan.output_len(1), plan.output_len(2)), (Some(100), Some(100), None));
    let (mut first, mut second) = (plan.allocate::<f64>(0).unwrap(), plan.allocate::<(bool, bool)>(1).unwrap());
    plan.launch(&mut [Arg::Buffer(input.raw())], &mut [first.raw_mut(), second.raw_mut()]).unwrap();
    assert_eq!(first.to_vec().unwrap(), values.iter().map(|v| v.0).collect::<Vec<_>>());
    assert_eq!(second.to_vec().unwrap(), values.iter().map(|v| (v.1, !v.1)).collect::<Vec<_>>());
}

#[test]
fn a_plan_serves_many_launches() {
    let dev = Device::cpu();
    let plan = plan(&SUM_CHUNKS, &LaunchOptions::DEFAULT, &dev, &[8, 0]).unwrap();
    let mut out = plan.allocate::<i32>(0).unwrap();
    for bias in [0, 5, -9] {
        let input = dev.upload(&[bias; 8]).unwrap();
        plan.launch(&mut [Arg::Buffer(input.raw()), Arg::Scalar(bias.bits())], &mut [out.raw_mut()]).unwrap();
        assert_eq!(out.to_vec().unwrap(), [5 * bias, 5 * bias]);
    }
}

#[test]
fn refused_when_planned() {
    let dev = Device::cpu();
    let default = LaunchOptions::DEFAULT;
    let error = sum_chunks(&default, &[1, 2, 3], 0).unwrap_err();
    assert!(matches!(error, Error::Condition { kernel: "sum_chunks", found: 3, .. }), "{error}");
    let choice = Choice::ANY.threads(7);
    let error = sum_chunks(&LaunchOptions { choice, ..LaunchOptions::DEFAULT }, &[], 0).unwrap_err();
    assert!(matches!(&error, Error::NoVariant { wanted, .. } if wanted == "threads = 7"), "{error}");
    let error = sum_chunks(&LaunchOptions { blocks: Some(0), ..LaunchOptions::DEFAULT }, &[], 0).unwrap_err();
    assert!(matches!(error, Error::ZeroBlocks { .. }), "{error}");
    let error = plan(&UNPAIR, &default, &dev, &[99]).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "pairs", expected: 100, found: 99, .. }), "{error}");
    let error = plan(&SUM_CHUNKS, &default, &dev, &[1 << 32, 0]).unwrap_err();
    assert!(matches!(error, Error::TooLong { parameter: "input", .. }), "{error}");
    let error = plan(&GROW, &default, &dev, &[1 << 30]).unwrap_err();
    assert!(matches!(error, Error::TooLong { parameter: "out", .. }), "{error}");
    let error = plan(&UNPAIR, &default, &dev, &[100, 1]).unwrap_err();
    assert!(matches!(error, Error::Arguments { .. }), "{error}");
}

#[test]
fn refused_when_launched() {
    let dev = Device::cpu();
    let plan = plan(&SUM_CHUNKS, &LaunchOptions::DEFAULT, &dev, &[8, 0]).unwrap();
    let (good, short, other) = (dev.upload(&[1; 8]).unwrap(), dev.upload(&[1; 4]).unwrap(), dev.upload(&[1u32; 8]));
    let other = other.unwrap();
    let mut out = plan.allocate::<i32>(0).unwrap();
    let scalar = || Arg::Scalar(0);
    let mut refused = |args: &mut [Arg<'_>]| plan.launch(args, &mut [out.raw_mut()]).unwrap_err();
    let error = refused(&mut [Arg::Buffer(short.raw()), scalar()]);
    assert!(matches!(error, Error::Length { parameter: "input", expected: 8, found: 4, .. }), "{error}");
    let error = refused(&mut [Arg::Buffer(other.raw()), scalar()]);
    assert!(matches!(&error, Error::Arguments { found, .. } if found.contains("U32")), "{error}");
    let two = [Arg::Buffer(good.raw()), Arg::Buffer(good.raw())];
    for mut args in [vec![], vec![scalar(), scalar()], Vec::from(two)] {
        let error = refused(&mut args);
        assert!(matches!(error, Error::Arguments { .. }), "{error}");
    }
    assert_eq!(out.to_vec().unwrap(), [0, 0]);
}

#[test]
fn refused_outputs() {
    let dev = Device::cpu();
    let plan = plan(&SUM_CHUNKS, &LaunchOptions::DEFAULT, &dev, &[8, 0]).unwrap();
    let input = dev.upload(&[1; 8]).unwrap();
    let mut args = [Arg::Buffer(input.raw()), Arg::Scalar(0)];
    let mut long = dev.alloc::<i32>(3).unwrap();
    let error = plan.launch(&mut args, &mut [long.raw_mut()]).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "out", expected: 2, found: 3, .. }), "{error}");
    let error = plan.launch(&mut args, &mut []).unwrap_err();
    assert!(matches!(error, Error::Arguments { .. }), "{error}");
    assert!(matches!(plan.allocate::<f32>(0).unwrap_err(), Error::Arguments { .. }));
    assert!(matches!(plan.allocate::<i32>(1).unwrap_err(), Error::Arguments { .. }));
}

#[test]
fn a_scalar_that_changes_the_launch_is_refused() {
    let dev = Device::cpu();
    let plan = plan(&COUNT, &LaunchOptions::DEFAULT, &dev, &[5]).unwrap();
    let mut out = plan.allocate::<u32>(0).unwrap();
    plan.launch(&mut [Arg::Scalar(5)], &mut [out.raw_mut()]).unwrap();
    assert_eq!(out.to_vec().unwrap(), [0, 1, 2, 3, 4]);
    let error = plan.launch(&mut [Arg::Scalar(6)], &mut [out.raw_mut()]).unwrap_err();
    assert!(matches!(error, Error::NotAsPrepared { kernel: "count" }), "{error}");
}
