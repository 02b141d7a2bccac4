/// Names of units of measure.
#include <math.h>
#include <string.h>

#include "fmi/description.h"
#include "test.h"

TEST(names_mean_what_they_say)
{
    static const struct {
        const char *name;
        int exponent[8];
        double factor, offset;
    } list[] = {
        {"m", {0, 1}, 1, 0},
        {"kg.m2", {1, 2}, 1, 0},
        {"N.m", {1, 2, -2}, 1, 0},
        {"rad/s", {0, 0, -1, 0, 0, 0, 0, 1}, 1, 0},
        {"N s/m", {1, 0, -1}, 1, 0},
        {"J/(kg.K)", {0, 2, -2, 0, -1}, 1, 0},
        {"J/kg/K", {0, 2, -2, 0, -1}, 1, 0},
        {"m/s^2", {0, 1, -2}, 1, 0},
        {"m.s-2", {0, 1, -2}, 1, 0},
        {"1/min", {0, 0, -1}, 1.0 / 60, 0},
        {"km/h", {0, 1, -1}, 1000.0 / 3600, 0},
        {"min", {0, 0, 1}, 60, 0},
        {"mV", {1, 2, -3, -1}, 1e-3, 0},
        {"uF/cm2", {-1, -4, 4, 2}, 1e-6 / 1e-4, 0},
        {"mS/cm2", {-1, -4, 3, 2}, 1e-3 / 1e-4, 0},
        {"V.A", {1, 2, -3}, 1, 0},
        {"degC", {0, 0, 0, 0, 1}, 1, 273.15},
        {"1", {0}, 1, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        foi_fmu_measure m;
        CHECK(foi_fmu_measure_read(list[i].name, &m));
        CHECK(memcmp(m.exponent, list[i].exponent, sizeof m.exponent) == 0);
        CHECK_NEAR(m.factor, list[i].factor, 1e-14 * list[i].factor);
        CHECK_NEAR(m.offset, list[i].offset, 0);
    }
}

TEST(what_is_no_unit_is_not_known)
{
    static const char *const list[] = {"",     "nodes",        "kkg",  "m/",  "/s",  "m..s",
                                       "(m",   "m)",           "m^",   "m^x", "m99", "kg m s$",
                                       "mmin", "(((((((((((m", "m s ", "dkg"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        foi_fmu_measure m;
        if (foi_fmu_measure_read(list[i], &m)) test_fail(__FILE__, __LINE__, "'%s'", list[i]);
    }
}

TEST_MAIN(TEST_ENTRY(names_mean_what_they_say), TEST_ENTRY(what_is_no_unit_is_not_known))
