// Relations that hold for every model of models/, whatever its numbers are: in pieces, with other
// rows, by other solvers, a million seconds later, with its equations in another order.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"
#include "test.h"

enum { MOMENTS = 24, STATES = 64, TEXT = 32 * 1024 };

/// A manner of running.
typedef struct manner {
    const char *solver;
    double later, rtol, interval; ///< rtol 0: the model's; interval 0: no rows
    int pieces;
    bool live;        ///< by a virtual clock
    const char *text; ///< instead of the model's own; may be NULL
} manner;

/// What came out: the first moments of guards, and the states at the end.
typedef struct outcome {
    bool ran;
    fo_status status;
    char why[300];
    double first[MOMENTS]; ///< since the start
    size_t moments;        ///< of guards, in all
    double x[STATES], span, seconds;
    char name[STATES][48];
    uint32_t states;
} outcome;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct watcher {
    outcome *o;
    double start;
} watcher;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    watcher *w = self;
    (void)why;
    if (m->kind != FO_GUARD) return FO_OK;
    if (w->o->moments < MOMENTS) w->o->first[w->o->moments] = m->t - w->start;
    w->o->moments++;
    return FO_OK;
}

static fo_status ignore(void *self, const fo_row *row, fo_message *why)
{
    (void)self, (void)row, (void)why;
    return FO_OK;
}

static void read_states(outcome *o, fo_simulation *sim)
{
    const fo_state *s = fo_simulation_state(sim);
    o->states = s->shape.states < STATES ? s->shape.states : STATES;
    for (uint32_t i = 0; i < o->states; i++) {
        o->x[i] = s->x[i];
        fo_system_name(fo_simulation_system(sim), (fo_reference){FO_STATE, i}, o->name[i],
                       sizeof o->name[i]);
    }
}

static fo_status advance(fo_simulation *sim, const fo_run_def *def, int pieces)
{
    fo_status status = FO_REACHED;
    for (int k = 1; k <= pieces && status == FO_REACHED; k++) {
        double part = (k - 0.37) / pieces;
        double t = k == pieces ? def->stop : def->start + part * (def->stop - def->start);
        status = fo_simulation_advance(sim, t);
    }
    return status;
}

/// By a virtual clock, the whole run in about a second, in frames of different lengths.
static void run_live(outcome *o, fo_system system, const fo_run_def *def)
{
    enum { MOST_FRAMES = 1000 };
    fo_message why = {0};
    fo_virtual_clock clock = {.now = 1000000000};
    fo_live_def live = fo_default_live_def(system);
    live.run = *def, live.clock = fo_virtual_clock_use(&clock);
    live.speed = (def->stop - def->start) / 0.97, live.rate = 0, live.snapshots = 0;
    fo_live *run = fo_live_create(&live, &why);
    fo_status status = run ? fo_live_start(run) : FO_ERROR_INPUT;
    o->ran = run != NULL, o->span = def->stop - def->start;
    for (int k = 0; k < MOST_FRAMES && (status == FO_OK || status == FO_REACHED); k++) {
        clock.now += 7000001 + 3000000 * (k % 4);
        status = fo_live_advance(run);
    }
    if (!run) return;
    fo_simulation *sim = fo_live_simulation(run);
    o->status = status == FO_STOPPED && fo_simulation_time(sim) == def->stop ? FO_REACHED : status;
    snprintf(o->why, sizeof o->why, "%.299s", fo_live_message(run)->text);
    read_states(o, sim);
    fo_live_destroy(run);
}

static fo_model_def gallery(void)
{
    static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};
    fo_model_def def = fo_default_model_def();
    def.table = fo_compiled_models(), def.folders = folders;
    return def;
}

static outcome run(const fo_gallery_entry *entry, const manner *how)
{
    outcome o = {0};
    fo_model_def model_def = gallery();
    fo_model *model = NULL;
    model_def.name = how->text ? "turned.mo" : entry->name, model_def.text = how->text;
    double began = now();
    if (fo_model_open(&model_def, &model) == FO_OK) {
        fo_run_def def =
            how->solver ? fo_model_run_def_with(model, how->solver) : fo_model_run_def(model);
        def.start += how->later, def.stop += how->later;
        if (how->rtol > 0) def.rtol = how->rtol, def.atol = 1e-3 * how->rtol;
        watcher self = {&o, def.start};
        fo_observer observer = {.self = &self,
                                .moment = note,
                                .row = how->interval > 0 ? ignore : NULL,
                                .interval = how->interval > 0 ? how->interval : -1};
        def.observers = &observer, def.observer_count = 1;
        fo_message why = {0};
        if (how->live) run_live(&o, fo_model_system(model), &def);
        fo_simulation *sim =
            how->live ? NULL : fo_simulation_create(fo_model_system(model), &def, &why);
        if (!how->live) o.ran = sim != NULL, o.span = def.stop - def.start;
        if (sim) {
            o.status = advance(sim, &def, how->pieces ? how->pieces : 1);
            snprintf(o.why, sizeof o.why, "%.299s", fo_simulation_message(sim)->text);
            read_states(&o, sim);
            fo_simulation_destroy(sim);
        }
    }
    fo_model_close(model);
    o.seconds = now() - began;
    return o;
}

// --------------------------------------------------------------------------------- what is wanted

static void want_bits(const fo_gallery_entry *e, const outcome *a, const outcome *b,
                      const char *what)
{
    if (a->status != b->status || a->moments != b->moments)
        test_fail(__FILE__, __LINE__, "%s %s: status %d and %d, %zu and %zu moments", e->name, what,
                  a->status, b->status, a->moments, b->moments);
    for (uint32_t i = 0; i < a->states && i < b->states; i++)
        if (a->x[i] != b->x[i])
            test_fail(__FILE__, __LINE__, "%s %s: %s is %.17g and %.17g", e->name, what, a->name[i],
                      a->x[i], b->x[i]);
}

/// The first moments at the same times; later ones may be lost to chaos or to accumulation.
static void want_moments(const fo_gallery_entry *e, const outcome *a, const outcome *b,
                         double within, const char *what)
{
    size_t most = a->moments > b->moments ? a->moments : b->moments;
    if (most > MOMENTS) most = MOMENTS;
    for (size_t i = 0; i < most; i++) {
        bool there = i < a->moments && i < b->moments;
        if (there && fabs(a->first[i] - b->first[i]) <= within * a->span) continue;
        // at the very end of the run a moment may fall on either side of it
        double t = i < a->moments ? a->first[i] : b->first[i];
        if (!there && t > a->span * (1 - within)) continue;
        test_fail(__FILE__, __LINE__, "%s %s: moment %zu at %.12g and %.12g (%zu and %zu)", e->name,
                  what, i + 1, i < a->moments ? a->first[i] : NAN,
                  i < b->moments ? b->first[i] : NAN, a->moments, b->moments);
        return;
    }
}

static void want_states(const fo_gallery_entry *e, const outcome *a, const outcome *b,
                        double within, const char *what)
{
    double largest = 0;
    for (uint32_t i = 0; i < a->states; i++) largest = fmax(largest, fabs(a->x[i]));
    for (uint32_t i = 0; i < a->states; i++)
        for (uint32_t k = 0; k < b->states; k++)
            if (strcmp(a->name[i], b->name[k]) == 0 &&
                !(fabs(a->x[i] - b->x[k]) <= within * fmax(fabs(a->x[i]), 1e-3 * largest)))
                test_fail(__FILE__, __LINE__, "%s %s: %s is %.12g and %.12g", e->name, what,
                          a->name[i], a->x[i], b->x[k]);
}

// -------------------------------------------------------------------------------------- the models

/// Sensitive to everything after a while.
static bool is_chaotic(const char *name)
{
    static const char *const list[] = {"lorenz", "chua-circuit", "double-pendulum", "dominoes",
                                       "bouncing-balls"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

typedef void relation(const fo_gallery_entry *e, const outcome *plain);

static void for_all(relation *holds, double most_seconds)
{
    fo_model_def def = gallery();
    fo_gallery *all = fo_gallery_open(&def, NULL);
    int tried = 0;
    REQUIRE(all);
    for (size_t i = 0; i < fo_gallery_count(all); i++) {
        const fo_gallery_entry *e = fo_gallery_get(all, i);
        if (strcmp(e->kind, "world") == 0 || strcmp(e->kind, "field") == 0) continue;
        if (test_is_slow() && i % 4) continue;
        outcome plain = run(e, &(manner){0});
        if (!plain.ran || plain.seconds > most_seconds) continue;
        tried++;
        holds(e, &plain);
    }
    if (!test_is_sanitized()) CHECK(tried > 25);
    fo_gallery_close(all);
}

static void pieces_and_rows(const fo_gallery_entry *e, const outcome *plain)
{
    outcome pieces = run(e, &(manner){.pieces = 7});
    outcome rows = run(e, &(manner){.interval = plain->span / 97});
    want_bits(e, plain, &pieces, "in pieces");
    want_bits(e, plain, &rows, "with rows");
}

TEST(pieces_and_rows_give_the_same_bits)
{
    for_all(pieces_and_rows, 0.1);
}

static void by_the_clock(const fo_gallery_entry *e, const outcome *plain)
{
    outcome live = run(e, &(manner){.live = true});
    CHECK(live.ran);
    want_bits(e, plain, &live, "by the clock");
}

TEST(live_by_a_virtual_clock_it_gives_the_same_bits)
{
    for_all(by_the_clock, 0.1);
}

static void by_solver(const fo_gallery_entry *e, const outcome *plain)
{
    static const char *const solvers[] = {"dop853", "radau5",    "rodas4",
                                          "adams",  "cvode-bdf", "ida"};
    const double rtol = 1e-8;
    outcome dp45 = run(e, &(manner){.solver = "dp45", .rtol = rtol});
    (void)plain;
    if (!dp45.ran || dp45.status != FO_REACHED || dp45.seconds > 0.05) return;
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
        if (!fo_solver_find(solvers[k], NULL)) continue;
        outcome other = run(e, &(manner){.solver = solvers[k], .rtol = rtol});
        if (!other.ran) continue; // not for this form of system
        if (other.status != FO_REACHED) {
            test_fail(__FILE__, __LINE__, "%s with %s: %s", e->name, solvers[k], other.why);
            continue;
        }
        if (is_chaotic(e->name)) continue;
        want_moments(e, &dp45, &other, 5e-5, solvers[k]);
    }
}

TEST(solvers_find_the_same_moments)
{
    for_all(by_solver, 0.05);
}

/// Nothing in them depends on time.
static bool is_autonomous(const char *name)
{
    static const char *const list[] = {"ball",      "thermostat",    "relay-oscillator",
                                       "two-tanks", "van-der-pol",   "newton-cooling",
                                       "kepler",    "predator-prey", "sir-epidemic"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(name, list[i]) == 0) return true;
    return false;
}

static void later(const fo_gallery_entry *e, const outcome *plain)
{
    if (!is_autonomous(e->name)) return;
    outcome shifted = run(e, &(manner){.later = 1e6});
    if (shifted.status != plain->status)
        test_fail(__FILE__, __LINE__, "%s later: %s", e->name, shifted.why);
    want_moments(e, plain, &shifted, 1e-6, "later");
    if (plain->moments < MOMENTS) want_states(e, plain, &shifted, 1e-4, "later");
}

TEST(a_million_seconds_later_it_is_the_same)
{
    for_all(later, 0.1);
}

// ------------------------------------------------------------------------------- another order

static bool begins(const char *line, const char *word)
{
    while (*line == ' ') line++;
    return strncmp(line, word, strlen(word)) == 0;
}

/// Whether a statement is complete: every when, if and for has its end, and a line ends it.
static bool is_complete(const char *from, const char *to)
{
    int open = 0;
    const char *last = from;
    for (const char *line = from; line < to; line = strchr(line, '\n') + 1) {
        open += begins(line, "when ") || begins(line, "if ") || begins(line, "for ");
        open -= begins(line, "end ");
        last = line;
    }
    const char *end = strchr(last, '\n');
    while (end > last && strchr(" \r", end[-1])) end--;
    return open == 0 && end > last && (end[-1] == ';' || strstr(last, "; //"));
}

/// The same text with the equations of its one section in the opposite order. False: it is not so
/// simple a text.
static bool turn_round(const char *text, char *out, size_t size)
{
    const char *head = strstr(text, "\nequation\n");
    if (!head || strstr(head + 5, "\nequation\n") || strstr(text, "\nalgorithm")) return false;
    head += strlen("\nequation\n");
    const char *tail = strstr(head, "\n  annotation");
    if (!tail) tail = strstr(head, "\nend ");
    if (!tail || strlen(text) + 2 > size) return false;
    const char *part[256];
    int parts = 0;
    for (const char *line = head, *begin = head; line <= tail && parts < 255;) {
        line = strchr(line, '\n') + 1;
        if (!is_complete(begin, line)) continue;
        part[parts++] = begin, begin = line;
        part[parts] = line;
    }
    if (parts < 2 || part[parts] != tail + 1) return false;
    size_t at = (size_t)(head - text);
    memcpy(out, text, at);
    for (int i = parts - 1; i >= 0; i--) {
        memcpy(out + at, part[i], (size_t)(part[i + 1] - part[i]));
        at += (size_t)(part[i + 1] - part[i]);
    }
    strcpy(out + at, tail + 1);
    return true;
}

static bool read_text(const char *path, char *text, size_t size)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file) fclose(file);
    text[length] = 0;
    return length > 0 && length < size - 1;
}

static int turned_count;

static void other_order(const fo_gallery_entry *e, const outcome *plain)
{
    static char text[TEXT], turned[TEXT];
    if (strcmp(e->kind, "text") != 0 || is_chaotic(e->name)) return;
    if (!read_text(e->path, text, sizeof text) || !turn_round(text, turned, sizeof turned)) return;
    outcome other = run(e, &(manner){.text = turned});
    turned_count++;
    if (!other.ran || other.status != plain->status) {
        test_fail(__FILE__, __LINE__, "%s turned round: %s\n%s", e->name, other.why, turned);
        return;
    }
    want_moments(e, plain, &other, 1e-6, "turned round");
    if (plain->moments < MOMENTS) want_states(e, plain, &other, 1e-5, "turned round");
}

TEST(the_order_of_equations_does_not_matter)
{
    turned_count = 0;
    for_all(other_order, 0.1);
    if (!test_is_sanitized()) CHECK(turned_count >= 8);
}

TEST_MAIN(TEST_ENTRY(pieces_and_rows_give_the_same_bits),
          TEST_ENTRY(live_by_a_virtual_clock_it_gives_the_same_bits),
          TEST_ENTRY(solvers_find_the_same_moments),
          TEST_ENTRY(a_million_seconds_later_it_is_the_same),
          TEST_ENTRY(the_order_of_equations_does_not_matter))
