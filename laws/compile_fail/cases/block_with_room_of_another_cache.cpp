// A layer with the room of another cache.
// expect: Expected<Room<M, Static<2, 0, mine>, 1>>, Observed<Room<M, Static<2, 0, yours>, 1>>
using M = MODEL;

struct mine;
struct yours;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache,
          [[maybe_unused]] LayerCache<M, Static<2, 0, yours>> other) {
#ifdef WRONG
  block(p.layer, move(cache), other.room(), p.x);
#else
  auto room = cache.room();
  block(p.layer, move(cache), move(room), p.x);
#endif
}
