/// The mathematics of nodes, written once.
///
/// A scalar is a number, or the term that it becomes: where a diagram is evaluated node by node
/// (foi_run.lower is NULL) an operation is done at once, where it is lowered it makes a term of the
/// expression graph. The functions `output`, `rates` and `watch` of a type that is `expressed` are
/// written over scalars, so both ways compute the same, in the same order of operations: what an
/// operation means stands in equations/ops.h for both.
///
/// Only what is evaluated between moments is lowered: then `refresh`, `settling`, `starting` and
/// `tick` are false. What cannot be a term calls foi_no_terms first, and the diagram is evaluated
/// node by node.
#ifndef FOI_DIAGRAM_SCALAR_H
#define FOI_DIAGRAM_SCALAR_H

#include "base/inline.h"
#include "diagram/node.h"
#include "diagram/run/terms.h"

typedef union foi_scalar {
    double number; ///< node by node
    foi_term term; ///< while lowering
} foi_scalar;

/// Whether terms are made. Numbers are the rule.
FOI_INLINE bool foi_makes_terms(const foi_run *r)
{
    return __builtin_expect(r->lower != NULL, 0);
}

// ------------------------------------------------------------------------------------- operations

/// What the operations below do while lowering, and any operation where it is chosen by a variable.
foi_scalar foi_scalar_term(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b, foi_scalar c);
foi_scalar foi_scalar_any(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b);
#ifdef FOI_SMALL
foi_scalar foi_scalar_do(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b, foi_scalar c);
#endif
foi_scalar foi_scalar_constant(const foi_run *r, double value);

FOI_INLINE foi_scalar foi_const(const foi_run *r, double value)
{
    return foi_makes_terms(r) ? foi_scalar_constant(r, value) : (foi_scalar){.number = value};
}
FOI_INLINE foi_scalar foi_do_3(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b,
                               foi_scalar c)
{
#ifdef FOI_SMALL
    return foi_scalar_do(r, op, a, b, c);
#else
    if (foi_makes_terms(r)) return foi_scalar_term(r, op, a, b, c);
    return (foi_scalar){.number = foi_op_apply(op, a.number, b.number, c.number)};
#endif
}
FOI_INLINE foi_scalar foi_do_1(const foi_run *r, foi_op op, foi_scalar a)
{
    return foi_do_3(r, op, a, a, a);
}
FOI_INLINE foi_scalar foi_do_2(const foi_run *r, foi_op op, foi_scalar a, foi_scalar b)
{
    return foi_do_3(r, op, a, b, a);
}
/// a op b, with a number on the right.
FOI_INLINE foi_scalar foi_by(const foi_run *r, foi_op op, foi_scalar a, double b)
{
    return foi_do_2(r, op, a, foi_const(r, b));
}
FOI_INLINE foi_scalar foi_if(const foi_run *r, foi_scalar condition, foi_scalar yes, foi_scalar no)
{
    return foi_do_3(r, FOI_G_IF, condition, yes, no);
}
FOI_INLINE foi_scalar foi_plus(const foi_run *r, foi_scalar a, foi_scalar b)
{
    return foi_do_2(r, FOI_G_ADD, a, b);
}
FOI_INLINE foi_scalar foi_minus(const foi_run *r, foi_scalar a, foi_scalar b)
{
    return foi_do_2(r, FOI_G_SUBTRACT, a, b);
}
FOI_INLINE foi_scalar foi_times(const foi_run *r, foi_scalar a, foi_scalar b)
{
    return foi_do_2(r, FOI_G_MULTIPLY, a, b);
}
FOI_INLINE foi_scalar foi_over(const foi_run *r, foi_scalar a, foi_scalar b)
{
    return foi_do_2(r, FOI_G_DIVIDE, a, b);
}
FOI_INLINE foi_scalar foi_negated(const foi_run *r, foi_scalar a)
{
    return foi_do_1(r, FOI_G_NEGATE, a);
}
FOI_INLINE foi_scalar foi_is_above(const foi_run *r, foi_scalar a, double limit)
{
    return foi_by(r, FOI_G_GREATER, a, limit);
}
FOI_INLINE foi_scalar foi_is_below(const foi_run *r, foi_scalar a, double limit)
{
    return foi_by(r, FOI_G_LESS, a, limit);
}

/// What no calculation gives: NaN.
foi_scalar foi_nothing(const foi_run *r);
/// The nearest whole number, halves away from zero; and one of round, floor, ceil, fix.
foi_scalar foi_rounded(const foi_run *r, foi_scalar u);
foi_scalar foi_rounded_by(const foi_run *r, int which, foi_scalar u);

// ---------------------------------------------------------------------------------- what is known

/// While lowering: the node at hand has no terms, and what its function gives does not matter.
/// Returns whether terms are being made.
bool foi_no_terms(const foi_run *r);
/// The same where so many operations would be too many.
bool foi_too_many(const foi_run *r, uint64_t operations);

foi_scalar foi_scalar_time(const foi_run *r);
foi_scalar foi_scalar_state(const foi_run *r, uint32_t at);
foi_scalar foi_scalar_memory(const foi_run *r, uint32_t at);

FOI_INLINE foi_scalar foi_time_of(const foi_run *r)
{
    return foi_makes_terms(r) ? foi_scalar_time(r) : (foi_scalar){.number = r->t};
}
/// State i of the node, and double i of its own memory.
static inline foi_scalar foi_state_of(const foi_node *n, const foi_run *r, uint32_t i)
{
    return foi_makes_terms(r) ? foi_scalar_state(r, n->state + i)
                              : (foi_scalar){.number = r->x[n->state + i]};
}
static inline foi_scalar foi_kept_of(const foi_node *n, const foi_run *r, uint32_t i)
{
    return foi_makes_terms(r) ? foi_scalar_memory(r, n->own + i)
                              : (foi_scalar){.number = r->memory[n->own + i]};
}
/// How many ticks there have been.
static inline foi_scalar foi_ticks_of(const foi_run *r)
{
    return foi_makes_terms(r) ? foi_scalar_memory(r, 0) : (foi_scalar){.number = r->memory[0]};
}

/// What foi_side gives; it gives the guard its value, too.
foi_scalar foi_scalar_side(const foi_node *n, const foi_run *r, uint32_t index, foi_scalar g);
FOI_INLINE foi_scalar foi_side_of(const foi_node *n, foi_run *r, uint32_t index, foi_scalar g)
{
    return foi_makes_terms(r) ? foi_scalar_side(n, r, index, g)
                              : (foi_scalar){.number = foi_side(n, r, index, g.number)};
}

/// v kept between limits; guards 2 i and 2 i + 1 of the node watch where it goes over them.
foi_scalar foi_limited(const foi_node *n, foi_run *r, uint32_t i, foi_scalar v, foi_scalar upper,
                       foi_scalar lower);

/// The elements of an input, an output or a parameter; a single number stands for every element.
typedef struct foi_view {
    const double *data;
    const foi_signal *signal; ///< NULL: a parameter
    uint32_t stride;          ///< from one element to the next; 0: there is one
    uint32_t size;            ///< how many there are
    bool is_complex;
} foi_view;

FOI_INLINE foi_view foi_view_data(const foi_array *shape, const double *data,
                                  const foi_signal *signal)
{
    uint32_t size = foi_array_size(shape);
    bool is_complex = shape->kind == FOI_SIGNAL_COMPLEX;
    return (foi_view){data, signal, size == 1 ? 0 : is_complex ? 2 : 1, size, is_complex};
}
FOI_INLINE foi_view foi_view_signal(const foi_run *r, const foi_signal *signal)
{
    const double *data = signal->fixed;
    if (!data && !foi_makes_terms(r)) data = r->signals + signal->offset;
    return foi_view_data(&signal->shape, data, signal);
}
FOI_INLINE foi_view foi_view_in(const foi_node *n, const foi_run *r, uint32_t port)
{
    return foi_view_signal(r, n->inputs[port]);
}
FOI_INLINE foi_view foi_view_out(const foi_node *n, const foi_run *r, uint32_t port)
{
    return foi_view_signal(r, &n->outputs[port]);
}
FOI_INLINE foi_view foi_view_array(const foi_array *a)
{
    return foi_view_data(a, a->data, NULL);
}
FOI_INLINE foi_view foi_view_parameter(const foi_node *n, uint32_t parameter)
{
    return foi_view_array(foi_value(n, parameter));
}
foi_scalar foi_scalar_at(const foi_run *r, const foi_view *v, size_t at);

/// Real and imaginary part of an element.
FOI_INLINE foi_scalar foi_at(const foi_run *r, const foi_view *v, uint32_t i)
{
    size_t at = (size_t)v->stride * i;
    return foi_makes_terms(r) ? foi_scalar_at(r, v, at) : (foi_scalar){.number = v->data[at]};
}
FOI_INLINE foi_scalar foi_imaginary_at(const foi_run *r, const foi_view *v, uint32_t i)
{
    size_t at = (size_t)v->stride * i + 1;
    if (!v->is_complex) return foi_const(r, 0);
    return foi_makes_terms(r) ? foi_scalar_at(r, v, at) : (foi_scalar){.number = v->data[at]};
}
/// Element i of a parameter.
FOI_INLINE foi_scalar foi_parameter_of(const foi_node *n, const foi_run *r, uint32_t parameter,
                                       uint32_t i)
{
    return foi_const(r, foi_real_at(foi_value(n, parameter), i));
}

static inline uint32_t foi_size_of(const foi_node *n)
{
    return foi_array_size(&n->outputs[0].shape);
}
static inline bool foi_gives_complex(const foi_node *n)
{
    return n->outputs[0].shape.kind == FOI_SIGNAL_COMPLEX;
}

// --------------------------------------------------------------------------------------- by choice

/// Where a scalar lies among thresholds that ascend: interval k, from 0, for the greatest k such
/// that at least k of them are not above it. There is one threshold less than intervals.
typedef struct foi_place {
    foi_scalar u;
    const double *thresholds;
    uint32_t count; ///< intervals
    uint32_t index; ///< node by node
} foi_place;

foi_place foi_place_of(const foi_run *r, foi_scalar u, const double *thresholds, uint32_t count);
foi_scalar foi_scalar_pick(const foi_run *r, const foi_place *p, const double *values);

/// One number for each interval: that of the place.
FOI_INLINE foi_scalar foi_pick(const foi_run *r, const foi_place *p, const double *values)
{
    return foi_makes_terms(r) ? foi_scalar_pick(r, p, values)
                              : (foi_scalar){.number = values[p->index]};
}
/// The same in two directions: an element of a table, whose rows are `width` long.
foi_scalar foi_pick_2d(const foi_run *r, const foi_place *row, const foi_place *column,
                       const double *table, uint32_t width);
/// A whole number from `first` on, `count` of them, as it is; NaN for others. Node by node the run
/// is refused.
foi_scalar foi_checked_index(const foi_node *n, foi_run *r, foi_scalar index, uint32_t first,
                             uint32_t count);
/// Element `index` of a view, from 0; NaN where there is none.
foi_scalar foi_element_of(const foi_run *r, const foi_view *v, bool imaginary, foi_scalar index);

// -------------------------------------------------------------------------------------- results

void foi_scalar_put(const foi_run *r, size_t offset, foi_scalar value, bool finite);

/// Element i of an output, of whatever kind.
FOI_INLINE void foi_put_at(const foi_node *n, const foi_run *r, uint32_t port, uint32_t i,
                           foi_scalar re, foi_scalar im)
{
    const foi_signal *y = &n->outputs[port];
    bool pair = y->shape.kind == FOI_SIGNAL_COMPLEX;
    size_t at = y->offset + (size_t)i * (pair ? 2 : 1);
    if (foi_makes_terms(r)) {
        foi_scalar_put(r, at, re, false);
        if (pair) foi_scalar_put(r, at + 1, im, false);
        return;
    }
    r->signals[at] = re.number;
    if (pair) r->signals[at + 1] = im.number;
}
/// Element i of the first output, which is real or boolean.
FOI_INLINE void foi_put(const foi_node *n, const foi_run *r, uint32_t i, foi_scalar value)
{
    size_t at = n->outputs[0].offset + i;
    if (foi_makes_terms(r))
        foi_scalar_put(r, at, value, false);
    else
        r->signals[at] = value.number;
}
/// Element i of the first output is element j of a view, of whatever kind.
FOI_INLINE void foi_copy(const foi_node *n, const foi_run *r, uint32_t i, const foi_view *v,
                         uint32_t j)
{
    foi_put_at(n, r, 0, i, foi_at(r, v, j), foi_imaginary_at(r, v, j));
}
/// The run is refused where element i is not finite: false says that it is not, and that the node
/// is to say so. A program that meets one asks the nodes.
FOI_INLINE bool foi_put_finite(const foi_node *n, const foi_run *r, uint32_t i, foi_scalar re,
                               foi_scalar im)
{
    const foi_signal *y = &n->outputs[0];
    bool pair = y->shape.kind == FOI_SIGNAL_COMPLEX;
    size_t at = y->offset + (size_t)i * (pair ? 2 : 1);
    if (foi_makes_terms(r)) {
        foi_scalar_put(r, at, re, true);
        if (pair) foi_scalar_put(r, at + 1, im, true);
        return true;
    }
    r->signals[at] = re.number;
    if (pair) r->signals[at + 1] = im.number;
    return isfinite(re.number) && (!pair || isfinite(im.number));
}
void foi_scalar_rate(const foi_run *r, uint32_t at, foi_scalar value);

/// Rate i of the node's states.
FOI_INLINE void foi_put_rate(const foi_node *n, const foi_run *r, double *dx, uint32_t i,
                             foi_scalar value)
{
    if (foi_makes_terms(r))
        foi_scalar_rate(r, n->state + i, value);
    else
        dx[i] = value.number;
}
/// At a moment, or after a step: what nodes keep may change.
FOI_INLINE bool foi_found_anew(const foi_run *r)
{
    return r->refresh || r->settling;
}

// ------------------------------------------------------------------------------- complex numbers

typedef struct foi_pair {
    foi_scalar re, im;
} foi_pair;

FOI_INLINE foi_pair foi_pair_at(const foi_run *r, const foi_view *v, uint32_t i)
{
    return (foi_pair){foi_at(r, v, i), foi_imaginary_at(r, v, i)};
}
FOI_INLINE foi_pair foi_pair_const(const foi_run *r, double complex z)
{
    return (foi_pair){foi_const(r, creal(z)), foi_const(r, cimag(z))};
}
FOI_INLINE foi_pair foi_pair_plus(const foi_run *r, foi_pair a, foi_pair b)
{
    return (foi_pair){foi_plus(r, a.re, b.re), foi_plus(r, a.im, b.im)};
}
FOI_INLINE foi_pair foi_pair_minus(const foi_run *r, foi_pair a, foi_pair b)
{
    return (foi_pair){foi_minus(r, a.re, b.re), foi_minus(r, a.im, b.im)};
}
FOI_INLINE foi_pair foi_pair_times(const foi_run *r, foi_pair a, foi_pair b)
{
    return (foi_pair){foi_minus(r, foi_times(r, a.re, b.re), foi_times(r, a.im, b.im)),
                      foi_plus(r, foi_times(r, a.re, b.im), foi_times(r, a.im, b.re))};
}
/// Neither these overflow or underflow where the result does not.
foi_pair foi_pair_over(const foi_run *r, foi_pair a, foi_pair b);
foi_scalar foi_magnitude(const foi_run *r, foi_pair z);

/// As C has it; node by node only.
static inline double complex foi_pair_number(foi_pair z)
{
    return foi_complex(z.re.number, z.im.number);
}
static inline foi_pair foi_pair_of(double complex z)
{
    return (foi_pair){{.number = creal(z)}, {.number = cimag(z)}};
}

#endif
