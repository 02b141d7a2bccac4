// What the default of --memory is half of: read from files that look like those of the system.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/free_memory.h"
#include "test.h"

static char root[64];

// Writes a file below the root, with its folders.
static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        *slash = 0, mkdir(whole, 0700), *slash = '/';
    FILE *file = fopen(whole, "w");
    REQUIRE(file && fputs(text, file) >= 0);
    fclose(file);
}

static void begin(const char *available)
{
    snprintf(root, sizeof root, "/tmp/foliot-memory-XXXXXX");
    REQUIRE(mkdtemp(root));
    char text[200];
    snprintf(text, sizeof text, "MemTotal:       24683520 kB\nMemFree:        100 kB\n%s",
             available);
    put("proc/meminfo", text);
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}

static long long kilobytes(void)
{
    return (long long)(free_memory(root) >> 10);
}

TEST(the_machine)
{
    begin("MemAvailable:   8000000 kB\nMemAvailableNot: 1 kB\n");
    CHECK_INT(kilobytes(), 8000000);
    end();
    begin(""); // a system that does not say it
    CHECK_INT((long long)free_memory(root), 0);
    end();
    begin("MemAvailable:   soon\n");
    CHECK_INT((long long)free_memory(root), 0);
    end();
    CHECK_INT((long long)free_memory("/nowhere"), 0);
}

TEST(groups_of_the_second_version)
{
    begin("MemAvailable:   8000000 kB\n");
    put("proc/self/cgroup", "0::/user/me\n");
    put("sys/fs/cgroup/user/me/memory.max", "max\n");
    put("sys/fs/cgroup/user/me/memory.current", "1024000\n");
    CHECK_INT(kilobytes(), 8000000); // no limit
    put("sys/fs/cgroup/user/memory.max", "4096000000\n");
    put("sys/fs/cgroup/user/memory.current", "2048000000\n");
    CHECK_INT(kilobytes(), 2000000); // the group that it is in has one
    put("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 1024000000\n");
    CHECK_INT(kilobytes(), 3000000); // files that can be forgotten
    put("sys/fs/cgroup/user/me/memory.max", "1024000000\n");
    CHECK_INT(kilobytes(), 999000); // its own is less
    put("sys/fs/cgroup/user/me/memory.current", "1024000001\n");
    CHECK_INT((long long)free_memory(root), 1); // nothing is left, and that is known
    put("sys/fs/cgroup/user/me/memory.max", "9223372036854771712\n");
    put("sys/fs/cgroup/user/memory.max", "max\n");
    put("sys/fs/cgroup/memory.max", "102400000\n"); // as a container sees its own
    CHECK_INT(kilobytes(), 100000);
    end();
}

TEST(groups_of_the_first_version)
{
    begin("MemAvailable:   8000000 kB\n");
    put("proc/self/cgroup", "9:name=systemd:/\n4:memory:/a/b\n1:cpu:/\n0::/\n");
    CHECK_INT(kilobytes(), 8000000);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "2048000000\n");
    put("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1536000000\n");
    put("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 7\ntotal_inactive_file 512000000\n");
    CHECK_INT(kilobytes(), 1000000);
    end();
}

// Whatever stands there, it is a number and no crash.
TEST(nonsense)
{
    begin("MemAvailable:   8000000 kB\n");
    static char path[9000];
    memset(path, 'x', sizeof path - 1);
    memcpy(path, "0::/", 4);
    put("proc/self/cgroup", path);
    CHECK_INT(kilobytes(), 8000000);
    put("proc/self/cgroup", "\n:::\n0:\n0::\n0::../../..\n");
    CHECK_INT(kilobytes(), 8000000);
    put("sys/fs/cgroup/memory.max", "-1\n");
    CHECK_INT(kilobytes(), 8000000);
    end();
}

TEST_MAIN(TEST_ENTRY(the_machine), TEST_ENTRY(groups_of_the_second_version),
          TEST_ENTRY(groups_of_the_first_version), TEST_ENTRY(nonsense))
