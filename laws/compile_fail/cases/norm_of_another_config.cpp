// The norm of another model.
// expect: Expected<Rows<Residual<tiny>>>, Observed<Rows<Residual<M>>>
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  norm(p.x, other.layer.input_layernorm);
#else
  norm(other.x, other.layer.input_layernorm);
#endif
}
