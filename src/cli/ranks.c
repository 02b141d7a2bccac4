#include "cli/ranks.h"

#include <errno.h>
#include <foliot/cluster.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------ the launcher

/// A number that the launcher of Open MPI, MPICH or MVAPICH left in the environment; -1: none did.
static int launched(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text) return atoi(text);
    }
    return -1;
}

static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                                        "PMIX_RANK", NULL};
    return launched(names);
}

#ifndef FOLIOT_WITH_MPI

static int launched_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        NULL};
    return launched(names);
}

bool ranks_silent(void)
{
    return false;
}

const char *ranks_path(const char *path)
{
    return path;
}

/// True for `run` with a field.
static bool is_field_run(int argc, char **argv)
{
    if (argc < 3 || strcmp(argv[1], "run") != 0) return false;
    for (int i = 2; i < argc; i++) {
        fo_model_def def = model_def(argv[i]);
        const char *kind = argv[i][0] == '-' ? NULL : fo_model_find(&def, NULL, 0);
        if (kind && strcmp(kind, "field") == 0) return true;
    }
    return false;
}

/// The program of this name in the folder of this one.
static bool sibling(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + strlen(name) + 2 > size) return false;
    strcpy(slash + 1, name);
    return true;
}

int ranks_enter(int argc, char **argv)
{
    char path[PATH_MAX];
    int ranks = launched_ranks();
    if (launched_rank() < 0 || !is_field_run(argc, argv)) return EXIT_FINE;
    if (sibling("foliot-mpi", path, sizeof path)) execv(path, argv);
    if (ranks == 1) return EXIT_FINE;
    if (launched_rank() == 0)
        complain(&command_run,
                 "cannot share a field among ranks: foliot-mpi is not beside this program (%s); it "
                 "is built where MPI is found (Debian: libopenmpi-dev)",
                 strerror(errno));
    return EXIT_FAILED;
}

int ranks_share(const command *c, const ranks_options *o, const fo_model *m,
                struct fo_cluster **ranks, fo_system *system)
{
    (void)m, (void)ranks, (void)system;
    if (!o->parts && !o->checkpoint && !o->restart && !o->balance.given && !o->every.given &&
        !o->patience.given)
        return EXIT_FINE;
    return complain_usage(c, "--parts, --balance, --checkpoint, --every, --restart and --patience "
                             "are for fields that ranks share: mpirun -n 4 foliot run "
                             "MODEL.field.json");
}

int ranks_restart(const command *c, const ranks_options *o, struct fo_cluster *ranks,
                  fo_simulation *sim)
{
    (void)c, (void)o, (void)ranks, (void)sim;
    return EXIT_FINE;
}

fo_status ranks_advance(struct fo_cluster *ranks, fo_simulation *sim, double until)
{
    (void)ranks;
    return fo_simulation_advance(sim, until);
}

void ranks_print(FILE *out, struct fo_cluster *ranks)
{
    (void)out, (void)ranks;
}

void ranks_end(struct fo_cluster *ranks)
{
    (void)ranks;
}

#else

bool ranks_silent(void)
{
    return launched_rank() > 0;
}

const char *ranks_path(const char *path)
{
    return path && ranks_silent() ? "/dev/null" : path;
}

int ranks_enter(int argc, char **argv)
{
    (void)argc, (void)argv;
    if (!ranks_silent() || freopen("/dev/null", "w", stdout)) return EXIT_FINE;
    return EXIT_FAILED;
}

// --------------------------------------------------------------------------------------- sharing

enum { BALANCE = 200 }; ///< steps between looks at the balance

static bool read_parts(const char *text, uint32_t parts[3])
{
    unsigned x = 1, y = 1, z = 1;
    char rest;
    int got = sscanf(text, "%ux%ux%u%c", &x, &y, &z, &rest);
    parts[0] = x, parts[1] = y, parts[2] = z;
    return got >= 1 && got <= 3 && x && y && z;
}

static bool take_options(const command *c, const ranks_options *o, fo_cluster_def *def)
{
    if (o->parts && !read_parts(o->parts, def->parts)) {
        complain_usage(c, "--parts takes numbers like 2x2 or 4x1x2, not '%s'", o->parts);
        return false;
    }
    if (o->every.given && !o->checkpoint) {
        complain_usage(c, "--every needs a file: --checkpoint FILE");
        return false;
    }
    def->checkpoint = o->checkpoint;
    if (o->every.given) def->every = o->every.value;
    def->balance = BALANCE;
    if (o->balance.given) def->balance = (uint32_t)fmin((double)o->balance.value, UINT32_MAX);
    if (o->patience.given) def->patience = o->patience.value;
    return true;
}

int ranks_share(const command *c, const ranks_options *o, const fo_model *m,
                struct fo_cluster **ranks, fo_system *system)
{
    fo_message why = {0};
    fo_cluster_def def = {0};
    const fo_field *field = fo_model_field(m);
    if (!field) return EXIT_FINE;
    if (!take_options(c, o, &def)) return EXIT_USAGE;
    *ranks = fo_cluster_create(field, &def, &why);
    if (!*ranks) {
        complain(c, "%s", why.text);
        fo_cluster_finish();
        return why.status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    *system = fo_cluster_system(*ranks);
    return EXIT_FINE;
}

void ranks_end(struct fo_cluster *ranks)
{
    if (!ranks) return;
    fo_cluster_destroy(ranks);
    fo_cluster_finish();
}

int ranks_restart(const command *c, const ranks_options *o, struct fo_cluster *ranks,
                  fo_simulation *sim)
{
    fo_message why = {0};
    if (!ranks || !o->restart) return EXIT_FINE;
    fo_status status = fo_cluster_load(ranks, sim, o->restart, &why);
    if (status) complain(c, "%s", why.text);
    return status ? EXIT_FAILED : EXIT_FINE;
}

fo_status ranks_advance(struct fo_cluster *ranks, fo_simulation *sim, double until)
{
    return ranks ? fo_cluster_carry(ranks, sim, until) : fo_simulation_advance(sim, until);
}

// -------------------------------------------------------------------------------------- reporting

static void print_cuts(FILE *out, const fo_cluster *c, uint32_t moves)
{
    uint32_t ranks = fo_cluster_ranks(c);
    uint32_t *lines = calloc((size_t)ranks + 1, sizeof *lines);
    fprintf(out, "  cuts         ");
    bool any = false;
    for (uint32_t axis = 0; lines && axis < 3; axis++) {
        uint32_t parts = fo_cluster_cuts(c, axis, lines);
        if (parts == 1) continue;
        fprintf(out, "%s%c at", any ? ", " : "", "xyz"[axis]);
        for (uint32_t i = 1; i < parts; i++) fprintf(out, " %u", lines[i]);
        any = true;
    }
    fprintf(out, "%s; moved %u time%s by measured cost\n", any ? "" : "none", moves,
            moves == 1 ? "" : "s");
    free(lines);
}

static void print_costs(FILE *out, const fo_cluster_cost *all, uint32_t ranks, double capacity)
{
    double worst = 0, sum = 0, busy = 0, rate = 0, most = 0, total = 0;
    fprintf(out, "  rank      nodes  compute [s]  wait [s]  halos [s]  CPU usage  sent [Mbit/s]\n");
    for (uint32_t i = 0; i < ranks; i++) {
        const fo_cluster_cost *r = &all[i];
        double usage = r->span > 0 ? (r->compute + r->other) / r->span : 0;
        double sent = r->total > 0 ? 8e-6 * (double)r->sent / r->total : 0;
        fprintf(out, "  %4u  %9u  %11.4g  %8.4g  %9.4g  %9.4g  %13.4g\n", i, r->nodes, r->compute,
                r->wait, r->other, usage, sent);
        sum += usage, worst = fmax(worst, usage), busy += r->compute, total += r->total;
        rate += sent / ranks, most = fmax(most, sent);
    }
    fprintf(out, "  CPU usage    ratio (computing in a simulated second): mean %.4g, worst %.4g\n",
            sum / ranks, worst);
    if (capacity > 0)
        fprintf(out, "  network      mean %.4g, most %.4g of %.4g Mbit/s measured (%.2g %%)\n",
                rate, most, 8e-6 * capacity, 100 * most / (8e-6 * capacity));
    fprintf(out, "  efficiency   %.3f (computing in the time of all ranks)\n",
            total > 0 ? busy / total : 0);
}

void ranks_print(FILE *out, struct fo_cluster *cluster)
{
    fo_message why = {0};
    if (!cluster) return;
    uint32_t ranks = fo_cluster_ranks(cluster);
    fo_cluster_cost *all = calloc(ranks, sizeof *all);
    bool good = all && fo_cluster_costs(cluster, all, &why) == FO_OK;
    double capacity = good ? fo_cluster_capacity(cluster) : 0;
    if (good && out) {
        fprintf(out, "\nRanks\n");
        print_cuts(out, cluster, all[0].moves);
        print_costs(out, all, ranks, capacity);
    }
    free(all);
}

#endif
