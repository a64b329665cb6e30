// Room for two positions in a static cache of two with one taken.
// expect: Expected<FreePositions<2>>, Observed<FreePositions<1>>
using M = MODEL;

struct mine;

void line(LayerCache<M, Static<2, 1, mine>> cache) {
#ifdef WRONG
  cache.room<2>();
#else
  cache.room<1>();
#endif
}
