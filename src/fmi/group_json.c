/// Groups of units in JSON:
///
///     {"units": {"left": "left.fmu", "right": {"fmu": "right.fmu", "set": {"k": 2}}},
///      "connections": [["left.v", "right.v"], {"from": "right.f", "to": "left.f", "factor": -1}],
///      "master": {"method": "iterated", "control": "power", "rtol": 1e-4, "energy": 1},
///      "run": {"stop": 20, "step": 0.01}}
#include <string.h>

#include "base/json_read.h"
#include "fmi/group.h"

static const char *keep(foi_group_plan *p, const char *text)
{
    return text ? foi_arena_text(&p->arena, text, strlen(text)) : NULL;
}

bool foi_group_split(foi_group_plan *p, const char *text, foi_group_end *end)
{
    const char *dot = strchr(text, '.');
    if (!dot || dot == text || !dot[1]) return false;
    end->part = foi_arena_text(&p->arena, text, (size_t)(dot - text));
    end->name = keep(p, dot + 1);
    return end->part && end->name;
}

static void read_set(foi_reader *r, foi_group_plan *p, const char *part, const foi_json_value *set)
{
    if (!foi_read_is(r, set, FOI_JSON_OBJECT)) return;
    for (const foi_json_value *v = set->first; v && !r->status; v = v->next) {
        foi_group_value *n = foi_arena_add(&p->arena, &p->values, &p->value_count, sizeof *n);
        if (n)
            *n = (foi_group_value){part, keep(p, v->key), foi_read_value(r, v, FOI_ANY), v->line};
    }
}

static void read_units(foi_reader *r, foi_group_plan *p, const foi_json_value *units)
{
    static const char *const keys[] = {"fmu", "set", NULL};
    if (!units || !foi_read_is(r, units, FOI_JSON_OBJECT)) return;
    for (const foi_json_value *v = units->first; v && !r->status; v = v->next) {
        bool plain = v->kind == FOI_JSON_TEXT;
        if (strchr(v->key, '.')) foi_read_refuse(r, v, "the name of an FMU must not contain a dot");
        if (!plain && (!foi_read_is(r, v, FOI_JSON_OBJECT) || !foi_read_keys(r, v, keys))) return;
        if (!plain) foi_read_needed(r, v, "fmu");
        const char *source = plain ? v->text : foi_read_text(r, v, "fmu");
        foi_group_part *n = foi_arena_add(&p->arena, &p->parts, &p->part_count, sizeof *n);
        if (r->status || !n) return;
        *n = (foi_group_part){keep(p, v->key), keep(p, source), v->line};
        const foi_json_value *set = plain ? NULL : foi_json_member(v, "set");
        if (set) read_set(r, p, n->name, set);
    }
}

static void read_end(foi_reader *r, foi_group_plan *p, const foi_json_value *v, foi_group_end *end)
{
    if (!v || !foi_read_is(r, v, FOI_JSON_TEXT)) return;
    if (!foi_group_split(p, v->text, end))
        foi_read_refuse(r, v, "expected unit.variable, found '%s'", v->text);
}

static void read_wires(foi_reader *r, foi_group_plan *p, const foi_json_value *root)
{
    static const char *const keys[] = {"from", "to", "factor", "offset", "convert", NULL};
    const foi_json_value *list = foi_json_member(root, "connections");
    if (!list || !foi_read_is(r, list, FOI_JSON_LIST)) return;
    for (const foi_json_value *v = list->first; v && !r->status; v = v->next) {
        foi_group_wire *w = foi_arena_add(&p->arena, &p->wires, &p->wire_count, sizeof *w);
        if (!w) return;
        w->line = v->line, w->factor = 1;
        if (v->kind == FOI_JSON_LIST) {
            if (v->count != 2) foi_read_refuse(r, v, "expected [from, to], found %zu", v->count);
            if (r->status) return;
            read_end(r, p, v->first, &w->from);
            read_end(r, p, v->last, &w->to);
            continue;
        }
        if (!foi_read_is(r, v, FOI_JSON_OBJECT) || !foi_read_keys(r, v, keys)) return;
        read_end(r, p, foi_read_needed(r, v, "from"), &w->from);
        read_end(r, p, foi_read_needed(r, v, "to"), &w->to);
        w->factor = foi_read_number(r, v, "factor", 1);
        w->offset = foi_read_number(r, v, "offset", 0);
        w->as_it_is = foi_json_member(v, "convert") && !foi_read_truth(r, v, "convert");
    }
}

static void read_master(foi_reader *r, foi_group_plan *p, const foi_json_value *root)
{
    static const char *const keys[] = {"method", "control", "rtol", "energy", NULL};
    static const char *const methods[] = {"chosen",       "held",     "sequential",
                                          "extrapolated", "iterated", NULL};
    static const char *const controls[] = {"fixed", "error", "power", NULL};
    const foi_json_value *v = foi_json_member(root, "master");
    if (!v || !foi_read_keys(r, v, keys)) return;
    p->method = (foi_group_method)foi_read_word(r, foi_json_member(v, "method"), methods);
    p->control = (foi_group_control)foi_read_word(r, foi_json_member(v, "control"), controls);
    p->rtol = foi_read_number_in(r, v, "rtol", FOI_POSITIVE, 0);
    p->energy = foi_read_number_in(r, v, "energy", FOI_POSITIVE, 0);
}

static void read_run(foi_reader *r, foi_group_plan *p, const foi_json_value *root)
{
    static const char *const keys[] = {"start", "stop", "step", NULL};
    const foi_json_value *v = foi_json_member(root, "run");
    if (!v || !foi_read_keys(r, v, keys)) return;
    p->has_start = foi_json_member(v, "start") != NULL;
    p->has_stop = foi_json_member(v, "stop") != NULL;
    p->start = foi_read_number(r, v, "start", 0);
    p->stop = foi_read_number(r, v, "stop", 0);
    p->step = foi_read_number_in(r, v, "step", FOI_POSITIVE, 0);
}

fo_status foi_group_read_json(foi_group_plan *p, const char *text, size_t length, fo_message *why)
{
    static const char *const keys[] = {"about", "units", "connections", "master", "run", NULL};
    foi_json_def def = {
        .name = p->file, .text = text, .length = length, .allocator = p->arena.allocator};
    foi_json *json = foi_json_read(&def, why);
    if (!json) return why->status;
    foi_reader r = {.json = json, .allocator = p->arena.allocator, .why = why};
    const foi_json_value *root = foi_json_root(json);
    if (foi_read_is(&r, root, FOI_JSON_OBJECT) && foi_read_keys(&r, root, keys)) {
        p->about = keep(p, foi_read_text(&r, root, "about"));
        read_units(&r, p, foi_read_needed(&r, root, "units"));
        if (!r.status) read_wires(&r, p, root);
        if (!r.status) read_master(&r, p, root);
        if (!r.status) read_run(&r, p, root);
    }
    fo_status status = r.status;
    foi_read_free(&r);
    foi_json_destroy(json);
    if (status == FO_OK && p->arena.failed)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", p->file);
    return status;
}
