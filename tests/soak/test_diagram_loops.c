// Random algebraic loops of diagrams, a hundred times as many as in the short test.
#define TIMES 100
#include "../diagram/test_loops_random.c"
