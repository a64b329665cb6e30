// The up weights where the gate weights belong: of one length in every model.
// expect: Expected<Rows<Gate<M>>>, Observed<Rows<Up<M>>>
// models: smollm2_135m, smollm2_360m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  swiglu(project(p.n2, p.layer.mlp.up_proj), p.up);
#else
  swiglu(project(p.n2, p.layer.mlp.gate_proj), p.up);
#endif
}
