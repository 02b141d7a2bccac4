#include "cli/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/own_nodes.h"
#include "cli/run/ranks.h"

// ----------------------------------------------------------------------------------- definitions

enum { MOST_LIBRARIES = 32, MOST_PATH = 4096 };

// The folders of MODELICAPATH, as other tools for the language have it.
static const char *const *libraries(void)
{
    static char text[MOST_PATH];
    static const char *list[MOST_LIBRARIES + 1];
    const char *given = getenv("MODELICAPATH");
    char *save = NULL;
    size_t count = 0;
    snprintf(text, sizeof text, "%s", given ? given : "");
    for (char *part = strtok_r(text, ":", &save); part && count < MOST_LIBRARIES;
         part = strtok_r(NULL, ":", &save))
        list[count++] = part;
    list[count] = NULL;
    return list;
}

fo_model_def model_def(const char *argument)
{
    fo_model_def def = fo_default_model_def();
    def.name = argument;
    def.folders = model_folders();
    def.libraries = libraries();
    def.headers = model_headers();
    def.catch_overflow = true;
    def.files = "."; // a document may be a stranger's
    def.node_types = own_nodes(&def.node_type_count);
    def.units = own_units(&def.unit_count);
    return def;
}

static bool choose_way(const command *c, const model_request *r, fo_model_def *def)
{
    static const char *const names[] = {"auto", "bytecode", "machine", "native"};
    static const fo_way ways[] = {FO_WAY_AUTO, FO_WAY_BYTECODE, FO_WAY_MEMORY, FO_WAY_NATIVE};
    const char *asked = r->program ? r->program : r->native ? "native" : "auto";
    const char *kind = fo_model_find(def, NULL, 0);
    bool diagram = kind && strcmp(kind, "diagram") == 0;
    def->node_by_node = diagram && strcmp(asked, "nodes") == 0;
    if (def->node_by_node) return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        def->program.way = ways[i];
        if (strcmp(asked, names[i]) == 0) return true;
    }
    complain_usage(c, "--program must be auto, bytecode, machine or native%s, not '%s'",
                   diagram ? ", or nodes" : "", asked);
    return false;
}

static bool choose_fmu(const command *c, const model_request *r, fo_model_def *def)
{
    bool exchange = r->type && strcmp(r->type, "me") == 0;
    bool stepped = r->type && strcmp(r->type, "cs") == 0;
    bool scheduled = r->type && strcmp(r->type, "se") == 0;
    def->fmu.in_process = r->in_process;
    def->fmu.event_mode = r->event_mode;
    def->fmu.texts = r->texts, def->fmu.text_count = r->text_count;
    if (scheduled) def->fmu.type = FO_FMU_SCHEDULED_EXECUTION;
    if (exchange) def->fmu.type = FO_FMU_MODEL_EXCHANGE;
    if (stepped) def->fmu.type = FO_FMU_CO_SIMULATION;
    if (exchange || stepped || scheduled || !r->type) return true;
    complain_usage(c, "--type must be me, cs or se, not '%s'", r->type);
    return false;
}

bool model_define(const command *c, const char *argument, const model_request *request,
                  fo_model_def *def, fo_setting **list)
{
    *def = model_def(argument);
    *list = NULL;
    if (!request) return true;
    size_t count = request->set ? request->set->count : 0;
    size_t more = request->setting_count;
    *list = calloc(count + more + 1, sizeof **list);
    if (!*list) {
        complain(c, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        (*list)[i] = (fo_setting){request->set->list[i].name, request->set->list[i].value, false};
    for (size_t i = 0; i < more; i++) (*list)[count + i] = request->settings[i];
    def->tunable = request->tunable;
    def->no_units = request->no_units;
    def->allow_external = request->allow_external;
    def->manifolds = request->manifolds;
    if (request->files) def->files = request->files;
    def->overwrite = request->overwrite;
    def->settings = *list, def->setting_count = count + more;
    return choose_fmu(c, request, def) && choose_way(c, request, def);
}

// --------------------------------------------------------------------------------------- findings

// file:line:column, the line, a caret: tabs stay tabs, so that it stands where it should.
static void print_as_compiler(const fo_finding *f)
{
    static const char *const words[] = {"error", "warning", "note"};
    char file[512];
    if (!f->file) {
        fprintf(stderr, "%s\n", f->text);
        return;
    }
    foi_text_escape(f->file, "", file, sizeof file);
    fprintf(stderr, "%s:", file);
    if (f->line) fprintf(stderr, "%u:%u:", f->line, f->column);
    fprintf(stderr, " %s: %s\n", words[f->severity], f->text);
    if (!f->line || !f->source) return;
    fprintf(stderr, "    %s\n    ", f->source);
    for (uint32_t i = 0; i + 1 < f->column && f->source[i]; i++)
        fputc(f->source[i] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "^\n");
}

static void print_as_complaint(const command *c, const fo_finding *f, bool usage)
{
    char place[512] = "";
    if (f->file && f->line)
        snprintf(place, sizeof place, "%s:%u:%u: ", f->file, f->line, f->column);
    else if (f->file)
        snprintf(place, sizeof place, "%s: ", f->file);
    const char *note = f->severity == FO_SEVERITY_NOTE ? "note: " : "";
    if (usage && !*place && !*note)
        complain_usage(c, "%s", f->text);
    else
        complain(c, "%s%s%s", note, place, f->text);
}

void model_print_findings(const command *c, const fo_model *m, bool quiet)
{
    bool text = strcmp(fo_model_kind(m), "text") == 0;
    bool usage = fo_model_status(m) == FO_ERROR_ARGUMENT;
    if (ranks_silent()) return;
    for (size_t i = 0; i < fo_model_finding_count(m); i++) {
        const fo_finding *f = fo_model_finding(m, i);
        bool in_text = text && (f->file || f->severity != FO_SEVERITY_ERROR) && !usage;
        if (quiet && f->severity == FO_SEVERITY_NOTE && !f->file) continue;
        if (in_text && f->file)
            print_as_compiler(f);
        else
            print_as_complaint(c, f, usage);
    }
}

static bool has_error(const fo_model *m)
{
    for (size_t i = 0; i < fo_model_finding_count(m); i++)
        if (fo_model_finding(m, i)->severity == FO_SEVERITY_ERROR) return true;
    return false;
}

const char *model_unsaid(const fo_model *m, fo_status status)
{
    if (status == FO_OK || (m && has_error(m))) return NULL;
    return !m || status == FO_ERROR_MEMORY ? "out of memory" : fo_status_text(status);
}

fo_model *model_open(const command *c, const char *argument, const model_request *request,
                     int *exit_status)
{
    fo_model_def def;
    fo_setting *list;
    fo_model *m = NULL;
    *exit_status = EXIT_USAGE;
    if (model_define(c, argument, request, &def, &list)) {
        fo_status status = fo_model_open(&def, &m);
        if (m) model_print_findings(c, m, request && request->quiet);
        const char *unsaid = model_unsaid(m, status);
        if (unsaid) complain(c, "%s", unsaid);
        if (status != FO_OK) {
            *exit_status = status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
            fo_model_close(m);
            m = NULL;
        }
    }
    free(list);
    return m;
}

void model_note_rebuilt(const command *c, const fo_model *m)
{
    static const char words[] = "(compiled anew: ";
    char text[512];
    const char *found = strstr(fo_model_how(m, text, sizeof text), words);
    if (!found) return;
    found += sizeof words - 1;
    complain(c, "note: the compiled program in the cache was made anew: %.*s",
             (int)strcspn(found, ")"), found);
}

const char *model_operand(const command *c, const operands *rest)
{
    if (rest->count == 1) return rest->list[0];
    if (rest->count == 0) complain_usage(c, "needs a MODEL; 'foliot models' lists them");
    if (rest->count > 1)
        complain_usage(c, "expected one MODEL, found one more argument: '%s'", rest->list[1]);
    return NULL;
}

const char *model_solver_reason(const fo_simulation *sim, const char *solver, char *text,
                                size_t size)
{
    const char *reason = fo_simulation_solver_reason(sim), *asked = strstr(reason, ": as asked");
    snprintf(text, size, "%s", reason);
    if (!solver && asked)
        snprintf(text, size, "%.*s: the model's own", (int)(asked - reason), reason);
    return text;
}
