#include "model/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int unit_complain(unit *u, int status, const char *what)
{
    char text[FO_MESSAGE_SIZE + 100];
    snprintf(text, sizeof text, "%s%s%s", what, u->why.text[0] ? ": " : "", u->why.text);
    if (u->version == 2 && u->callbacks.logger)
        u->callbacks.logger(u->environment, u->name, status, "logStatusError", "%s", text);
    if (u->version == 3 && u->log) u->log(u->environment, status, "logStatusError", text);
    u->why.text[0] = 0;
    return status;
}

// ------------------------------------------------------------------------------------- the
// document

/// resources/foliot.txt: the token, the file of the model, and which model of it.
typedef struct index_card {
    char token[80], file[260], part[260];
} index_card;

static bool read_line(FILE *file, char *text, int size)
{
    if (!fgets(text, size, file)) return false;
    text[strcspn(text, "\r\n")] = 0;
    return true;
}

static bool read_card(const char *folder, index_card *card)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/foliot.txt", folder);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool good = read_line(file, card->token, sizeof card->token) &&
                read_line(file, card->file, sizeof card->file) &&
                read_line(file, card->part, sizeof card->part);
    fclose(file);
    return good && !strchr(card->file, '/');
}

static bool open_model(unit *u, const char *folder, const index_card *card)
{
    char name[1800], shelf[1200];
    const char *libraries[] = {shelf, NULL};
    fo_model_def def = fo_default_model_def();
    if (card->file[0])
        snprintf(name, sizeof name, "%s/%s%s%s", folder, card->file, card->part[0] ? ":" : "",
                 card->part);
    else
        snprintf(name, sizeof name, "%s", card->part); // a model of a library
    snprintf(shelf, sizeof shelf, "%s/libraries", folder);
    def.name = name, def.libraries = libraries;
    def.files = folder;    // what the document reads lies beside it
    def.program.late = -1; // no thread, no compiler in another program's process
    fo_status status = fo_model_open(&def, &u->model);
    for (size_t i = 0; status != FO_OK && u->model && i < fo_model_finding_count(u->model); i++)
        fo_fail(&u->why, status, "%s", fo_model_finding(u->model, i)->text);
    return status == FO_OK;
}

static fo_status no_resize(fo_host *host, fo_state *s, const fo_shape *shape)
{
    (void)host, (void)s, (void)shape;
    return fo_fail(NULL, FO_ERROR_UNFIT, "a unit cannot change its number of states");
}

static bool prepare(unit *u)
{
    u->system = fo_model_system(u->model);
    u->shape = fo_system_shape(u->system);
    const fo_shape *n = &u->shape;
    u->host = (fo_host){.resize = no_resize};
    if (foi_state_create(&u->store, n, NULL, &u->why) != FO_OK) return false;
    u->store.s.host = &u->host, u->store.s.message = &u->why;
    foi_state_defaults(u->system, &u->store.s);
    if (foi_state_create(&u->ahead, n, NULL, &u->why) != FO_OK) return false;
    u->ahead.s.host = &u->host, u->ahead.s.message = &u->why;
    u->rates = calloc(n->states + 1, sizeof(double));
    u->guards = calloc(n->guards + 1, sizeof(double));
    u->outputs = calloc(n->outputs + 1, sizeof(double));
    u->conditions = calloc(n->conditions + 1, sizeof(bool));
    u->was = calloc(n->conditions + 1, sizeof(bool));
    u->signs = calloc(n->guards + 1, 1);
    u->held = calloc(n->guards + 1, 1);
    u->rest = calloc(n->guards + 1, sizeof(double));
    u->with = calloc(n->guards + 1, sizeof *u->with);
    return u->rates && u->guards && u->outputs && u->conditions && u->was && u->signs && u->held &&
           u->rest && u->with;
}

unit *unit_create(const unit *def, const char *resources, const char *token)
{
    index_card card = {0};
    unit *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    *u = *def;
    snprintf(u->token, sizeof u->token, "%s", token ? token : "");
    const char *wrong = NULL;
    if (!resources || !read_card(resources, &card))
        wrong = "the unit's resources are not there";
    else if (!token || strcmp(token, card.token) != 0)
        wrong = "the token is not that of this unit";
    else if (!open_model(u, resources, &card))
        wrong = "the model cannot be opened";
    else if (!prepare(u))
        wrong = "out of memory";
    if (!wrong) return u;
    unit_complain(u, FMI_ERROR, wrong);
    unit_destroy(u);
    return NULL;
}

void unit_destroy(unit *u)
{
    if (!u) return;
    fo_simulation_destroy(u->sim);
    foi_state_destroy(&u->store);
    foi_state_destroy(&u->ahead);
    fo_model_close(u->model);
    free(u->rates);
    free(u->guards);
    free(u->outputs);
    free(u->conditions);
    free(u->was);
    free(u->signs);
    free(u->held);
    free(u->rest);
    free(u->with);
    free(u);
}

// --------------------------------------------------------------------------------------- the start

static bool set_start(unit *u, fo_quantity quantity, uint32_t count, const double *values)
{
    char name[512];
    for (uint32_t i = 0; i < count; i++) {
        const fo_variable *v = fo_system_variable(u->system, (fo_reference){quantity, i});
        if ((v ? v->start : 0) == values[i]) continue;
        fo_system_name(u->system, (fo_reference){quantity, i}, name, sizeof name);
        if (fo_failed(fo_simulation_set(u->sim, name, values[i]))) return false;
    }
    return true;
}

// What is just before the jumps of an instant is what the importer sees until it has handled them.
static fo_status see_row(void *self, const fo_row *row, fo_message *why)
{
    unit *u = self;
    (void)why;
    if (row->kind != FO_ROW_BEFORE || !u->sim) return FO_OK;
    const fo_state *s = fo_simulation_state(u->sim);
    bool again = u->happened && u->store.s.t == s->t;
    if (again || !foi_shape_equal(&u->shape, &s->shape)) return FO_OK;
    memcpy(u->store.s.memory, s->memory, u->store.size);
    u->store.s.t = s->t, u->store.s.k = s->k;
    return FO_OK;
}

static fo_status see_moment(void *self, const fo_moment *m, fo_message *why)
{
    (void)why;
    if (m->kind != FO_SET) ((unit *)self)->happened = true;
    return FO_OK;
}

fo_simulation *unit_make_simulation(unit *u)
{
    fo_run_def def = fo_model_run_def(u->model);
    double length = def.stop - def.start;
    def.start = u->start;
    def.stop = isfinite(u->stop) ? u->stop : u->start + 1e9 * length;
    u->observer = (fo_observer){.self = u, .row = see_row, .moment = see_moment, .interval = -1};
    if (u->event_mode) def.observers = &u->observer, def.observer_count = 1;
    return fo_simulation_create(u->system, &def, &u->why);
}

static int start_simulation(unit *u)
{
    const fo_state *s = &u->store.s;
    u->sim = unit_make_simulation(u);
    u->changes++;
    if (!u->sim) return unit_complain(u, FMI_ERROR, "the simulation cannot be made");
    bool good = set_start(u, FO_PARAMETER, u->shape.parameters, s->p) &&
                set_start(u, FO_INPUT, u->shape.inputs, s->u) &&
                set_start(u, FO_STATE, u->shape.states, s->x);
    good = good && !fo_failed(fo_simulation_start(u->sim));
    u->happened = u->pending = false;
    u->reached = u->start;
    if (good) return FMI_OK;
    u->why = *fo_simulation_message(u->sim);
    return unit_complain(u, FMI_ERROR, "the start");
}

static fo_status start_state(const unit *u, fo_state *s)
{
    s->t = u->start, s->k = 0;
    s->stop = isfinite(u->stop) ? u->stop : INFINITY;
    return u->system.type->start ? u->system.type->start(u->system.model, s) : FO_OK;
}

int unit_initialise(unit *u)
{
    if (u->cosimulation) return start_simulation(u);
    u->set = false;
    return fo_failed(start_state(u, &u->store.s)) ? unit_complain(u, FMI_ERROR, "the start")
                                                  : FMI_OK;
}

// In initialisation mode values satisfy the initial equations with what is set so far. Where those
// have no solution yet, more may be set: the values are those of the description, with a warning.
static void foresee(unit *u)
{
    if (u->mode != UNIT_INITIALISING || u->foreseen) return;
    foi_state_copy(&u->ahead, &u->store);
    u->foreseen = true;
    if (!fo_failed(start_state(u, &u->ahead.s))) return;
    foi_state_copy(&u->ahead, &u->store);
    u->ahead.s.t = u->start;
    unit_complain(u, FMI_WARNING, "the initial equations have no solution with these values");
}

const fo_state *unit_ahead(unit *u)
{
    foresee(u);
    return &u->ahead.s;
}

// -------------------------------------------------------------------------------------------
// values

static const fo_state *state_of(const unit *u)
{
    if (u->mode == UNIT_INITIALISING) return &u->ahead.s;
    return u->sim && !u->pending ? fo_simulation_state(u->sim) : &u->store.s;
}

static fo_status evaluate(unit *u, foi_export_kind kind)
{
    const fo_state *s = state_of(u);
    const fo_system_type *type = u->system.type;
    if (kind == FOI_EXPORT_DERIVATIVE && type->rates)
        return type->rates(u->system.model, s, s->t, s->x, u->rates);
    if (kind == FOI_EXPORT_OUTPUT && type->observe)
        return type->observe(u->system.model, s, s->t, s->x, u->outputs);
    return FO_OK;
}

bool unit_find(const unit *u, uint32_t reference, foi_export_kind *kind, uint32_t *index)
{
    *kind = (foi_export_kind)(reference >> FOI_EXPORT_SHIFT);
    *index = reference & ((1u << FOI_EXPORT_SHIFT) - 1);
    const fo_shape *n = &u->shape;
    uint32_t counts[] = {1,         n->states,  n->states,     n->discretes,
                         n->inputs, n->outputs, n->parameters, n->guards + n->conditions};
    return *kind <= FOI_EXPORT_INDICATOR && *index < counts[*kind];
}

static fo_value_type type_of(const unit *u, foi_export_kind kind, uint32_t index)
{
    static const fo_quantity quantities[] = {FO_TIME,  FO_STATE,  FO_STATE,     FO_DISCRETE,
                                             FO_INPUT, FO_OUTPUT, FO_PARAMETER, FO_TIME};
    if (kind == FOI_EXPORT_TIME || kind == FOI_EXPORT_DERIVATIVE || kind == FOI_EXPORT_INDICATOR)
        return FO_REAL;
    const fo_variable *v = fo_system_variable(u->system, (fo_reference){quantities[kind], index});
    fo_value_type type = v ? v->type : FO_REAL;
    return type == FO_ENUMERATION ? FO_INTEGER : type;
}

int unit_get(unit *u, fo_value_type want, uint32_t reference, double *value)
{
    foi_export_kind kind;
    uint32_t i;
    if (!unit_find(u, reference, &kind, &i) || type_of(u, kind, i) != want)
        return unit_complain(u, FMI_ERROR, "there is no variable of that reference and type");
    foresee(u);
    const fo_state *s = state_of(u);
    if (fo_failed(evaluate(u, kind)))
        return unit_complain(u, FMI_ERROR, "a value cannot be computed");
    switch (kind) {
    case FOI_EXPORT_TIME: *value = s->t; break;
    case FOI_EXPORT_STATE: *value = s->x[i]; break;
    case FOI_EXPORT_DERIVATIVE: *value = u->rates[i]; break;
    case FOI_EXPORT_DISCRETE: *value = s->d[i]; break;
    case FOI_EXPORT_INPUT: *value = s->u[i]; break;
    case FOI_EXPORT_OUTPUT: *value = u->outputs[i]; break;
    case FOI_EXPORT_PARAMETER: *value = s->p[i]; break;
    default: {
        double *z = malloc((u->shape.guards + u->shape.conditions) * sizeof *z);
        int status = z ? unit_indicators(u, z) : FMI_ERROR;
        if (status == FMI_OK) *value = z[i];
        free(z);
        return status;
    }
    }
    bool whole = want == FO_INTEGER;
    if (whole && !(fabs(*value) < 0x1p31 && *value == nearbyint(*value)))
        return unit_complain(u, FMI_ERROR, "a value is no integer of 32 bits");
    return FMI_OK;
}

// Co-Simulation: what comes from outside is a moment of the simulation, and only where it changes.
static int set_in_run(unit *u, foi_export_kind kind, uint32_t i, double value)
{
    char name[512];
    const fo_state *s = fo_simulation_state(u->sim);
    fo_quantity quantity = kind == FOI_EXPORT_INPUT ? FO_INPUT : FO_PARAMETER;
    if ((quantity == FO_INPUT ? s->u[i] : s->p[i]) == value) return FMI_OK;
    u->changes++;
    fo_system_name(u->system, (fo_reference){quantity, i}, name, sizeof name);
    if (!fo_failed(fo_simulation_set(u->sim, name, value))) return FMI_OK;
    u->why = *fo_simulation_message(u->sim);
    return unit_complain(u, FMI_ERROR, "a value cannot be set");
}

int unit_set(unit *u, fo_value_type want, uint32_t reference, double value)
{
    foi_export_kind kind;
    uint32_t i;
    fo_state *s = &u->store.s;
    bool early = u->mode <= UNIT_INITIALISING;
    if (!unit_find(u, reference, &kind, &i) || type_of(u, kind, i) != want)
        return unit_complain(u, FMI_ERROR, "there is no variable of that reference and type");
    bool outside = kind == FOI_EXPORT_INPUT || kind == FOI_EXPORT_PARAMETER;
    if (!outside && !(kind == FOI_EXPORT_STATE && early))
        return unit_complain(u, FMI_ERROR, "this variable cannot be set now");
    if (!isfinite(value)) return unit_complain(u, FMI_ERROR, "a value is not finite");
    if (u->sim) return set_in_run(u, kind, i, value);
    double *to = kind == FOI_EXPORT_INPUT ? s->u : kind == FOI_EXPORT_PARAMETER ? s->p : s->x;
    if (!early && to[i] != value) u->set = true;
    u->foreseen = false;
    to[i] = value;
    return FMI_OK;
}

// ------------------------------------------------------------------------------------
// co-simulation

// Steps and moments one by one: the first moment that the model has by itself ends the step.
static fo_status advance(unit *u, double t)
{
    fo_status status = FO_PAUSED;
    if (!u->event_mode || !u->early_return) return fo_simulation_advance(u->sim, t);
    while (status == FO_PAUSED && !u->happened) status = fo_simulation_advance_some(u->sim, t, 1);
    return status;
}

int unit_step(unit *u, double t, double h, bool *stopped, double *reached)
{
    *stopped = false;
    double now = fo_simulation_time(u->sim),
           ulp = nextafter(fabs(now) + h, INFINITY) - fabs(now) - h;
    if (fabs(t - now) > 64 * ulp || !(h > 0)) {
        fo_fail(&u->why, FO_ERROR_ARGUMENT,
                "the step from t = %.17g by %.17g, and the unit is at %.17g", t, h, now);
        return unit_complain(u, FMI_ERROR, "no step");
    }
    u->happened = u->pending = false;
    u->changes++;
    fo_status status = advance(u, t + h);
    *reached = fo_simulation_time(u->sim);
    *stopped = status == FO_STOPPED;
    u->pending = u->happened && u->store.s.t == *reached && status != FO_STOPPED;
    if (!fo_failed(status)) return FMI_OK;
    u->why = *fo_simulation_message(u->sim);
    return unit_complain(u, FMI_ERROR, "the step failed");
}

bool unit_take_event(unit *u)
{
    bool was = u->pending;
    u->pending = u->happened = false;
    return was;
}
