/// An N_Vector of our own: plain arrays, compiled with the project's flags (distributions build
/// SUNDIALS' serial vector without optimisation), from the solver's allocator, in one block.
///
/// Its content is that of SUNDIALS' serial vector, and it says that it is one: the direct linear
/// solvers take no other.
#include <math.h>
#include <string.h>

#include "solver/sundials.h"

_Static_assert(sizeof(sunrealtype) == sizeof(double), "SUNDIALS must be built for doubles");

typedef struct vector {
    struct _generic_N_Vector base; ///< its content is the next field
    struct _N_VectorContent_Serial content;
    foi_sundials_store *store;
    double own[];
} vector;

#define N(v)    (((const vector *)(v))->content.length)
#define DATA(v) (((const vector *)(v))->content.data)

// ------------------------------------------------------------------------ making and describing

static const struct _generic_N_Vector_Ops operations;

N_Vector foi_sundials_vector(foi_sundials_store *store, SUNContext context, size_t n, double *data)
{
    size_t own = data ? 0 : n * sizeof(double);
    vector *v = foi_new(store->allocator, 1, sizeof *v + own);
    if (!v) return NULL;
    v->content.data = data ? data : v->own;
    v->content.length = (int64_t)n;
    v->store = store;
    v->base.content = &v->content;
    v->base.ops = (N_Vector_Ops)&operations; // SUNDIALS reads it only
    v->base.sunctx = context;
    return &v->base;
}

static N_Vector clone(N_Vector w)
{
    foi_sundials_store *store = ((const vector *)w)->store;
    N_Vector v = foi_sundials_vector(store, w->sunctx, (size_t)N(w), NULL);
    if (v) return v;
    store->failed = true;
    return store->spare;
}

static N_Vector clone_empty(N_Vector w)
{
    N_Vector v = clone(w);
    ((vector *)v)->content.data = NULL;
    return v;
}

static void destroy(N_Vector v)
{
    foi_sundials_store *store = ((vector *)v)->store;
    if (v != store->spare) foi_free(store->allocator, v);
}

static N_Vector_ID identity(N_Vector v)
{
    (void)v;
    return SUNDIALS_NVEC_SERIAL;
}

static void space(N_Vector v, sunindextype *reals, sunindextype *integers)
{
    *reals = N(v), *integers = 1;
}

static double *get_data(N_Vector v)
{
    return DATA(v);
}

static void set_data(double *data, N_Vector v)
{
    ((vector *)v)->content.data = data;
}

static sunindextype length(N_Vector v)
{
    return N(v);
}

// --------------------------------------------------------------------------- element by element

// z may be x or y in all of these, so there is no restrict; the loops still vectorise, because a
// compiler checks for overlap once.

static void linear_sum(double a, N_Vector xv, double b, N_Vector yv, N_Vector zv)
{
    const double *x = DATA(xv), *y = DATA(yv);
    double *z = DATA(zv);
    if (a == 1)
        for (int64_t i = 0; i < N(xv); i++) z[i] = x[i] + b * y[i];
    else
        for (int64_t i = 0; i < N(xv); i++) z[i] = a * x[i] + b * y[i];
}

static void constant(double c, N_Vector zv)
{
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(zv); i++) z[i] = c;
}

static void product(N_Vector xv, N_Vector yv, N_Vector zv)
{
    const double *x = DATA(xv), *y = DATA(yv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = x[i] * y[i];
}

static void quotient(N_Vector xv, N_Vector yv, N_Vector zv)
{
    const double *x = DATA(xv), *y = DATA(yv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = x[i] / y[i];
}

static void scale(double c, N_Vector xv, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    if (c == 1) {
        if (x != z) memcpy(z, x, (size_t)N(xv) * sizeof(double));
        return;
    }
    for (int64_t i = 0; i < N(xv); i++) z[i] = c * x[i];
}

static void absolute(N_Vector xv, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = fabs(x[i]);
}

static void inverse(N_Vector xv, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = 1 / x[i];
}

static void add_constant(N_Vector xv, double b, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = x[i] + b;
}

static void compare(double c, N_Vector xv, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    for (int64_t i = 0; i < N(xv); i++) z[i] = fabs(x[i]) >= c;
}

static int inverse_test(N_Vector xv, N_Vector zv)
{
    const double *x = DATA(xv);
    double *z = DATA(zv);
    bool good = true;
    for (int64_t i = 0; i < N(xv); i++)
        if (x[i] == 0)
            good = false;
        else
            z[i] = 1 / x[i];
    return good;
}

// c = 2: x > 0, 1: x >= 0, -1: x <= 0, -2: x < 0, 0: anything; m marks what breaks that.
static int constraint_mask(N_Vector cv, N_Vector xv, N_Vector mv)
{
    const double *c = DATA(cv), *x = DATA(xv);
    double *m = DATA(mv);
    bool good = true;
    for (int64_t i = 0; i < N(xv); i++) {
        bool broken = fabs(c[i]) > 1.5 ? x[i] * c[i] <= 0 : x[i] * c[i] < 0;
        m[i] = broken;
        if (broken) good = false;
    }
    return good;
}

// ------------------------------------------------------------------------------------ reductions

static double dot(N_Vector xv, N_Vector yv)
{
    const double *x = DATA(xv), *y = DATA(yv);
    double sum = 0;
    for (int64_t i = 0; i < N(xv); i++) sum += x[i] * y[i];
    return sum;
}

static double max_norm(N_Vector xv)
{
    const double *x = DATA(xv);
    double most = 0;
    for (int64_t i = 0; i < N(xv); i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    return most;
}

// Four sums side by side: the order is fixed, and a long vector does not wait for one adder.
static double weighted_squares(const double *x, const double *w, int64_t n)
{
    double sum[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int64_t k = 0; k < 4; k++) {
            double q = x[i + k] * w[i + k];
            sum[k] += q * q;
        }
    for (; i < n; i++) {
        double q = x[i] * w[i];
        sum[0] += q * q;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double wrms_norm(N_Vector xv, N_Vector wv)
{
    return sqrt(weighted_squares(DATA(xv), DATA(wv), N(xv)) / (double)N(xv));
}

static double wrms_norm_mask(N_Vector xv, N_Vector wv, N_Vector iv)
{
    const double *x = DATA(xv), *w = DATA(wv), *id = DATA(iv);
    double sum = 0;
    for (int64_t i = 0; i < N(xv); i++)
        if (id[i] > 0) sum += (x[i] * w[i]) * (x[i] * w[i]);
    return sqrt(sum / (double)N(xv));
}

static double minimum(N_Vector xv)
{
    const double *x = DATA(xv);
    double least = x[0];
    for (int64_t i = 1; i < N(xv); i++)
        if (x[i] < least) least = x[i];
    return least;
}

static double weighted_l2_norm(N_Vector xv, N_Vector wv)
{
    return sqrt(weighted_squares(DATA(xv), DATA(wv), N(xv)));
}

static double l1_norm(N_Vector xv)
{
    const double *x = DATA(xv);
    double sum = 0;
    for (int64_t i = 0; i < N(xv); i++) sum += fabs(x[i]);
    return sum;
}

static double least_quotient(N_Vector xv, N_Vector yv)
{
    const double *x = DATA(xv), *y = DATA(yv);
    double least = HUGE_VAL;
    for (int64_t i = 0; i < N(xv); i++)
        if (y[i] != 0 && x[i] / y[i] < least) least = x[i] / y[i];
    return least;
}

// ---------------------------------------------------------------------------- several at a time

enum { CHUNK = 64 };

// z = sum of c[k] X[k], where X[0] may be z: summed apart, a chunk at a time. Derivatives at a
// step's end come as sums in which all factors but one are zero.
static int linear_combination(int count, double *c, N_Vector *xs, N_Vector zv)
{
    double *z = DATA(zv), sum[CHUNK];
    int64_t n = N(zv);
    for (int64_t base = 0; base < n; base += CHUNK) {
        int64_t size = n - base < CHUNK ? n - base : CHUNK;
        for (int64_t i = 0; i < size; i++) sum[i] = 0;
        for (int k = 0; k < count; k++) {
            if (c[k] == 0) continue;
            const double *x = DATA(xs[k]) + base;
            for (int64_t i = 0; i < size; i++) sum[i] += c[k] * x[i];
        }
        for (int64_t i = 0; i < size; i++) z[base + i] = sum[i];
    }
    return 0;
}

// Z[k] = a[k] x + Y[k]
static int scale_add_multi(int count, double *a, N_Vector xv, N_Vector *ys, N_Vector *zs)
{
    const double *x = DATA(xv);
    for (int k = 0; k < count; k++) {
        const double *y = DATA(ys[k]);
        double *z = DATA(zs[k]);
        for (int64_t i = 0; i < N(xv); i++) z[i] = a[k] * x[i] + y[i];
    }
    return 0;
}

static int dot_multi(int count, N_Vector xv, N_Vector *ys, double *dots)
{
    for (int k = 0; k < count; k++) dots[k] = dot(xv, ys[k]);
    return 0;
}

static int linear_sum_array(int count, double a, N_Vector *xs, double b, N_Vector *ys, N_Vector *zs)
{
    for (int k = 0; k < count; k++) linear_sum(a, xs[k], b, ys[k], zs[k]);
    return 0;
}

static int scale_array(int count, double *c, N_Vector *xs, N_Vector *zs)
{
    for (int k = 0; k < count; k++) scale(c[k], xs[k], zs[k]);
    return 0;
}

static const struct _generic_N_Vector_Ops operations = {
    .nvgetvectorid = identity,
    .nvclone = clone,
    .nvcloneempty = clone_empty,
    .nvdestroy = destroy,
    .nvspace = space,
    .nvgetarraypointer = get_data,
    .nvsetarraypointer = set_data,
    .nvgetlength = length,
    .nvlinearsum = linear_sum,
    .nvconst = constant,
    .nvprod = product,
    .nvdiv = quotient,
    .nvscale = scale,
    .nvabs = absolute,
    .nvinv = inverse,
    .nvaddconst = add_constant,
    .nvdotprod = dot,
    .nvmaxnorm = max_norm,
    .nvwrmsnorm = wrms_norm,
    .nvwrmsnormmask = wrms_norm_mask,
    .nvmin = minimum,
    .nvwl2norm = weighted_l2_norm,
    .nvl1norm = l1_norm,
    .nvcompare = compare,
    .nvinvtest = inverse_test,
    .nvconstrmask = constraint_mask,
    .nvminquotient = least_quotient,
    .nvlinearcombination = linear_combination,
    .nvscaleaddmulti = scale_add_multi,
    .nvdotprodmulti = dot_multi,
    .nvlinearsumvectorarray = linear_sum_array,
    .nvscalevectorarray = scale_array,
};
