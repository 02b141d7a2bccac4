// Tables: rows kept in memory.
#include "test.h"

static fo_status give(const fo_observer *o, fo_row_kind kind, double t, double a, double b)
{
    double values[] = {a, b};
    fo_row row = {.kind = kind, .t = t, .values = values, .count = 2};
    return o->row(o->self, &row, NULL);
}

TEST(keeps_rows_in_order)
{
    fo_table *table = fo_table_create(2, NULL);
    REQUIRE(table);
    fo_reference signals[2] = {{FO_STATE, 0}, {FO_OUTPUT, 3}};
    fo_observer o = fo_table_observer(table, signals, 0.5);
    CHECK_INT(o.signal_count, 2);
    CHECK(o.signals == signals);
    for (int i = 0; i < 1000; i++) give(&o, FO_ROW_SAMPLE, i, 2 * i, -i);
    CHECK_INT(fo_table_rows(table), 1000);
    CHECK_NEAR(fo_table_time(table, 777), 777, 0);
    CHECK_NEAR(fo_table_value(table, 777, 0), 1554, 0);
    CHECK_NEAR(fo_table_value(table, 999, 1), -999, 0);
    fo_table_destroy(table);
}

TEST(a_jump_is_exactly_two_rows)
{
    fo_table *table = fo_table_create(2, NULL);
    REQUIRE(table);
    fo_observer o = fo_table_observer(table, NULL, 0.5);
    give(&o, FO_ROW_SAMPLE, 1, 1, 0);
    give(&o, FO_ROW_BEFORE, 1, 1, 0);
    give(&o, FO_ROW_AFTER, 1, 2, 0);
    give(&o, FO_ROW_BEFORE, 1, 2, 0);
    give(&o, FO_ROW_AFTER, 1, 3, 0);
    give(&o, FO_ROW_STEP, 1, 3, 0);
    CHECK_INT(fo_table_rows(table), 2);
    CHECK_NEAR(fo_table_value(table, 0, 0), 1, 0);
    CHECK_NEAR(fo_table_value(table, 1, 0), 3, 0);
    fo_table_destroy(table);
}

TEST(every_allocation_fails_once)
{
    bool done = false;
    for (long n = 1; !done && n < 50; n++) {
        test_memory memory;
        test_memory_init(&memory, n);
        fo_table *table = fo_table_create(2, &memory.allocator);
        fo_observer o = {0};
        fo_status status = FO_OK;
        if (table) o = fo_table_observer(table, NULL, 1);
        size_t kept = 0;
        for (int i = 0; table && i < 300 && status == FO_OK; i++) {
            status = give(&o, FO_ROW_SAMPLE, i, i, i);
            if (status == FO_OK) kept++;
        }
        if (table) CHECK_INT(fo_table_rows(table), (long long)kept);
        if (kept) CHECK_NEAR(fo_table_value(table, kept - 1, 1), (double)kept - 1, 0);
        done = kept == 300;
        if (table && !done) CHECK_INT(status, FO_ERROR_MEMORY);
        fo_table_destroy(table);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done);
}

TEST_MAIN(TEST_ENTRY(keeps_rows_in_order), TEST_ENTRY(a_jump_is_exactly_two_rows),
          TEST_ENTRY(every_allocation_fails_once))
