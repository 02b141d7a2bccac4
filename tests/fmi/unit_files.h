/// Test FMUs, made of the binary unit.c and a description that is written here.
#ifndef TEST_UNIT_FILES_H
#define TEST_UNIT_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

/// A folder of this test's own, which TMPDIR is set to: what is left in it was left behind.
static char unit_folder[256];

static inline bool units_begin(void)
{
    snprintf(unit_folder, sizeof unit_folder, "/tmp/foliot-test-fmi-XXXXXX");
    if (!mkdtemp(unit_folder)) return false;
    return setenv("TMPDIR", unit_folder, 1) == 0;
}

static inline int unit_leftovers(void)
{
    int count = 0;
    DIR *dir = opendir(unit_folder);
    for (struct dirent *d; dir && (d = readdir(dir));)
        count += strncmp(d->d_name, "foliot", 6) == 0;
    if (dir) closedir(dir);
    return count;
}

static inline void units_end(void)
{
    DIR *dir = opendir(unit_folder);
    for (struct dirent *d; dir && (d = readdir(dir));)
        if (d->d_name[0] != '.') unlinkat(dirfd(dir), d->d_name, 0);
    if (dir) closedir(dir);
    rmdir(unit_folder);
}

static inline char *unit_binary(size_t *size)
{
    FILE *file = fopen(FOLIOT_TEST_UNIT, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size);
    if (data && fread(data, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return data;
}

// Two states, parameters g and e; dahlquist has one state, stair none and a counter.
static inline void unit_describe(char *text, size_t size, int version, const char *token)
{
    bool two = version == 2, stair = strncmp(token, "stair", 5) == 0;
    bool one = strncmp(token, "dahlquist", 9) == 0, ball = strncmp(token, "ball", 4) == 0;
    const char *x0 = strncmp(token, "vdp", 3) == 0 ? "2" : "1", *g = ball ? "-9.81" : "1";
    int n = snprintf(text, size,
                     "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"%d.0\" "
                     "modelName=\"test\" %s=\"%s\"%s>\n"
                     "<ModelExchange modelIdentifier=\"unit\" canGetAndSetFMU%s=\"true\" "
                     "canSerializeFMU%s=\"true\"/>\n"
                     "<CoSimulation modelIdentifier=\"unit\" canGetAndSetFMU%s=\"true\" "
                     "canSerializeFMU%s=\"true\"/>\n"
                     "<DefaultExperiment stopTime=\"%s\" stepSize=\"%s\"/>\n<ModelVariables>\n",
                     version, two ? "guid" : "instantiationToken", token,
                     two && ball ? " numberOfEventIndicators=\"1\"" : "", two ? "state" : "State",
                     two ? "state" : "State", two ? "state" : "State", two ? "state" : "State",
                     ball    ? "3"
                     : stair ? "12"
                             : "10",
                     one     ? "0.1"
                     : stair ? "0.2"
                             : "0.01");
    const struct {
        const char *name;
        int reference;
        const char *causality, *variability, *more;
        bool there, whole;
    } list[] = {{"h", 1, "output", "continuous", "start='1'", !stair, false},
                {"der(h)", 2, "local", "continuous", two ? "derivative='1'" : "derivative='1'",
                 !stair, false},
                {"v", 3, "output", "continuous", "start='0'", !stair && !one, false},
                {"der(v)", 4, "local", "continuous", "derivative='3'", !stair && !one, false},
                {"g", 5, "parameter", "tunable", "", true, false},
                {"e", 6, "parameter", "tunable", "start='0.7' min='0' max='1'", true, false},
                {"counter", 7, "output", "discrete", "", stair, true}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char more[80];
        if (!list[i].there) continue;
        snprintf(more, sizeof more, "%s", list[i].more);
        if (list[i].reference == 1) snprintf(more, sizeof more, "start='%s'", x0);
        if (list[i].reference == 5) snprintf(more, sizeof more, "start='%s'", g);
        const char *type = two             ? list[i].whole ? "Integer" : "Real"
                           : list[i].whole ? "Int32"
                                           : "Float64";
        n += snprintf(text + n, size - (size_t)n,
                      "<%s name='%s' valueReference='%d' causality='%s' variability='%s' ",
                      two ? "ScalarVariable" : type, list[i].name, list[i].reference,
                      list[i].causality, list[i].variability);
        n += two ? snprintf(text + n, size - (size_t)n, "><%s %s/></ScalarVariable>\n", type, more)
                 : snprintf(text + n, size - (size_t)n, "%s/>\n", more);
    }
    n += snprintf(text + n, size - (size_t)n, "</ModelVariables>\n<ModelStructure>%s",
                  two && !stair ? "<Derivatives>" : "");
    for (int i = 0; i < 2 && !stair && !(one && i); i++)
        n += snprintf(text + n, size - (size_t)n,
                      two ? "<Unknown index='%d'/>"
                          : "<ContinuousStateDerivative valueReference='%d'/>",
                      2 * i + 2);
    snprintf(text + n, size - (size_t)n, "%s%s</ModelStructure></fmiModelDescription>\n",
             two && !stair ? "</Derivatives>" : "",
             !two && ball ? "<EventIndicator valueReference='1'/>" : "");
}

/// Writes an archive of that name. Returns its path.
static inline const char *unit_write_as(const char *name, int version, const char *description)
{
    static char path[512];
    size_t size = 0;
    char *binary = unit_binary(&size);
    char place[100];
    snprintf(path, sizeof path, "%s/%s", unit_folder, name);
    snprintf(place, sizeof place, "binaries/%s/unit.so", fo_fmu_platform(version));
    fo_fmu_file files[] = {{"modelDescription.xml", description, strlen(description), false},
                           {place, binary, size, true}};
    fo_status status = fo_fmu_write(path, files, 2, NULL);
    free(binary);
    return status == FO_OK ? path : NULL;
}

/// Writes unit.fmu; `description` NULL: that of the token. Returns its path.
static inline const char *unit_write(int version, const char *token, const char *description)
{
    char text[8000];
    unit_describe(text, sizeof text, version, token);
    return unit_write_as("unit.fmu", version, description ? description : text);
}

#endif
