// A layer without a room witness.
// expect: Expected<Room<M, Dynamic>>, Observed<Rows<Residual<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  block(p.layer, move(p.layer_cache), p.x);
#else
  block(p.layer, move(p.layer_cache), move(p.layer_room), p.x);
#endif
}
