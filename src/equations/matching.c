/// Maximum matching by depth-first search with lookahead (Duff 1981, algorithm MC21; Pothen and Fan
/// 1990) and strongly connected components (Tarjan 1972). Both without recursion; on chains and
/// trees near linear.
#include "equations/matching.h"

#include <string.h>

#include "base/array.h"

void foi_incidence_end(foi_incidence *m)
{
    foi_free(m->allocator, m->start);
    foi_free(m->allocator, m->column);
    *m = (foi_incidence){.allocator = m->allocator};
}

bool foi_incidence_add(foi_incidence *m, uint32_t column)
{
    if (!foi_array_room(m->allocator, &m->column, &m->room, m->count + 1, sizeof column))
        return false;
    m->column[m->count++] = column;
    return true;
}

bool foi_incidence_row(foi_incidence *m)
{
    if (!foi_array_room(m->allocator, &m->start, &m->start_room, (size_t)m->rows + 2,
                        sizeof *m->start))
        return false;
    m->start[m->rows + 1] = (uint32_t)m->count;
    m->rows++;
    return true;
}

static uint32_t *filled(const fo_allocator *a, size_t count)
{
    uint32_t *list = foi_new(a, count, sizeof *list);
    if (list && count) memset(list, 0xFF, count * sizeof *list);
    return list;
}

bool foi_matching_begin(foi_matching *p, const foi_incidence *m, uint32_t rows)
{
    const fo_allocator *a = m->allocator;
    *p = (foi_matching){.m = m, .allocator = a, .search = 1};
    p->column_of = filled(a, rows);
    p->row_of = filled(a, m->columns);
    p->look = foi_new(a, rows, sizeof *p->look);
    p->next = foi_new(a, rows, sizeof *p->next);
    p->stack = foi_new(a, (size_t)rows + 1, sizeof *p->stack);
    p->seen = foi_new(a, rows, sizeof *p->seen);
    if (p->column_of && p->row_of && p->look && p->next && p->stack && p->seen) return true;
    foi_matching_end(p);
    return false;
}

void foi_matching_end(foi_matching *p)
{
    foi_free(p->allocator, p->column_of);
    foi_free(p->allocator, p->row_of);
    foi_free(p->allocator, p->look);
    foi_free(p->allocator, p->next);
    foi_free(p->allocator, p->stack);
    foi_free(p->allocator, p->seen);
    *p = (foi_matching){.allocator = p->allocator};
}

void foi_matching_fresh(foi_matching *p)
{
    p->search++;
}

// A free column of the row. `look` only moves forward: a column once matched stays matched.
static uint32_t free_column(foi_matching *p, uint32_t row)
{
    const foi_incidence *m = p->m;
    uint32_t end = m->start[row + 1];
    if (p->look[row] < m->start[row]) p->look[row] = m->start[row];
    while (p->look[row] < end) {
        uint32_t c = m->column[p->look[row]++];
        if (p->row_of[c] == FOI_UNMATCHED) return c;
    }
    return FOI_UNMATCHED;
}

// The next row to go to, through a matched column; stands at that column.
static uint32_t step_down(foi_matching *p, uint32_t row)
{
    const foi_incidence *m = p->m;
    for (; p->next[row] < m->start[row + 1]; p->next[row]++) {
        uint32_t other = p->row_of[m->column[p->next[row]]];
        if (other != FOI_UNMATCHED && p->seen[other] != p->search) return other;
    }
    return FOI_UNMATCHED;
}

static void enter(foi_matching *p, uint32_t row)
{
    p->seen[row] = p->search;
    p->next[row] = p->m->start[row];
}

bool foi_matching_augment(foi_matching *p, uint32_t row)
{
    uint32_t depth = 0;
    if (p->seen[row] == p->search) return false;
    enter(p, row);
    p->stack[0] = row;
    for (;;) {
        uint32_t at = p->stack[depth], c = free_column(p, at);
        if (c != FOI_UNMATCHED) {
            // the path is free at its end: every row on it takes the column it stood at
            for (;; depth--) {
                p->column_of[p->stack[depth]] = c;
                p->row_of[c] = p->stack[depth];
                if (depth == 0) return true;
                c = p->m->column[p->next[p->stack[depth - 1]]];
            }
        }
        uint32_t down = step_down(p, at);
        while (down == FOI_UNMATCHED) {
            if (depth == 0) return false;
            depth--;
            p->next[p->stack[depth]]++;
            down = step_down(p, p->stack[depth]);
        }
        enter(p, down);
        p->stack[++depth] = down;
    }
}

// Rows that a search in vain has visited lead nowhere, so they stay seen for the whole phase.
uint32_t foi_matching_all(foi_matching *p)
{
    uint32_t rows = p->m->rows, left = 0, before;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t c = p->column_of[r] == FOI_UNMATCHED ? free_column(p, r) : FOI_UNMATCHED;
        if (c == FOI_UNMATCHED) continue;
        p->column_of[r] = c, p->row_of[c] = r;
    }
    do {
        before = left;
        left = 0;
        foi_matching_fresh(p);
        for (uint32_t r = 0; r < rows; r++)
            if (p->column_of[r] == FOI_UNMATCHED && !foi_matching_augment(p, r)) left++;
    } while (left && left != before);
    return left;
}

// ---------------------------------------------------------------------------------------- sorting

typedef struct tarjan {
    const foi_matching *p;
    foi_blocks *b;
    uint32_t *number, *low, *next, *stack, *path;
    uint32_t counter, depth, stacked, done;
} tarjan;

enum { NOT_SEEN = 0 };

static void visit(tarjan *t, uint32_t row)
{
    t->number[row] = t->low[row] = ++t->counter;
    t->next[row] = t->p->m->start[row];
    t->stack[t->stacked++] = row;
    t->path[t->depth++] = row;
}

static void close_block(tarjan *t, uint32_t row)
{
    uint32_t member;
    do {
        member = t->stack[--t->stacked];
        t->number[member] = UINT32_MAX; // no longer on the stack
        t->b->rows[t->done++] = member;
    } while (member != row);
    t->b->start[++t->b->count] = t->done;
}

static void walk(tarjan *t)
{
    const foi_incidence *m = t->p->m;
    while (t->depth) {
        uint32_t row = t->path[t->depth - 1];
        if (t->next[row] < m->start[row + 1]) {
            uint32_t other = t->p->row_of[m->column[t->next[row]++]];
            if (other == FOI_UNMATCHED || other == row) continue;
            if (t->number[other] == NOT_SEEN)
                visit(t, other);
            else if (t->number[other] < t->low[row])
                t->low[row] = t->number[other];
            continue;
        }
        t->depth--;
        if (t->low[row] == t->number[row]) close_block(t, row);
        if (!t->depth) continue;
        uint32_t above = t->path[t->depth - 1];
        if (t->low[row] < t->low[above]) t->low[above] = t->low[row];
    }
}

bool foi_blocks_begin(foi_blocks *b, const foi_matching *p)
{
    const fo_allocator *a = p->allocator;
    uint32_t rows = p->m->rows;
    *b = (foi_blocks){.allocator = a};
    b->rows = foi_new(a, rows, sizeof *b->rows);
    b->start = foi_new(a, (size_t)rows + 1, sizeof *b->start);
    uint32_t *work = foi_new(a, (size_t)rows * 5, sizeof *work);
    if (!b->rows || !b->start || !work) {
        foi_free(a, work);
        foi_blocks_end(b);
        return false;
    }
    tarjan t = {p,
                b,
                work,
                work + rows,
                work + 2 * (size_t)rows,
                work + 3 * (size_t)rows,
                work + 4 * (size_t)rows};
    for (uint32_t r = 0; r < rows; r++) {
        if (t.number[r] != NOT_SEEN) continue;
        visit(&t, r);
        walk(&t);
    }
    foi_free(a, work);
    return true;
}

void foi_blocks_end(foi_blocks *b)
{
    foi_free(b->allocator, b->rows);
    foi_free(b->allocator, b->start);
    *b = (foi_blocks){.allocator = b->allocator};
}
