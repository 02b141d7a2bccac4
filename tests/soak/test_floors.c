// Balls on floors that are pushed about, of tests/trust: 3,000 of them.
#define SYSTEMS 3000
#include "trust/test_floors.c" // NOLINT: the same tests, over more seeds
