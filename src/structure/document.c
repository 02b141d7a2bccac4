/// Documents of structures: *.structure.json.
#include "structure/document.h"

#include <foliot/solver.h>
#include <string.h>

#include "base/array.h"

// A copy of a text that lives as long as the document.
static const char *keep(fo_structure_document *d, const char *text)
{
    if (!foi_array_room(d->allocator, &d->texts, &d->text_room, d->text_count + 1,
                        sizeof *d->texts))
        return NULL;
    char *copy = foi_copy_text(d->allocator, text);
    if (copy) d->texts[d->text_count++] = copy;
    return copy;
}

static void no_memory(foi_reader *r)
{
    foi_read_answer(r, NULL, fo_fail(r->why, FO_ERROR_MEMORY, "no memory for a document"));
}

// ------------------------------------------------------------------------------ how it is run

static void read_plot(foi_reader *r, fo_structure_document *d, const foi_json_value *run)
{
    const foi_json_value *list = foi_json_member(run, "plot");
    if (!list || !foi_read_is(r, list, FOI_JSON_LIST)) return;
    d->plot = foi_new(d->allocator, list->count + 1, sizeof *d->plot);
    if (!d->plot) no_memory(r);
    for (const foi_json_value *v = list->first; v && !r->status; v = v->next) {
        fo_reference found;
        fo_message why = {0};
        if (!foi_read_is(r, v, FOI_JSON_TEXT)) return;
        if (fo_system_find(fo_structure_document_system(d), v->text, &found, &why) != FO_OK)
            foi_read_refuse(r, v, "%s", why.text);
        else if (!(d->plot[v->index] = keep(d, v->text)))
            no_memory(r);
    }
    d->run.plot = d->plot;
}

static void read_run(foi_reader *r, fo_structure_document *d, const foi_json_value *root)
{
    static const char *const keys[] = {"stop", "interval", "step", "rtol",
                                       "atol", "solver",   "plot", NULL};
    const foi_json_value *v = foi_json_member(root, "run");
    fo_message why = {0};
    if (!v || !foi_read_keys(r, v, keys)) return;
    double *const numbers[] = {&d->run.stop, &d->run.interval, &d->run.step, &d->run.rtol,
                               &d->run.atol};
    for (int i = 0; i < 5; i++) *numbers[i] = foi_read_number_in(r, v, keys[i], FOI_POSITIVE, 0);
    const char *solver = foi_read_text(r, v, "solver");
    if (solver && !fo_solver_find(solver, &why))
        foi_read_refuse(r, foi_json_member(v, "solver"), "%s", why.text);
    if (solver && !r->status && !(d->run.solver = keep(d, solver))) no_memory(r);
    if (!r->status) read_plot(r, d, v);
}

// ---------------------------------------------------------------------------------- the structure

// true: 9.81 m/s^2 towards -y; or a vector.
static void read_gravity(foi_reader *r, const foi_json_value *root, fo_structure_def *def)
{
    const foi_json_value *v = foi_json_member(root, "gravity");
    if (!v || v->kind != FOI_JSON_TRUTH)
        foi_read_vector(r, root, "gravity", def->dimension, def->gravity);
    else if (v->truth)
        def->gravity[def->dimension > 1] = -9.81;
}

static void read_def(foi_reader *r, const foi_json_value *root, fo_structure_def *def)
{
    static const char *const keys[] = {
        "structure", "about", "dimension", "gravity", "friction", "friction_rate",
        "bowl",      "stiff", "accounted", "nodes",   "springs",  "matrix",
        "lattices",  "parts", "change",    "ports",   "begin",    "run",
        "threads",   "bends", "volumes",   "skins",   "sliders",  NULL};
    const foi_json_value *dimension = foi_json_member(root, "dimension");
    if (!foi_read_keys(r, root, keys) || !foi_read_sliders(r, root) ||
        !foi_read_needed(r, root, "structure"))
        return;
    def->name = foi_read_text(r, root, "structure");
    def->about = foi_read_text(r, root, "about");
    def->dimension = dimension ? (int)foi_read_whole(r, dimension) : 2;
    if (!r->status && (def->dimension < 1 || def->dimension > 3))
        foi_read_refuse(r, dimension, "expected 1, 2 or 3, found %g", dimension->number);
    if (r->status) return;
    read_gravity(r, root, def);
    def->friction = foi_read_number_in(r, root, "friction", FOI_NOT_NEGATIVE, 0);
    def->friction_rate = foi_read_number_in(r, root, "friction_rate", FOI_NOT_NEGATIVE, 0);
    def->bowl = foi_read_number_in(r, root, "bowl", FOI_NOT_NEGATIVE, 0);
    def->stiff = foi_read_truth(r, root, "stiff");
    def->threads = foi_read_count(r, root, "threads");
    def->leapfrog = def->threads > 0;
    def->unaccounted = foi_json_member(root, "accounted") && !foi_read_truth(r, root, "accounted");
}

static void finish(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    static const char *const begins[] = {"given", "rest", NULL};
    int begin = foi_read_word(r, foi_json_member(root, "begin"), begins);
    if (!r->status) foi_read_answer(r, root, fo_structure_finish(s, r->why));
    if (!r->status) foi_read_answer(r, root, fo_system_check(fo_structure_system(s), r->why));
    if (r->status || !begin) return;
    fo_status status = fo_structure_begin_at_rest(s, NULL, r->why);
    foi_read_answer(r, root, status == FO_ERROR_CONVERGE ? FO_ERROR_ARGUMENT : status);
}

static void read_structure(foi_reader *r, fo_structure_document *d, const foi_json_value *root)
{
    static void (*const readers[])(foi_reader *, fo_structure *, const foi_json_value *) = {
        foi_read_nodes, foi_read_matrix,  foi_read_lattices, foi_read_parts,   foi_read_springs,
        foi_read_bends, foi_read_volumes, foi_read_skins,    foi_read_changes, foi_read_ports};
    fo_structure_def def = {.allocator = r->allocator};
    read_def(r, root, &def);
    if (r->status) return;
    d->structure = fo_structure_create(&def, r->why);
    if (!d->structure) foi_read_answer(r, root, r->why->status);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && !r->status; i++)
        readers[i](r, d->structure, root);
    if (!r->status) finish(r, d->structure, root);
}

static void read_root(foi_reader *r, fo_structure_document *d)
{
    const foi_json_value *root = foi_json_root(r->json);
    if (!foi_read_is(r, root, FOI_JSON_OBJECT)) return;
    if (foi_json_member(root, "hamiltonian")) {
        d->hamiltonian = foi_read_hamiltonian(r, root);
        if (d->hamiltonian)
            foi_read_answer(r, root,
                            fo_system_check(fo_hamiltonian_system(d->hamiltonian), r->why));
    } else {
        read_structure(r, d, root);
    }
    if (!r->status) read_run(r, d, root);
}

// ------------------------------------------------------------------------------------ documents

fo_structure_document *foi_structure_document_of(const foi_json *json, foi_numbers *numbers,
                                                 const fo_allocator *allocator, fo_message *why)
{
    fo_message ignored = {0};
    foi_reader r = {
        .json = json, .allocator = allocator, .why = why ? why : &ignored, .numbers = numbers};
    fo_structure_document *d = foi_new(allocator, 1, sizeof *d);
    if (d)
        d->allocator = allocator;
    else
        no_memory(&r);
    if (!r.status) read_root(&r, d);
    foi_read_free(&r);
    if (!r.status) return d;
    fo_structure_document_destroy(d);
    return NULL;
}

// Takes the document, and frees it.
static fo_structure_document *read_json(foi_json *json, const fo_allocator *allocator,
                                        fo_message *why)
{
    if (!json) return NULL;
    fo_structure_document *d = foi_structure_document_of(json, NULL, allocator, why);
    foi_json_destroy(json);
    return d;
}

fo_structure_document *fo_structure_read(const char *name, const char *text, size_t length,
                                         const fo_allocator *allocator, fo_message *why)
{
    foi_json_def def = {.name = name, .text = text, .length = length, .allocator = allocator};
    return read_json(foi_json_read(&def, why), allocator, why);
}

fo_structure_document *fo_structure_read_file(const char *path, const fo_allocator *allocator,
                                              fo_message *why)
{
    return read_json(foi_json_read_file(path, allocator, why), allocator, why);
}

fo_system fo_structure_document_system(const fo_structure_document *d)
{
    return d->structure ? fo_structure_system(d->structure) : fo_hamiltonian_system(d->hamiltonian);
}

fo_structure *fo_structure_document_structure(const fo_structure_document *d)
{
    return d->structure;
}

const fo_hamiltonian *fo_structure_document_hamiltonian(const fo_structure_document *d)
{
    return d->hamiltonian;
}

fo_run_def fo_structure_document_run_def(const fo_structure_document *d)
{
    return foi_experiment_run_def(d->run, NULL);
}

const foi_experiment *foi_structure_document_experiment(const fo_structure_document *d)
{
    return &d->run;
}

void fo_structure_document_destroy(fo_structure_document *d)
{
    if (!d) return;
    const fo_allocator *a = d->allocator;
    fo_structure_destroy(d->structure);
    fo_hamiltonian_destroy(d->hamiltonian);
    for (size_t i = 0; i < d->text_count; i++) foi_free(a, d->texts[i]);
    foi_free(a, d->texts);
    foi_free(a, d->plot);
    foi_free(a, d);
}
