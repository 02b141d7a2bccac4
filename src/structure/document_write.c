/// Writing documents: a structure as its nodes and energies, whatever parts it was made of.
///
/// Reading it back gives the same system to the last bit: numbers are written with all their
/// digits, rest lengths are given, and things keep their order.
#include <stdio.h>
#include <string.h>

#include "structure/document.h"

static void put_numbers(foi_json_writer *w, const char *key, const double *values, size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; i < count; i++) foi_json_put_number(w, NULL, values[i]);
    foi_json_close(w, ']');
}

static void put_unless(foi_json_writer *w, const char *key, double value, double usual)
{
    if (value != usual) foi_json_put_number(w, key, value);
}

static void put_nodes(foi_json_writer *w, const char *key, const uint32_t *nodes, size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; i < count; i++) foi_json_put_number(w, NULL, nodes[i] + 1.0);
    foi_json_close(w, ']');
}

// A list is not written where it is empty.
static void open_list(foi_json_writer *w, const char *key, size_t count)
{
    if (count) foi_json_open(w, key, '[', false);
}

static void close_list(foi_json_writer *w, size_t count)
{
    if (count) foi_json_close(w, ']');
}

// ------------------------------------------------------------------------------- nodes and springs

static void put_fixed(foi_json_writer *w, const uint8_t *fixed, int dim)
{
    char letters[4] = "";
    int count = 0;
    for (int k = 0; k < dim; k++)
        if (fixed[k]) letters[count++] = (char)('x' + k);
    if (count == dim)
        foi_json_put_truth(w, "fixed", true);
    else if (count)
        foi_json_put_text(w, "fixed", letters);
}

static void put_node(foi_json_writer *w, const fo_structure *s, uint32_t node)
{
    size_t dim = (size_t)s->dim, at = node * dim;
    const double none[3] = {0};
    foi_json_open(w, NULL, '{', true);
    if (s->names[node] && *s->names[node]) foi_json_put_text(w, "name", s->names[node]);
    put_numbers(w, "at", s->begin + at, dim);
    if (memcmp(s->start + at, s->begin + at, dim * sizeof(double)) != 0)
        put_numbers(w, "start", s->start + at, dim);
    foi_json_put_number(w, "mass", s->mass[node]);
    if (memcmp(s->velocity + at, none, dim * sizeof(double)) != 0)
        put_numbers(w, "velocity", s->velocity + at, dim);
    put_fixed(w, s->fixed + at, s->dim);
    foi_json_close(w, '}');
}

static void put_springs(foi_json_writer *w, const fo_structure *s)
{
    open_list(w, "springs", s->spring_count);
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *p = &s->springs[i];
        foi_json_open(w, NULL, '{', true);
        put_nodes(w, "between", (uint32_t[]){p->a, p->b}, 2);
        foi_json_put_number(w, "k", p->k);
        if (p->energy == FO_SPRING_LENGTHS) foi_json_put_text(w, "energy", "lengths");
        foi_json_put_number(w, "length", p->d);
        if (p->slot != FOI_NO_INDEX) {
            put_unless(w, "breaks", s->slots[p->slot].breaks, 0);
            put_unless(w, "yields", s->slots[p->slot].yields, 0);
        }
        foi_json_close(w, '}');
    }
    close_list(w, s->spring_count);
}

// ------------------------------------------------------------------------------------ other
// energies

static void put_bends(foi_json_writer *w, const fo_structure *s)
{
    open_list(w, "bends", s->bend_count);
    for (size_t i = 0; i < s->bend_count; i++) {
        const foi_bend *b = &s->bends[i];
        foi_json_open(w, NULL, '{', true);
        put_nodes(w, "nodes", s->bend_node + b->first, b->count);
        put_numbers(w, "coefficients", s->bend_coefficient + b->first, b->count);
        foi_json_put_number(w, "k", b->k);
        foi_json_close(w, '}');
    }
    close_list(w, s->bend_count);
}

static void put_facets(foi_json_writer *w, const fo_structure *s, uint32_t first, uint32_t count)
{
    foi_json_open(w, "facets", '[', true);
    for (uint32_t i = 0; i < count; i++)
        put_nodes(w, NULL, s->facets + first + (size_t)i * (size_t)s->dim, (size_t)s->dim);
    foi_json_close(w, ']');
}

static void put_surfaces(foi_json_writer *w, const fo_structure *s)
{
    static const char *const laws[] = {"bulk", "pressure", "gas"};
    open_list(w, "volumes", s->volume_count);
    for (size_t i = 0; i < s->volume_count; i++) {
        const foi_volume *v = &s->volumes[i];
        foi_json_open(w, NULL, '{', true);
        put_facets(w, s, v->first, v->count);
        foi_json_put_text(w, "law", laws[v->law]);
        foi_json_put_number(w, "value", v->value);
        foi_json_close(w, '}');
    }
    close_list(w, s->volume_count);
    open_list(w, "skins", s->skin_count);
    for (size_t i = 0; i < s->skin_count; i++) {
        foi_json_open(w, NULL, '{', true);
        put_facets(w, s, s->skins[i].first, s->skins[i].count);
        put_unless(w, "tension", s->skins[i].tension, 0);
        put_unless(w, "modulus", s->skins[i].modulus, 0);
        foi_json_close(w, '}');
    }
    close_list(w, s->skin_count);
}

// ----------------------------------------------------------------------------------- ports and
// runs

static void put_ports(foi_json_writer *w, const fo_structure *s)
{
    open_list(w, "ports", s->port_count);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", p->name);
        if (p->node == FO_BOWL)
            foi_json_put_text(w, "node", "R");
        else
            foi_json_put_number(w, "node", p->node + 1.0);
        put_numbers(w, "direction", p->direction, (size_t)s->dim);
        if (p->flow_in) foi_json_put_text(w, "in", "flow");
        put_unless(w, "start", p->start, 0);
        open_list(w, "signal", p->changes);
        for (size_t k = 0; k < p->changes; k++)
            put_numbers(w, NULL, (double[]){p->times[k], p->values[k]}, 2);
        close_list(w, p->changes);
        if (p->connected) foi_json_put_truth(w, "connected", true);
        foi_json_close(w, '}');
    }
    close_list(w, s->port_count);
}

static void put_run(foi_json_writer *w, const foi_experiment *run)
{
    foi_json_open(w, "run", '{', false);
    put_unless(w, "stop", run->stop, 0);
    put_unless(w, "interval", run->interval, 0);
    put_unless(w, "step", run->step, 0);
    put_unless(w, "rtol", run->rtol, 0);
    put_unless(w, "atol", run->atol, 0);
    if (run->solver) foi_json_put_text(w, "solver", run->solver);
    if (run->plot) {
        foi_json_open(w, "plot", '[', true);
        for (size_t i = 0; run->plot[i]; i++) foi_json_put_text(w, NULL, run->plot[i]);
        foi_json_close(w, ']');
    }
    foi_json_close(w, '}');
}

// -------------------------------------------------------------------------------------- the whole

static void put_structure(foi_json_writer *w, const fo_structure *s)
{
    const fo_structure_def *def = &s->def;
    foi_json_put_text(w, "structure", *def->name ? def->name : "structure");
    if (*def->about) foi_json_put_text(w, "about", def->about);
    foi_json_put_number(w, "dimension", s->dim);
    put_numbers(w, "gravity", def->gravity, (size_t)s->dim);
    put_unless(w, "friction", def->friction, 0);
    put_unless(w, "friction_rate", def->friction_rate, 0);
    put_unless(w, "bowl", def->bowl, 0);
    if (def->stiff) foi_json_put_truth(w, "stiff", true);
    if (def->unaccounted) foi_json_put_truth(w, "accounted", false);
    if (def->leapfrog) put_unless(w, "threads", def->threads ? def->threads : 1, 0);
    open_list(w, "nodes", s->nodes);
    for (uint32_t i = 0; i < s->nodes; i++) put_node(w, s, i);
    close_list(w, s->nodes);
    put_springs(w, s);
    put_bends(w, s);
    put_surfaces(w, s);
    put_ports(w, s);
}

// Closes the document and gives what fits of it.
static size_t give(foi_json_writer *w, const foi_experiment *run, char *text, size_t size)
{
    if (run) put_run(w, run);
    foi_json_close(w, '}');
    size_t length = w->failed ? 0 : w->length;
    if (size) *text = 0;
    if (size && length) snprintf(text, size, "%s", w->text);
    foi_json_writer_destroy(w);
    return length;
}

static size_t write_structure(const fo_structure *s, const foi_experiment *run, char *text,
                              size_t size)
{
    foi_json_writer w = {.allocator = s->def.allocator};
    foi_json_open(&w, NULL, '{', false);
    put_structure(&w, s);
    return give(&w, run, text, size);
}

size_t fo_structure_write(const fo_structure *s, char *text, size_t size)
{
    return write_structure(s, NULL, text, size);
}

size_t fo_structure_document_write(const fo_structure_document *d, char *text, size_t size)
{
    if (d->structure) return write_structure(d->structure, &d->run, text, size);
    foi_json_writer w = {.allocator = d->allocator};
    foi_json_open(&w, NULL, '{', false);
    foi_hamiltonian_put(&w, d->hamiltonian);
    return give(&w, &d->run, text, size);
}
