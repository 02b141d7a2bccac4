/// Tables of the library: what is asked of them, and what they are made of. Their numbers are known
/// before the run, from the text or from a file.
#include <math.h>
#include <string.h>

#include "language/table.h"

static const foi_value *field(const foi_value *object, const char *name)
{
    for (uint32_t i = 0; i < object->record->member_count; i++)
        if (strcmp(object->record->members[i].declaration->name, name) == 0)
            return &object->fields[i];
    return NULL;
}

static bool known_scalar(foi_session *s, const foi_value *v, double *value)
{
    return v && !v->record && !v->rank && foi_known(s, v->one, true, value);
}

static bool number(foi_session *s, foi_place place, const foi_value *object, const char *name,
                   double *value)
{
    if (known_scalar(s, field(object, name), value)) return true;
    return foi_error(s, place, "'%s' of the table is not known before the run", name);
}

// "" where there is no such field: texts of others may have fewer.
static bool text(foi_session *s, foi_place place, const foi_value *object, const char *name,
                 const char **out)
{
    const foi_value *v = field(object, name);
    *out = "";
    if (!v) return true;
    if (v->record || v->rank || v->one->op != FOI_OP_STRING)
        return foi_error(s, place, "'%s' of the table is not known before the run", name);
    return *out = v->one->text, true;
}

static bool numbers(foi_session *s, foi_place place, const foi_value *v, double **list)
{
    *list = foi_arena_new(&s->arena, v->count, sizeof **list);
    if (!*list) return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (!foi_known(s, foi_item(v, i), true, &(*list)[i]))
            return foi_error(s, place, "the numbers of the table are not known before the run");
    return true;
}

static bool is_name(const char *text)
{
    return strcmp(text, "NoName") != 0 && text[strspn(text, " ")];
}

static bool from_file(foi_session *s, foi_place place, const foi_value *object,
                      const foi_matrix_wish *names, foi_matrix *m)
{
    foi_matrix_wish wish = *names;
    const char *delimiter;
    double skipped = 0;
    if (!text(s, place, object, "delimiter", &delimiter)) return false;
    if (field(object, "nHeaderLines") && !number(s, place, object, "nHeaderLines", &skipped))
        return false;
    if (strlen(delimiter) > 1 || !(skipped >= 0 && skipped <= 1e9))
        return foi_error(s, place,
                         "one delimiter is expected, and a number of lines to be skipped");
    wish.delimiter = *delimiter, wish.skipped = (uint32_t)skipped;
    if (!is_name(wish.name)) return foi_error(s, place, "the table of '%s' has no name", wish.file);
    const foi_matrix *found = foi_file_matrix(s, place, &wish);
    if (found) *m = *found;
    return found;
}

/// The numbers of a value that is a table.
struct foi_kept_numbers {
    const foi_flat_expr *const *of;
    uint32_t count;
    const double *list;
};

static bool text_numbers(foi_session *s, foi_place place, const foi_value *table,
                         const double **list)
{
    for (uint32_t i = 0; i < s->numbers_count; i++)
        if (s->kept_numbers[i].of == table->list && s->kept_numbers[i].count == table->count)
            return *list = s->kept_numbers[i].list, true;
    double *own;
    if (!numbers(s, place, table, &own)) return false;
    *list = own;
    struct foi_kept_numbers *kept =
        foi_arena_add(&s->arena, &s->kept_numbers, &s->numbers_count, sizeof *kept);
    if (!kept) return false;
    *kept = (struct foi_kept_numbers){table->list, table->count, own};
    return true;
}

// The numbers of the table of an object.
static bool read_table(foi_session *s, foi_place place, const foi_value *object, foi_matrix *m)
{
    const foi_value *table = field(object, "table");
    foi_matrix_wish wish = {0};
    if (!table || table->rank != 2 || !field(object, "fileName"))
        return foi_error(s, place, "a table object is expected, with 'table' and 'fileName'");
    if (!text(s, place, object, "fileName", &wish.file) ||
        !text(s, place, object, "tableName", &wish.name))
        return false;
    if (is_name(wish.file)) return from_file(s, place, object, &wish, m);
    *m = (foi_matrix){.rows = table->dims[0], .columns = table->dims[1]};
    if (!table->count && is_name(wish.name))
        return foi_error(s, place, "tables that are C code (usertab) are not supported: '%s'",
                         wish.name);
    if (!table->count) return foi_error(s, place, "the table is empty");
    return text_numbers(s, place, table, &m->items);
}

static bool interpolation(foi_session *s, foi_place place, const foi_value *object, int *smoothness,
                          int *extrapolation)
{
    double how, beyond;
    if (!number(s, place, object, "smoothness", &how) ||
        !number(s, place, object, "extrapolation", &beyond))
        return false;
    *smoothness = (int)how, *extrapolation = (int)beyond;
    return true;
}

/// A curve that was made, by what it was made of.
struct foi_kept_curve {
    const double *items;
    uint32_t rows, columns, column;
    foi_curve curve;
};

static struct foi_kept_curve *same_curve(const foi_session *s, const foi_matrix *m, uint32_t column,
                                         const foi_curve *c)
{
    for (uint32_t i = 0; i < s->curve_count; i++) {
        struct foi_kept_curve *k = &s->curves[i];
        if (k->items == m->items && k->rows == m->rows && k->columns == m->columns &&
            k->column == column && k->curve.smoothness == c->smoothness &&
            k->curve.extrapolation == c->extrapolation && k->curve.may_jump == c->may_jump)
            return k;
    }
    return NULL;
}

// Many questions are asked about one column: it is made into a curve once.
static bool make_curve(foi_session *s, foi_place place, const foi_matrix *m, uint32_t column,
                       foi_curve *c)
{
    const struct foi_kept_curve *before = same_curve(s, m, column, c);
    if (before) return *c = before->curve, true;
    c->count = m->rows;
    c->x = foi_arena_new(&s->flat->arena, m->rows, sizeof *c->x); // operations keep them
    c->y = foi_arena_new(&s->arena, m->rows, sizeof *c->y);
    if (!c->x || !c->y) return false;
    for (uint32_t i = 0; i < m->rows; i++) {
        c->x[i] = m->items[(size_t)i * m->columns];
        c->y[i] = m->items[(size_t)i * m->columns + column];
    }
    if (c->extrapolation == FOI_PERIODIC && m->rows > 1 && !(c->x[m->rows - 1] > c->x[0]))
        return foi_error(s, place, "a periodic table needs a period: it begins and ends at %g",
                         c->x[0]);
    if (!foi_curve_fill(s, place, c)) return false;
    struct foi_kept_curve *kept =
        foi_arena_add(&s->arena, &s->curves, &s->curve_count, sizeof *kept);
    if (!kept) return false;
    *kept = (struct foi_kept_curve){m->items, m->rows, m->columns, column, *c};
    return true;
}

static bool read_column(foi_session *s, foi_place place, const foi_value *object,
                        const foi_value *which, bool jumps, foi_curve *c)
{
    double *columns, icol;
    foi_matrix m;
    const foi_value *list = field(object, "columns");
    *c = (foi_curve){.jumps = jumps, .may_jump = jumps};
    if (!read_table(s, place, object, &m)) return false;
    if (!list || !numbers(s, place, list, &columns) ||
        !interpolation(s, place, object, &c->smoothness, &c->extrapolation))
        return false;
    if (!known_scalar(s, which, &icol) || !(icol >= 1 && icol <= list->count) ||
        !(columns[(int)icol - 1] >= 1 && columns[(int)icol - 1] <= m.columns))
        return foi_error(s, place, "'columns' names a column that the table does not have");
    return make_curve(s, place, &m, (uint32_t)columns[(int)icol - 1] - 1, c);
}

// ------------------------------------------------------------------------------------------ calls

static bool scalar_result(const foi_flat_expr *e, foi_value *out)
{
    *out = foi_scalar(e);
    return e;
}

// "icol" of getValue and getDerValue; any other question is one about the first column.
static bool which_column(foi_session *s, const char *what, const foi_value *v, uint32_t count,
                         foi_value *icol)
{
    bool asked = strcmp(what, "getValue") == 0 || strcmp(what, "getDerValue") == 0;
    if (asked && count > 1) return *icol = v[1], true;
    return scalar_result(foi_flat_integer(s->flat, 1), icol);
}

// What a derivative gives, by that of its argument.
static bool rate_result(foi_session *s, const foi_flat_expr *slope, const foi_value *rate,
                        foi_value *out)
{
    return scalar_result(foi_of_two(s, FOI_OP_MULTIPLY, slope, rate->one), out);
}

static bool time_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                      uint32_t count, foi_value *out)
{
    foi_value icol;
    foi_curve c;
    double events;
    foi_table_moments m = {0};
    if (!which_column(s, what, v, count, &icol) || !read_column(s, place, &v[0], &icol, true, &c) ||
        !number(s, place, &v[0], "startTime", &m.start) ||
        !number(s, place, &v[0], "shiftTime", &m.shift) ||
        !number(s, place, &v[0], "timeEvents", &events) || !foi_find_moments(s, &c, events, &m))
        return false;
    if (strcmp(what, "getValue") == 0 && count >= 4)
        return scalar_result(foi_time_value(s, place, &c, &m, v[2].one, v[3].one), out);
    if (strcmp(what, "getDerValue") == 0 && count >= 6) {
        c.order = 1;
        return rate_result(s, foi_time_value(s, place, &c, &m, v[2].one, v[3].one), &v[5], out);
    }
    if (strcmp(what, "minimumTime") == 0) return scalar_result(foi_real(s, c.x[0]), out);
    if (strcmp(what, "maximumTime") == 0) return scalar_result(foi_real(s, c.x[c.count - 1]), out);
    if (strcmp(what, "nextTimeEvent") == 0 && count >= 2)
        return scalar_result(foi_next_event(s, &c, &m, v[1].one), out);
    return foi_error(s, place, "'%s' of a table is not supported", what);
}

static bool one_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                     uint32_t count, foi_value *out)
{
    foi_value icol;
    foi_curve c;
    if (!which_column(s, what, v, count, &icol) || !read_column(s, place, &v[0], &icol, false, &c))
        return false;
    if (strcmp(what, "getValue") == 0 && count >= 3)
        return scalar_result(foi_curve_look_up(s, place, &c, v[2].one), out);
    if (strcmp(what, "getDerValue") == 0 && count >= 4) {
        c.order = 1;
        return rate_result(s, foi_curve_look_up(s, place, &c, v[2].one), &v[3], out);
    }
    if (strcmp(what, "minimumAbscissa") == 0) return scalar_result(foi_real(s, c.x[0]), out);
    if (strcmp(what, "maximumAbscissa") == 0)
        return scalar_result(foi_real(s, c.x[c.count - 1]), out);
    return foi_error(s, place, "'%s' of a table is not supported", what);
}

static bool two_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                     uint32_t count, foi_value *out)
{
    foi_matrix m;
    foi_way_2d way = {0};
    if (!read_table(s, place, &v[0], &m) ||
        !interpolation(s, place, &v[0], &way.smoothness, &way.extrapolation))
        return false;
    if (m.rows < 2 || m.columns < 2)
        return foi_error(s, place,
                         "a table of two dimensions has points in its first row and "
                         "column, and a value at least");
    if (strcmp(what, "getValue") == 0 && count >= 3)
        return scalar_result(foi_look_up_2d(s, place, &m, way, v[1].one, v[2].one), out);
    if (strcmp(what, "getDerValue") == 0 && count >= 5) {
        foi_value one[2];
        for (int i = 0; i < 2; i++) {
            way.by = i + 1;
            const foi_flat_expr *slope = foi_look_up_2d(s, place, &m, way, v[1].one, v[2].one);
            if (!rate_result(s, slope, &v[3 + i], &one[i])) return false;
        }
        return scalar_result(foi_of_two(s, FOI_OP_ADD, one[0].one, one[1].one), out);
    }
    bool least = strcmp(what, "minimumAbscissa") == 0;
    uint32_t two = 2;
    const foi_flat_expr **list;
    if (!least && strcmp(what, "maximumAbscissa") != 0)
        return foi_error(s, place, "'%s' of a table is not supported", what);
    if (!foi_new_array(s, place, FOI_REAL, 1, &two, out, &list)) return false;
    list[0] = foi_real(s, m.items[(size_t)(least ? 1 : m.rows - 1) * m.columns]);
    list[1] = foi_real(s, m.items[least ? 1 : m.columns - 1]);
    return list[0] && list[1];
}

bool foi_table_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                    uint32_t count, bool *handled, foi_value *out)
{
    static const struct {
        const char *begin;
        bool (*call)(foi_session *, foi_place, const char *, const foi_value *, uint32_t,
                     foi_value *);
    } kinds[] = {{"ModelicaStandardTables_CombiTimeTable_", time_call},
                 {"ModelicaStandardTables_CombiTable1D_", one_call},
                 {"ModelicaStandardTables_CombiTable2D_", two_call}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i].begin);
        if (strncmp(name, kinds[i].begin, length) != 0) continue;
        *handled = true;
        if (count < 1 || !values[0].record)
            return foi_error(s, place, "'%s' needs a table", name + length);
        for (uint32_t k = 1; k < count; k++)
            if (values[k].record || values[k].rank)
                return foi_error(s, place, "'%s' of a table takes numbers", name + length);
        return kinds[i].call(s, place, name + length, values, count, out);
    }
    return *handled = false;
}
