"use strict";
// What the model says of the text: tokens, next tokens, the residual stream, the logit lens.

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
    chip.style.background = tint(0.06 + 0.42 * surprise(t), "--warm");
    box.append(chip);
  }
  arrows(box, 1, count, () => [0, state.token], (_, t) => choose({ token: t }, box));
}

function drawTokens() {
  const box = byId("tokens");
  [...box.children].forEach((chip, t) => mark(chip, t === state.token));
  reveal(box, box.children[state.token]);
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
  const faint = Math.max(0.14, Math.min(0.3, 4 / count));
  for (let t = 0; t < count; ++t) picture.append(svg("path", { class: "other", d: line(t), "stroke-opacity": faint }));
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
    cell.style.background = tint(0.55 * p);
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
  const corner = head[0].getBoundingClientRect();
  reveal(byId("lens-scroll"), lensCells[state.lens][state.token], corner.width, corner.height);
  drawLensReadout(state.lens, state.token);
}

function drawLensReadout(row, t) {
  byId("lens-readout").replaceChildren(`${lensName(row)}, after `, make("b", {}, tokenText(t)), ": ",
    ...trace.lens[row][t].flatMap(([id, p], i) => [i ? ", " : "", make("b", {}, text(id)), ` ${percent(p)}`]));
}
