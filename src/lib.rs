//! Obsidian.
