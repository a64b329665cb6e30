// Attention over a cache that lacks the new positions' own keys.
// expect: Expected<Pushed<LayerCache<M, AnyExtents>>>, Observed<LayerCache<M, Dynamic>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  attention(p.qr, p.layer_cache);
#else
  attention(p.qr, p.seen);
#endif
}
