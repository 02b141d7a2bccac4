/// Loops without a range: `for i loop x[i] = ...` runs over all subscripts of x. The first array
/// that has the loop's variable as a subscript gives the range 1:size(x, k).
#include "language/parser.h"

enum { DEEPEST_SEARCH = 1000, MOST_FOUND = 16 };

/// Where the variable is a subscript: the first place, and those of other arrays.
typedef struct found {
    const char *name; ///< of the variable
    struct place_of {
        const foi_ref *ref;
        uint32_t part, dimension;
    } of[MOST_FOUND];
    uint32_t count;
} found;

static void search(const foi_ast *e, int depth, found *f);

static bool is_variable(const foi_ast *e, const char *name)
{
    return e && e->kind == FOI_AST_REF && e->ref->count == 1 && !e->ref->parts[0].count &&
           e->ref->parts[0].name == name;
}

// Those after the first must be known by their names alone: subscripts before may be those of loops
// inside.
static void note(found *f, const foi_ref *ref, uint32_t part, uint32_t dimension)
{
    bool plain = !ref->global;
    for (uint32_t i = 0; i < part; i++) plain &= ref->parts[i].count == 0;
    if (f->count == MOST_FOUND || (f->count && !plain)) return;
    for (uint32_t k = 0; k < f->count; k++) {
        bool same = f->of[k].part == part && f->of[k].dimension == dimension;
        for (uint32_t i = 0; same && i <= part; i++)
            same = f->of[k].ref->parts[i].name == ref->parts[i].name;
        if (same) return;
    }
    f->of[f->count++] = (struct place_of){ref, part, dimension};
}

static void search_ref(const foi_ref *ref, int depth, found *f)
{
    for (uint32_t i = 0; i < ref->count; i++)
        for (uint32_t k = 0; k < ref->parts[i].count; k++) {
            const foi_ast *subscript = ref->parts[i].subscripts[k];
            if (is_variable(subscript, f->name))
                note(f, ref, i, k);
            else
                search(subscript, depth + 1, f);
        }
}

// Another loop may have a variable of this name.
static bool is_hidden(const foi_iterator *iterators, uint32_t count, const found *f)
{
    for (uint32_t i = 0; i < count; i++)
        if (iterators[i].name == f->name) return true;
    return false;
}

static void search(const foi_ast *e, int depth, found *f)
{
    if (!e || depth > DEEPEST_SEARCH || is_hidden(e->iterators, e->iterator_count, f)) return;
    if (e->kind == FOI_AST_REF) search_ref(e->ref, depth, f);
    for (uint32_t i = 0; e->kind != FOI_AST_REF && i < e->count; i++)
        search(e->items[i], depth + 1, f);
}

static void search_body(foi_equation_ast *const *items, uint32_t count, int depth, found *f)
{
    if (depth > DEEPEST_SEARCH) return;
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (is_hidden(e->iterators, e->iterator_count, f)) continue;
        search(e->left, depth, f), search(e->right, depth, f);
        for (uint32_t b = 0; b < e->branch_count; b++) {
            search(e->branches[b].condition, depth, f);
            search_body(e->branches[b].body, e->branches[b].count, depth + 1, f);
        }
    }
}

static foi_ast *new_node(foi_parser *p, foi_ast_kind kind, foi_place place, uint32_t count,
                         foi_ast *a, foi_ast *b)
{
    foi_ast *e = foi_arena_new(p->arena, 1, sizeof *e);
    foi_ast **items = foi_arena_new(p->arena, 2, sizeof *items);
    if (!e || !items || (count && (!a || !b))) return NULL;
    items[0] = a, items[1] = b;
    e->kind = kind, e->place = place, e->depth = 3, e->count = count, e->items = items;
    return e;
}

static foi_ast *integer(foi_parser *p, foi_place place, double value)
{
    foi_ast *e = new_node(p, FOI_AST_INTEGER, place, 0, NULL, NULL);
    if (e) e->number = value;
    return e;
}

// 1:size(x.y, k)
static foi_ast *range_of(foi_parser *p, foi_place place, const struct place_of *f)
{
    foi_part *parts = foi_arena_new(p->arena, f->part + 1u, sizeof *parts);
    foi_part *size = foi_arena_new(p->arena, 1, sizeof *size);
    foi_ref *array = foi_arena_new(p->arena, 1, sizeof *array);
    foi_ref *callee = foi_arena_new(p->arena, 1, sizeof *callee);
    foi_ast *of = new_node(p, FOI_AST_REF, place, 0, NULL, NULL);
    if (!parts || !size || !array || !callee || !of) return NULL;
    for (uint32_t i = 0; i <= f->part; i++) parts[i] = f->ref->parts[i];
    parts[f->part].subscripts = NULL, parts[f->part].count = 0;
    *array = (foi_ref){parts, f->part + 1, f->ref->global, place};
    *size = (foi_part){.name = foi_intern(p->names, "size", 4), .place = place};
    *callee = (foi_ref){size, 1, false, place};
    of->ref = array;
    foi_ast *call =
        new_node(p, FOI_AST_CALL, place, 2, of, integer(p, place, (double)f->dimension + 1));
    if (!size->name || !call) return NULL;
    call->ref = callee;
    foi_ast *range = new_node(p, FOI_AST_RANGE, place, 2, integer(p, place, 1), call);
    if (range) range->elementwise = true; // found here: of literals, where the array has them
    return range;
}

bool foi_parse_ranges(foi_parser *p, const foi_iterator *iterators, uint32_t count,
                      const foi_ast *expression, const foi_branch_ast *body)
{
    for (uint32_t i = 0; i < count; i++) {
        foi_iterator *it = (foi_iterator *)&iterators[i];
        found f = {.name = it->name};
        if (it->range) continue;
        search(expression, 0, &f);
        if (body) search_body(body->body, body->count, 0, &f);
        if (!f.count) continue; // that is an error where the loop is made
        if (!(it->range = range_of(p, it->place, &f.of[0]))) return false;
        for (uint32_t k = 1; k < f.count; k++) {
            foi_ast **slot = foi_arena_add(p->arena, &it->others, &it->other_count, sizeof *slot);
            if (!slot || !(*slot = range_of(p, it->place, &f.of[k]))) return false;
        }
    }
    return true;
}
