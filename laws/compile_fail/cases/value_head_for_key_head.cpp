// A head of the values stored where a head of the keys belongs.
// expect: Expected<Vec<Head<Rotated<Key<M>>>, const float>>, Observed<Vec<Head<Value<M>>, const float>>
using M = MODEL;

void line(Parts<M>& p, Plane<Rotated<Key<M>>> plane) {
#ifdef WRONG
  store(p.v.head(0, 0), plane.row(0, 0));
#else
  store(p.kr.head(0, 0), plane.row(0, 0));
#endif
}
