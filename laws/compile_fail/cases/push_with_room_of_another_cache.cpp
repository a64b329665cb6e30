// A push with another cache's room.
// expect: Expected<Room<M, Static<2, 0, mine>, 1>>, Observed<Room<M, Static<2, 0, yours>, 1>>
using M = MODEL;

struct mine;
struct yours;

void line(Parts<M>& p, LayerCache<M, Static<2, 0, mine>> cache,
          [[maybe_unused]] LayerCache<M, Static<2, 0, yours>> other) {
#ifdef WRONG
  move(cache).push(other.room(), p.kr, p.v);
#else
  auto room = cache.room();
  move(cache).push(move(room), p.kr, p.v);
#endif
}
