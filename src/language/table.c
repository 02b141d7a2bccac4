/// Tables of the library: what ModelicaStandardTables computes, as expressions over the numbers of
/// the table, which are known before the run. An interval is found by halves, so that a look-up
/// costs the logarithm of the table's size. One-dimensional tables make no moments; those of time
/// choose their interval by the next event, which the library's block keeps.
#include <math.h>
#include <string.h>

#include "language/session.h"
#include "math/math.h"

enum { LINEAR = 1, AKIMA, CONSTANT, FRITSCH_BUTLAND, STEFFEN, MODIFIED_AKIMA };
enum { HOLD = 1, LAST_TWO, PERIODIC, NONE };
enum { ALWAYS = 1, DISCONTINUITIES, NEVER };

/// y = a[0] + a[1] (u - x) + a[2] (u - x)^2 + a[3] (u - x)^3
typedef struct piece {
    double x, a[4];
} piece;

/// One column of a table.
typedef struct column {
    uint32_t count;
    double *x, *y;
    int smoothness, extrapolation;
    piece *pieces; ///< one before the first point, one for each interval, one behind the last
} column;

static const foi_value *field(const foi_value *object, const char *name)
{
    for (uint32_t i = 0; i < object->record->member_count; i++)
        if (strcmp(object->record->members[i].declaration->name, name) == 0)
            return &object->fields[i];
    return NULL;
}

static bool number(foi_session *s, foi_place place, const foi_value *object, const char *name,
                   double *value)
{
    const foi_value *v = field(object, name);
    if (v && !v->rank && foi_known(s, v->one, true, value)) return true;
    return foi_error(s, place, "'%s' of the table is not known before the run", name);
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

// The numbers of the table of an object.
static bool read_table(foi_session *s, foi_place place, const foi_value *object, double **list,
                       uint32_t *rows, uint32_t *columns)
{
    const foi_value *file = field(object, "fileName"), *table = field(object, "table");
    if (!table || table->rank != 2 || !file)
        return foi_error(s, place, "a table object is expected, with 'table' and 'fileName'");
    if (file->one->op == FOI_OP_STRING && strcmp(file->one->text, "NoName") != 0)
        return foi_error(s, place, "tables on files are not supported: '%s'", file->one->text);
    *rows = table->dims[0], *columns = table->dims[1];
    if (!table->count) return foi_error(s, place, "the table is empty");
    return numbers(s, place, table, list);
}

// ------------------------------------------------------------------------------- slopes of curves

static double akima(double d0, double d1, double d2, double d3, bool modified)
{
    double w1 = fabs(d3 - d2), w2 = fabs(d1 - d0);
    if (modified) w1 += fabs(d3 + d2) / 2, w2 += fabs(d1 + d0) / 2;
    double sum = w1 + w2;
    return sum > 0 ? (w1 * d1 + w2 * d2) / sum : modified ? 0 : (d1 + d2) / 2;
}

static double limited(int how, double h0, double h1, double d0, double d1)
{
    if (d0 * d1 <= 0) return 0;
    if (how == FRITSCH_BUTLAND) {
        double sum = h0 + h1;
        return 3 * sum / ((sum + h1) / d0 + (sum + h0) / d1);
    }
    double p = (d0 * h1 + d1 * h0) / (h0 + h1), least = foi_fmin(fabs(d0), fabs(d1));
    return copysign(foi_fmin(2 * least, fabs(p)), d0);
}

// The slope at point i of at least three.
static double slope_at(const column *c, const double *d, uint32_t i)
{
    uint32_t last = c->count - 1;
    if (c->smoothness == AKIMA || c->smoothness == MODIFIED_AKIMA) {
        // d[-2], d[-1] and those behind the end go on as the first and the last two do
        double e[4];
        for (int k = 0; k < 4; k++) {
            long at = (long)i + k - 2, n = (long)last;
            e[k] = at >= 0 && at < n ? d[at]
                   : at < 0          ? d[0] + (double)at * (d[1] - d[0])
                                     : d[n - 1] + (double)(at - n + 1) * (d[n - 1] - d[n - 2]);
        }
        return akima(e[0], e[1], e[2], e[3], c->smoothness == MODIFIED_AKIMA);
    }
    if (i == 0) return limited(c->smoothness, 1, 1, d[0], 2 * d[0] - d[1]);
    if (i == last) return limited(c->smoothness, 1, 1, d[last - 1], 2 * d[last - 1] - d[last - 2]);
    return limited(c->smoothness, c->x[i] - c->x[i - 1], c->x[i + 1] - c->x[i], d[i - 1], d[i]);
}

static bool fill_pieces(foi_session *s, foi_place place, column *c)
{
    uint32_t n = c->count;
    c->pieces = foi_arena_new(&s->arena, n + 1u, sizeof *c->pieces);
    double *d = foi_arena_new(&s->arena, n, sizeof *d);
    if (!c->pieces || !d) return false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double h = c->x[i + 1] - c->x[i];
        if (h < 0) return foi_error(s, place, "the first column of the table must not decrease");
        d[i] = h > 0 ? (c->y[i + 1] - c->y[i]) / h : 0;
    }
    bool curved = c->smoothness != LINEAR && c->smoothness != CONSTANT && n > 2;
    double m0 = curved ? slope_at(c, d, 0) : n > 1 ? d[0] : 0, first = m0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double h = c->x[i + 1] - c->x[i], m1 = curved ? slope_at(c, d, i + 1) : d[i];
        piece p = {.x = c->x[i], .a = {c->y[i], c->smoothness == CONSTANT ? 0 : d[i]}};
        if (curved && h > 0) {
            p.a[1] = m0;
            p.a[2] = (3 * d[i] - 2 * m0 - m1) / h;
            p.a[3] = (m0 + m1 - 2 * d[i]) / (h * h);
        }
        c->pieces[i + 1] = p;
        m0 = m1;
    }
    bool goes_on = c->extrapolation == LAST_TWO && c->smoothness != CONSTANT;
    c->pieces[0] = (piece){.x = c->x[0], .a = {c->y[0], goes_on ? first : 0}};
    double end = !curved && n > 1 ? d[n - 2] : m0;
    c->pieces[n] = (piece){.x = c->x[n - 1], .a = {c->y[n - 1], goes_on ? end : 0}};
    return true;
}

static bool read_column(foi_session *s, foi_place place, const foi_value *object,
                        const foi_value *which, column *c)
{
    double *all, *columns, icol, smoothness, extrapolation;
    uint32_t rows, width;
    const foi_value *list = field(object, "columns");
    if (!read_table(s, place, object, &all, &rows, &width)) return false;
    if (!list || !numbers(s, place, list, &columns) ||
        !number(s, place, object, "smoothness", &smoothness) ||
        !number(s, place, object, "extrapolation", &extrapolation))
        return false;
    if (!foi_known(s, which->one, true, &icol) || !(icol >= 1 && icol <= list->count) ||
        !(columns[(int)icol - 1] >= 1 && columns[(int)icol - 1] <= width))
        return foi_error(s, place, "'columns' names a column that the table does not have");
    if (extrapolation == NONE)
        return foi_error(s, place, "tables without extrapolation are not supported");
    *c = (column){.count = rows, .smoothness = (int)smoothness};
    c->extrapolation = (int)extrapolation;
    c->x = foi_arena_new(&s->arena, rows, sizeof *c->x);
    c->y = foi_arena_new(&s->arena, rows, sizeof *c->y);
    if (!c->x || !c->y) return false;
    for (uint32_t i = 0; i < rows; i++) {
        c->x[i] = all[i * width];
        c->y[i] = all[i * width + (uint32_t)columns[(int)icol - 1] - 1];
    }
    return fill_pieces(s, place, c);
}

// ------------------------------------------------------------------------------------- expressions

static const foi_flat_expr *real(foi_session *s, double value)
{
    return foi_flat_real(s->flat, value);
}

static const foi_flat_expr *of_two(foi_session *s, foi_flat_op op, const foi_flat_expr *a,
                                   const foi_flat_expr *b)
{
    return foi_flat_binary(s->flat, op, a, b);
}

static const foi_flat_expr *of_one(foi_session *s, foi_flat_builtin f, const foi_flat_expr *a)
{
    return foi_flat_call_builtin(s->flat, f, 1, &a);
}

static const foi_flat_expr *piece_value(foi_session *s, const piece *p, const foi_flat_expr *u)
{
    int degree = 3;
    while (degree > 0 && p->a[degree] == 0) degree--;
    const foi_flat_expr *y = real(s, p->a[degree]);
    if (degree == 0) return y;
    const foi_flat_expr *h = p->x == 0 ? u : of_two(s, FOI_OP_SUBTRACT, u, real(s, p->x));
    while (degree-- > 0) {
        y = of_two(s, FOI_OP_MULTIPLY, y, h);
        if (p->a[degree] != 0) y = of_two(s, FOI_OP_ADD, real(s, p->a[degree]), y);
    }
    return y;
}

// The piece of the interval in which `by` is, of those from `first` to `last`; bounds[i] ends piece
// i.
static const foi_flat_expr *search(foi_session *s, const piece *pieces, const double *bounds,
                                   uint32_t first, uint32_t last, const foi_flat_expr *by,
                                   foi_flat_op before, const foi_flat_expr *u)
{
    if (first == last) return piece_value(s, &pieces[first], u);
    uint32_t middle = first + (last - first) / 2;
    const foi_flat_expr *lower = of_two(s, before, by, real(s, bounds[middle]));
    return foi_flat_if(s->flat, of_one(s, FOI_FN_NO_EVENT, lower),
                       search(s, pieces, bounds, first, middle, by, before, u),
                       search(s, pieces, bounds, middle + 1, last, by, before, u));
}

// u - floor((u - x)/T) T
static const foi_flat_expr *folded(foi_session *s, const column *c, const foi_flat_expr *u)
{
    double period = c->x[c->count - 1] - c->x[0];
    const foi_flat_expr *turns =
        of_two(s, FOI_OP_DIVIDE, of_two(s, FOI_OP_SUBTRACT, u, real(s, c->x[0])), real(s, period));
    turns = of_one(s, FOI_FN_NO_EVENT, of_one(s, FOI_FN_FLOOR, turns));
    return of_two(s, FOI_OP_SUBTRACT, u, of_two(s, FOI_OP_MULTIPLY, turns, real(s, period)));
}

static const foi_flat_expr *look_up(foi_session *s, const column *c, const foi_flat_expr *u)
{
    if (c->count == 1) return real(s, c->y[0]);
    bool periodic = c->extrapolation == PERIODIC && c->x[c->count - 1] > c->x[0];
    // pieces[0] is before x[0], pieces[i] before x[i]; what is folded to an end, by rounding, is
    // inside
    if (periodic) u = folded(s, c, u);
    uint32_t first = periodic ? 1 : 0, last = c->count - first;
    return search(s, c->pieces, c->x, first, last, u, FOI_OP_LESS, u);
}

// --------------------------------------------------------------------------------- tables of time

/// When something happens in a table of time: the ends of its pieces.
typedef struct moments {
    double *at;
    uint32_t *piece; ///< of the table, before this moment; `count` of them and one behind the last
    uint32_t *first; ///< the first behind the moment before it, in the same way
    uint32_t count;
    double start, shift;
    bool begins; ///< at[0] is the start: nothing before it
} moments;

static bool find_moments(foi_session *s, foi_place place, const foi_value *object, const column *c,
                         moments *m)
{
    double events;
    *m = (moments){0};
    if (!number(s, place, object, "startTime", &m->start) ||
        !number(s, place, object, "shiftTime", &m->shift) ||
        !number(s, place, object, "timeEvents", &events))
        return false;
    m->at = foi_arena_new(&s->arena, c->count + 1u, sizeof *m->at);
    m->piece = foi_arena_new(&s->arena, c->count + 2u, sizeof *m->piece);
    m->first = foi_arena_new(&s->arena, c->count + 2u, sizeof *m->first);
    if (!m->at || !m->piece || !m->first) return false;
    m->first[0] = 0;
    for (uint32_t i = 0; i < c->count && c->count > 1; i++) {
        bool twice = i + 1 < c->count && c->x[i] == c->x[i + 1];
        bool ends = c->x[i] == c->x[0] || c->x[i] == c->x[c->count - 1];
        bool counts = events == ALWAYS || c->smoothness == CONSTANT ||
                      (events == DISCONTINUITIES && twice) ||
                      (ends && c->extrapolation == PERIODIC);
        if (i > 0 && c->x[i] == c->x[i - 1]) {
            continue; // the first of the two is the moment
        }
        if (!counts) continue;
        m->piece[m->count] = i, m->at[m->count++] = c->x[i];
        m->first[m->count] = i + 1 + twice;
    }
    m->piece[m->count] = c->count;
    return true;
}

// The time in the table, and how many periods were taken off, by something that lies in the period.
static const foi_flat_expr *turns_of(foi_session *s, const column *c, const moments *m,
                                     const foi_flat_expr *t, bool before)
{
    double period = c->x[c->count - 1] - c->x[0], slack = 1e-9;
    const foi_flat_expr *from =
        of_two(s, FOI_OP_SUBTRACT, t, real(s, m->shift + c->x[before ? c->count - 1 : 0]));
    const foi_flat_expr *n = of_two(s, FOI_OP_DIVIDE, from, real(s, period));
    n = before ? of_one(s, FOI_FN_CEIL, of_two(s, FOI_OP_SUBTRACT, n, real(s, slack)))
               : of_one(s, FOI_FN_FLOOR, of_two(s, FOI_OP_ADD, n, real(s, slack)));
    return of_two(s, FOI_OP_MULTIPLY, of_one(s, FOI_FN_NO_EVENT, n), real(s, period));
}

static bool is_periodic(const column *c)
{
    return c->extrapolation == PERIODIC && c->count > 1 && c->x[c->count - 1] > c->x[0];
}

// The piece before moment `last` or one of those before it, from `first` on: which two moments it
// lies between is said by the next event, and which of several pieces between them, that make no
// moments, by the time itself.
static const foi_flat_expr *between(foi_session *s, const column *c, const moments *m,
                                    const double *bounds, uint32_t first, uint32_t last,
                                    const foi_flat_expr *by, const foi_flat_expr *at)
{
    if (first == last)
        return search(s, c->pieces, c->x, m->first[first], m->piece[first], at, FOI_OP_LESS, at);
    uint32_t middle = first + (last - first) / 2;
    const foi_flat_expr *lower = of_two(s, FOI_OP_LESS, by, real(s, bounds[middle]));
    return foi_flat_if(s->flat, of_one(s, FOI_FN_NO_EVENT, lower),
                       between(s, c, m, bounds, first, middle, by, at),
                       between(s, c, m, bounds, middle + 1, last, by, at));
}

// The value at time t, in the interval that the next event ends.
static const foi_flat_expr *value_at(foi_session *s, const column *c, const moments *m,
                                     const foi_flat_expr *t, const foi_flat_expr *next)
{
    if (c->count == 1) return real(s, c->y[0]);
    const foi_flat_expr *at = of_two(s, FOI_OP_SUBTRACT, t, real(s, m->shift));
    const foi_flat_expr *by = of_two(s, FOI_OP_SUBTRACT, next, real(s, m->shift));
    if (is_periodic(c)) {
        const foi_flat_expr *off = turns_of(s, c, m, next, true);
        at = of_two(s, FOI_OP_SUBTRACT, at, off);
        by = of_two(s, FOI_OP_SUBTRACT, by, off);
    }
    double *bounds = foi_arena_new(&s->arena, m->count + 1u, sizeof *bounds);
    if (!bounds) return NULL;
    for (uint32_t i = 0; i < m->count; i++) { // between this moment and the next
        double width = i + 1 < m->count ? m->at[i + 1] - m->at[i] : c->x[c->count - 1] - c->x[0];
        if (!(width > 0)) width = m->at[i] != 0 ? fabs(m->at[i]) : 1; // all of it is one jump
        bounds[i] = m->at[i] + 1e-6 * width;
    }
    return between(s, c, m, bounds, 0, m->count, by, at);
}

static const foi_flat_expr *time_value(foi_session *s, const column *c, const moments *m,
                                       const foi_flat_expr *t, const foi_flat_expr *next)
{
    const foi_flat_expr *y = value_at(s, c, m, t, next);
    if (m->start <= c->x[0] + m->shift && c->extrapolation == HOLD && m->start <= 0) return y;
    const foi_flat_expr *begun = of_two(s, FOI_OP_GREATER_EQUAL, t, real(s, m->start));
    return foi_flat_if(s->flat, begun, y, real(s, 0));
}

// The first moment after t; 1e60 behind the last.
static const foi_flat_expr *next_event(foi_session *s, const column *c, const moments *m,
                                       const foi_flat_expr *t)
{
    const foi_flat_expr *at = of_two(s, FOI_OP_SUBTRACT, t, real(s, m->shift)), *off = NULL;
    const double never = 1e60;
    double span = c->x[c->count - 1] - c->x[0];
    if (is_periodic(c)) {
        off = turns_of(s, c, m, t, false);
        at = of_two(s, FOI_OP_SUBTRACT, at, off);
    }
    const foi_flat_expr *found = real(s, never);
    for (uint32_t i = m->count; i-- > 0;) {
        double moment = m->at[i], slack = 1e-12 * (fabs(moment) + span);
        const foi_flat_expr *later = of_two(s, FOI_OP_LESS, at, real(s, moment - slack));
        const foi_flat_expr *value = real(s, moment + m->shift);
        if (off) value = of_two(s, FOI_OP_ADD, value, off);
        found = foi_flat_if(s->flat, of_one(s, FOI_FN_NO_EVENT, later), value, found);
    }
    const foi_flat_expr *before =
        of_two(s, FOI_OP_LESS, t, real(s, m->start - 1e-12 * fabs(m->start)));
    return foi_flat_if(s->flat, of_one(s, FOI_FN_NO_EVENT, before), real(s, m->start), found);
}

// ------------------------------------------------------------------------------ two dimensions

// Between two expressions of u2, by u1: the table's rows.
static bool look_up_2d(foi_session *s, foi_place place, const foi_value *object,
                       const foi_flat_expr *u1, const foi_flat_expr *u2, const foi_flat_expr **y)
{
    double *all, smoothness, extrapolation;
    uint32_t rows, width;
    if (!read_table(s, place, object, &all, &rows, &width) ||
        !number(s, place, object, "smoothness", &smoothness) ||
        !number(s, place, object, "extrapolation", &extrapolation))
        return false;
    if (rows < 3 || width < 3 || smoothness != LINEAR || extrapolation > LAST_TWO)
        return foi_error(s, place,
                         "only tables of two dimensions that are linear and at least "
                         "2 by 2 are supported, with extrapolation");
    // along the rows: a column for each u1; then between neighbours
    const foi_flat_expr **line = foi_arena_new(&s->arena, rows, sizeof *line);
    if (!line) return false;
    for (uint32_t r = 1; r < rows; r++) {
        column c = {.count = width - 1, .x = all + 1, .y = all + (size_t)r * width + 1};
        c.smoothness = LINEAR, c.extrapolation = (int)extrapolation;
        if (!fill_pieces(s, place, &c) || !(line[r] = look_up(s, &c, u2))) return false;
    }
    const foi_flat_expr *found = NULL;
    for (uint32_t r = rows - 1; r-- > 1;) {
        double x = all[(size_t)r * width], h = all[(size_t)(r + 1) * width] - x;
        if (!(h > 0)) return foi_error(s, place, "the first column of the table must increase");
        const foi_flat_expr *part =
            of_two(s, FOI_OP_DIVIDE, of_two(s, FOI_OP_SUBTRACT, u1, real(s, x)), real(s, h));
        if (extrapolation == HOLD) {
            const foi_flat_expr *low[] = {part, real(s, 1)};
            part = foi_flat_call_builtin(s->flat, FOI_FN_MIN, 2, low);
            const foi_flat_expr *high[] = {part, real(s, 0)};
            part = foi_flat_call_builtin(s->flat, FOI_FN_MAX, 2, high);
        }
        const foi_flat_expr *step = of_two(s, FOI_OP_SUBTRACT, line[r + 1], line[r]);
        const foi_flat_expr *value =
            of_two(s, FOI_OP_ADD, line[r], of_two(s, FOI_OP_MULTIPLY, part, step));
        const foi_flat_expr *before = of_two(s, FOI_OP_LESS, u1, real(s, x + h));
        found =
            found ? foi_flat_if(s->flat, of_one(s, FOI_FN_NO_EVENT, before), value, found) : value;
    }
    return (*y = found) != NULL;
}

// ------------------------------------------------------------------------------------------ calls

static bool scalar_result(const foi_flat_expr *e, foi_value *out)
{
    *out = foi_scalar(e);
    return e;
}

static bool time_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                      foi_value *out)
{
    foi_value one = foi_scalar(foi_flat_integer(s->flat, 1));
    const foi_value *icol = strncmp(what, "get", 3) == 0 ? &v[1] : &one;
    column c;
    moments m;
    if (!one.one || !read_column(s, place, &v[0], icol, &c) ||
        !find_moments(s, place, &v[0], &c, &m))
        return false;
    if (strcmp(what, "getValue") == 0)
        return scalar_result(time_value(s, &c, &m, v[2].one, v[3].one), out);
    if (strcmp(what, "minimumTime") == 0) return scalar_result(real(s, c.x[0]), out);
    if (strcmp(what, "maximumTime") == 0) return scalar_result(real(s, c.x[c.count - 1]), out);
    if (strcmp(what, "nextTimeEvent") == 0)
        return scalar_result(next_event(s, &c, &m, v[1].one), out);
    return foi_error(s, place, "'%s' of a table is not supported", what);
}

static bool one_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                     foi_value *out)
{
    foi_value one = foi_scalar(foi_flat_integer(s->flat, 1));
    column c;
    if (!one.one || !read_column(s, place, &v[0], strcmp(what, "getValue") == 0 ? &v[1] : &one, &c))
        return false;
    if (strcmp(what, "getValue") == 0) return scalar_result(look_up(s, &c, v[2].one), out);
    if (strcmp(what, "minimumAbscissa") == 0) return scalar_result(real(s, c.x[0]), out);
    if (strcmp(what, "maximumAbscissa") == 0) return scalar_result(real(s, c.x[c.count - 1]), out);
    return foi_error(s, place, "'%s' of a table is not supported", what);
}

static bool two_call(foi_session *s, foi_place place, const char *what, const foi_value *v,
                     foi_value *out)
{
    if (strcmp(what, "getValue") == 0) {
        const foi_flat_expr *y = NULL;
        return look_up_2d(s, place, &v[0], v[1].one, v[2].one, &y) && scalar_result(y, out);
    }
    bool least = strcmp(what, "minimumAbscissa") == 0;
    double *all;
    uint32_t rows, width, two = 2;
    const foi_flat_expr **list;
    if (!least && strcmp(what, "maximumAbscissa") != 0)
        return foi_error(s, place, "'%s' of a table is not supported", what);
    if (!read_table(s, place, &v[0], &all, &rows, &width) || rows < 2 || width < 2) return false;
    if (!foi_new_array(s, place, FOI_REAL, 1, &two, out, &list)) return false;
    list[0] = real(s, all[(size_t)(least ? 1 : rows - 1) * width]);
    list[1] = real(s, all[least ? 1 : width - 1]);
    return list[0] && list[1];
}

bool foi_table_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                    uint32_t count, bool *handled, foi_value *out)
{
    static const struct {
        const char *begin;
        bool (*call)(foi_session *, foi_place, const char *, const foi_value *, foi_value *);
    } kinds[] = {{"ModelicaStandardTables_CombiTimeTable_", time_call},
                 {"ModelicaStandardTables_CombiTable1D_", one_call},
                 {"ModelicaStandardTables_CombiTable2D_", two_call}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i].begin);
        if (strncmp(name, kinds[i].begin, length) != 0) continue;
        *handled = true;
        if (count < 1 || !values[0].record)
            return foi_error(s, place, "'%s' needs a table", name + length);
        return kinds[i].call(s, place, name + length, values, out);
    }
    return *handled = false;
}
