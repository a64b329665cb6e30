// A key cached without its rotation, in a push into several caches.
// expect: Expected<Rows<Rotated<Key<M>>>>, Observed<Rows<Key<M>>>
#include "model/side_by_side.hpp"
using M = MODEL;

void line(Parts<M>& p, LayerCache<M, SideBySide> caches, Room<M, SideBySide> rooms) {
#ifdef WRONG
  move(caches).push(move(rooms), p.k, p.v);
#else
  move(caches).push(move(rooms), p.kr, p.v);
#endif
}
