"use strict";
// Draws all of it, first and after every choice.

/** Takes a choice over, draws what depends on it, and moves the focus where it moved within `group`. */
function choose(change, group) {
  Object.assign(state, change);
  drawTokens();
  drawNext();
  drawNorms();
  drawNormsTable();
  drawLens();
  drawHeads();
  drawMap();
  drawMapReadout(null);
  drawLooks();
  group?.querySelector("[aria-selected=true]").focus({ preventScroll: true });
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
