// Every number that a model of models/ says can be set: set to another value the run is another
// one, or it is refused with a message; and set at the start of a live run it gives the bits that
// it gives when the model is opened with it.
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};

/// How a number is set.
typedef enum way { UNSET, OPENED, LIVE } way;

/// What a run came to.
typedef struct outcome {
    enum { RAN, REFUSED_OPEN, REFUSED_SET, FAILED } end;
    uint64_t hash; ///< of the rows at `looks` times
    double last;   ///< the sum of the last row
    int looks;
    char why[2048];
} outcome;

enum {
    LOOKS = 16,
    WORK = 200000
}; ///< rates of single states until a run has been looked at enough

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    return hash ^ hash >> 29;
}

static void look(const fo_model *m, fo_simulation *sim, outcome *o)
{
    size_t count;
    const fo_reference *rows = fo_model_rows(m, &count);
    o->last = 0;
    for (size_t i = 0; i < count; i++) {
        double value = fo_simulation_value(sim, rows[i]);
        o->hash = mix(o->hash, value), o->last += value;
    }
    o->looks++;
}

// A long run is cut short, and runs with other numbers at the same time: `looks`, 0: find it.
static void carry(const fo_model *m, fo_simulation *sim, int looks, outcome *o)
{
    fo_run_def def = fo_model_run_def(m);
    double states = fo_system_shape(fo_model_system(m)).states;
    for (int k = 1; k <= (looks ? looks : LOOKS); k++) {
        fo_status status =
            fo_simulation_advance(sim, def.start + (def.stop - def.start) * k / LOOKS);
        look(m, sim, o);
        if (fo_failed(status)) o->end = FAILED;
        if (fo_failed(status))
            snprintf(o->why, sizeof o->why, "%.2000s", fo_simulation_message(sim)->text);
        if (status != FO_REACHED) return;
        double work = states * (double)fo_simulation_statistics(sim).steps;
        if (!looks && work > WORK) return;
    }
}

static void simulate(const fo_model *m, const fo_setting *live, int looks, outcome *o)
{
    fo_run_def def = fo_model_run_def(m);
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &def, &why);
    if (!sim) o->end = FAILED, snprintf(o->why, sizeof o->why, "%.2000s", why.text);
    if (sim && live && fo_simulation_set(sim, live->name, live->value) != FO_OK) {
        o->end = REFUSED_SET;
        snprintf(o->why, sizeof o->why, "%.2000s", fo_simulation_message(sim)->text);
    }
    if (sim && o->end == RAN) carry(m, sim, looks, o);
    fo_simulation_destroy(sim);
}

static fo_model_def gallery_def(const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.name = name, def.table = fo_compiled_models(), def.folders = folders;
    def.program.folder = "no-such-folder"; // what others have compiled is not looked at
    return def;
}

static outcome run(const char *name, fo_setting setting, way how, int looks)
{
    fo_model_def def = gallery_def(name);
    outcome o = {.end = RAN, .hash = 14695981039346656037u};
    fo_model *m;
    if (how == OPENED) def.settings = &setting, def.setting_count = 1;
    def.tunable = how == LIVE;
    if (fo_model_open(&def, &m) == FO_OK)
        simulate(m, how == LIVE ? &setting : NULL, looks, &o);
    else {
        o.end = REFUSED_OPEN;
        const fo_finding *first = fo_model_finding(m, 0);
        snprintf(o.why, sizeof o.why, "%.2000s", first ? first->text : "");
    }
    fo_model_close(m);
    return o;
}

// Another value that the number's type and bounds allow; the same one where there is none.
static double another(const fo_variable *v)
{
    bool real = v->type == FO_REAL, bounded = v->min != 0 || v->max != 0;
    double up = v->type == FO_BOOLEAN ? !v->start
                : !real               ? v->start + 1
                : v->start != 0       ? v->start * 1.0625
                                      : 0.0625;
    double down = real ? v->start * 0.9375 : v->start - 1;
    if (!bounded || (up >= v->min && up <= v->max)) return up;
    return down >= v->min && down <= v->max ? down : v->start;
}

// ------------------------------------------------------------------------------------- exceptions

/// Numbers that change nothing at the value above, and why that is right. "*" is any model.
static const struct {
    const char *model, *number, *why;
} idle[] = {
    {"*", "threads", "the bits do not depend on it"},
    {"*", "stop_speed", "the ball is slower than both at the same bounce"},
    {"double-pendulum", "t1", "the tap has no strength"},
    {"double-pendulum", "t2", "the tap has no strength"},
    {"double-pendulum.mo", "t1", "negative: there is no tap"},
    {"double-pendulum.mo", "t2", "negative: there is no tap"},
    {"double-pendulum.mo", "tap1", "it is never given"},
    {"double-pendulum.mo", "tap2", "it is never given"},
    {"dip", "width", "of a dip that the run's rows do not show"},
    {"rocket", "area3", "of a stage above the air"},
    {"rocket", "duration3", "of a stage that burns when the run stops"},
    {"fire", "engines", "three are enough for its fires"},
    {"dominoes", "tolerance", "of a search that ends at the same place"},
    {"*", "gravity", "a factor of a gravity that is zero"},
    {"*", "change[*].mass", "of a node that is fixed"},
    {"mass-on-a-spring", "top.mass", "of a node that is fixed"},
    {"*", "v.Initial Condition", "comes from outside"},
    {"*", "w.Initial Value", "the step is at the start"},
    {"*", "u.Initial Value", "the step is at the start"},
    {"decision", "*", "the inputs are far from the limits and thresholds"},
    {"queue", "*.Deviation", "the exponential distribution has none"},
    {"queue", "queue.Capacity", "never so many wait"},
    {"quartic", "block", "the bits do not depend on it"},
    {"tapped-pendulum", "p", "of a tap that is not given"},
    {"tapped-pendulum", "tap", "an event that was true before the start"},
    {"wave-distributed-sliding", "tolerance", "of iterations, which a direct solution has not"},
    {"wave-distributed-sliding", "work", "of iterations, which a direct solution has not"},
    {"wave-distributed-sliding", "substeps", "epsilon is the substep: one is enough"},
    {"*", "probes[3].node[*]", "two nodes under one side of a rigid object"},
};

// A pattern with at most one star.
static bool fits(const char *pattern, const char *name)
{
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(pattern, name) == 0;
    size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(name);
    return length >= before + after && strncmp(pattern, name, before) == 0 &&
           strcmp(name + length - after, star + 1) == 0;
}

static bool may_be_idle(const char *model, const char *number)
{
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++)
        if (fits(idle[i].model, model) && fits(idle[i].number, number)) return true;
    return false;
}

// Where a set at the start is a restart of what remembers: equal but for rounding.
static bool agrees(const char *number, const outcome *a, const outcome *b)
{
    if (a->hash == b->hash) return true;
    return strcmp(number, "lag") == 0 && fabs(a->last - b->last) <= 1e-12 * (1 + fabs(a->last));
}

// ------------------------------------------------------------------------------------------ tests

static void check_number(const char *model, const fo_variable *v, const outcome *usual)
{
    double value = another(v);
    outcome opened = run(model, (fo_setting){v->name, value, false}, OPENED, usual->looks);
    outcome live = run(model, (fo_setting){v->name, value, false}, LIVE, usual->looks);
    bool same = opened.end == RAN && opened.hash == usual->hash;
    if (value == v->start)
        test_fail(__FILE__, __LINE__, "%s: %s has no other value", model, v->name);
    if (opened.end != RAN && !opened.why[0])
        test_fail(__FILE__, __LINE__, "%s: %s is refused without a word", model, v->name);
    if (live.end != RAN && !live.why[0])
        test_fail(__FILE__, __LINE__, "%s: %s is refused live without a word", model, v->name);
    if (same && !may_be_idle(model, v->name))
        test_fail(__FILE__, __LINE__, "%s: %s = %g changes nothing", model, v->name, value);
    if (opened.end != RAN && live.end == RAN)
        test_fail(__FILE__, __LINE__, "%s: %s = %g is taken live only, not opened: %s", model,
                  v->name, value, opened.why);
    if (opened.end == RAN && live.end == RAN && !agrees(v->name, &opened, &live))
        test_fail(__FILE__, __LINE__, "%s: %s = %g: %.17g opened, %.17g live", model, v->name,
                  value, opened.last, live.last);
}

TEST(every_number_is_used_or_refused_and_live_as_opened)
{
    fo_model_def all = gallery_def(NULL);
    fo_message why = {0};
    fo_gallery *gallery = fo_gallery_open(&all, &why);
    size_t count = 0;
    REQUIRE(gallery);
    for (size_t i = 0; i < fo_gallery_count(gallery); i++) {
        const char *name = fo_gallery_get(gallery, i)->name;
        fo_model_def def = gallery_def(name);
        if (test_is_sanitized() && i % 8) continue;
        fo_model *m;
        CHECK_INT(fo_model_open(&def, &m), FO_OK);
        outcome usual = run(name, (fo_setting){0}, UNSET, 0);
        if (usual.end != RAN) test_fail(__FILE__, __LINE__, "%s: %s", name, usual.why);
        for (size_t k = 0; k < fo_model_number_count(m); k++, count++)
            if (!test_is_sanitized() || k % 16 == 0)
                check_number(name, fo_model_number(m, k), &usual);
        fo_model_close(m);
    }
    fo_gallery_close(gallery);
    if (count < 900 && !test_is_sanitized())
        test_fail(__FILE__, __LINE__, "only %zu numbers", count);
}

// What is out of its bounds, or no value of its type, is refused at the door, live too.
TEST(what_a_number_must_not_be_is_refused)
{
    fo_model_def all = gallery_def(NULL);
    fo_message why = {0};
    fo_gallery *gallery = fo_gallery_open(&all, &why);
    REQUIRE(gallery);
    for (size_t i = 0; i < fo_gallery_count(gallery); i++) {
        const char *name = fo_gallery_get(gallery, i)->name;
        fo_model_def def = gallery_def(name);
        if (test_is_sanitized() && i % 8) continue;
        fo_model *m;
        CHECK_INT(fo_model_open(&def, &m), FO_OK);
        for (size_t k = 0; k < fo_model_number_count(m); k += test_is_sanitized() ? 16 : 1) {
            const fo_variable *v = fo_model_number(m, k);
            double wrong = v->min != 0 || v->max != 0 ? v->min - 1 - fabs(v->min) : NAN;
            if (v->type != FO_REAL) wrong = v->start + 0.5;
            outcome o = run(name, (fo_setting){v->name, wrong, false}, OPENED, 1);
            if (o.end != REFUSED_OPEN || !o.why[0])
                test_fail(__FILE__, __LINE__, "%s: %s = %g is taken", name, v->name, wrong);
        }
        fo_model_close(m);
    }
    fo_gallery_close(gallery);
}

TEST_MAIN(TEST_ENTRY(every_number_is_used_or_refused_and_live_as_opened),
          TEST_ENTRY(what_a_number_must_not_be_is_refused))
