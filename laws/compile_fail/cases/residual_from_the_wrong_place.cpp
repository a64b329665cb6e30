// What the MLP adds, added to the stream before attention.
// expect: Expected<Rows<AttnDelta<M>>>, Observed<Rows<MlpDelta<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  add(p.x, project(p.m, p.layer.mlp.down_proj));
#else
  add(p.a, project(p.m, p.layer.mlp.down_proj));
#endif
}
