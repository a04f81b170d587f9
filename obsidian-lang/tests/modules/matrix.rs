//! The algorithms at `Device`, each of every type and with every operator, against plain Rust, by the interpreter. The same elements are
//! small whole numbers of every type, so that no sum is rounded and one model says what is right. Lengths are around warps and blocks;
//! those around tiles, and great ones, are in `tests/device` of the crate `obsidian-tests`.

use obsidian_ir::interp::{Args, Buffer, Outputs, module};

use super::compiled;

/// An element: a number, and of a tuple its second field.
type Element = [i64; 2];

const LENGTHS: [usize; 8] = [0, 1, 31, 32, 33, 255, 256, 257];

/// What an operator is in the language, of numbers and of tuples, and in plain Rust. It combines; it orders by a key; it chooses.
struct Operator {
    combined: (&'static str, &'static str),
    combine: fn(Element, Element) -> Element,
    key: &'static str,
    key_of: fn(i64) -> i64,
    kept: &'static str,
    keep: fn(i64) -> bool,
}

/// A sum; the greatest; and one that does not commute: the last that is not 0. Ascending; descending; by the distance from 8.
const OPERATORS: [Operator; 3] = [
    Operator {
        combined: ("a + b", "(a.0 + b.0, a.1 + b.1)"),
        combine: |a, b| [a[0] + b[0], a[1] + b[1]],
        key: "{}",
        key_of: |x| x,
        kept: "{} > 7",
        keep: |x| x > 7,
    },
    Operator {
        combined: ("max(a, b)", "(max(a.0, b.0), max(a.1, b.1))"),
        combine: |a, b| [a[0].max(b[0]), a[1].max(b[1])],
        key: "16 - {}",
        key_of: |x| 16 - x,
        kept: "{} < 16",
        keep: |_| true,
    },
    Operator {
        combined: ("if b == 0 { a } else { b }", "if b.0 == 0 { a } else { b }"),
        combine: |a, b| if b[0] == 0 { a } else { b },
        key: "max({}, 8) - min({}, 8)",
        key_of: |x| x.max(8) - x.min(8),
        kept: "{} > 100",
        keep: |_| false,
    },
];

/// What an algorithm takes beside the elements.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Nothing,
    Keys,
    Offsets,
    Columns,
}

/// What plain Rust makes of the elements and of what is beside them: the rows of each result.
type Model = fn(&[Element], &[u32], &Operator) -> Vec<Vec<Vec<i64>>>;

/// A call, in which `T` is the type, `F` the operator, `I` what it begins with, `L` the order and `K` the choice.
struct Algorithm {
    beside: Beside,
    result: &'static str,
    call: &'static str,
    model: Model,
}

/// Those that take an operator, an order or a choice.
const OF_OPERATORS: [Algorithm; 10] = [
    Algorithm { beside: Beside::Nothing, result: "Pull<T>", call: "reduce(xs, |a, b| F)", model: reduced },
    Algorithm { beside: Beside::Nothing, result: "DPull<T>", call: "scan(xs, |a, b| F)", model: scanned },
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<T>",
        call: "scan_exclusive(xs, I, |a, b| F)",
        model: |xs, _, op| {
            let mut all = vec![INIT];
            all.extend(xs);
            all.pop();
            scanned(&all[..xs.len()], &[], op)
        },
    },
    Algorithm {
        beside: Beside::Keys,
        result: "DPull<T>",
        call: "segmented_scan(xs, beside.map(|k| k % 5 == 0), |a, b| F)",
        model: |xs, keys, op| in_parts(xs, |i| keys[i] % 5 == 0, op),
    },
    Algorithm {
        beside: Beside::Keys,
        result: "DPull<T>",
        call: "scan_by_key(beside, xs, |a, b| F)",
        model: |xs, keys, op| in_parts(xs, |i| keys[i] != keys[i - 1], op),
    },
    Algorithm {
        beside: Beside::Offsets,
        result: "DPull<T>",
        call: "segmented_reduce(xs, beside, I, |a, b| F)",
        model: |xs, offsets, op| {
            let part = |w: &[u32]| xs[w[0] as usize..w[1] as usize].iter().copied().fold(INIT, op.combine);
            rows(offsets.windows(2).map(part))
        },
    },
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<T>",
        call: "sort_by(xs, |a, b| L)",
        model: |xs, _, op| rows(sorted(xs, op)),
    },
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<T>",
        call: "top_k_by(xs, 20, |a, b| L)",
        model: |xs, _, op| rows(sorted(xs, op).into_iter().take(20)),
    },
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<T>",
        call: "filter(xs, |x| K)",
        model: |xs, _, op| rows(xs.iter().copied().filter(|x| (op.keep)(x[0]))),
    },
    Algorithm {
        beside: Beside::Nothing,
        result: "(DPull<T>, DPull<T>)",
        call: "partition(xs, |x| K)",
        model: |xs, _, op| {
            let (kept, left): (Vec<Element>, Vec<Element>) = xs.iter().partition(|x| (op.keep)(x[0]));
            [rows(kept), rows(left)].concat()
        },
    },
];

/// Those that take neither.
const OF_ELEMENTS: [Algorithm; 2] = [
    Algorithm {
        beside: Beside::Nothing,
        result: "Pull<u32>",
        call: "histogram(xs.map(|x| K as u32), 16)",
        model: |xs, _, _| {
            let count = |k: i64| xs.iter().filter(|x| x[0] == k).count() as i64;
            vec![(0..16).map(|k| vec![count(k)]).collect()]
        },
    },
    Algorithm {
        beside: Beside::Columns,
        result: "DPull<T>",
        call: "transpose_2d(xs, beside)",
        model: |xs, columns, _| {
            let columns = columns[0] as usize;
            rows((0..columns).flat_map(|c| xs.iter().skip(c).step_by(columns)).copied())
        },
    },
];

/// Those that take numbers only.
const OF_NUMBERS: [Algorithm; 2] = [
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<T>",
        call: "unique(xs)",
        model: |xs, _, _| rows(runs(xs).into_iter().map(|run| run.0)),
    },
    Algorithm {
        beside: Beside::Nothing,
        result: "DPull<(T, u32)>",
        call: "run_length(xs)",
        model: |xs, _, _| vec![runs(xs).into_iter().map(|(x, n)| vec![x[0], n]).collect()],
    },
];

/// What exclusive scans and reductions of segments begin with.
const INIT: Element = [3, 3];

fn rows(elements: impl IntoIterator<Item = Element>) -> Vec<Vec<Vec<i64>>> {
    vec![elements.into_iter().map(|x| x.to_vec()).collect()]
}

fn reduced(xs: &[Element], _: &[u32], op: &Operator) -> Vec<Vec<Vec<i64>>> {
    rows(xs.iter().copied().reduce(op.combine))
}

fn scanned(xs: &[Element], _: &[u32], op: &Operator) -> Vec<Vec<Vec<i64>>> {
    in_parts(xs, |_| false, op)
}

/// The left folds of all beginnings of each part.
fn in_parts(xs: &[Element], starts: impl Fn(usize) -> bool, op: &Operator) -> Vec<Vec<Vec<i64>>> {
    let mut all: Vec<Element> = Vec::new();
    for (i, &x) in xs.iter().enumerate() {
        all.push(if i == 0 || starts(i) { x } else { (op.combine)(all[i - 1], x) });
    }
    rows(all)
}

fn sorted(xs: &[Element], op: &Operator) -> Vec<Element> {
    let mut sorted = xs.to_vec();
    sorted.sort_by_key(|x| (op.key_of)(x[0]));
    sorted
}

fn runs(xs: &[Element]) -> Vec<(Element, i64)> {
    let parts = xs.chunk_by(|a, b| a[0] == b[0]);
    parts.map(|part| (part[0], part.len() as i64)).collect()
}

/// A type of elements in the language, and its buffers.
struct Type {
    name: &'static str,
    buffers: fn(&[Element]) -> Vec<Buffer>,
}

impl Type {
    fn is_tuple(&self) -> bool {
        self.name.starts_with('(')
    }

    /// A text that is written with whole numbers, of this type.
    fn with_literals(&self, text: &str) -> String {
        if !self.name.starts_with('f') {
            return text.to_string();
        }
        let mut out = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            out.push(c);
            if c.is_ascii_digit() && !chars.peek().is_some_and(char::is_ascii_digit) {
                out.push_str(".0");
            }
        }
        out
    }

    /// The program of an algorithm.
    fn program(&self, algorithm: &Algorithm, op: &Operator) -> String {
        let of = |name: &str| if self.is_tuple() { format!("{name}.0") } else { name.to_string() };
        let key = |name: &str| op.key.replace("{}", &of(name));
        let parameter = match algorithm.beside {
            Beside::Nothing => "",
            Beside::Keys | Beside::Offsets => ", beside: DPull<u32>",
            Beside::Columns => ", beside: u32",
        };
        let chosen = if algorithm.call.contains("as u32") { of("x") } else { op.kept.replace("{}", &of("x")) };
        let call = algorithm.call.replace("|a, b| F", &format!("|a, b| {}", self.combined(op)));
        let call = call.replace("|a, b| L", &format!("|a, b| {} <= {}", key("a"), key("b")));
        let call = call.replace("|x| K", &format!("|x| {chosen}"));
        let call = call.replace(", I,", if self.is_tuple() { ", (3, 3)," } else { ", 3," });
        let (before, arguments) = call.split_once("xs").expect("the elements");
        // Numbers of the library's own stay whole.
        let whole = ["% 5 == 0", ", 16)", ", 20,", "as u32"];
        let text = self.with_literals(arguments);
        let text = whole.iter().fold(text, |text, own| text.replace(&self.with_literals(own), own));
        let (ty, result) = (self.name, algorithm.result.replace('T', self.name));
        format!("#[kernel(threads = 64)] pub fn f(xs: DPull<{ty}>{parameter}) -> Program<Device, {result}> {{ {before}xs{text} }}")
    }

    fn combined(&self, op: &Operator) -> &'static str {
        if self.is_tuple() { op.combined.1 } else { op.combined.0 }
    }
}

/// The rows of all results, as whole numbers; a number has no second field.
fn found(outputs: &Outputs) -> Vec<Vec<Vec<i64>>> {
    let field = |buffer: &Buffer| -> Vec<i64> {
        let whole = buffer.to_vec::<u32>().map(|all| all.into_iter().map(i64::from).collect());
        let whole = whole.or_else(|| buffer.to_vec::<i64>());
        let single = || buffer.to_vec::<f32>().map(|all| all.into_iter().map(|x| x as i64).collect());
        let double = || buffer.to_vec::<f64>().map(|all| all.into_iter().map(|x| x as i64).collect());
        whole.or_else(single).or_else(double).expect("a type of these tests")
    };
    let result = |fields: &Vec<Buffer>| {
        let fields: Vec<Vec<i64>> = fields.iter().map(field).collect();
        (0..fields[0].len()).map(|i| fields.iter().map(|field| field[i]).collect()).collect()
    };
    outputs.0.iter().map(result).collect()
}

fn hash(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761) >> 9
}

/// Offsets of segments of many lengths, some empty, that follow one another.
fn offsets(n: usize) -> Vec<u32> {
    let mut offsets = vec![0];
    while let Some(&last) = offsets.last().filter(|last| (**last as usize) < n) {
        offsets.push((last + hash(offsets.len()) % 40).min(n as u32));
    }
    offsets.push(n as u32);
    offsets
}

/// Runs an algorithm on elements of a type, of every length.
fn check(ty: &Type, algorithm: &Algorithm, op: &Operator) {
    let text = ty.program(algorithm, op);
    let module = &compiled(&text)[0].module;
    for n in LENGTHS {
        if n == 0 && algorithm.call.starts_with("reduce") {
            continue;
        }
        // Neighbours are equal now and then.
        let xs: Vec<Element> = (0..n).map(|i| [i64::from(hash(i / 2) % 16), i as i64]).collect();
        let beside: Vec<u32> = match algorithm.beside {
            Beside::Nothing => Vec::new(),
            Beside::Keys => (0..n).map(|i| hash(i / 3) % 30).collect(),
            Beside::Offsets => offsets(n),
            Beside::Columns => vec![if n.is_multiple_of(3) { 3 } else { 1 }],
        };
        let args = Args::new().buffers((ty.buffers)(&xs));
        let args = match algorithm.beside {
            Beside::Nothing => args,
            Beside::Keys | Beside::Offsets => args.buffer(beside.clone()),
            Beside::Columns => args.scalar(beside[0]),
        };
        let outputs = module::run(module, &args).unwrap_or_else(|fault| panic!("{n} elements: {fault}\n{text}"));
        let mut expected = (algorithm.model)(&xs, &beside, op);
        let width = if ty.is_tuple() || algorithm.result.contains(',') { 2 } else { 1 };
        expected.iter_mut().flatten().for_each(|row| row.truncate(width));
        assert!(found(&outputs) == expected, "{n} elements: {:?}\nexpected {expected:?}\n{text}", found(&outputs));
    }
}

fn check_all(ty: &Type) {
    OF_OPERATORS.iter().for_each(|algorithm| OPERATORS.iter().for_each(|op| check(ty, algorithm, op)));
    OF_ELEMENTS.iter().for_each(|algorithm| check(ty, algorithm, &OPERATORS[0]));
    if !ty.is_tuple() {
        OF_NUMBERS.iter().for_each(|algorithm| check(ty, algorithm, &OPERATORS[0]));
    }
}

macro_rules! of_types {
    ($($test:ident: $ty:ident;)*) => { $(
        #[test]
        fn $test() {
            let buffers = |xs: &[Element]| vec![xs.iter().map(|x| x[0] as $ty).collect::<Vec<_>>().into()];
            check_all(&Type { name: stringify!($ty), buffers });
        }
    )* };
}

of_types! {
    of_u32: u32;
    of_i64: i64;
    of_f32: f32;
    of_f64: f64;
}

#[test]
fn of_tuples() {
    let buffers = |xs: &[Element]| {
        let first: Vec<u32> = xs.iter().map(|x| x[0] as u32).collect();
        vec![first.into(), xs.iter().map(|x| x[1]).collect::<Vec<_>>().into()]
    };
    check_all(&Type { name: "(u32, i64)", buffers });
}
