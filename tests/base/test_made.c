/// Who made a file: signed while it is written and when it is whole, and not any more when somebody
/// has copied or changed it. A file system without attributes says that it does not know.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/made.h"
#include "base/writer.h"
#include "test.h"

static char folder[] = "/tmp/foliot-made-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][128]; // the last four stay
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static foi_origin origin_of(const char *path)
{
    int fd = open(path, O_RDONLY);
    foi_origin origin = foi_file_origin(fd);
    close(fd);
    return origin;
}

static void put(const char *path, const char *text, int flags)
{
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

// Whether attributes are kept here at all.
static bool knows(void)
{
    const char *path = in_folder("probe");
    put(path, "x", 0);
    foi_origin origin = origin_of(path);
    unlink(path);
    return origin == FOI_MADE_BY_OTHERS;
}

TEST(a_file_that_was_saved_is_ours_until_somebody_changes_it)
{
    fo_message why = {0};
    REQUIRE(mkdtemp(folder));
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("saved"));
    CHECK_INT(foi_file_save(path, "abc", 3, NULL, &why), FO_OK);
    if (knows()) {
        CHECK_INT(origin_of(path), FOI_MADE_HERE);
        put(path, "d", O_APPEND);
        CHECK_INT(origin_of(path), FOI_MADE_BY_OTHERS); // another size
        CHECK_INT(foi_file_save(path, "abc", 3, NULL, &why), FO_OK);
        CHECK_INT(origin_of(path), FOI_MADE_HERE);
        usleep(20000); // a clock that ticks every 4 ms or so
        put(path, "xyz", 0);
        CHECK_INT(origin_of(path), FOI_MADE_BY_OTHERS); // another time
    } else
        CHECK_INT(origin_of(path), FOI_MADE_BY_ANYBODY);
    unlink(path);
}

TEST(rows_are_ours_while_they_are_written_and_afterwards)
{
    fo_message why = {0};
    foi_writer w;
    char copy[160];
    REQUIRE(foi_writer_open(&w, in_folder("rows"), 16, NULL, &why) == FO_OK);
    for (int i = 0; i < 3000; i++) {
        char *row = foi_writer_row(&w, &why);
        REQUIRE(row);
        foi_writer_row_end(&w, row + sprintf(row, "%d,%d\n", i, i * i));
    }
    if (knows()) CHECK_INT(origin_of(in_folder("rows")), FOI_MADE_HERE);
    CHECK_INT(foi_writer_close(&w, &why), FO_OK);
    snprintf(copy, sizeof copy, "cp %s/rows %s/copy", folder, folder);
    CHECK_INT(system(copy), 0);
    if (knows()) {
        CHECK_INT(origin_of(in_folder("rows")), FOI_MADE_HERE);
        CHECK_INT(origin_of(in_folder("copy")), FOI_MADE_BY_OTHERS);
    }
    // page by page, and all of it
    FILE *file = fopen(in_folder("rows"), "r");
    int a, b, count = 0;
    while (file && fscanf(file, "%d,%d", &a, &b) == 2 && a == count && b == a * a) count++;
    if (file) fclose(file);
    CHECK_INT(count, 3000);
    unlink(in_folder("rows"));
    unlink(in_folder("copy"));
}

static bool looks_fine(FILE *file, const void *self)
{
    (void)self;
    return getc(file) == '1';
}

TEST(a_file_of_somebody_else_is_not_emptied_though_it_looks_like_ours)
{
    fo_message why = {0};
    char path[128];
    snprintf(path, sizeof path, "%s", in_folder("theirs"));
    put(path, "1 2\n", 0);
    FILE *file = foi_file_make(path, NULL, looks_fine, NULL, &why);
    struct stat about;
    CHECK(stat(path, &about) == 0 && about.st_size == (file ? 0 : 4));
    if (knows()) {
        CHECK(!file);
        CHECK_CONTAINS(why.text, "--overwrite");
    }
    if (file) fclose(file);
    file = foi_file_make(path, NULL, NULL, NULL, &why); // who asks nobody gets it
    CHECK(file != NULL);
    if (file) fclose(file);
    file = foi_file_make(path, NULL, looks_fine, NULL, &why); // and now it is ours
    CHECK(file != NULL);
    if (file) fclose(file);
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

TEST_MAIN(TEST_ENTRY(a_file_that_was_saved_is_ours_until_somebody_changes_it),
          TEST_ENTRY(rows_are_ours_while_they_are_written_and_afterwards),
          TEST_ENTRY(a_file_of_somebody_else_is_not_emptied_though_it_looks_like_ours))
