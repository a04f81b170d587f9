//! Statements of blocks, warps and threads.

use super::{Array, Counter, Maker, Owner, Role};

impl Maker {
    /// Code of a block.
    pub(super) fn block(&mut self) -> String {
        let arrays = self.arrays.len();
        let mut text = String::new();
        if self.random.below(3) > 0 {
            text += &self.array("m", Owner::Block, 64);
        }
        for _ in 0..1 + self.random.below(2) {
            text += &self.of_block(2);
        }
        self.arrays.truncate(arrays);
        text
    }

    fn of_block(&mut self, depth: u32) -> String {
        if self.has_queue && self.random.one_in(3) {
            return self.reserve_by_level(32);
        }
        match self.random.below(12) {
            8 => self.whole(&[32, 64]),
            9 => self.power(),
            10 if depth > 0 => self.while_of_block(depth),
            0 | 1 | 3 | 4 if depth > 0 => self.seq_for(|m| m.of_block(depth - 1)),
            2 | 5 => {
                let warps = self.random.pick(&[1, 2, 2]);
                self.note("distr_par of warps");
                let counter = Counter { name: "w".into(), extent: Some(warps), role: Role::Warp };
                let body = self.counting(counter, |m| {
                    let arrays = m.arrays.len();
                    let mut text = String::new();
                    if m.random.one_in(4) {
                        text += &m.array("v", Owner::Warp, 32);
                    }
                    text += &m.of_warp(2);
                    m.arrays.truncate(arrays);
                    text
                });
                format!("distr_par({warps}, |w| {{ {body} }});\n")
            }
            _ => {
                let n = self.random.pick(&[32, 32, 64, 20]);
                self.for_all(n)
            }
        }
    }

    fn of_warp(&mut self, depth: u32) -> String {
        if self.has_queue && self.random.one_in(3) {
            return self.reserve_by_level(16);
        }
        match self.random.below(8) {
            7 => self.whole(&[32]),
            0..=4 if depth > 0 => self.seq_for(|m| m.of_warp(depth - 1)),
            _ => self.for_all(32),
        }
    }

    /// A loop of a level.
    fn seq_for(&mut self, body: impl FnOnce(&mut Maker) -> String) -> String {
        let name = self.fresh("k");
        let (rounds, extent) = match self.random.below(3) {
            0 => {
                let rounds = self.random.pick(&[2u32, 3, 8, 16]);
                (rounds.to_string(), Some(rounds))
            }
            _ => ("n".to_string(), None),
        };
        self.note(if extent.is_some() { "seq_for, rounds known" } else { "seq_for" });
        let inside = self.counting(Counter { name: name.clone(), extent, role: Role::Round }, body);
        format!("seq_for({rounds}, |{name}| {{ {inside} }});\n")
    }

    fn for_all(&mut self, n: u32) -> String {
        self.note("for_all");
        let counter = Counter { name: "i".into(), extent: Some(n), role: Role::Thread };
        let body = self.counting(counter, |m| (0..1 + m.random.below(2)).map(|_| m.of_thread(2)).collect());
        format!("for_all({n}, |i| {{ {body} }});\n")
    }

    /// A mutable array that comes into scope, filled or in parts.
    fn array(&mut self, prefix: &str, owner: Owner, width: u32) -> String {
        let name = self.fresh(prefix);
        let len = self.random.pick(&[1, 2, 4, 8]) * width;
        self.note(match owner {
            Owner::Warp => "a warp's array",
            Owner::Thread => "a thread's own array",
            _ => "a block's array",
        });
        let push = if self.random.one_in(4) {
            self.note("an array filled in part");
            let some = self.random.pick(&[len / 2, len - 1, 1]).max(1);
            match owner {
                Owner::Thread => format!("mk_push({len}, |w| {{ {} }})", self.firsts(some)),
                _ => format!("mk_push({len}, |w| for_all({some}, |q| w(q, q)))"),
            }
        } else {
            format!("mk_pull({len}, |q| q + 1).push()")
        };
        self.arrays.push(Array { name: name.clone(), len: Some(len), owner });
        format!("let {name} = {push}.new_mut();\n")
    }

    fn firsts(&mut self, some: u32) -> String {
        (0..some.min(8)).map(|q| format!("w({q}, {q}); ")).collect()
    }

    fn of_thread(&mut self, depth: u32) -> String {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return self.write();
        }
        if self.has_queue && self.random.one_in(4) {
            return self.reserve_by_thread();
        }
        match self.random.below(10) {
            0 if depth > 0 => {
                let cond = self.condition();
                let (then, els) = (self.of_thread(depth - 1), self.random.one_in(3).then(|| self.of_thread(depth - 1)));
                self.note("if");
                let els = els.map_or(String::new(), |els| format!(" else {{ {els} }}"));
                format!("if {cond} {{ {then} }}{els}\n")
            }
            1 | 8 if depth > 0 => {
                let name = self.fresh("j");
                let (rounds, extent) =
                    self.random.pick(&[("n", None), ("n", None), ("12", Some(12)), ("16", Some(16)), ("3", Some(3))]);
                self.note(if extent.is_some() { "for, rounds known" } else { "for" });
                let counter = Counter { name: name.clone(), extent, role: Role::Round };
                let body = self.counting(counter, |m| m.of_thread(depth - 1));
                format!("for {name} in 0..{rounds} {{ {body} }}\n")
            }
            2 if depth > 0 => {
                let name = self.fresh("t");
                self.note("while");
                let body = self.of_thread(depth - 1);
                format!("let mut {name} = n % 3; while {name} > 0 {{ {body} {name} -= 1; }}\n")
            }
            3 => {
                let arrays = self.arrays.len();
                let mut text = self.array("r", Owner::Thread, 4);
                for _ in 0..1 + self.random.below(3) {
                    text += &self.of_thread(depth.min(1));
                }
                let own = self.arrays[arrays].clone();
                text += &self.read(&own);
                self.arrays.truncate(arrays);
                text
            }
            4 | 5 => {
                let of = self.any_array();
                self.read(&of)
            }
            6 => self.update(),
            7 if self.random.one_in(3) => self.whole(&[1, 4]),
            _ => self.write(),
        }
    }

    /// A whole array is written, by as many threads as the level has.
    fn whole(&mut self, lens: &[u32]) -> String {
        let (to, len, value) = (self.any_array(), self.random.pick(lens), self.value().replace("xs[i % 64]", "xs[q]"));
        let len = to.len.map_or(len, |most| most.min(len));
        self.note("write_to");
        let push = self.random.pick(&["push()", "push().reverse()"]);
        format!("write_to({}, mk_pull({len}, |q| q + {value}).{push});\n", to.name)
    }

    /// A loop of the block over an array, whose rounds are placed by hand.
    fn power(&mut self) -> String {
        self.note("power");
        let (p, rounds, at) = (
            self.fresh("p"),
            self.random.pick(&["n % 3", "2", "3"]),
            self.random.pick(&["q", "31 - q", "q / 2", "(q + 1) % 32", "q ^ 1", "(q + n) % 32"]),
        );
        let step = match self.random.below(4) {
            0 => "a.push().reverse()".to_string(),
            1 => format!("a.push().ix_map(|q| {at})"),
            2 => format!("mk_push(32, |w| for_all(16, |q| w(a[q], {at})))"),
            _ => format!("mk_push(32, |w| for_all(32, |q| w(a[q], {at})))"),
        };
        let step = if self.random.one_in(3) { format!("({step}).compute().push()") } else { step };
        let to = self.any_array();
        let len = to.len.map_or(32, |most| most.min(32));
        format!(
            "let {p} = mk_pull(32, |q| xs[q]).power({rounds}, |_r, a| {step});\nfor_all({len}, |i| {}[i] = {p}[i]);\n",
            to.name
        )
    }

    /// A loop of the block whose test computes.
    fn while_of_block(&mut self, depth: u32) -> String {
        self.note("a test that computes");
        let p = self.fresh("p");
        let (first, body) = (self.random.pick(&["xs[q] % 3", "n % 3", "q % 2"]), self.of_block(depth - 1));
        format!(
            "let mut {p} = mk_pull(32, |q| {first}).compute();
while reduce({p}, |s, t| s + t).first() > 0 {{ {p} = {p}.map(|x| max(x, 1) - 1).compute(); {body} }}\n"
        )
    }

    fn condition(&mut self) -> String {
        self.random.pick(&["xs[i % 64] > 7", "i < 16", "n > 2", "i % 2 == 0", "xs[i % 64] > 7 && n > 1"]).to_string()
    }

    fn any_array(&mut self) -> Array {
        self.arrays[self.random.below(self.arrays.len() as u32) as usize].clone()
    }

    /// What stands for the length of an array.
    fn len(array: &Array) -> String {
        array.len.map_or_else(|| format!("{}.len()", array.name), |n| n.to_string())
    }

    /// An index of an array with what makes it one that is in range: a test, or a remainder.
    fn place(&mut self, array: &Array) -> (String, String) {
        let at = self.index(array.owner);
        match array.len {
            Some(n) if self.random.one_in(3) => (format!("({at}) % {n}"), String::new()),
            Some(n) if self.random.one_in(4) => (self.random.below(n).to_string(), String::new()),
            _ => {
                let e = self.fresh("e");
                (e.clone(), format!("let {e} = {at}; if {e} < {} ", Maker::len(array)))
            }
        }
    }

    fn value(&mut self) -> String {
        let counter = self.counters[self.random.below(self.counters.len() as u32) as usize].name.clone();
        match self.random.below(4) {
            0 => "7".to_string(),
            1 => "xs[i % 64]".to_string(),
            _ => counter,
        }
    }

    pub(super) fn write(&mut self) -> String {
        let array = self.any_array();
        let (at, test) = self.place(&array);
        let value = self.value();
        self.note("m[i] = v");
        let write = format!("{}[{at}] = {value};", array.name);
        if test.is_empty() { format!("{write}\n") } else { format!("{test}{{ {write} }}\n") }
    }

    /// A read of one array that is written to another.
    fn read(&mut self, from: &Array) -> String {
        let to = self.any_array();
        let ((at, test), (place, inside)) = (self.place(from), self.place(&to));
        let v = self.fresh("x");
        self.note("m[i] read");
        let write = format!("{}[{place}] = {v};", to.name);
        let write = if inside.is_empty() { write } else { format!("{inside}{{ {write} }}") };
        let read = format!("let {v} = {}[{at}]; {write}", from.name);
        if test.is_empty() { format!("{read}\n") } else { format!("{test}{{ {read} }}\n") }
    }

    fn update(&mut self) -> String {
        let array = self.any_array();
        if array.owner == Owner::Thread {
            return self.write();
        }
        let (at, test) = self.place(&array);
        self.note("atomic_add");
        let update = format!("atomic_add({}, {at}, 1);", array.name);
        if test.is_empty() { format!("{update}\n") } else { format!("{test}{{ {update} }}\n") }
    }
}
