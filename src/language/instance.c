/// Components of the model, made when they are needed: a size may depend on a parameter that is
/// declared later.
#include <string.h>

#include "base/text.h"
#include "language/session.h"

foi_instance *foi_make_instance(foi_session *s, foi_class *c, foi_component *parent,
                                const char *name, const foi_layer *layers, foi_frame *frame)
{
    foi_instance *i = foi_arena_new(&s->arena, 1, sizeof *i);
    foi_component *list = foi_arena_new(&s->arena, c->member_count, sizeof *list);
    if (!i || !list || !name) return NULL;
    *i = (foi_instance){.c = c, .parent = parent, .name = name, .components = list};
    i->layers = layers, i->frame = frame, i->count = c->member_count;
    i->depth = parent ? parent->parent->depth + 1 : 0;
    i->is_package = parent && parent->parent->is_package;
    for (uint32_t k = 0; k < c->member_count; k++) {
        list[k].member = &c->members[k];
        list[k].parent = i;
    }
    return i;
}

foi_component *foi_component_of(const foi_instance *instance, const char *name)
{
    const foi_member *m = foi_find_member(instance->c, name);
    size_t at = m ? (size_t)(m - instance->c->members) : 0;
    return m && at < instance->count ? &instance->components[at] : NULL;
}

foi_instance *foi_package_instance(foi_session *s, foi_class *c)
{
    if (!c->constants) {
        if (!foi_analyse(s, c)) return NULL;
        c->constants = foi_make_instance(s, c, NULL, foi_class_path(s, c), NULL, NULL);
        if (c->constants) c->constants->is_package = true;
    }
    return c->constants;
}

// The modifications of `name` in one modifier, put before `rest`.
static const foi_layer *layer_for(foi_session *s, const foi_layer *from, const char *name,
                                  const foi_layer *rest)
{
    const foi_modifier *m = from->modifier;
    for (uint32_t i = m ? m->count : 0; i-- > 0;) {
        const foi_argument *argument = &m->arguments[i];
        if (argument->name != name || !argument->modifier) continue;
        foi_layer *layer = foi_arena_new(&s->arena, 1, sizeof *layer);
        if (!layer) return NULL;
        *layer = *from;
        layer->modifier = argument->modifier;
        layer->own = false;
        layer->each = argument->each;
        layer->is_final = argument->is_final;
        if (argument->each) layer->indices = NULL, layer->index_count = 0;
        layer->weaker = rest;
        rest = layer;
    }
    return rest;
}

const foi_layer *foi_layers_for(foi_session *s, const foi_layer *layers, const char *name,
                                const foi_layer *weaker)
{
    // few layers: the weakest is treated first
    const foi_layer *stack[FOI_DEEPEST_MODEL];
    int count = 0;
    for (; layers && count < FOI_DEEPEST_MODEL; layers = layers->weaker) stack[count++] = layers;
    while (count > 0) weaker = layer_for(s, stack[--count], name, weaker);
    return weaker;
}

// Where the names of a text mean something for an instance: of a constant in the package that has
// it.
static foi_class *seen_from(foi_session *s, const foi_instance *self, foi_class *text)
{
    if (!self->is_package || self->parent) return text;
    foi_class *view = foi_view(s, text, self->c);
    return view ? view : text;
}

// What extends clauses say about a name, each stronger than the one before.
static const foi_layer *inherited_layers(foi_session *s, const foi_inherited *through,
                                         foi_instance *self, const char *name,
                                         const foi_layer *layers)
{
    const foi_inherited *stack[FOI_DEEPEST_MODEL];
    int count = 0;
    for (const foi_inherited *i = through; i && count < FOI_DEEPEST_MODEL; i = i->weaker)
        stack[count++] = i;
    while (count > 0) {
        foi_layer from = {.modifier = stack[--count]->modifier};
        from.context = (foi_context){.self = self, .frame = self->frame};
        from.context.lexical = seen_from(s, self, stack[count]->lexical);
        if (stack[count]->self) from.context.self = stack[count]->self, from.context.frame = NULL;
        if (stack[count]->outside) {
            foi_instance *up = self->parent ? self->parent->parent : NULL;
            from.context.self = foi_instance_around(up, stack[count]->lexical);
            from.context.frame = NULL;
        }
        layers = layer_for(s, &from, name, layers);
    }
    for (const foi_layer *l = layers; l; l = l->weaker) ((foi_layer *)l)->own = true;
    return layers;
}

// What the declaration of a member says, and then extends clauses, each stronger than the one
// before. Where it takes the place of another by `redeclare`, it begins with what still counts of
// that one: its constrainedby clause, or all that its declaration says where that is the first one.
static const foi_layer *member_layers(foi_session *s, foi_component *c, const foi_member *m)
{
    const foi_declaration *d = m->declaration;
    const foi_layer *layers = m->replaced ? member_layers(s, c, m->replaced) : NULL;
    bool clause = d->kept != d->modifier, counts = !clause && !d->redeclare;
    foi_context here = {.self = c->parent, .frame = c->parent->frame};
    here.lexical = seen_from(s, c->parent, d->owner);
    const foi_modifier *said[] = {clause ? d->kept : NULL,
                                  m == c->member || counts ? d->modifier : NULL};
    for (int i = 0; i < 2; i++) { // of a constrainedby clause, then its own
        if (!said[i]) continue;
        foi_layer *own = foi_arena_new(&s->arena, 1, sizeof *own);
        if (!own) return NULL;
        *own = (foi_layer){.modifier = said[i], .context = here, .weaker = layers};
        own->is_final = d->is_final;
        layers = own;
    }
    return inherited_layers(s, m->through, c->parent, d->name, layers);
}

// All modifications of a component: its own declaration's, then those of extends clauses, then
// those from outside, each stronger than the one before.
static const foi_layer *component_layers(foi_session *s, foi_component *c)
{
    const foi_layer *layers = member_layers(s, c, c->member);
    return foi_layers_for(s, c->parent->layers, c->member->declaration->name, layers);
}

bool foi_check_outer_unmodified(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    for (const foi_layer *l = component_layers(s, c); l; l = l->weaker)
        if (l->modifier->count || l->modifier->value || l->modifier->removes)
            return foi_error(s, l->modifier->place,
                             "'%s' is outer: only the inner component can be modified", d->name);
    return true;
}

static const char *const attributes[] = {"start",       "fixed",    "min",         "max",
                                         "nominal",     "unit",     "displayUnit", "quantity",
                                         "stateSelect", "unbounded"};

bool foi_is_attribute(const char *name)
{
    for (size_t k = 0; k < sizeof attributes / sizeof attributes[0]; k++)
        if (strcmp(name, attributes[k]) == 0) return true;
    return false;
}

// Every modified name must be there.
static bool check_layers(foi_session *s, const foi_component *c)
{
    bool right = true;
    for (const foi_layer *l = c->layers; l; l = l->weaker)
        for (uint32_t i = 0; i < l->modifier->count; i++) {
            const foi_argument *a = &l->modifier->arguments[i];
            bool known = false;
            if (c->type->builtin)
                known = foi_is_attribute(a->name);
            else
                known =
                    foi_find_member(c->type, a->name) || (a->modifier && a->modifier->is_class &&
                                                          foi_find_in_class(s, c->type, a->name));
            const foi_member *m = c->type->builtin ? NULL : foi_find_member(c->type, a->name);
            if (m && m->is_protected && !c->parent->frame)
                right =
                    foi_error(s, a->place, "'%s' is protected in %s '%s': it cannot be modified",
                              a->name, foi_class_word(c->type), c->type->name);
            if (known) continue;
            foi_instance of = {.c = c->type};
            foi_nearest near = foi_nearest_to(a->name);
            for (size_t k = 0; k < sizeof attributes / sizeof attributes[0]; k++)
                foi_nearest_try(&near, attributes[k]);
            right = foi_error(s, a->place, "'%s' has no '%s' to modify%s", c->type->name, a->name,
                              c->type->builtin ? foi_nearest_hint(&near)
                                               : foi_hint(s, &of, NULL, a->name));
        }
    return right;
}

// What is final cannot be given another value, nor can anything in it.
static bool check_final(foi_session *s, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const foi_layer *stronger = NULL;
    for (const foi_layer *l = c->layers; l; l = l->weaker) {
        const foi_modifier *m = l->modifier;
        bool value = m->value || m->removes, declared = m == d->modifier || m == d->kept;
        if (!value && !m->count && !m->type) continue;
        if (stronger && l->is_final) {
            const foi_modifier *by = stronger->modifier;
            if (value && (by->value || by->removes))
                return foi_error(s, by->place, "the value of '%s' is final", c->name);
            return foi_error(s, by->place, "'%s' is final: it cannot be modified", c->name);
        }
        if (!declared) stronger = l;
    }
    if (stronger && d->is_final)
        return foi_error(s, stronger->modifier->place, "'%s' is final: it cannot be modified",
                         c->name);
    return true;
}

foi_component *foi_inner(foi_session *s, foi_component *c)
{
    return foi_is_outer(c) ? foi_named(s, c) : c;
}

foi_component *foi_named(foi_session *s, foi_component *c)
{
    if (!c->member->declaration->outer) return c;
    const char *name = c->member->declaration->name;
    for (const foi_component *up = c->parent->parent; up; up = up->parent->parent) {
        foi_component *found = foi_component_of(up->parent, name);
        if (found && found->member->declaration->inner) return found;
    }
    if (foi_lacks(s)) return NULL;
    foi_component *made = foi_declare_inner(s, c);
    if (!made)
        foi_error(s, c->member->declaration->place,
                  "there is no 'inner %s' in the enclosing models", name);
    return made;
}

// Whoever extends the class, or uses it, puts another one in its place.
static bool lacks_class(foi_session *s, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    return (d->replaceable || c->parent->c->partial || c->type->replaceable) && foi_lacks(s);
}

static bool find_type(foi_session *s, foi_component *c)
{
    foi_declaration *d = c->member->declaration;
    if (!foi_find_declared_type(s, c)) return false;
    if (!foi_keeps_promise(s, c->type)) return false;
    c->type = foi_redeclare_classes(s, c->type, c->layers);
    if (!c->type || !foi_analyse(s, c->type)) return false;
    c->type = foi_take_inner_classes(s, c, c->type);
    if (!c->type || !foi_analyse(s, c->type)) return false;
    if (c->type->builtin) return true;
    const char *word = foi_class_word(c->type);
    if (c->type->kind == FOI_CLASS_FUNCTION || c->type->kind == FOI_CLASS_PACKAGE)
        return foi_error(s, d->type->place, "'%s' is a %s; a component cannot be of that type",
                         c->type->name, word);
    const foi_class *whole = c->type;
    while (!whole->partial && whole->is_short && whole->extends_count == 1 &&
           whole->extends[0].resolved)
        whole = whole->extends[0].resolved;
    if (whole->partial && lacks_class(s, c)) return false;
    if (whole->partial)
        return foi_error(s, d->type->place, "'%s' is partial: it can only be extended",
                         c->type->name);
    if (c->parent->depth < FOI_DEEPEST_MODEL) return true;
    s->hopeless = true; // it may branch at each level
    return foi_error(s, d->type->place,
                     "models are nested more than %d deep: does '%s' contain itself?",
                     FOI_DEEPEST_MODEL, c->type->name);
}

static bool is_present(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    c->absent = false;
    if (!d->condition) return true;
    foi_context here = {.self = c->parent, .lexical = d->owner, .frame = c->parent->frame};
    double present;
    if (!foi_expand_known(s, &here, d->condition, FOI_BOOLEAN, "the condition", &present))
        return false;
    c->absent = !present;
    return true;
}

// Real A[:, size(A, 1)]: the dimensions before are known already.
static bool is_own_size(const foi_component *c, const foi_ast *e, uint32_t *dim)
{
    if (e->kind != FOI_AST_CALL || e->count != 2 || e->ref->count != 1 ||
        strcmp(e->ref->parts[0].name, "size") != 0)
        return false;
    const foi_ast *of = e->items[0], *which = e->items[1];
    bool own = of->kind == FOI_AST_REF && of->ref->count == 1 && !of->ref->parts[0].count &&
               of->ref->parts[0].name == c->member->declaration->name;
    if (!own || which->kind != FOI_AST_INTEGER || !(which->number >= 1 && which->number <= c->rank))
        return false;
    *dim = c->dims[(uint32_t)which->number - 1];
    return true;
}

// One size; of `[:]` it is that of the value.
static bool find_dim(foi_session *s, foi_component *c, const foi_context *here, const foi_ast *e,
                     const foi_value *given, uint32_t *dim)
{
    const foi_declaration *d = c->member->declaration;
    if (e->kind == FOI_AST_COLON) {
        if ((!given || c->rank >= given->rank) && foi_lacks(s)) return false;
        if (!given || c->rank >= given->rank)
            return foi_error(s, e->place, "the size of '%s' is not known: it has no value",
                             d->name);
        *dim = given->dims[c->rank];
        return true;
    }
    if (e->kind == FOI_AST_REF && e->ref->count == 1 && !e->ref->parts[0].count) {
        foi_found f = foi_lookup(s, here->lexical, e->ref->parts[0].name);
        foi_class *over = f.c && (f.c->kind == FOI_CLASS_TYPE || f.c->kind == FOI_CLASS_BUILTIN) &&
                                  foi_analyse(s, f.c)
                              ? f.c->builtin
                              : NULL;
        if (over && (over->literal_count || over == s->boolean)) { // Real x[Colour]
            *dim = over == s->boolean ? 2 : over->literal_count;
            c->by_name |= 1u << c->rank;
            return true;
        }
    }
    if (is_own_size(c, e, dim)) return true;
    double n;
    char what[128];
    snprintf(what, sizeof what, "the size of '%.80s'", d->name);
    if (!foi_expand_known(s, here, e, FOI_INTEGER, what, &n)) return false;
    if (n < 0) return foi_error(s, e->place, "%s is %.0f: it cannot be negative", what, n);
    if (n > FOI_MOST_ELEMENTS)
        return foi_error(s, e->place, "%s is %.0f: at most %d", what, n, FOI_MOST_ELEMENTS);
    *dim = (uint32_t)n;
    return true;
}

static bool add_dims(foi_session *s, foi_component *c, const foi_context *here,
                     foi_ast *const *dims, uint32_t rank, const foi_value *given)
{
    for (uint32_t i = 0; i < rank; i++) {
        if (c->rank == FOI_MOST_RANK)
            return foi_error(s, dims[i]->place, "an array has at most %d dimensions",
                             FOI_MOST_RANK);
        if (!find_dim(s, c, here, dims[i], given, &c->dims[c->rank])) return false;
        c->rank++;
        c->count *= c->dims[c->rank - 1];
        if (c->count > FOI_MOST_ELEMENTS)
            return foi_error(s, dims[i]->place, "an array has at most %d elements",
                             FOI_MOST_ELEMENTS);
    }
    return true;
}

// The redeclaration that says what size a component has; NULL: none.
static const foi_layer *resizing(const foi_component *c)
{
    const foi_layer *l = c->layers;
    while (l && (!l->modifier->type || l->modifier->is_class || !l->modifier->rank)) l = l->weaker;
    return l;
}

// Sizes that are redeclared: those of the declaration must be the same, where they are said.
static bool find_new_dims(foi_session *s, foi_component *c, const foi_context *here,
                          const foi_layer *l, const foi_value *given)
{
    const foi_declaration *d = c->member->declaration;
    const foi_modifier *m = l->modifier;
    if (m->rank != d->rank)
        return foi_error(s, m->place, "'%s' has %u dimension%s: it cannot be redeclared with %u",
                         d->name, d->rank, d->rank == 1 ? "" : "s", m->rank);
    if (!add_dims(s, c, &l->context, m->dims, m->rank, given)) return false;
    for (uint32_t i = 0; i < d->rank; i++) {
        uint32_t size;
        if (d->dims[i]->kind == FOI_AST_COLON) continue;
        if (!find_dim(s, c, here, d->dims[i], given, &size)) return false;
        if (size != c->dims[i])
            return foi_error(s, m->place, "'%s' has the size %u: it cannot be redeclared with %u",
                             d->name, size, c->dims[i]);
    }
    return true;
}

// The value's size, when the declaration leaves one to it; in a function that of what is assigned
// first.
static bool given_size(foi_session *s, foi_component *c, foi_value *given, bool *found)
{
    const foi_declaration *d = c->member->declaration;
    bool open = false;
    const foi_layer *l = resizing(c);
    foi_ast *const *dims = l ? l->modifier->dims : d->dims;
    uint32_t rank = l ? l->modifier->rank : d->rank;
    for (uint32_t i = 0; i < rank; i++) open |= dims[i]->kind == FOI_AST_COLON;
    *found = false;
    foi_place place;
    if (!open) return true;
    if (c->given) {
        *given = *c->given;
        return *found = true;
    }
    if (!foi_binding_value(s, c, found, given, &place)) return false;
    foi_class *text;
    const foi_ast *first = *found ? NULL : foi_first_assigned(c->parent->c, d->name, &text);
    if (!first || !c->parent->frame) return true;
    foi_context inside = {.self = c->parent, .lexical = text, .frame = c->parent->frame};
    return *found = foi_expand(s, &inside, first, given);
}

static bool find_size(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    foi_context here = {.self = c->parent, .frame = c->parent->frame};
    here.lexical = seen_from(s, c->parent, d->sized_in ? d->sized_in : d->owner);
    foi_value given;
    bool found;
    c->rank = 0, c->count = 1, c->by_name = 0;
    if (!given_size(s, c, &given, &found)) return false;
    const foi_layer *l = resizing(c);
    if (l && !find_new_dims(s, c, &here, l, found ? &given : NULL)) return false;
    if (!l && !add_dims(s, c, &here, d->dims, d->rank, found ? &given : NULL)) return false;
    foi_class *t = c->type;
    for (int depth = 0; t && depth < FOI_DEEPEST_MODEL; depth++) { // type V = Real[3]
        foi_context there = {.lexical = t->rank ? foi_written_around(s, t) : NULL};
        if (!add_dims(s, c, &there, t->dims, t->rank, NULL)) return false;
        if (t->causality && !c->causality) c->causality = t->causality;
        t = t->extends_count == 1 && (t->is_short || t->builtin) ? t->extends[0].resolved : NULL;
    }
    return true;
}

// "[2, 3]" for element k.
static void subscript_text(const foi_component *c, uint32_t k, char *text, size_t size)
{
    uint32_t index[FOI_MOST_RANK];
    for (uint32_t i = c->rank; i-- > 0;) {
        index[i] = k % c->dims[i] + 1;
        k /= c->dims[i];
    }
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < c->rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%u" : "[%u", index[i]);
    if (c->rank && used + 1 < size) strcpy(text + used, "]");
}

// The layers of element k: each value is taken at one place deeper.
static bool element_layers(foi_session *s, const foi_component *c, uint32_t k,
                           const foi_layer **out)
{
    *out = c->layers;
    if (c->rank == 0) return true;
    const foi_layer **end = out;
    for (const foi_layer *l = c->layers; l; l = l->weaker) {
        foi_layer *copy = foi_arena_new(&s->arena, 1, sizeof *copy);
        uint32_t *indices =
            foi_arena_new(&s->arena, (size_t)l->index_count + c->rank, sizeof *indices);
        if (!copy || !indices) return false;
        *copy = *l;
        if (l->index_count) memcpy(indices, l->indices, l->index_count * sizeof *indices);
        uint32_t rest = k;
        for (uint32_t i = c->rank; i-- > 0;) {
            indices[l->index_count + i] = rest % c->dims[i];
            rest /= c->dims[i];
        }
        copy->indices = indices, copy->index_count = l->index_count + c->rank;
        copy->weaker = NULL;
        *end = copy;
        end = &copy->weaker;
    }
    return true;
}

// How many like this one there are at least, in all elements of the arrays that it is in: those
// differ only where a modification may give each something of its own.
static double copies_of(const foi_component *c)
{
    double copies = c->count;
    for (c = c->parent->parent; c && !(c->rank && c->layers); c = c->parent->parent)
        copies *= c->count;
    return copies;
}

// Whether all of them may be there, before the first is made: arrays within arrays soon have more
// elements than a machine has memory.
static bool is_in_bounds(foi_session *s, const foi_component *c)
{
    if (c->parent->frame || c->parent->is_package || !c->count) return true;
    bool plain = c->type->builtin, text = plain && c->type->type == FOI_STRING;
    size_t each = plain ? sizeof(foi_flat_variable) + sizeof(foi_flat_expr)
                        : sizeof(foi_instance) + c->type->member_count * sizeof(foi_component);
    double copies = copies_of(c);
    bool work = (double)s->work + copies > (double)s->def->most_work;
    bool memory = copies * (double)each > (double)s->def->most_memory;
    if (text || (!work && !memory)) return true;
    s->hopeless = true;
    foi_place place = c->member->declaration->place;
    if (work)
        return foi_error(s, place,
                         "the model is too large: with %.4g elements like '%s' it needs more than "
                         "%llu expansions",
                         copies, c->name, (unsigned long long)s->def->most_work);
    return foi_error(s, place,
                     "the model is too large: with %.4g elements like '%s' it needs more than "
                     "%zu MiB",
                     copies, c->name, s->def->most_memory >> 20);
}

static bool make_elements(foi_session *s, foi_component *c)
{
    c->elements = foi_arena_new(&s->arena, c->count, sizeof *c->elements);
    if (!c->elements) return false;
    for (uint32_t k = 0; k < c->count; k++) {
        char subscripts[128];
        subscript_text(c, k, subscripts, sizeof subscripts);
        const char *name =
            c->rank ? foi_arena_print(&s->arena, "%s%s", c->name, subscripts) : c->name;
        const foi_layer *layers;
        if (!name || !element_layers(s, c, k, &layers)) return false;
        if (!foi_work(s, c->member->declaration->place, c->type->member_count)) return false;
        c->elements[k] = foi_make_instance(s, c->type, c, name, layers, c->parent->frame);
        if (!c->elements[k]) return false;
        c->elements[k]->index = k;
    }
    return true;
}

static bool register_variable(foi_session *s, foi_component *c, foi_flat_variable *v)
{
    foi_frame *frame = c->parent->frame;
    foi_flat_variable **slot;
    if (frame) {
        v->local = true, v->index = frame->count;
        slot = foi_arena_add(&s->arena, &frame->locals, &frame->count, sizeof *slot);
    } else {
        v->index = s->variable_count;
        slot = foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    }
    if (slot) *slot = v;
    return slot;
}

static bool make_variables(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    c->nodes = foi_arena_new(&s->arena, c->count, sizeof *c->nodes);
    if (!c->nodes) return false;
    // a text is known before the run, but for those that a function works with
    bool worked_with = c->parent->frame && c->variability > FOI_PARAMETER;
    if (c->type->type == FOI_STRING && !worked_with) return true;
    if (!foi_work(s, d->place, c->count)) return false; // before memory is taken for all of them
    c->variables = foi_arena_new(&s->arena, c->count, sizeof *c->variables);
    foi_flat_variable *all = foi_arena_new(&s->flat->arena, c->count, sizeof *all);
    if (!c->variables || !all) return false;
    for (uint32_t k = 0; k < c->count; k++) {
        foi_flat_variable *v = &all[k];
        char subscripts[128];
        subscript_text(c, k, subscripts, sizeof subscripts);
        v->name = foi_arena_print(&s->flat->arena, "%s%s", c->name, subscripts);
        v->type = c->type->type, v->variability = c->variability, v->place = d->place;
        if (v->type != FOI_REAL && v->variability == FOI_CONTINUOUS) v->variability = FOI_DISCRETE;
        v->literals = c->type->literal_names;
        v->is_protected = c->is_protected, v->is_final = d->is_final;
        c->variables[k] = v;
        c->nodes[k] = foi_flat_of(s->flat, v);
        if (!v->name || !c->nodes[k]) return false;
        v->index = UINT32_MAX;
        if (!c->parent->is_package && !register_variable(s, c, v)) return false;
    }
    return true;
}

// What a component has from the one that it is in: parameters of parameters and so on.
static void take_over(foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const foi_component *outer = c->parent->parent;
    c->variability = d->variability, c->causality = d->causality, c->flow = d->flow;
    c->is_protected = c->member->is_protected;
    if (!outer) return;
    if (outer->variability < c->variability) c->variability = outer->variability;
    c->is_protected |= outer->is_protected;
    c->flow |= outer->flow;
}

// Integer n = size(x, 1), or Real a = ceil(n/4), in a function, never assigned: a number that sizes
// may depend on.
static bool know_local(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const foi_frame *frame = c->parent->frame;
    bool counts = c->type->type != FOI_STRING;
    if (!frame || !frame->function || c->parent->parent || c->rank || !counts || d->causality ||
        c->variability <= FOI_PARAMETER || foi_is_assigned(c->parent->c, d->name))
        return true;
    bool found;
    foi_value v;
    foi_place place;
    double value;
    if (!foi_binding_value(s, c, &found, &v, &place)) return false;
    if (!found || v.record || v.rank || v.type != c->type->type ||
        !foi_known(s, v.one, true, &value))
        return true;
    foi_flat_expr *literal = foi_flat_real(s->flat, value);
    if (!literal) return false;
    literal->type = c->type->type;
    c->variability = FOI_PARAMETER, c->binding = FOI_BOUND;
    c->variables[0]->variability = FOI_PARAMETER, c->variables[0]->binding = literal;
    c->variables[0]->structural = true;
    c->nodes[0] = literal; // nothing stores it when the function is called
    return true;
}

static bool size_inside(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    c->name = *c->parent->name && !c->parent->frame
                  ? foi_arena_print(&s->arena, "%s.%s", c->parent->name, d->name)
              : c->parent->parent ? foi_arena_print(&s->arena, "%s.%s", c->parent->name, d->name)
                                  : d->name;
    take_over(c);
    c->layers = component_layers(s, c);
    if (!c->name || !find_type(s, c) || !foi_take_prefixes(s, c) || !foi_check_prefixes(s, c))
        return false;
    if (!is_present(s, c) || c->absent) return c->absent;
    if (!check_layers(s, c) || !check_final(s, c) || !find_size(s, c)) return false;
    if (!is_in_bounds(s, c)) return false;
    if (foi_is_bus(c->parent->c)) c->causality = FOI_INTERNAL; // a bus says nothing about the way
    if (!c->type->builtin) return make_elements(s, c);
    return make_variables(s, c) && know_local(s, c);
}

bool foi_size(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    if (c->sizing == FOI_SIZED) return true;
    if (c->sizing == FOI_BROKEN) return false;
    if (c->sizing == FOI_SIZING)
        return foi_error(s, d->place, "the size of '%s' depends on itself", d->name);
    if (!foi_enter(s, d->place)) return false;
    c->sizing = FOI_SIZING;
    bool right = size_inside(s, c);
    c->sizing = right ? FOI_SIZED : FOI_BROKEN;
    if (right && c->rank && !c->count && !c->absent) s->unsized = true;
    s->depth--;
    return right;
}
