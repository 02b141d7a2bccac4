// A chain of n oscillators: translation is near linear, and the program is right.
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "program/program.h"
#include "test.h"

static foi_flat_variable *add(foi_flat *f, const char *kind, uint32_t i)
{
    foi_flat_variable *v = foi_arena_new(&f->arena, 1, sizeof *v);
    v->name = foi_arena_print(&f->arena, "%s[%u]", kind, i + 1);
    v->index = f->variable_count, v->variability = FOI_CONTINUOUS;
    v->place = (foi_place){0, i + 1, 1};
    f->variables[f->variable_count++] = v;
    return v;
}

static void equate(foi_flat *f, const foi_flat_expr *left, const foi_flat_expr *right)
{
    f->equations[f->equation_count] = (foi_flat_equation){left, right, {0, f->equation_count, 1}};
    f->equation_count++;
}

static const foi_flat_expr *der(foi_flat *f, foi_flat_variable *v)
{
    const foi_flat_expr *of = foi_flat_of(f, v);
    v->state = true;
    return foi_flat_call_builtin(f, FOI_FN_DER, 1, &of);
}

static const foi_flat_expr *minus(foi_flat *f, const foi_flat_expr *a, const foi_flat_expr *b)
{
    return foi_flat_binary(f, FOI_OP_SUBTRACT, a, b);
}

static const foi_flat_expr *times(foi_flat *f, double a, const foi_flat_expr *b)
{
    return foi_flat_binary(f, FOI_OP_MULTIPLY, foi_flat_real(f, a), b);
}

// 2 der(v[i]) = F[i] - F[i+1], der(x[i]) = v[i], F[i] = 3 (x[i-1] - x[i]); both ends are fixed.
static foi_flat *chain(uint32_t n)
{
    foi_flat *f = foi_flat_create(NULL);
    f->name = "chain";
    f->variables = foi_arena_new(&f->arena, 3 * (size_t)n + 1, sizeof *f->variables);
    f->equations = foi_arena_new(&f->arena, 3 * (size_t)n + 1, sizeof *f->equations);
    for (uint32_t i = 0; i < n; i++) add(f, "x", i);
    for (uint32_t i = 0; i < n; i++) add(f, "v", i);
    for (uint32_t i = 0; i <= n; i++) add(f, "F", i);
    foi_flat_variable **x = f->variables, **v = x + n, **force = v + n;
    double pi = acos(-1);
    for (uint32_t i = 0; i < n; i++) x[i]->start = foi_flat_real(f, sin(pi * (i + 1) / (n + 1)));
    const foi_flat_expr *wall = foi_flat_real(f, 0);
    for (uint32_t i = 0; i <= n; i++) {
        const foi_flat_expr *a = i > 0 ? foi_flat_of(f, x[i - 1]) : wall;
        const foi_flat_expr *b = i < n ? foi_flat_of(f, x[i]) : wall;
        equate(f, foi_flat_of(f, force[i]), times(f, 3, minus(f, a, b)));
    }
    for (uint32_t i = 0; i < n; i++) {
        equate(f, times(f, 2, der(f, v[i])),
               minus(f, foi_flat_of(f, force[i]), foi_flat_of(f, force[i + 1])));
        equate(f, der(f, x[i]), foi_flat_of(f, v[i]));
    }
    return f;
}

// Seconds of the processor to translate; of a few tries the shortest.
static double translate(uint32_t n, int tries)
{
    double best = INFINITY;
    foi_flat *flat = chain(n);
    for (int i = 0; i < tries; i++) {
        fo_message why = {0};
        clock_t from = clock();
        foi_program *p = foi_program_create(flat, NULL, &why, NULL);
        best = fmin(best, (double)(clock() - from) / CLOCKS_PER_SEC);
        CHECK_STATUS(p ? FO_OK : why.status, FO_OK, &why);
        foi_program_destroy(p);
    }
    foi_flat_destroy(flat);
    return best;
}

TEST(translation_is_near_linear)
{
    uint32_t largest = test_is_slow() ? 3000 : 27000;
    double first = 0;
    for (uint32_t n = 1000; n <= largest; n *= 3) {
        double per = translate(n, n < 5000 ? 5 : 2) / (3.0 * n + 1);
        if (n == 1000) first = per;
        printf("    n = %6u: %.2f us per equation\n", n, per * 1e6);
        CHECK(per < 4 * first); // the caches' part is in it too
    }
}

// The first mode of the chain: x[i](t) = sin(pi i / (n + 1)) cos(w t), w = 2 sqrt(k/m) sin(...).
TEST(chain_swings)
{
    uint32_t n = 100;
    foi_flat *flat = chain(n);
    fo_message why = {0};
    foi_program *p = foi_program_create(flat, NULL, &why, NULL);
    REQUIRE(p);
    fo_run_def def = fo_default_run_def();
    def.stop = 10, def.rtol = 1e-9, def.atol = 1e-12;
    fo_simulation *sim = fo_simulation_create(foi_program_system(p), &def, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 10), FO_REACHED, fo_simulation_message(sim));
    double pi = acos(-1), w = 2 * sqrt(1.5) * sin(pi / (2.0 * (n + 1)));
    const fo_state *s = fo_simulation_state(sim);
    for (uint32_t i = 0; i < n; i += 7)
        CHECK_NEAR(s->x[i], sin(pi * (i + 1) / (n + 1)) * cos(w * 10), 1e-7);
    const fo_pattern *pattern = foi_program_system(p).type->pattern(p, s);
    CHECK_INT(pattern->start[2 * n], 3 * n - 2 + n);
    CHECK_INT(s->shape.pairs, n);
    fo_simulation_destroy(sim);
    foi_program_destroy(p);
    foi_flat_destroy(flat);
}

TEST_MAIN(TEST_ENTRY(translation_is_near_linear), TEST_ENTRY(chain_swings))
