// The random hybrid systems of tests/trust, many more of them: 100,000, or as many as
// FOLIOT_SOAK_SYSTEMS says, from FOLIOT_SOAK_FIRST on.
#include <stdint.h>
#include <stdlib.h>

static uint64_t soak_systems(void)
{
    const char *text = getenv("FOLIOT_SOAK_SYSTEMS");
    return text ? strtoull(text, NULL, 10) : 100000;
}

static uint64_t soak_first(void)
{
    const char *text = getenv("FOLIOT_SOAK_FIRST");
    return text ? strtoull(text, NULL, 10) : 1;
}

#define FIRST   soak_first()
#define SYSTEMS soak_systems()
#define SHARES  16
#include "trust/test_hybrid.c" // NOLINT: the same tests, over more seeds
