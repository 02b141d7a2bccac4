// Lines that reach a file whole: written by a process that is killed in the middle.
#include "base/whole_write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

enum { LINES = 400 };

// Lines of many lengths; each ends with its number, so that a part of one is seen.
static size_t fill(char *text, unsigned first)
{
    size_t used = 0;
    for (unsigned i = 0; i < LINES; i++) {
        size_t dots = (first + i) * 7919 % 211;
        memset(text + used, '.', dots);
        used += dots;
        used += (size_t)sprintf(text + used, "%u\n", first + i);
    }
    return used;
}

// How many whole lines, in their order, a file has from its beginning; -1 if it has anything else.
// `torn`: the last one may end in its middle.
static long count_lines(const char *path, bool torn)
{
    FILE *in = fopen(path, "r");
    char line[512];
    long count = 0;
    while (in && fgets(line, sizeof line, in)) {
        size_t dots = strspn(line, ".");
        bool whole = strchr(line, '\n') && dots == (unsigned long)count * 7919 % 211 &&
                     strtol(line + dots, NULL, 10) == count;
        if (torn && !strchr(line, '\n') && fgetc(in) == EOF) break;
        if (!whole) {
            count = -1;
            break;
        }
        count++;
    }
    if (in) fclose(in);
    return in ? count : -1;
}

static void write_on(const char *path)
{
    static char text[LINES * 240];
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (!foi_lock_alone(fd) || ftruncate(fd, 0) != 0) _exit(1);
    for (unsigned first = 0; first < 40000000; first += LINES) {
        size_t count = fill(text, first);
        for (size_t done = 0; done < count;) {
            ssize_t n = foi_write_whole(fd, text + done, count - done);
            if (n <= 0) _exit(1);
            done += (size_t)n;
        }
        if (first % (100 * LINES) == 0 && first) { // or the disk is full before the kill comes
            if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) _exit(1);
            first = (unsigned)-LINES;
        }
    }
    _exit(0);
}

static void nap(long nanoseconds)
{
    const struct timespec t = {.tv_nsec = nanoseconds};
    nanosleep(&t, NULL);
}

// What was begun for the process that was killed is there when the lock is free.
static long settle(const char *path, bool torn)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) return -1;
    long lines = count_lines(path, torn);
    close(fd);
    return lines;
}

// Whether what crosses a page is written by another process here: then all is taken at once.
// Emulators make no such process; there the line that crosses a page can be torn, no other.
static bool is_written_by_another(int fd)
{
    static char text[LINES * 240];
    size_t count = fill(text, 0);
    return foi_write_whole(fd, text, count) == (ssize_t)count;
}

TEST(a_kill_leaves_whole_lines)
{
    char path[] = "/tmp/foliot-whole-XXXXXX";
    int kills = test_is_sanitized() ? 10 : 40, torn = 0, some = 0, fd = mkstemp(path);
    REQUIRE(fd >= 0);
    bool promised = is_written_by_another(fd);
    close(fd);
#ifdef __x86_64__
    CHECK(promised);
#endif
    for (int i = 0; i < kills; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (i % 2) setpgid(0, 0);
            write_on(path);
        }
        REQUIRE(child > 0);
        nap(2000000 + i * 7919 % 5000 * 1000);
        kill(i % 2 ? -child : child, SIGKILL);
        kill(child, SIGKILL); // where the group was not there yet
        waitpid(child, NULL, 0);
        long lines = settle(path, !promised);
        torn += lines < 0;
        some += lines > 0;
    }
    CHECK_INT(torn, 0);
    CHECK(some > 0);
    unlink(path);
}

// Nothing but the bytes, wherever a page begins, and no child that somebody else would hear of.
TEST(it_writes_what_write_does)
{
    char path[] = "/tmp/foliot-whole-XXXXXX";
    static char text[LINES * 240];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    for (unsigned first = 0; first < 20 * LINES; first += LINES) {
        size_t count = fill(text, first);
        for (size_t done = 0; done < count;) {
            size_t part = count - done < 9001 ? count - done : 9001;
            ssize_t n = foi_write_whole(fd, text + done, part);
            REQUIRE(n > 0 && (size_t)n <= part);
            done += (size_t)n;
        }
    }
    CHECK_INT(count_lines(path, false), 20 * LINES);
    CHECK(waitpid(-1, NULL, __WALL | WNOHANG) < 0 && errno == ECHILD);
    close(fd);
    unlink(path);
}

// A full disk: what it took counts, and then the reason.
TEST(a_full_disk_is_said)
{
    char path[] = "/tmp/foliot-whole-XXXXXX";
    static char text[LINES * 240];
    size_t count = fill(text, 0);
    struct rlimit before, small;
    int fd = mkstemp(path);
    REQUIRE(fd >= 0 && getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before, small.rlim_cur = 10000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    size_t done = 0;
    ssize_t n = 0;
    while (done < count && (n = foi_write_whole(fd, text + done, count - done)) > 0)
        done += (size_t)n;
    int error = errno;
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_INT((long)done, 10000);
    CHECK_INT(n, -1);
    CHECK_INT(error, EFBIG);
    close(fd);
    unlink(path);
}

// Without a process to spare it is written all the same.
TEST(no_other_process)
{
    char path[] = "/tmp/foliot-whole-XXXXXX";
    static char text[LINES * 240];
    size_t count = fill(text, 0);
    int fd = mkstemp(path), status = -1;
    REQUIRE(fd >= 0);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        size_t done = 0;
        if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(1);
        if (getuid() == 0 && setuid(65534) != 0) _exit(2);
        for (ssize_t n = 1; done < count && n > 0; done += n > 0 ? (size_t)n : 0)
            n = foi_write_whole(fd, text + done, count - done);
        _exit(done == count ? 0 : 3);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    CHECK_INT(count_lines(path, false), LINES);
    close(fd);
    unlink(path);
}

TEST(a_stream_of_lines)
{
    char path[] = "/tmp/foliot-whole-XXXXXX";
    static char text[LINES * 240];
    size_t count = fill(text, 0);
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    FILE *file = fdopen(fd, "r+"), *out = file ? foi_whole_stream(file, true) : NULL;
    REQUIRE(out);
    for (size_t i = 0; i < count; i++) fputc(text[i], out);
    CHECK_INT(count_lines(path, false), LINES); // each was flushed
    CHECK(fseek(out, 0, SEEK_SET) == 0);
    CHECK(fputs("0\n", out) >= 0); // the first line has no dots
    CHECK(fclose(out) == 0);
    CHECK_INT(count_lines(path, false), LINES);
    unlink(path);
}

TEST_MAIN(TEST_ENTRY(a_kill_leaves_whole_lines), TEST_ENTRY(it_writes_what_write_does),
          TEST_ENTRY(a_full_disk_is_said), TEST_ENTRY(no_other_process),
          TEST_ENTRY(a_stream_of_lines))
