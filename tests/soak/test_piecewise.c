// Instants at which much turns at once, of tests/trust: 100,000 of them.
#define SYSTEMS 100000
#include "trust/test_piecewise.c" // NOLINT: the same tests, over more seeds
