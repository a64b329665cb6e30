// The model's last norm where a layer's first belongs.
// expect: Expected<Rows<BlockOut<M>>>, Observed<Rows<Residual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.x, p.weights.model.norm);
#else
  norm(p.x, p.layer.input_layernorm);
#endif
}
