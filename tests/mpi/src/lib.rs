//! The sources of `obsidian-mpi` once more, as a crate of the workspace, so that they are linted.

#[cfg(feature = "mpi")]
#[path = "../../../obsidian-mpi/src/lib.rs"]
pub mod mpi_ranks;
