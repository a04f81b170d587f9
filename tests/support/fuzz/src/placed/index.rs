//! Indices: mostly the mixed radix of the counters that must keep apart, then often something that spoils it.

use super::{Counter, Maker, Owner, Role};

impl Maker {
    /// An index of an array with that owner, over the counters in scope.
    pub(super) fn index(&mut self, owner: Owner) -> String {
        let mut digits: Vec<Counter> = self.counters.iter().filter(|c| must_differ(c.role, owner)).cloned().collect();
        let rounds: Vec<Counter> = self.counters.iter().filter(|c| c.role == Role::Round).cloned().collect();
        // A loop's counter as a digit of its own.
        for round in &rounds {
            if self.random.one_in(3) {
                let few = self.random.pick(&[2, 4, 8]);
                let name = format!("({} % {few})", round.name);
                let at = self.random.below(digits.len() as u32 + 1) as usize;
                digits.insert(at, Counter { name, extent: Some(few), role: Role::Round });
            }
        }
        if self.random.one_in(4) && !digits.is_empty() {
            self.insert_data(&mut digits);
        }
        if self.random.one_in(4) && digits.len() > 1 {
            let (a, b) = (self.random.below(digits.len() as u32), self.random.below(digits.len() as u32));
            digits.swap(a as usize, b as usize);
        }
        let spoilt = self.random.one_in(2).then(|| self.random.below(digits.len().max(1) as u32) as usize);
        let (mut terms, mut stride) = (Vec::new(), 1u32);
        for (k, digit) in digits.iter().enumerate().rev() {
            let name = if spoilt == Some(k) { self.spoilt(digit, &rounds) } else { digit.name.clone() };
            terms.push(if stride == 1 { name } else { format!("{name} * {stride}") });
            let extent = digit.extent.unwrap_or(4);
            stride = match self.random.below(16) {
                0 => stride.saturating_mul(extent) / 2,
                1 => 1 << 30,
                _ => stride.saturating_mul(extent),
            }
            .max(1);
        }
        if self.random.one_in(12) {
            self.note("a launch scalar in an index");
            terms.push("a".to_string());
        }
        if terms.is_empty() { self.random.below(4).to_string() } else { terms.join(" + ") }
    }

    /// Data as a digit of its own, which keeps nobody apart: `counts[digit * 64 + t]`.
    fn insert_data(&mut self, digits: &mut Vec<Counter>) {
        self.note("data as a digit of an index");
        let few = self.random.pick(&[2, 3, 4, 8]);
        let of = &digits[self.random.below(digits.len() as u32) as usize].name;
        let name = format!("(xs[{of} % 64] % {few})");
        let at = self.random.below(digits.len() as u32 + 1) as usize;
        digits.insert(at, Counter { name, extent: Some(few), role: Role::Round });
    }

    /// A digit with something else in it.
    fn spoilt(&mut self, digit: &Counter, rounds: &[Counter]) -> String {
        let name = &digit.name;
        let small = 1 + self.random.below(4);
        let round = (!rounds.is_empty()).then(|| rounds[self.random.below(rounds.len() as u32) as usize].name.clone());
        if let Some(round) = round {
            self.note("a round in another digit");
            return match self.random.below(4) {
                0 => format!("({name} + {round})"),
                1 => format!("({name} + {round} % {})", small * 8),
                2 => format!("({name} ^ ({round} & {small}))"),
                _ => round,
            };
        }
        match self.random.below(5) {
            0 => format!("({name} / 2)"),
            1 => format!("({name} ^ {small})"),
            2 => format!("(({name} + {small}) % {})", digit.extent.unwrap_or(8)),
            3 => format!("xs[{name} % 64]"),
            _ => name.clone(),
        }
    }
}

/// Whether members that differ in such a counter see one copy of an array.
fn must_differ(role: Role, owner: Owner) -> bool {
    match (role, owner) {
        (Role::Round, _) | (_, Owner::Thread) => false,
        (Role::Block, owner) => owner == Owner::Host,
        (Role::Warp, owner) => owner != Owner::Warp,
        (Role::Thread, _) => true,
    }
}
