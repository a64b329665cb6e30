// The key weights where the value weights belong: of one length in every model.
// expect: Expected<Rows<Value<M>>>, Observed<Rows<Key<M>>>
// models: smollm2_135m, smollm2_360m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), p.kr, project(p.n1, p.layer.self_attn.k_proj));
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, project(p.n1, p.layer.self_attn.v_proj));
#endif
}
