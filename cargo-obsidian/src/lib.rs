//! `cargo obsidian`: what kernels are compiled to, what they cost, what is wrong with them, and which variant is the fastest.
//!
//! In: a command line. Out: texts, files, and an exit code: 0 where all is well, 1 where a kernel has mistakes or a measurement
//! fails, 2 where the command itself cannot be carried out.

mod args;
mod check;
mod choose;
mod devices;
mod draw;
mod emit;
mod explain;
mod explore;
mod kernels;
mod output;
mod parts;
mod show;
mod tune;
mod wisdom;

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use obsidian_build::shared::Message;
use obsidian_tune::deep;
use output::say;

/// Why a command ends without doing what it was asked for.
pub enum Failure {
    /// Kernels have mistakes, or do not do what they should.
    Kernels(Vec<Message>),
    /// The command cannot be carried out: a file is not there, a name fits nothing.
    Command(Message),
}

impl From<Message> for Failure {
    fn from(message: Message) -> Failure {
        Failure::Command(message)
    }
}

/// Runs the command line. The name of the subcommand comes first where cargo starts it.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    // A file of Rust may be deeper than the first thread's stack.
    let work = thread::Builder::new().stack_size(deep::STACK).spawn(|| on_a_deep_stack(args));
    match work.map(thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(e) => {
            eprint!("{}", Message::new(format!("cannot begin: {e}")));
            ExitCode::from(2)
        }
    }
}

fn on_a_deep_stack(mut args: Vec<OsString>) -> ExitCode {
    if args.get(1).is_some_and(|first| first == "obsidian") {
        args.remove(1);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return if e.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let (messages, code) = match run(&cli.command) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Kernels(messages)) => (messages, 1),
        Err(Failure::Command(message)) => (vec![message], 2),
    };
    eprint!("{}", messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    ExitCode::from(code)
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Check(sources) => check::run(sources),
        Command::Emit(options) => emit::run(options),
        Command::Explain(options) => explain::run(options),
        Command::Draw(options) => draw::run(options),
        Command::Explore(options) => explore::run(options),
        Command::Tune(options) => tune::run(options),
        Command::Choose(options) => choose::run(options),
        Command::Devices => devices::run(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "cargo-obsidian", &mut script);
            Ok(say(String::from_utf8_lossy(&script).trim_end())?)
        }
    }
}
