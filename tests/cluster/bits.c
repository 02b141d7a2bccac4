// Carries fields of all kinds on however many ranks there are, and compares them with the same
// simulation on one process: equal bits for explicit methods and for direct solutions of grids that
// are not large, the solver's tolerance where the ranks solve together. tests/cluster/ranks starts
// it on 1, 2, 3, ... ranks.
//
//   bits [explicit]             the cases; those of explicit methods only
//   bits save FILE | load FILE  half of a run to a checkpoint | the other half from it
//   bits slow                   a grid with a slow corner: the cuts move, the bits do not
#include <foliot/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000, STEPS = 40 };
static double start[MOST], each[MOST];

typedef enum body { NONE, DROPPED, SLIDING, BONDED } body;

typedef struct setting {
    const char *name;
    int dimensions;
    uint32_t size[3];
    fo_field_equation equation;
    fo_field_method method;
    fo_side_kind sides[3];
    double b1, b2;
    bool varying;
    body body;
    fo_field_linear linear;
} setting;

#define WAVE      FO_FIELD_WAVE
#define TRANSPORT FO_FIELD_TRANSPORT
#define FIXED     FO_SIDE_FIXED
#define FREE      FO_SIDE_FREE
#define PERIODIC  FO_SIDE_PERIODIC
#define ABSORBING FO_SIDE_ABSORBING
static const setting settings[] = {
    {"string", 1, {101, 1, 1}, WAVE, FO_FIELD_LEAPFROG, {FIXED}, 0.1, 0, false},
    {"ring", 1, {60, 1, 1}, WAVE, FO_FIELD_LEAPFROG, {PERIODIC}, 0, 0.001, false},
    {"sheet", 2, {67, 45, 1}, WAVE, FO_FIELD_LEAPFROG, {ABSORBING, FREE}, 0.1, 0, false},
    {"torus", 2, {40, 44, 1}, WAVE, FO_FIELD_LEAPFROG, {PERIODIC, PERIODIC}, 0, 0, false},
    {"damped", 2, {31, 33, 1}, WAVE, FO_FIELD_LEAPFROG, {FIXED, FREE}, 0.1, 0.002, true},
    {"cube", 3, {17, 15, 19}, WAVE, FO_FIELD_LEAPFROG, {FIXED, PERIODIC, ABSORBING}, 0.1, 0, false},
    {"euler", 2, {24, 26, 1}, WAVE, FO_FIELD_EULER, {FIXED, PERIODIC}, 3, 0.01, false},
    {"rk4", 2, {25, 23, 1}, WAVE, FO_FIELD_RK4, {FREE, FIXED}, 0.2, 0.001, true},
    {"heat", 3, {13, 14, 15}, TRANSPORT, FO_FIELD_RK4, {FIXED, PERIODIC, FREE}, 0, 0, true},
    {"dropped", 1, {41, 1, 1}, WAVE, FO_FIELD_LEAPFROG, {FIXED}, 0.1, 0, false, DROPPED},
    {"landed", 2, {23, 25, 1}, WAVE, FO_FIELD_RK4, {FIXED, FREE}, 0.1, 0.001, false, DROPPED},
    {"sliding", 2, {23, 25, 1}, WAVE, FO_FIELD_RK4, {FIXED, FIXED}, 0.1, 0, false, SLIDING},
    {"bonded", 2, {23, 25, 1}, WAVE, FO_FIELD_LEAPFROG, {FIXED, FIXED}, 0.1, 0, false, BONDED},
    {"membrane", 2, {31, 29, 1}, WAVE, FO_FIELD_IMPLICIT_EULER, {FIXED, FREE}, 0.1, 0.01, true},
    {"line", 1, {61, 1, 1}, WAVE, FO_FIELD_IMPLICIT_EULER, {ABSORBING}, 0.1, 0, false},
    {"hoop", 1, {64, 1, 1}, WAVE, FO_FIELD_SLIDING, {PERIODIC}, 0.1, 0, false},
    {"odd hoop", 2, {15, 18, 1}, WAVE, FO_FIELD_IMPLICIT_EULER, {PERIODIC, FREE}, 0, 0, false},
    {"stream", 2, {21, 26, 1}, TRANSPORT, FO_FIELD_IMPLICIT_EULER, {FIXED, FREE}, 0, 0, true},
    {"wide stream", 2, {130, 131, 1}, TRANSPORT, FO_FIELD_SLIDING, {FIXED, FREE}, 0, 0, false},
#define TOGETHER NONE, FO_FIELD_CG
    {"tied",
     2,
     {31, 29, 1},
     WAVE,
     FO_FIELD_IMPLICIT_EULER,
     {FIXED, FREE},
     0.1,
     0.01,
     false,
     TOGETHER},
    {"tied line",
     1,
     {61, 1, 1},
     WAVE,
     FO_FIELD_IMPLICIT_EULER,
     {ABSORBING},
     0.1,
     0,
     false,
     TOGETHER},
    {"tied hoop", 1, {64, 1, 1}, WAVE, FO_FIELD_SLIDING, {PERIODIC}, 0.1, 0, false, TOGETHER},
    {"tied odd hoop",
     2,
     {15, 18, 1},
     WAVE,
     FO_FIELD_IMPLICIT_EULER,
     {PERIODIC, FREE},
     0,
     0,
     false,
     TOGETHER},
    {"block",
     3,
     {13, 14, 15},
     TRANSPORT,
     FO_FIELD_IMPLICIT_EULER,
     {FIXED, FREE, FREE},
     0,
     0,
     false,
     NONE,
     FO_FIELD_MULTIGRID},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static fo_field_object make_object(const setting *s, double *shape)
{
    fo_field_object o = {.mass = 2, .gravity = 30, .v = 1, .mu = 0.02, .eps = 0.01};
    for (int axis = 0; axis < s->dimensions; axis++)
        o.first[axis] = s->size[axis] / 2 - 3, o.count[axis] = 7;
    for (uint32_t i = 0; i < 49; i++) {
        double x = (double)(i % 7) - 3, y = s->dimensions > 1 ? (double)(i / 7) - 3 : 0;
        shape[i] = 0.002 * (x * x + y * y);
    }
    o.shape = shape;
    o.y = s->body == DROPPED ? -0.01 : 0;
    o.contact = s->body == SLIDING ? FO_CONTACT_SLIDING : FO_CONTACT_EXACT;
    o.bonded = s->body == BONDED;
    if (o.bonded) o.shape = NULL;
    return o;
}

static fo_field *make(const setting *s, fo_message *why)
{
    double shape[49];
    fo_field_object object = make_object(s, shape);
    fo_field_point points[2] = {
        {.node = {4, 3, 2}, .signal = {FO_SIGNAL_SINE, .amplitude = 3, .omega = 7, .start = 0.05}},
        {.node = {5, 5, 4},
         .hold = true,
         .signal = {FO_SIGNAL_PULSE, .amplitude = 1, .width = 0.033}},
    };
    fo_field_probe probes[2] = {{.node = {6, 4, 2}},
                                {.node = {9, 7, 6}, .velocity = s->equation == WAVE}};
    fo_field_def def = fo_default_field_def();
    def.dimensions = (uint32_t)s->dimensions;
    for (int axis = 0; axis < s->dimensions; axis++) {
        def.size[axis] = s->size[axis];
        for (int end = 0; end < 2; end++) def.sides[2 * axis + end].kind = s->sides[axis];
    }
    for (int i = 0; i < 2; i++)
        for (int axis = s->dimensions; axis < 3; axis++)
            points[i].node[axis] = probes[i].node[axis] = 0;
    for (int i = 0; i < MOST; i++)
        start[i] = sin(0.37 * i) * cos(1e-3 * i), each[i] = 1 + 0.3 * start[i];
    def.equation = s->equation, def.method = s->method, def.linear = s->linear;
    def.b1 = s->b1, def.b2 = s->b2, def.diffusivity = 0.2;
    if (s->linear == FO_FIELD_DIRECT) def.velocity[0] = 0.3;
    def.reaction[1] = -0.5;
    if (s->method != FO_FIELD_SLIDING) def.reaction[2] = -0.2;
    def.start = s->body ? NULL : start;
    if (s->varying) def.c_at = def.diffusivity_at = each;
    def.points = points, def.point_count = 2;
    def.probes = probes, def.probe_count = 2;
    def.energy = s->equation == WAVE;
    if (s->body) def.object = &object;
    return fo_field_create(&def, why);
}

static bool is_implicit(const setting *s)
{
    return s->method >= FO_FIELD_IMPLICIT_EULER;
}

/// On a small grid `direct` is solved by every rank for itself.
static bool is_exact(const setting *s)
{
    uint64_t nodes = (uint64_t)s->size[0] * s->size[1] * s->size[2];
    return !is_implicit(s) || (s->linear == FO_FIELD_DIRECT && nodes <= 16384);
}

static fo_run_def run_of(const setting *s, const fo_field *f)
{
    fo_run_def def = fo_default_run_def();
    def.step = is_implicit(s) ? 0.01 : 0.8 * fo_field_limit(f, s->method);
    if (s->body) def.step = fmin(def.step, 0.004);
    def.stop = STEPS * def.step;
    return def;
}

static int fail(const char *name, const char *text)
{
    fprintf(stderr, "%s: %s\n", name, text);
    return 1;
}

/// What a run leaves: outputs, then all values.
typedef struct outcome {
    uint64_t moments;
    double *list;
    size_t count;
} outcome;

static outcome outcome_of(fo_simulation *sim, size_t nodes)
{
    size_t outputs = fo_simulation_system(sim).about->outputs.count;
    outcome o = {fo_simulation_statistics(sim).moments, malloc((outputs + nodes) * sizeof *o.list),
                 outputs + nodes};
    for (uint32_t i = 0; i < outputs; i++)
        o.list[i] = fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
    return o;
}

/// The largest difference, against the largest number.
static double distance(const double *a, const double *b, size_t count)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return most / fmax(size, 1e-300);
}

static int compare(const setting *s, const outcome *mine, const outcome *plain)
{
    bool same = memcmp(mine->list, plain->list, mine->count * sizeof(double)) == 0;
    double off = distance(mine->list, plain->list, mine->count);
    printf("%s: %llu moments, off by %.2g\n", s->name, (unsigned long long)mine->moments, off);
    if (s->body == DROPPED && mine->moments < 3) return fail(s->name, "too few moments");
    if (mine->moments != plain->moments) return fail(s->name, "other moments than one process");
    if (is_exact(s) && !same) return fail(s->name, "not the bits of one process");
    return off <= 1e-8 ? 0 : fail(s->name, "not what one process computes");
}

static int plain_run(const setting *s, const fo_field *f, const fo_run_def *def, outcome *result)
{
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_field_system(f), def, &why);
    if (!sim) return fail(s->name, why.text);
    if (fo_simulation_advance(sim, def->stop) != FO_REACHED)
        return fail(s->name, fo_simulation_message(sim)->text);
    size_t nodes = fo_field_nodes(f);
    *result = outcome_of(sim, nodes);
    memcpy(result->list + result->count - nodes, fo_simulation_state(sim)->x,
           nodes * sizeof(double));
    fo_simulation_destroy(sim);
    return 0;
}

/// All values of a cluster's simulation into the end of a list, on rank 0.
static int gather(const char *name, fo_cluster *c, const fo_simulation *sim, const fo_field *f,
                  outcome *o)
{
    fo_message why = {0};
    bool first = fo_cluster_rank(c) == 0;
    double *values = first ? o->list + o->count - fo_field_nodes(f) : NULL;
    return fo_cluster_gather(c, sim, values, &why) ? fail(name, why.text) : 0;
}

// ------------------------------------------------------------------------------------- the sweeps

static int sweep_case(const setting *s, const fo_field *f, fo_cluster *c, double h)
{
    fo_message why = {0};
    if (s->method != FO_FIELD_LEAPFROG || s->body) return 0;
    fo_cluster_sweep *mine = fo_cluster_sweep_create(c, h, &why);
    if (!mine || fo_cluster_sweep_advance(mine, STEPS, &why)) return fail(s->name, why.text);
    bool first = fo_cluster_rank(c) == 0;
    double *values = first ? malloc(fo_field_nodes(f) * sizeof *values) : NULL;
    if (fo_cluster_sweep_gather(mine, values, &why)) return fail(s->name, why.text);
    fo_cluster_sweep_destroy(mine);
    if (!first) return 0;
    fo_sweep_def def = {.step = h};
    fo_sweep *whole = fo_sweep_create(f, &def, &why);
    if (!whole) return fail(s->name, why.text);
    fo_sweep_advance(whole, STEPS);
    bool same = memcmp(values, fo_sweep_values(whole), fo_field_nodes(f) * sizeof *values) == 0;
    fo_sweep_destroy(whole);
    free(values);
    return same ? 0 : fail(s->name, "not the bits of a sweep");
}

// -------------------------------------------------------------------------------------- the cases

/// Without hypre the message names it.
static int refused(const setting *s, const fo_message *why)
{
#ifndef FOI_WITH_HYPRE
    if (!is_exact(s) && strstr(why->text, "libhypre-dev"))
        return printf("%s: no hypre\n", s->name) < 0;
#endif
    return fail(s->name, why->text);
}

static int run_case(const setting *s)
{
    fo_message why = {0};
    fo_field *f = make(s, &why);
    if (!f) return fail(s->name, why.text);
    fo_run_def def = run_of(s, f);
    fo_cluster_def cluster_def = {.patience = 30};
    fo_cluster *c = fo_cluster_create(f, &cluster_def, &why);
    if (!c) {
        fo_field_destroy(f);
        return refused(s, &why);
    }
    fo_simulation *sim = fo_simulation_create(fo_cluster_system(c), &def, &why);
    if (!sim) return fail(s->name, why.text);
    if (fo_cluster_carry(c, sim, def.stop) != FO_REACHED)
        return fail(s->name, fo_simulation_message(sim)->text);
    outcome mine = outcome_of(sim, fo_field_nodes(f)), plain = {0};
    int wrong = gather(s->name, c, sim, f, &mine);
    if (!wrong && fo_cluster_rank(c) == 0) wrong = plain_run(s, f, &def, &plain);
    if (!wrong && fo_cluster_rank(c) == 0) wrong = compare(s, &mine, &plain);
    wrong |= sweep_case(s, f, c, def.step);
    free(mine.list);
    free(plain.list);
    fo_simulation_destroy(sim);
    fo_cluster_destroy(c);
    fo_field_destroy(f);
    return wrong;
}

// Half a run, then a checkpoint; or a checkpoint, then the other half.
static int half_case(const setting *s, bool load, const char *file)
{
    fo_message why = {0};
    fo_field *f = make(s, &why);
    if (!f) return fail(s->name, why.text);
    fo_run_def def = run_of(s, f);
    fo_cluster_def cluster_def = {.patience = 30, .every = STEPS / 2};
    if (!load) cluster_def.checkpoint = file;
    fo_cluster *c = fo_cluster_create(f, &cluster_def, &why);
    fo_simulation *sim = c ? fo_simulation_create(fo_cluster_system(c), &def, &why) : NULL;
    if (!sim || (load && fo_cluster_load(c, sim, file, &why))) return fail(s->name, why.text);
    if (fo_cluster_carry(c, sim, load ? def.stop : 0.7 * def.stop) != FO_REACHED)
        return fail(s->name, fo_simulation_message(sim)->text);
    outcome mine = outcome_of(sim, fo_field_nodes(f)), plain = {0};
    int wrong = gather(s->name, c, sim, f, &mine);
    if (load && fo_cluster_rank(c) == 0) {
        wrong |= plain_run(s, f, &def, &plain);
        if (!wrong && memcmp(mine.list, plain.list, mine.count * sizeof(double)) != 0)
            wrong = fail(s->name, "the second half does not end where the whole run ends");
    }
    free(mine.list);
    free(plain.list);
    fo_simulation_destroy(sim);
    fo_cluster_destroy(c);
    fo_field_destroy(f);
    return wrong;
}

/// With internal damping, with stages, with an object that touches.
static int halves(bool load, const char *path)
{
    static const int chosen[] = {4, 7, 9, 10};
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        char file[1024];
        snprintf(file, sizeof file, "%s.%d", path, i);
        wrong |= half_case(&settings[chosen[i]], load, file);
    }
    return wrong;
}

// ---------------------------------------------------------------------------------------- balance

/// Diffusion whose nodes in one corner take much longer.
static double slow_corner(const void *self, const fo_stencil *at)
{
    const double *u = at->value;
    double sum = u[1] + u[2] + u[3] + u[4] - 4 * u[0], more = 0;
    bool slow = at->position[0] < 0.3 && at->position[1] < 0.3;
    (void)self;
    for (int i = 0; slow && i < 300; i++) more += sqrt((double)i + fabs(u[0]));
    return sum + 1e-9 * more;
}

static int run_slow(uint32_t balance, bool *moved, double **values)
{
    fo_message why = {0};
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2, def.size[0] = 90, def.size[1] = 80;
    def.equation = FO_FIELD_STENCIL, def.method = FO_FIELD_EULER;
    def.stencil = slow_corner, def.start = start;
    fo_field *f = fo_field_create(&def, &why);
    if (!f) return fail("slow", why.text);
    fo_cluster_def cluster_def = {.patience = 30, .balance = balance};
    fo_cluster *c = fo_cluster_create(f, &cluster_def, &why);
    fo_run_def run = fo_default_run_def();
    run.step = 0.1, run.stop = 12;
    fo_simulation *sim = c ? fo_simulation_create(fo_cluster_system(c), &run, &why) : NULL;
    if (!sim) return fail("slow", why.text);
    if (fo_cluster_carry(c, sim, run.stop) != FO_REACHED)
        return fail("slow", fo_simulation_message(sim)->text);
    uint32_t lines[3][65], ranks = fo_cluster_ranks(c);
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t parts = fo_cluster_cuts(c, axis, lines[axis]), even = def.size[axis] / parts;
        // the part with the corner is clearly narrower than its share
        if (parts > 1 && lines[axis][1] < 0.8 * even) *moved = true;
        for (uint32_t i = 1; balance && fo_cluster_rank(c) == 0 && i < parts; i++)
            printf("%c at %u, %u is even\n", "xyz"[axis], lines[axis][i], i * even);
    }
    bool first = fo_cluster_rank(c) == 0;
    *values = first ? malloc(fo_field_nodes(f) * sizeof **values) : NULL;
    int wrong = fo_cluster_gather(c, sim, *values, &why) ? fail("slow", why.text) : 0;
    if (ranks == 1) *moved = balance > 0;
    fo_simulation_destroy(sim);
    fo_cluster_destroy(c);
    fo_field_destroy(f);
    return wrong;
}

static int slow_case(void)
{
    double *even = NULL, *uneven = NULL;
    bool still = false, moved = false;
    for (int i = 0; i < MOST; i++) start[i] = sin(0.37 * i);
    int wrong = run_slow(0, &still, &even) | run_slow(10, &moved, &uneven);
    if (!wrong && still) wrong = fail("slow", "cuts moved unasked");
    if (!wrong && !moved) wrong = fail("slow", "the cuts did not move towards the slow corner");
    if (!wrong && even && memcmp(even, uneven, 90 * 80 * sizeof *even) != 0)
        wrong = fail("slow", "moving cuts changed bits");
    free(even);
    free(uneven);
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (argc == 3)
        wrong = halves(strcmp(argv[1], "load") == 0, argv[2]);
    else if (argc == 2 && strcmp(argv[1], "slow") == 0)
        wrong = slow_case();
    else
        for (int i = 0; i < SETTINGS; i++)
            if (argc == 1 || !is_implicit(&settings[i])) wrong |= run_case(&settings[i]);
    fo_cluster_finish();
    return wrong;
}
