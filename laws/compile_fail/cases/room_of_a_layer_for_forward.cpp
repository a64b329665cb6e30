// A room of one layer's cache where a room of all layers belongs.
// expect: Expected<KvRoom<M>>, Observed<Room<M, Dynamic>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  forward(p.weights, p.cache, move(p.layer_room), p.tokens, 1, [](auto) { return Unwatched(); });
#else
  forward(p.weights, p.cache, move(p.room), p.tokens, 1, [](auto) { return Unwatched(); });
#endif
}
