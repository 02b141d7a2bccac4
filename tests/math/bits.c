// Prints the hash of every function, and of those of many numbers at once: one program for every
// compiler and machine (see everywhere). Where there are no vectors it is that of one by one.
#include <stdio.h>

#include "hash.h"
#include "math/vector.h"

enum { AT_ONCE = 1000, TIMES = 40 };

#ifdef __TINYC__
#define MANY(name) \
    for (int i = 0; i < AT_ONCE; i++) to[i] = foi_##name(x[i])
#define MANY_OF_TWO(name) \
    for (int i = 0; i < AT_ONCE; i++) to[i] = foi_##name(x[i], y[i])
#else
#define MANY(name)        foi_##name##_many(x, to, AT_ONCE)
#define MANY_OF_TWO(name) foi_##name##_many(x, y, to, AT_ONCE)
#endif

static uint64_t add(uint64_t hash, const double *numbers)
{
    for (int i = 0; i < AT_ONCE; i++) hash = hashed(hash, numbers[i]);
    return hash;
}

// Ordinary arguments, for whole blocks in vectors, then such that are subnormal, huge or negative.
static void print_vectors(void)
{
    static double x[AT_ONCE], y[AT_ONCE], to[AT_ONCE];
    uint64_t state = 7, hash = UINT64_C(0xCBF29CE484222325);
    for (int t = 0; t < TIMES; t++) {
        range odd = {SIGNED, -1074, 1023}, plain = {EVEN, t % 4 ? 0.01 : -300, 300};
        for (int i = 0; i < AT_ONCE; i++) {
            x[i] = draw(&state, t % 2 && i % 100 == 0 ? odd : plain);
            y[i] = draw(&state, (range){SIGNED, -20, 6});
        }
        MANY(exp);
        hash = add(hash, to);
        MANY(log);
        hash = add(hash, to);
        MANY(sin);
        hash = add(hash, to);
        MANY(cos);
        hash = add(hash, to);
        MANY_OF_TWO(pow);
        hash = add(hash, to);
    }
    printf("vectors %016llx\n", (unsigned long long)hash);
}

int main(void)
{
    for (int i = 0; i < SUBJECTS; i++)
        printf("%s %016llx\n", subjects[i].name, (unsigned long long)hash_of(&subjects[i], HASHED));
    print_vectors();
    return 0;
}
