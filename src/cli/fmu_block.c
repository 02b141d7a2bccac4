// foliot show X.fmu --block: the unit as a block for texts.
#include "cli/fmu_block.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

static bool is_identifier(const char *name)
{
    if (!name || !(isalpha((unsigned char)*name) || *name == '_')) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_') return false;
    return true;
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

static void put_variable(const char *kind, const fo_variable *v)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "Integer"};
    const char *type = v->type == FO_BOOLEAN ? types[2] : v->type == FO_REAL ? types[0] : types[1];
    if (!is_identifier(v->name)) {
        printf("  // %s '%s' has no name of the language\n", kind, v->name ? v->name : "");
        return;
    }
    printf("  %s %s %s", kind, type, v->name);
    if (v->unit && *v->unit && v->type == FO_REAL) {
        printf("(unit = ");
        put_quoted(v->unit);
        putchar(')');
    }
    if (strcmp(kind, "parameter") == 0) {
        char number[FOI_DECIMAL_SIZE];
        foi_number_text(v->start, number);
        printf(" = %s", v->type != FO_BOOLEAN ? number : v->start != 0 ? "true" : "false");
    }
    if (v->about && *v->about) {
        putchar(' ');
        put_quoted(v->about);
    }
    printf(";\n");
}

int fmu_block_print(const command *c, const fo_model *m)
{
    if (!fo_model_fmu(m)) return complain_usage(c, "--block needs an FMU (*.fmu)");
    const fo_description *d = fo_model_system(m).about;
    const char *path = fo_model_path(m), *slash = strrchr(path, '/');
    printf("block %s", is_identifier(d->name) ? d->name : "Unit");
    if (d->about && *d->about) {
        putchar(' ');
        put_quoted(d->about);
    }
    putchar('\n');
    for (size_t i = 0; i < d->parameters.count; i++)
        put_variable("parameter", &d->parameters.list[i]);
    for (size_t i = 0; i < d->inputs.count; i++) put_variable("input", &d->inputs.list[i]);
    for (size_t i = 0; i < d->states.count; i++)
        if (d->states.list[i].causality == FO_CAUSALITY_OUTPUT)
            put_variable("output", &d->states.list[i]);
    for (size_t i = 0; i < d->outputs.count; i++) put_variable("output", &d->outputs.list[i]);
    printf("  annotation(__Foliot_fmu(file = ");
    put_quoted(slash ? slash + 1 : path);
    printf("));\nend %s;\n", is_identifier(d->name) ? d->name : "Unit");
    return EXIT_FINE;
}
