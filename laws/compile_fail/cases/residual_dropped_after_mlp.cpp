// The residual addition after the MLP left out.
// expect: Expected<Rows<BlockOut<M>>>, Observed<Rows<MlpDelta<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.down, p.weights.model.norm);
#else
  norm(p.y, p.weights.model.norm);
#endif
}
