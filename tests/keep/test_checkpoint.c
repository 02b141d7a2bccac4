// Checkpoints: a run that goes on from a file gives the rows, moments and bits of the run that was
// never interrupted; a file that is not whole, not of this run or not within bounds is refused.
#include <foliot/checkpoint.h>
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "test.h"

static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};
static char file[64];

// Solutions that slide along one guard's zero or two, that rest, and that are waited for.
static const char *const texts[][2] = {
    {"slide.mo", "model slide Real x(start = 0.7, fixed = true), y(start = 0, fixed = true); "
                 "equation der(x) = (if x > 0 then -1 else 1) + 0.3 * sin(5 * time); der(y) = x + "
                 "cos(time); annotation(experiment(StopTime = 4, Interval = 0.05)); end slide;"},
    {"two.mo", "model two Real x(start = 0.7, fixed = true), z(start = 1, fixed = true), y(start = "
               "0, fixed = true); equation der(x) = (if x > 0 then -1 else 1) + 0.3 * sin(5 * "
               "time); der(z) = (if z > 0 then -2 else 2) + 0.2 * y; der(y) = x - z + cos(time); "
               "annotation(experiment(StopTime = 4, Interval = 0.05)); end two;"},
    {"told.mo",
     "model told input Real u; Real x(start = 1, fixed = true); discrete Real n(start = 0, "
     "fixed = true); equation der(x) = u - x; when sample(0.25, 0.5) then n = pre(n) + x; "
     "end when; annotation(experiment(StopTime = 4, Interval = 0.05)); end told;"},
    {"rest.mo", "model rest parameter Real e = 0.6; Real h(start = 1, fixed = true), v(start = 0, "
                "fixed = true); equation der(h) = v; der(v) = -9.81 + (if time > 4 then 12 else "
                "0); when h < 0 then reinit(v, -e * pre(v)); end when; "
                "annotation(experiment(StopTime = 5, Interval = 0.05)); end rest;"},
    {"lifted.mo",
     "model lifted Real h(start = 2.26, fixed = true), v(start = -1.25, fixed = true); equation "
     "der(h) = v; der(v) = 5.096 * sin(2.21 * time + 2.38) - 3.92; when h < 0 then reinit(v, "
     "-0.134 * pre(v)); end when; annotation(experiment(StopTime = 6.53)); end lifted;"},
    {"small.mo",
     "model small Real h(start = 1e-14, fixed = true), v(start = 0, fixed = true); equation der(h) "
     "= v; der(v) = 1e-14 * (sin(2 * time) - 0.7); when h < 0 then reinit(v, -0.4 * pre(v)); end "
     "when; annotation(experiment(StopTime = 20)); end small;"},
    {"sign.mo", "model sign_ Real x(start = -1.69, fixed = true), s; equation s = sign(x); der(x) "
                "= (1 + s) / 2 * (1.54 * sin(2.48 * time + 5.8) - 0.32) + (1 - s) / 2 * (0.69 + "
                "2.08 * sin(0.81 * time + 4.98)); annotation(experiment(StopTime = 9.34)); end "
                "sign_;"},
    {"stairs.mo", "model stairs Real x(start = 0, fixed = true), y(start = 0, fixed = true); "
                  "equation der(x) = 4 * (0.4 * time - 0.5 * floor(x / 0.5 + 0.5)); der(y) = 2 * "
                  "sin(3 * time) - div(2 * y + 0.1 * x, 1); annotation(experiment(StopTime = 4)); "
                  "end stairs;"},
    {"sticks.mo", "model sticks Real x(start = 1, fixed = true), v(start = 0, fixed = true); "
                  "equation der(x) = v; der(v) = -x - 0.3 * sign(v) + 0.4 * sin(0.7 * time); "
                  "annotation(experiment(StopTime = 20)); end sticks;"},
};

static fo_model_def gallery_def(const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.name = name;
    for (size_t i = 0; name && i < FO_COUNT(texts); i++)
        if (strcmp(name, texts[i][0]) == 0) def.text = texts[i][1];
    def.table = fo_compiled_models();
    def.folders = folders;
    def.program.folder = "no-such-folder";
    return def;
}

/// All that observers are shown, as one number.
typedef struct seen {
    uint64_t hash, rows, moments;
} seen;

static fo_status see_row(void *self, const fo_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->hash = foi_hash_of(&row->t, sizeof row->t, s->hash ^ row->kind);
    s->hash = foi_hash_of(row->values, row->count * sizeof *row->values, s->hash);
    s->rows++;
    return FO_OK;
}

static fo_status see_moment(void *self, const fo_moment *m, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->hash = foi_hash_of(&m->t, sizeof m->t, s->hash ^ m->k ^ (uint64_t)m->kind << 32);
    s->moments++;
    return FO_OK;
}

/// A model with a simulation of it that was not started yet.
typedef struct trip {
    fo_model *model;
    fo_simulation *sim;
    seen seen;
    fo_observer observer;
    fo_run_def def;
    fo_message why;
} trip;

static bool begin(trip *r, const char *name, const char *solver, double interval)
{
    fo_model_def def = gallery_def(name);
    *r = (trip){0};
    if (fo_failed(fo_model_open(&def, &r->model))) return false;
    r->def = fo_model_run_def_with(r->model, solver);
    if (solver) r->def.solver = solver;
    if (interval < 0) interval = fo_model_interval(r->model);
    r->observer =
        (fo_observer){.self = &r->seen, .row = see_row, .moment = see_moment, .interval = interval};
    r->def.observers = &r->observer, r->def.observer_count = 1;
    r->sim = fo_simulation_create(fo_model_system(r->model), &r->def, &r->why);
    return r->sim;
}

static void end(trip *r)
{
    fo_simulation_destroy(r->sim);
    fo_model_close(r->model);
}

static bool same(const trip *a, const trip *b)
{
    fo_statistics s = fo_simulation_statistics(a->sim), t = fo_simulation_statistics(b->sim);
    return a->seen.hash == b->seen.hash && a->seen.rows == b->seen.rows &&
           a->seen.moments == b->seen.moments &&
           fo_simulation_time(a->sim) == fo_simulation_time(b->sim) &&
           fo_simulation_hash(a->sim) == fo_simulation_hash(b->sim) && s.steps == t.steps &&
           s.moments == t.moments && s.certified_guards == t.certified_guards;
}

// Saves at `part` of the run, or, below zero, after so many steps and moments.
static fo_status carry_to(trip *r, double part)
{
    if (part < 0) return fo_simulation_advance_some(r->sim, r->def.stop, (uint64_t)-part);
    double t = r->def.start + part * (r->def.stop - r->def.start);
    return fo_simulation_advance(r->sim, t < r->def.stop ? t : r->def.stop);
}

static void check_cut(const char *name, const char *solver, double interval, double part,
                      const trip *whole)
{
    trip first, second;
    fo_status status = FO_OK;
    if (!begin(&first, name, solver, interval) || !begin(&second, name, solver, interval)) {
        test_fail(__FILE__, __LINE__, "%s: it does not open", name);
        return;
    }
    status = carry_to(&first, part);
    if (!fo_failed(status)) status = fo_simulation_save(first.sim, file, NULL, 0, &first.why);
    if (fo_failed(status))
        test_fail(__FILE__, __LINE__, "%s, %s at %g: %s", name, solver, part, first.why.text);
    second.seen = first.seen;
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &second.why);
    status = c ? fo_simulation_load(second.sim, c, NULL, 0, &second.why) : FO_ERROR;
    fo_checkpoint_close(c);
    if (!fo_failed(status)) status = fo_simulation_advance(second.sim, second.def.stop);
    if (fo_failed(status))
        test_fail(__FILE__, __LINE__, "%s, %s at %g: %s; %s", name, solver, part, second.why.text,
                  fo_simulation_message(second.sim)->text);
    if (!same(&second, whole))
        test_fail(
            __FILE__, __LINE__,
            "%s, %s cut at %g: rows %llu and %llu, moments %llu and %llu, steps %llu and %llu",
            name, solver ? solver : "its own solver", part, (unsigned long long)second.seen.rows,
            (unsigned long long)whole->seen.rows, (unsigned long long)second.seen.moments,
            (unsigned long long)whole->seen.moments,
            (unsigned long long)fo_simulation_statistics(second.sim).steps,
            (unsigned long long)fo_simulation_statistics(whole->sim).steps);
    end(&first);
    end(&second);
}

static void check_model(const char *name, const char *solver, double interval, const double *parts)
{
    trip whole;
    if (!begin(&whole, name, solver, interval)) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, whole.why.text);
        return;
    }
    fo_system system = fo_model_system(whole.model);
    if (!system.type->no_snapshot) {
        if (fo_failed(fo_simulation_advance(whole.sim, whole.def.stop)))
            test_fail(__FILE__, __LINE__, "%s: %s", name, fo_simulation_message(whole.sim)->text);
        for (; *parts; parts++) check_cut(name, solver, interval, *parts, &whole);
    }
    end(&whole);
}

static bool foreign(const char *name)
{
    return !name || strncmp(name, "cvode", 5) == 0 || strncmp(name, "ark", 3) == 0 ||
           strcmp(name, "ida") == 0;
}

TEST(every_model_of_the_gallery_goes_on)
{
    static const double parts[] = {0.37, -7, 0}, few[] = {0.6, 0};
    fo_model_def def = gallery_def(NULL);
    fo_message why = {0};
    fo_gallery *g = fo_gallery_open(&def, &why);
    REQUIRE(g);
    size_t every = test_is_sanitized() ? 8 : 1;
    for (size_t i = 0; i < fo_gallery_count(g); i += every) {
        const char *name = fo_gallery_get(g, i)->name;
        check_model(name, NULL, -1, i % 2 ? parts : few);
    }
    fo_gallery_close(g);
}

TEST(every_solver_goes_on)
{
    static const double parts[] = {0.21, -3, -40, 0};
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const char *name = fo_solver_get(i)->name;
        unsigned traits = fo_solver_get(i)->traits;
        if (foreign(name) || strcmp(name, "own") == 0 || strcmp(name, "sliding-implicit") == 0)
            continue;
        trip r;
        bool fits = begin(&r, "ball", name, 0);
        end(&r);
        if (fits) check_model("ball", name, 0, parts);
        if (strcmp(name, "rodas4") == 0 || strcmp(name, "radau5") == 0)
            check_model("van-der-pol-stiff", name, 0, parts);
        if (traits & FO_ADAPTIVE) check_model("lorenz", name, 0, parts);
    }
}

TEST(what_is_held_goes_on)
{
    static const double parts[] = {0.1,  0.17, 0.2, 0.3, 0.45, 0.6, 0.77,
                                   0.85, 0.99, -3,  -9,  -30,  0};
    for (size_t i = 0; i < FO_COUNT(texts); i++) {
        check_model(texts[i][0], NULL, -1, parts);
        check_model(texts[i][0], "dp45", 0, parts);
        check_model(texts[i][0], "rk4", -1, parts);
    }
}

// After each of its steps and moments: what is known then of impacts, slides and tolerances.
TEST(a_run_goes_on_from_each_of_its_steps)
{
    static const char *const names[] = {"lifted.mo", "small.mo", "sign.mo", "sticks.mo"};
    enum { MOST = 2000 };
    for (size_t i = 0; i < FO_COUNT(names); i++) {
        trip r;
        double parts[MOST] = {0};
        REQUIRE(begin(&r, names[i], NULL, 0));
        CHECK(!fo_failed(fo_simulation_advance(r.sim, r.def.stop)));
        fo_statistics all = fo_simulation_statistics(r.sim);
        end(&r);
        double every = test_is_sanitized() ? 29 : test_is_slow() ? 11 : 3, last = -1;
        for (int k = 0; k < MOST - 1 && -last < (double)(all.steps + all.moments);
             k++, last -= every)
            parts[k] = last;
        check_model(names[i], NULL, 0, parts);
    }
}

// What waits to come from outside: events and values, in the order in which they were sent.
static bool send_all(fo_simulation *sim, const char *name)
{
    static const struct {
        const char *model, *name;
        double t, value;
    } sent[] = {
        {"ball", "y", 2.5, 1},    {"ball", "e", 3.5, 0.5},     {"ball", "v", 1.5, -1},
        {"ball", "e", 3.5, 0.7},  {"told.mo", "u", 2.5, 1},    {"told.mo", "n", 3.1, -5},
        {"told.mo", "u", 3.5, 2}, {"told.mo", "x", 3.5, 0.25}, {"told.mo", "u", 3.5, 3},
    };
    bool fine = true;
    for (size_t i = 0; i < FO_COUNT(sent); i++)
        if (strcmp(sent[i].model, name) == 0)
            fine &= !fo_failed(fo_simulation_send_set(sim, sent[i].t, sent[i].name, sent[i].value));
    return fine;
}

static void check_waiting(const char *name, double part)
{
    trip whole, first, second;
    REQUIRE(begin(&whole, name, NULL, 0) && begin(&first, name, NULL, 0) &&
            begin(&second, name, NULL, 0));
    CHECK(send_all(whole.sim, name) && send_all(first.sim, name));
    CHECK(!fo_failed(fo_simulation_advance(whole.sim, whole.def.stop)));
    CHECK(!fo_failed(carry_to(&first, part)));
    CHECK_STATUS(fo_simulation_save(first.sim, file, NULL, 0, &first.why), FO_OK, &first.why);
    second.seen = first.seen;
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &second.why);
    CHECK_STATUS(c ? fo_simulation_load(second.sim, c, NULL, 0, &second.why) : FO_ERROR, FO_OK,
                 &second.why);
    fo_checkpoint_close(c);
    CHECK(!fo_failed(fo_simulation_advance(second.sim, second.def.stop)));
    CHECK(same(&second, &whole));
    end(&whole), end(&first), end(&second);
}

TEST(what_waits_goes_on)
{
    for (double part = 0.05; part < 0.6; part += 0.1) {
        check_waiting("ball", part);
        check_waiting("told.mo", part);
    }
}

// Methods of others keep their state for themselves: they begin afresh from the checkpoint, and go
// on within their tolerance.
TEST(methods_of_others_begin_afresh)
{
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const char *name = fo_solver_get(i)->name;
        trip whole, first, second;
        if (!foreign(name)) continue;
        bool fits = begin(&whole, "told.mo", name, 0);
        REQUIRE(!fits || (begin(&first, "told.mo", name, 0) && begin(&second, "told.mo", name, 0)));
        if (fits) {
            CHECK(!fo_failed(fo_simulation_advance(whole.sim, whole.def.stop)));
            CHECK(!fo_failed(carry_to(&first, 0.4)));
            CHECK_STATUS(fo_simulation_save(first.sim, file, NULL, 0, &first.why), FO_OK,
                         &first.why);
            fo_checkpoint *c = fo_checkpoint_open(file, NULL, &second.why);
            CHECK_STATUS(c ? fo_simulation_load(second.sim, c, NULL, 0, &second.why) : FO_ERROR,
                         FO_OK, &second.why);
            fo_checkpoint_close(c);
            CHECK(!fo_failed(fo_simulation_advance(second.sim, second.def.stop)));
            const fo_state *a = fo_simulation_state(whole.sim),
                           *b = fo_simulation_state(second.sim);
            CHECK_NEAR(b->x[0], a->x[0], 1e-4 * fabs(a->x[0]));
            CHECK_NEAR(b->d[0], a->d[0], 1e-4 * fabs(a->d[0]));
            end(&first), end(&second);
        }
        end(&whole);
    }
}

// ------------------------------------------------------------------------------------ what is
// wrong

static unsigned char *bytes;
static size_t count;

static void put(const unsigned char *list, size_t length)
{
    FILE *out = fopen(file, "wb"); // thousands of times: it need not reach the disk
    REQUIRE(out);
    CHECK_INT((long long)fwrite(list, 1, length, out), (long long)length);
    CHECK_INT(fclose(out), 0);
}

static bool make(const char *name, const char *solver, double part)
{
    trip r;
    foi_free(NULL, bytes);
    bytes = NULL;
    if (!begin(&r, name, solver, 0)) return false;
    bool good = !fo_failed(carry_to(&r, part)) &&
                fo_simulation_save(r.sim, file, NULL, 0, &r.why) == FO_OK &&
                foi_file_load(file, NULL, &bytes, &count, &r.why) == FO_OK;
    end(&r);
    return good;
}

TEST(every_flipped_bit_is_seen)
{
    REQUIRE(make("ball", NULL, 0.3));
    size_t step = test_is_sanitized() ? 61 : 7;
    for (size_t bit = 0; bit < 8 * count; bit += step) {
        fo_message why = {0};
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put(bytes, count);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
        if (c) test_fail(__FILE__, __LINE__, "bit %zu was not missed", bit);
        fo_checkpoint_close(c);
        CHECK(why.text[0]);
    }
    for (size_t part = 0; part < 16; part++) {
        fo_message why = {0};
        put(bytes, count * part / 16);
        CHECK(!fo_checkpoint_open(file, NULL, &why));
        CHECK(why.text[0]);
    }
}

static void expect_refusal(const char *saved, const char *name, fo_run_def *other, const char *says)
{
    trip r;
    fo_message why = {0};
    REQUIRE(make(saved, NULL, 0.3));
    REQUIRE(begin(&r, name, NULL, 0));
    if (other) {
        fo_simulation_destroy(r.sim);
        fo_run_def def = r.def;
        def.rtol = other->rtol > 0 ? other->rtol : def.rtol;
        def.seed = other->seed ? other->seed : def.seed;
        if (other->solver) def.solver = other->solver;
        r.sim = fo_simulation_create(fo_model_system(r.model), &def, &why);
        REQUIRE(r.sim);
    }
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
    REQUIRE(c);
    CHECK_INT(fo_simulation_load(r.sim, c, NULL, 0, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, says);
    fo_checkpoint_close(c);
    end(&r);
}

TEST(another_run_is_refused_with_what_differs)
{
    expect_refusal("ball", "lorenz", NULL, "was saved with model = ");
    expect_refusal("ball", "ball", &(fo_run_def){.rtol = 1e-3}, "this run has rtol = 0.001");
    expect_refusal("ball", "ball", &(fo_run_def){.seed = 12}, "this run has seed = 12");
    expect_refusal("ball", "ball", &(fo_run_def){.solver = "bs23"}, "this run has solver = bs23");
}

/// A variable that is set before the start of one run, of the run that goes on from it, or of both.
static void expect_the_same_set(const char *model, const fo_variable *v, const char *says)
{
    for (int who = 0; who < 4; who++) {
        trip r, s;
        fo_message why = {0};
        double value = v->start + 0.25;
        REQUIRE(begin(&r, model, NULL, 0));
        REQUIRE(begin(&s, model, NULL, 0));
        if (who & 1) CHECK_INT(fo_simulation_set(r.sim, v->name, value), FO_OK);
        if (who & 2) CHECK_INT(fo_simulation_set(s.sim, v->name, value), FO_OK);
        CHECK(!fo_failed(fo_simulation_advance(r.sim, 0.1)));
        CHECK_INT(fo_simulation_save(r.sim, file, NULL, 0, &why), FO_OK);
        fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
        REQUIRE(c);
        bool same = who == 0 || who == 3;
        CHECK_INT(fo_simulation_load(s.sim, c, NULL, 0, &why), same ? FO_OK : FO_ERROR_ARGUMENT);
        if (!same) CHECK_CONTAINS(why.text, says);
        // a run that went on knows it as well, and what is set on the way is no difference
        if (same) CHECK(!fo_failed(fo_simulation_set(s.sim, v->name, value - 0.125)));
        if (same) CHECK_INT(fo_simulation_save(s.sim, file, NULL, 0, &why), FO_OK);
        fo_checkpoint_close(c);
        trip t;
        REQUIRE(begin(&t, model, NULL, 0));
        if (who) CHECK_INT(fo_simulation_set(t.sim, v->name, value), FO_OK);
        c = same ? fo_checkpoint_open(file, NULL, &why) : NULL;
        if (same) CHECK_STATUS(fo_simulation_load(t.sim, c, NULL, 0, &why), FO_OK, &why);
        fo_checkpoint_close(c);
        end(&r), end(&s), end(&t);
    }
}

TEST(what_was_set_before_the_start_is_compared)
{
    static const fo_variable e = {.name = "e", .start = 0.6}, h = {.name = "h", .start = 1};
    static const fo_variable u = {.name = "u"}, x = {.name = "x", .start = 1};
    expect_the_same_set("rest.mo", &h, "was saved with start values with the hash = ");
    expect_the_same_set("told.mo", &x, "was saved with start values with the hash = ");
    expect_the_same_set("told.mo", &u, "was saved with start values with the hash = ");
    expect_the_same_set("rest.mo", &e, "was saved with parameters with the hash = ");
}

TEST(facts_are_compared_and_found_again)
{
    trip r, s;
    fo_message why = {0};
    fo_fact facts[] = {{"c", "15"}, {"note", "x"}};
    REQUIRE(begin(&r, "ball", NULL, 0));
    REQUIRE(begin(&s, "ball", NULL, 0));
    CHECK_INT(fo_simulation_save(r.sim, file, facts, 2, &why), FO_ERROR_ARGUMENT); // not started
    CHECK_INT(fo_simulation_advance(r.sim, 0.1), FO_REACHED);
    CHECK_INT(fo_simulation_save(r.sim, file, facts, 2, &why), FO_OK);
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
    REQUIRE(c);
    CHECK_TEXT(fo_checkpoint_fact(c, "note"), "x");
    CHECK(!fo_checkpoint_fact(c, "nothing"));
    fo_fact other = {"c", "3"};
    CHECK_INT(fo_simulation_load(s.sim, c, &other, 1, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "was saved with c = 15, this run has c = 3");
    CHECK_INT(fo_simulation_load(s.sim, c, facts, 2, &why), FO_OK);
    CHECK_INT(fo_simulation_load(s.sim, c, facts, 2, &why), FO_ERROR_ARGUMENT); // started
    fo_checkpoint_close(c);
    end(&r);
    end(&s);
}

TEST(worlds_say_why_they_have_none)
{
    trip r;
    REQUIRE(begin(&r, "mm1", NULL, 0));
    CHECK(!fo_failed(fo_simulation_advance(r.sim, r.def.stop / 100)));
    CHECK_INT(fo_simulation_save(r.sim, file, NULL, 0, &r.why), FO_ERROR_UNFIT);
    CHECK_CONTAINS(r.why.text, "the stacks of processes cannot be copied");
    end(&r);
}

// Somebody changes numbers and makes the checksums right: what is not within bounds is refused, and
// with the rest nothing is read or written where it should not be.
static void seal_again(unsigned char *list, size_t length)
{
    for (size_t at = 16; at + 24 <= length;) {
        uint64_t size = 0;
        for (int i = 0; i < 8; i++) size |= (uint64_t)list[at + 8 + (size_t)i] << 8 * i;
        if (size > length - at - 24) return;
        uint64_t sum = foi_hash_of(list + at, 16 + (size_t)size, 0);
        for (int i = 0; i < 8; i++)
            list[at + 16 + size + (size_t)i] = (unsigned char)(sum >> 8 * i);
        at += 24 + (size_t)size;
    }
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

static void try_forgery(const char *name, const char *solver, uint64_t *x, int *refused)
{
    static const uint64_t wild[] = {0,
                                    1,
                                    UINT64_MAX,
                                    UINT64_C(0x7FF0000000000000),
                                    UINT64_C(0x7FF8000000000000),
                                    UINT64_C(0xFFEFFFFFFFFFFFFF),
                                    UINT32_MAX};
    size_t size = next_random(x) % 3 ? 8 : 4, at = 16 + next_random(x) % (count - 24);
    uint64_t value = next_random(x) % 2 ? wild[next_random(x) % 7] : next_random(x);
    unsigned char *list = malloc(count);
    trip r;
    fo_message why = {0};
    memcpy(list, bytes, count);
    memcpy(list + at, &value, size);
    seal_again(list, count);
    put(list, count);
    free(list);
    REQUIRE(begin(&r, name, solver, 0));
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
    fo_status status = c ? fo_simulation_load(r.sim, c, NULL, 0, &why) : FO_ERROR;
    if (fo_failed(status)) {
        CHECK(why.text[0]);
        ++*refused;
    } else {
        fo_simulation_advance_some(r.sim, r.def.stop, 200);
    }
    fo_checkpoint_close(c);
    end(&r);
}

TEST(forged_numbers_do_no_harm)
{
    static const char *const pairs[][2] = {
        {"ball", NULL},    {"relay-oscillator", NULL},      {"lorenz", "adams"},
        {"lorenz", "ab3"}, {"van-der-pol-stiff", "radau5"}, {"van-der-pol-stiff", "rodas4"}};
    uint64_t x = 88172645463325252;
    int refused = 0, tries = test_is_sanitized() ? 40 : 250;
    for (size_t i = 0; i < 6; i++) {
        REQUIRE(make(pairs[i][0], pairs[i][1], -50));
        for (int k = 0; k < tries; k++) try_forgery(pairs[i][0], pairs[i][1], &x, &refused);
    }
    CHECK(refused > tries);
}

// One number is changed in a known place: a block's first bytes.
static void expect_number(const char tag[4], size_t offset, uint64_t value, size_t size,
                          const char *says)
{
    trip r;
    fo_message why = {0};
    REQUIRE(make("ball", NULL, 0.3));
    foi_slice in = foi_blocks_find(bytes, count, tag);
    REQUIRE(!in.failed);
    memcpy((unsigned char *)in.at + offset, &value, size);
    seal_again(bytes, count);
    put(bytes, count);
    REQUIRE(begin(&r, "ball", NULL, 0));
    fo_checkpoint *c = fo_checkpoint_open(file, NULL, &why);
    REQUIRE(c);
    CHECK_INT(fo_simulation_load(r.sim, c, NULL, 0, &why), FO_ERROR_FORMAT);
    CHECK_CONTAINS(why.text, says);
    CHECK(fo_failed(fo_simulation_advance(r.sim, r.def.stop)));
    fo_checkpoint_close(c);
    end(&r);
}

TEST(numbers_out_of_range_are_named)
{
    double nan = NAN, late = 1e9;
    uint64_t not_a_number, after;
    memcpy(&not_a_number, &nan, 8);
    memcpy(&after, &late, 8);
    expect_number("stat", 0, not_a_number, 8, "its time is not within the run");
    expect_number("stat", 0, after, 8, "its time is not within the run");
    expect_number("run ", 0, 77, 4, "its phase is unknown");
    expect_number("solv", 4 + 5 + 8, UINT64_MAX, 8, "the solver's counts are beyond");
    expect_number("queu", 8, UINT64_MAX, 8, "more events wait than can");
    expect_number("seat", 0, UINT32_MAX, 4, "more observers");
}

TEST(long_paths_and_strange_files)
{
    trip r;
    fo_message why = {0};
    char path[5000];
    REQUIRE(begin(&r, "ball", NULL, 0));
    CHECK_INT(fo_simulation_advance(r.sim, 0.1), FO_REACHED);
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    CHECK(fo_failed(fo_simulation_save(r.sim, path, NULL, 0, &why)));
    CHECK_CONTAINS(why.text, "is too long");
    path[252] = 0; // it fits, with its ".new" it does not
    CHECK(fo_failed(fo_simulation_save(r.sim, path, NULL, 0, &why)));
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(fo_simulation_save(r.sim, "/dev/null", NULL, 0, &why), FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "it is no plain file");
    CHECK(!fo_checkpoint_open("/dev/zero", NULL, &why));
    CHECK_CONTAINS(why.text, "it is no plain file");
    CHECK(!fo_checkpoint_open("/no/such/file", NULL, &why));
    CHECK_CONTAINS(why.text, "No such file");
    end(&r);
}

static void prepare(void)
{
    snprintf(file, sizeof file, "/tmp/foliot-checkpoint-%ld", (long)getpid());
}

TEST(at_last_the_file_goes)
{
    foi_free(NULL, bytes);
    bytes = NULL;
    CHECK_INT(unlink(file), 0);
}

TEST(a_file_is_a_fact)
{
    char value[FO_FACT_OF_FILE], other[FO_FACT_OF_FILE];
    fo_message why = {0};
    FILE *out = fopen(file, "w");
    REQUIRE(out);
    fputs("some rows", out);
    fclose(out);
    CHECK_STATUS(fo_fact_of_file(file, value, &why), FO_OK, &why);
    CHECK_CONTAINS(value, "(9 bytes)");
    REQUIRE((out = fopen(file, "w")) != NULL);
    fputs("some r0ws", out);
    fclose(out);
    CHECK_STATUS(fo_fact_of_file(file, other, &why), FO_OK, &why);
    CHECK(strcmp(value, other) != 0);
    CHECK_INT(fo_fact_of_file("no/such/file", value, &why), FO_ERROR_INPUT);
}

TEST(first_a_name_is_made)
{
    prepare();
    CHECK(file[0]);
}

TEST_MAIN(TEST_ENTRY(first_a_name_is_made), TEST_ENTRY(every_model_of_the_gallery_goes_on),
          TEST_ENTRY(every_solver_goes_on), TEST_ENTRY(what_is_held_goes_on),
          TEST_ENTRY(a_run_goes_on_from_each_of_its_steps), TEST_ENTRY(what_waits_goes_on),
          TEST_ENTRY(methods_of_others_begin_afresh), TEST_ENTRY(every_flipped_bit_is_seen),
          TEST_ENTRY(another_run_is_refused_with_what_differs),
          TEST_ENTRY(what_was_set_before_the_start_is_compared),
          TEST_ENTRY(facts_are_compared_and_found_again), TEST_ENTRY(worlds_say_why_they_have_none),
          TEST_ENTRY(forged_numbers_do_no_harm), TEST_ENTRY(numbers_out_of_range_are_named),
          TEST_ENTRY(long_paths_and_strange_files), TEST_ENTRY(a_file_is_a_fact),
          TEST_ENTRY(at_last_the_file_goes))
