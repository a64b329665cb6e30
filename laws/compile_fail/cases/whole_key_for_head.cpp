// A whole position's keys stored where one head's belong.
// expect: Expected<Vec<Head<Rotated<Key<M>>>, const float>>, Observed<Vec<Rotated<Key<M>>, const float>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p, Plane<Rotated<Key<M>>> plane) {
  const auto& keys = p.kr;
#ifdef WRONG
  store(keys.row(0), plane.row(0, 0));
#else
  store(keys.head(0, 0), plane.row(0, 0));
#endif
}
