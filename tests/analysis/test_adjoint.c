// Derivatives back through a run: those of the forward way on generated models with events and more
// than a hundred numbers, and closed forms.
#include <foliot/analysis.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "test.h"

enum { STATES = 4, NUMBERS = 120, MEASURES = 7 };

typedef struct text {
    char letters[40000];
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsnprintf(t->letters + t->used, sizeof t->letters - t->used, format, list);
    va_end(list);
    t->used += (size_t)count;
}

static double random_of(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

// Oscillators that push each other, with 30 forces each. Events: a guard of states and numbers with
// a jump of two states, samples whose times move and whose discrete drives the states, a time event
// that changes a discrete by a state; an implicit equation.
static void generate(text *t, uint64_t seed)
{
    t->used = 0;
    put(t, "model Many\n");
    for (int i = 0; i < NUMBERS; i++)
        put(t, "parameter Real p%d = %.6f;\n", i, 0.5 + random_of(&seed));
    for (int i = 0; i < STATES; i++)
        put(t, "Real x%d(start = %.4f + 0.1*p%d, fixed = true);\n", i, random_of(&seed), i);
    put(t, "discrete Real u(start = 0, fixed = true); discrete Real k(start = p9, fixed = true);\n"
           "Real z(start = 0); output Real y;\nequation\n");
    for (int i = 0; i < STATES; i++) {
        put(t, "der(x%d) = %s2*x%d - 0.2*k*x%d", i, i % 2 ? "-" : "", i ^ 1, i);
        for (int j = 0; j < NUMBERS / STATES; j++) {
            int p = i * NUMBERS / STATES + j, q = (p + 1) % NUMBERS;
            int which = (int)(4 * random_of(&seed));
            put(t, " + 0.05*p%d*", p);
            int first = which == 0 ? j % 7 : (i + j) % STATES;
            if (which == 0) put(t, "sin(%d*time + p%d)", first, q);
            if (which == 1) put(t, "exp(-x%d^2)*p%d", first, q);
            if (which == 2) put(t, "tanh(x%d - p%d)", first, q);
            if (which == 3) put(t, "u*cos(x%d*p%d)", first, q);
        }
        put(t, ";\n");
    }
    put(t, "z + 0.3*sin(z)*p10 = x2;\n"
           "y = x0*p1 + sin(z)*time;\n"
           "when x0 + 0.1*p11 > 0.2*sin(time) then reinit(x0, x0 - 0.3*p2 + 0.1*x3); reinit(x1, "
           "0.7*x1 + 0.1*p3*time); end when;\n"
           "when sample(0.2*p4, 0.37*p5) then u = 0.5*pre(u) + p6*x1*0.2 + 0.1*time; end when;\n"
           "when time > 2*p7 then k = 1 + 0.3*p8*x1; end when;\nend Many;\n");
}

typedef struct names {
    char letters[NUMBERS + STATES][8];
    const char *list[NUMBERS + STATES];
} names;

static void name_all(names *n)
{
    for (int i = 0; i < NUMBERS; i++) snprintf(n->letters[i], 8, "p%d", i);
    for (int i = 0; i < STATES; i++) snprintf(n->letters[NUMBERS + i], 8, "x%d", i);
    for (int i = 0; i < NUMBERS + STATES; i++) n->list[i] = n->letters[i];
}

static fo_sensitivity *compute(const char *model, const char *const *to, size_t count,
                               const char *const *measures, size_t measure_count, double stop,
                               fo_sensitivity_method method, fo_message *why)
{
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
    def.experiment.model.text = model, def.experiment.stop = stop;
    def.to = to, def.to_count = count, def.measures = measures;
    def.measure_count = measure_count, def.method = method, def.threads = 1;
    // the ways agree to what the run may be off
    if (count > 1) def.experiment.rtol = 1e-8, def.experiment.atol = 1e-10;
    return fo_sensitivity_create(&def, why);
}

TEST(as_forward)
{
    static const char *const measures[MEASURES] = {
        "final(y)",      "integral(x2^2 + u)", "rms(y)", "last(sample 1)", "at(x3, 1.7) + mean(u)",
        "initial(y)*x1", "final(k)*final(z)"};
    static text t;
    static names to;
    name_all(&to);
    size_t all = NUMBERS + STATES;
    double events = 0;
    for (uint64_t seed = 1; seed < (test_is_slow() ? 2 : 3); seed++) {
        fo_message why = {0};
        generate(&t, seed);
        const char *count[] = {"count(x0 + 0.1 * p11 > 0.2 * sin(time))"};
        fo_sensitivity *c = compute(t.letters, to.list, 1, count, 1, 2, 0, &why);
        if (c) events += c->values[0];
        fo_sensitivity_destroy(c);
        fo_sensitivity *f =
            compute(t.letters, to.list, all, measures, MEASURES, 2, FO_SENSITIVITY_FORWARD, &why);
        CHECK_STATUS(f ? FO_OK : why.status, FO_OK, &why);
        fo_sensitivity *a =
            compute(t.letters, to.list, all, measures, MEASURES, 2, FO_SENSITIVITY_ADJOINT, &why);
        CHECK_STATUS(a ? FO_OK : why.status, FO_OK, &why);
        if (f && a) {
            CHECK(!f->adjoint && a->adjoint);
            CHECK(!f->reason && !a->reason);
            for (size_t k = 0; k < MEASURES; k++) {
                double size = 0;
                const double *x = f->derivatives + k * all, *y = a->derivatives + k * all;
                for (size_t i = 0; i < all; i++) size = fmax(size, fabs(x[i]));
                CHECK(size > 1e-3);
                for (size_t i = 0; i < all; i++) CHECK_NEAR(y[i], x[i], 1e-8 * size);
            }
        }
        fo_sensitivity_destroy(f);
        fo_sensitivity_destroy(a);
    }
    CHECK(events >= 1);
}

// Ball: bounces, an integral over them, and an end that moves; time in an output at such an end.
TEST(closed_forms)
{
    static const char ball[] =
        "model Ball parameter Real e = 0.8; parameter Real g = 9.81; Real h(start = 1.5, fixed = "
        "true); Real v(start = 0, fixed = true);\n"
        "equation der(h) = v; der(v) = -g; when h <= 0 then reinit(v, -e*pre(v)); end when; end "
        "Ball;";
    static const char moving[] =
        "model E parameter Real p = 0.5; Real x(start = 0, fixed = true); output Real y;\n"
        "equation der(x) = 1; y = time*x; when x >= p then terminate(\"there\"); end when; end E;";
    static const struct {
        const char *text, *to, *measure;
        double stop, value;
    } list[] = {
        {ball, "e", "final(h)", 2, 7.13958525125427},
        {ball, "e", "final(v)", 2, 19.5297926256271},
        {ball, "h", "final(h)", 2, 1.62987557538},
        {ball, "e", "last(h <= 0)", 3.3, 7.26422459877217},
        {moving, "p", "final(y)", 3, 1},    // p^2
        {moving, "p", "final(time)", 3, 1}, // p
        {moving, "p", "integral(x)", 3, 0.5},
        {moving, "p", "mean(x)", 3, 0.5},
        {moving, "p", "rms(x)", 3, 0.57735026918962576}, // p / sqrt 3
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int method = FO_SENSITIVITY_FORWARD; method <= FO_SENSITIVITY_ADJOINT; method++) {
            fo_message why = {0};
            fo_sensitivity *s = compute(list[i].text, &list[i].to, 1, &list[i].measure, 1,
                                        list[i].stop, (fo_sensitivity_method)method, &why);
            CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
            if (!s) continue;
            CHECK(s->exact[0]);
            CHECK_NEAR(s->derivatives[0], list[i].value, 1e-9 * fabs(list[i].value));
            fo_sensitivity_destroy(s);
        }
}

// What has no derivative has none on the way back either.
TEST(none)
{
    static const char grazes[] =
        "model G parameter Real p = 0; Real x(start = 0.5, fixed = true); Real v(start = -1, fixed "
        "= true);\n"
        "equation der(x) = v; der(v) = 1; when x <= p then reinit(v, -0.5*v); end when; end G;";
    const char *to = "p", *measure = "final(x)";
    fo_message why = {0};
    fo_sensitivity *s = compute(grazes, &to, 1, &measure, 1, 2, FO_SENSITIVITY_ADJOINT, &why);
    REQUIRE(s != NULL);
    CHECK(!s->exact[0]);
    CHECK_INT((long long)s->unsettled, 1);
    CHECK_CONTAINS(s->reason, "only touched");
    fo_sensitivity_destroy(s);
}

// Chosen by the number of numbers.
TEST(chosen)
{
    static text t;
    static names to;
    name_all(&to);
    generate(&t, 7);
    const char *measure = "final(y)";
    for (size_t count = 2; count <= NUMBERS; count += NUMBERS - 2) {
        fo_message why = {0};
        fo_sensitivity *s = compute(t.letters, to.list, count, &measure, 1, 1, 0, &why);
        CHECK_STATUS(s ? FO_OK : why.status, FO_OK, &why);
        if (s) CHECK_INT(s->adjoint, count > 2);
        fo_sensitivity_destroy(s);
    }
}

// Every allocation fails once: an error, or the same derivative.
TEST(without_memory)
{
    const char *to[] = {"e"}, *measures[] = {"integral(h)"};
    for (long fail = 1, over = 0; !over; fail += 1 + fail / 16) {
        test_memory memory;
        test_memory_init(&memory, fail);
        fo_sensitivity_def def = fo_default_sensitivity_def();
        def.experiment.model.name = "model.mo", def.experiment.model.kind = "text";
        def.experiment.model.text =
            "model Ball parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = "
            "0, fixed = true);\n"
            "equation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end when; "
            "end Ball;";
        def.experiment.stop = 1, def.threads = 1, def.method = FO_SENSITIVITY_ADJOINT;
        def.experiment.model.allocator = &memory.allocator;
        def.to = to, def.to_count = 1, def.measures = measures, def.measure_count = 1;
        fo_message why = {0};
        fo_sensitivity *s = fo_sensitivity_create(&def, &why);
        if (!s) CHECK_INT(why.status, FO_ERROR_MEMORY);
        double t1 = sqrt(3 / 9.81), rest = 1 - t1; // d/de of e v1 rest^2 / 2
        if (s) CHECK_NEAR(s->derivatives[0], 9.81 * t1 * rest * rest / 2, 1e-9);
        over = s != NULL;
        fo_sensitivity_destroy(s);
        CHECK_INT(memory.live, 0);
    }
}

TEST_MAIN(TEST_ENTRY(as_forward), TEST_ENTRY(closed_forms), TEST_ENTRY(none), TEST_ENTRY(chosen),
          TEST_ENTRY(without_memory))
