/// Numbers of a document that change while its model runs.
///
/// A structure, a field or a diagram is built for its numbers: stiffnesses are multiplied out,
/// matrices factored, constants folded. So another number means another system. Here the numbers
/// become parameters of a system that stands in front: its functions look which values are in the
/// state, and hand on to the system that was built for them, which is built when they are first
/// seen:
///
///     p = (parameters of the system | numbers of the document)
///     rates(s, t, x) = system(numbers in s).rates(s, t, x)
///
/// The state is the same for all of them, so that snapshots, recordings and going back need not
/// know. A number that gives the system another shape, or its signals other names, is refused where
/// it is first used, and a live run then undoes the setting.
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "diagram/diagram.h"
#include "model/model.h"

enum {
    MOST_VARIANTS = 4096,
    COMPILED_VARIANTS = 8, ///< that may get machine code: compiling takes longer than most are used
    SPARE = 4096           ///< bytes of scratch space
};

/// A system for one set of numbers.
typedef struct variant {
    double *key;
    fo_model *model; ///< NULL: the model itself
    fo_system system;
} variant;

struct foi_tuning {
    const fo_allocator *allocator;
    fo_model_def def; ///< how the model was opened
    fo_setting *settings;
    size_t setting_count;  ///< before those of the numbers
    uint32_t inner, count; ///< parameters of the system; numbers
    const char **names;
    fo_system plain;
    fo_shape shape;
    pthread_mutex_t lock;
    variant *list[MOST_VARIANTS]; ///< stay where they are: others read without the lock
    uint32_t variant_count;       ///< under the lock
    _Atomic(uint32_t) current;    ///< the last one that was used
    fo_system_type type;
    fo_stepper stepper;
    fo_description about;
    fo_trace trace; ///< of those that will be opened
};

// ---------------------------------------------------------------------------------------- variants

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for the numbers of a model");
}

static void free_variant(const foi_tuning *t, variant *v)
{
    fo_model_close(v->model);
    foi_free(t->allocator, v->key);
    foi_free(t->allocator, v);
}

static bool same_shape(const fo_shape *a, const fo_shape *b)
{
    return a->states == b->states && a->discretes == b->discretes && a->guards == b->guards &&
           a->conditions == b->conditions && a->inputs == b->inputs && a->outputs == b->outputs &&
           a->parameters == b->parameters && a->pairs == b->pairs && a->memory == b->memory &&
           a->scratch <= b->scratch;
}

static bool same_names(const fo_variables *a, const fo_variables *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const char *one = a->list[i].name, *other = b->list[i].name;
        if (strcmp(one ? one : "", other ? other : "") != 0) return false;
    }
    return true;
}

// Signals keep their names in a run: one that were to show something else would be a wrong number.
static bool same_signals(const fo_description *a, const fo_description *b)
{
    return same_names(&a->states, &b->states) && same_names(&a->discretes, &b->discretes) &&
           same_names(&a->inputs, &b->inputs) && same_names(&a->outputs, &b->outputs);
}

static bool fits(const variant *v, const double *numbers, uint32_t count)
{
    return memcmp(v->key, numbers, count * sizeof *numbers) == 0;
}

// Which number differs from the last variant's: the one that was set.
static uint32_t changed(const foi_tuning *t, const double *numbers)
{
    const variant *last = t->list[atomic_load(&t->current)];
    for (uint32_t i = 0; i < t->count; i++)
        if (memcmp(&last->key[i], &numbers[i], sizeof *numbers) != 0) return i;
    return 0;
}

static fo_status open_variant(foi_tuning *t, const double *numbers, variant *v, fo_message *why)
{
    const char *name = t->names[changed(t, numbers)];
    size_t used = t->setting_count;
    for (uint32_t i = 0; i < t->count; i++)
        if (memcmp(&t->list[0]->key[i], &numbers[i], sizeof *numbers) != 0)
            t->settings[used++] = (fo_setting){t->names[i], numbers[i], false};
    fo_model_def def = t->def;
    def.settings = t->settings, def.setting_count = used;
    if (t->variant_count > COMPILED_VARIANTS && def.program.way == FO_WAY_AUTO)
        def.program.way = FO_WAY_BYTECODE;
    fo_status status = fo_model_open(&def, &v->model);
    if (status != FO_OK)
        return fo_fail(why, FO_ERROR_MODEL, "'%s' cannot be set so: %s", name,
                       v->model && fo_model_finding_count(v->model)
                           ? fo_model_finding(v->model, 0)->text
                           : fo_status_text(status));
    v->system = fo_model_system(v->model);
    if (t->trace.act) fo_model_trace(v->model, &t->trace);
    fo_shape shape = fo_system_shape(v->system);
    if (!same_shape(&shape, &t->shape))
        return fo_fail(why, FO_ERROR_MODEL,
                       "'%s' decides the size of the model: it cannot change in a run", name);
    if (!same_signals(v->system.about, t->plain.about))
        return fo_fail(why, FO_ERROR_MODEL,
                       "'%s' decides what the signals are called: it cannot change in a run", name);
    v->key = foi_new(t->allocator, t->count, sizeof *v->key);
    if (!v->key) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a variant of the model");
    memcpy(v->key, numbers, t->count * sizeof *v->key);
    return FO_OK;
}

static fo_status add_variant(foi_tuning *t, const double *numbers, uint32_t *index, fo_message *why)
{
    for (*index = 0; *index < t->variant_count; ++*index)
        if (fits(t->list[*index], numbers, t->count)) return FO_OK;
    if (*index == MOST_VARIANTS)
        return fo_fail(
            why, FO_ERROR_MODEL,
            "the numbers of the document had %d sets of values in this run, which is the most",
            MOST_VARIANTS - 1);
    variant *v = foi_new(t->allocator, 1, sizeof *v);
    if (!v) return no_memory(why);
    fo_status status = open_variant(t, numbers, v, why);
    if (status == FO_OK)
        t->list[t->variant_count++] = v;
    else
        free_variant(t, v);
    return status;
}

// The system for the numbers in the state. The usual case is the one that was used last.
static fo_status choose(const void *model, const fo_state *s, fo_system *system)
{
    foi_tuning *t = (foi_tuning *)model; // a cache: what is seen does not change
    const double *numbers = s->p + t->inner;
    uint32_t index = atomic_load_explicit(&t->current, memory_order_acquire);
    fo_status status = FO_OK;
    if (!fits(t->list[index], numbers, t->count)) {
        fo_message why = {0};
        pthread_mutex_lock(&t->lock);
        status = add_variant(t, numbers, &index, &why);
        if (status == FO_OK) atomic_store_explicit(&t->current, index, memory_order_release);
        pthread_mutex_unlock(&t->lock);
        if (status != FO_OK) return fo_fail(s->message, status, "%s", why.text);
    }
    *system = t->list[index]->system;
    return status;
}

// --------------------------------------------------------------------------------------- functions

static void shape(const void *model, fo_shape *to)
{
    const foi_tuning *t = model;
    *to = t->shape;
    to->parameters += t->count;
}

static void begin_as(const fo_variables *plain, const fo_variables *now, double *values)
{
    for (size_t i = 0; i < plain->count && i < now->count; i++)
        if (memcmp(&values[i], &plain->list[i].start, sizeof *values) == 0)
            values[i] = now->list[i].start;
}

// What was not set before the start begins where the numbers that were set say.
static fo_status start(const void *model, fo_state *s)
{
    const foi_tuning *t = model;
    fo_system to;
    fo_status status = choose(model, s, &to);
    if (status == FO_OK && to.model != t->plain.model) {
        begin_as(&t->plain.about->states, &to.about->states, s->x);
        begin_as(&t->plain.about->discretes, &to.about->discretes, s->d);
        begin_as(&t->plain.about->inputs, &to.about->inputs, s->u);
    }
    return status == FO_OK && to.type->start ? to.type->start(to.model, s) : status;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->rates(to.model, s, t, x, dx) : status;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->guards(to.model, s, t, x, g) : status;
}

static fo_status conditions(const void *model, const fo_state *s, double t, const double *x,
                            bool *c)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->conditions(to.model, s, t, x, c) : status;
}

static fo_next next(const void *model, const fo_state *s)
{
    fo_system to;
    if (choose(model, s, &to) == FO_OK) return to.type->next(to.model, s);
    return (fo_next){s->t, 0}; // whose jump says why
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->jump(to.model, s, m, e) : status;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->observe(to.model, s, t, x, y) : status;
}

static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->settle(to.model, s, t, x) : status;
}

static fo_status record(const void *model, fo_state *s, const fo_path *path)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->record(to.model, s, path) : status;
}

static fo_status finish(const void *model, fo_state *s)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->finish(to.model, s) : status;
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    fo_system to;
    return choose(model, s, &to) == FO_OK ? to.type->pattern(to.model, s) : NULL;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->jacobian(to.model, s, t, x, values) : status;
}

static fo_status tangent(const void *model, const fo_state *s, double t, const double *x,
                         const fo_seed *along, const fo_tangent *to)
{
    fo_system at;
    fo_status status = choose(model, s, &at);
    return status == FO_OK ? at.type->tangent(at.model, s, t, x, along, to) : status;
}

static fo_status mass(const void *model, const fo_state *s, double *values)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->mass(to.model, s, values) : status;
}

static fo_status residual(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->residual(to.model, s, t, x, dx, r) : status;
}

static fo_status start_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->start_rates(to.model, s, t, x, dx) : status;
}

static fo_status stiff_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->stiff_rates(to.model, s, t, x, dx) : status;
}

static fo_status guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->guard_bounds(to.model, s, on, e) : status;
}

static fo_status output_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->output_bounds(to.model, s, on, e) : status;
}

static fo_status slope_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              const double *push, fo_enclosure *e)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->slope_bounds(to.model, s, on, push, e) : status;
}

static bool may_fail(const void *model, const fo_state *s, const fo_stretch *on)
{
    fo_system to;
    if (choose(model, s, &to) != FO_OK) return true;
    return to.type->may_fail && to.type->may_fail(to.model, s, on);
}

static bool may_diverge(const void *model, const fo_state *s, const fo_stretch *on, fo_quantity of)
{
    fo_system to;
    if (choose(model, s, &to) != FO_OK) return true;
    return to.type->may_diverge && to.type->may_diverge(to.model, s, on, of);
}

static fo_status divisors(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    fo_system to;
    const foi_tuning *tuning = model;
    fo_status status = choose(model, s, &to);
    if (status != FO_OK) return status;
    uint32_t count = tuning->type.divisor_count;
    if (to.type->divisor_count == count) return to.type->divisors(to.model, s, t, x, values);
    for (uint32_t i = 0; i < count; i++) values[i] = 1; // with other numbers it divides otherwise
    return FO_OK;
}

static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    fo_system to;
    if (choose(model, s, &to) == FO_OK) to.type->held(to.model, s, signs);
}

static fo_status side(const void *model, fo_state *s, const int8_t *sides)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->side(to.model, s, sides) : status;
}

static const char *expression(const void *model, fo_reference which, char *text, size_t size)
{
    const foi_tuning *t = model;
    return t->plain.type->expression(t->plain.model, which, text, size);
}

static bool march(const void *model, const fo_state *s, fo_march *m)
{
    fo_system to;
    return choose(model, s, &to) == FO_OK && to.type->march(to.model, s, m);
}

static fo_status step(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    fo_system to;
    fo_status status = choose(model, s, &to);
    return status == FO_OK ? to.type->stepper->step(to.model, s, t, h, x, x_new) : status;
}

// What the system has, and nothing else; but for a start, whose values a number may decide.
static void make_type(foi_tuning *t)
{
    const fo_system_type *plain = t->plain.type;
    t->type = (fo_system_type){
        .kind = plain->kind,
        .shape = shape,
        .start = start,
        .rates = plain->rates ? rates : NULL,
        .guards = plain->guards ? guards : NULL,
        .conditions = plain->conditions ? conditions : NULL,
        .next = plain->next ? next : NULL,
        .jump = plain->jump ? jump : NULL,
        .observe = plain->observe ? observe : NULL,
        .settle = plain->settle ? settle : NULL,
        .record = plain->record ? record : NULL,
        .finish = plain->finish ? finish : NULL,
        .pattern = plain->pattern ? pattern : NULL,
        .jacobian = plain->jacobian ? jacobian : NULL,
        .tangent = plain->tangent ? tangent : NULL,
        .mass = plain->mass ? mass : NULL,
        .residual = plain->residual ? residual : NULL,
        .start_rates = plain->start_rates ? start_rates : NULL,
        .stiff_rates = plain->stiff_rates ? stiff_rates : NULL,
        .guard_bounds = plain->guard_bounds ? guard_bounds : NULL,
        .output_bounds = plain->output_bounds ? output_bounds : NULL,
        .may_fail = plain->may_fail ? may_fail : NULL,
        .may_diverge = plain->may_diverge ? may_diverge : NULL,
        .divisors = plain->divisors ? divisors : NULL,
        .divisor_count = plain->divisor_count,
        .slope_bounds = plain->slope_bounds ? slope_bounds : NULL,
        .held = plain->held ? held : NULL,
        .march = plain->march ? march : NULL,
        .side = plain->side ? side : NULL,
        .starts_in_moments = plain->starts_in_moments,
        .expression = plain->expression ? expression : NULL,
        .hears_sets = plain->hears_sets,
        .lockstep = plain->lockstep,
        .stepper = plain->stepper ? &t->stepper : NULL,
    };
    if (!plain->stepper) return;
    t->stepper = *plain->stepper;
    t->stepper.step = step;
}

// ------------------------------------------------------------------------------------------ making

// One that is called as something of the system stays as it is. A number that a diagram computes
// from others is set like them, and is then no more computed.
static bool is_tuned(const fo_model *m, fo_system plain, const fo_variable *v)
{
    fo_reference found;
    bool given = v->causality == FO_CAUSALITY_PARAMETER ||
                 (m->diagram && v->causality == FO_CAUSALITY_CALCULATED);
    return v->variability == FO_VARIABILITY_FIXED && given &&
           fo_system_find(plain, v->name, &found, NULL) != FO_OK;
}

// A node of a diagram goes back to its initial condition where it has a reset.
static bool has_reset(const foi_node *n)
{
    const foi_parameter *p = n->type->parameters;
    for (uint32_t i = 0; p && p[i].name; i++)
        if (strcmp(p[i].name, "External Reset") == 0) return foi_choice(n, i) != 0;
    return false;
}

static bool initial_of_node(const foi_diagram *d, const char *name)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        size_t length = n->name ? strlen(n->name) : 0;
        if (!length || strncmp(name, n->name, length) != 0 || name[length] != '.') continue;
        const char *key = name + length + 1;
        for (const foi_parameter *p = n->type->parameters; p && p->name; p++) {
            bool same =
                strlen(p->name) == strcspn(key, "[") && strncmp(key, p->name, strlen(p->name)) == 0;
            bool initial = strcmp(p->name, "Initial Condition") == 0 ||
                           strcmp(p->name, "Initial Value") == 0 ||
                           strcmp(p->name, "Initial Integral") == 0;
            if (same && p->at_start) return true;
            if (same && initial) return !has_reset(n);
        }
    }
    return false;
}

// A number that says only where the states begin: in a run it would have no effect.
static bool acts_at_start(const fo_model *m, const char *name)
{
    if (m->diagram) return initial_of_node(&m->diagram->diagram, name);
    if (m->field) return strncmp(name, "start", 5) == 0;
    if (!m->structure) return false;
    const char *dot = strrchr(name, '.'), *key = dot ? dot + 1 : name;
    size_t length = strcspn(key, "[");
    return (length == 5 && strncmp(key, "start", length) == 0) ||
           (length == 8 && strncmp(key, "velocity", length) == 0);
}

// The definition, as it is needed later: the caller's texts may be gone then.
static bool keep_definition(foi_tuning *t, fo_model *m, const fo_model_def *def)
{
    foi_arena *a = &m->arena;
    t->def = *def;
    t->def.go_on = NULL; // who asked is not there any more
    t->def.tunable = false;
    t->def.kind = m->kind->name;
    t->def.name = foi_arena_text(a, m->name, strlen(m->name));
    if (def->text) t->def.length = def->length ? def->length : strlen(def->text);
    if (def->text) t->def.text = foi_arena_text(a, def->text, t->def.length);
    size_t count = 0;
    while (def->libraries && def->libraries[count]) count++;
    const char **libraries = foi_arena_new(a, count + 1, sizeof *libraries);
    for (size_t i = 0; libraries && i < count; i++)
        libraries[i] = foi_arena_text(a, def->libraries[i], strlen(def->libraries[i]));
    t->def.libraries = libraries;
    const char *folder = def->program.folder;
    if (folder) t->def.program.folder = foi_arena_text(a, folder, strlen(folder));
    t->def.headers = NULL;                      // what is compiled has no numbers of a document
    const char *part = strstr(m->name, ".mo:"); // of a text: which model
    if (!def->text && m->path)
        t->def.name = foi_arena_print(a, "%s%s", m->path, part ? part + 3 : "");
    t->def.folders = NULL; // it is found
    t->settings = foi_arena_new(a, m->setting_count + t->count + 1, sizeof *t->settings);
    if (!t->settings || a->failed) return false;
    memcpy(t->settings, m->settings, m->setting_count * sizeof *t->settings);
    t->setting_count = m->setting_count;
    return true;
}

// The list's numbers behind the system's parameters.
static bool make_parameters(foi_tuning *t, fo_model *m)
{
    const fo_variables *plain = &t->plain.about->parameters;
    fo_variable *all = foi_arena_new(&m->arena, plain->count + t->count + 1, sizeof *all);
    t->names = foi_arena_new(&m->arena, t->count + 1, sizeof *t->names);
    t->list[0]->key = foi_new(t->allocator, t->count, sizeof(double));
    if (!all || !t->names || !t->list[0]->key) return false;
    if (plain->count) memcpy(all, plain->list, plain->count * sizeof *all);
    for (uint32_t i = 0, k = 0; i < m->list_count && k < t->count; i++) {
        fo_variable *v = &m->list[i];
        if (!is_tuned(m, t->plain, v)) continue;
        if (!acts_at_start(m, v->name)) v->variability = FO_VARIABILITY_TUNABLE;
        all[plain->count + k] = *v;
        t->names[k] = v->name;
        t->list[0]->key[k++] = v->start;
    }
    t->about = *t->plain.about;
    t->about.parameters = (fo_variables){all, plain->count + t->count};
    return true;
}

fo_status foi_model_tune(fo_model *m, const fo_model_def *def, fo_message *why)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->list_count; i++) count += is_tuned(m, m->system, &m->list[i]);
    if (!count || m->system.type->no_snapshot || m->system.type->run) return FO_OK;
    foi_tuning *t = m->tuning = foi_new(m->allocator, 1, sizeof *t);
    if (!t) return no_memory(why);
    t->allocator = m->allocator;
    t->plain = m->system;
    t->shape = fo_system_shape(m->system);
    // a program for another number may need more registers: x * -1 is simpler than x * -3
    t->shape.scratch = 2 * t->shape.scratch + SPARE;
    t->inner = t->shape.parameters, t->count = count;
    variant *own = t->list[0] = foi_new(m->allocator, 1, sizeof *own);
    if (own) own->system = m->system;
    t->variant_count = own ? 1 : 0;
    if (!own || pthread_mutex_init(&t->lock, NULL) != 0) {
        foi_free(t->allocator, own);
        foi_free(t->allocator, t);
        m->tuning = NULL;
        return no_memory(why);
    }
    if (!keep_definition(t, m, def) || !make_parameters(t, m)) return no_memory(why);
    make_type(t);
    m->system = (fo_system){&t->type, &t->about, t};
    return FO_OK;
}

void foi_tuning_trace(foi_tuning *t, const fo_trace *trace)
{
    t->trace = trace ? *trace : (fo_trace){0};
    for (uint32_t i = 1; i < t->variant_count; i++) fo_model_trace(t->list[i]->model, trace);
}

fo_system foi_tuning_plain(const foi_tuning *t)
{
    return t->plain;
}

void foi_tuning_destroy(foi_tuning *t)
{
    if (!t) return;
    for (uint32_t i = 0; i < t->variant_count; i++) free_variant(t, t->list[i]);
    pthread_mutex_destroy(&t->lock);
    foi_free(t->allocator, t);
}
