// The kernel's time-slot queue: recognised in what rtnetlink answers, and used where it may be.
#include <arpa/inet.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "cluster/slots/txtime.h"
#include "game.h"

// -------------------------------------------------------------------------------- recorded answers

/// Messages of a dump, made by hand as the kernel makes them.
typedef struct dump {
    unsigned char bytes[4096];
    size_t count;
} dump;

static void add(dump *d, const void *bytes, size_t count)
{
    memcpy(d->bytes + d->count, bytes, count);
    d->count += count;
    while (d->count % 4) d->bytes[d->count++] = 0;
}

static void add_attribute(dump *d, unsigned type, const void *bytes, size_t count)
{
    struct rtattr head = {(unsigned short)(sizeof head + count), (unsigned short)type};
    add(d, &head, sizeof head);
    if (count) add(d, bytes, count);
}

static void add_message(dump *d, int interface, uint32_t handle, uint32_t parent, const char *kind,
                        const dump *options)
{
    static const dump nothing;
    dump body = {.count = 0};
    struct tcmsg about = {.tcm_ifindex = interface, .tcm_handle = handle, .tcm_parent = parent};
    if (!options) options = &nothing;
    add(&body, &about, sizeof about);
    add_attribute(&body, TCA_KIND, kind, strlen(kind) + 1);
    add_attribute(&body, TCA_OPTIONS | NLA_F_NESTED, options->bytes, options->count);
    struct nlmsghdr head = {.nlmsg_len = (uint32_t)(sizeof head + body.count),
                            .nlmsg_type = RTM_NEWQDISC,
                            .nlmsg_flags = NLM_F_MULTI};
    add(d, &head, sizeof head);
    add(d, body.bytes, body.count);
}

static void add_end(dump *d)
{
    struct nlmsghdr head = {.nlmsg_len = sizeof head + 4, .nlmsg_type = NLMSG_DONE};
    add(d, &head, sizeof head);
    add(d, &(int){0}, 4);
}

static dump etf_options(int delta, uint32_t flags)
{
    struct tc_etf_qopt etf = {.delta = delta, .clockid = CLOCK_TAI, .flags = flags};
    dump d = {.count = 0};
    add_attribute(&d, TCA_ETF_PARMS, &etf, sizeof etf);
    return d;
}

/// Priority 3 has queue 0, priority 2 queue 1, all others the queues 2 and 3.
static struct tc_mqprio_qopt card(void)
{
    struct tc_mqprio_qopt map = {.num_tc = 3, .count = {1, 1, 2}, .offset = {0, 1, 2}};
    memset(map.prio_tc_map, 2, sizeof map.prio_tc_map);
    map.prio_tc_map[3] = 0;
    map.prio_tc_map[2] = 1;
    return map;
}

static foi_txtime_queue concluded(const dump *d, int interface)
{
    foi_txtime_view view = {.interface = interface};
    CHECK(foi_txtime_look(&view, d->bytes, d->count));
    return foi_txtime_conclude(&view);
}

// What `tc qdisc add dev eth1 root etf clockid CLOCK_TAI delta 200000` leads to, byte by byte.
TEST(an_answer_with_etf_is_recognised)
{
    static const unsigned char answer[] = {
        76, 0, 0,  0, 36,  0,   2,   0, 1,    0,    0, 0,    9,   9,   0,   0, // RTM_NEWQDISC
        0,  0, 0,  0, 3,   0,   0,   0, 0,    0,    1, 0x80, 255, 255, 255, 255,
        2,  0, 0,  0,                   // of interface 3
        8,  0, 1,  0, 'e', 't', 'f', 0, // TCA_KIND
        20, 0, 2,  0, 16,  0,   1,   0, 0x40, 0x0d, 3, 0,    11,  0,   0,   0,
        0,  0, 0,  0,                   // TCA_OPTIONS
        5,  0, 12, 0, 0,   0,   0,   0, // TCA_HW_OFFLOAD
        4,  0, 7,  0,                   // TCA_STATS2
        20, 0, 0,  0, 3,   0,   2,   0, 1,    0,    0, 0,    9,   9,   0,   0,
        0,  0, 0,  0, // NLMSG_DONE
    };
    foi_txtime_view view = {.interface = 3}, other = {.interface = 2};
    CHECK(foi_txtime_look(&view, answer, sizeof answer));
    foi_txtime_queue q = foi_txtime_conclude(&view);
    CHECK(q.found && !q.taprio && !q.offload);
    CHECK_INT(q.delta, 200000);
    CHECK_INT(q.clock, CLOCK_TAI);
    CHECK_INT(q.priority, -1);
    CHECK(foi_txtime_look(&other, answer, sizeof answer));
    CHECK(!foi_txtime_conclude(&other).found);
    for (size_t count = 0; count < 76; count++) { // cut off anywhere: nothing is read beyond
        unsigned char *part = malloc(count + 1);
        foi_txtime_view cut = {.interface = 3};
        memcpy(part, answer, count);
        CHECK(!foi_txtime_look(&cut, part, count));
        CHECK(!foi_txtime_conclude(&cut).found);
        free(part);
    }
}

TEST(a_priority_leads_to_etf_under_mqprio_and_taprio)
{
    struct tc_mqprio_qopt map = card();
    for (int taprio = 0; taprio < 2; taprio++) {
        dump d = {.count = 0}, root = {.count = 0}, etf = etf_options(300000, TC_ETF_OFFLOAD_ON);
        if (taprio)
            add_attribute(&root, TCA_TAPRIO_ATTR_PRIOMAP, &map, sizeof map);
        else
            add(&root, &map, sizeof map);
        add_message(&d, 1, 0, TC_H_ROOT, "noqueue", NULL);
        add_message(&d, 4, 0x01000000, TC_H_ROOT, taprio ? "taprio" : "mqprio", &root);
        add_message(&d, 4, 0, 0x01000001, "pfifo_fast", NULL);
        add_message(&d, 4, 0x02000000, 0x01000002, "etf", &etf);
        add_end(&d);
        foi_txtime_queue q = concluded(&d, 4);
        CHECK(q.found && q.offload);
        CHECK_INT(q.taprio, taprio);
        CHECK_INT(q.priority, 2);
        CHECK_INT(q.delta, 300000);
        CHECK(!concluded(&d, 1).found);
    }
}

TEST(queues_that_do_not_hold_packets_back_are_not_taken)
{
    struct tc_mqprio_qopt map = card();
    dump root = {.count = 0}, etf = etf_options(300000, 0), other = etf_options(500000, 0);
    dump deadline = etf_options(300000, TC_ETF_DEADLINE_MODE_ON);
    dump list[6] = {0};
    add(&root, &map, sizeof map);
    add_message(&list[0], 4, 0, TC_H_ROOT, "fq_codel", NULL);
    add_message(&list[1], 4, 0x01000000, TC_H_ROOT, "etf", &deadline);
    add_message(&list[2], 4, 0x01000000, TC_H_ROOT, "mq", NULL); // any processor's queue
    add_message(&list[2], 4, 0x02000000, 0x01000001, "etf", &etf);
    add_message(&list[3], 4, 0x01000000, TC_H_ROOT, "mqprio", &root); // half of a class
    add_message(&list[3], 4, 0x02000000, 0x01000003, "etf", &etf);
    add_message(&list[4], 4, 0x01000000, TC_H_ROOT, "mqprio", &root); // not of one kind
    add_message(&list[4], 4, 0x02000000, 0x01000001, "etf", &etf);
    add_message(&list[4], 4, 0x03000000, 0x01000002, "etf", &other);
    add_message(&list[5], 4, 0x01000000, TC_H_ROOT, "etf", NULL);
    for (size_t i = 0; i < FO_COUNT(list); i++) {
        add_end(&list[i]);
        if (concluded(&list[i], 4).found) test_fail(__FILE__, __LINE__, "list %zu", i);
    }
}

// The kernels that this is tested on have no etf; where one has, loopback has none.
TEST(the_kernel_is_asked)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int64_t begun = foi_clock_now();
    foi_txtime_queue q = foi_txtime_find(&here);
    CHECK(!q.found);
    CHECK_INT(q.interface, (int)if_nametoindex("lo"));
    CHECK(foi_clock_seconds(begun, foi_clock_now()) <
          10); // it takes a millisecond, but not for ever
}

// ---------------------------------------------------------------------------------------- sending

// A packet never leaves before its slot, [time - delta, time] being what the kernel alone keeps.
TEST(times_are_aimed_into_the_slot)
{
    foi_txtime_queue kernel = {.found = true, .delta = 200}, nic = kernel;
    int64_t leaves;
    nic.offload = true;
    CHECK_INT(foi_txtime_aim(&kernel, 5000, 4500, &leaves), 5200);
    CHECK_INT(leaves, 5000);
    CHECK_INT(foi_txtime_aim(&kernel, 5000, 5100, &leaves), 5300);
    CHECK_INT(leaves, 5100);
    CHECK_INT(foi_txtime_aim(&nic, 5000, 4500, &leaves), 5000);
    CHECK_INT(leaves, 5000);
    CHECK_INT(foi_txtime_aim(&nic, 5000, 4900, &leaves), 5100);
    CHECK_INT(leaves, 5100);
}

/// What a process that may not administer the network is answered.
static void become_nobody(void)
{
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(1);
}

TEST(a_refusal_leaves_the_socket_as_it_was)
{
    pid_t pid = fork();
    if (pid == 0) {
        foi_txtime_queue q = {.found = true, .clock = CLOCK_TAI, .priority = 3};
        int priority = -1, fd = socket(AF_INET, SOCK_DGRAM, 0);
        socklen_t size = sizeof priority;
        become_nobody();
        bool opened = foi_txtime_open(fd, &q);
        getsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, &size);
        _exit(opened ? 2 : priority ? 3 : 0);
    }
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(WEXITSTATUS(status), 0);
}

static void start_node(game *g, uint32_t i, const fo_tdma_node_def *like, bool nobody)
{
    fo_tdma_node_def def = *like;
    def.index = i;
    g->pid[i] = fork();
    if (g->pid[i]) return;
    if (nobody) become_nobody();
    game_node *n = &g->node[i];
    n->status = fo_tdma_node_run(g->field, &def, &n->figures, &n->why);
    game_leave();
}

/// Nodes 0 and 1 as told, node 2 as always. A busy machine gets longer cycles.
static void play(game *g, fo_tdma_pacing pacing, double lead, bool nobody)
{
    for (int tries = 0; tries < 4; tries++) {
        fo_tdma_master_def def = {.cluster = g->cluster,
                                  .step = g->step,
                                  .stop = g->cycles * g->step,
                                  .nodes = g->nodes,
                                  .joining = 5};
        fo_tdma_master_destroy(g->master);
        memset(g->node, 0, GAME_NODES * sizeof *g->node);
        g->master = fo_tdma_master_create(g->field, &def, &g->why);
        REQUIRE(g->master);
        fo_tdma_node_def node = {.cluster = g->cluster,
                                 .step = g->step,
                                 .nodes = g->nodes,
                                 .master = fo_tdma_master_address(g->master),
                                 .joining = 5};
        fo_tdma_node_def told = node;
        told.pacing = pacing;
        told.lead = lead;
        for (uint32_t i = 0; i < g->nodes; i++)
            start_node(g, i, i < 2 ? &told : &node, i < 2 && nobody);
        g->status = fo_tdma_master_run(g->master, &g->why);
        for (uint32_t i = 0; i < g->nodes; i++) CHECK(game_wait(g->pid[i], 8));
        CHECK_STATUS(g->status, FO_REACHED, &g->why);
        fo_tdma_master_compare(g->master, g->errors, NULL);
        if (game_bridged(g) == 0) break;
        g->cluster.period *= 2;
        g->cluster.slot *= 2;
    }
}

static bool printed(const game *g, const char *words)
{
    char text[8192] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    fo_tdma_figures_print(&g->master->plan, g->master->figures, out);
    fclose(out);
    return strstr(text, words) != NULL;
}

// Without a queue the kernel sends at once: the packets arrive, before their slots.
TEST(packets_with_times_arrive_and_are_counted)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 40);
    g.step = 0.004;
    play(&g, FO_TDMA_PACE_KERNEL, 0.001, false);
    bool allowed = g.node[0].figures.way == FO_TDMA_BY_TXTIME;
    if (!allowed) printf("not judged: packets may not have times here\n");
    for (uint32_t i = 0; i < 2; i++) {
        const fo_tdma_figures *f = &fo_tdma_master_figures(g.master)[i];
        CHECK(f->way == FO_TDMA_BY_TXTIME || f->way == FO_TDMA_REFUSED);
        CHECK_INT((long long)f->cycles, 40);
        CHECK_INT((long long)f->returned, 0);
        CHECK(f->sent + f->silent >= 40 * 2);
    }
    CHECK_INT(fo_tdma_master_figures(g.master)[2].way, FO_TDMA_BY_PROGRAM);
    CHECK(game_bridged(&g) < 60); // of 160, of which 120 come from the two
    for (int i = 0; i < 4; i++) CHECK(g.errors[i].missing <= 20);
    if (game_bridged(&g) == 0) CHECK_NEAR(game_error(&g), 0, 0);
    CHECK(game_error(&g) < 0.1);
    CHECK(!allowed || printed(&g, "no time-slot queue is seen: nodes 0, 1\n"));
    CHECK(printed(&g, "slots kept by the program: nodes 2\n"));
    game_close(&g);
}

TEST(a_node_that_is_refused_keeps_its_slots_itself)
{
    game g = game_make(game_field(FO_FIELD_LEAPFROG, 20), 3, 20);
    g.step = 0.004;
    play(&g, FO_TDMA_PACE_KERNEL, 0, true);
    for (uint32_t i = 0; i < 3; i++) {
        const fo_tdma_figures *f = &fo_tdma_master_figures(g.master)[i];
        CHECK_INT(f->way, i < 2 ? FO_TDMA_REFUSED : FO_TDMA_BY_PROGRAM);
        CHECK_INT((long long)f->cycles, 20);
    }
    CHECK(game_error(&g) < 0.1);
    CHECK(printed(&g, "(the kernel refuses packets with times): nodes 0, 1\n"));
    game_close(&g);
}

TEST_MAIN(TEST_ENTRY(an_answer_with_etf_is_recognised),
          TEST_ENTRY(a_priority_leads_to_etf_under_mqprio_and_taprio),
          TEST_ENTRY(queues_that_do_not_hold_packets_back_are_not_taken),
          TEST_ENTRY(the_kernel_is_asked), TEST_ENTRY(times_are_aimed_into_the_slot),
          TEST_ENTRY(a_refusal_leaves_the_socket_as_it_was),
          TEST_ENTRY(packets_with_times_arrive_and_are_counted),
          TEST_ENTRY(a_node_that_is_refused_keeps_its_slots_itself))
