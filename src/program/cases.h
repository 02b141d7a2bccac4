/// Undecided operations of code that is enclosed, and the ways through their outcomes.
///
/// A table is a choice of numbers by its argument: base, width and rise, which are combined
/// afterwards. Where the argument passes from one interval to the next, the hulls of these numbers
/// know nothing of each other, and what they are combined to is as wide as the table however short
/// the stretch is. But for each outcome of the comparison it is narrow. So where a few operations
/// are undecided, and a guard that may jump may be zero for all that is known, the code is run for
/// each of their outcomes; at every instant one of these is true. What is undecided only because an
/// earlier operation is, as all in a branch that may be taken or not, is decided with it: so the
/// outcomes are a tree, whose leaves are gone through one after the other.
#ifndef FOI_CASES_H
#define FOI_CASES_H

#include "program/enclose.h"

/// A register is within these bounds where a comparison of it has the outcome that is looked at.
typedef struct foi_limit {
    uint32_t of; ///< FOI_NOTHING: none
    double lo, hi;
} foi_limit;

/// A way from the tree's root to a leaf: the undecided operations in their order.
typedef struct foi_cases {
    const foi_instruction *at[FOI_MOST_CASES];
    double value[FOI_MOST_CASES][2];
    bool second[FOI_MOST_CASES]; ///< it is the other outcome's turn
    foi_limit limit[FOI_MOST_CASES];
    uint32_t most;  ///< how deep the tree may be
    uint32_t depth; ///< of the way
    uint32_t level; ///< how many of them this run has come to
    uint32_t leaves;
    bool loop; ///< the code is that of a loop: a register is made once
    bool any;  ///< of the first run: something is undecided
    bool decide;
    bool lost; ///< the tree is larger
} foi_cases;

static inline bool foi_compares(uint32_t op)
{
    return op >= FOI_G_LESS && op <= FOI_G_GREATER_EQUAL;
}

static inline bool foi_has_outcomes(uint32_t op)
{
    return (op >= FOI_G_LESS && op <= FOI_G_NOT_EQUAL) || op == FOI_G_FLOOR || op == FOI_G_CEIL;
}

// What the outcomes so far leave of a register's range.
static inline foi_interval foi_within_limits(const foi_cases *k, uint32_t of, foi_interval range)
{
    for (uint32_t i = 0; i < k->level; i++)
        if (k->limit[i].of == of) range = foi_i_clip(range, k->limit[i].lo, k->limit[i].hi);
    return range;
}

// What an outcome says of what is compared with a number.
static inline foi_limit foi_limit_of(const foi_instruction *x, const foi_enclosed *r, bool truth)
{
    foi_limit none = {FOI_NOTHING, -INFINITY, INFINITY};
    const foi_enclosed *a = &r[x->a], *b = &r[x->b];
    bool by_b = foi_i_is_point(b->range);
    if (!foi_compares(x->op) || ((a->nature | b->nature) & FO_MAY_BE_UNDEFINED)) return none;
    if (!by_b && !foi_i_is_point(a->range)) return none;
    bool less = x->op == FOI_G_LESS || x->op == FOI_G_LESS_EQUAL;
    foi_limit l = {by_b ? x->a : x->b, -INFINITY, INFINITY};
    if ((less == truth) == by_b)
        l.hi = by_b ? b->range.lo : a->range.lo;
    else
        l.lo = by_b ? b->range.lo : a->range.lo;
    return l;
}

// To the next leaf: where the way to it turns off, or NULL where that was the last.
static inline const foi_instruction *foi_next_leaf(foi_cases *k)
{
    while (k->depth > 0 && k->second[k->depth - 1]) k->depth--;
    if (k->depth == 0) return NULL;
    k->level = k->depth - 1;
    k->second[k->level] = true;
    return k->at[k->level];
}

#endif
