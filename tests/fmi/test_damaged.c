/// Archives, descriptions and binaries that are not what they should be: a message each, nothing
/// left behind, and this process goes on.
#include <math.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "unit_files.h"

// Opens and runs it; the message of what failed, "" when nothing did.
static const char *try_unit(const char *path, fo_fmu_type type, double timeout)
{
    static fo_message why;
    fo_fmu_def def = {.type = type, .timeout = timeout};
    why = (fo_message){0};
    fo_fmu *fmu = path ? fo_fmu_open(path, &def, &why) : NULL;
    if (!fmu) return why.text;
    fo_run_def run = fo_fmu_run_def(fmu);
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(fmu), &run, &why);
    fo_status status = sim ? fo_simulation_advance(sim, run.stop) : FO_ERROR_MODEL;
    why.text[0] = 0;
    if (sim && fo_failed(status)) why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
    return why.text;
}

TEST(begins)
{
    REQUIRE(units_begin());
}

TEST(a_fault_in_a_call_names_the_call)
{
    static const char *const faults[] = {"crash", "error", "fatal", "exit"};
    static const char *const two[] = {"EnterInitializationMode",
                                      "ExitInitializationMode",
                                      "NewDiscreteStates",
                                      "EnterContinuousTimeMode",
                                      "SetTime",
                                      "GetDerivatives",
                                      "GetEventIndicators",
                                      "EnterEventMode",
                                      "CompletedIntegratorStep",
                                      "GetContinuousStates"};
    static const char *const three[] = {"EnterInitializationMode",
                                        "ExitInitializationMode",
                                        "UpdateDiscreteStates",
                                        "EnterContinuousTimeMode",
                                        "SetTime",
                                        "GetContinuousStateDerivatives",
                                        "GetEventIndicators",
                                        "EnterEventMode",
                                        "SetContinuousStates",
                                        "GetContinuousStates"};
    int count = 0;
    for (int version = 2; version <= 3; version++)
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 10; i++) {
                char token[80], call[80];
                const char *name = version == 2 ? two[i] : three[i];
                snprintf(token, sizeof token, "ball/%s/%s", faults[k], name);
                snprintf(call, sizeof call, "fmi%d%s", version, name);
                CHECK_CONTAINS(try_unit(unit_write(version, token, NULL), FO_FMU_AUTO, 20), call);
                count++;
            }
    CHECK_INT(count, 80);
    for (int version = 2; version <= 3; version++)
        for (int k = 0; k < 4; k++) {
            char token[80];
            snprintf(token, sizeof token, "ball/%s/DoStep", faults[k]);
            CHECK_CONTAINS(try_unit(unit_write(version, token, NULL), FO_FMU_CO_SIMULATION, 20),
                           "DoStep");
        }
    CHECK_INT(unit_leftovers(), 0);
}

TEST(a_call_that_hangs_is_ended)
{
    CHECK_CONTAINS(try_unit(unit_write(2, "ball/hang/GetDerivatives", NULL), FO_FMU_AUTO, 0.2),
                   "fmi2GetDerivatives did not return within 0.2 s");
    CHECK_CONTAINS(try_unit(unit_write(3, "ball/hang/DoStep", NULL), FO_FMU_CO_SIMULATION, 0.2),
                   "fmi3DoStep did not return");
    CHECK_CONTAINS(try_unit(unit_write(3, "ball/crash/Instantiate", NULL), FO_FMU_AUTO, 5),
                   "fmi3InstantiateModelExchange");
    CHECK_CONTAINS(try_unit(unit_write(2, "ball/endless/x", NULL), FO_FMU_AUTO, 5),
                   "event iteration does not end");
    CHECK(*try_unit(unit_write(2, "ball/nan/x", NULL), FO_FMU_AUTO, 5) != 0);
    CHECK_CONTAINS(try_unit(unit_write(2, "nobody", NULL), FO_FMU_AUTO, 5), "returned NULL");
    CHECK_INT(unit_leftovers(), 0);
}

// Opens, runs to 1, takes a snapshot, sets a parameter, runs on, goes back and runs on: all that a
// unit may be asked for. The message of what failed.
static void use_all(const char *path, fo_fmu_type type, double timeout, fo_message *why)
{
    fo_fmu_def def = {.type = type, .timeout = timeout};
    fo_fmu *fmu = fo_fmu_open(path, &def, why);
    if (!fmu) return;
    fo_run_def run = fo_fmu_run_def(fmu);
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(fmu), &run, why);
    fo_snapshot *snap = NULL;
    bool good =
        sim && !fo_failed(fo_simulation_advance(sim, 1)) && (snap = fo_simulation_snapshot(sim)) &&
        !fo_failed(fo_simulation_set(sim, "e", 0.6)) && !fo_failed(fo_simulation_advance(sim, 2)) &&
        !fo_failed(fo_simulation_restore(sim, snap)) && !fo_failed(fo_simulation_advance(sim, 2));
    if (sim && !good) *why = *fo_simulation_message(sim);
    fo_snapshot_destroy(snap);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
}

static const struct {
    const char *fault; ///< as the test's unit calls it
    const char *two, *three;
    fo_fmu_type type;
} every_call[] = {
    {"Instantiate", "Instantiate", "InstantiateModelExchange", FO_FMU_MODEL_EXCHANGE},
    {"Instantiate", "Instantiate", "InstantiateCoSimulation", FO_FMU_CO_SIMULATION},
    {"SetupExperiment", "SetupExperiment", NULL, FO_FMU_CO_SIMULATION},
    {"EnterInitializationMode", "EnterInitializationMode", "EnterInitializationMode",
     FO_FMU_CO_SIMULATION},
    {"ExitInitializationMode", "ExitInitializationMode", "ExitInitializationMode",
     FO_FMU_CO_SIMULATION},
    {"GetReal", "GetReal", "GetFloat64", FO_FMU_CO_SIMULATION},
    {"SetReal", "SetReal", "SetFloat64", FO_FMU_CO_SIMULATION},
    {"DoStep", "DoStep", "DoStep", FO_FMU_CO_SIMULATION},
    {"GetFMUState", "GetFMUstate", "GetFMUState", FO_FMU_CO_SIMULATION},
    {"SetFMUState", "SetFMUstate", "SetFMUState", FO_FMU_CO_SIMULATION},
    {"FreeFMUState", "FreeFMUstate", "FreeFMUState", FO_FMU_CO_SIMULATION},
    {"SerializedFMUStateSize", "SerializedFMUstateSize", "SerializedFMUStateSize",
     FO_FMU_CO_SIMULATION},
    {"SerializeFMUState", "SerializeFMUstate", "SerializeFMUState", FO_FMU_MODEL_EXCHANGE},
    {"DeserializeFMUState", "DeSerializeFMUstate", "DeserializeFMUState", FO_FMU_MODEL_EXCHANGE},
    {"SetTime", "SetTime", "SetTime", FO_FMU_MODEL_EXCHANGE},
    {"SetContinuousStates", "SetContinuousStates", "SetContinuousStates", FO_FMU_MODEL_EXCHANGE},
    {"GetContinuousStates", "GetContinuousStates", "GetContinuousStates", FO_FMU_MODEL_EXCHANGE},
    {"GetEventIndicators", "GetEventIndicators", "GetEventIndicators", FO_FMU_MODEL_EXCHANGE},
    {"GetDerivatives", "GetDerivatives", NULL, FO_FMU_MODEL_EXCHANGE},
    {"GetContinuousStateDerivatives", NULL, "GetContinuousStateDerivatives", FO_FMU_MODEL_EXCHANGE},
    {"EnterEventMode", "EnterEventMode", "EnterEventMode", FO_FMU_MODEL_EXCHANGE},
    {"NewDiscreteStates", "NewDiscreteStates", NULL, FO_FMU_MODEL_EXCHANGE},
    {"UpdateDiscreteStates", NULL, "UpdateDiscreteStates", FO_FMU_MODEL_EXCHANGE},
    {"EnterContinuousTimeMode", "EnterContinuousTimeMode", "EnterContinuousTimeMode",
     FO_FMU_MODEL_EXCHANGE},
    // of the instance that has shown how large its state is
    {"Terminate", "Terminate", "Terminate", FO_FMU_CO_SIMULATION},
    {"FreeInstance", "FreeInstance", "FreeInstance", FO_FMU_CO_SIMULATION},
};

// In a process of its own, since most of the time is waiting: 0 when the message is as it must be.
static int try_call(size_t i, int version, const char *kind)
{
    char token[80], name[80], call[80], text[8000];
    const char *wanted = version == 2 ? every_call[i].two : every_call[i].three;
    fo_message why = {0};
    snprintf(token, sizeof token, "ball/%s/%s", kind, every_call[i].fault);
    snprintf(name, sizeof name, "%s-%zu-%d.fmu", kind, i, version);
    snprintf(call, sizeof call, "fmi%d%s", version, wanted);
    unit_describe(text, sizeof text, version, token);
    const char *path = unit_write_as(name, version, text);
    if (!path) return 1;
    use_all(path, every_call[i].type, strcmp(kind, "hang") == 0 ? 2 : 60, &why);
    bool good = strstr(why.text, call) != NULL;
    if (!good) printf("  %s, version %d: '%s'\n", token, version, why.text);
    fflush(stdout);
    return !good;
}

TEST(every_call_is_named)
{
    static const char *const kinds[] = {"crash", "kill", "hang"};
    enum { CALLS = sizeof every_call / sizeof every_call[0] };
    pid_t child[CALLS * 2];
    for (int k = 0; k < 3; k++) {
        size_t count = 0;
        fflush(NULL);
        for (size_t i = 0; i < CALLS; i++)
            for (int version = 2; version <= 3; version++) {
                if (!(version == 2 ? every_call[i].two : every_call[i].three)) continue;
                pid_t pid = fork();
                REQUIRE(pid >= 0);
                if (pid == 0) _exit(try_call(i, version, kinds[k]));
                child[count++] = pid;
            }
        for (size_t i = 0; i < count; i++) {
            int how = 1;
            CHECK(waitpid(child[i], &how, 0) == child[i] && how == 0);
        }
    }
    CHECK_INT(unit_leftovers(), 0);
}

// ----------------------------------------------------------------------------------- descriptions

TEST(descriptions_that_are_wrong)
{
    static const struct {
        const char *from, *to, *message;
    } changes[] = {
        {"<?xml version=\"1.0\"?>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "document types"},
        {"fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"", "expected FMI 2.0 or 3.x"},
        {"fmiVersion=\"2.0\"", "", "needs an fmiVersion"},
        {"guid=", "gid=", "needs a guid"},
        {"modelName=\"test\"", "", "needs a modelName"},
        {"</fmiModelDescription>", "", "ends inside"},
        {"<ModelVariables>", "<ModelVariables", "expected"},
        {"modelIdentifier=\"unit\"", "modelIdentifier=\"../unit\"", "C name"},
        {"modelIdentifier=\"unit\"", "modelIdentifier=\"other\"", "no binary other.so"},
        {"valueReference='1'", "valueReference='x'", "valueReference"},
        {"causality='output'", "causality='outpt'", "causality"},
        {"variability='tunable'", "variability='tuneable'", "variability"},
        {"name='v'", "name='h'", "two variables have the same name"},
        {"name='v'", "nme='v'", "without a name"},
        {"derivative='1'", "derivative='99'", "needs the attribute 'derivative'"},
        {"derivative='1'", "", "needs the attribute 'derivative'"},
        {"derivative='1'", "derivative='3'", "one state has two derivatives"},
        {"index='2'", "index='77'", "not a variable"},
        {"index='2'", "index='-1'", "expected a derivative"},
        {"derivative='1'", "derivative='2'", "the derivative of itself"},
        {"start='0.7'", "start='one'", "expected a number as start value, found 'one'"},
        {"start='0.7'", "start='0.7 x'", "expected a number as start value"},
        {"modelName=\"test\"", "modelName=\"te\xff\"", "expected UTF-8"},
        {"modelName=\"test\"", "modelName=\"\xc0\xaf\"", "expected UTF-8"},
        {"modelName=\"test\"", "modelName=\"\xed\xa0\x80\"", "expected UTF-8"},
        {"stopTime=\"", "stopTime=\"INF", "finite numbers in DefaultExperiment"},
        {"min='0'", "min='0' min='1'", "given twice"},
        {"start='0.7'", "start='&wrong;'", "entity"},
        {"<ModelStructure>", "<ModelStructure/><x>", "does not match"},
        {"numberOfEventIndicators=\"1\"", "numberOfEventIndicators=\"many\"", "event indicators"},
        {"<ModelExchange", "<ModelExchang", NULL},
    };
    char good[8000], bad[8200];
    unit_describe(good, sizeof good, 2, "ball");
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *place = strstr(good, changes[i].from);
        REQUIRE(place);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(place - good), good, changes[i].to,
                 place + strlen(changes[i].from));
        const char *said = try_unit(unit_write(2, "ball", bad), FO_FMU_MODEL_EXCHANGE, 20);
        if (changes[i].message)
            CHECK_CONTAINS(said, changes[i].message);
        else
            CHECK(*said);
    }
    CHECK_INT(unit_leftovers(), 0);
}

// --------------------------------------------------------------------------------------- archives

static void write_bytes(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file) fwrite(data, 1, size, file), fclose(file);
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    if (data && fread(data, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return data;
}

TEST(names_that_lead_elsewhere)
{
    static const char *const names[] = {
        "../evil",  "/tmp/evil", "a/../../evil",         "a\\b",     "c:evil",
        "a//b",     "./a",       "MODELDESCRIPTION.XML", "binaries", "modelDescription.xml/x",
        "bad\nname"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[600], text[8000];
        unit_describe(text, sizeof text, 2, "ball");
        snprintf(path, sizeof path, "%s/unit.fmu", unit_folder);
        fo_fmu_file files[] = {{"modelDescription.xml", text, strlen(text), false},
                               {names[i], "x", 1, false},
                               {"binaries/linux64/unit.so", "x", 1, true}};
        REQUIRE(fo_fmu_write(path, files, 3, NULL) == FO_OK);
        CHECK_CONTAINS(try_unit(path, FO_FMU_AUTO, 5), "not a ZIP archive that can be read");
    }
    CHECK_INT(unit_leftovers(), 0);
    CHECK(access("/tmp/evil", F_OK) != 0);
}

// Cut off anywhere, and with bytes changed where the archive's own structure is.
TEST(archives_that_are_damaged)
{
    size_t size;
    const char *path = unit_write(2, "ball", NULL);
    char *good = read_bytes(path, &size);
    REQUIRE(good);
    uint64_t random = 0x9e3779b97f4a7c55u;
    for (int i = 0; i < 60; i++) { // every truncation is noticed
        write_bytes(path, good, size * (size_t)i / 60);
        CHECK(*try_unit(path, FO_FMU_AUTO, 5) != 0);
    }
    int refused = 0, trials = 300;
    for (int i = 0; i < trials; i++) { // a change may be harmless, but never does harm
        char *bad = malloc(size);
        REQUIRE(bad);
        memcpy(bad, good, size);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t at = random % 3 ? size - 1 - random / 3 % 200 : random / 3 % 2500;
        bad[at] = (char)(bad[at] ^ (1 + random % 255));
        write_bytes(path, bad, size);
        refused += *try_unit(path, FO_FMU_AUTO, 5) != 0;
        free(bad);
    }
    CHECK(refused > trials / 2);
    free(good);
    CHECK_INT(unit_leftovers(), 0);
}

TEST(binaries_that_are_none)
{
    char text[8000], path[600], place[100];
    unit_describe(text, sizeof text, 3, "ball");
    snprintf(path, sizeof path, "%s/unit.fmu", unit_folder);
    snprintf(place, sizeof place, "binaries/%s/unit.so", fo_fmu_platform(3));
    fo_fmu_file files[] = {{"modelDescription.xml", text, strlen(text), false},
                           {place, "no binary at all", 16, true}};
    REQUIRE(fo_fmu_write(path, files, 2, NULL) == FO_OK);
    CHECK_CONTAINS(try_unit(path, FO_FMU_AUTO, 5), "cannot load its binary");
    REQUIRE(fo_fmu_write(path, files, 1, NULL) == FO_OK);
    CHECK_CONTAINS(try_unit(path, FO_FMU_AUTO, 5), "no binary unit.so for this machine");
    files[1].name = "binaries/riscv-plan9/unit.so";
    REQUIRE(fo_fmu_write(path, files, 2, NULL) == FO_OK);
    CHECK_CONTAINS(try_unit(path, FO_FMU_AUTO, 5), "it has riscv-plan9");
    CHECK_CONTAINS(try_unit("/nowhere/unit.fmu", FO_FMU_AUTO, 5), "cannot open");
    CHECK_INT(unit_leftovers(), 0);
    units_end();
}

// What a killed process has left is removed by the next one; what one that lives has is not.
TEST(folders_of_the_dead_are_removed)
{
    char dead[600], alive[600], path[700];
    snprintf(dead, sizeof dead, "%s/foliot-fmu-dead00", unit_folder);
    snprintf(alive, sizeof alive, "%s/foliot-fmu-alive0", unit_folder);
    REQUIRE(mkdir(dead, 0700) == 0 && mkdir(alive, 0700) == 0);
    snprintf(path, sizeof path, "%s/.lock", dead);
    write_bytes(path, "", 0);
    snprintf(path, sizeof path, "%s/resources", dead);
    REQUIRE(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/resources/x", dead);
    write_bytes(path, "x", 1);
    snprintf(path, sizeof path, "%s/.lock", alive);
    int lock = open(path, O_RDWR | O_CREAT, 0600);
    REQUIRE(lock >= 0 && flock(lock, LOCK_EX) == 0);
    CHECK_TEXT(try_unit(unit_write(2, "ball", NULL), FO_FMU_AUTO, 5), "");
    CHECK_INT(unit_leftovers(), 1);
    CHECK(access(alive, F_OK) == 0);
    close(lock);
    CHECK_TEXT(try_unit(unit_write(2, "ball", NULL), FO_FMU_AUTO, 5), "");
    CHECK_INT(unit_leftovers(), 0);
}

TEST_MAIN(TEST_ENTRY(begins), TEST_ENTRY(a_fault_in_a_call_names_the_call),
          TEST_ENTRY(a_call_that_hangs_is_ended), TEST_ENTRY(every_call_is_named),
          TEST_ENTRY(descriptions_that_are_wrong), TEST_ENTRY(names_that_lead_elsewhere),
          TEST_ENTRY(archives_that_are_damaged), TEST_ENTRY(folders_of_the_dead_are_removed),
          TEST_ENTRY(binaries_that_are_none))
