//! How steps run programs: each step that runs beside others has a log of its own, into which its programs write, and what they take
//! of all cores is counted for it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the programs of a step write into and are counted in.
#[derive(Clone, Default)]
pub struct Account(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// `None` where what programs print goes where this one prints.
    log: Option<File>,
    microseconds: AtomicU64,
}

thread_local! {
    static CURRENT: RefCell<Account> = RefCell::default();
}

impl Account {
    /// One whose programs write into a file.
    pub fn logged(path: &Path) -> io::Result<Account> {
        Ok(Account(Arc::new(Inner { log: Some(File::create(path)?), ..Inner::default() })))
    }

    /// That of the step which this thread works for.
    pub fn current() -> Account {
        CURRENT.with_borrow(Account::clone)
    }

    /// Does some work of the step on this thread.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(self.clone());
        let done = work();
        CURRENT.set(before);
        done
    }

    /// What the programs that have ended took of all cores together.
    pub fn cpu(&self) -> Duration {
        Duration::from_micros(self.0.microseconds.load(Ordering::Relaxed))
    }

    fn end(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let (status, cpu) = wait(child)?;
        self.0.microseconds.fetch_add(u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(status)
    }
}

/// Runs a program to its end. What it prints is the step's.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    let account = Account::current();
    if let Some(log) = &account.0.log {
        command.stdout(log.try_clone()?).stderr(log.try_clone()?);
    }
    account.end(&mut command.spawn()?)
}

/// Runs a program to its end. What it prints is given.
pub fn output(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    // Both at once: a program waits where a pipe is full.
    let (stdout, stderr) = std::thread::scope(|scope| {
        let out = scope.spawn(|| all_of(out));
        let stderr = all_of(err);
        (out.join().unwrap_or_else(|_| Err(io::Error::other("a reader stopped"))), stderr)
    });
    let status = Account::current().end(&mut child)?;
    Ok(Output { status, stdout: stdout?, stderr: stderr? })
}

fn all_of(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut all)).map(|_| all)
}

/// How a process ended, and what it and the processes that it waited for took of all cores.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Duration)> {
    use std::os::unix::process::ExitStatusExt;

    /// `struct rusage` of `getrusage(2)`: user and system time, then 14 numbers that nobody asks for here.
    #[derive(Default)]
    #[repr(C)]
    struct Usage {
        user: [i64; 2],
        system: [i64; 2],
        others: [i64; 14],
    }
    unsafe extern "C" {
        fn wait4(process: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
    }

    let process = i32::try_from(child.id()).map_err(io::Error::other)?;
    let (mut status, mut usage) = (0, Usage::default());
    // SAFETY: both are there to be written, and have the layout that the C library of Linux gives them on 64 bits.
    while unsafe { wait4(process, &mut status, 0, &mut usage) } != process {
        let why = io::Error::last_os_error();
        if why.kind() != io::ErrorKind::Interrupted {
            return Err(why);
        }
    }
    let of = |time: [i64; 2]| Duration::new(time[0].unsigned_abs(), 0) + Duration::from_micros(time[1].unsigned_abs());
    Ok((ExitStatus::from_raw(status), of(usage.user) + of(usage.system)))
}

/// The same where what it took is not told.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Duration)> {
    Ok((child.wait()?, Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn what_a_program_says_and_how_it_ends_is_told() {
        let done = output(&mut shell("echo out; echo err >&2; exit 3")).expect("a shell");
        assert_eq!((done.stdout, done.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(done.status.code(), Some(3));
        let much = output(&mut shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero")).expect("a shell");
        assert_eq!((much.stdout.len(), much.stderr.len()), (1_000_000, 1_000_000));
    }

    #[test]
    fn a_step_has_its_own_log_and_its_own_count() {
        let folder = std::env::temp_dir().join(format!("obsidian-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let account = Account::logged(&folder.join("log")).expect("a file");
        let status =
            account.during(|| status(&mut shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done")));
        assert!(status.expect("a shell").success());
        assert_eq!(std::fs::read_to_string(folder.join("log")).expect("a log"), "done\n");
        assert!(account.cpu() > Duration::ZERO || cfg!(not(all(target_os = "linux", target_pointer_width = "64"))));
        assert_eq!(Account::current().cpu(), Duration::ZERO);
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
