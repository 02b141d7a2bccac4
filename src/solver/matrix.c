#include "solver/matrix.h"

#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/jacobian.h"

/// In the block.
typedef struct record {
    size_t jacobian, mass, pivots, rest; ///< offsets from o->own
    foi_complex fac[FOI_MATRICES];
    uint8_t factored[FOI_MATRICES]; ///< a truth; the bytes of a checkpoint may be any
    uint64_t print[FOI_MATRICES];   ///< of all that the factors were made from
    uint64_t mass_print;            ///< of M's values
    uint64_t pattern_print;         ///< of M's zeros
} record;

/// In extern_data.
typedef struct factors {
    int count;
    foi_jacobian jacobian;
    foi_linear linear[FOI_MATRICES];
    bool ready[FOI_MATRICES];
    uint64_t print[FOI_MATRICES];
    bool arranged;
    uint64_t pattern_print;
} factors;

enum { RECORD_SIZE = (sizeof(record) + sizeof(double) - 1) / sizeof(double) };

static record *record_of(const foi_solver *o)
{
    return (record *)(void *)o->own;
}

static double *mass_of(const foi_solver *o)
{
    return o->system.type->mass ? o->own + record_of(o)->mass : NULL;
}

static size_t pivots_size(const foi_solver *o)
{
    return ((size_t)o->n + 1) / 2; // n uint32_t in doubles
}

static uint32_t *pivots_of(const foi_solver *o, int which)
{
    return (uint32_t *)(void *)(o->own + record_of(o)->pivots + (size_t)which * pivots_size(o));
}

static size_t mass_size(const foi_solver *o)
{
    return o->system.type->mass ? (size_t)o->n * o->n : 0;
}

size_t foi_matrix_size(const foi_solver *o, int count)
{
    return RECORD_SIZE + foi_jacobian_entries(o) + mass_size(o) + (size_t)count * pivots_size(o);
}

double *foi_matrix_rest(const foi_solver *o)
{
    return o->own + record_of(o)->rest;
}

void foi_matrix_destroy(foi_solver *o)
{
    factors *f = o->extern_data;
    if (!f) return;
    foi_jacobian_destroy(&f->jacobian);
    for (int i = 0; i < FOI_MATRICES; i++) foi_linear_destroy(&f->linear[i]);
    foi_free(o->allocator, f);
    o->extern_data = NULL;
}

fo_status foi_matrix_prepare(foi_solver *o, int count)
{
    if (!o->extern_data) o->extern_data = foi_new(o->allocator, 1, sizeof(factors));
    factors *f = o->extern_data;
    if (!f) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory for %u states", o->n);
    f->count = count, f->arranged = false;
    fo_status status = foi_jacobian_prepare(&f->jacobian, o);
    if (status != FO_OK) return status;
    record *r = record_of(o);
    r->jacobian = RECORD_SIZE;
    r->mass = r->jacobian + f->jacobian.entries;
    r->pivots = r->mass + mass_size(o);
    r->rest = r->pivots + (size_t)count * pivots_size(o);
    return FO_OK;
}

static bool permutes(const uint32_t *pivots, uint32_t n, bool *seen)
{
    bool none = true;
    for (uint32_t i = 0; i < n; i++) none &= pivots[i] == 0;
    memset(seen, 0, n);
    for (uint32_t i = 0; i < n && !none; i++) {
        if (pivots[i] >= n || seen[pivots[i]]) return false;
        seen[pivots[i]] = true;
    }
    return true;
}

bool foi_matrix_sound(const foi_solver *o)
{
    const record *r = record_of(o);
    const factors *f = o->extern_data;
    size_t mass = RECORD_SIZE + f->jacobian.entries, pivots = mass + mass_size(o);
    if (r->jacobian != RECORD_SIZE || r->mass != mass || r->pivots != pivots) return false;
    if (r->rest != pivots + (size_t)f->count * pivots_size(o)) return false;
    bool *seen = foi_new(o->allocator, o->n, sizeof *seen), good = seen;
    for (int i = 0; i < f->count && good; i++) good = permutes(pivots_of(o, i), o->n, seen);
    foi_free(o->allocator, seen);
    return good;
}

// -------------------------------------------------------------------------------- fingerprints

// A 64-bit hash of the numbers that factors are made from: equal bits give equal factors, so the
// factors need not be made again where the prints agree.
static uint64_t mix(uint64_t print, uint64_t word)
{
    print = (print ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return print ^ (print >> 29);
}

static uint64_t mix_double(uint64_t print, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return mix(print, word);
}

static uint64_t print_of(const foi_solver *o, int which)
{
    const record *r = record_of(o);
    const factors *f = o->extern_data;
    const double *j = o->own + r->jacobian;
    uint64_t print = mix(r->mass_print, r->pattern_print);
    print = mix_double(mix_double(print, r->fac[which].re), r->fac[which].im);
    for (size_t i = 0; i < f->jacobian.entries; i++) print = mix_double(print, j[i]);
    const uint32_t *pivots = pivots_of(o, which);
    for (uint32_t i = 0; i < o->n; i++) print = mix(print, pivots[i]);
    return print;
}

static void print_mass(foi_solver *o)
{
    record *r = record_of(o);
    const double *mass = mass_of(o);
    r->mass_print = r->pattern_print = 1;
    for (size_t i = 0; i < mass_size(o); i++) {
        r->mass_print = mix_double(r->mass_print, mass[i]);
        if (mass[i] != 0) r->pattern_print = mix(r->pattern_print, i);
    }
}

// ------------------------------------------------------------------------------------- the work

/// Lays out the factors for the pattern of J and of the mass matrix in the block.
static fo_status arrange(foi_solver *o)
{
    factors *f = o->extern_data;
    const record *r = record_of(o);
    if (f->arranged && f->pattern_print == r->pattern_print) return FO_OK;
    foi_linear_def def = {
        .n = o->n, .pattern = f->jacobian.pattern, .mass = mass_of(o), .allocator = o->allocator};
    for (int i = 0; i < f->count; i++) {
        def.pairs = i == FOI_PAIR;
        f->ready[i] = false;
        if (foi_linear_prepare(&f->linear[i], &def) != FO_OK)
            return fo_fail(o->message, FO_ERROR_MEMORY, "no memory to factor a matrix of %u rows",
                           o->n);
    }
    f->arranged = true, f->pattern_print = r->pattern_print;
    return FO_OK;
}

fo_status foi_matrix_begin(foi_solver *o)
{
    record *r = record_of(o);
    if (mass_of(o)) {
        fo_status status = o->system.type->mass(o->system.model, o->s, mass_of(o));
        if (status != FO_OK) return status;
    }
    print_mass(o);
    for (int i = 0; i < FOI_MATRICES; i++) r->factored[i] = false;
    factors *f = o->extern_data;
    for (int i = 0; i < f->count; i++) memset(pivots_of(o, i), 0, o->n * sizeof(uint32_t));
    return arrange(o);
}

static fo_status factor(foi_solver *o, int which)
{
    record *r = record_of(o);
    factors *f = o->extern_data;
    f->ready[which] = false;
    fo_status status = foi_linear_factor(&f->linear[which], r->fac[which], o->own + r->jacobian,
                                         mass_of(o), pivots_of(o, which));
    r->factored[which] = f->ready[which] = status == FO_OK;
    if (status == FO_ERROR_CONVERGE) return FO_RETRY;
    if (status != FO_OK)
        return fo_fail(o->message, status, "no memory for the factors of %u rows", o->n);
    r->print[which] = f->print[which] = print_of(o, which);
    return FO_OK;
}

fo_status foi_matrix_resume(foi_solver *o)
{
    const record *r = record_of(o);
    const factors *f = o->extern_data;
    fo_status status = arrange(o);
    for (int i = 0; status == FO_OK && i < f->count; i++)
        if (r->factored[i] && !(f->ready[i] && f->print[i] == r->print[i])) status = factor(o, i);
    return status;
}

static fo_status refuse_entry(foi_solver *o, const foi_jacobian *j, size_t entry, double t)
{
    char rate[64], state[64];
    uint32_t row, column = 0;
    if (j->pattern) {
        while (j->pattern->start[column + 1] <= entry) column++;
        row = j->pattern->row[entry];
    } else
        column = (uint32_t)(entry / o->n), row = (uint32_t)(entry % o->n);
    fo_reference of = {FO_STATE, row}, by = {FO_STATE, column};
    return fo_fail(o->message, FO_ERROR_NUMBER,
                   "the derivative of the rate of '%s' by '%s' is not a finite number at t = %.15g",
                   fo_system_name(o->system, of, rate, sizeof rate),
                   fo_system_name(o->system, by, state, sizeof state), t);
}

fo_status foi_matrix_jacobian(foi_solver *o, double t, const double *x, const double *f)
{
    record *r = record_of(o);
    factors *all = o->extern_data;
    double *values = o->own + r->jacobian;
    for (int i = 0; i < FOI_MATRICES; i++) r->factored[i] = false;
    fo_status status = foi_jacobian_evaluate(&all->jacobian, o, t, x, f, values);
    if (status == FO_RETRY)
        return foi_fail_because(
            o, FO_ERROR_CONVERGE,
            "the Jacobian cannot be taken at t = %.15g: the model refuses the rates on "
            "both sides of the state",
            t);
    for (size_t i = 0; status == FO_OK && i < all->jacobian.entries; i++)
        if (!isfinite(values[i])) return refuse_entry(o, &all->jacobian, i, t);
    return status;
}

fo_status foi_matrix_factor(foi_solver *o, int which, foi_complex fac)
{
    o->counts.factorisations++;
    record_of(o)->fac[which] = fac;
    return factor(o, which);
}

bool foi_matrix_factored(const foi_solver *o, int which, foi_complex fac)
{
    const record *r = record_of(o);
    return r->factored[which] && r->fac[which].re == fac.re && r->fac[which].im == fac.im;
}

void foi_matrix_solve(foi_solver *o, int which, void *b)
{
    factors *f = o->extern_data;
    foi_linear_solve(&f->linear[which], b);
}

void foi_mass_times(const foi_solver *o, const double *x, double *y)
{
    const double *column = mass_of(o);
    size_t n = o->n;
    if (!column) {
        memcpy(y, x, n * sizeof(double));
        return;
    }
    memset(y, 0, n * sizeof(double));
    for (size_t c = 0; c < n; c++, column += n)
        if (x[c] != 0)
            for (size_t r = 0; r < n; r++) y[r] += column[r] * x[c];
}

static void jacobian_times(const foi_solver *o, const double *x, double *y)
{
    const factors *f = o->extern_data;
    const fo_pattern *p = f->jacobian.pattern;
    const double *j = o->own + record_of(o)->jacobian;
    memset(y, 0, o->n * sizeof(double));
    for (uint32_t c = 0; c < o->n; c++) {
        if (p)
            for (uint32_t e = p->start[c]; e < p->start[c + 1]; e++) y[p->row[e]] += j[e] * x[c];
        else
            for (uint32_t r = 0; r < o->n; r++) y[r] += j[(size_t)c * o->n + r] * x[c];
    }
}

// The power method from a fixed vector that no model knows, with the growth over the last of its
// steps: the first ones are those of norms, and a complex pair makes single ones swing.
double foi_matrix_radius(const foi_solver *o, double *work)
{
    enum { STEPS = 12, FIRST = 4 };
    double *v = work, *w = work + o->n, growth = 0;
    for (uint32_t i = 0; i < o->n; i++) v[i] = fmod(0.5 + 0.6180339887498949 * i, 1) - 0.45;
    for (int k = 0; k < STEPS; k++) {
        double before = 0, after = 0;
        jacobian_times(o, v, w);
        for (uint32_t i = 0; i < o->n; i++) before = foi_fmax(before, fabs(v[i]));
        for (uint32_t i = 0; i < o->n; i++) after = foi_fmax(after, fabs(w[i]));
        if (!(after > 0)) return 0;
        if (k >= FIRST) growth += foi_log(after / before);
        for (uint32_t i = 0; i < o->n; i++) v[i] = w[i] / after;
    }
    return foi_exp(growth / (STEPS - FIRST));
}
