//! One launch on several devices: its virtual blocks cut into a part for each, a thread of the host for each. In: devices
//! with their shares, values on the host; out: what each device wrote of the outputs, in order. What a device does is
//! `launch`'s.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::select;
use crate::launch::{Arg, LaunchOptions, Plan, plan};
use crate::memory::{Buffer, RawBuffer};
use obsidian_abi::{KernelInfo, ParamKind, Variant};

/// A device's part of a launch on several, made by [`Device::share`].
#[derive(Debug, Clone)]
pub struct Share {
    device: Device,
    weight: u32,
}

impl Device {
    /// A part of a launch on several devices: of shares 1 and 3 the first device takes a quarter of the blocks. The parts
    /// lie in the order of the list; a share of 0 gets none, and a device may be in the list more than once.
    ///
    /// ```text
    /// let out = saxpy.run_on(&[cpu.share(1), gpu.share(15)], 2.0, &x, &y)?;   // slices in, a `Vec` out
    /// ```
    pub fn share(&self, weight: u32) -> Share {
        Share { device: self.clone(), weight }
    }
}

/// A launch that is cut up, its checks done on every device.
#[derive(Debug)]
pub struct Split {
    parts: Vec<Part>,
}

/// What one device is to do.
#[derive(Debug)]
pub struct Part {
    plan: Plan,
    device: Device,
    blocks: Range<u32>,
}

impl Split {
    /// Plans a launch on these devices; `values` are those of [`plan`].
    ///
    /// # Errors
    /// Those of [`plan`], the kernel cannot be split, no device has a share.
    pub fn new(
        info: &'static KernelInfo,
        options: &LaunchOptions,
        shares: &[Share],
        values: &[u64],
    ) -> Result<Split, Error> {
        splittable(info, select(info, &options.choice)?)?;
        // What is wrong on every device is no device's fault.
        let anywhere = LaunchOptions { stream: None, ..options.clone() };
        let blocks = plan(info, &anywhere, &Device::cpu(), values)?.blocks();
        let ranges = cut(blocks, shares).ok_or(Error::NoDevices { kernel: info.name })?;
        // A part of the blocks has a group for each.
        let all = LaunchOptions { blocks: None, ..options.clone() };
        let busy =
            shares.iter().zip(ranges).filter(|(share, range)| !range.is_empty() || blocks == 0 && share.weight > 0);
        let parts = busy.map(|(share, range)| {
            let planned = plan(info, &all, &share.device, values).and_then(|plan| plan.of_part(range.clone()));
            let plan = planned.map_err(|error| named(&share.device, &range, error))?;
            Ok(Part { plan, device: share.device.clone(), blocks: range })
        });
        Ok(Split { parts: parts.collect::<Result<_, Error>>()? })
    }

    /// Does `job` for all parts at once; the results in the order of the parts.
    ///
    /// # Errors
    /// [`Error::Part`]: that of the first part in order that failed.
    pub fn run<T: Send>(&self, job: impl Fn(&Part) -> Result<T, Error> + Sync) -> Result<Vec<T>, Error> {
        let results: Vec<Result<T, Error>> = thread::scope(|scope| {
            let job = &job;
            let running: Vec<_> = self.parts.iter().map(|part| scope.spawn(move || job(part))).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        let named =
            |(part, result): (&Part, Result<T, Error>)| result.map_err(|e| named(&part.device, &part.blocks, e));
        self.parts.iter().zip(results).map(named).collect()
    }
}

impl Part {
    /// The values of an input, on the part's device.
    ///
    /// # Errors
    /// Those of [`Device::upload`].
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        self.device.upload(values)
    }

    /// A buffer for output `output`. It has room for all of it: a block writes at the same place on every device.
    ///
    /// # Errors
    /// Those of [`Plan::allocate`].
    pub fn allocate<T: Element>(&self, output: usize) -> Result<Buffer<T>, Error> {
        self.plan.allocate(output)
    }

    /// Launches the part's blocks.
    ///
    /// # Errors
    /// Those of [`Plan::launch`].
    pub fn launch(&self, args: &mut [Arg<'_>], outs: &mut [&mut RawBuffer]) -> Result<(), Error> {
        self.plan.launch(args, outs)
    }

    /// What the part's blocks have written of output `output`.
    ///
    /// # Errors
    /// Those of [`Buffer::to_vec`].
    pub fn gather<T: Element>(&self, output: usize, from: &Buffer<T>) -> Result<Vec<T>, Error> {
        from.part(self.plan.written(output).unwrap_or(0..0))
    }
}

/// The error of a device, with its name.
fn named(device: &Device, blocks: &Range<u32>, error: Error) -> Error {
    Error::Part { device: device.name().to_owned(), first: blocks.start, end: blocks.end, source: Box::new(error) }
}

/// Whether each block writes a part of each output that is known: then devices need not know of one another.
fn splittable(info: &'static KernelInfo, variant: &'static Variant) -> Result<(), Error> {
    let refuse = |parameter, reason| Err(Error::NotSplittable { kernel: info.name, parameter, reason });
    let mut parts = variant.parts.iter();
    for parameter in variant.params {
        match parameter.kind {
            ParamKind::InOut(_) => return refuse(parameter.name, "all blocks update it"),
            ParamKind::Output if parts.next().is_none_or(Option::is_none) => {
                return refuse(parameter.name, "its blocks are not proved to write one part after the other");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Each share's part of `0..blocks`; `None` where nobody has a share.
fn cut(blocks: u32, shares: &[Share]) -> Option<Vec<Range<u32>>> {
    let total: u128 = shares.iter().map(|share| u128::from(share.weight)).sum();
    if total == 0 {
        return None;
    }
    let mut sum = 0;
    let range = |share: &Share| {
        // At most `blocks`.
        let end = |sum: u128| (u128::from(blocks) * sum / total) as u32;
        let start = end(sum);
        sum += u128::from(share.weight);
        start..end(sum)
    };
    Some(shares.iter().map(range).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ScalarArg;
    use crate::fixtures::{COUNT, GROW, SUM_CHUNKS, UNPAIR};

    fn shares(weights: &[u32]) -> Vec<Share> {
        weights.iter().map(|&weight| Device::cpu().share(weight)).collect()
    }

    #[test]
    fn parts_are_as_large_as_their_shares() {
        assert_eq!(cut(100, &shares(&[1, 3])), Some(vec![0..25, 25..100]));
        assert_eq!(cut(7, &shares(&[1, 0, 1])), Some(vec![0..3, 3..3, 3..7]));
        assert_eq!(cut(0, &shares(&[1, 1])), Some(vec![0..0, 0..0]));
        assert_eq!(cut(5, &shares(&[])), None);
        assert_eq!(cut(5, &shares(&[0, 0])), None);
        let all = cut(u32::MAX, &shares(&[u32::MAX; 5])).unwrap();
        assert_eq!(all[4].end, u32::MAX);
        assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    fn sums(weights: &[u32], input: &[i32], bias: i32) -> Result<Vec<i32>, Error> {
        let values = [input.len() as u64, bias.bits()];
        let split = Split::new(&SUM_CHUNKS, &LaunchOptions::DEFAULT, &shares(weights), &values)?;
        let parts = split.run(|part| {
            let input = part.upload(input)?;
            let mut out = part.allocate::<i32>(0)?;
            part.launch(&mut [Arg::Buffer(input.raw()), Arg::Scalar(bias.bits())], &mut [out.raw_mut()])?;
            part.gather(0, &out)
        });
        Ok(parts?.concat())
    }

    #[test]
    fn any_shares_give_the_same_result() {
        let input: Vec<i32> = (0..400).map(|i: i32| i.wrapping_mul(0x9e37_79b9u32 as i32)).collect();
        let expected: Vec<i32> = input.chunks(4).map(|c| c.iter().fold(7, |a: i32, &b| a.wrapping_add(b))).collect();
        for weights in [&[1][..], &[1, 1], &[1, 2, 0, 4], &[1000, 1], &[1; 130]] {
            assert_eq!(sums(weights, &input, 7).unwrap(), expected, "{weights:?}");
        }
        assert_eq!(sums(&[1, 1], &[], 7).unwrap(), []);
    }

    #[test]
    fn the_last_part_ends_with_the_output() {
        let split = Split::new(&UNPAIR, &LaunchOptions::DEFAULT, &shares(&[1, 1, 1, 1]), &[100]).unwrap();
        let written: Vec<_> = split.parts.iter().map(|part| part.plan.written(0).unwrap()).collect();
        assert_eq!(written, [0..32, 32..64, 64..96, 96..100]);
        let values: Vec<(f64, bool)> = (0..100).map(|i| (f64::from(i) / 7.0, i % 3 == 0)).collect();
        let parts = split.run(|part| {
            let input = part.upload(&values)?;
            let (mut first, mut second) = (part.allocate::<f64>(0)?, part.allocate::<(bool, bool)>(1)?);
            part.launch(&mut [Arg::Buffer(input.raw())], &mut [first.raw_mut(), second.raw_mut()])?;
            part.gather(1, &second)
        });
        assert_eq!(parts.unwrap().concat(), values.iter().map(|v| (v.1, !v.1)).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_split_is_refused() {
        let of = |info, weights: &[u32], values: &[u64]| {
            Split::new(info, &LaunchOptions::DEFAULT, &shares(weights), values).map(|_| ()).unwrap_err()
        };
        let error = of(&GROW, &[1, 1], &[8]);
        assert!(matches!(error, Error::NotSplittable { kernel: "grow", parameter: "out", .. }), "{error}");
        assert!(matches!(of(&COUNT, &[], &[8]), Error::NoDevices { kernel: "count" }));
        assert!(matches!(of(&COUNT, &[0], &[8]), Error::NoDevices { kernel: "count" }));
        assert!(matches!(of(&SUM_CHUNKS, &[1, 1], &[7, 0]), Error::Condition { found: 7, .. }));
    }

    #[test]
    fn a_part_that_fails_is_named() {
        let split = Split::new(&COUNT, &LaunchOptions::DEFAULT, &shares(&[1, 1]), &[8]).unwrap();
        let failing =
            |part: &Part| if part.blocks.start == 0 { Ok(()) } else { Err(Error::ZeroBlocks { kernel: "count" }) };
        let error = split.run(failing).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the CPU, blocks 4 to 8: kernel `count` was to run with 0 real blocks; ask for 1 or more, or leave the choice out"
        );
    }
}
