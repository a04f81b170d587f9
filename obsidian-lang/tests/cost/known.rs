//! Costs that are known from the papers, or plain to see.

use obsidian_ir::passes::cost::{Access, Action, Certainty, Limit, Memory, Pattern, Report};
use obsidian_lang::driver::compile;
use obsidian_lang::syntax::SpanTable;

/// The report of the one kernel of a text, which holds what stands after `#[kernel(..)]`.
fn report(keys: &str, text: &str) -> Report {
    let text = format!("#[kernel({keys})]\n{text}");
    let entries = compile(text.parse().expect("tokens"), &mut SpanTable::default());
    entries.unwrap_or_else(|e| panic!("{e:?}"))[0].variants[0].report.clone()
}

fn on_chunks(chunk: u32, body: &str) -> Report {
    let signature = "pub fn f(x: DPull<u32>) -> DPush<Grid, u32>";
    report("threads = 256", &format!("{signature} {{ x.split_up({chunk}).as_grid_map(|c| {body}) }}"))
}

fn accesses(r: &Report, memory: Memory, action: Action) -> Vec<&Access> {
    r.of(memory).filter(|a| a.action == action).collect()
}

/// Sectors, and the least, of each request to buffers.
fn sectors(r: &Report, action: Action) -> Vec<(f64, u64)> {
    let each = accesses(r, Memory::Global, action).into_iter().map(|a| {
        let q = a.requests().expect("known");
        (q.transactions / q.count as f64, q.least / q.count)
    });
    each.collect()
}

/// The worst way of each access to shared memory.
fn ways(r: &Report, action: Action) -> Vec<u32> {
    accesses(r, Memory::Shared, action).iter().map(|a| a.requests().expect("known").worst).collect()
}

#[test]
fn neighbours_strides_and_the_other_way_round() {
    let saxpy = report(
        "threads = 256",
        "pub fn f(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
            x.zip_with(y, |x, y| alpha * x + y).split_up(1024).as_grid_map(|c| c.push())
        }",
    );
    assert_eq!(sectors(&saxpy, Action::Load), [(4.0, 4), (4.0, 4)]);
    assert_eq!(sectors(&saxpy, Action::Store), [(4.0, 4)]);
    assert_eq!((saxpy.operations.total, saxpy.operations.elements), (2048, 1024));
    let load = accesses(&saxpy, Memory::Global, Action::Load)[0];
    assert_eq!((load.site.at, load.elements, load.bytes_moved()), (Some((3, 82)), 1024, Some(4096.0)));
    assert_eq!(sectors(&on_chunks(512, "c.evens().push()"), Action::Load), [(8.0, 4)]);
    assert_eq!(sectors(&on_chunks(512, "c.reverse().push()"), Action::Load), [(4.0, 4)]);
    // One element off: in a block whose first element is aligned, one sector more.
    assert_eq!(sectors(&on_chunks(512, "c.drop(1).take(256).push()"), Action::Load), [(5.0, 4)]);
}

#[test]
fn a_copy_of_several_elements_is_one_request() {
    let r = report(
        "threads = 256, target = \"sm_80\"",
        "pub fn f(x: DPull<f32>) -> DPush<Grid, f32> {
            x.split_up(4096).as_grid_map(|c| exec_block({
                let own = regs(256, 1, |_, _| 0.0);
                pipeline_push(2, 4, |k| c.drop(k * 1024).take(1024).runs(4), |_, tile| for_all(256, |t| {
                    own[t][0] += tile[1023 - t];
                }));
                own.push()
            }))
        }",
    );
    assert_eq!(sectors(&r, Action::Load), [(16.0, 16); 2]);
    assert!(!accesses(&r, Memory::Global, Action::Load)[0].is_uncoalesced());
}

#[test]
fn arrays_of_a_thread_are_registers_or_are_told() {
    let local = |each: u32, body: &str| {
        let body =
            format!("c.split_up({each}).as_block_map(|own| exec_thread({{ let kept = own.compute(); {body} }}))");
        on_chunks(64 * each, &body).local.iter().map(|array| array.bytes).collect::<Vec<u32>>()
    };
    assert!(local(32, "kept.reverse().push()").is_empty());
    assert_eq!(local(33, "kept.reverse().push()"), [132]);
    assert_eq!(local(4, "mk_pull(4, |k| kept[kept[k] & 3]).push()"), [16]);
    assert!(local(4, "mk_pull(4, |k| kept[k ^ 1]).push()").is_empty());
    // What updates an element in one step has its address.
    assert_eq!(local(4, "let m = new_mut(kept); atomic_add(m, 1, 5); m.to_pull().push()"), [16]);
}

#[test]
fn what_processors_store_takes_no_memory_of_a_gpu() {
    assert_eq!(on_chunks(4096, "scan_block(c, |a, b| a + b)").shared.bytes, 16384);
    assert_eq!(on_chunks(512, "exec_block(c.sort_odd_even())").shared.bytes, 2048);
}

#[test]
fn what_is_stored_already_is_not_copied() {
    let stores = |body: &str| {
        let r = on_chunks(512, &format!("exec_block({{ let a = c.compute(); {body} }})"));
        (accesses(&r, Memory::Shared, Action::Store).len(), r.shared.bytes)
    };
    assert_eq!(stores("mk_pull(512, |i| a[511 - i])"), (1, 2048));
    assert_eq!(stores("let b = exec_block(a).compute(); mk_pull(512, |i| b[511 - i])"), (1, 2048));
    assert_eq!(stores("let b = a.push().compute().compute(); mk_pull(512, |i| b[511 - i])"), (1, 2048));
    // These are other arrays.
    assert_eq!(stores("let b = a.reverse().compute(); mk_pull(512, |i| b[511 - i])"), (2, 4096));
    assert_eq!(stores("let b = a.compute_padded(32, 1); mk_pull(512, |i| b[511 - i] + a[i])"), (2, 4156));
    assert_eq!(
        stores("let b = new_mut(a); for_all(512, |i| { b[i] = 1; }); mk_pull(512, |i| b.to_pull()[i] + a[i])"),
        (3, 4096)
    );
}

#[test]
fn a_view_of_what_nothing_writes_any_more_is_not_copied() {
    let stores = |body: &str| {
        let updated = "let m = new_mut(c); for_all(512, |i| { m[i] = m[i] + 1; });";
        let r = on_chunks(512, &format!("exec_block({{ {updated} {body} }})"));
        (accesses(&r, Memory::Shared, Action::Store).len(), r.shared.bytes)
    };
    assert_eq!(stores("mk_pull(512, |i| m.to_pull()[511 - i])"), (2, 2048));
    assert_eq!(stores("let a = m.to_pull().compute(); mk_pull(512, |i| a[511 - i])"), (2, 2048));
    assert_eq!(
        stores("let a = m.to_pull().compute(); let b = a.compute(); mk_pull(512, |i| a[i] + b[511 - i])"),
        (2, 2048)
    );
    // Here it is written later, and there the elements lie elsewhere.
    let later =
        "let a = m.to_pull().compute(); for_all(512, |i| { m[i] = 0; }); mk_pull(512, |i| a[511 - i] + m.to_pull()[i])";
    assert_eq!(stores(later), (4, 4096));
    assert_eq!(stores("let a = m.to_pull().rotate(1).compute(); mk_pull(512, |i| a[511 - i])").0, 3);
}

#[test]
fn rows_of_a_known_length_are_aligned() {
    let vectors = |ty: &str| {
        let text =
            format!("pub fn f(m: {ty}) -> DPush<Grid, f32> {{ m.as_grid_map(|row| row.map(|x| x + 1.0).runs(4)) }}");
        report("threads = 64", &text).vectors.iter().filter(|v| v.array == "m").map(|v| v.width).collect::<Vec<u32>>()
    };
    assert_eq!((vectors("DPull<Pull<f32, 256>>"), vectors("DPull<Pull<f32, 260>>")), (vec![4], vec![4]));
}

/// Of four elements that a thread computes, one vector has the neighbours but for those beside them, which are read alone.
#[test]
fn neighbours_of_a_stencil_are_read_once() {
    let reads = |stencil: &str, sum: &str| {
        let text = format!("pub fn f(x: DPull<u32>) -> DPush<Grid, u32> {{ {stencil}, |w| {sum}).push() }}");
        let r = report("threads = 256", &text);
        let widths: Vec<u32> = r.vectors.iter().filter(|v| v.array == "x").map(|v| v.width).collect();
        (widths, accesses(&r, Memory::Global, Action::Load).len())
    };
    let three = "w[0] + w[1] + w[2]";
    assert_eq!(reads("stencil(x, 1", three), (vec![4], 3));
    assert_eq!(reads("stencil_fill(x, 1, 0", three).0[0], 4);
    assert_eq!(reads("stencil(x, 2", "w[0] + w[1] + w[2] + w[3] + w[4]"), (vec![4, 2], 14));
}

#[test]
fn where_blocks_begin_is_a_mean_where_they_are_not_aligned() {
    // Chunks of 33 words begin at each of the 8 words of a sector: 32 words lie in 4 sectors once, in 5 seven times.
    let r = on_chunks(33, "c.take(32).push()");
    let load = *accesses(&r, Memory::Global, Action::Load)[0].requests().expect("known");
    assert_eq!((load.transactions, load.worst, load.alignments), (4.875, 5, 8));
    assert!(!accesses(&r, Memory::Global, Action::Load)[0].is_uncoalesced());
}

#[test]
fn columns_of_a_tile_conflict_unless_it_is_padded() {
    let tile = |store: &str| {
        let signature = "pub fn f(x: Pull<f32, 1024>) -> Push<Grid, f32>";
        let body = format!("exec_block(c.{store}.reshape(32, 32).transpose().flatten().push())");
        report("threads = 256", &format!("{signature} {{ singleton(x).as_grid_map(|c| {body}) }}"))
    };
    let (plain, padded) = (tile("compute()"), tile("compute_padded(1)"));
    assert_eq!((ways(&plain, Action::Store), ways(&plain, Action::Load)), (vec![1], vec![32]));
    assert_eq!((ways(&padded, Action::Store), ways(&padded, Action::Load)), (vec![1], vec![1]));
    assert_eq!((plain.shared.bytes, padded.shared.bytes), (4096, 4220));
    assert_eq!(sectors(&plain, Action::Store), [(4.0, 4)]);
}

#[test]
fn reductions_of_neighbours_conflict_and_of_halves_do_not() {
    let reads = |body: &str| ways(&on_chunks(512, &format!("exec_block({body})")), Action::Load).into_iter().max();
    // JFP 2016 §6.2: `red1` reads elements 2i and 2i + 1, `red2` i and i + n/2. A vector takes both elements of `red1` at once.
    assert_eq!(reads("red1(c, |a, b| a + b)"), Some(1));
    assert_eq!(reads("red2(c, |a, b| a + b)"), Some(1));
    assert_eq!(reads("c.compute().evens().push()"), Some(2), "one of the two is no vector");
    // `red4` has each thread walk through 8 neighbours, `red5` through elements that lie apart.
    let loads = |name: &str| {
        let r = on_chunks(4096, &format!("exec_block({name}(c, |a, b| a + b))"));
        let all = accesses(&r, Memory::Global, Action::Load).into_iter().filter_map(|a| a.requests().copied());
        all.fold((0, 0.0, 0), |(n, moved, wanted), q| (n + q.count, moved + q.transactions * 32.0, wanted + q.wanted))
    };
    // Two vectors of 4 words a thread, each half of a sector: the sector is asked for twice.
    assert_eq!(loads("red4"), (2 * 16, 2.0 * 4.0 * 4096.0, 4 * 4096));
    assert_eq!(loads("red5"), (128, 4.0 * 4096.0, 4 * 4096));
}

#[test]
fn a_reduction_is_told_step_by_step() {
    let r = on_chunks(512, "exec_block(red2(c, |a, b| a + b))");
    let map: Vec<(u32, u32, u32, u32)> = r.shared.map.iter().map(|a| (a.offset, a.bytes, a.first, a.last)).collect();
    // Each step is computed in place: a thread reads the element that it writes, and one that nobody writes.
    assert_eq!(map[..4], [(0, 1024, 1, 2), (0, 512, 2, 3), (0, 256, 3, 4), (0, 128, 4, 5)]);
    assert_eq!((r.shared.bytes, r.operations.total, r.operations.elements), (1024, 511, 1));
    let steps: Vec<u32> = accesses(&r, Memory::Shared, Action::Store).iter().map(|a| a.step).collect();
    assert_eq!(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_scan_works_without_conflicts() {
    let r = on_chunks(512, "exec_block(scan_sklansky1(c, |a, b| a + b))");
    assert!(accesses(&r, Memory::Shared, Action::Load).len() > 8 && ways(&r, Action::Load).iter().all(|&w| w <= 2));
    assert!(sectors(&r, Action::Load).iter().all(|s| s.0 <= 4.0), "{r}");
}

#[test]
fn what_depends_on_data_is_said_to() {
    let r = on_chunks(512, "c.map(|i| x[i]).push()");
    let loads = accesses(&r, Memory::Global, Action::Load);
    assert_eq!((&loads[1].pattern, r.guards.len()), (&Pattern::DataDependent, 1));
    assert!(loads[1].is_uncoalesced() && !loads[0].is_uncoalesced());
    assert!(r.to_string().contains("depends on data"), "{r}");
}

#[test]
fn a_loop_of_unknown_length_is_counted_by_the_round() {
    let r = report(
        "threads = 256",
        "pub fn f(n: u32, x: DPull<f32>) -> DPush<Grid, f32> {
            x.split_up(n).split_up(256).as_grid_map(|c| c.as_block_map(|r| exec_thread(r.seq_reduce(|a, b| a + b))))
        }",
    );
    let loads = accesses(&r, Memory::Global, Action::Load);
    let round = loads.iter().find(|a| a.certainty == Certainty::EachRound).expect("the loop's load");
    let requests = round.requests().expect("rows begin n elements apart");
    assert_eq!((requests.count, requests.transactions, requests.worst), (8, 256.0, 32));
}

#[test]
fn shared_memory_limits_the_blocks() {
    let r = on_chunks(8192, "exec_block(c.compute().reverse().push())");
    let sm_80 = r.occupancy.iter().find(|o| o.device.name == "sm_80").expect("in the table");
    assert_eq!((r.shared.bytes, sm_80.blocks, sm_80.limit, sm_80.percent(256)), (32768, 4, Limit::SharedMemory, 50));
}

#[test]
fn vector_accesses_are_those_of_the_machine_form() {
    let saxpy = report(
        "threads = 128",
        "pub fn f(alpha: f32, x: DPull<f32>, y: DPull<f32>) -> DPush<Grid, f32> {
            x.zip_with(y, |x, y| alpha * x + y).split_up(512).as_grid_map(|c| c.runs(4))
        }",
    );
    let found: Vec<(&str, Action, u32, u32)> =
        saxpy.vectors.iter().map(|v| (v.array.as_str(), v.action, v.width, v.count)).collect();
    assert_eq!(found, [("x", Action::Load, 4, 1), ("y", Action::Load, 4, 1), ("out", Action::Store, 4, 1)]);
    assert!(
        saxpy
            .to_string()
            .contains("vectors        x: 1 load of 4 x f32; y: 1 load of 4 x f32; out: 1 store of 4 x f32")
    );
    let load = accesses(&saxpy, Memory::Global, Action::Load)[0];
    let requests = load.requests().expect("known");
    assert_eq!((load.elements, requests.count, requests.transactions, requests.least), (512, 4, 64.0, 64));
    assert!(on_chunks(512, "c.push()").vectors.is_empty());
}

/// One block more than the whole chunks is not what a grid costs; as many again, which do something else, are counted.
#[test]
fn only_a_single_last_block_is_left_out() {
    let stores = |blocks: &str| {
        let text = format!(
            "pub fn f(n: u32, y: DMut<u32>) -> Program<Grid, ()> {{
                distr_par({blocks}, |b| if b < n {{
                    for_all(64, |i| {{ let e = b * 64 + i; if e < y.len() {{ y[e] = 1; }} }})
                }} else {{
                    for_all(64, |i| {{ let e = b * 64 + i; if e < y.len() {{ y[e] = 2; }} }})
                }})
            }}"
        );
        accesses(&report("threads = 64", &text), Memory::Global, Action::Store).len()
    };
    assert_eq!([stores("n + 1"), stores("n * 2")], [1, 2]);
}
