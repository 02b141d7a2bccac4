/// A Hamiltonian as a system: q' = dH/dp, p' = -dH/dq - friction p.
#include <foliot/structure.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "structure/document.h"
#include "structure/formula.h"
#include "structure/polynomial.h"

struct fo_hamiltonian {
    foi_polynomial energy;
    foi_formula more; ///< what is no polynomial, added to it; empty: nothing
    uint32_t states, block;
    char **names;
    char *name, *about, equations[1000];
    fo_variable *variables;
    fo_description description;
    /* of df/dx */
    fo_pattern pattern;
    uint32_t *start, *row;
    const fo_allocator *allocator;
};

static bool is_momentum(const fo_hamiltonian *h, uint32_t i)
{
    return i / h->block % 2 == 1;
}

// The momentum of a position and the position of a momentum.
static uint32_t partner(const fo_hamiltonian *h, uint32_t i)
{
    return is_momentum(h, i) ? i - h->block : i + h->block;
}

// --------------------------------------------------------------------------- what the system does

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)t;
    const fo_hamiltonian *h = model;
    double *g = s->scratch;
    fo_hamiltonian_gradient(h, x, g);
    for (uint32_t i = 0; i < h->states; i++)
        dx[i] = is_momentum(h, i) ? -g[partner(h, i)] - s->p[0] * x[i] : g[partner(h, i)];
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)s, (void)t;
    y[0] = fo_hamiltonian_value(model, x);
    return FO_OK;
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    (void)s;
    return &((const fo_hamiltonian *)model)->pattern;
}

typedef struct filling {
    const fo_hamiltonian *h;
    double *values;
} filling;

static void add(filling *f, uint32_t row, uint32_t column, double value)
{
    uint32_t low = f->h->start[column], high = f->h->start[column + 1];
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (f->h->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    f->values[low] += value;
}

// d2H/dx_a dx_b is in the row of a's partner and the column of b, and the other way round.
static void take_second(void *self, uint32_t a, uint32_t b, double value)
{
    filling *f = self;
    const fo_hamiltonian *h = f->h;
    add(f, partner(h, a), b, is_momentum(h, a) ? value : -value);
    if (a != b) add(f, partner(h, b), a, is_momentum(h, b) ? value : -value);
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)t;
    const fo_hamiltonian *h = model;
    filling f = {h, values};
    memset(values, 0, h->start[h->states] * sizeof *values);
    foi_polynomial_second(&h->energy, x, take_second, &f);
    foi_formula_second(&h->more, x, take_second, &f);
    for (uint32_t i = 0; i < h->states; i++)
        if (is_momentum(h, i)) add(&f, i, i, -s->p[0]);
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "structure",
    .rates = rates,
    .observe = observe,
    .pattern = pattern,
    .jacobian = jacobian,
};

// ------------------------------------------------------------------------------------- making it

// Marks the rows that column c has: of every term with c, the partners of its variables.
static uint32_t column_rows(const fo_hamiltonian *h, uint32_t c, uint8_t *mark)
{
    const foi_polynomial *p = &h->energy;
    uint32_t count = 0;
    memset(mark, 0, h->states);
    for (size_t w = p->with_start[c]; w < p->with_start[c + 1]; w++)
        for (size_t f = p->start[p->with[w]]; f < p->start[p->with[w] + 1]; f++)
            mark[partner(h, p->factor[f].variable)] = 1;
    if (h->more.count && h->more.used[c])
        for (uint32_t i = 0; i < h->states; i++)
            if (h->more.used[i]) mark[partner(h, i)] = 1;
    mark[c] = 1;
    for (uint32_t i = 0; i < h->states; i++) count += mark[i];
    return count;
}

static bool make_pattern(fo_hamiltonian *h)
{
    uint32_t n = h->states;
    uint8_t *mark = foi_new(h->allocator, n, 1);
    h->start = foi_new(h->allocator, (size_t)n + 1, sizeof *h->start);
    bool made = mark && h->start;
    for (uint32_t c = 0; made && c < n; c++)
        h->start[c + 1] = h->start[c] + column_rows(h, c, mark);
    if (made) made = (h->row = foi_new(h->allocator, h->start[n], sizeof *h->row)) != NULL;
    for (uint32_t c = 0, at = 0; made && c < n; c++) {
        column_rows(h, c, mark);
        for (uint32_t i = 0; i < n; i++)
            if (mark[i]) h->row[at++] = i;
    }
    foi_free(h->allocator, mark);
    h->pattern = (fo_pattern){n, h->start, h->row};
    return made;
}

static bool make_names(fo_hamiltonian *h, const fo_hamiltonian_def *def)
{
    h->name = foi_copy_text(h->allocator, def->name ? def->name : "hamiltonian");
    h->about = foi_copy_text(h->allocator, def->about ? def->about : "an energy");
    h->names = foi_new(h->allocator, h->states, sizeof *h->names);
    h->variables = foi_new(h->allocator, h->states, sizeof *h->variables);
    if (!h->name || !h->about || !h->names || !h->variables) return false;
    for (uint32_t i = 0; i < h->states; i++) {
        char text[32];
        snprintf(text, sizeof text, "[%u]", i);
        h->names[i] = foi_copy_text(h->allocator, def->names ? def->names[i] : text);
        if (!h->names[i]) return false;
        h->variables[i] =
            (fo_variable){.name = h->names[i], .start = def->start ? def->start[i] : 0};
    }
    return true;
}

// As a polynomial if it is one: that is faster, and can be written as lists.
static fo_status read_energy(fo_hamiltonian *h, const char *text, fo_message *why)
{
    const char *const *names = (const char *const *)h->names;
    size_t terms = h->energy.terms, factors = h->energy.factors;
    fo_status status = foi_polynomial_parse(&h->energy, names, text, why);
    if (status != FO_ERROR_FORMAT) return status;
    h->energy.terms = terms, h->energy.factors = factors;
    return foi_formula_parse(&h->more, names, text, why);
}

static fo_status add_terms(fo_hamiltonian *h, const fo_hamiltonian_def *def, fo_message *why)
{
    const uint32_t *list = def->variables;
    fo_status status = FO_OK;
    for (size_t i = 0; i < def->terms && status == FO_OK; i++) {
        status = foi_polynomial_add(&h->energy, def->coefficients[i], list, def->counts[i], why);
        list += def->counts[i];
    }
    if (status == FO_OK && def->energy) status = read_energy(h, def->energy, why);
    return status == FO_OK ? foi_polynomial_finish(&h->energy, why) : status;
}

static fo_status check(const fo_hamiltonian_def *def, fo_message *why)
{
    uint32_t block = def->block ? def->block : def->states / 2;
    if (!def->states || def->states % 2 || def->states > 1u << 24)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "a Hamiltonian needs an even number of states, found %u", def->states);
    if (def->states % (2 * block))
        return fo_fail(why, FO_ERROR_ARGUMENT, "%u states do not come in blocks of %u and %u",
                       def->states, block, block);
    if (!(isfinite(def->friction) && def->friction >= 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the friction must not be negative, is %g",
                       def->friction);
    for (uint32_t i = 0; def->start && i < def->states; i++)
        if (!isfinite(def->start[i]))
            return fo_fail(why, FO_ERROR_ARGUMENT, "the start of state %u is not finite", i);
    return FO_OK;
}

// "H = ..." and what follows from it; a long energy is cut.
static void make_equations(fo_hamiltonian *h)
{
    static const char motion[] = "\nq' = dH/dp\np' = -dH/dq - friction p";
    size_t room = sizeof h->equations - sizeof motion - 4;
    char *at = h->equations + snprintf(h->equations, room, "H = ");
    size_t left = room - (size_t)(at - h->equations);
    size_t length = fo_hamiltonian_print(h, at, left);
    at += length < left ? length : left - 1;
    snprintf(at, sizeof h->equations - (size_t)(at - h->equations), "%s%s",
             length < left ? "" : " ...", motion);
}

static fo_status build(fo_hamiltonian *h, const fo_hamiltonian_def *def, fo_message *why)
{
    h->allocator = h->energy.allocator = h->more.allocator = def->allocator;
    h->states = h->energy.variables = h->more.variables = def->states;
    h->block = def->block ? def->block : def->states / 2;
    static const fo_variable energy = {"energy", "J", .about = "H(q, p)"};
    fo_variable *friction = NULL;
    fo_status status = FO_OK;
    if (!make_names(h, def)) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy");
    if (status == FO_OK) status = add_terms(h, def, why);
    if (status == FO_OK && !make_pattern(h))
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy");
    if (status != FO_OK) return status;
    friction = foi_new(h->allocator, 1, sizeof *friction);
    if (!friction) return fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy");
    make_equations(h);
    *friction = (fo_variable){"friction", "1/s", def->friction, "p' has -friction p"};
    h->description = (fo_description){.name = h->name,
                                      .about = h->about,
                                      .equations = h->equations,
                                      .states = {h->variables, h->states},
                                      .outputs = {&energy, 1},
                                      .parameters = {friction, 1},
                                      .scratch = h->states * sizeof(double)};
    return FO_OK;
}

fo_hamiltonian_def fo_default_hamiltonian_def(void)
{
    return (fo_hamiltonian_def){.name = "hamiltonian"};
}

fo_hamiltonian *fo_hamiltonian_create(const fo_hamiltonian_def *def, fo_message *why)
{
    if (check(def, why) != FO_OK) return NULL;
    fo_hamiltonian *h = foi_new(def->allocator, 1, sizeof *h);
    if (!h) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy");
        return NULL;
    }
    if (build(h, def, why) == FO_OK) return h;
    fo_hamiltonian_destroy(h);
    return NULL;
}

void fo_hamiltonian_destroy(fo_hamiltonian *h)
{
    if (!h) return;
    const fo_allocator *a = h->allocator;
    for (uint32_t i = 0; h->names && i < h->states; i++) foi_free(a, h->names[i]);
    foi_polynomial_destroy(&h->energy);
    foi_formula_destroy(&h->more);
    foi_free(a, h->names);
    foi_free(a, h->variables);
    foi_free(a, (void *)h->description.parameters.list);
    foi_free(a, h->name);
    foi_free(a, h->about);
    foi_free(a, h->start);
    foi_free(a, h->row);
    foi_free(a, h);
}

fo_system fo_hamiltonian_system(const fo_hamiltonian *h)
{
    return (fo_system){&type, &h->description, h};
}

double fo_hamiltonian_value(const fo_hamiltonian *h, const double *x)
{
    return foi_polynomial_value(&h->energy, x) + foi_formula_value(&h->more, x);
}

void fo_hamiltonian_gradient(const fo_hamiltonian *h, const double *x, double *g)
{
    foi_polynomial_gradient(&h->energy, x, g);
    foi_formula_gradient(&h->more, x, g);
}

size_t fo_hamiltonian_print(const fo_hamiltonian *h, char *text, size_t size)
{
    const char *const *names = (const char *const *)h->names, *more = h->more.text;
    if (!more) return foi_polynomial_print(&h->energy, names, text, size);
    if (!h->energy.terms) return (size_t)snprintf(text, size, "%s", more);
    size_t length = foi_polynomial_print(&h->energy, names, text, size);
    char *rest = length < size ? text + length : NULL;
    return length + (size_t)snprintf(rest, rest ? size - length : 0, " + (%s)", more);
}

static void write_terms(foi_json_writer *w, const foi_polynomial *p)
{
    foi_json_open(w, "coefficients", '[', true);
    for (size_t i = 0; i < p->terms; i++) foi_json_put_number(w, NULL, p->coefficient[i]);
    foi_json_close(w, ']');
    foi_json_open(w, "counts", '[', true);
    for (size_t i = 0; i < p->terms; i++) {
        double count = 0;
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++) count += p->factor[f].power;
        foi_json_put_number(w, NULL, count);
    }
    foi_json_close(w, ']');
    foi_json_open(w, "variables", '[', true);
    for (size_t f = 0; f < p->factors; f++)
        for (uint32_t k = 0; k < p->factor[f].power; k++)
            foi_json_put_number(w, NULL, p->factor[f].variable);
    foi_json_close(w, ']');
}

void foi_hamiltonian_put(foi_json_writer *w, const fo_hamiltonian *h)
{
    foi_json_put_text(w, "hamiltonian", h->name);
    if (*h->about) foi_json_put_text(w, "about", h->about);
    foi_json_open(w, "states", '[', true);
    for (uint32_t i = 0; i < h->states; i++) foi_json_put_text(w, NULL, h->names[i]);
    foi_json_close(w, ']');
    foi_json_put_number(w, "block", h->block);
    foi_json_open(w, "start", '[', true);
    for (uint32_t i = 0; i < h->states; i++) foi_json_put_number(w, NULL, h->variables[i].start);
    foi_json_close(w, ']');
    if (h->more.text) foi_json_put_text(w, "energy", h->more.text);
    if (!h->more.text || h->energy.terms) write_terms(w, &h->energy);
    foi_json_put_number(w, "friction", h->description.parameters.list[0].start);
}

size_t fo_hamiltonian_write(const fo_hamiltonian *h, char *text, size_t size)
{
    foi_json_writer w = {.allocator = h->allocator};
    foi_json_open(&w, NULL, '{', false);
    foi_hamiltonian_put(&w, h);
    foi_json_close(&w, '}');
    size_t length = w.failed ? 0 : w.length;
    if (size) *text = 0;
    if (size && length) snprintf(text, size, "%s", w.text);
    foi_json_writer_destroy(&w);
    return length;
}
