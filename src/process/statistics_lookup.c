#include <foliot/statistics.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "process/statistics_report.h"

struct fo_lookup {
    const fo_allocator *allocator;
    double *x, *y; // x in rising order
    size_t count, room_x, room_y;
};

fo_lookup *fo_lookup_create(const fo_allocator *allocator)
{
    fo_lookup *table = foi_new(allocator, 1, sizeof *table);
    if (table) table->allocator = allocator;
    return table;
}

void fo_lookup_destroy(fo_lookup *table)
{
    if (!table) return;
    foi_free(table->allocator, table->x);
    foi_free(table->allocator, table->y);
    foi_free(table->allocator, table);
}

// How many points have a smaller x.
static size_t place_of(const fo_lookup *table, double x)
{
    size_t low = 0, high = table->count;
    if (high > 0 && table->x[high - 1] < x) return high; // points are mostly added in order
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

fo_status fo_lookup_add(fo_lookup *table, double x, double y, fo_message *why)
{
    if (!isfinite(x) || !isfinite(y))
        return fo_fail(why, FO_ERROR_NUMBER, "a point of a table must be finite, not (%g, %g)", x,
                       y);
    size_t i = place_of(table, x), n = table->count;
    if (i < n && table->x[i] == x) {
        table->y[i] = y;
        return FO_OK;
    }
    if (!foi_array_room(table->allocator, &table->x, &table->room_x, n + 1, sizeof *table->x) ||
        !foi_array_room(table->allocator, &table->y, &table->room_y, n + 1, sizeof *table->y))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %zu points of a table", n + 1);
    memmove(table->x + i + 1, table->x + i, (n - i) * sizeof *table->x);
    memmove(table->y + i + 1, table->y + i, (n - i) * sizeof *table->y);
    table->x[i] = x, table->y[i] = y;
    table->count++;
    return FO_OK;
}

fo_status fo_lookup_tabulate(fo_lookup *table, double (*f)(double x, void *context), void *context,
                             double a, double b, size_t points, fo_message *why)
{
    if (points < 2 || !(a < b))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "a function is tabulated at 2 or more points of a rising interval, not at "
                       "%zu of [%g, %g]",
                       points, a, b);
    for (size_t i = 0; i < points; i++) {
        double x = i + 1 == points ? b : a + (b - a) * ((double)i / (double)(points - 1));
        fo_status status = fo_lookup_add(table, x, f(x, context), why);
        if (status) return status;
    }
    return FO_OK;
}

double fo_lookup_value(const fo_lookup *table, double x)
{
    if (table->count == 0 || isnan(x)) return NAN;
    size_t i = place_of(table, x);
    if (i == table->count) return table->y[i - 1];
    if (i == 0 || table->x[i] == x) return table->y[i];
    double x0 = table->x[i - 1], y0 = table->y[i - 1];
    return y0 + (table->y[i] - y0) * ((x - x0) / (table->x[i] - x0));
}

size_t fo_lookup_count(const fo_lookup *table)
{
    return table->count;
}

const double *fo_lookup_x(const fo_lookup *table)
{
    return table->x;
}

const double *fo_lookup_y(const fo_lookup *table)
{
    return table->y;
}

fo_status fo_lookup_report(FILE *out, const fo_lookup *table)
{
    fprintf(out, "%10s  %10s\n", "x", "y");
    for (size_t i = 0; i < table->count; i++) {
        foi_print_number(out, table->x[i]);
        fputs("  ", out);
        foi_print_number(out, table->y[i]);
        fputc('\n', out);
    }
    return foi_written(out);
}
