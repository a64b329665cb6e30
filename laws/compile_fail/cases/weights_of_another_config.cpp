// The query weights of another model.
// expect: Expected<Rows<AttnInput<tiny>>>, Observed<Rows<AttnInput<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  project(p.n1, other.layer.self_attn.q_proj);
#else
  project(p.n1, p.layer.self_attn.q_proj);
#endif
}
