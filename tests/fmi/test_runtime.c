/// The binary of exported units by its functions, with documents of all kinds. Under sanitizers
/// this is what looks at the memory of the units' own code. tests/soak has all documents of
/// models/.
#include "test.h"

#ifdef FOLIOT_UNIT // otherwise this build exports nothing

#include "drive.h"

TEST(units_are_driven)
{
    static const struct {
        const char *path;
        double h;
    } list[] = {{"ball/ball.mo", 0.05},
                {"sampled-control/sampled-control.mo", 0.02},
                {"delay-oscillator/delay-oscillator.mo", 0.1},
                {"diagrams/bouncing-ball.json", 0.05},
                {"mass-on-a-chain/mass-on-a-chain.structure.json", 0.01},
                {"wave-1d/wave-1d.field.json", 0.01}};
    REQUIRE(drive_load(FOLIOT_UNIT));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/models/%s", FOLIOT_SOURCE_DIR, list[i].path);
        CHECK(drive_document(path, list[i].h, 30));
    }
}

// A state of one instance, asked of another one that is of the same unit or of the other type and
// was initialised or not.
static fmi_instance instance_in(bool cosimulation, bool begun)
{
    char resources[220];
    if (begun) return drive_begin(cosimulation, false);
    snprintf(resources, sizeof resources, "%s/", drive_folder);
    return cosimulation ? f3.InstantiateCoSimulation("unit", "token", resources, false, false,
                                                     false, false, NULL, 0, NULL, drive_hear, NULL)
                        : f3.InstantiateModelExchange("unit", "token", resources, false, false,
                                                      NULL, drive_hear);
}

static void ask_another(bool of, bool cosimulation, bool begun)
{
    fmi_instance a = drive_begin(of, false), b = instance_in(cosimulation, begun);
    fmi_state kept = NULL, copy = NULL;
    size_t size = 0, others = 0, again = 0;
    REQUIRE(a && b);
    if (of) CHECK(drive_step(a, 0, 0.3, false));
    REQUIRE(f3.GetFMUState(a, &kept) == FMI_OK);
    bool same = of == cosimulation, live = same && !of; // in memory it is of its instance's model
    CHECK((f3.SerializedFMUStateSize(b, kept, &others) == FMI_OK) == live);
    CHECK(f3.SerializedFMUStateSize(a, kept, &size) == FMI_OK && size > 0);
    uint8_t *bytes = calloc(3, size + 1), *second = bytes + size, *third = second + size;
    REQUIRE(bytes);
    CHECK(f3.SerializeFMUState(a, kept, bytes, size) == FMI_OK);
    CHECK((f3.SerializeFMUState(b, kept, second, size) == FMI_OK) == live);
    CHECK((f3.DeserializeFMUState(b, bytes, size, &copy) == FMI_OK) == same);
    if (live) CHECK(others == size && memcmp(bytes, second, size) == 0);
    CHECK((f3.SetFMUState(b, kept) == FMI_OK) == live);
    if (same) {
        CHECK(f3.SerializedFMUStateSize(b, copy, &again) == FMI_OK && again == size);
        CHECK(f3.SerializeFMUState(b, copy, third, size) == FMI_OK);
        CHECK(memcmp(bytes, third, size) == 0);
        CHECK(f3.SetFMUState(b, copy) == FMI_OK);
        drive_same(a, b);
        CHECK(f3.FreeFMUState(b, &copy) == FMI_OK);
    }
    CHECK(f3.FreeFMUState(b, &kept) == FMI_OK);
    free(bytes);
    f3.FreeInstance(a), f3.FreeInstance(b);
}

TEST(states_are_asked_of_other_instances)
{
    REQUIRE(drive_load(FOLIOT_UNIT));
    REQUIRE(drive_place(FOLIOT_SOURCE_DIR "/models/ball/ball.mo"));
    for (int i = 0; i < 8; i++) ask_another(i & 1, i & 2, i & 4);
    drive_clear();
}

#else

TEST(states_are_asked_of_other_instances)
{
}

TEST(units_are_driven)
{
    printf("  no units are exported in this build\n");
}

#endif

TEST_MAIN(TEST_ENTRY(units_are_driven), TEST_ENTRY(states_are_asked_of_other_instances))
