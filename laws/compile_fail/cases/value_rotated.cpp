// Values rotated as keys are.
// expect: Expected<OneOf<Rows<Query<M>>, Rows<Key<M>>>>, Observed<Rows<Value<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), p.kr, rope(p.v, p.at));
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
