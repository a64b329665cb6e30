// A third push into a static cache of two.
// expect: Expected<FreePositions<1>>, Observed<FreePositions<0>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

struct mine;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache) {
  auto first = cache.room();
  auto second = move(cache).push(move(first), p.kr, p.v).cache();
  auto room = second.room();
  auto third = move(second).push(move(room), p.kr, p.v).cache();
#ifdef WRONG
  move(third).push(third.room(), p.kr, p.v);
#else
  (void)third;
#endif
}
