// A push without a room witness.
// expect: Expected<Room<M, Static<2, 0, mine>, 1>>, Observed<Rows<Rotated<Key<M>>>>
using M = MODEL;

struct mine;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache) {
#ifdef WRONG
  move(cache).push(p.kr, p.v);
#else
  auto room = cache.room();
  move(cache).push(move(room), p.kr, p.v);
#endif
}
