/// All classes of a text, looked at one after the other: an editor shows a whole file, of which one
/// model at most is run.
///
/// A class that is made to be used or extended may lack what a model that runs must have: values of
/// parameters, inner components, classes in place of partial ones. So each class is flattened as if
/// it were the model, and where something is lacking, what is found after that does not count;
/// then, and for functions whose sizes follow from a call, at least the names in its text are
/// looked up. Where nothing proves to be lacking, what was flattened is the model that would be
/// run, and is handed on to be looked at as one: with the order of its equations.
#include <math.h>
#include <string.h>

#include "language/session.h"

bool foi_lacks(foi_session *s)
{
    if (s->review && !s->lacks) s->lacks = true, s->before = s->messages->count;
    return s->review;
}

static bool is_port(const foi_member *m)
{
    const foi_declaration *d = m->declaration;
    return d->causality == FOI_INPUT ||
           (d->resolved && d->resolved->kind == FOI_CLASS_CONNECTOR && !m->is_protected);
}

static bool has_port(const foi_class *c)
{
    for (uint32_t i = 0; i < c->member_count; i++)
        if (is_port(&c->members[i])) return true;
    return false;
}

bool foi_lacks_outside(foi_session *s)
{
    return s->reviewed && has_port(s->reviewed) && foi_lacks(s);
}

// Everything of the class before is left behind; what is known of classes and functions stays.
static void begin_class(foi_session *s)
{
    foi_flat *f = s->flat;
    s->look++;
    f->variables = NULL, f->equations = NULL, f->initial = NULL, f->whens = NULL;
    f->algorithms = NULL, f->asserts = NULL, f->units = NULL, f->contents = NULL;
    f->variable_count = f->equation_count = f->initial_count = f->when_count = 0;
    f->algorithm_count = f->assert_count = f->unit_count = f->contents_count = 0;
    f->experiment = (foi_flat_experiment){NAN, NAN, NAN, NAN}, f->description = NULL;
    s->lacks = s->unvalued = s->unsized = s->hopeless = s->bodies_failed = s->uses_initial = false;
    s->clocked = s->grown = false;
    s->clocked_whens = NULL, s->machines = NULL, s->graph = NULL, s->buses = NULL,
    s->streams = NULL;
    s->connections = NULL, s->variables = NULL, s->reinits = NULL, s->flows = NULL;
    s->flow_top = NULL, s->objects = NULL, s->alike = NULL, s->alike_count = 0;
    s->texts = NULL;
    s->clocked_count = s->bus_count = s->stream_count = s->connection_count = 0;
    s->variable_count = s->reinit_count = s->flow_count = s->flow_top_count = 0;
    s->object_count = 0;
    s->main = s->initial = (foi_sink){0};
    s->special = NULL, s->depth = s->constructing = 0;
    memset(s->memo, 0, sizeof s->memo);
    s->within = NULL;
}

// ------------------------------------------------------------------------------------- functions

// Whether it can be called without knowing more than its declarations.
static bool has_sizes(foi_session *s, foi_class *c)
{
    if (c->partial || c->outer || foi_external_of(c) || foi_values_matter(s, c) ||
        foi_works_with_texts(s, c))
        return false;
    for (uint32_t i = 0; i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        if (d->causality == FOI_INPUT && foi_is_functional(s, &c->members[i])) return false;
        for (uint32_t k = 0; k < d->rank; k++)
            if (d->dims[k]->kind == FOI_AST_COLON) return false;
    }
    return true;
}

// Calls it with variables of its own inputs.
static bool call(foi_session *s, foi_class *c)
{
    foi_instance *self = foi_make_instance(s, c, NULL, "", NULL, NULL);
    foi_value *values = foi_arena_new(&s->arena, c->member_count + 1u, sizeof *values);
    const foi_value *results;
    uint32_t count = 0, result_count;
    if (!self || !values) return false;
    const foi_context ctx = {.self = self, .lexical = c};
    for (uint32_t i = 0; i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        if (d->causality != FOI_INPUT) continue;
        const foi_part part = {.name = d->name, .place = d->place};
        const foi_ref ref = {.parts = &part, .count = 1, .place = d->place};
        if (!foi_expand_ref(s, &ctx, &ref, &values[count++])) return false;
    }
    const foi_context outside = {.lexical = c->enclosing};
    return foi_call_values(s, &outside, c->place, c, values, count, &results, &result_count) &&
           foi_expand_bodies(s);
}

// ---------------------------------------------------------------------------------------- classes

/// The review so far.
typedef struct review {
    foi_session *s;
    const char *but; ///< this one was opened by itself already; NULL: none
    foi_whole_visit *whole;
    void *self;  ///< of `whole`
    bool enough; ///< it wants to hear of no more
    fo_text_review about;
} review;

static bool is_model(const foi_class *c)
{
    return c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_BLOCK || c->kind == FOI_CLASS_CLASS;
}

static bool flatten(foi_session *s, foi_class *c)
{
    if (!foi_analyse(s, c)) return false;
    if (c->literal_count || c->kind == FOI_CLASS_OPERATOR) return true;
    if (c->builtin) return foi_check_names(s, c);
    if (c->kind != FOI_CLASS_FUNCTION) return foi_flatten_whole(s, c);
    bool named = foi_check_names(s, c); // also in defaults, which a call with values does not use
    return (!has_sizes(s, c) || call(s, c)) && named;
}

// A model is complete where nothing is lacking and nothing is connected to it from outside.
static bool is_whole(const foi_session *s, const foi_class *c)
{
    return is_model(c) && !(s->lacks || s->unvalued || c->partial || has_port(c));
}

static void look_at(review *r, foi_class *c)
{
    foi_session *s = r->s;
    size_t count = s->messages->count, errors = s->messages->errors;
    begin_class(s);
    s->reviewed = c;
    bool right = flatten(s, c);
    if (s->lacks) foi_messages_forget(s->messages, s->before);
    // what decides sizes and texts has no value, or a default that nobody leaves as it is
    if (s->unsized) s->lacks = true, foi_messages_forget(s->messages, count);
    // names are looked up also where nothing is instantiated: in branches that are not taken
    if (s->lacks || !right || s->messages->errors == errors) {
        s->hopeless = false, s->depth = 0;
        foi_check_names(s, c);
    }
    bool wrong = s->messages->errors > errors;
    bool whole = !wrong && right && is_whole(s, c);
    r->about.models += whole;
    if (whole && !r->enough) r->enough = !r->whole(r->self, s->flat);
    r->about.wrong += s->messages->errors > errors;
}

// Of the model that was opened by itself: what no instance has shown.
static void look_at_names(review *r, foi_class *c)
{
    size_t errors = r->s->messages->errors;
    begin_class(r->s);
    foi_check_names(r->s, c);
    r->about.wrong += r->s->messages->errors > errors;
}

static bool may_go_on(const foi_session *s)
{
    return !s->messages->full && !s->arena.failed && !s->flat->arena.failed &&
           s->work <= s->def->most_work && foi_may_go_on(s->def->allocator);
}

static void look_into(review *r, foi_class *const *classes, uint32_t count, int depth)
{
    foi_session *s = r->s;
    for (uint32_t i = 0; i < count && depth < FOI_DEEPEST_MODEL && may_go_on(s); i++) {
        foi_class *c = classes[i];
        if (c->place.file != 0) continue; // written elsewhere
        const char *path = foi_class_path(s, c);
        r->about.classes++;
        if (!r->but || !path || strcmp(path, r->but) != 0)
            look_at(r, c);
        else
            look_at_names(r, c);
        look_into(r, c->classes, c->class_count, depth + 1);
    }
}

bool foi_review_class(foi_session *s, foi_class *c, fo_text_review *about, foi_whole_visit *whole,
                      void *self)
{
    review r = {.s = s, .whole = whole, .self = self, .about = {.classes = 1}};
    s->review = s->messages->one_each = true;
    look_at(&r, c);
    *about = r.about;
    return !s->arena.failed && !s->flat->arena.failed;
}

bool foi_review_classes(foi_session *s, const char *but, foi_class *const *classes, uint32_t count,
                        fo_text_review *about, foi_whole_visit *whole, void *self)
{
    review r = {.s = s, .but = but, .whole = whole, .self = self};
    s->review = s->messages->one_each = true;
    look_into(&r, classes, count, 0);
    *about = r.about;
    return !s->arena.failed && !s->flat->arena.failed;
}
