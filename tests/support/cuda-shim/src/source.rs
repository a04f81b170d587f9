//! Kernels' texts behind one another as one C++ file, in a namespace apart from the C library's names, with their `asm`
//! statements as calls, and the launch's shared memory as a pointer to it.

use std::fmt::Write;

/// A kernel in CUDA C.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The name of its function.
    pub symbol: &'a str,
    /// A text that compiles alone, and behind others in one file.
    pub code: &'a str,
}

/// What declares the shared memory whose size a launch gives.
const DYNAMIC: &str = "extern __shared__ __align__(128) unsigned char smem[];";

/// The file. Lines are counted as in the kernels' own texts.
pub(crate) fn join(texts: &[Text<'_>]) -> Result<String, String> {
    let mut file = "#include \"cuda.h\"\n#include \"runner.h\"\n".to_string();
    let mut entries = String::new();
    for Text { symbol, code } in texts {
        let code = without_asm(code).ok_or_else(|| format!("{symbol}: an `asm` of another form"))?;
        let code = code.replace(DYNAMIC, "unsigned char *const smem = coc::dynamic_shared;");
        let _ = write!(file, "namespace kernels {{\n#line 1 \"{symbol}.cu\"\n{code}\n}}\n");
        let _ = writeln!(entries, "    coc::enter<kernels::{symbol}>,");
    }
    let main = "int main() { return coc::serve(table); }\n";
    let _ = write!(file, "static void (*const table[])(void *const *) = {{\n{entries}}};\n{main}");
    Ok(file)
}

/// Turns `asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x))` into `coc::cvt_f32_f16(y, x)`. `None`: another form.
fn without_asm(code: &str) -> Option<String> {
    let mut parts = code.split("asm(\"");
    let mut text = parts.next()?.to_string();
    for part in parts {
        let (statement, rest) = part.split_once(");\n")?;
        let (opcode, operands) = statement.split_once(' ')?;
        // Names stand in parentheses behind their constraints; the last one's closing was cut off.
        let names = operands.split('(').skip(1).map(|name| name.split(')').next().unwrap_or_default());
        let names: Vec<&str> = names.collect();
        let _ = write!(text, "coc::{}({});\n{rest}", opcode.replace('.', "_"), names.join(", "));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_becomes_a_call() {
        let code = "{\n    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));\n    return y;\n}\n";
        assert_eq!(without_asm(code).as_deref(), Some("{\n    coc::cvt_rn_f16_f32(y, x);\n    return y;\n}\n"));
        assert_eq!(without_asm("asm(\"bar\")"), None);
        assert_eq!(without_asm("a(b);\n").as_deref(), Some("a(b);\n"));
    }
}
