/// What is shown is a number: the first instant at which it is not ends the run.
#include <stdlib.h>

#include "scene.h"

enum { ROOT, INVERSE, LOGARITHM, STEPPED };

typedef struct shown {
    int what;
    double at;
} shown;

// x is time. The output has no value from `at` on, to both sides of it, or only there.
static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const shown *m = model;
    (void)s, (void)t;
    y[0] = x[0];
    switch (m->what) {
    case ROOT: y[1] = sqrt(m->at - x[0]); break;
    case INVERSE: y[1] = x[0] < m->at ? 1 : 1 / (0 * x[0]); break;
    case LOGARITHM: y[1] = x[0] < m->at ? 0 : log(0 * x[0]); break;
    default: y[1] = x[0] < m->at ? 0 : NAN; break;
    }
    return FO_OK;
}

static const fo_system_type type = {.kind = "C", .rates = scene_clock_rates, .observe = observe};
static const fo_description quiet = {
    .name = "quiet", .states = FO_VARIABLES({"x"}), .outputs = FO_VARIABLES({"y"}, {"z"})};
static const fo_description wary = {.name = "wary",
                                    .states = FO_VARIABLES({"x"}),
                                    .outputs = FO_VARIABLES({"y"}, {"z"}),
                                    .outputs_fail = true};

typedef struct seen {
    size_t rows;
    double last;
} seen;

static fo_status keep(void *self, const fo_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->rows++, s->last = row->t;
    for (size_t i = 0; i < row->count; i++) CHECK(isfinite(row->values[i]));
    return FO_OK;
}

static fo_status count(void *self, const fo_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->rows++, s->last = row->t;
    return FO_OK;
}

static fo_status play(const fo_description *about, const shown *m, double interval, seen *rows,
                      fo_message *why, double *t)
{
    fo_run_def def = fo_default_run_def();
    fo_observer o = {.self = rows, .row = keep, .interval = interval};
    *rows = (seen){0};
    def.stop = 10, def.observers = &o, def.observer_count = rows ? 1 : 0;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, about, m}, &def, why);
    if (!sim) return why->status;
    fo_status status = fo_simulation_advance(sim, 10);
    *why = *fo_simulation_message(sim), *t = fo_simulation_time(sim);
    fo_simulation_destroy(sim);
    return status;
}

// It is found on rows, and where the description asks for it also without; the instant is the first
// double at which it is so, whatever steps and rows are.
TEST(first_instant_is_found)
{
    static const char *const words[] = {"'z' is not a number", "'z' is infinite",
                                        "'z' is minus infinity", "'z' is not a number"};
    for (int what = ROOT; what <= STEPPED; what++)
        for (int i = 0; i < 20; i++) {
            shown m = {what, 0.25 + i * 0.4123};
            seen rows;
            fo_message why = {0};
            double t;
            fo_status status = play(&quiet, &m, 0.37, &rows, &why, &t);
            CHECK_STATUS(status, FO_ERROR_NUMBER, &why);
            CHECK_CONTAINS(why.text, words[what]);
            // between two rows nobody looks at the single steps
            bool exact = !strstr(why.text, "or before");
            CHECK(exact ? fabs(t - m.at) <= 1e-12 * m.at : t >= m.at && t <= m.at + 0.37);
            CHECK_NEAR(rows.last, 0.37 * floor(m.at / 0.37), 1e-12);
            CHECK_STATUS(play(&wary, &m, -1, &rows, &why, &t), FO_ERROR_NUMBER, &why);
            CHECK_NEAR(t, m.at, 1e-12 * m.at);
            CHECK_NEAR(strtod(strstr(why.text, "t = ") + 4, NULL), m.at, 1e-12 * m.at);
        }
}

// Nobody is shown it, and nothing says that it can be: nobody asks.
TEST(what_nobody_looks_at_is_no_error)
{
    shown m = {ROOT, 5};
    seen rows;
    fo_message why = {0};
    double t;
    CHECK_STATUS(play(&quiet, &m, -1, &rows, &why, &t), FO_REACHED, &why); // no row, no jump
    fo_run_def def = fo_default_run_def();
    def.stop = 10;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &quiet, &m}, &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 10), FO_REACHED, &why);
    fo_simulation_destroy(sim);
}

// A discrete may say "never", but it must be a number.
static fo_status set_discrete(const void *model, fo_state *s)
{
    s->d[0] = *(const double *)model;
    return FO_OK;
}

static fo_status show_time(const void *model, const fo_state *s, double t, const double *x,
                           double *y)
{
    (void)model, (void)s, (void)x;
    y[0] = t;
    return FO_OK;
}

static const fo_system_type waits = {
    .kind = "C", .start = set_discrete, .rates = scene_clock_rates, .observe = show_time};
static const fo_description waiting = {.name = "waits",
                                       .states = FO_VARIABLES({"x"}),
                                       .discretes = FO_VARIABLES({"until"}),
                                       .outputs = FO_VARIABLES({"y"})};

TEST(discretes)
{
    const double values[] = {INFINITY, NAN};
    for (int i = 0; i < 2; i++) {
        fo_message why = {0};
        fo_run_def def = fo_default_run_def();
        seen rows = {0};
        fo_observer o = {.self = &rows, .row = count, .interval = 0.5};
        def.observers = &o, def.observer_count = 1;
        fo_simulation *sim =
            fo_simulation_create((fo_system){&waits, &waiting, &values[i]}, &def, &why);
        REQUIRE(sim);
        fo_status status = fo_simulation_advance(sim, 1);
        CHECK_STATUS(status, i ? FO_ERROR_NUMBER : FO_REACHED, fo_simulation_message(sim));
        CHECK_INT(rows.rows, i ? 0 : 3);
        fo_simulation_destroy(sim);
    }
}

TEST(at_the_start)
{
    shown m = {ROOT, -1};
    seen rows;
    fo_message why = {0};
    double t;
    CHECK_STATUS(play(&quiet, &m, 1, &rows, &why, &t), FO_ERROR_NUMBER, &why);
    CHECK_CONTAINS(why.text, "'z' is not a number at t = 0");
    CHECK_INT(rows.rows, 0);
}

TEST_MAIN(TEST_ENTRY(first_instant_is_found), TEST_ENTRY(what_nobody_looks_at_is_no_error),
          TEST_ENTRY(discretes), TEST_ENTRY(at_the_start))
