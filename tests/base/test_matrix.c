/// Matrices of files: what is written here in every form that there is must be read as it was; and
/// files that are cut short or changed anywhere are refused, or give a matrix of finite numbers.
#include "base/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/inflate.h"
#include "test.h"

typedef struct buffer {
    uint8_t bytes[40000];
    size_t size;
    bool big; ///< the highest byte first
} buffer;

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void put(buffer *b, const void *bytes, size_t size)
{
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static void put_whole(buffer *b, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        b->bytes[b->size++] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

static void put_word(buffer *b, uint32_t value)
{
    put_whole(b, value, 4);
}

// ------------------------------------------------------------------------------- what is written

enum { INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE = 9, INT64 = 12, UINT64 };

static unsigned width_of(unsigned type)
{
    return type <= UINT8 ? 1 : type <= UINT16 ? 2 : type <= SINGLE ? 4 : 8;
}

// A number that the type can hold.
static double some_number(unsigned type)
{
    double whole = random_below(200);
    switch (type) {
    case INT8: return whole - 100;
    case UINT8: return whole;
    case INT16: return 100 * whole - 9999;
    case UINT16: return 300 * whole;
    case INT32: return 1e6 * whole - 1e8;
    case UINT32: return 2e7 * whole;
    case INT64: return 1e13 * whole - 1e15;
    case UINT64: return 1e16 * whole;
    case SINGLE: return (whole - 90) / 64;
    default: return (whole - 90) / 7 * pow(10, (int)random_below(9) - 4);
    }
}

static void put_number(buffer *b, unsigned type, double value)
{
    uint64_t bits = 0;
    uint32_t low;
    float single = (float)value;
    if (type == DOUBLE) {
        memcpy(&bits, &value, 8);
    } else if (type == SINGLE) {
        memcpy(&low, &single, 4);
        bits = low;
    } else {
        bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    }
    put_whole(b, bits, width_of(type));
}

typedef struct sample {
    uint32_t rows, columns;
    double items[64];
} sample;

static sample some_matrix(unsigned type)
{
    sample m = {1 + random_below(8), 1 + random_below(8), {0}};
    for (uint32_t i = 0; i < m.rows * m.columns; i++) m.items[i] = some_number(type);
    return m;
}

static void put_numbers(buffer *b, unsigned type, const sample *m)
{
    for (uint32_t k = 0; k < m->columns; k++)
        for (uint32_t i = 0; i < m->rows; i++) put_number(b, type, m->items[i * m->columns + k]);
}

static void put_version_4(buffer *b, const char *name, unsigned type, const sample *m)
{
    static const unsigned types[] = {DOUBLE, SINGLE, INT32, INT16, UINT16, UINT8};
    unsigned p = 0;
    while (types[p] != type) p++;
    put_word(b, (b->big ? 1000 : 0) + 10 * p);
    put_word(b, m->rows), put_word(b, m->columns), put_word(b, 0);
    put_word(b, (uint32_t)strlen(name) + 1);
    put(b, name, strlen(name) + 1);
    put_numbers(b, type, m);
}

static void pad(buffer *b, size_t from)
{
    while ((b->size - from) % 8) b->bytes[b->size++] = 0;
}

static void put_element(buffer *b, unsigned type, const void *bytes, uint32_t size)
{
    size_t from = b->size;
    if (size <= 4 && size && random_below(2)) {
        put_word(b, size << 16 | type);
    } else {
        put_word(b, type), put_word(b, size);
    }
    put(b, bytes, size);
    pad(b, from);
}

// The head of a matrix, whose size is set when it ends.
static size_t begin_matrix(buffer *b, unsigned kind, uint32_t rows, uint32_t columns,
                           const char *name)
{
    size_t from = b->size;
    put_word(b, 14), put_word(b, 0);
    put_word(b, UINT32), put_word(b, 8), put_word(b, kind), put_word(b, 0);
    put_word(b, INT32), put_word(b, 8), put_word(b, rows), put_word(b, columns);
    put_element(b, INT8, name, (uint32_t)strlen(name));
    return from;
}

static void end_matrix(buffer *b, size_t from)
{
    size_t end = b->size;
    b->size = from + 4;
    put_word(b, (uint32_t)(end - from - 8));
    b->size = end;
}

static void put_matrix(buffer *b, const char *name, unsigned type, const sample *m)
{
    size_t from = begin_matrix(b, 6, m->rows, m->columns, name), at = b->size;
    put_word(b, type), put_word(b, m->rows * m->columns * width_of(type));
    put_numbers(b, type, m);
    pad(b, at);
    end_matrix(b, from);
}

// Fields "other" and "x", each a matrix.
static void put_structure(buffer *b, const char *name, unsigned type, const sample *m)
{
    static const char names[16] = "other\0\0\0x";
    size_t from = begin_matrix(b, 2, 1, 1, name);
    put_word(b, 4u << 16 | INT32), put_word(b, 8);
    put_element(b, INT8, names, 16);
    sample other = some_matrix(DOUBLE);
    put_matrix(b, "", DOUBLE, &other);
    put_matrix(b, "", type, m);
    end_matrix(b, from);
}

// What was written since `from`, packed.
static void pack(buffer *b, size_t from)
{
    static uint8_t room[40000];
    uint32_t one = 1, two = 0;
    size_t size = b->size - from;
    for (size_t i = from; i < b->size; i++)
        one = (one + b->bytes[i]) % 65521, two = (two + one) % 65521;
    size_t packed = foi_deflate(b->bytes + from, size, room, sizeof room, NULL);
    REQUIRE(packed && packed != SIZE_MAX);
    b->size = from;
    put_word(b, 15), put_word(b, (uint32_t)packed + 6);
    put(b, "\x78\x01", 2);
    put(b, room, packed);
    uint8_t sum[4] = {(uint8_t)(two >> 8), (uint8_t)two, (uint8_t)(one >> 8), (uint8_t)one};
    put(b, sum, 4);
}

static void put_head(buffer *b)
{
    char text[124] = "MATLAB 5.0 MAT-file, of a test";
    put(b, text, sizeof text);
    put_whole(b, 0x0100, 2);
    put_whole(b, 0x4d49, 2); // read as two letters it says in which order bytes stand
}

static void put_text(buffer *b, const char *name, const sample *m)
{
    char line[80];
    b->size += (size_t)snprintf((char *)b->bytes + b->size, 80, "double %s(%u,%u) # so\n", name,
                                m->rows, m->columns);
    for (uint32_t i = 0; i < m->rows * m->columns; i++) {
        static const char *const between[] = {" ", "\n", ", ", "\t;", " # more\n", "\r\n\n \t#\n"};
        int n = snprintf(line, sizeof line, "%.17g%s", m->items[i], between[random_below(6)]);
        put(b, line, (size_t)n);
    }
    put(b, "\n", 1);
}

static void put_columns(buffer *b, char delimiter, const sample *m)
{
    char line[80];
    for (uint32_t i = 0; i < m->rows; i++)
        for (uint32_t k = 0; k < m->columns; k++) {
            int n = snprintf(line, sizeof line, "%.17g%c", m->items[i * m->columns + k],
                             k + 1 < m->columns ? delimiter : '\n');
            put(b, line, (size_t)n);
        }
}

// ------------------------------------------------------------------------------------ what is read

static bool read_it(const buffer *b, const char *file, const char *name, char delimiter,
                    uint32_t skipped, foi_matrix *m, foi_arena *arena, fo_message *why)
{
    // exactly as long as it is, so that a sanitizer sees what reads beyond
    char *bytes = malloc(b->size + 1);
    *why = (fo_message){0};
    if (!bytes) return false;
    memcpy(bytes, b->bytes, b->size);
    char *exact = realloc(bytes, b->size ? b->size : 1);
    if (exact) bytes = exact;
    foi_matrix_file f = {file, bytes, b->size, delimiter, skipped};
    bool good = foi_matrix_read(&f, name, arena, m, why);
    CHECK(good || why->text[0]);
    free(bytes);
    return good;
}

static void check_read(const buffer *b, const char *file, const char *name, char delimiter,
                       uint32_t skipped, const sample *wanted)
{
    foi_arena arena;
    foi_matrix m;
    fo_message why;
    foi_arena_begin(&arena, NULL, 0);
    bool good = read_it(b, file, name, delimiter, skipped, &m, &arena, &why);
    if (!good) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (good && m.rows == wanted->rows && m.columns == wanted->columns) {
        int wrong = 0;
        for (uint32_t i = 0; i < m.rows * m.columns; i++) wrong += m.items[i] != wanted->items[i];
        CHECK_INT(wrong, 0);
    } else {
        CHECK(!good);
    }
    foi_arena_end(&arena);
}

TEST(tables_in_text)
{
    for (int i = 0; i < test_inputs(200, 20000); i++) {
        buffer b = {.size = 0};
        if (random_below(2)) put(&b, "\xef\xbb\xbf", 3);
        put(&b, "#1\n# double b(1,1)\n\n", 20);
        sample first = some_matrix(DOUBLE), second = some_matrix(DOUBLE);
        put_text(&b, "a", &first);
        put_text(&b, "b", &second);
        check_read(&b, "t.txt", "a", 0, 0, &first);
        check_read(&b, "t", "b", 0, 0, &second);
    }
}

TEST(columns)
{
    for (int i = 0; i < test_inputs(200, 20000); i++) {
        static const char delimiters[] = ",;\t |";
        char delimiter = delimiters[random_below(5)];
        buffer b = {.size = 0};
        uint32_t skipped = random_below(3);
        for (uint32_t k = 0; k < skipped; k++) put(&b, "time, value\n", 12);
        sample m = some_matrix(DOUBLE);
        put_columns(&b, delimiter, &m);
        if (random_below(2)) b.size--; // the last line does not end
        check_read(&b, "t.CSV", "", delimiter == ',' && i % 2 ? 0 : delimiter, skipped, &m);
    }
}

TEST(version_4)
{
    static const unsigned types[] = {DOUBLE, SINGLE, INT32, INT16, UINT16, UINT8};
    for (int i = 0; i < test_inputs(200, 20000); i++) {
        buffer b = {.big = random_below(2)};
        unsigned one = types[random_below(6)], two = types[random_below(6)];
        sample first = some_matrix(one), second = some_matrix(two);
        put_version_4(&b, "first", one, &first);
        put_version_4(&b, "second", two, &second);
        check_read(&b, "a.mat", "second", 0, 0, &second);
        check_read(&b, "a.mat", "first", 0, 0, &first);
    }
}

TEST(versions_6_and_7)
{
    static const unsigned types[] = {INT8,   UINT8,  INT16,  UINT16, INT32,
                                     UINT32, SINGLE, DOUBLE, INT64,  UINT64};
    for (int i = 0; i < test_inputs(200, 20000); i++) {
        buffer b = {.big = random_below(2)};
        bool packed = random_below(2);
        unsigned one = types[random_below(10)], two = types[random_below(10)];
        sample first = some_matrix(one), second = some_matrix(two);
        put_head(&b);
        size_t from = b.size;
        put_matrix(&b, "first", one, &first);
        if (packed) pack(&b, from);
        from = b.size;
        put_structure(&b, "s", two, &second);
        if (packed) pack(&b, from);
        check_read(&b, "a.mat", "s.x", 0, 0, &second);
        check_read(&b, "a.mat", "first", 0, 0, &first);
    }
}

static void check_refused(const char *text, size_t size, const char *file, const char *part)
{
    buffer b = {.size = 0};
    foi_arena arena;
    foi_matrix m;
    fo_message why;
    put(&b, text, size);
    foi_arena_begin(&arena, NULL, 0);
    CHECK(!read_it(&b, file, "a", 0, 0, &m, &arena, &why));
    CHECK_CONTAINS(why.text, part);
    foi_arena_end(&arena);
}

TEST(what_is_no_matrix_is_refused)
{
    static const struct {
        const char *text, *file, *part;
    } wrong[] = {
        {"", "a.txt", "begins with '#1'"},
        {"double a(1,1)\n1\n", "a.txt", "begins with '#1'"},
        {"#1\ndouble b(1,1)\n1\n", "a.txt", "there is no table 'a'"},
        {"#1\ndouble a(x)\n1\n", "a.txt", "its size is expected"},
        {"#1\ndouble a(0,2)\n1\n", "a.txt", "its size is expected"},
        {"#1\ndouble a(1.5,2)\n1 2 3\n", "a.txt", "its size is expected"},
        {"#1\ndouble a(2,2)\n1 2 3\n", "a.txt", "ends before the table"},
        {"#1\ndouble a(4000000000,4000000000)\n1\n", "a.txt", "ends before the table"},
        {"#1\ndouble a(1,2)\n1 2 3\n", "a.txt",
         "line 3 of 'a.txt', matrix 'a': the table has more"},
        {"#1\ndouble a(1,2)\n1 nan\n", "a.txt", "a number is expected"},
        {"#1\ndouble a(1,2)\n1 1e999\n", "a.txt", "a number is expected"},
        {"#1\ndouble a(1,2)\n1 0x10\n", "a.txt", "a number is expected"},
        {"1,2\n3\n", "a.csv", "more or fewer numbers"},
        {"1,2\n3,,4\n", "a.csv", "a number is missing"},
        {"1,2\n3,4,5\n", "a.csv", "more or fewer numbers"},
        {"t,x\n3,4\n", "a.csv", "line 1 of 'a.csv', matrix 'a': a number is expected"},
        {"1,2\n\n3,4\n", "a.csv", "more or fewer"},
        {"", "a.csv", "no numbers"},
        {"MATLAB 7.3 MAT-file", "a.mat", "save it with '-v7'"},
        {"#1\ndouble a(1,1)\n1\n", "a.mat", "no MAT-file"},
        {"", "a.mat", "it is not in the file"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check_refused(wrong[i].text, strlen(wrong[i].text), wrong[i].file, wrong[i].part);
    check_refused("#1\0\ndouble a(1,1)\n1\n", 20, "a.txt", "it has a NUL");
}

TEST(numbers_behind_the_last_row_are_told)
{
    static const char text[] = "#1\ndouble a(1,2)\n1 2 # so\n# then\n3 4\n";
    buffer b = {.size = 0};
    foi_arena arena;
    foi_matrix m;
    fo_message why;
    put(&b, text, sizeof text - 1);
    foi_arena_begin(&arena, NULL, 0);
    REQUIRE(read_it(&b, "a.txt", "a", 0, 0, &m, &arena, &why));
    CHECK_INT(m.longer, 5);
    foi_arena_end(&arena);
}

// A file that is not as it was: refused, or numbers all the same.
static void check_damaged(const buffer *b, const char *file, const char *name)
{
    foi_arena arena;
    foi_matrix m;
    fo_message why;
    double sum = 0;
    foi_arena_begin(&arena, NULL, 1 << 24);
    if (read_it(b, file, name, 0, 0, &m, &arena, &why))
        for (uint64_t i = 0; i < (uint64_t)m.rows * m.columns; i++) sum += 0 * m.items[i];
    CHECK(sum == 0);
    foi_arena_end(&arena);
}

TEST(damaged_files)
{
    for (int kind = 0; kind < 5; kind++) {
        static const char *const files[] = {"a.txt", "a.csv", "a.mat", "a.mat", "a.mat"};
        buffer whole = {.big = kind == 3};
        sample m = some_matrix(DOUBLE);
        if (kind == 0) put(&whole, "#1\n", 3), put_text(&whole, "s", &m);
        if (kind == 1) put_columns(&whole, ',', &m);
        if (kind == 2) put_version_4(&whole, "s", DOUBLE, &m);
        if (kind > 2) {
            put_head(&whole);
            size_t from = whole.size;
            put_structure(&whole, "s", DOUBLE, &m);
            if (kind == 4) pack(&whole, from);
        }
        const char *name = kind > 2 ? "s.x" : "s";
        for (size_t size = 0; size < whole.size; size++) {
            buffer b = whole;
            b.size = size;
            check_damaged(&b, files[kind], name);
        }
        for (int i = 0; i < test_inputs(2000, 200000); i++) {
            buffer b = whole;
            for (uint32_t k = random_below(3) + 1; k-- > 0;)
                b.bytes[random_below((uint32_t)b.size)] =
                    (uint8_t)(random_below(2) ? random_below(256) : random_below(2) * 255);
            check_damaged(&b, files[kind], name);
        }
    }
}

// Bytes that unpack to a thousand times as many do so only where they are asked for.
TEST(bombs)
{
    static uint8_t zeros[30000];
    buffer b = {.size = 0};
    put_head(&b);
    for (int i = 0; i < 3; i++) {
        size_t from = b.size;
        put_word(&b, 14), put_word(&b, 0xfffffff0u);
        put(&b, zeros, 3000);
        pack(&b, from);
    }
    check_damaged(&b, "a.mat", "s.x");
}

TEST_MAIN(TEST_ENTRY(tables_in_text), TEST_ENTRY(columns), TEST_ENTRY(version_4),
          TEST_ENTRY(versions_6_and_7), TEST_ENTRY(what_is_no_matrix_is_refused),
          TEST_ENTRY(numbers_behind_the_last_row_are_told), TEST_ENTRY(damaged_files),
          TEST_ENTRY(bombs))
