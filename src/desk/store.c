#include "desk/store.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

enum {
    CHUNK = 1024, ///< rows, fewer where they are long
    LEAST = 8,
    CELLS = 1 << 17, ///< of a chunk, about
    BLOCK = 64
};

/// Of a block or a chunk that is full.
typedef struct summary {
    uint16_t least, most; ///< rows of its smallest and largest value
    bool gap;             ///< something in it is no number
} summary;

/// So many rows.
typedef struct chunk {
    summary *summaries; ///< per column one for each block, and one for the chunk
    double cells[];     ///< the times, then column by column
} chunk;

struct foi_store {
    const fo_allocator *allocator;
    uint32_t columns;
    uint32_t chunk, blocks; ///< rows of a chunk, and blocks; 0: rows are too long for summaries
    uint64_t rows, most_rows;
    chunk **chunks;
    size_t chunk_count, chunk_room;
};

foi_store *foi_store_create(uint32_t columns, uint64_t most_rows, const fo_allocator *allocator)
{
    foi_store *s = foi_new(allocator, 1, sizeof *s);
    if (!s) return NULL;
    s->allocator = allocator, s->columns = columns, s->most_rows = most_rows;
    s->chunk = CHUNK;
    while (s->chunk > LEAST && (uint64_t)s->chunk * columns > CELLS) s->chunk /= 2;
    s->blocks = s->chunk / BLOCK;
    return s;
}

static void free_chunk(const foi_store *s, chunk *c)
{
    foi_free(s->allocator, c->summaries);
    foi_free(s->allocator, c);
}

void foi_store_destroy(foi_store *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->chunk_count; i++) free_chunk(s, s->chunks[i]);
    foi_free(s->allocator, s->chunks);
    foi_free(s->allocator, s);
}

// -------------------------------------------------------------------------------------- writing

static bool add_chunk(foi_store *s)
{
    size_t cells = (size_t)s->chunk * ((size_t)s->columns + 1);
    if (!foi_array_room(s->allocator, &s->chunks, &s->chunk_room, s->chunk_count + 1,
                        sizeof *s->chunks))
        return false;
    chunk *c = foi_new(s->allocator, 1, sizeof *c + cells * sizeof *c->cells);
    if (!c) return false;
    c->summaries =
        foi_new(s->allocator, ((size_t)s->blocks + 1) * s->columns, sizeof *c->summaries);
    if (!c->summaries) {
        foi_free(s->allocator, c);
        return false;
    }
    s->chunks[s->chunk_count++] = c;
    return true;
}

static summary *summaries_of(const foi_store *s, const chunk *c, uint32_t column)
{
    return c->summaries + ((size_t)s->blocks + 1) * column;
}

// A block is full: what stands out in it.
static void sum_up_block(const foi_store *s, chunk *c, uint32_t block)
{
    for (uint32_t j = 0; j < s->columns; j++) {
        const double *v = c->cells + (size_t)s->chunk * (j + 1) + (size_t)BLOCK * block;
        summary *sum = &summaries_of(s, c, j)[block];
        *sum = (summary){0};
        for (uint16_t i = 0; i < BLOCK; i++) {
            sum->gap |= isnan(v[i]);
            if (v[i] < v[sum->least]) sum->least = i;
            if (v[i] > v[sum->most]) sum->most = i;
        }
    }
}

// And in a chunk whose blocks all are.
static void sum_up_chunk(const foi_store *s, chunk *c)
{
    for (uint32_t j = 0; j < s->columns; j++) {
        const double *v = c->cells + (size_t)s->chunk * (j + 1);
        const summary *of = summaries_of(s, c, j);
        summary *sum = &summaries_of(s, c, j)[s->blocks];
        *sum = of[0];
        for (uint32_t block = 1; block < s->blocks; block++) {
            uint32_t least = BLOCK * block + of[block].least, most = BLOCK * block + of[block].most;
            sum->gap |= of[block].gap;
            if (v[least] < v[sum->least]) sum->least = (uint16_t)least;
            if (v[most] > v[sum->most]) sum->most = (uint16_t)most;
        }
    }
}

static void put(foi_store *s, uint64_t row, double t, const double *values)
{
    chunk *c = s->chunks[row / s->chunk];
    uint32_t at = (uint32_t)(row % s->chunk);
    c->cells[at] = t;
    for (uint32_t j = 0; j < s->columns; j++)
        c->cells[(size_t)s->chunk * ((size_t)j + 1) + at] = values[j];
    if (s->blocks && at % BLOCK == BLOCK - 1) sum_up_block(s, c, at / BLOCK);
    if (s->blocks && at == s->chunk - 1) sum_up_chunk(s, c);
}

fo_status foi_store_add(foi_store *s, double t, const double *values, fo_message *why)
{
    if (s->rows >= s->most_rows)
        return fo_fail(why, FO_ERROR_MEMORY, "more than %llu rows; ask for a longer interval",
                       (unsigned long long)s->most_rows);
    if (s->rows == s->chunk * (uint64_t)s->chunk_count && !add_chunk(s))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for row %llu", (unsigned long long)s->rows);
    put(s, s->rows++, t, values);
    return FO_OK;
}

void foi_store_replace(foi_store *s, double t, const double *values)
{
    put(s, s->rows - 1, t, values);
}

void foi_store_cut(foi_store *s, uint64_t rows)
{
    if (rows >= s->rows) return;
    s->rows = rows;
    while (s->chunk * (uint64_t)s->chunk_count >= rows + s->chunk)
        free_chunk(s, s->chunks[--s->chunk_count]);
}

// -------------------------------------------------------------------------------------- reading

uint64_t foi_store_rows(const foi_store *s)
{
    return s->rows;
}

uint32_t foi_store_columns(const foi_store *s)
{
    return s->columns;
}

double foi_store_time(const foi_store *s, uint64_t row)
{
    return s->chunks[row / s->chunk]->cells[row % s->chunk];
}

double foi_store_value(const foi_store *s, uint64_t row, uint32_t column)
{
    return s->chunks[row / s->chunk]
        ->cells[(size_t)s->chunk * ((size_t)column + 1) + row % s->chunk];
}

uint64_t foi_store_find(const foi_store *s, double t)
{
    uint64_t low = 0, high = s->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (foi_store_time(s, middle) < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void foi_store_copy(const foi_store *s, uint32_t column, uint64_t from, uint64_t to, double *values)
{
    while (from < to) {
        uint32_t at = (uint32_t)(from % s->chunk);
        uint64_t count = s->chunk - at < to - from ? s->chunk - at : to - from;
        const double *cells = s->chunks[from / s->chunk]->cells;
        if (column != UINT32_MAX) cells += (size_t)s->chunk * ((size_t)column + 1);
        memcpy(values, cells + at, (size_t)count * sizeof *values);
        from += count, values += count;
    }
}

// ------------------------------------------------------------------------------------------- M4

/// What a column of pixels shows so far.
typedef struct pixel {
    uint64_t first, last, least, most;
    uint64_t gap; ///< the first that is no number; UINT64_MAX: none
    bool any;
} pixel;

static void take_row(const foi_store *s, uint32_t column, uint64_t row, pixel *p)
{
    double v = foi_store_value(s, row, column);
    if (!p->any) *p = (pixel){row, row, row, row, UINT64_MAX, true};
    p->last = row;
    if (isnan(v)) {
        if (p->gap == UINT64_MAX) p->gap = row;
        return;
    }
    double least = foi_store_value(s, p->least, column), most = foi_store_value(s, p->most, column);
    if (v < least || isnan(least)) p->least = row;
    if (v > most || isnan(most)) p->most = row;
}

// `count` rows that are a block or a chunk.
static void take_some(const foi_store *s, uint32_t column, uint64_t row, uint32_t count, pixel *p)
{
    const summary *of = summaries_of(s, s->chunks[row / s->chunk], column);
    const summary *sum = &of[count == BLOCK ? row % s->chunk / BLOCK : s->blocks];
    if (sum->gap) {
        for (uint32_t i = 0; i<count; i += count> BLOCK ? BLOCK : 1)
            if (count > BLOCK)
                take_some(s, column, row + i, BLOCK, p);
            else
                take_row(s, column, row + i, p);
        return;
    }
    take_row(s, column, row, p);
    take_row(s, column, row + sum->least, p);
    take_row(s, column, row + sum->most, p);
    p->last = row + count - 1;
}

// How many rows from `row` on are a chunk or a block that is full and before the edge; 1: neither.
static uint32_t whole_at(const foi_store *s, uint64_t row, uint64_t to, double edge)
{
    const uint32_t sizes[2] = {s->chunk, BLOCK};
    uint64_t most = to < s->rows ? to : s->rows;
    for (int i = 0; i < 2 && s->blocks; i++)
        if (row % sizes[i] == 0 && row + sizes[i] <= most &&
            foi_store_time(s, row + sizes[i] - 1) < edge)
            return sizes[i];
    return 1;
}

// The rows of a pixel in their order, each once.
static size_t emit(const pixel *p, uint64_t *rows)
{
    uint64_t list[5] = {p->first, p->least, p->most, p->last, p->gap};
    size_t count = 0, have = p->gap == UINT64_MAX ? 4 : 5;
    if (!p->any) return 0;
    for (size_t i = 1; i < have; i++)
        for (size_t j = i; j > 0 && list[j] < list[j - 1]; j--) {
            uint64_t swap = list[j];
            list[j] = list[j - 1], list[j - 1] = swap;
        }
    for (size_t i = 0; i < have; i++)
        if (count == 0 || rows[count - 1] != list[i]) rows[count++] = list[i];
    return count;
}

size_t foi_store_m4(const foi_store *s, uint32_t column, uint64_t from, uint64_t to, double t0,
                    double t1, uint32_t pixels, uint64_t *rows)
{
    size_t count = 0;
    uint64_t row = from;
    for (uint32_t k = 0; k < pixels && row < to; k++) {
        double edge = k + 1 == pixels ? INFINITY : t0 + (t1 - t0) * ((k + 1.0) / pixels);
        pixel p = {.any = false};
        while (row < to && foi_store_time(s, row) < edge) {
            uint32_t some = whole_at(s, row, to, edge);
            if (some > 1)
                take_some(s, column, row, some, &p);
            else
                take_row(s, column, row, &p);
            row += some;
        }
        count += emit(&p, rows + count);
    }
    return count;
}
