// Random loops with many solutions, a hundred times as many as in the short test.
#define BRANCHES 24000
#include "../program/test_branches.c"
