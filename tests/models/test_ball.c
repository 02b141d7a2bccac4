// The bouncing ball: figure 6.2 of its source.
#include "run.h"

// Time, speed before and after, then time and height of the apex that follows: closed forms of the
// fall and the rise with quadratic drag.
static const double bounces[][5] = {
    {0.5672135593454115, 5.039822851370041, 4.535840566233037, 1.0012185989519782,
     0.9528424576308779},
    {1.4492273119126935, 4.1235983640315315, 3.7112385276283786, 1.8115445058047652,
     0.6575257867349207},
    {2.1818898661154984, 3.4750646292030805, 3.1275581662827725, 2.491004257503164,
     0.47569832557146896},
    {2.8050590315847614, 2.982263956308766, 2.6840375606778895, 3.0725106341456194,
     0.354671957446517},
    {3.3431428526236058, 2.590510647716402, 2.331459582944762, 3.576789157277254,
     0.2699136077395299},
    {3.8125470647137365, 2.2693719997519266, 2.042434799776734, 4.0180749461479,
     0.2084284293454273},
    {4.225035717312196, 2.0003052272367183, 1.8002747045130465, 4.406751392142837,
     0.16268112970178605},
    {4.589455129485875, 1.7712245683683217, 1.5941021115314895, 4.7507341207203115,
     0.1279986628031606},
    {4.912702696601533, 1.573827848399961, 1.416445063559965, 5.056263510447459,
     0.10132935751727076},
    {5.200310040777269, 1.4021647894720224, 1.2619483105248201, 5.328389488011481,
     0.08059758909093633},
    {5.456813493991531, 1.2518181893907059, 1.1266363704516353, 5.571283872370895,
     0.0643448812138212},
    {5.686000033494746, 1.119410315024217, 1.0074692835217953, 5.788450297837562,
     0.05151909074664224},
    {5.891076651406107, 1.0022922406554589, 0.902063016589913, 5.982870396223553,
     0.0413447971007283},
    {6.074790734675945, 0.8983411546337499, 0.8085070391703749, 6.157108750376715,
     0.03324046760230263},
    {6.2395180262543875, 0.8058239857342199, 0.7252415871607979, 6.313390298615798,
     0.026763719891589387},
    {6.38732850360172, 0.723303166016648, 0.6509728494149832, 6.453658807400752,
     0.02157408533185404},
    {6.520036828872862, 0.6495699488937055, 0.5846129540043349, 6.579622009009218,
     0.017407026898596554},
    {6.639241772537176, 0.5835962018510994, 0.5252365816659895, 6.6927871357259,
     0.01405540291398081},
    {6.746357591513228, 0.5244988590588189, 0.472048973152937, 6.7944893958289425,
     0.011355983836139708},
    {6.84263942305942, 0.4715132193601921, 0.4243618974241729, 6.8859151628960955,
     0.009179477742809179},
    {6.929204146381662, 0.42397253409987545, 0.38157528068988794, 6.968121134008733,
     0.007423042974334028},
    {7.007047752242857, 0.3812921408201909, 0.34316292673817184, 7.042050361722595,
     0.006004596828126229},
    {7.077059977788722, 0.3429569330876491, 0.30866123977888416, 7.10854582220635,
     0.004858442918201611},
    {7.14003676610947, 0.3085113149004735, 0.27766018341042614, 7.1683620117570745,
     0.003931881046821647},
    {7.196690970031177, 0.2775510321890663, 0.24979592897015968, 7.222174942786003,
     0.0031825586584333537},
    {7.247661619158835, 0.2497164425996745, 0.22474479833970704, 7.270590823070721,
     0.0025763883725949768},
    {7.2935219962183035, 0.22468690280956005, 0.20221821252860406, 7.314153638382805,
     0.0020859018550305167},
    {7.334786715116528, 0.2021760361930448, 0.18195843257374034, 7.3533518115899685,
     0.001688942836756823},
    {7.371917953272387, 0.1819277034296975, 0.16373493308672776, 7.3886240762270665,
     0.0013676256119904123},
    {7.405330960789829, 0.16371254180910239, 0.14734128762819215, 7.420364676008737,
     0.0011075025918838468},
    {7.435398946233838, 0.14732497044598378, 0.1325924734013854, 7.4489279814809235,
     0.0008968973079509994},
    {7.462457421205894, 0.132580581751409, 0.1193225235762681, 7.4746325993197225,
     0.0007263689011963281},
    {7.48680807222615, 0.1193138566740304, 0.10738247100662736, 7.497765037496389,
     0.0005882814666181188},
    {7.508722217628053, 0.10737615408063679, 0.09663853867257312, 7.518582979780397,
     0.0004764572551051734},
};
enum { BOUNCES = sizeof bounces / sizeof bounces[0] };

static bool open_ball(run *r, double rtol, double stop)
{
    run_prepare(r, "ball");
    r->def.solver = "dp45";
    r->def.rtol = rtol, r->def.atol = rtol / 10;
    r->def.stop = stop;
    return run_create(r);
}

TEST(bounces_and_apexes_until_it_stops)
{
    run r;
    if (open_ball(&r, 1e-12, 10)) {
        CHECK_STATUS(fo_simulation_advance(r.sim, 10), FO_STOPPED, fo_simulation_message(r.sim));
        CHECK_NEAR(fo_simulation_time(r.sim), 7.528443898541703, 1e-9);
        CHECK_NEAR(run_value(&r, "v"), -0.09663393436897155, 1e-9);
        CHECK_INT(run_count(&r, "bounce"), BOUNCES + 1); // at the last one it stops
        CHECK_INT(run_count(&r, "apex"), BOUNCES + 1);   // the first is the start itself
    }
    for (size_t i = 0; i < BOUNCES; i++) {
        const fo_moment *m = run_moment(&r, "bounce", i);
        const run_jump *jump = m ? run_jump_at(&r, m->t) : NULL;
        if (!jump) break;
        CHECK_NEAR(m->t, bounces[i][0], 1e-9);
        CHECK_NEAR(jump->before[1], -bounces[i][1], 1e-9);
        CHECK_NEAR(jump->after[1], bounces[i][2], 1e-9);
        m = run_moment(&r, "apex", i + 1);
        jump = m ? run_jump_at(&r, m->t) : NULL;
        if (!jump) break;
        CHECK_NEAR(m->t, bounces[i][3], 1e-9);
        CHECK_NEAR(jump->after[0], bounces[i][4], 1e-9);
    }
    run_end(&r);
}

// With coarse tolerance and with fixed steps no bounce is lost either.
TEST(no_bounce_is_lost_by_coarse_methods)
{
    static const char *const solvers[] = {"dp45", "rkf45", "bs23", "rk4", "nystrom"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        run r;
        run_prepare(&r, "ball");
        r.def.solver = solvers[i];
        r.def.rtol = 1e-4, r.def.atol = 1e-6;
        r.def.step = 0.05;
        if (run_create(&r)) {
            CHECK_STATUS(fo_simulation_advance(r.sim, 10), FO_STOPPED,
                         fo_simulation_message(r.sim));
            CHECK_INT(run_count(&r, "bounce"), BOUNCES + 1);
        }
        run_end(&r);
    }
}

// Without any loss it always comes back to the height from which it fell.
TEST(perfect_ball_keeps_its_height)
{
    run r;
    if (open_ball(&r, 1e-12, 30)) {
        run_set(&r, "k", 0);
        run_set(&r, "e", 0);
        run_to(&r, 30);
    }
    double fall = sqrt(2 * 1.5 / 9.8);
    CHECK_INT(run_count(&r, "bounce"), (int)floor((30 / fall + 1) / 2));
    for (size_t i = 0; i < run_count(&r, "bounce"); i++)
        CHECK_NEAR(run_moment(&r, "bounce", i)->t, (2 * (double)i + 1) * fall, 1e-9);
    for (size_t i = 0; i < run_count(&r, "apex"); i++) {
        const fo_moment *m = run_moment(&r, "apex", i);
        const run_jump *jump = run_jump_at(&r, m->t);
        if (jump) CHECK_NEAR(jump->after[0], 1.5, 1e-9);
    }
    run_end(&r);
}

// A long fall: v = -V tanh(g t / V), y = y0 - V^2/g ln cosh(g t / V), V = sqrt(g m / k).
TEST(long_fall_reaches_the_terminal_speed)
{
    run r;
    double g = 9.8, V = sqrt(9.8 * 0.1 / 0.01);
    if (open_ball(&r, 1e-12, 20)) {
        run_set(&r, "y", 1000);
        for (int t = 1; t <= 20; t += 3) {
            run_to(&r, t);
            CHECK_NEAR(run_value(&r, "v"), -V * tanh(g * t / V), 1e-8);
            CHECK_NEAR(run_value(&r, "y"), 1000 - V * V / g * log(cosh(g * t / V)), 1e-8);
        }
        CHECK_NEAR(run_value(&r, "a"), 0, 1e-6);
    }
    run_end(&r);
}

// A ball that loses all of its velocity lies where it fell; it does not sink into the floor.
TEST(ball_of_clay_stays_on_the_floor)
{
    run r;
    if (open_ball(&r, 1e-9, 2)) {
        run_set(&r, "e", 1);
        run_to(&r, 2);
        CHECK(run_value(&r, "y") == 0);
        CHECK(run_value(&r, "resting") == 1);
        CHECK_INT(run_count(&r, "bounce"), 1);
    }
    run_end(&r);
}

// Without a stop_speed the bounces accumulate at a limit time, and the ball rests from there on.
// Without drag the limit is t0 (1 + 2 q / (1 - q)), q = 1 - e, t0 = sqrt(2 y0 / g).
// Whether the bounces or the turns at the top are recognised first depends on the run's length.
static void comes_to_rest(double k, double stop, double limit)
{
    run r;
    if (open_ball(&r, 1e-10, stop)) {
        run_set(&r, "k", k);
        run_set(&r, "stop_speed", 0);
        run_to(&r, limit + 0.01);
        CHECK(run_value(&r, "resting") == 1);
        CHECK(run_value(&r, "y") == 0 && run_value(&r, "v") == 0);
        run_to(&r, stop);
        CHECK(run_value(&r, "y") == 0);
        // going to rest from the top may carry the other guard to zero: then that is the last
        // moment
        const fo_moment *last = &r.moments[r.moment_count - 1];
        if (last->kind == FO_GUARD) last--;
        CHECK_INT(last->kind, FO_ZENO);
        CHECK_NEAR(last->limit, limit, 1e-6);
    }
    run_end(&r);
}

TEST(ball_comes_to_rest_where_bounces_accumulate)
{
    double limit = sqrt(2 * 1.5 / 9.8) * (1 + 2 * 0.9 / 0.1);
    comes_to_rest(0, 12, limit);
    comes_to_rest(0, 40, limit);
    comes_to_rest(0, 400, limit);
    comes_to_rest(0.01, 40, 7.70591079);
}

TEST(horizontal_motion_is_even)
{
    run r;
    if (open_ball(&r, 1e-9, 7)) {
        run_set(&r, "vx", 0.25);
        run_to(&r, 7);
        CHECK_NEAR(run_value(&r, "x"), 1.75, 1e-15);
    }
    run_end(&r);
}

TEST(thrown_from_the_floor)
{
    run r;
    if (open_ball(&r, 1e-10, 2)) {
        run_set(&r, "y", 0);
        run_set(&r, "v", 4.9);
        run_set(&r, "k", 0);
        run_to(&r, 0.75);
        CHECK_INT(run_count(&r, "bounce"), 0);
        CHECK_NEAR(run_moment(&r, "apex", 0)->t, 0.5, 1e-9);
        CHECK_NEAR(run_value(&r, "y"), 4.9 * 0.75 - 4.9 * 0.75 * 0.75, 1e-9);
    }
    run_end(&r);
}

TEST(wrong_values_are_refused)
{
    run_refused("ball", "g", -1, "-1");
    run_refused("ball", "k", -0.5, "-0.5");
    run_refused("ball", "m", 0, "0");
    run_refused("ball", "e", 1.5, "1.5");
    run_refused("ball", "e", -0.25, "-0.25");
    run_refused("ball", "y", -2, "-2");
}

TEST_MAIN(TEST_ENTRY(bounces_and_apexes_until_it_stops),
          TEST_ENTRY(no_bounce_is_lost_by_coarse_methods),
          TEST_ENTRY(perfect_ball_keeps_its_height),
          TEST_ENTRY(long_fall_reaches_the_terminal_speed),
          TEST_ENTRY(ball_of_clay_stays_on_the_floor),
          TEST_ENTRY(ball_comes_to_rest_where_bounces_accumulate),
          TEST_ENTRY(horizontal_motion_is_even), TEST_ENTRY(thrown_from_the_floor),
          TEST_ENTRY(wrong_values_are_refused))
