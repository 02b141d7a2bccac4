/// Opening and closing FMUs.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "fmi/archive.h"
#include "fmi/fall.h"
#include "fmi/fmu.h"

fo_fmu_def fo_default_fmu_def(void)
{
    return (fo_fmu_def){.type = FO_FMU_AUTO, .timeout = 60};
}

const char *foi_unit_platform(int version)
{
#if defined __x86_64__ && defined __linux__
    return version == 2 ? "linux64" : "x86_64-linux";
#elif defined __aarch64__ && defined __linux__
    return version == 2 ? "aarch64-linux" : "aarch64-linux";
#else
    return version == 2 ? "unknown" : "unknown";
#endif
}

const char *fo_fmu_platform(int version)
{
    return foi_unit_platform(version);
}

// ------------------------------------------------------------------------------------ the
// generations

uint8_t *foi_fmu_bytes(fo_fmu *f, const fo_state *s)
{
    (void)f;
    return (uint8_t *)s->memory + ((sizeof(foi_fmu_memory) + 15) & ~(size_t)15);
}

uint8_t *foi_fmu_sides(fo_fmu *f, const fo_state *s)
{
    return foi_fmu_bytes(f, s) + 2 * f->room +
           (f->unit.u.values + 2 * (size_t)f->unit.y.values + f->unit.p.values) * sizeof(double) +
           foi_fall_size(f);
}

static size_t memory_size(const fo_fmu *f)
{
    return ((sizeof(foi_fmu_memory) + 15) & ~(size_t)15) + 2 * f->room +
           (f->unit.u.values + 2 * (size_t)f->unit.y.values + f->unit.p.values) * sizeof(double) +
           foi_fall_size(f) +
           (f->unit.scheduled      ? foi_fmu_ticks_size(f)
            : f->unit.cosimulation ? 0
                                   : f->unit.about.indicators);
}

fo_status foi_fmu_take(fo_fmu *f, const fo_state *s)
{
    const foi_fmu_memory *m = s->memory;
    foi_unit *u = &f->unit;
    pthread_mutex_lock(&f->lock);
    if (m->generation == f->generation && f->generation) return FO_OK;
    if (!m->size)
        return fo_refuse(s,
                         "%s: the FMU was advanced by another simulation, or is to be restored, "
                         "and cannot be: %s",
                         u->about.file,
                         u->state ? "its state has grown too large to be saved"
                                  : "it cannot serialize its state");
    if (m->size > f->room)
        return fo_refuse(s, "%s: what was saved of the FMU is not a state of it", u->about.file);
    f->have = 0;
    f->generation = 0;
    u->block->state_size = m->size;
    memcpy(u->state, foi_fmu_bytes(f, s), m->size);
    fo_status status = foi_unit_ask(u, FOI_UNIT_RESTORE, s->message);
    if (status != FO_OK) return status;
    f->generation = m->generation;
    // parameters and discrete inputs are sent when they are set, so that the unit has these; in
    // Co-Simulation with the next step, so that it may not have them yet
    if (u->p.values) memcpy(u->known_p, s->p, u->p.values * sizeof(double));
    for (uint32_t i = 0; i < u->p.count && u->cosimulation; i++)
        if (u->p.slots[i].variable->variability == FO_VARIABILITY_TUNABLE)
            for (uint32_t k = 0; k < u->p.slots[i].size; k++)
                u->known_p[u->p.slots[i].first + k] = NAN;
    for (uint32_t i = u->u.real_values; i < u->u.values; i++) u->known_u[i] = s->u[i];
    return FO_OK;
}

fo_status foi_fmu_change(fo_fmu *f, const fo_state *s, foi_unit_request what)
{
    foi_unit_block *b = f->unit.block;
    b->save = f->unit.state && f->room;
    fo_status status = foi_unit_ask(&f->unit, what, s->message);
    b->save = false;
    return status;
}

fo_status foi_fmu_renew(fo_fmu *f, fo_state *s)
{
    foi_fmu_memory *m = s->memory;
    foi_unit *u = &f->unit;
    m->generation = f->generation = ++f->latest & ~FOI_FMU_OF_BYTES;
    m->size = 0;
    f->have = 0;
    if (!u->state || !f->room || m->stop) return FO_OK;
    if (!u->block->saved) {
        fo_status status = foi_unit_ask(u, FOI_UNIT_SAVE, s->message);
        if (status != FO_OK) return status;
    }
    size_t size = *(volatile size_t *)&u->block->state_size; // read once: what is checked is taken
    if (size > f->room || size > FOI_UNIT_STATE_ROOM) return FO_OK;
    m->size = size;
    uint8_t *bytes = foi_fmu_bytes(f, s);
    memcpy(bytes, u->state, m->size);
    memset(bytes + m->size, 0, f->room - m->size);
    m->generation = f->generation = foi_hash_of(bytes, m->size, 0) | FOI_FMU_OF_BYTES;
    return FO_OK;
}

fo_status foi_fmu_start(fo_fmu *f, fo_state *s)
{
    foi_unit *u = &f->unit;
    foi_unit_block *b = u->block;
    f->generation = 0, f->have = 0;
    foi_unit_forget(u);
    memset(s->memory, 0, sizeof(foi_fmu_memory));
    b->t = s->t, b->stop = s->stop, b->stop_defined = s->stop > s->t && isfinite(s->stop);
    b->tolerance = f->experiment.rtol, b->tolerance_defined = f->experiment.rtol > 0;
    if (u->x.values) memcpy(u->tx, s->x, u->x.values * sizeof(double));
    if (u->u.values) memcpy(u->tu, s->u, u->u.values * sizeof(double));
    if (u->p.values) memcpy(u->tp, s->p, u->p.values * sizeof(double));
    b->starts = u->cosimulation && u->y.real_values > 0;
    if (b->starts) memcpy(u->ty, s->x, u->y.real_values * sizeof(double));
    fo_status status = foi_unit_ask(u, FOI_UNIT_START, s->message);
    return status == FO_RETRY
               ? fo_refuse(s, "%s: the FMU discarded its initialization (fmiDiscard)",
                           u->about.file)
               : status;
}

// --------------------------------------------------------------------------------------------
// opening

static fo_status choose_type(fo_fmu *f, const fo_fmu_def *def, fo_message *why)
{
    foi_fmu_description *d = &f->unit.about;
    static const char *const names[] = {"", "Model Exchange", "Co-Simulation",
                                        "Scheduled Execution"};
    const foi_fmu_interface *list[] = {NULL, &d->exchange, &d->cosimulation, &d->scheduled};
    int type = (int)def->type;
    if (f->unit.stepped && type == FO_FMU_CO_SIMULATION && !d->cosimulation.there &&
        d->exchange.there)
        type = FO_FMU_MODEL_EXCHANGE;
    if (f->unit.stepped && type == FO_FMU_MODEL_EXCHANGE) f->unit.part = true;
    for (int i = 1; i < 4 && type == FO_FMU_AUTO; i++)
        if (list[i]->there) type = i;
    if (type < 1 || type > 3 || !list[type]->there)
        return fo_fail(why, FO_ERROR_UNFIT, "%s has no %s; it has %s%s%s%s%s", d->file,
                       names[type > 0 && type < 4 ? type : 0], d->exchange.there ? names[1] : "",
                       d->exchange.there && d->cosimulation.there ? ", " : "",
                       d->cosimulation.there ? names[2] : "",
                       d->scheduled.there && (d->exchange.there || d->cosimulation.there) ? ", "
                                                                                          : "",
                       d->scheduled.there ? names[3] : "");
    f->unit.can = list[type];
    f->unit.cosimulation = type == FO_FMU_CO_SIMULATION;
    f->unit.scheduled = type == FO_FMU_SCHEDULED_EXECUTION;
    if (f->unit.scheduled) d->indicators = d->derivative_count = 0;
    if (def->event_mode && f->unit.cosimulation && d->version == 2)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s is of FMI 2, which has no event mode in Co-Simulation", d->file);
    f->unit.event_mode = f->unit.cosimulation && def->event_mode && d->version == 3;
    if (f->unit.event_mode && !f->unit.can->event_mode)
        return fo_fail(why, FO_ERROR_UNFIT, "%s has no event mode in Co-Simulation", d->file);
    return FO_OK;
}

__attribute__((format(printf, 2, 3))) static void say(fo_fmu *f, const char *format, ...)
{
    va_list list;
    if (f->note_count == FOI_FMU_NOTES) return;
    va_start(list, format);
    vsnprintf(f->notes[f->note_count++], sizeof f->notes[0], format, list);
    va_end(list);
}

// Somebody else's terminals and icons are for people: what cannot be read is said, and the unit
// runs.
static void read_terminals(fo_fmu *f, foi_archive *z)
{
    static const char name[] = "terminalsAndIcons/terminalsAndIcons.xml";
    foi_fmu_description *d = &f->unit.about;
    fo_message why = {0};
    size_t length;
    if (d->version == 2 && foi_archive_has(z, "model.png")) d->icon = "model.png";
    if (foi_archive_has(z, "terminalsAndIcons/icon.png")) d->icon = "terminalsAndIcons/icon.png";
    if (!foi_archive_has(z, name)) return;
    char *text = foi_archive_read(z, name, &length, &why);
    if (text) foi_fmu_read_terminals(d, name, text, length, &why);
    if (why.status != FO_OK)
        say(f, "its terminals (fmiTerminalsAndIcons) cannot be read: %.150s", why.text);
    foi_free(f->allocator, text);
}

static fo_status read_description(fo_fmu *f, foi_archive *z, const char *path, fo_message *why)
{
    size_t length;
    char *text = foi_archive_read(z, "modelDescription.xml", &length, why);
    if (!text) return why->status;
    char file[600];
    const char *slash = strrchr(path, '/');
    snprintf(file, sizeof file, "%.400s", slash ? slash + 1 : path);
    strcat(file, "/modelDescription.xml");
    fo_status status = foi_fmu_describe(&f->unit.about, file, text, length, f->allocator, why);
    foi_free(f->allocator, text);
    if (status == FO_OK)
        f->unit.about.file = foi_arena_text(&f->unit.about.arena, path, strlen(path));
    if (status == FO_OK && !f->unit.about.file)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", path);
    return status;
}

// "file:///tmp/a%20b/resources" of FMI 2, "/tmp/a b/resources/" of FMI 3.
static void place_resources(foi_unit *u)
{
    size_t used = 0;
    char path[600];
    snprintf(path, sizeof path, "%s/resources", u->folder.path);
    if (u->about.version == 3) {
        snprintf(u->resources, sizeof u->resources, "%s/", path);
        return;
    }
    used = (size_t)snprintf(u->resources, sizeof u->resources, "file://");
    for (const char *c = path; *c && used + 4 < sizeof u->resources; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("/-._~", *c);
        used +=
            (size_t)snprintf(u->resources + used, 4, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
}

static fo_status list_binaries(const foi_archive *z, const fo_fmu *f, fo_message *why)
{
    char found[200] = "";
    for (size_t i = 0; i < foi_archive_count(z); i++) {
        const char *name = foi_archive_name(z, i);
        if (strncmp(name, "binaries/", 9) != 0) continue;
        char folder[40];
        snprintf(folder, sizeof folder, "%.*s", (int)strcspn(name + 9, "/"), name + 9);
        if (strstr(found, folder) || !name[9 + strlen(folder)]) continue;
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s", used ? ", " : "", folder);
    }
    return fo_fail(why, FO_ERROR_UNFIT, "%s has no binary %s.so for this machine (%s)%s%s",
                   f->unit.about.file, f->unit.can->identifier,
                   foi_unit_platform(f->unit.about.version), *found ? "; it has " : "", found);
}

static fo_status unpack(fo_fmu *f, foi_archive *z, fo_message *why)
{
    foi_unit *u = &f->unit;
    char prefix[64], name[400];
    snprintf(prefix, sizeof prefix, "binaries/%s/", foi_unit_platform(u->about.version));
    snprintf(name, sizeof name, "%s%s.so", prefix, u->can->identifier);
    if (!foi_archive_has(z, name)) return list_binaries(z, f, why);
    fo_status status = foi_folder_make(&u->folder, why);
    if (status == FO_OK) status = foi_archive_unpack(z, prefix, u->folder.path, why);
    if (status == FO_OK) status = foi_archive_unpack(z, "resources/", u->folder.path, why);
    snprintf(u->binary, sizeof u->binary, "%s/%s", u->folder.path, name);
    place_resources(u);
    return status;
}

// The memory of a state has room for the unit's state, so that has to be known: one start, with
// what the description says. Twice its size is kept, since it may grow.
static fo_status probe(fo_fmu *f, fo_message *why)
{
    foi_unit *u = &f->unit;
    if (!u->state) return FO_OK;
    foi_unit_block *b = u->block;
    b->t = f->experiment.start;
    b->stop_defined = f->experiment.stop > b->t, b->stop = f->experiment.stop;
    if (u->x.values) memcpy(u->tx, u->known_x, u->x.values * sizeof(double));
    if (u->u.values) memcpy(u->tu, u->known_u, u->u.values * sizeof(double));
    if (u->p.values) memcpy(u->tp, u->known_p, u->p.values * sizeof(double));
    fo_status status = foi_unit_ask(u, FOI_UNIT_START, why);
    if (status == FO_OK) status = foi_unit_ask(u, FOI_UNIT_SAVE, why);
    if (status == FO_RETRY)
        status = fo_fail(why, FO_ERROR_MODEL, "%s: %s returned fmi%dDiscard", u->about.file,
                         foi_unit_call(u).name, u->about.version);
    size_t size = b->state_size;
    if (status == FO_OK && size <= FOI_UNIT_STATE_ROOM)
        f->room = (2 * size + 64 + 15) & ~(size_t)15;
    return status;
}

static void choose_run(fo_fmu *f)
{
    const foi_fmu_description *d = &f->unit.about;
    foi_experiment *e = &f->experiment;
    if (d->has_start) e->start = d->start;
    e->stop = d->has_stop && d->stop > e->start ? d->stop : e->start + 1;
    double length = e->stop - e->start, own = f->unit.can->internal_step;
    double step = d->has_step ? d->step : own > 0 ? own : length / 500;
    e->interval = step;
    if (d->has_tolerance) e->rtol = d->tolerance;
    if (!f->unit.cosimulation) return;
    e->step = step;
    e->solver = "own";
    double ratio = own > 0 ? step / own : 1;
    if (fabs(ratio - nearbyint(ratio)) > 1e-6 * ratio)
        say(f,
            "the communication step %g is not a multiple of the FMU's own step %g: its outputs lag "
            "behind",
            step, own);
}

static fo_status make(fo_fmu *f, const fo_fmu_def *def, fo_message *why)
{
    foi_unit *u = &f->unit;
    fo_status status = foi_unit_plan(u, why);
    choose_run(f);
    if (status == FO_OK) status = foi_fmu_take_texts(f, def, why);
    if (status == FO_OK) status = foi_fmu_name(f, why);
    if (status == FO_OK && !def->in_process) status = foi_unit_begin_child(u, why);
    if (status == FO_OK) status = foi_unit_ask(u, FOI_UNIT_LOAD, why);
    if (status == FO_OK) status = probe(f, why);
    if (status != FO_OK) return status;
    if (u->scheduled)
        foi_fmu_scheduled(f);
    else if (u->cosimulation)
        foi_fmu_cosimulation(f);
    else
        foi_fmu_exchange(f);
    if (!f->room)
        f->type.no_snapshot =
            u->state ? "the FMU's state has more than 1 MiB" : "the FMU cannot serialize its state";
    f->about.memory = memory_size(f);
    fo_message wrong = {0};
    if (fo_system_check(fo_fmu_system(f), &wrong) == FO_OK) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "%s: %s", u->about.file, wrong.text);
}

static fo_status open_all(fo_fmu *f, const char *path, const fo_fmu_def *def, fo_message *why)
{
    if (strcmp(foi_unit_platform(2), "unknown") == 0)
        return fo_fail(why, FO_ERROR_UNFIT, "FMUs are run on Linux for x86-64 and AArch64 only");
    foi_archive *z = foi_archive_open(path, f->allocator, why);
    if (!z) return why->status;
    fo_status status = read_description(f, z, path, why);
    if (status == FO_OK) status = choose_type(f, def, why);
    if (status == FO_OK) read_terminals(f, z);
    if (status == FO_OK) status = unpack(f, z, why);
    foi_archive_close(z);
    return status == FO_OK ? make(f, def, why) : status;
}

static fo_fmu *open_one(const char *path, const fo_fmu_def *def, bool part, bool stepped,
                        fo_message *why)
{
    fo_message own = {0};
    fo_fmu_def plain = fo_default_fmu_def();
    if (!why) why = &own;
    if (!def) def = &plain;
    fo_fmu *f = foi_new(def->allocator, 1, sizeof *f);
    if (!f) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for an FMU");
        return NULL;
    }
    f->allocator = f->unit.allocator = def->allocator;
    f->unit.timeout = def->timeout > 0 ? def->timeout : 60;
    f->unit.in_process = def->in_process, f->unit.part = part, f->unit.stepped = stepped;
    foi_arena_begin(&f->unit.arena, def->allocator, 0);
    f->locked = pthread_mutex_init(&f->lock, NULL) == 0;
    if (open_all(f, path, def, why) == FO_OK) return f;
    fo_fmu_close(f);
    return NULL;
}

fo_fmu *fo_fmu_open(const char *path, const fo_fmu_def *def, fo_message *why)
{
    return open_one(path, def, false, false, why);
}

fo_fmu *foi_fmu_open_part(const char *path, const fo_fmu_def *def, fo_message *why)
{
    return open_one(path, def, true, false, why);
}

fo_fmu *foi_fmu_open_stepped(const char *path, const fo_fmu_def *def, fo_message *why)
{
    return open_one(path, def, false, true, why);
}

// What the binary has registered with the C library keeps it in place; it is not unloaded.
void fo_fmu_close(fo_fmu *f)
{
    if (!f) return;
    foi_unit_end(&f->unit);
    foi_folder_remove(&f->unit.folder);
    foi_unit_free(&f->unit);
    foi_fmu_forget(&f->unit.about);
    if (f->locked) pthread_mutex_destroy(&f->lock);
    foi_free(f->allocator, f);
}

fo_system fo_fmu_system(const fo_fmu *f)
{
    return (fo_system){&f->type, &f->about, f};
}

fo_run_def fo_fmu_run_def(const fo_fmu *f)
{
    return foi_experiment_run_def(f->experiment, NULL);
}

const char *fo_fmu_note(const fo_fmu *f, size_t index)
{
    return index < f->note_count ? f->notes[index] : NULL;
}

/// A text that grows within its room.
typedef struct page {
    char *text;
    size_t size, used;
} page;

__attribute__((format(printf, 2, 3))) static void print(page *p, const char *format, ...)
{
    va_list list;
    if (p->used + 1 >= p->size) return;
    va_start(list, format);
    int n = vsnprintf(p->text + p->used, p->size - p->used, format, list);
    va_end(list);
    if (n > 0) p->used += (size_t)n < p->size - p->used ? (size_t)n : p->size - p->used - 1;
}

static const char *part_of(foi_fmu_causality causality)
{
    static const char *const names[] = {"local",  "parameter",   "calculated", "input",
                                        "output", "independent", "structural"};
    return names[causality];
}

static bool in_list(const foi_unit_list *list, const foi_fmu_variable *v)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->slots[i].variable == v) return true;
    return false;
}

// The numbers that are in no list of the system: time, local variables, sizes of arrays.
static void print_inner(page *p, const foi_unit *u)
{
    enum { MOST = 200 };
    static const char *const changes[] = {"",          "constant, ", "fixed, ",
                                          "tunable, ", "discrete, ", "continuous, "};
    uint32_t count = 0;
    for (uint32_t i = 0; i < u->about.variable_count; i++) {
        const foi_fmu_variable *v = &u->about.variables[i];
        if (v->type >= FOI_FMU_STRING || in_list(&u->u, v) || in_list(&u->p, v) ||
            in_list(&u->x, v) || in_list(&u->y, v))
            continue;
        if (++count > MOST) continue;
        print(p, "\n%s (%s%s)%s%.60s%s%s%s%s", v->name, changes[v->variability],
              part_of(v->causality), v->start ? " = " : "", v->start ? v->start : "",
              v->unit ? " [" : "", v->unit ? v->unit : "", v->unit ? "]" : "",
              v->derivative ? ", a derivative" : "");
    }
    if (count > MOST)
        print(p, "\nand %u more variables that are neither set nor rows", count - MOST);
}

static void print_others(page *p, const foi_unit *u)
{
    static const char *const ticking[] = {"constant", "fixed",     "tunable",
                                          "changing", "countdown", "triggered"};
    const foi_fmu_description *d = &u->about;
    for (uint32_t i = 0; i < d->variable_count; i++) {
        const foi_fmu_variable *v = &d->variables[i];
        if (v->type == FOI_FMU_STRING || v->type == FOI_FMU_BINARY)
            print(p, "\n%s %s (%s)%s%.60s%s", v->type == FOI_FMU_STRING ? "string" : "binary",
                  v->name, part_of(v->causality), v->start ? " = '" : "", v->start ? v->start : "",
                  v->start ? "'" : "");
        if (v->type != FOI_FMU_CLOCK) continue;
        print(p, "\nclock %s (%s, %s", v->name, part_of(v->causality), ticking[v->clock.ticking]);
        if (v->clock.interval > 0) print(p, ", every %g s", v->clock.interval);
        print(p, ")");
    }
    for (uint32_t i = 0; i < d->terminal_count; i++) print(p, "\nterminal %s", d->terminals[i]);
    if (d->icon) print(p, "\nicon %s", d->icon);
}

const char *fo_fmu_about(const fo_fmu *f, char *text, size_t size)
{
    const foi_fmu_description *d = &f->unit.about;
    const foi_fmu_interface *can = f->unit.can;
    page p = {text, size, 0};
    if (size) text[0] = 0;
    print(&p, "FMI %d.0: %s%s%s%s%s\nrun as %s, %s", d->version,
          d->exchange.there ? "Model Exchange" : "",
          d->exchange.there && d->cosimulation.there ? ", " : "",
          d->cosimulation.there ? "Co-Simulation" : "",
          d->scheduled.there && (d->exchange.there || d->cosimulation.there) ? ", " : "",
          d->scheduled.there ? "Scheduled Execution" : "",
          f->unit.scheduled      ? "Scheduled Execution"
          : f->unit.cosimulation ? "Co-Simulation"
                                 : "Model Exchange",
          f->unit.pid ? "in a process of its own" : "in this process");
    print(&p, "\nstate can be saved: %s; directional derivatives: %s",
          can->get_set_state ? can->serialize ? "yes, serialized" : "yes" : "no",
          can->directional ? "yes" : "no");
    if (d->version == 3 && d->cosimulation.there)
        print(&p, "\nevent mode in Co-Simulation: %s",
              !d->cosimulation.event_mode ? "no"
              : f->unit.event_mode        ? "yes, used"
                                          : "yes, not used");
    print_others(&p, &f->unit);
    print(&p, "\nmade by %s", d->tool ? d->tool : "a tool that is not named");
    print_inner(&p, &f->unit);
    return text;
}
