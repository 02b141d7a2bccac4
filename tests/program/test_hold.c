// Rest and sliding in text, against closed forms (g = 9.81), with several solvers.
#include <math.h>
#include <string.h>

#include "language/language.h"
#include "program/program.h"
#include "test.h"

typedef struct world {
    foi_flat *flat;
    foi_program *program;
    fo_simulation *sim;
    fo_observer observer;
    fo_run_def run;
    size_t count;
    fo_moment told[64];
    const char *solver;
} world;

static const char *const solvers[] = {"dp45",      "dop853", "rodas4", "radau5", "rk4",
#ifdef FOI_WITH_SUNDIALS
                                      "cvode-bdf",
#endif
                                      NULL};

/// The next of them; where everything takes many times longer only one in two has its turn.
static size_t next(size_t k)
{
    return test_count(2, 1) == 2 && solvers[k + 1] ? k + 2 : k + 1;
}

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    world *w = self;
    (void)why;
    if (m->kind >= FO_REST && w->count < 64) w->told[w->count++] = *m;
    return FO_OK;
}

static bool begin(world *w, const char *text, double stop, const char *solver)
{
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    fo_message why = {0};
    *w = (world){.solver = solver};
    def.path = "test.mo", def.text = text, def.no_files = true;
    foi_messages_begin(&messages, NULL);
    fo_status status = foi_language_load(&def, &w->flat, &messages);
    if (status != FO_OK) {
        foi_messages_print(&messages, stdout);
        test_fail(__FILE__, __LINE__, "the text is refused");
    }
    foi_messages_end(&messages);
    if (status != FO_OK) return false;
    foi_place place;
    w->program = foi_program_create(w->flat, NULL, &why, &place);
    if (!w->program) {
        test_fail(__FILE__, __LINE__, "line %u: %s", place.line, why.text);
        return false;
    }
    w->observer = (fo_observer){.self = w, .moment = note, .interval = -1};
    w->run = fo_default_run_def();
    w->run.stop = stop, w->run.rtol = 1e-9, w->run.atol = 1e-12, w->run.solver = solver;
    w->run.step = stop / 2048;
    w->run.observers = &w->observer, w->run.observer_count = 1;
    w->sim = fo_simulation_create(foi_program_system(w->program), &w->run, &why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return w->sim != NULL;
}

static double at(world *w, double t, const char *name)
{
    fo_reference which;
    fo_message why;
    if (t > fo_simulation_time(w->sim)) {
        fo_status status = fo_simulation_advance(w->sim, t);
        if (status != FO_REACHED)
            test_fail(__FILE__, __LINE__, "%s: %s", w->solver, fo_simulation_message(w->sim)->text);
    }
    fo_status status = fo_system_find(fo_simulation_system(w->sim), name, &which, &why);
    CHECK_STATUS(status, FO_OK, &why);
    return status == FO_OK ? fo_simulation_value(w->sim, which) : NAN;
}

static void end(world *w)
{
    fo_simulation_destroy(w->sim);
    foi_program_destroy(w->program);
    foi_flat_destroy(w->flat);
}

static void told(const world *w, int line, size_t i, fo_moment_kind kind, double t, double error)
{
    if (i >= w->count)
        test_fail(__FILE__, line, "%s: only %zu reports", w->solver, w->count);
    else if (w->told[i].kind != kind || !(fabs(w->told[i].t - t) <= error))
        test_fail(__FILE__, line, "%s: report %zu has kind %d at %.12g, not %d at %.12g", w->solver,
                  i, (int)w->told[i].kind, w->told[i].t, (int)kind, t);
}
#define TOLD(i, kind, t, error) told(&w, __LINE__, i, kind, t, error)

static bool is_rough(const char *solver)
{
    return strcmp(solver, "cvode-bdf") == 0;
}

// ---- balls

TEST(balls_rest_at_the_limit)
{
    static const struct {
        const char *e;
        double limit;
        double bounces; ///< 0: many
    } balls[] = {{"0.8", 4.063712769, 0}, {"1e-3", 0.452427592, 4}, {"0", 0.451523641, 1}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; solvers[k]; k = next(k)) {
            char text[400];
            snprintf(text, sizeof text,
                     "model B Real h(start=1,fixed=true),v(start=0,fixed=true); discrete Integer "
                     "n(start=0,fixed=true); equation der(h)=v; der(v)=-9.81; when h<=0 then "
                     "reinit(v,-%s*pre(v)); n=pre(n)+1; end when; end B;",
                     balls[i].e);
            world w;
            if (begin(&w, text, 8, solvers[k])) {
                CHECK_NEAR(at(&w, 8, "h"), 0, 1e-15);
                CHECK_NEAR(at(&w, 8, "v"), 0, 1e-15);
                CHECK_INT(w.count, 1);
                TOLD(0, FO_REST, balls[i].limit, is_rough(solvers[k]) ? 1e-4 : 1e-8);
                if (balls[i].bounces > 0 && !is_rough(solvers[k]))
                    CHECK_NEAR(at(&w, 8, "n"), balls[i].bounces, 1);
            }
            end(&w);
        }
}

TEST(a_lifted_ball_leaves)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(&w,
                  "model B Real h(start=0.1,fixed=true),v(start=0,fixed=true); discrete Integer "
                  "n(start=0,fixed=true); equation der(h)=v; der(v)=-9.81+5*time; when h<=0 then "
                  "reinit(v,-0.4*pre(v)); end when; when sample(1,0.25) then n=pre(n)+1; end when; "
                  "end B;",
                  3, solvers[k])) {
            double tau = 3 - 1.962;
            CHECK_NEAR(at(&w, 1.9, "h"), 0, 1e-15);
            CHECK_NEAR(at(&w, 3, "h"), 5 * tau * tau * tau / 6, 1e-8);
            CHECK_NEAR(at(&w, 3, "n"), 9, 0);
            CHECK_INT(w.count, 2);
            TOLD(1, FO_REST_END, 1.962, 1e-9);
        }
        end(&w);
    }
}

// It comes to rest on the moving floor first: at 0 it is dropped onto it, and the floor is slow.
TEST(a_moving_floor_throws_it_off)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(&w,
                  "model B Real h(start=0.2,fixed=true),v(start=0,fixed=true); Real f,df; equation "
                  "f=0.1*sin(5*time^2); df=time*cos(5*time^2); der(h)=v; der(v)=-9.81; "
                  "when h<=f then reinit(v,df-0.3*(pre(v)-df)); end when; end B;",
                  1.5, solvers[k])) {
            // leaves where f'' = cos(5 t^2) - 10 t^2 sin(5 t^2) = -9.81 first: by bisection
            double lo = 0.3, hi = 1.5;
            at(&w, 1.5, "h");
            CHECK(w.count >= 2);
            CHECK(w.count && w.told[0].kind == FO_REST);
            if (w.count) lo = w.told[0].t;
            double t = lo;
            while (cos(5 * t * t) - 10 * t * t * sin(5 * t * t) > -9.81 && t < 1.5) t += 1e-4;
            for (lo = t - 1e-4, hi = t; hi - lo > 1e-14;) {
                double m = lo + (hi - lo) / 2;
                if (cos(5 * m * m) - 10 * m * m * sin(5 * m * m) > -9.81)
                    lo = m;
                else
                    hi = m;
            }
            TOLD(1, FO_REST_END, hi, is_rough(solvers[k]) ? 1e-6 : 2e-8);
        }
        end(&w);
    }
}

TEST(the_ball_with_flying_logic)
{
    static const char *const some[] = {NULL, "dp45", "dop853", "rodas4", "radau5"};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        world w;
        if (begin(&w,
                  "model BouncingBall parameter Real e=0.7; parameter Real g=9.81; Real "
                  "h(fixed=true, start=1); Real v(fixed=true); Boolean flying(fixed=true, "
                  "start=true); Boolean impact; Real v_new(fixed=true); Integer foo; equation "
                  "impact = h <= 0.0; foo = if impact then 1 else 2; der(v) = if flying then -g "
                  "else 0; der(h) = v; when {h <= 0.0 and v <= 0.0,impact} then v_new = if "
                  "edge(impact) then -e*pre(v) else 0; flying = v_new > 0; reinit(v, v_new); end "
                  "when; end BouncingBall;",
                  10, some[k])) {
            CHECK_NEAR(at(&w, 10, "h"), 0, 1e-15);
            CHECK_NEAR(at(&w, 10, "v"), 0, 1e-15);
            TOLD(0, FO_REST, sqrt(2 / 9.81) * 1.7 / 0.3, 1e-8);
        }
        end(&w);
    }
}

// Both touch from the start: nothing has fired, and yet they rest; in the air they stay together.
TEST(what_touches_at_the_start_is_a_contact)
{
    static const double heights[] = {0, 1};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; solvers[k]; k = next(k)) {
            char text[600];
            world w;
            snprintf(
                text, sizeof text,
                "model S Real a(start=%g,fixed=true),u(start=0,fixed=true),b(start=%g,fixed="
                "true),v(start=0,fixed=true); equation der(a)=u; der(u)=-9.81; der(b)=v; "
                "der(v)=-9.81; when a<=0 then reinit(u,-0.5*pre(u)); end when; when b<=a then "
                "reinit(u,pre(u)+0.25*(pre(v)-pre(u))); reinit(v,pre(v)-0.75*(pre(v)-pre(u))); "
                "end when; end S;",
                heights[i], heights[i]);
            if (begin(&w, text, 4, solvers[k])) {
                CHECK_NEAR(at(&w, 4, "a"), 0, 1e-12);
                CHECK_NEAR(at(&w, 4, "b"), 0, 1e-12);
                CHECK_NEAR(at(&w, 4, "v"), 0, 1e-12);
                CHECK(w.count >= 2);
            }
            end(&w);
        }
}

// The floor is a body of its own, driven by a spring: what rests on it may not move it.
TEST(a_floor_with_states_of_its_own_is_not_disturbed)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(&w,
                  "model B Real h(start=0.5,fixed=true),v(start=0,fixed=true),f(start=0.1,fixed="
                  "true),w(start=0,fixed=true); equation der(h)=v; der(v)=-9.81; der(f)=w; "
                  "der(w)=-4*f; when h<=f then reinit(v,w-0.3*(pre(v)-w)); end when; end B;",
                  10, solvers[k])) {
            double error = is_rough(solvers[k]) ? 1e-6 : 2e-8;
            CHECK_NEAR(at(&w, 10, "f"), 0.1 * cos(20), error);
            CHECK_NEAR(at(&w, 10, "w"), -0.2 * sin(20), 2 * error);
            CHECK_NEAR(at(&w, 10, "h"), 0.1 * cos(20), error);
            CHECK_INT(w.count, 1);
        }
        end(&w);
    }
}

// On a curved surface the push turns as it moves; without friction nothing is lost.
TEST(a_ball_in_a_bowl_keeps_its_energy)
{
    static const char *const some[] = {"dp45", "dop853", "radau5"};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        world w;
        if (begin(&w,
                  "model Bowl Real x(start=-1,fixed=true), y(start=0.5,fixed=true), "
                  "u(start=0,fixed=true), v(start=0,fixed=true), E, vn, n2; equation der(x)=u; "
                  "der(y)=v; der(u)=0; der(v)=-9.81; n2=1+x^2; vn=v-x*u; E=9.81*y+(u^2+v^2)/2; "
                  "when y<=x^2/2 then reinit(u,pre(u)+1.5*vn*x/n2); reinit(v,pre(v)-1.5*vn/n2); "
                  "end when; end Bowl;",
                  2, some[k])) {
            for (double t = 0.25; t <= 2; t += 0.25) {
                CHECK_NEAR(at(&w, t, "E"), 9.81 / 2, 1e-6);
                double x = at(&w, t, "x");
                CHECK_NEAR(at(&w, t, "y"), x * x / 2, 1e-12);
            }
            CHECK_INT(w.count, 1);
        }
        end(&w);
    }
}

// ---- several balls, each by itself: none may notice the others, in the air or at rest

static double fallen(double height, double e, double t)
{
    double speed = sqrt(2 * 9.81 * height), first = sqrt(2 * height / 9.81);
    if (t <= first) return height - 9.81 * t * t / 2;
    t -= first;
    for (speed *= e; speed > 1e-9; speed *= e) {
        double hop = 2 * speed / 9.81;
        if (t <= hop) return t * (speed - 9.81 * t / 2);
        t -= hop;
    }
    return 0;
}

static double limit_of(double height, double e)
{
    return sqrt(2 * height / 9.81) * (1 + 2 * e / (1 - e));
}

static void balls_text(size_t count, const double *height, const double *e, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "model B ");
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "Real h%zu(start=%.17g,fixed=true),v%zu(start=0,fixed=true); ", i,
                               height[i], i);
    at += (size_t)snprintf(text + at, size - at, "equation ");
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "der(h%zu)=v%zu; der(v%zu)=-9.81; when h%zu<=0 then "
                               "reinit(v%zu,-%.17g*pre(v%zu)); end when; ",
                               i, i, i, i, i, e[i], i);
    snprintf(text + at, size - at, "end B;");
}

static void check_balls(size_t count, const double *height, const double *e, const char *solver)
{
    char text[2000], name[8];
    double last = 0;
    world w;
    for (size_t i = 0; i < count; i++) last = fmax(last, limit_of(height[i], e[i]));
    balls_text(count, height, e, text, sizeof text);
    if (begin(&w, text, 1.1 * last, solver)) {
        for (int part = 1; part <= 11; part++)
            for (size_t i = 0; i < count; i++) {
                double t = part == 11 ? 1.1 * last : last * part / 10.7;
                snprintf(name, sizeof name, "h%zu", i);
                double is = at(&w, t, name), truth = fallen(height[i], e[i], t);
                if (!(fabs(is - truth) <= (t > limit_of(height[i], e[i]) ? 1e-15 : 2e-8)))
                    test_fail(__FILE__, __LINE__, "%s: %s is %.12g, not %.12g at %.12g of %s",
                              solver, name, is, truth, t, text);
            }
        CHECK_INT(w.count, count);
        for (size_t k = 0; k < w.count; k++) {
            size_t i = (size_t)(w.told[k].name[1] - '0');
            TOLD(k, FO_REST, limit_of(height[i], e[i]), 1e-7);
        }
    }
    end(&w);
}

TEST(balls_rest_each_by_itself)
{
    static const double bounces[] = {0, 0.3, 0.5, 0.8, 0.9}, heights[] = {1, 1.1, 1.2, 4, 0.25};
    static const double given[][2][4] = {
        {{1, 1.1, 1.2}, {0, 0, 0.9}},
        {{1, 1}, {0, 0.5}},
        {{1, 1}, {0.5, 0.5}},
        {{1, 4}, {0.5, 0.9}},
        {{1, 1}, {0.8, 0.9}},
        {{1, 1, 1, 1}, {0, 0, 0, 0}},
        {{1, 1, 1, 1}, {0.9, 0.5, 0.9, 0}},
        {{1, 1.0 / 9}, {0.5, 0.8}},
        {{1.0 / 9, 1}, {0.8, 0.5}},
    };
    uint32_t seed = 7;
    for (size_t c = 0; c < sizeof given / sizeof *given; c++) {
        size_t count = 0;
        while (count < 4 && given[c][0][count] > 0) count++;
        for (size_t k = 0; k < 2; k++) check_balls(count, given[c][0], given[c][1], solvers[k]);
    }
    for (int trial = 0; trial < test_count(20, 60); trial++) {
        double height[4], e[4];
        size_t count = 1 + (size_t)trial % 4;
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            e[i] = bounces[(seed >> 16) % 5], height[i] = heights[(seed >> 24) % 5];
            if (trial % 3 == 0) height[i] = height[0];
            if (trial % 3 == 1) height[i] *= 1 + (seed >> 8 & 255) / 1000.0;
        }
        check_balls(count, height, e, solvers[trial % 2]);
    }
}

// One ball falls onto another that lies on the floor, and their jumps undo each other. It may not
// end below the floor.
TEST(stacked_balls_do_not_fall_through)
{
    static const double bounces[] = {0, 0.3, 0.5, 0.9}, heights[] = {1.2, 1.5, 2};
    for (size_t i = 0; i < 12; i++) {
        double e = bounces[i % 4];
        char text[600];
        world w;
        snprintf(text, sizeof text,
                 "model S Real a(start=1,fixed=true),u(start=0,fixed=true),b(start=%g,fixed=true),"
                 "v(start=0,fixed=true); equation der(a)=u; der(u)=-9.81; der(b)=v; der(v)=-9.81; "
                 "when a<=0 then reinit(u,-%g*pre(u)); end when; when b<=a then "
                 "reinit(u,(pre(u)+pre(v))/2+%g*(pre(v)-pre(u))/2); "
                 "reinit(v,(pre(u)+pre(v))/2-%g*(pre(v)-pre(u))/2); end when; end S;",
                 heights[i / 4], e, e, e);
        if (begin(&w, text, 10, "dp45")) {
            fo_status status = fo_simulation_advance(w.sim, 10);
            const double *x = fo_simulation_state(w.sim)->x;
            if (!(x[0] >= -1e-9 && x[2] >= x[0] - 1e-9))
                test_fail(__FILE__, __LINE__, "a = %g, b = %g from %g with e = %g", x[0], x[2],
                          heights[i / 4], e);
            if (status != FO_REACHED) CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "<= ");
        }
        end(&w);
    }
}

// ---- relays and friction

TEST(a_relay_slides)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(&w,
                  "model R Real x(start=1,fixed=true), y(start=0,fixed=true), u; discrete Integer "
                  "n(start=0,fixed=true), ticks(start=0,fixed=true); equation u = if x > 0 then -1 "
                  "else 1; der(x) = u; der(y) = u; when x <= 0 then n = pre(n) + 1; end when; when "
                  "sample(0.125,0.25) then ticks = pre(ticks)+1; end when; end R;",
                  3, solvers[k])) {
            CHECK_NEAR(at(&w, 3, "x"), 0, 1e-15);
            CHECK_NEAR(at(&w, 3, "y"), -1, 1e-9);
            CHECK_NEAR(at(&w, 3, "u"), 0, 1e-15); // the equivalent control
            CHECK_NEAR(at(&w, 3, "n"), 1, 0);
            CHECK_NEAR(at(&w, 3, "ticks"), 12, 0);
            CHECK_INT(w.count, 1);
            TOLD(0, FO_SLIDE, 1, 1e-9);
        }
        end(&w);
    }
}

TEST(a_driven_relay_leaves)
{
    static const char *const rates[] = {"2*sin(time) - sign(x)",
                                        "2*sin(time) - (if x > 0 then 1 else -1)",
                                        "2*sin(time) - (if x >= 0 then 1 else -1)"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; solvers[k]; k = next(k)) {
            char text[200];
            snprintf(text, sizeof text,
                     "model R Real x(start=0,fixed=true); equation der(x) = %s; end R;", rates[i]);
            world w;
            if (begin(&w, text, 4, solvers[k])) {
                CHECK_NEAR(at(&w, 0.5, "x"), 0, 1e-15);
                CHECK_NEAR(at(&w, 5 * M_PI / 6, "x"), 1.369706513,
                           is_rough(solvers[k]) ? 1e-7 : 1e-8);
                CHECK(at(&w, 3.8168, "x") > 0);
                CHECK(at(&w, 3.81681, "x") < 0);
                CHECK_INT(w.count, 2);
                TOLD(0, FO_SLIDE, 0, 1e-7);
                TOLD(1, FO_SLIDE_END, M_PI / 6, 1e-9);
            }
            end(&w);
        }
}

TEST(friction_sticks)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(
                &w,
                "model F Real x(start=0,fixed=true), v(start=0,fixed=true), y(start=1,fixed=true), "
                "u(start=0,fixed=true); equation der(x) = v; der(v) = time - sign(v); der(y) = u; "
                "der(u) = -y - 0.3*sign(u); end F;",
                10, solvers[k])) {
            CHECK_NEAR(at(&w, 3, "x"), 4.0 / 3, is_rough(solvers[k]) ? 1e-7 : 1e-9);
            CHECK_NEAR(at(&w, 10, "y"), -0.2, is_rough(solvers[k]) ? 1e-6 : 1e-7);
            CHECK_NEAR(at(&w, 10, "u"), 0, 1e-15);
            CHECK_INT(w.count, 3);
            TOLD(1, FO_SLIDE_END, 1, 1e-9);
            TOLD(2, FO_SLIDE, 2 * M_PI, is_rough(solvers[k]) ? 1e-5 : 1e-7);
        }
        end(&w);
    }
}

// Where the brake is open the two modes are one, and what drives the shaft is nothing, or rounding
// errors; then something does.
TEST(a_brake_is_let_go)
{
    static const char *const drives[] = {"0", "1e-17", "-1e-17", "2.96e-16"};
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++)
        for (size_t k = 0; solvers[k]; k = next(k)) {
            char text[400];
            snprintf(text, sizeof text,
                     "model B Real w(start=0.5,fixed=true); Real fn = max(0, 2 - time); equation "
                     "der(w) = %s - fn*(if w > 0 then 1 else -1) + (if time > 3 then 0.5 else 0); "
                     "end B;",
                     drives[i]);
            world w;
            if (begin(&w, text, 5, solvers[k])) {
                CHECK_NEAR(at(&w, 1, "w"), 0, 1e-15);
                CHECK_NEAR(at(&w, 3, "w"), 0, 1e-15);
                CHECK_NEAR(at(&w, 5, "w"), 1, 1e-9);
                CHECK_INT(w.count, 2);
                TOLD(0, FO_SLIDE, 2 - sqrt(3), 1e-6);
            }
            end(&w);
        }
}

// The mode is a discrete that a when-clause sets: x' = u + 2 sin t, from 0; see above.
TEST(a_relay_set_by_a_when_clause_slides)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(&w,
                  "model R Real x(start=0,fixed=true), y(start=0,fixed=true); discrete Real "
                  "u(start=1,fixed=true); equation when {x<0, x>0} then u = if x>0 then -1 else 1; "
                  "end when; der(x)=u+2*sin(time); der(y)=u; end R;",
                  4, solvers[k])) {
            CHECK_NEAR(at(&w, 0.5, "x"), 0, 1e-15);
            CHECK_NEAR(at(&w, 0.5, "y"), 2 * cos(0.5) - 2, 1e-7);
            CHECK_NEAR(at(&w, 5 * M_PI / 6, "x"), 1.369706513, is_rough(solvers[k]) ? 1e-7 : 1e-8);
            CHECK(at(&w, 3.81681, "x") < 0);
            CHECK_INT(w.count, 2);
            TOLD(0, FO_SLIDE, 0, 1e-7);
            TOLD(1, FO_SLIDE_END, M_PI / 6, 1e-9);
        }
        end(&w);
    }
}

// A row shows what a value is: the equivalent control, not the control of one mode.
typedef struct rows {
    size_t count;
    double u, z;
} rows;

static fo_status see(void *self, const fo_row *row, fo_message *why)
{
    rows *r = self;
    (void)why;
    if (row->t > 2.01) r->count++, r->u = fmax(r->u, fabs(row->values[0] + 0.5));
    if (row->t > 2.01) r->z = fmax(r->z, fabs(row->values[1]));
    return FO_OK;
}

TEST(rows_show_the_equivalent_control)
{
    world w;
    rows seen = {0};
    if (begin(&w,
              "model R Real x(start=1,fixed=true), u, z; equation u = if x>0 then -1 else 1; "
              "der(x)=u+0.5; z=u+0.5; end R;",
              4, "dp45")) {
        fo_system system = fo_simulation_system(w.sim);
        fo_reference signals[2];
        fo_message why;
        fo_system_find(system, "u", &signals[0], &why);
        fo_system_find(system, "z", &signals[1], &why);
        fo_observer observer = {.self = &seen, .row = see, .signals = signals, .signal_count = 2};
        observer.interval = 0.125;
        w.run.observers = &observer;
        fo_simulation *sim = fo_simulation_create(system, &w.run, &why);
        REQUIRE(sim);
        CHECK_INT(fo_simulation_advance(sim, 4), FO_REACHED);
        CHECK(seen.count >= 15);
        CHECK_NEAR(seen.u, 0, 1e-12);
        CHECK_NEAR(seen.z, 0, 1e-12);
        // some hundred steps, however much longer the run is than the model's own scale
        CHECK(fo_simulation_statistics(sim).steps < 1000);
        fo_simulation_destroy(sim);
    }
    end(&w);
}

// ---- two surfaces

TEST(two_surfaces)
{
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(
                &w,
                "model T Real x(start=1,fixed=true), y(start=2,fixed=true); equation der(x) = if x "
                "> 0 then -1 else 1; der(y) = if y > 0 then -1 else 1; end T;",
                3, solvers[k])) {
            CHECK_NEAR(at(&w, 3, "x"), 0, 1e-15);
            CHECK_NEAR(at(&w, 3, "y"), 0, 1e-15);
            CHECK_INT(w.count, 2);
            TOLD(0, FO_SLIDE, 1, 1e-9);
            TOLD(1, FO_SLIDE, 2, 1e-9);
        }
        end(&w);
        if (begin(&w,
                  "model T Real x(start=1,fixed=true), y(start=0,fixed=true); equation der(x) = "
                  "-sign(x) - 2*sign(y); der(y) = 2*sign(x) - sign(y); end T;",
                  2, solvers[k])) {
            CHECK_NEAR(at(&w, 2, "x"), 0, 1e-15);
            CHECK_NEAR(at(&w, 2, "y"), 0, 1e-15);
            CHECK_INT(w.count, 2);
            TOLD(0, FO_SLIDE, 0.5, 1e-7);
            TOLD(1, FO_SLIDE, 0.5, 1e-7);
        }
        end(&w);
    }
}

TEST(tanks_have_no_rest)
{
    world w;
    if (begin(&w,
              "model T Real a(start=1,fixed=true), b(start=1,fixed=true); discrete Integer "
              "q(start=1,fixed=true); equation der(a) = (if q == 1 then 0.75 else 0) - 0.5; der(b) "
              "= (if q == 1 then 0 else 0.75) - 0.5; when a <= 0 then q = 1; elsewhen b <= 0 then "
              "q = 2; end when; end T;",
              10, "dp45")) {
        CHECK_INT(fo_simulation_advance(w.sim, 10), FO_ERROR_ZENO);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "before t = 8 ");
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "no rest");
    }
    end(&w);
}

// ---- stick and slip: a mass on a belt, held by a spring, with a friction that falls with speed

static double slip(double x, double v, double u)
{
    double r = v - u;
    return -x - 0.5 * (r > 0 ? 1 : -1) / (1 + fabs(r));
}

TEST(a_mass_on_a_belt_sticks_and_slips)
{
    // the truth by brute force: sticks (v = 0.5) until x = 0.5, slips until v = 0.5 again
    double x = 0.5, v = 0.5, h = 1e-5, t = 0.5 / 0.5, end_of_slip = 0;
    for (bool low = false; t < 20; t += h) {
        double k1x = v, k1v = slip(x, v - 1e-300, 0.5);
        if (!low && v >= 0.5) k1v = -x + 0.5; // leaves downwards with all the friction there is
        double mx = x + h / 2 * k1x, mv = v + h / 2 * k1v;
        double k2v = slip(mx, fmin(mv, 0.5 - 1e-15), 0.5);
        double nx = x + h * mv, nv = v + h * k2v;
        if (nv < 0.4999) low = true;
        if (low && nv >= 0.5) {
            double part = (0.5 - v) / (nv - v);
            end_of_slip = t + part * h;
            break;
        }
        x = nx, v = nv;
    }
    for (size_t k = 0; solvers[k]; k = next(k)) {
        world w;
        if (begin(
                &w,
                "model S Real x(start=0,fixed=true), v(start=0.5,fixed=true), r, f; equation r = v "
                "- 0.5; der(x) = v; der(v) = -x - f; f = (if r > 0 then 1 else -1)*0.5/(1 + "
                "abs(r)); end S;",
                20, solvers[k])) {
            at(&w, 20, "x");
            CHECK(w.count >= 5);
            TOLD(0, FO_SLIDE, 0, 1e-7);
            TOLD(1, FO_SLIDE_END, 1, 1e-7);
            TOLD(2, FO_SLIDE, end_of_slip, 1e-4);
        }
        end(&w);
    }
}

// ---- all ways to run: the same bits

TEST(all_ways_give_the_same_bits)
{
    static const char text[] =
        "model W Real x(start=1,fixed=true), y(start=0,fixed=true), h(start=0.3,fixed=true), "
        "v(start=0,fixed=true), u; equation u = if x > 0 then -1 else 1; der(x) = u + "
        "1.3*sin(3*time); der(y) = u*y + h; der(h) = v; der(v) = -9.81 + 3*time; when h <= 0 then "
        "reinit(v, -0.5*pre(v)); end when; end W;";
    double first[4] = {0};
    for (int way = 0; way < 2; way++) {
        world w;
        if (begin(&w, text, 5, "dp45")) {
            fo_message why = {0};
            if (way && foi_program_compile(w.program, NULL, &why) != FO_OK) {
                end(&w); // there is no compiler here
                return;
            }
            at(&w, 5, "x");
            CHECK(w.count >= 6);
            const double *x = fo_simulation_state(w.sim)->x;
            for (int i = 0; i < 4 && way; i++) CHECK(x[i] == first[i]);
            memcpy(first, x, sizeof first);
        }
        end(&w);
    }
}

// It leaves when 4 cos(2 t) = 2, with gap, slope and acceleration zero; then it flies. Methods with
// straight lines between their steps do as well as they can, or say that they cannot.
TEST(a_floor_that_falls_away_gently_is_left)
{
    static const char *const all[] = {
        "dp45", "dop853", "radau5", "rk4", "implicit-euler", "implicit-midpoint", NULL};
    const double tau = 3.2 - 5 * acos(-1) / 6, x = 0.5 + sqrt(3) * tau - tau * tau;
    for (size_t k = 0; all[k]; k++)
        for (double step = 0.01; step > 5e-5; step /= 10) {
            world w;
            if (begin(&w,
                      "model F Real x(start=1.01,fixed=true), v(start=0,fixed=true); "
                      "Real gap=x-cos(2*time); equation der(x)=v; der(v)=-2; when gap<=0 then "
                      "reinit(v,-2*sin(2*time)-0.3*(pre(v)+2*sin(2*time))); end when; end F;",
                      3.2, all[k])) {
                bool straight = strstr(all[k], "implicit");
                fo_run_def run = w.run;
                fo_message why = {0};
                run.step = step, run.observers = NULL, run.observer_count = 0;
                fo_simulation *sim =
                    fo_simulation_create(foi_program_system(w.program), &run, &why);
                REQUIRE(sim);
                fo_status status = fo_simulation_advance(sim, 3.2);
                if (status != FO_REACHED)
                    CHECK(straight && fo_simulation_message(sim)->text[0]);
                else
                    CHECK_NEAR(fo_simulation_state(sim)->x[0], x, straight ? 2 * step : 1e-7);
                fo_simulation_destroy(sim);
            }
            end(&w);
        }
}

TEST_MAIN(TEST_ENTRY(balls_rest_at_the_limit), TEST_ENTRY(a_lifted_ball_leaves),
          TEST_ENTRY(balls_rest_each_by_itself), TEST_ENTRY(stacked_balls_do_not_fall_through),
          TEST_ENTRY(a_moving_floor_throws_it_off), TEST_ENTRY(the_ball_with_flying_logic),
          TEST_ENTRY(what_touches_at_the_start_is_a_contact),
          TEST_ENTRY(a_ball_in_a_bowl_keeps_its_energy),
          TEST_ENTRY(a_floor_with_states_of_its_own_is_not_disturbed),
          TEST_ENTRY(a_relay_set_by_a_when_clause_slides),
          TEST_ENTRY(rows_show_the_equivalent_control), TEST_ENTRY(a_relay_slides),
          TEST_ENTRY(a_driven_relay_leaves), TEST_ENTRY(friction_sticks),
          TEST_ENTRY(a_brake_is_let_go), TEST_ENTRY(two_surfaces), TEST_ENTRY(tanks_have_no_rest),
          TEST_ENTRY(a_mass_on_a_belt_sticks_and_slips), TEST_ENTRY(all_ways_give_the_same_bits),
          TEST_ENTRY(a_floor_that_falls_away_gently_is_left))
