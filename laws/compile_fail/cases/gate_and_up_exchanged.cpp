// Gate and up exchanged after the projection.
// expect: Expected<Rows<Gate<M>>>, Observed<Rows<Up<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  swiglu(p.up, p.gate);
#else
  swiglu(p.gate, p.up);
#endif
}
