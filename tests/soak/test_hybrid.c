// The random hybrid systems of tests/trust, many more of them.
#define SYSTEMS 100000
#include "trust/test_hybrid.c" // NOLINT: the same tests, over more seeds
