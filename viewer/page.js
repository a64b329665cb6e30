"use strict";
// Draws the figures of the element "trace". Texts of tokens enter the page as text alone, never as markup.
const trace = JSON.parse(document.getElementById("trace").textContent);
const count = trace.ids.length;
const state = { token: count - 1, layer: trace.layers - 1, head: 0, lens: trace.layers };
const maps = trace.attention.map(unpack);

const byId = (id) => document.getElementById(id);
const percent = (p) => (100 * p).toFixed(p >= 0.1 ? 1 : 2) + " %";
const figure = (x) => (x >= 1000 ? x.toFixed(0) : x.toPrecision(3));
const text = (id) => visible(trace.texts[id]);
const tokenText = (t) => text(trace.ids[t]);

/** Spaces at the edges and control characters as signs that can be seen. */
function visible(bytes) {
  const signs = { "\n": "↵", "\t": "⇥", "\r": "␍" };
  return bytes.replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length))
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
      (c) => signs[c] ?? "⟨U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
}

/** An element with properties, attributes (names with - or "role") and children, which are elements or texts. */
function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties))
    if (key.includes("-") || key === "role" || key === "scope") element.setAttribute(key, value);
    else element[key] = value;
  element.append(...children);
  return element;
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A layer's attention weights: numbers of 16 bits, the low byte first. */
function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes[2 * i] | (bytes[2 * i + 1] << 8));
}

/** The weight that a head of a layer gives at token `from` to token `to`. */
function weight(layer, head, from, to) {
  const triangle = (n) => (n * (n + 1)) / 2;
  return to > from ? 0 : maps[layer][head * triangle(count) + triangle(from) + to] / trace.whole_weight;
}

/** Arrow keys, Home and End in a grid of `rows` by `columns`; move(row, column) is called with where they lead. */
function arrows(element, rows, columns, at, move) {
  element.addEventListener("keydown", (event) => {
    let [row, column] = at();
    if (event.key === "ArrowLeft") column -= 1;
    else if (event.key === "ArrowRight") column += 1;
    else if (event.key === "ArrowUp") row -= 1;
    else if (event.key === "ArrowDown") row += 1;
    else if (event.key === "Home") column = 0;
    else if (event.key === "End") column = columns - 1;
    else return;
    event.preventDefault();
    move(Math.min(Math.max(row, 0), rows - 1), Math.min(Math.max(column, 0), columns - 1));
  });
}

// Colours are those of the style, so that they follow light and dark.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const tint = (share, name = "--accent") => `color-mix(in srgb, var(${name}) ${(100 * share).toFixed(1)}%, transparent)`;

// ---- tokens ----

/** 0: expected; 1: at most one in a million. The first token is no surprise: nothing came before it. */
function surprise(t) {
  return t === 0 ? 0 : Math.min(-Math.log10(Math.max(trace.given[t - 1], 1e-6)) / 6, 1);
}

function buildTokens() {
  const box = byId("tokens");
  for (let t = 0; t < count; ++t) {
    const title = t === 0 ? `token 0, id ${trace.ids[0]}`
      : `token ${t}, id ${trace.ids[t]}: probability ${percent(trace.given[t - 1])}`;
    const chip = make("span", { role: "option", title, tabIndex: -1, onclick: () => choose({ token: t }) }, tokenText(t));
    chip.style.background = tint(0.06 + 0.5 * surprise(t), "--warm");
    box.append(chip);
  }
  arrows(box, 1, count, () => [0, state.token], (_, t) => choose({ token: t }, box));
}

function drawTokens() {
  [...byId("tokens").children].forEach((chip, t) => mark(chip, t === state.token));
}

/** Of a group of elements the chosen one is in the order of Tab. */
function mark(element, chosen) {
  element.setAttribute("aria-selected", chosen);
  element.tabIndex = chosen ? 0 : -1;
}

// ---- next token ----

function drawNext() {
  const came = trace.ids[state.token + 1];
  const hint = byId("next-hint");
  hint.replaceChildren("after ", make("span", { className: "token" }, tokenText(state.token)));
  if (came !== undefined)
    hint.append(" came ", make("span", { className: "token" }, text(came)), `, with ${percent(trace.given[state.token])}`);
  const most = trace.next[state.token][0][1];
  byId("next").tBodies[0].replaceChildren(...trace.next[state.token].map(([id, p]) => {
    const bar = make("div", { className: "bar" });
    bar.style.width = `${(100 * p) / most}%`;
    return make("tr", { className: id === came ? "came" : "", title: `id ${id}` },
      make("th", { scope: "row" }, text(id)), make("td", {}, bar), make("td", {}, percent(p)));
  }));
}

// ---- residual stream ----

const plot = { width: 640, height: 300, left: 46, right: 14, top: 10, bottom: 34 };
plot.x = (step) => plot.left + (step / (trace.norms.length - 1)) * (plot.width - plot.left - plot.right);
const lengths = trace.norms.flat().filter((x) => x > 0);
const decades = [Math.floor(Math.log10(Math.min(...lengths))), Math.ceil(Math.log10(Math.max(...lengths)))];
plot.y = (x) => plot.height - plot.bottom - ((Math.log10(Math.max(x, 10 ** decades[0])) - decades[0]) /
  Math.max(decades[1] - decades[0], 1)) * (plot.height - plot.top - plot.bottom);
const line = (t) => trace.norms.map((step, i) => `${i ? "L" : "M"}${plot.x(i).toFixed(1)} ${plot.y(step[t]).toFixed(1)}`).join("");
const stepName = (i) => (i === 0 ? "embedding" : `layer ${(i - 1) >> 1}, after ${i % 2 ? "attention" : "MLP"}`);

function buildNorms() {
  const picture = svg("svg", { viewBox: `0 0 ${plot.width} ${plot.height}`, role: "img", id: "norms-picture",
    "aria-label": "Length of the residual stream by layer, one line a token; the table below has the figures" });
  for (let decade = decades[0]; decade <= decades[1]; ++decade) {
    const y = plot.y(10 ** decade);
    const label = decade >= 0 && decade < 5 ? String(10 ** decade) : `1e${decade}`;
    picture.append(svg("line", { class: "grid", x1: plot.left, x2: plot.width - plot.right, y1: y, y2: y }),
      svg("text", { x: plot.left - 8, y: y + 4, "text-anchor": "end" }, label));
  }
  for (let layer = 0; layer < trace.layers; layer += Math.ceil(trace.layers / 8))
    picture.append(svg("text", { x: plot.x(2 * layer + 2), y: plot.height - plot.bottom + 18, "text-anchor": "middle" }, String(layer)));
  picture.append(svg("text", { x: plot.width - plot.right, y: plot.height - 2, "text-anchor": "end" }, "after layer"));
  for (let t = 0; t < count; ++t) picture.append(svg("path", { class: "other", d: line(t) }));
  picture.append(svg("line", { class: "cursor", visibility: "hidden", y1: plot.top, y2: plot.height - plot.bottom }),
    svg("path", { class: "chosen", d: "" }), svg("circle", { class: "dot", r: 5, visibility: "hidden" }));
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * plot.width;
    const share = (x - plot.left) / (plot.width - plot.left - plot.right);
    drawNorms(Math.round(Math.min(Math.max(share, 0), 1) * (trace.norms.length - 1)));
  });
  picture.addEventListener("pointerleave", () => drawNorms());
  byId("norms").append(picture);
}

function drawNorms(at) {
  const picture = byId("norms-picture");
  picture.querySelector(".chosen").setAttribute("d", line(state.token));
  const shown = at ?? trace.norms.length - 1;
  const [dot, cursor] = [picture.querySelector(".dot"), picture.querySelector(".cursor")];
  for (const [key, value] of [["cx", plot.x(shown)], ["cy", plot.y(trace.norms[shown][state.token])], ["visibility", "visible"]])
    dot.setAttribute(key, value);
  cursor.setAttribute("visibility", at === undefined ? "hidden" : "visible");
  for (const key of ["x1", "x2"]) cursor.setAttribute(key, plot.x(shown));
  byId("norms-readout").replaceChildren(make("b", {}, tokenText(state.token)),
    ` ${stepName(shown)}: ${figure(trace.norms[shown][state.token])}`);
}

function drawNormsTable() {
  const row = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((x) => make("td", {}, x)));
  const head = make("tr", {}, ...["layer", "after attention", "after MLP"].map((x) => make("th", { scope: "col" }, x)));
  const value = (step) => figure(trace.norms[step][state.token]);
  byId("norms-table").replaceChildren(head, row("embedding", "", value(0)),
    ...Array.from({ length: trace.layers }, (_, l) => row(String(l), value(2 * l + 1), value(2 * l + 2))));
}

// ---- logit lens ----

const lensName = (row) => (row === 0 ? "embedding" : row === trace.layers ? "output" : `layer ${row - 1}`);
let lensCells = [];

function buildLens() {
  const head = make("tr", { role: "row" }, make("th", { scope: "col" }, "after"));
  for (let t = 0; t < count; ++t) head.append(make("th", { scope: "col", title: tokenText(t) }, tokenText(t)));
  const body = make("tbody");
  lensCells = trace.lens.map((layer, row) => layer.map(([[id, p]], t) => {
    const cell = make("td", { role: "gridcell", tabIndex: -1, onclick: () => choose({ token: t, lens: row }) }, text(id));
    cell.style.background = tint(0.72 * p);
    cell.addEventListener("pointerenter", () => drawLensReadout(row, t));
    cell.addEventListener("pointerleave", () => drawLensReadout(state.lens, state.token));
    return cell;
  }));
  // The output stands on top, as in a picture of the model.
  for (let row = trace.layers; row >= 0; --row)
    body.append(make("tr", { role: "row" }, make("th", { scope: "row" }, lensName(row)), ...lensCells[row]));
  const table = byId("lens");
  table.append(make("thead", {}, head), body);
  arrows(table, trace.layers + 1, count, () => [trace.layers - state.lens, state.token],
    (row, t) => choose({ lens: trace.layers - row, token: t }, table));
}

function drawLens() {
  const head = byId("lens").tHead.rows[0].cells;
  for (let t = 0; t < count; ++t) head[t + 1].classList.toggle("chosen", t === state.token);
  lensCells.forEach((cells, row) => cells.forEach((cell, t) => mark(cell, row === state.lens && t === state.token)));
  drawLensReadout(state.lens, state.token);
}

function drawLensReadout(row, t) {
  byId("lens-readout").replaceChildren(`${lensName(row)}, after `, make("b", {}, tokenText(t)), ": ",
    ...trace.lens[row][t].flatMap(([id, p], i) => [i ? ", " : "", make("b", {}, text(id)), ` ${percent(p)}`]));
}

// ---- attention ----

/** A map of count × count pixels; a weight's colour is the accent, as strong as its square root. */
function paint(canvas, layer, head) {
  canvas.width = canvas.height = count;
  const accent = channels(colour("--accent"));
  const pixels = new ImageData(count, count);
  for (let from = 0; from < count; ++from)
    for (let to = 0; to <= from; ++to)
      pixels.data.set([...accent, 255 * Math.sqrt(weight(layer, head, from, to))], 4 * (from * count + to));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

function buildHeads() {
  const box = byId("heads");
  for (let layer = trace.layers - 1; layer >= 0; --layer) {
    const row = make("div", { role: "row" }, make("div", { role: "rowheader" }, String(layer)));
    for (let head = 0; head < trace.heads; ++head)
      row.append(make("button", { type: "button", role: "gridcell", title: `layer ${layer}, head ${head}`, tabIndex: -1,
        "aria-label": `layer ${layer}, head ${head}`, onclick: () => choose({ layer, head }) }, make("canvas")));
    box.append(row);
  }
  arrows(box, trace.layers, trace.heads, () => [trace.layers - 1 - state.layer, state.head],
    (row, head) => choose({ layer: trace.layers - 1 - row, head }, box));
}

const headButton = (layer, head) => byId("heads").children[trace.layers - 1 - layer].children[head + 1];

function eachHead(visit) {
  for (let layer = 0; layer < trace.layers; ++layer)
    for (let head = 0; head < trace.heads; ++head) visit(headButton(layer, head), layer, head);
}

/** Where the large map's cells and labels are, in pixels of the page. */
function mapShape() {
  const room = byId("map").parentElement.clientWidth;
  const label = count <= 48 ? 92 : 0;
  const cell = Math.max(2, Math.min(34, Math.floor((Math.min(room, 620) - label) / count)));
  return { label, cell, size: label + cell * count };
}

function drawMap() {
  const { label, cell, size } = mapShape();
  const canvas = byId("map"), scale = window.devicePixelRatio || 1, context = canvas.getContext("2d");
  canvas.width = canvas.height = Math.ceil(size * scale);
  canvas.style.width = `${size}px`;
  context.scale(scale, scale);
  const accent = channels(colour("--accent")).join(" ");
  for (let from = 0; from < count; ++from)
    for (let to = 0; to <= from; ++to) {
      context.fillStyle = `rgb(${accent} / ${(0.04 + 0.96 * Math.sqrt(weight(state.layer, state.head, from, to))).toFixed(3)})`;
      context.fillRect(label + to * cell, label + from * cell, cell - (cell > 5 ? 1 : 0), cell - (cell > 5 ? 1 : 0));
    }
  context.strokeStyle = colour("--warm");
  context.lineWidth = 2;
  context.strokeRect(label - 1, label + state.token * cell - 1, cell * (state.token + 1) + 1, cell + 1);
  if (label > 0) drawMapLabels(context, label, cell);
  byId("head-title").textContent = `Layer ${state.layer}, head ${state.head}` +
    ` (reads KV head ${Math.floor(state.head / (trace.heads / trace.kv_heads))})`;
  canvas.setAttribute("aria-label", `Attention map of layer ${state.layer}, head ${state.head}; arrows choose the row`);
}

function drawMapLabels(context, label, cell) {
  context.font = `500 ${Math.min(13, Math.max(cell - 1, 8))}px ${colour("--mono")}`;
  context.textBaseline = "middle";
  for (let t = 0; t < count; ++t) {
    const name = [...tokenText(t)].slice(0, 10).join("");
    context.fillStyle = colour(t === state.token ? "--warm" : "--quiet");
    context.textAlign = "right";
    context.fillText(name, label - 6, label + (t + 0.5) * cell, label - 8);
    context.save();
    context.translate(label + (t + 0.5) * cell, label - 6);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(name, 0, 0, label - 8);
    context.restore();
  }
}

function buildMap() {
  const canvas = byId("map");
  const under = (event) => {
    const { label, cell } = mapShape(), box = canvas.getBoundingClientRect();
    const [to, from] = [event.clientX - box.left, event.clientY - box.top].map((at) => Math.floor((at - label) / cell));
    return from >= 0 && from < count && to >= 0 && to <= from ? [from, to] : null;
  };
  canvas.addEventListener("pointermove", (event) => drawMapReadout(under(event)));
  canvas.addEventListener("pointerleave", () => drawMapReadout(null));
  canvas.addEventListener("click", (event) => under(event) && choose({ token: under(event)[0] }));
  arrows(canvas, count, 1, () => [state.token, 0], (t) => choose({ token: t }));
}

function drawMapReadout(place) {
  const [from, to] = place ?? [null, null];
  byId("map-readout").replaceChildren(...(place === null ? [] : [make("b", {}, tokenText(from)), " looks at ",
    make("b", {}, tokenText(to)), `: ${percent(weight(state.layer, state.head, from, to))}`]));
}

function drawLooks() {
  byId("looks-title").replaceChildren("Where ", make("span", { className: "token" }, tokenText(state.token)), " looks");
  byId("looks").replaceChildren(...Array.from({ length: state.token + 1 }, (_, to) => {
    const w = weight(state.layer, state.head, state.token, to);
    const item = make("span", { role: "listitem", title: percent(w) }, tokenText(to));
    item.style.background = tint(0.06 + 0.7 * Math.sqrt(w));
    return item;
  }));
}

// ---- all of it ----

/** Takes a choice over, draws what depends on it, and moves the focus where it moved within `group`. */
function choose(change, group) {
  Object.assign(state, change);
  const { layer, head } = state;
  drawTokens();
  drawNext();
  drawNorms();
  drawNormsTable();
  drawLens();
  eachHead((button, l, h) => mark(button, l === layer && h === head));
  drawMap();
  drawMapReadout(null);
  drawLooks();
  const chosen = group?.querySelector("[aria-selected=true]");
  chosen?.focus({ preventScroll: true });
  chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function start() {
  document.title = `${trace.model}: ${trace.ids.slice(0, 12).map((id) => trace.texts[id]).join("").trim().slice(0, 60)} – lawful trace`;
  byId("model").textContent = trace.model;
  const surprises = trace.given.map((p) => -Math.log2(p));
  const mean = surprises.reduce((sum, x) => sum + x, 0) / surprises.length;
  byId("facts").textContent = `${count} token${count === 1 ? "" : "s"} · ${trace.layers} layers · ${trace.heads} heads over ` +
    `${trace.kv_heads} KV heads · width ${trace.width}` + (count > 1 ? ` · ${mean.toFixed(2)} bits a token` : "") + ` · lawful ${trace.version}`;
  buildTokens();
  buildNorms();
  buildLens();
  buildHeads();
  buildMap();
  const repaint = () => { eachHead((button, layer, head) => paint(button.firstChild, layer, head)); drawMap(); };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  window.addEventListener("resize", drawMap);
  choose({});
  repaint();
  document.documentElement.dataset.ready = "yes";
}

start();
