/// Expandable connectors: buses that grow by what is connected (Modelica 3.6, section 9.1.3).
///
/// What connect() names in a bus and the bus does not have yet is added to it, with the type and
/// sizes of what it is connected to. Two buses that are connected have the components of both.
/// What a bus declares is there only when it is connected. Each addition can make another one
/// possible, so all connections of the model are visited until nothing changes; this is done after
/// all other components are made, and before any equation is.
///
/// A bus has a class of its own as soon as it has grown: a copy of the declared one with more
/// members.
#include <string.h>

#include "language/session.h"

/// One end of a connection.
typedef struct end {
    bool lost;                ///< it cannot be followed, or is absent: connect() says what is wrong
    foi_instance *bus;        ///< that holds it; NULL: none does
    foi_component *component; ///< NULL: the bus does not have it yet
    const foi_part *part;     ///< its name in the bus
    foi_instance *instance;   ///< of a single connector
    uint32_t rank, dims[FOI_MOST_RANK]; ///< of what is named; of what is missing: at least
} end;

/// Something to be added.
typedef struct growth {
    foi_instance *bus;
    const char *name;
    foi_declaration *like; ///< a declaration of another bus that is taken as it is; or NULL:
    foi_class *type;
    uint32_t rank, dims[FOI_MOST_RANK];
    foi_place place;
} growth;

typedef struct turn {
    growth *list;
    uint32_t count;
    bool changed;
} turn;

bool foi_is_bus(const foi_class *c)
{
    for (uint32_t i = 0; i < c->ancestor_count; i++)
        if (c->ancestors[i]->expandable) return true;
    return c->expandable;
}

// Declared as x[:], and nothing has said yet how large it is.
static bool is_open(const foi_instance *in, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    for (uint32_t i = 0; c->sizing == FOI_NEW && foi_is_bus(in->c) && i < d->rank; i++)
        if (d->dims[i]->kind == FOI_AST_COLON) return true;
    return false;
}

// ----------------------------------------------------------------------------------- ends

// The sizes that are left of `rank` sizes after subscripts, and the place of a single element.
static bool take_part(foi_session *s, const foi_context *ctx, const foi_part *part, uint32_t rank,
                      const uint32_t *dims, end *e, uint32_t *at)
{
    *at = 0;
    if (part->count > rank || rank + e->rank > FOI_MOST_RANK) return !(e->lost = true);
    for (uint32_t i = 0; i < rank; i++) {
        foi_value v = {.rank = 1, .dims = {dims[i]}};
        foi_context inside = *ctx;
        double index = 1;
        inside.end_value = dims[i] + 1;
        if (i < part->count && part->subscripts[i]->kind != FOI_AST_COLON &&
            !foi_expand(s, &inside, part->subscripts[i], &v))
            return false;
        if (v.record || v.rank > 1) return !(e->lost = true);
        if (v.rank)
            e->dims[e->rank++] = v.dims[0];
        else if (!foi_known(s, v.one, true, &index) || !(index >= 1 && index <= dims[i]))
            return !(e->lost = true);
        *at = *at * dims[i] + (uint32_t)index - 1;
    }
    return true;
}

// The sizes that something which is not there yet must have at least.
static bool wanted_sizes(foi_session *s, const foi_context *ctx, const foi_part *part, end *e)
{
    if (part->count > FOI_MOST_RANK) return !(e->lost = true);
    for (uint32_t i = 0; i < part->count; i++) {
        double index;
        if (part->subscripts[i]->kind == FOI_AST_COLON) return !(e->lost = true);
        if (!foi_expand_known(s, ctx, part->subscripts[i], FOI_INTEGER, "the subscript", &index))
            return false;
        if (!(index >= 1 && index <= FOI_MOST_ELEMENTS)) return !(e->lost = true);
        e->dims[i] = (uint32_t)index;
    }
    e->rank = part->count;
    return true;
}

static void mark(turn *t, foi_component *c)
{
    t->changed |= !c->connected;
    c->connected = true;
}

static bool follow(foi_session *s, const foi_context *ctx, const foi_ref *ref, turn *t, end *e)
{
    foi_instance *in = ctx->self;
    *e = (end){0};
    for (uint32_t i = 0; in && i < ref->count; i++) {
        const foi_part *part = &ref->parts[i];
        foi_component *c = i == 0 ? foi_seen(ctx, part->name) : foi_component_of(in, part->name);
        bool last = i + 1 == ref->count, bus = foi_is_bus(in->c);
        uint32_t at;
        if (bus) e->bus = in;
        if (!c || is_open(in, c)) {
            e->component = NULL, e->instance = NULL, e->part = part;
            e->lost = !bus || !last || e->rank > 0;
            return e->lost || wanted_sizes(s, ctx, part, e);
        }
        if (!(c = foi_named(s, c)) || !foi_size(s, c)) return false;
        if (c->absent) return e->lost = true;
        if (bus) mark(t, c);
        if (!take_part(s, ctx, part, c->rank, c->dims, e, &at)) return false;
        if (e->lost) return true;
        in = c->elements && c->count ? c->elements[at] : NULL;
        e->component = c, e->part = part, e->instance = last && !e->rank ? in : NULL;
        if (last) return true;
    }
    return e->lost = true;
}

// ------------------------------------------------------------------------------------- growing

// Sizes that the type has by itself: type V = Real[3].
static uint32_t rank_of_type(const foi_class *t)
{
    uint32_t rank = 0;
    for (int depth = 0; t && depth < FOI_DEEPEST_MODEL; depth++) {
        rank += t->rank;
        t = t->extends_count == 1 && (t->is_short || t->builtin) ? t->extends[0].resolved : NULL;
    }
    return rank;
}

static bool note(foi_session *s, turn *t, const growth *g)
{
    for (uint32_t i = 0; i < t->count; i++) {
        growth *k = &t->list[i];
        if (k->bus != g->bus || k->name != g->name) continue;
        for (uint32_t d = 0; !k->like && d < k->rank && d < g->rank; d++)
            if (k->dims[d] < g->dims[d]) k->dims[d] = g->dims[d];
        return true;
    }
    growth *slot = foi_arena_add(&s->arena, &t->list, &t->count, sizeof *slot);
    if (slot) *slot = *g;
    return slot;
}

// What is missing at one end becomes what is at the other.
static bool note_end(foi_session *s, turn *t, const end *missing, const end *other, foi_place place)
{
    growth g = {.bus = missing->bus, .name = missing->part->name, .place = place};
    g.type = other->component->type;
    g.rank = missing->rank ? missing->rank : other->rank;
    memcpy(g.dims, missing->rank ? missing->dims : other->dims, sizeof g.dims);
    uint32_t own = rank_of_type(g.type);
    if (missing->part->count && other->rank > own) return true; // connect() says what is wrong
    if (!missing->rank && g.rank >= own) g.rank -= own;
    return note(s, t, &g);
}

static bool is_known(foi_session *s, foi_component *c)
{
    foi_declaration *d = c->member->declaration;
    if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
    return d->resolved && foi_analyse(s, d->resolved);
}

static bool merge(foi_session *s, turn *t, foi_instance *a, foi_instance *b, foi_place place);

// A component that the other bus must have, too.
static bool merge_one(foi_session *s, turn *t, foi_component *c, foi_instance *b, foi_place place)
{
    foi_component *other = foi_component_of(b, c->member->declaration->name);
    if (!is_known(s, c)) return false;
    bool open = is_open(c->parent, c);
    if (!other || (is_open(b, other) && !open)) {
        growth g = {.bus = b, .name = c->member->declaration->name, .place = place};
        g.like = c->member->declaration;
        return note(s, t, &g);
    }
    if (open || is_open(b, other) || !is_known(s, other)) return true;
    if (c->connected) mark(t, other);
    if (!foi_is_bus(c->member->declaration->resolved)) return true;
    if (!foi_size(s, c) || !foi_size(s, other)) return false;
    for (uint32_t k = 0; c->elements && other->elements && k < c->count && k < other->count; k++)
        if (!merge(s, t, c->elements[k], other->elements[k], place)) return false;
    return true;
}

static bool merge(foi_session *s, turn *t, foi_instance *a, foi_instance *b, foi_place place)
{
    if (a == b) return true;
    if (!foi_enter(s, place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < a->c->member_count; i++)
        right = merge_one(s, t, &a->components[i], b, place);
    for (uint32_t i = 0; right && i < b->c->member_count; i++)
        right = merge_one(s, t, &b->components[i], a, place);
    s->depth--;
    return right;
}

// Arrays of buses, element by element.
static bool merge_arrays(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, turn *t)
{
    foi_port *a = NULL, *b = NULL;
    uint32_t a_count, b_count;
    bool outside, a_absent, b_absent;
    if (!foi_expand_ports(s, ctx, e->left->ref, &a, &a_count, &outside, &a_absent) ||
        !foi_expand_ports(s, ctx, e->right->ref, &b, &b_count, &outside, &b_absent))
        return false;
    if (a_absent || b_absent) return true;
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (a[i].instance && b[i].instance && !merge(s, t, a[i].instance, b[i].instance, e->place))
            return false;
    return true;
}

static bool visit_connect(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                          void *data)
{
    turn *t = data;
    end a, b;
    if (!follow(s, ctx, e->left->ref, t, &a) || !follow(s, ctx, e->right->ref, t, &b)) return false;
    if (a.lost || b.lost) return true;
    bool a_there = a.component, b_there = b.component;
    if (a_there && !b_there) return note_end(s, t, &b, &a, e->place);
    if (b_there && !a_there) return note_end(s, t, &a, &b, e->place);
    if (a.instance && b.instance && foi_is_bus(a.instance->c) && foi_is_bus(b.instance->c))
        return merge(s, t, a.instance, b.instance, e->place);
    if (a.rank && b.rank && foi_is_bus(a.component->type) && foi_is_bus(b.component->type))
        return merge_arrays(s, ctx, e, t);
    return true;
}

static foi_declaration *new_declaration(foi_session *s, const growth *g, const foi_declaration *old)
{
    foi_declaration *d = foi_arena_new(&s->arena, 1, sizeof *d);
    foi_part *part = foi_arena_new(&s->arena, 1, sizeof *part);
    foi_ref *ref = foi_arena_new(&s->arena, 1, sizeof *ref);
    foi_ast *sizes = foi_arena_new(&s->arena, g->rank, sizeof *sizes);
    foi_ast **dims = foi_arena_new(&s->arena, g->rank, sizeof *dims);
    if (!d || !part || !ref || !sizes || !dims) return NULL;
    *part = (foi_part){.name = g->type->name, .place = g->place};
    *ref = (foi_ref){.parts = part, .count = 1, .place = g->place};
    if (old)
        *d = *old;
    else
        *d = (foi_declaration){.name = g->name, .type = ref, .place = g->place, .owner = g->type};
    d->variability = old ? old->variability : FOI_CONTINUOUS;
    if (!old) d->resolved = g->type;
    for (uint32_t i = 0; i < g->rank; i++) {
        sizes[i] = (foi_ast){.kind = FOI_AST_INTEGER, .place = g->place, .number = g->dims[i]};
        dims[i] = &sizes[i];
    }
    d->dims = dims, d->rank = g->rank;
    return d;
}

// The bus with a class of its own that has one more member, or another declaration of one.
static bool grow(foi_session *s, const growth *g)
{
    foi_instance *bus = g->bus;
    const foi_member *old = foi_find_member(bus->c, g->name);
    foi_declaration *d = g->like ? g->like : new_declaration(s, g, old ? old->declaration : NULL);
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    uint32_t count = bus->c->member_count + !old, at = old ? (uint32_t)(old - bus->c->members) : 0;
    foi_member *members = foi_arena_new(&s->arena, count, sizeof *members);
    foi_component *list = foi_arena_new(&s->arena, count, sizeof *list);
    if (!d || !c || !members || !list || !foi_work(s, g->place, count)) return false;
    *c = *bus->c;
    c->origin = foi_origin(bus->c);
    for (uint32_t i = 0; i < bus->c->member_count; i++)
        members[i] = bus->c->members[i], list[i] = bus->components[i];
    members[old ? at : count - 1].declaration = d;
    c->members = members, c->member_count = count;
    if (!foi_index_members(s, c)) return false;
    for (uint32_t i = 0; i < count; i++) {
        list[i].member = &c->members[i], list[i].parent = bus;
        for (uint32_t k = 0; list[i].elements && k < list[i].count; k++)
            list[i].elements[k]->parent = &list[i];
    }
    bus->c = c, bus->components = list, bus->count = count;
    return true;
}

// What a connection gives cannot be given by who declares the bus, but for its parameters.
static bool check_unmodified(foi_session *s, const foi_instance *bus, const foi_declaration *d)
{
    if (d->variability <= FOI_PARAMETER) return true;
    for (const foi_layer *l = foi_layers_for(s, bus->layers, d->name, NULL); l; l = l->weaker)
        if (l->modifier->value && !l->own)
            return foi_error(s, l->modifier->place,
                             "'%s' of the expandable connector '%s' is given by what is connected "
                             "to it: it cannot have a value here",
                             d->name, bus->name);
    return true;
}

// What no connection names is not there.
static bool settle(foi_session *s, foi_instance *bus)
{
    if (!foi_enter(s, bus->c->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < bus->c->member_count; i++) {
        foi_component *c = &bus->components[i];
        if (!(right = is_known(s, c) && check_unmodified(s, bus, c->member->declaration))) break;
        bool nested = foi_is_bus(c->member->declaration->resolved);
        if (!c->connected && !nested && c->sizing == FOI_NEW) {
            c->sizing = FOI_SIZED, c->absent = true, c->name = c->member->declaration->name;
            c->type = c->member->declaration->resolved;
            continue;
        }
        if (!nested) continue;
        right = foi_size(s, c);
        for (uint32_t k = 0; right && c->elements && k < c->count; k++)
            right = settle(s, c->elements[k]);
    }
    s->depth--;
    return right;
}

bool foi_grow_buses(foi_session *s, foi_instance *top)
{
    turn t = {0};
    foi_visitor v = {visit_connect, NULL, &t};
    do {
        t = (turn){0};
        if (!foi_visit(s, top, &v)) return false;
        for (uint32_t i = 0; i < t.count; i++)
            if (!grow(s, &t.list[i])) return false;
    } while (t.changed || t.count);
    for (uint32_t i = 0; i < s->bus_count; i++)
        if (!settle(s, s->buses[i])) return false;
    return true;
}
