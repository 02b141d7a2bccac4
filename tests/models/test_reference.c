// Every model against its reference.csv (tools/reference.py: 50-digit decimals, no code in common).
#include "run.h"

// Errors are measured against the largest value of their column.
typedef struct setting {
    const char *name, *solver;
    double rtol, atol, within;
} setting;

static const setting settings[] = {
    {"pendulum", "dop853", 1e-13, 1e-14, 1e-11},
    {"ball", "dop853", 1e-13, 1e-14, 3e-11},
    {"double-pendulum", "dop853", 1e-13, 1e-14, 3e-11},
    {"lorenz", "dop853", 1e-14, 1e-14, 1e-9},
    {"van-der-pol", "dop853", 1e-13, 1e-14, 1e-11},
    {"van-der-pol-stiff", "radau5", 1e-11, 1e-13, 3e-8},
    {"robertson", "radau5", 1e-10, 1e-15, 1e-8},
    {"roberts-dae", "radau5", 1e-10, 1e-15, 1e-8},
    {"kepler", "dop853", 1e-13, 1e-14, 1e-9},
    {"mass-spring-damper", "dop853", 1e-13, 1e-14, 3e-11},
    {"dip", "dop853", 1e-13, 1e-14, 1e-11},
};

enum { COLUMNS = 8, ROWS = 64 };

typedef struct sheet {
    size_t rows, columns;
    fo_reference which[COLUMNS];
    double cell[ROWS][COLUMNS + 1]; // the first is the time
    double scale[COLUMNS];
} sheet;

static bool sheet_header(sheet *f, const fo_compiled_model *model, char *line)
{
    fo_message why = {0};
    char *rest = NULL, *name = strtok_r(line, ",\n", &rest);
    if (!name || strcmp(name, "time") != 0) return false;
    while ((name = strtok_r(NULL, ",\n", &rest)) && f->columns < COLUMNS)
        if (fo_system_find(model->system, name, &f->which[f->columns++], &why) != FO_OK)
            return false;
    return f->columns > 0;
}

static bool sheet_read(sheet *f, const fo_compiled_model *model)
{
    char path[512], line[512];
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/reference.csv",
             model->system.about->name);
    *f = (sheet){0};
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool good = fgets(line, sizeof line, file) && sheet_header(f, model, line);
    while (good && f->rows < ROWS && fgets(line, sizeof line, file)) {
        char *at = line;
        double *cell = f->cell[f->rows++];
        for (size_t i = 0; i <= f->columns; i++) {
            cell[i] = strtod(at, &at);
            if (*at == ',') at++;
            if (i) f->scale[i - 1] = fmax(f->scale[i - 1], fabs(cell[i]));
        }
    }
    fclose(file);
    return good && f->rows >= 10;
}

// The largest error over the sheet.
static double worst(run *r, const sheet *f)
{
    double result = 0;
    for (size_t row = 0; row < f->rows; row++) {
        run_to(r, f->cell[row][0]);
        for (size_t i = 0; i < f->columns; i++) {
            double value = fo_simulation_value(r->sim, f->which[i]);
            double error = fabs(value - f->cell[row][i + 1]) / f->scale[i];
            result = error <= result ? result : error; // takes a NaN too
        }
    }
    return result;
}

TEST(models_meet_their_reference)
{
    CHECK_INT(sizeof settings / sizeof settings[0], gallery_count());
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const setting *set = &settings[i];
        run r;
        sheet f;
        run_prepare(&r, set->name);
        r.def.solver = set->solver;
        r.def.rtol = set->rtol;
        r.def.atol = set->atol;
        CHECK(sheet_read(&f, r.model));
        if (run_create(&r)) {
            double error = worst(&r, &f);
            if (!(error <= set->within))
                test_fail(__FILE__, __LINE__, "%s with %s: error %g, expected at most %g",
                          set->name, set->solver, error, set->within);
        }
        run_end(&r);
    }
}

// As `foliot run` does it: the usual settings are good for the look of a plot.
TEST(usual_settings_meet_the_reference_roughly)
{
    for (size_t i = 0; i < gallery_count(); i++) {
        run r;
        sheet f;
        run_prepare(&r, gallery_get(i)->system.about->name);
        if (strcmp(r.model->system.about->name, "lorenz") == 0) r.def.rtol = 1e-10; // chaos
        CHECK(sheet_read(&f, r.model));
        if (run_create(&r)) {
            double error = worst(&r, &f);
            if (!(error <= 2e-4))
                test_fail(__FILE__, __LINE__, "%s with %s: error %g, expected at most 0.0002",
                          r.model->system.about->name, fo_simulation_solver(r.sim)->name, error);
        }
        run_end(&r);
    }
}

TEST_MAIN(TEST_ENTRY(models_meet_their_reference),
          TEST_ENTRY(usual_settings_meet_the_reference_roughly))
