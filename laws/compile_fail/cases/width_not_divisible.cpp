// A hidden size that is no multiple of the heads.
// expect: the hidden size of a config is a multiple of its heads
#ifdef WRONG
constexpr Config config = from_published<577, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#else
constexpr Config config = from_published<576, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#endif

static_assert(config.head() == 64);
