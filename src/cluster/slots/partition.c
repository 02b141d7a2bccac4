#include "cluster/slots/partition.h"

#include "field/part.h"

enum { LEAST = 3 }; ///< nodes of a share along a cut axis

/// Where share i of p begins along an axis: even, moved to the nearer end of an object in the way.
static uint32_t border(const fo_field *f, uint32_t axis, uint32_t i, uint32_t p)
{
    uint32_t at = (uint32_t)((uint64_t)f->n[axis] * i / p);
    uint32_t first, count;
    if (i == 0 || i == p || !foi_object_span(f, axis, &first, &count)) return at;
    uint32_t last = first + count;
    if (at <= first || at >= last) return at;
    return at - first < last - at ? first : last;
}

static fo_status check(const fo_field *f, uint32_t count, const uint32_t parts[3], fo_message *why)
{
    uint64_t product = (uint64_t)parts[0] * parts[1] * parts[2];
    if (product != count)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: %u x %u x %u parts are %llu, but there are %u nodes", f->name, parts[0],
                       parts[1], parts[2], (unsigned long long)product, count);
    for (uint32_t axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; parts[axis] > 1 && i < parts[axis]; i++) {
            uint32_t from = border(f, axis, i, parts[axis]);
            uint32_t to = border(f, axis, i + 1, parts[axis]);
            if (to < from + LEAST)
                return fo_fail(why, FO_ERROR_ARGUMENT,
                               "%s: %u nodes along axis %c cannot be cut into %u parts of at "
                               "least %d%s",
                               f->name, f->n[axis], "xyz"[axis], parts[axis], LEAST,
                               f -> object ? " that leave the object whole" : "");
        }
    return FO_OK;
}

static void cut_share(const fo_field *f, const uint32_t parts[3], uint32_t index,
                      foi_tdma_share *share)
{
    uint32_t place[3], rest = index, stride = 1;
    *share = (foi_tdma_share){0};
    for (uint32_t axis = 0; axis < 3; axis++) {
        place[axis] = rest % parts[axis];
        rest /= parts[axis];
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t p = parts[axis], i = place[axis];
        bool wraps = f->box.reach[2 * axis] == FOI_WRAP;
        foi_cut_box *b = &share->box;
        b->first[axis] = border(f, axis, i, p);
        b->n[axis] = border(f, axis, i + 1, p) - b->first[axis];
        for (uint32_t end = 0; end < 2; end++) {
            bool outside = end ? i + 1 == p : i == 0;
            b->sides[2 * axis + end] = p > 1 && (!outside || wraps);
            uint32_t other = (i + (end ? 1 : p - 1)) % p;
            share->near[2 * axis + end] = index - i * stride + other * stride;
        }
        stride *= p;
    }
}

fo_status foi_tdma_partition(const fo_field *f, uint32_t count, uint32_t parts[3],
                             foi_tdma_share *list, fo_message *why)
{
    if (!parts[0] && !parts[1] && !parts[2]) {
        parts[0] = parts[1] = parts[2] = 1;
        parts[f->def.dimensions - 1] = count;
    }
    fo_status status = check(f, count, parts, why);
    for (uint32_t i = 0; i < count && !status; i++) cut_share(f, parts, i, &list[i]);
    return status;
}
