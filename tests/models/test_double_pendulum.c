// The double pendulum: figures 6.6 and 6.7 of its source.
#include "run.h"

// Figure 6.6, computed with unwrapped angles by an eighth-order method at rtol 1e-12: times of the
// collisions with the angular velocities after them, the passage of pendulum two over the top, and
// the end at 15 s.
typedef struct figure {
    double angle;
    int count;
    double collision[21][3];
    double top;
    double end[4]; // y1, y2 (wrapped), v1, v2
} figure;

static const figure figures[] = {
    {0,
     19,
     {{0.482091995630274, -3.4353600376642377, 10.677913271005922},
      {1.46645111033088, 6.739920790486358, -0.2638975316443787},
      {2.3435265127987246, -0.431353091974766, -8.528870854026673},
      {3.420850208837826, 5.332262951936051, -3.9254639082999585},
      {4.189149001466265, 1.3568135309476, -7.095066038769719},
      {5.030554737507173, 4.4268116517007154, -2.8629365365615986},
      {5.778630632964903, 0.8266223593190188, -5.730343743685844},
      {6.562460769440479, 3.6543084578605898, -1.8772613066205706},
      {7.299251150227494, 0.34762770379300517, -4.622820578124964},
      {8.055093745745317, 3.021971385579405, -1.200302337264755},
      {8.784801819528433, 0.05304005545185564, -3.7574012258691947},
      {9.524208922786562, 2.505274961371715, -0.7636446812915094},
      {10.249109120264333, -0.10643407003570193, -3.074093495416661},
      {10.97802855345405, 2.0802052839655487, -0.48628083351328577},
      {11.69954064442147, -0.18298171872163238, -2.5261887839534527},
      {12.42149033419321, 1.7284674915825118, -0.3096340973401266},
      {13.140590352394495, -0.21204852543553118, -2.081702024534678},
      {13.857809377924209, 1.4364827284686255, -0.1959623682510885},
      {14.57519742162683, -0.21519253728200008, -1.7183866937351162}},
     0.918240327870779,
     {-0.0717572410001494, -0.3725032151429497, -0.3417002877486021, 0.1220068752936816}},
    {0.001,
     19,
     {{0.48202114101147747, -3.435431254162381, 10.67810714874937},
      {1.46610896111545, 6.742021985111234, -0.2625643362719515},
      {2.343119456719088, -0.43484496106199266, -8.532842878041912},
      {3.4212571571381276, 5.3361094622606275, -3.9200425641095973},
      {4.189385940560582, 1.3518991077713909, -7.098227848656082},
      {5.030807481987343, 4.430524406944399, -2.852589746284558},
      {5.778666123617848, 0.819094345340538, -5.730935295117314},
      {6.562278833444433, 3.6561803123910432, -1.8662697723274357},
      {7.298770443668336, 0.34068027363113274, -4.620872054299325},
      {8.054190195063926, 3.0213441903767517, -1.1914597888985283},
      {8.783481453495366, 0.04856020718576298, -3.752968891378071},
      {9.522252417559185, 2.5018846819231277, -0.7583045442442001},
      {10.246592289529566, -0.10767350904603464, -3.06719352967876},
      {10.974643314033829, 2.0740038402638312, -0.4849170902487316},
      {11.695433279034956, -0.18079669522394176, -2.516904578472775},
      {12.416253198629573, 1.7195386497523675, -0.3122993838669008},
      {13.13445153610373, -0.20649977516477086, -2.0701752395307618},
      {13.850238006539307, 1.4249674838075572, -0.2025442814458459},
      {14.56652274720469, -0.20641755966896705, -1.7047706909812301}},
     0.9180827995758769,
     {-0.07500336037932091, -0.3700514826822232, -0.35960341418164865, 0.15610214511061085}},
    {0.01,
     19,
     {{0.48138350833154303, -3.4360570250859443, 10.67980475452543},
      {1.4630410649565533, 6.760766051524964, -0.25065236889198456},
      {2.3394706594744843, -0.46611996213847023, -8.567930958073772},
      {3.4250099867618666, 5.369928310772161, -3.8711628013464408},
      {4.191613780698414, 1.3081590089218327, -7.125011370416607},
      {5.033097722295632, 4.462252783651088, -2.7606909978558125},
      {5.7789866433495325, 0.7532860019521698, -5.733642459827913},
      {6.5604993231636035, 3.6697026975289386, -1.7710005704255531},
      {7.294233904971133, 0.28284067266665824, -4.598933065547461},
      {8.04561323233332, 3.009382306868682, -1.1194637611895513},
      {8.77101444650231, 0.017427671725633587, -3.705121301627855},
      {9.503705293076544, 2.4597231532321495, -0.7243736127358028},
      {10.22278682612305, -0.10221130467557925, -2.9908877492620465},
      {10.942529463714996, 1.9977350465848793, -0.4973808765661289},
      {11.656526053740398, -0.13279656822579844, -2.409103343974176},
      {12.366555731785674, 1.6053276466424344, -0.3769550443985366},
      {13.07626480228578, -0.11114383048720679, -1.9272904084030045},
      {13.778466308253257, 1.2686667509145566, -0.324417945870946},
      {14.484362768093861, -0.059022959389594155, -1.5225403580215615}},
     0.916668705829718,
     {-0.11101674374796691, -0.3332261013415234, -0.5005283502683218, 0.4389698087718759}},
    {0.05,
     20,
     {{0.4785507533615515, -3.438507952188553, 10.686320288587945},
      {1.449651177868533, 6.8404995988245725, -0.19948612079534245},
      {2.3235549971323533, -0.6019256934752035, -8.709776038597493},
      {3.443424318393967, 5.503350061260428, -3.6563315164965657},
      {4.20328868449481, 1.1267112364947454, -7.2125126220405145},
      {5.043254186780727, 4.569211258810351, -2.386660295006755},
      {5.779884987333688, 0.5086285143161007, -5.696033089089744},
      {6.548849158312738, 3.657507676018657, -1.4398119071175146},
      {7.268558158043934, 0.1424649141533378, -4.406674586679852},
      {7.996733384279389, 2.8031018673102484, -1.0002277234626598},
      {8.701700493014592, 0.123080345454393, -3.3033322633396622},
      {9.400383158587637, 1.9762633575456252, -0.9649926796002147},
      {10.092521661087599, 0.36936713641465585, -2.314365435290131},
      {10.769298017898278, 1.1787540902895168, -1.201316364435447},
      {11.45127568557308, 0.7625477882787253, -1.4326473253414413},
      {12.113607525745993, 0.4793496301457176, -1.5318044567783784},
      {12.787463238703161, 1.143805911306491, -0.7141819289656166},
      {13.441233354162922, -0.03150871731902191, -1.7724295855837646},
      {14.105960593994498, 1.3694234544014545, -0.2230222046577911},
      {14.75316571609139, -0.2994995937768809, -1.803916867051425}},
     0.9104621908490338,
     {-0.08395023789859984, -0.3981993232614096, 0.07817128707984676, -0.36775104972955674}},
    {0.1,
     21,
     {{0.47501197291608954, -3.4408144511836545, 10.692103869269708},
      {1.433458661766231, 6.93222272120205, -0.1391124818073089},
      {2.304267951766352, -0.7647886183929061, -8.855930014657982},
      {3.46891569691829, 5.633212275153433, -3.4141169823535242},
      {4.220155670407233, 0.9406078137780421, -7.270738035702071},
      {5.054220041001147, 4.635611586162848, -2.0255270461434027},
      {5.777548419232151, 0.3329450365402764, -5.560354935318844},
      {6.523652504679156, 3.4712542332771217, -1.2870294883725115},
      {7.221563946588864, 0.2955691638317721, -3.9501383395798038},
      {7.911407208495561, 2.153370261828515, -1.4378814526238983},
      {8.588396449341891, 0.9057767711468148, -2.4043830878432324},
      {9.244405234867328, 0.8388927621459408, -2.1627837125122857},
      {9.912085539974665, 1.7110507268525803, -1.1308010035226284},
      {10.556300328500326, -0.05969123982433856, -2.7551161207524855},
      {11.217548218986307, 2.145204365007951, -0.3702951546186896},
      {11.85549981575217, -0.40245093125219433, -2.7906523397464924},
      {12.498751539443578, 1.9897553710977716, -0.16631996157347145},
      {13.123884661124135, -0.18854516836691157, -2.204286720469024},
      {13.736733428019441, 1.19934048430907, -0.613965439578208},
      {14.34460762999882, 0.5730704925993091, -1.1185914040468785},
      {14.93270648993686, 0.15401700794654713, -1.4276276080016308}},
     0.9028779623819588,
     {-0.1243049837313312, -0.323823705177559, 0.32620643491625984, -1.029862459670951}},
};

static bool open_double(run *r, const char *solver, double rtol, double stop)
{
    run_prepare(r, "double-pendulum");
    r->def.solver = solver;
    r->def.rtol = rtol, r->def.atol = rtol / 10;
    r->def.stop = stop;
    return run_create(r);
}

static void check_figure(const figure *f)
{
    run r;
    if (open_double(&r, "dp45", 1e-12, 15)) {
        run_set(&r, "smallest_angle", f->angle);
        run_to(&r, 15);
        static const char *const names[] = {"y1", "y2", "v1", "v2"};
        for (int i = 0; i < 4; i++) CHECK_NEAR(run_value(&r, names[i]), f->end[i], 1e-7);
        CHECK(run_value(&r, "collisions") == f->count);
    }
    CHECK_INT(run_count(&r, "collision"), f->count);
    for (int i = 0; i < f->count; i++) {
        const fo_moment *m = run_moment(&r, "collision", (size_t)i);
        const run_jump *jump = m ? run_jump_at(&r, m->t) : NULL;
        if (!jump) break;
        CHECK_NEAR(m->t, f->collision[i][0], 1e-8);
        CHECK_NEAR(jump->after[2], f->collision[i][1], 1e-7);
        CHECK_NEAR(jump->after[3], f->collision[i][2], 1e-7);
    }
    CHECK_INT(run_count(&r, "top1"), 0);
    CHECK_INT(run_count(&r, "top2"), 1);
    if (run_count(&r, "top2")) CHECK_NEAR(run_moment(&r, "top2", 0)->t, f->top, 1e-9);
    run_end(&r);
}

TEST(figure_6_6_with_all_smallest_angles)
{
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) check_figure(&figures[i]);
}

// Free rotation, without gravity and damping: an elastic collision turns the relative velocity
// round, so that collisions are at t_k = (first + 2 pi k) / |v1 - v2| for any masses, where `first`
// is the angle that closes before the first one.
static void check_free(const char *solver, double rtol, double v1, double v2, double m1, double m2)
{
    run r;
    const double y1 = -2, y2 = 2, stop = 0.5;
    run_prepare(&r, "double-pendulum");
    r.def.solver = solver;
    r.def.step = 0.01;
    r.def.rtol = rtol, r.def.atol = rtol / 10;
    r.def.stop = stop;
    if (run_create(&r)) {
        const char *const names[] = {"g", "c1", "c2", "m1", "m2", "v1", "v2"};
        const double values[] = {0, 0, 0, m1, m2, v1, v2};
        for (int i = 0; i < 7; i++) run_set(&r, names[i], values[i]);
        run_to(&r, stop);
        double speed = fabs(v1 - v2), first = v1 > v2 ? y2 - y1 : 2 * pi - (y2 - y1);
        int expected = (int)floor((speed * stop - first) / (2 * pi)) + 1;
        CHECK_INT(run_count(&r, "collision"), expected);
        for (int k = 0; k < expected; k++) {
            const fo_moment *m = run_moment(&r, "collision", (size_t)k);
            if (!m) break;
            CHECK_NEAR(m->t, (first + 2 * pi * k) / speed, 1e-11);
        }
        for (size_t i = 0; i < r.jump_count; i++)
            for (int y = 0; y < 2; y++) CHECK(fabs(r.jumps[i].after[y]) <= pi + 1e-9);
        CHECK_NEAR(run_value(&r, "energy"), 0.125 * (m1 * v1 * v1 + m2 * v2 * v2),
                   1e-9 * (m1 * v1 * v1 + m2 * v2 * v2));
    }
    run_end(&r);
}

TEST(no_collision_is_missed_at_a_thousand_radians_a_second)
{
    static const struct {
        const char *solver;
        double rtol;
    } ways[] = {{"dp45", 1e-3}, {"dp45", 1e-10}, {"rkf45", 1e-3}, {"rkf45", 1e-10}, {"rk4", 1e-6}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        check_free(ways[i].solver, ways[i].rtol, 1000, 0, 0.4, 0.4);
        check_free(ways[i].solver, ways[i].rtol, 0, 1000, 0.5, 0.3);
        check_free(ways[i].solver, ways[i].rtol, 1000, -700, 0.5, 0.3);
        check_free(ways[i].solver, ways[i].rtol, 1000, 990, 0.4, 0.4);
    }
}

// Symmetric: every other collision is exactly at the top, where both angles jump at that instant.
TEST(collisions_at_the_very_top)
{
    static const char *const solvers[] = {"dp45", "rkf45", "rk4"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        check_free(solvers[i], 1e-6, 1000, -1000, 0.4, 0.4);
        check_free(solvers[i], 1e-6, -1000, 1000, 0.4, 0.4);
        check_free(solvers[i], 1e-6, -1, 1, 0.4, 0.4);
        check_free(solvers[i], 1e-6, -10, 10, 0.4, 0.4);
    }
}

static double wrapped(double y)
{
    return remainder(y, 2 * pi);
}

static double distance(double a, double b)
{
    return fabs(wrapped(a - b));
}

// Pendulums of equal mass exchange their velocities: the two bobs are where two single pendulums
// that pass through each other would be.
TEST(equal_masses_move_like_two_single_pendulums)
{
    run both, one, two;
    bool good = open_double(&both, "dp45", 1e-12, 13);
    run_prepare(&one, "pendulum");
    run_prepare(&two, "pendulum");
    one.def.rtol = two.def.rtol = 1e-12;
    one.def.atol = two.def.atol = 1e-13;
    good = run_create(&one) && good;
    good = run_create(&two) && good;
    if (good) {
        const char *const names[] = {"m1", "m2", "y1", "y2"};
        const double values[] = {0.4, 0.4, -3, 1};
        for (int i = 0; i < 4; i++) run_set(&both, names[i], values[i]);
        run_set(&one, "y", -3);
        run_set(&two, "y", 1);
        for (int n = 1; n <= 50; n++) {
            double t = n * 0.25;
            run_to(&both, t), run_to(&one, t), run_to(&two, t);
            double a = run_value(&both, "y1"), b = run_value(&both, "y2");
            double p = run_value(&one, "y"), q = run_value(&two, "y");
            double straight = distance(a, p) + distance(b, q);
            double crossed = distance(a, q) + distance(b, p);
            CHECK_NEAR(fmin(straight, crossed), 0, 1e-8);
        }
        CHECK(run_count(&both, "collision") >= 10);
    }
    run_end(&both), run_end(&one), run_end(&two);
}

// Figure 6.7: a tap at 13 s sends pendulum two over the top.
TEST(figure_6_7_the_tap_makes_a_full_circle)
{
    run r;
    if (open_double(&r, "dp45", 1e-10, 30)) {
        const char *const names[] = {"m1", "m2", "y1", "y2", "t2", "tap2"};
        const double values[] = {0.4, 0.4, -3, 1, 13, 10};
        for (int i = 0; i < 6; i++) run_set(&r, names[i], values[i]);
        run_to(&r, 30);
        CHECK_INT(run_count(&r, "timed_tap2"), 1);
        CHECK(run_count(&r, "top1") + run_count(&r, "top2") >= 1);
        for (size_t i = 0; i < r.moment_count; i++)
            if (strncmp(r.moments[i].name, "top", 3) == 0) CHECK(r.moments[i].t > 13);
        const run_jump *jump = run_jump_at(&r, 13);
        CHECK(jump && jump->after[3] == jump->before[3] + 10);
    }
    run_end(&r);
}

TEST(taps_of_both_at_one_instant)
{
    run r;
    if (open_double(&r, "dp45", 1e-9, 3)) {
        const char *const names[] = {"t1", "tap1", "t2", "tap2"};
        const double values[] = {0, 1.5, 0, -2.5};
        for (int i = 0; i < 4; i++) run_set(&r, names[i], values[i]);
        CHECK_STATUS(fo_simulation_start(r.sim), FO_OK, fo_simulation_message(r.sim));
        CHECK(run_value(&r, "v1") == 1.5 && run_value(&r, "v2") == -2.5);
        run_to(&r, 0.25);
        CHECK_STATUS(fo_simulation_send(r.sim, 0.25, "tap1", 0.5), FO_OK,
                     fo_simulation_message(r.sim));
        double before = run_value(&r, "v1");
        run_to(&r, 0.25);
        CHECK_NEAR(run_value(&r, "v1") - before, 0.5 / (0.5 * 0.5), 1e-12);
        run_to(&r, 3);
        CHECK_INT(run_count(&r, "timed_tap1"), 1);
        CHECK_INT(run_count(&r, "timed_tap2"), 1);
        CHECK_INT(run_count(&r, "tap1"), 1);
    }
    run_end(&r);
}

// A tap that presses the pendulums together at the instant of a collision is one more collision.
TEST(tap_during_a_collision_does_not_push_one_through_the_other)
{
    run r;
    if (open_double(&r, "dp45", 1e-10, 3)) {
        run_to(&r, 0.4);
        while (run_count(&r, "collision") == 0 && fo_simulation_time(r.sim) < 0.5)
            run_to(&r, fo_simulation_time(r.sim) + 0.01);
        double t = run_count(&r, "collision") ? run_moment(&r, "collision", 0)->t : 0;
        run_end(&r);
        if (!open_double(&r, "dp45", 1e-10, 3)) return;
        run_to(&r, t);
        CHECK_INT(run_count(&r, "collision"), 1);
        CHECK_STATUS(fo_simulation_send(r.sim, t, "tap1", 10), FO_OK, fo_simulation_message(r.sim));
        run_to(&r, t);
        CHECK(run_value(&r, "collisions") == 2);
        for (int i = 1; i <= 20; i++) {
            run_to(&r, t + 0.1 * i);
            double gap = run_value(&r, "gap");
            CHECK(gap > -1e-9 && gap < 2 * pi + 1e-9);
        }
    }
    run_end(&r);
}

// Bobs that part do not collide, even if they are made larger so that they overlap.
TEST(parting_is_no_collision)
{
    run r;
    if (open_double(&r, "dp45", 1e-10, 3)) {
        run_to(&r, 0.4825); // just after the first collision
        CHECK(run_value(&r, "collisions") == 1);
        double v1 = run_value(&r, "v1");
        run_set(&r, "smallest_angle", 0.1);
        run_to(&r, 0.4825);
        CHECK(run_value(&r, "collisions") == 1 && run_value(&r, "v1") == v1);
        run_to(&r, 1);
        CHECK(run_value(&r, "collisions") == 1);
        run_to(&r, 3);
        CHECK(run_value(&r, "collisions") == 3);
    }
    run_end(&r);
}

// No damping: collisions and flow keep the energy.
TEST(energy_is_kept_without_damping)
{
    run r;
    if (open_double(&r, "dp45", 1e-12, 15)) {
        run_set(&r, "c1", 0);
        run_set(&r, "c2", 0);
        CHECK_STATUS(fo_simulation_start(r.sim), FO_OK, fo_simulation_message(r.sim));
        double energy = run_value(&r, "energy");
        CHECK_NEAR(energy, 9.8 * 0.5 * 0.8 * (1 - cos(2.0)), 1e-12);
        run_to(&r, 15);
        CHECK(run_count(&r, "collision") > 10);
        CHECK_NEAR(run_value(&r, "energy"), energy, 1e-8);
    }
    run_end(&r);
}

TEST(stops_when_both_hang_nearly_still)
{
    run r;
    if (open_double(&r, "dp45", 1e-9, 200)) {
        run_set(&r, "smallest_angle", 0.1);
        CHECK_STATUS(fo_simulation_advance(r.sim, 200), FO_STOPPED, fo_simulation_message(r.sim));
        CHECK(fabs(run_value(&r, "y1")) < 0.075 && fabs(run_value(&r, "y2")) < 0.075);
        CHECK(fabs(run_value(&r, "v1")) < 0.25 && fabs(run_value(&r, "v2")) < 0.25);
        CHECK_NEAR(fabs(run_value(&r, "y1") - run_value(&r, "y2")), 0.1, 1e-9);
    }
    run_end(&r);
}

// From one point they part to the side to which they move; the gap tells which.
TEST(start_at_one_point)
{
    for (int side = -1; side <= 1; side += 2) {
        run r;
        if (open_double(&r, "dp45", 1e-9, 1)) {
            run_set(&r, "y1", 0.5);
            run_set(&r, "y2", 0.5);
            run_set(&r, "v1", side);
            run_to(&r, 0.01);
            CHECK_INT(run_count(&r, "collision"), 0);
            CHECK_NEAR(run_value(&r, "gap"), side > 0 ? 0.01 : 2 * pi - 0.01, 1e-3);
        }
        run_end(&r);
    }
}

TEST(wrong_values_are_refused)
{
    run_refused("double-pendulum", "m1", 0, "0");
    run_refused("double-pendulum", "m2", -0.3, "-0.3");
    run_refused("double-pendulum", "c1", -1, "-1");
    run_refused("double-pendulum", "l", -2, "-2");
    run_refused("double-pendulum", "g", -9.8, "-9.8");
    run_refused("double-pendulum", "smallest_angle", -0.1, "-0.1");
    run_refused("double-pendulum", "smallest_angle", 3.5, "3.5");
    run_refused("double-pendulum", "y1", 4, "4");
    run_refused("double-pendulum", "y2", -3.5, "-3.5");
    run_refused("double-pendulum", "smallest_angle", 3, "y2 = 2");
}

TEST_MAIN(TEST_ENTRY(figure_6_6_with_all_smallest_angles),
          TEST_ENTRY(no_collision_is_missed_at_a_thousand_radians_a_second),
          TEST_ENTRY(collisions_at_the_very_top),
          TEST_ENTRY(equal_masses_move_like_two_single_pendulums),
          TEST_ENTRY(figure_6_7_the_tap_makes_a_full_circle),
          TEST_ENTRY(taps_of_both_at_one_instant),
          TEST_ENTRY(tap_during_a_collision_does_not_push_one_through_the_other),
          TEST_ENTRY(parting_is_no_collision), TEST_ENTRY(energy_is_kept_without_damping),
          TEST_ENTRY(stops_when_both_hang_nearly_still), TEST_ENTRY(start_at_one_point),
          TEST_ENTRY(wrong_values_are_refused))
