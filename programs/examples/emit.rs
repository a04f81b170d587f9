//! Prints the embedded texts of `reductions`, or writes those of every kernel of the examples and tests, or of the named
//! ones, into a folder: `cargo run -p obsidian-programs --example emit [-- --dir DIR [NAME ..]]`.

use std::error::Error;
use std::path::Path;

use obsidian::Kernel;
use obsidian_programs as programs;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            println!("{}\n{}", programs::reductions.cuda(), programs::reductions.ptx());
            Ok(())
        }
        ["--dir", dir, names @ ..] => write_all(Path::new(dir), names),
        _ => Err("usage: emit [--dir DIR [NAME ..]]".into()),
    }
}

fn write_all(dir: &Path, names: &[&str]) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(dir)?;
    let kernels: &[&Kernel] = &programs::all();
    let wanted = |kernel: &&&Kernel| names.is_empty() || names.contains(&kernel.name());
    let mut count = 0;
    for kernel in kernels.iter().filter(wanted) {
        for variant in kernel.variants() {
            let name = variant.symbol();
            std::fs::write(dir.join(format!("{name}.ptx")), variant.ptx())?;
            std::fs::write(dir.join(format!("{name}.cu")), variant.cuda())?;
            std::fs::write(dir.join(format!("{name}.h")), variant.header())?;
            std::fs::write(dir.join(format!("{name}.cl")), variant.opencl())?;
            std::fs::write(dir.join(format!("{name}.ir")), variant.ir())?;
            count += 1;
        }
    }
    println!("{count} kernels written");
    Ok(())
}
