// Whole parts in feedback loops: floor, ceil, integer, div, rem and mod of states that they drive,
// alone and two at once, beside a brute force that knows the solution between their jumps and on
// them. There each of their values lies between those of the two cells, so that the argument stays.
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { N = 3, Q = 2, STEPS = 4000, MOST_EVENTS = 400, CELLS = 12 };

typedef enum rounding { FLOOR, CEIL, INTEGER, DIV, ROUND, MOD, REM, KINDS } rounding;

typedef struct quantizer {
    rounding kind;
    double w[N], ramp, size, speed, offset; ///< u = w x + ramp t + size sin(speed t) + offset
    double gain[N];                         ///< x' has - gain value
} quantizer;

typedef struct loop {
    int n, q;
    double a[N][N], b[N], c[N], e[N], speed[N], start[N], stop;
    quantizer list[Q];
} loop;

static double between(uint64_t *s, double a, double b)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(*s >> 11) * 0x1p-53;
}

static loop make(uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    between(&s, 0, 1);
    loop l = {.n = 1 + (int)between(&s, 0, 3), .q = 1 + (int)between(&s, 0, 2)};
    l.stop = between(&s, 2, 5);
    for (int i = 0; i < l.n; i++) {
        for (int k = 0; k < l.n; k++)
            l.a[i][k] = between(&s, 0, 1) < 0.4 ? 0 : between(&s, -1, i == k ? 0.2 : 1);
        l.b[i] = between(&s, -1.5, 1.5);
        l.c[i] = between(&s, 0, 1) < 0.6 ? 0 : between(&s, -0.5, 0.5);
        l.e[i] = between(&s, 0, 1) < 0.4 ? 0 : between(&s, 0, 2);
        l.speed[i] = between(&s, 0.5, 5), l.start[i] = between(&s, -2, 2);
    }
    for (int j = 0; j < l.q; j++) {
        quantizer *q = &l.list[j];
        double along = 0;
        q->kind = (rounding)between(&s, 0, KINDS);
        for (int i = 0; i < l.n; i++) {
            q->w[i] = between(&s, 0, 1) < 0.3 ? 0 : between(&s, -2, 2);
            q->gain[i] = between(&s, 0, 1) < 0.3 ? 0 : between(&s, -2, 2);
            along += q->w[i] * q->gain[i];
        }
        if (q->kind >= MOD) along = -along; // the sawtooth falls where it jumps
        if (fabs(along) < 0.1) q->w[0] = 1, q->gain[0] = q->kind >= MOD ? -2 : 2, along = 1;
        for (int i = 0; i < l.n && along < 0 && between(&s, 0, 1) < 0.9; i++)
            q->gain[i] = -q->gain[i];
        if (between(&s, 0, 1) < 0.4) q->ramp = between(&s, -1, 1);
        if (between(&s, 0, 1) < 0.4) q->size = between(&s, 0, 1);
        q->speed = between(&s, 0.5, 4), q->offset = between(&s, 0, 1);
    }
    return l;
}

// --------------------------------------------------------------------------------------- the truth

/// Where the arguments are: in cell `at`, or on its lower end.
typedef struct mode {
    int at[Q];
    bool on[Q];
} mode;

static double whole_of(rounding kind, int cell)
{
    switch (kind) {
    case CEIL: return cell + 1;
    case DIV:
    case REM: return cell >= 0 ? cell : cell + 1;
    default: return cell;
    }
}

static double argument(const loop *l, int j, double t, const double *x)
{
    const quantizer *q = &l->list[j];
    double u = q->ramp * t + q->size * sin(q->speed * t) + q->offset;
    for (int i = 0; i < l->n; i++) u += q->w[i] * x[i];
    return u;
}

// With the whole parts as they are given.
static void rates_with(const loop *l, double t, const double *x, const double *whole, double *dx)
{
    for (int i = 0; i < l->n; i++) {
        dx[i] = l->b[i] + l->c[i] * t + l->e[i] * sin(l->speed[i] * t);
        for (int k = 0; k < l->n; k++) dx[i] += l->a[i][k] * x[k];
        for (int j = 0; j < l->q; j++) {
            bool saw = l->list[j].kind >= MOD;
            double value = saw ? argument(l, j, t, x) - whole[j] : whole[j];
            dx[i] -= l->list[j].gain[i] * value;
        }
    }
}

static double pace(const loop *l, int j, double t, const double *dx)
{
    const quantizer *q = &l->list[j];
    double v = q->ramp + q->size * q->speed * cos(q->speed * t);
    for (int i = 0; i < l->n; i++) v += q->w[i] * dx[i];
    return v;
}

// How fast argument j grows with whole part k.
static double drive(const loop *l, int j, int k)
{
    double sum = 0;
    for (int i = 0; i < l->n; i++) sum -= l->list[j].w[i] * l->list[k].gain[i];
    return l->list[k].kind >= MOD ? -sum : sum;
}

// The whole parts; of those that stay on a jump such that they do. False: there are none.
static bool wholes(const loop *l, const mode *m, double t, const double *x, double *whole)
{
    double dx[N], off[Q], a[Q][Q];
    for (int j = 0; j < l->q; j++) whole[j] = m->on[j] ? 0 : whole_of(l->list[j].kind, m->at[j]);
    rates_with(l, t, x, whole, dx);
    for (int j = 0; j < l->q; j++) {
        off[j] = pace(l, j, t, dx);
        for (int k = 0; k < l->q; k++) a[j][k] = drive(l, j, k);
    }
    if (m->on[0] && l->q == 2 && m->on[1]) {
        double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        if (!(fabs(det) > 1e-9)) return false;
        whole[0] = -(off[0] * a[1][1] - off[1] * a[0][1]) / det;
        whole[1] = -(off[1] * a[0][0] - off[0] * a[1][0]) / det;
        return true;
    }
    for (int j = 0; j < l->q; j++) {
        if (m->on[j] && !(fabs(a[j][j]) > 1e-9)) return false;
        if (m->on[j]) whole[j] = -off[j] / a[j][j];
    }
    return true;
}

static bool rates(const loop *l, const mode *m, double t, const double *x, double *dx)
{
    double whole[Q] = {0};
    if (!wholes(l, m, t, x, whole)) return false;
    rates_with(l, t, x, whole, dx);
    return true;
}

static bool step(const loop *l, const mode *m, double t, double h, const double *x, double *to)
{
    double k[4][N], y[N];
    static const double part[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < l->n; i++) y[i] = x[i] + (s ? part[s] * h * k[s - 1][i] : 0);
        if (!rates(l, m, t + part[s] * h, y, k[s])) return false;
    }
    for (int i = 0; i < l->n; i++)
        to[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    return true;
}

// How far it is from leaving the mode: positive while it stays, of each end.
static double room(const loop *l, const mode *m, double t, const double *x, int j, int end)
{
    double whole[Q] = {0};
    if (!m->on[j]) {
        double u = argument(l, j, t, x);
        return end ? m->at[j] + 1 - u : u - m->at[j];
    }
    wholes(l, m, t, x, whole);
    double low = whole_of(l->list[j].kind, m->at[j] - 1),
           high = whole_of(l->list[j].kind, m->at[j]);
    return end ? high - whole[j] : whole[j] - low;
}

// Those at a jump go on to one side, or stay. Returns in how many ways.
static int choose(const loop *l, const mode *at, const bool *there, double t, const double *x,
                  mode *found)
{
    int ways = 0;
    for (int code = 0; code < 9; code++) {
        mode m = *at;
        int fate[Q] = {code % 3 - 1, code / 3 - 1};
        bool fits = true;
        for (int j = 0; j < Q; j++) {
            if ((j >= l->q || !there[j]) && fate[j] != 0) fits = false;
            if (j >= l->q || !there[j]) continue;
            m.on[j] = fate[j] == 0;
            m.at[j] = fate[j] < 0 ? at->at[j] - 1 : at->at[j];
        }
        double whole[Q] = {0}, dx[N], trace = 0, a[Q][Q] = {{0}};
        int slid = 0;
        if (!fits || !wholes(l, &m, t, x, whole)) continue;
        rates_with(l, t, x, whole, dx);
        for (int j = 0; j < l->q; j++) {
            if (!there[j]) continue;
            if (fate[j] != 0) {
                fits &= fate[j] * pace(l, j, t, dx) > 0;
                continue;
            }
            double low = whole_of(l->list[j].kind, at->at[j] - 1);
            double high = whole_of(l->list[j].kind, at->at[j]);
            fits &= whole[j] > low && whole[j] < high;
            trace += drive(l, j, j), slid++;
        }
        for (int j = 0; j < l->q; j++)
            for (int k = 0; k < l->q; k++) a[j][k] = drive(l, j, k);
        if (slid && !(trace < 0)) fits = false;
        if (slid == 2 && !(a[0][0] * a[1][1] - a[0][1] * a[1][0] > 0)) fits = false;
        if (fits) *found = m, ways++;
    }
    return ways;
}

/// What comes of a loop.
typedef struct outcome {
    double x[N], slid; ///< at the stop; for how long something slid, each added
    int slides, cells; ///< how often it began to; the largest cell
} outcome;

// False: it is not unique, or too close to something else to be told.
static bool brute(const loop *l, outcome *o)
{
    double t = 0, x[N], y[N], h = l->stop / STEPS;
    mode m = {0};
    *o = (outcome){0};
    memcpy(x, l->start, sizeof x);
    for (int j = 0; j < l->q; j++) {
        double u = argument(l, j, 0, x);
        m.at[j] = (int)floor(u);
        if (fabs(u - round(u)) < 1e-6) return false;
    }
    for (int events = 0; t < l->stop;) {
        double by = fmin(h, l->stop - t), least = 1;
        int which = -1, end = 0;
        if (by < 1e-12) break;
        if (!step(l, &m, t, by, x, y)) return false;
        for (int j = 0; j < 2 * l->q; j++) {
            if (room(l, &m, t + by, y, j / 2, j % 2) >= 0) continue;
            double a = 0, b = 1;
            for (int k = 0; k < 60; k++) {
                double c = a + (b - a) / 2;
                if (!step(l, &m, t, c * by, x, y)) return false;
                if (room(l, &m, t + c * by, y, j / 2, j % 2) < 0)
                    b = c;
                else
                    a = c;
            }
            if (which >= 0 && fabs(b - least) * by < 1e-7) return false; // two at once
            if (which < 0 || b < least) least = b, which = j / 2, end = j % 2;
        }
        if (!step(l, &m, t, least * by, x, y)) return false;
        for (int j = 0; j < l->q; j++) o->slid += m.on[j] ? least * by : 0;
        t += least * by;
        memcpy(x, y, sizeof x);
        if (which < 0) continue;
        if (++events > MOST_EVENTS) return false;
        bool there[Q] = {0}, was[Q];
        for (int j = 0; j < l->q; j++) there[j] = was[j] = m.on[j];
        there[which] = true;
        mode from = m, to = m;
        if (!m.on[which]) from.at[which] += end;
        if (choose(l, &from, there, t, x, &to) != 1) return false;
        m = to;
        for (int j = 0; j < l->q; j++) {
            o->slides += m.on[j] && !was[j];
            if (abs(m.at[j]) > o->cells) o->cells = abs(m.at[j]);
        }
    }
    memcpy(o->x, x, sizeof x);
    for (int i = 0; i < l->n; i++)
        if (!(fabs(x[i]) < 50)) return false;
    return true;
}

// ----------------------------------------------------------------------------------------- as text

/// Units of time and of states, and how it is written.
typedef struct writing {
    double time, size;
    bool by_if;
} writing;

static const char *const words[KINDS] = {
    "floor(%s)",  "ceil(%s)",  "integer(%s)", "div(%s, 1)", "floor(0.5 + (%s - 0.5))",
    "mod(%s, 1)", "rem(%s, 1)"};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void write_whole(const quantizer *q, const char *u, bool by_if, char *text, size_t size)
{
    size_t used = 0;
    if (!by_if) {
        snprintf(text, size, words[q->kind], u);
        return;
    }
    if (q->kind >= MOD) used += (size_t)snprintf(text, size, "%s - ", u);
    used += (size_t)snprintf(text + used, size - used, "(");
    for (int k = CELLS; k > -CELLS; k--)
        used += (size_t)snprintf(text + used, size - used, "if %s > %d then %g else ", u, k,
                                 whole_of(q->kind, k));
    snprintf(text + used, size - used, "%g)", whole_of(q->kind, -CELLS));
}
#pragma GCC diagnostic pop

static void write(const loop *l, writing w, char *text, size_t size)
{
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    PUT("model L\n  Real s = time/(%.17g);\n", w.time);
    for (int i = 0; i < l->n; i++)
        PUT("  Real x%d(start = %.17g, fixed = true);\n", i + 1, l->start[i] * w.size);
    for (int j = 0; j < l->q; j++) PUT("  Real u%d, y%d;\n", j + 1, j + 1);
    PUT("equation\n");
    for (int j = 0; j < l->q; j++) {
        const quantizer *q = &l->list[j];
        char name[8], whole[1200];
        snprintf(name, sizeof name, "u%d", j + 1);
        write_whole(q, name, w.by_if, whole, sizeof whole);
        PUT("  u%d = %.17g", j + 1, q->offset);
        for (int i = 0; i < l->n; i++)
            if (q->w[i] != 0) PUT(" + (%.17g)*x%d", q->w[i] / w.size, i + 1);
        if (q->ramp != 0) PUT(" + (%.17g)*s", q->ramp);
        if (q->size != 0) PUT(" + %.17g*sin(%.17g*s)", q->size, q->speed);
        PUT(";\n  y%d = %s;\n", j + 1, whole);
    }
    for (int i = 0; i < l->n; i++) {
        PUT("  der(x%d) = %.17g*(%.17g", i + 1, w.size / w.time, l->b[i]);
        for (int k = 0; k < l->n; k++)
            if (l->a[i][k] != 0) PUT(" + (%.17g)*x%d", l->a[i][k] / w.size, k + 1);
        if (l->c[i] != 0) PUT(" + (%.17g)*s", l->c[i]);
        if (l->e[i] != 0) PUT(" + %.17g*sin(%.17g*s)", l->e[i], l->speed[i]);
        for (int j = 0; j < l->q; j++)
            if (l->list[j].gain[i] != 0) PUT(" - (%.17g)*y%d", l->list[j].gain[i], j + 1);
        PUT(");\n");
    }
    PUT("end L;\n");
#undef PUT
}

// -------------------------------------------------------------------------------------------- in C
//
// The cells are in d, and a guard is positive in its cell.

static fo_status c_rates(const void *model, const fo_state *s, double t, const double *x,
                         double *dx)
{
    const loop *l = model;
    double whole[Q] = {0};
    for (int j = 0; j < l->q; j++) whole[j] = whole_of(l->list[j].kind, (int)s->d[j]);
    rates_with(l, t, x, whole, dx);
    return FO_OK;
}

static fo_status c_guards(const void *model, const fo_state *s, double t, const double *x,
                          double *g)
{
    const loop *l = model;
    for (int j = 0; j < l->q; j++) {
        double u = argument(l, j, t, x);
        g[j] = (u - s->d[j]) * (s->d[j] + 1 - u);
    }
    return FO_OK;
}

static fo_status c_start(const void *model, fo_state *s)
{
    const loop *l = model;
    memcpy(s->x, l->start, (size_t)l->n * sizeof *s->x);
    for (int j = 0; j < l->q; j++) s->d[j] = floor(argument(l, j, s->t, s->x));
    return FO_OK;
}

static fo_status c_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const loop *l = model;
    (void)e;
    if (m->kind != FO_GUARD) return FO_OK;
    double u = argument(l, (int)m->index, s->t, s->x);
    s->d[m->index] += u - s->d[m->index] > 0.5 ? 1 : -1;
    return FO_OK;
}

static const fo_system_type c_type = {
    .kind = "c", .start = c_start, .rates = c_rates, .guards = c_guards, .jump = c_jump};

// --------------------------------------------------------------------------------------- as
// diagram

static size_t put_list(char *to, size_t room, const double *list, int count)
{
    size_t used = (size_t)snprintf(to, room, "[");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%.17g", i ? ", " : "", list[i]);
    return used + (size_t)snprintf(to + used, room - used, "]");
}

// x' = A x + f - gains, and u = W x + g; f and g by sources.
static void draw(const loop *l, char *text, size_t size)
{
    size_t used = 0;
    double list[5 * N] = {0};
#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
#define PUT_LIST(count, value)                                     \
    do {                                                           \
        for (int i = 0; i < (count); i++) list[i] = (value);       \
        used += put_list(text + used, size - used, list, (count)); \
    } while (0)
    const quantizer *q = l->list;
    PUT("{\"format\": \"foliot diagram\", \"version\": 1, \"simulation\": {\"integrator\": "
        "\"dp45\", \"stop\": %.17g, \"step\": %.17g}, \"nodes\": [",
        l->stop, l->stop / 500);
    const struct {
        const char *name;
        int count;
    } sums[] = {{"f", l->n}, {"g", l->q}};
    for (int k = 0; k < 2; k++) {
        const char *name = sums[k].name;
        int count = sums[k].count;
        PUT("{\"name\": \"%s1\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": ",
            name);
        PUT_LIST(count, k ? q[i].offset : l->b[i]);
        PUT("}}, {\"name\": \"%s2\", \"type\": \"Ramp\", \"parameters\": {\"Slope\": ", name);
        PUT_LIST(count, k ? q[i].ramp : l->c[i]);
        PUT("}}, {\"name\": \"%s3\", \"type\": \"Sine Wave\", \"parameters\": {\"Amplitude\": ",
            name);
        PUT_LIST(count, k ? q[i].size : l->e[i]);
        PUT(", \"Frequency\": ");
        PUT_LIST(count, k ? q[i].speed : l->speed[i]);
        PUT("}}, {\"name\": \"%s\", \"type\": \"Sum\", \"parameters\": {\"Signs\": \"%s\"}}, ",
            name, k ? "++++" : "+++");
    }
    PUT("{\"name\": \"v\", \"type\": \"Mux\", \"parameters\": {\"Inputs\": %d}}, ", 1 + l->q);
    PUT("{\"name\": \"x\", \"type\": \"State Space\", \"parameters\": {\"A\": [");
    for (int j = 0; j < l->n; j++) {
        PUT("%s", j ? ", " : "");
        PUT_LIST(l->n, l->a[j][i]);
    }
    PUT("], \"B\": [");
    for (int j = 0; j < l->n; j++) {
        PUT("%s", j ? ", " : "");
        PUT_LIST(l->n + l->q, i < l->n ? i == j : -q[i - l->n].gain[j]);
    }
    PUT("], \"C\": [");
    for (int j = 0; j < l->q; j++) {
        PUT("%s", j ? ", " : "");
        PUT_LIST(l->n, q[j].w[i]);
    }
    PUT("], \"D\": [");
    for (int j = 0; j < l->q; j++) {
        PUT("%s", j ? ", " : "");
        PUT_LIST(l->n + l->q, 0);
    }
    PUT("], \"Initial Condition\": ");
    PUT_LIST(l->n, l->start[i]);
    PUT("}}, {\"name\": \"u\", \"type\": \"Demux\", \"parameters\": {\"Outputs\": %d}}, ", l->q);
    static const char *const nodes[KINDS] = {
        "\"type\": \"Rounding Function\", \"parameters\": {\"Function\": \"floor\"}",
        "\"type\": \"Rounding Function\", \"parameters\": {\"Function\": \"ceil\"}",
        "\"type\": \"Quantizer\", \"parameters\": {\"Quantization Interval\": 1}",
        "\"type\": \"Rounding Function\", \"parameters\": {\"Function\": \"fix\"}",
        "\"type\": \"Rounding Function\", \"parameters\": {\"Function\": \"round\"}",
        "\"type\": \"Rounding Function\", \"parameters\": {\"Function\": \"floor\"}",
        "\"type\": \"Math Function 2\", \"parameters\": {\"Function\": \"Modulus\"}"};
    for (int j = 0; j < l->q; j++) {
        PUT("{\"name\": \"w%d\", %s}, ", j, nodes[q[j].kind]);
        PUT("{\"name\": \"h%d\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": "
            "%g}}, ",
            j, q[j].kind == REM ? 1 : -0.5);
        PUT("{\"name\": \"a%d\", \"type\": \"Sum\"}, ", j);
        PUT("{\"name\": \"p%d\", \"type\": \"Terminator\"}, ", j);
        PUT("{\"name\": \"r%d\", \"type\": \"Terminator\"}, ", j);
        PUT("{\"name\": \"y%d\", \"type\": \"Sum\", \"parameters\": {\"Sign of Second Input\": "
            "\"-\"}}, ",
            j);
    }
    PUT("{\"name\": \"end\", \"type\": \"Terminator\"}], \"lines\": [");
    for (int k = 0; k < 2; k++)
        for (int i = 1; i <= 3; i++)
            PUT("{\"from\": \"%s%d\", \"to\": \"%s:%d\"}, ", sums[k].name, i, sums[k].name, i);
    PUT("{\"from\": \"x\", \"to\": \"g:4\"}, {\"from\": \"f\", \"to\": \"v:1\"}, {\"from\": "
        "\"v\", \"to\": \"x\"}, {\"from\": \"g\", \"to\": \"u\"}, ");
    for (int j = 0; j < l->q; j++) {
        rounding kind = q[j].kind;
        bool half = kind == INTEGER || kind == ROUND;
        PUT("{\"from\": \"u:%d\", \"to\": [\"a%d:1\", \"y%d:1\"%s", j + 1, j, j, half ? "" : ", ");
        if (!half) PUT("\"w%d:1\"", j);
        PUT("]}, ");
        if (kind == REM)
            PUT("{\"from\": \"h%d\", \"to\": [\"w%d:2\", \"a%d:2\"]}, ", j, j, j);
        else
            PUT("{\"from\": \"h%d\", \"to\": \"a%d:2\"}, ", j, j);
        PUT("{\"from\": \"a%d\", \"to\": \"%s%d\"}, ", j, half ? "w" : "p", j);
        if (half) PUT("{\"from\": \"h%d\", \"to\": \"p%d\"}, ", j, j);
        PUT("{\"from\": \"w%d\", \"to\": [\"y%d:2\"", j, j);
        if (kind != MOD) PUT(", \"v:%d\"", j + 2);
        PUT("]}, ");
        PUT("{\"from\": \"y%d\", \"to\": \"r%d\"}, ", j, j);
        if (kind == MOD) PUT("{\"from\": \"y%d\", \"to\": \"v:%d\"}, ", j, j + 2);
    }
    PUT("{\"from\": \"f\", \"to\": \"end\"}]}");
#undef PUT
}

typedef struct log {
    double since[64], slid;
    int slides;
    double stop;
} log_of;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    log_of *log = self;
    (void)why;
    if (m->index >= 64) return FO_OK;
    if (m->kind == FO_SLIDE) log->since[m->index] = m->t, log->slides++;
    if (m->kind == FO_SLIDE_END)
        log->slid += m->t - log->since[m->index], log->since[m->index] = -1;
    return FO_OK;
}

static bool run_text(const char *text, double stop, const char *solver, double rtol, double size,
                     double *x, int n, log_of *log, fo_message *why)
{
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "L.mo", .text = text}, why);
    if (!model) return false;
    *log = (log_of){.stop = stop};
    for (int i = 0; i < 64; i++) log->since[i] = -1;
    fo_observer who = {.self = log, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.rtol = rtol, def.atol = rtol * 1e-2 * size;
    def.step = stop / 2000;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, why);
    bool good = sim && fo_simulation_advance(sim, stop) == FO_REACHED;
    if (sim) *why = *fo_simulation_message(sim);
    for (int i = 0; i < n && sim; i++) x[i] = fo_simulation_state(sim)->x[i] / size;
    for (int i = 0; i < 64; i++)
        if (log->since[i] >= 0) log->slid += stop - log->since[i];
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return good;
}

static bool run_diagram(const char *text, fo_diagram_way way, double stop, const char *solver,
                        double rtol, double *x, int n, log_of *log, fo_message *why)
{
    fo_diagram_def d = {"L.json", text, strlen(text), NULL};
    fo_diagram *diagram = fo_diagram_read(&d, why);
    if (!diagram) return false;
    *log = (log_of){.stop = stop};
    for (int i = 0; i < 64; i++) log->since[i] = -1;
    fo_observer who = {.self = log, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.rtol = rtol, def.atol = rtol * 1e-2;
    def.step = stop / 2000;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = NULL;
    if (fo_diagram_run_as(diagram, way, why) == FO_OK)
        sim = fo_simulation_create(fo_diagram_system(diagram), &def, why);
    bool good = sim && fo_simulation_advance(sim, stop) == FO_REACHED;
    if (sim) *why = *fo_simulation_message(sim);
    for (int i = 0; i < n && sim; i++) x[i] = fo_simulation_state(sim)->x[i];
    for (int i = 0; i < 64; i++)
        if (log->since[i] >= 0) log->slid += stop - log->since[i];
    fo_simulation_destroy(sim);
    fo_diagram_destroy(diagram);
    return good;
}

static bool run_c(const loop *l, const char *solver, double rtol, double *x, log_of *log,
                  fo_message *why)
{
    static const fo_variable states[N] = {{.name = "x1"}, {.name = "x2"}, {.name = "x3"}};
    static const fo_variable cells[Q] = {{.name = "k1"}, {.name = "k2"}};
    static const fo_guard guards[Q] = {{.name = "cell 1", .direction = FO_FALLING},
                                       {.name = "cell 2", .direction = FO_FALLING}};
    fo_description about = {.name = "loop"};
    about.states = (fo_variables){states, (size_t)l->n};
    about.discretes = (fo_variables){cells, (size_t)l->q};
    about.guards = (fo_guards){guards, (size_t)l->q};
    *log = (log_of){.stop = l->stop};
    for (int i = 0; i < 64; i++) log->since[i] = -1;
    fo_observer who = {.self = log, .moment = hear, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = l->stop, def.solver = solver, def.rtol = rtol, def.atol = rtol * 1e-2;
    def.step = l->stop / 2000;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create((fo_system){&c_type, &about, l}, &def, why);
    bool good = sim && fo_simulation_advance(sim, l->stop) == FO_REACHED;
    if (sim) *why = *fo_simulation_message(sim);
    for (int i = 0; i < l->n && sim; i++) x[i] = fo_simulation_state(sim)->x[i];
    for (int i = 0; i < Q; i++)
        if (log->since[i] >= 0) log->slid += l->stop - log->since[i];
    fo_simulation_destroy(sim);
    return good;
}

static double off(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
    return most;
}

static int tried, slid_some;

static void try_one(uint64_t seed, const char *solver, double rtol, double close, writing w)
{
    static char text[8000];
    loop l = make(seed);
    outcome want;
    log_of log;
    double x[N] = {0};
    fo_message why = {0};
    if (!brute(&l, &want) || (w.by_if && want.cells >= CELLS - 1)) return;
    tried++, slid_some += want.slides > 0;
    write(&l, w, text, sizeof text);
    if (!run_text(text, l.stop * w.time, solver, rtol, w.size, x, l.n, &log, &why)) {
        test_fail(__FILE__, __LINE__, "seed %llu, %s: %s\n%s", (unsigned long long)seed, solver,
                  why.text, text);
        return;
    }
    double e = off(x, want.x, l.n), late = fabs(log.slid / w.time - want.slid);
    if (!(e < close) || !(late < close * 20))
        test_fail(__FILE__, __LINE__,
                  "seed %llu, %s: off by %g; slid %d times for %.12g, not %d times for %.12g\n%s",
                  (unsigned long long)seed, solver, e, log.slides, log.slid / w.time, want.slides,
                  want.slid, text);
}

static void try_diagram(uint64_t seed, const char *solver, double rtol, double close)
{
    static char text[12000];
    loop l = make(seed);
    outcome want;
    log_of log;
    double x[2][N] = {{0}};
    if (!brute(&l, &want)) return;
    draw(&l, text, sizeof text);
    for (int way = 0; way < 2; way++) {
        fo_message why = {0};
        if (!run_diagram(text, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, l.stop, solver, rtol,
                         x[way], l.n, &log, &why)) {
            test_fail(__FILE__, __LINE__, "seed %llu, %s, way %d: %s\n%s", (unsigned long long)seed,
                      solver, way, why.text, text);
            return;
        }
        double e = off(x[way], want.x, l.n), late = fabs(log.slid - want.slid);
        if (!(e < close) || !(late < close * 20))
            test_fail(__FILE__, __LINE__,
                      "seed %llu, %s, way %d: off by %g; slid %d times for %.12g, not %d times for "
                      "%.12g\n%s",
                      (unsigned long long)seed, solver, way, e, log.slides, log.slid, want.slides,
                      want.slid, text);
    }
}

static void try_c(uint64_t seed, const char *solver, double rtol, double close)
{
    loop l = make(seed);
    outcome want;
    log_of log;
    double x[N] = {0};
    fo_message why = {0};
    if (!brute(&l, &want)) return;
    bool good = run_c(&l, solver, rtol, x, &log, &why);
    double e = off(x, want.x, l.n), late = fabs(log.slid - want.slid);
    if (!good || !(e < close) || !(late < close * 20))
        test_fail(
            __FILE__, __LINE__,
            "seed %llu, %s, C: off by %g; slid %d times for %.12g, not %d times for %.12g: %s",
            (unsigned long long)seed, solver, e, log.slides, log.slid, want.slides, want.slid,
            why.text);
}

static const struct {
    const char *name;
    double rtol, close;
} solvers[] = {{"dp45", 1e-9, 1e-6},         {"dop853", 1e-9, 1e-6},      {"radau5", 1e-9, 1e-6},
               {"rodas4", 1e-9, 1e-6},       {"bs23", 1e-8, 1e-5},        {"adams", 1e-9, 1e-6},
               {"rk4", 1e-9, 1e-6},          {"rkf45", 1e-9, 1e-6},       {"rkv56", 1e-9, 1e-6},
               {"cvode-bdf", 1e-9, 1e-4},    {"cvode-adams", 1e-9, 1e-4}, {"ida", 1e-9, 1e-4},
               {"ark-implicit", 1e-8, 1e-4}, {"heun", 1e-9, 1e-3},        {"trapezoid", 1e-9, 1e-3},
               {"simpson", 1e-9, 1e-6},      {"rke", 1e-9, 1e-6},         {"rkn34", 1e-8, 1e-5},
               {"ab3", 1e-9, 1e-5}};

static writing writing_of(uint64_t seed, bool scaled)
{
    static const double times[] = {1, 1e-9, 1e9, 1e-3, 1e5}, sizes[] = {1, 1e-12, 1e12, 1e6};
    writing w = {1, 1, seed % 5 == 4};
    if (scaled) w.time = times[seed % FO_COUNT(times)], w.size = sizes[seed / 5 % FO_COUNT(sizes)];
    return w;
}

TEST(whole_parts_in_loops_slide_along_their_jumps)
{
    long count = test_inputs(200, 6000);
    for (long seed = 1; seed <= count; seed++) {
        size_t k = (size_t)seed % FO_COUNT(solvers);
        try_one((uint64_t)seed, solvers[k].name, solvers[k].rtol, solvers[k].close,
                writing_of((uint64_t)seed, seed % 2));
    }
    CHECK(slid_some > tried / 2);
}

TEST(nodes_that_round_slide_along_their_jumps)
{
    long count = test_inputs(60, 2000);
    for (long seed = 1; seed <= count; seed++) {
        size_t k = (size_t)seed % FO_COUNT(solvers);
        try_diagram((uint64_t)seed, solvers[k].name, solvers[k].rtol, solvers[k].close);
    }
}

TEST(cells_of_c_slide_along_their_ends)
{
    long count = test_inputs(60, 2000);
    for (long seed = 1; seed <= count; seed++) {
        size_t k = (size_t)seed % FO_COUNT(solvers);
        try_c((uint64_t)seed, solvers[k].name, solvers[k].rtol, solvers[k].close);
    }
}

// ---------------------------------------------------------------------------------- one in another
//
// x' = 0.4 - z - w/2 from 1/2, where z is 1 above x = 0 and 0 below, and w is what z is: it comes
// to x = 0 at t = 5/11 and slides there with the weight 4/15 of z = w = 1. y and c count w and z.

static const double nested_end = 5.0 / 11 + (3 - 5.0 / 11) * 4 / 15;

static const char *const nested[][2] = {{"if x > 0 then 1 else 0", "if z - 0.5 > 0 then 1 else 0"},
                                        {"floor(x + 1)", "floor(z + 0.5*x + 0.01)"},
                                        {"floor(x + 1)", "if z - 0.5 > 0 then 1 else 0"},
                                        {"if x > 0 then 1 else 0", "ceil(z + 0.5*x - 0.99)"}};

TEST(what_is_nested_turns_with_the_mode)
{
    static const char *const some[] = {"dp45", "radau5", "rodas4", "dop853", "bs23", "adams"};
    for (size_t i = 0; i < FO_COUNT(nested) * FO_COUNT(some); i++) {
        const char *const *by = nested[i % FO_COUNT(nested)];
        char text[400];
        double x[N];
        log_of log;
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "model L Real x(start = 0.5, fixed = true), y(start = 0, fixed = true), c(start = "
                 "0, fixed = true), z, w; equation z = %s; w = %s; der(x) = 0.4 - z - 0.5*w; "
                 "der(y) = w; der(c) = z; end L;",
                 by[0], by[1]);
        if (!run_text(text, 3, some[i / FO_COUNT(nested)], 1e-9, 1, x, 3, &log, &why))
            test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
        CHECK_NEAR(x[1], nested_end, 1e-7);
        CHECK_NEAR(x[2], nested_end, 1e-7);
    }
}

// One that turns in one of the modes only, while the other one does not.
TEST(what_turns_in_one_mode_only_is_refused)
{
    static const char *const z[] = {"if x > 0 then 1 else 0", "floor(x + 1)"};
    for (int i = 0; i < 2; i++) {
        char text[400];
        double x[N];
        log_of log;
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "model L Real x(start = 0.5, fixed = true), z, w; equation z = %s; w = if z + "
                 "0.5*sin(2*time) > 1.3 then 1 else 0; der(x) = 0.4 - z - 0.5*w; end L;",
                 z[i]);
        CHECK(!run_text(text, 3, "dp45", 1e-9, 1, x, 1, &log, &why));
        CHECK(strstr(why.text, "a relation has turned in one of the modes"));
    }
}

// The same as nodes.
TEST(nodes_that_are_nested_turn_with_the_mode)
{
    static const char text[] =
        "{'format': 'foliot diagram', 'version': 1, 'simulation': {'integrator': 'dp45', 'stop': "
        "3, 'step': 0.01}, 'nodes': [{'name': 'x', 'type': 'Integrator', 'parameters': {'Initial "
        "Condition': 0.5}}, {'name': 'one', 'type': 'Constant', 'parameters': {'Constant Value': "
        "1}}, {'name': 'x1', 'type': 'Sum'}, {'name': 'z', 'type': 'Rounding Function', "
        "'parameters': {'Function': 'floor'}}, {'name': 'h', 'type': 'Gain', 'parameters': "
        "{'Gain': 0.5}}, {'name': 'c0', 'type': 'Constant', 'parameters': {'Constant Value': "
        "0.01}}, {'name': 'ws', 'type': 'Sum', 'parameters': {'Signs': '+++'}}, {'name': 'w', "
        "'type': 'Rounding Function', 'parameters': {'Function': 'floor'}}, {'name': 'hw', "
        "'type': 'Gain', 'parameters': {'Gain': 0.5}}, {'name': 'c4', 'type': 'Constant', "
        "'parameters': {'Constant Value': 0.4}}, {'name': 'dx', 'type': 'Sum', 'parameters': "
        "{'Signs': '+--'}}, {'name': 'y', 'type': 'Integrator'}, {'name': 'c', 'type': "
        "'Integrator'}, {'name': 'oy', 'type': 'Display'}, {'name': 'oc', 'type': 'Display'}], "
        "'lines': [{'from': 'x', 'to': ['x1:1', 'h']}, {'from': 'one', 'to': 'x1:2'}, {'from': "
        "'x1', 'to': 'z'}, {'from': 'z', 'to': ['ws:1', 'dx:2', 'c']}, {'from': 'h', 'to': "
        "'ws:2'}, {'from': 'c0', 'to': 'ws:3'}, {'from': 'ws', 'to': 'w'}, {'from': 'w', 'to': "
        "['hw', 'y']}, {'from': 'hw', 'to': 'dx:3'}, {'from': 'c4', 'to': 'dx:1'}, {'from': 'dx', "
        "'to': 'x'}, {'from': 'y', 'to': 'oy'}, {'from': 'c', 'to': 'oc'}]}";
    char json[sizeof text];
    for (size_t i = 0; i < sizeof text; i++) json[i] = text[i] == '\'' ? '"' : text[i];
    for (int way = 0; way < 2; way++) {
        double x[N];
        log_of log;
        fo_message why = {0};
        if (!run_diagram(json, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, 3, "dp45", 1e-9, x, 3,
                         &log, &why))
            test_fail(__FILE__, __LINE__, "%s", why.text);
        CHECK_NEAR(x[1], nested_end, 1e-7);
        CHECK_NEAR(x[2], nested_end, 1e-7);
    }
}

/// When slides begin and end, in turns.
typedef struct turns {
    double t[64];
    int count;
} turns;

static fo_status hear_turns(void *self, const fo_moment *m, fo_message *why)
{
    turns *all = self;
    (void)why;
    bool begins = m->kind == FO_SLIDE, ends = m->kind == FO_SLIDE_END;
    CHECK(!(begins && all->count % 2) && !(ends && all->count % 2 == 0));
    if ((begins || ends) && all->count < 64) all->t[all->count++] = m->t;
    return FO_OK;
}

// x' = k (r t - q round(x / q)): x stays at (n - 1/2) q until r t has come to n q, and is at the
// next jump when k r s^2 / 2 = q for the time s since then.
static void climb(uint64_t seed, const char *solver)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    static const double times[] = {1, 1e-9, 1e9, 1e-3, 1e6}, sizes[] = {1, 1e-12, 1e12, 1e-5};
    double time = times[seed % FO_COUNT(times)], size = sizes[seed / 5 % FO_COUNT(sizes)];
    double q = between(&s, 0.1, 1), r = between(&s, 0.1, 1), k = between(&s, 10, 40) * r / q;
    double stop = 4.5 * q / r;
    char text[400];
    turns all = {.count = 0};
    fo_message why = {0};
    snprintf(text, sizeof text,
             "model Stairs Real x(start = 0, fixed = true);\n"
             "equation der(x) = %.17g*(%.17g*time - %.17g*floor(x/(%.17g) + 0.5)); end Stairs;\n",
             k / time, r * size / time, q * size, q * size);
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "S.mo", .text = text}, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, text);
    fo_observer who = {.self = &all, .moment = hear_turns, .interval = -1};
    fo_run_def def = fo_default_run_def();
    def.stop = stop * time, def.solver = solver, def.rtol = 1e-9, def.atol = 1e-11 * size;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    if (!sim || fo_simulation_advance(sim, def.stop) != FO_REACHED)
        test_fail(__FILE__, __LINE__, "%s, %s: %s\n%s", solver, why.text,
                  sim ? fo_simulation_message(sim)->text : "", text);
    if (sim) CHECK_NEAR(fo_simulation_state(sim)->x[0] / size, 4.5 * q, 1e-8);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    CHECK_INT(all.count, 9);
    for (int i = 0; i < all.count; i++) {
        double n = i / 2,
               t = i % 2 ? (n + 1) * q / r : n * q / r + sqrt((n > 0 ? 2 : 1) * q / (k * r));
        if (!(fabs(all.t[i] / time - t) < 1e-6 * stop))
            test_fail(__FILE__, __LINE__, "seed %llu, %s: turn %d at %.12g, not %.12g\n%s",
                      (unsigned long long)seed, solver, i, all.t[i] / time, t, text);
    }
}

TEST(a_reference_drives_it_up_the_stairs)
{
    static const char *const some[] = {"dp45", "radau5", "rodas4", "dop853", "bs23", "adams"};
    for (long seed = 1; seed <= test_inputs(60, 2000); seed++)
        climb((uint64_t)seed, some[(size_t)seed % FO_COUNT(some)]);
}

TEST_MAIN(TEST_ENTRY(what_is_nested_turns_with_the_mode),
          TEST_ENTRY(what_turns_in_one_mode_only_is_refused),
          TEST_ENTRY(nodes_that_are_nested_turn_with_the_mode),
          TEST_ENTRY(a_reference_drives_it_up_the_stairs),
          TEST_ENTRY(cells_of_c_slide_along_their_ends),
          TEST_ENTRY(whole_parts_in_loops_slide_along_their_jumps),
          TEST_ENTRY(nodes_that_round_slide_along_their_jumps))
