/// A text as a model: hands the flat model on to the equations and the program, and the program's
/// findings back to the text's places.
#include <foliot/language.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "equations/flat_same.h"
#include "equations/plan.h"
#include "language/language.h"
#include "program/program.h"

struct fo_text_model {
    foi_flat *flat;
    foi_program *program;
    const fo_allocator *allocator;
    bool borrows;            ///< the program is another's, which lives longer
    fo_description about;    ///< then the program's, with the own numbers
    fo_variable *parameters; ///< of that
};

static void add(foi_messages *messages, const char *file, foi_place place, const char *source,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    foi_messages_add(messages, FOI_ERROR, file, place, source, NULL, format, arguments);
    va_end(arguments);
}

// The text of a file once more, for a message; NULL when it cannot be had.
static char *read_again(const char *path, const fo_allocator *allocator)
{
    const char *wrong;
    FILE *file = path ? foi_file_plain(path, &wrong) : NULL;
    if (!file) return NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? foi_new(allocator, (size_t)size + 1, 1) : NULL;
    rewind(file);
    if (text) text[fread(text, 1, (size_t)size, file)] = 0;
    fclose(file);
    return text;
}

// The program's finding becomes one more message, with its source line.
static void add_finding(foi_messages *messages, const fo_text_model_def *def, const foi_flat *flat,
                        foi_place place, const fo_message *why)
{
    const char *file = place.file < flat->file_count ? flat->files[place.file] : def->path;
    bool given = place.file == 0 && def->text;
    char *text = given ? NULL : read_again(file, def->allocator);
    add(messages, file ? file : "model", place, given ? def->text : text, "%s", why->text);
    foi_free(def->allocator, text);
}

static void hand_on(const foi_finding *f, const fo_text_model_def *def)
{
    const fo_finding finding = {.severity = (fo_severity)f->severity, // the same order
                                .file = f->file,
                                .line = f->line,
                                .column = f->column,
                                .text = f->text,
                                .source = f->source};
    def->found(def->found_self, &finding);
}

static void report(const foi_messages *messages, const fo_text_model_def *def, fo_status status,
                   fo_message *why)
{
    if (def->messages) foi_messages_print(messages, def->messages);
    for (size_t i = 0; def->found && i < messages->count; i++) hand_on(&messages->findings[i], def);
    if (def->found && messages->full) {
        char text[64];
        snprintf(text, sizeof text, "more errors follow; these are the first %d", FOI_MOST_ERRORS);
        hand_on(&(foi_finding){.severity = FOI_NOTE, .text = text}, def);
    }
    for (size_t i = 0; i < messages->count; i++) {
        const foi_finding *f = &messages->findings[i];
        if (f->severity != FOI_ERROR) continue;
        fo_fail(why, status, "%s:%u:%u: %s", f->file ? f->file : "model", f->line, f->column,
                f->text);
        return;
    }
    if (fo_failed(status)) fo_fail(why, status, "%s", fo_status_text(status));
}

static foi_flat_slide slide_of(const foi_flat *flat, const fo_manifolds *wanted)
{
    const foi_flat_experiment *e = &flat->experiment;
    double start = isnan(e->start) ? 0 : e->start, stop = isnan(e->stop) ? start + 1 : e->stop;
    double mu = wanted->mu < 0 ? fabs(stop - start) / 1000 : wanted->mu;
    return (foi_flat_slide){mu, wanted->epsilon < 0 ? mu / 100 : wanted->epsilon};
}

// What follows a manifold of k derivatives has the modes eps mu^k L^(k + 1) + (mu L + 1)^k = 0.
// They decay for eps < 2 mu where k is 2, 0.88 mu for 3, 0.27 mu for 7.
static bool check_slide(const foi_flat_slide *s, fo_message *why)
{
    if (!(s->mu >= 0 && s->mu < INFINITY && s->eps >= 0 && s->eps < INFINITY))
        fo_fail(why, FO_ERROR_ARGUMENT, "mu and epsilon must be finite");
    else if (s->eps > s->mu / 4 && s->mu > 0)
        fo_fail(why, FO_ERROR_ARGUMENT,
                "epsilon must be at most a quarter of mu, %g s, so that multipliers follow their "
                "manifolds; it is %g s",
                s->mu, s->eps);
    else
        return true;
    return false;
}

static foi_language_def language_def(const fo_text_model_def *def)
{
    foi_language_def language = foi_default_language_def();
    language.allocator = def->allocator;
    language.path = def->path, language.text = def->text;
    language.model = def->model, language.libraries = def->libraries;
    language.settings = def->settings, language.setting_count = def->setting_count;
    language.no_units = def->no_units, language.allow_external = def->allow_external;
    if (def->most_work) language.most_work = def->most_work;
    return language;
}

// Why there is none is in `messages`.
static fo_status make_program(const fo_text_model_def *def, foi_flat *flat, foi_program **program,
                              foi_messages *messages)
{
    fo_message found = {0};
    foi_place place = {0};
    flat->slide = slide_of(flat, &def->manifolds);
    if (check_slide(&flat->slide, &found))
        *program = foi_program_create(flat, def->allocator, &found, &place);
    if (*program) return FO_OK;
    add_finding(messages, def, flat, place, &found);
    return found.status;
}

#ifdef FOI_SMALL
static fo_status load(fo_text_model *m, const fo_text_model_def *def, const fo_text_model *like,
                      foi_messages *messages)
{
    foi_language_def language = language_def(def);
    fo_status status = foi_language_load(&language, &m->flat, messages);
    (void)like;
    return status == FO_OK ? make_program(def, m->flat, &m->program, messages) : status;
}
#else
// What was looked at so far is written in the flat model. Values are worked out anew where they are
// asked for from now on, with all that they depend on.
static void forget_values(foi_flat *flat)
{
    for (uint32_t i = 0; i < flat->variable_count; i++) {
        foi_flat_variable *v = flat->variables[i];
        v->asked = false;
        if (v->evaluated == 2 || v->evaluated == 3) v->evaluated = 0;
    }
}

// The parameters of a program stand in the order of the flat model's variables.
static bool take_numbers(fo_text_model *m)
{
    fo_variables *list = &m->about.parameters;
    size_t k = 0;
    m->parameters = foi_new(m->allocator, list->count, sizeof *m->parameters);
    if (!m->parameters) return false;
    if (list->count) memcpy(m->parameters, list->list, list->count * sizeof *m->parameters);
    for (uint32_t i = 0; i < m->flat->variable_count && k < list->count; i++) {
        const foi_flat_variable *v = m->flat->variables[i];
        if (strcmp(v->name, m->parameters[k].name) != 0) continue;
        if (v->binding && v->binding->op == FOI_OP_LITERAL)
            m->parameters[k].start = v->binding->number;
        k++;
    }
    list->list = m->parameters;
    return k == list->count;
}

// Takes the program of another text, where that says the same but for numbers that no program
// depends on. One whose states are chosen in the run has a description elsewhere, too.
static bool borrow(fo_text_model *m, const fo_text_model_def *def, const fo_text_model *like)
{
    if (!like || like->borrows || like->program->choice) return false;
    m->flat->slide = slide_of(m->flat, &def->manifolds);
    if (!foi_flat_same_but_numbers(like->flat, m->flat)) return false;
    m->about = like->program->about;
    if (!take_numbers(m)) return false;
    m->program = like->program, m->borrows = true;
    return true;
}

static fo_status load(fo_text_model *m, const fo_text_model_def *def, const fo_text_model *like,
                      foi_messages *messages)
{
    foi_language_def language = language_def(def);
    fo_status status = foi_language_load(&language, &m->flat, messages);
    if (status != FO_OK || borrow(m, def, like)) return status;
    forget_values(m->flat);
    status = make_program(def, m->flat, &m->program, messages);
    for (uint32_t i = 0; i < m->flat->variable_count; i++)
        m->flat->variables[i]->alone = !m->flat->variables[i]->asked;
    return status;
}
#endif

fo_text_model_def fo_default_text_model_def(void)
{
    return (fo_text_model_def){.path = NULL};
}

fo_text_model *fo_text_model_open(const fo_text_model_def *def, fo_message *why)
{
    return foi_text_model_open_like(def, NULL, why);
}

fo_text_model *foi_text_model_open_like(const fo_text_model_def *def, const fo_text_model *like,
                                        fo_message *why)
{
    fo_text_model *m = foi_new(def->allocator, 1, sizeof *m);
    if (!m) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
        return NULL;
    }
    m->allocator = def->allocator;
    foi_messages messages;
    foi_messages_begin(&messages, def->allocator);
    fo_status status = load(m, def, like, &messages);
    report(&messages, def, status, why);
    foi_messages_end(&messages);
    if (status == FO_OK) return m;
    fo_text_model_close(m);
    return NULL;
}

// ------------------------------------------------------------------------------ all of a text

/// A review.
typedef struct reviewing {
    const fo_text_model_def *def;
    foi_messages *messages;
} reviewing;

// A model that is complete: whether its equations can be solved.
static bool check_whole(void *self, foi_flat *flat)
{
    reviewing *r = self;
    if (r->messages->full || !foi_may_go_on(r->def->allocator)) return false;
    foi_program *program = NULL;
    make_program(r->def, flat, &program, r->messages);
    foi_program_destroy(program);
    return true;
}

fo_status fo_text_check(const fo_text_model_def *def, fo_text_review *about, fo_message *why)
{
    foi_language_def language = language_def(def);
    foi_messages messages;
    foi_messages_begin(&messages, def->allocator);
    reviewing r = {def, &messages};
    fo_status status = foi_language_review(&language, check_whole, &r, about, &messages);
    if (status == FO_OK && messages.errors) status = FO_ERROR_FORMAT;
    report(&messages, def, status, why);
    foi_messages_end(&messages);
    return status;
}

void fo_text_model_close(fo_text_model *model)
{
    if (!model) return;
    if (!model->borrows) foi_program_destroy(model->program);
    foi_free(model->allocator, model->parameters);
    foi_flat_destroy(model->flat);
    foi_free(model->allocator, model);
}

fo_system fo_text_model_system(const fo_text_model *model)
{
    fo_system system = foi_program_system(model->program);
    if (model->borrows) system.about = &model->about;
    return system;
}

bool foi_text_model_borrows(const fo_text_model *model)
{
    return model->borrows;
}

const foi_flat *foi_text_model_flat(const fo_text_model *model)
{
    return model->flat;
}

uint32_t fo_text_model_manifolds(const fo_text_model *model, fo_manifolds *used)
{
    *used = (fo_manifolds){model->flat->slide.mu, model->flat->slide.eps};
    return model->program->manifold_count;
}

foi_experiment foi_text_model_experiment(const fo_text_model *model)
{
    const foi_flat_experiment *e = &model->flat->experiment;
    double tolerance = isnan(e->tolerance) ? 0 : e->tolerance;
    foi_experiment found = {
        .start = isnan(e->start) ? 0 : e->start, .rtol = tolerance, .atol = 1e-3 * tolerance};
    found.stop = isnan(e->stop) ? found.start + 1 : e->stop;
    found.interval = isnan(e->interval) ? (found.stop - found.start) / 500 : e->interval;
    return found;
}

static fo_status write_sorted(const fo_text_model *m, foi_flat_writer *writer, fo_message *why)
{
    foi_equations e;
    fo_status status = foi_equations_begin(&e, m->flat, m->allocator, why);
    if (status == FO_OK) {
        foi_plan plan;
        status = foi_plan_begin(&plan, &e);
        if (status == FO_OK) status = foi_sorted_print(&e, writer);
        foi_plan_end(&plan);
    }
    foi_equations_end(&e);
    return status;
}

fo_status foi_text_model_write(const fo_text_model *m, fo_text_view view, foi_flat_writer *writer,
                               fo_message *why)
{
    fo_status status = FO_OK;
    if (view == FO_TEXT_EQUATIONS) foi_flat_print(m->flat, writer);
    if (view == FO_TEXT_SORTED) status = write_sorted(m, writer, why);
    if (view == FO_TEXT_C) foi_program_source(m->program, writer);
    if (status == FO_OK && (writer->failed || !writer->text))
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory to print the model");
    return status;
}

fo_status fo_text_model_print(const fo_text_model *m, fo_text_view view, FILE *out, fo_message *why)
{
    foi_flat_writer writer = {.allocator = m->allocator};
    fo_status status = foi_text_model_write(m, view, &writer, why);
    if (status == FO_OK && fwrite(writer.text, 1, writer.length, out) != writer.length)
        status = fo_fail(why, FO_ERROR_INPUT, "the model could not be written");
    foi_free(m->allocator, writer.text);
    return status;
}
