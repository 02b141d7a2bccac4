/// Temporary folders: several processes make theirs at the same time, each removing what dead ones
/// have left, and nobody takes another's for that.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmi/folder.h"
#include "test.h"

enum { PROCESSES = 6, ROUNDS = 200 };

// How often a folder was not made, or was gone while it was used.
static int make_and_use(void)
{
    int lost = 0;
    for (int i = 0; i < ROUNDS; i++) {
        foi_folder f = {.lock = -1};
        struct stat about;
        if (foi_folder_make(&f, NULL) != FO_OK) {
            lost++;
            continue;
        }
        for (int look = 0; look < 10; look++)
            if (stat(f.path, &about) != 0) {
                lost++;
                break;
            }
        foi_folder_remove(&f);
    }
    return lost;
}

TEST(folders_are_made_side_by_side)
{
    char place[] = "/tmp/foliot-test-folder-XXXXXX";
    pid_t child[PROCESSES];
    REQUIRE(mkdtemp(place) && setenv("TMPDIR", place, 1) == 0);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        REQUIRE(child[i] >= 0);
        if (child[i] == 0) _exit(make_and_use() > 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int how = 1;
        CHECK(waitpid(child[i], &how, 0) == child[i] && how == 0);
    }
    CHECK(rmdir(place) == 0); // it is empty
}

// One whose process was killed is removed by the next one.
TEST(what_is_left_behind_is_removed)
{
    char place[] = "/tmp/foliot-test-folder-XXXXXX";
    REQUIRE(mkdtemp(place) && setenv("TMPDIR", place, 1) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        foi_folder f = {.lock = -1};
        _exit(foi_folder_make(&f, NULL) != FO_OK);
    }
    int how = 1;
    CHECK(waitpid(child, &how, 0) == child && how == 0);
    CHECK(rmdir(place) != 0);
    foi_folder f = {.lock = -1};
    REQUIRE(foi_folder_make(&f, NULL) == FO_OK);
    foi_folder_remove(&f);
    CHECK(rmdir(place) == 0);
}

// Folders in folders, each with a file, `depth` of them; the last one cannot be read.
static bool dig(const char *path, int depth)
{
    int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < depth && at >= 0; i++) {
        int file = openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
        int next =
            mkdirat(at, "1", 0700) == 0 ? openat(at, "1", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        close(file);
        close(at);
        at = next;
    }
    bool good = at >= 0 && symlinkat("/", at, "link") == 0 && fchmod(at, 0) == 0;
    if (at >= 0) close(at);
    return good;
}

// More levels than a process may have files open, and several branches of them.
TEST(deep_folders_are_removed)
{
    char place[] = "/tmp/foliot-test-folder-XXXXXX", inner[600];
    foi_folder f = {.lock = -1};
    REQUIRE(mkdtemp(place) && setenv("TMPDIR", place, 1) == 0);
    REQUIRE(foi_folder_make(&f, NULL) == FO_OK);
    for (int i = 0; i < 3; i++) {
        snprintf(inner, sizeof inner, "%s/branch%d", f.path, i);
        REQUIRE(mkdir(inner, 0700) == 0 && dig(inner, i == 0 ? 1200 : 70));
        if (i == 2) CHECK(chmod(inner, 0500) == 0);
    }
    foi_folder_remove(&f);
    CHECK(rmdir(place) == 0);
}

TEST_MAIN(TEST_ENTRY(folders_are_made_side_by_side), TEST_ENTRY(what_is_left_behind_is_removed),
          TEST_ENTRY(deep_folders_are_removed))
