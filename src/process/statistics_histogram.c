#include <foliot/statistics.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/math.h"
#include "process/statistics_report.h"

struct fo_histogram {
    fo_histogram_def def;
    fo_tally tally;
    double width;     // of a cell
    uint64_t count[]; // below, the cells, above
};

static bool makes_sense(const fo_histogram_def *def, fo_message *why)
{
    if (!(def->lower < def->upper && isfinite(def->upper - def->lower)))
        fo_fail(why, FO_ERROR_ARGUMENT, "histogram '%s': lower must be less than upper, not %g, %g",
                def->title ? def->title : "", def->lower, def->upper);
    else if (def->cells < 1 || def->cells > PTRDIFF_MAX / 16)
        fo_fail(why, FO_ERROR_ARGUMENT,
                "histogram '%s': found %zu cells, expected 1 and more, as memory can hold",
                def->title ? def->title : "", def->cells);
    else
        return true;
    return false;
}

fo_histogram_def fo_default_histogram_def(void)
{
    return (fo_histogram_def){.upper = 1, .cells = 10};
}

fo_histogram *fo_histogram_create(const fo_histogram_def *def, fo_message *why)
{
    if (!makes_sense(def, why)) return NULL;
    size_t bytes = sizeof(fo_histogram) + (def->cells + 2) * sizeof(uint64_t);
    fo_histogram *h = foi_new(def->allocator, bytes, 1);
    if (!h) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a histogram of %zu cells", def->cells);
        return NULL;
    }
    h->def = *def;
    h->tally = fo_tally_start(def->title, def->start);
    h->width = (def->upper - def->lower) / (double)def->cells;
    return h;
}

void fo_histogram_destroy(fo_histogram *h)
{
    if (h) foi_free(h->def.allocator, h);
}

void fo_histogram_add(fo_histogram *h, double x)
{
    fo_tally_add(&h->tally, x);
    double place = (x - h->def.lower) / h->width, last = (double)h->def.cells;
    if (h->def.jdisco && place >= 0) place = floor(place + 0.5);
    size_t cell = place < 0 ? 0 : place < last ? (size_t)place + 1 : h->def.cells + 1;
    h->count[cell]++;
}

fo_status fo_histogram_merge(fo_histogram *h, const fo_histogram *more, fo_message *why)
{
    const fo_histogram_def *a = &h->def, *b = &more->def;
    if (a->cells != b->cells || a->lower != b->lower || a->upper != b->upper ||
        a->jdisco != b->jdisco)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "histogram '%s' has %zu cells from %g to %g and cannot take one with %zu "
                       "from %g to %g",
                       a->title ? a->title : "", a->cells, a->lower, a->upper, b->cells, b->lower,
                       b->upper);
    fo_tally_merge(&h->tally, &more->tally);
    for (size_t i = 0; i < a->cells + 2; i++) h->count[i] += more->count[i];
    return FO_OK;
}

void fo_histogram_reset(fo_histogram *h, double time)
{
    fo_tally_reset(&h->tally, time);
    memset(h->count, 0, (h->def.cells + 2) * sizeof *h->count);
}

const fo_tally *fo_histogram_tally(const fo_histogram *h)
{
    return &h->tally;
}

uint64_t fo_histogram_count(const fo_histogram *h, size_t cell)
{
    return cell < h->def.cells + 2 ? h->count[cell] : 0;
}

size_t fo_histogram_cells(const fo_histogram *h)
{
    return h->def.cells;
}

double fo_histogram_limit(const fo_histogram *h, size_t cell)
{
    if (cell == 0) return -INFINITY;
    return cell > h->def.cells ? h->def.upper : h->def.lower + (double)(cell - 1) * h->width;
}

// Below and above the cells lie the least and the largest observation.
double fo_histogram_quantile(const fo_histogram *h, double p)
{
    if (h->tally.count == 0 || !(p >= 0 && p <= 1)) return NAN;
    double wanted = p * (double)h->tally.count, sum = 0;
    for (size_t i = 0; i < h->def.cells + 2; i++) {
        double here = (double)h->count[i];
        if (here == 0 || sum + here < wanted) {
            sum += here;
            continue;
        }
        double from = foi_fmax(fo_histogram_limit(h, i), h->tally.min);
        double to =
            i > h->def.cells ? h->tally.max : foi_fmin(fo_histogram_limit(h, i + 1), h->tally.max);
        return from + (to - from) * ((wanted - sum) / here);
    }
    return h->tally.max;
}

static void repeat(FILE *out, char letter, long times)
{
    while (times-- > 0) fputc(letter, out);
}

enum { MARGIN = 38, BAR = 40 };

static void print_edge(FILE *out)
{
    fprintf(out, "%*s|", MARGIN, "");
    repeat(out, '-', BAR);
    fputc('\n', out);
}

static void print_cells(FILE *out, const fo_histogram *h)
{
    uint64_t most = 1, seen = 0;
    double all = (double)h->tally.count, sum = 0;
    for (size_t i = 0; i < h->def.cells + 2; i++)
        if (h->count[i] > most) most = h->count[i];
    for (size_t i = 0; i < h->def.cells + 2; i++) {
        double part = (double)h->count[i] / all;
        fprintf(out, "%4zu", i);
        foi_print_number(out, fo_histogram_limit(h, i));
        sum += part * 100;
        fprintf(out, "%6" PRIu64 "%8.2f%8.2f  |", h->count[i], part, sum);
        repeat(out, '*', (long)floor(BAR * ((double)h->count[i] / (double)most) + 0.5));
        fputc('\n', out);
        seen += h->count[i];
        if (seen == h->tally.count && i + 2 >= h->def.cells + 1 && i <= h->def.cells) {
            fprintf(out, "%*s**rest of table empty**\n", MARGIN + 4, "");
            break;
        }
    }
}

// Two last lines are left out when nothing is in them, as jDisco does.
fo_status fo_histogram_report(FILE *out, const fo_histogram *h)
{
    const fo_tally *t = &h->tally;
    double deviation = h->def.jdisco ? sqrt(t->squares / (double)t->count) : fo_tally_deviation(t);
    fo_report_heading(out);
    foi_print_tally(out, t, deviation);
    fputc('\n', out);
    if (t->count == 0) {
        fprintf(out, "%21s***no entries recorded***\n", "");
        return foi_written(out);
    }
    fputs("cell/lower lim/    n/   freq/  cum %\n", out);
    print_edge(out);
    print_cells(out, h);
    print_edge(out);
    return foi_written(out);
}
