// Carries fields of all kinds on however many ranks there are, and prints a hash of each result:
// tests/cluster/ranks compares what different numbers of ranks print. Waves by leapfrog are also
// compared with a sweep on one process.
//
//   bits                        the cases
//   bits save FILE | load FILE  half of a run to a checkpoint | the other half from it
#include <foliot/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const double *x, size_t n)
{
    uint64_t h = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)x;
    for (size_t i = 0; i < n * sizeof *x; i++) h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

enum { MOST = 40000 };
static double start[MOST], each[MOST];

typedef struct setting {
    const char *name;
    int dimensions;
    uint32_t size[3];
    fo_field_equation equation;
    fo_field_method method;
    fo_side_kind sides[3];
    double b1, b2;
    bool varying;
} setting;

static const setting settings[] = {
    {"string", 1, {101, 1, 1}, FO_FIELD_WAVE, FO_FIELD_LEAPFROG, {FO_SIDE_FIXED}, 0.1, 0, false},
    {"ring", 1, {60, 1, 1}, FO_FIELD_WAVE, FO_FIELD_LEAPFROG, {FO_SIDE_PERIODIC}, 0, 0.001, false},
    {"sheet",
     2,
     {67, 45, 1},
     FO_FIELD_WAVE,
     FO_FIELD_LEAPFROG,
     {FO_SIDE_ABSORBING, FO_SIDE_FREE},
     0.1,
     0,
     false},
    {"torus",
     2,
     {40, 44, 1},
     FO_FIELD_WAVE,
     FO_FIELD_LEAPFROG,
     {FO_SIDE_PERIODIC, FO_SIDE_PERIODIC},
     0,
     0,
     false},
    {"damped",
     2,
     {31, 33, 1},
     FO_FIELD_WAVE,
     FO_FIELD_LEAPFROG,
     {FO_SIDE_FIXED, FO_SIDE_FREE},
     0.1,
     0.002,
     true},
    {"cube",
     3,
     {17, 15, 19},
     FO_FIELD_WAVE,
     FO_FIELD_LEAPFROG,
     {FO_SIDE_FIXED, FO_SIDE_PERIODIC, FO_SIDE_ABSORBING},
     0.1,
     0,
     false},
    {"euler",
     2,
     {24, 26, 1},
     FO_FIELD_WAVE,
     FO_FIELD_EULER,
     {FO_SIDE_FIXED, FO_SIDE_PERIODIC},
     3,
     0.01,
     false},
    {"rk4",
     2,
     {25, 23, 1},
     FO_FIELD_WAVE,
     FO_FIELD_RK4,
     {FO_SIDE_FREE, FO_SIDE_FIXED},
     0.2,
     0.001,
     true},
    {"heat",
     3,
     {13, 14, 15},
     FO_FIELD_TRANSPORT,
     FO_FIELD_RK4,
     {FO_SIDE_FIXED, FO_SIDE_PERIODIC, FO_SIDE_FREE},
     0,
     0,
     true},
};

static fo_field *make(const setting *s, fo_message *why)
{
    fo_field_point points[2] = {
        {.node = {4, 3, 2}, .signal = {FO_SIGNAL_SINE, .amplitude = 3, .omega = 7}},
        {.node = {9, 5, 4},
         .hold = true,
         .signal = {FO_SIGNAL_PULSE, .amplitude = 1, .width = 0.4}},
    };
    fo_field_def def = fo_default_field_def();
    def.dimensions = (uint32_t)s->dimensions;
    for (int axis = 0; axis < s->dimensions; axis++) {
        def.size[axis] = s->size[axis];
        for (int end = 0; end < 2; end++) def.sides[2 * axis + end].kind = s->sides[axis];
    }
    for (int i = 0; i < 2; i++)
        for (int axis = s->dimensions; axis < 3; axis++) points[i].node[axis] = 0;
    for (int i = 0; i < MOST; i++)
        start[i] = sin(0.37 * i) * cos(1e-3 * i), each[i] = 1 + 0.3 * start[i];
    def.equation = s->equation, def.method = s->method;
    def.b1 = s->b1, def.b2 = s->b2, def.diffusivity = 0.2;
    def.velocity[0] = 0.3;
    def.start = start;
    if (s->varying) def.c_at = def.diffusivity_at = each;
    def.points = points, def.point_count = 2;
    return fo_field_create(&def, why);
}

static double step_of(const setting *s, const fo_field *f)
{
    return 0.8 * fo_field_limit(f, s->method);
}

static uint64_t sweep_hash(const fo_field *f, double h, uint64_t steps, fo_message *why)
{
    fo_sweep_def def = {.step = h};
    fo_sweep *s = fo_sweep_create(f, &def, why);
    if (!s) return 0;
    fo_sweep_advance(s, steps);
    uint64_t result = hash(fo_sweep_values(s), fo_field_nodes(f));
    fo_sweep_destroy(s);
    return result;
}

static int fail(const char *name, const fo_message *why)
{
    fprintf(stderr, "%s: %s\n", name, why->text);
    return 1;
}

/// The hash of what rank 0 gathers; the others get 0.
static uint64_t gathered(fo_cluster *c, const fo_field *f)
{
    bool first = fo_cluster_rank(c) == 0;
    double *values = first ? malloc(fo_field_nodes(f) * sizeof *values) : NULL;
    fo_cluster_gather(c, values);
    uint64_t result = first ? hash(values, fo_field_nodes(f)) : 0;
    free(values);
    return result;
}

enum { STEPS = 40 };

static int run_case(const setting *s)
{
    fo_message why = {0};
    fo_field *f = make(s, &why);
    if (!f) return fail(s->name, &why);
    fo_cluster_def def = {.step = step_of(s, f)};
    fo_cluster *c = fo_cluster_create(f, &def, &why);
    if (!c) return fail(s->name, &why);
    fo_cluster_advance(c, STEPS);
    uint64_t mine = gathered(c, f);
    double value = fo_cluster_value(c, fo_field_nodes(f) / 2);
    int wrong = 0;
    if (fo_cluster_rank(c) == 0) {
        printf("%s %016llx %.17g\n", s->name, (unsigned long long)mine, value);
        if (s->method == FO_FIELD_LEAPFROG && sweep_hash(f, def.step, STEPS, &why) != mine) {
            fprintf(stderr, "%s: not the bits of a sweep\n", s->name);
            wrong = 1;
        }
    }
    fo_cluster_destroy(c);
    fo_field_destroy(f);
    return wrong;
}

// Half a run, then a checkpoint; or a checkpoint, then the other half. Cases 4 (three arrays) and 7
// (rk4) are enough.
static int run_half(bool load, const char *path)
{
    static const int chosen[] = {4, 7};
    for (int i = 0; i < 2; i++) {
        const setting *s = &settings[chosen[i]];
        char file[1024];
        fo_message why = {0};
        fo_field *f = make(s, &why);
        fo_cluster_def def = {.step = f ? step_of(s, f) : 0};
        fo_cluster *c = f ? fo_cluster_create(f, &def, &why) : NULL;
        if (!c) return fail(s->name, &why);
        snprintf(file, sizeof file, "%s.%d", path, i);
        if (load && fo_cluster_load(c, file, &why)) return fail(s->name, &why);
        fo_cluster_advance(c, STEPS / 2);
        if (!load && fo_cluster_save(c, file, &why)) return fail(s->name, &why);
        uint64_t mine = gathered(c, f);
        if (load && fo_cluster_rank(c) == 0)
            printf("%s %016llx\n", s->name, (unsigned long long)mine);
        fo_cluster_destroy(c);
        fo_field_destroy(f);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (argc == 3)
        wrong = run_half(strcmp(argv[1], "load") == 0, argv[2]);
    else
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
            wrong |= run_case(&settings[i]);
    fo_cluster_finish();
    return wrong;
}
