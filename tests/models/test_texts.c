// Every text of models/ against its reference.csv (tools/reference_texts.py: 40-digit decimals or
// closed forms, no code in common), with a solver for what flows and with one for what is stiff.
#include <dirent.h>
#include <foliot/language.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { COLUMNS = 8, ROWS = 64, NAMES = 200 };

/// What is less accurate than the rest, and why: chaos; rods and heat, whose tolerance holds for
/// states of another size.
static const struct {
    const char *name;
    double within;
} loose[] = {{"chua-circuit", 1e-5}, {"pendulum-cartesian", 1e-6}, {"heat-rod", 1e-7}};

typedef struct sheet {
    size_t rows, columns;
    char name[COLUMNS][40];
    double cell[ROWS][COLUMNS + 1]; ///< the first is the time
    double scale[COLUMNS];
} sheet;

static bool read_header(sheet *f, char *line)
{
    char *rest = NULL, *name = strtok_r(line, ",\n", &rest);
    if (!name || strcmp(name, "time") != 0) return false;
    while ((name = strtok_r(NULL, ",\n", &rest)) && f->columns < COLUMNS)
        snprintf(f->name[f->columns++], sizeof f->name[0], "%s", name);
    return f->columns > 0;
}

static bool read_sheet(sheet *f, const char *path)
{
    char line[512];
    *f = (sheet){0};
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool good = fgets(line, sizeof line, file) && read_header(f, line);
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
    return good && f->rows > 2;
}

static double limit_of(const char *name)
{
    for (size_t i = 0; i < FO_COUNT(loose); i++)
        if (strcmp(loose[i].name, name) == 0) return loose[i].within;
    return 1e-8;
}

static void compare(const char *name, const sheet *f, fo_simulation *sim, const char *solver)
{
    fo_message why = {0};
    for (size_t r = 0; r < f->rows; r++) {
        fo_status status = r ? fo_simulation_advance(sim, f->cell[r][0]) : fo_simulation_start(sim);
        if (status != (r ? FO_REACHED : FO_OK)) {
            test_fail(__FILE__, __LINE__, "%s, %s: %s", name, solver,
                      fo_simulation_message(sim)->text);
            return;
        }
        for (size_t c = 0; c < f->columns; c++) {
            fo_reference which;
            if (fo_system_find(fo_simulation_system(sim), f->name[c], &which, &why) != FO_OK) {
                test_fail(__FILE__, __LINE__, "%s: %s", name, why.text);
                return;
            }
            double off = fabs(fo_simulation_value(sim, which) - f->cell[r][c + 1]);
            if (!(off <= limit_of(name) * f->scale[c]))
                test_fail(__FILE__, __LINE__, "%s, %s: %s at %g s is off by %.3g of %.3g", name,
                          solver, f->name[c], f->cell[r][0], off, f->scale[c]);
        }
    }
}

static bool try_text(const char *name, const char *solver)
{
    char path[512];
    sheet f;
    fo_message why = {0};
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/reference.csv", name);
    if (!read_sheet(&f, path)) return false;
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/%s.mo", name, name);
    fo_text_model_def model_def = {.path = path};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    if (!model) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, why.text);
        return true;
    }
    fo_run_def def = fo_default_run_def();
    def.stop = f.cell[f.rows - 1][0];
    def.solver = solver, def.rtol = 1e-11, def.atol = 1e-13;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    if (sim)
        compare(name, &f, sim, solver ? solver : "as chosen");
    else
        test_fail(__FILE__, __LINE__, "%s: %s", name, why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return true;
}

static int try_all(const char *solver)
{
    DIR *folder = opendir(FOLIOT_SOURCE_DIR "/models");
    int seen = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[512];
        // the C models' own references have other columns, and what is tapped needs its taps: these
        // are tested elsewhere
        static const char *const others[] = {"ball", "pendulum", "double-pendulum",
                                             "tapped-pendulum"};
        bool other = e->d_name[0] == '.';
        for (size_t i = 0; i < FO_COUNT(others); i++) other |= strcmp(e->d_name, others[i]) == 0;
        snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%.100s/%.100s.mo", e->d_name,
                 e->d_name);
        FILE *text = other ? NULL : fopen(path, "r");
        if (!text) continue;
        fclose(text);
        seen += try_text(e->d_name, solver);
    }
    if (folder) closedir(folder);
    return seen;
}

TEST(every_text_has_a_reference_and_reaches_it)
{
    CHECK(try_all(NULL) >= 23);
}

TEST(also_with_an_implicit_method)
{
    CHECK(try_all("radau5") >= 23);
}

TEST_MAIN(TEST_ENTRY(every_text_has_a_reference_and_reaches_it),
          TEST_ENTRY(also_with_an_implicit_method))
