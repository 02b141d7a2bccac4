/// Stiff problems of the literature, for tests and benchmarks.
///
/// HIRES, POLLU, OREGO, VDPOL, ROBER, E5: Hairer, Wanner: Solving Ordinary Differential Equations
/// II, section IV.10; Mazzia, Magherini: Test Set for Initial Value Problem Solvers, from which the
/// values at the end are. A1 to E5: the stiff DETEST classes of Enright, Hull, Lindberg: Comparing
/// numerical methods for stiff systems of ODEs, BIT 15 (1975) 10.
#ifndef FOLIOT_STIFF_PROBLEMS_H
#define FOLIOT_STIFF_PROBLEMS_H

#include <foliot/foliot.h>
#include <math.h>
#include <string.h>

enum { STIFF_STATES = 20 };

typedef struct stiff_problem {
    const char *name;
    uint32_t n;
    double stop;
    double atol; ///< in parts of rtol: what the problem's smallest states need
    double start[STIFF_STATES];
    fo_status (*rates)(const void *model, const fo_state *s, double t, const double *x, double *dx);
    double known[STIFF_STATES]; ///< published values at `stop`; all zero: none
} stiff_problem;

#define STIFF_RATES(name)                                                                \
    static inline fo_status stiff_##name(const void *model, const fo_state *s, double t, \
                                         const double *x, double *dx)
#define STIFF_UNUSED (void)model, (void)s, (void)t

// ---------------------------------------------------------------- Hairer, Wanner; the test set

STIFF_RATES(hires)
{
    STIFF_UNUSED;
    dx[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    dx[1] = 1.71 * x[0] - 8.75 * x[1];
    dx[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    dx[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    dx[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
    dx[5] = -280 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
    dx[6] = 280 * x[5] * x[7] - 1.81 * x[6];
    dx[7] = -dx[6];
    return FO_OK;
}

STIFF_RATES(pollu)
{
    static const double k[25] = {0.35,  26.6,    1.23e4, 8.6e-4, 8.2e-4,  1.5e4,  1.3e-4,
                                 2.4e4, 1.65e4,  9.0e3,  0.022,  1.2e4,   1.88,   1.63e4,
                                 4.8e6, 3.5e-4,  0.0175, 1.0e8,  4.44e11, 1.24e3, 2.1,
                                 5.78,  4.74e-2, 1.78e3, 3.12};
    STIFF_UNUSED;
    double r[25] = {
        k[0] * x[0],         k[1] * x[1] * x[3],  k[2] * x[4] * x[1],  k[3] * x[6],
        k[4] * x[6],         k[5] * x[6] * x[5],  k[6] * x[8],         k[7] * x[8] * x[5],
        k[8] * x[10] * x[1], k[9] * x[10] * x[0], k[10] * x[12],       k[11] * x[9] * x[1],
        k[12] * x[13],       k[13] * x[0] * x[5], k[14] * x[2],        k[15] * x[3],
        k[16] * x[3],        k[17] * x[15],       k[18] * x[15],       k[19] * x[16] * x[5],
        k[20] * x[18],       k[21] * x[18],       k[22] * x[0] * x[3], k[23] * x[18] * x[0],
        k[24] * x[19]};
    dx[0] =
        -r[0] - r[9] - r[13] - r[22] - r[23] + r[1] + r[2] + r[8] + r[10] + r[11] + r[21] + r[24];
    dx[1] = -r[1] - r[2] - r[8] - r[11] + r[0] + r[20];
    dx[2] = -r[14] + r[0] + r[16] + r[18] + r[21];
    dx[3] = -r[1] - r[15] - r[16] - r[22] + r[14];
    dx[4] = -r[2] + 2 * r[3] + r[5] + r[6] + r[12] + r[19];
    dx[5] = -r[5] - r[7] - r[13] - r[19] + r[2] + 2 * r[17];
    dx[6] = -r[3] - r[4] - r[5] + r[12];
    dx[7] = r[3] + r[4] + r[5] + r[6];
    dx[8] = -r[6] - r[7];
    dx[9] = -r[11] + r[6] + r[8];
    dx[10] = -r[8] - r[9] + r[7] + r[10];
    dx[11] = r[8];
    dx[12] = -r[10] + r[9];
    dx[13] = -r[12] + r[11];
    dx[14] = r[13];
    dx[15] = -r[17] - r[18] + r[15];
    dx[16] = -r[19];
    dx[17] = r[19];
    dx[18] = -r[20] - r[21] - r[23] + r[22] + r[24];
    dx[19] = -r[24] + r[23];
    return FO_OK;
}

STIFF_RATES(orego)
{
    STIFF_UNUSED;
    dx[0] = 77.27 * (x[1] + x[0] * (1 - 8.375e-6 * x[0] - x[1]));
    dx[1] = (x[2] - (1 + x[0]) * x[1]) / 77.27;
    dx[2] = 0.161 * (x[0] - x[2]);
    return FO_OK;
}

STIFF_RATES(vdpol)
{
    STIFF_UNUSED;
    dx[0] = x[1];
    dx[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
    return FO_OK;
}

STIFF_RATES(rober)
{
    STIFF_UNUSED;
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return FO_OK;
}

STIFF_RATES(e5)
{
    STIFF_UNUSED;
    double a = 7.89e-10 * x[0], b = 1.1e7 * x[0] * x[2], c = 1.13e9 * x[1] * x[2];
    dx[0] = -a - b;
    dx[1] = a - c;
    dx[3] = b - 1.13e3 * x[3];
    dx[2] = dx[1] - dx[3];
    return FO_OK;
}

// ------------------------------------------------------------------- A: linear, real eigenvalues

STIFF_RATES(a1)
{
    STIFF_UNUSED;
    dx[0] = -0.5 * x[0], dx[1] = -x[1], dx[2] = -100 * x[2], dx[3] = -90 * x[3];
    return FO_OK;
}

STIFF_RATES(a2)
{
    STIFF_UNUSED;
    dx[0] = -1800 * x[0] + 900 * x[1];
    for (int i = 1; i < 8; i++) dx[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    dx[8] = 1000 * x[7] - 2000 * x[8] + 1000;
    return FO_OK;
}

STIFF_RATES(a3)
{
    STIFF_UNUSED;
    dx[0] = -1e4 * x[0] + 100 * x[1] - 10 * x[2] + x[3];
    dx[1] = -1e3 * x[1] + 10 * x[2] - 10 * x[3];
    dx[2] = -x[2] + 10 * x[3];
    dx[3] = -0.1 * x[3];
    return FO_OK;
}

STIFF_RATES(a4)
{
    STIFF_UNUSED;
    for (int i = 0; i < 10; i++) dx[i] = -pow(i + 1, 5) * x[i];
    return FO_OK;
}

// ------------------------------------------------------------------ B: linear, not real

STIFF_RATES(b1)
{
    STIFF_UNUSED;
    dx[0] = -x[0] + x[1], dx[1] = -100 * x[0] - x[1];
    dx[2] = -100 * x[2] + x[3], dx[3] = -10000 * x[2] - 100 * x[3];
    return FO_OK;
}

static inline void stiff_b(double alpha, const double *x, double *dx)
{
    dx[0] = -10 * x[0] + alpha * x[1], dx[1] = -alpha * x[0] - 10 * x[1];
    dx[2] = -4 * x[2], dx[3] = -x[3], dx[4] = -0.5 * x[4], dx[5] = -0.1 * x[5];
}
STIFF_RATES(b2)
{
    STIFF_UNUSED;
    stiff_b(3, x, dx);
    return FO_OK;
}
STIFF_RATES(b3)
{
    STIFF_UNUSED;
    stiff_b(8, x, dx);
    return FO_OK;
}
STIFF_RATES(b4)
{
    STIFF_UNUSED;
    stiff_b(25, x, dx);
    return FO_OK;
}
STIFF_RATES(b5)
{
    STIFF_UNUSED;
    stiff_b(100, x, dx);
    return FO_OK;
}

// ------------------------------------------------------------------------- C: coupled, not linear

STIFF_RATES(c1)
{
    STIFF_UNUSED;
    double s2 = x[1] * x[1], s3 = x[2] * x[2], s4 = x[3] * x[3];
    dx[0] = -x[0] + s2 + s3 + s4;
    dx[1] = -10 * x[1] + 10 * (s3 + s4);
    dx[2] = -40 * x[2] + 40 * s4;
    dx[3] = -100 * x[3] + 2;
    return FO_OK;
}

static inline void stiff_c(double beta, const double *x, double *dx)
{
    double s1 = x[0] * x[0], s2 = x[1] * x[1], s3 = x[2] * x[2];
    dx[0] = -x[0] + 2;
    dx[1] = -10 * x[1] + beta * s1;
    dx[2] = -40 * x[2] + 4 * beta * (s1 + s2);
    dx[3] = -100 * x[3] + 10 * beta * (s1 + s2 + s3);
}
STIFF_RATES(c2)
{
    STIFF_UNUSED;
    stiff_c(0.1, x, dx);
    return FO_OK;
}
STIFF_RATES(c3)
{
    STIFF_UNUSED;
    stiff_c(1, x, dx);
    return FO_OK;
}
STIFF_RATES(c4)
{
    STIFF_UNUSED;
    stiff_c(10, x, dx);
    return FO_OK;
}
STIFF_RATES(c5)
{
    STIFF_UNUSED;
    stiff_c(20, x, dx);
    return FO_OK;
}

// --------------------------------------------------------- D: not linear, real eigenvalues

STIFF_RATES(d1)
{
    STIFF_UNUSED;
    dx[0] = 0.2 * (x[1] - x[0]);
    dx[1] = 10 * x[0] - (60 - 0.125 * x[2]) * x[1] + 0.125 * x[2];
    dx[2] = 1;
    return FO_OK;
}

STIFF_RATES(d2)
{
    STIFF_UNUSED;
    dx[0] = -0.04 * x[0] + 0.01 * x[1] * x[2];
    dx[1] = 400 * x[0] - 100 * x[1] * x[2] - 3000 * x[1] * x[1];
    dx[2] = 30 * x[1] * x[1];
    return FO_OK;
}

STIFF_RATES(d3)
{
    STIFF_UNUSED;
    dx[0] = x[2] - 100 * x[0] * x[1];
    dx[1] = x[2] + 2 * x[3] - 100 * x[0] * x[1] - 2e4 * x[1] * x[1];
    dx[2] = -x[2] + 100 * x[0] * x[1];
    dx[3] = -x[3] + 1e4 * x[1] * x[1];
    return FO_OK;
}

STIFF_RATES(d4)
{
    STIFF_UNUSED;
    dx[0] = -0.013 * x[0] - 1000 * x[0] * x[2];
    dx[1] = -2500 * x[1] * x[2];
    dx[2] = dx[0] + dx[1];
    return FO_OK;
}

STIFF_RATES(d5)
{
    STIFF_UNUSED;
    double sum = 0.01 + x[0] + x[1];
    dx[0] = 0.01 - (1 + (x[0] + 1000) * (x[0] + 1)) * sum;
    dx[1] = 0.01 - (1 + x[1] * x[1]) * sum;
    return FO_OK;
}

STIFF_RATES(d6)
{
    STIFF_UNUSED;
    dx[0] = -x[0] + 1e8 * x[2] * (1 - x[0]);
    dx[1] = -10 * x[1] + 3e7 * x[2] * (1 - x[1]);
    dx[2] = -dx[0] - dx[1];
    return FO_OK;
}

// ------------------------------------------------------------- E: not linear, not real

STIFF_RATES(e1)
{
    STIFF_UNUSED;
    double g = 100, g2 = g * g;
    dx[0] = x[1], dx[1] = x[2], dx[2] = x[3];
    dx[3] = (x[0] * x[0] - sin(x[0]) - g2 * g2) * x[0] +
            (x[1] * x[2] / (x[0] * x[0] + 1) - 4 * g2 * g) * x[1] + (1 - 6 * g2) * x[2] +
            (10 * exp(-x[3] * x[3]) - 4 * g) * x[3] + 1;
    return FO_OK;
}

STIFF_RATES(e2)
{
    STIFF_UNUSED;
    dx[0] = x[1];
    dx[1] = 5 * (1 - x[0] * x[0]) * x[1] - x[0];
    return FO_OK;
}

STIFF_RATES(e3)
{
    STIFF_UNUSED;
    dx[0] = -(55 + x[2]) * x[0] + 65 * x[1];
    dx[1] = 0.0785 * (x[0] - x[1]);
    dx[2] = 0.1 * x[0];
    return FO_OK;
}

/// x = U z with U = U^-1 = ones/2 - I.
STIFF_RATES(e4)
{
    STIFF_UNUSED;
    double z[4], f[4], half = (x[0] + x[1] + x[2] + x[3]) / 2;
    for (int i = 0; i < 4; i++) z[i] = half - x[i];
    f[0] = 10 * z[0] + 10 * z[1] + (z[0] * z[0] - z[1] * z[1]) / 2;
    f[1] = -10 * z[0] + 10 * z[1] + z[0] * z[1];
    f[2] = -1000 * z[2] + z[2] * z[2];
    f[3] = -0.01 * z[3] + z[3] * z[3];
    half = (f[0] + f[1] + f[2] + f[3]) / 2;
    for (int i = 0; i < 4; i++) dx[i] = half - f[i];
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- the list

#define STIFF_ONES                   \
    {                                \
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1 \
    }

static const __attribute__((unused)) stiff_problem stiff_problems[] = {
    {"HIRES",
     8,
     321.8122,
     1e-4,
     {1, 0, 0, 0, 0, 0, 0, 0.0057},
     stiff_hires,
     {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
      0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2}},
    {"POLLU",
     20,
     60,
     1e-3,
     {[1] = 0.2, [3] = 0.04, [6] = 0.1, [7] = 0.3, [8] = 0.01, [16] = 0.007},
     stiff_pollu,
     {0.5646255480022769e-01, 0.1342484130422339e+00, 0.4139734331099427e-08,
      0.5523140207484359e-02, 0.2018977262302196e-06, 0.1464541863493966e-06,
      0.7784249118997964e-01, 0.3245075353396018e+00, 0.7494013383880406e-02,
      0.1622293157301561e-07, 0.1135863833257075e-07, 0.2230505975721359e-02,
      0.2087162882798630e-03, 0.1396921016840158e-04, 0.8964884856898295e-02,
      0.4352846369330103e-17, 0.6899219696263405e-02, 0.1007803037365946e-03,
      0.1772146513969984e-05, 0.5682943292316392e-04}},
    {"OREGO",
     3,
     360,
     1e-6,
     {1, 2, 3},
     stiff_orego,
     {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3}},
    {"VDPOL", 2, 2, 1, {2, 0}, stiff_vdpol, {0.1706167732170483e1, -0.8928097010247975e0}},
    {"ROBER",
     3,
     1e11,
     1e-6,
     {1},
     stiff_rober,
     {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
    {"E5",
     4,
     1e13,
     1e-18,
     {1.76e-3},
     stiff_e5,
     {0.1152903278711829e-290, 0.8867655517642120e-22, 0.8854814626268838e-22, 0}},
    {"A1", 4, 20, 1e-3, STIFF_ONES, stiff_a1, {0}},
    {"A2", 9, 120, 1e-3, {0}, stiff_a2, {0}},
    {"A3", 4, 20, 1e-3, STIFF_ONES, stiff_a3, {0}},
    {"A4", 10, 1, 1e-3, STIFF_ONES, stiff_a4, {0}},
    {"B1", 4, 20, 1e-3, {1, 0, 1, 0}, stiff_b1, {0}},
    {"B2", 6, 20, 1e-3, STIFF_ONES, stiff_b2, {0}},
    {"B3", 6, 20, 1e-3, STIFF_ONES, stiff_b3, {0}},
    {"B4", 6, 20, 1e-3, STIFF_ONES, stiff_b4, {0}},
    {"B5", 6, 20, 1e-3, STIFF_ONES, stiff_b5, {0}},
    {"C1", 4, 20, 1e-3, STIFF_ONES, stiff_c1, {0}},
    {"C2", 4, 20, 1e-3, STIFF_ONES, stiff_c2, {0}},
    {"C3", 4, 20, 1e-3, STIFF_ONES, stiff_c3, {0}},
    {"C4", 4, 20, 1e-3, STIFF_ONES, stiff_c4, {0}},
    {"C5", 4, 20, 1e-3, STIFF_ONES, stiff_c5, {0}},
    {"D1", 3, 400, 1e-3, {0}, stiff_d1, {0}},
    {"D2", 3, 40, 1e-3, {1}, stiff_d2, {0}},
    {"D3", 4, 20, 1e-3, {1, 1}, stiff_d3, {0}},
    {"D4", 3, 50, 1e-3, {1, 1}, stiff_d4, {0}},
    {"D5", 2, 100, 1e-3, {0}, stiff_d5, {0}},
    {"D6", 3, 1, 1e-3, {1}, stiff_d6, {0}},
    {"E1", 4, 1, 1e-3, {0}, stiff_e1, {0}},
    {"E2", 2, 1, 1e-3, {2}, stiff_e2, {0}},
    {"E3", 3, 500, 1e-3, {1, 1}, stiff_e3, {0}},
    {"E4", 4, 1000, 1e-3, {0, -2, -1, -1}, stiff_e4, {0}},
    {"E5 to 1000", 4, 1000, 1e-12, {1.76e-3}, stiff_e5, {0}},
};

enum { STIFF_PROBLEMS = sizeof stiff_problems / sizeof stiff_problems[0] };

/// A problem as a system; lives where it is made, and must not be moved.
typedef struct stiff_system {
    fo_system_type type;
    fo_description about;
    fo_variable states[STIFF_STATES];
    char names[STIFF_STATES][8];
    fo_system system;
} stiff_system;

static inline void stiff_system_make(stiff_system *s, const stiff_problem *p)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < p->n; i++) {
        memcpy(s->names[i], "x00", 4);
        s->names[i][1] = (char)('0' + (i + 1) / 10), s->names[i][2] = (char)('0' + (i + 1) % 10);
        s->states[i] = (fo_variable){.name = s->names[i], .start = p->start[i]};
    }
    s->type = (fo_system_type){.kind = "C", .rates = p->rates};
    s->about = (fo_description){.name = p->name, .states = {s->states, p->n}};
    s->system = (fo_system){&s->type, &s->about, NULL};
}

#endif
