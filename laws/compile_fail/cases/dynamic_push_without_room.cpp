// A push without a room witness into a cache of dynamic extents.
// expect: Expected<Room<M, Dynamic>>, Observed<Rows<Rotated<Key<M>>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(p.kr, p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
