//! Passes the name of the target on, by which the crate `cc` finds a compiler.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SHIM_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
