#include <assert.h>
#include <foliot/report.h>
#include <string.h>

#include "base/memory.h"
#include "report/rows.h"

struct fo_table {
    const fo_allocator *allocator;
    size_t columns; ///< time and the signals
    double *cells;  ///< row by row
    size_t rows, room;
    foi_last_row last;
};

fo_table *fo_table_create(size_t signal_count, const fo_allocator *allocator)
{
    fo_table *table = foi_new(allocator, 1, sizeof *table);
    if (table) *table = (fo_table){.allocator = allocator, .columns = signal_count + 1};
    return table;
}

static fo_status make_room(fo_table *table, fo_message *why)
{
    if (table->rows < table->room) return FO_OK;
    size_t room = table->room ? 2 * table->room : 64;
    size_t row = table->columns * sizeof(double);
    double *cells = foi_grow(table->allocator, table->cells, table->room, room, row);
    if (!cells)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for row %zu of the table", table->rows);
    table->cells = cells, table->room = room;
    return FO_OK;
}

static fo_status keep_row(void *self, const fo_row *row, fo_message *why)
{
    fo_table *table = self;
    assert(row->count + 1 == table->columns);
    foi_row_fate fate = foi_row_fate_of(&table->last, row);
    if (fate == FOI_ROW_SKIP) return FO_OK;
    if (fate == FOI_ROW_REPLACE) table->rows--;
    if (fo_failed(make_room(table, why))) return FO_ERROR_MEMORY;
    double *cells = table->cells + table->rows * table->columns;
    cells[0] = row->t;
    if (row->count) memcpy(cells + 1, row->values, row->count * sizeof *cells);
    table->rows++;
    return FO_OK;
}

fo_observer fo_table_observer(fo_table *table, const fo_reference *signals, double interval)
{
    return (fo_observer){.self = table,
                         .row = keep_row,
                         .signals = signals,
                         .signal_count = table->columns - 1,
                         .interval = interval};
}

size_t fo_table_rows(const fo_table *table)
{
    return table->rows;
}

double fo_table_time(const fo_table *table, size_t row)
{
    assert(row < table->rows);
    return table->cells[row * table->columns];
}

double fo_table_value(const fo_table *table, size_t row, size_t signal)
{
    assert(row < table->rows && signal + 1 < table->columns);
    return table->cells[row * table->columns + 1 + signal];
}

void fo_table_destroy(fo_table *table)
{
    if (!table) return;
    foi_free(table->allocator, table->cells);
    foi_free(table->allocator, table);
}
