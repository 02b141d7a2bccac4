// The C source of lanes. The rates, the stages and the error of a step are the text of the
// program's scalar source, in which `double` means a vector: so they are the same operations in the
// same order. The control of steps is written here with masks, after put_control of
// program/source_steps.c.
#include "analysis/lane_source.h"

#include <float.h>
#include <string.h>

#include "program/source.h"
#include "solver/control.h"
#include "solver/erk_tableaux.h"
#include "solver/march.h"

static const char head[] =
    "typedef double V __attribute__((vector_size(8 * W)));\n"
    "typedef long long M __attribute__((vector_size(8 * W)));\n"
    "typedef void many_one(const double *, double *, unsigned long);\n"
    "typedef void many_two(const double *, const double *, double *, unsigned long);\n"
    "struct many { many_one *m_exp, *m_log; many_two *m_pow; const double *table; };\n"
    "#define EACH(expression) V y; for (int i = 0; i < W; i++) y[i] = expression; return y;\n"
    "INLINED V v_one(of_one *f, V a) { EACH(f(a[i])) }\n"
    "INLINED V v_two(of_two *f, V a, V b) { EACH(f(a[i], b[i])) }\n"
    // always eight numbers: fewer than the widest vector has would be done one by one
    "union eight { V v[8 / W]; double d[8]; };\n"
    "INLINED union eight fill(V a)\n"
    "{ union eight e; for (int i = 0; i < 8 / W; i++) e.v[i] = a; return e; }\n"
    "INLINED V v_many(many_one *f, V a)\n"
    "{ union eight x = fill(a), y; f(x.d, y.d, 8); return y.v[0]; }\n"
    "INLINED V v_many_two(many_two *f, V a, V b)\n"
    "{ union eight x = fill(a), z = fill(b), y; f(x.d, z.d, y.d, 8); return y.v[0]; }\n"
    "INLINED V v_fabs(V a) { return (V)((M)a & 0x7fffffffffffffffLL); }\n"
    "INLINED V v_sqrt(V a) { EACH(sqrt(a[i])) }\n"
    "INLINED V v_floor(V a) { EACH(floor(a[i])) }\n"
    "INLINED V v_ceil(V a) { EACH(ceil(a[i])) }\n"
    "INLINED V v_trunc(V a) { EACH(trunc(a[i])) }\n"
    "INLINED V v_sign(V a) { EACH(sign(a[i])) }\n"
    "INLINED V v_least(V a, V b) { EACH(least(a[i], b[i])) }\n"
    "INLINED V v_most(V a, V b) { EACH(most(a[i], b[i])) }\n"
    "INLINED V v_modulo(V a, V b) { EACH(modulo(a[i], b[i])) }\n"
    "INLINED V v_remain(V a, V b) { EACH(remain(a[i], b[i])) }\n"
    "INLINED V choose(M m, V a, V b) { return (V)(((M)a & m) | ((M)b & ~m)); }\n"
    "INLINED V truth(M m) { return choose(m, (V){0} + 1.0, (V){0}); }\n"
    "INLINED V larger(V a, V b) { return choose(a > b, a, b); }\n"
    // a product and a sum in one; what the compiler may not do by itself
    "#if FUSED && LANES == 8 && !defined __clang__\n"
    "#define v_fma(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4)\n"
    "#define SOME(m) __builtin_ia32_cvtq2mask512(m)\n"
    "#define ALL_OF(m) (SOME(m) == 255)\n"
    "typedef char B __attribute__((vector_size(16)));\n"
    "typedef long long L2 __attribute__((vector_size(16)));\n"
    "#define PACKED(k) ((L2)__builtin_ia32_pmovqb512_mask(k, (B){0}, (unsigned char)-1))[0]\n"
    "#elif FUSED && LANES == 4 && !defined __clang__\n"
    "#define v_fma(a, b, c) __builtin_ia32_vfmaddpd256(a, b, c)\n"
    "#define SOME(m) __builtin_ia32_movmskpd256((V)m)\n"
    "#define ALL_OF(m) (SOME(m) == 15)\n"
    "#endif\n"
    "#ifdef v_fma\n#define SLOWLY static __attribute__((noinline))\n"
    "#else\n#define SLOWLY INLINED\n#endif\n"
    "INLINED int any(M m)\n{\n"
    "#ifdef SOME\n    return SOME(m);\n"
    "#else\n    long long some = 0;\n"
    "    for (int i = 0; i < W; i++) some |= m[i];\n"
    "    return some != 0;\n#endif\n}\n"
    "static const struct many *functions;\n"
    // a vector of what may be a constant; a zero that is taken off changes no bit
    "#define ALL(a) ((a) - (V){0})\n"
    "#define fabs(a) v_fabs(ALL(a))\n#define sqrt(a) v_sqrt(ALL(a))\n"
    "#define floor(a) v_floor(ALL(a))\n#define ceil(a) v_ceil(ALL(a))\n"
    "#define trunc(a) v_trunc(ALL(a))\n#define sign(a) v_sign(ALL(a))\n"
    "#define least(a, b) v_least(ALL(a), ALL(b))\n#define most(a, b) v_most(ALL(a), ALL(b))\n"
    "#define modulo(a, b) v_modulo(ALL(a), ALL(b))\n"
    "#define remain(a, b) v_remain(ALL(a), ALL(b))\n";

// Functions that vectors have, and the others one by one.
static void put_functions(foi_flat_writer *out)
{
#define of_one "v_one", "(a)", "ALL(a)"
#define of_two "v_two", "(a, b)", "ALL(a), ALL(b)"
    static const char *const list[][4] = {
#define NAME(name, kind) {#name, kind},
        FOI_SOURCE_FUNCTIONS(NAME)
#undef NAME
    };
#undef of_one
#undef of_two
    static const char *const many[] = {"exp", "log", "pow", NULL};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const char *name = list[i][0];
        bool wide = false;
        for (int k = 0; many[k]; k++) wide |= strcmp(many[k], name) == 0;
        bool two = strcmp(list[i][1], "v_two") == 0;
        bool inlined = strcmp(name, "sin") == 0 || strcmp(name, "cos") == 0;
        foi_flat_write(out, "#undef %s\n#define %s%s ", name, name, list[i][2]);
        if (wide)
            foi_flat_write(out, "%s(functions->m_%s, %s)\n", two ? "v_many_two" : "v_many", name,
                           list[i][3]);
        else if (inlined)
            foi_flat_write(out, "v_%s(%s)\n", name, list[i][3]);
        else
            foi_flat_write(out, "%s(%s_, %s)\n", list[i][1], name, list[i][3]);
    }
}

// From `begin` to `end`, which belongs to it where `whole`. NULL: it is not there.
static const char *find(const char *text, const char *begin, const char *end, bool whole,
                        size_t *length)
{
    const char *at = strstr(text, begin), *to = at ? strstr(at, end) : NULL;
    if (!to) return NULL;
    *length = (size_t)(to - at) + (whole ? strlen(end) : 0);
    return at;
}

static void put_part(foi_flat_writer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        static const char choice[] = "(a > b ? a : b)", zero[] = " = 0;";
        if (length - i >= sizeof choice - 1 && memcmp(text + i, choice, sizeof choice - 1) == 0) {
            foi_flat_write(out, "larger(a, b)");
            i += sizeof choice - 2;
        } else if (length - i >= sizeof zero - 1 && memcmp(text + i, zero, sizeof zero - 1) == 0) {
            foi_flat_write(out, " = zero;");
            i += sizeof zero - 2;
        } else {
            foi_flat_write(out, "%c", text[i]);
        }
    }
}

// What is assigned: a choice, a comparison (1 or 0), or a number, which may be a constant.
static void put_value(foi_flat_writer *out, const char *text, size_t length)
{
    static const char if_[] = " != 0 ? ", else_[] = " : ";
    const char *yes = memmem(text, length, if_, sizeof if_ - 1);
    const char *no =
        yes ? memmem(yes, length - (size_t)(yes - text), else_, sizeof else_ - 1) : NULL;
    bool compares = false;
    for (size_t i = 0; i < length; i++) compares |= strchr("<>=&|", text[i]) != NULL;
    if (no) {
        const char *first = yes + sizeof if_ - 1, *second = no + sizeof else_ - 1;
        foi_flat_write(out, "choose(ALL(%.*s) != 0.0, ALL(%.*s), ALL(%.*s))", (int)(yes - text),
                       text, (int)(no - first), first, (int)(text + length - second), second);
    } else {
        foi_flat_write(out, compares ? "truth(%.*s)" : "ALL(%.*s)", (int)length, text);
    }
}

// Statements of the rates. Constants that lanes of the model's arrays go over are one number for
// all simulations, where `double` means a vector.
static void put_statements(foi_flat_writer *out, const char *text, size_t length)
{
    static const char constants[] = "    static const double c[] = {";
    for (const char *end = text + length, *next; text < end; text = next) {
        next = memchr(text, '\n', (size_t)(end - text));
        next = next ? next + 1 : end;
        const char *equals = strstr(text, " = "), *stop = next - 2; // before ";\n"
        bool assigns = equals && equals < next && memcmp(text, "    ", 4) == 0 && *stop == ';';
        if (strncmp(text, constants, sizeof constants - 1) == 0) {
            text += sizeof constants - 1;
            foi_flat_write(out, "    static const __typeof__(0.0) c[] = {%.*s", (int)(next - text),
                           text);
        } else if (assigns) {
            foi_flat_write(out, "%.*s = ", (int)(equals - text), text);
            put_value(out, equals + 3, (size_t)(stop - equals - 3));
            foi_flat_write(out, ";\n");
        } else {
            foi_flat_write(out, "%.*s", (int)(next - text), text);
        }
    }
}

// A number in the text, which is the same to the bit.
static void put_define(foi_flat_writer *out, const char *name, double value)
{
    foi_flat_write(out, "#define %s ", name);
    foi_source_number(out, value);
    foi_flat_write(out, "\n");
}

static void put_numbers(foi_flat_writer *out)
{
    const foi_tableau *T = &foi_tableau_dp45;
    put_define(out, "BIAS", 1023 * FOI_LOG_UNIT);
    put_define(out, "SAFETY", T->safety * FOI_LOG_UNIT);
    put_define(out, "SHORTEN", 0.5 / T->q);
    put_define(out, "FEWEST", -2 * FOI_LOG_UNIT);
    put_define(out, "BETA", 0.5 * T->beta);
    put_define(out, "POWER", 0.5 * (1 / T->q - 0.75 * T->beta));
    put_define(out, "GROWTH", T->growth * FOI_LOG_UNIT);
    put_define(out, "LEAST_ERROR", FOI_ERK_LOG_LEAST);
    put_define(out, "ULPS", FOI_LEAST_STEP * DBL_EPSILON);
    put_define(out, "TINIEST", DBL_MIN);
    put_define(out, "STARTLED", FOI_ERK_STARTLED);
}

static const char control[] =
    "INLINED V log_of(V v) { return __builtin_convertvector((M)v, V) - BIAS; }\n"
    "INLINED V exp_of(V log) { return (V)__builtin_convertvector(log + BIAS, M); }\n"
    "struct lanes {\n"
    "    V x[N], f[N], x1[N], f1[N], w[N], k1[N], k2[N], k3[N], k4[N], k5[N];\n"
    "    V t, t0, h, planned, before, goal, longest, shortest, stability, stop, rtol, atol;\n"
    "    V taken, used, steps, budget, tries, tried, until, jumped, moments, end;\n"
    "    M refused, live, left, done;\n"
    "    V start[SAMPLERS], interval[SAMPLERS], ticks[SAMPLERS], side[GUARDS];\n"
    "#if HOPS\n"
    "    M ready;\n"
    "    V crept_at, chats, chats_from, chats_last, scale, run_end, limit, steady, many, near;\n"
    "    V hop[HOPS][GUARDS], turned[GUARDS], band[GUARDS];\n"
    "#endif\n"
    "};\n";

// One try per turn: a lane whose step was refused tries again in the next, while others go on.
static const char turn_begin[] =
    "static void march_lanes(double *registers, double *numbers, const struct many *f_)\n{\n"
    "    V *restrict r = (V *)registers;\n"
    "    struct lanes *restrict L = (struct lanes *)numbers;\n"
    "    V x[N], f[N], x1[N], f1[N], w[N], k1[N], k2[N], k3[N], k4[N], k5[N];\n"
    "    V t = L->t, t0 = L->t0, h = L->h, planned = L->planned, before = L->before;\n"
    "    const V longest = L->longest, shortest = L->shortest, until = L->until;\n"
    "    const V stability = L->stability, rtol = L->rtol, atol = L->atol, budget = L->budget;\n"
    "    V taken = L->taken, used = L->used, steps = L->steps, tries = L->tries, tried = "
    "L->tried;\n"
    "    V goal = L->goal, stop = L->stop, jumped = L->jumped, moments = L->moments;\n"
    "    V next, kept, error2, probe, error, log, factor, floor_h;\n"
    "    M refused = L->refused, left, done;\n"
    "    const M live = L->live;\n"
    "    const V zero = {0};\n"
    "    if (functions != f_) functions = f_;\n"
    "    for (int i = 0; i < N; i++) x[i] = L->x[i], f[i] = L->f[i];\n"
    "    for (;;) {\n"
    "        M lands = t + h * 1.0000001 >= goal;\n"
    "        next = choose(lands, goal, t + h);\n"
    "        left = live & ((h > longest) | ~(lands | (next > t)));\n"
    "        done = (M)zero;\n"
    "        if (any(left)) break;\n"
    "        kept = h, h = choose(lands, goal - t, h);\n"
    "        stages_dp45(r, t, next, h, x, f, x1, f1, w, k1, k2, k3, k4, k5);\n";
static const char turn_control[] =
    "        tried = tried + 1.0;\n"
    "        M good = (error2 <= 1.0) & (probe == 0.0);\n"
    "        M odd = ~good & ((probe != 0.0) | ~((error2 > 1.0) & (error2 <= STARTLED)));\n"
    "        M again = ~good & ~odd;\n"
    "        error = log_of(error2);\n"
    "        log = SAFETY - SHORTEN * error;\n"
    "        factor = exp_of(choose(log > FEWEST, log, zero + FEWEST));\n"
    "        factor = choose(factor > 0.95, zero + 0.95, factor);\n"
    "        V shorter = h * factor;\n"
    "        floor_h = ULPS * v_fabs(t);\n"
    "        floor_h = choose(floor_h < TINIEST, zero + TINIEST, floor_h);\n"
    "        floor_h = choose(floor_h < shortest, shortest, floor_h);\n"
    "        odd |= again & ~(shorter >= floor_h);\n"
    "        log = (SAFETY + BETA * before) - POWER * error;\n"
    "        factor = choose(refused, zero, zero + GROWTH);\n"
    "        V longer = h * exp_of(choose(log < factor, log, factor));\n"
    "        longer = choose(longer < shortest, shortest, longer);\n"
    // a step that only had to land says nothing against the one that was planned
    "        M cut = h < kept;\n"
    "        longer = choose(cut & (longer < kept), kept, longer);\n"
    "        taken = choose(good, h, taken), used = choose(good, error2, used);\n"
    "        before = choose(good & ~cut, choose(error < LEAST_ERROR, zero + LEAST_ERROR, error), "
    "before);\n"
    "        t0 = choose(good, t, t0), t = choose(good, next, t);\n"
    "        tries = tries + choose(good, tried, zero), steps = steps + choose(good, zero + 1.0, "
    "zero);\n"
    "        h = choose(good, longer, choose(again, shorter, h));\n"
    "        refused |= again;\n"
    "        V rates2 = zero, way2 = zero;\n"
    "        if (any(live & (stability > 0.0)))\n"
    "            for (int i = 0; i < N; i++) {\n"
    "                V a = f1[i] - k5[i], b = x1[i] - w[i];\n"
    "                rates2 += a * a, way2 += b * b;\n"
    "            }\n"
    "        M stiff = (stability > 0.0) & (way2 > 0.0) &\n"
    "                  (taken * taken * rates2 > stability * stability * way2);\n"
    "        left = live & odd;\n"
    "        done = live & good & (stiff | ~((t < stop) & (steps < budget)));\n";
// Where a guard may come to zero: the march ends, or lets it hop (lane_jump.c).
static const char turn_guards[] =
    "#if GUARDS\n"
    "        M calm[GUARDS];\n"
    "        M noisy = live & good & ~quiet(r, L, t0, t, x, x1, f, f1, k2, k3, k4, k5, calm);\n"
    "#if HOPS\n"
    // a contact that is not on its side: how far behind it is has to be seen
    "        for (int i = 0; i < GUARDS; i++)\n"
    "            noisy |= live & good & L->ready & (L->hop[HOP_DEPTH][i] > 0.0) &\n"
    "                     (L->hop[HOP_CONTACT][i] != L->side[i]);\n"
    "        M over = done;\n"
    "        done |= noisy;\n"
    "        M tries_hop = noisy & L->ready & ~stiff & (steps < budget);\n"
    "        if (any(tries_hop)) {\n"
    "            struct path p;\n"
    "            lay_path(&p, t0, t, x, x1, f, f1, k2, k3, k4, k5);\n"
    "            struct hopped y = hop(r, L, &p, tries_hop, calm);\n"
    "            V apart = 1.25 * (y.t - jumped), last = 0.25 * (t - t0);\n"
    "            apart = choose(apart < last, last, apart);\n"
    "            h = choose(y.hops & (apart > 0.0) & (apart < h), apart, h);\n"
    "            jumped = choose(y.hops, y.t, jumped), t0 = choose(y.hops, y.t, t0);\n"
    "            t = choose(y.hops, y.t, t), before = choose(y.hops, zero + FRESH, before);\n"
    "            moments = moments + choose(y.hops, zero + 1.0, zero);\n"
    "            for (int i = 0; i < N; i++)\n"
    "                x1[i] = choose(y.hops, y.x[i], x1[i]), f1[i] = choose(y.hops, y.f[i], "
    "f1[i]);\n"
    "            done &= ~y.hops & ~(y.passed & ~over);\n"
    "        }\n"
    "#else\n"
    "        done |= noisy;\n"
    "#endif\n"
    "#endif\n";
static const char turn_end[] =
    "#if SAMPLERS\n"
    "        M happens = live & good & (t >= goal) & (goal < until) & (steps < budget);\n"
    "        if (any(happens)) {\n"
    "            happens = happen(r, L, t, happens, x1, f1);\n"
    "            V apart = 1.25 * (t - jumped), last = 0.25 * (t - t0);\n"
    "            apart = choose(apart < last, last, apart);\n"
    "            h = choose(happens & (apart > 0.0) & (apart < h), apart, h);\n"
    "            jumped = choose(happens, t, jumped), t0 = choose(happens, t, t0);\n"
    "            before = choose(happens, zero + FRESH, before);\n"
    "            moments = moments + choose(happens, zero + 1.0, zero);\n"
    "            goal = choose(happens, next_of(L, t), goal);\n"
    "            stop = choose(happens, choose(until < goal, until, goal), stop);\n"
    "            done &= ~happens;\n"
    "        }\n"
    "#endif\n"
    "        M on = good & ~done;\n"
    "        for (int i = 0; i < N; i++)\n"
    "            L->x1[i] = x1[i], x[i] = choose(on, x1[i], x[i]), f[i] = choose(on, f1[i], "
    "f[i]);\n"
    "        planned = choose(on, h, planned), tried = choose(on, zero, tried), refused &= ~on;\n"
    "        if (any(left | done)) break;\n"
    "    }\n"
    "    for (int i = 0; i < N; i++) {\n"
    "        L->x[i] = x[i], L->f[i] = f[i], L->x1[i] = x1[i], L->f1[i] = f1[i], L->w[i] = w[i];\n"
    "        L->k1[i] = k1[i], L->k2[i] = k2[i], L->k3[i] = k3[i], L->k4[i] = k4[i], L->k5[i] = "
    "k5[i];\n"
    "    }\n"
    "    L->t = t, L->t0 = t0, L->h = h, L->planned = planned, L->before = before;\n"
    "    L->taken = taken, L->used = used, L->steps = steps, L->tries = tries, L->tried = tried;\n"
    "    L->goal = goal, L->stop = stop, L->jumped = jumped, L->moments = moments;\n"
    "    L->refused = refused, L->left = left, L->done = done;\n"
    "}\n";

// The tasks that moments need, beside the rates.
static bool put_tasks(const foi_program *g, const char *scalar, foi_flat_writer *out)
{
    static const char *const heads[] = {"INLINED void moment_at(", "INLINED void guards_at(",
                                        "INLINED void slopes_at("};
    bool hops = foi_lane_has_hops(g), wanted[] = {hops || foi_lane_has_moments(g), hops, hops};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t length;
        const char *at = wanted[i] ? find(scalar, heads[i], "\n}\n", true, &length) : NULL;
        if (wanted[i] && !at) return false;
        if (at) put_statements(out, at, length);
    }
    return true;
}

static bool put_all(const foi_program *g, const char *scalar, foi_flat_writer *out)
{
    size_t begin = 0, rates = 0, stages = 0, errors = 0;
    const char *functions = find(scalar, "", "\nINLINED void rates_at(", false, &begin);
    const char *rates_at = find(scalar, "INLINED void rates_at(", "\n}\n", true, &rates);
    const char *stages_at = find(scalar, "INLINED void stages_dp45(", "\n}\n", true, &stages);
    const char *error = find(scalar, "        error2 = 0;\n", "        tried++;\n", false, &errors);
    if (!functions || !rates_at || !stages_at || !error || error < stages_at) return false;
    bool samples = foi_lane_has_moments(g);
    foi_flat_write(out, "%.*s\n", (int)begin, functions);
    foi_flat_write(out, "%s", head);
    foi_lane_trig(out);
    put_functions(out);
    put_numbers(out);
    foi_flat_write(out, "#define double V\n");
    put_statements(out, rates_at, rates);
    if (!put_tasks(g, scalar, out)) return false;
    bool guards = foi_lane_has_guards(g), hops = foi_lane_has_hops(g);
    foi_flat_write(out,
                   "%.*s#undef double\n#define SAMPLERS %u\n#define GUARDS %u\n#define HOPS %d\n%s",
                   (int)stages, stages_at, samples ? g->samplers : 0, guards ? g->guards : 0,
                   hops ? FOI_HOP_NUMBERS : 0, control);
    if (samples) foi_lane_moments(g, out);
    if (guards) foi_lane_guards(g, out);
    if (hops) foi_lane_hops(g, out);
    foi_flat_write(out, "%s#define double V\n", turn_begin);
    put_part(out, error, errors);
    foi_flat_write(out,
                   "#undef double\n%s%s%s"
                   "const struct {\n    void *run[%d];\n"
                   "    void (*march[%d])(double *, double *, const struct many *);\n"
                   "    void (*use)(const struct functions *);\n"
                   "} foliot_program = {{0}, {0, march_lanes}, use};\n",
                   turn_control, turn_guards, turn_end, FOI_TASKS, FOI_MARCHES);
    return !out->failed;
}

bool foi_lane_source(const foi_program *g, unsigned width, const char *target, foi_flat_writer *out)
{
    foi_flat_writer scalar = {.allocator = out->allocator};
    if (!foi_source_has_steps(g)) return false;
    foi_program_source(g, &scalar);
    foi_flat_write(out, "/* %u lanes of a program */\n", width);
    if (*target) foi_flat_write(out, "#pragma GCC target(\"%s\")\n", target);
    bool fused = strstr(target, width > 4 ? "avx512f" : "fma") != NULL;
    foi_flat_write(out, "#define LANES %u\n#define FUSED %d\nenum { N = %u, W = LANES };\n", width,
                   fused, (unsigned)g->about.states.count);
    // what is looked for in it could stand in the model's name, which is in the comment at its head
    const char *text = scalar.failed ? NULL : strstr(scalar.text, "*/\n");
    bool good = text && put_all(g, text + 3, out);
    foi_free(scalar.allocator, scalar.text);
    return good && !out->failed;
}
