// What holds for every model of the gallery, seen from its functions alone.
#include "run.h"

// A state of a model at its start values, to call its functions with.
typedef struct still {
    fo_state s;
    double x[8], d[8], u[8], p[16], dx[8], g[8], y[8];
    fo_message why;
} still;

static void fill(double *to, fo_variables from)
{
    for (size_t i = 0; i < from.count; i++) to[i] = from.list[i].start;
}

static fo_status still_start(still *q, fo_system system)
{
    const fo_description *about = system.about;
    *q = (still){0};
    q->s = (fo_state){.x = q->x, .d = q->d, .u = q->u, .p = q->p, .message = &q->why};
    fill(q->x, about->states);
    fill(q->d, about->discretes);
    fill(q->u, about->inputs);
    fill(q->p, about->parameters);
    return system.type->start ? system.type->start(system.model, &q->s) : FO_OK;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

TEST(every_model_is_sound)
{
    for (size_t i = 0; i < gallery_count(); i++) {
        fo_system system = gallery_get(i)->system;
        fo_message why = {0};
        CHECK_STATUS(fo_system_check(system, &why), FO_OK, &why);
        CHECK(system.about->about && system.about->equations);
        CHECK(gallery_get(i)->stop > 0 && gallery_get(i)->interval > 0);
        CHECK(gallery_find(system.about->name, NULL) == gallery_get(i));
        still q;
        CHECK_STATUS(still_start(&q, system), FO_OK, &q.why);
        for (const char *const *name = gallery_get(i)->plot; *name; name++) {
            fo_reference found;
            CHECK_STATUS(fo_system_find(system, *name, &found, &why), FO_OK, &why);
        }
    }
    CHECK(gallery_get(gallery_count()) == NULL);
}

TEST(every_model_has_its_folder)
{
    static const char *const files[] = {"readme.md", "reference.csv"};
    for (size_t i = 0; i < gallery_count(); i++)
        for (int f = 0; f < 2; f++) {
            char path[512];
            snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/%s",
                     gallery_get(i)->system.about->name, files[f]);
            FILE *file = fopen(path, "r");
            if (!file)
                test_fail(__FILE__, __LINE__, "there is no %s", path);
            else
                fclose(file);
        }
}

TEST(unknown_name_is_answered_with_the_nearest)
{
    fo_message why = {0};
    CHECK(gallery_find("pendulun", &why) == NULL);
    CHECK_CONTAINS(why.text, "pendulun");
    CHECK_CONTAINS(why.text, "'pendulum'");
    CHECK(gallery_find("", &why) == NULL);
}

TEST(jacobians_are_the_derivatives_of_the_rates)
{
    int seen = 0;
    for (size_t m = 0; m < gallery_count(); m++) {
        fo_system system = gallery_get(m)->system;
        still q;
        if (!system.type->jacobian) continue;
        seen++;
        CHECK_STATUS(still_start(&q, system), FO_OK, &q.why);
        size_t n = system.about->states.count;
        double jacobian[64], up[8], down[8];
        for (size_t i = 0; i < n; i++) q.x[i] += 0.1 * (double)(i + 1);
        CHECK_INT(system.type->jacobian(NULL, &q.s, 0, q.x, jacobian), FO_OK);
        for (size_t c = 0; c < n; c++) {
            double x = q.x[c], h = 1e-5;
            q.x[c] = x + h;
            CHECK_INT(system.type->rates(NULL, &q.s, 0, q.x, up), FO_OK);
            q.x[c] = x - h;
            CHECK_INT(system.type->rates(NULL, &q.s, 0, q.x, down), FO_OK);
            q.x[c] = x;
            for (size_t r = 0; r < n; r++) {
                double expected = (up[r] - down[r]) / (2 * h);
                double rounding = 1e-16 * (fabs(up[r]) + fabs(down[r]) + 1e6) / h;
                CHECK_NEAR(jacobian[c * n + r], expected, 1e-7 * (1 + fabs(expected)) + rounding);
            }
        }
    }
    CHECK(seen >= 6);
}

// At random points of random boxes the guards and their derivatives lie within the bounds.
TEST(guard_bounds_enclose_the_guards)
{
    uint64_t seed = 1;
    int seen = 0;
    for (size_t m = 0; m < gallery_count(); m++) {
        fo_system system = gallery_get(m)->system;
        still q;
        if (!system.type->guard_bounds) continue;
        seen++;
        CHECK_STATUS(still_start(&q, system), FO_OK, &q.why);
        size_t n = system.about->states.count, guards = system.about->guards.count;
        for (int trial = 0; trial < 2000; trial++) {
            double lo[8], hi[8], dlo[8], dhi[8], glo[8], ghi[8], dglo[8], dghi[8];
            double x[8], dx[8], moved[8], later[8];
            for (size_t i = 0; i < n; i++) {
                lo[i] = 8 * uniform(&seed) - 4, hi[i] = lo[i] + exp(8 * uniform(&seed) - 7);
                dlo[i] = 8 * uniform(&seed) - 4, dhi[i] = dlo[i] + exp(8 * uniform(&seed) - 7);
                x[i] = fmin(lo[i] + uniform(&seed) * (hi[i] - lo[i]), hi[i]);
                dx[i] = fmin(dlo[i] + uniform(&seed) * (dhi[i] - dlo[i]), dhi[i]);
                moved[i] = x[i] + 1e-6 * dx[i];
            }
            uint8_t nature[8] = {0};
            fo_stretch on = {0, 1, {lo, hi}, {dlo, dhi}};
            fo_enclosure e = {{glo, ghi}, {dglo, dghi}, nature};
            CHECK_INT(system.type->guard_bounds(NULL, &q.s, &on, &e), FO_OK);
            CHECK_INT(system.type->guards(NULL, &q.s, 0, x, q.g), FO_OK);
            CHECK_INT(system.type->guards(NULL, &q.s, 0, moved, later), FO_OK);
            for (size_t i = 0; i < guards; i++) {
                double slope = (later[i] - q.g[i]) / 1e-6, within = 1e-3 * (1 + fabs(slope));
                CHECK(glo[i] <= q.g[i] && q.g[i] <= ghi[i]);
                CHECK(dglo[i] <= slope + within && slope - within <= dghi[i]);
            }
            on.dx = e.dg = (fo_bounds){NULL, NULL};
            CHECK_INT(system.type->guard_bounds(NULL, &q.s, &on, &e), FO_OK);
        }
    }
    CHECK_INT(seen, 3);
}

// A box that shrinks to a point has bounds that shrink to the guard: they are good for something.
TEST(guard_bounds_are_tight)
{
    for (size_t m = 0; m < gallery_count(); m++) {
        fo_system system = gallery_get(m)->system;
        still q;
        if (!system.type->guard_bounds) continue;
        CHECK_STATUS(still_start(&q, system), FO_OK, &q.why);
        double glo[8], ghi[8], dglo[8], dghi[8];
        CHECK_INT(system.type->rates(NULL, &q.s, 0, q.x, q.dx), FO_OK);
        uint8_t nature[8] = {0};
        fo_stretch on = {0, 0, {q.x, q.x}, {q.dx, q.dx}};
        fo_enclosure e = {{glo, ghi}, {dglo, dghi}, nature};
        CHECK_INT(system.type->guard_bounds(NULL, &q.s, &on, &e), FO_OK);
        for (size_t i = 0; i < system.about->guards.count; i++) {
            CHECK(ghi[i] - glo[i] < 1e-11);
            CHECK(dghi[i] - dglo[i] < 1e-11);
        }
    }
}

TEST_MAIN(TEST_ENTRY(every_model_is_sound), TEST_ENTRY(every_model_has_its_folder),
          TEST_ENTRY(unknown_name_is_answered_with_the_nearest),
          TEST_ENTRY(jacobians_are_the_derivatives_of_the_rates),
          TEST_ENTRY(guard_bounds_enclose_the_guards), TEST_ENTRY(guard_bounds_are_tight))
