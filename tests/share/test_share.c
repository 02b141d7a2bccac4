// A state in shared memory: whole for every reader, and left readable by a writer that dies.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "share/share.h"
#include "test.h"

static const char document[] =
    "{\"structure\": \"shared\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": "
    "\"tip\", \"at\": [1, 0], \"mass\": 1, \"velocity\": [0, 1]}], \"springs\": [{\"between\": "
    "[1, 2], \"k\": 10}]}";

static fo_structure_document *model(void)
{
    fo_message why = {0};
    fo_structure_document *d =
        fo_structure_read("shared", document, sizeof document - 1, NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    return d;
}

static const char *some_name(const char *what, char name[64])
{
    snprintf(name, 64, "test-%s-%d", what, (int)getpid());
    return name;
}

TEST(a_run_is_seen)
{
    fo_message why = {0};
    char name[64];
    fo_structure_document *d = model();
    REQUIRE(d);
    fo_system system = fo_structure_document_system(d);
    fo_share *share = fo_share_create(some_name("run", name), system, NULL, &why);
    if (!share) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(share);
    fo_look *look = fo_look_open(name, NULL, &why);
    REQUIRE(look);
    CHECK_INT(fo_look_count(look), fo_share_count(share));
    CHECK_INT(fo_look_count(look), 8 + 7);
    CHECK_TEXT(fo_look_model(look), "shared");
    CHECK_TEXT(fo_look_name(look, 2), "tip.x");
    CHECK_TEXT(fo_look_name(look, 8), "kinetic");
    CHECK(!fo_look_name(look, 15));
    double t = -1, values[15];
    CHECK_INT(fo_look_read(look, &t, values), 0);
    fo_observer observer = fo_share_observer(share, 0);
    fo_run_def run = fo_default_run_def();
    run.observers = &observer, run.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    CHECK(fo_look_read(look, &t, values) > 3);
    CHECK_NEAR(t, 1, 0);
    CHECK(memcmp(values, fo_simulation_state(sim)->x, 8 * sizeof *values) == 0);
    CHECK_NEAR(values[8] + values[9], values[10], 1e-15);
    CHECK(fo_look_alive(look));
    CHECK(!fo_share_create(name, system, NULL, &why)); // in use
    CHECK_CONTAINS(why.text, "is used by process");
    fo_share_destroy(share);
    CHECK(!fo_look_alive(look));
    CHECK(fo_look_read(look, &t, values) > 3); // the last state stays
    fo_look_close(look);
    CHECK(!fo_look_open(name, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_INPUT);
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

// Shows states all of whose values are the same number, as fast as it can.
static void write_for_ever(fo_share *share)
{
    double values[15];
    for (double n = 1;; n++) {
        for (int i = 0; i < 15; i++) values[i] = n;
        fo_share_show(share, n, values);
    }
}

TEST(a_reader_never_sees_half_a_state_and_a_dead_writer_leaves_one)
{
    fo_message why = {0};
    char name[64];
    fo_structure_document *d = model();
    REQUIRE(d);
    some_name("killed", name);
    pid_t writer = fork();
    if (writer == 0) {
        fo_share *mine = fo_share_create(name, fo_structure_document_system(d), NULL, &why);
        if (mine) write_for_ever(mine);
        _exit(1);
    }
    REQUIRE(writer > 0);
    fo_look *look = NULL;
    for (int i = 0; i < 2000 && !look; i++, usleep(1000)) look = fo_look_open(name, NULL, &why);
    double t = 0, values[15], last = 0;
    int whole = 0, torn = 0, back = 0;
    for (int i = 0; look && i < 20000; i++) {
        if (!fo_look_read(look, &t, values)) continue;
        bool same = true;
        for (int k = 0; k < 15; k++) same &= values[k] == t;
        same ? whole++ : torn++;
        back += t < last;
        last = t;
    }
    CHECK(look);
    CHECK(whole > 1000);
    CHECK_INT(torn, 0);
    CHECK_INT(back, 0);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    if (look) {
        CHECK(!fo_look_alive(look));
        CHECK(fo_look_read(look, &t, values) > 0);
        for (int k = 0; k < 15; k++) CHECK(values[k] == t);
    }
    fo_look_close(look);
    look = fo_look_open(name, NULL, &why); // also who comes later sees it
    CHECK(look && fo_look_read(look, &t, values) > 0);
    fo_look_close(look);
    fo_share *next = fo_share_create(name, fo_structure_document_system(d), NULL, &why);
    CHECK(next); // a dead process's name is free
    fo_share_destroy(next);
    fo_structure_document_destroy(d);
}

TEST(what_is_no_shared_state_is_refused)
{
    fo_message why = {0};
    char name[64], path[FOI_SHARE_NAME];
    CHECK(!fo_look_open("a/b", NULL, &why));
    CHECK(!fo_look_open("", NULL, &why));
    CHECK_INT(why.status, FO_ERROR_ARGUMENT);
    REQUIRE(foi_share_path(some_name("noise", name), path));
    int file = shm_open(path, O_RDWR | O_CREAT, 0600);
    REQUIRE(file >= 0);
    CHECK(!fo_look_open(name, NULL, &why)); // empty
    CHECK_INT(why.status, FO_ERROR_FORMAT);
    foi_share_head head = {.magic = "foliotS", .version = 1, .signals = 1000000, .names_size = 9};
    head.magic[7] = 'H';
    CHECK(write(file, &head, sizeof head) == (ssize_t)sizeof head);
    CHECK(!fo_look_open(name, NULL, &why)); // sizes that do not fit
    CHECK_INT(why.status, FO_ERROR_FORMAT);
    close(file);
    shm_unlink(path);
}

TEST_MAIN(TEST_ENTRY(a_run_is_seen),
          TEST_ENTRY(a_reader_never_sees_half_a_state_and_a_dead_writer_leaves_one),
          TEST_ENTRY(what_is_no_shared_state_is_refused))
