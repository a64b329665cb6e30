// Keys rotated twice.
// expect: Expected<OneOf<Rows<Query<M>>, Rows<Key<M>>>>, Observed<Rows<Rotated<Key<M>>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(move(p.layer_room), rope(p.kr, p.at), p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), rope(p.k, p.at), p.v);
#endif
}
