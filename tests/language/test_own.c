/// Functions that are one operation of the run: a large transform, and random generators whose
/// state belongs to the run.
#include "run.h"
#include "samples.h"

static const char transform[] =
    "function fft input Real u[:]; output Integer info;\n"
    "  output Real amplitudes[div(size(u, 1), 2) + 1]; output Real phases[div(size(u, 1), 2) + "
    "1];\n"
    "  external \"C\" info = ModelicaFFT_kiss_fftr(u, amplitudes, phases); end fft;\n"
    "model M parameter Integer n = %d; parameter Integer m = div(n, 2) + 1;\n"
    "  Real u[n] = {sin(time*i*i) + i*(%d) for i in 1:n};\n"
    "  Integer info(start = 7, fixed = true);\n"
    "  Real a[m](each start = 0, each fixed = true); Real p[m](each start = 0, each fixed = "
    "true);\n"
    "equation when time >= 0.5 then (info, a, p) = fft(u); end when; end M;\n";

// X[k] by its definition.
static void slow_transform(int n, int slope, int k, long double *re, long double *im)
{
    const long double turn = 6.283185307179586476925286766559L;
    *re = *im = 0;
    for (int j = 0; j < n; j++) {
        long double u = sinl(0.5L * (j + 1) * (j + 1)) + (long double)(j + 1) * slope;
        long double angle = turn * (long double)((long)j * k % n) / n;
        *re += u * cosl(angle), *im -= u * sinl(angle);
    }
}

// Sizes with the factors 2, 3, 5 and others, even and odd, beside those that are written out.
TEST(transforms_of_many_points)
{
    static const int sizes[] = {126, 128, 130, 131, 135, 180, 254, 256, 343, 600, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int n = sizes[s], slope = (int)s % 3 - 1;
        char text[1200], name[24];
        world w;
        snprintf(text, sizeof text, transform, n, slope);
        if (!begin(&w, text, 1)) continue;
        CHECK_NEAR(at(&w, 0.25, "info"), 7, 0);
        CHECK_NEAR(at(&w, 1, "info"), n % 2, 0);
        double scale = 1e-13 * n * (1 + n * abs(slope));
        for (int k = 0; k <= n / 2; k += 1 + n / 40) {
            long double re, im;
            slow_transform(n, slope, k, &re, &im);
            snprintf(name, sizeof name, "a[%d]", k + 1);
            double a = at(&w, 1, name) * (n / 2 + 1);
            snprintf(name, sizeof name, "p[%d]", k + 1);
            double p = at(&w, 1, name);
            CHECK_NEAR(a * cos(p), (double)re, scale);
            CHECK_NEAR(a * sin(p), (double)im, scale);
        }
        end(&w);
    }
}

#define GENERATOR                                                                                  \
    "package R\n"                                                                                  \
    "  function initializeImpureRandom input Integer seed; output Integer id;\n"                   \
    "    impure function setInternalState input Integer[33] rngState; input Integer id;\n"         \
    "      external \"C\" ModelicaRandom_setInternalState_xorshift1024star(rngState, "             \
    "size(rngState, 1), id); end setInternalState;\n"                                              \
    "  algorithm id := 715827883; setInternalState(fill(0, 33), id); end "                         \
    "initializeImpureRandom;\n"                                                                    \
    "  impure function impureRandom input Integer id; output Real y;\n"                            \
    "    external \"C\" y = ModelicaRandom_impureRandom_xorshift1024star(id); end impureRandom;\n" \
    "  impure function impureRandomInteger input Integer id; input Integer imin = 1;\n"            \
    "    input Integer imax = 10; output Integer y; protected Real r;\n"                           \
    "    algorithm r := impureRandom(id); y := integer(r); end impureRandomInteger;\n"             \
    "end R;\n"

static const char streams[] = GENERATOR
    "model M parameter Integer seed = 67867967; final parameter Integer id(fixed = false);\n"
    "  discrete Real a; discrete Real b; Integer d; Real f; Real once; discrete Real c[2];\n"
    "initial equation id = R.initializeImpureRandom(seed);\n"
    "algorithm when {initial(), sample(0.01, 0.01)} then\n"
    "  a := R.impureRandom(id);\n"
    "  if a > 0.3 then b := R.impureRandom(id); end if;\n"
    "  d := R.impureRandomInteger(id, -3, 4);\n"
    "  for i in 1:2 loop c[i] := R.impureRandom(id); end for;\n"
    "end when;\n"
    "initial equation once = R.impureRandom(id); equation der(once) = 0; f = a + b;\n"
    "end M;\n";

// The published results of the library's example: one call, this seed.
static const double published[] = {0.018660680846204425, 0.18502447944342726, 0.34165798899941757,
                                   0.71708009780134219,  0.36976535091746288, 0.86830181307417997,
                                   0.69467137543735924,  0.59160111134862559, 0.58011738437196425};

TEST(the_first_stream_is_the_library_s)
{
    world w;
    if (!begin(&w, streams, 1)) return;
    for (int k = 0; k < 9; k++) CHECK_NEAR(at(&w, 0.01 * k + 0.005, "a"), published[k], 0);
    end(&w);
}

// Two runs of one model, one step of each after the other: neither hears the other.
TEST(runs_have_states_of_their_own)
{
    world v, w;
    if (!begin(&v, streams, 1)) return;
    w = v;
    if (!world_run(&w, 1, 1e-6)) return;
    double last = -1;
    int whole[8] = {0}, apart = 0, kept = 0;
    for (int k = 0; k < 90; k++) {
        double t = 0.01 * k + 0.005, x = at(&v, t, "a"), b = at(&v, t, "b"), d = at(&v, t, "d");
        CHECK_NEAR(at(&w, t, "a"), x, 0);
        CHECK_NEAR(at(&w, t, "b"), b, 0);
        CHECK_NEAR(at(&w, t, "d"), d, 0);
        CHECK_NEAR(at(&w, t, "once"), at(&v, 0.01 * k + 0.006, "once"), 0);
        CHECK(x > 0 && x <= 1 && d >= -3 && d <= 4 && d == floor(d));
        CHECK(at(&v, t, "c[1]") != at(&v, t, "c[2]"));
        if (x <= 0.3) CHECK_NEAR(b, last < 0 ? 0 : last, 0); // not drawn: it stays
        kept += x <= 0.3;
        apart += x != b;
        whole[(int)d + 3]++;
        last = b;
    }
    CHECK(kept > 15 && kept < 40 && apart == 90);
    for (int i = 0; i < 8; i++) CHECK(whole[i] > 0);
    fo_simulation_destroy(w.sim);
    end(&v);
}

TEST(what_would_be_drawn_again_and_again)
{
    check_refused(GENERATOR "model M Real x = R.impureRandom(5); end M;\n", "in a 'when'");
    check_refused(GENERATOR "model M parameter Real x = R.impureRandom(5); end M;\n",
                  "in a 'when'");
    check_refused(GENERATOR "model M function f output Real y; algorithm y := R.impureRandom(5);\n"
                            "  end f; discrete Real x; equation when time > 1 then x = f();\n"
                            "  end when; end M;\n",
                  "not in a function");
    check_refused(GENERATOR "model M discrete Real x; algorithm when time > 1 then x := 1;\n"
                            "  while x > 0.5 loop x := R.impureRandom(5); end while; end when;\n"
                            "end M;\n",
                  "in a loop");
    check_refused(GENERATOR
                  "model M discrete Real x; algorithm when time > 1 then x := 1;\n"
                  "  while R.impureRandom(5) > 0.5 loop x := x + 1; end while; end when;\n"
                  "end M;\n",
                  "drawn at random");
    check_refused(GENERATOR "model M Real x; equation when Clock(0.1) then x = R.impureRandom(5);\n"
                            "  end when; end M;\n",
                  "no clock's");
}

TEST_MAIN(TEST_ENTRY(transforms_of_many_points), TEST_ENTRY(the_first_stream_is_the_library_s),
          TEST_ENTRY(runs_have_states_of_their_own),
          TEST_ENTRY(what_would_be_drawn_again_and_again))
