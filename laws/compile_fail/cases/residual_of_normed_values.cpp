// The residual taken after the norm instead of before it.
// expect: Expected<OneOf<Rows<Residual<M>>, Rows<AttnResidual<M>>>>, Observed<Rows<AttnInput<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  add(p.n1, project(p.attn, p.layer.self_attn.o_proj));
#else
  add(p.x, project(p.attn, p.layer.self_attn.o_proj));
#endif
}
