// Relations that compare what is not a number are neither true nor false, also where nothing of
// them flows: of parameters and of discretes, in rates, outputs, parameters and start values.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <foliot/foliot.h>

#include "test.h"

// What is not a number where p is -1, and is one where p is 2.
static const char *const undefined[] = {"sqrt(p)",       "log(p)",        "asin(p - 1)",
                                        "acos(p - 0.5)", "p^0.3",         "log10(p)",
                                        "1 + 2*sqrt(p)", "exp(-sqrt(p))", "atan(log(p))"};
static const char *const relation[] = {"%s > 1",  "%s < 1", "%s >= 1",
                                       "%s <= 1", "1 < %s", "not (%s > 1)"};
// Where it stands; %s is the relation.
static const char *const place[] = {
    "  Real x(start = 0, fixed = true);\nequation\n  der(x) = if %s then 1 else 2;\n",
    "  Real x, y;\nequation\n  x = if %s then 1 else 2;\n  y = x + 1;\n",
    "  final parameter Boolean b = %s;\n  Real x(start = 0, fixed = true);\nequation\n"
    "  der(x) = if b then 1 else 2;\n",
    "  Real x(start = if %s then 1 else 2, fixed = true);\nequation\n  der(x) = 1;\n",
    "  Real x;\nequation\n  der(x) = 1;\ninitial equation\n  x = if %s then 1 else 2;\n",
    "  Real x(start = 0, fixed = true); Boolean b;\nequation\n  b = %s;\n"
    "  der(x) = if b then 1 else 2;\n",
};

// "": it runs.
static const char *failure(const char *text)
{
    static fo_message why;
    why = (fo_message){0};
    fo_text_model_def def = {.path = "doubt.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    if (!model) return why.text;
    fo_run_def run = fo_default_run_def();
    run.stop = 1;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &run, &why);
    if (sim && fo_simulation_advance(sim, 1) != FO_REACHED) why = *fo_simulation_message(sim);
    if (sim && why.text[0] == 0 && fo_simulation_time(sim) < 1) snprintf(why.text, 10, "ended");
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return why.text;
}

static const char *text_of(double p, size_t where, const char *truth)
{
    static char text[2000];
    int used = snprintf(text, sizeof text, "model Doubt\n  parameter Real p = %g;\n", p);
    used += snprintf(text + used, sizeof text - (size_t)used, place[where], truth);
    snprintf(text + used, sizeof text - (size_t)used, "end Doubt;\n");
    return text;
}

TEST(a_relation_of_no_number_ends_the_run_wherever_it_stands)
{
    for (size_t u = 0; u < FO_COUNT(undefined); u++)
        for (size_t r = 0; r < FO_COUNT(relation); r++)
            for (size_t where = 0; where < FO_COUNT(place); where++) {
                char truth[200];
                snprintf(truth, sizeof truth, relation[r], undefined[u]);
                const char *said = failure(text_of(-1, where, truth));
                if (!said[0])
                    test_fail(__FILE__, __LINE__, "accepted:\n%s", text_of(-1, where, truth));
                bool named = strstr(said, "not a number") || strstr(said, "nan");
                if (said[0] && !named) test_fail(__FILE__, __LINE__, "said: %s", said);
                if (u == 0) { // the same with a number
                    said = failure(text_of(2, where, truth));
                    if (said[0]) test_fail(__FILE__, __LINE__, "%s", said);
                }
            }
}

// A branch that is not taken asks nothing.
TEST(what_nobody_asks_may_be_no_number)
{
    for (size_t u = 0; u < FO_COUNT(undefined); u++)
        for (size_t where = 0; where < 2; where++) {
            static const char *const guarded[] = {"p > 0 and %s > 1", "p < 0 or %s > 1",
                                                  "(if p > 0 then %s > 1 else p < 5)"};
            for (size_t k = 0; k < FO_COUNT(guarded); k++) {
                char truth[200];
                snprintf(truth, sizeof truth, guarded[k], undefined[u]);
                const char *said = failure(text_of(-1, where, truth));
                if (said[0]) test_fail(__FILE__, __LINE__, "%s: %s", truth, said);
            }
        }
}

TEST(a_discrete_that_becomes_negative_is_found_at_its_moment)
{
    CHECK_CONTAINS(failure("model D\n"
                           "  Real x(start = 0, fixed = true);\n"
                           "  discrete Real d(start = 4, fixed = true);\n"
                           "equation\n"
                           "  der(x) = if sqrt(d) > 1 then 1 else 2;\n"
                           "  when time > 0.5 then d = -1; end when;\n"
                           "end D;\n"),
                   "`sqrt(d) > 1` compares what is not a number at t = 0.5");
}

// One of whole parts has no guard, and is looked at when they change: x = 2 at 0.75 s.
TEST(a_relation_of_whole_parts_is_found_where_they_change)
{
    const char *said = failure("model W\n"
                               "  Real x(start = 0, fixed = true);\n"
                               "equation\n"
                               "  der(x) = 2*(if sqrt(1 - floor(x)) > 0.5 then 1 else 2);\n"
                               "end W;\n");
    CHECK_CONTAINS(said, "compares what is not a number at t = 0.75");
}

TEST_MAIN(TEST_ENTRY(a_relation_of_no_number_ends_the_run_wherever_it_stands),
          TEST_ENTRY(what_nobody_asks_may_be_no_number),
          TEST_ENTRY(a_discrete_that_becomes_negative_is_found_at_its_moment),
          TEST_ENTRY(a_relation_of_whole_parts_is_found_where_they_change))
