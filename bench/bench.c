#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <time.h>

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool bench_race(bench_runner *runners, size_t count, int repeats)
{
    for (size_t i = 0; i < count; i++) runners[i].best = NAN;
    for (int r = 0; r < repeats; r++)
        for (size_t i = 0; i < count; i++) {
            bench_runner *runner = &runners[i];
            if (!runner->run) continue;
            double figure = runner->run(runner->self);
            if (isnan(figure)) return false;
            if (!(runner->best <= figure)) runner->best = figure;
        }
    return true;
}

bool bench_open(bench_table *table, const char *name, int argc, char **argv)
{
    char path[4096];
    *table = (bench_table){.name = name};
    if (argc != 2) {
        fprintf(stderr, "usage: bench_%s FOLDER (gets %s.csv)\n", name, name);
        return false;
    }
    int length = snprintf(path, sizeof path, "%s/%s.csv", argv[1], name);
    table->csv = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (!table->csv) {
        fprintf(stderr, "bench_%s: cannot write %s/%s.csv\n", name, argv[1], name);
        return false;
    }
    fprintf(table->csv, "benchmark,ours,peer,ratio\n");
    return true;
}

void bench_title(const char *text)
{
    printf("\n%s\n  %-46s %-24s %-8s %11s %11s %7s\n", text, "benchmark", "peer", "unit", "ours",
           "peer", "ratio");
}

// Errors are small numbers, times and counts are not.
static void print_number(double v)
{
    if (isnan(v))
        printf(" %11s", "-");
    else if (v != 0 && fabs(v) < 1e-2)
        printf(" %11.2e", v);
    else
        printf(" %11.*f", v == floor(v) ? 0 : 2, v);
}

// What was not measured is empty.
static void write_number(FILE *csv, double v, int digits)
{
    if (isnan(v))
        fputc(',', csv);
    else
        fprintf(csv, ",%.*g", digits, v);
}

void bench_add(bench_table *table, bench_line line)
{
    bool skipped = isnan(line.theirs);
    double ratio = line.ours / line.theirs;
    fprintf(table->csv, "%s vs %s [%s]%s", line.what, line.peer, line.unit,
            skipped ? " (skipped: not installed)" : "");
    write_number(table->csv, line.ours, 9);
    write_number(table->csv, line.theirs, 9);
    write_number(table->csv, ratio, 4);
    fputc('\n', table->csv);

    printf("  %-46s %-24s %-8s", line.what, line.peer, line.unit);
    print_number(line.ours);
    print_number(line.theirs);
    if (skipped)
        printf("       -  skipped: not installed");
    else if (ratio < 10)
        printf(" %7.3f", ratio);
    else
        printf(" %7.0f", ratio);
    if (line.target > 0 && !skipped)
        printf("  target <= %.2f: %s", line.target, ratio <= line.target ? "met" : "NOT met");
    if (line.note) printf("  %s", line.note);
    putchar('\n');
    fflush(stdout);
}

void bench_break(bench_table *table, const char *format, ...)
{
    va_list arguments;
    table->broken = true;
    fflush(stdout);
    fprintf(stderr, "bench_%s: ", table->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int bench_close(bench_table *table)
{
    bool written = !ferror(table->csv);
    if (fclose(table->csv) != 0 || !written)
        bench_break(table, "writing %s.csv failed", table->name);
    return table->broken;
}
