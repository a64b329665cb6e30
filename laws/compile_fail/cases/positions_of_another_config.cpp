// Positions in the cache of another model.
// expect: Expected<Positions<M>>, Observed<Positions<tiny>>
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  rope(p.q, other.at);
#else
  rope(p.q, p.at);
#endif
}
