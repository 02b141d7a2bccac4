// The stacks of balls of tests/program, a hundred times as many.
#define STACKS 100
#include "program/test_stacks.c" // NOLINT: the same tests, over more seeds
