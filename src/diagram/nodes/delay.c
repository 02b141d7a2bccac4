// Transport delays. The input is kept at every tick; in between it is taken as linear. Where the
// delay is shorter than the step, the present input is one of the points, and feeds through.
//
// Own memory: [0] how many ticks were kept, [1 ... size] whether the delay has gone by, then a ring
// of `room` inputs.

#include "diagram/node.h"
#include "diagram/nodes/node_continuous.h"
#include "diagram/nodes/node_doc.h"
#include "math/math.h"

enum { MAX_RING = 10000000 };

typedef struct ring {
    uint32_t size; ///< elements of the input
    uint32_t room; ///< inputs that are kept
} ring;

static fo_status make_ring(foi_build *b, foi_node *n, double longest)
{
    ring *k = n->extra ? n->extra : foi_arena_new(b->arena, 1, sizeof *k);
    if (!k) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    n->extra = k;
    double room = ceil(longest / foi_build_step(b)) + 3;
    k->size = foi_array_size(&n->outputs[0].shape);
    if (!(room * k->size < MAX_RING))
        return foi_node_refuse(b, n, "a delay of %g s is too long for steps of %g s", longest,
                               foi_build_step(b));
    k->room = (uint32_t)room;
    n->own_count = 1 + k->size + k->size * k->room;
    return FO_OK;
}

static double kept(const foi_node *n, const foi_run *r, double tick, uint32_t i)
{
    const ring *k = n->extra;
    const double *own = foi_own(n, r);
    double oldest = foi_fmax(0, own[0] - k->room);
    if (tick < oldest) tick = oldest;
    uint32_t slot = (uint32_t)fmod(tick, k->room);
    return own[1 + k->size + slot * k->size + i];
}

// The input `delay` ago, between ticks linear.
static double input_before(const foi_node *n, const foi_run *r, double delay, uint32_t i)
{
    double start = foi_clock_start(r), step = foi_clock_step(r), last = foi_own(n, r)[0] - 1;
    foi_array u = foi_in(n, r, 0);
    double tau = (r->t - delay - start) / step, now = (r->t - start) / step;
    double low = floor(tau + 1e-9);
    if (last < 0) return foi_real_at(&u, i);
    if (low < last) {
        double a = kept(n, r, foi_fmax(low, 0), i), b = kept(n, r, foi_fmax(low + 1, 0), i);
        return a + foi_fmax(tau - low, 0) * (b - a);
    }
    double a = kept(n, r, last, i);
    if (now - last < 1e-9 || tau - last < 1e-9) return a;
    return a + (tau - last) / (now - last) * (foi_real_at(&u, i) - a);
}

static double delayed(const foi_node *n, foi_run *r, double initial, double delay, uint32_t i)
{
    double end = foi_clock_start(r) + delay, *flag = &foi_own(n, r)[1 + i];
    bool gone = foi_passed(r->t, end);
    if (foi_events_on(r)) {
        if (r->refresh) *flag = foi_reached(r->t, end) && !(r->starting && delay > 0);
        gone = *flag > 0;
    }
    return gone ? input_before(n, r, delay, i) : initial;
}

static void update_ring(const foi_node *n, foi_run *r)
{
    const ring *k = n->extra;
    foi_array u = foi_in(n, r, 0);
    double *own = foi_own(n, r);
    uint32_t slot = (uint32_t)fmod(own[0], k->room);
    for (uint32_t i = 0; i < k->size; i++)
        own[1 + k->size + slot * k->size + i] = foi_real_at(&u, i);
    own[0] += 1;
}

// -------------------------------------------------------------------------------- a given delay

static fo_status prepare_delay(foi_build *b, foi_node *n)
{
    const foi_array *delay = foi_value(n, 1);
    n->through = 0;
    for (uint32_t i = 0; i < foi_array_size(delay); i++) {
        if (!(delay->data[i] >= 0)) return foi_node_refuse(b, n, "a delay must not be negative");
        if (delay->data[i] < foi_build_step(b) * (1 - 1e-9)) n->through = 1;
    }
    return FO_OK;
}

static fo_status type_delay(foi_build *b, foi_node *n)
{
    double longest = 0;
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 1)); i++)
        longest = foi_fmax(longest, foi_value(n, 1)->data[i]);
    fo_status status = foi_type_elementwise(b, n);
    return status == FO_OK ? make_ring(b, n, longest) : status;
}

static void output_delay(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] =
            delayed(n, r, foi_real_at(foi_value(n, 0), i), foi_real_at(foi_value(n, 1), i), i);
}

static double next_delay(const foi_node *n, const foi_run *r, double t)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 1)); i++) {
        double end = foi_clock_start(r) + foi_value(n, 1)->data[i];
        if (!foi_reached(t, end)) first = foi_fmin(first, end);
    }
    return first;
}

const foi_node_type foi_transport_delay = {
    .name = "Transport Delay",
    .set = "Continuous",
    .about = "Its input some time ago; the initial output until that time has gone by. Between "
             "steps the input is taken as linear.",
    .inputs = "u",
    .outputs = "before",
    .parameters = (const foi_parameter[]){{"Initial Output", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {"Time Delay", FOI_PARAMETER_REAL, "1", NULL, "[s]"},
                                          {0}},
    PROPERTIES(REAL_ONLY, "only where the delay is shorter than the step", CONTINUOUS, SUPPORTED,
               ANY_DIMENSION),
    .example = {"Initial Output=5;Time Delay=0.45", "Clock", 0.6, 0.2, "0.15"},
    .continuous = true,
    .steps = true,
    .recalls = true,
    .prepare = prepare_delay,
    .type = type_delay,
    .output = output_delay,
    .update = update_ring,
    .next = next_delay,
};

// ------------------------------------------------------------------------------ a delay as input

static fo_status type_variable(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    return status == FO_OK ? make_ring(b, n, foi_build_stop(b) - foi_build_start(b)) : status;
}

static void output_variable(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0), delay = foi_in(n, r, 1);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] =
            delayed(n, r, foi_real_at(foi_value(n, 0), i), foi_fmax(0, foi_real_at(&delay, i)), i);
}

const foi_node_type foi_variable_delay = {
    .name = "Variable Transport Delay",
    .set = "Continuous",
    .about =
        "Its first input some time ago, which the second input gives; the initial output until "
        "that time has gone by.",
    .inputs = "u|delay",
    .outputs = "before",
    .parameters =
        (const foi_parameter[]){{"Initial Output", FOI_PARAMETER_REAL, "0", NULL, ""}, {0}},
    PROPERTIES(REAL_ONLY, "yes", CONTINUOUS, SUPPORTED, ANY_DIMENSION),
    .example = {"Initial Output=5", "Clock|0.45", 0.8, 0.2, "0.35"},
    .continuous = true,
    .steps = true,
    .recalls = true,
    .type = type_variable,
    .output = output_variable,
    .update = update_ring,
};
