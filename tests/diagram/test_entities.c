// Entities: constant times to the number, queues at random against theory.
#include "run.h"

#define SOURCE(times) "{'name': 'source', 'type': 'Entity Source', 'parameters': {" times "}}"
#define QUEUE(more)   "{'name': 'queue', 'type': 'Queue'" more "}"
#define SERVER(times) "{'name': 'server', 'type': 'Server', 'parameters': {" times "}}"
#define SINK          "{'name': 'sink', 'type': 'Entity Sink'}"
#define EACH(mean)    "'Distribution': 'constant', 'Mean': " mean
#define ROW                                                                                     \
    "'lines': [{'from': 'source', 'to': 'queue'}, {'from': 'queue', 'to': 'server'}, {'from': " \
    "'server', 'to': 'sink'}]"

// One each second, each served for 1.5 s: number k comes at k, is served from 1 + 1.5 (k - 1) on.
TEST(constant_times)
{
    diagram_run r;
    REQUIRE(open_run(&r, "'nodes': [" SOURCE(EACH("1")) ", " QUEUE("") ", " SERVER(
                             EACH("1.5")) ", " SINK "], " ROW));
    CHECK_NEAR(value_at(&r, 0.9, "source"), 0, 0);
    CHECK_NEAR(value_at(&r, 1.2, "server:2"), 1, 0);
    CHECK_NEAR(value_at(&r, 7.2, "source"), 7, 0);
    CHECK_NEAR(value_at(&r, 7.2, "sink"), 4, 0);              // at 2.5, 4, 5.5, 7
    CHECK_NEAR(value_at(&r, 7.2, "queue"), 5, 0);             // five have been taken
    CHECK_NEAR(value_at(&r, 7.2, "queue:2"), 2, 0);           // two wait
    CHECK_NEAR(value_at(&r, 7.2, "queue:3"), 5.0 / 5, 1e-14); // 0, 0.5, 1, 1.5, 2
    CHECK_NEAR(value_at(&r, 7.2, "sink:2"), (1.5 + 2 + 2.5 + 3) / 4, 1e-14);
    CHECK_NEAR(value_at(&r, 7.2, "server:3"), 6.2 / 7.2, 1e-14);
    // what waits: from 2 to 2.5 one, 3 to 4, 4 to 5.5, 5 to 7, 6 on, 7 on
    CHECK_NEAR(value_at(&r, 7.2, "queue:4"), (0.5 + 1 + 1.5 + 2 + 1.2 + 0.2) / 7.2, 1e-14);
    close_run(&r);
}

// A queue of one place before two servers in a row: what is served waits for the next server, and
// what finds the queue full is lost.
TEST(servers_block_and_queues_overflow)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'nodes': [" SOURCE(EACH("1")) ", " QUEUE(
            ", 'parameters': {'Capacity': "
            "1}") ", " SERVER(EACH("0.5")) ", {'name': 'slow', 'type': 'Server', 'parameters': "
                                           "{" EACH(
                                               "3") "}}, " SINK
                                                    "], 'lines': [{'from': 'source', 'to': "
                                                    "'queue'}, {'from': 'queue', 'to': "
                                                    "'server'}, {'from': 'server', 'to': "
                                                    "'slow'}, {'from': 'slow', 'to': 'sink'}]"));
    // 1 is in the slow one from 1.5 to 4.5; 2 is done at 2.5 and blocks; 3 waits; 4 is lost
    CHECK_NEAR(value_at(&r, 4.2, "server:2"), 1, 0);
    CHECK_NEAR(value_at(&r, 4.2, "queue:2"), 1, 0);
    CHECK_NEAR(value_at(&r, 4.2, "source:2"), 1, 0);
    CHECK_NEAR(value_at(&r, 4.6, "slow"), 1, 0);
    CHECK_NEAR(value_at(&r, 4.6, "queue:2"), 0, 0);
    close_run(&r);
}

// Last in, first out: after the first service the one that came last is taken.
TEST(queues_have_an_order)
{
    static const double waits[] = {(0 + 2 + 4) / 3.0, (0 + 0 + 0) / 3.0};
    for (int i = 0; i < 2; i++) {
        diagram_run r;
        char text[1024];
        snprintf(text, sizeof text,
                 "'nodes': [" SOURCE(EACH("1")) ", " QUEUE(
                     ", 'parameters': {'Order': '%s'}") ", " SERVER(EACH("3")) ", " SINK "], " ROW,
                 i ? "last in first out" : "first in first out");
        REQUIRE(open_run(&r, text));
        CHECK_NEAR(value_at(&r, 7.5, "queue:3"), waits[i], 1e-12);
        close_run(&r);
    }
}

// M/M/1 with 0.8 arrivals and 1 service a second: utilisation 0.8, mean wait 4 s, mean length 3.2,
// 5 s in the system. Also Little's law, which holds for any run.
TEST(one_server_at_random)
{
    diagram_run r;
    REQUIRE(open_run(
        &r, "'simulation': {'stop': 300000, 'step': 300000}, 'nodes': [" SOURCE(
                "'Mean': 1.25, 'Seed': 1") ", " QUEUE("") ", " SERVER("'Mean': 1, 'Seed': "
                                                                      "2") ", " SINK "], " ROW));
    double t = 300000;
    CHECK_NEAR(value_at(&r, t, "server:3"), 0.8, 0.01);
    CHECK_NEAR(value_at(&r, t, "queue:3"), 4, 0.3);
    CHECK_NEAR(value_at(&r, t, "queue:4"), 3.2, 0.25);
    CHECK_NEAR(value_at(&r, t, "sink:2"), 5, 0.3);
    CHECK_NEAR(value_at(&r, t, "source") / t, 0.8, 0.01);
    CHECK_NEAR(value_at(&r, t, "queue:4"),
               value_at(&r, t, "queue") / t * value_at(&r, t, "queue:3"), 1e-3);
    close_run(&r);
}

// Two servers without a queue, one arrival and one service a second: Erlang's formula says that
// 1/5 is lost.
TEST(two_servers_without_a_queue)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'simulation': {'stop': 50000, 'step': 50000}, 'nodes': [" SOURCE("'Mean': 1") ", " SERVER(
            "'Mean': 1, 'Servers': 2") ", " SINK "], 'lines': [{'from': 'source', 'to': 'server'}, "
                                       "{'from': 'server', "
                                       "'to': 'sink'}]"));
    double t = 50000;
    CHECK_NEAR(value_at(&r, t, "source:2") / value_at(&r, t, "source"), 0.2, 0.01);
    CHECK_NEAR(value_at(&r, t, "server:3"), 0.4, 0.01);
    close_run(&r);
}

TEST(distributions_have_their_means)
{
    static const char *const list[] = {
        "'Distribution': 'uniform', 'Mean': 2, 'Deviation': 1",
        "'Distribution': 'normal', 'Mean': 2, 'Deviation': 0.3",
        "'Distribution': 'Erlang', 'Mean': 2, 'Deviation': 1",
    };
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        diagram_run r;
        snprintf(text, sizeof text,
                 "'simulation': {'stop': 10000, 'step': 10000}, 'nodes': [{'name': 's', 'type': "
                 "'Entity Source', 'parameters': {%s}}]",
                 list[i]);
        REQUIRE(open_run(&r, text));
        CHECK_NEAR(value_at(&r, 10000, "s") / 10000, 0.5, 0.01);
        close_run(&r);
    }
}

TEST(entities_repeat_to_the_bit)
{
    diagram_run r;
    REQUIRE(open_run(&r, "'nodes': [" SOURCE("'Mean': 0.2") ", " QUEUE("") ", " SERVER(
                             "'Mean': 0.15") ", " SINK "], " ROW));
    value_at(&r, 3.03, "sink");
    fo_snapshot *snapshot = fo_simulation_snapshot(r.sim);
    REQUIRE(snapshot);
    double first = value_at(&r, 9.5, "sink:2");
    CHECK(first > 0);
    CHECK_STATUS(fo_simulation_restore(r.sim, snapshot), FO_OK, fo_simulation_message(r.sim));
    CHECK(value_at(&r, 9.5, "sink:2") == first);
    fo_snapshot_destroy(snapshot);
    close_run(&r);
}

TEST(entities_are_checked)
{
    refused("'nodes': [" SOURCE("'Mean': 0") "]", "the mean time must be positive");
    refused("'nodes': [" SOURCE("'Distribution': 'uniform', 'Deviation': 2") "]",
            "times from 1 - 2 on would be negative");
    refused("'nodes': [{'name': 'c', 'type': 'Clock'}, " SINK "], 'lines': [{'from': 'c', 'to': "
            "'sink'}]",
            "input 1 (entities) comes from 'c' (Clock), expected the first output of an Entity "
            "Source");
    refused("'nodes': [" SOURCE("") ", " SINK ", {'name': 'b', 'type': 'Entity Sink'}], 'lines': "
                                    "[{'from': 'source', 'to': ['sink', 'b']}]",
            "the entities of 'source' go to 'sink' already");
    refused("'nodes': [" SOURCE("") ", " QUEUE(
                ", 'parameters': {'Capacity': 2.5}") "], 'lines': "
                                                     "[{'from': 'source', 'to': 'queue'}]",
            "parameter 'Capacity' is 2.5, expected a whole number");
}

TEST_MAIN(TEST_ENTRY(constant_times), TEST_ENTRY(servers_block_and_queues_overflow),
          TEST_ENTRY(queues_have_an_order), TEST_ENTRY(one_server_at_random),
          TEST_ENTRY(two_servers_without_a_queue), TEST_ENTRY(distributions_have_their_means),
          TEST_ENTRY(entities_repeat_to_the_bit), TEST_ENTRY(entities_are_checked))
