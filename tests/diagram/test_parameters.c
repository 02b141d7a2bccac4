// Numbers by name: a document's own parameters, expressions of them, and settings; what is refused,
// and with which words.
#include "run.h"

#define NODES                                                                             \
    "'nodes': [{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': %s}}, " \
    "{'name': 'e', 'type': 'Terminator'}], 'lines': [{'from': 'c', 'to': 'e'}]"
#define OWN                                                                               \
    "'parameters': {'k': 3, 'half': {'value': '1/2', 'unit': 'm', 'about': 'a length'}, " \
    "'both': 'k + half', 'm': {'value': 2, 'min': 0, 'max': 10}}, "

static void members(char *text, size_t size, const char *value)
{
    char nodes[1600];
    snprintf(nodes, sizeof nodes, NODES, value);
    snprintf(text, size, OWN "%s", nodes);
}

// Expressions against what C makes of the same ones: a document computes with our own functions,
// which are correctly rounded almost always.
TEST(expressions_have_their_values)
{
    const double k = 3, half = 0.5, both = 3.5, pi = acos(-1);
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"k", k},
        {"k + half*2", k + half * 2},
        {"both", both},
        {"(k + half)*2", (k + half) * 2},
        {"-k^2", -9},
        {"2^3^2", 512},
        {"-2^-2", -0.25},
        {"k - -k", 6},
        {"10/4/5", 0.5},
        {"max(k, half)", k},
        {"max(half, k)", k},
        {"min(k, half)", half},
        {"min(half, k)", half},
        {"pow(k, 2) + sqrt(16)", 13},
        {"atan2(k, -k)", atan2(3, -3)},
        {"abs(-k)", 3},
        {"sin(pi/6)", sin(pi / 6)},
        {"((((k))))", 3},
        {" 1e-3 * 0x10", 0.016},
        {"max(1, min(2, sin(k) + 5)) * (1 - (2 - 3))", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[3000], quoted[200];
        diagram_run r;
        snprintf(quoted, sizeof quoted, "'%s'", cases[i].text);
        members(text, sizeof text, quoted);
        if (open_run(&r, text))
            CHECK_NEAR(value_at(&r, 0, "c"), cases[i].value, 1e-15 * fabs(cases[i].value));
        close_run(&r);
    }
}

TEST(expressions_that_are_none_are_refused)
{
    static const char *const cases[][2] = {
        {"k +", "expected a number, a name or '('"},
        {"(k + 1", "column 7: expected an operator or ')', found the end"},
        {"max(1)", "column 1: max has 2 arguments, found 1"},
        {"max(1, 2", "expected an operator or ')', found the end"},
        {"sin(1, 2)", "sin has 1 argument, found 2"},
        {"foo(1)", "there is no function 'foo'"},
        {"bth", "there is no parameter 'bth'; did you mean 'both'?"},
        {"1/0", "is inf"},
        {"sqrt(-1)", "nan"},
        {"max(0/0, 1)", "nan"},
        {"min(1, 0/0)", "nan"},
        {"1 2, 3", "row 2 has 1 numbers, row 1 has 2"},
        {"1,", "row 2 has 0 numbers"},
        {"k $ 2", "expected a number, a name or '('"},
        {"k$", "column 2: expected an operator or the end, found '$'"},
        {"k)", "column 2: expected an operator or the end, found ')'"},
        {".", "expected a number, found '.'"},
        {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
         "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
         "there is no parameter 'abcdefghijkl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[3000], quoted[300];
        snprintf(quoted, sizeof quoted, "'%s'", cases[i][0]);
        members(text, sizeof text, quoted);
        refused(text, cases[i][1]);
    }
    char deep[1000], text[3000], quoted[1100];
    memset(deep, '(', 500), deep[500] = 0;
    snprintf(quoted, sizeof quoted, "'%s'", deep);
    members(text, sizeof text, quoted);
    refused(text, "expected less nesting");
    memset(deep, '-', 500), memcpy(deep + 500, "1", 2);
    snprintf(quoted, sizeof quoted, "'%s'", deep);
    members(text, sizeof text, quoted);
    refused(text, "expected less nesting");
}

TEST(parameters_are_checked)
{
    char nodes[400], text[1000];
    snprintf(nodes, sizeof nodes, NODES, "'1'");
    static const char *const cases[][2] = {
        {"3", "expected an object"},
        {"{'2k': 1}", "a parameter's name must be a letter, then letters, digits and '_'"},
        {"{'a b': 1}", "a parameter's name must be a letter"},
        {"{'k': 'two'}", "$.parameters.k: column 1: there is no parameter 'two'"},
        {"{'a': 'b', 'b': 1}", "there is no parameter 'b'"}, // only earlier ones
        {"{'a': 'a'}", "there is no parameter 'a'"},
        {"{'k': '1 2'}", "expected a single number, found several"},
        {"{'k': [1]}", "expected a number"},
        {"{'k': {}}", "value"},
        {"{'k': {'value': 1, 'unti': 'm'}}", "did you mean 'unit'?"},
        {"{'k': {'value': 1, 'unit': 3}}", "expected a text"},
        {"{'k': {'value': 1, 'min': 'low'}}", "expected a number"},
        {"{'k': {'value': 11, 'min': 0, 'max': 10}}", "'k' must lie between 0 and 10, not 11"},
        {"{'k': {'value': -1, 'min': 0}}", "'k' must be at least 0, not -1"},
        {"{'k': {'value': '5 * 5', 'max': 10}}", "'k' must be at most 10, not 25"},
        {"{'k': true}", "expected a number"},
        {"{'k': null}", "expected a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "'parameters': %s, %s", cases[i][0], nodes);
        refused(text, cases[i][1]);
    }
}

// A number that is set: what follows from it follows, limits hold, elements have indices.
static fo_model *open_set(const char *value, const char *name, double to)
{
    char text[3000], whole[3200];
    fo_setting setting = {name, to, false};
    members(text, sizeof text, value);
    snprintf(whole, sizeof whole, "{'format': 'foliot diagram', 'version': 1, %s}", text);
    for (char *c = whole; *c; c++)
        if (*c == '\'') *c = '"';
    fo_model_def def = fo_default_model_def();
    def.name = "d.json", def.text = whole, def.length = strlen(whole);
    def.settings = &setting, def.setting_count = name ? 1 : 0;
    fo_model *m = NULL;
    fo_model_open(&def, &m);
    return m;
}

static double first_value(fo_model *m)
{
    fo_message why = {0};
    fo_run_def def = fo_model_run_def(m);
    fo_reference which;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &def, &why);
    double value = NAN;
    if (sim && !fo_failed(fo_simulation_advance(sim, 0)) &&
        !fo_failed(fo_system_find(fo_model_system(m), "c", &which, &why)))
        value = fo_simulation_value(sim, which);
    fo_simulation_destroy(sim);
    return value;
}

TEST(numbers_are_set_by_name)
{
    static const struct {
        const char *value, *name;
        double to, comes;
        const char *words;
    } cases[] = {
        {"'both*2'", "k", 5, 11, NULL},
        {"'both*2'", "both", 1, 2, NULL}, // a calculated one, from then on a number of its own
        {"'m'", "m", 10, 10, NULL},
        {"'m'", "m", 10.5, 0, "'m' must lie between 0 and 10, not 10.5"},
        {"'k'", "c.Constant Value", 7, 7, NULL},
        {"'k'", "c.Constant Value[1]", 7, 7, NULL},
        {"'k'", "c.Constant Value[1,1]", 7, 7, NULL},
        {"'k'", "c.Constant Value[2]", 7, 0, "has 1 by 1 numbers, set one of them"},
        {"'k'", "c.Constant Value[1,2]", 7, 0, "has 1 by 1 numbers, set one of them"},
        {"'k'", "c.Constant Value[0]", 7, 0, "has 1 by 1 numbers, set one of them"},
        {"'k'", "c.Constant Value[4294967297]", 7, 0, "cannot be set"}, // is not 1
        {"'k'", "c.Constant Value[1,4294967297]", 7, 0, "cannot be set"},
        {"'k'", "c.Constant Value[-4294967295]", 7, 0, "cannot be set"},
        {"'k'", "c.Constant Value.im", 7, 0, "cannot be set"},
        {"'k'", "c.Constant Value[1]x", 7, 0, "cannot be set"},
        {"'1 2, 3 4'", "c.Constant Value", 7, 0, "has 2 by 2 numbers, set one of them"},
        {"'k'", "nothing", 7, 0, "nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_model *m = open_set(cases[i].value, cases[i].name, cases[i].to);
        REQUIRE(m);
        const fo_finding *first = fo_model_finding(m, 0);
        const char *said = first ? first->text : "";
        if (cases[i].words) {
            CHECK(fo_failed(fo_model_status(m)));
            CHECK_CONTAINS(said, cases[i].words);
        } else {
            CHECK_TEXT(said, "");
            if (!fo_failed(fo_model_status(m))) CHECK_NEAR(first_value(m), cases[i].comes, 0);
        }
        fo_model_close(m);
    }
}

// Every allocation fails once.
TEST(memory_lacks)
{
    char text[3000];
    members(text, sizeof text, "'max(both, k) 2*m'");
    for (long failing = 1;; failing++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, failing);
        fo_diagram *d = read_diagram(text, &memory.allocator, &why);
        fo_diagram_destroy(d);
        CHECK_INT(memory.live, 0);
        if (d) break;
        CHECK_INT(why.status, FO_ERROR_MEMORY);
    }
}

TEST_MAIN(TEST_ENTRY(expressions_have_their_values),
          TEST_ENTRY(expressions_that_are_none_are_refused), TEST_ENTRY(parameters_are_checked),
          TEST_ENTRY(numbers_are_set_by_name), TEST_ENTRY(memory_lacks))
