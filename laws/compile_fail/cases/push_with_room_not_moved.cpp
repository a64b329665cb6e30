// A room lent to a push instead of spent by it.
// expect: Expected<Room<M, Dynamic>>, Observed<NotMoved<Room<M, Dynamic>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(p.layer_room, p.kr, p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
