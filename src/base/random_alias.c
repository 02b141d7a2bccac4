#include <foliot/random.h>
#include <math.h>

#include "base/memory.h"
#include "base/random_philox.h"

// The alias method (A. J. Walker 1977; the construction of M. D. Vose, IEEE Trans. Software
// Engineering 17 (1991)): `count` columns of height 1, each holding at most two choices.

typedef struct column {
    double own;   // below this height the column's own number
    size_t other; // above it, this one
} column;

struct fo_alias {
    const fo_allocator *allocator;
    size_t count;
    column columns[];
};

static double checked_sum(const double *weights, size_t count, fo_message *why)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0 && weights[i] < INFINITY)) {
            fo_fail(why, FO_ERROR_ARGUMENT, "weight %zu must be finite and not negative, not %g", i,
                    weights[i]);
            return NAN;
        }
        sum += weights[i];
    }
    if (sum > 0 && sum < INFINITY) return sum;
    fo_fail(why, FO_ERROR_ARGUMENT, "the sum of %zu weights must be positive and finite, not %g",
            count, sum);
    return NAN;
}

// `queue` holds the columns that are less than full from its start, the others from its end.
static void fill(column *columns, size_t *queue, size_t count)
{
    size_t low = 0, high = count;
    for (size_t i = 0; i < count; i++) {
        if (columns[i].own < 1)
            queue[low++] = i;
        else
            queue[--high] = i;
    }
    while (low > 0 && high < count) {
        size_t poor = queue[--low], rich = queue[high];
        columns[poor].other = rich;
        columns[rich].own -= 1 - columns[poor].own;
        if (columns[rich].own >= 1) continue;
        high++;
        queue[low++] = rich;
    }
    // what is left over is full but for rounding
    while (low > 0) columns[queue[--low]].own = 1;
    while (high < count) columns[queue[high++]].own = 1;
}

fo_alias *fo_alias_create(const double *weights, size_t count, const fo_allocator *allocator,
                          fo_message *why)
{
    double sum = checked_sum(weights, count, why);
    if (isnan(sum)) return NULL;
    fo_alias *alias = NULL;
    size_t *queue = NULL, bytes;
    if (!__builtin_mul_overflow(count, sizeof(column), &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *alias, &bytes)) {
        alias = foi_new(allocator, bytes, 1);
        queue = foi_new(allocator, count, sizeof *queue);
    }
    if (!alias || !queue) {
        foi_free(allocator, alias);
        foi_free(allocator, queue);
        fo_fail(why, FO_ERROR_MEMORY, "no memory for %zu weights", count);
        return NULL;
    }
    alias->allocator = allocator;
    alias->count = count;
    for (size_t i = 0; i < count; i++)
        alias->columns[i] = (column){weights[i] / sum * (double)count, i};
    fill(alias->columns, queue, count);
    foi_free(allocator, queue);
    return alias;
}

// One word gives column and height: the two halves of its product with the count.
size_t fo_alias_draw(const fo_alias *alias, fo_random *r)
{
    uint64_t i, rest = foi_multiply(fo_random_bits(r), alias->count, &i);
    const column *c = &alias->columns[i];
    return (double)(rest >> 11) * 0x1p-53 < c->own ? (size_t)i : c->other;
}

void fo_alias_destroy(fo_alias *alias)
{
    if (alias) foi_free(alias->allocator, alias);
}
