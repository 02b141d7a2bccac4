// Starts with several solutions, a hundred times as many as in the short test.
#define TIMES 100
#include "../program/test_nearest.c"
