// Measures of signals that jump: generated pieces of parabolas, with what each measure is known
// from the pieces.
#include <foliot/analysis.h>
#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { MOST = 6, STOP = 4, MEASURES = 13 };

/// x + v s + a s^2 / 2 from t on.
typedef struct piece {
    double t, x, v, a;
} piece;

typedef struct signal {
    piece p[MOST + 1]; ///< after the last one stands where it ends
    int count;
} signal;

static double pick(fo_random *r, double size)
{
    return size * ((double)fo_random_below(r, 4001) - 2000) / 2000;
}

static void generate(signal *s, fo_random *r)
{
    double t = 0;
    for (s->count = 0; s->count < MOST && t < STOP - 0.2; s->count++) {
        piece *p = &s->p[s->count];
        uint64_t kind = fo_random_below(r, 3);
        *p = (piece){t, pick(r, 2), kind ? pick(r, 3) : 0, kind > 1 ? pick(r, 4) : 0};
        t += 0.1 + (double)fo_random_below(r, 1500) / 1000;
    }
    s->p[s->count].t = STOP;
}

static void write(const signal *s, char *text, size_t room)
{
    const piece *p = s->p;
    size_t at =
        (size_t)snprintf(text, room,
                         "model S Real x(start = %.17g, fixed = true); Real v(start = %.17g, "
                         "fixed = true);\ndiscrete Real a(start = %.17g, fixed = true); "
                         "parameter Real k = 0;\nequation der(x) = v; der(v) = a;\nalgorithm\n"
                         "when time > 100 then a := 0; end when;\n",
                         p->x, p->v, p->a);
    for (int i = 1; i < s->count; i++, p++)
        at += (size_t)snprintf(text + at, room - at,
                               "when time >= %.17g then reinit(x, %.17g); reinit(v, %.17g); a := "
                               "%.17g; end when;\n",
                               p[1].t, p[1].x, p[1].v, p[1].a);
    snprintf(text + at, room - at, "end S;");
}

static double at(const piece *p, double s)
{
    return p->x + s * (p->v + 0.5 * p->a * s);
}

/// Where the piece is at a height, in order, between 0 and its length, which stand there, too.
static int cut(const piece *p, double height, double *s)
{
    double length = p[1].t - p->t, c = p->x - height, d = p->v * p->v - 2 * p->a * c, roots[2];
    int count = 0, found = 0;
    if (p->a == 0 && p->v != 0) roots[found++] = -c / p->v;
    if (p->a != 0 && d > 0) {
        roots[0] = (-p->v - sqrt(d)) / p->a, roots[1] = (-p->v + sqrt(d)) / p->a, found = 2;
        if (roots[0] > roots[1]) roots[0] = roots[1], roots[1] = (-p->v - sqrt(d)) / p->a;
    }
    s[count++] = 0;
    for (int i = 0; i < found; i++)
        if (roots[i] > 0 && roots[i] < length) s[count++] = roots[i];
    s[count++] = length;
    return count;
}

static double integral(const piece *p, double from, double to)
{
    double end = to * (p->x + to * (p->v / 2 + to * p->a / 6));
    return end - from * (p->x + from * (p->v / 2 + from * p->a / 6));
}

static double integral_of_square(const piece *p, double s)
{
    double c[] = {p->x, p->v, 0.5 * p->a}, sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += c[i] * c[k] * pow(s, i + k + 1) / (i + k + 1);
    return sum;
}

// The end of the last stretch outside of the band around the final value.
static double settling(const signal *s, double final, double band)
{
    double last = 0;
    for (const piece *p = s->p; p < s->p + s->count; p++) {
        double up[4], down[4], all[8];
        int a = cut(p, final + band, up), b = cut(p, final - band, down), count = 0;
        for (int i = 0, k = 0; i < a || k < b;)
            all[count++] = k >= b || (i < a && up[i] <= down[k]) ? up[i++] : down[k++];
        for (int i = 0; i + 1 < count; i++) {
            double middle = 0.5 * (all[i] + all[i + 1]);
            if (all[i + 1] > all[i] && fabs(at(p, middle) - final) > band) last = p->t + all[i + 1];
        }
    }
    return last;
}

static const char *const measures[MEASURES] = {
    "min(x)",       "max(x)",           "mean(x)",     "rms(x)",
    "integral(x)",  "initial(x)",       "final(x)",    "at(x, 2)",
    "overshoot(x)", "settling(x, 0.3)", "settling(x)", "integral(abs(x - 0.3))",
    "max(abs(x))"};

static void solve(const signal *s, double *truth)
{
    double least = INFINITY, most = -INFINITY, sum = 0, squares = 0, sizes = 0, two = NAN;
    for (const piece *p = s->p; p < s->p + s->count; p++) {
        double length = p[1].t - p->t, ends[3] = {p->x, at(p, length), p->x}, where[4];
        if (p->a != 0 && -p->v / p->a > 0 && -p->v / p->a < length) ends[2] = at(p, -p->v / p->a);
        for (int i = 0; i < 3; i++) least = fmin(least, ends[i]), most = fmax(most, ends[i]);
        sum += integral(p, 0, length), squares += integral_of_square(p, length);
        for (int i = 0, n = cut(p, 0.3, where); i + 1 < n; i++)
            sizes += fabs(integral(p, where[i], where[i + 1]) - 0.3 * (where[i + 1] - where[i]));
        if (p->t <= 2 && p[1].t > 2) two = at(p, 2 - p->t);
    }
    const piece *end = &s->p[s->count - 1];
    double first = s->p[0].x, final = at(end, STOP - end->t), way = final - first;
    const double all[MEASURES] = {least,
                                  most,
                                  sum / STOP,
                                  sqrt(squares / STOP),
                                  sum,
                                  first,
                                  final,
                                  two,
                                  fmax(0, ((way > 0 ? most : least) - final) / way),
                                  settling(s, final, 0.3 * fabs(way)),
                                  settling(s, final, 0.02 * fabs(way)),
                                  sizes,
                                  fmax(fabs(least), fabs(most))};
    memcpy(truth, all, sizeof all);
}

typedef struct seen {
    double values[MEASURES];
    fo_status status;
} seen;

static fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->status = row->status;
    memcpy(s->values, row->measures, sizeof s->values);
    return FO_OK;
}

TEST(pieces_of_parabolas)
{
    static char text[4096];
    for (uint64_t seed = 0; seed < 60; seed++) {
        fo_random r = fo_random_stream(57, seed);
        signal s;
        double truth[MEASURES];
        seen got = {.status = FO_ERROR_ARGUMENT};
        generate(&s, &r);
        write(&s, text, sizeof text);
        solve(&s, truth);
        const char *vary[] = {"k=1,1"};
        fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
        def.experiment.model.name = "model.mo", def.experiment.model.text = text;
        def.experiment.model.kind = "text", def.experiment.stop = STOP;
        def.vary = vary, def.vary_count = 1, def.measures = measures, def.measure_count = MEASURES;
        def.threads = 1, def.row = take, def.self = &got;
        fo_message why = {0};
        fo_parameter_sweep *sweep = fo_parameter_sweep_create(&def, &why);
        CHECK_STATUS(sweep ? fo_parameter_sweep_run(sweep, 0, &why) : why.status, FO_OK, &why);
        fo_parameter_sweep_destroy(sweep);
        CHECK_INT(got.status, FO_OK);
        for (int i = 0; i < MEASURES; i++) {
            double size = strncmp(measures[i], "sett", 4) == 0 ? STOP : 1 + fabs(truth[i]);
            if (!(fabs(got.values[i] - truth[i]) <= 1e-8 * size))
                test_fail(__FILE__, __LINE__, "%s is %.9g, not %.9g: %s", measures[i],
                          got.values[i], truth[i], text);
        }
    }
}

TEST_MAIN(TEST_ENTRY(pieces_of_parabolas))
