/// Natural frequencies: K x = omega^2 M x around a place.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "structure/stiffness.h"

enum { MOST = 32, SWEEPS = 60, ROUNDS = 400, POWERS = 400 };

// Subspace iteration (Bathe, Finite Element Procedures, 11.6): with K' = K + sigma M,
//   Y = K'^-1 M X,   Kp = Y^T M X (= Y^T K' Y),   Mp = Y^T M Y,
// the small problem Kp Z = Mp Z L gives X = Y Z, and L - sigma tends to the lowest omega^2.
typedef struct subspace {
    const fo_structure *s;
    foi_stiffness k;
    uint32_t n, p;
    double *x, *y, *mx; // p columns of n
    double kp[MOST][MOST], mp[MOST][MOST], z[MOST][MOST], value[MOST];
    double sigma;
} subspace;

static double mass_at(const fo_structure *s, uint32_t c)
{
    return s->inverse_mass[c] != 0 ? s->mass[c / (uint32_t)s->dim] : 0;
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Something that is orthogonal to nothing: a linear congruential sequence.
static void scatter(double *x, size_t count)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) / (double)((uint64_t)1 << 53) - 0.5;
    }
}

// Mp = L L^T; Kp becomes L^-1 Kp L^-T. False when Mp is not positive.
static bool reduce(subspace *u)
{
    for (uint32_t i = 0; i < u->p; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = u->mp[i][j];
            for (uint32_t k = 0; k < j; k++) sum -= u->mp[i][k] * u->mp[j][k];
            if (i == j && !(sum > 0)) return false;
            u->mp[i][j] = i == j ? sqrt(sum) : sum / u->mp[j][j];
        }
    for (int side = 0; side < 2; side++) // L^-1 A, transposed, twice
        for (uint32_t c = 0; c < u->p; c++)
            for (uint32_t i = 0; i < u->p; i++) {
                double *a = side ? &u->kp[c][i] : &u->kp[i][c], sum = *a;
                for (uint32_t k = 0; k < i; k++)
                    sum -= u->mp[i][k] * (side ? u->kp[c][k] : u->kp[k][c]);
                *a = sum / u->mp[i][i];
            }
    return true;
}

// Jacobi's rotations: kp becomes diagonal, z its vectors.
static void rotate(subspace *u)
{
    for (uint32_t i = 0; i < u->p; i++)
        for (uint32_t j = 0; j < u->p; j++) u->z[i][j] = i == j;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, all = 0;
        for (uint32_t a = 0; a < u->p; a++)
            for (uint32_t b = 0; b < u->p; b++) {
                all += u->kp[a][b] * u->kp[a][b];
                if (a != b) off += u->kp[a][b] * u->kp[a][b];
            }
        if (off <= 1e-30 * all) return;
        for (uint32_t a = 0; a < u->p; a++)
            for (uint32_t b = a + 1; b < u->p; b++) {
                if (u->kp[a][b] == 0) continue;
                double theta = (u->kp[b][b] - u->kp[a][a]) / (2 * u->kp[a][b]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (uint32_t k = 0; k < u->p; k++) {
                    double ka = u->kp[k][a], kb = u->kp[k][b];
                    u->kp[k][a] = c * ka - s * kb, u->kp[k][b] = s * ka + c * kb;
                }
                for (uint32_t k = 0; k < u->p; k++) {
                    double ka = u->kp[a][k], kb = u->kp[b][k];
                    u->kp[a][k] = c * ka - s * kb, u->kp[b][k] = s * ka + c * kb;
                    double za = u->z[k][a], zb = u->z[k][b];
                    u->z[k][a] = c * za - s * zb, u->z[k][b] = s * za + c * zb;
                }
            }
    }
}

// z = L^-T z, columns in ascending order of their value.
static void restore(subspace *u)
{
    for (uint32_t c = 0; c < u->p; c++)
        for (uint32_t i = u->p; i-- > 0;) {
            double sum = u->z[i][c];
            for (uint32_t k = i + 1; k < u->p; k++) sum -= u->mp[k][i] * u->z[k][c];
            u->z[i][c] = sum / u->mp[i][i];
        }
    for (uint32_t a = 0; a < u->p; a++) u->value[a] = u->kp[a][a];
    for (uint32_t a = 0; a < u->p; a++)
        for (uint32_t b = a + 1; b < u->p; b++) {
            if (u->value[b] >= u->value[a]) continue;
            double spare = u->value[a];
            u->value[a] = u->value[b], u->value[b] = spare;
            for (uint32_t i = 0; i < u->p; i++) {
                spare = u->z[i][a];
                u->z[i][a] = u->z[i][b], u->z[i][b] = spare;
            }
        }
}

// One round; false when the vectors have become dependent.
static bool improve(subspace *u)
{
    for (uint32_t j = 0; j < u->p; j++) {
        double *mx = u->mx + (size_t)j * u->n, *y = u->y + (size_t)j * u->n;
        const double *x = u->x + (size_t)j * u->n;
        for (uint32_t c = 0; c < u->n; c++) y[c] = mx[c] = mass_at(u->s, c) * x[c];
        foi_stiffness_solve(&u->k, y);
    }
    for (uint32_t i = 0; i < u->p; i++)
        for (uint32_t j = 0; j < u->p; j++) {
            const double *yi = u->y + (size_t)i * u->n, *yj = u->y + (size_t)j * u->n;
            double sum = 0;
            for (uint32_t c = 0; c < u->n; c++) sum += yi[c] * mass_at(u->s, c) * yj[c];
            u->mp[i][j] = sum;
            u->kp[i][j] = dot(yi, u->mx + (size_t)j * u->n, u->n);
        }
    for (uint32_t i = 0; i < u->p; i++) // symmetric but for rounding
        for (uint32_t j = 0; j < i; j++)
            u->kp[i][j] = u->kp[j][i] = (u->kp[i][j] + u->kp[j][i]) / 2;
    if (!reduce(u)) return false;
    rotate(u);
    restore(u);
    for (uint32_t c = 0; c < u->n; c++)
        for (uint32_t j = 0; j < u->p; j++) {
            double sum = 0;
            for (uint32_t i = 0; i < u->p; i++) sum += u->y[(size_t)i * u->n + c] * u->z[i][j];
            u->x[(size_t)j * u->n + c] = sum;
        }
    return true;
}

static fo_status converge(subspace *u, uint32_t count, fo_message *why)
{
    double last[MOST] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        if (!improve(u)) break;
        double change = 0;
        for (uint32_t i = 0; i < count; i++) {
            change = foi_fmax(change, fabs(u->value[i] - last[i]) / fabs(u->value[i]));
            last[i] = u->value[i];
        }
        if (change < 1e-11) return FO_OK;
    }
    return fo_fail(why, FO_ERROR_CONVERGE, "the lowest %u frequencies were not found", count);
}

// The shift that makes K' regular where the structure can float: small against K and M.
static fo_status factor(subspace *u, const double *q, fo_message *why)
{
    double stiffness = 0, mass = 0;
    fo_status status = foi_stiffness_evaluate(&u->k, &(foi_load){0}, q, why);
    if (status != FO_OK) return status;
    for (uint32_t c = 0; c < u->n; c++) {
        mass += mass_at(u->s, c);
        for (uint32_t e = u->k.start[c]; e < u->k.start[c + 1]; e++)
            if (u->k.row[e] == c && mass_at(u->s, c) > 0) stiffness += fabs(u->k.values[e]);
    }
    u->sigma = mass > 0 ? 1e-9 * stiffness / mass : 0;
    status = foi_stiffness_factor(&u->k, 0, u->sigma);
    return status == FO_OK ? FO_OK
                           : fo_fail(why, status,
                                     "the stiffness matrix at these positions cannot be factored: "
                                     "it is singular, or not finite");
}

static uint32_t free_count(const fo_structure *s)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < foi_coordinates(s); c++) count += s->inverse_mass[c] != 0;
    return count;
}

fo_status fo_structure_modes(const fo_structure *s, const double *x, uint32_t count, double *omega,
                             double *shapes, fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    uint32_t n = foi_coordinates(s), most = free_count(s);
    if (!count || count > most || count > MOST / 2)
        return fo_fail(why, FO_ERROR_ARGUMENT, "from 1 to %u frequencies can be found, not %u",
                       most < MOST / 2 ? most : MOST / 2, count);
    subspace u = {.s = s, .n = n, .p = 2 * count < count + 8 ? 2 * count : count + 8};
    if (u.p > most) u.p = most;
    u.x = foi_new(a, (size_t)u.p * n, sizeof(double));
    u.y = foi_new(a, (size_t)u.p * n, sizeof(double));
    u.mx = foi_new(a, (size_t)u.p * n, sizeof(double));
    fo_status status =
        u.x && u.y && u.mx ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for modes");
    if (status == FO_OK) status = foi_stiffness_prepare(&u.k, s, why);
    if (status == FO_OK) status = factor(&u, x, why);
    if (status == FO_OK) {
        scatter(u.x, (size_t)u.p * n);
        status = converge(&u, count, why);
    }
    for (uint32_t i = 0; i < count && status == FO_OK; i++)
        omega[i] = sqrt(foi_fmax(0, u.value[i] - u.sigma));
    if (status == FO_OK && shapes) memcpy(shapes, u.x, (size_t)count * n * sizeof *shapes);
    foi_stiffness_destroy(&u.k);
    foi_free(a, u.x);
    foi_free(a, u.y);
    foi_free(a, u.mx);
    return status;
}

// Power iteration with M^-1 K; Rayleigh's quotient converges twice as fast as the vector.
// y = K x of springs alone, at q: a structure that steps on threads has no matrix.
static void springs_times(const fo_structure *s, const double *q, const double *x, double *y)
{
    size_t dim = (size_t)s->dim;
    memset(y, 0, foi_coordinates(s) * sizeof *y);
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *p = &s->springs[i];
        size_t a = p->a * dim, b = p->b * dim;
        double r[3], l2 = 0, along = 0, c, e;
        for (size_t k = 0; k < dim; k++) {
            r[k] = q[b + k] - q[a + k];
            l2 += r[k] * r[k], along += r[k] * (x[b + k] - x[a + k]);
        }
        foi_spring_law(s, p, NULL, l2, &c, &e);
        for (size_t k = 0; k < dim; k++) {
            double f = c * (x[b + k] - x[a + k]) + e * along * r[k];
            y[a + k] -= f, y[b + k] += f;
        }
    }
}

// Power iteration with M^-1 K.
double fo_structure_highest(const fo_structure *s, const double *x)
{
    enum { MOST_SPRINGS = 300000000 }; // for large ones fewer powers have to do
    const fo_allocator *a = s->def.allocator;
    uint32_t n = foi_coordinates(s);
    foi_stiffness k = {0};
    bool matrix = !s->def.leapfrog;
    size_t powers = POWERS;
    double *v = foi_new(a, n, sizeof *v), *w = foi_new(a, n, sizeof *w), result = NAN;
    fo_status status = v && w ? FO_OK : FO_ERROR_MEMORY;
    if (status == FO_OK && matrix) status = foi_stiffness_prepare(&k, s, NULL);
    if (status == FO_OK && matrix) status = foi_stiffness_evaluate(&k, &(foi_load){0}, x, NULL);
    if (status == FO_OK) scatter(v, n);
    if (!matrix && s->spring_count > MOST_SPRINGS / POWERS)
        powers = 20 + MOST_SPRINGS / s->spring_count;
    for (size_t i = 0; i < powers && status == FO_OK; i++) {
        double up = 0, down = 0, norm = 0;
        for (uint32_t c = 0; c < n; c++) v[c] *= s->inverse_mass[c] != 0;
        if (matrix)
            foi_stiffness_times(&k, v, w);
        else
            springs_times(s, x, v, w);
        for (uint32_t c = 0; c < n; c++) {
            up += v[c] * w[c], down += v[c] * mass_at(s, c) * v[c];
            w[c] *= s->inverse_mass[c];
            norm += w[c] * w[c];
        }
        result = sqrt(fabs(up / down));
        if (!(norm > 0)) break;
        for (uint32_t c = 0; c < n; c++) v[c] = w[c] / sqrt(norm);
    }
    foi_stiffness_destroy(&k);
    foi_free(a, v);
    foi_free(a, w);
    return result;
}
