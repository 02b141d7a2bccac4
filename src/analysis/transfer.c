// Poles and zeros of what inputs do to outputs.
//
// States that no input leads to, or that lead to no output, have nothing to do with it: they go
// first, as the equations are written. A pole of what is left that an input does not reach, or no
// output sees, is among the zeros of the equations: it cancels there, and neither counts.
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/reach.h"
#include "analysis/zeros.h"
#include "base/memory.h"
#include "math/math.h"

/// What is left of a system.
typedef struct rest {
    fo_linear is;
    double *a, *b, *c, *re, *im;
    bool *hidden, *other;
    size_t *kept;
} rest;

// Marks what the marked ones lead to: k leads to i where a_ik is not zero; `back`: against that.
static void spread(const fo_linear *s, bool *marked, bool back)
{
    size_t n = s->states;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n && !marked[i]; k++)
                if (marked[k] && (back ? s->a[k * n + i] : s->a[i * n + k]) != 0)
                    marked[i] = more = true;
    }
}

static size_t find_kept(const fo_linear *s, bool *from, bool *to, size_t *kept)
{
    size_t n = s->states, count = 0;
    memset(from, 0, n * sizeof *from), memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < s->inputs; k++) from[i] |= s->b[i * s->inputs + k] != 0;
        for (size_t k = 0; k < s->outputs; k++) to[i] |= s->c[k * n + i] != 0;
    }
    spread(s, from, false);
    spread(s, to, true);
    for (size_t i = 0; i < n; i++)
        if (from[i] && to[i]) kept[count++] = i;
    return count;
}

static bool take_rest(const fo_linear *s, rest *r, const fo_allocator *allocator)
{
    size_t n = s->states, m = s->inputs, q = s->outputs;
    *r = (rest){.is = *s};
    r->a = foi_new(allocator, n * n + n * m + q * n + 2 * n + 1, sizeof *r->a);
    r->hidden = foi_new(allocator, 2 * n + 1, sizeof *r->hidden);
    r->kept = foi_new(allocator, n + 1, sizeof *r->kept);
    if (!r->a || !r->hidden || !r->kept) return false;
    r->b = r->a + n * n, r->c = r->b + n * m, r->re = r->c + q * n, r->im = r->re + n;
    r->other = r->hidden + n;
    size_t left = r->is.states = find_kept(s, r->hidden, r->other, r->kept);
    for (size_t i = 0; i < left; i++) {
        for (size_t k = 0; k < left; k++) r->a[i * left + k] = s->a[r->kept[i] * n + r->kept[k]];
        for (size_t k = 0; k < m; k++) r->b[i * m + k] = s->b[r->kept[i] * m + k];
        for (size_t k = 0; k < q; k++) r->c[k * left + i] = s->c[k * n + r->kept[i]];
    }
    r->is.a = r->a, r->is.b = r->b, r->is.c = r->c, r->is.re = r->re, r->is.im = r->im;
    memset(r->hidden, 0, 2 * n * sizeof *r->hidden);
    return true;
}

static size_t nearest_to(double re, double im, size_t count, const double *x, const double *y,
                         const bool *of, double *far)
{
    size_t which = 0;
    *far = INFINITY;
    for (size_t k = 0; k < count; k++) {
        double now = foi_hypot(x[k] - re, y[k] - im);
        if ((!of || of[k]) && now < *far) *far = now, which = k;
    }
    return which;
}

// Without its zero a hidden pole is one of several in one place, of which another one is hidden.
static void cancel(rest *r, double *re, double *im, size_t *zeros)
{
    double most = 0;
    for (size_t i = 0; i < r->is.states; i++) most = foi_fmax(most, foi_hypot(r->re[i], r->im[i]));
    for (size_t i = 0; i < r->is.states; i++) {
        double far;
        if (!r->hidden[i]) continue;
        size_t which = nearest_to(r->re[i], r->im[i], *zeros, re, im, NULL, &far);
        bool same = far <= 1e-3 * foi_hypot(r->re[i], r->im[i]) || far <= 1e-6 * most;
        if (r->is.inputs == 1 && r->is.outputs == 1) r->hidden[i] = same;
        if (!same) continue;
        --*zeros;
        for (size_t k = which; k < *zeros; k++) re[k] = re[k + 1], im[k] = im[k + 1];
    }
}

// Whether poles of what is left are reached and seen. Where nothing has gone that is known.
static fo_status look_at_poles(const fo_linear *s, rest *r, const bool *known,
                               const fo_allocator *allocator, fo_message *why)
{
    size_t n = r->is.states;
    if (n == s->states) {
        memcpy(r->re, s->re, n * sizeof *r->re), memcpy(r->im, s->im, n * sizeof *r->im);
        memcpy(r->hidden, known, n * sizeof *known);
        return FO_OK;
    }
    fo_status status = foi_eigenvalues(n, r->a, r->re, r->im);
    if (status != FO_OK) return fo_fail(why, status, "the poles could not be computed");
    if (n > FOI_MOST_JUDGED) return FO_OK;
    status = foi_reach(&r->is, false, r->hidden, allocator);
    if (status == FO_OK) status = foi_reach(&r->is, true, r->other, allocator);
    if (status != FO_OK) return fo_fail(why, status, "no memory for a linear system");
    for (size_t i = 0; i < n; i++) r->hidden[i] |= r->other[i];
    return FO_OK;
}

fo_status foi_transfer(const fo_linear *s, double *re, double *im, size_t *zeros, bool *hidden,
                       const fo_allocator *allocator, fo_message *why)
{
    rest r;
    bool good = take_rest(s, &r, allocator);
    fo_status status = good ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for the zeros");
    *zeros = 0;
    if (good && r.is.states) status = look_at_poles(s, &r, hidden, allocator, why);
    for (size_t i = 0; i < s->states; i++) hidden[i] = true;
    if (good && r.is.states && status == FO_OK) {
        if (s->inputs == 1 && s->outputs == 1)
            status = foi_zeros(&r.is, re, im, zeros, allocator, why);
        else
            status = foi_zeros_many(&r.is, re, im, zeros, allocator, why);
        if (status == FO_OK) cancel(&r, re, im, zeros);
    }
    for (size_t i = 0; good && i < r.is.states; i++) {
        double far;
        if (!r.hidden[i])
            hidden[nearest_to(r.re[i], r.im[i], s->states, s->re, s->im, hidden, &far)] = false;
    }
    foi_free(allocator, r.a);
    foi_free(allocator, r.hidden);
    foi_free(allocator, r.kept);
    return status;
}
