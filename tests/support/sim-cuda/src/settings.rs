//! What devices the process sees and what goes wrong on them: the words of the variable, read once.

use obsidian_ptx_interp::Order;

use crate::status::Status;

/// The variable that says what is simulated; the crate's page has its words.
pub const SETTINGS: &str = "OBSIDIAN_SIM_CUDA";

/// What is simulated.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub devices: usize,
    pub capability: (u32, u32),
    pub memory: usize,
    pub threads: u32,
    pub registers: u32,
    pub shared: u32,
    pub grid: u32,
    pub pools: bool,
    pub order: Order,
    pub losses: Vec<Loss>,
    pub failures: Vec<Failure>,
}

/// A device that is lost with a launch, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    pub device: usize,
    pub launch: u64,
}

/// A call, counted from 1, that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub function: String,
    pub call: u64,
    pub code: Status,
}

impl Settings {
    /// The bytes of shared memory that a block has without asking (CUDA driver API, MAX_SHARED_MEMORY_PER_BLOCK).
    pub(crate) fn static_shared(&self) -> u32 {
        self.shared.min(48 << 10)
    }

    /// Reads the words; the first that means nothing is the error.
    pub(crate) fn read(text: &str) -> Result<Settings, String> {
        let mut settings = Settings {
            devices: 1,
            capability: (9, 0),
            memory: 1 << 30,
            threads: 1024,
            registers: u32::MAX,
            shared: 227 << 10,
            grid: i32::MAX as u32,
            pools: true,
            order: Order::Ascending,
            losses: Vec::new(),
            failures: Vec::new(),
        };
        for word in text.split_whitespace() {
            settings.word(word).ok_or_else(|| format!("{SETTINGS}: `{word}` means nothing"))?;
        }
        Ok(settings)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let (name, value) = word.split_once('=')?;
        match name {
            "devices" => self.devices = value.parse().ok()?,
            "capability" => {
                let (major, minor) = value.split_once('.')?;
                self.capability = (major.parse().ok()?, minor.parse().ok()?);
            }
            "memory" => self.memory = value.parse().ok()?,
            "threads" => self.threads = value.parse().ok()?,
            "registers" => self.registers = value.parse().ok()?,
            "shared" => self.shared = value.parse().ok()?,
            "grid" => self.grid = value.parse().ok()?,
            "pools" => self.pools = value.parse::<u8>().ok()? > 0,
            "order" if value == "ascending" => self.order = Order::Ascending,
            "order" if value == "descending" => self.order = Order::Descending,
            "lose" => {
                let (device, launch) = value.split_once('@')?;
                self.losses.push(Loss { device: device.parse().ok()?, launch: launch.parse().ok()? });
            }
            "fail" => {
                let (function, rest) = value.split_once('@')?;
                let (call, code) = rest.split_once(':')?;
                let (function, code) = (function.to_owned(), code.parse().ok()?);
                self.failures.push(Failure { function, call: call.parse().ok()?, code });
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_refused() {
        let read = Settings::read("devices=2 capability=7.5 pools=0 lose=1@3 fail=cuMemAllocAsync@2:2").unwrap();
        assert_eq!((read.devices, read.capability, read.pools, read.threads), (2, (7, 5), false, 1024));
        assert_eq!(read.losses, [Loss { device: 1, launch: 3 }]);
        let failure = Failure { function: "cuMemAllocAsync".into(), call: 2, code: 2 };
        assert_eq!(read.failures, [failure]);
        for wrong in ["device=2", "devices", "devices=x", "lose=1", "fail=cuInit@1", "order=random"] {
            assert!(Settings::read(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
    }
}
