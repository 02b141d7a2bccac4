#include "equations/order.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

fo_status foi_order_begin(foi_order *o, foi_equations *e)
{
    *o = (foi_order){.e = e};
    size_t n = e->variable_count;
    o->variable_column = foi_new(e->allocator, n, sizeof *o->variable_column);
    o->pre_column = foi_new(e->allocator, n, sizeof *o->pre_column);
    if (!o->variable_column || !o->pre_column) return foi_equations_no_memory(e);
    memset(o->variable_column, 0xFF, n * sizeof *o->variable_column);
    memset(o->pre_column, 0xFF, n * sizeof *o->pre_column);
    o->incidence.allocator = e->allocator;
    o->matching.allocator = e->allocator;
    o->blocks.allocator = e->allocator;
    return FO_OK;
}

void foi_order_end(foi_order *o)
{
    const fo_allocator *a = o->e->allocator;
    foi_free(a, o->columns);
    foi_free(a, o->variable_column);
    foi_free(a, o->pre_column);
    foi_free(a, o->rows);
    foi_free(a, o->place);
    foi_free(a, o->compared);
    foi_free(a, o->compared_start);
    foi_incidence_end(&o->incidence);
    foi_matching_end(&o->matching);
    foi_blocks_end(&o->blocks);
}

fo_status foi_order_column(foi_order *o, uint32_t variable, bool pre)
{
    foi_equations *e = o->e;
    if (!foi_array_room(e->allocator, &o->columns, &o->column_room, o->column_count + 1,
                        sizeof *o->columns))
        return foi_equations_no_memory(e);
    uint32_t *column = pre ? &o->pre_column[variable] : &o->variable_column[variable];
    *column = (uint32_t)o->column_count;
    o->columns[o->column_count++] =
        foi_leaf_of(&e->g, pre ? FOI_LEAF_PRE : FOI_LEAF_VARIABLE, variable);
    o->incidence.columns = (uint32_t)o->column_count;
    return FO_OK;
}

uint32_t foi_order_column_of(const foi_order *o, foi_node leaf)
{
    const foi_graph_node *n = &o->e->g.nodes[leaf];
    if (foi_is_leaf(&o->e->g, leaf, FOI_LEAF_VARIABLE)) return o->variable_column[n->b];
    if (foi_is_leaf(&o->e->g, leaf, FOI_LEAF_PRE)) return o->pre_column[n->b];
    return FOI_NOTHING;
}

const char *foi_order_name(foi_order *o, uint32_t column, char *text, size_t size)
{
    const foi_graph_node *n = &o->e->g.nodes[o->columns[column]];
    bool pre = n->a == FOI_LEAF_PRE;
    const char *name = foi_variable_name(o->e, n->b);
    snprintf(text, size, pre ? "`pre(%s)`" : "`%s`", name);
    return text;
}

// The columns of a row; the one that stands alone on the left comes first, to be tried first.
fo_status foi_order_row(foi_order *o, foi_row row)
{
    foi_equations *e = o->e;
    foi_incidence *m = &o->incidence;
    foi_graph *g = &e->g;
    foi_node roots[2] = {row.left, row.right};
    bool good = foi_array_room(e->allocator, &o->rows, &o->row_room, o->row_count + 1, sizeof row);
    uint32_t first = row.column;
    if (first == FOI_NOTHING) first = foi_order_column_of(o, row.left);
    if (good && first != FOI_NOTHING) good = foi_incidence_add(m, first);
    good = good && foi_graph_reach(g, roots, 2);
    for (size_t i = 0; i < g->list_count && good; i++) {
        if (g->nodes[g->list[i]].op != FOI_G_LEAF) continue;
        uint32_t c = foi_order_column_of(o, g->list[i]);
        if (c != FOI_NOTHING && c != first) good = foi_incidence_add(m, c);
    }
    if (!good || !foi_incidence_row(m)) return foi_equations_no_memory(e);
    o->rows[o->row_count++] = row;
    return FO_OK;
}

void foi_order_drop(foi_order *o)
{
    o->row_count--;
    o->incidence.rows--;
    o->incidence.count = o->incidence.start[o->incidence.rows];
}

// -------------------------------------------------------------------------------------- messages

typedef struct name_list {
    char text[300];
    size_t length, named, left;
} name_list;

static void add_name(name_list *n, const char *name)
{
    size_t size = strlen(name);
    if (n->named >= 6 || n->length + size + 3 > sizeof n->text) {
        n->left++;
        return;
    }
    n->length += (size_t)snprintf(n->text + n->length, sizeof n->text - n->length, "%s%s",
                                  n->named ? ", " : "", name);
    n->named++;
}

static const char *end_names(name_list *n)
{
    if (n->left && n->length + 24 < sizeof n->text)
        snprintf(n->text + n->length, sizeof n->text - n->length, " and %zu more", n->left);
    return n->text;
}

static uint32_t unmatched_column(const foi_order *o, uint32_t from)
{
    while (from < o->column_count && o->matching.row_of[from] != FOI_UNMATCHED) from++;
    return from;
}

static void open_columns(foi_order *o, name_list *names)
{
    char name[160];
    for (uint32_t c = unmatched_column(o, 0); c < o->column_count; c = unmatched_column(o, c + 1))
        add_name(names, foi_order_name(o, c, name, sizeof name));
}

// An equation without unknowns: others together have said it already, as the sums of currents of a
// circuit without ground do.
static fo_status nothing_left(foi_order *o, const foi_row *r, const char *text)
{
    foi_equations *e = o->e;
    name_list names = {.named = 0};
    bool *floats = foi_new(e->allocator, e->variable_count, sizeof *floats);
    bool empty = foi_is_number(&e->g, r->left, 0) && foi_is_number(&e->g, r->right, 0);
    bool any = empty && floats && foi_floating(e, floats);
    for (uint32_t v = 0; v < e->variable_count && any; v++)
        if (floats[v]) add_name(&names, foi_variable_name(e, v));
    foi_free(e->allocator, floats);
    const char *many = names.named + names.left > 1 ? "which can move together" : "which can move";
    if (!any)
        return foi_equations_fail(e, r->place, FO_ERROR_MODEL,
                                  "the equation %s has no unknown in it: it is one too many", text);
    return foi_equations_fail(e, r->place, FO_ERROR_MODEL,
                              "the equations are singular: this one is %s, and nothing determines "
                              "%s, %s without any equation noticing (in a circuit without ground: "
                              "the potentials of the island that floats)",
                              text, end_names(&names), many);
}

// The columns that an equation which is too many competes for, with the rows that have them; and
// the columns that another equation in its place should have determined.
static fo_status too_many(foi_order *o, uint32_t row)
{
    foi_matching *p = &o->matching;
    const foi_row *r = &o->rows[row];
    name_list names = {.named = 0}, places = {.named = 0}, open = {.named = 0};
    char name[160], text[220], place[120];
    foi_matching_fresh(p);
    foi_matching_augment(p, row); // in vain: marks all rows that it could have taken a column from
    for (uint32_t i = 0; i < o->row_count; i++) {
        if (p->seen[i] != p->search) continue;
        if (p->column_of[i] != FOI_UNMATCHED)
            add_name(&names, foi_order_name(o, p->column_of[i], name, sizeof name));
        if (i != row && o->rows[i].place.line)
            add_name(&places, foi_place_name(o->e, o->rows[i].place, place, sizeof place));
    }
    foi_equation q = {.left = r->left, .right = r->right};
    foi_equation_text(o->e, &q, text, sizeof text);
    if (o->row_count == o->column_count) open_columns(o, &open);
    if (!names.named) return nothing_left(o, r, text);
    return foi_equations_fail(o->e, r->place, FO_ERROR_MODEL,
                              "the equation %s is one too many: %s %s already determined%s%s%s%s",
                              text, end_names(&names), names.named + names.left > 1 ? "are" : "is",
                              places.named ? " by " : "", end_names(&places),
                              open.named ? ", while nothing determines " : "", end_names(&open));
}

static fo_status too_few(foi_order *o)
{
    name_list names = {.named = 0};
    uint32_t first = unmatched_column(o, 0);
    open_columns(o, &names);
    uint32_t v = o->e->g.nodes[o->columns[first]].b;
    while (!o->e->variables[v].flat) v = o->e->variables[v].integral;
    return foi_equations_fail(o->e, o->e->variables[v].flat->place, FO_ERROR_MODEL,
                              "too few equations, %zu for %zu unknowns: nothing determines %s",
                              o->row_count, o->column_count, end_names(&names));
}

fo_status foi_order_explain(foi_order *o)
{
    for (uint32_t i = 0; i < o->row_count; i++)
        if (o->matching.column_of[i] == FOI_UNMATCHED) return too_many(o, i);
    if (unmatched_column(o, 0) < o->column_count) return too_few(o);
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- sorting

fo_status foi_order_sort(foi_order *o)
{
    fo_status status = foi_order_explain(o);
    if (status != FO_OK) return status;
    foi_blocks_end(&o->blocks);
    foi_free(o->e->allocator, o->place);
    o->place = foi_new(o->e->allocator, o->column_count, sizeof *o->place);
    if (!o->place) return foi_equations_no_memory(o->e);
    memset(o->place, 0xFF, o->column_count * sizeof *o->place);
    return foi_blocks_begin(&o->blocks, &o->matching) ? FO_OK : foi_equations_no_memory(o->e);
}

static bool is_unknown(const foi_variable *v)
{
    if (v->alias != FOI_NOTHING || v->state) return false;
    if (v->role == FOI_ROLE_COMPUTED) return v->flat->type != FOI_STRING;
    return v->role == FOI_ROLE_DISCRETE || v->role == FOI_ROLE_CONTINUOUS;
}

static fo_status add_rows(foi_order *o)
{
    foi_equations *e = o->e;
    fo_status status = FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++)
        if (is_unknown(&e->variables[v])) status = foi_order_column(o, v, false);
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (about->role != FOI_ROLE_COMPUTED || !is_unknown(about)) continue;
        foi_node value = about->binding != FOI_NO_NODE ? about->binding : about->start;
        status = foi_order_row(o, (foi_row){foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v), value,
                                            about->flat->place, FOI_NOTHING, FOI_NOTHING});
    }
    for (uint32_t i = 0; i < e->equation_count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed || q->constraint) continue;
        uint32_t c = q->assigns == FOI_NOTHING ? FOI_NOTHING : o->variable_column[q->assigns];
        status = foi_order_row(o, (foi_row){q->left, q->right, q->place, i, c});
    }
    return status;
}

fo_status foi_order_of_run(foi_order *o, foi_equations *e)
{
    fo_status status = foi_order_begin(o, e);
    if (status == FO_OK) status = add_rows(o);
    if (status == FO_OK && !foi_matching_begin(&o->matching, &o->incidence, (uint32_t)o->row_count))
        status = foi_equations_no_memory(e);
    if (status == FO_OK) foi_matching_all(&o->matching);
    return status;
}
