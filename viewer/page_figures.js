"use strict";
// The figures of the element "trace", and what draws with them. Texts of tokens enter the page as text alone, never as
// markup.
const trace = JSON.parse(document.getElementById("trace").textContent);
const count = trace.ids.length;
const state = { token: count - 1, layer: trace.layers - 1, head: 0, lens: trace.layers };
const maps = trace.attention.map(unpack);

const byId = (id) => document.getElementById(id);
const percent = (p) => (100 * p).toFixed(p >= 0.1 ? 1 : 2) + " %";
const figure = (x) => (x >= 1000 ? x.toFixed(0) : x.toPrecision(3));
const text = (id) => visible(trace.texts[id]);
const tokenText = (t) => text(trace.ids[t]);

/** Spaces at the edges, and characters that cannot be seen, as signs. */
function visible(bytes) {
  const signs = { " ": " ", "\n": "↵", "\t": "⇥", "\r": "␍" };
  return bytes.replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length)).replace(/[\p{C}\p{Z}]/gu,
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

/** Scrolls `box`, and nothing else, until `element` is seen beside what sticks to the box's left and top. */
function reveal(box, element, left = 0, top = 0) {
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.left < outer.left + left) box.scrollLeft -= outer.left + left - inner.left;
  else if (inner.right > outer.right) box.scrollLeft += inner.right - outer.right;
  if (inner.top < outer.top + top) box.scrollTop -= outer.top + top - inner.top;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
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
