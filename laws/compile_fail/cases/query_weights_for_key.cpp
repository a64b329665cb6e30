// The query weights where the key weights belong: of one length in 1.7B.
// expect: Expected<Rows<Rotated<Key<M>>>>, Observed<Rows<Rotated<Query<M>>>>
// models: smollm2_135m, smollm2_360m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), rope(project(p.n1, p.layer.self_attn.q_proj), p.at), p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), rope(project(p.n1, p.layer.self_attn.k_proj), p.at), p.v);
#endif
}
