/// The energy of a network as a polynomial: as Staal stores and shows it (docs/sources.md).
///
/// With l^2 = sum (b - a)^2 over the axes, V = 1/2 k (l^2 - d^2)^2 is
///   1/2 k l^4 - k d^2 l^2 + 1/2 k d^4,
/// and l^2 is a sum of b b, -2 a b and a a. Coordinates that are fixed are numbers, not variables.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "structure/structure.h"

/// The lists of a Hamiltonian while they grow.
typedef struct expansion {
    const fo_structure *s;
    double *coefficients;
    uint32_t *counts, *variables;
    size_t terms, factors, term_room, count_room, factor_room;
    size_t first_term, first_factor; ///< from here on like terms are added up
    bool failed;
} expansion;

// The term since the first one that has the same variables, which are in order; or e->terms.
static size_t like(const expansion *e, const uint32_t *list, uint32_t count)
{
    const uint32_t *at = e->variables + e->first_factor;
    size_t i = e->first_term;
    for (; i < e->terms; at += e->counts[i++])
        if (e->counts[i] == count && memcmp(at, list, count * sizeof *list) == 0) break;
    return i;
}

// Adds coefficient times the product of coordinates or (from n on) momenta.
static void add(expansion *e, double coefficient, const uint32_t *list, int count)
{
    const fo_structure *s = e->s;
    uint32_t n = foi_coordinates(s);
    const fo_allocator *a = s->def.allocator;
    bool room =
        foi_array_room(a, &e->coefficients, &e->term_room, e->terms + 1, sizeof(double)) &&
        foi_array_room(a, &e->counts, &e->count_room, e->terms + 1, sizeof *e->counts) &&
        foi_array_room(a, &e->variables, &e->factor_room, e->factors + 4, sizeof *e->variables);
    e->failed |= !room;
    if (e->failed) return;
    uint32_t used = 0, *to = e->variables + e->factors;
    for (int i = 0; i < count; i++) {
        if (list[i] < n && s->fixed[list[i]]) {
            coefficient *= s->begin[list[i]];
            continue;
        }
        uint32_t place = used++;
        for (; place > 0 && to[place - 1] > list[i]; place--) to[place] = to[place - 1];
        to[place] = list[i];
    }
    if (coefficient == 0) return;
    size_t same = like(e, to, used);
    if (same < e->terms) {
        e->coefficients[same] += coefficient;
        return;
    }
    e->coefficients[e->terms] = coefficient;
    e->counts[e->terms++] = used;
    e->factors += used;
}

typedef struct square {
    double coefficient;
    uint32_t a, b;
} square;

static void add_spring(expansion *e, const foi_spring *p)
{
    square l2[9];
    int count = 0;
    double d2 = p->d * p->d;
    uint32_t dim = (uint32_t)e->s->dim;
    e->first_term = e->terms, e->first_factor = e->factors;
    for (uint32_t k = 0; k < dim; k++) {
        uint32_t a = p->a * dim + k, b = p->b * dim + k;
        l2[count++] = (square){1, b, b};
        l2[count++] = (square){-2, a, b};
        l2[count++] = (square){1, a, a};
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            add(e, p->k / 2 * l2[i].coefficient * l2[j].coefficient,
                (uint32_t[]){l2[i].a, l2[i].b, l2[j].a, l2[j].b}, 4);
        add(e, -p->k * d2 * l2[i].coefficient, (uint32_t[]){l2[i].a, l2[i].b}, 2);
    }
    add(e, p->k / 2 * d2 * d2, NULL, 0);
}

static void add_nodes(expansion *e)
{
    const fo_structure *s = e->s;
    uint32_t n = foi_coordinates(s), dim = (uint32_t)s->dim;
    for (uint32_t c = 0; c < n; c++) {
        double m = s->mass[c / dim];
        if (s->inverse_mass[c] != 0) add(e, 1 / (2 * m), (uint32_t[]){n + c, n + c}, 2);
        if (s->def.gravity[c % dim] != 0) add(e, -m * s->def.gravity[c % dim], &c, 1);
    }
}

// Names of positions as in the description, of momenta with a p: "tip.px".
static bool name_states(const fo_structure *s, char **names, double *start)
{
    uint32_t n = foi_coordinates(s), dim = (uint32_t)s->dim;
    for (uint32_t c = 0; c < 2 * n; c++) {
        char text[160], number[16];
        uint32_t node = c % n / dim;
        snprintf(number, sizeof number, "%u", node + 1);
        snprintf(text, sizeof text, "%.120s.%s%c", s->names[node] ? s->names[node] : number,
                 c < n ? "" : "p", "xyz"[c % n % dim]);
        names[c] = foi_copy_text(s->def.allocator, text);
        if (!names[c]) return false;
        start[c] = c < n ? s->start[c] : s->mass[node] * s->velocity[c - n];
    }
    return true;
}

static fo_status check(const fo_structure *s, fo_message *why)
{
    const char *what = NULL;
    if (s->bend_count || s->volume_count || s->skin_count) what = "bending, volumes or skins";
    if (s->def.bowl > 0 || s->flows) what = "a bowl or flows in";
    for (size_t i = 0; i < s->spring_count && !what; i++)
        if (s->springs[i].energy != FO_SPRING_SQUARES) what = "springs with the energy 'lengths'";
    if (!what) return FO_OK;
    return fo_fail(why, FO_ERROR_UNFIT,
                   "the energy is no polynomial that could be written: the structure has %s", what);
}

fo_hamiltonian *fo_structure_hamiltonian(const fo_structure *s, fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    uint32_t states = 2 * foi_coordinates(s);
    expansion e = {.s = s};
    fo_hamiltonian *h = NULL;
    if (check(s, why) != FO_OK) return NULL;
    char **names = foi_new(a, states, sizeof *names);
    double *start = foi_new(a, states, sizeof *start);
    if (names && start && name_states(s, names, start)) {
        add_nodes(&e);
        for (size_t i = 0; i < s->spring_count; i++) add_spring(&e, &s->springs[i]);
    } else {
        e.failed = true;
    }
    fo_hamiltonian_def def = {.name = s->def.name,
                              .about = s->def.about,
                              .states = states,
                              .names = (const char *const *)names,
                              .start = start,
                              .coefficients = e.coefficients,
                              .counts = e.counts,
                              .variables = e.variables,
                              .terms = e.terms,
                              .allocator = a};
    if (e.failed)
        fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy of %zu terms", e.terms);
    else
        h = fo_hamiltonian_create(&def, why);
    for (uint32_t c = 0; names && c < states; c++) foi_free(a, names[c]);
    foi_free(a, names);
    foi_free(a, start);
    foi_free(a, e.coefficients);
    foi_free(a, e.counts);
    foi_free(a, e.variables);
    return h;
}
