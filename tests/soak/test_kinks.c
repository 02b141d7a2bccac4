// The kinked rates of tests/trust, many more of them.
#define SYSTEMS 5000
#include "trust/test_kinks.c" // NOLINT: the same tests, over more seeds
