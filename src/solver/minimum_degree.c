/// Minimum degree ordering, to keep the factors of a sparse matrix sparse.
///
/// Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal.
/// Appl. 17 (1996) 886, without its supervariables. The graph of the matrix is eliminated column by
/// column, always one with the fewest neighbours. An eliminated column becomes an element: the set
/// of its neighbours, which are then all neighbours of each other. A column i has a list of
/// elements and a list of columns that are still neighbours in their own right; the two share the
/// room that its neighbours had at first: a new element always replaces a neighbour or an older
/// element.
#include "solver/linear.h"

typedef struct graph {
    uint32_t n;
    uint32_t *at;       ///< n + 1: where column i's room begins
    uint32_t *list;     ///< there: its elements, then its columns
    uint32_t *elements; ///< how many
    uint32_t *columns;  ///< how many
    uint32_t *degree;
    uint32_t *head, *next, *last; ///< columns of equal degree, doubly linked
    uint32_t *mark;               ///< == stamp: in the newest element
    uint32_t *outside;            ///< of each element: members that are not in the newest one
    uint32_t *seen;               ///< stamp at which outside was set
    uint32_t stamp;
    uint32_t *begin, *count; ///< members of each element
    uint32_t *members;
    size_t used, room;
    const fo_allocator *allocator;
} graph;

static void link(graph *g, uint32_t i)
{
    uint32_t d = g->degree[i];
    g->next[i] = g->head[d], g->last[i] = FOI_NONE;
    if (g->head[d] != FOI_NONE) g->last[g->head[d]] = i;
    g->head[d] = i;
}

static void unlink(graph *g, uint32_t i)
{
    if (g->next[i] != FOI_NONE) g->last[g->next[i]] = g->last[i];
    if (g->last[i] != FOI_NONE)
        g->next[g->last[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
}

static bool make(graph *g, const uint32_t *start, const uint32_t *row)
{
    uint32_t n = g->n;
    uint32_t **lists[] = {&g->elements, &g->columns, &g->degree, &g->head,  &g->next, &g->last,
                          &g->mark,     &g->outside, &g->seen,   &g->begin, &g->count};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!(*lists[i] = foi_new(g->allocator, n, sizeof(uint32_t)))) return false;
    g->room = (size_t)start[n] + n;
    g->at = foi_new(g->allocator, (size_t)n + 1, sizeof(uint32_t));
    g->list = foi_new(g->allocator, start[n], sizeof(uint32_t));
    g->members = foi_new(g->allocator, g->room, sizeof(uint32_t));
    if (!g->at || !g->list || !g->members) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = g->at[i];
        g->stamp++, g->mark[i] = g->stamp; // neither the diagonal nor an entry twice
        for (uint32_t e = start[i]; e < start[i + 1]; e++) {
            if (g->mark[row[e]] == g->stamp) continue;
            g->mark[row[e]] = g->stamp;
            g->list[end++] = row[e];
        }
        g->columns[i] = g->degree[i] = end - g->at[i];
        g->at[i + 1] = end;
        g->head[i] = FOI_NONE;
    }
    for (uint32_t i = n; i-- > 0;) link(g, i);
    return true;
}

static void unmake(graph *g)
{
    void *blocks[] = {g->at,   g->list, g->elements, g->columns, g->degree, g->head,  g->next,
                      g->last, g->mark, g->outside,  g->seen,    g->begin,  g->count, g->members};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(g->allocator, blocks[i]);
}

/// Makes element p of all that column p can reach; its elements are absorbed.
static bool eliminate(graph *g, uint32_t p)
{
    if (g->used + g->n > g->room) {
        size_t more = 2 * g->room + g->n;
        void *grown = foi_grow(g->allocator, g->members, g->room, more, sizeof *g->members);
        if (!grown) return false;
        g->members = grown, g->room = more;
    }
    uint32_t *to = g->members + g->used, size = 0;
    g->stamp++, g->mark[p] = g->stamp;
    for (uint32_t k = 0; k < g->elements[p] + g->columns[p]; k++) {
        uint32_t v = g->list[g->at[p] + k];
        bool whole = k < g->elements[p];
        const uint32_t *from = whole ? g->members + g->begin[v] : &g->list[g->at[p] + k];
        for (uint32_t m = 0; m < (whole ? g->count[v] : 1); m++) {
            if (g->mark[from[m]] == g->stamp) continue;
            g->mark[from[m]] = g->stamp;
            to[size++] = from[m];
        }
        if (whole) g->count[v] = 0; // absorbed: recognised by that
    }
    g->begin[p] = (uint32_t)g->used, g->count[p] = size;
    g->used += size;
    return true;
}

/// For every element that touches element p: how many of its members are outside p.
static void measure(graph *g, uint32_t p)
{
    for (uint32_t m = 0; m < g->count[p]; m++) {
        uint32_t i = g->members[g->begin[p] + m];
        for (uint32_t k = 0; k < g->elements[i]; k++) {
            uint32_t e = g->list[g->at[i] + k];
            if (g->seen[e] != g->stamp) g->seen[e] = g->stamp, g->outside[e] = g->count[e];
            if (g->outside[e]) g->outside[e]--;
        }
    }
}

/// Column i, a member of element p, forgets what p stands for and gets its new degree.
static void update(graph *g, uint32_t i, uint32_t p, uint32_t left)
{
    uint32_t *list = g->list + g->at[i], elements = g->elements[i], columns = g->columns[i];
    uint32_t kept = 0, degree = g->count[p] - 1;
    // Elements inside p are absorbed too. As p takes the place of at least one entry, all fit.
    uint32_t first_column = elements, end = elements + columns;
    for (uint32_t k = 0; k < elements; k++) {
        uint32_t e = list[k];
        if (g->count[e] == 0 || g->outside[e] == 0) continue;
        degree += g->outside[e];
        list[kept++] = e;
    }
    uint32_t to = kept;
    uint32_t held = FOI_NONE; // the first column kept, moved aside to make place for p
    for (uint32_t k = first_column; k < end; k++) {
        uint32_t c = list[k];
        if (g->mark[c] == g->stamp) continue;
        degree++;
        if (held == FOI_NONE)
            held = c;
        else
            list[++to] = c;
    }
    if (held != FOI_NONE) list[++to] = held;
    list[kept] = p;
    g->elements[i] = kept + 1, g->columns[i] = to - kept;
    unlink(g, i);
    g->degree[i] = degree < left ? degree : left;
    link(g, i);
}

fo_status foi_minimum_degree(uint32_t n, const uint32_t *start, const uint32_t *row,
                             uint32_t *order, size_t *fill, const fo_allocator *allocator)
{
    graph g = {.n = n, .allocator = allocator};
    fo_status status = make(&g, start, row) ? FO_OK : FO_ERROR_MEMORY;
    *fill = 0;
    for (uint32_t k = 0, d = 0; status == FO_OK && k < n; k++) {
        while (g.head[d] == FOI_NONE) d++;
        uint32_t p = g.head[d];
        unlink(&g, p);
        order[k] = p;
        if (!eliminate(&g, p)) {
            status = FO_ERROR_MEMORY;
            break;
        }
        *fill += g.count[p];
        measure(&g, p);
        for (uint32_t m = 0; m < g.count[p]; m++) {
            uint32_t i = g.members[g.begin[p] + m];
            update(&g, i, p, n - k - 2);
            if (g.degree[i] < d) d = g.degree[i];
        }
    }
    unmake(&g);
    return status;
}
