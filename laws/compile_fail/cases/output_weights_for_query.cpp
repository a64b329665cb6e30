// The output projection where the query weights belong: square, as theirs.
// expect: Expected<Rows<Attended<M>>>, Observed<Rows<AttnInput<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.n1, p.layer.self_attn.o_proj);
#else
  project(p.n1, p.layer.self_attn.q_proj);
#endif
}
