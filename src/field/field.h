/// What the files of this room share: the field, boxes of its grid, rows of nodes.
#ifndef FOI_FIELD_H
#define FOI_FIELD_H

#include <foliot/field.h>

#include "base/memory.h"
#include "base/team.h"

/// One number, or one for every node.
typedef struct foi_coefficient {
    double value;
    double *each; ///< NULL: the same everywhere
    double least, most;
} foi_coefficient;

static inline double foi_coefficient_at(const foi_coefficient *c, size_t node)
{
    return c->each ? c->each[node] : c->value;
}

/// What lies beyond an end of a box along an axis.
typedef enum foi_reach {
    FOI_HELD,   ///< nothing is asked: the end's nodes are not computed
    FOI_MIRROR, ///< the node before the end
    FOI_WRAP,   ///< the other end
    FOI_HALO,   ///< a copy of a neighbour's node, stored beyond the end
} foi_reach;

/// A box of the grid and how an array over it lies in memory. The pointer to such an array points
/// to the box's first node.
typedef struct foi_box {
    uint32_t n[3], first[3]; ///< nodes; place of the first in the whole grid
    ptrdiff_t stride[3];     ///< stride[0] is 1
    foi_reach reach[6];
} foi_box;

/// Something that changes a node from outside: a held node, or a force.
typedef struct foi_act {
    uint32_t node;
    uint32_t signal; ///< into the field's signals
} foi_act;

typedef struct foi_signal_value {
    double s, ds, dds;
} foi_signal_value;

typedef struct foi_object foi_object;
typedef struct foi_implicit foi_implicit;

/// A node of a part that lies under the object.
typedef struct foi_touch {
    uint32_t object, at; ///< place among the object's nodes, and in the part
} foi_touch;

/// What a part of a field asks of the other parts. Every function is called by all parts, in the
/// same order.
typedef struct foi_link {
    /// Rates of the part's nodes, as foi_rates_rows: x and dx hold the part's values (and
    /// velocities).
    fo_status (*rates)(void *self, const fo_state *s, double t, const double *x, double *dx);
    /// Begins to send u + half w (w NULL: u) at the part's faces to the neighbours, and after it
    /// the values of `also` (may be NULL).
    void (*send)(void *self, const double *u, const double *w, double half, const double *also);
    /// Waits until what the neighbours have sent is in the part's `beyond`.
    fo_status (*arrive)(void *self, const fo_state *s);
    /// Completes a list: each number is that of the one part that has it, and zero in the others.
    fo_status (*join)(void *self, const fo_state *s, double *list, uint32_t count);
    /// The largest of all parts, one by one.
    fo_status (*most)(void *self, const fo_state *s, double *list, uint32_t count);
    fo_status (*energy)(void *self, const fo_state *s, const double *x, double *energy);
    /// A new matrix diag d - c lap d + v . grad d; identity at still nodes.
    fo_status (*matrix)(void *self, const fo_state *s, const double *diag, const double *c);
    /// d = A^-1 b.
    fo_status (*solve)(void *self, const fo_state *s, const double *b, double *d);
} foi_link;

/// A part of a field: the nodes that one process computes. Its states are the values of its nodes,
/// their velocities, and those of the object, which every part has. The model of a field's system
/// is a part, usually the whole.
typedef struct foi_part {
    const fo_field *f;
    const foi_box *box; ///< of its nodes, which lie without gaps
    uint32_t nodes;
    const uint32_t *node;         ///< place of each in the whole grid; NULL: the part is the whole
    const foi_act *held, *forces; ///< their nodes are places in the part
    uint32_t held_count, force_count;
    const foi_touch *under;
    uint32_t under_count;
    foi_implicit *implicit;  ///< implicit methods: the matrix; a cache under a lock
    const double *beyond[6]; ///< of each side with FOI_HALO: what link->arrive has brought
    const foi_link *link;    ///< NULL: there are no others
    void *self;              ///< of the link
} foi_part;

struct fo_field {
    fo_field_def def; ///< numbers only; lists are the field's own, below
    char *name, *about_text;
    uint32_t n[3], nodes, order; ///< order 1 or 2 in time
    double dx[3], k[3];          ///< k = 1 / dx^2, 0 along unused axes
    foi_box box;                 ///< the whole grid
    double edge[6];              ///< absorbing: c of the side's outflow is 2 c / dx more damping
    foi_coefficient c2, b1, b2, d;
    double *start, *start_velocity;
    fo_signal *signals;
    uint32_t signal_count, input_count;
    uint32_t *input_of; ///< of each signal: its input
    foi_act *held, *forces;
    uint32_t held_count, force_count;
    bool *still; ///< of each node: not computed (fixed, driven, held)
    uint32_t *point_node;
    double *kinks; ///< times at which a signal is not smooth, ascending
    uint32_t kink_count;
    uint32_t *probe_state;
    foi_object *object;
    double limit; ///< of the own method
    fo_description description;
    fo_variable *outputs, *inputs;
    fo_event *events;
    fo_guard *guards;
    char *names; ///< all texts of the description
    fo_pattern pattern;
    uint32_t *pattern_start, *pattern_row;
    foi_part whole;
    const fo_allocator *allocator;
};

/// The place of a part's node in the whole grid.
static inline uint32_t foi_part_node(const foi_part *p, uint32_t at)
{
    return p->node ? p->node[at] : at;
}
uint32_t foi_part_states(const foi_part *p);
/// The type of a system whose model is a part.
const fo_system_type *foi_part_type(fo_field_method method);
bool foi_on_side(const fo_field *f, uint32_t node, int side);
/// b1 and what absorbing sides add to it.
double foi_damping_at(const fo_field *f, uint32_t node);

// ------------------------------------------------------------------------------------------
// signals

/// The signal and its derivatives at t; `u` are the system's inputs (may be NULL: zero).
foi_signal_value foi_signal_at(const fo_field *f, uint32_t signal, double t, const double *u);
/// Puts the held nodes of x where they are at t.
void foi_part_impose(const foi_part *p, double t, const double *u, double *x);

// ------------------------------------------------------------------------------------------
// kernels

/// Whether there is a term b2 lap theta', of either sign.
static inline bool foi_is_damped_inside(const fo_field *f)
{
    return f->b2.most != 0 || f->b2.least != 0;
}

/// Where b2 is negative, as the document prints it, short waves grow: the rate of the mode that
/// grows fastest on this grid [1/s], and of the waves that grow the longest one's length [m] (may
/// be INFINITY). 0: none grows.
double foi_field_growth(const fo_field *f, double *longest);

/// Where the neighbours of a row's nodes are, as distances in memory.
typedef struct foi_row {
    uint32_t j, k;
    size_t node;                         ///< of its first node in the whole grid
    ptrdiff_t at;                        ///< of its first node in an array
    ptrdiff_t front, back, below, above; ///< distances
    double extra;                        ///< damping of absorbing sides across the row
    bool still;                          ///< all of it is on a held side
} foi_row;

foi_row foi_row_of(const fo_field *f, const foi_box *box, uint32_t row);
static inline uint32_t foi_rows(const foi_box *box)
{
    return box->n[1] * box->n[2];
}

/// Rates of the rows [from, to) of a box, without what acts at points: du is the rate of u; for
/// fields of second order dw is that of w and du = w (du may be NULL). Nodes on held sides get 0.
void foi_rates_rows(const fo_field *f, const foi_box *box, uint32_t from, uint32_t to, double t,
                    const double *u, const double *w, double *du, double *dw);

/// Leapfrog for waves, rows [from, to): `after` may be `before` itself when b2 is zero. `near`: the
/// rows were touched just before, so that they need not be fetched from memory ahead of time.
void foi_leapfrog_rows(const fo_field *f, const foi_box *box, uint32_t from, uint32_t to, double h,
                       const double *u, const double *before, double *after, bool near);

/// True when foi_drift_step can take the leapfrog's steps; see drift.c.
bool foi_drift_fits(const fo_field *f);
fo_status foi_drift_step(const foi_part *p, const fo_state *s, double t, double h, const double *x,
                         double *x_new);

/// The rates of the nodes at (t, x), what acts at points included.
fo_status foi_part_field(const foi_part *p, const fo_state *s, double t, const double *x,
                         double *dx);
/// All rates of the system: the object's, too.
fo_status foi_part_rates(const foi_part *p, const fo_state *s, double t, const double *x,
                         double *dx);
/// Half the integral of theta'^2 / c^2 + |grad theta|^2; x over the whole grid.
double foi_field_energy(const fo_field *f, const double *x);
/// lap u at every node that is computed, 0 elsewhere; u over the whole grid.
void foi_laplacian(const fo_field *f, const double *u, double *result);

// ---------------------------------------------------------------------------------------------
// steppers

/// Rows of the scratch space, one number for every state each; after them three for every node
/// under the object.
enum { FOI_IMPOSED, FOI_PSI, FOI_STAGE, FOI_SLOPE, FOI_SCRATCHES };
static inline double *foi_scratch(const foi_part *p, const fo_state *s, int row)
{
    return (double *)s->scratch + (size_t)row * foi_part_states(p);
}

extern const fo_stepper foi_stepper_leapfrog, foi_stepper_euler, foi_stepper_rk4,
    foi_stepper_implicit, foi_stepper_sliding;
/// FO_OK, or a message with the limit.
fo_status foi_check_step(const fo_field *f, const fo_state *s, double h);
/// Says that a step to t has given numbers that are not finite.
fo_status foi_field_not_finite(const fo_field *f, const fo_state *s, double t);

/// Zeroed numbers on large pages where there are some; foi_free takes them.
double *foi_large_new(const fo_allocator *allocator, size_t count);
/// The same, of the step before.
const double *foi_sweep_before(fo_sweep *s);

/// The longest stable step. See limit.c.
double foi_limit(const fo_field *f, fo_field_method method);

#endif
