/// The sorted equations as text: what follows from what, and which equations are solved together.
#include "equations/plan.h"

static void print_single(foi_order *o, uint32_t r, foi_flat_writer *w)
{
    foi_equations *e = o->e;
    const foi_row *row = &o->rows[r];
    char left[300], right[600];
    foi_node leaf = o->columns[o->matching.column_of[r]];
    e->inverts = true;
    foi_node solved = foi_solve(e, row->left, row->right, leaf, false);
    e->inverts = false;
    if (solved != FOI_NO_NODE) {
        foi_expression_text(e, leaf, left, sizeof left);
        foi_flat_write(w, "%s := %s\n", left, foi_expression_text(e, solved, right, sizeof right));
        return;
    }
    foi_expression_text(e, row->left, left, sizeof left);
    foi_expression_text(e, row->right, right, sizeof right);
    foi_flat_write(w, "solve for %s:\n", foi_variable_name(e, e->g.nodes[leaf].b));
    foi_flat_write(w, "    %s = %s\n", left, right);
}

static void print_row(foi_order *o, const foi_tearing *t, uint32_t i, foi_flat_writer *w)
{
    foi_equations *e = o->e;
    const foi_row *row = &o->rows[t->rows[i]];
    char left[300], right[600];
    if (i < t->inner) {
        foi_expression_text(e, o->columns[t->columns[i]], left, sizeof left);
        foi_expression_text(e, t->solved[i], right, sizeof right);
        foi_flat_write(w, "    %s := %s\n", left, right);
        return;
    }
    foi_expression_text(e, row->left, left, sizeof left);
    foi_expression_text(e, row->right, right, sizeof right);
    foi_flat_write(w, "    %s = %s\n", left, right);
}

static fo_status print_loop(foi_order *o, const uint32_t *rows, uint32_t count, foi_flat_writer *w)
{
    foi_tearing t;
    char name[300];
    fo_status status = foi_tearing_begin(&t, o, rows, count, true);
    if (status == FO_OK) {
        foi_flat_write(w, "solve for");
        for (uint32_t i = t.inner; i < count; i++) {
            foi_expression_text(o->e, o->columns[t.columns[i]], name, sizeof name);
            foi_flat_write(w, "%s %s", i > t.inner ? "," : "", name);
        }
        foi_flat_write(w, ":\n");
        for (uint32_t i = 0; i < count; i++) print_row(o, &t, i, w);
    }
    foi_tearing_end(&t);
    return status;
}

fo_status foi_sorted_print(foi_equations *e, foi_flat_writer *w)
{
    foi_order o = {.e = e};
    fo_status status = foi_order_of_run(&o, e);
    if (status == FO_OK) status = foi_order_sort(&o);
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++)
        if (e->variables[v].state) foi_flat_write(w, "state %s\n", foi_variable_name(e, v));
    for (uint32_t i = 0; i < e->constraint_count && status == FO_OK; i++) {
        char text[600];
        const foi_equation *q = &e->equations[e->constraints[i].equation];
        foi_flat_write(w, "constraint %s\n", foi_equation_text(e, q, text, sizeof text));
    }
    for (uint32_t i = 0; status == FO_OK && i < o.blocks.count; i++) {
        const uint32_t *rows = o.blocks.rows + o.blocks.start[i];
        uint32_t count = o.blocks.start[i + 1] - o.blocks.start[i];
        if (count == 1)
            print_single(&o, rows[0], w);
        else
            status = print_loop(&o, rows, count, w);
    }
    foi_order_end(&o);
    bool lacked = w->failed || e->texts.failed; // a name that found no memory is a "?"
    return status == FO_OK && lacked ? foi_equations_no_memory(e) : status;
}
