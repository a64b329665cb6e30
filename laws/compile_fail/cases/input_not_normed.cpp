// Queries from the residual stream itself: the norm skipped.
// expect: Expected<Rows<AttnInput<M>>>, Observed<Rows<Residual<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.x, p.layer.self_attn.q_proj);
#else
  project(p.n1, p.layer.self_attn.q_proj);
#endif
}
