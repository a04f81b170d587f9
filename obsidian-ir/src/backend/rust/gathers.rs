//! Gathers from buffers by places that lie in the block's memory: what later threads read is known, and is fetched ahead of them.
//!
//! ```text
//! for t in 0..1024 { s[t] = xs[places[t]]; }
//! ```
//!
//! becomes
//!
//! ```text
//! for t in 0..1024 { { let t = min(t + 128, 1023); fetch(&xs[places[t]]); } s[t] = xs[places[t]]; }
//! ```
//!
//! Measured by the row `sort at Device` of `cargo xtask bench cpu`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::Printer;
use super::{array_name, var_name};
use crate::passes::access::{Effects, Loads};
use crate::passes::walk::{direct, each, lets, reachable};
use crate::program::{ArrayId, Expr, ExprId, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// How many threads ahead. Some ten cache lines where neighbours come in short runs.
const AHEAD: usize = 128;
/// The fewest threads that gain from it.
const MIN_THREADS: u32 = 256;

impl Printer<'_> {
    /// Code for the begin of a thread of a phase, that fetches what a later one gathers.
    pub(super) fn fetched_ahead(&self, stmt: &Stmt) -> TokenStream {
        let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else { return TokenStream::new() };
        let moves = |s: &Stmt| matches!(s.kind, StmtKind::Let { .. } | StmtKind::Assign { .. });
        if self.p.exprs.as_u32(*n).is_none_or(|n| n < MIN_THREADS) || !body.iter().all(moves) {
            return TokenStream::new();
        }
        let own = lets(body);
        let loads = self.loads.get_or_init(|| Loads::new(&self.p.exprs));
        let effects = Effects::of(stmt, loads);
        let mut gathers: Vec<(ArrayId, ExprId)> = Vec::new();
        each(body, &mut |s| {
            for e in reachable(&self.p.exprs, direct(&s.kind), |_| false) {
                if let Expr::Load(array, index) = self.p.exprs.expr(e)
                    && !gathers.contains(&(array, index))
                    && self.is_gathered(array, index, &own, &effects)
                {
                    gathers.push((array, index));
                }
            }
        });
        let (name, ahead, n) = (var_name(*var), Literal::usize_suffixed(AHEAD), self.wide(*n));
        let fetches = gathers.into_iter().map(|(array, index)| {
            let (array, index) = (array_name(array), self.wide(index));
            quote!(abi::lanes::fetch_one(#array.as_ptr().wrapping_add(#index));)
        });
        let fetches: TokenStream = fetches.collect();
        if fetches.is_empty() {
            return fetches;
        }
        quote!({ let #name = ::core::cmp::min(#name + #ahead, #n - 1usize); #fetches })
    }

    /// Whether a load is from an input, at a place that is made of memory of the block that the phase does not write, and of nothing that
    /// the thread names: `own`.
    fn is_gathered(&self, array: ArrayId, index: ExprId, own: &HashMap<VarId, ExprId>, effects: &Effects) -> bool {
        let mut by_data = false;
        let known = reachable(&self.p.exprs, [index], |_| false).into_iter().all(|e| match self.p.exprs.expr(e) {
            Expr::Var(v) => !own.contains_key(&v),
            Expr::Load(places, _) => {
                by_data = true;
                matches!(self.p.array(places).space, Space::Shared(_))
                    && !effects.writes.contains(&places)
                    && !effects.atomics.contains(&places)
            }
            _ => true,
        });
        self.is_input(array) && known && by_data
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::rust::native;
    use crate::passes::{self, Native};
    use crate::program::text::read;

    /// The native code of a block that stores in `s` what `body` says, after it has stored `places`.
    fn code(body: &str) -> String {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: u32[4096]
  out out: u32[512]
  distribute Block b < 1
    shared per Block places: u32[512]
    forall Block i < 512
      places[i] = xs[i * 8] & 4095
    shared per Block s: u32[512]
{body}    forall Block o < 512
      out[o] = s[o]
"
        );
        let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        passes::structured(&mut p).expect("fits");
        native(&Native::checked(p).unwrap_or_else(|e| panic!("{e}"))).to_string()
    }

    fn fetches(body: &str) -> usize {
        code(body).matches("fetch_one").count()
    }

    #[test]
    fn what_later_threads_gather_is_fetched() {
        let text = code("    forall Block i < 512\n      s[i] = xs[min(places[i], n)]\n");
        assert_eq!(text.matches("fetch_one").count(), 1, "{text}");
        // The last thread is the latest.
        assert!(
            text.contains("min (__v1 + 128usize , 512usize - 1usize)")
                || text.contains("+ 128usize , 512usize - 1usize"),
            "{text}"
        );
        let two = "    forall Block i < 512\n      s[i] = xs[places[i]] + xs[places[511 - i]]\n";
        assert_eq!(fetches(two), 2);
    }

    #[test]
    fn what_is_not_known_ahead_is_not() {
        for body in [
            // In order, by data of the input's, of what the phase itself writes, and from the block's own memory.
            "    forall Block i < 512\n      s[i] = xs[i]\n",
            "    forall Block i < 512\n      s[i] = xs[xs[i] & 4095]\n",
            "    forall Block i < 512\n      s[i] = i\n      places[i] = xs[places[i]]\n",
            "    forall Block i < 512\n      s[i] = places[places[i] & 511]\n",
            // Under a condition, and by few threads.
            "    forall Block i < 512\n      s[i] = i\n      if places[i] < n\n        s[i] = xs[places[i]]\n",
            "    forall Block i < 512\n      s[i] = i\n    forall Block i2 < 255\n      s[i2] = xs[places[i2]]\n",
        ] {
            assert_eq!(fetches(body), 0, "{body}");
        }
    }
}
