//! The explorer: the page that is written and the one that is served say what the commands say; in a browser it renders, and lines
//! that belong together are lit. The browser is named by `OBSIDIAN_TEST_CHROMIUM` (`cargo xtask test` brings it); without it those
//! tests say SKIP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Names the browser.
const BROWSER: &str = "OBSIDIAN_TEST_CHROMIUM";

const SOURCE: &str = "use obsidian::{kernel, prelude::*};

kernel! {
    #[kernel(threads = [64, 128], SEQ = [4, 8], where(SEQ * threads <= 512))]
    pub fn sums<const SEQ: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| {
            let parts = c.split_up(SEQ).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))).compute();
            exec_block(reduce(parts, |a, b| a + b))
        })
    }

    #[kernel(threads = 64)]
    pub fn gathered(places: DPull<u32>, table: DPull<f32>) -> DPush<Grid, f32> {
        places.split_up(256).as_grid_map(|c| {
            c.map(|i| {
                let x = table[i];
                x * x + 0.5
            }).push()
        })
    }
}
";

/// A folder of a test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("obsidian-explore-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("k.rs"), SOURCE).expect("a file");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn obsidian(&self, args: &[&str]) -> Output {
        command(&self.0, args).output().expect("it starts")
    }

    /// Has `sums` been measured: two of its three variants, since two are one program on the CPU.
    fn tuned(&self) {
        let output = self.obsidian(&["tune", "sums", "k.rs", "--len", "16384", "--rounds", "6"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// What the written page shows: the model and the details.
    fn written(&self, source: &str) -> [Value; 2] {
        self.obsidian(&["explore", source, "--out", "page.html"]);
        let html = std::fs::read_to_string(self.file("page.html")).expect("a page");
        let part = |name: &str| {
            let start = format!("const {name} = ");
            let line = html.lines().find_map(|line| line.strip_prefix(&start)).expect("data");
            serde_json::from_str(line.trim_end_matches(';')).expect("JSON")
        };
        [part("MODEL"), part("DETAILS")]
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
    command.arg("obsidian").args(args).current_dir(folder);
    command
}

/// The number of the source's line with this in it.
fn line_of(part: &str) -> u64 {
    SOURCE.lines().position(|line| line.contains(part)).expect("a line of the source") as u64 + 1
}

fn text<'a>(detail: &'a Value, name: &str) -> (&'a str, Vec<Vec<u64>>) {
    let texts = detail["texts"].as_array().expect("texts");
    let found = texts.iter().find(|text| text["name"] == name).expect("a text of that name");
    let lines = serde_json::from_value(found["lines"].clone()).expect("lists of lines");
    (found["text"].as_str().expect("text"), lines)
}

#[test]
fn a_page_holds_what_the_commands_print() {
    let folder = Folder::new("written");
    let [model, details] = folder.written("k.rs");
    assert_eq!(model["source"], SOURCE);
    assert_eq!(model["kernels"][0]["variants"].as_array().map(Vec::len), Some(3));
    for (name, kind) in
        [("PTX", "ptx"), ("CUDA C", "cuda"), ("Rust", "rust"), ("IR: native", "ir"), ("IR: machine", "machine")]
    {
        let printed = folder.obsidian(&["emit", kind, "k.rs", "-k", "sums", "--with", "threads=128"]);
        let printed = String::from_utf8(printed.stdout).expect("text");
        let number = model["kernels"][0]["variants"].as_array().expect("variants").iter();
        let number = number.clone().position(|v| v["values"]["threads"] == "128").expect("a variant");
        let (shown, lines) = text(&details[format!("0/{number}")], name);
        assert_eq!(shown.trim_end(), printed.trim_end(), "{name}");
        assert_eq!(lines.len(), shown.lines().count(), "{name}");
    }
}

#[test]
fn lines_of_texts_lead_to_the_source_and_costs_stand_at_their_lines() {
    let folder = Folder::new("lines");
    let [_, details] = folder.written("k.rs");
    let detail = &details["1/0"];
    for (name, load) in
        [("PTX", "ld.global"), ("CUDA C", "table["), ("OpenCL C", "table["), ("IR: machine", "table["), ("Rust", "if ")]
    {
        let (shown, lines) = text(detail, name);
        let reads = shown.lines().zip(&lines).filter(|(line, _)| line.contains(load));
        assert!(reads.clone().any(|(_, from)| from.contains(&line_of("table[i]"))), "{name}\n{shown}");
    }
    let (ptx, lines) = text(detail, "PTX");
    for (line, from) in ptx.lines().zip(&lines) {
        let touches = ["ld.global", "st.global", "mul.rn.f32"].iter().any(|word| line.contains(word));
        let own = line.contains("atom") || line.contains("fault");
        assert!(!touches || own || !from.is_empty(), "{line}");
    }
    let squared = ptx.lines().zip(&lines).find(|(line, _)| line.contains("mul.rn.f32")).expect("a product");
    assert_eq!(squared.1, &[line_of("x * x")]);
    let costs = &detail["lines"];
    assert_eq!(costs[line_of("table[i]").to_string()]["guards"], 1, "{costs}");
    assert!(
        costs[line_of(".push()").to_string()]["sectors"].as_f64().is_some_and(|sectors| sectors >= 32.0),
        "{costs}"
    );
    let of_sums = &details["0/0"]["lines"];
    let barriers: u64 = of_sums.as_object().expect("lines").values().filter_map(|line| line["barriers"].as_u64()).sum();
    assert!(of_sums[line_of("exec_block(").to_string()]["barriers"].as_u64() > Some(0), "{of_sums}");
    let printed = folder.obsidian(&["emit", "ptx", "k.rs", "-k", "sums"]);
    let printed = String::from_utf8(printed.stdout).expect("text");
    assert_eq!(barriers as usize, printed.matches("bar.sync").count() + printed.matches("bar.warp").count());
}

#[test]
fn mistakes_are_shown_as_check_prints_them() {
    let folder = Folder::new("mistakes");
    std::fs::write(folder.file("wrong.rs"), SOURCE.replace("exec_block(reduce(parts", "exec_block(reduced(parts"))
        .expect("a file");
    let checked = folder.obsidian(&["check", "wrong.rs"]);
    let [model, _] = folder.written("wrong.rs");
    let mistakes = model["mistakes"].as_array().expect("mistakes");
    let joined: Vec<&str> = mistakes.iter().filter_map(Value::as_str).collect();
    assert_eq!(joined.join("\n"), String::from_utf8(checked.stderr).expect("text"));
    assert!(joined[0].contains("--> wrong.rs:8:"), "{joined:?}");
    let output = folder.obsidian(&["explore", "wrong.rs", "--out", "page.html"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(folder.obsidian(&["explore", ".", "--out", "page.html"]).status.code(), Some(2));
    assert_eq!(folder.obsidian(&["explore", "nowhere.rs", "--out", "page.html"]).status.code(), Some(2));
}

#[test]
fn a_page_holds_the_times_of_the_record_beside_the_source_and_the_roof() {
    let folder = Folder::new("tuned");
    folder.tuned();
    let [model, _] = folder.written("k.rs");
    let tuning = &model["kernels"][0]["tunings"][0];
    assert_eq!(tuning["seconds"].as_object().map(serde_json::Map::len), Some(3), "{tuning:#}");
    assert!(tuning["seconds"][tuning["chosen"].as_str().expect("a choice")].as_f64() > Some(0.0), "{tuning:#}");
    assert!(
        tuning["copy"]["bytes"] == 4 * (16384 + 16) && tuning["copy"]["seconds"].as_f64() > Some(0.0),
        "{tuning:#}"
    );
}

/// A page that is served.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn new(folder: &Folder) -> Served {
        let mut child =
            command(&folder.0, &["explore", "k.rs", "--port", "0"]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address =
            line.strip_prefix("http://").and_then(|line| line.split_once('/')).expect("an address").0.to_string();
        Served { child, address }
    }

    fn sent(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        answer
    }

    fn get(&self, path: &str) -> String {
        self.sent(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address))
    }

    fn state(&self, seen: u64) -> Value {
        let answer = self.get(&format!("/state?seen={seen}"));
        serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
    }

    /// Asks until the file was compiled again.
    fn after(&self, seen: u64) -> Value {
        let start = Instant::now();
        loop {
            let state = self.state(seen);
            if state["stamp"] != seen {
                return state;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "the file was saved, and nothing happens");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_served_page_follows_the_file() {
    let folder = Folder::new("served");
    let served = Served::new(&folder);
    assert!(served.get("/").contains("<!doctype html>"));
    let first = served.state(0);
    assert_eq!((&first["stamp"], &first["source"]), (&1.into(), &SOURCE.into()));
    assert!(served.state(1)["kernels"].is_null(), "nothing has changed");
    assert!(served.get("/detail?of=1/0").contains("ld.global"));
    let changed = SOURCE.replace("a + b)))", "a + bb)))");
    std::fs::write(folder.file("k.rs"), &changed).expect("saved");
    let wrong = served.after(1);
    assert!(wrong["mistakes"][0].as_str().is_some_and(|text| text.contains("`bb`")), "{wrong}");
    assert_eq!(wrong["source"], changed.as_str());
    std::fs::write(folder.file("k.rs"), SOURCE).expect("saved");
    let right = served.after(2);
    assert_eq!(
        (right["mistakes"].as_array().map(Vec::len), right["kernels"].as_array().map(Vec::len)),
        (Some(0), Some(2))
    );
}

#[test]
fn what_is_not_asked_by_this_machines_browser_is_refused() {
    let folder = Folder::new("refused");
    let served = Served::new(&folder);
    let status = |answer: String| answer.split(' ').nth(1).unwrap_or_default().to_string();
    assert_eq!(status(served.sent("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")), "403");
    assert_eq!(status(served.sent("GET / HTTP/1.1\r\n\r\n")), "403");
    assert_eq!(status(served.sent("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n")), "405");
    assert_eq!(status(served.sent("\0\u{1}nonsense\r\n\r\n")), "405");
    for path in ["/../../etc/passwd", "/detail?of=9/0", "/detail?of=-1/x", "/detail", "/state/"] {
        assert_eq!(status(served.get(path)), "404", "{path}");
    }
    // One that asks for nothing holds up no other.
    let _silent = TcpStream::connect(&served.address).expect("a connection");
    assert_eq!(status(served.get("/")), "200");
}

/// The page's document after its code has run; `None` without a browser.
fn in_browser(folder: &Folder, address: &str) -> Option<String> {
    let Some(browser) = std::env::var_os(BROWSER) else {
        println!("SKIP: {BROWSER} does not name a browser");
        return None;
    };
    let profile = format!("--user-data-dir={}", folder.file("profile").display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=20000",
            &profile,
            "--dump-dom",
            address,
        ])
        .output()
        .expect("the browser starts");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(document.contains("</html>"), "{}", String::from_utf8_lossy(&output.stderr));
    Some(document)
}

/// What a visitor does, and what is there then: written into the page as JSON.
const VISIT: &str = r##"<script>
const seen = { errors: [] };
window.addEventListener("error", event => seen.errors.push(String(event.message)));
const all = (selector, of = document) => [...of.querySelectorAll(selector)];
const lit = side => all(`${side} .line.lit`).map(line => line.lastChild.textContent);
const press = selector => { const one = document.querySelector(selector); if (one) one.click(); else seen.errors.push("no " + selector); };
seen.lines = all("#source .line").length;
press('[data-kernel="1"]');
press('#source [data-line="LINE"]');
seen.ptx = lit("#pane");
press("#pane .line.lit");
seen.back = lit("#source");
seen.told = document.getElementById("told").textContent;
press('[data-tab="CUDA C"]');
press('#source [data-line="LINE"]');
seen.cuda = lit("#pane");
press('[data-kernel="0"]');
press('[data-tab="Memory"]');
seen.memory = all("rect", document.querySelector(".picture").shadowRoot).length;
press('[data-tab="Variants"]');
seen.points = all("svg.plot circle").length;
seen.bars = all("svg.plot rect").length;
seen.best = all("svg.plot .best").length;
seen.roof = all("svg.roofline line.roof").length;
seen.below = all("svg.roofline circle[data-variant]").length;
press('tbody tr[data-variant="2"]');
seen.variant = document.getElementById("variant").selectedOptions[0].textContent;
const store = document.createElement("pre");
store.id = "seen";
store.textContent = encodeURIComponent(JSON.stringify(seen));
document.body.append(store);
</script></body>"##;

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || rest.next().and_then(|d| (d as char).to_digit(16)).expect("a digit") as u8;
        bytes.push(if byte == b'%' { digit() * 16 + digit() } else { byte });
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn in_a_browser_a_click_on_a_line_lights_its_ptx_and_back() {
    let folder = Folder::new("browser");
    folder.tuned();
    let [model, _] = folder.written("k.rs");
    let line = line_of("table[i]");
    let html = std::fs::read_to_string(folder.file("page.html")).expect("a page");
    let html = html.replace("</body>", &VISIT.replace("LINE", &line.to_string()));
    std::fs::write(folder.file("page.html"), html).expect("a page");
    let Some(document) = in_browser(&folder, &format!("file://{}", folder.file("page.html").display())) else { return };
    let seen = document.split_once("<pre id=\"seen\">").expect("what was seen").1;
    let seen: Value = serde_json::from_str(&decoded(seen.split_once("</pre>").expect("its end").0)).expect("JSON");
    assert_eq!(seen["errors"], Value::Array(Vec::new()), "{seen:#}");
    assert_eq!(seen["lines"], SOURCE.lines().count());
    let lines = |what: &str| -> Vec<String> { serde_json::from_value(seen[what].clone()).expect("texts") };
    assert!(lines("ptx").iter().any(|line| line.contains("ld.global")), "{seen:#}");
    assert!(lines("cuda").iter().any(|line| line.contains("table[")), "{seen:#}");
    assert_eq!(lines("back"), [SOURCE.lines().nth(line as usize - 1).expect("the line")]);
    assert!(
        seen["memory"].as_u64() > Some(1) && seen["points"].as_u64() >= Some(3) && seen["bars"].as_u64() >= Some(3),
        "{seen:#}"
    );
    // The best is marked over each parameter and below the roof, where all whose time is known stand.
    assert_eq!((&seen["best"], &seen["roof"], &seen["below"]), (&2.into(), &1.into(), &3.into()), "{seen:#}");
    assert_eq!(seen["variant"], model["kernels"][0]["variants"][2]["name"]);
}

#[test]
fn in_a_browser_the_served_page_renders() {
    let folder = Folder::new("live");
    let served = Served::new(&folder);
    let Some(document) = in_browser(&folder, &format!("http://{}/", served.address)) else { return };
    assert!(document.contains("follows the file"), "{document}");
    // The rows of the source, and of a text.
    assert!(document.matches("data-line=").count() > SOURCE.lines().count(), "{document}");
    assert!(document.contains("data-row=\"20\"") && document.contains("class=\"line linked\""), "{document}");
}
