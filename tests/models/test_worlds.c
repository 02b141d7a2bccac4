// The models that are made of processes, against reference values and closed forms.
#include <math.h>
#include <stdlib.h>

#include "test.h"
#include "worlds/worlds.h"

static const fo_world_def fine = {.max_rel_error = 1e-11, .max_abs_error = 1e-9, .dt_max = 1};

TEST(predators_and_prey_have_their_period)
{
    predator_prey_result r;
    fo_message why = {0};
    CHECK_STATUS(predator_prey(&fine, &r, &why), FO_OK, &why);
    CHECK_NEAR(r.first, 17.358812226807448, 1e-8);
    CHECK_NEAR(r.period, 26.07836693516793, 1e-8);
    CHECK_NEAR(r.prey, 3714950.4270862597, 1e-2);
    CHECK_STATUS(predator_prey(NULL, &r, &why), FO_OK, &why); // as the source asks for
    CHECK_NEAR(r.period, 26.07836693516793, 2e-3);
}

TEST(rocket_reaches_its_heights)
{
    static const rocket_row expected[3] = {{150, 49662, 5878.454455797157, 264600.53778944374},
                                           {509, 11087.09, 13563.853197854389, 3013702.529853397},
                                           {988, 1071.75, 35538.06197929363, 12208802.681532588}};
    rocket_row rows[3];
    fo_message why = {0};
    CHECK_STATUS(rocket(&(fo_world_def){.max_rel_error = 1e-11, .max_abs_error = 1e-9}, rows, &why),
                 FO_OK, &why);
    for (int i = 0; i < 3; i++) {
        CHECK(rows[i].t == expected[i].t);
        CHECK_NEAR(rows[i].mass, expected[i].mass, 1e-8);
        CHECK_NEAR(rows[i].velocity, expected[i].velocity, 1e-5);
        CHECK_NEAR(rows[i].altitude, expected[i].altitude, 1e-3);
    }
}

TEST(dominoes_fall_at_their_speed)
{
    static const double curve[][2] = {{0.009, 0.4084077227445097},
                                      {0.0204, 0.628488253744489},
                                      {0.029, 0.5941523672089745},
                                      {0.049, 0.3514656305802485}};
    const fo_world_def def = {.max_rel_error = 1e-11, .max_abs_error = 1e-12};
    double d, v;
    fo_message why = {0};
    for (size_t i = 0; i < sizeof curve / sizeof curve[0]; i++) {
        CHECK_STATUS(dominoes(&def, 55, curve[i][0], &v, &why), FO_OK, &why);
        CHECK_NEAR(v, curve[i][1], 1e-9);
    }
    CHECK_STATUS(dominoes_fastest(&def, 0.001, &d, &v, &why), FO_OK, &why);
    CHECK_NEAR(d, 0.020443452237427447, 1e-12);
    CHECK_NEAR(v, 0.6284877410206339, 1e-9);
    CHECK_STATUS(dominoes_fastest(NULL, 0.001, &d, &v, &why), FO_OK, &why);
    CHECK_NEAR(v, 0.6285, 5e-4); // 0.628 m/s, as the source prints
    CHECK_INT(dominoes(&def, 55, 0.06, &v, &why), FO_ERROR_ARGUMENT);
}

TEST(fire_station_repeats_the_printed_run)
{
    fo_random random = fo_random_java(54521);
    fo_message why = {0};
    fo_histogram *h =
        fo_histogram_create(&(fo_histogram_def){"Perc. damage", 0, 100, 20, .jdisco = true}, &why);
    static const int cells[] = {0, 16, 38, 31, 17, 13, 4, 4, 6, 2, 4, 1, 0, 0, 0, 0, 2};
    const fo_world_def def = {.max_rel_error = 1e-9, .max_abs_error = 1e-9, .dt_max = 60};
    CHECK_STATUS(fire(&def, 4, &random, h, &why), FO_OK, &why);
    const fo_tally *t = fo_histogram_tally(h);
    CHECK_INT(t->count, 138);
    CHECK_NEAR(t->mean, 13.817333386081893, 1e-6);
    CHECK_NEAR(fo_tally_deviation(t), 13.304905679828508, 1e-6);
    CHECK_NEAR(t->min, 0.062249675394479745, 1e-7);
    CHECK_NEAR(t->max, 73.83197099335953, 1e-6);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        CHECK_INT(fo_histogram_count(h, i), cells[i]);
    fo_histogram_destroy(h);
}

TEST(reactors_run_150_hours)
{
    reactor_result r;
    fo_message why = {0};
    const fo_world_def def = {.max_rel_error = 1e-10, .max_abs_error = 1e-10, .dt_max = 0.25};
    CHECK_STATUS(reactor(&def, false, false, &r, &why), FO_OK, &why); // as the text has it
    static const int text[] = {50, 30, 35, 28};
    for (int i = 0; i < 4; i++) CHECK_INT(r.batches[i], text[i]);
    CHECK_INT(r.interrupts, 69);
    CHECK_NEAR(r.interrupted, 2.0944982761808033, 1e-7);
    CHECK_NEAR(r.restarted, 2.3254233683896532, 1e-7);
    CHECK_NEAR(r.least_pressure, 51.344554734710435, 0.02); // seen at steps only
    CHECK_NEAR(r.pressure, 718.1396270248922, 1e-3);
    CHECK_STATUS(reactor(&def, true, false, &r, &why), FO_OK, &why); // as the program has it
    static const int code[] = {47, 30, 35, 28};
    for (int i = 0; i < 4; i++) CHECK_INT(r.batches[i], code[i]);
    CHECK_INT(r.interrupts, 74);
    CHECK_NEAR(r.least_pressure, -255.57715119643962, 0.1);
    CHECK_STATUS(reactor(&def, false, true, &r, &why), FO_OK, &why);
    static const int fixed[] = {48, 30, 31, 29};
    for (int i = 0; i < 4; i++) CHECK_INT(r.batches[i], fixed[i]);
    CHECK_INT(r.interrupts, 78);
    CHECK_NEAR(r.pressure, 109.53227579178272, 1e-3);
}

// Whatever carries them: at each interruption the pressure is turned round at a crossing.
TEST(reactors_run_alike_with_any_solver)
{
    static const char *const solvers[] = {"rk4", "dp45", "dop853", "rodas4", "radau5"};
    static const int fixed[] = {48, 30, 31, 29};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        reactor_result r;
        fo_message why = {0};
        const fo_world_def def = {.solver = solvers[i],
                                  .max_rel_error = 1e-9,
                                  .max_abs_error = 1e-9,
                                  .dt_max = 0.25,
                                  .step = 0.01};
        CHECK_STATUS(reactor(&def, false, true, &r, &why), FO_OK, &why);
        for (int k = 0; k < 4; k++) CHECK_INT(r.batches[k], fixed[k]);
        CHECK_INT(r.interrupts, 78);
        CHECK_NEAR(r.restarted, 2.3254233683896532, 1e-6);
    }
}

TEST(pilot_passes_the_tail)
{
    ejection_result r;
    fo_message why = {0};
    const fo_world_def def = {.max_rel_error = 1e-11, .max_abs_error = 1e-11};
    CHECK_STATUS(pilot_ejection(&def, 100, 0, &r, &why), FO_OK, &why);
    CHECK_NEAR(r.t, 1.588747068186869, 1e-8);
    CHECK_NEAR(r.x, -30, 1e-9);
    CHECK_NEAR(r.y, 22.354724582331272, 1e-8);
    CHECK_NEAR(r.v, 73.77537176465017, 1e-7);
    CHECK_NEAR(r.theta, -0.16357995565917297, 1e-9);
    CHECK(r.safe);
    CHECK_STATUS(pilot_ejection(&def, 900, 0, &r, &why), FO_OK, &why);
    CHECK_NEAR(r.t, 0.32307750423193715, 1e-8);
    CHECK_NEAR(r.y, 10.618053586410623, 1e-8);
    CHECK(!r.safe);
    double lo = 100, hi = 900; // the fastest that is safe at sea level
    while (hi - lo > 1e-9) {
        double middle = (lo + hi) / 2;
        CHECK_STATUS(pilot_ejection(&def, middle, 0, &r, &why), FO_OK, &why);
        *(r.safe ? &lo : &hi) = middle;
    }
    CHECK_NEAR(lo, 272.1720839066149, 1e-6);
}

// The higher, the faster may an aircraft be; at 900 ft/s the seat is safe only in thin air.
TEST(pilot_is_safer_in_thin_air)
{
    fo_message why = {0};
    double h = 0, last = 0;
    for (double speed = 100; speed <= 900; speed += 50) {
        ejection_result r = {0};
        for (;; h += 500) {
            CHECK_STATUS(pilot_ejection(NULL, speed, h, &r, &why), FO_OK, &why);
            if (r.safe || h > 60000) break;
        }
        CHECK(h >= last && h < 60000);
        CHECK(speed <= 250 ? h == 0 : h > 0);
        last = h;
    }
}

static const ball_event balls[] = {
    {0.0, 1, -2, 62.0, 130.0},
    {1.0, 2, -1, 20.0, 113.0},
    {6.666666666666667, 2, -2, 48.333333333333336, 130.0},
    {11.0, 1, -2, 84.0, 20.0},
    {15.385300558960086, 1, 2, 92.77060111792017, 63.85300558960086},
    {15.768486591121972, 0, 1, 134.46302681775606, 66.9260536355121},
    {18.000890726648112, 2, -2, 97.15768313017648, 130.0},
    {26.444348464400772, 1, -2, 73.33480753217201, 20.0},
    {29.000890726648112, 2, -2, 119.15768313017648, 20.0},
    {31.41050446962601, 0, -2, 212.67311621027625, 20.0},
    {34.87588122757076, 0, -1, 230.0, 30.396130273834252},
    {40.00089072664811, 2, -2, 141.15768313017648, 130.0},
    {44.56269823860508, 0, 2, 181.5659149448284, 59.456581306937224},
    {48.5083563692988, 0, -2, 189.45723120621585, 20.0},
    {53.11175223048677, 1, -1, 20.0, 126.66961506434401},
    {53.94434846440077, 1, -2, 21.665192467827993, 130.0},
    {59.5083563692988, 0, -2, 211.45723120621585, 130.0},
    {59.76872327846165, 2, -2, 74.25117295480759, 130.0},
    {61.11602943492183, 1, 2, 36.00855440887011, 101.31327611791576},
    {64.31774031669585, 1, -1, 20.0, 91.70814347259369},
    {68.77974076619088, 0, -1, 230.0, 37.28615603107917},
    {70.03127741419772, 1, 2, 48.56768548750939, 74.56753218008805},
    {70.5083563692988, 0, -2, 226.54276879378418, 20.0},
    {81.5083563692988, 0, -2, 204.54276879378418, 130.0},
    {83.67316045921973, 1, -2, 75.8514515775534, 20.0},
    {87.2752238014039, 0, 2, 193.00903392957397, 72.33132567894894},
    {89.13174884659362, 2, -2, 167.85181997670992, 20.0},
    {94.6734170154891, 0, -1, 230.0, 50.13674603669333},
    {100.13174884659362, 2, -2, 145.85181997670992, 130.0},
    {101.52607595473911, 1, 2, 111.55728256859219, 91.41166198207755},
    {104.71899902772022, 0, -2, 179.77208993884446, 20.0},
    {105.01189372510282, 2, -2, 150.0348013011464, 130.0},
    {108.66724215294687, 1, -2, 97.27495017217669, 20.0},
    {119.66724215294687, 1, -2, 75.27495017217669, 130.0},
    {122.12852710466207, 0, 1, 92.72444955413518, 72.22858423082558},
    {127.35138552774463, 0, -2, 82.27873270797006, 20.0},
    {130.33281027704606, 1, -2, 29.33096440682628, 130.0},
    {132.19900315841133, 1, -1, 20.0, 124.40142135590423},
    {132.51189372510282, 2, -2, 205.03480130114636, 20.0},
    {134.86788832414086, 0, 1, 67.24572711517759, 95.16502796396233},
};

TEST(balls_bounce_and_meet)
{
    enum { EVENTS = sizeof balls / sizeof balls[0] };
    ball_event events[EVENTS];
    fo_message why = {0};
    CHECK_STATUS(bouncing_balls(NULL, NULL, 0, events, EVENTS, &why), FO_OK, &why);
    for (int i = 0; i < EVENTS; i++) {
        CHECK_NEAR(events[i].t, balls[i].t, 1e-8);
        CHECK_INT(events[i].ball, balls[i].ball);
        CHECK_INT(events[i].other, balls[i].other);
        CHECK_NEAR(events[i].x, balls[i].x, 1e-7);
        CHECK_NEAR(events[i].y, balls[i].y, 1e-7);
    }
}

// Ten small balls that move to the sides only and never meet: each bounces at its own times.
TEST(any_number_of_balls)
{
    enum { COUNT = 10, EVENTS = 40 };
    ball_start start[COUNT];
    ball_event events[EVENTS];
    fo_message why = {0};
    for (int i = 0; i < COUNT; i++) start[i] = (ball_start){125, 10 + 14 * i, 10 + i, 0, 5};
    CHECK_STATUS(bouncing_balls(NULL, start, COUNT, events, EVENTS, &why), FO_OK, &why);
    int bounced[COUNT] = {0};
    for (int i = 0; i < EVENTS; i++) {
        int b = events[i].ball, n = bounced[b]++;
        CHECK_INT(events[i].other, -1);
        CHECK_NEAR(events[i].t, (120 + 240 * n) / start[b].vx, 1e-8);
        CHECK_NEAR(events[i].x, n % 2 ? 5 : 245, 1e-7);
    }
}

// Whole runs as replications: their means are independent.
static fo_tally replicate_mm1(int count)
{
    fo_tally means = {0};
    for (int i = 1; i <= count; i++) {
        fo_tally t = {0};
        fo_message why = {0};
        const fo_world_def def = {.seed = (uint64_t)i};
        CHECK_STATUS(mm1(&def, 0.5, 1, 20000, &t, &why), FO_OK, &why);
        CHECK_INT(t.count, 20000);
        fo_tally_add(&means, t.mean);
    }
    return means;
}

TEST(mm1_meets_its_closed_form)
{
    fo_tally means = replicate_mm1(20);
    double half = fo_tally_half_width(&means, 0.999);
    CHECK(half < 0.1);
    CHECK_NEAR(means.mean, 1 / (1 - 0.5), half); // seeds are fixed: it holds or not for ever
}

TEST(bank_meets_erlang_a)
{
    const double lambda = 1.2, mu = 1, theta = 0.5;
    double p = 1, sum = 1, line = 0;
    for (int n = 1; n < 200; n++) {
        p *= lambda / (mu + (n - 1) * theta);
        sum += p;
        line += (n - 1) * p;
    }
    fo_tally reneged = {0};
    for (int i = 1; i <= 20; i++) {
        bank_result r;
        fo_message why = {0};
        const fo_world_def def = {.seed = (uint64_t)i};
        CHECK_STATUS(bank(&def, lambda, mu, theta, 5000, &r, &why), FO_OK, &why);
        fo_tally_add(&reneged, (double)r.reneged / (double)r.customers);
        CHECK(r.wait.count + r.reneged <= r.customers);
    }
    double half = fo_tally_half_width(&reneged, 0.999);
    CHECK(half < 0.01);
    CHECK_NEAR(reneged.mean, theta * line / sum / lambda, half);
}

TEST(machine_shop_meets_the_repair_model)
{
    enum { MACHINES = 5 };
    const double lambda = 1.0 / 300, mu = 1.0 / 60, duration = 200000;
    double p = 1, sum = 1, down = 0;
    for (int k = 1; k <= MACHINES; k++) {
        p *= (MACHINES - k + 1) * lambda / mu;
        sum += p;
        down += k * p;
    }
    fo_tally running = {0}, jobs = {0};
    for (int i = 1; i <= 20; i++) {
        machine_shop_result r;
        fo_message why = {0};
        const fo_world_def def = {.seed = (uint64_t)i};
        CHECK_STATUS(machine_shop(&def, MACHINES, lambda, mu, duration, &r, &why), FO_OK, &why);
        fo_tally_add(&running, r.running);
        fo_tally_add(&jobs, (double)r.other_jobs);
    }
    double half = fo_tally_half_width(&running, 0.999);
    CHECK(half < 0.1);
    CHECK_NEAR(running.mean, MACHINES - down / sum, half);
    CHECK_NEAR(jobs.mean, duration / sum / 30, fo_tally_half_width(&jobs, 0.999));
}

TEST(gas_station_loses_nothing)
{
    gas_station_result r;
    fo_message why = {0};
    CHECK_STATUS(gas_station(NULL, 100000, &r, &why), FO_OK, &why);
    CHECK_NEAR((double)r.cars, 100000.0 / 25, 200);
    CHECK(r.deliveries > 50);
    CHECK_NEAR(2000 + r.delivered, r.sold + r.left, 1e-6 * r.sold);
    CHECK(r.wait.min >= 12.5);
    CHECK(r.wait.max > 100); // some waited for the tanker
}

// As `foliot run` does it.
TEST(worlds_are_shown)
{
    for (size_t i = 0; i < world_count(); i++) {
        const fo_world_model *found = world_get(i);
        fo_message why = {0};
        void *record = NULL;
        CHECK(world_find(found->name) == found);
        fo_world *w = fo_world_make(found, &(fo_world_start){0}, &record, &why);
        REQUIRE(w != NULL);
        fo_run_def def = fo_default_run_def();
        def.stop = found->stop, def.solver = "rkf45";
        if (found->max_rel_error > 0) def.rtol = found->max_rel_error;
        if (found->max_abs_error > 0) def.atol = found->max_abs_error;
        fo_simulation *sim = fo_simulation_create(fo_world_system(w), &def, &why);
        CHECK_STATUS(fo_simulation_advance(sim, def.stop),
                     found->ends && !found->random ? FO_STOPPED : FO_REACHED,
                     fo_simulation_message(sim));
        for (const char *const *name = found->plot; *name; name++) {
            fo_reference signal;
            CHECK_STATUS(fo_system_find(fo_world_system(w), *name, &signal, &why), FO_OK, &why);
            CHECK(isfinite(fo_simulation_value(sim, signal)));
        }
        if (found == world_find("predator-prey")) {
            CHECK_NEAR(fo_simulation_value(sim, (fo_reference){FO_OUTPUT, 0}), 3009.87756858641, 1);
            CHECK_NEAR(fo_simulation_value(sim, (fo_reference){FO_OUTPUT, 1}), 304052.7043194771,
                       100);
        }
        if (found == world_find("rocket"))
            CHECK_NEAR(fo_simulation_value(sim, (fo_reference){FO_OUTPUT, 2}), 12208802.681532588,
                       10);
        fo_simulation_destroy(sim);
        fo_world_destroy(w);
        fo_world_record_free(found, record, NULL);
    }
    CHECK(world_count() == 11 && world_find("nobody") == NULL && world_get(1000) == NULL);
}

TEST_MAIN(TEST_ENTRY(worlds_are_shown), TEST_ENTRY(predators_and_prey_have_their_period),
          TEST_ENTRY(rocket_reaches_its_heights), TEST_ENTRY(dominoes_fall_at_their_speed),
          TEST_ENTRY(fire_station_repeats_the_printed_run), TEST_ENTRY(reactors_run_150_hours),
          TEST_ENTRY(reactors_run_alike_with_any_solver), TEST_ENTRY(pilot_passes_the_tail),
          TEST_ENTRY(pilot_is_safer_in_thin_air), TEST_ENTRY(balls_bounce_and_meet),
          TEST_ENTRY(any_number_of_balls), TEST_ENTRY(mm1_meets_its_closed_form),
          TEST_ENTRY(bank_meets_erlang_a), TEST_ENTRY(machine_shop_meets_the_repair_model),
          TEST_ENTRY(gas_station_loses_nothing))
