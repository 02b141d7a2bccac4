/// One guard alone and beside a condition that is never true: the same moments, states and reports
/// to the last bit. A search of one guard that is sampled has code of its own (simulation/alone.c),
/// which must find what the search of any number of guards finds.
#include "scene.h"

enum { STATES = 4 };

/// What a guard is, of a number z.
typedef enum shape {
    SHAPE_LINE,
    SHAPE_CUBIC,    ///< three roots, close together or not
    SHAPE_SQUARE,   ///< touches zero, or passes it twice
    SHAPE_WAVE,     ///< up to some hundred periods
    SHAPE_JUMP,     ///< from one side to the other
    SHAPE_POLE,     ///< 1 / z
    SHAPE_KINK,     ///< |z| less something
    SHAPE_DEAD,     ///< zero for a while
    SHAPE_ROOT,     ///< not a number before
    SHAPE_REFUSED,  ///< the model has none in a part of the run
    SHAPE_STAIRS,   ///< that cannot be foreseen
    SHAPE_SIZES,    ///< values of 1e-300, or 1e300
    SHAPE_CONSTANT, ///< zero for ever, or not
    SHAPES
} shape;

/// What its jump does.
typedef enum answer { ANSWER_NOTHING, ANSWER_BOUNCE, ANSWER_PUT, ANSWER_SCALE, ANSWERS } answer;

typedef struct model {
    uint32_t n;
    double rates[STATES][STATES + 1]; ///< x' = A (x, 1)
    double bend;                      ///< and of sin(x)
    shape of;
    answer then;
    double weights[STATES + 1]; ///< z = (x, t) . weights - at
    double at, apart, height;
    bool beside; ///< there is the condition
    bool held;   ///< a truth of it is held
} model;

static uint64_t state_of_chance;

static double chance(void)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_chance >> 11) * 0x1p-53;
}

static double between(double a, double b)
{
    return a + (b - a) * chance();
}

static fo_status rates(const void *self, const fo_state *s, double t, const double *x, double *dx)
{
    (void)s, (void)t;
    const model *m = self;
    for (uint32_t i = 0; i < m->n; i++) {
        dx[i] = m->rates[i][STATES] + m->bend * sin(x[i]);
        for (uint32_t k = 0; k < m->n; k++) dx[i] += m->rates[i][k] * x[k];
    }
    return FO_OK;
}

static double value(const model *m, double z)
{
    switch (m->of) {
    case SHAPE_CUBIC: return z * (z - m->apart) * (z + m->apart);
    case SHAPE_SQUARE: return z * z - m->height * m->apart;
    case SHAPE_WAVE: return sin(z / (m->apart + 0.01)) - m->height;
    case SHAPE_JUMP: return z < 0 ? -1 - m->apart : 1 + z;
    case SHAPE_POLE: return 1 / z;
    case SHAPE_KINK: return fabs(z) - m->height;
    case SHAPE_DEAD: return z < 0 ? z : z > m->apart ? z - m->apart : 0;
    case SHAPE_ROOT: return sqrt(z + m->apart) - m->apart;
    case SHAPE_STAIRS: return floor(z * 3) - m->height;
    case SHAPE_SIZES: return z * (m->apart > 0.5 ? 1e-300 : 1e300);
    case SHAPE_CONSTANT: return m->apart > 0.5 ? 0 : m->height - 0.5;
    default: return z;
    }
}

static fo_status guards(const void *self, const fo_state *s, double t, const double *x, double *g)
{
    const model *m = self;
    double z = m->weights[STATES] * t - m->at;
    for (uint32_t i = 0; i < m->n; i++) z += m->weights[i] * x[i];
    if (m->of == SHAPE_REFUSED && z > 0 && z < m->apart) return FO_ERROR_MODEL;
    g[0] = value(m, z) * s->d[0];
    return FO_OK;
}

static fo_status never(const void *self, const fo_state *s, double t, const double *x, bool *c)
{
    (void)self, (void)s, (void)t, (void)x;
    c[0] = false;
    return FO_OK;
}

static fo_status jump(const void *self, fo_state *s, const fo_moment *moment, fo_effect *e)
{
    (void)moment;
    const model *m = self;
    if (m->held) s->d[1] = !s->d[1];
    switch (m->then) {
    case ANSWER_BOUNCE: s->x[m->n - 1] *= -0.7; break;
    case ANSWER_PUT: s->x[0] = m->at * 0.5; break;
    case ANSWER_SCALE: s->d[0] *= 0x1p-20; break;
    default: e->unchanged = true; break;
    }
    return FO_OK;
}

static void held(const void *self, const fo_state *s, uint8_t *signs)
{
    (void)self;
    signs[0] = s->d[1] != 0 ? FO_ABOVE : FO_AT_ZERO | FO_BELOW;
}

static model scatter(void)
{
    model m = {.n = 1 + (uint32_t)(chance() * STATES), .of = (shape)(chance() * SHAPES)};
    m.then = (answer)(chance() * ANSWERS);
    m.bend = chance() < 0.5 ? 0 : between(-1, 1);
    for (uint32_t i = 0; i < m.n; i++)
        for (uint32_t k = 0; k <= STATES; k++)
            m.rates[i][k] = chance() < 0.5 ? 0 : between(-1.5, 1.5);
    for (uint32_t i = 0; i <= STATES; i++)
        m.weights[i] = chance() < 0.4 ? 0 : chance() < 0.3 ? 1 : between(-1, 1);
    if (chance() < 0.3) { // a ball
        m.n = m.n < 2 ? 2 : m.n;
        for (uint32_t k = 0; k <= STATES; k++) m.rates[0][k] = k == 1, m.rates[1][k] = 0;
        m.rates[1][STATES] = -9.81;
        for (uint32_t k = 0; k <= STATES; k++) m.weights[k] = k == 0;
    }
    m.at = chance() < 0.3 ? 0 : between(-1, 1);
    m.apart = chance() < 0.5 ? pow(10, between(-9, 0)) : chance();
    m.height = chance() < 0.3 ? 0 : chance();
    m.held = chance() < 0.3;
    return m;
}

// The guard passes zero some units in the last place before or behind the end of a step, or there.
static void end_with_a_step(model *m, double step)
{
    enum { ULPS = 128 };
    double end = step * (double)(1 + (int)(chance() * 50));
    m->of = SHAPE_LINE;
    for (uint32_t i = 0; i < STATES; i++) m->weights[i] = 0;
    m->weights[STATES] = 1;
    m->at = end * (1 + 0x1p-52 * (double)(int)between(-ULPS, 8));
}

/// All that comes out of a run.
typedef struct outcome {
    fo_status status;
    scene_log log;
    double t, x[STATES];
    fo_guard_report report;
    fo_message message;
} outcome;

static fo_status begin(fo_simulation *sim, const fo_run_def *def, bool cut)
{
    fo_status status = FO_OK;
    for (int k = 1; cut && k < 7 && status == FO_OK; k++) {
        status = fo_simulation_advance(sim, def->start + (def->stop - def->start) * k / 7);
        if (status == FO_REACHED) status = FO_OK;
        if (status == FO_OK) status = fo_simulation_send(sim, fo_simulation_time(sim), "sent", 0);
    }
    return status == FO_OK ? fo_simulation_advance(sim, def->stop) : status;
}

static void run(const model *m, fo_run_def def, const double *start, bool cut, outcome *to)
{
    fo_system_type type = {.rates = rates, .guards = guards, .jump = jump};
    fo_description one = {.name = "alone",
                          .states = {(const fo_variable[]){{"a"}, {"b"}, {"c"}, {"d"}}, m->n},
                          .discretes = FO_VARIABLES({"scale", NULL, 1}, {"truth", NULL, 0}),
                          .guards = FO_GUARDS({"g", FO_EITHER}),
                          .events = FO_EVENTS({"sent"})};
    fo_description two = one;
    static const fo_guard condition = {"never", FO_EITHER};
    two.conditions = (fo_guards){&condition, 1};
    if (m->beside) type.conditions = never;
    if (m->held) type.held = held;
    fo_observer observer = {.self = &to->log, .moment = scene_note, .interval = -1};
    def.observers = &observer, def.observer_count = 1;
    *to = (outcome){.status = FO_OK};
    fo_system system = {&type, m->beside ? &two : &one, m};
    fo_simulation *sim = fo_simulation_create(system, &def, &to->message);
    REQUIRE(sim);
    for (uint32_t i = 0; i < m->n; i++)
        CHECK_INT(fo_simulation_set(sim, (const char *[]){"a", "b", "c", "d"}[i], start[i]), FO_OK);
    to->status = begin(sim, &def, cut);
    to->message = *fo_simulation_message(sim);
    to->t = fo_simulation_time(sim);
    for (uint32_t i = 0; i < m->n; i++)
        to->x[i] = fo_simulation_value(sim, (fo_reference){FO_STATE, i});
    fo_simulation_guard_report(sim, 0, &to->report);
    fo_simulation_destroy(sim);
}

// Bits, so that what is not a number is the same as itself.
static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static bool same_moments(const scene_log *a, const scene_log *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].t != b->list[i].t || a->list[i].k != b->list[i].k ||
            a->list[i].kind != b->list[i].kind || a->list[i].direction != b->list[i].direction)
            return false;
    return true;
}

static bool same_reports(const fo_guard_report *a, const fo_guard_report *b)
{
    return a->searched == b->searched && a->limited == b->limited && a->undecided == b->undecided &&
           a->isolated == b->isolated && a->loose == b->loose;
}

TEST(a_guard_alone_is_searched_as_any_other)
{
    static outcome alone, beside;
    static const char *const solvers[] = {"dp45", "dp45",   "dp45",  "bs23",  "dop853",
                                          "rk4",  "radau5", "euler", "adams", "rodas4"};
    state_of_chance = 20261119;
    int count = test_inputs(6000, 200000);
    size_t moments = 0;
    for (int k = 0; k < count; k++) {
        model m = scatter();
        fo_run_def def = fo_default_run_def();
        def.solver = solvers[(int)(chance() * (double)FO_COUNT(solvers))];
        def.start = chance() < 0.2 ? 1e6 : 0, def.stop = def.start + 3;
        def.rtol = def.atol = pow(10, between(-9, -3));
        if (!strcmp(def.solver, "rk4") || !strcmp(def.solver, "euler")) def.step = 0.05;
        if (def.step > 0 && chance() < 0.3) end_with_a_step(&m, def.step);
        double start[STATES];
        for (int i = 0; i < STATES; i++) start[i] = chance() < 0.2 ? 0 : between(-2, 2);
        bool cut = chance() < 0.3;
        run(&m, def, start, cut, &alone);
        m.beside = true;
        run(&m, def, start, cut, &beside);
        moments += alone.log.count;
        if (alone.status == beside.status && same_moments(&alone.log, &beside.log) &&
            same_bits(&alone.t, &beside.t, sizeof alone.t) &&
            same_bits(alone.x, beside.x, sizeof alone.x) &&
            same_reports(&alone.report, &beside.report) &&
            !strcmp(alone.message.text, beside.message.text))
            continue;
        test_fail(__FILE__, __LINE__,
                  "case %d with %s, shape %d, answer %d: %zu moments alone, %zu beside; ends at "
                  "t = %.17g (%s) and %.17g (%s)",
                  k, def.solver, m.of, m.then, alone.log.count, beside.log.count, alone.t,
                  alone.message.text, beside.t, beside.message.text);
    }
    CHECK(moments > (size_t)count);
}

TEST_MAIN(TEST_ENTRY(a_guard_alone_is_searched_as_any_other))
