// Sources of random numbers, and of sequences that are given point by point.
#include <foliot/random.h>

#include "diagram/node.h"
#include "diagram/node_doc.h"

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
        double z = sqrt(-2 * log(r1 > 0 ? r1 : 0x1p-54)) * cos(two_pi * r2);
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
    return FO_OK;
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
    double k = floor(turn + 1e-12 * fmax(1, fabs(turn)));
    while (i + 1 < pieces && foi_reached(gone - k * period, t->data[i + 1] - t->data[0])) i++;
    return k * pieces + i;
}

static void output_sequence(const foi_node *n, foi_run *r)
{
    const foi_array *t = foi_value(n, 0), *y = foi_value(n, 1);
    uint32_t pieces = foi_array_size(t) - 1;
    double gone = r->t - foi_clock_start(r), piece = piece_at(n, gone);
    if (foi_events_on(r)) {
        if (r->refresh) foi_own(n, r)[0] = piece;
        piece = foi_own(n, r)[0];
    }
    double k = floor(piece / pieces);
    uint32_t i = (uint32_t)(piece - k * pieces);
    double tau = t->data[0] + gone - k * (t->data[pieces] - t->data[0]);
    double slope = (y->data[i + 1] - y->data[i]) / (t->data[i + 1] - t->data[i]);
    foi_out(n, r, 0).data[0] = y->data[i] + slope * (tau - t->data[i]);
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
    .output = output_sequence,
    .next = next_sequence,
};

const foi_node_type *const foi_nodes_random[] = {&random_number, &repeating_sequence,
                                                 &uniform_random_number, NULL};
