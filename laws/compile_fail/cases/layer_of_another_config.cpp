// The layer of another model.
// expect: Expected<LayerCache<tiny, AnyExtents>>, Observed<LayerCache<M, Dynamic>>
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  block(other.layer, move(p.layer_cache), move(p.layer_room), p.x);
#else
  block(p.layer, move(p.layer_cache), move(p.layer_room), p.x);
#endif
}
