//! Procedural macros of Obsidian.
