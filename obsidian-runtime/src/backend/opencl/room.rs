//! How much of a device's memory the buffers take. Some drivers allocate at the first use only, and give more than there is (NVIDIA's,
//! version 580).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a buffer and its parts take.
pub(super) struct Room {
    of: Arc<AtomicU64>,
    bytes: u64,
}

impl Room {
    /// Takes `bytes` of what the device has, if it has them.
    pub(super) fn take(taken: &Arc<AtomicU64>, bytes: u64, of_all: Option<u64>) -> Option<Room> {
        let more = |now: u64| now.checked_add(bytes).filter(|&sum| sum <= of_all.unwrap_or(u64::MAX));
        let took = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        took.ok().map(|_| Room { of: Arc::clone(taken), bytes })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.of.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let taken = Arc::default();
        let most = Some(10);
        let first = Room::take(&taken, 6, most).unwrap();
        assert!(Room::take(&taken, 5, most).is_none());
        assert!(Room::take(&taken, u64::MAX, None).is_none());
        let second = Room::take(&taken, 4, most).unwrap();
        assert!(Room::take(&taken, 1, most).is_none());
        drop(first);
        assert!(Room::take(&taken, 6, most).is_some());
        drop(second);
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }
}
