//! How long a rank waits for another: when it asks that one what it is doing, and when it gives up. Knows neither messages nor steps.

use std::time::{Duration, Instant};

/// After how long a rank that waits for another asks it, first.
const FIRST_ASKED: Duration = Duration::from_millis(10);
/// How long a rank waits once it is told to end: long enough to hear who waits for whom, well below the second after which `mpirun` kills.
const LAST: Duration = Duration::from_millis(200);

/// One wait.
pub struct Patience {
    start: Instant,
    limit: Duration,
    /// When the other rank was asked, and how long after that it is asked again.
    asked: Instant,
    asking: Duration,
    told_to_end: bool,
}

impl Patience {
    /// Begins to wait, for at most `limit`.
    pub fn of(limit: Duration) -> Patience {
        let now = Instant::now();
        Patience { start: now, limit, asked: now, asking: FIRST_ASKED.min(limit / 8), told_to_end: false }
    }

    /// This process is told to end: there is little time left.
    pub fn is_told_to_end(&mut self) {
        if !self.told_to_end {
            self.told_to_end = true;
            self.limit = self.limit.min(self.start.elapsed() + LAST);
            self.asking = FIRST_ASKED;
        }
    }

    /// Whether it has waited for so long that it gives up.
    pub fn is_over(&self) -> bool {
        self.start.elapsed() >= self.limit
    }

    /// Whether to ask now: less and less often.
    pub fn asks(&mut self) -> bool {
        let asks = self.asked.elapsed() >= self.asking;
        if asks {
            self.asked = Instant::now();
            self.asking = (2 * self.asking).min((self.limit / 8).max(FIRST_ASKED));
        }
        asks
    }

    /// How long to wait for the next message.
    pub fn pause(&self) -> Duration {
        self.limit.saturating_sub(self.start.elapsed()).min(self.asking.max(Duration::from_millis(1)))
    }

    /// Why it gave up, of who has waited for whom.
    pub fn reason(&self, me: usize, on_the_way: &str) -> String {
        let limit = self.limit;
        match self.told_to_end {
            true => format!(
                "rank {me} has waited for it{on_the_way}, and is told to end, as by mpirun when a rank has died"
            ),
            false => format!("rank {me} has waited for it{on_the_way} for {limit:?}, the limit, and nothing came"),
        }
    }
}
