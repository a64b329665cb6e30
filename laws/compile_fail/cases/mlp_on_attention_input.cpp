// The MLP on the input of attention: the norm from the wrong place.
// expect: Expected<Rows<MlpInput<M>>>, Observed<Rows<AttnInput<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.n1, p.layer.mlp.gate_proj, p.layer.mlp.up_proj);
#else
  project(p.n2, p.layer.mlp.gate_proj, p.layer.mlp.up_proj);
#endif
}
