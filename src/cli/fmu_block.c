// foliot show X.fmu --block: the unit as a block for texts.
//
// A name that is no identifier is quoted: 'engine.speed'. Elements that follow each other as those
// of an array do, A[1,1], A[1,2], ..., are that array.
#include "cli/fmu_block.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { MOST_RANK = 8 };

/// Variables of one name: `count` of a list from the first on; rank 0: a scalar.
typedef struct shape {
    size_t base; ///< how long the name is without subscripts
    size_t rank, count;
    unsigned long dims[MOST_RANK];
} shape;

static bool is_identifier(const char *name, size_t length)
{
    static const char *const words[] = {
        "algorithm",   "and",       "annotation", "block",  "break",       "class",
        "connect",     "connector", "constant",   "der",    "discrete",    "each",
        "else",        "elseif",    "elsewhen",   "end",    "enumeration", "equation",
        "expandable",  "extends",   "external",   "false",  "final",       "flow",
        "for",         "function",  "if",         "import", "impure",      "in",
        "initial",     "inner",     "input",      "loop",   "model",       "not",
        "operator",    "or",        "outer",      "output", "package",     "parameter",
        "partial",     "protected", "public",     "pure",   "record",      "redeclare",
        "replaceable", "return",    "stream",     "then",   "time",        "true",
        "type",        "when",      "while",      "within"};
    if (!length || !(isalpha((unsigned char)*name) || *name == '_')) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return false;
    return true;
}

// 'in quotes': a unit may have names of the language.
static bool is_quoted(const char *name, size_t length)
{
    if (length < 3 || name[0] != '\'' || name[length - 1] != '\'') return false;
    for (size_t i = 1; i + 1 < length; i++) {
        if (name[i] == '\'') return false;
        if (name[i] == '\\' && ++i + 1 >= length) return false;
    }
    return true;
}

static void put_name(const char *name, size_t length)
{
    if (is_identifier(name, length) || is_quoted(name, length)) {
        printf("%.*s", (int)length, name);
        return;
    }
    putchar('\'');
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\'' || name[i] == '\\') putchar('\\');
        putchar(name[i]);
    }
    putchar('\'');
}

static bool can_be_named(const char *name)
{
    for (; name && *name; name++)
        if ((unsigned char)*name < 32 || *name == 127) return false;
    return name;
}

static void put_quoted(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar((unsigned char)*text < 32 ? ' ' : *text);
    }
    putchar('"');
}

// ----------------------------------------------------------------------------------------- arrays

// "A[2,1]": rank 2. Rank 0: it has no subscripts that are numbers from 1 on.
static shape subscripts(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    shape none = {.base = length, .count = 1}, s = none;
    const char *at = length ? strrchr(name, '[') : NULL;
    if (!at || at == name || name[length - 1] != ']') return none;
    s.base = (size_t)(at - name);
    do {
        char *end;
        if (s.rank == MOST_RANK || !isdigit((unsigned char)at[1])) return none;
        s.dims[s.rank++] = strtoul(at + 1, &end, 10);
        at = end;
    } while (*at == ',');
    return at == name + length - 1 ? s : none;
}

static bool is_element(const char *name, const shape *of, const unsigned long *index,
                       const char *base)
{
    shape s = subscripts(name);
    return s.rank == of->rank && s.base == of->base && memcmp(name, base, of->base) == 0 &&
           memcmp(s.dims, index, s.rank * sizeof *index) == 0;
}

// The array that begins at the first of `count` variables: its last element says how large it is,
// and all must be there, row by row.
static shape array_at(const fo_variable *list, size_t count)
{
    shape first = subscripts(list->name), s = first, scalar = {.count = 1};
    scalar.base = list->name ? strlen(list->name) : 0;
    size_t n = 0;
    for (; n < count; n++) {
        shape next = subscripts(list[n].name);
        bool same = next.rank && next.rank == first.rank && next.base == first.base &&
                    memcmp(list[n].name, list->name, first.base) == 0 && list[n].type == list->type;
        if (!same) break;
        memcpy(s.dims, next.dims, sizeof s.dims);
    }
    unsigned long index[MOST_RANK];
    for (size_t d = 0; d < MOST_RANK; d++) index[d] = 1;
    for (s.count = 0; s.count < n; s.count++) {
        if (!is_element(list[s.count].name, &s, index, list->name)) return scalar;
        size_t d = s.rank;
        while (d-- > 0 && ++index[d] > s.dims[d]) index[d] = 1;
    }
    bool whole = n > 0; // then the last index was the largest one, and all have gone round to 1
    for (size_t d = 0; d < s.rank; d++) whole &= index[d] == 1;
    return whole ? s : scalar;
}

// -------------------------------------------------------------------------------------- variables

static void put_value(const fo_variable *v)
{
    char number[FOI_DECIMAL_SIZE];
    foi_number_text(v->start, number);
    printf("%s", v->type != FO_BOOLEAN ? number : v->start != 0 ? "true" : "false");
}

static const fo_variable *put_values(const fo_variable *v, const shape *s, size_t d)
{
    if (d == s->rank) {
        put_value(v);
        return v + 1;
    }
    putchar('{');
    for (unsigned long i = 0; i < s->dims[d]; i++) {
        if (i) printf(", ");
        v = put_values(v, s, d + 1);
    }
    putchar('}');
    return v;
}

static void put_variable(const char *kind, const fo_variable *v, const shape *s)
{
    const char *type = v->type == FO_BOOLEAN ? "Boolean" : v->type == FO_REAL ? "Real" : "Integer";
    if (!can_be_named(v->name)) {
        printf("  // %s with a name that no text can have\n", kind);
        return;
    }
    printf("  %s %s ", kind, type);
    put_name(v->name, s->base);
    for (size_t d = 0; d < s->rank; d++)
        printf("%s%lu%s", d ? ", " : "[", s->dims[d], d + 1 == s->rank ? "]" : "");
    if (v->unit && *v->unit && v->type == FO_REAL) {
        printf(s->rank ? "(each unit = " : "(unit = ");
        put_quoted(v->unit);
        putchar(')');
    }
    if (strcmp(kind, "parameter") == 0) {
        printf(" = ");
        put_values(v, s, 0);
    }
    if (v->about && *v->about) {
        putchar(' ');
        put_quoted(v->about);
    }
    printf(";\n");
}

static void put_variables(const char *kind, fo_variables all, bool outputs_only)
{
    for (size_t i = 0; i < all.count;) {
        shape s = array_at(&all.list[i], all.count - i);
        if (!outputs_only || all.list[i].causality == FO_CAUSALITY_OUTPUT)
            put_variable(kind, &all.list[i], &s);
        i += s.count;
    }
}

// Strings, and binaries as digits, with what they are; inputs among them, too: a text gives them
// before the run.
static void put_texts(const fo_fmu *fmu)
{
    static char value[4096];
    const char *name;
    bool output;
    for (size_t i = 0; (name = fo_fmu_text_name(fmu, i, &output)) != NULL; i++) {
        if (output || !can_be_named(name)) continue;
        if (fo_fmu_get_text(fmu, name, value, sizeof value, NULL) != FO_OK) continue;
        printf("  parameter String ");
        put_name(name, strlen(name));
        printf(" = ");
        put_quoted(value);
        printf(";\n");
    }
}

int fmu_block_print(const command *c, const fo_model *m)
{
    if (!fo_model_fmu(m)) return complain_usage(c, "--block needs an FMU (*.fmu)");
    const fo_description *d = fo_model_system(m).about;
    const char *path = fo_model_path(m), *slash = strrchr(path, '/');
    const char *name = d->name && is_identifier(d->name, strlen(d->name)) ? d->name : "Unit";
    printf("block %s", name);
    if (d->about && *d->about) {
        putchar(' ');
        put_quoted(d->about);
    }
    putchar('\n');
    put_variables("parameter", d->parameters, false);
    put_texts(fo_model_fmu(m));
    put_variables("input", d->inputs, false);
    put_variables("output", d->states, true);
    put_variables("output", d->outputs, false);
    printf("  annotation(__Foliot_fmu(file = ");
    put_quoted(slash ? slash + 1 : path);
    printf("));\nend %s;\n", name);
    return EXIT_FINE;
}
