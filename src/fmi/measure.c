/// Units of measure by their names, as Modelica and people write them: "kg.m2", "N.s/m",
/// "J/(kg.K)", "1/min", "uF/cm2", "m/s^2".
///
///     unit    factor {("." | "*" | " ") factor | "/" factor}
///     factor  "(" unit ")" | "1" | name [["^"] ["-"] digits]
///
/// A name is one of the table, or a prefix and one of the table; what stands in the table itself is
/// never taken apart ("min" is no milliinch).
#include <stdlib.h>
#include <string.h>

#include "fmi/description.h"

typedef struct named {
    const char *name;
    int exponent[8]; ///< kg, m, s, A, K, mol, cd, rad
    double factor;
    bool whole; ///< takes no prefix
} named;

static const named table[] = {
    {"kg", {1}, 1, true},
    {"g", {1}, 1e-3, false},
    {"t", {1}, 1e3, true},
    {"m", {0, 1}, 1, false},
    {"s", {0, 0, 1}, 1, false},
    {"min", {0, 0, 1}, 60, true},
    {"h", {0, 0, 1}, 3600, true},
    {"d", {0, 0, 1}, 86400, true},
    {"A", {0, 0, 0, 1}, 1, false},
    {"K", {0, 0, 0, 0, 1}, 1, false},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, false},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1, true},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, 0.017453292519943295, true},
    {"Hz", {0, 0, -1}, 1, false},
    {"N", {1, 1, -2}, 1, false},
    {"J", {1, 2, -2}, 1, false},
    {"W", {1, 2, -3}, 1, false},
    {"Pa", {1, -1, -2}, 1, false},
    {"bar", {1, -1, -2}, 1e5, false},
    {"C", {0, 0, 1, 1}, 1, false},
    {"V", {1, 2, -3, -1}, 1, false},
    {"F", {-1, -2, 4, 2}, 1, false},
    {"H", {1, 2, -2, -2}, 1, false},
    {"Ohm", {1, 2, -3, -2}, 1, false},
    {"S", {-1, -2, 3, 2}, 1, false},
    {"T", {1, 0, -2, -1}, 1, false},
    {"Wb", {1, 2, -2, -1}, 1, false},
    {"l", {0, 3}, 1e-3, false},
};

static const struct {
    char letter;
    double factor;
} prefixes[] = {{'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2}, {'d', 1e-1},
                {'h', 1e2},   {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};

static const named *find(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, text, length) == 0)
            return &table[i];
    return NULL;
}

static const named *find_prefixed(const char *text, size_t length, double *factor)
{
    const named *n = find(text, length);
    *factor = 1;
    if (n || length < 2) return n;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (prefixes[i].letter != *text) continue;
        n = find(text + 1, length - 1);
        *factor = prefixes[i].factor;
        return n && !n->whole ? n : NULL;
    }
    return NULL;
}

static void multiply(foi_fmu_measure *m, const int *exponent, double factor, int power)
{
    for (int i = 0; i < 8; i++) m->exponent[i] += power * exponent[i];
    for (int i = 0; i < abs(power); i++)
        m->factor = power > 0 ? m->factor * factor : m->factor / factor;
}

static bool read_unit(const char **at, foi_fmu_measure *m, int depth);

static bool read_power(const char **at, int *power)
{
    const char *p = *at;
    *power = 1;
    if (*p == '^') p++;
    if (*p != '-' && !(*p >= '0' && *p <= '9')) return p == *at;
    char *end;
    long value = strtol(p, &end, 10);
    if (end == p || value < -20 || value > 20) return false;
    *power = (int)value, *at = end;
    return true;
}

static bool read_factor(const char **at, foi_fmu_measure *m, int sign, int depth)
{
    int power;
    if (**at == '(') {
        foi_fmu_measure inner = {.factor = 1};
        ++*at;
        if (depth > 8 || !read_unit(at, &inner, depth + 1) || **at != ')') return false;
        ++*at;
        multiply(m, inner.exponent, inner.factor, sign);
        return true;
    }
    if (**at == '1') return ++*at, true;
    size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    double prefix;
    const named *n = find_prefixed(*at, length, &prefix);
    if (!n) return false;
    *at += length;
    if (!read_power(at, &power)) return false;
    multiply(m, n->exponent, n->factor * prefix, sign * power);
    return true;
}

static bool read_unit(const char **at, foi_fmu_measure *m, int depth)
{
    if (!read_factor(at, m, 1, depth)) return false;
    while (**at && **at != ')') {
        bool over = **at == '/';
        if (!over && !strchr(".* ", **at)) return false;
        ++*at;
        if (!read_factor(at, m, over ? -1 : 1, depth)) return false;
    }
    return true;
}

bool foi_fmu_measure_read(const char *text, foi_fmu_measure *m)
{
    *m = (foi_fmu_measure){.name = text, .factor = 1};
    if (strcmp(text, "degC") == 0) {
        m->known = true, m->exponent[4] = 1, m->offset = 273.15;
        return true;
    }
    const char *at = text;
    m->known = read_unit(&at, m, 0) && !*at;
    return m->known;
}
