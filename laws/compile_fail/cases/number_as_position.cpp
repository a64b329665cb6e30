// A number used as a position: only a room has positions.
// expect: Expected<Positions<M>>, Observed<int>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  rope(p.q, 7);
#else
  rope(p.q, p.at);
#endif
}
