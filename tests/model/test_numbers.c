// Numbers by name: inside of guests, by the end of their names, more than 256 of them, and whether
// what is said of them is true.
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};

static fo_model_def text_def(const char *kind, const char *text)
{
    fo_model_def def = fo_default_model_def();
    def.name = "here", def.kind = kind, def.text = text;
    def.program.way = FO_WAY_BYTECODE;
    return def;
}

// With one number set; *said gets the first finding.
static fo_model *open_with(fo_model_def def, const char *name, double value, fo_message *said)
{
    fo_setting setting = {name, value, false};
    fo_model *m;
    if (name) def.settings = &setting, def.setting_count = 1;
    fo_status status = fo_model_open(&def, &m);
    *said = (fo_message){.status = status};
    if (m && fo_model_finding_count(m))
        snprintf(said->text, sizeof said->text, "%s", fo_model_finding(m, 0)->text);
    if (status == FO_OK) return m;
    fo_model_close(m);
    return NULL;
}

static const fo_variable *number(const fo_model *m, const char *name)
{
    for (size_t i = 0; i < fo_model_number_count(m); i++)
        if (strcmp(fo_model_number(m, i)->name, name) == 0) return fo_model_number(m, i);
    return NULL;
}

static double end_of(const fo_model *m, double until, const char *name)
{
    fo_run_def run = fo_model_run_def(m);
    fo_message why = {0};
    fo_reference which = {0};
    double value = NAN;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    if (sim && fo_simulation_advance(sim, until) == FO_REACHED &&
        fo_system_find(fo_model_system(m), name, &which, &why) == FO_OK)
        value = fo_simulation_value(sim, which);
    else
        test_fail(__FILE__, __LINE__, "%s", sim ? fo_simulation_message(sim)->text : why.text);
    fo_simulation_destroy(sim);
    return value;
}

// A run may have as many jumps at one instant as the model has guards, and then some.
TEST(all_guards_of_a_model_at_one_instant)
{
    static const char text[] =
        "model M Real x[1500](each start = 0, each fixed = true); discrete Real y[1500](each start "
        "= "
        "0);\nequation for i in 1:1500 loop der(x[i]) = 1; when x[i] > 0.5 then y[i] = i*time;\n"
        "end when; end for; end M;\n";
    fo_message why;
    fo_model *m = open_with(text_def("text", text), NULL, 0, &why);
    REQUIRE(m);
    CHECK_NEAR(end_of(m, 1, "y[1500]"), 750, 1e-6);
    fo_model_close(m);
}

TEST(numbers_of_nodes_have_their_units)
{
    static const char text[] =
        "{\"format\": \"foliot diagram\", \"version\": 1, \"nodes\": ["
        "{\"name\": \"w\", \"type\": \"Sine Wave\"}, {\"name\": \"e\", \"type\": \"Terminator\"}], "
        "\"lines\": [{\"from\": \"w\", \"to\": \"e\"}]}";
    fo_message why;
    fo_model *m = open_with(text_def("diagram", text), NULL, 0, &why);
    REQUIRE(m);
    const fo_variable *frequency = number(m, "w.Frequency"), *sample = number(m, "w.Sample Time");
    REQUIRE(frequency && sample);
    CHECK_TEXT(frequency->unit, "rad/s");
    CHECK(!frequency->about);
    CHECK_TEXT(sample->unit, "s");
    CHECK_TEXT(sample->about, "0: a continuous wave");
    fo_model_close(m);
}

// ------------------------------------------------------------------------------------------ guests

static const char guest[] =
    "{\"format\": \"foliot diagram\", \"name\": \"guest\","
    " \"simulation\": {\"stop\": 2, \"step\": 0.1, \"integrator\": \"dp45\", \"rtol\": 1e-9},"
    " \"nodes\": [{\"name\": \"m\", \"type\": \"Modelica Block\", \"parameters\": {\"Parameters\":"
    " \"k=2\", \"Text\": \"block b parameter Real k(min = 0, max = 9, unit = \\\"1/s\\\") = 1"
    " \\\"rate\\\"; parameter Integer n = 2; output Real y; Real x[n](each start = 1, each fixed ="
    " true); equation for i in 1:n loop der(x[i]) = -k * x[i]; end for; y = sum(x); end b;\"}},"
    "  {\"name\": \"y\", \"type\": \"Display\"}],"
    " \"lines\": [{\"from\": \"m\", \"to\": \"y\"}]}";

// x' = -k x, n times: n exp(-k t).
TEST(numbers_of_a_text_inside_a_diagram)
{
    fo_message said;
    fo_model *m = open_with(text_def("diagram", guest), NULL, 0, &said);
    REQUIRE(m);
    const fo_variable *k = number(m, "m.k");
    REQUIRE(k);
    CHECK_NEAR(k->start, 2, 0); // as the node sets it
    CHECK_NEAR(k->min, 0, 0);
    CHECK_NEAR(k->max, 9, 0);
    CHECK_TEXT(k->unit, "1/s");
    CHECK_TEXT(k->about, "rate");
    const fo_variable *n = number(m, "m.n"); // decides a size
    CHECK(n && n->type == FO_INTEGER && n->start == 2);
    CHECK_NEAR(end_of(m, 1, "y"), 2 * exp(-2), 1e-8);
    fo_model_close(m);
    const struct {
        const char *name;
        double value, y;
    } cases[] = {{"m.k", 3, 2 * exp(-3)}, {"k", 3, 2 * exp(-3)}, {"m.n", 5, 5 * exp(-2)}};
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        m = open_with(text_def("diagram", guest), cases[i].name, cases[i].value, &said);
        CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
        if (m) CHECK_NEAR(end_of(m, 1, "y"), cases[i].y, 1e-8);
        fo_model_close(m);
    }
    CHECK(!open_with(text_def("diagram", guest), "m.k", 10, &said));
    CHECK_CONTAINS(said.text, "10");
    CHECK(!open_with(text_def("diagram", guest), "m.q", 1, &said));
    CHECK_CONTAINS(said.text, "has no quantity 'm.q'");
}

// What the node sets decides sizes, and what is computed from it: q = 2 k, n values.
TEST(numbers_that_follow_from_what_a_node_sets)
{
    static const char text[] =
        "{\"format\": \"foliot diagram\", \"name\": \"guest\","
        " \"simulation\": {\"stop\": 2, \"step\": 0.1, \"integrator\": \"dp45\"},"
        " \"nodes\": [{\"name\": \"m\", \"type\": \"Modelica Block\", \"parameters\":"
        " {\"Parameters\": \"k = 3; n=4;\", \"Text\": \"block b parameter Real k = 1;"
        " parameter Real q = 2*k; parameter Integer n = 2; output Real y; Real x[n] = fill(q, n);"
        " equation y = sum(x); end b;\"}}, {\"name\": \"y\", \"type\": \"Display\"}],"
        " \"lines\": [{\"from\": \"m\", \"to\": \"y\"}]}";
    fo_message said;
    fo_model *m = open_with(text_def("diagram", text), NULL, 0, &said);
    REQUIRE(m);
    const fo_variable *q = number(m, "m.q"), *n = number(m, "m.n");
    CHECK(q && q->start == 6);
    CHECK(n && n->start == 4);
    CHECK_NEAR(end_of(m, 1, "y"), 24, 0);
    fo_model_close(m);
    m = open_with(text_def("diagram", text), "m.k", 5, &said); // from outside stands above it
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "y"), 40, 0);
    fo_model_close(m);
}

// Both parts of a complex number, alone and in a list.
TEST(both_parts_of_complex_numbers)
{
    static const char text[] =
        "{\"format\": \"foliot diagram\", \"simulation\": {\"stop\": 1, \"step\": 0.5},"
        " \"nodes\": [{\"name\": \"c\", \"type\": \"Constant\", \"parameters\":"
        " {\"Constant Value\": \"3+4i\"}}, {\"name\": \"v\", \"type\": \"Constant\","
        " \"parameters\": {\"Constant Value\": \"1+2i 5\"}}, {\"name\": \"z\", \"type\": "
        "\"Terminator\"},"
        " {\"name\": \"w\", \"type\": \"Terminator\"}], \"lines\": [{\"from\": \"c\", \"to\": "
        "\"z\"},"
        " {\"from\": \"v\", \"to\": \"w\"}]}";
    const struct {
        const char *name, *signal;
        double own, value;
    } cases[] = {{"c.Constant Value", "c.re", 3, 7},
                 {"c.Constant Value.im", "c.im", 4, 8},
                 {"v.Constant Value[1].im", "v[1].im", 2, 9},
                 {"v.Constant Value[2].im", "v[2].im", 0, -1}};
    fo_message said;
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        fo_model *m = open_with(text_def("diagram", text), cases[i].name, cases[i].value, &said);
        CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
        if (!m) continue;
        CHECK_NEAR(end_of(m, 1, cases[i].signal), cases[i].value, 0);
        fo_model_close(m);
        m = open_with(text_def("diagram", text), NULL, 0, &said);
        const fo_variable *v = m ? number(m, cases[i].name) : NULL;
        CHECK(v && v->start == cases[i].own);
        fo_model_close(m);
    }
    CHECK(!open_with(text_def("diagram", text), "v.Constant Value.im", 1, &said));
    CHECK(!open_with(text_def("diagram", text), "c.Constant Value.imx", 1, &said));
}

// And in the run: k = 2 until 1, then 4.
TEST(numbers_of_a_guest_change_in_a_run)
{
    fo_message said;
    fo_model_def def = text_def("diagram", guest);
    def.tunable = true;
    fo_model *m = open_with(def, NULL, 0, &said);
    REQUIRE(m);
    fo_run_def run = fo_model_run_def(m);
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, NULL);
    CHECK_INT(fo_simulation_advance(sim, 1), FO_REACHED);
    CHECK_STATUS(fo_simulation_set(sim, "m.k", 4), FO_OK, fo_simulation_message(sim));
    CHECK_INT(fo_simulation_advance(sim, 1.5), FO_REACHED);
    fo_reference y;
    CHECK_INT(fo_system_find(fo_model_system(m), "y", &y, NULL), FO_OK);
    CHECK_NEAR(fo_simulation_value(sim, y), 2 * exp(-4), 1e-8);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// A structure and a field inside a diagram, whose documents lie beside it.
TEST(numbers_of_documents_inside_a_diagram)
{
    static const char spring[] =
        "{\"structure\": \"small\", \"dimension\": 1,"
        " \"nodes\": [{\"name\": \"a\", \"at\": [0], \"mass\": 1, \"fixed\": true},"
        "             {\"name\": \"b\", \"at\": [1], \"mass\": 2, \"start\": [1.1]}],"
        " \"springs\": [{\"between\": [\"a\", \"b\"], \"k\": 8, \"energy\": \"lengths\"}]}";
    static const char wave[] =
        "{\"field\": \"wave\", \"size\": [41], \"length\": [1], \"c\": 1,"
        " \"start\": {\"sine\": [1]}, \"probes\": [{\"name\": \"middle\", \"node\": [20]}]}";
    static const char diagram[] =
        "{\"format\": \"foliot diagram\", \"name\": \"guests\","
        " \"simulation\": {\"stop\": 2, \"step\": 0.01, \"integrator\": \"dp45\", \"rtol\": 1e-9},"
        " \"nodes\": [{\"name\": \"s\", \"type\": \"Structure\", \"parameters\": {\"File Name\":"
        "  \"numbers-test.structure.json\"}}, {\"name\": \"f\", \"type\": \"Field\","
        "  \"parameters\": {\"File Name\": \"numbers-test.field.json\"}},"
        "  {\"name\": \"e\", \"type\": \"Display\"}, {\"name\": \"p\", \"type\": \"Display\"}],"
        " \"lines\": [{\"from\": \"s:potential\", \"to\": \"e\"}, {\"from\": \"f\", \"to\": "
        "\"p\"}]}";
    FILE *a = fopen("numbers-test.structure.json", "w"), *b = fopen("numbers-test.field.json", "w");
    REQUIRE(a && b);
    fputs(spring, a), fputs(wave, b);
    fclose(a), fclose(b);
    fo_message said;
    fo_model *m = open_with(text_def("diagram", diagram), NULL, 0, &said);
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    // the potential energy k/2 (0.1 cos(w t))^2 with w = sqrt(k/m)
    if (m) CHECK_NEAR(end_of(m, 1, "e"), 0.04 * pow(cos(2), 2), 1e-8);
    CHECK(m && number(m, "s.springs[1].k") && number(m, "f.c") && number(m, "s.friction"));
    fo_model_close(m);
    m = open_with(text_def("diagram", diagram), "s.springs[1].k", 18, &said);
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "e"), 0.09 * pow(cos(3), 2), 1e-8);
    fo_model_close(m);
    m = open_with(text_def("diagram", diagram), "springs[1].k", 18, &said); // the end of one
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "e"), 0.09 * pow(cos(3), 2), 1e-8);
    fo_model_close(m);
    // the wave stands: cos(pi c' t) with the grid's own speed, to which c is a factor in time
    double slow = NAN, fast = NAN;
    m = open_with(text_def("diagram", diagram), "f.c", 2, &said);
    if (m) fast = end_of(m, 0.25, "p");
    fo_model_close(m);
    m = open_with(text_def("diagram", diagram), NULL, 0, &said);
    if (m) slow = end_of(m, 0.5, "p");
    fo_model_close(m);
    CHECK_NEAR(fast, slow, 1e-7);
    CHECK(!open_with(text_def("diagram", diagram), "s.springs[1].k", -1, &said));
    remove("numbers-test.structure.json"), remove("numbers-test.field.json");
}

// ---------------------------------------------------------------------------------- ends of names

TEST(the_end_of_a_name_must_be_unique)
{
    static const char two[] =
        "{\"format\": \"foliot diagram\", \"name\": \"two\", \"simulation\": {\"stop\": 1, "
        "\"step\":"
        " 0.1}, \"nodes\": ["
        "  {\"name\": \"one\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": 2}},"
        "  {\"name\": \"a\", \"type\": \"Gain\", \"parameters\": {\"Gain\": 3}},"
        "  {\"name\": \"b\", \"type\": \"Gain\", \"parameters\": {\"Gain\": 5}},"
        "  {\"name\": \"y\", \"type\": \"Display\"}],"
        " \"lines\": [{\"from\": \"one\", \"to\": \"a\"}, {\"from\": \"a\", \"to\": \"b\"},"
        "  {\"from\": \"b\", \"to\": \"y\"}]}";
    fo_message said;
    fo_model *m = open_with(text_def("diagram", two), "Constant Value", 7, &said);
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "y"), 105, 0);
    fo_model_close(m);
    CHECK(!open_with(text_def("diagram", two), "Gain", 7, &said));
    CHECK_INT(said.status, FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(said.text, "a.Gain is one, b.Gain another");
    CHECK(!open_with(text_def("diagram", two), "ain", 7, &said)); // no part of a name's last part
    CHECK_CONTAINS(said.text, "has no quantity");
    static const char part[] = "model M model P parameter Real k = 2; parameter Integer n = 2;"
                               " Real x[n](each start = 1, each fixed = true); equation"
                               " for i in 1:n loop der(x[i]) = -k*x[i]; end for; end P;"
                               " P p; Real y = sum(p.x); end M;";
    m = open_with(text_def("text", part), "k", 3, &said);
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "y"), 2 * exp(-3), 1e-5);
    fo_model_close(m);
    m = open_with(text_def("text", part), "n", 4, &said); // decides a size
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    if (m) CHECK_NEAR(end_of(m, 1, "y"), 4 * exp(-2), 1e-5);
    fo_model_close(m);
}

// -------------------------------------------------------------------------------------------- many

enum { GAINS = 600 };

// y = the sum of 600 gains, of which the last is set in the run; and 300 sets in one run.
TEST(more_than_256_numbers_change_in_a_run)
{
    size_t room = 300 * GAINS, used;
    char *text = malloc(room);
    REQUIRE(text);
    used = (size_t)snprintf(text, room,
                            "{\"format\": \"foliot diagram\", \"name\": \"many\", \"simulation\": "
                            "{\"stop\": 10, \"step\": 0.1}, \"nodes\": [{\"name\": \"one\", "
                            "\"type\": \"Constant\", \"parameters\": {\"Constant Value\": 1}}");
    for (int i = 0; i < GAINS; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 ",{\"name\": \"g%d\", \"type\": \"Gain\", \"parameters\": "
                                 "{\"Gain\": 2}},{\"name\": \"y%d\", \"type\": \"Display\"}",
                                 i, i);
    used += (size_t)snprintf(text + used, room - used, "], \"lines\": [");
    for (int i = 0; i < GAINS; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "%s{\"from\": \"one\", \"to\": \"g%d\"},"
                                 "{\"from\": \"g%d\", \"to\": \"y%d\"}",
                                 i ? "," : "", i, i, i);
    snprintf(text + used, room - used, "]}");
    fo_message said;
    fo_model_def def = text_def("diagram", text);
    def.tunable = true;
    fo_model *m = open_with(def, NULL, 0, &said);
    CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
    free(text);
    REQUIRE(m);
    CHECK_INT(fo_model_number_count(m), GAINS + 1);
    fo_run_def run = fo_model_run_def(m);
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, NULL);
    fo_reference last = {0}, first = {0};
    CHECK_INT(fo_system_find(fo_model_system(m), "y599", &last, NULL), FO_OK);
    CHECK_INT(fo_system_find(fo_model_system(m), "y0", &first, NULL), FO_OK);
    int sets = test_is_sanitized() ? 5 : 20;
    for (int i = 1; i <= sets; i++) {
        CHECK_INT(fo_simulation_advance(sim, 0.1 * i), FO_REACHED);
        CHECK_STATUS(fo_simulation_set(sim, "g599.Gain", 2 + i), FO_OK, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_value(sim, last), 2 + i, 0);
        CHECK_NEAR(fo_simulation_value(sim, first), 2, 0);
    }
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// ------------------------------------------------------------------------------- what is said of
// it

// Every allocation fails once: the model is there or it says that memory was lacking, and nothing
// is lost.
static bool open_short(const char *text, const char *name, bool tunable, long at)
{
    test_memory memory;
    test_memory_init(&memory, at);
    fo_setting setting = {name, 3, false};
    fo_model_def def = text_def("diagram", text);
    def.settings = &setting, def.setting_count = 1, def.tunable = tunable;
    def.allocator = &memory.allocator;
    fo_model *m;
    fo_status status = fo_model_open(&def, &m);
    if (status != FO_OK) CHECK_INT(status, FO_ERROR_MEMORY);
    if (m) CHECK_INT(fo_model_status(m), status);
    fo_model_close(m);
    CHECK_INT(memory.live, 0);
    return memory.allocations >= at; // it came to pass
}

TEST(numbers_without_memory)
{
    long most = 3000, every = test_is_sanitized() ? 17 : 1, reached = 0;
    for (int tunable = 0; tunable < 2; tunable++)
        for (long at = 1; at < most && open_short(guest, "k", tunable, at); at += every)
            reached = at;
    CHECK(reached > 100 && reached < most - every);
}

TEST(texts_say_what_their_numbers_are)
{
    static const char text[] =
        "model Fin type Gear = enumeration(low, middle, high); final parameter Real k = 2;"
        " parameter Gear g = Gear.middle; parameter Integer n(min = 1, max = 5) = 3;"
        " parameter Real b = 2*k; parameter Real low(max = 4) = 1;"
        " Real x[n](each start = 1, each fixed = true);"
        " equation for i in 1:n loop der(x[i]) = -k*x[i]*b*low + (if g == Gear.high then 1 else"
        " 0); end for; end Fin;";
    fo_message said;
    fo_model *m = open_with(text_def("text", text), NULL, 0, &said);
    REQUIRE(m);
    CHECK(!number(m, "k")); // final: not offered
    const fo_variable *n = number(m, "n"), *g = number(m, "g"), *low = number(m, "low");
    REQUIRE(n && g && low);
    CHECK(n->min == 1 && n->max == 5 && n->type == FO_INTEGER);
    CHECK(n->variability == FO_VARIABILITY_FIXED);
    CHECK(g->min == 1 && g->max == 3 && g->type == FO_ENUMERATION);
    CHECK(low->min == -INFINITY && low->max == 4);
    fo_model_close(m);
    CHECK(!open_with(text_def("text", text), "k", 3, &said));
    CHECK_CONTAINS(said.text, "'k' is final");
    fo_run_def run;
    m = open_with(text_def("text", text), NULL, 0, &said);
    REQUIRE(m);
    run = fo_model_run_def(m);
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, NULL);
    CHECK_INT(fo_simulation_advance(sim, 0.1), FO_REACHED);
    CHECK_INT(fo_simulation_set(sim, "k", 3), FO_ERROR_ARGUMENT); // nor in a run
    fo_simulation_destroy(sim);
    fo_model_close(m);
    CHECK(!open_with(text_def("text", text), "n", 6, &said));
    CHECK(!open_with(text_def("text", text), "g", 4, &said));
}

// Every model: its numbers have the values that are shown, and what lies outside of what is said of
// them is refused.
static void check_number(fo_model_def def, const fo_variable *v)
{
    fo_message said;
    bool ranged = v->min != 0 || v->max != 0;
    if (ranged && !(v->start >= v->min && v->start <= v->max))
        test_fail(__FILE__, __LINE__, "%s: %s is %g, not between %g and %g", def.name, v->name,
                  v->start, v->min, v->max);
    double outside[] = {ranged ? v->min - 1 : NAN, ranged ? v->max + 1 : NAN,
                        v->type != FO_REAL ? v->start + 0.5 : NAN};
    for (int i = 0; i < 3; i++) {
        if (!isfinite(outside[i]) || (i == 1 && outside[i] == v->max)) continue;
        fo_model *m = open_with(def, v->name, outside[i], &said);
        if (m) test_fail(__FILE__, __LINE__, "%s: %s takes %g", def.name, v->name, outside[i]);
        fo_model_close(m);
    }
}

TEST(what_lies_outside_is_refused)
{
    fo_model_def def = fo_default_model_def();
    def.table = fo_compiled_models(), def.folders = folders, def.program.way = FO_WAY_BYTECODE;
    fo_gallery *g = fo_gallery_open(&def, NULL);
    REQUIRE(g);
    size_t checked = 0, every = test_is_sanitized() ? 8 : 1;
    for (size_t i = 0; i < fo_gallery_count(g); i += every) {
        fo_message said;
        def.name = fo_gallery_get(g, i)->name;
        fo_model *m = open_with(def, NULL, 0, &said);
        CHECK_STATUS(m ? FO_OK : said.status, FO_OK, &said);
        if (!m) continue;
        size_t count = fo_model_number_count(m);
        for (size_t k = 0; k < count && k < 40; k++, checked++)
            check_number(def, fo_model_number(m, k));
        for (size_t k = 0; k < count && k < 2; k++) { // its own value changes nothing
            const fo_variable *v = fo_model_number(m, k);
            fo_model *same = open_with(def, v->name, v->start, &said);
            CHECK_STATUS(same ? FO_OK : said.status, FO_OK, &said);
            fo_model_close(same);
        }
        fo_model_close(m);
    }
    fo_gallery_close(g);
    CHECK(checked > (every == 1 ? 300 : 30));
}

TEST_MAIN(TEST_ENTRY(all_guards_of_a_model_at_one_instant),
          TEST_ENTRY(numbers_of_nodes_have_their_units),
          TEST_ENTRY(numbers_of_a_text_inside_a_diagram),
          TEST_ENTRY(numbers_that_follow_from_what_a_node_sets),
          TEST_ENTRY(both_parts_of_complex_numbers), TEST_ENTRY(numbers_of_a_guest_change_in_a_run),
          TEST_ENTRY(numbers_of_documents_inside_a_diagram),
          TEST_ENTRY(the_end_of_a_name_must_be_unique),
          TEST_ENTRY(more_than_256_numbers_change_in_a_run), TEST_ENTRY(numbers_without_memory),
          TEST_ENTRY(texts_say_what_their_numbers_are), TEST_ENTRY(what_lies_outside_is_refused))
