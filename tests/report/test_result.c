// Files of results: what is written can be read again, whatever the format; hostile files are
// refused; two series are compared with their jumps aligned.
#include <foliot/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static const fo_description ball = {
    .name = "ball",
    .states = FO_VARIABLES({"h", "m", 1.5, "height"}, {"v, \"down\"", "m/s"}),
    .outputs = FO_VARIABLES({"energy", "J"}),
    .parameters = FO_VARIABLES({"g", "m/s2", 9.8, "gravity"}, {"e", NULL, 0.5}),
};
static const fo_system_type nothing = {.kind = "C"};
static const fo_system balls = {&nothing, &ball, NULL};
static const fo_reference all[] = {{FO_STATE, 0}, {FO_STATE, 1}, {FO_OUTPUT, 0}};

static void path_of(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/foliot-result-%d%s", (int)getpid(), ending);
}

static fo_result_file *open_as(const char *path, bool units)
{
    fo_result_def def = fo_default_result_def();
    fo_message why = {0};
    def.path = path, def.system = balls, def.signals = all, def.count = 3, def.units = units;
    fo_result_file *file = fo_result_open(&def, &why);
    if (!file) printf("%s\n", why.text);
    return file;
}

static double h_at(double t)
{
    return 1.5 - 4.9 * t * t + 1e-17 * t;
}

// Ten rows with a jump in the middle, which is written anew once.
static void fill(fo_result_file *file, double g_after)
{
    fo_observer o = fo_result_observer(file, 0.1);
    for (int i = 0; i <= 10; i++) {
        double t = 0.1 * i, values[] = {h_at(t), -t, 1.0 / 3 + t, i > 5 ? g_after : 9.8, 0.5};
        fo_row row = {.kind = FO_ROW_SAMPLE, .t = t, .values = values, .count = o.signal_count};
        CHECK_INT(o.row(o.self, &row, NULL), FO_OK);
        if (i != 5) continue;
        row.kind = FO_ROW_AFTER, values[1] = 77;
        CHECK_INT(o.row(o.self, &row, NULL), FO_OK);
        values[1] = 4;
        CHECK_INT(o.row(o.self, &row, NULL), FO_OK);
    }
}

static void check_columns(const char *path, bool units)
{
    fo_message why = {0};
    fo_columns *c = fo_columns_read(path, NULL, &why);
    REQUIRE(c);
    CHECK_INT(fo_columns_count(c), 4);
    CHECK_INT(fo_columns_rows(c), 12);
    CHECK_TEXT(fo_columns_name(c, 0), "time");
    CHECK_TEXT(fo_columns_name(c, 2), "v, \"down\"");
    CHECK_TEXT(fo_columns_unit(c, 2), units ? "m/s" : "");
    for (int k = 0; k < 12; k++) {
        double t = 0.1 * (k > 5 ? k - 1 : k);
        CHECK_NEAR(fo_columns_values(c, 0)[k], t, 0);
        CHECK_NEAR(fo_columns_values(c, 1)[k], h_at(t), 0);
        CHECK_NEAR(fo_columns_values(c, 2)[k], k == 6 ? 4 : -t, 0);
        CHECK_NEAR(fo_columns_values(c, 3)[k], 1.0 / 3 + t, 0);
    }
    fo_columns_destroy(c);
}

// The same bits come back from every format.
TEST(every_format_reads_back)
{
    static const char *const endings[] = {".csv", ".json", ".mat", ".csv"};
    for (int i = 0; i < 4; i++) {
        char path[64];
        path_of(path, endings[i]);
        fo_result_file *file = open_as(path, i == 3);
        REQUIRE(file);
        fill(file, 9.8);
        CHECK_INT(fo_result_rows(file), 12);
        CHECK(fo_result_changed(file, path + 63, 1) == NULL);
        CHECK_INT(fo_result_close(file, NULL), FO_OK);
        check_columns(path, i > 0);
        unlink(path);
    }
}

static unsigned whole(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8 | (unsigned)at[2] << 16 | (unsigned)at[3] << 24;
}

static size_t slurp(const char *path, unsigned char *bytes, size_t size)
{
    FILE *in = fopen(path, "rb");
    size_t length = in ? fread(bytes, 1, size, in) : 0;
    if (in) fclose(in);
    return length;
}

// The six matrices with the types and sizes that Modelica tools expect, byte by byte.
TEST(the_bytes_of_a_mat_file)
{
    static const struct {
        const char *name;
        unsigned type, rows, columns, size;
    } wanted[] = {{"Aclass", 51, 4, 11, 1},  {"name", 51, 9, 6, 1},  {"description", 51, 19, 6, 1},
                  {"dataInfo", 20, 4, 6, 4}, {"data_1", 0, 3, 2, 8}, {"data_2", 0, 4, 12, 8}};
    char path[64];
    static unsigned char bytes[4096];
    path_of(path, ".mat");
    fo_result_file *file = open_as(path, false);
    REQUIRE(file);
    fill(file, 9.8);
    fo_result_close(file, NULL);
    size_t length = slurp(path, bytes, sizeof bytes), at = 0;
    for (int i = 0; i < 6; i++) {
        CHECK_INT(whole(bytes + at), wanted[i].type);
        CHECK_INT(whole(bytes + at + 4), wanted[i].rows);
        CHECK_INT(whole(bytes + at + 8), wanted[i].columns);
        CHECK_INT(whole(bytes + at + 12), 0);
        CHECK_INT(whole(bytes + at + 16), strlen(wanted[i].name) + 1);
        CHECK_TEXT((char *)bytes + at + 20, wanted[i].name);
        const unsigned char *data = bytes + at + 20 + strlen(wanted[i].name) + 1;
        if (i == 0) CHECK(memcmp(data, "A1 bt. ir1 n", 12) == 0);
        if (i == 3) CHECK_INT(whole(data + 16), 2);     // h is in data_2,
        if (i == 3) CHECK_INT(whole(data + 20), 2);     // in its second row,
        if (i == 3) CHECK_INT(whole(data + 4 * 16), 1); // and g in data_1
        double g;
        if (i == 4) memcpy(&g, data + 8, 8), CHECK_NEAR(g, 9.8, 0);
        at += 20 + strlen(wanted[i].name) + 1 +
              (size_t)wanted[i].rows * wanted[i].columns * wanted[i].size;
    }
    CHECK_INT(at, length);
    unlink(path);
}

// A parameter that changes is no constant of data_1.
TEST(a_changed_parameter_is_told)
{
    char path[64], name[32];
    path_of(path, ".mat");
    fo_result_file *file = open_as(path, false);
    REQUIRE(file);
    fill(file, 3.7);
    CHECK_TEXT(fo_result_changed(file, name, sizeof name), "g");
    fo_result_close(file, NULL);
    unlink(path);
}

TEST(other_endings_are_refused)
{
    fo_result_format format;
    fo_message why = {0};
    CHECK_INT(fo_result_format_of("x.txt", &format, &why), FO_ERROR_ARGUMENT);
    CHECK(strstr(why.text, "ends with .txt"));
    CHECK_INT(fo_result_format_of("a.b/x", &format, &why), FO_ERROR_ARGUMENT);
    CHECK(strstr(why.text, "has no ending"));
    CHECK_INT(fo_result_format_of(".csv", &format, &why), FO_ERROR_ARGUMENT);
    CHECK_INT(fo_result_format_of("-", &format, &why), FO_OK);
    CHECK_INT(fo_result_format_of("/dev/null", &format, &why), FO_OK);
    CHECK_INT(fo_result_format_of("x.mat", &format, &why), FO_OK);
    CHECK_INT(format, FO_RESULT_MAT);
}

static void put_file(const char *path, const void *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    if (!out) return;
    fwrite(bytes, 1, length, out);
    fclose(out);
}

static fo_columns *read_text(const char *text, fo_message *why)
{
    char path[64];
    path_of(path, "-read.csv");
    put_file(path, text, strlen(text));
    fo_columns *c = fo_columns_read(path, NULL, why);
    unlink(path);
    return c;
}

TEST(csv_of_others)
{
    fo_message why = {0};
    fo_columns *c = read_text("\xef\xbb\xbf\"x\";\"time\";\n1;0;\r\n\n# no\n;1;\n", &why);
    REQUIRE(c);
    CHECK_INT(fo_columns_count(c), 2);
    CHECK_INT(fo_columns_rows(c), 2);
    CHECK_TEXT(fo_columns_name(c, 1), "x");
    CHECK_NEAR(fo_columns_values(c, 1)[0], 1, 0);
    CHECK(isnan(fo_columns_values(c, 1)[1]));
    fo_columns_destroy(c);
    static const char *const wrong[] = {"time,x\n0,1\n1,a\n", "time,x\n0\n",    "time,x\n0,1,2\n",
                                        "x,y\n0,1\n",         "time,x\n",       "",
                                        "time,x\n1,0\n0,0\n", "time,\"x\n0,1\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        why = (fo_message){0};
        CHECK(!read_text(wrong[i], &why));
        CHECK_INT(why.status, FO_ERROR_FORMAT);
    }
}

// Bytes that are changed or missing are refused or read as other numbers; nothing else happens.
TEST(hostile_mat_files)
{
    char path[64];
    static unsigned char bytes[4096], other[4096];
    path_of(path, ".mat");
    fo_result_file *file = open_as(path, false);
    REQUIRE(file);
    fill(file, 9.8);
    fo_result_close(file, NULL);
    size_t length = slurp(path, bytes, sizeof bytes);
    unsigned random = 1;
    for (int round = 0; round < 600; round++) {
        memcpy(other, bytes, length);
        size_t cut = length;
        random = random * 1664525u + 1013904223u;
        if (round % 3 == 0) cut = random % length;
        for (int k = 0; round % 3 && k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            other[(random >> 8) % (k ? 400 : length)] = (unsigned char)random;
        }
        put_file(path, other, cut);
        fo_message why = {0};
        fo_columns *c = fo_columns_read(path, NULL, &why);
        CHECK(c || why.text[0]);
        fo_columns_destroy(c);
    }
    unlink(path);
}

static bool write_and_read(const char *path, const fo_allocator *a)
{
    fo_result_def def = fo_default_result_def();
    fo_message why = {0};
    def.path = path, def.system = balls, def.signals = all, def.count = 3, def.allocator = a;
    fo_result_file *file = fo_result_open(&def, &why);
    if (!file) return false;
    fill(file, 9.8);
    fo_result_close(file, NULL);
    fo_columns *c = fo_columns_read(path, a, &why);
    if (!c) return false;
    fo_difference d;
    fo_compare_def how = fo_default_compare_def();
    how.allocator = a;
    bool fine = fo_columns_compare(c, 2, c, 2, &how, &d, &why) == FO_OK;
    CHECK(!fine || d.jumps == 1);
    fo_columns_destroy(c);
    return fine;
}

TEST(every_allocation_fails_once)
{
    static const char *const endings[] = {".csv", ".json", ".mat"};
    for (int i = 0; i < 3; i++) {
        char path[64];
        bool done = false;
        path_of(path, endings[i]);
        for (long n = 1; n < 500 && !done; n++) {
            test_memory memory;
            test_memory_init(&memory, n);
            done = write_and_read(path, &memory.allocator);
            CHECK_INT(memory.live, 0);
        }
        CHECK(done);
        unlink(path);
    }
}

// -------------------------------------------------------------------------------------- comparing

// A square wave over a ramp: it jumps at `at` and at `at` + 1, in rows `step` apart.
static fo_columns *wave(double at, double step, double lift, fo_message *why)
{
    static char text[65536];
    int used = sprintf(text, "time,x\n");
    double level = 0, edge = at;
    for (int i = 0; i * step <= 4 + 1e-9; i++) {
        double t = i * step;
        while (edge <= t && edge < at + 1.5) {
            used += sprintf(text + used, "%.17g,%.17g\n", edge, level + 0.1 * edge + lift);
            level = 1 - level;
            used += sprintf(text + used, "%.17g,%.17g\n", edge, level + 0.1 * edge + lift);
            edge += 1;
        }
        used += sprintf(text + used, "%.17g,%.17g\n", t, level + 0.1 * t + lift);
    }
    return read_text(text, why);
}

static fo_difference compare(double at, double step, double lift, double tolerance)
{
    fo_message why = {0};
    fo_difference d = {0};
    fo_columns *a = wave(1, 0.05, 0, &why), *b = wave(at, step, lift, &why);
    fo_compare_def def = fo_default_compare_def();
    def.tolerance = tolerance;
    if (!a || !b || fo_failed(fo_columns_compare(a, 1, b, 1, &def, &d, &why)))
        printf("%s\n", why.text), d.worst = NAN;
    fo_columns_destroy(a);
    fo_columns_destroy(b);
    return d;
}

TEST(a_jump_from_what_is_no_number_has_its_counterpart)
{
    fo_message why = {0};
    fo_difference d;
    const fo_compare_def def = fo_default_compare_def();
    fo_columns *a = read_text("time,x\n0,0\n1,\n1,5\n2,6\n", &why);
    fo_columns *b = read_text("time,x\n0,0\n1,1\n1,5\n2,6\n", &why);
    REQUIRE(a && b);
    CHECK_INT(fo_columns_compare(a, 1, a, 1, &def, &d, &why), FO_OK);
    CHECK_NEAR(d.worst, 0, 0);
    CHECK_INT(d.jumps, 1);
    CHECK_INT(d.lone, 0);
    CHECK_INT(fo_columns_compare(a, 1, b, 1, &def, &d, &why), FO_OK);
    CHECK(isinf(d.worst) && !d.within);
    CHECK_INT(fo_columns_compare(b, 1, a, 1, &def, &d, &why), FO_OK);
    CHECK(isinf(d.worst) && !d.within);
    fo_columns_destroy(a);
    fo_columns_destroy(b);
}

TEST(a_late_jump_is_no_large_difference)
{
    fo_difference d = compare(1, 0.05, 0, 1e-3);
    CHECK_NEAR(d.worst, 0, 0);
    CHECK_INT(d.jumps, 2);
    // both jumps come 2 ms later: the ramp lies 0.1 * 0.002 lower after the time is stretched
    d = compare(1.002, 0.05, 0, 1e-3);
    CHECK_INT(d.jumps, 2);
    CHECK_INT(d.lone, 0);
    CHECK_NEAR(d.shift, 0.002, 1e-12);
    CHECK_NEAR(d.worst, 2e-4, 1e-9);
    CHECK(d.within);
    // rows elsewhere, and a grid that is finer
    d = compare(1.002, 0.013, 0, 1e-3);
    CHECK_NEAR(d.worst, 2e-4, 1e-9);
    // 0.3 s are more than a thousandth of the time: the whole height of the jump
    d = compare(1.3, 0.05, 0, 1e-3);
    CHECK_INT(d.lone, 4);
    CHECK_NEAR(d.worst, 1, 1e-9);
    CHECK(!d.within);
    // a shift in value is found beside one in time
    d = compare(1.002, 0.05, 0.01, 1e-3);
    CHECK(d.worst > 0.0097 && d.worst < 0.0103);
    CHECK(!d.within);
    CHECK(compare(1.002, 0.05, 0.01, 0.01).within);
}

TEST(the_time_in_common)
{
    fo_message why = {0};
    fo_difference d;
    const fo_compare_def def = fo_default_compare_def();
    fo_columns *a = read_text("time,x\n0,0\n2,2\n", &why);
    fo_columns *b = read_text("time,x\n-1,-1\n1,1\n3,9\n", &why);
    REQUIRE(a && b);
    CHECK_INT(fo_columns_compare(a, 1, b, 1, &def, &d, &why), FO_OK);
    CHECK_NEAR(d.worst, 3, 1e-12); // at 2 b has 5
    CHECK_NEAR(d.at, 2, 0);
    CHECK_INT(fo_columns_compare(b, 1, a, 1, &def, &d, &why), FO_OK);
    CHECK_NEAR(d.worst, 3, 1e-12);
    fo_columns *c = read_text("time,x\n5,0\n6,2\n", &why);
    REQUIRE(c);
    CHECK_INT(fo_columns_compare(a, 1, c, 1, &def, &d, &why), FO_ERROR_ARGUMENT);
    fo_columns *n = read_text("time,x\n0,0\n1,\n2,2\n", &why);
    REQUIRE(n);
    CHECK_INT(fo_columns_compare(n, 1, a, 1, &def, &d, &why), FO_OK);
    CHECK(isinf(d.worst)); // though a has no row there
    CHECK_INT(fo_columns_compare(a, 1, n, 1, &def, &d, &why), FO_OK);
    CHECK(!d.within);
    CHECK_NEAR(d.at, 1, 0);
    CHECK_INT(fo_columns_compare(n, 1, n, 1, &def, &d, &why), FO_OK);
    CHECK_NEAR(d.worst, 0, 0);
    fo_columns_destroy(a);
    fo_columns_destroy(b);
    fo_columns_destroy(c);
    fo_columns_destroy(n);
}

TEST_MAIN(TEST_ENTRY(every_format_reads_back), TEST_ENTRY(the_bytes_of_a_mat_file),
          TEST_ENTRY(a_changed_parameter_is_told), TEST_ENTRY(other_endings_are_refused),
          TEST_ENTRY(csv_of_others), TEST_ENTRY(hostile_mat_files),
          TEST_ENTRY(a_jump_from_what_is_no_number_has_its_counterpart),
          TEST_ENTRY(a_late_jump_is_no_large_difference), TEST_ENTRY(the_time_in_common),
          TEST_ENTRY(every_allocation_fails_once))
