/// What `reinit` does where several want to set one state: branches of one when, turns of one
/// moment, whens that agree, and whens that do not, where the run ends and says so.
#include <string.h>

#include "samples.h"

#define TWO  "model M Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);\n"
#define FLOW "equation der(x) = 1; der(y) = 1;\n"

static const sample sets[] = {
    {"the first branch",
     TWO FLOW "when time > 1 then reinit(x, 5); elsewhen y > 1 then "
              "reinit(x, 7); end when; end M;\n",
     "x", 1.5, 5.5, 1e-9},
    {"the other branch",
     TWO FLOW "when time > 1 then reinit(x, 5); elsewhen y > 1.5 then "
              "reinit(x, 7); end when; end M;\n",
     "x", 1.75, 7.25, 1e-9},
    {"branches of an if",
     TWO FLOW "when time > 1 then if y > 0.5 then reinit(x, 5); else reinit(x, 7); end if;\n"
              "end when; end M;\n",
     "x", 1.5, 5.5, 1e-9},
    {"two that agree",
     TWO FLOW "when time > 1 then reinit(x, 5); end when;\n"
              "when y > 1 then reinit(x, 4 + 1); end when; end M;\n",
     "x", 1.5, 5.5, 1e-9},
    {"two moments",
     TWO FLOW "when time > 1 then reinit(x, 5); end when;\n"
              "when y > 1.5 then reinit(x, 7); end when; end M;\n",
     "x", 1.75, 7.25, 1e-9},
    // the second when turns because of the first: it is the next turn of the same moment
    {"two turns of a moment",
     TWO FLOW "when time > 1 then reinit(x, 5); end when;\n"
              "when x > 4 then reinit(x, -3); end when; end M;\n",
     "x", 1.5, -2.5, 1e-9},
    {"elements of an array",
     "model M Real x[3](each start = 0, each fixed = true); equation der(x) = ones(3);\n"
     "when time > 1 then reinit(x[2], 5); reinit(x[{1, 3}], {7, 9}); end when; end M;\n",
     "x[3]", 1.5, 9.5, 1e-9},
    {"a whole array",
     "model M Real x[3](each start = 0, each fixed = true); equation der(x) = ones(3);\n"
     "when time > 1 then reinit(x, {4, 5, 6}); end when; end M;\n",
     "x[2]", 1.5, 5.5, 1e-9},
};

TEST(states_that_are_set)
{
    CHECK_ALL(sets);
}

TEST(twice_in_one_place)
{
    check_refused(TWO FLOW "when time > 1 then reinit(x, 5); reinit(x, 7); end when; end M;\n",
                  "reinit sets `x` twice at once, here and in line 3");
    check_refused(TWO FLOW "when time > 1 then if y > 2 then reinit(x, 5); reinit(x, y); end if;\n"
                           "end when; end M;\n",
                  "reinit sets `x` twice at once");
    check_refused("model M Real x[3](each start = 0, each fixed = true); equation\n"
                  "der(x) = ones(3); when time > 1 then reinit(x, {4, 5, 6}); reinit(x[2], 1);\n"
                  "end when; end M;\n",
                  "reinit sets `x[2]` twice at once");
}

// The end of a run that cannot go on.
static void check_ends(const char *text, double t, const char *part)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = text};
    fo_run_def run = fo_default_run_def();
    run.stop = 2;
    fo_text_model *m = fo_text_model_open(&def, &why);
    if (!m) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (!m) return;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(m), &run, &why);
    CHECK(sim);
    fo_status status = fo_simulation_start(sim);
    if (!fo_failed(status)) status = fo_simulation_advance(sim, 2);
    CHECK(fo_failed(status));
    CHECK_NEAR(fo_simulation_time(sim), t, 1e-9);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, part);
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
}

TEST(two_whens_at_once)
{
    check_ends(TWO FLOW "when time > 1 then reinit(x, 5); end when;\n"
                        "when y > 1 then reinit(x, 7); end when; end M;\n",
               1, "two whens set `x` at once: line 3 to 5, line 4 to 7");
    check_ends(TWO FLOW "when sample(0.5, 0.5) then reinit(y, x); end when;\n"
                        "when sample(0.3, 0.7) then reinit(y, pre(y) + 1); end when; end M;\n",
               1, "two whens set `y` at once: line 3 to 1, line 4 to 2");
    // the first and the third, where the one between them rests
    check_ends(TWO FLOW "when time > 1 then reinit(x, 5); end when;\n"
                        "when time > 1.5 then reinit(x, 6); end when;\n"
                        "when time >= 1 then reinit(x, 7); end when; end M;\n",
               1, "line 3 to 5, line 5 to 7");
    check_ends("model M Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation\n"
               "der(x) = 1; der(y) = 1; when initial() then reinit(x, 5); end when;\n"
               "when initial() then reinit(x, 7); end when; end M;\n",
               0, "two whens set `x` at once");
}

// Who set a state before is kept per state: of the last of many, too, beside words of other
// actions.
TEST(many_states_beside_words)
{
    check_ends(
        "model M Real x[24](each start = 0, each fixed = true); equation der(x) = ones(24);\n"
        "when time > 0.5 then assert(x[1] < 1, \"the first has gone too far, and others do\");\n"
        "reinit(x[9], 5); reinit(x[8], 5); reinit(x[12], 5); reinit(x[16], 5); end when;\n"
        "when time > 1 then assert(x[1] < 0.5, \"too far\"); end when; end M;\n",
        1, "too far");
}

// What a reinit sets is a state, also beside what would rather be one, or has a fixed start.
TEST(what_is_set_is_chosen)
{
    static const char *const others[] = {"E", "E(stateSelect = StateSelect.prefer)",
                                         "E(start = 2, fixed = true)"};
    for (size_t i = 0; i < FO_COUNT(others); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model M Real b(start = 1%s), %s, J(start = 0, fixed = true); equation\n"
                 "der(b) = -0.1; E = 2*b + time; der(J) = 2*der(E);\n"
                 "when time >= 1 then reinit(b, 3); end when; end M;\n",
                 i == 2 ? "" : ", fixed = true", others[i]);
        fo_message why = {0};
        fo_text_model *m =
            fo_text_model_open(&(fo_text_model_def){.path = "M.mo", .text = text}, &why);
        fo_run_def def = fo_default_run_def();
        def.stop = 2;
        fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &def, &why) : NULL;
        if (!sim) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
        if (!sim) continue;
        CHECK_INT(fo_simulation_advance(sim, 2), FO_REACHED);
        static const struct {
            const char *name;
            double value;
        } ends[] = {{"b", 2.9}, {"E", 7.8}, {"J", 3.2}};
        for (size_t k = 0; k < FO_COUNT(ends); k++) {
            fo_reference at;
            CHECK_INT(fo_system_find(fo_simulation_system(sim), ends[k].name, &at, NULL), FO_OK);
            CHECK_NEAR(fo_simulation_value(sim, at), ends[k].value, 1e-9);
        }
        fo_simulation_destroy(sim);
        fo_text_model_close(m);
    }
}

TEST_MAIN(TEST_ENTRY(what_is_set_is_chosen), TEST_ENTRY(states_that_are_set),
          TEST_ENTRY(twice_in_one_place), TEST_ENTRY(two_whens_at_once),
          TEST_ENTRY(many_states_beside_words))
