// The folder of compiled programs: ours, and closed to others all the way up.
#include "base/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/foliot-cache-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TEST(begins)
{
    REQUIRE(mkdtemp(folder));
}

static void refused(const char *given, const char *because)
{
    char path[FOI_CACHE_FOLDER];
    fo_message why = {0};
    CHECK_INT(foi_cache_folder(given, path, &why), FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, because);
}

TEST(a_folder_that_is_given_is_looked_at)
{
    char path[FOI_CACHE_FOLDER];
    fo_message why = {0};
    CHECK_STATUS(foi_cache_folder(folder, path, &why), FO_OK, &why);
    CHECK(path[0] == '/' && strstr(path, "foliot-cache-"));
    refused(in_folder("none"), "no folder to keep compiled programs in: ");
    CHECK(mkdir(in_folder("open"), 0700) == 0 && chmod(in_folder("open"), 0777) == 0);
    refused(in_folder("open"), "can be written to by others");
    CHECK(mkdir(in_folder("open/below"), 0700) == 0);
    refused(in_folder("open/below"), "can be written to by others");
    CHECK(chmod(in_folder("open"), 01777) == 0); // nobody can take it away from there
    CHECK_STATUS(foi_cache_folder(in_folder("open/below"), path, &why), FO_OK, &why);
    refused(in_folder("open"), "can be written to by others");
    FILE *file = fopen(in_folder("file"), "w");
    REQUIRE(file);
    fclose(file);
    refused(in_folder("file"), "is no folder");
}

TEST(links_are_seen_through)
{
    char path[FOI_CACHE_FOLDER];
    fo_message why = {0};
    CHECK(mkdir(in_folder("real"), 0700) == 0);
    CHECK(symlink("real", in_folder("link")) == 0 && symlink("open", in_folder("trap")) == 0);
    CHECK_STATUS(foi_cache_folder(in_folder("link"), path, &why), FO_OK, &why);
    CHECK(strlen(path) > 5 && strcmp(path + strlen(path) - 5, "/real") == 0);
    refused(in_folder("trap"), "can be written to by others");
}

TEST(one_of_another_user_is_refused)
{
    if (geteuid() != 0) return; // only root can give one away
    CHECK(mkdir(in_folder("theirs"), 0700) == 0 && mkdir(in_folder("theirs/ours"), 0700) == 0);
    CHECK(chown(in_folder("theirs"), 65534, 65534) == 0);
    refused(in_folder("theirs"), "belongs to another user");
    refused(in_folder("theirs/ours"), "belongs to another user");
}

// An empty or a relative name in the environment is none.
TEST(the_environment_names_it)
{
    char path[FOI_CACHE_FOLDER], *far;
    fo_message why = {0};
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *kept_xdg = xdg ? strdup(xdg) : NULL, *kept_home = home ? strdup(home) : NULL;
    setenv("XDG_CACHE_HOME", in_folder("xdg"), 1);
    CHECK_STATUS(foi_cache_folder(NULL, path, &why), FO_OK, &why);
    CHECK(strstr(path, "/xdg/foliot"));
    setenv("XDG_CACHE_HOME", "", 1);
    CHECK(mkdir(in_folder("home"), 0700) == 0);
    setenv("HOME", in_folder("home"), 1);
    CHECK_STATUS(foi_cache_folder(NULL, path, &why), FO_OK, &why);
    CHECK(strstr(path, "/home/.cache/foliot"));
    static const char *const none[] = {"", "/", "///", "here", "."};
    for (size_t i = 0; i < FO_COUNT(none); i++) {
        setenv("XDG_CACHE_HOME", none[i], 1);
        setenv("HOME", none[i], 1);
        refused(NULL, "neither XDG_CACHE_HOME nor HOME names one");
    }
    far = calloc(1, 2 * FOI_CACHE_FOLDER);
    REQUIRE(far);
    memset(far, '/', 1), memset(far + 1, 'a', 2 * FOI_CACHE_FOLDER - 2);
    setenv("HOME", far, 1);
    refused(NULL, "neither XDG_CACHE_HOME nor HOME names one");
    free(far);
    if (kept_xdg)
        setenv("XDG_CACHE_HOME", kept_xdg, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    if (kept_home)
        setenv("HOME", kept_home, 1);
    else
        unsetenv("HOME");
    free(kept_xdg), free(kept_home);
}

TEST(an_object_that_cannot_have_its_name_is_said)
{
    fo_message why = {0};
    foi_digest source = {0};
    char made[1024], object[1024];
    snprintf(made, sizeof made, "%s", in_folder("made.so"));
    snprintf(object, sizeof object, "%s", in_folder("none/object.so"));
    FILE *file = fopen(made, "w");
    REQUIRE(file);
    fputs("object", file);
    fclose(file);
    CHECK_INT(foi_cache_keep(made, object, source, &why), FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "cannot make ");
    CHECK(access(made, F_OK) != 0); // nothing is left
}

TEST(what_processes_that_are_gone_have_left_goes)
{
    char names[6][128];
    pid_t gone = fork();
    REQUIRE(gone >= 0);
    if (gone == 0) _exit(0);
    CHECK(waitpid(gone, NULL, 0) == gone);
    snprintf(names[0], sizeof names[0], "%032x-%lx-7ffc.c", 1, (unsigned long)gone);
    snprintf(names[1], sizeof names[1], "%032x-%lx-7ffc.so", 1, (unsigned long)gone);
    snprintf(names[2], sizeof names[2], "%032x-%lx-7ffc.c", 1, (unsigned long)getpid());
    snprintf(names[3], sizeof names[3], "%032x.so", 1);
    snprintf(names[4], sizeof names[4], "%032x-%lx-7ffc.txt", 1, (unsigned long)gone);
    snprintf(names[5], sizeof names[5], "%031x-%lx-7ffc.c", 1, (unsigned long)gone);
    for (int i = 0; i < 6; i++) {
        FILE *file = fopen(in_folder(names[i]), "w");
        REQUIRE(file);
        fclose(file);
    }
    foi_cache_clean(in_folder("none"));
    foi_cache_clean(folder);
    for (int i = 0; i < 6; i++) CHECK_INT(access(in_folder(names[i]), F_OK) == 0, i >= 2);
}

TEST(ends)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

TEST_MAIN(TEST_ENTRY(begins), TEST_ENTRY(a_folder_that_is_given_is_looked_at),
          TEST_ENTRY(links_are_seen_through), TEST_ENTRY(one_of_another_user_is_refused),
          TEST_ENTRY(the_environment_names_it),
          TEST_ENTRY(an_object_that_cannot_have_its_name_is_said),
          TEST_ENTRY(what_processes_that_are_gone_have_left_goes), TEST_ENTRY(ends))
