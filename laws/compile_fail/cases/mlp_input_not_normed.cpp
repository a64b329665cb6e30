// The MLP on the residual stream itself: the norm skipped.
// expect: Expected<Rows<MlpInput<M>>>, Observed<Rows<AttnResidual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.a, p.layer.mlp.gate_proj, p.layer.mlp.up_proj);
#else
  project(p.n2, p.layer.mlp.gate_proj, p.layer.mlp.up_proj);
#endif
}
