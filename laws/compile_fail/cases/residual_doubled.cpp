// What attention adds, added twice.
// expect: Expected<Rows<MlpDelta<M>>>, Observed<Rows<AttnDelta<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  add(add(p.x, project(p.attn, p.layer.self_attn.o_proj)), project(p.attn, p.layer.self_attn.o_proj));
#else
  add(p.x, project(p.attn, p.layer.self_attn.o_proj));
#endif
}
