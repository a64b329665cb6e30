"use strict";
// Attention: all heads as small maps, one as a large one.

/** A map of count × count pixels; a weight's colour is the accent, as strong as its square root. */
function paint(canvas, layer, head) {
  canvas.width = canvas.height = count;
  canvas.style.imageRendering = count <= canvas.parentElement.clientWidth ? "pixelated" : "auto";
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

function drawHeads() {
  eachHead((button, layer, head) => mark(button, layer === state.layer && head === state.head));
  reveal(byId("heads-scroll"), headButton(state.layer, state.head));
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
    item.style.background = tint(0.06 + 0.49 * Math.sqrt(w));
    return item;
  }));
}
