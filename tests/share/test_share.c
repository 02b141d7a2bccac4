// A state in shared memory: whole for every reader, and left readable by a writer that dies.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
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
    foi_share_head head = {
        .magic = "foliotS", .version = FOI_SHARE_VERSION, .signals = 1000000, .names_size = 9};
    head.magic[7] = 'H';
    CHECK(write(file, &head, sizeof head) == (ssize_t)sizeof head);
    CHECK(!fo_look_open(name, NULL, &why)); // sizes that do not fit
    CHECK_INT(why.status, FO_ERROR_FORMAT);
    close(file);
    shm_unlink(path);
}

// ------------------------------------------------------------------------- what others do to it

/// A shared state with three values, its reader, and the file as somebody else has it.
typedef struct scene {
    char name[64], path[FOI_SHARE_NAME];
    fo_structure_document *document;
    fo_share *share;
    fo_look *look;
    int file;
} scene;

static bool scene_open(scene *s, const char *what)
{
    fo_message why = {0};
    double values[15] = {1, 2, 3};
    *s = (scene){.document = model(), .file = -1};
    foi_share_path(some_name(what, s->name), s->path);
    s->share = fo_share_create(s->name, fo_structure_document_system(s->document), NULL, &why);
    if (s->share) fo_share_show(s->share, 0.5, values);
    s->look = s->share ? fo_look_open(s->name, NULL, &why) : NULL;
    if (!s->look) test_fail(__FILE__, __LINE__, "%s", why.text);
    s->file = shm_open(s->path, O_RDWR, 0);
    return s->look && s->file >= 0;
}

static void scene_close(scene *s)
{
    close(s->file);
    fo_look_close(s->look);
    fo_share_destroy(s->share);
    fo_structure_document_destroy(s->document);
}

/// The reader says so: after some tenths of a second, but not for ever, however busy the machine
/// is.
static void check_message(scene *s, const char *words)
{
    double t, values[15];
    int64_t begun = foi_clock_now();
    CHECK_INT(fo_look_read(s->look, &t, values), 0);
    CHECK(foi_clock_seconds(begun, foi_clock_now()) < 20);
    CHECK(fo_failed(fo_look_message(s->look)->status));
    CHECK_CONTAINS(fo_look_message(s->look)->text, words);
}

TEST(a_state_that_is_cut_short_is_said_and_nobody_dies)
{
    scene s;
    double t, values[15];
    int refused = 0;
    REQUIRE(scene_open(&s, "cut"));
    CHECK_INT(fo_look_read(s.look, &t, values), 1);
    CHECK_INT(fo_look_message(s.look)->status, FO_OK);
    off_t whole = lseek(s.file, 0, SEEK_END);
    // every size down to nothing; the writer does not write meanwhile
    for (off_t size = whole - 1; size >= 0; size -= size > 200 ? 1 : 7) {
        CHECK(ftruncate(s.file, size) == 0);
        if (fo_look_read(s.look, &t, values) == 1) continue; // the other buffer's end
        CHECK_CONTAINS(fo_look_message(s.look)->text, "cut short");
        refused++;
    }
    CHECK(refused > 100);
    CHECK(!fo_look_alive(s.look));
    check_message(&s, "cut short");
    fo_message why = {0};
    CHECK(!fo_look_open(s.name, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_FORMAT);
    CHECK(ftruncate(s.file, whole) == 0); // zeros
    check_message(&s, "overwritten by somebody");
    scene_close(&s);
}

// Others fill it and cut it off: whoever writes into it follows no number there, and says so.
TEST(a_writer_does_not_trust_its_memory)
{
    scene s;
    double values[15] = {1, 2, 3};
    REQUIRE(scene_open(&s, "writer"));
    const fo_row row = {.t = 1, .values = values, .count = fo_share_count(s.share)};
    fo_observer observer = fo_share_observer(s.share, 0);
    size_t whole = (size_t)lseek(s.file, 0, SEEK_END);
    for (int byte = 0; byte < 256; byte += 5) {
        char filled[4096];
        memset(filled, byte, sizeof filled);
        for (size_t at = 0; at < whole; at += sizeof filled)
            CHECK(pwrite(s.file, filled, whole - at < sizeof filled ? whole - at : sizeof filled,
                         (off_t)at) > 0);
        fo_message why = {0};
        CHECK_INT(observer.row(observer.self, &row, &why), FO_OK);
        CHECK_INT(fo_share_count(s.share), row.count);
    }
    fo_message why = {0};
    CHECK(ftruncate(s.file, 0) == 0);
    CHECK_INT(observer.row(observer.self, &row, &why), FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "cut short by somebody");
    fo_share_show(s.share, 2, values);
    scene_close(&s);
}

// Names that run into each other, or that are more or fewer than there are signals.
TEST(names_that_do_not_add_up_are_refused)
{
    scene s;
    fo_message why = {0};
    foi_share_head head;
    REQUIRE(scene_open(&s, "names"));
    REQUIRE(pread(s.file, &head, sizeof head, 0) == (ssize_t)sizeof head);
    for (uint32_t i = 0; i < head.names_size; i++) {
        char was, other;
        off_t at = (off_t)(sizeof head + i);
        REQUIRE(pread(s.file, &was, 1, at) == 1);
        other = was ? 0 : 'x';
        CHECK(pwrite(s.file, &other, 1, at) == 1);
        fo_look *look = fo_look_open(s.name, NULL, &why);
        // a name more, or one less; the place does not matter
        if (look) test_fail(__FILE__, __LINE__, "byte %u of the names", (unsigned)i);
        CHECK_CONTAINS(why.text, "is not a shared state that can be read");
        fo_look_close(look);
        CHECK(pwrite(s.file, &was, 1, at) == 1);
    }
    scene_close(&s);
}

TEST(a_look_without_memory_says_so)
{
    scene s;
    REQUIRE(scene_open(&s, "memory"));
    for (long failing = 1;; failing++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, failing);
        fo_look *look = fo_look_open(s.name, &memory.allocator, &why);
        bool seen = look;
        fo_look_close(look);
        CHECK_INT(memory.live, 0);
        if (seen) break;
        CHECK_INT(why.status, FO_ERROR_MEMORY);
    }
    scene_close(&s);
}

TEST(a_state_that_is_left_half_written_is_said)
{
    scene s;
    REQUIRE(scene_open(&s, "odd"));
    uint64_t odd[2] = {7, 7};
    CHECK(pwrite(s.file, odd, sizeof odd, offsetof(foi_share_head, sequence)) == sizeof odd);
    check_message(&s, "left half-written");
    CHECK(fo_look_alive(s.look)); // the writer lives all the same
    scene_close(&s);
}

// A number of a process says nothing: this one lives, and has not written it.
TEST(the_life_of_the_writer_is_the_lock)
{
    scene s;
    fo_message why = {0};
    REQUIRE(scene_open(&s, "life"));
    CHECK(fo_look_alive(s.look));
    int32_t numbers[] = {1, 0, -1, (int32_t)getpid()};
    unsigned char image[4096];
    ssize_t size = pread(s.file, image, sizeof image, 0);
    fo_share_destroy(s.share);
    s.share = NULL;
    for (size_t i = 0; i < 4; i++) {
        int copy = shm_open(s.path, O_RDWR | O_CREAT, 0600);
        CHECK(write(copy, image, (size_t)size) == size);
        CHECK(pwrite(copy, &numbers[i], 4, offsetof(foi_share_head, writer)) == 4);
        fo_look *look = fo_look_open(s.name, NULL, &why);
        CHECK(look && !fo_look_alive(look));
        fo_look_close(look);
        close(copy);
        s.share = fo_share_create(s.name, fo_structure_document_system(s.document), NULL, &why);
        CHECK(s.share); // it is nobody's, and is replaced
        fo_share_destroy(s.share);
        s.share = NULL;
    }
    scene_close(&s);
}

TEST(names_of_others_are_refused)
{
    char name[64], path[FOI_SHARE_NAME], place[128];
    fo_message why = {0};
    fo_structure_document *d = model();
    fo_system system = fo_structure_document_system(d);
    REQUIRE(foi_share_path(some_name("fifo", name), path));
    snprintf(place, sizeof place, "/dev/shm%s", path);
    int64_t begun = foi_clock_now();
    if (mkfifo(place, 0600) == 0) { // neither side waits for the other end
        CHECK(!fo_look_open(name, NULL, &why));
        CHECK_CONTAINS(why.text, "is a FIFO, a folder or a device");
        CHECK(!fo_share_create(name, system, NULL, &why));
        CHECK_CONTAINS(why.text, "is a FIFO, a folder or a device");
        CHECK(unlink(place) == 0);
    }
    CHECK(foi_clock_seconds(begun, foi_clock_now()) < 20);
    fo_share *share = fo_share_create(name, system, NULL, &why);
    struct stat about = {0};
    CHECK(share && stat(place, &about) == 0 && (about.st_mode & 0777) == 0600);
    if (chown(place, 12345, (gid_t)-1) == 0) { // root can play somebody else
        CHECK(!fo_look_open(name, NULL, &why));
        CHECK_CONTAINS(why.text, "belongs to user 12345");
        CHECK(!fo_share_create(name, system, NULL, &why));
        CHECK_CONTAINS(why.text, "belongs to user 12345");
    }
    fo_share_destroy(share);
    fo_structure_document_destroy(d);
}

TEST_MAIN(TEST_ENTRY(a_state_that_is_cut_short_is_said_and_nobody_dies),
          TEST_ENTRY(a_writer_does_not_trust_its_memory),
          TEST_ENTRY(names_that_do_not_add_up_are_refused),
          TEST_ENTRY(a_look_without_memory_says_so),
          TEST_ENTRY(a_state_that_is_left_half_written_is_said),
          TEST_ENTRY(the_life_of_the_writer_is_the_lock), TEST_ENTRY(names_of_others_are_refused),
          TEST_ENTRY(a_run_is_seen),
          TEST_ENTRY(a_reader_never_sees_half_a_state_and_a_dead_writer_leaves_one),
          TEST_ENTRY(what_is_no_shared_state_is_refused))
