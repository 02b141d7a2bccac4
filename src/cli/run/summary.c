#include "cli/run/summary.h"

#include <inttypes.h>
#include <string.h>

static void label(FILE *out, const char *text)
{
    fprintf(out, "  %-13s", text);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_time(FILE *out, double from, double to, double seconds, const char *unit)
{
    label(out, "time");
    fprintf(out, "%.6g .. %.6g %s, computed in %.3g s", from, to, unit, seconds);
    double ratio = seconds > 0 && strcmp(unit, "s") == 0 ? (to - from) / seconds : 0;
    if (ratio >= 100) fprintf(out, " (%.0f times real time)", ratio);
    if (ratio > 0 && ratio < 100) fprintf(out, " (%.3g times real time)", ratio);
    fputc('\n', out);
}

static void print_steps(FILE *out, const fo_statistics *s, const char *unit)
{
    label(out, "steps");
    fprintf(out, "%" PRIu64 " accepted, %" PRIu64 " rejected", s->steps, s->rejected);
    if (s->last_step > 0) fprintf(out, ", the last %.3g %s long", s->last_step, unit);
    fputc('\n', out);
}

static void print_evaluations(FILE *out, const fo_statistics *s)
{
    label(out, "evaluations");
    fprintf(out, "%" PRIu64 " of the rates", s->rates);
    if (s->guards) fprintf(out, ", %" PRIu64 " of the guards", s->guards);
    if (s->jacobians) fprintf(out, ", %" PRIu64 " of the Jacobian", s->jacobians);
    if (s->factorisations) fprintf(out, ", %" PRIu64 " factorisations", s->factorisations);
    if (s->iterations) fprintf(out, ", %" PRIu64 " iterations", s->iterations);
    fputc('\n', out);
    if (!(s->residual > 0)) return;
    label(out, "residual");
    fprintf(out, "%.3g at most\n", s->residual);
}

static void item(FILE *out, const char **before, uint64_t count, const char *one, const char *many)
{
    if (!count) return;
    fprintf(out, "%s%" PRIu64 " %s", *before, count, count == 1 ? one : many);
    *before = ", ";
}

// What of a guard was not proved, and why.
static void print_guard(FILE *out, const fo_guard_report *g)
{
    const char *before = "";
    label(out, "");
    fprintf(out, "`%s`: ", g->name);
    item(out, &before, g->isolated, "jump or pole isolated", "jumps or poles isolated");
    item(out, &before, g->undecided, "place so near zero that rounding hides the sign",
         "places so near zero that rounding hides the sign");
    if (g->searched) fprintf(out, "%ssearched by samples, without bounds", before), before = ", ";
    item(out, &before, g->limited, "search ended at its limit of work",
         "searches ended at their limit of work");
    item(out, &before, g->loose, "step between whose ends the solver does not hold the tolerance",
         "steps between whose ends the solver does not hold the tolerance");
    fprintf(out, "%s\n", *before ? "" : "never looked at");
}

static void print_moments(FILE *out, const fo_simulation *sim, const fo_statistics *s)
{
    enum { MOST = 8 };
    label(out, "moments");
    fprintf(out, "%" PRIu64, s->moments);
    if (s->guard_count)
        fprintf(out, "; %" PRIu32 " of %" PRIu32 " guard%s certified", s->certified_guards,
                s->guard_count, plural(s->guard_count));
    fputc('\n', out);
    uint32_t shown = 0, rest = 0;
    fo_guard_report g;
    for (uint32_t i = 0; fo_simulation_guard_report(sim, i, &g); i++) {
        if (g.certified) continue;
        if (shown < MOST)
            print_guard(out, &g), shown++;
        else
            rest++;
    }
    if (!rest) return;
    label(out, "");
    fprintf(out, "and %" PRIu32 " more\n", rest);
}

static void print_file(FILE *out, const char *path, size_t rows, const char *what)
{
    if (!path || strcmp(path, "-") == 0) return;
    label(out, "written");
    fprintf(out, "%s: %zu %s%s\n", path, rows, what, plural(rows));
}

void summary_print(FILE *out, const fo_simulation *sim, const results *r, double start,
                   double seconds, const char *time_unit)
{
    fo_statistics s = fo_simulation_statistics(sim);
    fprintf(out, "\nSummary\n");
    print_time(out, start, fo_simulation_time(sim), seconds, time_unit);
    label(out, "solver");
    fprintf(out, "%s\n", fo_simulation_solver_reason(sim));
    print_steps(out, &s, time_unit);
    print_evaluations(out, &s);
    print_moments(out, sim, &s);
    print_file(out, r->rows_path, r->row_count, "row");
    print_file(out, r->moments_path, r->moment_count, r->acts == FO_ACTS_NONE ? "moment" : "row");
}

void summary_totals(FILE *out, fo_simulation *sim, const char *const *names)
{
    fo_system system = fo_simulation_system(sim);
    fprintf(out, "\nAt the end\n");
    for (; *names; names++) {
        fo_reference which;
        if (fo_system_find(system, *names, &which, NULL) != FO_OK) continue;
        const fo_variable *v = fo_system_variable(system, which);
        fprintf(out, "  %-17s%.9g %s\n", *names, fo_simulation_value(sim, which),
                v && v->unit ? v->unit : "");
    }
}
