/// Opening models, and what is known of an open one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "diagram/diagram.h"
#include "language/language.h"
#include "model/model.h"

fo_model_def fo_default_model_def(void)
{
    return (fo_model_def){.table = fo_compiled_models(),
                          .program = fo_default_program_def(),
                          .fmu = fo_default_fmu_def()};
}

// ---------------------------------------------------------------------------------------- opening

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
}

// A copy, in which kinds mark what they have taken.
static fo_status copy_settings(fo_model *m, const fo_model_def *def, fo_message *why)
{
    m->settings = foi_arena_new(&m->arena, def->setting_count + 1, sizeof *m->settings);
    if (!m->settings) return no_memory(why);
    for (size_t i = 0; i < def->setting_count; i++) {
        const char *name = def->settings[i].name;
        if (!name || !*name) return fo_fail(why, FO_ERROR_ARGUMENT, "a setting needs a name");
        if (!isfinite(def->settings[i].value))
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be a finite number, not %g", name,
                           def->settings[i].value);
        m->settings[i] = (fo_setting){foi_arena_text(&m->arena, name, strlen(name)),
                                      def->settings[i].value, false};
        if (!m->settings[i].name) return no_memory(why);
        m->setting_count++;
    }
    return FO_OK;
}

static fo_status list_rows(fo_model *m, fo_message *why)
{
    fo_shape shape = fo_system_shape(m->system);
    const struct {
        fo_quantity quantity;
        uint32_t count;
    } all[] = {{FO_STATE, m->few_rows ? 0 : shape.states},
               {FO_DISCRETE, m->few_rows ? 0 : shape.discretes},
               {FO_OUTPUT, shape.outputs}};
    size_t count = (size_t)all[0].count + all[1].count + all[2].count;
    m->rows = foi_arena_new(&m->arena, count + 1, sizeof *m->rows);
    if (!m->rows) return no_memory(why);
    for (int i = 0; i < 3; i++)
        for (uint32_t k = 0; k < all[i].count; k++)
            m->rows[m->row_count++] = (fo_reference){all[i].quantity, k};
    return FO_OK;
}

static fo_status choose_program(fo_model *m, const fo_model_def *def, fo_message *why)
{
    if (m->diagram && def->node_by_node)
        return fo_diagram_run_as(m->diagram, FO_DIAGRAM_NODES, why);
    if (!fo_is_program(m->system) || foi_model_borrows(m)) return FO_OK;
    fo_message note = {0};
    if (fo_program_run_as(m->system, &def->program, &note) == FO_OK) return FO_OK;
    foi_model_add_finding(m, &(fo_finding){.severity = FO_SEVERITY_NOTE, .text = note.text}, NULL);
    return FO_OK;
}

// What a kind has made.
static void close_parts(fo_model *m)
{
    fo_recorder_destroy(m->recorder);
    fo_diagram_destroy(m->diagram);
    foi_text_units_close(m->text_units);
    fo_text_model_close(m->text);
    fo_structure_document_destroy(m->structure);
    foi_field_document_destroy(m->field);
    fo_world_destroy(m->world);
    if (m->record) fo_world_record_free(m->world_model, m->record, m->allocator);
    fo_fmu_close(m->fmu);
    fo_fmu_group_close(m->units);
    foi_library_close(m->library);
}

// Once more, where the name of a number that is read then is complete only now.
static fo_status open_again(fo_model *m, const fo_model_def *def, fo_message *why)
{
    bool again;
    fo_status status = foi_model_complete(m, &again, why);
    if (status != FO_OK || !again || !(m->diagram || m->text)) return status;
    close_parts(m);
    m->recorder = NULL, m->diagram = NULL, m->text = NULL, m->fmu = NULL, m->units = NULL;
    m->text_units = NULL;
    m->fixed = NULL, m->hidden = NULL;
    m->fixed_count = m->hidden_count = m->finding_count = 0;
    return m->kind->open(m, def, why);
}

static fo_status open_kind(fo_model *m, const fo_model_def *def, fo_message *why)
{
    foi_model_place place;
    fo_status status = foi_model_locate(def, &place, why);
    if (status != FO_OK) return status;
    fo_model_def found = *def;
    m->kind = place.kind;
    m->from_text = def->text != NULL;
    m->name = found.name ? foi_arena_text(&m->arena, found.name, strlen(found.name)) : "model";
    if (place.kind->ending) m->path = foi_arena_text(&m->arena, place.path, strlen(place.path));
    // a text with a length need not end with zero, and those who read it want that
    if (def->text && def->length) found.text = foi_arena_text(&m->arena, def->text, def->length);
    if (!m->name || m->arena.failed) return no_memory(why);
    found.name = place.part[0] ? place.part : place.kind->ending ? NULL : m->name;
    m->time_unit = "s";
    status = copy_settings(m, def, why);
    if (status == FO_OK) status = place.kind->open(m, &found, why);
    if (status == FO_OK) status = open_again(m, &found, why);
    if (status == FO_OK) status = choose_program(m, def, why);
    if (status == FO_OK && m->diagram) m->system = fo_diagram_system(m->diagram);
    if (status == FO_OK) status = foi_model_make_plain(m, why);
    if (status == FO_OK) status = foi_model_apply(m, why);
    if (status == FO_OK) status = foi_model_list(m, why);
    if (status == FO_OK) status = list_rows(m, why);
    if (status == FO_OK && def->tunable) status = foi_model_tune(m, &found, why);
    return status;
}

static bool has_errors(const fo_model *m)
{
    for (uint32_t i = 0; i < m->finding_count; i++)
        if (m->findings[i].severity == FO_SEVERITY_ERROR) return true;
    return false;
}

fo_status fo_model_open(const fo_model_def *def, fo_model **model)
{
    return foi_model_open_like(def, NULL, model);
}

bool foi_model_borrows(const fo_model *m)
{
    return m->text && foi_text_model_borrows(m->text);
}

fo_status foi_model_open_like(const fo_model_def *def, const fo_model *like, fo_model **model)
{
    fo_message why = {0};
    fo_model *m = *model = foi_new(def->allocator, 1, sizeof *m);
    if (!m) return FO_ERROR_MEMORY;
    m->like = like;
    foi_gate_begin(&m->gate, def);
    m->allocator = def->go_on ? &m->gate.allocator : def->allocator;
    foi_arena_begin(&m->arena, m->allocator, 0);
    fo_model_def own = *def;
    own.allocator = m->allocator;
    m->status = open_kind(m, &own, &why);
    if (foi_gate_end(&m->gate)) {
        m->status = fo_fail(&why, FO_ERROR_CANCELLED, "cancelled before the model was read");
        m->finding_count = 0; // of memory that was refused
    }
    if (fo_failed(m->status) && !has_errors(m)) foi_model_take_message(m, &why, NULL);
    return m->status;
}

void fo_model_close(fo_model *m)
{
    if (!m) return;
    foi_tuning_destroy(m->tuning);
    close_parts(m);
    foi_arena_end(&m->arena);
    foi_free(m->gate.from, m);
}

// ----------------------------------------------------------------------------------- what is known

fo_status fo_model_status(const fo_model *m)
{
    return m->status;
}

size_t fo_model_finding_count(const fo_model *m)
{
    return m->finding_count;
}

const fo_finding *fo_model_finding(const fo_model *m, size_t index)
{
    return index < m->finding_count ? &m->findings[index] : NULL;
}

const char *fo_model_kind(const fo_model *m)
{
    return m->kind ? m->kind->name : "";
}

const char *fo_model_path(const fo_model *m)
{
    return m->from_text ? NULL : m->path;
}

fo_system fo_model_system(const fo_model *m)
{
    return m->system;
}

fo_run_def fo_model_run_def(const fo_model *m)
{
    return fo_model_run_def_with(m, NULL);
}

fo_run_def fo_model_run_def_with(const fo_model *m, const char *solver)
{
    fo_run_def run = foi_experiment_run_def(m->experiment, solver);
    run.seed = m->seed;
    // all guards may be due at one instant
    uint32_t guards = fo_system_shape(m->system).guards;
    run.max_jumps = run.max_jumps < UINT32_MAX - guards ? run.max_jumps + guards : UINT32_MAX;
    return run;
}

double fo_model_interval(const fo_model *m)
{
    return m->experiment.interval;
}

const char *fo_model_time_unit(const fo_model *m)
{
    return m->time_unit;
}

const fo_reference *fo_model_rows(const fo_model *m, size_t *count)
{
    *count = m->row_count;
    return m->rows;
}

const char *const *fo_model_plot(const fo_model *m)
{
    return m->experiment.plot;
}

const char *const *fo_model_totals(const fo_model *m)
{
    return m->totals;
}

const fo_scene *fo_model_scene(const fo_model *m)
{
    return m->diagram ? fo_diagram_scene(m->diagram) : NULL;
}

bool fo_model_is_random(const fo_model *m)
{
    return m->random;
}

const char *fo_model_how(const fo_model *m, char *text, size_t size)
{
    char diagram[256];
    fo_system system = m->tuning ? foi_tuning_plain(m->tuning) : m->system;
    text[0] = 0;
    if (m->diagram && strcmp(fo_diagram_how(m->diagram, diagram, sizeof diagram), "program") != 0)
        snprintf(text, size, "%s", diagram);
    else if (fo_is_program(system))
        fo_program_story(system, text, size);
    return text;
}

size_t fo_model_number_count(const fo_model *m)
{
    return m->list_count;
}

const fo_variable *fo_model_number(const fo_model *m, size_t index)
{
    return index < m->list_count ? &m->list[index] : NULL;
}

size_t fo_model_file_count(const fo_model *m)
{
    return m->recorder ? fo_recorder_count(m->recorder) : 0;
}

const char *fo_model_file(const fo_model *m, size_t index)
{
    return m->recorder ? fo_recorder_path(m->recorder, index) : NULL;
}

bool foi_model_has_made(const fo_model *m, size_t index)
{
    return m->recorder && foi_recorder_made(m->recorder, index);
}

fo_status fo_model_check_files(const fo_model *m, fo_message *why)
{
    return m->recorder ? fo_recorder_check(m->recorder, why) : FO_OK;
}

bool fo_model_observer(fo_model *m, fo_observer *observer)
{
    if (!fo_model_file_count(m)) return false;
    *observer = fo_recorder_observer(m->recorder);
    return true;
}

fo_status fo_model_finish(fo_model *m, fo_message *why)
{
    return m->recorder ? fo_recorder_finish(m->recorder, why) : FO_OK;
}

static bool has_entities(const foi_diagram *d)
{
    for (uint32_t i = 0; i < d->node_count; i++)
        if (strcmp(d->nodes[i].type->set, "Entities") == 0) return true;
    return false;
}

fo_acts fo_model_acts(const fo_model *m)
{
    if (m->world) return FO_ACTS_PROCESSES;
    return m->diagram && has_entities(&m->diagram->diagram) ? FO_ACTS_ENTITIES : FO_ACTS_NONE;
}

fo_status fo_model_trace(fo_model *m, const fo_trace *trace)
{
    if (m->world) return fo_world_trace(m->world, trace);
    if (m->diagram) m->diagram->diagram.trace = trace ? *trace : (fo_trace){0};
    if (m->tuning) foi_tuning_trace(m->tuning, trace);
    return FO_OK;
}

fo_text_model *fo_model_text(const fo_model *m)
{
    return m->text;
}

fo_diagram *fo_model_diagram(const fo_model *m)
{
    return m->diagram;
}

fo_structure_document *fo_model_structure(const fo_model *m)
{
    return m->structure;
}

const fo_fmu *fo_model_fmu(const fo_model *m)
{
    return m->fmu;
}

const fo_field *fo_model_field(const fo_model *m)
{
    return m->field ? m->field->field : NULL;
}

const fo_tdma_def *fo_model_tdma(const fo_model *m, double *step)
{
    if (step) *step = m->field ? m->field->experiment.step : 0;
    return m->field ? &m->field->cluster : NULL;
}

const fo_world_model *fo_model_world(const fo_model *m, fo_world **world, void **record)
{
    if (world) *world = m->world;
    if (record) *record = m->record;
    return m->world_model;
}
