// CSV: the format byte by byte, rows at jumps, numbers that read back, a disk that is full.
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static const fo_description ball = {
    .name = "ball",
    .states = FO_VARIABLES({"h", "m", 1.5}, {"v, down", "m/s"}),
    .outputs = FO_VARIABLES({"the \"energy\"", "J"}),
};
static const fo_system_type nothing = {.kind = "C"};
static const fo_system balls = {&nothing, &ball, NULL};

typedef struct scratch_file {
    char path[64];
    char text[4096];
} scratch_file;

static void scratch_make(scratch_file *file)
{
    strcpy(file->path, "/tmp/foliot-test-XXXXXX");
    int fd = mkstemp(file->path);
    if (fd >= 0) close(fd);
}

static const char *scratch_read(scratch_file *file)
{
    FILE *in = fopen(file->path, "r");
    size_t length = in ? fread(file->text, 1, sizeof file->text - 1, in) : 0;
    if (in) fclose(in);
    file->text[length] = 0;
    return file->text;
}

static fo_status give(const fo_observer *o, fo_row_kind kind, double t, double h, double v,
                      fo_message *why)
{
    double values[] = {h, v, h + v};
    fo_row row = {.kind = kind, .t = t, .values = values, .count = o->signal_count};
    return o->row(o->self, &row, why);
}

// Before a checkpoint all rows are in the file; the last one may still be written anew.
TEST(rows_are_kept)
{
    scratch_file file;
    scratch_make(&file);
    fo_message why;
    fo_csv *csv = fo_csv_open(file.path, balls, NULL, 0, NULL, &why);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 0.1);
    const char *two = "time,h,\"v, down\",\"the \"\"energy\"\"\"\n0,1,0,1\n0.5,1,2,3\n";
    char three[128];
    give(&o, FO_ROW_SAMPLE, 0, 1, 0, &why);
    CHECK_INT(o.keep(o.self, &why), FO_OK);
    give(&o, FO_ROW_AFTER, 0.5, 1, 2, &why);
    CHECK_INT(o.keep(o.self, &why), FO_OK);
    CHECK_TEXT(scratch_read(&file), two);
    CHECK_INT(o.keep(o.self, &why), FO_OK);
    CHECK_TEXT(scratch_read(&file), two);
    give(&o, FO_ROW_AFTER, 0.5, 4, 2, &why); // another jump of the same instant
    give(&o, FO_ROW_SAMPLE, 1, 0, 0, &why);
    CHECK_INT(fo_csv_rows(csv), 3);
    CHECK_INT(fo_csv_close(csv, &why), FO_OK);
    snprintf(three, sizeof three, "%.*s0.5,4,2,6\n1,0,0,0\n", (int)(strlen(two) - 10), two);
    CHECK_TEXT(scratch_read(&file), three);
    remove(file.path);
}

TEST(header_and_rows)
{
    scratch_file file;
    scratch_make(&file);
    fo_message why;
    fo_csv *csv = fo_csv_open(file.path, balls, NULL, 0, NULL, &why);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 0.1);
    CHECK_INT(o.signal_count, 3);
    CHECK_NEAR(o.interval, 0.1, 0);
    give(&o, FO_ROW_SAMPLE, 0, 1.5, -0.5, &why);
    give(&o, FO_ROW_SAMPLE, 0.1, NAN, 1e-9, &why);
    CHECK_INT(fo_csv_rows(csv), 2);
    CHECK_STATUS(fo_csv_close(csv, &why), FO_OK, &why);
    CHECK_TEXT(scratch_read(&file), "time,h,\"v, down\",\"the \"\"energy\"\"\"\n"
                                    "0,1.5,-0.5,1\n"
                                    "0.1,nan,1e-9,nan\n");
    unlink(file.path);
}

TEST(chosen_signals)
{
    scratch_file file;
    scratch_make(&file);
    fo_reference h = {FO_STATE, 0};
    fo_csv *csv = fo_csv_open(file.path, balls, &h, 1, NULL, NULL);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 0);
    give(&o, FO_ROW_STEP, 0.25, 2, 0, NULL);
    CHECK_STATUS(fo_csv_close(csv, NULL), FO_OK, NULL);
    CHECK_TEXT(scratch_read(&file), "time,h\n0.25,2\n");
    unlink(file.path);
}

TEST(a_jump_is_exactly_two_rows)
{
    scratch_file file;
    scratch_make(&file);
    fo_reference h = {FO_STATE, 0};
    fo_csv *csv = fo_csv_open(file.path, balls, &h, 1, NULL, NULL);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 1);
    give(&o, FO_ROW_SAMPLE, 0, 1, 0, NULL);
    give(&o, FO_ROW_SAMPLE, 1, 2, 0, NULL); // on the grid, and then a jump there
    give(&o, FO_ROW_BEFORE, 1, 2, 0, NULL);
    give(&o, FO_ROW_AFTER, 1, 3, 0, NULL);
    give(&o, FO_ROW_SAMPLE, 1, 3, 0, NULL); // the same instant again
    give(&o, FO_ROW_BEFORE, 1.5, 4, 0, NULL);
    give(&o, FO_ROW_AFTER, 1.5, 5, 0, NULL);
    give(&o, FO_ROW_BEFORE, 1.5, 5, 0, NULL); // a second jump at the same time
    give(&o, FO_ROW_AFTER, 1.5, 6, 0, NULL);
    give(&o, FO_ROW_SAMPLE, 2, 7, 0, NULL);
    CHECK_INT(fo_csv_rows(csv), 6);
    CHECK_STATUS(fo_csv_close(csv, NULL), FO_OK, NULL);
    CHECK_TEXT(scratch_read(&file), "time,h\n0,1\n1,2\n1,3\n1.5,4\n1.5,6\n2,7\n");
    unlink(file.path);
}

TEST(numbers_read_back_to_the_same_bits)
{
    enum { ROWS = 20000 };
    scratch_file file;
    scratch_make(&file);
    fo_reference h = {FO_STATE, 0};
    fo_csv *csv = fo_csv_open(file.path, balls, &h, 1, NULL, NULL);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 1);
    for (int i = 0; i < ROWS; i++) give(&o, FO_ROW_SAMPLE, i * 0.001, exp(sin(i) * 50), 0, NULL);
    CHECK_STATUS(fo_csv_close(csv, NULL), FO_OK, NULL);
    FILE *in = fopen(file.path, "r");
    REQUIRE(in);
    char line[128];
    CHECK(fgets(line, sizeof line, in));
    int same = 0;
    for (int i = 0; i < ROWS && fgets(line, sizeof line, in); i++) {
        char *comma;
        double t = strtod(line, &comma), v = strtod(comma + 1, NULL);
        same += t == i * 0.001 && v == exp(sin(i) * 50);
    }
    CHECK_INT(same, ROWS);
    fclose(in);
    unlink(file.path);
}

TEST(a_file_that_cannot_be_opened)
{
    fo_message why = {0};
    CHECK(!fo_csv_open("/no such folder/x.csv", balls, NULL, 0, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_INPUT);
    CHECK_TEXT(why.text, "cannot write /no such folder/x.csv: No such file or directory");
}

TEST(two_writers_refuse_each_other)
{
    fo_message why = {0};
    scratch_file file;
    scratch_make(&file);
    fo_csv *first = fo_csv_open(file.path, balls, NULL, 0, NULL, &why);
    REQUIRE(first);
    fo_observer o = fo_csv_observer(first, 0);
    give(&o, FO_ROW_SAMPLE, 0, 1, 2, &why);
    CHECK(!fo_csv_open(file.path, balls, NULL, 0, NULL, &why));
    CHECK_INT(why.status, FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "another run is writing");
    CHECK_INT(fo_csv_close(first, &why), FO_OK);
    CHECK_CONTAINS(scratch_read(&file), "\n0,1,2,3\n"); // it was not emptied by the second
    fo_csv *second = fo_csv_open(file.path, balls, NULL, 0, NULL, &why);
    CHECK(second);
    CHECK_INT(fo_csv_close(second, &why), FO_OK);
    CHECK(!strstr(scratch_read(&file), "0,1,2,3"));
    unlink(file.path);
}

TEST(full_device)
{
    if (access("/dev/full", W_OK) != 0) return;
    fo_message why = {0};
    fo_csv *csv = fo_csv_open("/dev/full", balls, NULL, 0, NULL, &why);
    REQUIRE(csv);
    fo_observer o = fo_csv_observer(csv, 1);
    fo_status status = FO_OK;
    for (int i = 0; i < 100000 && status == FO_OK; i++)
        status = give(&o, FO_ROW_SAMPLE, i, sin(i), cos(i), &why);
    CHECK_STATUS(status, FO_ERROR_INPUT, &why);
    CHECK_TEXT(why.text, "writing /dev/full failed after 0 rows: No space left on device; the rows "
                         "before are valid");
    why.text[0] = 0;
    CHECK_STATUS(fo_csv_close(csv, &why), FO_ERROR_INPUT, &why);
    CHECK_CONTAINS(why.text, "No space left on device");
}

// Writes until the limit of the file's size is hit, in a process of its own: limits stay.
static void write_against_limit(const char *path)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {100000, 100000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    fo_message why = {0};
    fo_csv *csv = fo_csv_open(path, balls, NULL, 0, NULL, &why);
    if (!csv) _exit(2);
    fo_observer o = fo_csv_observer(csv, 1);
    fo_status status = FO_OK;
    for (int i = 0; i < 100000 && status == FO_OK; i++)
        status = give(&o, FO_ROW_SAMPLE, i, sin(i), cos(i), &why);
    size_t rows = fo_csv_rows(csv);
    fo_csv_close(csv, &why);
    char expected[128];
    snprintf(expected, sizeof expected, "failed after %zu rows: File too large", rows);
    _exit(status != FO_ERROR_INPUT ? 3 : !strstr(why.text, expected) ? 4 : rows < 1000 ? 5 : 0);
}

TEST(full_disk_leaves_whole_rows)
{
    scratch_file file;
    scratch_make(&file);
    pid_t child = fork();
    if (child == 0) write_against_limit(file.path);
    int result = -1;
    CHECK(waitpid(child, &result, 0) == child);
    CHECK_INT(result, 0);
    FILE *in = fopen(file.path, "r");
    REQUIRE(in);
    char line[256];
    long rows = -1, whole = 0, bytes = 0;
    for (; fgets(line, sizeof line, in); rows++) {
        double t, h, v, e;
        bytes += (long)strlen(line);
        whole += sscanf(line, "%lf,%lf,%lf,%lf\n", &t, &h, &v, &e) == 4 &&
                 line[strlen(line) - 1] == '\n' && t == (double)rows && h == sin((double)rows) &&
                 v == cos((double)rows) && e == h + v;
    }
    CHECK_INT(whole, rows);
    CHECK(bytes > 99000 && bytes <= 100000);
    fclose(in);
    unlink(file.path);
}

TEST(a_reader_that_has_gone)
{
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    fo_message why = {0};
    fo_csv *csv = fo_csv_open(path, balls, NULL, 0, NULL, &why);
    REQUIRE(csv);
    close(ends[0]);
    close(ends[1]);
    CHECK_STATUS(fo_csv_close(csv, &why), FO_ERROR_CANCELLED, &why);
    signal(SIGPIPE, SIG_DFL);
}

TEST(moments)
{
    scratch_file file;
    scratch_make(&file);
    fo_moment_csv *csv = fo_moment_csv_open(file.path, FO_ACTS_NONE, NULL, NULL);
    REQUIRE(csv);
    fo_observer o = fo_moment_csv_observer(csv);
    fo_moment list[] = {{.kind = FO_GUARD, .t = 0.5, .k = 1, .name = "bounce"},
                        {.kind = FO_EXTERNAL, .t = 1, .k = 2, .name = "push, hard"},
                        {.kind = FO_ZENO, .t = 4.25, .k = 1, .name = NULL}};
    for (int i = 0; i < 3; i++) CHECK_STATUS(o.moment(o.self, &list[i], NULL), FO_OK, NULL);
    CHECK_INT(fo_moment_csv_rows(csv), 3);
    CHECK_STATUS(fo_moment_csv_close(csv, NULL), FO_OK, NULL);
    CHECK_TEXT(scratch_read(&file), "time,name,kind,k\n0.5,bounce,guard,1\n"
                                    "1,\"push, hard\",external,2\n4.25,,zeno,1\n");
    unlink(file.path);
}

TEST(every_allocation_fails_once)
{
    scratch_file file, other;
    scratch_make(&file);
    scratch_make(&other);
    test_memory memory;
    bool done = false;
    for (long n = 1; !done && n < 50; n++) {
        test_memory_init(&memory, n);
        fo_message why = {0};
        fo_csv *csv = fo_csv_open(file.path, balls, NULL, 0, &memory.allocator, &why);
        fo_moment_csv *moments =
            fo_moment_csv_open(other.path, FO_ACTS_NONE, &memory.allocator, &why);
        done = csv && moments;
        if (!done) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_csv_close(csv, NULL);
        fo_moment_csv_close(moments, NULL);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done);
    unlink(file.path);
    unlink(other.path);
}

TEST_MAIN(TEST_ENTRY(rows_are_kept), TEST_ENTRY(header_and_rows), TEST_ENTRY(chosen_signals),
          TEST_ENTRY(a_jump_is_exactly_two_rows), TEST_ENTRY(numbers_read_back_to_the_same_bits),
          TEST_ENTRY(a_file_that_cannot_be_opened), TEST_ENTRY(two_writers_refuse_each_other),
          TEST_ENTRY(full_device), TEST_ENTRY(full_disk_leaves_whole_rows),
          TEST_ENTRY(a_reader_that_has_gone), TEST_ENTRY(moments),
          TEST_ENTRY(every_allocation_fails_once))
