// A layer with a room that the layer before has spent: one room moved twice.
// expect: Expected<Room<M, Static<2, 1, mine>, 1>>, Observed<Room<M, Static<2, 0, mine>, 1>>
using M = MODEL;

struct mine;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache) {
  auto room = cache.room();
  auto next = block(p.layer, move(cache), move(room), p.x).cache;
#ifdef WRONG
  block(p.layer, move(next), move(room), p.x);
#else
  auto fresh = next.room();
  block(p.layer, move(next), move(fresh), p.x);
#endif
}
