// The stream added to itself.
// expect: Expected<Rows<AttnDelta<M>>>, Observed<Rows<Residual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  add(p.x, move(p.x));
#else
  add(p.x, move(p.o));
#endif
}
