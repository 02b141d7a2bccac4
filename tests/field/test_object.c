// An object on a wave (section 3.3): sliding manifold against the exact constraint, and contact
// that opens and closes. The values are those of an independent computation.
#include <stdlib.h>

#include "rig.h"

// Table 3-2 in one dimension: 22 nodes over 100 m, a flat object of mass 0.003 on two nodes.
static fo_field_object flat = {.mass = 0.003,
                               .gravity = 9.8,
                               .first = {10},
                               .count = {2},
                               .bonded = true,
                               .mu = 0.2,
                               .eps = 0.1};

static fo_field_def table_3_2(fo_contact contact)
{
    fo_field_def def = fo_default_field_def();
    def.size[0] = 22;
    def.length[0] = 100;
    def.c = 10, def.b1 = 0.2, def.b2 = 0.2;
    def.method = FO_FIELD_RK4;
    flat.contact = contact;
    def.object = &flat;
    return def;
}

static double output(rig *r, const char *name)
{
    fo_reference which = {0};
    CHECK_INT(fo_system_find(fo_field_system(r->field), name, &which, &r->why), FO_OK);
    return fo_simulation_value(r->sim, which);
}

static const double times[6] = {1, 2, 5, 10, 20, 50};

TEST(the_sliding_manifold_gives_the_documents_values)
{
    static const double y[6] = {0.012512641105350367, 0.011396800629818672, 0.026382451312369715,
                                0.044446552641106245, 0.029700143350285316, 0.03342567194342154};
    static const double theta[6] = {0.005038433313162969, 0.011026728655799494,
                                    0.02638476180306601,  0.044437926864084355,
                                    0.029704167902249702, 0.03342563241790769};
    fo_field_def def = table_3_2(FO_CONTACT_SLIDING);
    rig r;
    REQUIRE(rig_start(&r, &def, 50, 0.002, NULL));
    for (int i = 0; i < 6; i++) {
        CHECK_STATUS(rig_to(&r, times[i]), FO_REACHED, &r.why);
        CHECK_NEAR(output(&r, "object.y"), y[i], 1e-8);
        CHECK_NEAR(rig_value(&r, 10, 0, 0), theta[i], 1e-8);
        CHECK_NEAR(rig_value(&r, 11, 0, 0), theta[i], 1e-8);
    }
    CHECK_NEAR(output(&r, "object.force"), 0.0294, 2e-7); // m g, nearly at rest
    rig_end(&r);
}

TEST(the_exact_constraint_gives_the_exact_values)
{
    static const double y[6] = {0.004979772766897517, 0.011037412104601997, 0.0263867375591752,
                                0.04442949154045567,  0.029707954866254226, 0.033425585352071824};
    fo_field_def def = table_3_2(FO_CONTACT_EXACT);
    rig r;
    REQUIRE(rig_start(&r, &def, 50, 0.01, NULL));
    for (int i = 0; i < 6; i++) {
        CHECK_STATUS(rig_to(&r, times[i]), FO_REACHED, &r.why);
        CHECK_NEAR(output(&r, "object.y"), y[i], 1e-9);
        CHECK_NEAR(rig_value(&r, 10, 0, 0), output(&r, "object.y"), 1e-14);
    }
    rig_end(&r);
}

// The sliding solution comes to the exact one as mu and eps go to zero.
TEST(sliding_approaches_exact)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        fo_field_def def = table_3_2(FO_CONTACT_SLIDING);
        flat.mu = 0.02 / (1 + i), flat.eps = 0.01 / (1 + i);
        rig r;
        REQUIRE(rig_start(&r, &def, 5, 0.0005, NULL));
        CHECK_STATUS(rig_to(&r, 5), FO_REACHED, &r.why);
        error[i] = fabs(output(&r, "object.y") - 0.0263867375591752);
        rig_end(&r);
    }
    flat.mu = 0.2, flat.eps = 0.1;
    CHECK(error[0] < 2e-5);
    CHECK(error[1] < 0.7 * error[0]);
}

// --------------------------------------------------------------------------------- opens and
// closes

// A ball-like body falls on a string, lies on more and more nodes, and is thrown off by a pulse.
static fo_field_def falling(fo_field_object *object, double *shape)
{
    for (int i = 0; i < 7; i++) shape[i] = 0.02 * abs(i - 3);
    *object = (fo_field_object){.mass = 2,
                                .gravity = 9.8,
                                .first = {7},
                                .count = {7},
                                .shape = shape,
                                .y = -0.3,
                                .contact = FO_CONTACT_EXACT};
    fo_field_def def = fo_default_field_def();
    def.size[0] = 21;
    def.length[0] = 20;
    def.c = 6, def.b1 = 0.3;
    def.method = FO_FIELD_RK4;
    def.object = object;
    return def;
}

TEST(contact_closes_where_the_object_arrives)
{
    fo_field_object object;
    double shape[7];
    fo_field_def def = falling(&object, shape);
    rig r;
    REQUIRE(rig_start(&r, &def, 4, 0.005, NULL));
    double fall = sqrt(2 * 0.3 / 9.8), speed = 9.8 * fall;
    CHECK_STATUS(rig_to(&r, fall * 0.999), FO_REACHED, &r.why);
    CHECK_NEAR(output(&r, "object.contacts"), 0, 0);
    CHECK_NEAR(output(&r, "object.v"), speed * 0.999, 1e-9);
    CHECK_STATUS(rig_to(&r, fall * 1.001), FO_REACHED, &r.why);
    CHECK_NEAR(output(&r, "object.contacts"), 1, 0);
    // inelastic: 2 of 3 parts of the momentum stay with the object
    CHECK_NEAR(output(&r, "object.v"), speed * 2 / 3, 0.01 * speed);
    CHECK_STATUS(rig_to(&r, 4), FO_REACHED, &r.why);
    CHECK(fo_simulation_statistics(r.sim).moments > 2);
    for (uint32_t i = 0; i < 7; i++) // never inside
        CHECK(rig_value(&r, 7 + i, 0, 0) > output(&r, "object.y") - shape[i] - 1e-9);
    rig_end(&r);
}

// At rest the string carries the object, and no node pulls at it.
TEST(at_rest_the_forces_press_and_carry)
{
    fo_field_object object;
    double shape[7];
    fo_field_def def = falling(&object, shape);
    def.b1 = 2, def.b2 = 1;
    rig r;
    REQUIRE(rig_start(&r, &def, 40, 0.01, NULL));
    CHECK_STATUS(rig_to(&r, 40), FO_REACHED, &r.why);
    CHECK_NEAR(output(&r, "object.force"), 2 * 9.8, 1e-4);
    CHECK_NEAR(output(&r, "object.v"), 0, 1e-5);
    CHECK(output(&r, "object.contacts") >= 3);
    rig_end(&r);
}

TEST(a_pulse_throws_the_object_up)
{
    static const fo_field_point below = {
        .node = {10}, .signal = {FO_SIGNAL_PULSE, .amplitude = -900, .width = 0.3, .start = 3}};
    fo_field_object object;
    double shape[7];
    fo_field_def def = falling(&object, shape);
    def.points = &below, def.point_count = 1;
    def.b1 = 2;
    rig r;
    REQUIRE(rig_start(&r, &def, 5, 0.005, NULL));
    CHECK_STATUS(rig_to(&r, 3), FO_REACHED, &r.why);
    CHECK(output(&r, "object.contacts") >= 1);
    bool flew = false;
    for (int i = 0; i < 100 && !flew; i++) {
        CHECK_STATUS(rig_to(&r, 3 + 0.02 * (i + 1)), FO_REACHED, &r.why);
        flew = output(&r, "object.contacts") == 0;
    }
    CHECK(flew);
    rig_end(&r);
}

// A wedge on a sheet of 22 x 22 nodes, as in figure 3-13.
TEST(a_wedge_in_two_dimensions)
{
    double shape[16];
    for (int i = 0; i < 16; i++) shape[i] = 0.002 * fabs(i % 4 - 1.5);
    fo_field_object wedge = {.mass = 0.003,
                             .gravity = 9.8,
                             .first = {9, 9},
                             .count = {4, 4},
                             .shape = shape,
                             .force = {FO_SIGNAL_SINE, .amplitude = 0.02, .omega = 2},
                             .contact = FO_CONTACT_SLIDING,
                             .bonded = true,
                             .mu = 0.2,
                             .eps = 0.1};
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = 22;
    def.length[0] = def.length[1] = 100;
    def.c = 10, def.b1 = 0.2, def.b2 = 0.2;
    def.method = FO_FIELD_RK4;
    def.object = &wedge;
    rig r;
    REQUIRE(rig_start(&r, &def, 20, 0.01, NULL));
    CHECK_STATUS(rig_to(&r, 20), FO_REACHED, &r.why);
    double tip = rig_value(&r, 10, 10, 0) + shape[5];
    CHECK_NEAR(output(&r, "object.y"), tip, 1e-3); // g decays with mu, the force never rests
    for (uint32_t i = 0; i < 16; i++)              // the surface has taken the wedge's form
        CHECK_NEAR(rig_value(&r, 9 + i % 4, 9 + i / 4, 0), tip - shape[i], 2e-5);
    rig_end(&r);
}

TEST(mistakes_of_objects_are_named)
{
    fo_message why = {0};
    fo_field_def def = table_3_2(FO_CONTACT_EXACT);
    fo_field_object bad = flat;
    def.object = &bad;
    bad.mass = 0;
    CHECK(!fo_field_create(&def, &why));
    CHECK_CONTAINS(why.text, "mass must be positive");
    bad.mass = 1, bad.count[0] = 13;
    CHECK(!fo_field_create(&def, &why));
    CHECK_CONTAINS(why.text, "nodes 10 to 22 of axis x, which has 22");
    bad.count[0] = 12;
    CHECK(!fo_field_create(&def, &why));
    CHECK_CONTAINS(why.text, "held");
    bad.count[0] = 2, bad.y = 0.1;
    rig r;
    REQUIRE(rig_start(&r, &def, 1, 0.01, NULL));
    CHECK_INT(rig_to(&r, 1), FO_ERROR_MODEL);
    CHECK_CONTAINS(r.why.text, "off by 0.1");
    rig_end(&r);
}

TEST_MAIN(TEST_ENTRY(the_sliding_manifold_gives_the_documents_values),
          TEST_ENTRY(the_exact_constraint_gives_the_exact_values),
          TEST_ENTRY(sliding_approaches_exact), TEST_ENTRY(contact_closes_where_the_object_arrives),
          TEST_ENTRY(at_rest_the_forces_press_and_carry), TEST_ENTRY(a_pulse_throws_the_object_up),
          TEST_ENTRY(a_wedge_in_two_dimensions), TEST_ENTRY(mistakes_of_objects_are_named))
