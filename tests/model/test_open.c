// Opening models: from texts, by path and by name; what is said about wrong ones, and where;
// numbers that are set; every allocation that fails.
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};

static fo_model_def gallery_def(const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.name = name;
    def.table = fo_compiled_models();
    def.folders = folders;
    return def;
}

static const char structure[] =
    "{\"structure\": \"small\", \"dimension\": 1,\n"
    " \"nodes\": [{\"name\": \"a\", \"at\": [0], \"mass\": 1, \"fixed\": true},\n"
    "             {\"name\": \"b\", \"at\": [1], \"mass\": 2, \"start\": [1.1]}],\n"
    " \"springs\": [{\"between\": [\"a\", \"b\"], \"k\": 8}],\n"
    " \"run\": {\"stop\": 3, \"interval\": 0.5, \"plot\": [\"b.x\"]}}\n";
static const char field[] =
    "{\"field\": \"wave\", \"size\": [11], \"c\": 2, \"start\": {\"sine\": [1]},\n"
    " \"probes\": [{\"name\": \"middle\", \"node\": [5]}],\n"
    " \"run\": {\"stop\": 1, \"interval\": 0.1}}\n";
static const char diagram[] =
    "{\"format\": \"foliot diagram\", \"name\": \"small\", \"parameters\": {\"a\": -2, \"b\": "
    "\"a/4\"},\n"
    " \"simulation\": {\"start\": 1, \"stop\": 2, \"step\": 0.1, \"integrator\": \"dp45\"},\n"
    " \"nodes\": [{\"name\": \"x\", \"type\": \"Integrator\", \"parameters\": {\"Initial "
    "Condition\": 1}},\n"
    "           {\"name\": \"pull\", \"type\": \"Gain\", \"parameters\": {\"Gain\": \"a\"}},\n"
    "           {\"name\": \"see\", \"type\": \"Time vs Input\"}],\n"
    " \"lines\": [{\"from\": \"x\", \"to\": \"pull\"}, {\"from\": \"pull\", \"to\": \"x\"},\n"
    "           {\"from\": \"x\", \"to\": \"see\"}]}\n";
static const char text[] =
    "model Small \"decay\"\n"
    "  parameter Real k(unit=\"1/s\", min=0) = 2 \"rate\";\n"
    "  parameter Integer n = 3;\n"
    "  Real x[n](each start = 1, each fixed = true);\n"
    "equation\n"
    "  for i in 1:n loop der(x[i]) = -k*i*x[i]; end for;\n"
    "  annotation(experiment(StartTime = 1, StopTime = 2, Tolerance = 1e-8));\n"
    "end Small;\n";

static const struct {
    const char *kind, *name, *text;
    uint32_t states;
} documents[] = {{"structure", "small.structure.json", structure, 4},
                 {"field", "small.field.json", field, 22},
                 {"diagram", "small.json", diagram, 1},
                 {"text", "small.mo", text, 3}};
enum { DOCUMENTS = sizeof documents / sizeof documents[0] };

static fo_model_def text_def(int i)
{
    fo_model_def def = fo_default_model_def();
    def.name = documents[i].name;
    def.text = documents[i].text;
    return def;
}

static double value_at_end(fo_model *m, const char *name)
{
    fo_run_def run = fo_model_run_def(m);
    fo_reference which = {0};
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    double value = NAN;
    CHECK_STATUS(fo_system_find(fo_model_system(m), name, &which, &why), FO_OK, &why);
    if (sim && !fo_failed(fo_simulation_advance(sim, run.stop)))
        value = fo_simulation_value(sim, which);
    fo_simulation_destroy(sim);
    return value;
}

TEST(texts_are_opened_with_a_kind)
{
    for (int i = 0; i < DOCUMENTS; i++) {
        fo_model_def def = text_def(i);
        fo_model *m;
        // by the ending of the name, or by the kind alone, or by a length
        for (int how = 0; how < 3; how++) {
            def.name = how == 1 ? "nameless" : documents[i].name;
            def.kind = how == 1 ? documents[i].kind : NULL;
            // without the zero at the end, which nobody may look beyond
            char *bare = malloc(strlen(documents[i].text));
            REQUIRE(bare);
            memcpy(bare, documents[i].text, strlen(documents[i].text));
            def.text = how == 2 ? bare : documents[i].text;
            def.length = how == 2 ? strlen(documents[i].text) : 0;
            fo_model_open(&def, &m);
            for (size_t k = 0; k < fo_model_finding_count(m); k++)
                test_fail(__FILE__, __LINE__, "%s", fo_model_finding(m, k)->text);
            REQUIRE(fo_model_status(m) == FO_OK);
            CHECK_TEXT(fo_model_kind(m), documents[i].kind);
            CHECK_INT(fo_system_shape(fo_model_system(m)).states, documents[i].states);
            fo_model_close(m);
            free(bare);
        }
    }
}

TEST(what_a_document_says_is_there)
{
    fo_model_def def = text_def(0);
    fo_model *m;
    size_t rows;
    REQUIRE(fo_model_open(&def, &m) == FO_OK);
    CHECK_NEAR(fo_model_run_def(m).stop, 3, 0);
    CHECK_NEAR(fo_model_run_def(m).step, 3e-3, 1e-18);
    CHECK_NEAR(fo_model_interval(m), 0.5, 0);
    CHECK_TEXT(fo_model_plot(m)[0], "b.x");
    CHECK_TEXT(fo_model_totals(m)[2], "energy");
    CHECK_TEXT(fo_model_time_unit(m), "s");
    CHECK(fo_model_structure(m) && !fo_model_field(m) && !fo_model_text(m) && !fo_model_scene(m));
    fo_model_rows(m, &rows);
    CHECK_INT(rows, 4 + 7);
    fo_model_close(m);
    def = text_def(1);
    REQUIRE(fo_model_open(&def, &m) == FO_OK);
    CHECK_INT(fo_model_rows(m, &rows)[0].quantity, FO_OUTPUT); // of a field the outputs
    CHECK_INT(rows, 1);
    fo_model_close(m);
    def = text_def(3);
    REQUIRE(fo_model_open(&def, &m) == FO_OK);
    fo_run_def run = fo_model_run_def(m);
    CHECK_NEAR(run.start, 1, 0);
    CHECK_NEAR(run.rtol, 1e-8, 0);
    CHECK_NEAR(fo_model_interval(m), 1.0 / 500, 1e-15);
    CHECK_NEAR(value_at_end(m, "x[1]"), exp(-2), 1e-7);
    fo_model_close(m);
}

// The line, the column and the length mark the word that is wrong.
TEST(findings_have_ranges)
{
    static const struct {
        const char *name, *text, *says, *hint;
        uint32_t line, column, length;
    } wrong[] = {
        {"w.json",
         "{\"format\": \"foliot diagram\",\n \"nodes\": [{\"name\": \"g\", \"type\": \"Gian\"}]}",
         "$.nodes[0].type: unknown node type 'Gian'", "did you mean 'Gain'?", 2, 34, 6},
        {"w.field.json", "{\"field\": \"wave\", \"size\": [11],\n  \"speed\": 12.5}",
         "$.speed: nothing here is called 'speed'", NULL, 2, 12, 4},
        {"w.structure.json", "{\"structure\": \"x\", \"nodes\": [{\"at\": [0, 0], \"mass\": -10}]}",
         "expected a number above zero, found -10", NULL, 1, 53, 3},
        {"w.mo", "model W\n  Real x;\nequation\n  der(x) = -yy;\nend W;\n", "yy", NULL, 4, 13, 2},
        {"w.field.json", "{\"field\": \"wave\", \n", "", NULL, 2, 1, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_model_def def = fo_default_model_def();
        fo_model *m;
        def.name = wrong[i].name, def.text = wrong[i].text;
        CHECK(fo_failed(fo_model_open(&def, &m)));
        REQUIRE(m && fo_model_finding_count(m) >= 1);
        const fo_finding *f = fo_model_finding(m, 0);
        CHECK_INT(f->severity, FO_SEVERITY_ERROR);
        CHECK_TEXT(f->file, wrong[i].name);
        CHECK_CONTAINS(f->text, wrong[i].says);
        CHECK_INT(f->line, wrong[i].line);
        CHECK_INT(f->column, wrong[i].column);
        CHECK_INT(f->length, wrong[i].length);
        if (wrong[i].hint) CHECK_CONTAINS(f->hint ? f->hint : "", wrong[i].hint);
        CHECK(!fo_model_finding(m, fo_model_finding_count(m)));
        fo_model_close(m);
    }
}

TEST(what_is_not_there_is_said)
{
    static const struct {
        const char *name, *kind, *text, *says;
        fo_status status;
    } cases[] = {
        {"bal", NULL, NULL, "did you mean 'ball'?", FO_ERROR_ARGUMENT},
        {"wave-2", NULL, NULL, "did you mean 'wave-2d'?", FO_ERROR_ARGUMENT},
        {"x.unknown", NULL, NULL, "is no model that can be read", FO_ERROR_ARGUMENT},
        {NULL, NULL, NULL, "needs a name or a text", FO_ERROR_ARGUMENT},
        {"x", "diagramm", "{}", "did you mean 'diagram'?", FO_ERROR_ARGUMENT},
        {"x", NULL, "{}", "a text needs a kind", FO_ERROR_ARGUMENT},
        {"x", "world", "{}", "a text needs a kind", FO_ERROR_ARGUMENT},
        {"no-such.field.json", NULL, NULL, "cannot open no-such.field.json", FO_ERROR_INPUT},
        {"no-such.mo", NULL, NULL, "no-such.mo", FO_ERROR_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_model_def def = gallery_def(cases[i].name);
        fo_model *m;
        def.kind = cases[i].kind, def.text = cases[i].text;
        CHECK_INT(fo_model_open(&def, &m), cases[i].status);
        CHECK_INT(fo_model_status(m), cases[i].status);
        CHECK_CONTAINS(fo_model_finding_count(m) ? fo_model_finding(m, 0)->text : "",
                       cases[i].says);
        fo_model_close(m);
    }
    fo_model_close(NULL);
}

TEST(numbers_are_listed_and_set)
{
    const struct {
        int document;
        const char *name;
        double value;
        const char *signal;
        double usual, set;
    } cases[] = {
        // 1/2 k (l^2 - d^2)^2 has no closed form here: the energy at the start has, and is kept
        {0, "k", 16, "energy", 0.5 * 8 * 0.21 * 0.21, 0.5 * 16 * 0.21 * 0.21},
        {0, "springs[1].k", 16, "energy", 0.5 * 8 * 0.21 * 0.21, 0.5 * 16 * 0.21 * 0.21},
        {0, "springs[1].length", 1.1, "energy", 0.5 * 8 * 0.21 * 0.21, 0},
        {2, "pull.Gain", -3, "x", exp(-2), exp(-3)},
        {2, "a", -3, "x", exp(-2), exp(-3)},
        {2, "x.InitialCondition", 2, "x", exp(-2), 2 * exp(-2)},
        {3, "k", 3, "x[1]", exp(-2), exp(-3)},
        {3, "n", 5, "x[3]", exp(-6), exp(-6)}, // decides a size
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_model_def def = text_def(cases[i].document);
        fo_setting setting = {cases[i].name, cases[i].value, false};
        fo_model *m;
        double within = cases[i].document == 2 ? 2e-6 : 1e-6;
        REQUIRE(fo_model_open(&def, &m) == FO_OK);
        CHECK_NEAR(value_at_end(m, cases[i].signal), cases[i].usual, within);
        fo_model_close(m);
        def.settings = &setting, def.setting_count = 1;
        REQUIRE(fo_model_open(&def, &m) == FO_OK);
        CHECK_NEAR(value_at_end(m, cases[i].signal), cases[i].set, within);
        // the list has the value that was set
        bool found = false;
        for (size_t k = 0; k < fo_model_number_count(m); k++) {
            const fo_variable *v = fo_model_number(m, k);
            found |= v->start == cases[i].value;
            CHECK(v->causality == FO_CAUSALITY_PARAMETER || v->causality == FO_CAUSALITY_INPUT ||
                  v->causality == FO_CAUSALITY_CALCULATED);
            CHECK(v->variability == FO_VARIABILITY_FIXED ||
                  v->variability == FO_VARIABILITY_TUNABLE);
        }
        CHECK(found || strcmp(cases[i].name, "n") == 0);
        fo_model_close(m);
    }
}

TEST(what_cannot_be_set_is_refused)
{
    static const struct {
        const char *model, *name;
        double value;
        const char *says;
    } cases[] = {
        {"ball", "a", 1, "is an output and cannot be set"},
        {"ball", "gg", 1, "has no quantity 'gg'"},
        {"ball", "g", INFINITY, "'g' must be a finite number, not inf"},
        {"ball", "", 1, "a setting needs a name"},
        {"mm1", "arrivals", -1, "'arrivals' must lie between 1e-09 and 1e+09, not -1"},
        {"mass-on-a-spring", "mass", 1, "there are 2 numbers 'mass'"},
        {"mass-on-a-spring", "run.stop", 1, "has no quantity 'run.stop'"},
        {"mass-on-a-spring", "springs[1].k", 0, "expected a number above zero, found 0"},
        {"wave-1d", "size[1]", 10.5, "expected a whole number"},
        {"wave-1d", "size", 10, "is an array: set one of its numbers, as 'size[1]'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_model_def def = gallery_def(cases[i].model);
        fo_setting setting = {cases[i].name, cases[i].value, false};
        fo_model *m;
        def.settings = &setting, def.setting_count = 1;
        CHECK(fo_failed(fo_model_open(&def, &m)));
        CHECK_CONTAINS(fo_model_finding_count(m) ? fo_model_finding(m, 0)->text : "",
                       cases[i].says);
        fo_model_close(m);
    }
}

TEST(the_last_setting_counts)
{
    fo_model_def def = gallery_def("ball");
    const fo_setting list[] = {
        {"g", 3, false}, {"m", 0.2, false}, {"g", 5, false}, {"y", 2, false}};
    fo_model *m;
    def.settings = list, def.setting_count = 4;
    REQUIRE(fo_model_open(&def, &m) == FO_OK);
    const fo_description *about = fo_model_system(m).about;
    CHECK_NEAR(about->parameters.list[0].start, 5, 0);
    CHECK_NEAR(about->parameters.list[2].start, 0.2, 0);
    CHECK_NEAR(about->states.list[0].start, 2, 0); // a start value
    fo_model_close(m);
    // the system of the gallery is as before
    CHECK_NEAR(gallery_find("ball", NULL)->system.about->parameters.list[0].start, 9.8, 0);
}

static const fo_variable *number_called(const fo_model *m, const char *name)
{
    for (size_t i = 0; i < fo_model_number_count(m); i++)
        if (strcmp(fo_model_number(m, i)->name, name) == 0) return fo_model_number(m, i);
    test_fail(__FILE__, __LINE__, "no number '%s'", name);
    return fo_model_number(m, 0);
}

TEST(variables_say_what_they_are)
{
    static const char all[] =
        "model All\n  type E = enumeration(a, b);\n"
        "  parameter Integer n = 2;\n  parameter E e = E.b \"which\";\n"
        "  parameter Boolean on = true;\n  parameter Real half = n / 2;\n"
        "  parameter Real phi(unit = \"rad\", displayUnit = \"deg\", min = 0, max = 7) = 1;\n"
        "  input Real u;\n  output Real y;\n  Real x[n](each start = 1, each fixed = true);\n"
        "  Real hidden;\n  discrete Integer z(start = 0);\n"
        "equation\n  y = if on then hidden else half;\n  hidden = x[1] + phi;\n"
        "  when x[1] < 0.5 then z = pre(z) + Integer(e); end when;\n"
        "  for i in 1:n loop der(x[i]) = u - x[i]; end for;\nend All;\n";
    const struct {
        const char *name;
        fo_causality causality;
        fo_variability variability;
        fo_value_type type;
    } numbers[] = {
        {"n", FO_CAUSALITY_PARAMETER, FO_VARIABILITY_FIXED, FO_INTEGER},
        {"e", FO_CAUSALITY_PARAMETER, FO_VARIABILITY_TUNABLE, FO_ENUMERATION},
        {"on", FO_CAUSALITY_PARAMETER, FO_VARIABILITY_TUNABLE, FO_BOOLEAN},
        {"half", FO_CAUSALITY_CALCULATED, FO_VARIABILITY_FIXED, FO_REAL},
        {"phi", FO_CAUSALITY_PARAMETER, FO_VARIABILITY_TUNABLE, FO_REAL},
        {"u", FO_CAUSALITY_INPUT, FO_VARIABILITY_TUNABLE, FO_REAL},
    };
    const struct {
        const char *name;
        fo_causality causality;
        fo_variability variability;
    } quantities[] = {{"y", FO_CAUSALITY_OUTPUT, FO_VARIABILITY_CONTINUOUS},
                      {"hidden", FO_CAUSALITY_LOCAL, FO_VARIABILITY_CONTINUOUS},
                      {"x[1]", FO_CAUSALITY_LOCAL, FO_VARIABILITY_CONTINUOUS},
                      {"z", FO_CAUSALITY_LOCAL, FO_VARIABILITY_DISCRETE},
                      {"u", FO_CAUSALITY_INPUT, FO_VARIABILITY_DISCRETE},
                      {"phi", FO_CAUSALITY_PARAMETER, FO_VARIABILITY_TUNABLE}};
    fo_model_def def = fo_default_model_def();
    fo_model *m;
    def.name = "all.mo", def.text = all;
    fo_model_open(&def, &m);
    for (size_t k = 0; k < fo_model_finding_count(m); k++)
        test_fail(__FILE__, __LINE__, "%s", fo_model_finding(m, k)->text);
    REQUIRE(fo_model_status(m) == FO_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const fo_variable *v = number_called(m, numbers[i].name);
        CHECK_TEXT(fo_causality_text(v->causality), fo_causality_text(numbers[i].causality));
        CHECK_TEXT(fo_variability_text(v->variability),
                   fo_variability_text(numbers[i].variability));
        CHECK_TEXT(fo_value_type_text(v->type), fo_value_type_text(numbers[i].type));
    }
    const fo_variable *phi = number_called(m, "phi");
    CHECK_TEXT(phi->unit, "rad");
    CHECK_TEXT(phi->display_unit, "deg");
    CHECK_NEAR(phi->max, 7, 0);
    CHECK_TEXT(number_called(m, "e")->about, "which");
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
        fo_reference which;
        fo_system system = fo_model_system(m);
        REQUIRE(fo_system_find(system, quantities[i].name, &which, NULL) == FO_OK);
        CHECK_TEXT(fo_causality_text(fo_system_causality(system, which)),
                   fo_causality_text(quantities[i].causality));
        CHECK_TEXT(fo_variability_text(fo_system_variability(system, which)),
                   fo_variability_text(quantities[i].variability));
    }
    fo_model_close(m);
}

// Each allocation fails once: an error, nothing left behind, and no crash.
static void fail_each(fo_model_def def, const char *what)
{
    long most = 0;
    for (long n = 0; n <= most; n++) {
        test_memory memory;
        fo_model *m;
        test_memory_init(&memory, n);
        def.allocator = &memory.allocator;
        fo_status status = fo_model_open(&def, &m);
        if (n == 0) most = memory.allocations;
        if (n == 0 && status != FO_OK) test_fail(__FILE__, __LINE__, "%s cannot be opened", what);
        if (n > 0 && status != FO_ERROR_MEMORY && status != FO_OK)
            test_fail(__FILE__, __LINE__, "%s, allocation %ld of %ld: %s, %s", what, n, most,
                      fo_status_text(status),
                      m && fo_model_finding_count(m) ? fo_model_finding(m, 0)->text : "");
        fo_model_close(m);
        if (memory.live) test_fail(__FILE__, __LINE__, "%s, %ld: %ld left", what, n, memory.live);
    }
    CHECK(most > 1);
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; i < DOCUMENTS; i++) fail_each(text_def(i), documents[i].name);
    const fo_setting settings[] = {{"k", 3, false}, {"friction", 2, false}};
    fo_model_def def = text_def(0);
    def.settings = settings, def.setting_count = 2;
    fail_each(def, "with settings");
    fail_each(gallery_def("ball"), "ball");
    fail_each(gallery_def("mm1"), "mm1");
}

TEST(the_gallery_may_lack_memory)
{
    static const char *const one[] = {FOLIOT_SOURCE_DIR "/models/wave-2d", NULL};
    fo_model_def def = gallery_def(NULL);
    def.folders = one;
    long most = 0;
    for (long n = 0; n <= most; n++) {
        test_memory memory;
        test_memory_init(&memory, n);
        def.allocator = &memory.allocator;
        fo_gallery *g = fo_gallery_open(&def, NULL);
        if (n == 0) most = memory.allocations;
        if (n == 0) CHECK_INT(fo_gallery_count(g), 23);
        CHECK(n == 0 || !g);
        fo_gallery_close(g);
        CHECK_INT(memory.live, 0);
    }
}

// The processor's time to open a model of n parts; negative: it was not opened.
static double time_to_open(int parts)
{
    size_t room = 64 * (size_t)parts + 400, at = 0;
    char *chain = malloc(room);
    if (!chain) return -1;
    at += (size_t)snprintf(chain + at, room - at,
                           "model Chain\n model R parameter Real resistance = 1; final parameter "
                           "Real twice = 2*resistance; Real v, i; equation v = twice*i; end R;\n");
    for (int i = 0; i < parts; i++) at += (size_t)snprintf(chain + at, room - at, " R r%d;\n", i);
    at += (size_t)snprintf(chain + at, room - at, "equation\n");
    for (int i = 0; i < parts; i++)
        at += (size_t)snprintf(chain + at, room - at, " r%d.i = time;\n", i);
    snprintf(chain + at, room - at, "end Chain;\n");
    fo_model_def def = gallery_def("chain.mo");
    def.text = chain;
    clock_t begin = clock();
    fo_model *m = NULL;
    bool good = fo_model_open(&def, &m) == FO_OK;
    double spent = (double)(clock() - begin) / CLOCKS_PER_SEC;
    fo_model_close(m);
    free(chain);
    return good ? spent : -1;
}

// Opening a model of n parts takes time in proportion to n, not to its square: the names of
// parameters that are no quantities of the system are not compared with all others. The best ratio
// of three attempts counts: four times the parts take some four times as long, squared sixteen.
TEST(many_parameters_are_listed_in_no_time)
{
    double best = INFINITY;
    for (int i = 0; i < 3 && best > 9; i++) {
        double few = time_to_open(1000), many = time_to_open(4000);
        CHECK(few >= 0 && many >= 0);
        best = fmin(best, many / fmax(few, 1e-3));
    }
    CHECK(best <= 9);
}

TEST_MAIN(TEST_ENTRY(many_parameters_are_listed_in_no_time),
          TEST_ENTRY(texts_are_opened_with_a_kind), TEST_ENTRY(what_a_document_says_is_there),
          TEST_ENTRY(findings_have_ranges), TEST_ENTRY(what_is_not_there_is_said),
          TEST_ENTRY(numbers_are_listed_and_set), TEST_ENTRY(what_cannot_be_set_is_refused),
          TEST_ENTRY(the_last_setting_counts), TEST_ENTRY(variables_say_what_they_are),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(the_gallery_may_lack_memory))
