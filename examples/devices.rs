//! Every back end and why one is absent, then every device with what it has: `cargo run --example devices`.

fn main() {
    for backend in obsidian::backends() {
        println!("{backend}");
    }
    println!();
    for device in obsidian::Device::list() {
        println!("{device}");
    }
}
