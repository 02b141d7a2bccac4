// Guards and rates that cease to be numbers at an instant that is known: the run ends there, in
// texts and in diagrams, as a program and node by node, with all rows and moments before it; and
// not at all where something from outside comes first.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "test.h"

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

/// sqrt(c - w) or log(c - w) with w' = v.
typedef struct edge {
    double c, v, interval;
    bool log, rate; ///< of a rate, not of a guard
    uint64_t seed;
} edge;

static edge draw(uint64_t seed)
{
    uint64_t s = seed * 7919 + 5;
    edge e = {.c = 0.2 + 5 * chance(&s), .v = 0.3 + 2 * chance(&s), .seed = seed};
    e.log = chance(&s) < 0.5, e.rate = chance(&s) < 0.3;
    e.interval = 0.01 + 0.2 * chance(&s);
    return e;
}

/// What was seen of a run.
typedef struct seen {
    double last; ///< time of the last row
    long rows, moments;
} seen;

static fo_status row(void *self, const fo_row *r, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->rows++, s->last = r->t;
    return FO_OK;
}

static fo_status moment(void *self, const fo_moment *m, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->moments += m->kind == FO_GUARD;
    return FO_OK;
}

// The last time that the message names.
static double time_of(const char *text)
{
    double t = NAN;
    for (const char *at = text; (at = strstr(at, "t = ")); at++) sscanf(at, "t = %lf", &t);
    return t;
}

static void judge(const edge *e, fo_system system, fo_run_def def, const char *how)
{
    seen s = {.last = -1};
    fo_message why = {0};
    fo_observer who = {.self = &s, .row = row, .moment = moment, .interval = e->interval};
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    fo_status status = sim ? fo_simulation_advance(sim, def.stop) : why.status;
    const char *said = sim ? fo_simulation_message(sim)->text : why.text;
    double truth = e->c / e->v, t = time_of(said);
    double before = e->interval * floor(truth / e->interval - 1e-6);
    bool right = fo_failed(status) && fabs(t - truth) <= 1e-9 * truth;
    if (!right || s.last < before - 1e-9 || s.last > truth + 1e-9)
        test_fail(__FILE__, __LINE__, "seed %llu, %s: ends at %.12g (%s), rows until %g of %g",
                  (unsigned long long)e->seed, how, truth, said, s.last, before);
    // the guard beside it, at half of the way
    if (s.moments != 1)
        test_fail(__FILE__, __LINE__, "seed %llu, %s: %ld moments", (unsigned long long)e->seed,
                  how, s.moments);
    fo_simulation_destroy(sim);
}

static void try_text(const edge *e)
{
    char text[700], last[200];
    snprintf(last, sizeof last,
             e->rate ? "der(z) = %s(c - w);" : "der(z) = if %s(c - w) > 40 then 1 else 0;",
             e->log ? "log" : "sqrt");
    snprintf(
        text, sizeof text,
        "model U parameter Real c = %.17g; Real w(start = 0, fixed = true), z(start = 0, fixed "
        "= true);\nInteger n(start = 0, fixed = true); equation der(w) = %.17g;\n%s\n"
        "when w > %.17g then n = pre(n) + 1; end when; end U;",
        e->c, e->v, last, e->c / 2);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "u.mo", .text = text}, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (!model) return;
    fo_run_def def = fo_default_run_def();
    def.stop = 50;
    judge(e, fo_text_model_system(model), def, "text");
    fo_text_model_close(model);
}

static void try_diagram(const edge *e)
{
    char text[3000];
    snprintf(text, sizeof text,
             "{'format': 'foliot diagram', 'version': 1, 'simulation': {'stop': 50, 'step': 0.05, "
             "'integrator': 'dp45'}, 'nodes': ["
             "{'name': 'v', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
             "{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
             "{'name': 'half', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
             "{'name': 'high', 'type': 'Constant', 'parameters': {'Constant Value': 40}}, "
             "{'name': 'w', 'type': 'Integrator'}, {'name': 'z', 'type': 'Integrator'}, "
             "{'name': 'y', 'type': 'Integrator'}, "
             "{'name': 'left', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, "
             "{'name': 'f', 'type': 'Math Function 1', 'parameters': {'Function': '%s'}}, "
             "{'name': 'up', 'type': 'Relational Operator', 'parameters': {'Relational Operator': "
             "'>'}}, "
             "{'name': 'past', 'type': 'Relational Operator', 'parameters': {'Relational "
             "Operator': '>'}}, "
             "{'name': 'e1', 'type': 'Terminator'}, {'name': 'e2', 'type': 'Terminator'}, "
             "{'name': 'e3', 'type': 'Terminator'}], "
             "'lines': [{'from': 'v', 'to': 'w'}, {'from': 'c', 'to': 'left:1'}, "
             "{'from': 'w', 'to': 'left:2'}, {'from': 'left', 'to': 'f'}, "
             "{'from': 'f', 'to': 'up:1'}, {'from': 'high', 'to': 'up:2'}, "
             "{'from': '%s', 'to': 'z'}, {'from': 'w', 'to': 'past:1'}, "
             "{'from': 'half', 'to': 'past:2'}, {'from': 'past', 'to': 'y'}, "
             "{'from': 'y', 'to': 'e1'}, {'from': 'z', 'to': 'e2'}, "
             "{'from': 'up', 'to': 'e3'}]}",
             e->v, e->c, e->c / 2, e->log ? "Natural Log" : "Square Root", e->rate ? "f" : "up");
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    fo_message why = {0};
    fo_diagram_def given = {"u.json", text, strlen(text), NULL};
    fo_diagram *d = fo_diagram_read(&given, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    for (int way = 0; way < 2 && d; way++) {
        fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(d), NULL);
        CHECK(fo_diagram_run_as(d, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, &why) == FO_OK);
        judge(e, fo_diagram_system(d), def, way ? "node by node" : "diagram");
    }
    fo_diagram_destroy(d);
}

TEST(runs_end_where_something_ceases_to_be_a_number)
{
    for (int i = 0; i < test_count(6, 60); i++) {
        edge e = draw((uint64_t)i);
        try_text(&e);
        try_diagram(&e);
    }
}

TEST(what_comes_from_outside_before_that_keeps_them_going)
{
    static const char text[] = "model U parameter Real c = 1; Real w(start = 0, fixed = true);\n"
                               "Integer n(start = 0, fixed = true); equation der(w) = 1;\n"
                               "when sqrt(c - w) < 0.1 then n = pre(n) + 1; end when; end U;";
    for (int early = 0; early < 2; early++) {
        fo_message why = {0};
        fo_text_model *model =
            fo_text_model_open(&(fo_text_model_def){.path = "u.mo", .text = text}, &why);
        fo_run_def def = fo_default_run_def();
        def.stop = 4;
        fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
        if (!early) CHECK(fo_simulation_advance(sim, 0.9) == FO_REACHED);
        CHECK(fo_simulation_send_set(sim, 0.995, "c", 10) == FO_OK);
        CHECK_STATUS(fo_simulation_advance(sim, 4), FO_REACHED, fo_simulation_message(sim));
        fo_simulation_destroy(sim);
        fo_text_model_close(model);
    }
}

TEST_MAIN(TEST_ENTRY(runs_end_where_something_ceases_to_be_a_number),
          TEST_ENTRY(what_comes_from_outside_before_that_keeps_them_going))
