//! Types of the library's functions on delayed arrays.

use super::{Args, Ty, U32, computes};
use crate::ast::Known;

/// An array as its parts: elements, length, what is known of it.
type Parts = (Ty, u32, Known);

struct Call<'c, 't, 'k> {
    args: &'c Args<'t, 'k>,
}

/// A function of the library; `None` where it is none of these, too.
pub fn call(name: &str, args: &Args<'_, '_>) -> Option<Ty> {
    // Their argument has a type at their own level only.
    if name.starts_with("exec_") {
        return None;
    }
    let c = Call { args };
    c.type_of_made(name)
        .or_else(|| c.pushed(name))
        .or_else(|| c.changed(name))
        .or_else(|| c.cut(name))
        .or_else(|| c.network(name))
}

fn array((elem, n, known): Parts) -> Option<Ty> {
    Some(Ty::Pull(Box::new(elem), n, known))
}

impl Call<'_, '_, '_> {
    fn ty(&self, i: usize) -> Option<Ty> {
        self.args.ty(i)
    }

    fn pull(&self, i: usize) -> Option<Parts> {
        match self.ty(i)? {
            Ty::Pull(elem, n, known) => Some((*elem, n, known)),
            _ => None,
        }
    }

    fn size(&self, i: usize) -> Option<u32> {
        self.args.size(i)
    }

    /// A size that is not 0.
    fn some(&self, i: usize) -> Option<u32> {
        self.size(i).filter(|n| *n > 0)
    }

    /// The result of a pure function value.
    fn apply(&self, i: usize, args: Vec<Ty>) -> Option<Ty> {
        self.args.apply(i, None, args)
    }

    /// Arrays made of nothing.
    fn type_of_made(&self, name: &str) -> Option<Ty> {
        match name {
            "mk_pull" => Some(Ty::pull(self.apply(1, vec![U32])?, self.some(0)?)),
            "replicate" => Some(Ty::pull(self.ty(1)?, self.some(0)?)),
            "iota" => Some(Ty::pull(U32, self.some(0)?)),
            "singleton" => Some(Ty::pull(self.ty(0)?, 1)),
            _ => None,
        }
    }

    /// Functions of push arrays.
    fn pushed(&self, name: &str) -> Option<Ty> {
        let Ty::Push(level, elem, n, known) = self.ty(0)? else { return None };
        match name {
            "map" => {
                let to = self.apply(1, vec![*elem])?;
                to.is_data().then(|| Ty::Push(level, Box::new(to), n, known))
            }
            "reverse" => Some(Ty::Push(level, elem, n, known)),
            "append" => match self.ty(1)? {
                Ty::Push(l, e, m, k) if (l, &e) == (level, &elem) => Some(Ty::Push(level, elem, n + m, known.join(k))),
                _ => None,
            },
            "ix_map" => {
                (self.apply(1, vec![U32])? == U32 && known == Known::Static).then_some(Ty::Push(level, elem, n, known))
            }
            "unpair" => match *elem {
                Ty::Tuple(pair) if pair.len() == 2 && pair[0] == pair[1] => {
                    Some(Ty::Push(level, Box::new(pair[0].clone()), 2 * n, known))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Elements and places changed.
    fn changed(&self, name: &str) -> Option<Ty> {
        let (elem, n, known) = self.pull(0)?;
        match name {
            "map" => array((self.apply(1, vec![elem])?, n, known)),
            "zip_with" | "zip" => {
                let (other, m, k) = self.pull(1)?;
                let to = match name {
                    "zip" => Ty::Tuple(vec![elem, other]),
                    _ => self.apply(2, vec![elem, other])?,
                };
                array((to, n.min(m), known.join(k)))
            }
            "reverse" => array((elem, n, known)),
            "rotate" => (known == Known::Static && self.size(1)? <= n).then(|| Ty::pull(elem, n)),
            "shift_right" => (self.size(1)? <= n && self.ty(2)? == elem).then(|| Ty::Pull(Box::new(elem), n, known)),
            "ix_map" => (self.apply(1, vec![U32])? == U32).then(|| Ty::Pull(Box::new(elem), n, known)),
            "stencil" => {
                let window = Ty::pull(elem, 2 * self.size(1)? + 1);
                array((self.apply(2, vec![window])?, n, known))
            }
            "pad_to" => (known == Known::Static && self.size(1)? >= n && self.ty(2)? == elem)
                .then_some(self.size(1)?)
                .map(|m| Ty::pull(elem, m)),
            "pair" => (n % 2 == 0).then(|| Ty::Pull(Box::new(Ty::Tuple(vec![elem.clone(), elem])), n / 2, known)),
            "unpair" => match elem {
                Ty::Tuple(pair) if pair.len() == 2 && pair[0] == pair[1] => array((pair[0].clone(), 2 * n, known)),
                _ => None,
            },
            "append" | "interleave" => {
                let (other, m, k) = self.pull(1)?;
                let fits = other == elem && (name == "append" || m == n);
                fits.then(|| Ty::Pull(Box::new(elem), n + m, known.join(k)))
            }
            "first" | "last" => (n > 0).then_some(elem),
            "fold1" => (n > 0 && self.apply(1, vec![elem.clone(), elem.clone()])? == elem).then_some(elem),
            _ => None,
        }
    }

    /// Parts of arrays, and arrays of them.
    fn cut(&self, name: &str) -> Option<Ty> {
        let (elem, n, known) = self.pull(0)?;
        let even = |m: u32| (n % 2 == 0).then_some(m);
        let divides = |k: u32| (k > 0 && n % k == 0).then_some(k);
        match name {
            "take" | "take_last" => array((elem, self.size(1).filter(|k| *k <= n)?, known)),
            "drop" | "shift_left" => array((elem, n - self.size(1).filter(|k| *k <= n)?, known)),
            "halve" | "even_odds" => {
                let half = Ty::Pull(Box::new(elem), even(n / 2)?, known);
                Some(Ty::Tuple(vec![half.clone(), half]))
            }
            "evens" | "odds" => array((elem, even(n / 2)?, known)),
            "every_nth" => {
                let (step, offset) = (self.size(1).filter(|s| *s > 0)?, self.size(2)?);
                (known == Known::Static && offset < n).then(|| Ty::pull(elem, (n - offset).div_ceil(step)))
            }
            "split_up" => {
                let k = divides(self.size(1)?)?;
                array((Ty::pull(elem, k), n / k, known))
            }
            "split_into" if known == Known::Static => {
                let k = divides(self.size(1)?)?;
                array((Ty::pull(elem, n / k), k, known))
            }
            "coalesce" => {
                let k = divides(self.size(1)?)?;
                array((Ty::pull(elem, k), n / k, known))
            }
            "concat" => match elem {
                Ty::Pull(inner, m, Known::Static) => array((*inner, n * m, known)),
                _ => None,
            },
            "transpose" => match elem {
                Ty::Pull(inner, m, Known::Static) if known == Known::Static => Some(Ty::pull(Ty::pull(*inner, n), m)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Butterflies.
    fn network(&self, name: &str) -> Option<Ty> {
        let (elem, n, known) = self.pull(0)?;
        let two = |i: usize| self.apply(i, vec![elem.clone(), elem.clone()]);
        match (name, self.args.list.len()) {
            ("two" | "ilv", 2) if n % 2 == 0 => {
                let half = Ty::Pull(Box::new(elem), n / 2, known);
                // At a level the function is a program of it.
                let ambient = self.args.ambient.filter(|_| computes(self.args.ambient));
                match self.args.apply(1, ambient, vec![half])? {
                    Ty::Pull(to, m, k) if m == n / 2 && k == known => array((*to, n, known)),
                    _ => None,
                }
            }
            ("ilv" | "vee", 4) => {
                let span = 2u32.checked_shl(self.size(1)?)?;
                let (f, g) = (two(2)?, two(3)?);
                (f == g && n % span == 0).then(|| Ty::Pull(Box::new(f), n, known))
            }
            _ => None,
        }
    }
}
