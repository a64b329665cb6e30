// The gate multiplied with itself.
// expect: Expected<Rows<Up<M>>>, Observed<Rows<Gate<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  swiglu(p.gate, p.gate);
#else
  swiglu(p.gate, p.up);
#endif
}
