/// States of exported units as bytes: a run that is written to a file in its middle and goes on in
/// another process ends with the bits of the run that was not; bytes that are no state are refused.
#include <foliot/foliot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "files.h"
#include "fmi/fmu.h"
#include "test.h"

#ifdef FOLIOT_CLI // otherwise this build exports nothing

static char folder[200], unit_path[300], checkpoint[300];

static bool begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/foliot-test-states-XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(unit_path, sizeof unit_path, "%s/unit.fmu", folder);
    snprintf(checkpoint, sizeof checkpoint, "%s/run.checkpoint", folder);
    return true;
}

static void end(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

static bool export(const char *model, int version)
{
    char command[1000];
    snprintf(command, sizeof command, "'%s' export '%s/models/%s' --fmu '%s' --fmi %d", FOLIOT_CLI,
             FOLIOT_SOURCE_DIR, model, unit_path, version);
    return system(command) == 0;
}

static fo_fmu *open_unit(fo_fmu_type type, bool event_mode)
{
    fo_message why = {0};
    fo_fmu_def def = fo_default_fmu_def();
    def.type = type, def.event_mode = event_mode;
    fo_fmu *f = fo_fmu_open(unit_path, &def, &why);
    if (!f) printf("  %s\n", why.text);
    return f;
}

// ---------------------------------------------------------------------------------- checkpoints

enum { MOST = 64 };

typedef struct last {
    double values[MOST];
    uint32_t count;
    uint64_t moments;
} last;

// Part 0: the whole run; 1: up to its middle, and a checkpoint; 2: on from there.
static void carry(fo_fmu_type type, bool event_mode, int part, last *result)
{
    fo_fmu *f = open_unit(type, event_mode);
    fo_message why = {0};
    REQUIRE(f);
    fo_run_def def = fo_fmu_run_def(f);
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(f), &def, &why);
    REQUIRE(sim);
    if (part == 2) {
        fo_checkpoint *c = fo_checkpoint_open(checkpoint, NULL, &why);
        REQUIRE(c);
        CHECK(fo_simulation_load(sim, c, NULL, 0, &why) == FO_OK);
        fo_checkpoint_close(c);
    }
    double middle = def.start + 0.437 * (def.stop - def.start);
    CHECK(!fo_failed(fo_simulation_advance(sim, part == 1 ? middle : def.stop)));
    if (fo_simulation_message(sim)->text[0]) printf("  %s\n", fo_simulation_message(sim)->text);
    if (part == 1) CHECK(fo_simulation_save(sim, checkpoint, NULL, 0, &why) == FO_OK);
    const fo_state *s = fo_simulation_state(sim);
    result->count = s->shape.states + s->shape.outputs;
    REQUIRE(result->count <= MOST);
    memcpy(result->values, s->x, s->shape.states * sizeof(double));
    for (uint32_t i = 0; i < s->shape.outputs; i++)
        result->values[s->shape.states + i] =
            fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
    result->moments = fo_simulation_statistics(sim).moments;
    fo_simulation_destroy(sim);
    fo_fmu_close(f);
}

static void write_and_go_on(const char *model, int version, fo_fmu_type type, bool event_mode)
{
    last whole, parts;
    carry(type, event_mode, 0, &whole);
    carry(type, event_mode, 1, &parts);
    carry(type, event_mode, 2, &parts);
    bool same = whole.count && whole.count == parts.count && whole.moments == parts.moments &&
                memcmp(whole.values, parts.values, whole.count * sizeof(double)) == 0;
    if (!same) printf("  %s, FMI %d, type %d%s\n", model, version, type, event_mode ? "e" : "");
    CHECK(same);
}

TEST(a_checkpoint_gives_equal_bits)
{
    static const char *const models[] = {"ball/ball.mo", "sampled-control/sampled-control.mo",
                                         "diagrams/bouncing-ball.json",
                                         "mass-on-a-chain/mass-on-a-chain.structure.json"};
    REQUIRE(begin());
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        int version = i % 2 ? 2 : 3;
        REQUIRE(export(models[i], version));
        write_and_go_on(models[i], version, FO_FMU_MODEL_EXCHANGE, false);
        write_and_go_on(models[i], version, FO_FMU_CO_SIMULATION, false);
        if (version == 3) write_and_go_on(models[i], version, FO_FMU_CO_SIMULATION, true);
    }
    end();
}

// ------------------------------------------------------------------------------------ hostile
// bytes

static bool ask(fo_fmu *f, foi_unit_request what, double t, double h, fo_message *why)
{
    f->unit.block->t = t, f->unit.block->h = h;
    return foi_unit_ask(&f->unit, what, why) == FO_OK;
}

static bool start(fo_fmu *f)
{
    foi_unit *u = &f->unit;
    fo_message why = {0};
    foi_unit_forget(u);
    if (u->u.values) memcpy(u->tu, u->known_u, u->u.values * sizeof(double));
    if (u->p.values) memcpy(u->tp, u->known_p, u->p.values * sizeof(double));
    if (u->x.values) memcpy(u->tx, u->known_x, u->x.values * sizeof(double));
    u->block->stop_defined = false;
    return ask(f, FOI_UNIT_START, 0, 0, &why);
}

// Restores bytes of whatever content: refused, or taken; the process lives either way.
static bool restore(fo_fmu *f, const void *bytes, size_t size)
{
    fo_message why = {0};
    memcpy(f->unit.state, bytes, size);
    f->unit.block->state_size = size;
    bool taken = ask(f, FOI_UNIT_RESTORE, 0, 0, &why);
    if (!taken) CHECK(strstr(why.text, "no state of this unit"));
    CHECK(!f->unit.dead);
    if (!taken) CHECK(start(f));
    return taken;
}

static uint64_t state;
static uint64_t next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

// One byte of a block is changed, and its checksum is made right: what was saved lies.
static size_t lie(const unsigned char *bytes, size_t size, unsigned char *to, size_t room)
{
    foi_bytes b = {0};
    size_t count = 0, n = 0;
    foi_bytes_begin(&b, "foliot-unit-1");
    for (size_t at = 16; at + 24 <= size; at += 24 + count) {
        foi_slice length = {bytes + at + 8, bytes + at + 16, false, NULL};
        char tag[5] = {0};
        memcpy(tag, bytes + at, 4);
        count = (size_t)foi_take_u64(&length);
        if (strcmp(tag, "end ") == 0) break;
        foi_bytes_block(&b, tag);
        unsigned char *own = malloc(count + 1);
        memcpy(own, bytes + at + 16, count);
        if (count && next() % 4 == 0) {
            size_t where = next() % count;
            own[where] = (unsigned char)(next() % 3 ? next() : 255);
        }
        foi_bytes_put(&b, own, count);
        free(own);
        foi_bytes_block_end(&b);
    }
    foi_bytes_end(&b);
    if (!b.failed && b.count <= room) memcpy(to, b.list, n = b.count);
    foi_bytes_free(&b);
    return n;
}

static void damage(fo_fmu *f, double h)
{
    fo_message why = {0};
    static unsigned char good[100000], bad[100000];
    REQUIRE(start(f));
    for (int k = 0; k < 5 && f->unit.cosimulation; k++)
        REQUIRE(ask(f, FOI_UNIT_STEP, k * h, h, &why));
    REQUIRE(ask(f, FOI_UNIT_SAVE, 0, 0, &why));
    size_t size = f->unit.block->state_size;
    REQUIRE(size > 100 && size + 100 < sizeof good);
    memcpy(good, f->unit.state, size);
    CHECK(restore(f, good, size));
    memset(good + size, 0, 100);
    CHECK(restore(f, good, size + 100)); // more room than it needs
    for (int i = 0; i < 25; i++) {
        memcpy(bad, good, size);
        bad[next() % size] ^= (unsigned char)(1 + next() % 255);
        CHECK(!restore(f, bad, size));
        CHECK(!restore(f, good, next() % size));
    }
    int taken = 0;
    for (int i = 0; i < 40; i++) {
        size_t n = lie(good, size, bad, sizeof bad);
        REQUIRE(n);
        if (!restore(f, bad, n)) continue;
        taken++; // it may be another state: then it goes on, or says that it cannot
        f->unit.timeout = 20;
        if (f->unit.cosimulation) ask(f, FOI_UNIT_STEP, 5 * h, h, &why);
        CHECK(!f->unit.dead);
        CHECK(start(f));
    }
    printf("  %zu bytes; %d of 40 lies were taken\n", size, taken);
}

TEST(hostile_bytes_are_refused)
{
    static const char *const models[] = {"ball/ball.mo", "diagrams/bouncing-ball.json"};
    REQUIRE(begin());
    state = 20;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        REQUIRE(export(models[i], i % 2 ? 2 : 3));
        for (int type = FO_FMU_MODEL_EXCHANGE; type <= FO_FMU_CO_SIMULATION; type++) {
            fo_fmu *f = open_unit((fo_fmu_type)type, false);
            REQUIRE(f);
            damage(f, (f->experiment.stop - f->experiment.start) / 80);
            fo_fmu_close(f);
        }
    }
    end();
}

// A state of one unit is not taken by another.
TEST(a_state_of_another_unit_is_refused)
{
    static unsigned char bytes[100000];
    fo_message why = {0};
    REQUIRE(begin());
    REQUIRE(export("ball/ball.mo", 3));
    fo_fmu *f = open_unit(FO_FMU_CO_SIMULATION, false);
    REQUIRE(f && start(f) && ask(f, FOI_UNIT_SAVE, 0, 0, &why));
    size_t size = f->unit.block->state_size;
    REQUIRE(size < sizeof bytes);
    memcpy(bytes, f->unit.state, size);
    fo_fmu_close(f);
    f = open_unit(FO_FMU_MODEL_EXCHANGE, false);
    REQUIRE(f && start(f));
    CHECK(!restore(f, bytes, size));
    fo_fmu_close(f);
    REQUIRE(export("sampled-control/sampled-control.mo", 3));
    f = open_unit(FO_FMU_CO_SIMULATION, false);
    REQUIRE(f && start(f));
    CHECK(!restore(f, bytes, size));
    fo_fmu_close(f);
    end();
}

// ------------------------------------------------------------------------------------------ groups

// Two masses on springs with a spring between them; a clock counts in one of them.
static const char left[] = "model Left\n"
                           "  parameter Real k = 1; input Real f(start = 0);\n"
                           "  output Real v(start = 0, fixed = true);\n"
                           "  Real x(start = 1, fixed = true);\n"
                           "  discrete Integer n(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(x) = v; der(v) = f - k*x;\n"
                           "  when sample(0.7, 0.7) then n = pre(n) + 1; end when;\n"
                           "end Left;\n";
static const char right[] = "model Right\n"
                            "  input Real v(start = 0); output Real f;\n"
                            "  Real y(start = 1, fixed = true); Real x(start = 0, fixed = true);\n"
                            "  Real w(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(y) = v; der(x) = w; f = x - y; der(w) = -(x + f);\n"
                            "end Right;\n";

static bool export_text(const char *name, const char *text)
{
    char command[1000], file[40];
    snprintf(file, sizeof file, "%s.mo", name);
    if (!write_file(folder, file, text)) return false;
    snprintf(command, sizeof command,
             "cd '%s' && '%s' export %s.mo --fmu %s-cs.fmu --type cs && "
             "'%s' export %s.mo --fmu %s-me.fmu --type me",
             folder, FOLIOT_CLI, name, name, FOLIOT_CLI, name, name);
    return system(command) == 0;
}

static fo_fmu_group *open_group(void)
{
    char path[300];
    fo_message why = {0};
    fo_fmu_def def = fo_default_fmu_def();
    snprintf(path, sizeof path, "%s/masses.fmus.json", folder);
    fo_fmu_group *g = fo_fmu_group_open(path, &def, &why);
    if (!g) printf("  %s\n", why.text);
    return g;
}

static fo_simulation *simulate(const fo_fmu_group *g)
{
    fo_message why = {0};
    fo_run_def def = fo_fmu_group_run_def(g);
    fo_simulation *sim = fo_simulation_create(fo_fmu_group_system(g), &def, &why);
    if (!sim) printf("  %s\n", why.text);
    return sim;
}

static bool to(fo_simulation *sim, double t)
{
    if (!fo_failed(fo_simulation_advance(sim, t))) return true;
    printf("  %s\n", fo_simulation_message(sim)->text);
    return false;
}

static bool same_end(fo_simulation *sim, const last *whole)
{
    const fo_state *s = fo_simulation_state(sim);
    bool same = s->shape.states + s->shape.outputs == whole->count &&
                memcmp(s->x, whole->values, s->shape.states * sizeof(double)) == 0;
    for (uint32_t i = 0; i < s->shape.outputs && same; i++)
        same = fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i}) ==
               whole->values[s->shape.states + i];
    return same;
}

static void note_end(fo_simulation *sim, last *l)
{
    const fo_state *s = fo_simulation_state(sim);
    l->count = s->shape.states + s->shape.outputs;
    REQUIRE(l->count <= MOST);
    memcpy(l->values, s->x, s->shape.states * sizeof(double));
    for (uint32_t i = 0; i < s->shape.outputs; i++)
        l->values[s->shape.states + i] = fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
}

// Whole; rewound from its end; two simulations of one group in turn; a set inside of a step, which
// takes the units back; a file, and other processes.
static void rewind_group(void)
{
    last whole = {0}, tuned = {0};
    fo_message why = {0};
    fo_fmu_group *g = open_group();
    REQUIRE(g);
    fo_simulation *a = simulate(g), *b = simulate(g);
    REQUIRE(a && b);
    REQUIRE(to(a, 6));
    note_end(a, &whole);
    uint64_t hash = fo_simulation_hash(a);
    REQUIRE(to(b, 2.53));
    fo_snapshot *middle = fo_simulation_snapshot(b);
    REQUIRE(middle);
    CHECK(same_end(a, &whole)); // its outputs are its own, though the others have the units
    REQUIRE(to(b, 6));
    CHECK(same_end(b, &whole));
    REQUIRE(fo_simulation_restore(a, middle) == FO_OK && to(a, 4));
    REQUIRE(fo_simulation_restore(b, middle) == FO_OK && to(b, 5) && to(a, 6) && to(b, 6));
    CHECK(same_end(a, &whole) && same_end(b, &whole));
    // recordings are judged by the bits of the whole state, memory included
    CHECK(fo_simulation_hash(a) == hash && fo_simulation_hash(b) == hash);
    for (int again = 0; again < 2; again++) {
        REQUIRE(fo_simulation_restore(a, middle) == FO_OK);
        REQUIRE(fo_simulation_send_set(a, 3.14, "left.k", 2) == FO_OK && to(a, 6));
        if (again)
            CHECK(same_end(a, &tuned));
        else
            note_end(a, &tuned);
        CHECK(!same_end(a, &whole));
    }
    REQUIRE(fo_simulation_restore(b, middle) == FO_OK && to(b, 3.37));
    CHECK(fo_simulation_save(b, checkpoint, NULL, 0, &why) == FO_OK);
    fo_snapshot_destroy(middle);
    fo_simulation_destroy(a);
    fo_simulation_destroy(b);
    fo_fmu_group_close(g);

    g = open_group();
    REQUIRE(g);
    a = simulate(g);
    fo_checkpoint *c = fo_checkpoint_open(checkpoint, NULL, &why);
    REQUIRE(a && c && fo_simulation_load(a, c, NULL, 0, &why) == FO_OK && to(a, 6));
    CHECK(same_end(a, &whole));
    fo_checkpoint_close(c);
    fo_simulation_destroy(a);
    fo_fmu_group_close(g);
}

// Units in Co-Simulation, and units that have Model Exchange only, which a solver of ours carries.
TEST(groups_are_rewound)
{
    static const struct {
        const char *left, *right, *master;
    } list[] = {{"cs", "cs", "\"method\": \"held\""},
                {"cs", "cs", "\"method\": \"extrapolated\""},
                {"cs", "cs", "\"method\": \"iterated\", \"control\": \"error\""},
                {"me", "cs", "\"method\": \"held\""},
                {"me", "me", "\"method\": \"iterated\", \"control\": \"error\""}};
    REQUIRE(begin());
    REQUIRE(export_text("left", left) && export_text("right", right));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"units\": {\"left\": \"left-%s.fmu\", \"right\": \"right-%s.fmu\"}, "
                 "\"connections\": [[\"left.v\", \"right.v\"], [\"right.f\", \"left.f\"]], "
                 "\"master\": {%s}, \"run\": {\"stop\": 6, \"step\": 0.1}}",
                 list[i].left, list[i].right, list[i].master);
        REQUIRE(write_file(folder, "masses.fmus.json", text));
        rewind_group();
    }
    end();
}

#else

TEST(groups_are_rewound)
{
}
TEST(a_checkpoint_gives_equal_bits)
{
    printf("  no units are exported in this build\n");
}
TEST(hostile_bytes_are_refused)
{
}
TEST(a_state_of_another_unit_is_refused)
{
}

#endif

TEST_MAIN(TEST_ENTRY(a_checkpoint_gives_equal_bits), TEST_ENTRY(hostile_bytes_are_refused),
          TEST_ENTRY(a_state_of_another_unit_is_refused), TEST_ENTRY(groups_are_rewound))
