// The key weights where the query weights belong: of one length in 1.7B.
// expect: Expected<Rows<Rotated<Query<M>>>>, Observed<Rows<Rotated<Key<M>>>>
// models: smollm2_135m, smollm2_360m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  attention(rope(project(p.n1, p.layer.self_attn.k_proj), p.at), p.seen);
#else
  attention(rope(project(p.n1, p.layer.self_attn.q_proj), p.at), p.seen);
#endif
}
