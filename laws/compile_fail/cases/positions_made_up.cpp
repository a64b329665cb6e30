// Positions that no room has.
// expect: private
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  rope(p.q, Positions<M>(5, 1));
#else
  rope(p.q, p.layer_room.positions());
#endif
}
