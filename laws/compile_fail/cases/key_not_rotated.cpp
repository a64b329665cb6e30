// A key cached without its rotation.
// expect: Expected<Rows<Rotated<Key<M>>>>, Observed<Rows<Key<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), p.k, p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
