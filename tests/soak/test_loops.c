// Random loops of equations, a hundred times as many as in the short test.
#define TIMES 100
#include "../program/test_loops_random.c"
