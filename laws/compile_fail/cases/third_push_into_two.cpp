// A third push into a static cache of two.
// expect: Expected<FreePositions<1>>, Observed<FreePositions<0>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

struct mine;

#ifdef WRONG
using Extents = Static<2, 0, mine>;
#else
using Extents = Static<3, 0, mine>;
#endif

void line(Parts<M>& p, LayerCache<M, Extents> cache) {
  auto first = move(cache).push(cache.room(), p.kr, p.v).cache();
  auto second = move(first).push(first.room(), p.kr, p.v).cache();
  move(second).push(second.room(), p.kr, p.v);
}
