// How well time was kept, as text and as JSON.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "live/internal.h"

void fo_live_measure(fo_live *live, fo_live_figures *figures)
{
    pthread_mutex_lock(&live->lock);
    *figures = live->figures;
    pthread_mutex_unlock(&live->lock);
    double whole =
        figures->period > 0 ? figures->period * (double)figures->advances : figures->elapsed;
    figures->R = whole > 0 ? figures->computing.sum / whole : 0;
}

static double mean_of(const fo_live_histogram *h)
{
    return h->count ? h->sum / (double)h->count : 0;
}

static void print_times(FILE *out, const char *name, const fo_live_histogram *h)
{
    if (!h->count) return;
    fprintf(out, "  %-11s mean %.1f  p50 %.1f  p99 %.1f  p99.9 %.1f  worst %.1f us\n", name,
            1e6 * mean_of(h), 1e6 * fo_live_histogram_quantile(h, 0.5),
            1e6 * fo_live_histogram_quantile(h, 0.99), 1e6 * fo_live_histogram_quantile(h, 0.999),
            1e6 * h->worst);
}

// One line per decade that has something in it.
static void print_histogram(FILE *out, const fo_live_histogram *h)
{
    static const char *const labels[] = {"< 1 us",  "< 10 us",  "< 100 us", "< 1 ms",
                                         "< 10 ms", "< 100 ms", "< 1 s",    ">= 1 s"};
    enum { DECADES = 8, BAR = 40 };
    uint64_t decade[DECADES] = {0};
    for (unsigned i = 0; i < FO_LIVE_BUCKETS; i++) {
        if (!h->bucket[i]) continue;
        // where a bucket begins: the same cut as in histogram.c
        double ns = i < 32 ? i : ldexp(32 + i % 32, (int)(i / 32) - 1);
        int d = 0;
        for (double end = 1e3; d < DECADES - 1 && ns >= end; end *= 10) d++;
        decade[d] += h->bucket[i];
    }
    for (int d = 0; d < DECADES; d++) {
        if (!decade[d]) continue;
        int length = (int)ceil(BAR * (double)decade[d] / (double)h->count);
        fprintf(out, "  %-11s %.*s %" PRIu64 "\n", labels[d], length,
                "########################################", decade[d]);
    }
}

static void print_troubles(FILE *out, const fo_live_figures *f)
{
    if (f->skipped > 0) fprintf(out, "  %-11s %.6g s dropped\n", "skipped", f->skipped);
    if (f->stops) fprintf(out, "  %-11s %" PRIu64 " times\n", "stood still", f->stops);
    if (f->clock_set) fprintf(out, "  %-11s %" PRIu64 " times\n", "clock set", f->clock_set);
    if (f->degraded) fprintf(out, "  %-11s %" PRIu64 " times\n", "degraded", f->degraded);
}

void fo_live_figures_print(const fo_live_figures *f, FILE *out)
{
    fprintf(out, "Time\n  %-11s %" PRIu64 " in %.6g s", "advances", f->advances, f->elapsed);
    fprintf(out, ", %.6g s simulated\n", f->simulated);
    fprintf(out, "  %-11s R = %.4g", "load", f->R);
    if (f->period > 0) fprintf(out, " of a period of %.6g ms", 1e3 * f->period);
    fputc('\n', out);
    print_times(out, "computing", &f->computing);
    print_times(out, "lateness", &f->lateness);
    fprintf(out, "  %-11s %" PRIu64 " deadlines missed, %" PRIu64 " overruns, longest %.4g ms\n",
            "late", f->missed, f->overruns, 1e3 * f->longest);
    fprintf(out, "  %-11s %" PRIu64 " happened, %" PRIu64 " refused, %" PRIu64 " dropped\n",
            "events", f->events, f->refused, f->dropped);
    print_times(out, "latency", &f->latency);
    print_troubles(out, f);
    if (!f->lateness.count) return;
    fprintf(out, "Lateness\n");
    print_histogram(out, &f->lateness);
}

static void json_times(FILE *out, const char *name, const fo_live_histogram *h)
{
    fprintf(out,
            ", \"%s\": {\"count\": %" PRIu64 ", \"mean\": %.9g, \"p50\": %.9g, \"p99\": %.9g, "
            "\"p999\": %.9g, \"worst\": %.9g}",
            name, h->count, mean_of(h), fo_live_histogram_quantile(h, 0.5),
            fo_live_histogram_quantile(h, 0.99), fo_live_histogram_quantile(h, 0.999), h->worst);
}

// [from, count] of every bucket of the lateness that holds something, in seconds.
static void json_histogram(FILE *out, const fo_live_histogram *h)
{
    const char *comma = "";
    fputs(", \"histogram\": [", out);
    for (unsigned i = 0; i < FO_LIVE_BUCKETS; i += 32) {
        uint64_t count = 0;
        for (unsigned j = 0; j < 32; j++) count += h->bucket[i + j];
        if (!count) continue;
        double from = i ? ldexp(32, (int)(i / 32) - 1) : 0;
        fprintf(out, "%s[%.9g, %" PRIu64 "]", comma, 1e-9 * from, count);
        comma = ", ";
    }
    fputc(']', out);
}

void fo_live_figures_json(const fo_live_figures *f, FILE *out)
{
    fprintf(out,
            "{\"advances\": %" PRIu64 ", \"elapsed\": %.9g, \"simulated\": %.9g, \"period\": %.9g, "
            "\"R\": %.6g, \"missed\": %" PRIu64 ", \"overruns\": %" PRIu64 ", \"longest\": %.9g",
            f->advances, f->elapsed, f->simulated, f->period, f->R, f->missed, f->overruns,
            f->longest);
    fprintf(out,
            ", \"events\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"dropped\": %" PRIu64
            ", \"skipped\": %.9g, \"stood_still\": %" PRIu64 ", \"clock_set\": %" PRIu64
            ", \"degraded\": %" PRIu64,
            f->events, f->refused, f->dropped, f->skipped, f->stops, f->clock_set, f->degraded);
    json_times(out, "lateness", &f->lateness);
    json_times(out, "computing", &f->computing);
    json_times(out, "latency", &f->latency);
    json_histogram(out, &f->lateness);
    fputs("}\n", out);
}
