// The page. What it shows is MODEL and DETAILS where it was written as a file; else it asks the server, which it also asks whether
// the file was saved since.
const byId = id => document.getElementById(id);
const state = { model: MODEL, details: DETAILS || {}, kernel: 0, variant: 0, tab: "PTX", lines: [], from: null, sort: null, record: 0, plot: {} };
const SERVED = MODEL === null;
const PICTURES = { Network: "network", Memory: "memory" };
const EVERY = 700;
// A file with more kernels has them in a list.
const MOST_BUTTONS = 8;

const kernel = () => state.model.kernels[state.kernel];
const variant = () => kernel()?.variants[state.variant];
const detail = () => state.details[`${state.kernel}/${state.variant}`];
const text = () => detail()?.texts.find(t => t.name === state.tab);

async function asked(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function load() {
  const of = `${state.kernel}/${state.variant}`;
  if (SERVED && variant() && !state.details[of]) {
    const found = await asked(`/detail?of=${of}`);
    if (found.stamp !== state.model.stamp) return;
    state.details[of] = found.detail;
  }
  if (of === `${state.kernel}/${state.variant}`) show();
}

function choose(kernelNumber, variantNumber) {
  const other = kernelNumber !== state.kernel;
  [state.kernel, state.variant, state.lines, state.from] = [kernelNumber, variantNumber, [], null];
  remember();
  show();
  if (other) scrollToKernel();
  load();
}

// To where the kernel is written; one launch of several has another name than its entry.
function scrollToKernel() {
  const named = new RegExp(`\\bfn\\s+(?:r#)?${kernel().name}\\b`);
  const line = state.model.source.split("\n").findIndex(text => named.test(text)) + 1;
  byId("source").querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
}

// The address names what is shown, so that it can be sent to someone.
function remember() {
  const name = kernel()?.name;
  if (name) history.replaceState(null, "", "#" + new URLSearchParams({ kernel: name, variant: state.variant, tab: state.tab, ...(state.from === "source" ? { line: state.lines[0] } : {}) }));
}

function recall() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const number = state.model.kernels.findIndex(k => k.name === wanted.get("kernel"));
  if (number >= 0) {
    state.kernel = number;
    state.variant = Math.min(Number(wanted.get("variant")) || 0, kernel().variants.length - 1);
  }
  if (wanted.get("tab")) state.tab = wanted.get("tab");
  if (wanted.get("line")) [state.lines, state.from] = [[Number(wanted.get("line"))], "source"];
}

// The line of the address.
function showLine() {
  byId("source").querySelector(".line.lit")?.scrollIntoView({ block: "center" });
}

// ---- the source and the costs of its lines

function meter(line, most) {
  if (!line) return "";
  const width = v => v > 0 ? Math.max(2, Math.round(36 * v / most)) : 0;
  const round = v => +v.toFixed(1);
  const shown = v => v >= 1e4 ? `${round(v / 1e3)}k` : String(round(v));
  const useful = Math.min(line.least, line.sectors), more = line.sectors - useful;
  const sectors = line.sectors ? `<i class="meter" style="width:${width(useful)}px"></i>${more > 0.05 ? `<i class="meter more" style="width:${width(more)}px"></i>` : ""}${shown(line.sectors)}` : line.unknown ? "?" : "";
  const conflicts = line.conflicts > 0.05 ? `<i class="meter conflicts" style="width:${Math.min(20, width(line.conflicts))}px"></i>${shown(line.conflicts)}` : "";
  return `<span>${sectors}</span><span>${conflicts}</span><span class="guards">${line.guards ? `◆${line.guards > 1 ? line.guards : ""}` : ""}</span><span class="barriers">${line.barriers ? `┃${line.barriers}` : ""}</span>`;
}

function inWords(line) {
  const parts = [];
  if (line.sectors) parts.push(`${+line.sectors.toFixed(2)} sectors, where ${line.least} suffice`);
  if (line.conflicts > 0) parts.push(`${+line.conflicts.toFixed(2)} turns lost to bank conflicts`);
  if (line.unknown) parts.push(`${line.unknown} accesses by data`);
  if (line.guards) parts.push(`${line.guards} guards`);
  if (line.barriers) parts.push(`${line.barriers} barriers`);
  return parts.join(" · ") || "nothing that is counted";
}

function showSource() {
  const costs = detail()?.lines || {}, texts = text();
  const linked = new Set(texts ? texts.lines.flat() : []);
  const most = Math.max(1, ...Object.values(costs).map(line => Math.max(line.sectors, line.least)));
  const rows = state.model.source.replace(/\n$/, "").split("\n").map((line, i) => {
    const number = i + 1, cost = costs[number];
    return `<div class="line${linked.has(number) || cost ? " linked" : ""}" data-line="${number}"><span class="cost"${cost ? ` title="${escaped(inWords(cost))}"` : ""}>${meter(cost, most)}</span><span class="number">${number}</span><span>${coloured(line, "rust") || " "}</span></div>`;
  });
  const place = byId("source"), at = place.scrollTop;
  place.innerHTML = rows.join("");
  place.scrollTop = at;
}

function tell() {
  const costs = detail()?.lines || {}, place = byId("told");
  const [line] = state.from === "source" ? state.lines : [];
  if (line) {
    const cost = costs[line];
    const accesses = cost ? cost.accesses.map(access => `<li>${escaped(access)}</li>`).join("") : "";
    place.innerHTML = `<h3>line ${line}: ${escaped(cost ? inWords(cost) : "nothing that is counted")}</h3><ul>${accesses}</ul>`;
  } else if (detail()) {
    const all = Object.values(costs), sum = key => all.reduce((total, one) => total + one[key], 0);
    const whole = { sectors: sum("sectors"), least: sum("least"), conflicts: sum("conflicts"), guards: sum("guards"), barriers: sum("barriers"), unknown: sum("unknown") };
    const conditions = detail().conditions.map(c => `<li>${escaped(c)}</li>`).join("");
    place.innerHTML = `<h3>a block of ${escaped(kernel().name)}: ${escaped(inWords(whole))}</h3><ul><li>blocks of a launch: ${escaped(detail().blocks)}</li>${conditions}</ul>`;
  } else place.innerHTML = "";
}

// ---- what stands on the right

function tabs() {
  if (!variant()) return [];
  const names = [...(detail()?.texts || []).map(t => t.name), "Network", "Memory", "Report", "Variants"];
  if (detail() && !names.includes(state.tab)) state.tab = names[0];
  return names;
}

function showTabs() {
  byId("tabs").innerHTML = tabs().map(name => `<button role="tab" data-tab="${escaped(name)}" aria-selected="${name === state.tab}">${escaped(name)}</button>`).join("");
}

function showPane() {
  const pane = byId("pane"), found = detail();
  if (!variant()) return void (pane.innerHTML = `<div class="page"><p>No kernel of this file compiles.</p></div>`);
  if (state.tab === "Variants") return showVariants();
  if (!found) return void (pane.innerHTML = `<div class="page"><p>${SERVED ? "…" : "The texts of this variant are not in this file; <code>cargo obsidian explore</code> without <code>--out</code> shows those of every variant."}</p></div>`);
  if (state.tab === "Report") return void (pane.innerHTML = `<div class="page"><pre>${escaped(found.report)}</pre></div>`);
  if (PICTURES[state.tab]) return showPicture(found[PICTURES[state.tab]]);
  const { text: whole, lines, language } = text();
  const rows = whole.replace(/\n$/, "").split("\n").map((line, i) =>
    `<div class="line${lines[i]?.length ? " linked" : ""}" data-row="${i}"><span class="number">${i + 1}</span><span>${coloured(line, language) || " "}</span></div>`);
  pane.innerHTML = `<div class="code text">${rows.join("")}</div>`;
}

function showPicture(picture) {
  const about = state.tab === "Network" ? "Which elements of a block are computed from which; time goes to the right." : "Where the arrays of a block lie in shared memory, from top to bottom, and when they are in use, from left to right.";
  byId("pane").innerHTML = `<div class="page"><p>${about}</p><div class="picture"></div>${picture.why ? `<p>${escaped(picture.why)}</p>` : ""}</div>`;
  // A picture has a style of its own, which must not reach the page.
  if (picture.svg) byId("pane").querySelector(".picture").attachShadow({ mode: "open" }).innerHTML = picture.svg;
}

// ---- variants

const MEASURES = [
  ["seconds", "time"], ["moved", "bytes moved for each element"], ["wanted", "bytes wanted for each element"],
  ["conflicts", "turns lost to conflicts for each element"], ["operations", "operations for each element"], ["shared", "bytes of shared memory"],
  ["barriers", "barriers"], ["guards", "guards"], ["occupancy", "occupancy of an sm_80 in percent"],
];

function rowsOfVariants() {
  const tuning = kernel().tunings.filter(t => !t.refused)[state.record];
  return kernel().variants.map((v, index) => {
    const seconds = tuning?.seconds[v.name] ?? null;
    const note = tuning?.failed[v.name] || (seconds === null && tuning?.pruned?.[v.name]) || "";
    return { ...v, index, seconds, note, chosen: tuning?.chosen === v.name };
  });
}

function showVariants() {
  const rows = rowsOfVariants(), parameters = Object.keys(rows[0].values);
  const open = parameters.filter(name => new Set(rows.map(r => r.values[name])).size > 1);
  const usable = kernel().tunings.filter(t => !t.refused), refused = kernel().tunings.filter(t => t.refused);
  const measures = MEASURES.filter(([key]) => rows.some(r => r[key] !== null && r[key] !== undefined));
  const measure = measures.some(([key]) => key === state.plot.measure) ? state.plot.measure : measures[0][0];
  const x = open.includes(state.plot.x) ? state.plot.x : open[0] || parameters[0];
  const by = open.filter(name => name !== x).includes(state.plot.by) ? state.plot.by : open.find(name => name !== x);
  const known = rows.filter(r => r[measure] !== null && r[measure] !== undefined);
  const least = measure === "occupancy" ? Math.max(...known.map(r => r[measure])) : Math.min(...known.map(r => r[measure]));
  const points = rows.map(r => ({ index: r.index, name: r.name, x: r.values[x], y: r[measure], series: by ? `${by} = ${r.values[by]}` : "", best: measure === "seconds" ? r.chosen || (!rows.some(o => o.chosen) && r[measure] === least) : false }));
  const [unit, times] = [["s", 1], ["ms", 1e3], ["µs", 1e6]].find(([, times]) => Math.max(...known.map(r => r.seconds ?? 0)) * times >= 1) || ["ns", 1e9];
  if (measure === "seconds") points.forEach(p => p.y = p.y && p.y * times);
  const label = measures.find(([key]) => key === measure)[1] + (measure === "seconds" ? ` in ${unit}` : "");
  const options = (all, one) => all.map(([key, name]) => `<option value="${escaped(String(key))}"${key === one ? " selected" : ""}>${escaped(name)}</option>`).join("");
  const picker = (id, all, one, name) => all.length > 1 ? `<label>${name} <select data-plot="${id}">${options(all, one)}</select></label>` : "";
  const xs = [...new Set(rows.map(r => r.values[x]))];
  const tunings = usable.length ? `<p>${escaped(usable[state.record].label)}; ${escaped(usable[state.record].verdict ? `verdict: ${usable[state.record].verdict}` : "not concluded")}. ${escaped(usable[state.record].driver)}</p>` : `<p>No record lies beside the source: <code>cargo obsidian tune ${escaped(kernel().name)}</code> measures these variants.</p>`;
  byId("pane").innerHTML = `<div class="page"><h2>${escaped(kernel().name)}: ${rows.length} variants</h2>${tunings}` +
    refused.map(t => `<p>not used: ${escaped(t.refused)}</p>`).join("") +
    `<div class="controls">${usable.length > 1 ? `<label>record <select data-plot="record">${options(usable.map((t, i) => [i, t.label]), state.record)}</select></label>` : ""}${picker("measure", measures, measure, "of")}${picker("x", open.map(n => [n, n]), x, "over")}${picker("by", open.filter(n => n !== x).map(n => [n, n]), by, "a line for each")}</div>` +
    (rows.length > 1 ? overParameter(points, xs, { x, y: label }) + `<h2>Distribution</h2>` + distribution(points, label) : "") +
    roof(rows, usable[state.record]?.copy) +
    `<h2>Table</h2><div class="scroll">${table(rows, parameters, measures)}</div></div>`;
}

// The variants that have a time below the rate of a copy of as many bytes as a launch has.
function roof(rows, copy) {
  if (!copy) return "";
  const rate = seconds => copy.bytes / seconds / 1e9;
  const points = rows.filter(r => r.seconds && r.wanted).map(r => ({ index: r.index, name: r.name, x: r.operations / r.wanted, y: rate(r.seconds), best: r.chosen }));
  return `<h2>Roofline</h2><p>Bytes of a launch's buffers (${shownNumber(copy.bytes)}) over its time. The line is what a copy of as many bytes reaches on the device; caches may bring a kernel above it.</p>` + roofline(points, rate(copy.seconds));
}

function table(rows, parameters, measures) {
  const columns = [...parameters.map(name => [name, r => r.values[name]]), ...measures.map(([key]) => [key, r => r[key]])];
  const sorted = [...rows];
  const column = columns.find(([name]) => name === state.sort?.name);
  if (column) {
    const value = r => { const v = column[1](r); return v === null || v === undefined ? Infinity : isNaN(v) ? String(v) : Number(v); };
    sorted.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (state.sort.down ? -1 : 1));
  }
  const head = columns.map(([name]) => `<th data-sort="${escaped(name)}"${name === state.sort?.name ? ` data-sorted="${state.sort.down ? "down" : "up"}"` : ""}>${escaped(name)}</th>`).join("") + (rows.some(r => r.note) ? "<th></th>" : "");
  const body = sorted.map(r => `<tr data-variant="${r.index}" class="${r.index === state.variant ? "shown " : ""}${r.chosen ? "best" : ""}">` +
    columns.map(([, value]) => { const v = value(r); return `<td>${typeof v === "number" ? shownNumber(v) : escaped(v ?? "–")}</td>`; }).join("") +
    (rows.some(o => o.note) ? `<td style="text-align:left">${escaped(r.note)}</td>` : "") + "</tr>").join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

// ---- lines that belong together

function light() {
  const rows = text()?.lines || [];
  document.querySelectorAll(".line.lit, .line.first").forEach(line => line.classList.remove("lit", "first"));
  let lit = state.lines, first = null;
  rows.forEach((lines, i) => {
    const own = state.from === "text" ? i === state.row : lines.some(line => state.lines.includes(line));
    if (!own || !state.from) return;
    const line = byId("pane").querySelector(`[data-row="${i}"]`);
    line?.classList.add("lit");
    first = first || line;
  });
  if (state.from) lit.forEach(line => document.querySelector(`#source [data-line="${line}"]`)?.classList.add("lit"));
  if (state.from === "source") first?.scrollIntoView({ block: "center" });
  if (state.from === "text") document.querySelector("#source .lit")?.scrollIntoView({ block: "nearest" });
  tell();
}

byId("source").addEventListener("click", event => {
  const line = event.target.closest(".line");
  if (!line) return;
  [state.lines, state.from] = [[Number(line.dataset.line)], "source"];
  remember();
  light();
});
byId("pane").addEventListener("click", event => {
  const line = event.target.closest(".line[data-row]"), one = event.target.closest("[data-variant]"), head = event.target.closest("[data-sort]");
  if (line) {
    const row = Number(line.dataset.row);
    [state.lines, state.from, state.row] = [text().lines[row] || [], "text", row];
    light();
  } else if (one) choose(state.kernel, Number(one.dataset.variant));
  else if (head) {
    const name = head.dataset.sort;
    state.sort = { name, down: state.sort?.name === name && !state.sort.down };
    showPane();
  }
});
byId("pane").addEventListener("change", event => {
  const which = event.target.dataset.plot;
  if (which === "record") state.record = Number(event.target.value);
  else if (which) state.plot[which] = event.target.value;
  showPane();
});
byId("tabs").addEventListener("click", event => {
  const name = event.target.dataset.tab;
  if (name) [state.tab] = [name], remember(), show();
});
byId("kernels").addEventListener("click", event => {
  if (event.target.dataset.kernel) choose(Number(event.target.dataset.kernel), 0);
});
byId("kernels").addEventListener("change", event => choose(Number(event.target.value), 0));
byId("variant").addEventListener("change", event => choose(state.kernel, Number(event.target.value)));

// ---- the whole

function show() {
  const { file, kernels, mistakes } = state.model;
  document.title = `${file} · Obsidian`;
  byId("file").textContent = file;
  byId("mistakes").hidden = !mistakes.length;
  byId("mistakes").querySelector("h2").textContent = mistakes.length === 1 ? "a mistake" : `${mistakes.length} mistakes`;
  byId("mistakes").querySelector("pre").textContent = mistakes.join("\n");
  byId("kernels").innerHTML = kernels.length <= MOST_BUTTONS
    ? kernels.map((k, i) => `<button data-kernel="${i}" aria-selected="${i === state.kernel}">${escaped(k.name)}</button>`).join("")
    : `<label>kernel <select>${kernels.map((k, i) => `<option value="${i}"${i === state.kernel ? " selected" : ""}>${escaped(k.name)}</option>`).join("")}</select></label>`;
  byId("choose").hidden = !kernel() || kernel().variants.length < 2;
  byId("variant").innerHTML = (kernel()?.variants || []).map((v, i) => `<option value="${i}"${i === state.variant ? " selected" : ""}>${escaped(v.name)}</option>`).join("");
  showTabs();
  showSource();
  showPane();
  light();
}

function take(model) {
  const before = state.model && { kernel: kernel()?.name, variant: variant()?.name };
  [state.model, state.details, state.kernel, state.variant] = [model, {}, 0, 0];
  if (before) {
    state.kernel = Math.max(0, model.kernels.findIndex(k => k.name === before.kernel));
    state.variant = Math.max(0, (kernel()?.variants || []).findIndex(v => v.name === before.variant));
  } else recall();
  show();
  if (!before) showLine();
  return load();
}

async function follow() {
  const live = byId("live");
  live.hidden = false;
  try {
    const model = await asked(`/state?seen=${state.model ? state.model.stamp : 0}`);
    if (model.kernels) await take(model);
    [live.textContent, live.className] = ["follows the file", "live"];
  } catch {
    [live.textContent, live.className] = ["the command has ended", "live gone"];
  }
  setTimeout(follow, EVERY);
}

if (SERVED) follow();
else {
  recall();
  show();
  showLine();
}
