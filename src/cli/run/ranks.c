#include "cli/run/ranks.h"

#include <foliot/cluster.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/ranks_module.h"

/// Where this process stands; made once, when the program is entered.
static struct {
    int rank;    ///< among those that the launcher has started; -1: there was none
    bool shared; ///< the ranks share one run
    ranks_module mpi;
    fo_ranks sharing; ///< of many runs; count 0: none are shared
} here = {.rank = -1};

// ------------------------------------------------------------------------------------ the launcher

/// A number that a launcher left in the environment; -1: none did.
static int launched(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text) return atoi(text);
    }
    return -1;
}

// Open MPI; MPICH, Intel MPI and srun; MVAPICH; whatever speaks PMIx; Flux.
static int launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",       "PMIX_RANK",
                                        "MV2_COMM_WORLD_RANK",  "FLUX_TASK_RANK", NULL};
    return launched(names);
}

static int launched_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE",
                                        "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS",
                                        "FLUX_JOB_SIZE",
                                        "SLURM_NTASKS",
                                        NULL};
    return launched(names);
}

/// FOLIOT_RANKS=off: every process that was launched is a program of its own.
static bool ranks_off(void)
{
    const char *text = getenv("FOLIOT_RANKS");
    return text && strcmp(text, "off") == 0;
}

// ------------------------------------------------------------------------------------- entering

bool ranks_silent(void)
{
    return here.shared && here.rank > 0;
}

const fo_ranks *ranks_sharing(void)
{
    return here.sharing.count > 1 ? &here.sharing : NULL;
}

bool ranks_same(uint64_t *number)
{
    if (here.sharing.count < 2) return true;
    uint64_t *all = calloc(here.sharing.count, sizeof *all);
    bool good = all && here.mpi.exchange(number, all, sizeof *number, NULL) == FO_OK;
    if (good) *number = all[0];
    free(all);
    return good;
}

const char *ranks_path(const char *path)
{
    return path && ranks_silent() ? "/dev/null" : path;
}

/// The command of a command line, NULL: none, and the kind of its model, NULL: none or not found.
static const command *asked_for(int argc, char **argv, const char **kind)
{
    const command *c = NULL;
    for (size_t i = 0; argc > 1 && command_at(i); i++)
        if (strcmp(command_at(i)->name, argv[1]) == 0) c = command_at(i);
    const char *operand = c ? options_operand(c, argc - 2, argv + 2) : NULL;
    fo_model_def def = model_def(operand);
    *kind = operand ? fo_model_find(&def, NULL, 0) : NULL;
    return c;
}

/// The status of a refusal that only the first rank speaks of. The others end well: a launcher ends
/// all ranks when one fails, and a faster one would silence the first.
static int refusal(int status)
{
    return here.rank == 0 ? status : EXIT_FINE;
}

/// Ranks that share a run: only the first one speaks.
static bool enter_shared(int *result)
{
    char why[1024];
    *result = refusal(EXIT_FAILED);
    if (ranks_module_load(&here.mpi, why, sizeof why)) {
        here.shared = true;
        return !ranks_silent() || freopen("/dev/null", "w", stdout);
    }
    if (launched_ranks() == 1) return true;
    if (here.rank == 0)
        complain(&command_run,
                 "cannot share a field among ranks: %s; the part over MPI is built where MPI is "
                 "found (Debian: libopenmpi-dev)",
                 why);
    return false;
}

// Many runs are shared: every rank does its part of each round.
static bool enter_sharing(const command *c, int *result)
{
    char why[1024];
    fo_message message = {0};
    *result = refusal(EXIT_FAILED);
    if (!ranks_module_load(&here.mpi, why, sizeof why)) {
        if (here.rank == 0)
            complain(c,
                     "cannot share runs among ranks: %s; the part over MPI is built where MPI is "
                     "found (Debian: libopenmpi-dev)",
                     why);
        return false;
    }
    fo_status status = here.mpi.join(&here.sharing.rank, &here.sharing.count, &message);
    if (status != FO_OK) {
        *result = EXIT_FAILED;
        complain(c, "%s", message.text);
        return false;
    }
    here.sharing.exchange = here.mpi.exchange;
    here.rank = (int)here.sharing.rank, here.shared = true;
    atexit(here.mpi.finish);
    return !ranks_silent() || freopen("/dev/null", "w", stdout);
}

static bool refuse(const command *c, int *result)
{
    *result = refusal(EXIT_USAGE);
    if (here.rank == 0)
        complain(
            c,
            "ranks share runs of fields only ('foliot run' of a *.field.json), and those of sweeps "
            "and studies: start this without mpirun; with FOLIOT_RANKS=off every rank runs it for "
            "itself");
    return false;
}

bool ranks_enter(int argc, char **argv, int *result)
{
    const char *kind;
    here.rank = ranks_off() ? -1 : launched_rank();
    *result = EXIT_FINE;
    if (here.rank < 0) return true;
    const command *c = asked_for(argc, argv, &kind);
    bool shares = c == &command_run && kind && strcmp(kind, "field") == 0;
    if (shares) return enter_shared(result);
    bool many = c == &command_sweep || c == &command_sensitivity || c == &command_study ||
                c == &command_optimize;
    if (many && launched_ranks() > 1) return enter_sharing(c, result);
    // nodes of a cluster in real time are processes of their own
    if (launched_ranks() == 1 || c == &command_cluster) return true;
    bool works = c == &command_run || c == &command_live || c == &command_export;
    if (kind && works) return refuse(c, result);
    return here.rank == 0; // what is listed or wrong is said once
}

// --------------------------------------------------------------------------------------- sharing

enum { BALANCE = 200 }; ///< steps between looks at the balance

static bool read_parts(const char *text, uint32_t parts[3])
{
    unsigned x = 1, y = 1, z = 1;
    char rest;
    int got = sscanf(text, "%9ux%9ux%9u%c", &x, &y, &z, &rest);
    parts[0] = x, parts[1] = y, parts[2] = z;
    return got >= 1 && got <= 3 && x && y && z;
}

static bool take_options(const command *c, const ranks_options *o, const keep_options *kept,
                         fo_cluster_def *def)
{
    if (o->parts && !read_parts(o->parts, def->parts)) {
        complain_usage(c, "--parts takes numbers like 2x2 or 4x1x2, not '%s'", o->parts);
        return false;
    }
    double every = kept->every.given ? kept->every.value : 0;
    if (kept->every.given && !kept->checkpoint) {
        complain_usage(c, "--every needs a file: --checkpoint FILE");
        return false;
    }
    if (every != floor(every) || every > 0x1p53) {
        complain_usage(c, "on ranks --every counts steps, and %g is no number of them", every);
        return false;
    }
    def->checkpoint = kept->checkpoint;
    def->every = (uint64_t)every;
    def->balance = BALANCE;
    if (o->balance.given) def->balance = (uint32_t)o->balance.value;
    if (o->patience.given) def->patience = o->patience.value;
    return true;
}

static int unshared(const command *c, const ranks_options *o)
{
    if (!o->parts && !o->balance.given && !o->patience.given) return EXIT_FINE;
    return complain_usage(c, "--parts, --balance and --patience are for fields that ranks share: "
                             "mpirun -n 4 foliot run MODEL.field.json");
}

int ranks_share(const command *c, const ranks_options *o, const keep_options *kept,
                const fo_model *m, struct fo_cluster **ranks, fo_system *system)
{
    fo_message why = {0};
    fo_cluster_def def = {0};
    const fo_field *field = here.shared ? fo_model_field(m) : NULL;
    if (!field) return unshared(c, o);
    if (!take_options(c, o, kept, &def)) return EXIT_USAGE;
    *ranks = here.mpi.create(field, &def, &why);
    if (!*ranks) {
        complain(c, "%s", why.text);
        here.mpi.finish();
        return why.status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    *system = here.mpi.system(*ranks);
    return EXIT_FINE;
}

void ranks_end(struct fo_cluster *ranks)
{
    if (!ranks) return;
    here.mpi.destroy(ranks);
    here.mpi.finish();
}

int ranks_restart(keep *k, struct fo_cluster *ranks)
{
    fo_message why = {0};
    if (!ranks || (!k->options->checkpoint && !k->options->restart)) return EXIT_FINE;
    if (!keep_collect(k)) return EXIT_FAILED;
    here.mpi.know(ranks, k->facts, k->fact_count);
    if (!k->options->restart) return EXIT_FINE;
    fo_status status = here.mpi.load(ranks, k->sim, k->options->restart, &why);
    if (status) complain(k->command, "%s", why.text);
    k->results->goes_on = true;
    k->results->from = fo_simulation_time(k->sim), k->results->interval = k->interval;
    return status ? EXIT_FAILED : EXIT_FINE;
}

fo_status ranks_advance(struct fo_cluster *ranks, fo_simulation *sim, double until)
{
    return ranks ? here.mpi.carry(ranks, sim, until) : fo_simulation_advance(sim, until);
}

// -------------------------------------------------------------------------------------- reporting

static void print_cuts(FILE *out, const fo_cluster *c, uint32_t moves)
{
    uint32_t ranks = here.mpi.ranks(c);
    uint32_t *lines = calloc((size_t)ranks + 1, sizeof *lines);
    fprintf(out, "  cuts         ");
    bool any = false;
    for (uint32_t axis = 0; lines && axis < 3; axis++) {
        uint32_t parts = here.mpi.cuts(c, axis, lines);
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
    uint32_t ranks = here.mpi.ranks(cluster);
    fo_cluster_cost *all = calloc(ranks, sizeof *all);
    bool good = all && here.mpi.costs(cluster, all, &why) == FO_OK;
    double capacity = good ? here.mpi.capacity(cluster) : 0;
    if (good && out) {
        fprintf(out, "\nRanks\n");
        print_cuts(out, cluster, all[0].moves);
        print_costs(out, all, ranks, capacity);
    }
    free(all);
}
