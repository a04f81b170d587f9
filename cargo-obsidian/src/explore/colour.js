// The words of a line of text in their colours. A line is looked at alone: what spans several lines is rare in these texts.
const WORDS = {
  rust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super true type unsafe use where while",
  c: "break case const continue default do else extern float for if inline int long return short signed sizeof static struct switch typedef unsigned void while double bool char uint ulong uchar ushort __global__ __device__ __shared__ __restrict__ __kernel __global __local restrict __launch_bounds__ __align__ __attribute__",
  ir: "kernel let local if else seq in by loop while forall distribute sync unsafe prove as global shared block thread warp grid all print",
  ptx: "",
};
const PARTS = {
  ptx: /(\/\/.*)|("[^"]*")|(\.[a-z][\w.]*)|(%?\b(?:0[xfd][0-9a-fA-F]+|\d+)\b)|(%[a-z_]\w*(?:\.\w+)?|[$A-Za-z_][\w$]*)/g,
  other: /(\/\/.*|\/\*.*?\*\/)|("(?:[^"\\]|\\.)*")|(#\[?[a-z]\w*)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g,
};
const SETS = Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, new Set(words.split(" "))]));

function escaped(text) {
  return text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

function coloured(line, language) {
  const words = SETS[language] || SETS.rust;
  let html = "", from = 0;
  for (const found of line.matchAll(language === "ptx" ? PARTS.ptx : PARTS.other)) {
    const [text, remark, string, directive, number, word] = found;
    const kind = remark ? "r" : string ? "s" : directive ? "d" : number ? "n" : words.has(word) ? "w"
      : language === "ptx" && word.startsWith("%") ? "" : language === "ptx" && /^\s*(@!?%p\d+\s+)?$/.test(line.slice(0, found.index)) ? "w" : "";
    html += escaped(line.slice(from, found.index)) + (kind ? `<span class="${kind}">${escaped(text)}</span>` : escaped(text));
    from = found.index + text.length;
  }
  return html + escaped(line.slice(from));
}
