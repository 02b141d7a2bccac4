/// The rules that schemas cannot say: a description that keeps them, and one breach of each.
#include "unit_files.h"

static const char good[] =
    "<?xml version='1.0'?>\n"
    "<fmiModelDescription fmiVersion='3.0' modelName='test' instantiationToken='ball'>\n"
    "<ModelExchange modelIdentifier='unit' canGetAndSetFMUState='true' "
    "canSerializeFMUState='true'/>\n"
    "<CoSimulation modelIdentifier='unit' canGetAndSetFMUState='true' "
    "canSerializeFMUState='true'/>\n"
    "<UnitDefinitions><Unit name='m'><BaseUnit m='1'/></Unit>"
    "<Unit name='m/s'><BaseUnit m='1' s='-1'/></Unit></UnitDefinitions>\n"
    "<TypeDefinitions><Float64Type name='length' unit='m'/></TypeDefinitions>\n"
    "<DefaultExperiment startTime='0' stopTime='3' stepSize='0.01'/>\n"
    "<ModelVariables>\n"
    "<Float64 name='time' valueReference='0' causality='independent' variability='continuous'/>\n"
    "<Float64 name='h' valueReference='1' causality='output' initial='exact' start='1' "
    "declaredType='length'/>\n"
    "<Float64 name='der(h)' valueReference='2' causality='local' derivative='1' unit='m/s'/>\n"
    "<Float64 name='v' valueReference='3' causality='output' initial='exact' start='0' "
    "unit='m/s'/>\n"
    "<Float64 name='der(v)' valueReference='4' causality='local' derivative='3'/>\n"
    "<Float64 name='g' valueReference='5' causality='parameter' variability='tunable' "
    "start='-9.81'/>\n"
    "<Float64 name='e' valueReference='6' causality='parameter' variability='tunable' start='0.7' "
    "min='0' max='1'/>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Output valueReference='1'/><Output valueReference='3'/>"
    "<ContinuousStateDerivative valueReference='2' dependencies='3' dependenciesKind='constant'/>"
    "<ContinuousStateDerivative valueReference='4'/>"
    "<InitialUnknown valueReference='2'/><InitialUnknown valueReference='4'/>"
    "<EventIndicator valueReference='1'/></ModelStructure></fmiModelDescription>\n";

static char heard[2000];

static void listen(void *self, uint32_t line, const char *text)
{
    (void)self, (void)line;
    size_t used = strlen(heard);
    snprintf(heard + used, sizeof heard - used, "%s\n", text);
}

static size_t breaches(const char *description)
{
    fo_message why = {0};
    size_t count = 0;
    heard[0] = 0;
    fo_status status =
        fo_fmu_validate(unit_write(3, "ball", description), NULL, NULL, listen, &count, &why);
    if (status != FO_ERROR_FORMAT) // numbers outside of their bounds are not opened at all
        CHECK_STATUS(status, FO_OK, &why);
    return count;
}

TEST(a_unit_that_keeps_the_rules)
{
    REQUIRE(units_begin());
    CHECK_INT(breaches(good), 0);
    CHECK_TEXT(heard, "");
}

TEST(each_rule_is_noticed)
{
    static const struct {
        const char *from, *to, *message;
    } changes[] = {
        {"valueReference='6'", "valueReference='5'", "the same value reference"},
        {"causality='parameter' variability='tunable' start='-9.81'",
         "causality='parameter' variability='continuous' start='-9.81'", "does not allow together"},
        {" start='-9.81'", "", "g needs a start value"},
        {"start='0.7'", "start='1.7'", "outside of its min and max"},
        {"min='0' max='1'", "min='2' max='1'", "above its max"},
        {"initial='exact' start='0'", "initial='calculated' start='0'",
         "must not have a start value"},
        {"start='0' unit='m/s'", "start='0' unit='mph'", "not in UnitDefinitions"},
        {"declaredType='length'", "declaredType='lenght'", "not in TypeDefinitions"},
        {"derivative='1' unit='m/s'", "derivative='1' unit='m'", "h has m"},
        {"<Output valueReference='3'/>", "", "not listed in ModelStructure"},
        {"<Output valueReference='3'/>", "<Output valueReference='3'/><Output valueReference='5'/>",
         "is not one"},
        {"<InitialUnknown valueReference='4'/>", "", "not listed among the initial unknowns"},
        {"<InitialUnknown valueReference='4'/>",
         "<InitialUnknown valueReference='4'/><InitialUnknown valueReference='6'/>",
         "and is not one"},
        {"dependenciesKind='constant'", "dependenciesKind='constant fixed'",
         "1 dependencies and 2 entries"},
        {"dependencies='3'", "dependencies='33'", "which does not exist"},
        {"dependencies='3' dependenciesKind='constant'", "dependencies=''",
         "der(h) depends on v, which is not listed"},
        {"dependencies='3'", "dependencies='1'", "der(h) depends on v, which is not listed"},
        {"stopTime='3'", "stopTime='-3'", "must stop after its start"},
        {"causality='independent' variability='continuous'",
         "causality='local' variability='continuous'", "no independent variable"},
        {"valueReference='5' causality='parameter'",
         "valueReference='5' causality='parameter' initial='approx'",
         "must have initial=\"exact\""},
    };
    char bad[sizeof good + 200];
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *place = strstr(good, changes[i].from);
        REQUIRE(place);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(place - good), good, changes[i].to,
                 place + strlen(changes[i].from));
        CHECK(breaches(bad) > 0);
        CHECK_CONTAINS(heard, changes[i].message);
    }
    CHECK_INT(unit_leftovers(), 0);
    units_end();
}

TEST_MAIN(TEST_ENTRY(a_unit_that_keeps_the_rules), TEST_ENTRY(each_rule_is_noticed))
