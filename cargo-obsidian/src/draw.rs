//! `cargo obsidian draw`.

use crate::Failure;
use crate::args::{Draw, Picture};
use crate::kernels;
use crate::output::say;
use obsidian_build::shared::Message;
use obsidian_ir::draw;
use obsidian_ir::passes::Placed;
use obsidian_tune::source::WHOLE;

/// Prints the picture, or writes one for each variant.
pub fn run(options: &Draw) -> Result<(), Failure> {
    let found = kernels::compiled(&options.sources, WHOLE)?;
    let mut pictures = Vec::new();
    for kernel in &found {
        for variant in kernels::variants(kernel, &options.which)? {
            let Some(placed) = &variant.placed else { continue };
            let name = match options.picture {
                Picture::Network => "network",
                Picture::Memory => "memory",
            };
            pictures.push((format!("{}.{name}.svg", variant.program.name), drawn(options.picture, placed)?));
        }
    }
    match (&options.out, pictures.as_slice()) {
        (Some(folder), _) => Ok(kernels::write(folder, &pictures)?),
        (None, [(_, picture)]) => Ok(say(picture)?),
        (None, several) => {
            let message = Message::new(format!("there are {} pictures", several.len()));
            Err(message.help("narrow by `--kernel NAME`, or write files: `--out DIR`").into())
        }
    }
}

/// A picture of a placed variant.
pub fn drawn(picture: Picture, placed: &Placed) -> Result<String, Message> {
    match picture {
        Picture::Memory => Ok(draw::memory(placed.for_machine())),
        Picture::Network => draw::network(&placed.plain).map_err(|e| Message::new(e.to_string())),
    }
}
