/// Components that are redeclared: which type they have then, what must be in it, and what still
/// counts of all that was said before.
#include "language/session.h"

// A weaker modification of a component that was redeclared: its value, which counts where no
// stronger one does, and of the others those of what the new type has.
static foi_layer *kept_layer(foi_session *s, const foi_component *c, const foi_layer *from,
                             const foi_modifier *m)
{
    foi_layer *layer = foi_arena_new(&s->arena, 1, sizeof *layer);
    foi_modifier *modifier = foi_arena_new(&s->arena, 1, sizeof *modifier);
    foi_argument *kept = foi_arena_new(&s->arena, m->count, sizeof *kept);
    if (!layer || !modifier || !kept) return NULL;
    *modifier = (foi_modifier){.arguments = kept, .value = m->value, .place = m->place};
    modifier->removes = m->removes;
    for (uint32_t i = 0; i < m->count; i++)
        if (c->type->builtin || foi_find_member(c->type, m->arguments[i].name) ||
            foi_find_in_class(s, c->type, m->arguments[i].name))
            kept[modifier->count++] = m->arguments[i];
    *layer = *from;
    layer->modifier = modifier, layer->weaker = NULL;
    return layer;
}

// What still counts for a component that was redeclared: modifications from outside, of other
// redeclarations those of their constrainedby clauses, and of the original declaration the same, or
// its own if it has none.
static bool add_kept(foi_session *s, foi_component *c, foi_layer *end)
{
    const foi_declaration *d = c->member->declaration;
    const foi_layer *at = end, *weaker = end->weaker;
    end->weaker = NULL;
    for (; at; at = weaker, weaker = at ? at->weaker : NULL) {
        const foi_modifier *m = at->modifier->type ? at->modifier->kept : at->modifier;
        bool own = m == d->modifier && d->modifier != d->kept;
        if (own || !m || (!m->count && !m->value && !m->removes)) continue;
        foi_layer *layer = kept_layer(s, c, at, m);
        if (!layer) return false;
        end->weaker = layer;
        end = layer;
    }
    return true;
}

// Has a class all that another one promises?
static bool keeps_to(foi_session *s, const foi_component *c, foi_class *type, foi_class *lexical,
                     const foi_ref *promise, foi_place place)
{
    foi_class *like = foi_find_class(s, lexical, promise, "type");
    const char *missing;
    if (!like || !foi_analyse(s, like)) return false;
    if (foi_has_all_of(s, type, like, &missing)) {
        uint32_t rank = foi_type_rank(type), expected = foi_type_rank(like);
        return rank == expected ||
               foi_error(s, place, "'%s' has %u dimension%s, and '%s', which it must be like, %u",
                         type->name, rank, rank == 1 ? "" : "s", like->name, expected);
    }
    return foi_error(
        s, place,
        "'%s' cannot be redeclared as '%s': it must have all of '%s', and there is no '%s'",
        c->member->declaration->name, type->name, like->name, missing);
}

// The new type of a component must have what its declaration, or the constrainedby clause,
// promises.
static bool check_constraint(foi_session *s, foi_component *c, foi_class *type, foi_place place)
{
    const foi_declaration *d = c->member->declaration;
    return keeps_to(s, c, type, d->owner, d->constraint ? d->constraint : d->type, place);
}

// What was redeclared before must be replaceable still, and its constrainedby clause, which must
// promise no less than that of the declaration, counts.
static bool check_before(foi_session *s, foi_component *c, const foi_layer *l)
{
    for (const foi_layer *of = l; of; of = of->weaker) {
        const foi_modifier *m = of->modifier;
        if (!m->type || m->is_class) continue;
        if (of != l && !m->replaceable)
            return foi_error(s, l->modifier->place,
                             "'%s' is not replaceable any more: it was redeclared without that",
                             c->member->declaration->name);
        if (!m->constraint) continue;
        foi_class *by = foi_find_class(s, of->context.lexical, m->constraint, "type");
        if (!by || !foi_analyse(s, by) || !check_constraint(s, c, by, m->place)) return false;
        if (!keeps_to(s, c, c->type, of->context.lexical, m->constraint, l->modifier->place))
            return false;
    }
    return true;
}

// Sizes may be redeclared of what is not replaceable, where the type stays.
static bool is_resized(foi_session *s, const foi_component *c, const foi_layer *l)
{
    const foi_declaration *d = c->member->declaration;
    foi_class *type =
        l->modifier->rank ? foi_find_class(s, l->context.lexical, l->modifier->type, "type") : NULL;
    return type && type == foi_find_class(s, d->owner, d->type, "type");
}

// A redeclaration gives another type; of what was said before it, what the original declaration
// says still counts (Modelica 3.6, section 7.3.2).
static bool redeclared_type(foi_session *s, foi_component *c, bool *found)
{
    const foi_declaration *d = c->member->declaration;
    *found = false;
    for (const foi_layer *l = c->layers; l; l = l->weaker) {
        const foi_ref *type = l->modifier->type;
        if (!type || l->modifier->is_class) continue;
        *found = true;
        if (!d->replaceable && !is_resized(s, c, l))
            return foi_error(s, l->modifier->place, "'%s' is not replaceable", d->name);
        if (d->variability == FOI_CONSTANT)
            return foi_error(s, l->modifier->place, "'%s' is a constant: it cannot be redeclared",
                             d->name);
        c->type = foi_find_class(s, l->context.lexical, type, "type");
        return c->type && foi_analyse(s, c->type) &&
               check_constraint(s, c, c->type, l->modifier->place) && check_before(s, c, l) &&
               add_kept(s, c, (foi_layer *)l);
    }
    return true;
}

// redeclare Type name among the elements: of what is not replaceable the type stays, and otherwise
// it has what was promised.
static bool check_replaced(foi_session *s, const foi_component *c, foi_class *type)
{
    const foi_declaration *d = c->member->declaration;
    for (const foi_member *old = c->member->replaced; old; old = old->replaced) {
        const foi_declaration *was = old->declaration;
        foi_class *before = foi_find_class(s, was->owner, was->type, "type");
        if (!before || !foi_analyse(s, before)) return false;
        if (foi_origin(before) == foi_origin(type)) continue;
        if (!was->replaceable) {
            foi_error(s, d->place, "'%s' is not replaceable: it cannot be redeclared as '%s'",
                      d->name, type->name);
            foi_note(s, was->place, "here it is declared");
            return false;
        }
        if (!keeps_to(s, c, type, was->owner, was->constraint ? was->constraint : was->type,
                      d->place))
            return false;
    }
    return true;
}

static bool declared_type(foi_session *s, foi_component *c)
{
    foi_declaration *d = c->member->declaration;
    if (!d->resolved) {
        d->resolved = foi_find_class(s, d->owner, d->type, "type");
        if (!d->resolved) return false;
        if (!foi_analyse(s, d->resolved)) return d->resolved = NULL, false;
    }
    c->type = d->resolved;
    return check_replaced(s, c, c->type) &&
           (!d->constraint || check_constraint(s, c, c->type, d->place));
}

bool foi_find_declared_type(foi_session *s, foi_component *c)
{
    bool redeclared;
    return redeclared_type(s, c, &redeclared) && (redeclared || declared_type(s, c));
}

bool foi_take_prefixes(foi_session *s, foi_component *c)
{
    const foi_layer *l = c->layers;
    while (l && (!l->modifier->type || l->modifier->is_class)) l = l->weaker;
    const foi_declaration *said = l ? l->modifier->prefixes : NULL;
    if (!said) return true;
    const foi_declaration *d = c->member->declaration;
    if (said->variability != FOI_CONTINUOUS && said->variability > d->variability)
        return foi_error(s, l->modifier->place, "'%s' is %s: it cannot be redeclared as %s",
                         d->name, foi_variability_word(d->variability),
                         foi_variability_word(said->variability));
    if (said->variability < c->variability) c->variability = said->variability;
    if (said->causality) c->causality = said->causality;
    return true;
}
