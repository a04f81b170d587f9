// Plots of variants, as SVG: a measure over a parameter, the distribution of a measure, and rates below that of a copy.
const HUES = ["#3b7dd8", "#e8590c", "#2f9e44", "#9c36b5", "#c92a2a", "#0c8599", "#a07800", "#6741d9", "#d6336c", "#5c940d"];

function shownNumber(v) {
  if (v === null || v === undefined) return "–";
  if (v === 0) return "0";
  const size = Math.abs(v);
  return size >= 1e5 || size < 1e-3 ? v.toExponential(2) : String(+v.toPrecision(4));
}

// Round numbers that divide an interval into about `count` parts.
function ticks(low, high, count) {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(n => n * power).find(s => s >= raw * 0.999);
  const all = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) all.push(+v.toPrecision(12));
  return all;
}

function frame(width, height, labels) {
  const { x, y, top } = labels;
  return `<text x="${width / 2}" y="${height - 4}" text-anchor="middle">${escaped(x)}</text>` +
    `<text x="8" y="${top - 14}">${escaped(y)}</text>`;
}

function scaleY(values, top, bottom) {
  const high = Math.max(...values), low = 0, span = high - low || 1;
  const at = v => bottom - (v - low) / span * (bottom - top);
  const lines = ticks(low, high, 5).map(v =>
    `<line class="axis" x1="58" x2="740" y1="${at(v)}" y2="${at(v)}"/><text x="52" y="${at(v) + 4}" text-anchor="end">${shownNumber(v)}</text>`);
  return { at, lines: lines.join("") };
}

// points: { x, y, series, name, best }; `x` are texts in the order of the parameter.
function overParameter(points, xs, labels) {
  const known = points.filter(p => p.y !== null && p.y !== undefined);
  if (!known.length) return "<p>There is nothing to plot: this is not known of any variant.</p>";
  const top = 34, bottom = 280, { at, lines } = scaleY(known.map(p => p.y), top, bottom);
  const place = x => xs.length === 1 ? 400 : 84 + xs.indexOf(x) / (xs.length - 1) * 630;
  const series = [...new Set(known.map(p => p.series))];
  let svg = lines + xs.map(x => `<text x="${place(x)}" y="${bottom + 17}" text-anchor="middle">${escaped(x)}</text>`).join("");
  series.forEach((name, i) => {
    const own = known.filter(p => p.series === name).sort((a, b) => xs.indexOf(a.x) - xs.indexOf(b.x)), hue = HUES[i % HUES.length];
    const least = xs.map(x => own.filter(p => p.x === x)).filter(all => all.length).map(all => all.reduce((a, b) => b.y < a.y ? b : a));
    svg += `<polyline fill="none" stroke="${hue}" stroke-width="1.6" points="${least.map(p => `${place(p.x)},${at(p.y)}`).join(" ")}"/>`;
    svg += own.map(p => `<circle cx="${place(p.x)}" cy="${at(p.y)}" r="3.4" fill="${hue}" data-variant="${p.index}"><title>${escaped(p.name)}: ${shownNumber(p.y)}</title></circle>`).join("");
  });
  svg += known.filter(p => p.best).map(p => `<circle class="best" cx="${place(p.x)}" cy="${at(p.y)}" r="8"><title>the best</title></circle>`).join("");
  const legend = series.length > 1 || series[0] ? series.map((name, i) => `<span><i class="mark" style="background:${HUES[i % HUES.length]}"></i> ${escaped(name)}</span>`).join("") : "";
  return `<svg class="plot" viewBox="0 0 760 316" role="img" aria-label="${escaped(labels.y)} over ${escaped(labels.x)}">${frame(760, 316, { ...labels, top })}${svg}</svg><div class="legend">${legend}</div>`;
}

function distribution(points, label) {
  const known = points.filter(p => p.y !== null && p.y !== undefined).sort((a, b) => a.y - b.y);
  if (known.length < 2) return "";
  const top = 34, bottom = 190, { at, lines } = scaleY(known.map(p => p.y), top, bottom), width = 670 / known.length;
  const bars = known.map((p, i) =>
    `<rect x="${62 + i * width}" y="${at(p.y)}" width="${Math.max(1, width - (known.length < 200 ? 1 : 0))}" height="${bottom - at(p.y)}" fill="${p.best ? "var(--lit-edge)" : HUES[0]}" data-variant="${p.index}"><title>${escaped(p.name)}: ${shownNumber(p.y)}</title></rect>`);
  return `<svg class="plot" viewBox="0 0 760 216" role="img" aria-label="${escaped(label)} of all variants, in order">${frame(760, 216, { x: "variants, in order", y: label, top })}${lines}${bars.join("")}</svg>`;
}

// points: { x, y, name, best }, operations for each byte and gigabytes a second; `copy` is the rate that memory allows.
function roofline(points, copy) {
  const top = 34, bottom = 230, { at, lines } = scaleY([copy, ...points.map(p => p.y)], top, bottom);
  const high = Math.max(...points.map(p => p.x), 0) || 1, place = x => 84 + x / high * 630;
  const marks = ticks(0, high, 6).map(v => `<text x="${place(v)}" y="${bottom + 17}" text-anchor="middle">${shownNumber(v)}</text>`).join("");
  const dots = points.map(p => `<circle cx="${place(p.x)}" cy="${at(p.y)}" r="3.4" fill="${HUES[0]}" data-variant="${p.index}"><title>${escaped(p.name)}: ${shownNumber(p.y)} GB/s, ${shownNumber(100 * p.y / copy)} % of the copy</title></circle>` +
    (p.best ? `<circle class="best" cx="${place(p.x)}" cy="${at(p.y)}" r="8"><title>the best</title></circle>` : "")).join("");
  const line = `<line class="roof" x1="58" x2="740" y1="${at(copy)}" y2="${at(copy)}"/><text x="740" y="${at(copy) - 5}" text-anchor="end">copy: ${shownNumber(copy)} GB/s</text>`;
  return `<svg class="plot roofline" viewBox="0 0 760 266" role="img" aria-label="GB/s over operations for each byte">${frame(760, 266, { x: "operations for each byte", y: "GB/s", top })}${lines}${marks}${line}${dots}</svg>`;
}
