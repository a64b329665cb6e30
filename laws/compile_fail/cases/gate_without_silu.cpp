// The gate sent down without silu and without the up projection.
// expect: Expected<Rows<Gated<M>>>, Observed<Rows<Gate<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.gate, p.layer.mlp.down_proj);
#else
  project(p.m, p.layer.mlp.down_proj);
#endif
}
