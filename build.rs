//! The build script of the example `kernel_file`, as a user's looks: it compiles the kernels in `examples/kernel_file`. The crate
//! `obsidian` itself has no build script.

use obsidian_build::{Builder, Emit, Error};

fn main() -> Result<(), Error> {
    Builder::new().file("kernels/*.rs").libraries("kernels/libs/*.rs").emit(Emit::ALL).compile()?;
    Ok(())
}
