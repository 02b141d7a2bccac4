/// Units as texts, read and written.
#include "language/dimension.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const bases[FOI_UNIT_BASES] = {"m", "kg", "s", "A", "K", "mol", "cd"};

// --------------------------------------------------------------------------------------- reading

static const struct {
    const char *name;
    int8_t e[FOI_UNIT_BASES];
} symbols[] = {
    {"m", {1}},
    {"g", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {0}},
    {"sr", {0}},
    {"deg", {0}},
    {"rev", {0}},
    {"Hz", {0, 0, -1}},
    {"Bq", {0, 0, -1}},
    {"N", {1, 1, -2}},
    {"Pa", {-1, 1, -2}},
    {"bar", {-1, 1, -2}},
    {"J", {2, 1, -2}},
    {"eV", {2, 1, -2}},
    {"W", {2, 1, -3}},
    {"VA", {2, 1, -3}},
    {"var", {2, 1, -3}},
    {"C", {0, 0, 1, 1}},
    {"V", {2, 1, -3, -1}},
    {"F", {-2, -1, 4, 2}},
    {"Ohm", {2, 1, -3, -2}},
    {"ohm", {2, 1, -3, -2}},
    {"S", {-2, -1, 3, 2}},
    {"Wb", {2, 1, -2, -1}},
    {"T", {0, 1, -2, -1}},
    {"H", {2, 1, -2, -2}},
    {"lm", {0, 0, 0, 0, 0, 0, 1}},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}},
    {"Gy", {2, 0, -2}},
    {"Sv", {2, 0, -2}},
    {"kat", {0, 0, -1, 0, 0, 1}},
    {"min", {0, 0, 1}},
    {"h", {0, 0, 1}},
    {"d", {0, 0, 1}},
    {"l", {3}},
    {"L", {3}},
    {"degC", {0, 0, 0, 0, 1}},
    {"degF", {0, 0, 0, 0, 1}},
};

static const int8_t *symbol(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strlen(symbols[i].name) == length && strncmp(symbols[i].name, name, length) == 0)
            return symbols[i].e;
    return NULL;
}

// The symbol itself, or behind a prefix: "min" is no milli-inch, "mm" a millimetre.
static const int8_t *operand(const char *name, size_t length)
{
    const int8_t *found = symbol(name, length);
    if (!found && length > 2 && strncmp(name, "da", 2) == 0) found = symbol(name + 2, length - 2);
    if (!found && length > 1 && strchr("YZEPTGMkhdcmunpfazy", *name))
        found = symbol(name + 1, length - 1);
    return found;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// operand [exponent]; "1" stands for nothing.
static bool read_factor(const char **at, double sign, double *e)
{
    size_t length = 0;
    if (**at == '1' && !(at[0][1] >= '0' && at[0][1] <= '9')) {
        ++*at;
        return true;
    }
    while (is_letter((*at)[length])) length++;
    const int8_t *found = length ? operand(*at, length) : NULL;
    if (!found) return false;
    *at += length;
    double power = 0;
    bool minus = **at == '-', digits = false;
    if (minus || **at == '+') ++*at;
    for (; **at >= '0' && **at <= '9' && power < 1000; ++*at, digits = true)
        power = 10 * power + (**at - '0');
    if (!digits && (minus || (*at)[-1] == '+')) return false;
    if (!digits) power = 1;
    for (int i = 0; i < FOI_UNIT_BASES; i++) e[i] += sign * (minus ? -power : power) * found[i];
    return true;
}

// factor {"." factor}, or the same in parentheses.
static bool read_product(const char **at, double sign, bool one, double *e)
{
    bool inside = **at == '(';
    if (inside) ++*at;
    do
        if (!read_factor(at, sign, e)) return false;
    while ((inside || !one) && **at == '.' && ++*at);
    if (inside && **at != ')') return false;
    if (inside) ++*at;
    return true;
}

// product ["/" factor or (product)], as in chapter 19 of the specification.
foi_dimension foi_read_unit(const char *text)
{
    foi_dimension u = {.text = text};
    const char *at = text;
    if (!text || !*text || !read_product(&at, 1, false, u.e)) return u;
    if (*at == '/' && (++at, !read_product(&at, -1, true, u.e))) return u;
    u.known = *at == 0;
    return u;
}

// --------------------------------------------------------------------------------------- writing

static void write_side(const double *e, double sign, bool parentheses, char *text, size_t size)
{
    size_t n = strlen(text);
    bool first = true;
    for (int i = 0; i < FOI_UNIT_BASES; i++) {
        double power = sign * e[i];
        if (!(power > 0) || n >= size) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", first ? parentheses ? "(" : "" : ".",
                              bases[i]);
        if (power != 1 && n < size) n += (size_t)snprintf(text + n, size - n, "%g", power);
        first = false;
    }
    if (parentheses && n < size) snprintf(text + n, size - n, ")");
}

const char *foi_unit_text(const foi_dimension *u, char *text, size_t size)
{
    int above = 0, below = 0;
    if (u->text) return u->text;
    for (int i = 0; i < FOI_UNIT_BASES; i++) above += u->e[i] > 0, below += u->e[i] < 0;
    snprintf(text, size, "%s", above ? "" : "1");
    write_side(u->e, 1, false, text, size);
    if (below && strlen(text) + 1 < size) {
        strcat(text, "/");
        write_side(u->e, -1, below > 1, text, size);
    }
    return text;
}

bool foi_same_dimension(const foi_dimension *a, const foi_dimension *b)
{
    for (int i = 0; i < FOI_UNIT_BASES; i++)
        if (fabs(a->e[i] - b->e[i]) > 1e-9) return false;
    return true;
}
