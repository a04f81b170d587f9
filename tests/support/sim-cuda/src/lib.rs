//! A simulated CUDA driver, for tests on machines without a GPU: a library with libcuda's functions, as far as cudarc and the
//! runtime call them, whose kernels the PTX interpreter runs on simulated memory. It is as lazy as the driver may be: what is
//! put into a stream is done when somebody waits for it, and not before. [`link()`] puts it where a process finds it as libcuda.
//!
//! It says what the CUDA driver API (13.0) documents, and nothing of speed. [`SETTINGS`] names the variable that says
//! what devices there are and what goes wrong, words apart by spaces:
//!
//! | word | means | if not said |
//! |---|---|---|
//! | `devices=2` | number of devices | 1 |
//! | `capability=8.6` | compute capability | 9.0 |
//! | `memory=65536` | bytes of memory of a device | 1 GiB |
//! | `threads=128` | most threads of a block | 1024 |
//! | `registers=64` | most threads of a block that any kernel's registers leave room for | `threads` |
//! | `shared=1024` | most bytes of shared memory of a block; those above 49152 only where the kernel asks for them | 232448 |
//! | `grid=16` | most blocks of a launch | 2147483647 |
//! | `pools=0` | no memory pools, so no `cuMemAllocAsync` | 1 |
//! | `order=descending` | threads of a block, and warps, take their turns from the last on | ascending |
//! | `lose=0@3` | the launch number 3 on device 0, counted from 1, is its last: an error of its hardware | |
//! | `fail=cuMemAllocAsync@2:2` | the second call of that function gives the code 2 and does nothing else | |

#![allow(non_snake_case, reason = "the driver's names")]

mod api;
mod context;
mod driver;
mod execute;
mod graph;
mod link;
mod memory;
mod module;
mod settings;
mod status;
mod stream;

pub use link::{file_name, link};
pub use settings::SETTINGS;
