//! A launch of a walk: its arguments, held against what the module and the kernel itself say of them.

use obsidian_abi::module::{HostExpr, HostExprId, LaunchArg, Launching};
use obsidian_abi::{KernelInfo, ParamKind, Variant};

use super::{FIRST_EPOCH, Home, Launched, Passed, Sink, Walk};
use crate::error::Error;
use crate::launch::{Signature, geometry};

impl<S: Sink> Walk<'_, S> {
    pub(super) fn launch(&mut self, step: u32, launch: &'static Launching) -> Result<(), Error> {
        let kernel = self.variant.kernels.get(launch.kernel as usize).copied();
        let kernel = kernel.ok_or_else(|| self.broken(format!("kernel {}, which there is not", launch.kernel)))?;
        let Some(variant) = kernel.variants.first().filter(|v| v.params.len() == launch.args.len()) else {
            return Err(self.broken(format!("{} arguments for `{}`", launch.args.len(), kernel.name)));
        };
        let blocks = self.count(launch.blocks)?;
        let args = self.passed((kernel, variant), launch)?;
        self.check(kernel, variant, blocks, &args)?;
        if blocks == 0 {
            // Nobody writes what it defines.
            let written = variant.params.iter().zip(&args).filter(|(param, _)| param.kind == ParamKind::Output);
            return written.into_iter().try_for_each(|(_, arg)| match *arg {
                Passed::Write(id) if self.instances[id].len > 0 => self.sink.fill(step, id, 0),
                _ => Ok(()),
            });
        }
        self.sink.launch(Launched { step, kernel, blocks, args })
    }

    fn is_epoch(&self, expr: HostExprId) -> bool {
        let node = self.variant.exprs.get(expr as usize);
        node.is_some_and(|node| matches!(node.expr, HostExpr::Value(value) if self.epochs.contains(&value)))
    }

    /// The arguments of a launch: what it defines is bound, and what it reads may end there only after it.
    fn passed(
        &mut self,
        (kernel, variant): (&'static KernelInfo, &'static Variant),
        launch: &'static Launching,
    ) -> Result<Vec<Passed>, Error> {
        let mut args = Vec::with_capacity(launch.args.len());
        for (param, arg) in variant.params.iter().zip(launch.args) {
            args.push(match (param.kind, *arg) {
                (ParamKind::Input(_), LaunchArg::Read(buffer)) => Passed::Read(self.instance(buffer)?),
                (ParamKind::Scalar, LaunchArg::Scalar(expr)) if self.is_epoch(expr) => Passed::Epoch,
                (ParamKind::Scalar, LaunchArg::Scalar(expr)) => Passed::Scalar(self.data(expr)?.bits),
                (ParamKind::Output, LaunchArg::Write(buffer)) => Passed::Write(self.define(buffer)?),
                (ParamKind::InOut(_), LaunchArg::Update(before, after)) => {
                    let id = self.instance(before)?;
                    if self.instances[id].holders > 1 {
                        return Err(
                            self.broken(format!("an update of `{}`, which others share", self.info(before)?.name))
                        );
                    }
                    if let Home::Argument(argument) = self.instances[id].home {
                        let declared = self.variant.arguments().nth(argument);
                        if !declared.is_some_and(|param| matches!(param.kind, ParamKind::InOut(_))) {
                            return Err(self.broken(format!("an update of the input `{}`", self.info(before)?.name)));
                        }
                    }
                    self.bind(after, id);
                    Passed::Write(id)
                }
                _ => return Err(self.broken(format!("another argument for `{}` of `{}`", param.name, kernel.name))),
            });
        }
        Ok(args)
    }

    /// Whether the kernel's own geometry accepts the arguments and says the same of them as the module.
    fn check(
        &self,
        kernel: &'static KernelInfo,
        variant: &'static Variant,
        blocks: u32,
        args: &[Passed],
    ) -> Result<(), Error> {
        let (mut values, mut lens) = (Vec::new(), Vec::new());
        for (param, arg) in variant.params.iter().zip(args) {
            let (Passed::Read(id) | Passed::Write(id)) = *arg else {
                values.push(if let Passed::Scalar(bits) = *arg { bits } else { FIRST_EPOCH });
                continue;
            };
            let instance = &self.instances[id];
            if instance.fields != param.fields {
                return Err(self.broken(format!("elements {:?} for `{}`", instance.fields, param.name)));
            }
            (if param.kind == ParamKind::Output { &mut lens } else { &mut values }).push(u64::from(instance.len));
            let shares = |other: &Passed| match *other {
                Passed::Read(other) | Passed::Write(other) => other == id,
                Passed::Scalar(_) | Passed::Epoch => false,
            };
            if matches!(arg, Passed::Write(_)) && args.iter().filter(|other| shares(other)).count() > 1 {
                return Err(self.broken(format!("`{}` twice in a launch that writes it", param.name)));
            }
        }
        Signature { kernel: kernel.name, params: variant.params, device: self.device }.check_lengths(&values)?;
        let own = geometry(kernel, variant, &values)?;
        if own.blocks != blocks || own.outputs != lens {
            let found = format!("{blocks} blocks and outputs of {lens:?}, not {} and {:?}", own.blocks, own.outputs);
            return Err(self.broken(found));
        }
        Ok(())
    }
}
