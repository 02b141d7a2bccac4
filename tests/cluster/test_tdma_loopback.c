// The slotted network over this machine's loopback: slots, losses, forgeries, stops and deaths.
// Times are generous, because the machine may be busy; what must hold to the bit is tried again
// with longer ones when something had to be bridged.
#include "game.h"

TEST(without_losses_it_is_exact)
{
    for (int kind = 0; kind < 2; kind++) {
        game g = game_make(game_field(kind ? FO_FIELD_EULER : FO_FIELD_LEAPFROG, 20), 3, 40);
        g.step = kind ? 0.0001 : 0.004;
        if (game_play_clean(&g, 0)) CHECK_NEAR(game_error(&g), 0, 0);
        CHECK_STATUS(g.status, FO_REACHED, &g.why);
        for (uint32_t i = 0; i < 4; i++) {
            CHECK(g.errors[i].largest > 1e-6);
            CHECK(g.errors[i].missing <= 20);
        }
        for (uint32_t i = 0; i < 3; i++) {
            const fo_tdma_figures *f = &fo_tdma_master_figures(g.master)[i];
            CHECK_INT((long long)f->cycles, 40);
            CHECK_INT((long long)(f->foreign + f->broken + f->duplicated), 0);
            CHECK(f->computing > 0 && f->computing < 40 * g.cluster.period);
            CHECK(fabs(f->offset) < 0.002); // one machine, one clock
            CHECK(f->sent_bytes > 40 * 400);
        }
        game_close(&g);
    }
}

// ------------------------------------------------------------------------------------------ slots

static void log_send(void *self, int fd, const void *bytes, size_t count,
                     const struct sockaddr_in *to)
{
    game_node *n = self;
    foi_tdma_packet p;
    bool timed = foi_tdma_decode(bytes, count, &p) == FOI_PACKET_GOOD &&
                 (p.kind == FOI_HALO_VALUES || p.kind == FOI_REPORT);
    if (timed && n->entries < GAME_LOG)
        n->log[n->entries++] = (game_entry){p.cycle, foi_clock_now()};
    game_send(fd, bytes, count, to);
}

/// The part of a node's packets that left in its slot; those of the farewell do not count.
static double in_slot(const game *g, uint32_t i)
{
    const game_node *n = &g->node[i];
    const fo_tdma_plan *plan = &g->master->plan;
    uint32_t all = 0, good = 0;
    for (uint32_t k = 0; k < n->entries; k++) {
        if (n->log[k].cycle >= g->master->cycles) continue;
        int64_t from = g->master->start + (int64_t)n->log[k].cycle * plan->period +
                       fo_tdma_slot_start(plan, i + 1);
        // the clock's offset is known to some microseconds; who errs by a slot is beyond that
        all++;
        good += n->log[k].time >= from - 50000 && n->log[k].time < from + plan->slot - 50000;
    }
    return all ? (double)good / all : 0;
}

// Two nodes have clocks that are far off, which the slots must not show.
TEST(packets_leave_in_their_slots)
{
    for (uint32_t stray = 0; stray < 2; stray++) {
        game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 50);
        for (uint32_t i = 0; i < 3; i++)
            g.tamper[i] = (foi_tdma_tamper){.wire = {&g.node[i], log_send},
                                            .shift = ((int64_t)i - 1) * 3000000000,
                                            .stray = i == 1 ? stray : 0};
        for (int tries = 0; tries < 4; tries++) { // a busy machine gets longer slots
            game_play(&g);
            if (in_slot(&g, 0) > 0.9 && in_slot(&g, 2) > 0.9 && (stray || in_slot(&g, 1) > 0.9))
                break;
            g.cluster.period *= 2;
            g.cluster.slot *= 2;
        }
        CHECK_STATUS(g.status, FO_REACHED, &g.why);
        for (uint32_t i = 0; i < 3; i++) {
            double part = in_slot(&g, i);
            bool wrong = i == 1 && stray;
            if (wrong ? part > 0.1 : part < 0.9)
                test_fail(__FILE__, __LINE__, "%.3f of node %u's packets left in its slot", part,
                          i);
            CHECK_NEAR(g.node[i].figures.offset, -3. * ((int)i - 1), 0.002);
            CHECK(g.node[i].entries > 50);
        }
        game_close(&g);
    }
}

// ----------------------------------------------------------------------------- what a network does

static void lose_fifth(void *self, int fd, const void *bytes, size_t count,
                       const struct sockaddr_in *to)
{
    foi_tdma_packet p;
    (void)self;
    if (!game_halo(bytes, count, &p) || p.cycle % 5 != 2) game_send(fd, bytes, count, to);
}

TEST(lost_packets_are_bridged)
{
    double error[2];
    bool clean = true;
    for (int kind = 0; kind < 2; kind++) {
        game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 40);
        g.cluster.bridge = (fo_tdma_bridge)kind;
        g.tamper[1].wire.send = lose_fifth;
        clean &= game_play_clean(&g, 16);
        CHECK_STATUS(g.status, FO_REACHED, &g.why);
        CHECK(g.node[0].figures.bridged >= 8 && g.node[2].figures.bridged >= 8);
        if (clean) CHECK_INT((long long)g.node[1].figures.bridged, 0);
        if (clean) CHECK_INT((long long)(g.node[0].figures.late + g.node[2].figures.late), 0);
        error[kind] = game_error(&g);
        CHECK(error[kind] > 0 && error[kind] < 0.1);
        game_close(&g);
    }
    if (clean) CHECK(error[FO_TDMA_EXTRAPOLATE] < error[FO_TDMA_HOLD]);
}

/// Packets of every cycle go twice; those of every tenth only after the next.
typedef struct juggler {
    unsigned char kept[FOI_PACKET_MOST];
    size_t count;
    struct sockaddr_in to;
} juggler;

static void juggle(void *self, int fd, const void *bytes, size_t count,
                   const struct sockaddr_in *to)
{
    juggler *j = self;
    foi_tdma_packet p;
    bool halo = game_halo(bytes, count, &p);
    if (halo && p.cycle % 10 == 4 && !j->count) {
        memcpy(j->kept, bytes, count);
        j->count = count;
        j->to = *to;
        return;
    }
    game_send(fd, bytes, count, to);
    if (halo && p.cycle % 10 != 4) game_send(fd, bytes, count, to);
    if (halo && p.cycle % 10 == 5 && j->count) {
        game_send(fd, j->kept, j->count, &j->to);
        j->count = 0;
    }
}

TEST(doubled_and_reordered_packets_are_counted)
{
    static juggler j;
    game g = game_make(game_field(FO_FIELD_EULER, 20), 2, 40);
    g.step = 0.0001;
    g.tamper[0].wire = (foi_tdma_wire){&j, juggle};
    bool clean = game_play_clean(&g, 4);
    CHECK_STATUS(g.status, FO_REACHED, &g.why);
    CHECK(g.node[1].figures.late > 0 && g.node[1].figures.duplicated > 0);
    if (clean) CHECK_INT((long long)g.node[1].figures.late, 4);
    if (clean) CHECK_INT((long long)g.node[1].figures.duplicated, 36);
    CHECK(game_error(&g) < 0.1);
    game_close(&g);
}

/// Beside every packet: one of another run, a short one, a damaged one, and what a stranger sends.
static void forge(void *self, int fd, const void *bytes, size_t count, const struct sockaddr_in *to)
{
    foi_tdma_packet p;
    unsigned char fake[FOI_PACKET_MOST];
    (void)self;
    if (game_halo(bytes, count, &p)) {
        p.run ^= 1;
        memset(p.payload, 0x7f, p.length);
        game_send(fd, fake, foi_tdma_encode(&p, fake), to);
        game_send(fd, bytes, count / 2, to);
        memcpy(fake, bytes, count);
        fake[count - 1] ^= 1;
        game_send(fd, fake, count, to);
        game_send(fd, "GET / HTTP/1.1\r\n\r\n", 18, to);
        game_send(fd, "", 0, to);
    }
    game_send(fd, bytes, count, to);
}

TEST(forged_packets_change_nothing)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 2, 40);
    g.tamper[0].wire.send = forge;
    bool clean = game_play_clean(&g, 0);
    CHECK_STATUS(g.status, FO_REACHED, &g.why);
    CHECK(game_error(&g) < 0.1); // what the forgeries carry is 1e306
    CHECK(g.node[1].figures.foreign > 10 && g.node[1].figures.broken > 10);
    if (clean) CHECK_NEAR(game_error(&g), 0, 0);
    if (clean) CHECK_INT((long long)g.node[1].figures.foreign, 80); // another run, and a stranger
    if (clean) CHECK_INT((long long)g.node[1].figures.broken, 120); // short, damaged, empty
    game_close(&g);
}

// -------------------------------------------------------------------------------- stops and deaths

static void stop_node(game *g, uint64_t cycle)
{
    if (g->acted == 0 && cycle >= 20) g->acted = kill(g->pid[1], SIGSTOP) == 0;
    if (g->acted == 1 && cycle >= 20 + 125) g->acted += kill(g->pid[1], SIGCONT) == 0;
}

// Stopped for a second, then it computes what it slept through and is there again.
TEST(a_node_that_stops_for_a_second_comes_back)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 220);
    g.cluster.period = 0.008;
    g.cluster.slot = 0.0015;
    g.act = stop_node;
    game_play(&g);
    CHECK_STATUS(g.status, FO_REACHED, &g.why);
    CHECK_INT(g.acted, 2);
    const fo_tdma_figures *f = g.node[1].figures.cycles ? &g.node[1].figures : NULL;
    REQUIRE(f);
    CHECK_INT((long long)f->cycles, 220);
    CHECK(f->missed > 80);
    CHECK(f->silent > 80);
    CHECK(g.node[0].figures.bridged > 80);
    CHECK(f->bridged < 200); // of 250: what it slept through lay in its socket
    CHECK(game_error(&g) < 2 && game_error(&g) > 0);
    const double *last = fo_tdma_master_row(g.master, 220);
    for (int i = 0; i < 4; i++) CHECK(isfinite(last[i]));
    game_close(&g);
}

static void kill_node(game *g, uint64_t cycle)
{
    if (!g->acted && cycle >= 10) g->acted = kill(g->pid[1], SIGKILL) == 0;
}

// Long before its time, however busy the machine is: in a quarter of it.
TEST(a_node_that_dies_ends_the_run_with_the_cause)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 5000);
    g.cluster.patience = 0.4;
    g.act = kill_node;
    int64_t begun = foi_clock_now();
    game_play(&g);
    double planned = g.cycles * g.cluster.period;
    CHECK(foi_clock_seconds(begun, foi_clock_now()) < planned / 4);
    CHECK_STATUS(g.status, FO_ERROR_INPUT, &g.why);
    CHECK_CONTAINS(g.why.text, "node 1 is silent since cycle");
    CHECK_STATUS(g.node[0].status, FO_STOPPED, &g.node[0].why);
    CHECK_CONTAINS(g.node[0].why.text, "node 1 is silent");
    game_close(&g);
}

// A mark where the other process sees it.
static void mark(game *g, uint64_t cycle)
{
    if (cycle >= 10) g->node[GAME_NODES - 1].entries = 1;
}

/// Waits for something of another process, at most so long that even a busy machine has got there.
static bool comes_true(bool (*what)(const game *g), const game *g)
{
    int64_t limit = foi_clock_now() + 20000000000;
    while (!what(g) && foi_clock_now() < limit) usleep(5000);
    return what(g);
}

static bool is_marked(const game *g)
{
    return ((volatile game_node *)g->node)[GAME_NODES - 1].entries;
}

static bool both_ended(const game *g)
{
    const volatile game_node *n = g->node;
    return n[0].status && n[1].status;
}

TEST(nodes_end_when_the_master_dies)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 2, 2000);
    g.cluster.patience = 0.4;
    g.act = mark;
    pid_t master = fork();
    if (master == 0) {
        game_play(&g);
        _exit(0);
    }
    CHECK(comes_true(is_marked, &g));
    kill(master, SIGKILL);
    CHECK(game_wait(master, 20));
    CHECK(comes_true(both_ended, &g));
    usleep(20000);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(g.node[i].status, FO_ERROR_INPUT);
        CHECK_CONTAINS(g.node[i].why.text, "no synchronisation from the master for");
    }
    game_close(&g);
}

// --------------------------------------------------------------------------------------- mistakes

TEST(a_node_with_another_document_is_refused)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 2, 20);
    fo_tdma_master_def def = {.cluster = g.cluster, .stop = 1, .nodes = 2, .joining = 3};
    g.master = fo_tdma_master_create(g.field, &def, &g.why);
    REQUIRE(g.master);
    fo_field *other = game_field(FO_FIELD_LEAPFROG, 24);
    g.field = other;
    game_start_node(&g, 0);
    g.field = (fo_field *)g.master->field;
    CHECK_STATUS(fo_tdma_master_run(g.master, &g.why), FO_ERROR_INPUT, &g.why); // nobody else came
    CHECK_CONTAINS(g.why.text, "node 0 was refused: it has another document");
    CHECK(game_wait(g.pid[0], 20));
    CHECK_STATUS(g.node[0].status, FO_ERROR_UNFIT, &g.node[0].why);
    CHECK_CONTAINS(g.node[0].why.text, "another document");
    fo_field_destroy(other);
    game_close(&g);
}

TEST(nobody_is_waited_for_without_end)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 2, 20);
    fo_tdma_master_def def = {.cluster = g.cluster, .stop = 1, .nodes = 2, .joining = 0.2};
    g.master = fo_tdma_master_create(g.field, &def, &g.why);
    REQUIRE(g.master);
    CHECK_STATUS(fo_tdma_master_run(g.master, &g.why), FO_ERROR_INPUT, &g.why);
    CHECK_CONTAINS(g.why.text, "have not joined");
    CHECK_CONTAINS(g.why.text, "0, 1");
    fo_tdma_node_def node = {.cluster = g.cluster,
                             .nodes = 2,
                             .index = 1,
                             .master = fo_tdma_master_address(g.master),
                             .joining = 0.2};
    CHECK_STATUS(fo_tdma_node_run(g.field, &node, NULL, &g.why), FO_ERROR_INPUT, &g.why);
    CHECK_CONTAINS(g.why.text, "no welcome from the master");
    node.master = "nowhere";
    CHECK_STATUS(fo_tdma_node_run(g.field, &node, NULL, &g.why), FO_ERROR_ARGUMENT, &g.why);
    CHECK_CONTAINS(g.why.text, "192.168.7.1:47000");
    node.index = 2;
    CHECK_STATUS(fo_tdma_node_run(g.field, &node, NULL, &g.why), FO_ERROR_ARGUMENT, &g.why);
    CHECK_CONTAINS(g.why.text, "there is no node 2");
    game_close(&g);
}

TEST_MAIN(TEST_ENTRY(without_losses_it_is_exact), TEST_ENTRY(packets_leave_in_their_slots),
          TEST_ENTRY(lost_packets_are_bridged),
          TEST_ENTRY(doubled_and_reordered_packets_are_counted),
          TEST_ENTRY(forged_packets_change_nothing),
          TEST_ENTRY(a_node_that_stops_for_a_second_comes_back),
          TEST_ENTRY(a_node_that_dies_ends_the_run_with_the_cause),
          TEST_ENTRY(nodes_end_when_the_master_dies),
          TEST_ENTRY(a_node_with_another_document_is_refused),
          TEST_ENTRY(nobody_is_waited_for_without_end))
