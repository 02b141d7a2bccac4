// Sources of random numbers, and of sequences that are given point by point.
#include <foliot/random.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "math/math.h"

#define SET "Sources"

enum { SEED = 2 }; ///< its place among the parameters

// Java's generator, as the document has it. Number k of a seed is found by its place in the
// sequence, so nothing has to be remembered. Java steps its sequence twice for a real number. One
// seed serves all elements in turn; of several each has its own. The run's seed is 0 unless
// somebody gives one.
static fo_random place(const foi_node *n, const foi_run *r, uint32_t i, uint32_t size,
                       uint32_t draws)
{
    const foi_array *seeds = foi_value(n, SEED);
    bool shared = foi_array_size(seeds) == 1;
    uint64_t sample = r->count / n->every;
    uint64_t seed = (uint64_t)(int64_t)foi_real_at(seeds, i) + r->s->seed;
    fo_random random = fo_random_java((int64_t)seed);
    fo_random_seek(&random, (shared ? sample * size + i : sample) * draws * 2);
    return random;
}

static fo_status check_seeds(foi_build *b, foi_node *n)
{
    const foi_array *seeds = foi_value(n, SEED);
    for (uint32_t i = 0; i < foi_array_size(seeds); i++)
        if (!(fabs(seeds->data[i]) < 0x1p53) || seeds->data[i] != floor(seeds->data[i]))
            return foi_node_refuse(b, n, "expected a whole number as seed, found %g",
                                   seeds->data[i]);
    return FO_OK;
}

// Box and Muller (1958): Z = sqrt(-2 ln R1) cos(2 pi R2).
static void output_normal(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    const double two_pi = 6.283185307179586477;
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        fo_random random = place(n, r, i, foi_array_size(&y), 2);
        double r1 = fo_random_unit(&random), r2 = fo_random_unit(&random);
        double z = sqrt(-2 * foi_log(r1 > 0 ? r1 : 0x1p-54)) * foi_cos(two_pi * r2);
        y.data[i] = foi_real_at(foi_value(n, 0), i) + sqrt(foi_real_at(foi_value(n, 1), i)) * z;
    }
}

static fo_status prepare_normal(foi_build *b, foi_node *n)
{
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 1)); i++)
        if (!(foi_real_at(foi_value(n, 1), i) >= 0))
            return foi_node_refuse(b, n, "the variance must not be negative");
    return check_seeds(b, n);
}

static const foi_node_type random_number = {
    .name = "Random Number",
    .set = SET,
    .about =
        "Normally distributed numbers: mean + sqrt(variance) * Z with Z of Box and Muller from "
        "two numbers of Java's generator.",
    .inputs = "",
    .outputs = "number",
    .parameters = (const foi_parameter[]){{"Mean", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {"Variance", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Initial Seed", FOI_PARAMETER_REAL, "0", NULL,
                                           "one for all elements in turn, or one for each"},
                                          SAMPLE_TIME,
                                          {0}},
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, DISCRETE, SUPPORTED, ANY_DIMENSION),
    .example = {"Mean=3;Variance=0", "", 1, 0, "3"},
    .random = true,
    .steps = true,
    .held = true,
    .prepare = prepare_normal,
    .output = output_normal,
};

static void output_uniform(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        fo_random random = place(n, r, i, foi_array_size(&y), 1);
        double a = foi_real_at(foi_value(n, 0), i), b = foi_real_at(foi_value(n, 1), i);
        y.data[i] = a + (b - a) * fo_random_unit(&random);
    }
}

static const foi_node_type uniform_random_number = {
    .name = "Uniform Random Number",
    .set = SET,
    .about = "Uniformly distributed numbers: minimum + (maximum - minimum) * R with R of Java's "
             "generator.",
    .inputs = "",
    .outputs = "number",
    .parameters = (const foi_parameter[]){{"Minimum", FOI_PARAMETER_REAL, "-1", NULL, ""},
                                          {"Maximum", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Initial Seed", FOI_PARAMETER_REAL, "0", NULL,
                                           "one for all elements in turn, or one for each"},
                                          SAMPLE_TIME,
                                          {0}},
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, DISCRETE, SUPPORTED, ANY_DIMENSION),
    .example = {"Minimum=0;Maximum=1;Initial Seed=42", "", 0, 0, "0.7275636800328681"},
    .random = true,
    .steps = true,
    .held = true,
    .prepare = check_seeds,
    .output = output_uniform,
};

// --------------------------------------------------------------------------- repeating sequence

enum { MAX_PIECES = 64 }; ///< of an expression

/// Of each piece: its number, from 1, and its slope.
typedef struct course {
    uint32_t count;
    double *numbers, *slopes;
} course;

static fo_status prepare_pieces(foi_build *b, foi_node *n)
{
    const foi_array *t = foi_value(n, 0), *y = foi_value(n, 1);
    uint32_t count = foi_array_size(t) - 1;
    course *p = foi_arena_new(b->arena, 1, sizeof *p);
    double *all = foi_arena_new(b->arena, 2 * (size_t)count, sizeof *all);
    if (!p || !all) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    *p = (course){count, all, all + count};
    for (uint32_t i = 0; i < count; i++) {
        p->numbers[i] = i + 1;
        p->slopes[i] = (y->data[i + 1] - y->data[i]) / (t->data[i + 1] - t->data[i]);
    }
    n->extra = p;
    return FO_OK;
}

static fo_status prepare_sequence(foi_build *b, foi_node *n)
{
    const foi_array *t = foi_value(n, 0), *y = foi_value(n, 1);
    uint32_t count = foi_array_size(t);
    if (count < 2 || count != foi_array_size(y))
        return foi_node_refuse(b, n, "expected as many time values as output values, at least two");
    for (uint32_t i = 1; i < count; i++)
        if (!(t->data[i] > t->data[i - 1]))
            return foi_node_refuse(b, n, "the time values must ascend");
    n->own_count = 1;
    return prepare_pieces(b, n);
}

static fo_status type_sequence(foi_build *b, foi_node *n)
{
    (void)b;
    foi_output_type(n, 0, 1, 1, FOI_SIGNAL_REAL);
    return FO_OK;
}

// Pieces are numbered through: period * (points - 1) + piece in the period.
static double piece_at(const foi_node *n, double gone)
{
    const foi_array *t = foi_value(n, 0);
    uint32_t pieces = foi_array_size(t) - 1, i = 0;
    double period = t->data[pieces] - t->data[0], turn = gone / period;
    double k = floor(turn + 1e-12 * foi_fmax(1, fabs(turn)));
    while (i + 1 < pieces && foi_reached(gone - k * period, t->data[i + 1] - t->data[0])) i++;
    return k * pieces + i;
}

// The piece in which the output is, found at the last moment or now.
static foi_scalar present_piece(const foi_node *n, foi_run *r)
{
    if (!foi_events_on(r))
        return foi_no_terms(r) ? foi_const(r, 0)
                               : foi_const(r, piece_at(n, r->t - foi_clock_start(r)));
    if (r->refresh) foi_own(n, r)[0] = piece_at(n, r->t - foi_clock_start(r));
    return foi_kept_of(n, r, 0);
}

static void output_sequence(const foi_node *n, foi_run *r)
{
    const double *t = foi_value(n, 0)->data, *y = foi_value(n, 1)->data;
    const course *p = n->extra;
    if (p->count > MAX_PIECES && foi_no_terms(r)) return;
    // its middle: bounds that are rounded outwards then reach no other piece or period
    foi_scalar count = foi_const(r, p->count);
    foi_scalar piece = foi_plus(r, present_piece(n, r), foi_const(r, 0.5));
    foi_scalar k = foi_do_1(r, FOI_G_FLOOR, foi_over(r, piece, count));
    foi_scalar i = foi_minus(r, piece, foi_times(r, k, count));
    foi_scalar gone = foi_by(r, FOI_G_SUBTRACT, foi_time_of(r), foi_clock_start(r));
    foi_scalar period = foi_const(r, t[p->count] - t[0]);
    foi_scalar tau = foi_minus(r, foi_plus(r, foi_const(r, t[0]), gone), foi_times(r, k, period));
    foi_place at = foi_place_of(r, i, p->numbers, p->count);
    foi_scalar since = foi_minus(r, tau, foi_pick(r, &at, t));
    foi_put(n, r, 0,
            foi_plus(r, foi_pick(r, &at, y), foi_times(r, foi_pick(r, &at, p->slopes), since)));
}

static double next_sequence(const foi_node *n, const foi_run *r, double now)
{
    const foi_array *t = foi_value(n, 0);
    uint32_t pieces = foi_array_size(t) - 1;
    double piece = piece_at(n, now - foi_clock_start(r)) + 1, k = floor(piece / pieces);
    uint32_t i = (uint32_t)(piece - k * pieces);
    double period = t->data[pieces] - t->data[0];
    return foi_clock_start(r) + k * period + t->data[i] - t->data[0];
}

static const foi_node_type repeating_sequence = {
    .name = "Repeating Sequence",
    .set = SET,
    .about = "A signal given by points and linear between them, repeated from the start of the "
             "simulation on; its period is the last time value less the first.",
    .inputs = "",
    .outputs = "signal",
    .parameters = (const foi_parameter[]){{"Time Values", FOI_PARAMETER_REAL, "0 2", NULL, "[s]"},
                                          {"Output Values", FOI_PARAMETER_REAL, "0 2", NULL, ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, CONTINUOUS, NOT_SUPPORTED, "parameters: vectors"),
    .example = {"Time Values=1 2 3;Output Values=5 8 13", "", 1.8, 0, "12"},
    .continuous = true,
    .prepare = prepare_sequence,
    .type = type_sequence,
    .expressed = true,
    .output = output_sequence,
    .next = next_sequence,
};

const foi_node_type *const foi_nodes_random[] = {&random_number, &repeating_sequence,
                                                 &uniform_random_number, NULL};
