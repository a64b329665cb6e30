// Ten heads over three KV heads.
// expect: the heads of a config are a multiple of its KV heads
#ifdef WRONG
constexpr Config config = from_published<640, 10, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#else
constexpr Config config = from_published<576, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#endif

static_assert(config.head() == 64);
