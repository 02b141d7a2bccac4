// foliot-mpi: carries a field document on all ranks of MPI, `mpirun -n 4 foliot-mpi
// wave.field.json`.
#include <foliot/cluster.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "field/field.h"

typedef struct options {
    const char *document, *output, *checkpoint, *restart;
    double stop, step;
    uint64_t every;
    uint32_t parts[3];
    bool quiet;
} options;

static const char usage[] =
    "usage: foliot-mpi MODEL.field.json [--stop T] [--step H] [--parts XxYxZ] [--output FILE]\n"
    "                  [--checkpoint FILE [--every STEPS]] [--restart FILE] [--quiet]\n";

// Only one rank speaks.
static void say(int rank, const char *text)
{
    if (rank == 0) fprintf(stderr, "foliot-mpi: %s\n", text);
}

static bool number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value > 0 && isfinite(*value);
}

static bool read_parts(const char *text, uint32_t parts[3])
{
    unsigned x = 1, y = 1, z = 1;
    char rest;
    int got = sscanf(text, "%ux%ux%u%c", &x, &y, &z, &rest);
    parts[0] = x, parts[1] = y, parts[2] = z;
    return got >= 1 && got <= 3 && x && y && z;
}

static bool take_option(options *o, const char *name, const char *value)
{
    double steps;
    if (strcmp(name, "--output") == 0) return o->output = value, true;
    if (strcmp(name, "--checkpoint") == 0) return o->checkpoint = value, true;
    if (strcmp(name, "--restart") == 0) return o->restart = value, true;
    if (strcmp(name, "--stop") == 0) return number(value, &o->stop);
    if (strcmp(name, "--step") == 0) return number(value, &o->step);
    if (strcmp(name, "--parts") == 0) return read_parts(value, o->parts);
    if (strcmp(name, "--every") != 0 || !number(value, &steps)) return false;
    o->every = (uint64_t)steps;
    return o->every > 0;
}

static bool take_options(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0)
            o->quiet = true;
        else if (argv[i][0] != '-' && !o->document)
            o->document = argv[i];
        else if (argv[i][0] != '-' || i + 1 >= argc || !take_option(o, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return o->document;
}

// ---------------------------------------------------------------------------------------- running

typedef struct run {
    options options;
    const fo_field_document *document;
    fo_cluster *cluster;
    FILE *rows;
    int rank;
    double h;
    uint64_t last, per_row;
} run;

static void write_row(run *r)
{
    const fo_field *f = r->document->field;
    char text[32];
    if (!r->options.output) return;
    foi_number_text(fo_cluster_time(r->cluster), text, sizeof text);
    if (r->rows) fputs(text, r->rows);
    for (uint32_t i = 0; i < f->def.probe_count; i++) {
        double value = fo_cluster_value(r->cluster, f->probe_state[i] % f->nodes);
        foi_number_text(value, text, sizeof text);
        if (r->rows) fprintf(r->rows, ",%s", text);
    }
    if (r->rows) fputc('\n', r->rows);
}

static bool open_rows(run *r)
{
    const fo_variables *outputs = &fo_field_system(r->document->field).about->outputs;
    int good = 1;
    if (r->options.output && r->rank == 0) {
        r->rows = fopen(r->options.output, "w");
        good = r->rows != NULL;
        if (good) fputs("time", r->rows);
        for (uint32_t i = 0; good && i < r->document->field->def.probe_count; i++) {
            const char *name = outputs->list[i].name;
            fprintf(r->rows, strchr(name, ',') ? ",\"%s\"" : ",%s", name);
        }
        if (good) fputc('\n', r->rows);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!good) say(r->rank, "the output cannot be written");
    return good;
}

static uint64_t step_now(const run *r)
{
    return (uint64_t)llround(fo_cluster_time(r->cluster) / r->h);
}

static uint64_t next_multiple(uint64_t now, uint64_t every, uint64_t last)
{
    uint64_t next = every ? (now / every + 1) * every : last;
    return next < last ? next : last;
}

static bool march(run *r, fo_message *why)
{
    const options *o = &r->options;
    write_row(r);
    for (uint64_t now = step_now(r); now < r->last;) {
        uint64_t goal = next_multiple(now, o->output ? r->per_row : 0, r->last);
        uint64_t save = next_multiple(now, o->checkpoint ? o->every : 0, r->last);
        if (save < goal) goal = save;
        if (fo_cluster_advance(r->cluster, goal - now)) return false;
        now = goal;
        if (now % r->per_row == 0 || now == r->last) write_row(r);
        bool due = o->checkpoint && (now == r->last || (o->every && now % o->every == 0));
        if (due && fo_cluster_save(r->cluster, o->checkpoint, why)) return false;
    }
    return true;
}

/// CPU usage ratio (computing time per simulated time) and communication of every rank.
static void report(run *r, double seconds)
{
    fo_cluster_cost mine = fo_cluster_costs(r->cluster), all[1];
    uint32_t parts[3], ranks = fo_cluster_ranks(r->cluster);
    double worst = 0, sum = 0, span = r->h * (double)mine.steps;
    fo_cluster_parts(r->cluster, parts);
    if (r->rank == 0)
        printf("%s: %llu steps of %g s on %u ranks (%u x %u x %u) in %.4g s\n",
               fo_field_system(r->document->field).about->name, (unsigned long long)mine.steps,
               r->h, ranks, parts[0], parts[1], parts[2], seconds);
    if (r->rank == 0)
        printf("rank     nodes  compute [s]  wait [s]  other [s]  usage  sent [Mbit/s]\n");
    for (uint32_t i = 0; i < ranks; i++) {
        all[0] = mine;
        MPI_Bcast(all, sizeof all, MPI_BYTE, (int)i, MPI_COMM_WORLD);
        double ratio = span > 0 ? (all->compute + all->other) / span : 0;
        worst = fmax(worst, ratio), sum += ratio;
        if (r->rank == 0)
            printf("%4u  %8u  %11.4g  %8.4g  %9.4g  %5.3f  %13.4g\n", i, all->nodes, all->compute,
                   all->wait, all->other, ratio, 8e-6 * (double)all->sent / fmax(seconds, 1e-9));
    }
    if (r->rank == 0) printf("CPU usage ratio: mean %.4f, worst %.4f\n", sum / ranks, worst);
}

static bool prepare(run *r, fo_message *why)
{
    const options *o = &r->options;
    const fo_field_document *d = r->document;
    double stop = o->stop > 0 ? o->stop : d->stop > 0 ? d->stop : 1;
    r->h = o->step > 0 ? o->step : d->step > 0 ? d->step : stop / 1000;
    r->last = (uint64_t)llround(stop / r->h);
    r->per_row = d->interval > 0 ? (uint64_t)fmax(1, round(d->interval / r->h)) : 1;
    fo_cluster_def def = {.step = r->h};
    memcpy(def.parts, o->parts, sizeof def.parts);
    r->cluster = fo_cluster_create(d->field, &def, why);
    if (!r->cluster) return false;
    if (o->restart && fo_cluster_load(r->cluster, o->restart, why)) return false;
    return open_rows(r);
}

int main(int argc, char **argv)
{
    run r = {0};
    fo_message why = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    bool good = take_options(&r.options, argc, argv);
    int result = good ? EXIT_FAILURE : 2;
    if (!good && r.rank == 0) fputs(usage, stderr);
    fo_field_document *document = good ? fo_field_read(r.options.document, NULL, &why) : NULL;
    r.document = document;
    if (document && prepare(&r, &why)) {
        double begun = MPI_Wtime();
        if (march(&r, &why)) result = EXIT_SUCCESS;
        if (result == EXIT_SUCCESS && !r.options.quiet) report(&r, MPI_Wtime() - begun);
    }
    if (why.status) say(r.rank, why.text);
    if (r.rows && fclose(r.rows) != 0) result = EXIT_FAILURE;
    fo_cluster_destroy(r.cluster);
    fo_field_document_destroy(document);
    MPI_Finalize();
    return result;
}
