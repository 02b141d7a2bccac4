// The applications of the document's chapter 6, as the diagrams in models/diagrams.
#include "run.h"

static char *read_model(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/diagrams/%s.json", FOLIOT_SOURCE_DIR, name);
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 65536);
    if (f && fread(text, 1, 65000, f) == 0) test_fail(__FILE__, __LINE__, "%s is empty", path);
    if (f) fclose(f);
    return text;
}

// Puts `new` where `old` first stands behind `after`.
static void replace(char *text, const char *after, const char *old, const char *new)
{
    char *at = strstr(text, after);
    at = at ? strstr(at, old) : NULL;
    if (!at) {
        test_fail(__FILE__, __LINE__, "no %s behind %s", old, after);
        return;
    }
    memmove(at + strlen(new), at + strlen(old), strlen(at + strlen(old)) + 1);
    memcpy(at, new, strlen(new));
}

static void open_text(diagram_run *r, const char *text)
{
    *r = (diagram_run){0};
    fo_diagram_def def = {"model.json", text, strlen(text), NULL};
    r->diagram = fo_diagram_read(&def, &r->why);
    if (!r->diagram) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return;
    }
    fo_run_def run = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
    r->sim = fo_simulation_create(fo_diagram_system(r->diagram), &run, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
}

typedef struct point {
    double t, value;
} point;

static void check_points(diagram_run *r, const char *name, const point *list, size_t count,
                         double within)
{
    if (!r->sim) return;
    for (size_t i = 0; i < count; i++)
        test_near(__FILE__, __LINE__, name, value_at(r, list[i].t, name), list[i].value, within);
}

static void check_model(const char *text, const char *name, const point *list, size_t count,
                        double within)
{
    diagram_run r;
    open_text(&r, text);
    check_points(&r, name, list, count, within);
    close_run(&r);
}

// Stepwise as the document computes, Dormand and Prince with steps of 0.2; and accurately, with
// the corners of |sin| located.
TEST(second_order_equation)
{
    static const point stepwise[] = {{0.2, 0.0419376412240875},
                                     {1, 1.0083800174538933},
                                     {2, 0.08867553815536354},
                                     {5, 0.737795924719892},
                                     {10, 0.6132111569562557}};
    static const point accurate[] = {{1.2, 0.7650818695021789},
                                     {1.8, 0.19643040007288337},
                                     {2, 0.09650454059722591},
                                     {2.2, 0.26690792770506694},
                                     {10, 0.6099827520198764}};
    char *text = read_model("second-order");
    replace(text, "simulation", "\"RK_DP\"", "\"RK_DP\", \"events\": false");
    check_model(text, "y", stepwise, 5, 1e-12);
    replace(text, "simulation", "\"RK_DP\", \"events\": false",
            "\"dop853\", \"rtol\": 1e-10, \"atol\": 1e-12");
    check_model(text, "y", accurate, 5, 1e-8);
    free(text);
}

// Table 6.1 holds the numbers of Dormand and Prince, truncated to five decimals.
TEST(pendulum_of_table_6_1)
{
    static const point table[] = {{0, 1.04719},  {0.4, 0.77975},  {1, -0.87646},
                                  {2, 0.68849},  {4, 0.3293},     {6, 0.046653},
                                  {8, -0.14752}, {9.8, -0.57249}, {10, -0.26804}};
    static const point exact[] = {{0.2, 1.0821339694439323},
                                  {1, -0.8764641799151616},
                                  {5, -0.176659734154279},
                                  {10, -0.2680415841751499}};
    static const point accurate[] = {{5, -0.1759110621662221}, {10, -0.26973303643715163}};
    char *text = read_model("pendulum");
    check_model(text, "angle", table, 9, 1e-5);
    check_model(text, "angle", exact, 4, 1e-11);
    replace(text, "simulation", "\"RK_DP\"", "\"dop853\", \"rtol\": 1e-11, \"atol\": 1e-13");
    check_model(text, "angle", accurate, 2, 1e-8);
    free(text);
}

// The bob stays at its distance, and a shorter pendulum swings faster.
TEST(pendulums_have_their_lengths)
{
    static const char *const names[] = {"pendulum", "pendulum-short"};
    double turned[2], lengths[] = {1, 0.5};
    for (int i = 0; i < 2; i++) {
        char *text = read_model(names[i]);
        diagram_run r;
        open_text(&r, text);
        double x = value_at(&r, 3, "xcor"), y = value_at(&r, 3, "ycor");
        CHECK_NEAR(hypot(x, y), lengths[i], 1e-12);
        double before = 1;
        turned[i] = 0;
        for (double t = 3; t < 20; t += 0.05) {
            double now = value_at(&r, t, "theta");
            turned[i] += (now > 0) != (before > 0);
            before = now;
        }
        close_run(&r);
        free(text);
    }
    CHECK(turned[1] > 1.25 * turned[0]);
}

// Every integrator of the document runs all integrators of the diagram together, at its stages:
// measured orders.
TEST(integrators_have_their_orders)
{
    static const struct {
        const char *name;
        double order;
    } list[] = {{"RK_EU", 1}, {"RK_HE", 2}, {"RK_BS", 3}, {"RK_04", 4}, {"RK_DP", 5}};
    for (size_t i = 0; i < 5; i++) {
        double error[2];
        for (int j = 0; j < 2; j++) {
            char *text = read_model("pendulum"), words[64];
            diagram_run r;
            snprintf(words, sizeof words, "\"%s\"", list[i].name);
            replace(text, "simulation", "\"RK_DP\"", words);
            replace(text, "simulation", "\"step\": 0.2",
                    j ? "\"step\": 0.0125" : "\"step\": 0.025");
            open_text(&r, text);
            error[j] = fabs(value_at(&r, 1, "angle") + 0.8764917629462927);
            close_run(&r);
            free(text);
        }
        CHECK_NEAR(log2(error[0] / error[1]), list[i].order, 0.35);
    }
}

typedef struct bounces {
    double t[16];
    int count;
} bounces;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    bounces *b = self;
    (void)why;
    if (m->kind == FO_GUARD && b->count < 16) b->t[b->count++] = m->t;
    return FO_OK;
}

static void check_ball(const char *name, const double *times, int count, double until)
{
    char *text = read_model(name);
    bounces heard = {0};
    fo_observer observer = {.self = &heard, .moment = hear, .interval = -1};
    diagram_run r = {0};
    fo_diagram_def def = {"ball.json", text, strlen(text), NULL};
    r.diagram = fo_diagram_read(&def, &r.why);
    REQUIRE(r.diagram);
    fo_run_def run = foi_experiment_run_def(foi_diagram_experiment(r.diagram), NULL);
    run.observers = &observer;
    run.observer_count = 1;
    r.sim = fo_simulation_create(fo_diagram_system(r.diagram), &run, &r.why);
    REQUIRE(r.sim);
    CHECK_STATUS(fo_simulation_advance(r.sim, until), FO_REACHED, fo_simulation_message(r.sim));
    CHECK_INT(heard.count, count);
    for (int i = 0; i < count; i++) CHECK_NEAR(heard.t[i], times[i], 1e-8);
    close_run(&r);
    free(text);
}

TEST(ball_bounces_where_it_should)
{
    static const double soft[] = {1.0050442082937967, 4.2457680027883615, 6.838347038384013,
                                  8.912410266860535,  10.571660849641752, 11.899061315866726,
                                  12.960981688846706, 13.81051798723069,  14.490147025937876,
                                  15.033850256903627, 15.468812841676225, 15.816782909494306};
    static const double elastic[] = {1.0050442082937967, 5.055948951412002, 9.106853694530209,
                                     13.157758437648415, 17.20866318076662};
    check_ball("bouncing-ball", soft, 12, 16);
    check_ball("bouncing-ball-elastic", elastic, 5, 20);
}

TEST(bus_suspension)
{
    static const point open[] = {{1, -0.04281577470824726}, {10, 0.018979648545787667}};
    static const point closed[] = {{0.0729, -0.00481767141387239},
                                   {0.317683, 0.0023462942783855356},
                                   {0.5, -0.0007154142047818557},
                                   {1, -0.00019241777074496813}};
    char *text = read_model("bus-open");
    check_model(text, "travel", open, 2, 1e-8);
    free(text);
    text = read_model("bus-closed");
    check_model(text, "travel", closed, 4, 1e-8);
    free(text);
}

// Four wheels on four trains of pulses. The suspension is linear: pulses are steps that follow each
// other, so that the responses to a step of 0.1 m add up.
TEST(bus_on_pulses)
{
    static const double after_half = -0.0007154142047818557, after_one = -0.00019241777074496813;
    char *text = read_model("bus-wheels");
    diagram_run r;
    open_text(&r, text);
    REQUIRE(r.sim);
    // front left: up by 0.1 at 0.5 s and down at 1 s, every 2 s. front right: up by 0.05 at 0, down
    // at 0.5, every 1.5 s
    CHECK_NEAR(value_at(&r, 0.4, "travel front left"), 0, 1e-15);
    CHECK_NEAR(value_at(&r, 0.5, "travel front right"), 0.5 * after_half, 1e-8);
    CHECK_NEAR(value_at(&r, 0.5729, "travel front left"), -0.00481767141387239, 1e-8);
    CHECK_NEAR(value_at(&r, 1, "travel front left"), after_half, 1e-8);
    CHECK_NEAR(value_at(&r, 1, "travel front right"), 0.5 * (after_one - after_half), 1e-8);
    // rear right: down by 0.06 at 1 s; rear left: up by 0.08 at 1 s for a second
    CHECK_NEAR(value_at(&r, 1.5, "travel front left"), after_one - after_half, 1e-8);
    CHECK_NEAR(value_at(&r, 1.5, "travel rear right"), -0.6 * after_half, 1e-8);
    CHECK_NEAR(value_at(&r, 1.5, "travel rear left"), 0.8 * after_half, 1e-8);
    CHECK_NEAR(value_at(&r, 2, "travel rear left"), 0.8 * after_one, 1e-8);
    close_run(&r);
    free(text);
}

// Within what 1600 customers let one expect.
TEST(queue_with_one_server)
{
    char *text = read_model("queue");
    diagram_run r;
    open_text(&r, text);
    REQUIRE(r.sim);
    CHECK_NEAR(value_at(&r, 2000, "utilisation"), 0.8, 0.06);
    CHECK_NEAR(value_at(&r, 2000, "mean wait"), 4, 2.5);
    CHECK_NEAR(value_at(&r, 2000, "arrivals"), 1600, 100);
    // who came has left, is served or waits
    CHECK_NEAR(value_at(&r, 2000, "sink") + value_at(&r, 2000, "server:2") +
                   value_at(&r, 2000, "length"),
               value_at(&r, 2000, "arrivals"), 0);
    close_run(&r);
    free(text);
}

TEST(decisions_of_table_6_3)
{
    static const struct {
        double inputs[4], output;
    } rows[] = {
        {{1, 1, 1, 1}, 0.687093523732818},       {{0.55, 0.6, 0.4, 0.3}, 0.5002651862621287},
        {{0.54, 1, 1, 1}, 0.4584908334518527},   {{1, 0.59, 1, 1}, 0.4772007066221807},
        {{1, 1, 0.3, 0.2}, 0.43849550739160265}, {{0, 0, 0, 0}, 0},
        {{0.54, 1, 0.3, 1}, 0.3343621774100961}, {{1, 0.6, 1, 0.2}, 0.47866703658910426}};
    for (size_t i = 0; i < 8; i++) {
        char *text = read_model("decision"), name[32], value[64];
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "\"IP%d\"", k + 1);
            snprintf(value, sizeof value, "\"Constant Value\": %g}", rows[i].inputs[k]);
            replace(text, name, "\"Constant Value\": 1}", value);
        }
        point end = {10, rows[i].output};
        check_model(text, "OP", &end, 1, 1e-6);
        free(text);
    }
}

TEST_MAIN(TEST_ENTRY(second_order_equation), TEST_ENTRY(pendulum_of_table_6_1),
          TEST_ENTRY(pendulums_have_their_lengths), TEST_ENTRY(integrators_have_their_orders),
          TEST_ENTRY(ball_bounces_where_it_should), TEST_ENTRY(bus_suspension),
          TEST_ENTRY(bus_on_pulses), TEST_ENTRY(queue_with_one_server),
          TEST_ENTRY(decisions_of_table_6_3))
