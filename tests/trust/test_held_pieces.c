// While something rests or slides: a run in pieces, one that goes back to a snapshot, another
// simulation that goes on from it, and one with other rows have
// the moments and bits of the run in one piece; also where parameters are set meanwhile.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const solvers[] = {"dp45", "radau5",  "rodas4",    "dop853", "bs23", "rk4",
                                      "heun", "simpson", "rkv56",     "rkf45",  "rke",  "adams",
                                      "ab3",  "rkn34",   "trapezoid", "dp45"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], CUTS = 12, SETS = 3 };

static double chance(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

// ------------------------------------------------------------------------------------------ models

static const char *const texts[] = {
    // a ball on a floor that throws it
    "parameter Real p = 1; Real h(start = %.17g, fixed = true), v(start = 0, fixed = true), z, w;\n"
    "equation z = %.17g*sin(%.17g*time); w = %.17g*cos(%.17g*time); der(h) = v; der(v) = -9*p;\n"
    "when h <= z then reinit(v, w - %.17g*(pre(v) - w)); end when;\n",
    // a relay and friction beside each other
    "parameter Real p = 1; Real x(start = %.17g, fixed = true), y(start = 1, fixed = true);\n"
    "equation der(x) = %.17g*sin(%.17g*time) - p*sign(x);\n"
    "der(y) = x + %.17g*cos(%.17g*time) - %.17g*(if y > 0 then 1 else -1);\n",
    // whole parts in feedback loops, which pass through their steps
    "parameter Real p = 1; Real x(start = %.17g, fixed = true), y(start = 1, fixed = true);\n"
    "equation der(x) = 4*%.17g*sin(%.17g*time) + 0.2*y - 2*p*floor(3*x + 0.3*y);\n"
    "der(y) = x + %.17g*cos(%.17g*time) - 2*%.17g*div(3*y - 0.4*time, 1);\n",
    // a block that sticks, drawn by a spring
    "parameter Real p = 1; Real x(start = %.17g, fixed = true), v(start = 0, fixed = true);\n"
    "equation der(x) = v; der(v) = -4*x + 2*%.17g*sin(%.17g*time) - p*%.17g*sign(v)\n"
    "+ 0.1*%.17g*cos(%.17g*time);\n",
    // two balls, one on the other, on a lift
    "parameter Real p = 1; Real a(start = %.17g, fixed = true), v(start = 0, fixed = true);\n"
    "Real b(start = 2, fixed = true), w(start = 0, fixed = true), z(start = 0, fixed = true);\n"
    "Real u(start = 0, fixed = true);\n"
    "equation der(z) = u; der(u) = 9*%.17g*sin(%.17g*time)*p + 2*%.17g*cos(%.17g*time);\n"
    "der(a) = v; der(b) = w; der(v) = -9; der(w) = -9;\n"
    "when a <= z then reinit(v, u - 0.3*(pre(v) - u)); end when;\n"
    "when b <= a + %.17g then reinit(v, pre(v) + 0.6*(pre(w) - pre(v)));\n"
    "reinit(w, pre(w) - 0.6*(pre(w) - pre(v))); end when;\n",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

typedef struct plan {
    char text[1400];
    const char *solver;
    double stop, cut[CUTS], rows;
    double set_at[SETS], set_to[SETS];
    int sets;
} plan;

static plan make(uint64_t seed)
{
    uint64_t r = seed * 0x9e3779b97f4a7c15u + 1;
    plan p = {.stop = between(&r, 2, 5), .solver = solvers[seed % SOLVERS]};
    char body[1100];
    double size = between(&r, 0.1, 1), speed = between(&r, 1, 6);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int k = (int)(TEXTS * chance(&r));
    if (k == 0)
        snprintf(body, sizeof body, texts[k], between(&r, 0.1, 1), size, speed, size * speed, speed,
                 between(&r, 0, 0.5));
    else
        snprintf(body, sizeof body, texts[k], between(&r, 0.1, 1), size, speed, between(&r, 0.2, 2),
                 between(&r, 1, 4), between(&r, 0.2, 1));
#pragma GCC diagnostic pop
    snprintf(p.text, sizeof p.text, "model Pieces %s end Pieces;\n", body);
    p.sets = (int)((SETS + 1) * chance(&r)), p.rows = p.stop / between(&r, 3, 300);
    for (int i = 0; i < SETS; i++)
        p.set_at[i] = p.stop * (i + chance(&r)) / SETS, p.set_to[i] = between(&r, 0.5, 1.5);
    for (int i = 0; i < CUTS; i++) p.cut[i] = p.stop * (i + chance(&r)) / CUTS;
    return p;
}

// -------------------------------------------------------------------------------------------- runs

typedef struct tape {
    uint64_t hash, held; ///< of all moments; how many of them begin or end a rest or slide
} tape;

static void mix(tape *t, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) t->hash = (t->hash ^ b[i]) * UINT64_C(0x100000001b3);
}

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    tape *t = self;
    (void)why;
    mix(t, &m->t, sizeof m->t);
    mix(t, &m->kind, sizeof m->kind);
    t->held += m->kind == FO_REST || m->kind == FO_REST_END || m->kind == FO_SLIDE ||
               m->kind == FO_SLIDE_END;
    return FO_OK;
}

static fo_status row(void *self, const fo_row *r, fo_message *why)
{
    (void)self, (void)r, (void)why;
    return FO_OK;
}

static fo_simulation *start(const plan *p, const fo_text_model *model, tape *t, fo_observer *who,
                            double rows)
{
    fo_run_def def = fo_default_run_def();
    fo_message why = {0};
    *t = (tape){.hash = UINT64_C(0xcbf29ce484222325)};
    *who = (fo_observer){.self = t, .moment = hear, .row = row, .interval = rows};
    def.stop = p->stop, def.solver = p->solver, def.step = p->stop / 1500;
    def.observers = who, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static void send(const plan *p, fo_simulation *sim, double from)
{
    for (int i = 0; i < p->sets; i++)
        if (p->set_at[i] > from)
            CHECK(fo_simulation_send_set(sim, p->set_at[i], "p", p->set_to[i]) == FO_OK);
}

static bool same(const char *what, uint64_t seed, const plan *p, fo_simulation *sim, uint64_t want,
                 fo_status status)
{
    uint64_t hash = fo_simulation_hash(sim);
    if (status == FO_REACHED && hash == want) return true;
    test_fail(__FILE__, __LINE__, "seed %llu, %s, %s: other bits (%s)\n%s",
              (unsigned long long)seed, p->solver, what, fo_simulation_message(sim)->text, p->text);
    return false;
}

/// In pieces, back to the middle one, and on from there.
static void try_pieces(const plan *p, const fo_text_model *model, uint64_t seed, uint64_t want,
                       const tape *all)
{
    tape t, other;
    fo_observer who, another;
    fo_simulation *sim = start(p, model, &t, &who, p->rows);
    if (!sim) return;
    send(p, sim, -1);
    fo_snapshot *back = NULL;
    fo_status status = FO_REACHED;
    for (int i = 0; i < CUTS && status == FO_REACHED; i++) {
        status = fo_simulation_advance(sim, p->cut[i]);
        if (i == (int)(seed % CUTS)) back = fo_simulation_snapshot(sim);
    }
    if (status == FO_REACHED) status = fo_simulation_advance(sim, p->stop);
    if (same("in pieces", seed, p, sim, want, status) && t.hash != all->hash)
        test_fail(__FILE__, __LINE__, "seed %llu, %s: other moments", (unsigned long long)seed,
                  p->solver);
    fo_simulation *anew = back ? start(p, model, &other, &another, p->rows / 3) : NULL;
    if (anew) {
        status = fo_simulation_restore(anew, back);
        if (status == FO_OK) send(p, anew, fo_snapshot_time(back));
        if (status == FO_OK) status = fo_simulation_advance(anew, p->stop);
        same("from a snapshot", seed, p, anew, want, status);
        status = fo_simulation_restore(sim, back);
        if (status == FO_OK) send(p, sim, fo_snapshot_time(back));
        if (status == FO_OK) status = fo_simulation_advance(sim, p->stop);
        same("back to a snapshot", seed, p, sim, want, status);
    }
    fo_simulation_destroy(anew);
    fo_snapshot_destroy(back);
    fo_simulation_destroy(sim);
}

/// How many rests and slides begin or end.
static uint64_t try_one(uint64_t seed)
{
    plan p = make(seed);
    fo_message why = {0};
    fo_text_model_def model_def = {.path = "pieces.mo", .text = p.text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s\n%s", why.text, p.text);
    tape t;
    fo_observer who;
    fo_simulation *sim = model ? start(&p, model, &t, &who, -1) : NULL;
    if (sim) {
        send(&p, sim, -1);
        fo_status status = fo_simulation_advance(sim, p.stop);
        if (status == FO_REACHED)
            try_pieces(&p, model, seed, fo_simulation_hash(sim), &t);
        else
            printf("seed %llu, %s: %s\n", (unsigned long long)seed, p.solver,
                   fo_simulation_message(sim)->text);
        if (status != FO_REACHED) t.held = 0;
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return sim ? t.held : 0;
}

TEST(what_is_held_is_held_in_pieces)
{
    uint64_t count = (uint64_t)test_inputs(50, 2000), held = 0;
    for (uint64_t seed = 1; seed <= count; seed++) held += try_one(seed);
    CHECK(held >= (test_is_slow() ? count : 2 * count)); // few seeds have fewer by chance
}

TEST_MAIN(TEST_ENTRY(what_is_held_is_held_in_pieces))
