// Random diagrams as programs and node by node, fifty times as many as in the short test.
#define TIMES 50
#include "../diagram/test_lower.c"
