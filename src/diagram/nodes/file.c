// From Data File: what To Data File wrote, step by step.
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "diagram/diagram.h"
#include "diagram/node.h"
#include "diagram/nodes/node_doc.h"

enum { MAX_NUMBERS = 100000000 };

typedef struct table {
    foi_array shape;
    double *values;
    uint32_t room, count; ///< rows
} table;

static bool read_head(FILE *f, table *t, double *step)
{
    char kind[16];
    int version = 0;
    if (fscanf(f, "foliot data %d\n", &version) != 1 || version != 1) return false;
    if (fscanf(f, "step %lf rows %9u cols %9u kind %15s\n", step, &t->shape.rows, &t->shape.cols,
               kind) != 4)
        return false;
    t->shape.kind = strcmp(kind, "complex") == 0   ? FOI_SIGNAL_COMPLEX
                    : strcmp(kind, "boolean") == 0 ? FOI_SIGNAL_BOOLEAN
                                                   : FOI_SIGNAL_REAL;
    uint64_t size = (uint64_t)t->shape.rows * t->shape.cols;
    return size > 0 && size <= FOI_MAX_ELEMENTS;
}

// The rows double their room; what is outgrown stays in the arena.
static fo_status read_rows(foi_build *b, foi_node *n, FILE *f, table *t)
{
    uint32_t width = foi_array_width(&t->shape);
    double time;
    while (fscanf(f, "%lf", &time) == 1) {
        if (t->count == t->room) {
            t->room = t->room ? 2 * t->room : width < 64 ? 64 : 1; // rows may be announced only
            if ((uint64_t)t->room * width > MAX_NUMBERS)
                return foi_node_refuse(b, n, "the file is too long");
            double *more = foi_arena_new(b->arena, (size_t)t->room * width, sizeof *more);
            if (!more) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
            if (t->count) memcpy(more, t->values, (size_t)t->count * width * sizeof *more);
            t->values = more;
        }
        for (uint32_t i = 0; i < width; i++) {
            double *value = &t->values[(size_t)t->count * width + i];
            if (fscanf(f, "%lf", value) != 1)
                return foi_node_refuse(b, n, "row %u of the file is not complete", t->count + 1);
            if (!isfinite(*value))
                return foi_node_refuse(b, n, "row %u of the file has a value that is not finite",
                                       t->count + 1);
        }
        t->count++;
    }
    if (!feof(f) || !t->count)
        return foi_node_refuse(b, n, "row %u of the file is not made of numbers", t->count + 1);
    return FO_OK;
}

// A run goes on only with the same numbers.
static void note_table(foi_diagram *d, const table *t)
{
    const uint64_t shape[] = {t->shape.rows, t->shape.cols, (uint64_t)t->shape.kind, t->count};
    size_t numbers = (size_t)t->count * foi_array_width(&t->shape);
    d->others = foi_hash_of(shape, sizeof shape, d->others + 1);
    d->others = foi_hash_of(t->values, numbers * sizeof *t->values, d->others);
}

static fo_status prepare_file(foi_build *b, foi_node *n)
{
    const char *path = n->settings[0].text;
    table *t = foi_arena_new(b->arena, 1, sizeof *t);
    double step = 0;
    if (!t) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    fo_message found = {0};
    char *name = foi_file_within(path, b->diagram->files, b->diagram->allocator, &found);
    FILE *f = name ? foi_file_read(name, b->diagram->files, &found) : NULL;
    foi_free(b->diagram->allocator, name);
    if (!f) return foi_node_refuse(b, n, "%.300s", found.text);
    fo_status status = FO_OK;
    if (!read_head(f, t, &step))
        status = foi_node_refuse(b, n, "'%.100s' is no data file, as To Data File writes it", path);
    else if (!(fabs(step - foi_build_step(b)) <= 1e-9 * foi_build_step(b)))
        status = foi_node_refuse(b, n, "the file has steps of %g s, the simulation of %g s", step,
                                 foi_build_step(b));
    else
        status = read_rows(b, n, f, t);
    fclose(f);
    if (status == FO_OK) note_table(b->diagram, t);
    n->extra = t;
    return status;
}

static fo_status type_file(foi_build *b, foi_node *n)
{
    const table *t = n->extra;
    (void)b;
    foi_output_type(n, 0, t->shape.rows, t->shape.cols, t->shape.kind);
    return FO_OK;
}

static void output_file(const foi_node *n, foi_run *r)
{
    const table *t = n->extra;
    foi_array y = foi_out(n, r, 0);
    uint64_t row = r->count < t->count ? r->count : t->count - 1;
    uint32_t width = foi_array_width(&y);
    memcpy(y.data, t->values + row * width, width * sizeof(double));
}

static const foi_node_type from_data_file = {
    .name = "From Data File",
    .set = "Sources",
    .about = "What To Data File wrote in another run, step by step; after its end the last row. "
             "The steps of both runs must be the same.",
    .inputs = "",
    .outputs = "signal",
    .parameters =
        (const foi_parameter[]){
            {"File Name", FOI_PARAMETER_TEXT, "None", NULL, "of the file to be read"}, {0}},
    PROPERTIES(ANY_TYPE, NOT_APPLICABLE, CONTINUOUS, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"File Name=run.dat", "", 0, 0, NULL},
    .continuous = true,
    .steps = true,
    .held = true,
    .prepare = prepare_file,
    .type = type_file,
    .output = output_file,
};

const foi_node_type *const foi_nodes_file[] = {&from_data_file, NULL};
