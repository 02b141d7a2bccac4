/// Opening groups of units: the document, the units, what is connected with what, and the system.
#include "fmi/group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "fmi/archive.h"

enum { MOST_UNITS = 1000, LARGEST_MATRIX = 256 }; // links: beyond that loops are iterated plainly

// ---------------------------------------------------------------------------------- the document

static bool ends(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

static void set_folder(fo_fmu_group *g, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof g->plan.folder) n = 0;
    memcpy(g->plan.folder, path, n);
    g->plan.folder[n] = 0;
}

// An archive is unpacked as a whole: its units are archives in it.
static char *read_archive(fo_fmu_group *g, const char *path, size_t *length, fo_message *why)
{
    foi_archive *z = foi_archive_open(path, g->allocator, why);
    if (!z) return NULL;
    char *text = foi_archive_read(z, "SystemStructure.ssd", length, why);
    if (text && foi_folder_make(&g->unpacked, why) != FO_OK) {
        foi_free(g->allocator, text);
        text = NULL;
    }
    if (text && foi_archive_unpack(z, "", g->unpacked.path, why) != FO_OK) {
        foi_free(g->allocator, text);
        text = NULL;
    }
    snprintf(g->plan.folder, sizeof g->plan.folder, "%s/", g->unpacked.path);
    foi_archive_close(z);
    return text;
}

static fo_status read_document(fo_fmu_group *g, const char *path, fo_message *why)
{
    size_t length;
    bool archive = ends(path, ".ssp"), json = ends(path, ".json");
    if (!archive) set_folder(g, path);
    char *text = archive ? read_archive(g, path, &length, why)
                         : foi_json_text(path, g->allocator, &length, why);
    if (!text) return why->status;
    fo_status status = json ? foi_group_read_json(&g->plan, text, length, why)
                            : foi_group_read_ssd(&g->plan, text, length, why);
    foi_free(g->allocator, text);
    if (status == FO_OK && (!g->plan.part_count || g->plan.part_count > MOST_UNITS))
        status = fo_fail(why, FO_ERROR_FORMAT, "%s: expected 1 to %d FMUs, found %u", path,
                         MOST_UNITS, g->plan.part_count);
    return status;
}

// ------------------------------------------------------------------------------------- the units

// In Model Exchange by a snapshot, which needs the unit's state as bytes.
static bool can_go_back(const fo_fmu *f)
{
    return f->unit.can->get_set_state && (f->unit.cosimulation || f->room > 0);
}

enum { LONGEST_PATH = 2048 };

static void path_of(const foi_group_plan *p, uint32_t k, char path[LONGEST_PATH])
{
    const char *source = p->parts[k].source;
    snprintf(path, LONGEST_PATH, "%s%s", source[0] == '/' ? "" : p->folder, source);
}

fo_status foi_group_others(const fo_fmu_group *g, uint64_t *hash, fo_message *why)
{
    fo_status status = FO_OK;
    *hash = g->plan.others;
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) {
        char path[LONGEST_PATH];
        unsigned char *bytes = NULL;
        size_t count = 0;
        path_of(&g->plan, k, path);
        status = foi_file_load(path, g->allocator, &bytes, &count, why);
        if (status == FO_OK) *hash = foi_hash_of(bytes, count, *hash + 1);
        foi_free(g->allocator, bytes);
    }
    return status;
}

static fo_status open_units(fo_fmu_group *g, const fo_fmu_def *def, fo_message *why)
{
    foi_group_plan *p = &g->plan;
    fo_fmu_def own = *def;
    g->units = foi_group_room(g, p->part_count, sizeof *g->units);
    g->first_y = foi_group_room(g, p->part_count, sizeof *g->first_y);
    g->first_u = foi_group_room(g, p->part_count, sizeof *g->first_u);
    g->first_p = foi_group_room(g, p->part_count, sizeof *g->first_p);
    g->carried = foi_group_room(g, p->part_count, sizeof *g->carried);
    g->rooms = foi_group_room(g, p->part_count, sizeof *g->rooms);
    if (!g->rooms || !g->carried || !g->units || !g->first_y || !g->first_u || !g->first_p)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the FMUs of %s", p->file);
    g->rolls = true;
    for (uint32_t k = 0; k < p->part_count; k++) {
        char path[LONGEST_PATH];
        for (uint32_t i = 0; i < k; i++)
            if (strcmp(p->parts[i].name, p->parts[k].name) == 0)
                return foi_group_wrong(g, p->parts[k].line, why, "two FMUs have the name '%s'",
                                       p->parts[k].name);
        path_of(p, k, path);
        own.type = p->parts[k].exchange ? FO_FMU_MODEL_EXCHANGE : FO_FMU_CO_SIMULATION;
        fo_fmu *f = g->units[k] = foi_fmu_open_stepped(path, &own, why);
        if (!f) return why->status;
        g->count = k + 1;
        g->first_y[k] = g->y_count, g->first_u[k] = g->u_count, g->first_p[k] = g->p_count;
        g->y_count += f->unit.y.values, g->u_count += f->unit.u.values;
        g->p_count += f->unit.p.values;
        g->rolls = g->rolls && can_go_back(f);
    }
    return FO_OK;
}

// ----------------------------------------------------------------------------------------- values

static fo_variable *named_in(fo_variable *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

// Whose variable it is, by its place in a list of those of all units.
static uint32_t owner(const fo_fmu_group *g, const uint32_t *first, size_t index)
{
    uint32_t k = 0;
    while (k + 1 < g->count && first[k + 1] <= index) k++;
    return k;
}

static fo_status set_values(fo_fmu_group *g, fo_variable *inputs, fo_variable *parameters,
                            fo_message *why)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < g->plan.value_count && status == FO_OK; i++) {
        const foi_group_value *v = &g->plan.values[i];
        char name[600];
        uint32_t part = UINT32_MAX;
        snprintf(name, sizeof name, "%s%s%s", v->part ? v->part : "", v->part ? "." : "", v->name);
        fo_variable *to = named_in(parameters, g->p_count, name);
        if (to)
            part = owner(g, g->first_p, (size_t)(to - parameters));
        else if ((to = named_in(inputs, g->free_count + g->outside_count, name)) &&
                 to < inputs + g->free_count)
            part = owner(g, g->first_u, g->free_u[to - inputs]);
        if (!to)
            return foi_group_wrong(
                g, v->line, why,
                "there is no parameter and no input without a connection called '%s'", name);
        status = foi_group_convert_value(g, v, part, to->unit, &to->start, why);
    }
    return status;
}

// ----------------------------------------------------------------------------------------- names

static fo_variable named(fo_fmu_group *g, uint32_t part, const fo_variable *v)
{
    fo_variable n = *v;
    n.name = foi_arena_print(&g->plan.arena, "%s.%s", g->plan.parts[part].name, v->name);
    return n;
}

static void name_outputs(fo_fmu_group *g, fo_variable *states, fo_variable *outputs)
{
    for (uint32_t k = 0; k < g->count; k++) {
        const fo_fmu *f = g->units[k];
        for (uint32_t i = 0; i < f->unit.y.values; i++) {
            bool real = i < f->unit.y.real_values;
            fo_variable *v = real ? &states[g->reals] : &outputs[g->shown];
            *v = named(g, k, foi_group_output(f, i));
            v->causality = real ? FO_CAUSALITY_OUTPUT : FO_CAUSALITY_BY_LIST;
            g->state_of[g->first_y[k] + i] = real ? g->reals++ : UINT32_MAX;
            if (!real) g->shown++;
        }
    }
}

static void name_pins(fo_fmu_group *g, fo_variable *inputs, fo_variable *outputs)
{
    uint32_t in = g->free_count, out = g->shown;
    for (uint32_t i = 0; i < g->plan.pin_count; i++) {
        const foi_group_pin *pin = &g->plan.pins[i];
        if (pin->part) continue;
        fo_variable *v = pin->output ? &outputs[out++] : &inputs[in++];
        *v = (fo_variable){.name = pin->name, .unit = pin->unit};
    }
}

static fo_status name_all(fo_fmu_group *g, fo_message *why)
{
    fo_variable *states = foi_group_room(g, g->y_count + g->bond_count + 1, sizeof *states);
    fo_variable *outputs = foi_group_room(g, g->y_count + g->alias_count, sizeof *outputs);
    fo_variable *inputs = foi_group_room(g, g->u_count + g->outside_count, sizeof *inputs);
    fo_variable *parameters = foi_group_room(g, g->p_count, sizeof *parameters);
    g->state_of = foi_group_room(g, g->y_count, sizeof *g->state_of);
    if (!states || !outputs || !inputs || !parameters || !g->state_of)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of %s", g->plan.file);
    name_outputs(g, states, outputs);
    for (uint32_t i = 0; i < g->bond_count; i++)
        states[g->reals + i] =
            (fo_variable){.name = g->bonds[i].name,
                          .unit = "J",
                          .about = "energy that the coupling has added: its error"};
    states[g->reals + g->bond_count] = (fo_variable){
        .name = "steps", .about = "steps of the co-simulation master since the start"};
    for (uint32_t k = 0; k < g->count; k++)
        for (uint32_t i = 0; i < g->units[k]->unit.p.values; i++)
            parameters[g->first_p[k] + i] = named(g, k, &g->units[k]->about.parameters.list[i]);
    for (uint32_t i = 0, k = 0; i < g->free_count; i++) {
        while (k + 1 < g->count && g->free_u[i] >= g->first_u[k + 1]) k++;
        inputs[i] = named(g, k, &g->units[k]->about.inputs.list[g->free_u[i] - g->first_u[k]]);
    }
    name_pins(g, inputs, outputs);
    fo_status status = set_values(g, inputs, parameters, why);
    g->about.states = (fo_variables){states, g->reals + g->bond_count + 1};
    g->about.outputs = (fo_variables){outputs, g->shown + g->alias_count};
    g->about.inputs = (fo_variables){inputs, g->free_count + g->outside_count};
    g->about.parameters = (fo_variables){parameters, g->p_count};
    return status;
}

// -------------------------------------------------------------------------------------- the system

static void show_states(const fo_fmu_group *g, double *x)
{
    for (uint32_t i = 0; i < g->y_count; i++)
        if (g->state_of[i] != UINT32_MAX) x[g->state_of[i]] = g->y[i];
    for (uint32_t i = 0; i < g->bond_count; i++) x[g->reals + i] = g->bond_energy[i];
    x[g->reals + g->bond_count] = (double)g->steps;
}

static fo_status start(const void *model, fo_state *s)
{
    fo_fmu_group *g = (fo_fmu_group *)model;
    pthread_mutex_lock(&g->lock);
    fo_status status = foi_group_start(g, s);
    if (status == FO_OK) status = foi_group_begin(g, s);
    if (status == FO_OK) show_states(g, s->x);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static fo_status advance(fo_fmu_group *g, fo_state *s, double t, double h)
{
    double ulp = nextafter(fabs(t), INFINITY) - fabs(t);
    fo_status status = foi_group_take(g, s);
    if (status == FO_OK && t < g->t - 8 * ulp && !g->stopped) status = foi_group_step_back(g, s, t);
    if (status != FO_OK) return status;
    if (fabs(t - g->t) > 8 * ulp && !g->stopped)
        return fo_refuse(s, "%s: t = %.17g is not a communication point: the FMUs are at %.17g",
                         g->plan.file, t, g->t);
    foi_group_keep_before(g, s, t);
    if (!g->stopped) g->t = t;
    status = foi_group_advance(g, s, t, h);
    return status == FO_OK ? foi_group_renew(g, s) : status;
}

static fo_status step(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    fo_fmu_group *g = (fo_fmu_group *)model;
    (void)x;
    pthread_mutex_lock(&g->lock);
    fo_status status = advance(g, s, t, h);
    if (status == FO_OK) show_states(g, x_new);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const fo_fmu_group *g = model;
    const double *own = foi_group_outputs(g, s, t);
    uint32_t at = 0;
    for (uint32_t i = 0; i < g->y_count; i++)
        if (g->state_of[i] == UINT32_MAX) y[at++] = own[i];
    for (uint32_t i = 0; i < g->alias_count; i++, at++) {
        const struct foi_group_alias *a = &g->aliases[i];
        y[at] = a->from == UINT32_MAX
                    ? 0
                    : a->factor * (g->state_of[a->from] == UINT32_MAX ? own[a->from]
                                                                      : x[g->state_of[a->from]]) +
                          a->offset;
    }
    return FO_OK;
}

static fo_next next(const void *model, const fo_state *s)
{
    (void)model;
    return (fo_next){fmax(foi_group_end_of(s), s->t), 0};
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    e->stop = foi_group_end_of(s) <= s->t;
    e->unchanged = m->kind != FO_SET;
    return FO_OK;
}

// A unit may end the run in any step: with this the simulation looks after each.
static fo_status look_after(const void *model, fo_state *s, double t, const double *x)
{
    (void)model, (void)s, (void)t, (void)x;
    return FO_OK;
}

static void make_system(fo_fmu_group *g)
{
    static const fo_event moments[] = {{"end", NULL, "an FMU ends the simulation", 0}};
    g->about.name = g->plan.name ? g->plan.name : "units";
    g->about.about = g->plan.about ? g->plan.about : "";
    g->about.moments = (fo_events){moments, 1};
    const char *no_snapshot = foi_group_no_snapshot(g);
    g->about.memory = foi_group_memory_size(g);
    g->stepper = (fo_stepper){.name = "the master", .order = 2, .step = step};
    g->type = (fo_system_type){.kind = "units",
                               .start = start,
                               .next = next,
                               .jump = jump,
                               .observe = g->about.outputs.count ? observe : NULL,
                               .settle = look_after,
                               .stepper = &g->stepper,
                               .hears_sets = true,
                               .no_snapshot = no_snapshot};
}

static void choose_run(fo_fmu_group *g)
{
    const foi_group_plan *p = &g->plan;
    foi_experiment *e = &g->experiment;
    e->start = p->has_start ? p->start : 0;
    double stop = 0, interval = INFINITY;
    for (uint32_t k = 0; k < g->count; k++) {
        const foi_experiment *own = &g->units[k]->experiment;
        stop = fmax(stop, own->stop);
        interval = fmin(interval, own->step > 0 ? own->step : own->interval);
    }
    e->stop = p->has_stop ? p->stop : stop > e->start ? stop : e->start + 1;
    e->step = p->step > 0 ? p->step : fmin(interval, (e->stop - e->start) / 100);
    e->interval = e->step;
    e->solver = "own";
    g->rtol = p->rtol > 0 ? p->rtol : 1e-4;
    g->energy = p->energy;
}

static fo_status choose_method(fo_fmu_group *g, fo_message *why)
{
    g->control = g->plan.control, g->method = g->plan.method;
    if (g->method == FOI_GROUP_CHOOSE)
        g->method =
            g->rolls && g->control != FOI_GROUP_POWER ? FOI_GROUP_ITERATED : FOI_GROUP_EXTRAPOLATED;
    if (g->method == FOI_GROUP_ITERATED && g->control == FOI_GROUP_POWER)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s: the step control 'power' does not go with the method 'iterated', whose "
                       "coupling makes no power; take the control 'error', or another method",
                       g->plan.file);
    if (g->method == FOI_GROUP_ITERATED && !g->rolls)
        for (uint32_t k = 0; k < g->count; k++)
            if (!can_go_back(g->units[k]))
                return fo_fail(why, FO_ERROR_UNFIT,
                               "%s: the method 'iterated' needs FMUs whose state can be restored, "
                               "and that of '%s' cannot",
                               g->plan.file, g->plan.parts[k].name);
    for (uint32_t k = 0; k < g->count && g->control != FOI_GROUP_FIXED; k++)
        if (g->units[k]->unit.cosimulation && !g->units[k]->unit.can->variable_step)
            return fo_fail(why, FO_ERROR_UNFIT,
                           "%s: the step control needs FMUs that can take steps of different "
                           "lengths, and '%s' cannot",
                           g->plan.file, g->plan.parts[k].name);
    if (g->control == FOI_GROUP_POWER && !g->bond_count)
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "%s: the step control 'power' needs a power bond, and there is none: two connections "
            "between the same FMUs, one each way, whose units of measurement make a power",
            g->plan.file);
    return FO_OK;
}

static fo_status make_room(fo_fmu_group *g, fo_message *why)
{
    uint32_t y = g->y_count, u = g->link_count, b = g->bond_count;
    struct {
        double **to;
        size_t count;
    } list[] = {{&g->y, y},
                {&g->y_before, y},
                {&g->y_begin, y},
                {&g->y_first, y},
                {&g->scale, y},
                {&g->u, u},
                {&g->used, u},
                {&g->scale_u, u},
                {&g->residual, u},
                {&g->before, u},
                {&g->change, u},
                {&g->u_begin, u},
                {&g->most_residual, u},
                {&g->work, 2 * u},
                {&g->outside, g->outside_count},
                {&g->bond_energy, b},
                {&g->bond_scale, b},
                {&g->bond_step, b},
                {&g->bond_moved, b}};
    bool good = true;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        good = (*list[i].to = foi_group_room(g, list[i].count, sizeof(double))) && good;
    if (u <= LARGEST_MATRIX)
        good = (g->matrix = foi_group_room(g, (size_t)u * u, sizeof(double))) && good;
    return good ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", g->plan.file);
}

static fo_status open_all(fo_fmu_group *g, const char *path, const fo_fmu_def *def, fo_message *why)
{
    foi_arena_begin(&g->plan.arena, g->allocator, (size_t)1 << 30);
    g->plan.file = foi_arena_text(&g->plan.arena, path, strlen(path));
    if (!g->plan.file) return fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", path);
    fo_status status = read_document(g, path, why);
    if (status == FO_OK) status = open_units(g, def, why);
    if (status == FO_OK) status = foi_group_connect(g, why);
    if (status == FO_OK) status = foi_group_find_bonds(g, why);
    if (status == FO_OK) status = name_all(g, why);
    if (status == FO_OK) choose_run(g);
    if (status == FO_OK) status = choose_method(g, why);
    if (status == FO_OK) status = make_room(g, why);
    if (status == FO_OK && g->plan.arena.failed)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", path);
    if (status != FO_OK) return status;
    make_system(g);
    fo_message bad = {0};
    if (fo_system_check(fo_fmu_group_system(g), &bad) == FO_OK) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "%s: %s", path, bad.text);
}

fo_fmu_group *fo_fmu_group_open(const char *path, const fo_fmu_def *def, fo_message *why)
{
    fo_message own = {0};
    fo_fmu_def plain = fo_default_fmu_def();
    if (!why) why = &own;
    if (!def) def = &plain;
    fo_fmu_group *g = foi_new(def->allocator, 1, sizeof *g);
    if (!g) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for FMUs");
        return NULL;
    }
    g->allocator = def->allocator;
    g->locked = pthread_mutex_init(&g->lock, NULL) == 0;
    if (open_all(g, path, def, why) == FO_OK) return g;
    fo_fmu_group_close(g);
    return NULL;
}

void fo_fmu_group_close(fo_fmu_group *g)
{
    if (!g) return;
    foi_group_drop_carried(g);
    for (uint32_t k = 0; k < g->count; k++) fo_fmu_close(g->units[k]);
    foi_folder_remove(&g->unpacked);
    if (g->locked) pthread_mutex_destroy(&g->lock);
    foi_arena_end(&g->plan.arena);
    foi_free(g->allocator, g);
}

fo_system fo_fmu_group_system(const fo_fmu_group *g)
{
    return (fo_system){&g->type, &g->about, g};
}

fo_run_def fo_fmu_group_run_def(const fo_fmu_group *g)
{
    return foi_experiment_run_def(g->experiment, NULL);
}
