// The cache of another model.
// expect: Expected<KvCache<M>>, Observed<KvCache<tiny>>
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  forward(p.weights, other.cache, move(p.room), p.tokens, 1, [](auto) { return Unwatched(); });
#else
  forward(p.weights, p.cache, move(p.room), p.tokens, 1, [](auto) { return Unwatched(); });
#endif
}
