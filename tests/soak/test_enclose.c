// Enclosures of random codes over random stretches, for as long as one likes: two million of each
// kind, or as many as FOLIOT_ENCLOSE_CASES says. See tests/program/test_enclose.c.
#define ENCLOSE_SOAK
#include "../program/test_enclose.c"
