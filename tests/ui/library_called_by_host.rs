//! The library's pages are for reading.

fn main() {
    let _ = obsidian::library::scalars::min(1, 2);
    let _ = obsidian::library::arrays::singleton(1);
}
