#include "program/profile.h"

#include <math.h>

#include "math/math.h"

enum { MOST_SPOTS = 6 }; // of an interpolation

#define NEAR   (1.0 / 512) // spots that lie closer are of no use, where others say the same
#define LEAST  0x1p-16     // and those that lie closer than that never are
#define BEYOND 0.125       // kept outside of the pipe, in its lengths

static foi_spot *spot(const foi_profile *p, uint32_t i)
{
    return (foi_spot *)&p->spots[((uint32_t)p->first + i) % FOI_PROFILE_ROOM];
}

// The spot that is `i` inwards from an end.
static foi_spot *from_end(const foi_profile *p, int side, uint32_t i)
{
    return spot(p, side ? (uint32_t)p->count - 1 - i : i);
}

static bool push(foi_profile *p, int side, foi_spot new)
{
    if (p->count == FOI_PROFILE_ROOM) return false;
    if (!side) p->first = p->first > 0 ? p->first - 1 : FOI_PROFILE_ROOM - 1;
    p->count++;
    *from_end(p, side, 0) = new;
    return true;
}

static void drop(foi_profile *p, int side)
{
    if (!side) p->first = p->first + 1 < FOI_PROFILE_ROOM ? p->first + 1 : 0;
    p->count--;
}

// How far outside of the pipe a place is, at an end.
static double outside(int side, double x, double place)
{
    return side ? place - (1 - x) : -x - place;
}

// --------------------------------------------------------------------------------- interpolation

/// Polynomials over the time of entry, by Newton's divided differences.
typedef struct curve {
    double time[MOST_SPOTS], place[MOST_SPOTS], value[MOST_SPOTS];
    uint32_t count;
} curve;

static void differences(const curve *c, double *d)
{
    for (uint32_t k = 1; k < c->count; k++)
        for (uint32_t i = c->count - 1; i >= k; i--)
            d[i] = (d[i] - d[i - 1]) / (c->time[i] - c->time[i - k]);
}

static double along(const curve *c, const double *d, double at)
{
    double sum = d[c->count - 1];
    for (uint32_t i = c->count - 1; i-- > 0;) sum = sum * (at - c->time[i]) + d[i];
    return sum;
}

static void take(curve *c, const foi_spot *s)
{
    c->time[c->count] = s->time, c->place[c->count] = s->place, c->value[c->count++] = s->value;
}

// Through spots i and i + 1 and the nearest ones of the smooth piece. Those that stand much closer
// together than these two would make noise of rounding errors.
static curve through(const foi_profile *p, uint32_t i)
{
    curve c = {.count = 0};
    foi_spot lo = *spot(p, i), hi = *spot(p, i + 1);
    double apart = 0.05 * fabs(hi.time - lo.time);
    uint32_t left = i, right = i + 1, last = (uint32_t)p->count - 1;
    bool more[2] = {true, true};
    take(&c, &lo), take(&c, &hi);
    for (int side = 0; c.count < MOST_SPOTS && (more[0] || more[1]); side = 1 - side) {
        if (!more[side]) continue;
        more[side] = side ? right < last : left > 0;
        if (!more[side]) continue;
        const foi_spot *from = spot(p, side ? right++ : left--),
                       *here = spot(p, side ? right : left);
        foi_spot *end = side ? &hi : &lo;
        more[side] = from->place != here->place; // otherwise a seam
        if (!more[side] || fabs(here->time - end->time) <= apart) continue;
        take(&c, here);
        *end = *here;
    }
    differences(&c, c.place), differences(&c, c.value);
    return c;
}

// The time at which what is at `place` entered, between the first two of the curve: by bisection,
// since the place grows or falls with time.
static double entered(const curve *c, double place)
{
    double a = c->time[0], b = c->time[1];
    bool rises = along(c, c->place, b) > along(c, c->place, a);
    for (int turn = 0; turn < 60; turn++) {
        double middle = a + (b - a) / 2;
        if (middle == a || middle == b) break;
        *((along(c, c->place, middle) < place) == rises ? &a : &b) = middle;
    }
    return a + (b - a) / 2;
}

static foi_spot spot_at(const foi_profile *p, double place)
{
    uint32_t lo = 0, hi = (uint32_t)p->count - 1;
    if (place <= spot(p, lo)->place) return *spot(p, lo);
    if (place >= spot(p, hi)->place) return *spot(p, hi);
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        *(spot(p, middle)->place <= place ? &lo : &hi) = middle;
    }
    if (place == spot(p, lo)->place) return *spot(p, lo);
    curve c = through(p, lo);
    double time = entered(&c, place);
    return (foi_spot){place, along(&c, c.value, time), time};
}

bool foi_profile_at(const foi_profile *p, int side, double x, double *value)
{
    // a record is not always where the next step begins, by rounding
    if (!(fabs(x - p->x) <= FOI_PROFILE_STRIDE + 1e-12 * fabs(x))) return false;
    *value = spot_at(p, side - x).value;
    return true;
}

// -------------------------------------------------------------------------------------- recording

void foi_profile_begin(foi_profile *p, const foi_contents *given, double t, double x)
{
    *p = (foi_profile){.t = t, .x = x, .grown = -1, .seam = 1};
    for (uint32_t i = 0; i < given->count; i++) {
        p->size = foi_fmax(p->size, fabs(given->values[i]));
        foi_spot s = {given->points[i] - x, given->values[i], given->points[i]};
        push(p, 1, s);
        bool inner = i > 0 && i + 1 < given->count; // linear on both sides
        if (inner && given->points[i] != given->points[i - 1] &&
            given->points[i] != given->points[i + 1])
            push(p, 1, s);
    }
}

// The end `side` begins to grow, or goes on after a moment: what is outside of the pipe there has
// been pushed out and does not come back.
static bool begin_piece(foi_profile *p, int side)
{
    double edge = side - p->x;
    foi_spot inside = spot_at(p, edge);
    while (p->count > 1 && outside(side, p->x, from_end(p, side, 0)->place) >= 0) drop(p, side);
    inside.place = edge;
    return push(p, side, inside) && push(p, side, (foi_spot){edge, p->entry[side], p->t});
}

bool foi_profile_has_room(const foi_profile *p)
{
    return p->count < 0.5 * FOI_PROFILE_ROOM;
}

// A tenth of the tolerance; where room becomes scarce, ten tolerances.
static double allowed(const foi_profile *p, foi_keeping as)
{
    double times = p->count < 0.25 * FOI_PROFILE_ROOM ? 0.1 : 10;
    return times * (as.rtol * p->size + as.atol);
}

// Whether a line from one spot to another says what the one between them does.
static bool is_idle(const foi_profile *p, const foi_spot *a, const foi_spot *is, const foi_spot *b,
                    foi_keeping as)
{
    double part = (is->time - a->time) / (b->time - a->time);
    double value = a->value + part * (b->value - a->value);
    double place = a->place + part * (b->place - a->place);
    return fabs(value - is->value) <= allowed(p, as) && fabs(place - is->place) <= as.rtol;
}

static bool grow(foi_profile *p, int side, foi_spot new, foi_keeping as)
{
    const foi_spot *end = from_end(p, side, 0), *before = from_end(p, side, 1);
    bool seam = p->count < 2 || end->place == before->place;
    double by = fabs(new.place - before->place);
    bool idle = by < LEAST || !foi_profile_has_room(p);
    if (!seam && by < NEAR && (idle || is_idle(p, before, end, &new, as))) drop(p, side);
    return push(p, side, new);
}

bool foi_profile_foresees(const foi_profile *p, const foi_inflow *next, const foi_inflow *between,
                          foi_keeping as)
{
    int side = next->x < p->x;
    bool begins = p->grown != side || p->seam != 0;
    curve c = {.count = 0};
    if (next->x == p->x) return true;
    take(&c, &(foi_spot){side - next->x, next->entry[side], next->t});
    double apart = 0.05 * fabs(next->t - p->t);
    take(&c, &(foi_spot){side - p->x, p->entry[side], p->t});
    for (uint32_t i = 1; !begins && i < (uint32_t)p->count && c.count < MOST_SPOTS; i++) {
        const foi_spot *from = from_end(p, side, i - 1), *here = from_end(p, side, i);
        if (from->place == here->place) break;
        if (fabs(here->time - c.time[c.count - 1]) > apart) take(&c, here);
    }
    differences(&c, c.value);
    return fabs(along(&c, c.value, between->t) - between->entry[side]) <= allowed(p, as);
}

bool foi_profile_add(foi_profile *p, const foi_inflow *new, foi_keeping as)
{
    double x = new->x;
    int side = x < p->x, other = 1 - side;
    bool good = true;
    if (x == p->x) {
        p->seam = 1;
    } else {
        while (p->count > 2 && outside(other, x, from_end(p, other, 1)->place) > BEYOND)
            drop(p, other);
        if (p->grown != side || p->seam != 0) good = begin_piece(p, side);
        good = good && grow(p, side, (foi_spot){side - x, new->entry[side], new->t}, as);
        p->grown = side, p->seam = 0;
        if (fabs(new->entry[side]) < INFINITY) p->size = foi_fmax(p->size, fabs(new->entry[side]));
    }
    p->t = new->t, p->x = x, p->entry[0] = new->entry[0], p->entry[1] = new->entry[1];
    return good;
}
