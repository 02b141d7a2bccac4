// What the slotted network is made of, without a network: packets, schedule, clock, bridging, and
// parts that exchange their faces.
#include <foliot/tdma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cluster/slots/bridge.h"
#include "cluster/slots/offset.h"
#include "cluster/slots/share.h"
#include "field/document.h"
#include "test.h"

// ---------------------------------------------------------------------------------------- packets

static foi_tdma_packet sample(void)
{
    foi_tdma_packet p = {.kind = FOI_HALO_VALUES,
                         .sender = 3,
                         .run = 0x0123456789abcdef,
                         .cycle = 77,
                         .side = 2,
                         .piece = 1,
                         .pieces = 4};
    foi_tdma_put_real(&p, -1.5);
    foi_tdma_put(&p, 0xbeef, 2);
    return p;
}

TEST(packets_have_a_fixed_form)
{
    foi_tdma_packet p = sample(), q;
    unsigned char bytes[FOI_PACKET_MOST];
    static const unsigned char head[] = {'F',  'O',  'L',  'I',  3, 7, 0, 3, 0x01, 0x23, 0x45, 0x67,
                                         0x89, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0,    0,    0,    77};
    size_t count = foi_tdma_encode(&p, bytes);
    CHECK_INT((long long)count, FOI_PACKET_HEADER + 10);
    CHECK(memcmp(bytes, head, sizeof head) == 0);
    CHECK_INT(bytes[40], 0xbf); // -1.5 = 0xbff8...
    CHECK_INT(bytes[41], 0xf8);
    CHECK_INT(foi_tdma_decode(bytes, count, &q), FOI_PACKET_GOOD);
    double value;
    uint64_t number;
    CHECK(foi_tdma_take_real(&q, &value) && value == -1.5);
    CHECK(foi_tdma_take(&q, &number, 2) && number == 0xbeef);
    CHECK(!foi_tdma_take(&q, &number, 1));
    CHECK_INT(q.sender, 3);
    CHECK_INT((long long)q.cycle, 77);
    CHECK_INT(q.piece, 1);
}

TEST(damaged_packets_are_seen)
{
    foi_tdma_packet p = sample(), q;
    unsigned char bytes[FOI_PACKET_MOST];
    size_t count = foi_tdma_encode(&p, bytes);
    for (size_t shorter = 5; shorter < count; shorter++)
        CHECK_INT(foi_tdma_decode(bytes, shorter, &q), FOI_PACKET_BROKEN);
    for (size_t at = 5; at < count; at++) {
        bytes[at] ^= 0x10;
        CHECK(foi_tdma_decode(bytes, count, &q) != FOI_PACKET_GOOD);
        bytes[at] ^= 0x10;
    }
    bytes[4] = 1; // another version
    CHECK_INT(foi_tdma_decode(bytes, count, &q), FOI_PACKET_FOREIGN);
    CHECK_INT(foi_tdma_decode((const unsigned char *)"GET / HTTP/1.1", 14, &q), FOI_PACKET_FOREIGN);
    CHECK_INT(foi_tdma_decode(bytes, 0, &q), FOI_PACKET_BROKEN);
}

// ------------------------------------------------------------------------------------------ clock

// A clock that is 3 s ahead and gains 50 us in a second; packets take 40 us and up to 2 ms more.
TEST(the_offset_is_measured_and_followed)
{
    foi_tdma_offset o = {0};
    unsigned seed = 1;
    for (int i = 0; i < 24; i++) {
        int64_t out = 40000 + rand_r(&seed) % 2000000, back = 40000 + rand_r(&seed) % 2000000;
        if (i == 11) out = back = 40000;
        int64_t t1 = 3000000000 + i * 1000000, t2 = t1 - 3000000000 + out;
        foi_tdma_offset_exchange(&o, t1, t2, t2 + 5000, t1 + out + 5000 + back);
    }
    CHECK_NEAR((double)o.offset, -3e9, 1000);
    CHECK_NEAR((double)o.delay, 80000, 1);
    double worst = 0;
    for (int64_t k = 0; k < 5000; k++) {
        int64_t sent = k * 4200000, drift = sent / 20000; // 50 ppm
        int64_t transit = 40000 + (rand_r(&seed) % 4 ? rand_r(&seed) % 2000000 : 0);
        foi_tdma_offset_sync(&o, sent, sent + 3000000000 + drift + transit);
        double error = (double)(o.offset + 3000000000 + drift);
        if (k > 500) worst = fmax(worst, fabs(error));
    }
    CHECK(worst < 30000); // 21 s at 50 ppm are 1.05 ms, were they not followed
}

// --------------------------------------------------------------------------------------- bridging

static foi_tdma_arrival give(foi_tdma_bridge *b, uint64_t cycle, uint64_t now, uint16_t piece,
                             double first)
{
    foi_tdma_packet p = {.cycle = cycle, .piece = piece, .pieces = b->pieces};
    uint32_t from = piece * (uint32_t)FOI_PACKET_REALS, to = from + FOI_PACKET_REALS;
    for (uint32_t i = from; i < to && i < b->count; i++) foi_tdma_put_real(&p, first + i);
    return foi_tdma_bridge_take(b, &p, now);
}

TEST(boundaries_come_in_pieces_in_any_order)
{
    foi_tdma_bridge b;
    double values[400];
    REQUIRE(foi_tdma_bridge_open(&b, FO_TDMA_HOLD, 400, NULL));
    CHECK_INT(b.pieces, 3);
    CHECK(!foi_tdma_bridge_values(&b, 5, values));
    CHECK_INT(give(&b, 5, 5, 2, 100), FOI_ARRIVED);
    CHECK_INT(give(&b, 5, 5, 2, 100), FOI_DUPLICATED);
    CHECK_INT(give(&b, 6, 5, 0, 200), FOI_ARRIVED); // the next cycle may begin already
    CHECK_INT(give(&b, 5, 5, 0, 100), FOI_ARRIVED);
    CHECK(!foi_tdma_bridge_has(&b, 5));
    CHECK_INT(give(&b, 5, 5, 1, 100), FOI_COMPLETED);
    CHECK(foi_tdma_bridge_settle(&b, 5));
    CHECK_INT(give(&b, 5, 5, 1, 100), FOI_DUPLICATED);
    CHECK_INT(give(&b, 5, 6, 1, 100), FOI_DUPLICATED);
    CHECK_INT(give(&b, 4, 5, 1, 100), FOI_LATE);
    CHECK_INT(give(&b, 7, 5, 1, 100), FOI_EARLY);
    CHECK(foi_tdma_bridge_values(&b, 5, values));
    CHECK(values[0] == 100 && values[399] == 499);
    CHECK_INT(give(&b, 6, 6, 2, 200), FOI_ARRIVED);
    CHECK(!foi_tdma_bridge_settle(&b, 6)); // one piece is missing
    foi_tdma_packet odd = {.cycle = 6, .piece = 1, .pieces = 2};
    CHECK_INT(foi_tdma_bridge_take(&b, &odd, 6), FOI_UNFIT);
    foi_tdma_bridge_close(&b);
}

TEST(what_is_missing_is_held_or_extrapolated)
{
    for (int kind = 0; kind < 2; kind++) {
        foi_tdma_bridge b;
        double value;
        REQUIRE(foi_tdma_bridge_open(&b, (fo_tdma_bridge)kind, 1, NULL));
        give(&b, 10, 10, 0, 1);
        CHECK(foi_tdma_bridge_settle(&b, 10));
        give(&b, 12, 12, 0, 5); // two in a cycle
        CHECK(foi_tdma_bridge_settle(&b, 12));
        CHECK(foi_tdma_bridge_values(&b, 12, &value) && value == 5);
        foi_tdma_bridge_values(&b, 12.5, &value);
        CHECK_NEAR(value, kind == FO_TDMA_HOLD ? 5 : 6, 0);
        foi_tdma_bridge_values(&b, 100, &value); // a line is followed for four cycles at most
        CHECK_NEAR(value, kind == FO_TDMA_HOLD ? 5 : 13, 0);
        foi_tdma_bridge_close(&b);
    }
}

// ------------------------------------------------------------------------------------------ parts

/// Parts that exchange faces as the network would, every `steps` steps.
typedef struct rig {
    fo_field *field;
    uint32_t count, steps;
    double h;
    foi_tdma_share list[12];
    foi_tdma_part *part[12];
    foi_tdma_bridge bridge[12][6];
    uint64_t cycle;
} rig;

static bool rig_open(rig *r, fo_message *why)
{
    uint32_t parts[3] = {0};
    return !foi_tdma_partition(r->field, r->count, parts, r->list, why);
}

static bool rig_make(rig *r, const fo_allocator *a, fo_message *why)
{
    for (uint32_t i = 0; i < r->count; i++) {
        r->part[i] = foi_tdma_part_create(r->field, &r->list[i], r->h, a, why);
        if (!r->part[i]) return false;
        for (int side = 0; side < 6; side++) {
            uint32_t size = foi_tdma_face_size(r->part[i], side);
            if (size && !foi_tdma_bridge_open(&r->bridge[i][side], FO_TDMA_EXTRAPOLATE, size, a))
                return false;
        }
    }
    return true;
}

static void rig_close(rig *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        foi_tdma_part_destroy(r->part[i]);
        for (int side = 0; side < 6; side++) foi_tdma_bridge_close(&r->bridge[i][side]);
    }
}

static void rig_send(rig *r, uint32_t i, int side)
{
    static double face[4096];
    uint32_t size = foi_tdma_face_size(r->part[i], side);
    foi_tdma_bridge *b = &r->bridge[r->list[i].near[side]][side ^ 1];
    foi_tdma_face_get(r->part[i], side, face);
    for (uint16_t piece = 0; piece < b->pieces; piece++) {
        foi_tdma_packet p = {.cycle = r->cycle, .piece = piece, .pieces = b->pieces};
        uint32_t from = piece * (uint32_t)FOI_PACKET_REALS, to = from + FOI_PACKET_REALS;
        for (uint32_t n = from; n < to && n < size; n++) foi_tdma_put_real(&p, face[n]);
        foi_tdma_bridge_take(b, &p, r->cycle);
    }
}

static bool rig_cycle(rig *r)
{
    static double face[4096];
    double moment = foi_tdma_halo_moment(r->field);
    for (uint32_t i = 0; i < r->count; i++)
        for (int side = 0; side < 6; side++)
            if (r->list[i].box.sides[side]) rig_send(r, i, side);
    for (uint32_t i = 0; i < r->count; i++) {
        for (int side = 0; side < 6; side++)
            if (r->list[i].box.sides[side] &&
                !foi_tdma_bridge_settle(&r->bridge[i][side], r->cycle))
                return false;
        for (uint32_t k = 0; k < r->steps; k++) {
            for (int side = 0; side < 6; side++) {
                if (!r->list[i].box.sides[side]) continue;
                double at = (double)r->cycle + (k + moment) / r->steps;
                foi_tdma_bridge_values(&r->bridge[i][side], at, face);
                foi_tdma_halo_put(r->part[i], side, face);
            }
            if (foi_tdma_part_advance(r->part[i], NULL)) return false;
        }
    }
    r->cycle++;
    return true;
}

/// The largest difference of all probes between the parts and the whole, over all cycles.
static double difference(fo_field *field, double h, uint32_t count, const uint32_t wanted[3],
                         uint32_t steps, uint32_t cycles, double *largest)
{
    rig r = {.field = field, .count = count, .steps = steps, .h = h}, one = r;
    fo_message why = {0};
    uint32_t parts[3], single[3] = {1, 1, 1},
                       probes = (uint32_t)fo_field_system(field).about->outputs.count;
    double worst = 0;
    memcpy(parts, wanted, sizeof parts);
    one.count = 1;
    bool good = !foi_tdma_partition(field, count, parts, r.list, &why) &&
                !foi_tdma_partition(field, 1, single, one.list, &why) && rig_make(&r, NULL, &why) &&
                rig_make(&one, NULL, &why);
    if (!good) test_fail(__FILE__, __LINE__, "%s", why.text);
    for (uint32_t k = 0; k < cycles && good; k++) {
        good = rig_cycle(&r) && rig_cycle(&one);
        for (uint32_t probe = 0; probe < probes && good; probe++) {
            double a = NAN, b = NAN;
            for (uint32_t i = 0; i < count; i++) foi_tdma_part_probe(r.part[i], probe, &a);
            foi_tdma_part_probe(one.part[0], probe, &b);
            worst = fabs(a - b) <= worst ? worst : fabs(a - b);
            if (largest) *largest = fmax(*largest, fabs(b));
        }
    }
    CHECK(good);
    rig_close(&r);
    rig_close(&one);
    return good ? worst : NAN;
}

/// The same against a simulation of the field, which takes the steps of `foliot run`.
static double difference_to_run(fo_field *field, double h, uint32_t count, const uint32_t cut[3],
                                uint32_t cycles)
{
    rig r = {.field = field, .count = count, .steps = 1, .h = h};
    fo_message why = {0};
    uint32_t parts[3], probes = (uint32_t)fo_field_system(field).about->outputs.count;
    double worst = 0;
    fo_run_def def = fo_default_run_def();
    def.solver = "own", def.step = h, def.stop = 2 * cycles * h;
    fo_simulation *sim = fo_simulation_create(fo_field_system(field), &def, &why);
    memcpy(parts, cut, sizeof parts);
    bool good =
        sim && !foi_tdma_partition(field, count, parts, r.list, &why) && rig_make(&r, NULL, &why);
    if (!good) test_fail(__FILE__, __LINE__, "%s", why.text);
    for (uint32_t k = 0; k < cycles && good; k++) {
        good = rig_cycle(&r) && !fo_failed(fo_simulation_advance(sim, (k + 1) * h));
        for (uint32_t probe = 0; probe < probes && good; probe++) {
            double a = NAN, b = fo_simulation_state(sim)->x[field->probe_state[probe]];
            for (uint32_t i = 0; i < count; i++) foi_tdma_part_probe(r.part[i], probe, &a);
            worst = fabs(a - b) <= worst ? worst : fabs(a - b);
        }
    }
    CHECK(good);
    rig_close(&r);
    fo_simulation_destroy(sim);
    return good ? worst : NAN;
}

enum { NX = 19, NY = 17 };

/// A sheet whose speed and damping vary, with a driven, a free, an absorbing or periodic sides.
static fo_field *sheet(fo_field_method method, bool varying, bool periodic, double b2)
{
    static double c[NX * NY], start[NX * NY];
    static fo_field_probe probes[NX * NY];
    for (uint32_t i = 0; i < NX * NY; i++) {
        c[i] = 1 + 0.3 * sin(i);
        start[i] = exp(-0.02 * ((i % NX - 8.) * (i % NX - 8.) + (i / NX - 9.) * (i / NX - 9.)));
        probes[i] = (fo_field_probe){.node = {i % NX, i / NX}};
    }
    static const fo_field_point points[] = {
        {.node = {4, 5}, .signal = {.kind = FO_SIGNAL_SINE, .amplitude = 2, .omega = 3}},
        {.node = {10, 9},
         .hold = true,
         .signal = {.kind = FO_SIGNAL_SINE, .amplitude = 1, .omega = 2}}};
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = NX, def.size[1] = NY;
    def.length[0] = 1.7, def.length[1] = 1.3; // spacings that are no round numbers
    def.c = 1, def.b1 = 0.4, def.b2 = b2;
    if (varying) def.c_at = c;
    def.start = start;
    def.sides[FO_SIDE_LEFT] =
        (fo_side){FO_SIDE_DRIVEN, {.kind = FO_SIGNAL_SINE, .amplitude = 1, .omega = 6}};
    def.sides[FO_SIDE_RIGHT].kind = FO_SIDE_FREE;
    def.sides[FO_SIDE_FRONT].kind = FO_SIDE_ABSORBING;
    for (int side = 0; side < 4 && periodic; side++) def.sides[side].kind = FO_SIDE_PERIODIC;
    def.points = points, def.point_count = 2;
    def.probes = probes, def.probe_count = NX * NY;
    def.method = method;
    fo_message why = {0};
    fo_field *f = fo_field_create(&def, &why);
    if (!f) test_fail(__FILE__, __LINE__, "%s", why.text);
    return f;
}

TEST(explicit_methods_have_the_bits_of_the_whole)
{
    static const uint32_t cuts[][3] = {{1, 2, 1}, {1, 5, 1}, {3, 1, 1}, {3, 4, 1}, {6, 2, 1}};
    for (int kind = 0; kind < 16; kind++)
        for (size_t i = 0; i < FO_COUNT(cuts); i++) {
            fo_field_method method = kind % 2 ? FO_FIELD_EULER : FO_FIELD_LEAPFROG;
            fo_field *f = sheet(method, kind & 2, kind & 4, kind & 8 ? 0.02 : 0);
            const uint32_t *cut = cuts[i];
            REQUIRE(f);
            double h = 0.5 * fo_field_limit(f, method);
            CHECK_NEAR(difference_to_run(f, h, cut[0] * cut[1], cut, 60), 0, 0);
            fo_field_destroy(f);
        }
}

// The others see their neighbours as they will be, by a straight line: an error of second order.
TEST(other_methods_come_near)
{
    static const fo_field_method methods[] = {FO_FIELD_RK4, FO_FIELD_IMPLICIT_EULER,
                                              FO_FIELD_SLIDING};
    static const uint32_t cut[3] = {1, 3, 1};
    for (size_t i = 0; i < FO_COUNT(methods); i++) {
        fo_field *f = sheet(methods[i], false, false, 0.02);
        REQUIRE(f);
        double large = 0, error = difference(f, 0.004, 3, cut, 1, 200, &large);
        double finer = difference(f, 0.002, 3, cut, 1, 400, NULL);
        CHECK(error > 0 && error < 0.02 * large);
        CHECK_NEAR(log2(error / finer), 2, 0.6);
        fo_field_destroy(f);
    }
}

// Several steps between exchanges, as in table 4-1: the error is bounded, and it is there.
TEST(steps_between_exchanges_cost_accuracy)
{
    static const uint32_t cut[3] = {1, 4, 1};
    fo_field *f = sheet(FO_FIELD_LEAPFROG, false, false, 0);
    REQUIRE(f);
    double h = 0.2 * fo_field_limit(f, FO_FIELD_LEAPFROG), large = 0;
    double coarse = difference(f, h, 4, cut, 4, 60, &large);
    double fine = difference(f, h / 2, 4, cut, 4, 120, NULL);
    double finer = difference(f, h / 4, 4, cut, 4, 240, NULL);
    CHECK(coarse > 0 && coarse < 0.5 * large);
    CHECK(fine < 0.7 * coarse && finer < 0.7 * fine);
    fo_field_destroy(f);
}

TEST(cuts_leave_an_object_whole)
{
    fo_message why = {0};
    foi_field_document *d = foi_field_read(
        FOLIOT_SOURCE_DIR "/models/wedge-over-slots/wedge-over-slots.field.json", NULL, &why);
    REQUIRE(d);
    foi_tdma_share list[7];
    uint32_t halves[3] = {2, 1, 1}, sevens[3] = {1, 7, 1};
    CHECK_STATUS(foi_tdma_partition(d->field, 2, halves, list, &why), FO_OK, &why);
    CHECK_INT(list[0].box.n[0], 13); // 11 would go through the nodes 9 to 12
    CHECK_STATUS(foi_tdma_partition(d->field, 7, sevens, list, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "leave the object whole");
    foi_field_document_destroy(d);
}

TEST(every_allocation_may_fail)
{
    fo_field *f = sheet(FO_FIELD_RK4, true, false, 0.02);
    fo_message why = {0};
    REQUIRE(f);
    for (long at = 1; at < 1000; at++) {
        rig r = {.field = f, .count = 2, .steps = 1, .h = 0.001};
        test_memory memory;
        test_memory_init(&memory, at);
        REQUIRE(rig_open(&r, &why));
        bool good = rig_make(&r, &memory.allocator, &why);
        rig_close(&r);
        CHECK_INT(memory.live, 0);
        if (good) break;
        CHECK_INT(why.status ? why.status : FO_ERROR_MEMORY, FO_ERROR_MEMORY);
        REQUIRE(at < 999);
    }
    fo_field_destroy(f);
}

// -------------------------------------------------------------------------------------- documents

static foi_field_document *read_cluster(const char *members, fo_message *why)
{
    char text[512];
    snprintf(text, sizeof text, "{\"field\": \"wave\", \"size\": [9, 9], \"cluster\": {%s}}",
             members);
    foi_json_def def = {.name = "x.field.json", .text = text, .length = strlen(text)};
    foi_json *json = foi_json_read(&def, why);
    foi_field_document *d = json ? foi_field_document_of(json, NULL, why) : NULL;
    foi_json_destroy(json);
    return d;
}

TEST(documents_say_how_to_share_a_field)
{
    static const char *const wrong[][2] = {
        {"\"bridge\": \"guess\"", "$.cluster.bridge: 'guess' is none of hold, extrapolate"},
        {"\"parts\": [2]", "$.cluster.parts: expected 2 whole numbers"},
        {"\"parts\": [0, 2]", "parts are whole numbers from 1 on, not 0"},
        {"\"period\": -1", "must not be negative"},
        {"\"steps\": 1.5", "expected a whole number"},
        {"\"perod\": 3", "nothing here is called 'perod'; did you mean 'period'?"},
    };
    fo_message why = {0};
    for (size_t i = 0; i < FO_COUNT(wrong); i++) {
        CHECK(!read_cluster(wrong[i][0], &why));
        CHECK_CONTAINS(why.text, wrong[i][1]);
    }
    foi_field_document *d = read_cluster("\"period\": 0.01, \"slot\": 0.001, \"steps\": 2, "
                                         "\"parts\": [3, 1], \"bridge\": \"extrapolate\", "
                                         "\"capacity\": 1e8, \"patience\": 1",
                                         &why);
    REQUIRE(d);
    const fo_tdma_def *c = &d->cluster;
    CHECK(c->period == 0.01 && c->slot == 0.001 && c->capacity == 1e8 && c->patience == 1);
    CHECK(c->steps == 2 && c->parts[0] == 3 && c->parts[1] == 1 && c->parts[2] == 1);
    CHECK_INT(c->bridge, FO_TDMA_EXTRAPOLATE);
    foi_field_document_destroy(d);
}

// --------------------------------------------------------------------------------------- schedule

static fo_field *document_sheet(uint32_t n)
{
    fo_field_def def = fo_default_field_def();
    fo_message why = {0};
    def.dimensions = 2;
    def.size[0] = def.size[1] = n;
    def.length[0] = def.length[1] = 100;
    def.c = 10, def.b1 = 0.2;
    return fo_field_create(&def, &why);
}

TEST(the_schedule_adds_up)
{
    fo_field *f = document_sheet(26);
    fo_tdma_plan plan;
    fo_message why = {0};
    REQUIRE(f);
    fo_tdma_def def = {.period = 0.0042, .slot = 0.0005, .capacity = 1e8};
    CHECK_STATUS(fo_tdma_plan_make(f, &def, 4, 0, &plan, &why), FO_OK, &why);
    CHECK_INT(plan.slot, 500000);
    CHECK_INT(plan.computing, 4200000 - 5 * 500000);
    // two faces of 26 numbers in a packet each, and a report
    CHECK_INT(plan.bytes, 2 * (26 * 8 + 130) + 130 + 24);
    CHECK_INT(plan.wire, plan.bytes * 80);
    CHECK_NEAR(plan.step, 0.0042, 0);
    CHECK_INT(fo_tdma_slot_start(&plan, 3), 1500000);
    fo_tdma_def tight = {.period = 0.0042, .slot = 0.0009};
    CHECK_STATUS(fo_tdma_plan_make(f, &tight, 4, 0, &plan, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "5 slots of 0.9 ms");
    fo_tdma_def thin = {.period = 0.0042, .slot = 0.0005, .capacity = 1e6};
    CHECK_STATUS(fo_tdma_plan_make(f, &thin, 4, 0, &plan, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "too short");
    CHECK_STATUS(fo_tdma_plan_make(f, &def, 0, 0, &plan, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_STATUS(fo_tdma_plan_make(f, &def, 9, 0, &plan, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_STATUS(fo_tdma_plan_make(f, &def, 2, 10, &plan, &why), FO_ERROR_ARGUMENT, &why);
    CHECK_CONTAINS(why.text, "stability limit");
    fo_field_destroy(f);
}

TEST_MAIN(TEST_ENTRY(packets_have_a_fixed_form), TEST_ENTRY(damaged_packets_are_seen),
          TEST_ENTRY(the_offset_is_measured_and_followed),
          TEST_ENTRY(boundaries_come_in_pieces_in_any_order),
          TEST_ENTRY(what_is_missing_is_held_or_extrapolated),
          TEST_ENTRY(explicit_methods_have_the_bits_of_the_whole),
          TEST_ENTRY(other_methods_come_near), TEST_ENTRY(steps_between_exchanges_cost_accuracy),
          TEST_ENTRY(cuts_leave_an_object_whole), TEST_ENTRY(every_allocation_may_fail),
          TEST_ENTRY(documents_say_how_to_share_a_field), TEST_ENTRY(the_schedule_adds_up))
