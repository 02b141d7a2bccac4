/// Strings and binaries: set from the start on, and asked for. What a unit gives is valid until the
/// next call, so that it is copied at once. Binaries are hexadecimal digits outside of the unit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmu.h"
#include "fmi/serve.h"

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool is_binary(const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (digit(text[i]) < 0) return false;
    return n % 2 == 0;
}

// ------------------------------------------------------------------------------- where it is
// called

static bool set_binary(foi_unit *unit, const foi_unit_text *t)
{
    size_t size = strlen(t->given) / 2;
    uint8_t *bytes = malloc(size + 1);
    const uint8_t *value = bytes;
    if (!bytes) return foi_unit_wrong(unit, "no memory for '%s'", t->variable->name);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(digit(t->given[2 * i]) * 16 + digit(t->given[2 * i + 1]));
    bool good = unit->f3.SetBinary
                    ? FOI_CALL3(unit, SetBinary,
                                (unit->instance, &t->variable->reference, 1, &size, &value, 1))
                    : foi_unit_wrong(unit, "its binary has no function fmi3SetBinary");
    free(bytes);
    return good;
}

static bool set_text(foi_unit *unit, const foi_unit_text *t)
{
    const fmi_reference *r = &t->variable->reference;
    if (t->variable->type == FOI_FMU_BINARY) return set_binary(unit, t);
    if (unit->about.version == 2 ? !unit->f2.SetString : !unit->f3.SetString)
        return foi_unit_wrong(unit, "its binary has no function fmi%dSetString",
                              unit->about.version);
    return unit->about.version == 2
               ? FOI_CALL2(unit, SetString, (unit->instance, r, 1, &t->given))
               : FOI_CALL3(unit, SetString, (unit->instance, r, 1, &t->given, 1));
}

bool foi_unit_set_texts(foi_unit *unit)
{
    for (uint32_t i = 0; i < unit->text_count; i++)
        if (unit->texts[i].given && !set_text(unit, &unit->texts[i])) return false;
    return true;
}

static bool get_binary(foi_unit *unit, const fmi_reference *r)
{
    char *to = unit->block->value;
    size_t size = 0, most = (sizeof unit->block->value - 1) / 2;
    const uint8_t *value = NULL;
    if (!unit->f3.GetBinary)
        return foi_unit_wrong(unit, "its binary has no function fmi3GetBinary");
    if (!FOI_CALL3(unit, GetBinary, (unit->instance, r, 1, &size, &value, 1))) return false;
    to[0] = 0;
    for (size_t i = 0; value && i < size && i < most; i++)
        snprintf(to + 2 * i, 3, "%02x", value[i]);
    return true;
}

bool foi_unit_get_text(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    const foi_fmu_variable *v = unit->texts[b->mask].variable;
    const fmi_reference *r = &v->reference;
    const char *value = NULL;
    bool v2 = unit->about.version == 2;
    if (v->type == FOI_FMU_BINARY) return get_binary(unit, r);
    if (v2 ? !unit->f2.GetString : !unit->f3.GetString)
        return foi_unit_wrong(unit, "its binary has no function fmi%dGetString",
                              unit->about.version);
    if (!(v2 ? FOI_CALL2(unit, GetString, (unit->instance, r, 1, &value))
             : FOI_CALL3(unit, GetString, (unit->instance, r, 1, &value, 1))))
        return false;
    snprintf(b->value, sizeof b->value, "%s", value ? value : "");
    return true;
}

// ----------------------------------------------------------------------------------- for the user

static uint32_t text_called(const foi_unit *unit, const char *name)
{
    uint32_t i = 0;
    while (i < unit->text_count && strcmp(unit->texts[i].variable->name, name) != 0) i++;
    return i;
}

fo_status foi_fmu_take_texts(fo_fmu *f, const fo_fmu_def *def, fo_message *why)
{
    foi_unit *u = &f->unit;
    for (size_t i = 0; i < def->text_count; i++) {
        const fo_fmu_text *t = &def->texts[i];
        uint32_t k = text_called(u, t->name);
        if (k == u->text_count)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s has no string or binary '%.80s'",
                           u->about.file, t->name);
        const foi_fmu_variable *v = u->texts[k].variable;
        if (v->causality != FOI_FMU_PARAMETER && v->causality != FOI_FMU_INPUT)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "'%.80s' of %s is neither a parameter nor an input: it cannot be set",
                           t->name, u->about.file);
        if (v->type == FOI_FMU_BINARY && !is_binary(t->value))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "'%.80s' is a binary: expected pairs of hexadecimal digits, found "
                           "'%.60s'",
                           t->name, t->value);
        u->texts[k].given = t->value;
    }
    return FO_OK;
}

fo_status fo_fmu_get_text(const fo_fmu *fmu, const char *name, char *text, size_t size,
                          fo_message *why)
{
    fo_fmu *f = (fo_fmu *)fmu;
    uint32_t k = text_called(&f->unit, name);
    if (k == f->unit.text_count)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s has no string or binary '%.80s'",
                       f->unit.about.file, name);
    pthread_mutex_lock(&f->lock);
    f->unit.block->mask = k;
    f->have = 0;
    fo_status status = foi_unit_ask(&f->unit, FOI_UNIT_TEXT, why);
    if (status == FO_RETRY)
        status =
            fo_fail(why, FO_ERROR_MODEL, "%s: the FMU discarded the call for '%.80s' (fmiDiscard)",
                    f->unit.about.file, name);
    const size_t most = sizeof f->unit.block->value - 1;
    if (status == FO_OK && size) {
        size_t length = strnlen(f->unit.block->value, size - 1 < most ? size - 1 : most);
        memcpy(text, f->unit.block->value, length);
        text[length] = 0;
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

const char *fo_fmu_text_name(const fo_fmu *f, size_t index, bool *output)
{
    if (index >= f->unit.text_count) return NULL;
    const foi_fmu_variable *v = f->unit.texts[index].variable;
    if (output) *output = v->causality != FOI_FMU_PARAMETER && v->causality != FOI_FMU_INPUT;
    return v->name;
}
