//! Names of arrays, variables and parameters as C identifiers: unique, and none that C, C++ or the dialect already uses.

use super::helpers::is_helper;
use crate::program::{ArrayId, ParamId, ParamKind, Program, Var, VarId};
use crate::tables::HashSet;

/// The identifiers of one program.
pub(super) struct Names {
    arrays: Vec<String>,
    vars: Vec<String>,
    scalars: Vec<String>,
    lens: Vec<String>,
}

impl Names {
    /// Chooses the names; the user's own wherever C allows them.
    pub(super) fn new(p: &Program, reserved: &[&str]) -> Names {
        Names::chosen(p, &p.vars, reserved)
    }

    /// Those that a host program needs, which has none of the kernel's variables.
    pub(super) fn of_host(p: &Program, reserved: &[&str]) -> Names {
        Names::chosen(p, &[], reserved)
    }

    fn chosen(p: &Program, vars: &[Var], reserved: &[&str]) -> Names {
        let mut taken = Taken { reserved, names: HashSet::from_iter([p.name.clone(), "smem".to_string()]) };
        let arrays = p.arrays.iter().map(|a| taken.pick(&a.name)).collect();
        let mut scalars = Vec::new();
        let mut lens = Vec::new();
        for param in &p.params {
            let is_scalar = matches!(param.kind, ParamKind::Scalar(_));
            scalars.push(if is_scalar { taken.pick(&param.name) } else { String::new() });
            let is_dynamic =
                matches!(param.kind, ParamKind::Input { len: None, .. } | ParamKind::InOut { len: None, .. });
            lens.push(if is_dynamic { taken.pick(&format!("n_{}", param.name)) } else { String::new() });
        }
        let vars = vars.iter().map(|v| taken.pick(&v.name)).collect();
        Names { arrays, vars, scalars, lens }
    }

    /// Puts the prefix that leads to them in front of the names of scalars and lengths.
    pub(super) fn put_before_params(&mut self, prefix: &str) {
        self.scalars.iter_mut().chain(&mut self.lens).for_each(|name| name.insert_str(0, prefix));
    }

    pub(super) fn array(&self, id: ArrayId) -> &str {
        &self.arrays[id.0 as usize]
    }

    pub(super) fn var(&self, id: VarId) -> &str {
        &self.vars[id.0 as usize]
    }

    pub(super) fn scalar(&self, id: ParamId) -> &str {
        &self.scalars[id.0 as usize]
    }

    pub(super) fn len(&self, id: ParamId) -> &str {
        &self.lens[id.0 as usize]
    }
}

/// The name of a kernel's function: the user's own wherever C and the dialect allow it.
pub(crate) fn symbol(name: &str, reserved: &[&str]) -> String {
    Taken { reserved, names: HashSet::default() }.pick(name)
}

/// What a name may not be.
struct Taken<'a> {
    /// The dialect's own words.
    reserved: &'a [&'a str],
    /// Those that were picked.
    names: HashSet<String>,
}

impl Taken<'_> {
    fn pick(&mut self, wanted: &str) -> String {
        let mut name: String = wanted
            .strip_prefix("r#")
            .unwrap_or(wanted)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let risky = name.starts_with('_') || name.starts_with(|c: char| c.is_ascii_digit()) || name.contains("__");
        if name.is_empty() || risky {
            // Leading and double underscores belong to the compiler.
            name = format!("v{}", name.trim_start_matches('_').replace("__", "_"));
        }
        while is_reserved(&name) || self.reserved.contains(&name.as_str()) || !self.names.insert(name.clone()) {
            name.push('_');
            if name.ends_with("__") {
                name.truncate(name.len() - 1);
                name.push('2');
            }
        }
        name
    }
}

/// Most names are numbered and need no search in the list, because no word in it ends in a digit.
fn is_reserved(name: &str) -> bool {
    is_helper(name) || !name.ends_with(|c: char| c.is_ascii_digit()) && RESERVED.contains(&name)
}

/// Keywords of C and C++ that are not keywords of Rust or are common names, and macros that compilers define.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "char16_t", "char32_t", "class", "compl", "concept", "const", "const_cast", "consteval", "constexpr",
    "constinit", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq", "NULL", "main", "linux", "unix",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_taken() -> Taken<'static> {
        Taken { reserved: &[], names: HashSet::default() }
    }

    #[test]
    fn names_that_c_knows_are_changed_and_others_are_kept() {
        let mut taken = nothing_taken();
        let mut p = |s: &str| taken.pick(s);
        assert_eq!(p("input"), "input");
        assert_eq!(p("double"), "double_");
        assert_eq!(p("r#type"), "type");
        assert_eq!(p("été"), "v_t_".replace("v_", "v"));
        assert_eq!(p("__x"), "vx");
        assert_eq!(p("input"), "input_");
        assert_eq!(p("input"), "input_2");
    }

    #[test]
    fn names_of_helpers_are_changed_and_names_like_them_are_kept() {
        let mut taken = nothing_taken();
        let mut changed = |s: &str| taken.pick(s) != s;
        assert!(
            ["rem_u32", "f32_to_u8", "atomic_add_f32_local", "fast_sin", "u32x2", "host_min_i64"].map(&mut changed)
                == [true; 6]
        );
        assert!(
            ["sum_u32", "u32_to_text", "atomic_base", "fast_sum", "x2", "fast_sin_of", "min"].map(&mut changed)
                == [false; 7]
        );
    }

    #[test]
    fn no_reserved_word_ends_in_a_digit() {
        assert!(RESERVED.iter().all(|word| is_reserved(word)));
    }

    #[test]
    fn many_equal_names_stay_apart() {
        let mut taken = nothing_taken();
        let all: HashSet<String> = (0..50).map(|_| taken.pick("int")).collect();
        assert_eq!(all.len(), 50);
        assert!(all.iter().all(|n| !n.contains("__")));
    }
}
