// Tables 2-1 and 2-2 of "Real-time distributed simulation of partial differential equations with
// algebraic constraints": the values are those of an independent computation (eigenvalues and
// eighth-order integration, and the Euler methods node by node), with the sign of b2 that damps.
#include "field/inverse.h"
#include "rig.h"
#include <string.h>

static fo_field_def table_2_1(void)
{
    fo_field_def def = fo_default_field_def();
    def.size[0] = 20;
    def.length[0] = 100;
    def.c = 15, def.b1 = 0.5, def.b2 = 0.2;
    def.sides[FO_SIDE_LEFT] =
        (fo_side){FO_SIDE_DRIVEN, {.kind = FO_SIGNAL_SINE, .amplitude = 1, .omega = 1.5}};
    return def;
}

static const uint32_t nodes_2_1[4] = {1, 5, 10, 15};
static const double times_2_1[3] = {5, 10, 20};
static const double exact_2_1[3][4] = {
    {0.5747298111558162, -0.6251710906708265, 0.3891892254328802, 0.022197940723368247},
    {0.8676519984207731, -0.15948776279830043, -0.08799988465066605, 0.07783786443117705},
    {-0.813430877741836, 0.5547527943686366, -0.27162727981750706, 0.149419137348894},
};
static const double explicit_2_1[3][4] = {
    {0.5748992343674497, -0.6265938974499735, 0.39138783076048034, 0.021736106582285825},
    {0.8680171960891329, -0.15977623385400785, -0.08782018960777352, 0.07775511145694967},
    {-0.8133170134468234, 0.5562026127692082, -0.2734038736081572, 0.1508226421483494},
};
static const double implicit_2_1[3][4] = {
    {0.5745560513555241, -0.6237577143411437, 0.3870244575882183, 0.02266068293001801},
    {0.8672887172568328, -0.15919100647886902, -0.08815734519715888, 0.07790411562978211},
    {-0.813548329745429, 0.553302306237575, -0.2698684947031299, 0.14802868183834553},
};

static void compare_2_1(fo_field_method method, fo_field_linear linear, const char *solver,
                        double step, const double (*expected)[4], double within)
{
    fo_field_def def = table_2_1();
    def.method = method;
    def.linear = linear;
    rig r;
    CHECK_STATUS(rig_start(&r, &def, 20, step, solver) ? FO_OK : r.why.status, FO_OK, &r.why);
    for (int row = 0; r.sim && row < 3; row++) {
        CHECK_STATUS(rig_to(&r, times_2_1[row]), FO_REACHED, &r.why);
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(rig_value(&r, nodes_2_1[i], 0, 0), expected[row][i], within);
    }
    rig_end(&r);
}

TEST(explicit_euler_is_table_2_1)
{
    compare_2_1(FO_FIELD_EULER, FO_FIELD_DIRECT, NULL, 0.001, explicit_2_1, 1e-9);
}

// The full matrix of figure 2-10, A = 0.2 E + I with E of ones: A^-1 = I - 0.2 / (1 + 0.2 n) E.
TEST(gauss_jordan_inverts_the_matrix_of_figure_2_10)
{
    enum { N = 60 };
    static double a[N * N], x[N], y[N], z[N];
    uint32_t rows[N];
    for (int i = 0; i < N * N; i++) a[i] = 0.2 + (i % (N + 1) == 0);
    CHECK(foi_gauss_jordan(a, N, rows));
    for (int i = 0; i < N * N; i++)
        CHECK_NEAR(a[i], (i % (N + 1) == 0) - 0.2 / (1 + 0.2 * N), 1e-13);
    // any other, with rows in another order and zeros on its diagonal: A (A^-1 x) = x
    static double b[N * N], c[N * N];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            b[j * N + i] = c[j * N + i] = i == (j + 7) % N ? 3 + j : (i * 31 + j * 17) % 13 == 0;
    for (int i = 0; i < N; i++) x[i] = 1 + i % 5;
    CHECK(foi_gauss_jordan(b, N, rows));
    foi_matrix_times(b, N, x, y);
    foi_matrix_times(c, N, y, z);
    for (int i = 0; i < N; i++) CHECK_NEAR(z[i], x[i], 1e-10);
    memset(a, 0, sizeof a);
    CHECK(!foi_gauss_jordan(a, N, rows));
}

TEST(implicit_euler_is_table_2_1)
{
    compare_2_1(FO_FIELD_IMPLICIT_EULER, FO_FIELD_DIRECT, NULL, 0.001, implicit_2_1, 1e-8);
    compare_2_1(FO_FIELD_IMPLICIT_EULER, FO_FIELD_CG, NULL, 0.001, implicit_2_1, 1e-7);
    compare_2_1(FO_FIELD_IMPLICIT_EULER, FO_FIELD_MULTIGRID, NULL, 0.001, implicit_2_1, 1e-7);
    compare_2_1(FO_FIELD_IMPLICIT_EULER, FO_FIELD_FULL, NULL, 0.001, implicit_2_1, 1e-8);
    compare_2_1(FO_FIELD_IMPLICIT_EULER, FO_FIELD_INVERSE, NULL, 0.001, implicit_2_1, 1e-8);
}

TEST(sliding_with_eps_of_a_substep_is_implicit_euler)
{
    compare_2_1(FO_FIELD_SLIDING, FO_FIELD_DIRECT, NULL, 0.001, implicit_2_1, 1e-8);
}

TEST(accurate_methods_give_the_exact_table_2_1)
{
    compare_2_1(FO_FIELD_RK4, FO_FIELD_DIRECT, NULL, 0.01, exact_2_1, 1e-7);
    compare_2_1(FO_FIELD_LEAPFROG, FO_FIELD_DIRECT, NULL, 0.001, exact_2_1, 3e-6);
    compare_2_1(FO_FIELD_RK4, FO_FIELD_DIRECT, "dop853", 0, exact_2_1, 1e-4);
}

TEST(limits_are_those_of_the_eigenvalues)
{
    fo_message why = {0};
    fo_field_def def = table_2_1();
    fo_field *one = fo_field_create(&def, &why);
    REQUIRE(one);
    CHECK_NEAR(fo_field_limit(one, FO_FIELD_EULER), 0.016383905372590372, 1e-12);
    fo_field_destroy(one);
}

TEST(a_step_beyond_the_limit_is_refused)
{
    fo_field_def def = table_2_1();
    def.method = FO_FIELD_EULER;
    rig r;
    REQUIRE(rig_start(&r, &def, 20, 0.0164, NULL));
    CHECK_INT(rig_to(&r, 20), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(r.why.text, "0.0163839");
    rig_end(&r);
    def.b1 = def.b2 = 0;
    REQUIRE(rig_start(&r, &def, 20, 1e-6, NULL));
    CHECK_INT(rig_to(&r, 20), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(r.why.text, "not stable with any step");
    rig_end(&r);
}

// ----------------------------------------------------------------------------------- table 2-2

static const fo_field_point corner = {
    .node = {0, 1}, .hold = true, .signal = {FO_SIGNAL_SINE, .amplitude = 1, .omega = 2}};

static fo_field_def table_2_2(void)
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = 22;
    def.length[0] = def.length[1] = 100;
    def.c = 10, def.b1 = 0.2, def.b2 = 0.2;
    def.points = &corner;
    def.point_count = 1;
    return def;
}

static const uint32_t nodes_2_2[3][2] = {{3, 2}, {3, 4}, {10, 10}};
static const double exact_2_2[3][3] = {
    {0.15340107757673685, 0.08377472051438717, 4.17818286148466e-05},
    {-0.09449016225883325, -0.12423773259337803, 0.03825597057888471},
    {0.08145576206961115, -0.08244478622316961, -0.008388584849875766},
};
static const double explicit_2_2[3][3] = {
    {0.15405899250547203, 0.08402646731262749, 3.922363243250519e-05},
    {-0.09464235400870334, -0.12488523303838764, 0.03832107533100229},
    {0.08188428609055312, -0.08269124645241901, -0.008755539778567453},
};
static const double implicit_2_2[3][3] = {
    {0.15276110220842895, 0.0835058722228644, 4.446125407048623e-05},
    {-0.09433966204821269, -0.12359438265357618, 0.03815540596386536},
    {0.08102995687483076, -0.08219728538728545, -0.00804215630314157},
};

static void compare_2_2(fo_field_method method, double step, const double (*expected)[3],
                        double within)
{
    fo_field_def def = table_2_2();
    def.method = method;
    rig r;
    CHECK_STATUS(rig_start(&r, &def, 20, step, NULL) ? FO_OK : r.why.status, FO_OK, &r.why);
    for (int row = 0; r.sim && row < 3; row++) {
        CHECK_STATUS(rig_to(&r, times_2_1[row]), FO_REACHED, &r.why);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(rig_value(&r, nodes_2_2[i][0], nodes_2_2[i][1], 0), expected[row][i],
                       within);
    }
    rig_end(&r);
}

TEST(both_eulers_are_table_2_2)
{
    compare_2_2(FO_FIELD_EULER, 0.001, explicit_2_2, 1e-9);
    compare_2_2(FO_FIELD_IMPLICIT_EULER, 0.001, implicit_2_2, 1e-8);
}

TEST(accurate_methods_give_the_exact_table_2_2)
{
    compare_2_2(FO_FIELD_RK4, 0.02, exact_2_2, 1e-6);
    compare_2_2(FO_FIELD_LEAPFROG, 0.002, exact_2_2, 1e-5);
}

TEST(limit_in_two_dimensions)
{
    fo_message why = {0};
    fo_field_def def = table_2_2();
    fo_field *f = fo_field_create(&def, &why);
    REQUIRE(f);
    CHECK_NEAR(fo_field_limit(f, FO_FIELD_EULER), 0.007700770689604257, 1e-12);
    fo_field_destroy(f);
}

TEST_MAIN(TEST_ENTRY(explicit_euler_is_table_2_1),
          TEST_ENTRY(gauss_jordan_inverts_the_matrix_of_figure_2_10),
          TEST_ENTRY(implicit_euler_is_table_2_1),
          TEST_ENTRY(sliding_with_eps_of_a_substep_is_implicit_euler),
          TEST_ENTRY(accurate_methods_give_the_exact_table_2_1),
          TEST_ENTRY(limits_are_those_of_the_eigenvalues),
          TEST_ENTRY(a_step_beyond_the_limit_is_refused), TEST_ENTRY(both_eulers_are_table_2_2),
          TEST_ENTRY(accurate_methods_give_the_exact_table_2_2),
          TEST_ENTRY(limit_in_two_dimensions))
