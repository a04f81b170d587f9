//! Values that are made once for each key: open devices, loaded modules. What drivers do is slow, so a value is made under
//! its key's own lock; other keys do not wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use super::locked;
use crate::error::Error;

/// A place for a value.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// The values that were made.
pub(super) struct Once<K, V>(Mutex<HashMap<K, Slot<V>>>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Self {
        Once(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Once<K, V> {
    /// The value of a key, made by `make` at its first use. Where that fails, the next use tries again.
    pub(super) fn get(&self, key: K, make: impl FnOnce() -> Result<V, Error>) -> Result<V, Error> {
        let slot = Arc::clone(locked(&self.0).entry(key).or_default());
        let mut slot = locked(&slot);
        if let Some(value) = &*slot {
            return Ok(value.clone());
        }
        Ok(slot.insert(make()?).clone())
    }

    /// A value that is wanted, if one was made.
    #[cfg(feature = "cudarc")]
    pub(super) fn find(&self, wanted: impl Fn(&V) -> bool) -> Option<V> {
        let slots: Vec<Slot<V>> = locked(&self.0).values().cloned().collect();
        slots.iter().find_map(|slot| locked(slot).clone().filter(&wanted))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_value_is_made_once() {
        let (once, made) = (Once::default(), AtomicU32::new(0));
        let make = || Ok(made.fetch_add(1, Ordering::Relaxed));
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| once.get("key", make).unwrap())).collect();
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 0));
        });
        assert_eq!((once.get("key", make).unwrap(), once.get("other", make).unwrap()), (0, 1));
    }

    #[test]
    fn what_fails_is_tried_again() {
        let once = Once::default();
        assert!(once.get(1, || Err(Error::ZeroBlocks { kernel: "k" })).is_err());
        assert_eq!(once.get(1, || Ok(7)).unwrap(), 7);
    }

    #[test]
    fn other_keys_do_not_wait() {
        let once = Once::default();
        let ((begun, begin), (done, wait)) = (mpsc::channel(), mpsc::channel());
        thread::scope(|scope| {
            let slow = move || {
                begun.send(()).unwrap();
                // Until the other key's value is made.
                wait.recv().unwrap();
                Ok("slow")
            };
            let once = &once;
            let slow = scope.spawn(move || once.get(1, slow).unwrap());
            begin.recv().unwrap();
            assert_eq!(once.get(2, || Ok("quick")).unwrap(), "quick");
            done.send(()).unwrap();
            assert_eq!(slow.join().unwrap(), "slow");
        });
    }
}
