// Heads of 63 values, which RoPE cannot pair.
// expect: a head has an even width, since RoPE turns pairs
#ifdef WRONG
constexpr Config config = from_published<567, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#else
constexpr Config config = from_published<576, 9, 3>("small", 32, 1, 8, 8, 10000.0, 1e-5);
#endif

static_assert(config.head() == 64);
