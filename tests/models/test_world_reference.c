// Every model that is made of processes against its reference.csv (tools/reference_worlds.py:
// closed forms and programs that have no code in common with this).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "worlds/worlds.h"

/// How a table is compared.
typedef enum kind {
    OVER_TIME, ///< each row is a time of one run
    BY_RUN,    ///< each row is a run
    IN_MEAN,   ///< each row is many runs, and what stands there is the true mean
} kind;

typedef struct setting {
    const char *name;
    kind kind;
    double rtol, atol;
    double within; ///< times the largest value of the column; IN_MEAN: the widest interval
    double usual;  ///< the same with the model's usual errors; 0: as above
} setting;

static const setting settings[] = {
    {"predator-prey", OVER_TIME, 1e-11, 1e-9, 3e-8, 3e-6},
    {"rocket", OVER_TIME, 1e-11, 1e-9, 1e-9, 1e-6},
    {"bouncing-balls", OVER_TIME, 1e-10, 1e-10, 1e-9, 1e-8},
    {"reactor", OVER_TIME, 1e-11, 1e-12, 1e-9, 1e-7},
    {"dominoes", BY_RUN, 1e-11, 1e-12, 1e-9, 1e-6},
    {"pilot-ejection", BY_RUN, 1e-10, 1e-10, 0, 0},
    {"fire", BY_RUN, 1e-9, 1e-9, 1e-7, 1e-6},
    {"mm1", IN_MEAN, 0, 0, 0.1, 0},
    {"bank", IN_MEAN, 0, 0, 0.05, 0},
    {"machine-shop", IN_MEAN, 0, 0, 0.05, 0},
    {"gas-station", IN_MEAN, 0, 0, 0.1, 0},
};

// --------------------------------------------------------------------------------------- sheets

enum { COLUMNS = 8, ROWS = 64 };

typedef struct sheet {
    size_t rows, columns;
    char names[COLUMNS][32];
    double cell[ROWS][COLUMNS];
    double scale[COLUMNS];
} sheet;

static bool sheet_read(sheet *f, const char *name)
{
    char path[512], line[512], *rest = NULL;
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/reference.csv", name);
    *f = (sheet){0};
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool good = fgets(line, sizeof line, file);
    for (char *at = good ? strtok_r(line, ",\n", &rest) : NULL; at && f->columns < COLUMNS;
         at = strtok_r(NULL, ",\n", &rest))
        snprintf(f->names[f->columns++], sizeof f->names[0], "%s", at);
    while (good && f->rows < ROWS && fgets(line, sizeof line, file)) {
        char *at = line;
        for (size_t i = 0; i < f->columns; i++) {
            double value = f->cell[f->rows][i] = strtod(at, &at);
            f->scale[i] = fmax(f->scale[i], fabs(value));
            if (*at == ',') at++;
        }
        f->rows++;
    }
    fclose(file);
    return good && f->columns > 1 && f->rows > 1;
}

// ----------------------------------------------------------------------------------------- runs

typedef struct run {
    const fo_world_model *model;
    fo_world *world;
    void *record;
    fo_simulation *sim;
    fo_run_def def;
} run;

static bool run_open(run *r, const setting *set, bool usual, uint64_t replication)
{
    fo_message why = {0};
    *r = (run){.model = world_find(set->name), .def = fo_default_run_def()};
    fo_world_start start = {.seed = set->kind == IN_MEAN, .replication = replication};
    r->world = fo_world_make(r->model, &start, &r->record, &why);
    r->def.stop = r->model->stop, r->def.solver = "rkf45", r->def.seed = start.seed;
    if (set->rtol > 0) {
        r->def.rtol = usual ? r->model->max_rel_error : set->rtol;
        r->def.atol = usual ? r->model->max_abs_error : set->atol;
    }
    if (r->world) r->sim = fo_simulation_create(fo_world_system(r->world), &r->def, &why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s: %s", set->name, why.text);
    return r->sim;
}

static void run_close(run *r)
{
    fo_simulation_destroy(r->sim);
    fo_world_destroy(r->world);
    fo_world_record_free(r->model, r->record, NULL);
}

static fo_reference find(const run *r, const char *name)
{
    fo_reference which = {0};
    fo_message why = {0};
    CHECK_STATUS(fo_system_find(fo_world_system(r->world), name, &which, &why), FO_OK, &why);
    return which;
}

static void advance(run *r, double t)
{
    fo_status status = fo_simulation_advance(r->sim, t);
    if (fo_failed(status))
        test_fail(__FILE__, __LINE__, "%s: %s", r->model->name,
                  fo_simulation_message(r->sim)->text);
}

static void compare(const run *r, const char *column, double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        test_fail(__FILE__, __LINE__, "%s: %s is %.15g, expected %.15g within %g", r->model->name,
                  column, value, expected, within);
}

static void check_over_time(const setting *set, const sheet *f, bool usual)
{
    run r;
    fo_reference which[COLUMNS];
    CHECK_TEXT(f->names[0], "time");
    if (!run_open(&r, set, usual, 0)) return;
    for (size_t i = 1; i < f->columns; i++) which[i] = find(&r, f->names[i]);
    for (size_t row = 0; row < f->rows; row++) {
        advance(&r, f->cell[row][0]);
        for (size_t i = 1; i < f->columns; i++)
            compare(&r, f->names[i], fo_simulation_value(r.sim, which[i]), f->cell[row][i],
                    (usual ? set->usual : set->within) * f->scale[i]);
    }
    run_close(&r);
}

// Runs with the parameters of a row; what is no parameter goes to `values`.
static bool run_row(run *r, const setting *set, const sheet *f, size_t row, bool usual,
                    uint64_t replication, double *values)
{
    fo_reference which[COLUMNS];
    if (!run_open(r, set, usual, replication)) return false;
    for (size_t i = 0; i < f->columns; i++) {
        which[i] = find(r, f->names[i]);
        if (which[i].quantity == FO_PARAMETER)
            CHECK_STATUS(fo_simulation_set(r->sim, f->names[i], f->cell[row][i]), FO_OK,
                         fo_simulation_message(r->sim));
    }
    advance(r, r->def.stop);
    for (size_t i = 0; i < f->columns; i++)
        values[i] = which[i].quantity == FO_PARAMETER ? NAN : fo_simulation_value(r->sim, which[i]);
    return true;
}

static void check_by_run(const setting *set, const sheet *f, bool usual)
{
    for (size_t row = 0; row < f->rows; row++) {
        run r;
        double values[COLUMNS];
        size_t compared = 0;
        if (!run_row(&r, set, f, row, usual, 0, values)) return;
        for (size_t i = 0; i < f->columns; i++) {
            if (isnan(values[i])) continue;
            compare(&r, f->names[i], values[i], f->cell[row][i],
                    (usual ? set->usual : set->within) * f->scale[i]);
            compared++;
        }
        CHECK(compared > 0);
        run_close(&r);
    }
}

// Seeds are fixed: it holds or not for ever.
static void check_in_mean(const setting *set, const sheet *f)
{
    enum { RUNS = 40 };
    size_t last = f->columns - 1;
    for (size_t row = 0; row < f->rows; row++) {
        fo_tally tally = {0};
        run r;
        for (uint64_t n = 0; n < RUNS; n++) {
            double values[COLUMNS];
            if (!run_row(&r, set, f, row, true, n, values)) return;
            fo_tally_add(&tally, values[last]);
            run_close(&r);
        }
        double half = fo_tally_half_width(&tally, 0.999), expected = f->cell[row][last];
        CHECK(half > 0 && half < set->within * expected);
        compare(&r, f->names[last], tally.mean, expected, half);
    }
}

TEST(worlds_meet_their_reference)
{
    CHECK_INT(sizeof settings / sizeof settings[0], world_count());
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const setting *set = &settings[i];
        sheet f;
        if (!sheet_read(&f, set->name)) {
            test_fail(__FILE__, __LINE__, "no reference of %s", set->name);
            continue;
        }
        switch (set->kind) {
        case OVER_TIME: check_over_time(set, &f, false); break;
        case BY_RUN: check_by_run(set, &f, false); break;
        case IN_MEAN: check_in_mean(set, &f); break;
        }
    }
}

// As `foliot run` does it.
TEST(usual_settings_meet_the_reference_roughly)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const setting *set = &settings[i];
        sheet f;
        if (set->kind == IN_MEAN || !sheet_read(&f, set->name)) continue;
        if (set->kind == OVER_TIME)
            check_over_time(set, &f, true);
        else
            check_by_run(set, &f, true);
    }
}

TEST_MAIN(TEST_ENTRY(worlds_meet_their_reference),
          TEST_ENTRY(usual_settings_meet_the_reference_roughly))
