/// Drift, kick, drift: the leapfrog over values and velocities of a wave, in one pass over memory.
///
///     q = u + h/2 w      w' = w + g (c^2 lap q - b w + b2 lap w)      u' = q + h/2 w'
///     b = b1 + absorbing sides      g = h / (1 + h b / 2)
///
/// which is the centred treatment of b: (1 + h b/2) w' = (1 - h b/2) w + h (c^2 lap q + b2 lap w).
///
/// q lies where u' will be. A row's kick reads the q of the rows around it, so that its first drift
/// goes ahead of the kick, and its second one follows, by as many rows as neighbours are apart (the
/// lag): all three find the rows in the caches. Rows at the ends of a thread's block are read from
/// beyond it, or by rows that are kicked last; these open rows have their first drift before all
/// blocks begin and their second one when all have ended. What neighbouring parts know of q arrives
/// in buffers of its own, one for each side, and rows that need it are kicked last.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "field/field.h"
#include "field/wide.h"

enum { SMALL = 1 << 15 }; ///< nodes below which one thread is quicker

typedef struct pass {
    const foi_part *p;
    double h;
    const double *u, *w;
    const double *around; ///< velocities as neighbours see them: of held nodes at the half step
    double *q, *w_new;    ///< q becomes the new u
    uint32_t rows, lag, threads;
    uint32_t open; ///< rows at each end of a block: the lag, and twice where rows are kicked last
    bool first_apart, second_apart; ///< this drift is done for all rows at once
    bool ends_wait;                 ///< for what lies beyond the ends of rows
    atomic_bool broken;             ///< some new value is not finite
} pass;

// ------------------------------------------------------------------------------------------ rows

/// The nodes around those of a row. The pointers stand at its first node.
typedef struct around {
    const double *own, *front, *back, *below, *above;
} around;

/// One row to be kicked.
typedef struct kick {
    around q, w; ///< w: that of the neighbours only where there is internal damping
    double *w_new;
    const double *c2_at, *b1_at, *b2_at; ///< NULL: the same everywhere
    double k[3], h, c2, b1, b2, extra;
    bool inner; ///< internal damping
} kick;

static inline double laplace(const double k[3], const around *a, ptrdiff_t i, double left,
                             double right, int dimensions)
{
    double own = a->own[i], sum = k[0] * (left + right - 2 * own);
    if (dimensions > 1) sum += k[1] * (a->front[i] + a->back[i] - 2 * own);
    if (dimensions > 2) sum += k[2] * (a->below[i] + a->above[i] - 2 * own);
    return sum;
}

static inline double gain(double h, double b)
{
    return h / (1 + h * b / 2);
}

/// What lies left and right of a node.
typedef struct sides {
    double q_left, q_right, w_left, w_right;
} sides;

/// One node anywhere; w is its velocity at the step's beginning.
static inline double kicked(const kick *m, ptrdiff_t i, double w, sides n, double edge,
                            int dimensions)
{
    double c2 = m->c2_at ? m->c2_at[i] : m->c2;
    double b = (m->b1_at ? m->b1_at[i] : m->b1) + (m->extra + edge);
    double rate = c2 * laplace(m->k, &m->q, i, n.q_left, n.q_right, dimensions) - b * w;
    if (m->inner) {
        double b2 = m->b2_at ? m->b2_at[i] : m->b2;
        rate += b2 * laplace(m->k, &m->w, i, n.w_left, n.w_right, dimensions);
    }
    return w + gain(m->h, b) * rate;
}

/// The nodes [1, last) of a row, inlined, so that it is compiled for what calls it.
__attribute__((always_inline)) static inline void kick_nodes(const kick *row, const double *w,
                                                             ptrdiff_t last, int dimensions)
{
    const kick m = *row;
    const double *q = m.q.own, *v = m.w.own;
    double *restrict out = m.w_new;
    double b = m.b1 + m.extra, g = gain(m.h, b);
    if (m.c2_at || m.b1_at || m.b2_at)
        for (ptrdiff_t i = 1; i < last; i++)
            out[i] =
                kicked(&m, i, w[i], (sides){q[i - 1], q[i + 1], v[i - 1], v[i + 1]}, 0, dimensions);
    else if (m.inner)
        for (ptrdiff_t i = 1; i < last; i++) {
            double rate = m.c2 * laplace(m.k, &m.q, i, q[i - 1], q[i + 1], dimensions) - b * w[i];
            rate += m.b2 * laplace(m.k, &m.w, i, v[i - 1], v[i + 1], dimensions);
            out[i] = w[i] + g * rate;
        }
    else
        for (ptrdiff_t i = 1; i < last; i++) {
            double rate = m.c2 * laplace(m.k, &m.q, i, q[i - 1], q[i + 1], dimensions) - b * w[i];
            out[i] = w[i] + g * rate;
        }
}

FOI_WIDE static void kick_line(const kick *m, const double *w, ptrdiff_t last)
{
    kick_nodes(m, w, last, 1);
}

FOI_WIDE static void kick_sheet(const kick *m, const double *w, ptrdiff_t last)
{
    kick_nodes(m, w, last, 2);
}

FOI_WIDE static void kick_body(const kick *m, const double *w, ptrdiff_t last)
{
    kick_nodes(m, w, last, 3);
}

enum { SPAN = 16, LINE = 8 }; // nodes

/// q = u + half w. The rows that come after these are fetched meanwhile: a core by itself waits for
/// memory otherwise at every page.
FOI_WIDE static void drift(uint32_t n, double half, const double *u, const double *w,
                           double *restrict q, ptrdiff_t next)
{
    uint32_t i = 0;
    for (; i + SPAN <= n; i += SPAN) {
        for (uint32_t k = i; k < i + SPAN; k += LINE) {
            __builtin_prefetch(u + next + k, 0, 2);
            __builtin_prefetch(w + next + k, 0, 2);
            __builtin_prefetch(q + next + k, 1, 2);
        }
        for (uint32_t k = i; k < i + SPAN; k++) q[k] = u[k] + half * w[k];
    }
    for (; i < n; i++) q[i] = u[i] + half * w[i];
}

/// q += half w. True when all are finite: the sign bit of `top` is set by an exponent of ones only.
FOI_WIDE static bool drift_on(uint32_t n, double half, double *restrict q, const double *w)
{
    uint64_t top = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits;
        q[i] = q[i] + half * w[i];
        memcpy(&bits, &q[i], sizeof bits);
        top |= (bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
    }
    return !(top >> 63);
}

// ---------------------------------------------------------------------------------- three motions

/// Nodes of fixed sides stay, those that hold what a neighbour has sent among them.
static void stand(const pass *a, uint32_t row, const double *u, double *q)
{
    const foi_box *b = a->p->box;
    uint32_t n = b->n[0];
    if (foi_row_of(a->p->f, b, row).still) memcpy(q, u, n * sizeof *q);
    if (b->reach[0] == FOI_HELD) q[0] = u[0];
    if (b->reach[1] == FOI_HELD) q[n - 1] = u[n - 1];
}

static void first_drift(const pass *a, uint32_t row)
{
    uint32_t n = a->p->box->n[0];
    size_t at = (size_t)row * n;
    drift(n, a->h / 2, a->u + at, a->w + at, a->q + at, row + 1 < a->rows ? n : 0);
    stand(a, row, a->u + at, a->q + at);
}

/// What link->arrive has brought: q, then the velocities.
static const double *brought(const pass *a, int side, bool velocities)
{
    const foi_part *p = a->p;
    return p->beyond[side] + (velocities ? p->nodes / p->box->n[side / 2] : 0);
}

/// The row next to this one: of the part itself or of the neighbour at a side.
static const double *beside(const pass *a, bool velocities, const foi_row *r, int side, bool last,
                            ptrdiff_t distance, uint32_t face_row)
{
    const foi_box *b = a->p->box;
    if (last && b->reach[side] == FOI_HALO)
        return brought(a, side, velocities) + (size_t)face_row * b->n[0];
    return (velocities ? a->around : a->q) + r->at + distance;
}

static around around_of(const pass *a, bool velocities, const foi_row *r)
{
    const foi_box *b = a->p->box;
    return (around){
        .own = (velocities ? a->around : a->q) + r->at,
        .front = beside(a, velocities, r, 2, r->j == 0, r->front, r->k),
        .back = beside(a, velocities, r, 3, r->j + 1 == b->n[1], r->back, r->k),
        .below = beside(a, velocities, r, 4, r->k == 0, r->below, r->j),
        .above = beside(a, velocities, r, 5, r->k + 1 == b->n[2], r->above, r->j),
    };
}

static kick kick_of(const pass *a, const foi_row *r)
{
    const fo_field *f = a->p->f;
    return (kick){
        .q = around_of(a, false, r),
        .w = around_of(a, true, r),
        .w_new = a->w_new + r->at,
        .c2_at = f->c2.each ? f->c2.each + r->node : NULL,
        .b1_at = f->b1.each ? f->b1.each + r->node : NULL,
        .b2_at = f->b2.each ? f->b2.each + r->node : NULL,
        .k = {f->k[0], f->k[1], f->k[2]},
        .h = a->h,
        .c2 = f->c2.value,
        .b1 = f->b1.value,
        .b2 = f->b2.value,
        .extra = r->extra,
        .inner = foi_is_damped_inside(f),
    };
}

/// What lies beyond an end of a row.
static double outer(const pass *a, bool velocities, const double *row, uint32_t number, int end)
{
    uint32_t n = a->p->box->n[0];
    switch (a->p->box->reach[end]) {
    case FOI_HALO: return brought(a, end, velocities)[number];
    case FOI_WRAP: return row[end ? 0 : n - 1];
    default: return row[end ? n - 2 : 1];
    }
}

static void kick_ends(const pass *a, const kick *m, const double *w, uint32_t row)
{
    const fo_field *f = a->p->f;
    const foi_box *b = a->p->box;
    uint32_t n = b->n[0];
    for (int end = 0; end < 2; end++) {
        uint32_t i = end ? n - 1 : 0, next = end ? n - 2 : 1;
        bool whole = end ? b->first[0] + n == f->n[0] : b->first[0] == 0;
        if (b->reach[end] == FOI_HELD) {
            m->w_new[i] = w[i];
            continue;
        }
        double q = outer(a, false, m->q.own, row, end);
        double v = m->inner ? outer(a, true, m->w.own, row, end) : 0;
        sides beside = {q, m->q.own[next], v, m->w.own[next]};
        if (end) beside = (sides){beside.q_right, q, beside.w_right, v};
        m->w_new[i] = kicked(m, i, w[i], beside, whole ? f->edge[end] : 0, (int)f->def.dimensions);
    }
}

enum { BETWEEN = 1, ENDS = 2 };

static void kick_row(const pass *a, uint32_t row, int what)
{
    const foi_box *b = a->p->box;
    foi_row r = foi_row_of(a->p->f, b, row);
    uint32_t n = b->n[0];
    if (r.still) {
        memcpy(a->w_new + r.at, a->w + r.at, n * sizeof *a->w);
        return;
    }
    kick m = kick_of(a, &r);
    const double *w = a->w + r.at;
    if (what & BETWEEN) {
        switch (a->p->f->def.dimensions) {
        case 1: kick_line(&m, w, (ptrdiff_t)n - 1); break;
        case 2: kick_sheet(&m, w, (ptrdiff_t)n - 1); break;
        default: kick_body(&m, w, (ptrdiff_t)n - 1);
        }
    }
    if (what & ENDS) kick_ends(a, &m, w, row);
}

static void second_drift(pass *a, uint32_t row)
{
    const foi_box *b = a->p->box;
    uint32_t n = b->n[0];
    size_t at = (size_t)row * n;
    if (!drift_on(n, a->h / 2, a->q + at, a->w_new + at)) atomic_store(&a->broken, true);
    stand(a, row, a->u + at, a->q + at);
}

// -------------------------------------------------------------------------------------- one pass

/// The row reads what a neighbouring part has.
static bool waits(const pass *a, uint32_t row)
{
    const foi_box *b = a->p->box;
    uint32_t j = row % b->n[1], k = row / b->n[1];
    return (j == 0 && b->reach[2] == FOI_HALO) || (j + 1 == b->n[1] && b->reach[3] == FOI_HALO) ||
           (k == 0 && b->reach[4] == FOI_HALO) || (k + 1 == b->n[2] && b->reach[5] == FOI_HALO);
}

/// Rows of the block [from, to) that others read.
static bool is_open(const pass *a, uint32_t from, uint32_t to, uint32_t row)
{
    return row - from < a->open || to - row <= a->open;
}

static void block(void *self, uint32_t from, uint32_t to)
{
    pass *a = self;
    for (uint32_t row = from; row < to; row++) {
        uint32_t ahead = row + a->lag, behind = row - a->lag;
        if (!a->first_apart && ahead < to && !is_open(a, from, to, ahead)) first_drift(a, ahead);
        if (!waits(a, row)) kick_row(a, row, a->ends_wait ? BETWEEN : BETWEEN | ENDS);
        if (!a->second_apart && row - from >= a->lag && !is_open(a, from, to, behind))
            second_drift(a, behind);
    }
}

static void first_drifts(void *self, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++) first_drift(self, row);
}

static void second_drifts(void *self, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++) second_drift(self, row);
}

/// Work on the open rows of all blocks, or, where it stands apart, on all rows.
static void for_open(pass *a, bool apart, foi_rows_work work)
{
    if (apart) {
        foi_in_parallel(a->threads, a->rows, work, a);
        return;
    }
    for (uint32_t i = 0, from = 0, to; from < a->rows; i++, from = to) {
        to = foi_team_share(a->threads, a->rows, i + 1);
        uint32_t low = to - from < a->open ? to : from + a->open;
        uint32_t high = to - low < a->open ? low : to - a->open;
        work(a, from, low);
        work(a, high, to);
    }
}

/// Kicks what had to wait for the neighbours.
static void kick_rest(pass *a)
{
    for (uint32_t row = 0; row < a->rows; row++) {
        bool late = waits(a, row);
        if (late || a->ends_wait) kick_row(a, row, late ? BETWEEN | ENDS : ENDS);
    }
}

// What acts at points, and where the held nodes are at the end.
static void act(pass *a, const fo_state *s, double t, double *x_new)
{
    const foi_part *p = a->p;
    const fo_field *f = p->f;
    for (uint32_t i = 0; i < p->force_count; i++) {
        uint32_t at = p->forces[i].node, node = foi_part_node(p, at);
        if (f->still[node]) continue;
        double force = foi_signal_at(f, p->forces[i].signal, t + a->h / 2, s->u).s;
        a->w_new[at] += gain(a->h, foi_damping_at(f, node)) * force;
        a->q[at] = a->u[at] + a->h / 2 * a->w[at] + a->h / 2 * a->w_new[at];
        if (!isfinite(a->q[at])) a->broken = true;
    }
    foi_part_impose(p, t + a->h, s->u, x_new);
    for (uint32_t i = 0; i < p->held_count; i++) {
        uint32_t at = p->held[i].node;
        if (!isfinite(a->q[at]) || !isfinite(a->w_new[at])) a->broken = true;
    }
}

/// The velocities that internal damping compares: held nodes have that of their signals.
static const double *seen(const foi_part *p, const fo_state *s, double t, const double *w)
{
    if (!foi_is_damped_inside(p->f) || !p->held_count) return w;
    double *imposed = foi_scratch(p, s, FOI_IMPOSED);
    memcpy(imposed + p->nodes, w, p->nodes * sizeof *w);
    foi_part_impose(p, t, s->u, imposed);
    return imposed + p->nodes;
}

bool foi_drift_fits(const fo_field *f)
{
    return f->def.equation == FO_FIELD_WAVE && !f->object;
}

fo_status foi_drift_step(const foi_part *p, const fo_state *s, double t, double h, const double *x,
                         double *x_new)
{
    const foi_box *b = p->box;
    bool sheet = p->f->def.dimensions < 3;
    pass a = {.p = p, .h = h, .u = x, .w = x + p->nodes, .q = x_new, .w_new = x_new + p->nodes};
    a.rows = foi_rows(b), a.lag = sheet ? 1 : b->n[1];
    a.open = p->link ? 2 * a.lag : a.lag;
    a.threads = p->nodes < SMALL || !p->f->def.threads ? 1 : p->f->def.threads;
    a.ends_wait = b->reach[0] == FOI_HALO || b->reach[1] == FOI_HALO;
    a.second_apart =
        a.ends_wait || (!sheet && (b->reach[2] == FOI_HALO || b->reach[3] == FOI_HALO));
    a.first_apart = a.second_apart || p->held_count;
    for_open(&a, a.first_apart, first_drifts);
    foi_part_impose(p, t + h / 2, s->u, x_new);
    a.around = seen(p, s, t + h / 2, a.w);
    const double *velocities = foi_is_damped_inside(p->f) ? a.around : NULL;
    if (p->link && a.first_apart) p->link->send(p->self, a.q, NULL, 0, velocities);
    if (p->link && !a.first_apart) p->link->send(p->self, a.u, a.w, h / 2, velocities);
    foi_in_parallel(a.threads, a.rows, block, &a);
    fo_status status = p->link ? p->link->arrive(p->self, s) : FO_OK;
    if (status) return status;
    if (p->link) kick_rest(&a);
    for_open(&a, a.second_apart, second_drifts);
    act(&a, s, t, x_new);
    return a.broken ? foi_field_not_finite(p->f, s, t + h) : FO_OK;
}
