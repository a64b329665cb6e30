// A published config without heads.
// expect: a config has at least one head and one KV head
#ifdef WRONG
constexpr Config config = from_published<576, 0, 0>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#else
constexpr Config config = from_published<576, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#endif

static_assert(config.head() == 64);
