// A forward pass with a room that nobody looked for: there may be none.
// expect: Expected<KvRoom<M>>, Observed<std::optional<KvRoom<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  forward(p.weights, p.cache, p.cache.room(1), p.tokens, 1, [](auto) { return Unwatched(); });
#else
  if (auto room = p.cache.room(1)) forward(p.weights, p.cache, *move(room), p.tokens, 1, [](auto) { return Unwatched(); });
#endif
}
