/// The lists of a unit, and its block.
#include "fmi/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_VALUES = 1 << 22 };

static bool is_number(const foi_fmu_variable *v)
{
    return v->type <= FOI_FMU_ENUMERATION;
}

// Float64 that may be taken at any time, such Float32, the rest.
static int pass_of(const foi_fmu_variable *v)
{
    bool input = v->causality == FOI_FMU_INPUT;
    if (v->type > FOI_FMU_FLOAT32) return 2;
    if (input && v->variability != FO_VARIABILITY_CONTINUOUS) return 2;
    return v->type == FOI_FMU_FLOAT64 ? 0 : 1;
}

static bool is_state(const foi_fmu_description *d, const foi_fmu_variable *v)
{
    uint32_t index = (uint32_t)(v - d->variables);
    for (uint32_t i = 0; i < d->derivative_count; i++)
        if (d->states[i] == index) return true;
    return false;
}

static bool add_slot(foi_unit *unit, foi_unit_list *list, const foi_fmu_variable *v)
{
    foi_unit_slot *s = foi_arena_add(&unit->arena, &list->slots, &list->count, sizeof *s);
    if (!s || v->size > MOST_VALUES - list->values) return false;
    *s = (foi_unit_slot){v, v->type, v->reference, list->values, v->size};
    list->values += v->size;
    return true;
}

static bool wanted(const foi_unit *unit, const foi_unit_list *list, const foi_fmu_variable *v)
{
    if (!is_number(v)) return false;
    if (list == &unit->u) return v->causality == FOI_FMU_INPUT;
    if (list == &unit->p)
        return v->causality == FOI_FMU_PARAMETER && v->variability != FO_VARIABILITY_CONSTANT;
    return v->causality == FOI_FMU_OUTPUT &&
           (unit->cosimulation || unit->part || !is_state(&unit->about, v));
}

static bool fill_list(foi_unit *unit, foi_unit_list *list)
{
    const foi_fmu_description *d = &unit->about;
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < d->variable_count; i++) {
            const foi_fmu_variable *v = &d->variables[i];
            if (!wanted(unit, list, v) || pass_of(v) != pass) continue;
            if (!add_slot(unit, list, v)) return false;
            if (pass == 0) list->doubles = list->count, list->double_values = list->values;
            if (pass < 2) list->reals = list->count, list->real_values = list->values;
        }
    return true;
}

// Strings and binaries that stand alone, and the clocks that tick from outside.
static bool list_others(foi_unit *unit)
{
    const foi_fmu_description *d = &unit->about;
    for (uint32_t i = 0; i < d->variable_count; i++) {
        const foi_fmu_variable *v = &d->variables[i];
        bool text = (v->type == FOI_FMU_STRING || v->type == FOI_FMU_BINARY) && !v->dimension_count;
        if (text) {
            foi_unit_text *t =
                foi_arena_add(&unit->arena, &unit->texts, &unit->text_count, sizeof *t);
            if (!t) return false;
            *t = (foi_unit_text){v, NULL};
        }
        if (!unit->scheduled || v->type != FOI_FMU_CLOCK || v->causality != FOI_FMU_INPUT) continue;
        const foi_fmu_variable **c =
            foi_arena_add(&unit->arena, &unit->clocks, &unit->clock_count, sizeof *c);
        if (!c) return false;
        *c = v;
    }
    return true;
}

static bool list_references(foi_unit *unit, foi_unit_list *list)
{
    list->references = foi_arena_new(&unit->arena, list->count + 1, sizeof *list->references);
    for (uint32_t i = 0; i < list->count && list->references; i++)
        list->references[i] = list->slots[i].reference;
    return list->references != NULL;
}

static bool make_lists(foi_unit *unit)
{
    const foi_fmu_description *d = &unit->about;
    bool good = list_others(unit) && fill_list(unit, &unit->u) && fill_list(unit, &unit->p) &&
                fill_list(unit, &unit->y);
    for (uint32_t i = 0; i < d->derivative_count && good && !unit->cosimulation; i++)
        good = add_slot(unit, &unit->x, &d->variables[d->states[i]]) &&
               add_slot(unit, &unit->dx, &d->variables[d->derivatives[i]]);
    return good && list_references(unit, &unit->u) && list_references(unit, &unit->p) &&
           list_references(unit, &unit->y) && list_references(unit, &unit->x) &&
           list_references(unit, &unit->dx);
}

// ----------------------------------------------------------------------------------------- the
// block

static size_t rounded(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

// With NULL only the size.
static size_t lay_out(foi_unit *unit, char *base)
{
    uint32_t n = unit->x.values, z = unit->cosimulation ? 0 : unit->about.indicators;
    bool matrix = !unit->cosimulation && unit->can->directional && n <= 2048;
    struct {
        double **where;
        size_t count;
    } parts[] = {{&unit->tx, n},
                 {&unit->rates, n},
                 {&unit->guards, z},
                 {&unit->tu, unit->u.values},
                 {&unit->tp, unit->p.values},
                 {&unit->ty, unit->y.values},
                 {&unit->known_u, unit->u.values},
                 {&unit->known_p, unit->p.values},
                 {&unit->known_x, n},
                 {&unit->placed_x, n},
                 {&unit->intervals, unit->clock_count},
                 {&unit->jacobian, matrix ? (size_t)n * n : 0}};
    size_t at = rounded(sizeof(foi_unit_block));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (base) *parts[i].where = parts[i].count ? (double *)(void *)(base + at) : NULL;
        at += rounded(parts[i].count * sizeof(double));
    }
    return at;
}

static void take_starts(const foi_unit_list *list, double *to)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->slots[i].size; k++) {
            double value;
            bool given = foi_fmu_number(list->slots[i].variable->start, k, &value);
            to[list->slots[i].first + k] = given ? value : 0;
        }
}

void foi_unit_forget(foi_unit *unit)
{
    take_starts(&unit->u, unit->known_u);
    take_starts(&unit->p, unit->known_p);
    take_starts(&unit->x, unit->known_x);
}

fo_status foi_unit_plan(foi_unit *unit, fo_message *why)
{
    if (!make_lists(unit))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the variables of %s", unit->about.file);
    size_t plain = lay_out(unit, NULL);
    bool states = unit->can->get_set_state && unit->can->serialize;
    uint32_t most = 1;
    const foi_unit_list *lists[] = {&unit->u, &unit->p, &unit->y, &unit->x};
    for (int i = 0; i < 4; i++) most = lists[i]->values > most ? lists[i]->values : most;
    unit->work = foi_arena_new(&unit->arena, most, sizeof(double));
    unit->block_size = plain + (states ? FOI_UNIT_STATE_ROOM : 0);
    void *block =
        mmap(NULL, unit->block_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED || !unit->work) {
        if (block != MAP_FAILED) munmap(block, unit->block_size);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the values of %s", unit->about.file);
    }
    unit->block = block;
    lay_out(unit, block);
    unit->state = states ? (uint8_t *)block + plain : NULL;
    unit->block->state_room = states ? FOI_UNIT_STATE_ROOM : 0;
    foi_unit_forget(unit);
    return FO_OK;
}

void foi_unit_free(foi_unit *unit)
{
    if (unit->block) munmap(unit->block, unit->block_size);
    unit->block = NULL;
    foi_arena_end(&unit->arena);
}

// ---------------------------------------------------------------------------------------- requests

// What a unit has written over may have any bytes: those that are no text become question marks.
static void copy_text(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
    to[size - 1] = 0;
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < 32 || (unsigned char)*c == 0xff) *c = '?';
}

foi_unit_called foi_unit_call(const foi_unit *unit)
{
    foi_unit_called called;
    copy_text(called.name, unit->block->call, sizeof called.name);
    return called;
}

void foi_unit_tell(foi_unit *unit, const char *call)
{
    size_t length = strlen(call) + 1, room = sizeof unit->block->call;
    memcpy(unit->block->call, call, length < room ? length : room);
}

static fo_status explain(foi_unit *unit, foi_unit_result result, fo_message *why)
{
    static const char *const words[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
    const foi_unit_block *b = unit->block;
    char text[sizeof b->text];
    copy_text(text, b->text, sizeof text);
    if (result == FOI_UNIT_WRONG)
        return fo_fail(why, FO_ERROR_MODEL, "%s: %.300s", unit->about.file, text);
    foi_unit_called call = foi_unit_call(unit);
    int status = *(const volatile int *)&b->fmi_status;
    if (status < 0 || status > FMI_PENDING) status = FMI_ERROR;
    return fo_fail(why, FO_ERROR_MODEL, "%s: %s returned fmi%d%s%s%.300s", unit->about.file,
                   *call.name ? call.name : "a call", unit->about.version, words[status],
                   text[0] ? ": " : "", text);
}

// After an error the standards allow nothing but the instance's end, and what a solver tries again
// would hide it: what was said first is said again until there is another instance.
static fo_status remember(foi_unit *unit, const fo_message *what, fo_message *why)
{
    snprintf(unit->fault, sizeof unit->fault, "%s", what->text);
    return fo_fail(why, what->status, "%s", unit->fault);
}

static bool makes_instance(foi_unit_request what)
{
    return what == FOI_UNIT_START || what == FOI_UNIT_ENTER || what == FOI_UNIT_END;
}

fo_status foi_unit_ask(foi_unit *unit, foi_unit_request what, fo_message *why)
{
    foi_unit_block *b = unit->block;
    fo_message said; // written where something is said
    if (unit->dead || (unit->failed && !makes_instance(what)))
        return fo_fail(why, FO_ERROR_MODEL, "%s", unit->fault);
    unit->failed = false;
    b->what = what;
    b->result = FOI_UNIT_GOOD;
    if (unit->pid) {
        if (foi_unit_exchange(unit, &said) != FO_OK) return remember(unit, &said, why);
    } else
        foi_unit_serve(unit);
    foi_unit_result result = *(volatile foi_unit_result *)&b->result;
    if (result == FOI_UNIT_GOOD) return FO_OK;
    if (result == FOI_UNIT_DISCARDED) return FO_RETRY;
    if (result == FOI_UNIT_WRONG) return explain(unit, result, why);
    unit->failed = true;
    if (result == FOI_UNIT_FAILED)
        explain(unit, result, &said);
    else
        fo_fail(&said, FO_ERROR_MODEL, "%s: the FMU has written over memory that is not its own",
                unit->about.file);
    return remember(unit, &said, why);
}
