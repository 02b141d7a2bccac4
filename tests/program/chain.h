/// Chains of masses on rods in Cartesian coordinates, as Modelica texts: any number of constraints
/// of index 3, with an energy that must stay.
#ifndef FOLIOT_TEST_CHAIN_H
#define FOLIOT_TEST_CHAIN_H

#include <stdio.h>

#include "program/world.h"

/// A chain of masses on rods, the first one on a pivot, in Cartesian coordinates.
typedef struct chain {
    int links;
    double length[8], mass[8], angle[8]; ///< angles from the x axis, at the start; at rest
    double turn;                         ///< of the coordinates: gravity comes from elsewhere
    double size;                         ///< in which unit lengths are given
} chain;

static inline size_t put_link(const chain *c, int i, char *to, size_t size)
{
    double x = 0, y = 0;
    for (int k = 0; k <= i; k++) {
        x += c->size * c->length[k] * cos(c->angle[k] + c->turn);
        y += c->size * c->length[k] * sin(c->angle[k] + c->turn);
    }
    int used = snprintf(to, size,
                        "  Real x%d(start = %.17g), y%d(start = %.17g), u%d(start = 0), "
                        "v%d(start = 0), F%d;\n",
                        i, x, i, y, i, i, i);
    return (size_t)used;
}

static inline size_t put_equations(const chain *c, int i, char *to, size_t size)
{
    char before_x[32] = "", before_y[32] = "", next[200] = "0", next_y[200] = "0";
    if (i) snprintf(before_x, sizeof before_x, " - x%d", i - 1);
    if (i) snprintf(before_y, sizeof before_y, " - y%d", i - 1);
    if (i + 1 < c->links) {
        snprintf(next, sizeof next, "F%d*(x%d - x%d)", i + 1, i + 1, i);
        snprintf(next_y, sizeof next_y, "F%d*(y%d - y%d)", i + 1, i + 1, i);
    }
    double g = 9.81 * c->size, m = c->mass[i], l = c->size * c->length[i];
    return (size_t)snprintf(to, size,
                            "  der(x%d) = u%d; der(y%d) = v%d;\n"
                            "  %.17g*der(u%d) = -F%d*(x%d%s) + %s + (%.17g);\n"
                            "  %.17g*der(v%d) = -F%d*(y%d%s) + %s - (%.17g);\n"
                            "  (x%d%s)^2 + (y%d%s)^2 = %.17g;\n",
                            i, i, i, i, m, i, i, i, before_x, next, m * g * sin(c->turn), m, i, i,
                            i, before_y, next_y, m * g * cos(c->turn), i, before_x, i, before_y,
                            l * l);
}

static inline const char *chain_text(const chain *c)
{
    static char text[8000];
    size_t used = (size_t)snprintf(text, sizeof text, "model Chain\n");
    for (int i = 0; i < c->links; i++) used += put_link(c, i, text + used, sizeof text - used);
    used += (size_t)snprintf(text + used, sizeof text - used, "equation\n");
    for (int i = 0; i < c->links; i++) used += put_equations(c, i, text + used, sizeof text - used);
    snprintf(text + used, sizeof text - used, "end Chain;\n");
    return text;
}

static inline double value_of(world *w, const char *letter, int i)
{
    char name[16];
    snprintf(name, sizeof name, "%s%d", letter, i);
    return world_value(w, name);
}

// The energy in units of m g l, summed over the chain; and the constraints hold to rounding.
static inline double energy(world *w, const chain *c)
{
    double e = 0, scale = 0, height = 0, x = 0, y = 0, u = 0, v = 0;
    for (int i = 0; i < c->links; i++) {
        double xi = value_of(w, "x", i), yi = value_of(w, "y", i);
        double ui = value_of(w, "u", i), vi = value_of(w, "v", i), l = c->size * c->length[i];
        double g = 9.81 * c->size, m = c->mass[i];
        height += l, scale += m * g * height;
        e += m * (ui * ui + vi * vi) / 2 + m * g * (yi * cos(c->turn) - xi * sin(c->turn));
        double reach = (fabs(xi) + fabs(yi)) / l + 1, fast = hypot(ui - u, vi - v) / l + 1;
        CHECK_NEAR((pow(xi - x, 2) + pow(yi - y, 2)) / (l * l), 1, 4e-15 * reach);
        CHECK_NEAR(((xi - x) * (ui - u) + (yi - y) * (vi - v)) / (l * l), 0, 2e-14 * reach * fast);
        x = xi, y = yi, u = ui, v = vi;
    }
    return e / scale;
}

// The greatest departure from the energy at the start.
static inline double energy_error(const chain *c, fo_run_def def, int rows)
{
    world w;
    double most = INFINITY;
    if (world_begin(&w, chain_text(c), &def)) {
        CHECK_STATUS(fo_simulation_start(w.sim), FO_OK, fo_simulation_message(w.sim));
        double first = energy(&w, c);
        most = 0;
        for (int k = 1; k <= rows; k++) {
            fo_status status = fo_simulation_advance(w.sim, def.stop * k / rows);
            CHECK_STATUS(status, FO_REACHED, fo_simulation_message(w.sim));
            if (status != FO_REACHED) break;
            most = fmax(most, fabs(energy(&w, c) - first));
        }
    }
    world_end(&w);
    return most;
}

static inline double random_of(uint64_t *state, double from, double to)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(*state >> 11) / 9007199254740992.0;
}

static inline chain random_chain(uint64_t seed)
{
    chain c = {.links = 1 + (int)(seed % 6), .size = 1};
    uint64_t state = seed * 7919 + 1;
    for (int i = 0; i < c.links; i++) {
        c.length[i] = exp(random_of(&state, -1.5, 1.5)), c.mass[i] = exp(random_of(&state, -2, 2));
        c.angle[i] = random_of(&state, -3.1, 3.1);
    }
    c.turn = random_of(&state, -3.1, 3.1);
    return c;
}

#endif
