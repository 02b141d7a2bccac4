// Whole files: put in the place of others, read, and gathered from what is no plain file.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/memory.h"
#include "test.h"

static char folder[] = "/tmp/foliot-files-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][512]; // the last four stay
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

TEST(begins)
{
    REQUIRE(mkdtemp(folder));
}

TEST(a_file_takes_the_place_of_another)
{
    fo_message why = {0};
    unsigned char *bytes = NULL;
    size_t count = 0;
    const char *path = in_folder("kept");
    CHECK_STATUS(foi_file_save(path, "first", 5, NULL, &why), FO_OK, &why);
    CHECK_STATUS(foi_file_save(path, "second", 6, NULL, &why), FO_OK, &why);
    CHECK_STATUS(foi_file_load(path, NULL, &bytes, &count, &why), FO_OK, &why);
    CHECK(count == 6 && memcmp(bytes, "second", 6) == 0);
    foi_free(NULL, bytes);
    CHECK(access(in_folder("kept.new"), F_OK) != 0);
    CHECK_STATUS(foi_file_save(folder, "x", 1, NULL, &why), FO_ERROR_INPUT, &why);
    CHECK_CONTAINS(why.text, "it is no plain file");
    CHECK_STATUS(foi_file_save(in_folder("nowhere/kept"), "x", 1, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK_CONTAINS(why.text, "No such file");
    char name[512];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK_STATUS(foi_file_save(name, "x", 1, NULL, &why), FO_ERROR_INPUT, &why);
    CHECK_CONTAINS(why.text, "the name of a file is too long");
    if (access("/dev/full", W_OK) == 0) { // what it would be written to is a link: not followed
        CHECK(symlink("/dev/full", in_folder("full.new")) == 0);
        CHECK_STATUS(foi_file_save(in_folder("full"), "x", 1, NULL, &why), FO_ERROR_INPUT, &why);
        CHECK(access(in_folder("full"), F_OK) != 0);
    }
}

// Who is at it alone has it; the old file stays.
TEST(two_at_once_refuse_each_other)
{
    fo_message why = {0};
    const char *path = in_folder("shared"), *fresh = in_folder("shared.new");
    CHECK_STATUS(foi_file_save(path, "old", 3, NULL, &why), FO_OK, &why);
    int other = open(fresh, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0);
    CHECK_STATUS(foi_file_save(path, "new", 3, NULL, &why), FO_ERROR_INPUT, &why);
    CHECK_CONTAINS(why.text, "another run is writing");
    close(other);
    unsigned char *bytes = NULL;
    size_t count = 0;
    CHECK_STATUS(foi_file_load(path, NULL, &bytes, &count, &why), FO_OK, &why);
    CHECK(count == 3 && memcmp(bytes, "old", 3) == 0);
    foi_free(NULL, bytes);
    CHECK_STATUS(foi_file_save(path, "new", 3, NULL, &why), FO_OK, &why); // what it left is no lock
}

// A plain file that cannot be read, as the system has one.
TEST(a_file_that_cannot_be_read_is_said)
{
    fo_message why = {0};
    if (access("/proc/self/mem", R_OK) != 0) return;
    foi_json *json = foi_json_read_file("/proc/self/mem", NULL, &why);
    CHECK(!json);
    CHECK_CONTAINS(why.text, "cannot read /proc/self/mem");
    foi_json_destroy(json);
}

// Documents: too large ones are not even begun with, and memory may lack for the others.
TEST(documents_have_a_limit)
{
    fo_message why = {0};
    size_t length = 0;
    const char *path = in_folder("large.json");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    CHECK(ftruncate(fd, ((off_t)256 << 20) + 1) == 0); // a hole takes no room
    CHECK(!foi_json_text(path, NULL, &length, &why));
    CHECK_CONTAINS(why.text, "large.json: more than 268435456 bytes, which is too large");
    CHECK(ftruncate(fd, 100000) == 0);
    close(fd);
    for (long at = 1; at <= 2; at++) {
        test_memory memory;
        test_memory_init(&memory, at);
        CHECK(!foi_json_read_file(path, &memory.allocator, &why));
        CHECK_CONTAINS(why.text, "large.json: no memory for a document of this size");
        CHECK_INT(memory.live, 0);
    }
    CHECK(!foi_json_read_file(path, NULL, &why)); // zeros
    CHECK_CONTAINS(why.text, "large.json:1:1");
    unlink(path);
    CHECK(!foi_json_text(path, NULL, &length, &why));
    CHECK_CONTAINS(why.text, "No such file");
}

TEST(devices_without_end_are_not_read_to_theirs)
{
    fo_message why = {0};
    size_t count = 0;
    if (access("/dev/zero", R_OK) != 0) return;
    char *bytes = foi_file_gather("/dev/zero", 1, (size_t)1 << 30, &count, &why);
    CHECK(!bytes);
    CHECK_CONTAINS(why.text, "more than 65536 bytes");
    bytes = foi_file_gather("/dev/null", 1, (size_t)1 << 30, &count, &why);
    CHECK(bytes && count == 0);
    foi_free(NULL, bytes);
    CHECK(!foi_file_gather(in_folder("not there"), 1, 100, &count, &why));
    CHECK_CONTAINS(why.text, "No such file");
    CHECK_STATUS(foi_file_save(in_folder("long"), "0123456789", 10, NULL, &why), FO_OK, &why);
    CHECK(!foi_file_gather(in_folder("long"), 1, 9, &count, &why));
    CHECK_CONTAINS(why.text, "more than 9 bytes");
    bytes = foi_file_gather(in_folder("long"), 1, 10, &count, &why);
    CHECK(bytes && count == 10);
    foi_free(NULL, bytes);
}

TEST(lists_of_numbers_come_back)
{
    static const double values[] = {0, -1.5, 1e308, 5e-324};
    double got[4] = {0};
    foi_bytes b = {0};
    foi_put_f64s(&b, values, 4);
    REQUIRE(!b.failed);
    foi_slice s = {.at = b.list, .end = b.list + b.count};
    foi_take_f64s(&s, got, 4);
    CHECK(!s.failed && memcmp(values, got, sizeof values) == 0);
    foi_take_f64s(&s, got, 1); // there is no fifth
    CHECK(s.failed && got[0] == 0);
    foi_bytes_free(&b);
}

// What is out of range fails the slice, and says what it was.
TEST(numbers_are_looked_at_when_they_are_taken)
{
    foi_bytes b = {0};
    foi_put_u32(&b, 3);
    foi_put_f64(&b, 2.5);
    foi_put_u32(&b, 4);
    foi_put_f64(&b, INFINITY);
    foi_slice s = {.at = b.list, .end = b.list + b.count};
    CHECK_INT(foi_take_upto(&s, 3, "a count"), 3);
    CHECK(foi_take_finite(&s, "a time") == 2.5 && !s.failed);
    foi_slice t = s;
    CHECK_INT(foi_take_upto(&t, 3, "a count"), 0);
    CHECK(t.failed && strcmp(t.wrong, "a count") == 0);
    foi_take_u32(&s);
    CHECK(foi_take_finite(&s, "a time") == 0);
    CHECK(s.failed && strcmp(s.wrong, "a time") == 0);
    foi_bytes_free(&b);
}

// Another process exchanges a folder and a link to one outside all the time: whatever is opened is
// never outside.
TEST(links_are_not_followed_whoever_exchanges_them)
{
    enum { TRIES = 3000 };
    CHECK(mkdir(in_folder("in"), 0700) == 0 && mkdir(in_folder("in/a"), 0700) == 0);
    CHECK(mkdir(in_folder("out"), 0700) == 0);
    CHECK(symlink("../out", in_folder("in/b")) == 0);
    char a[512], b[512], c[600], in[512], far[900];
    snprintf(a, sizeof a, "%s", in_folder("in/a"));
    snprintf(b, sizeof b, "%s", in_folder("in/b"));
    snprintf(c, sizeof c, "%s", in_folder("in/c"));
    snprintf(in, sizeof in, "%s", in_folder("in"));
    pid_t other = fork();
    REQUIRE(other >= 0);
    if (other == 0) {
        for (;;)
            if (rename(a, c) != 0 || rename(b, a) != 0 || rename(c, b) != 0) _exit(1);
    }
    snprintf(c, sizeof c, "%s/a/file", in);
    for (int i = 0; i < TRIES; i++) {
        int fd = foi_file_open(c, in, O_RDWR | O_CREAT);
        if (fd >= 0) close(fd);
        CHECK(fd >= 0 || errno == ELOOP || errno == ENOENT || errno == ENOTDIR);
    }
    CHECK(waitpid(other, NULL, WNOHANG) == 0); // it was at it all the time
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    CHECK(access(in_folder("out/file"), F_OK) != 0);
    CHECK(foi_file_open(in, in, O_RDONLY | O_DIRECTORY) >= 0); // the folder itself
    snprintf(far, sizeof far, "%s/%0300d", in, 0);
    CHECK(foi_file_open(far, in, O_RDONLY) < 0 && errno == ENAMETOOLONG);
    CHECK(foi_file_open("no/such", "no", O_RDONLY) < 0 && errno == ENOENT);
}

// What documents name: a folder of their own, or a message that says why not.
TEST(names_of_documents_stay_in_their_folder)
{
    fo_message why = {0};
    static const struct {
        const char *path, *folder, *name, *says;
    } all[] = {
        {"a.txt", NULL, "a.txt", NULL},      {"../a.txt", NULL, "../a.txt", NULL}, // trusted
        {"a.txt", ".", "a.txt", NULL},       {"b/..c/a.txt", ".", "b/..c/a.txt", NULL},
        {"a.txt", "dir", "dir/a.txt", NULL}, {"/dir/a.txt", "/dir/", "/dir/a.txt", NULL},
        {"/a.txt", "/", "/a.txt", NULL},     {"/direction/a.txt", "/dir", NULL, "/direction/a.txt"},
        {"/a.txt", "dir", NULL, "/a.txt"},   {"b/../a.txt", "dir", NULL, "b/../a.txt"},
        {"..", ".", NULL, "'..'"},           {"a.txt", "", NULL, "may use no files"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char *name = foi_file_within(all[i].path, all[i].folder, NULL, &why);
        CHECK(!name == !all[i].name && (!name || strcmp(name, all[i].name) == 0));
        if (all[i].says) CHECK_CONTAINS(why.text, all[i].says);
        foi_free(NULL, name);
    }
}

TEST(what_is_lacking_is_said)
{
    fo_message why = {0};
    unsigned char *bytes = NULL;
    size_t count = 0;
    CHECK(mkfifo(in_folder("silent"), 0600) == 0);
    CHECK_STATUS(foi_file_load(in_folder("silent"), NULL, &bytes, &count, &why), FO_ERROR_INPUT,
                 &why);
    CHECK_CONTAINS(why.text, "it is no plain file");
    CHECK(!bytes && !foi_file_gather(in_folder("silent"), 1, 1000, &count, &why));
    CHECK_CONTAINS(why.text, "nobody has written to it for 1 s");
    CHECK_STATUS(foi_file_save(in_folder("kept"), "x", 1, NULL, &why), FO_OK, &why);
    test_memory memory;
    test_memory_init(&memory, 1);
    CHECK_STATUS(foi_file_load(in_folder("kept"), &memory.allocator, &bytes, &count, &why),
                 FO_ERROR_MEMORY, &why);
    CHECK(!bytes && memory.live == 0);
    test_memory_init(&memory, 1);
    CHECK(!foi_file_within("a", "b", &memory.allocator, &why) && why.status == FO_ERROR_MEMORY);
    // what is in the folder of a name that is not there, and is no folder
    CHECK_STATUS(foi_file_makeable(in_folder("kept/x"), NULL, NULL, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK_STATUS(foi_file_makeable(in_folder("no/such"), folder, NULL, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK_CONTAINS(why.text, "No such file");
}

static bool is_ours(FILE *file, const void *self)
{
    char line[8] = "";
    return fgets(line, sizeof line, file) && strncmp(line, self, 4) == 0;
}

TEST(files_of_others_stay)
{
    fo_message why = {0};
    char ours[] = "ours", path[512];
    snprintf(path, sizeof path, "%s", in_folder("made"));
    CHECK_STATUS(foi_file_makeable(path, NULL, is_ours, ours, &why), FO_OK, &why);
    CHECK(access(path, F_OK) != 0); // nothing was made
    FILE *file = foi_file_make(path, NULL, is_ours, ours, &why);
    REQUIRE(file);
    CHECK(fputs("ours\n", file) >= 0 && fflush(file) == 0);
    CHECK(!foi_file_make(path, NULL, is_ours, ours, &why));
    CHECK_CONTAINS(why.text, "another run is writing it");
    fclose(file);
    CHECK_STATUS(foi_file_save(path, "theirs\n", 7, NULL, &why), FO_OK, &why);
    CHECK_STATUS(foi_file_makeable(path, NULL, is_ours, ours, &why), FO_ERROR_INPUT, &why);
    CHECK(!foi_file_make(path, NULL, is_ours, ours, &why));
    CHECK_STATUS(foi_file_makeable(path, NULL, NULL, NULL, &why), FO_OK, &why);
    CHECK_STATUS(foi_file_makeable(folder, NULL, NULL, NULL, &why), FO_ERROR_INPUT, &why);
    CHECK(!foi_file_make(folder, NULL, NULL, NULL, &why));
    CHECK_STATUS(foi_file_makeable(in_folder("no/such"), NULL, NULL, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK(mkfifo(in_folder("pipe"), 0600) == 0);
    CHECK_STATUS(foi_file_makeable(in_folder("pipe"), NULL, NULL, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK_CONTAINS(why.text, "it is no plain file");
    CHECK(!foi_file_make(in_folder("pipe"), NULL, NULL, NULL, &why));
    CHECK(!foi_file_read(in_folder("pipe"), NULL, &why));
    CHECK_CONTAINS(why.text, "it is no plain file");
    // a link that came with a document
    CHECK(symlink(path, in_folder("link")) == 0);
    CHECK(!foi_file_make(in_folder("link"), folder, NULL, NULL, &why));
    CHECK_CONTAINS(why.text, "a link in the folder is not followed");
    CHECK_STATUS(foi_file_makeable(in_folder("link"), folder, NULL, NULL, &why), FO_ERROR_INPUT,
                 &why);
    CHECK(!foi_file_read(in_folder("link"), folder, &why));
    file = foi_file_read(path, folder, &why);
    CHECK(file);
    if (file) fclose(file);
}

TEST(ends)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST_MAIN(TEST_ENTRY(begins), TEST_ENTRY(a_file_takes_the_place_of_another),
          TEST_ENTRY(two_at_once_refuse_each_other), TEST_ENTRY(a_file_that_cannot_be_read_is_said),
          TEST_ENTRY(documents_have_a_limit),
          TEST_ENTRY(devices_without_end_are_not_read_to_theirs),
          TEST_ENTRY(lists_of_numbers_come_back),
          TEST_ENTRY(numbers_are_looked_at_when_they_are_taken),
          TEST_ENTRY(links_are_not_followed_whoever_exchanges_them),
          TEST_ENTRY(names_of_documents_stay_in_their_folder), TEST_ENTRY(files_of_others_stay),
          TEST_ENTRY(what_is_lacking_is_said), TEST_ENTRY(ends))
