// A layer without a room witness on a static cache.
// expect: Expected<Room<M, Static<2, 0, mine>, 1>>, Observed<Rows<Residual<M>>>
using M = MODEL;

struct mine;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache) {
#ifdef WRONG
  block(p.layer, move(cache), p.x);
#else
  auto room = cache.room();
  block(p.layer, move(cache), move(room), p.x);
#endif
}
