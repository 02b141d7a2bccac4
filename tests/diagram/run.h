/// Helpers for tests of diagrams: documents from short texts, and values of a run.
#ifndef TEST_DIAGRAM_RUN_H
#define TEST_DIAGRAM_RUN_H

#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/diagram.h"
#include "test.h"

typedef struct diagram_run {
    fo_diagram *diagram;
    fo_simulation *sim;
    fo_message why;
} diagram_run;

/// "format" and "version" are put before `members`, which are the others, in JSON with ' for ".
__attribute__((unused)) static fo_diagram *read_diagram(const char *members,
                                                        const fo_allocator *allocator,
                                                        fo_message *why)
{
    size_t size = strlen(members) + 64;
    char *text = malloc(size);
    snprintf(text, size, "{'format': 'foliot diagram', 'version': 1, %s}", members);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    fo_diagram_def def = {"test.json", text, strlen(text), allocator};
    fo_diagram *made = fo_diagram_read(&def, why);
    free(text);
    return made;
}

__attribute__((unused)) static bool open_run(diagram_run *r, const char *members)
{
    *r = (diagram_run){0};
    r->diagram = read_diagram(members, NULL, &r->why);
    if (!r->diagram) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return false;
    }
    fo_system system = fo_diagram_system(r->diagram);
    fo_status status = fo_system_check(system, &r->why);
    if (status != FO_OK) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
    r->sim = fo_simulation_create(system, &def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim;
}

__attribute__((unused)) static void close_run(diagram_run *r)
{
    fo_simulation_destroy(r->sim);
    fo_diagram_destroy(r->diagram);
}

/// The signal at time t, which must not lie before the last one.
__attribute__((unused)) static double value_at(diagram_run *r, double t, const char *name)
{
    fo_reference which;
    fo_message why = {0};
    fo_status status = fo_simulation_advance(r->sim, t);
    if (fo_failed(status)) {
        test_fail(__FILE__, __LINE__, "%s", fo_simulation_message(r->sim)->text);
        return NAN;
    }
    if (fo_failed(fo_system_find(fo_diagram_system(r->diagram), name, &which, &why))) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return NAN;
    }
    return fo_simulation_value(r->sim, which);
}

/// The document is refused with these words.
__attribute__((unused)) static void refused(const char *members, const char *words)
{
    fo_message why = {0};
    fo_diagram *d = read_diagram(members, NULL, &why);
    char some[200]; // of it, for the message
    snprintf(some, sizeof some, "%s", members);
    if (d) test_fail(__FILE__, __LINE__, "not refused: %s", some);
    if (!d) test_contains(__FILE__, __LINE__, some, why.text, words);
    fo_diagram_destroy(d);
}

#endif
