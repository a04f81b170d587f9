//! Serves the page on this machine alone. Each connection is read by a thread of its own, so that one that asks for nothing holds
//! up no other; what is asked is answered by one thread, which has the kernels.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use obsidian_build::shared::Message;
use serde_json::json;

use super::data::Explored;
use super::page;
use crate::output::say;

/// The longest request that is read.
const MAX_REQUEST: usize = 8192;
/// Connections at one time.
const MAX_CONNECTIONS: usize = 32;
/// How long a connection may take to ask, and to take its answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// What the page may load: nothing but itself.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";

/// An answer.
struct Answer {
    status: &'static str,
    content: &'static str,
    body: String,
}

/// What a connection asks for, and where the answer goes.
struct Asked {
    path: String,
    answer: Sender<Answer>,
}

/// Serves until the process ends.
pub fn serve(explored: &mut Explored, port: u16) -> Result<(), Message> {
    let cannot = |e: std::io::Error| {
        Message::new(format!("cannot listen on port {port}: {e}")).help("`--port 0` takes any that is free")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    say(format_args!("http://127.0.0.1:{port}/ shows it, and goes on as the file is saved; Ctrl-C ends it"))?;
    let (send, asked) = mpsc::channel();
    std::thread::spawn(move || accept(&listener, &send));
    answer_all(explored, &asked);
    Ok(())
}

fn accept(listener: &TcpListener, send: &Sender<Asked>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::AcqRel) >= MAX_CONNECTIONS {
            open.fetch_sub(1, Ordering::AcqRel);
            continue;
        }
        let (send, open) = (send.clone(), open.clone());
        std::thread::spawn(move || {
            // A connection that breaks off concerns no other.
            let _ = connection(stream, &send);
            open.fetch_sub(1, Ordering::AcqRel);
        });
    }
}

fn connection(mut stream: TcpStream, send: &Sender<Asked>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = read(&mut stream)?;
    let answer = match path(&request) {
        Err(refused) => refused,
        Ok(path) => {
            let (answer, answered) = mpsc::channel();
            let asked = Asked { path: path.to_string(), answer };
            let gone = |_| std::io::Error::other("the command ends");
            send.send(asked).map_err(|_| gone(mpsc::RecvError))?;
            answered.recv().map_err(gone)?
        }
    };
    let Answer { status, content, body } = answer;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// The head of a request.
fn read(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut text, mut part) = (Vec::new(), [0; 1024]);
    while !text.windows(4).any(|end| end == b"\r\n\r\n") && text.len() < MAX_REQUEST {
        match stream.read(&mut part)? {
            0 => break,
            n => text.extend_from_slice(&part[..n]),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The path that is asked for. A page of another origin whose name leads to this machine asks under that name.
fn path(request: &str) -> Result<&str, Answer> {
    let mut lines = request.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some("GET"), Some(path)) = (words.next(), words.next()) else {
        return Err(plain("405 Method Not Allowed", "only GET is answered"));
    };
    let host = lines.filter_map(|line| line.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let name = host.map(|(_, host)| host.trim()).map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    match name {
        Some("127.0.0.1" | "localhost") => Ok(path),
        _ => Err(plain("403 Forbidden", "only 127.0.0.1 and localhost are answered")),
    }
}

fn plain(status: &'static str, text: &str) -> Answer {
    Answer { status, content: "text/plain", body: text.to_string() }
}

fn answer_all(explored: &mut Explored, asked: &Receiver<Asked>) {
    for Asked { path, answer } in asked {
        // Whoever asked may be gone.
        let _ = answer.send(answered(explored, &path));
    }
}

/// `/`: the page. `/state?seen=N`: what it shows, unless that is compilation N. `/detail?of=KERNEL/VARIANT`.
fn answered(explored: &mut Explored, path: &str) -> Answer {
    let data =
        |value: serde_json::Value| Answer { status: "200 OK", content: "application/json", body: value.to_string() };
    let numbers = |text: &str| {
        let (kernel, variant) = text.split_once('/')?;
        Some((kernel.parse().ok()?, variant.parse().ok()?))
    };
    let (name, query) = path.split_once('?').unwrap_or((path, ""));
    match (name, query.split_once('=')) {
        ("/", _) => Answer { status: "200 OK", content: "text/html", body: page::served() },
        ("/state", seen) => {
            explored.refresh();
            let is_seen = seen.is_some_and(|(_, seen)| seen == explored.stamp().to_string());
            data(if is_seen { json!({ "stamp": explored.stamp() }) } else { explored.model() })
        }
        ("/detail", Some((_, of))) => {
            match numbers(of).and_then(|(kernel, variant)| explored.detail(kernel, variant)) {
                Some(detail) => data(json!({ "stamp": explored.stamp(), "detail": detail })),
                None => plain("404 Not Found", "there is no such variant"),
            }
        }
        _ => plain("404 Not Found", "there is nothing here"),
    }
}
