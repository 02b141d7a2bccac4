/// What a dotted name with subscripts means.
#include <string.h>

#include "base/text.h"
#include "language/session.h"

/// What subscripts choose of one dimension.
typedef struct pick {
    uint32_t count;
    const uint32_t *list; ///< NULL: first, first + 1, ...
    uint32_t first;
    bool scalar;                  ///< the dimension goes
    const foi_flat_expr *dynamic; ///< chosen in the run
} pick;

/// The dimensions of a reference so far.
typedef struct shape {
    uint32_t rank, dims[FOI_MOST_RANK];
    const foi_flat_expr *dynamic[FOI_MOST_RANK];
    bool any_dynamic;
} shape;

/// The way along a dotted name.
typedef struct walk {
    foi_session *s;
    const foi_context *ctx;
    const foi_part *parts;
    uint32_t count;
    shape shape;
    foi_port **ports; ///< asked for connectors instead of a value
    uint32_t *port_count;
    bool *absent;
} walk;

static bool beyond(foi_session *s, foi_place place, const char *name, double index, uint32_t size)
{
    size_t errors = s->messages->errors;
    foi_error(s, place, "subscript %.0f of '%s' is beyond its size %u", index, name, size);
    return s->beyond += s->messages->errors - errors, false;
}

static bool vector_pick(foi_session *s, const char *name, const foi_ast *e, const foi_value *v,
                        uint32_t size, pick *p)
{
    uint32_t *list = foi_arena_new(&s->arena, v->count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < v->count; i++) {
        double index;
        if (!foi_known(s, v->list[i], true, &index))
            return foi_error(s, e->place,
                             "which elements of '%s' are meant is not known before the run", name);
        if (v->type == FOI_BOOLEAN) index += 1;
        if (!(index >= 1 && index <= size)) return beyond(s, e->place, name, index, size);
        list[i] = (uint32_t)index - 1;
    }
    *p = (pick){.count = v->count, .list = list};
    return true;
}

// false is the first element, true the second.
static const foi_flat_expr *of_boolean(foi_session *s, const foi_flat_expr *e)
{
    const foi_flat_expr *first = foi_flat_integer(s->flat, 1);
    const foi_flat_expr *second = foi_flat_integer(s->flat, 2);
    return first && second ? foi_flat_if(s->flat, e, second, first) : NULL;
}

static bool mentions_end(const foi_ast *e, int depth)
{
    bool any = e->kind == FOI_AST_END;
    for (uint32_t i = 0; !any && i < e->count && depth < FOI_DEEPEST_MODEL; i++)
        any = e->items[i] && mentions_end(e->items[i], depth + 1);
    return any;
}

static bool one_pick(foi_session *s, const foi_context *ctx, const char *name, const foi_ast *e,
                     uint32_t size, bool by_name, pick *p)
{
    *p = (pick){.count = size};
    if (e->kind == FOI_AST_COLON) return true;
    foi_context inside = *ctx;
    inside.end_value = size + 1; // `end` of an empty array is 0
    foi_value v;
    if (!foi_expand(s, &inside, e, &v)) return false;
    if (v.record || v.rank > 1 || (v.type != FOI_INTEGER && v.type != FOI_BOOLEAN && v.count))
        return foi_error(s, e->place, "a subscript of '%s' must be Integer, not %s", name,
                         foi_type_text(s, &v));
    bool number = v.type == FOI_INTEGER && !v.literals && v.count && !mentions_end(e, 0);
    if (by_name && number)
        return foi_error(s, e->place,
                         "a subscript of '%s' must be of the type that its declaration names, "
                         "not Integer",
                         name);
    if (v.rank) return vector_pick(s, name, e, &v, size, p);
    double index;
    if (!foi_known(s, v.one, true, &index)) {
        p->dynamic = v.type == FOI_BOOLEAN ? of_boolean(s, v.one) : v.one;
        return p->dynamic != NULL;
    }
    if (v.type == FOI_BOOLEAN) index += 1;
    if (!(index >= 1 && index <= size)) return beyond(s, e->place, name, index, size);
    *p = (pick){.count = 1, .first = (uint32_t)index - 1, .scalar = true};
    return true;
}

static bool find_picks(walk *w, const foi_part *part, const foi_component *c, pick *picks)
{
    if (part->count > c->rank)
        return foi_error(w->s, part->place, "'%s' has %u dimension%s, not %u", part->name, c->rank,
                         c->rank == 1 ? "" : "s", part->count);
    for (uint32_t i = 0; i < c->rank; i++) {
        picks[i] = (pick){.count = c->dims[i]};
        bool by_name = c->by_name >> i & 1;
        if (i < part->count && !one_pick(w->s, w->ctx, part->name, part->subscripts[i], c->dims[i],
                                         by_name, &picks[i]))
            return false;
        if (picks[i].scalar) continue;
        shape *sh = &w->shape;
        if (sh->rank == FOI_MOST_RANK)
            return foi_error(w->s, part->place, "an array has at most %d dimensions",
                             FOI_MOST_RANK);
        sh->dynamic[sh->rank] = picks[i].dynamic;
        sh->any_dynamic |= picks[i].dynamic != NULL;
        sh->dims[sh->rank++] = picks[i].count;
    }
    return true;
}

// The offset of combination k of the picks.
static uint32_t offset_of(const foi_component *c, const pick *picks, uint32_t k)
{
    uint32_t offset = 0, stride = 1;
    for (uint32_t i = c->rank; i-- > 0;) {
        uint32_t at = k % picks[i].count;
        k /= picks[i].count;
        offset += (picks[i].list ? picks[i].list[at] : picks[i].first + at) * stride;
        stride *= c->dims[i];
    }
    return offset;
}

static bool not_a_value(foi_session *s, const foi_part *part)
{
    return foi_error(s, part->place,
                     "'%s' is a function, not a value: it can be called, or given on", part->name);
}

// Of an outer component only that is known which its own declaration promises.
static bool has_outer_part(const walk *w, const foi_component *outer, uint32_t at)
{
    foi_declaration *d = outer->member->declaration;
    const foi_part *part = &w->parts[at];
    if (!d->resolved) d->resolved = foi_find_class(w->s, d->owner, d->type, "type");
    foi_class *c = d->resolved;
    if (!c || !foi_analyse(w->s, c)) return false;
    if (c->builtin || foi_is_bus(c) || foi_find_member(c, part->name)) return true;
    return foi_error(w->s, part->place, "there is no '%s' in %s '%s', which the outer '%s' is%s",
                     part->name, foi_class_word(c), c->name, d->name,
                     foi_hint_in(w->s, c, part->name));
}

// A component of the next name, ready for use.
static bool step(walk *w, foi_instance *in, uint32_t at, foi_component **out)
{
    const foi_part *part = &w->parts[at];
    foi_component *c = foi_component_of(in, part->name);
    foi_session *s = w->s;
    if (!c) {
        const char *hint = foi_hint(s, in, NULL, part->name);
        if (foi_is_bus(in->c)) hint = ": nothing of this name is connected to it";
        return foi_error(s, part->place, "there is no '%s' in %s '%s'%s", part->name,
                         foi_class_word(in->c), in->c->name, hint);
    }
    const foi_component *outer = c;
    if (!(c = foi_named(s, c))) return false;
    if (outer != c && at + 1 < w->count && !has_outer_part(w, outer, at + 1)) return false;
    if (foi_is_handed_over(c)) return not_a_value(s, part);
    *out = c;
    if (!foi_size(s, c)) return false;
    if (c->absent) {
        if (w->absent) return *w->absent = true, false;
        return foi_error(s, part->place, "'%s' does not exist: %s", c->name,
                         foi_is_bus(in->c) ? "nothing is connected to it"
                                           : "its condition is false");
    }
    if (c->member->declaration->condition && !w->ports && !in->frame)
        return foi_error(s, part->place,
                         "'%s' is conditional: it can only be connected, or used inside of itself",
                         c->name);
    if (at > 0 && c->member->is_protected && !in->frame)
        return foi_error(s, part->place, "'%s' is protected in %s '%s'", part->name,
                         foi_class_word(in->c), in->c->name);
    if (c->type->builtin && c->variability <= FOI_PARAMETER && !foi_bind(s, c)) return false;
    if (c->type->builtin && foi_is_text(c)) return foi_find_texts(s, c);
    return true;
}

// Elements chosen in the run: for each place of the other dimensions an element of an array that
// runs over the dynamic ones.
static bool choose(walk *w, const shape *sh, const char *name, const foi_value *v, foi_value *out)
{
    foi_session *s = w->s;
    foi_place place = w->parts[0].place;
    uint32_t dims[FOI_MOST_RANK], rank = 0, inner_dims[FOI_MOST_RANK], inner = 0, inner_count = 1;
    const foi_flat_expr *subscripts[FOI_MOST_RANK];
    for (uint32_t i = 0; i < v->rank; i++) {
        if (i < sh->rank && sh->dynamic[i]) {
            subscripts[inner] = sh->dynamic[i];
            inner_count *= v->dims[i];
            inner_dims[inner++] = v->dims[i];
        } else {
            dims[rank++] = v->dims[i];
        }
    }
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, v, rank, dims, out, &list)) return false;
    if (!foi_work(s, place, v->count)) return false;
    if (inner_count == 0) return foi_error(s, place, "'%s' has no elements to choose from", name);
    foi_flat_variable **elements = foi_arena_new(&s->flat->arena, v->count, sizeof *elements);
    foi_flat_array *arrays = foi_arena_new(&s->flat->arena, out->count, sizeof *arrays);
    uint32_t *kept = foi_arena_new(&s->flat->arena, inner, sizeof *kept);
    const foi_flat_expr **arguments = foi_arena_new(&s->flat->arena, inner, sizeof *arguments);
    name = foi_arena_text(&s->flat->arena, name, strlen(name));
    if (!elements || !arrays || !kept || !arguments || !name) return false;
    memcpy(kept, inner_dims, inner * sizeof *kept);
    memcpy(arguments, subscripts, inner * sizeof *arguments);
    for (uint32_t k = 0; k < v->count; k++) {
        uint32_t rest = k, outer = 0, outer_stride = 1, at = 0, stride = 1;
        for (uint32_t i = v->rank; i-- > 0;) {
            uint32_t index = rest % v->dims[i];
            rest /= v->dims[i];
            if (i < sh->rank && sh->dynamic[i])
                at += index * stride, stride *= v->dims[i];
            else
                outer += index * outer_stride, outer_stride *= v->dims[i];
        }
        elements[outer * inner_count + at] = v->list[k]->variable;
    }
    uint32_t size = 1;
    for (uint32_t i = 0; i < inner; i++) size += arguments[i]->size;
    for (uint32_t k = 0; k < out->count; k++) {
        arrays[k] =
            (foi_flat_array){name, elements + (size_t)k * inner_count, kept, inner, inner_count};
        foi_flat_expr *e = foi_arena_new(&s->flat->arena, 1, sizeof *e);
        if (!e) return false;
        *e = (foi_flat_expr){.op = FOI_OP_ELEMENT, .type = v->type, .count = inner, .size = size};
        e->array = &arrays[k], e->arguments = arguments;
        list[k] = e;
    }
    if (rank == 0) out->one = list[0];
    return true;
}

// Whole arrays with a subscript for each dimension, as in loops of functions: made once.
static bool choose_simple(walk *w, foi_component *c, const shape *sh, foi_value *out)
{
    foi_session *s = w->s;
    if (!c->array) {
        foi_flat_array *a = foi_arena_new(&s->flat->arena, 1, sizeof *a);
        foi_flat_variable **elements = foi_arena_new(&s->flat->arena, c->count, sizeof *elements);
        uint32_t *dims = foi_arena_new(&s->flat->arena, c->rank, sizeof *dims);
        const char *name = foi_arena_text(&s->flat->arena, c->name, strlen(c->name));
        if (!a || !elements || !dims || !name) return false;
        memcpy(elements, c->variables, c->count * sizeof *elements);
        memcpy(dims, c->dims, c->rank * sizeof *dims);
        *a = (foi_flat_array){name, elements, dims, c->rank, c->count};
        c->array = a;
    }
    const foi_flat_expr **arguments = foi_arena_new(&s->flat->arena, c->rank, sizeof *arguments);
    foi_flat_expr *e = foi_arena_new(&s->flat->arena, 1, sizeof *e);
    if (!arguments || !e) return false;
    *e = (foi_flat_expr){.op = FOI_OP_ELEMENT, .type = c->type->type, .count = c->rank, .size = 1};
    for (uint32_t i = 0; i < c->rank; i++)
        arguments[i] = sh->dynamic[i], e->size += arguments[i]->size;
    e->array = c->array, e->arguments = arguments;
    *out = foi_scalar(e);
    return true;
}

// A variable that a subscript of the run may choose; constants of packages join the model then.
static const foi_flat_expr *as_variable(walk *w, foi_component *c, uint32_t k)
{
    foi_session *s = w->s;
    foi_flat_variable *v = c->variables[k];
    if (v->index == UINT32_MAX) {
        foi_flat_variable **slot =
            foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
        if (!slot) return NULL;
        v->index = s->variable_count - 1;
        *slot = v;
    }
    return foi_flat_of(s->flat, v);
}

// One of several texts, by a subscript of the run: a chain of choices.
static bool choose_text(walk *w, const shape *sh, const char *name, const foi_value *v,
                        foi_value *out)
{
    foi_session *s = w->s;
    if (v->rank != 1 || !v->count)
        return foi_error(s, w->parts[0].place,
                         "which String of '%s' is meant is not known before the run", name);
    const foi_flat_expr *e = v->list[v->count - 1];
    for (uint32_t k = v->count - 1; k-- > 0;) {
        const foi_flat_expr *at = foi_flat_integer(s->flat, k + 1);
        const foi_flat_expr *here =
            at ? foi_flat_binary(s->flat, FOI_OP_EQUAL, sh->dynamic[0], at) : NULL;
        if (!here || !(e = foi_flat_if(s->flat, here, v->list[k], e))) return false;
    }
    *out = foi_scalar(e);
    return true;
}

static bool gather_variables(walk *w, foi_component *const *found, uint32_t count,
                             const pick *picks, uint32_t each, foi_value *out)
{
    foi_component *c = found[0];
    foi_session *s = w->s;
    const shape *sh = &w->shape;
    bool all = count == 1 && sh->any_dynamic && sh->rank == c->rank && c->count;
    for (uint32_t i = 0; all && i < sh->rank; i++) all = sh->dynamic[i];
    bool texts = sh->any_dynamic && !c->variables;
    if (all && !texts) {
        for (uint32_t k = 0; !c->array && k < c->count; k++)
            if (!as_variable(w, c, k)) return false;
        if (!choose_simple(w, c, sh, out)) return false;
        out->literals = c->type->builtin->literal_count ? c->type->builtin : NULL;
        return true;
    }
    const foi_flat_expr **list = NULL;
    foi_value v = {.type = c->type->type};
    if (sh->rank == 0) {
        v.rank = 0, v.count = 1, v.one = c->nodes[offset_of(c, picks, 0)];
    } else if (!foi_new_array(s, w->parts[0].place, c->type->type, sh->rank, sh->dims, &v, &list)) {
        return false;
    }
    v.literals = c->type->builtin->literal_count ? c->type->builtin : NULL;
    for (uint32_t j = 0; list && j < count; j++)
        for (uint32_t k = 0; k < each; k++) {
            uint32_t at = offset_of(c, picks, k);
            *list = sh->any_dynamic && !texts ? as_variable(w, found[j], at) : found[j]->nodes[at];
            if (!*list++) return false;
        }
    if (texts) return choose_text(w, sh, c->name, &v, out);
    if (sh->any_dynamic) return choose(w, sh, c->name, &v, out);
    *out = v;
    return true;
}

static bool walk_on(walk *w, foi_instance *const *in, uint32_t count, uint32_t at, foi_value *out);

// All fields of records, each as if it were named.
static bool gather_record(walk *w, foi_instance *const *in, uint32_t count, foi_class *c,
                          foi_value *out)
{
    foi_value *fields = foi_arena_new(&w->s->arena, c->member_count, sizeof *fields);
    if (!fields || !foi_enter(w->s, w->parts[0].place)) return false;
    bool right = true;
    for (uint32_t f = 0; right && f < c->member_count; f++) {
        walk inner = *w;
        foi_part part = {.name = c->members[f].declaration->name, .place = w->parts[0].place};
        inner.parts = &part, inner.count = 1;
        right = walk_on(&inner, in, count, 0, &fields[f]);
    }
    w->s->depth--;
    *out = (foi_value){.record = c, .count = 1, .fields = fields};
    for (uint32_t i = 0; i < w->shape.rank; i++)
        if (!w->shape.dynamic[i]) {
            out->dims[out->rank++] = w->shape.dims[i];
            out->count *= w->shape.dims[i];
        }
    return right;
}

static bool gather_ports(walk *w, foi_component *const *found, uint32_t count, const pick *picks,
                         uint32_t each)
{
    if (w->shape.any_dynamic)
        return foi_error(w->s, w->parts[0].place,
                         "which connector is meant is not known before the run");
    foi_port *ports = foi_arena_new(&w->s->arena, (size_t)count * each, sizeof *ports);
    if (!ports || !foi_work(w->s, w->parts[0].place, (uint64_t)count * each)) return false;
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t k = 0; k < each; k++) {
            uint32_t at = offset_of(found[j], picks, k);
            foi_component *c = found[j];
            ports[j * each + k] = (foi_port){c, at, c->elements ? c->elements[at] : NULL};
        }
    *w->ports = ports, *w->port_count = count * each;
    return true;
}

// x.y of an array of models that has no elements: an array of y's type without any.
static bool nothing_of(walk *w, foi_class *c, uint32_t at, foi_value *out)
{
    foi_session *s = w->s;
    foi_value v = {.rank = w->shape.rank};
    memcpy(v.dims, w->shape.dims, sizeof v.dims);
    for (uint32_t i = at + 1; i < w->count && !c->builtin; i++) {
        const foi_member *m = foi_find_member(c, w->parts[i].name);
        if (!m)
            return foi_error(s, w->parts[i].place, "there is no '%s' in %s '%s'", w->parts[i].name,
                             foi_class_word(c), c->name);
        foi_declaration *d = m->declaration;
        if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
        if (!d->resolved || !foi_analyse(s, d->resolved)) return false;
        uint32_t more = d->rank - (w->parts[i].count < d->rank ? w->parts[i].count : d->rank);
        for (uint32_t k = 0; k < more && v.rank < FOI_MOST_RANK; k++) v.dims[v.rank++] = 0;
        c = d->resolved;
    }
    if (!c->builtin)
        return foi_error(s, w->parts[at].place, "'%s' has no elements", w->parts[at].name);
    v.type = c->type, v.literals = c->builtin->literal_count ? c->builtin : NULL;
    *out = v;
    return true;
}

// All instances of a part, then on to the next.
static bool through_models(walk *w, foi_component *const *found, uint32_t count, const pick *picks,
                           uint32_t each, uint32_t at, foi_value *out)
{
    uint64_t total = (uint64_t)count * each;
    foi_class *c = found[0]->type;
    foi_instance *one, **list = &one;
    if (total > FOI_MOST_ELEMENTS)
        return foi_error(w->s, w->parts[at].place, "an array has at most %d elements",
                         FOI_MOST_ELEMENTS);
    if (total != 1 && !(list = foi_arena_new(&w->s->arena, (size_t)total, sizeof *list)))
        return false;
    if (!foi_work(w->s, w->parts[at].place, total)) return false;
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t k = 0; k < each; k++)
            list[j * each + k] = found[j]->elements[offset_of(found[j], picks, k)];
    if (total == 0) return nothing_of(w, c, at, out);
    if (at + 1 < w->count) return walk_on(w, list, (uint32_t)total, at + 1, out);
    if (c->kind == FOI_CLASS_RECORD || c->kind == FOI_CLASS_CONNECTOR)
        return gather_record(w, list, (uint32_t)total, c, out);
    return foi_error(w->s, w->parts[at].place, "'%s' is a %s, not a value", found[0]->name,
                     foi_class_word(c));
}

// Goes on with the name at `at` in all of these instances, which are of one class.
static bool walk_on(walk *w, foi_instance *const *in, uint32_t count, uint32_t at, foi_value *out)
{
    const foi_part *part = &w->parts[at];
    foi_component *one, **found = &one;
    if (count > 1 && !(found = foi_arena_new(&w->s->arena, count, sizeof *found))) return false;
    for (uint32_t j = 0; j < count; j++) {
        if (!step(w, in[j], at, &found[j])) return false;
        bool same = found[j]->rank == found[0]->rank &&
                    memcmp(found[j]->dims, found[0]->dims, found[0]->rank * sizeof(uint32_t)) == 0;
        if (!same)
            return foi_error(w->s, part->place, "'%s' and '%s' differ in size", found[0]->name,
                             found[j]->name);
    }
    pick picks[FOI_MOST_RANK];
    if (!find_picks(w, part, found[0], picks)) return false;
    uint32_t each = 1;
    for (uint32_t i = 0; i < found[0]->rank; i++) each *= picks[i].count;
    if (w->ports && at + 1 == w->count) return gather_ports(w, found, count, picks, each);
    if (!found[0]->type->builtin) return through_models(w, found, count, picks, each, at, out);
    if (at + 1 < w->count)
        return foi_error(w->s, w->parts[at + 1].place, "'%s' is %s and has no '%s'", found[0]->name,
                         found[0]->type->builtin->name, w->parts[at + 1].name);
    return gather_variables(w, found, count, picks, each, out);
}

// What known subscripts choose of a value.
static bool picked(foi_session *s, foi_place place, const foi_value *v, const pick *picks,
                   foi_value *out)
{
    uint32_t rank = 0, dims[FOI_MOST_RANK], count = 1;
    for (uint32_t i = 0; i < v->rank; i++) {
        if (!picks[i].scalar) dims[rank++] = picks[i].count;
        count *= picks[i].count;
    }
    if (v->record) {
        uint32_t n = v->record->member_count;
        foi_value *fields = foi_arena_new(&s->arena, n, sizeof *fields);
        if (!fields) return false;
        for (uint32_t i = 0; i < n; i++) {
            pick inner[FOI_MOST_RANK];
            memcpy(inner, picks, v->rank * sizeof *inner);
            for (uint32_t k = v->rank; k < v->fields[i].rank; k++)
                inner[k] = (pick){.count = v->fields[i].dims[k]};
            if (!picked(s, place, &v->fields[i], inner, &fields[i])) return false;
        }
        *out = (foi_value){.record = v->record, .rank = rank, .count = count, .fields = fields};
        memcpy(out->dims, dims, rank * sizeof *dims);
        return true;
    }
    const foi_flat_expr **list;
    foi_value from = *v;
    if (!foi_new_like(s, place, &from, rank, dims, out, &list)) return false;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t offset = 0, stride = 1, rest = k;
        for (uint32_t i = from.rank; i-- > 0;) {
            uint32_t at = rest % picks[i].count;
            rest /= picks[i].count;
            offset += (picks[i].list ? picks[i].list[at] : picks[i].first + at) * stride;
            stride *= from.dims[i];
        }
        list[k] = foi_item(&from, offset);
    }
    if (rank == 0) out->one = list[0];
    return true;
}

// The same where some are known in the run only: a chain of choices.
static bool picked_in_run(foi_session *s, const foi_part *part, const foi_value *v, pick *picks,
                          foi_value *out)
{
    uint32_t at = 0;
    while (at < v->rank && !picks[at].dynamic) at++;
    if (at == v->rank) return picked(s, part->place, v, picks, out);
    const uint32_t size = v->dims[at];
    if (!size) return foi_error(s, part->place, "'%s' has no elements to choose from", part->name);
    if (!foi_work(s, part->place, v->count)) return false;
    const pick kept = picks[at];
    const foi_flat_expr *index = foi_number_within(s, part->name, size, kept.dynamic);
    bool right = index != NULL;
    for (uint32_t k = size; k-- > 0 && right;) {
        foi_value here, rest = {0};
        if (k + 1 < size) rest = *out;
        picks[at] = (pick){.count = 1, .first = k, .scalar = true};
        right = picked_in_run(s, part, v, picks, &here);
        if (k + 1 == size) *out = here;
        if (k + 1 == size || !right) continue;
        const foi_flat_expr *number = foi_flat_integer(s->flat, k + 1.0);
        const foi_flat_expr *is =
            number ? foi_flat_binary(s->flat, FOI_OP_EQUAL, index, number) : NULL;
        right = is && foi_merge(s, part->place, is, &here, &rest, out);
    }
    picks[at] = kept;
    return right;
}

// Subscripts and fields of a value that a name stands for.
static bool of_value(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_value v,
                     foi_value *out)
{
    for (uint32_t i = 0; i < ref->count; i++) {
        const foi_part *part = &ref->parts[i];
        if (v.function) return not_a_value(s, &ref->parts[0]);
        if (i > 0) {
            const foi_member *m = v.record ? foi_find_member(v.record, part->name) : NULL;
            if (!m)
                return foi_error(s, part->place, "there is no '%s' in '%s'", part->name,
                                 ref->parts[i - 1].name);
            v = v.fields[m - v.record->members];
        }
        if (part->count > v.rank)
            return foi_error(s, part->place, "'%s' has %u dimensions, not %u", part->name, v.rank,
                             part->count);
        pick picks[FOI_MOST_RANK];
        for (uint32_t k = 0; k < v.rank; k++) {
            picks[k] = (pick){.count = v.dims[k]};
            if (k < part->count &&
                !one_pick(s, ctx, part->name, part->subscripts[k], v.dims[k], false, &picks[k]))
                return false;
        }
        foi_value chosen = v;
        if (part->count && !picked_in_run(s, part, &v, picks, &chosen)) return false;
        v = chosen;
    }
    *out = v;
    return true;
}

static bool literal_of(foi_session *s, foi_class *c, const foi_part *part, foi_value *out)
{
    for (uint32_t i = 0; i < c->builtin->literal_count; i++)
        if (c->builtin->literals[i].name == part->name) {
            *out = foi_scalar(foi_flat_integer(s->flat, i + 1));
            out->literals = c->builtin;
            return out->one;
        }
    foi_nearest near = foi_nearest_to(part->name);
    for (uint32_t i = 0; i < c->builtin->literal_count; i++)
        foi_nearest_try(&near, c->builtin->literals[i].name);
    return foi_error(s, part->place, "enumeration '%s' has no literal '%s'%s", c->name, part->name,
                     foi_nearest_hint(&near));
}

// Is one class written in the other? What is protected in a base has no name through that base.
static bool is_around(const foi_class *inside, const foi_class *c)
{
    while (inside && foi_origin((foi_class *)inside) != foi_origin((foi_class *)c))
        inside = inside->enclosing;
    return inside;
}

// A constant of another class: of a package, or of what is like one, and public.
static bool may_name(foi_session *s, const foi_part *part, foi_class *c, const foi_member *m)
{
    if (m->is_protected)
        return foi_error(s, part->place, "'%s' is protected in '%s'", part->name,
                         foi_class_path(s, c));
    if (!foi_is_package_like(s, c))
        return foi_error(s, part->place,
                         "'%s' is a %s, not a package: its '%s' cannot be used from outside",
                         foi_class_path(s, c), foi_class_word(c), part->name);
    if (foi_origin(c)->partial && foi_lacks(s)) return false;
    if (foi_origin(c)->partial)
        return foi_error(s, part->place, "'%s' is partial: its '%s' cannot be used",
                         foi_class_path(s, c), part->name);
    return true;
}

// The model around that has the constant, or the package.
static foi_instance *holder_of(foi_session *s, const foi_context *ctx, foi_class *owner)
{
    bool package = owner->kind == FOI_CLASS_PACKAGE;
    for (foi_instance *i = package ? NULL : ctx->self; i; i = i->parent ? i->parent->parent : NULL)
        if (foi_as_base(i->c, owner)) return i;
    return foi_package_instance(s, owner);
}

// import b = P.c: the constant has its own name there.
static bool own_names(walk *w, const foi_member *m)
{
    if (w->parts[0].name == m->declaration->name) return true;
    foi_part *parts = foi_arena_new(&w->s->arena, w->count, sizeof *parts);
    if (!parts) return false;
    memcpy(parts, w->parts, w->count * sizeof *parts);
    parts[0].name = m->declaration->name;
    w->parts = parts;
    return true;
}

// A name that is not a component here: a constant of a package, or a literal.
static bool from_classes(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_value *out)
{
    const foi_part *parts = ref->parts;
    size_t errors = s->messages->errors;
    foi_found f = {0};
    if (ref->global)
        f.c = foi_find_in_class(s, &s->root, parts[0].name);
    else
        f = foi_lookup(s, ctx->lexical, parts[0].name);
    uint32_t at = 0;
    if (f.literal) {
        foi_part part = {.name = f.literal, .place = parts[0].place};
        if (ref->count > 1)
            return foi_error(s, parts[1].place, "a literal has no '%s'", parts[1].name);
        return foi_analyse(s, f.c) && literal_of(s, f.c, &part, out);
    }
    while (f.c && at + 1 < ref->count) {
        if (!foi_analyse(s, f.c)) return false;
        if (f.c->builtin && f.c->builtin->literal_count) {
            if (at + 2 < ref->count)
                return foi_error(s, parts[at + 2].place, "a literal has no '%s'",
                                 parts[at + 2].name);
            return literal_of(s, f.c, &parts[at + 1], out);
        }
        at++;
        foi_class *inner = foi_find_in_class(s, f.c, parts[at].name);
        bool inside = !ref->global && foi_is_within(ctx->lexical, f.c);
        if (inner && inner->is_protected && !inside && s->messages->errors == errors)
            return foi_error(s, parts[at].place, "'%s' is protected in '%s'", parts[at].name,
                             foi_class_path(s, f.c));
        if (inner && !inner->encapsulated && !inside && !foi_is_package_like(s, f.c) &&
            s->messages->errors == errors)
            return foi_error(s, parts[at].place,
                             "'%s' is not a package: its class '%s' can be used inside of it only",
                             foi_class_path(s, f.c), parts[at].name);
        foi_found next = {.c = inner};
        if (!inner)
            next = (foi_found){.owner = f.c, .member = foi_find_member(f.c, parts[at].name)};
        if (!inner && !next.member && s->messages->errors == errors)
            return foi_error(s, parts[at].place, "there is no '%s' in %s '%s'%s", parts[at].name,
                             foi_class_word(f.c), foi_class_path(s, f.c),
                             foi_hint_in(s, f.c, parts[at].name));
        if (next.member && next.member->is_protected) inside = is_around(ctx->lexical, f.c);
        if (next.member && !inside && !may_name(s, &parts[at], f.c, next.member)) return false;
        f = next;
    }
    if (f.c)
        return foi_error(s, ref->place, "'%s' is a %s, not a value", parts[at].name,
                         foi_class_word(f.c));
    if (!f.member) {
        if (s->messages->errors > errors || (s->apart && foi_lacks(s))) return false;
        return foi_error(s, parts[0].place, "'%s' is not declared%s", parts[0].name,
                         foi_hint(s, ctx->self, NULL, parts[0].name));
    }
    // a short class in a model is looked at by itself: its modifications mean an instance around it
    const foi_class *alone = s->reviewed;
    bool constant = f.member->declaration->variability == FOI_CONSTANT;
    if (!constant && alone && alone->is_short && foi_is_within(alone, f.owner) && foi_lacks(s))
        return false;
    if (!constant)
        return foi_error(s, parts[at].place,
                         "'%s' of '%s' cannot be used here: it is not a constant", parts[at].name,
                         f.owner->name);
    foi_instance *package = holder_of(s, ctx, f.owner);
    if (!package) return false;
    walk w = {.s = s, .ctx = ctx, .parts = parts + at, .count = ref->count - at};
    return own_names(&w, f.member) && walk_on(&w, &package, 1, 0, out);
}

bool foi_expand_ref(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_value *value)
{
    const char *name = ref->parts[0].name;
    const foi_scope *local = ref->global ? NULL : foi_in_scope(ctx, name);
    if (local) return of_value(s, ctx, ref, local->value, value);
    foi_instance *self = ctx->self;
    if (!ref->global && foi_seen(ctx, name)) {
        bool moves, right = foi_moving_slice(s, ctx, ref, &moves, value);
        if (moves || !right) return right;
        walk w = {.s = s, .ctx = ctx, .parts = ref->parts, .count = ref->count};
        return walk_on(&w, &self, 1, 0, value);
    }
    if (name == s->name_time && ref->count == 1) {
        if (ref->parts[0].count) return foi_error(s, ref->place, "'time' has no subscripts");
        foi_class_kind kind = ctx->lexical ? ctx->lexical->kind : FOI_CLASS_MODEL;
        if (kind == FOI_CLASS_FUNCTION || kind == FOI_CLASS_RECORD || kind == FOI_CLASS_CONNECTOR)
            return foi_error(s, ref->place, "'time' cannot be used in a %s",
                             foi_class_word(ctx->lexical));
        *value = foi_scalar(foi_flat_time(s->flat));
        return value->one;
    }
    return from_classes(s, ctx, ref, value);
}

bool foi_instance_value(foi_session *s, foi_place place, foi_instance *instance, foi_value *value)
{
    foi_context ctx = {.self = instance, .lexical = instance->c};
    foi_part part = {.name = instance->c->name, .place = place};
    walk w = {.s = s, .ctx = &ctx, .parts = &part, .count = 1};
    return gather_record(&w, &instance, 1, instance->c, value);
}

bool foi_expand_ports(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_port **ports,
                      uint32_t *count, bool *outside, bool *absent)
{
    foi_component *first = foi_seen(ctx, ref->parts[0].name);
    *count = 0, *absent = false;
    if (!first)
        return foi_error(s, ref->place, "'%s' is not declared%s", ref->parts[0].name,
                         foi_hint(s, ctx->self, NULL, ref->parts[0].name));
    if (!(first = foi_named(s, first))) return false;
    walk w = {.s = s, .ctx = ctx, .parts = ref->parts, .count = ref->count};
    w.ports = ports, w.port_count = count, w.absent = absent;
    foi_instance *self = ctx->self;
    foi_value unused;
    if (!walk_on(&w, &self, 1, 0, &unused)) return *absent;
    *outside = first->type->kind == FOI_CLASS_CONNECTOR;
    return true;
}
