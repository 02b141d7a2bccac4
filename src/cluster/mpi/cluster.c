/// Making a cluster, and carrying a simulation of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cluster/mpi/cluster.h"
#include "field/part.h"
#include "simulation/stand.h"

// ----------------------------------------------------------------------------------------- making

static fo_status build(fo_cluster *c, fo_message *why)
{
    const fo_field *f = c->f;
    fo_status status = foi_cuts_choose(c, why);
    if (status) return status;
    if (c->def.checkpoint) c->path = foi_copy_text(c->allocator, c->def.checkpoint);
    if (c->rank == 0 && f->def.energy)
        c->whole = foi_new(c->allocator, 2 * (size_t)f->nodes, sizeof(double));
    bool lacks = (c->def.checkpoint && !c->path) || (c->rank == 0 && f->def.energy && !c->whole);
    if (lacks || foi_domain_create(c))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u nodes on rank %d", c->share.nodes,
                       c->rank);
    return FO_OK;
}

// Before anything is computed: each checkpoint takes the place of the one before, and the first is
// written late.
static fo_status claim(fo_cluster *c, fo_message *why)
{
    if (c->rank || !c->path) return FO_OK;
    c->seen = foi_file_look(c->path);
    if (foi_claim_file(&c->claim, c->path, c->allocator)) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT, "another run is writing the checkpoint %s", c->path);
}

static bool start_mpi(fo_message *why)
{
    int started, level;
    MPI_Initialized(&started);
    if (started || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS)
        return true;
    fo_fail(why, FO_ERROR_UNFIT, "MPI could not be started");
    return false;
}

fo_cluster_def fo_default_cluster_def(void)
{
    return (fo_cluster_def){.patience = 60};
}

fo_cluster *fo_cluster_create(const fo_field *field, const fo_cluster_def *def, fo_message *why)
{
    fo_message own = {0};
    if (!why) why = &own;
    if (!start_mpi(why)) return NULL;
    fo_cluster *c = foi_new(def->allocator, 1, sizeof *c);
    if (!c) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a cluster");
        return NULL;
    }
    c->f = field, c->def = *def, c->allocator = def->allocator;
    MPI_Comm_dup(MPI_COMM_WORLD, &c->comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &c->aside);
    MPI_Comm_rank(c->comm, &c->rank);
    MPI_Comm_size(c->comm, &c->ranks);
    fo_status status = foi_agree(c, build(c, why), 0, why);
    if (!status) status = foi_agree(c, claim(c, why), 0, why);
    bool equations = c->ranks > 1 && field->def.method >= FO_FIELD_IMPLICIT_EULER &&
                     !foi_implicit_is_whole(field);
    if (!status && equations && !foi_hypre_create(c, why)) status = FO_ERROR_UNFIT;
    if (!status) return c;
    fo_cluster_destroy(c);
    return NULL;
}

void fo_cluster_destroy(fo_cluster *c)
{
    if (!c) return;
    foi_claim_end(&c->claim, c->allocator);
    if (c->broken) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    foi_hypre_destroy(c);
    foi_domain_destroy(c);
    foi_cuts_free(c->allocator, &c->cuts);
    MPI_Comm_free(&c->comm);
    MPI_Comm_free(&c->aside);
    foi_free(c->allocator, c->whole);
    foi_free(c->allocator, c->path);
    foi_free(c->allocator, c);
}

void fo_cluster_finish(void)
{
    int started, ended;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended) MPI_Finalize();
}

// ---------------------------------------------------------------------------------------- looking

uint32_t fo_cluster_rank(const fo_cluster *c)
{
    return (uint32_t)c->rank;
}

uint32_t fo_cluster_ranks(const fo_cluster *c)
{
    return (uint32_t)c->ranks;
}

uint32_t fo_cluster_cuts(const fo_cluster *c, uint32_t axis, uint32_t *lines)
{
    uint32_t parts = c->cuts.parts[axis];
    if (lines) memcpy(lines, c->cuts.line[axis], ((size_t)parts + 1) * sizeof *lines);
    return parts;
}

fo_system fo_cluster_system(const fo_cluster *c)
{
    return (fo_system){foi_part_type(c->f->def.method), &c->f->description, &c->part};
}

fo_status fo_cluster_costs(fo_cluster *c, fo_cluster_cost *all, fo_message *why)
{
    MPI_Request request;
    int size = (int)sizeof *all;
    c->cost.compute = c->cost.total - c->cost.wait - c->cost.other;
    MPI_Iallgather(&c->cost, size, MPI_BYTE, all, size, MPI_BYTE, c->comm, &request);
    return foi_wait(c, &request, 1, NULL, "the costs", why);
}

// All send to the next one at the same time, as in a step.
double fo_cluster_capacity(fo_cluster *c)
{
    enum { BYTES = 1 << 18, TIMES = 16 };
    char *block = foi_new(c->allocator, 2 * BYTES, 1);
    fo_message why = {0};
    fo_status status = foi_agree(c, block ? FO_OK : FO_ERROR_MEMORY, 0, &why);
    int next = (c->rank + 1) % c->ranks, last = (c->rank + c->ranks - 1) % c->ranks;
    int peers[2] = {last, next};
    double waited = c->cost.wait;
    int64_t begun = foi_clock_now();
    for (int i = 0; i <= TIMES && !status && c->ranks > 1; i++) {
        MPI_Request requests[2];
        if (i == 1) begun = foi_clock_now(); // the first makes the connections
        MPI_Irecv(block, BYTES, MPI_BYTE, last, 90, c->comm, &requests[0]);
        MPI_Isend(block + BYTES, BYTES, MPI_BYTE, next, 90, c->comm, &requests[1]);
        status = foi_wait(c, requests, 2, peers, "a message", &why);
    }
    double seconds = foi_clock_seconds(begun, foi_clock_now());
    c->cost.wait = waited;
    foi_free(c->allocator, block);
    return status || c->ranks == 1 ? 0 : (double)BYTES * TIMES / seconds;
}

// --------------------------------------------------------------------------------------- carrying

static uint64_t steps_of(const fo_simulation *sim)
{
    return foi_simulation_stand(sim).steps;
}

/// When `every` steps are done since `last`.
static double expected(const fo_simulation *sim, uint64_t every, uint64_t last, double until)
{
    uint64_t done = steps_of(sim) - last;
    if (!every) return until;
    double t = foi_simulation_after(sim, done < every ? every - done : 1);
    return t < until ? t : until;
}

static bool is_due(const fo_simulation *sim, uint64_t every, uint64_t last)
{
    return every && foi_simulation_at_step(sim) && steps_of(sim) - last >= every;
}

/// Goes on to the next look at the balance, checkpoint, or the end.
static fo_status stretch(fo_cluster *c, fo_simulation *sim, double until)
{
    uint64_t every = c->path ? c->def.every : 0, balance = c->ranks > 1 ? c->def.balance : 0;
    double t = expected(sim, every, c->saved, until);
    double other = expected(sim, balance, c->balanced, until);
    fo_status status = fo_simulation_advance(sim, t < other ? t : other);
    // where a moment has cut a step: on to the end of this one
    double end = foi_simulation_step_end(sim);
    if (status == FO_REACHED && !foi_simulation_at_step(sim) && end <= until)
        status = fo_simulation_advance(sim, end);
    if (status != FO_REACHED) return status;
    if (is_due(sim, balance, c->balanced)) {
        c->balanced = steps_of(sim);
        status = foi_balance(c, sim, foi_simulation_words(sim));
    }
    if (!fo_failed(status) && is_due(sim, every, c->saved)) {
        c->saved = steps_of(sim);
        status = fo_cluster_save(c, sim, c->path, foi_simulation_words(sim));
    }
    return fo_failed(status) ? status : FO_REACHED;
}

fo_status fo_cluster_carry(fo_cluster *c, fo_simulation *sim, double until)
{
    double from = fo_simulation_time(sim);
    uint64_t steps = steps_of(sim);
    int64_t begun = foi_clock_now();
    fo_status status = fo_simulation_start(sim);
    if (status == FO_OK) status = FO_REACHED;
    while (status == FO_REACHED && fo_simulation_time(sim) < until) status = stretch(c, sim, until);
    if (!fo_failed(status) && c->path && fo_simulation_time(sim) >= foi_simulation_stop(sim)) {
        fo_status saved = fo_cluster_save(c, sim, c->path, foi_simulation_words(sim));
        if (saved) status = saved;
    }
    // who has failed alone waits only shortly: the others are in the middle of a step
    status = foi_agree(c, status, fo_failed(status) ? 1 : 0, foi_simulation_words(sim));
    if (fo_failed(status)) foi_simulation_give_up(sim);
    c->cost.total += foi_clock_seconds(begun, foi_clock_now());
    c->cost.steps += steps_of(sim) - steps;
    c->cost.span += fo_simulation_time(sim) - from;
    return status;
}
