// Layers side by side with the room of one of them.
// expect: Expected<Room<M, SideBySide>>, Observed<Room<M, Dynamic>>
#include "model/side_by_side.hpp"
using M = MODEL;

void line(Parts<M>& p, LayerCache<M, SideBySide> caches, [[maybe_unused]] Room<M, SideBySide> rooms) {
#ifdef WRONG
  block(p.layer, move(caches), move(p.layer_room), p.x);
#else
  block(p.layer, move(caches), move(rooms), p.x);
#endif
}
