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

static fo_status no_memory(const foi_fields *f)
{
    return fo_fail(f->why, FO_ERROR_MEMORY, "no memory for a document");
}

// ------------------------------------------------------------------------------ how it is run

static fo_status read_plot(const foi_fields *f, fo_structure_document *d, const foi_json_value *run)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, run, "plot", &list);
    if (status != FO_OK || !list) return status;
    d->plot = foi_new(d->allocator, list->count + 1, sizeof *d->plot);
    if (!d->plot) return no_memory(f);
    for (const foi_json_value *v = list->first; v; v = v->next) {
        fo_reference found;
        fo_message why = {0};
        if ((status = foi_expect(f, v, FOI_JSON_TEXT)) != FO_OK) return status;
        if (fo_system_find(fo_structure_document_system(d), v->text, &found, &why) != FO_OK)
            return foi_json_refuse(f->json, v, f->why, "%s", why.text);
        if (!(d->plot[v->index] = keep(d, v->text))) return no_memory(f);
    }
    d->run.plot = d->plot;
    return FO_OK;
}

static fo_status read_run(const foi_fields *f, fo_structure_document *d, const foi_json_value *root)
{
    static const char *const keys[] = {"stop", "interval", "step", "rtol",
                                       "atol", "solver",   "plot", NULL};
    const foi_json_value *v = foi_json_member(root, "run");
    const char *solver = NULL;
    fo_message why = {0};
    if (!v) return FO_OK;
    fo_status status = foi_fields_known(f, v, keys);
    double *const numbers[] = {&d->run.stop, &d->run.interval, &d->run.step, &d->run.rtol,
                               &d->run.atol};
    for (int i = 0; i < 5 && status == FO_OK; i++)
        status = foi_field_number(f, v, keys[i], false, FOI_POSITIVE, numbers[i]);
    if (status == FO_OK) status = foi_field_text(f, v, "solver", false, &solver);
    if (status == FO_OK && solver && !fo_solver_find(solver, &why))
        return foi_json_refuse(f->json, foi_json_member(v, "solver"), f->why, "%s", why.text);
    if (status == FO_OK && solver && !(d->run.solver = keep(d, solver))) status = no_memory(f);
    return status == FO_OK ? read_plot(f, d, v) : status;
}

// ---------------------------------------------------------------------------------- the structure

// true: 9.81 m/s^2 towards -y; or a vector.
static fo_status read_gravity(const foi_fields *f, const foi_json_value *root,
                              fo_structure_def *def)
{
    const foi_json_value *v = foi_json_member(root, "gravity");
    if (!v || v->kind != FOI_JSON_TRUTH)
        return foi_field_vector(f, root, "gravity", false, def->dimension, def->gravity);
    if (v->truth) def->gravity[def->dimension > 1] = -9.81;
    return FO_OK;
}

static fo_status read_def(const foi_fields *f, const foi_json_value *root, fo_structure_def *def)
{
    static const char *const keys[] = {
        "structure", "about",     "dimension", "gravity", "friction", "friction_rate", "bowl",
        "stiff",     "accounted", "nodes",     "springs", "matrix",   "lattices",      "parts",
        "change",    "ports",     "begin",     "run",     NULL};
    uint32_t dimension = 2;
    bool accounted = true;
    fo_status status = foi_fields_known(f, root, keys);
    if (status == FO_OK) status = foi_field_text(f, root, "structure", true, &def->name);
    if (status == FO_OK) status = foi_field_text(f, root, "about", false, &def->about);
    if (status == FO_OK) status = foi_field_count(f, root, "dimension", false, &dimension);
    if (status == FO_OK && (dimension < 1 || dimension > 3))
        return foi_json_refuse(f->json, foi_json_member(root, "dimension"), f->why,
                               "expected 1, 2 or 3, found %u", dimension);
    def->dimension = (int)dimension;
    if (status == FO_OK) status = read_gravity(f, root, def);
    if (status == FO_OK)
        status = foi_field_number(f, root, "friction", false, FOI_NOT_NEGATIVE, &def->friction);
    if (status == FO_OK)
        status = foi_field_number(f, root, "friction_rate", false, FOI_NOT_NEGATIVE,
                                  &def->friction_rate);
    if (status == FO_OK)
        status = foi_field_number(f, root, "bowl", false, FOI_NOT_NEGATIVE, &def->bowl);
    if (status == FO_OK) status = foi_field_truth(f, root, "stiff", &def->stiff);
    if (status == FO_OK) status = foi_field_truth(f, root, "accounted", &accounted);
    def->unaccounted = !accounted;
    return status;
}

static fo_status read_structure(const foi_fields *f, fo_structure_document *d,
                                const foi_json_value *root)
{
    static const char *const begins[] = {"given", "rest", NULL};
    static fo_status (*const readers[])(const foi_fields *, fo_structure *,
                                        const foi_json_value *) = {
        foi_read_nodes,   foi_read_matrix,  foi_read_lattices, foi_read_parts,
        foi_read_springs, foi_read_changes, foi_read_ports};
    fo_structure_def def = {.allocator = f->allocator};
    int begin = 0;
    fo_status status = read_def(f, root, &def);
    if (status != FO_OK) return status;
    d->structure = fo_structure_create(&def, f->why);
    if (!d->structure) return FO_ERROR_MEMORY;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && status == FO_OK; i++)
        status = readers[i](f, d->structure, root);
    if (status == FO_OK) status = foi_field_choice(f, root, "begin", begins, &begin);
    if (status == FO_OK) status = foi_at(f, root, fo_structure_finish(d->structure, f->why));
    if (status == FO_OK)
        status = foi_at(f, root, fo_system_check(fo_structure_system(d->structure), f->why));
    if (status == FO_OK && begin) {
        status = fo_structure_begin_at_rest(d->structure, NULL, f->why);
        if (status == FO_ERROR_CONVERGE) status = foi_at(f, root, FO_ERROR_ARGUMENT);
    }
    return status;
}

static fo_status read_root(const foi_fields *f, fo_structure_document *d)
{
    const foi_json_value *root = foi_json_root(f->json);
    fo_status status = foi_expect(f, root, FOI_JSON_OBJECT);
    if (status != FO_OK) return status;
    if (foi_json_member(root, "hamiltonian")) {
        d->hamiltonian = foi_read_hamiltonian(f, root);
        if (!d->hamiltonian) return FO_ERROR_FORMAT;
        status = foi_at(f, root, fo_system_check(fo_hamiltonian_system(d->hamiltonian), f->why));
    } else {
        status = read_structure(f, d, root);
    }
    return status == FO_OK ? read_run(f, d, root) : status;
}

// ------------------------------------------------------------------------------------ documents

// Takes the document's text, and frees it.
static fo_structure_document *read_json(foi_json *json, const fo_allocator *allocator,
                                        fo_message *why)
{
    if (!json) return NULL;
    fo_message ignored = {0};
    foi_fields f = {json, allocator, why ? why : &ignored};
    fo_structure_document *d = foi_new(allocator, 1, sizeof *d);
    fo_status status = d ? FO_OK : no_memory(&f);
    if (d) d->allocator = allocator;
    if (status == FO_OK) status = read_root(&f, d);
    foi_json_destroy(json);
    if (status == FO_OK) return d;
    fo_structure_document_destroy(d);
    return NULL;
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

const fo_structure_run *fo_structure_document_run(const fo_structure_document *d)
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
