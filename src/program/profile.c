#include "program/profile.h"

#include <math.h>

#include "math/math.h"

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

/// Two neighbours, in the order in which they entered.
typedef struct interval {
    const foi_spot *a, *b;
} interval;

static interval interval_at(const foi_profile *p, uint32_t i)
{
    const foi_spot *lo = spot(p, i), *hi = spot(p, i + 1);
    return lo->time <= hi->time ? (interval){lo, hi} : (interval){hi, lo};
}

static double place_at(interval i, double part)
{
    return foi_bend_at(&i.b->place_bend, i.a->place, i.b->place, part);
}

static double value_at(interval i, double part)
{
    return foi_bend_at(&i.b->value_bend, i.a->value, i.b->value, part);
}

// The part of the interval at which what is at `place` entered: by bisection, since the place grows
// or falls with time.
static double entered(interval i, double place)
{
    double a = 0, b = 1;
    bool rises = i.b->place > i.a->place;
    for (int turn = 0; turn < 60; turn++) {
        double middle = a + (b - a) / 2;
        if (middle == a || middle == b) break;
        *((place_at(i, middle) < place) == rises ? &a : &b) = middle;
    }
    return a + (b - a) / 2;
}

// What is at `place`, and in which interval: *in is not set at its ends.
static foi_spot spot_at(const foi_profile *p, double place, interval *in, double *part)
{
    uint32_t lo = 0, hi = (uint32_t)p->count - 1;
    *in = (interval){NULL, NULL};
    if (place <= spot(p, lo)->place) return *spot(p, lo);
    if (place >= spot(p, hi)->place) return *spot(p, hi);
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        *(spot(p, middle)->place <= place ? &lo : &hi) = middle;
    }
    if (place == spot(p, lo)->place) return *spot(p, lo);
    *in = interval_at(p, lo), *part = entered(*in, place);
    double time = in->a->time + *part * (in->b->time - in->a->time);
    return (foi_spot){.place = place, .value = value_at(*in, *part), .time = time};
}

bool foi_profile_at(const foi_profile *p, int side, double x, double *value)
{
    // a record is not always where the next step begins, by rounding
    if (!(fabs(x - p->x) <= FOI_PROFILE_STRIDE + 1e-12 * fabs(x))) return false;
    interval in;
    double part;
    *value = spot_at(p, side - x, &in, &part).value;
    return true;
}

// -------------------------------------------------------------------------------------- recording

void foi_profile_begin(foi_profile *p, const foi_contents *given, double t, double x)
{
    *p = (foi_profile){.t = t, .x = x, .grown = -1, .seam = 1};
    for (uint32_t i = 0; i < given->count; i++) {
        p->size = foi_fmax(p->size, fabs(given->values[i]));
        foi_spot s = {.place = given->points[i] - x, .value = given->values[i]};
        s.time = given->points[i];
        push(p, 1, s);
        bool inner = i > 0 && i + 1 < given->count; // linear on both sides
        if (inner && given->points[i] != given->points[i - 1] &&
            given->points[i] != given->points[i + 1])
            push(p, 1, s);
    }
}

// The interval `in`, as it was, goes on to be what lies between its inner end and `cut`: which of
// both entered later keeps how it bends.
static void bend_rest(foi_spot *inner, foi_spot *cut, interval in, double part)
{
    bool later = cut->time > inner->time;
    double from = later ? 0 : part, to = later ? part : 1;
    foi_spot *keeps = later ? cut : inner;
    foi_bend place = in.b->place_bend, value = in.b->value_bend;
    keeps->off = in.b->off;
    keeps->place_bend = foi_bend_part(&place, in.a->place, in.b->place, from, to);
    keeps->value_bend = foi_bend_part(&value, in.a->value, in.b->value, from, to);
}

// The end `side` begins to grow, or goes on after a moment: what is outside of the pipe there has
// been pushed out and does not come back.
static bool begin_piece(foi_profile *p, int side)
{
    double edge = side - p->x, part = 0;
    interval in;
    foi_spot cut = spot_at(p, edge, &in, &part), a = {0}, b = {0};
    if (in.a) a = *in.a, b = *in.b;
    while (p->count > 1 && outside(side, p->x, from_end(p, side, 0)->place) >= 0) drop(p, side);
    cut.place = edge;
    if (in.a) bend_rest(from_end(p, side, 0), &cut, (interval){&a, &b}, part);
    foi_spot entry = {.place = edge, .value = p->entry[side], .time = p->t};
    return push(p, side, cut) && push(p, side, entry);
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

// Joins the last two intervals where one is as both are, or where they are too short to be kept.
static void join(foi_profile *p, int side, foi_spot *new, foi_keeping as)
{
    const foi_spot *m = from_end(p, side, 0), *a = from_end(p, side, 1);
    double middle = (m->time - a->time) / (new->time - a->time);
    double by = fabs(new->place - a->place);
    double places[] = {a->place, m->place, new->place}, values[] = {a->value, m->value, new->value};
    foi_bend place, value;
    double astray = foi_bend_join(&m->place_bend, &new->place_bend, places, middle, &place);
    double off = foi_bend_join(&m->value_bend, &new->value_bend, values, middle, &value);
    off += foi_fmax(m->off, new->off);
    bool same = off <= allowed(p, as) && astray <= 0.1 * as.rtol;
    if (!same && by >= LEAST) return;
    new->place_bend = place, new->value_bend = value, new->off = off;
    drop(p, side);
}

static bool grow(foi_profile *p, int side, foi_spot new, foi_keeping as)
{
    const foi_spot *end = from_end(p, side, 0), *before = from_end(p, side, 1);
    bool seam = p->count < 2 || end->place == before->place;
    if (!seam && fabs(new.place - before->place) < NEAR) join(p, side, &new, as);
    return push(p, side, new);
}

foi_bends foi_profile_bends(const foi_profile *p, const foi_inflow *next, const foi_inflow *inside)
{
    int side = next->x < p->x;
    double places[FOI_INSIDE], values[FOI_INSIDE];
    for (int k = 0; k < FOI_INSIDE; k++)
        places[k] = side - inside[k].x, values[k] = inside[k].entry[side];
    return (foi_bends){foi_bend_of(side - p->x, side - next->x, places, 1),
                       foi_bend_of(p->entry[side], next->entry[side], values, 1)};
}

double foi_profile_misses(const foi_profile *p, const foi_inflow *next, const foi_bends *bends,
                          const foi_inflow *between, foi_keeping as)
{
    int side = next->x < p->x;
    double part = (between->t - p->t) / (next->t - p->t), astray, off;
    if (next->x == p->x) return 0;
    astray = foi_bend_at(&bends->place, side - p->x, side - next->x, part) - (side - between->x);
    off =
        foi_bend_at(&bends->value, p->entry[side], next->entry[side], part) - between->entry[side];
    double most = foi_fmax(fabs(off) / allowed(p, as), fabs(astray) / (0.1 * as.rtol));
    return off == 0 && astray == 0 ? 0 : most < INFINITY ? most : INFINITY;
}

bool foi_profile_add(foi_profile *p, const foi_inflow *new, const foi_bends *bends, foi_keeping as)
{
    double x = new->x;
    bool same = new->t == p->t &&new->entry[0] == p->entry[0] && new->entry[1] == p->entry[1];
    if (x == p->x && same) return true;
    int side = x < p->x, other = 1 - side;
    bool good = true;
    if (x == p->x) {
        p->seam = 1;
    } else {
        while (p->count > 2 && outside(other, x, from_end(p, other, 1)->place) > BEYOND)
            drop(p, other);
        if (p->grown != side || p->seam != 0) good = begin_piece(p, side);
        foi_spot spot = {.place = side - x, .value = new->entry[side], .time = new->t};
        if (bends) spot.place_bend = bends->place, spot.value_bend = bends->value;
        good = good && grow(p, side, spot, as);
        p->grown = side, p->seam = 0;
        if (fabs(new->entry[side]) < INFINITY) p->size = foi_fmax(p->size, fabs(new->entry[side]));
    }
    p->t = new->t, p->x = x, p->entry[0] = new->entry[0], p->entry[1] = new->entry[1];
    return good;
}
