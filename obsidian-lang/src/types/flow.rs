//! What may stand where something is asked for: the same type, or one of arrays whose lengths are known earlier. A length that is known while
//! compiling is also known at launch, so such an array stands wherever one of any length does, and two arrays with one generic
//! length have the later kind of the two.

use super::arena::{Mismatch, Size, SizeId, Ty, TyId, Types, Unified};
use super::convert::{Gen, ParamTy, Signature};

/// Where a type that holds a length stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Its arrays are read.
    Read,
    /// Its arrays change: no other kind of length will do.
    Exact,
}

impl Types {
    /// Makes `found` stand where `wanted` is asked for. `later`: the generic lengths of a call, which may still become later ones.
    pub fn flow(&mut self, wanted: TyId, found: TyId, later: &[SizeId]) -> Unified {
        self.settle_bits(wanted);
        self.settle_bits(found);
        match (self.find(wanted).1.clone(), self.find(found).1.clone()) {
            (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => {
                xs.into_iter().zip(ys).try_for_each(|(x, y)| self.flow(x, y, later))
            }
            (Ty::Pull(x, n), Ty::Pull(y, m)) => {
                self.flow(x, y, later)?;
                self.flow_size(n, m, later)
            }
            (Ty::Push(l, x, n), Ty::Push(k, y, m)) => {
                self.unify_lvl(l, k)?;
                self.flow(x, y, later)?;
                self.flow_size(n, m, later)
            }
            _ => self.unify(wanted, found),
        }
    }

    /// The type of a value that is the one or the other.
    pub fn join(&mut self, one: TyId, other: TyId) -> Result<TyId, Mismatch> {
        match self.flow(one, other, &[]) {
            Err(Mismatch::Size) => self.flow(other, one, &[]).map(|()| other),
            result => result.map(|()| one),
        }
    }

    fn flow_size(&mut self, wanted: SizeId, found: SizeId, later: &[SizeId]) -> Unified {
        let unified = self.unify_size(wanted, found);
        let Err(Mismatch::Size) = unified else { return unified };
        match (self.find_size(wanted).1, self.find_size(found).1) {
            (Size::Dynamic | Size::Rigid(_), Size::Static) => Ok(()),
            (Size::Static, Size::Dynamic | Size::Rigid(_)) | (Size::Rigid(_), Size::Dynamic) => {
                let generic = self.first_of(wanted, later).ok_or(Mismatch::Size)?;
                self.sizes[generic.0 as usize] = Size::Link(found);
                Ok(())
            }
            _ => unified,
        }
    }

    /// The first of some lengths by way of which this one got its kind.
    fn first_of(&self, mut id: SizeId, some: &[SizeId]) -> Option<SizeId> {
        loop {
            if some.contains(&id) {
                return Some(id);
            }
            let Size::Link(next) = self.sizes[id.0 as usize] else { return None };
            id = next;
        }
    }

    /// The generic lengths of a call that are those of arrays which are only read.
    pub fn lengths_read(&self, sig: &Signature) -> Vec<SizeId> {
        let mut exact = Vec::new();
        for param in &sig.params {
            let (ParamTy::Value(ty) | ParamTy::ByName(_, ty)) = *param;
            self.exact_sizes(ty, Place::Read, &mut exact);
        }
        let size = |generic: &Gen| if let Gen::Size(size) = generic { Some(*size) } else { None };
        sig.generics.iter().filter_map(size).filter(|size| !exact.contains(size)).collect()
    }

    fn exact_sizes(&self, ty: TyId, place: Place, found: &mut Vec<SizeId>) {
        let (parts, size, inside) = match self.find(ty).1 {
            Ty::Tuple(parts) => (parts.clone(), None, place),
            Ty::Pull(part, size) | Ty::Push(_, part, size) => (vec![*part], Some(*size), place),
            Ty::Mut(part, size) => (vec![*part], Some(*size), Place::Exact),
            // Functions are looked at last, when the lengths of a call are decided: what they are given is read.
            _ => return,
        };
        found.extend(size.filter(|_| inside == Place::Exact));
        parts.into_iter().for_each(|part| self.exact_sizes(part, inside, found));
    }
}
