// Random diagrams as programs and node by node, a hundred times as many as in the short test.
#define TIMES 100
#include "../diagram/test_lower.c"
