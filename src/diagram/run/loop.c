// Algebraic loops that the document allows to be solved: what one consists of, and where it is cut.
//
// The signals z that lead backwards in the loop's order are cut: those who read them read copies in
// the loop's work space. One sweep over the nodes with z in the copies yields G(z) in the signals;
// wanted is F(z) = G(z) - z = 0 (loop_newton.c, and loop_search.c where that finds nothing).
//
// Work space:  copies | z f dz trial trial_f e noise | matrix | what the members keep
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/run/loop.h"

enum { MAX_CUTS = 400 };

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// ----------------------------------------------------------------------------------------- making

// The copy of a signal, which is cut by that. NULL without memory.
static foi_signal *copy_of(foi_build *b, foi_loop *l, foi_signal *signal)
{
    for (uint32_t i = 0; i < l->cut_count; i++)
        if (l->cuts[i].signal == signal) return l->cuts[i].copy;
    foi_signal *copy = foi_arena_new(b->arena, 1, sizeof *copy);
    foi_cut *place = foi_arena_add(b->arena, &l->cuts, &l->cut_count, sizeof *place);
    if (!copy || !place) return NULL;
    *place = (foi_cut){signal, copy};
    *copy = *signal;
    // a first guess of the type, which may grow
    copy->shape = (foi_array){1, 1, FOI_SIGNAL_REAL, NULL};
    copy->known = true;
    return copy;
}

// What a member reads of itself or of a later one.
static fo_status find_cuts(foi_build *b, foi_loop *l)
{
    for (uint32_t i = 0; i < l->member_count; i++) {
        foi_node *n = l->members[i];
        for (uint32_t j = 0; j < n->input_count; j++) {
            const foi_node *driver = n->inputs[j]->node;
            bool backward =
                (n->through >> j & 1) && driver->loop == n->loop && driver->rank >= n->rank;
            if (!backward) continue;
            n->inputs[j] = copy_of(b, l, n->inputs[j]);
            if (!n->inputs[j]) return no_memory(b);
            if (l->cut_count > MAX_CUTS)
                return foi_node_refuse(
                    b, n, "an algebraic loop that is cut at more than %d signals", MAX_CUTS);
        }
    }
    return FO_OK;
}

bool foi_loop_grow(foi_node *n)
{
    foi_loop *l = n->extra;
    bool changed = false;
    for (uint32_t i = 0; i < l->cut_count; i++) {
        const foi_array *now = &l->cuts[i].signal->shape;
        foi_array *before = &l->cuts[i].copy->shape;
        bool same =
            now->rows == before->rows && now->cols == before->cols && now->kind == before->kind;
        if (same || !l->cuts[i].signal->known) continue;
        *before = *now;
        changed = true;
    }
    return changed;
}

static const foi_node_type loop_type = {.name = "algebraic loop", .output = foi_loop_solve};

fo_status foi_loop_make(foi_build *b, const foi_loop_member *members, uint32_t count)
{
    foi_diagram *d = b->diagram;
    foi_loop *l = foi_arena_new(b->arena, 1, sizeof *l);
    foi_node *n = foi_arena_new(b->arena, 1, sizeof *n);
    foi_node **place = foi_arena_add(b->arena, &d->loops, &d->loop_count, sizeof n);
    if (!l || !n || !place) return no_memory(b);
    *place = n;
    l->members = foi_arena_new(b->arena, count, sizeof(foi_node *));
    if (!l->members) return no_memory(b);
    *n = (foi_node){.type = &loop_type, .name = members[0].node->name, .extra = l, .every = 1};
    for (uint32_t i = 0; i < count; i++) {
        l->members[i] = members[i].node;
        members[i].node->loop = n;
        members[i].node->rank = i;
    }
    l->member_count = count;
    return find_cuts(b, l);
}

void foi_loop_names(const foi_loop *l, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < l->member_count && used + 48 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "'%.30s' -> ", l->members[i]->name);
    snprintf(text + used, size - used, "'%.30s'", l->members[0]->name);
}

fo_status foi_loop_measure(foi_build *b, foi_node *n)
{
    foi_loop *l = n->extra;
    uint64_t width = 0;
    char names[300];
    foi_loop_names(l, names, sizeof names);
    for (uint32_t i = 0; i < l->cut_count; i++) {
        if (l->cuts[i].signal->shape.kind == FOI_SIGNAL_BOOLEAN)
            return foi_node_refuse(b, l->cuts[i].signal->node,
                                   "the algebraic loop %s leads through boolean values and cannot "
                                   "be solved",
                                   names);
        width += foi_array_width(&l->cuts[i].signal->shape);
    }
    if (width > MAX_CUTS)
        return foi_node_refuse(b, l->members[0],
                               "the algebraic loop %s has %llu unknowns, more than %d", names,
                               (unsigned long long)width, MAX_CUTS);
    l->width = (uint32_t)width;
    n->own_count = l->width;
    for (uint32_t i = 0; i < l->member_count; i++)
        l->kept += l->members[i]->own_count + l->members[i]->guard_count;
    n->work_count = l->width * (l->width + 8) + l->kept;
    return FO_OK;
}

void foi_loop_place(foi_node *n)
{
    const foi_loop *l = n->extra;
    uint32_t at = n->work;
    for (uint32_t i = 0; i < l->cut_count; i++) {
        l->cuts[i].copy->offset = at;
        at += foi_array_width(&l->cuts[i].copy->shape);
    }
}

bool foi_loop_ends(const foi_node *member)
{
    const foi_loop *l = member->loop->extra;
    return l->members[l->member_count - 1] == member;
}
