/// Matrices of files (base/matrix.h), for tables and for functions that read them.
#include <string.h>

#include "base/text.h"
#include "language/files.h"
#include "language/table.h"

struct foi_kept_matrix {
    foi_matrix_wish wish;
    foi_matrix matrix;
};

static bool same_wish(const foi_matrix_wish *a, const foi_matrix_wish *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->name, b->name) == 0 &&
           a->delimiter == b->delimiter && a->skipped == b->skipped;
}

const foi_matrix *foi_file_matrix(foi_session *s, foi_place place, const foi_matrix_wish *wish)
{
    for (uint32_t i = 0; i < s->matrix_count; i++)
        if (same_wish(&s->matrices[i].wish, wish)) return &s->matrices[i].matrix;
    foi_matrix_file file = {wish->file, NULL, 0, wish->delimiter, wish->skipped};
    foi_matrix read;
    fo_message why = {0};
    file.bytes = foi_read_seen(s, place, wish->file, &file.length);
    if (!file.bytes) return NULL;
    if (!foi_matrix_read(&file, wish->name, &s->arena, &read, &why)) {
        foi_message_plain(why.text); // the names are those of strangers
        foi_error(s, place, "%s", why.text);
        return NULL;
    }
    if (read.longer)
        foi_warning(s, place, "table '%s' of '%s' has more numbers than its size says: line %u",
                    wish->name, wish->file, read.longer);
    struct foi_kept_matrix *kept =
        foi_arena_add(&s->arena, &s->matrices, &s->matrix_count, sizeof *kept);
    foi_matrix_wish *own = kept ? &kept->wish : NULL;
    if (!kept) return NULL;
    *own = *wish, kept->matrix = read;
    own->file = foi_arena_text(&s->arena, wish->file, strlen(wish->file));
    own->name = foi_arena_text(&s->arena, wish->name, strlen(wish->name));
    if (own->file && own->name) return &kept->matrix;
    s->matrix_count--;
    return NULL;
}

// ------------------------------------------------------------------------- functions that read
// them

static bool name_of(foi_session *s, foi_place place, const foi_value *v, const char **text)
{
    bool known = !v->record && !v->rank && v->type == FOI_STRING && v->one->op == FOI_OP_STRING;
    if (!known)
        return foi_error(s, place,
                         "the names of the file and of the matrix must be known "
                         "before the run");
    *text = v->one->text;
    return true;
}

static bool known(foi_session *s, const foi_value *v, double *value)
{
    return !v->record && !v->rank && foi_known(s, v->one, true, value);
}

static bool read_sizes(foi_session *s, foi_place place, const foi_matrix *m, foi_value *out)
{
    const foi_flat_expr **list;
    uint32_t two = 2;
    if (!foi_new_array(s, place, FOI_INTEGER, 1, &two, out, &list)) return false;
    list[0] = foi_flat_integer(s->flat, m->rows), list[1] = foi_flat_integer(s->flat, m->columns);
    return list[0] && list[1];
}

static bool read_numbers(foi_session *s, foi_place place, const foi_matrix *m, const foi_value *v,
                         uint32_t count, foi_value *out)
{
    const foi_flat_expr **list;
    uint32_t dims[2] = {m->rows, m->columns};
    double rows, columns;
    if (count >= 4 && known(s, &v[2], &rows) && known(s, &v[3], &columns) &&
        (rows != m->rows || columns != m->columns))
        return foi_error(s, place, "'%s' of '%s' has %u rows and %u columns, not %.0f and %.0f",
                         v[1].one->text, v[0].one->text, m->rows, m->columns, rows, columns);
    if (!foi_work(s, place, (uint64_t)m->rows * m->columns) ||
        !foi_new_array(s, place, FOI_REAL, 2, dims, out, &list))
        return false;
    for (uint32_t i = 0; i < out->count; i++)
        if (!(list[i] = foi_real(s, m->items[i]))) return false;
    return true;
}

bool foi_matrix_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                     uint32_t count, bool *handled, foi_value *out)
{
    bool sizes = strcmp(name, "ModelicaIO_readMatrixSizes") == 0;
    *handled = count >= 2 && (sizes || strcmp(name, "ModelicaIO_readRealMatrix") == 0);
    if (!*handled) return true;
    foi_matrix_wish wish = {0};
    if (!name_of(s, place, &values[0], &wish.file) || !name_of(s, place, &values[1], &wish.name))
        return false;
    const foi_matrix *m = foi_file_matrix(s, place, &wish);
    if (!m) return false;
    return sizes ? read_sizes(s, place, m, out) : read_numbers(s, place, m, values, count, out);
}
