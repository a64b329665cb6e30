// A room that no cache handed out.
// expect: private
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  move(p.layer_cache).push(Room<M, Dynamic>(nullptr, p.at), p.kr, p.v);
#else
  move(p.layer_cache).push(move(p.layer_room), p.kr, p.v);
#endif
}
