// A push with a room that the push before has spent.
// expect: Expected<Room<M, Static<2, 1, mine>, 1>>, Observed<Room<M, Static<2, 0, mine>, 1>>
using M = MODEL;

struct mine;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache) {
  auto room = cache.room();
  auto next = move(cache).push(move(room), p.kr, p.v).cache();
#ifdef WRONG
  move(next).push(move(room), p.kr, p.v);
#else
  auto fresh = next.room();
  move(next).push(move(fresh), p.kr, p.v);
#endif
}
