// Room for three positions in a static cache of two.
// expect: Expected<FreePositions<3>>, Observed<FreePositions<2>>
using M = MODEL;

struct mine;

void line(LayerCache<M, Static<2, 0, mine>> cache) {
#ifdef WRONG
  cache.room<3>();
#else
  cache.room<2>();
#endif
}
