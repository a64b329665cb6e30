// Keys and values exchanged on their way into the cache.
// expect: Expected<Rows<Rotated<Key<M>>>>, Observed<Rows<Value<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), p.v, p.kr);
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
