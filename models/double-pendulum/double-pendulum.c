// Two pendulums of one length on one point, which collide. The equations are in readme.md.
//
// The angles are kept in [-pi, pi]; at the top an angle jumps by 2 pi. The angle from pendulum two
// to pendulum one, counted counterclockwise and without those jumps, is
//     gap = y1 - y2 + 2 pi winding,
// where `winding` changes at every such jump so that gap does not. The pendulums never pass through
// each other, so that gap stays in [a, 2 pi - a] for ever, a = smallest_angle, and
//     (gap - a) (2 pi - a - gap)
// is positive except at a collision, wherever on the circle and from whichever side it comes: one
// smooth guard with simple zeros, also for a = 0.
#include "gallery.h"
#include "math/math.h"

#include <math.h>

enum { Y1, Y2, V1, V2 };                                             // states
enum { WINDING, COLLISIONS, GIVEN1, GIVEN2 };                        // discretes
enum { M1, M2, C1, C2, LENGTH, GRAVITY, ANGLE, T1, TAP1, T2, TAP2 }; // parameters
enum { COLLISION, TOP1, TOP2 };                                      // guards

static const double pi = 3.14159265358979323846;

// Touching, for a tap at the instant of a collision: the rounding of angles and much more.
static const double contact = 1e-12;

// ------------------------------------------------------------------------------------ the flow

static void accelerations(const double *p, const double *x, double *a)
{
    a[0] = -p[C1] / p[M1] * x[V1] - p[GRAVITY] / p[LENGTH] * foi_sin(x[Y1]);
    a[1] = -p[C2] / p[M2] * x[V2] - p[GRAVITY] / p[LENGTH] * foi_sin(x[Y2]);
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    dx[Y1] = x[V1];
    dx[Y2] = x[V2];
    accelerations(s->p, x, dx + V1);
    return FO_OK;
}

static double gap(const fo_state *s, const double *x)
{
    return x[Y1] - x[Y2] + 2 * pi * s->d[WINDING];
}

// How far gap is from its two ends; each is computed so that it is exact near its zero.
static double above(const fo_state *s, double y1_y2)
{
    return y1_y2 + 2 * pi * s->d[WINDING] - s->p[ANGLE];
}

static double below(const fo_state *s, double y1_y2)
{
    return 2 * pi * (1 - s->d[WINDING]) - s->p[ANGLE] - y1_y2;
}

// ---------------------------------------------------------------------------------- the guards

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)t;
    double y1_y2 = x[Y1] - x[Y2];
    g[COLLISION] = above(s, y1_y2) * below(s, y1_y2);
    g[TOP1] = (pi - x[Y1]) * (pi + x[Y1]);
    g[TOP2] = (pi - x[Y2]) * (pi + x[Y2]);
    return FO_OK;
}

typedef struct range {
    double lo, hi;
} range;

// Wider by more than the rounding of what computed it, and of the guards, where the products
// involved are no larger than `size`: fewer than 16 operations, each wrong by half an epsilon of
// it.
static range widened(range r, double size)
{
    double margin = 16 * 2.220446049250313e-16 * size;
    return margin < INFINITY ? (range){r.lo - margin, r.hi + margin} : (range){-INFINITY, INFINITY};
}

// (u - a)(b - u) for u in r: concave, largest at the middle of a and b.
static range parabola(range r, double a, double b)
{
    double middle = (a + b) / 2;
    double at_lo = (r.lo - a) * (b - r.lo), at_hi = (r.hi - a) * (b - r.hi);
    double top = r.lo < middle && middle < r.hi ? (b - a) * (b - a) / 4 : foi_fmax(at_lo, at_hi);
    double size = pi + fabs(a) + fabs(b) + fabs(r.lo) + fabs(r.hi);
    return widened((range){foi_fmin(at_lo, at_hi), top}, size * size);
}

// Its derivative (a + b - 2 u) u' for u' in du.
static range parabola_slope(range r, range du, double a, double b)
{
    double lo = a + b - 2 * r.hi, hi = a + b - 2 * r.lo;
    double c[4] = {lo * du.lo, lo * du.hi, hi * du.lo, hi * du.hi};
    double size =
        (pi + fabs(a) + fabs(b) + 2 * fabs(r.lo) + 2 * fabs(r.hi)) * (fabs(du.lo) + fabs(du.hi));
    return widened((range){foi_fmin(foi_fmin(c[0], c[1]), foi_fmin(c[2], c[3])),
                           foi_fmax(foi_fmax(c[0], c[1]), foi_fmax(c[2], c[3]))},
                   size);
}

static fo_status guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    const fo_bounds *x = &on->x, *dx = &on->dx, *g = &e->g, *dg = e->dg.lo ? &e->dg : NULL;
    (void)model;
    double turn = 2 * pi * s->d[WINDING], angle = s->p[ANGLE];
    const struct {
        range u, du;
        double a, b;
    } part[3] = {
        [COLLISION] = {{x->lo[Y1] - x->hi[Y2], x->hi[Y1] - x->lo[Y2]},
                       {dg ? dx->lo[Y1] - dx->hi[Y2] : 0, dg ? dx->hi[Y1] - dx->lo[Y2] : 0},
                       angle - turn,
                       2 * pi - turn - angle},
        [TOP1] = {{x->lo[Y1], x->hi[Y1]}, {dg ? dx->lo[Y1] : 0, dg ? dx->hi[Y1] : 0}, -pi, pi},
        [TOP2] = {{x->lo[Y2], x->hi[Y2]}, {dg ? dx->lo[Y2] : 0, dg ? dx->hi[Y2] : 0}, -pi, pi},
    };
    for (int i = 0; i < 3; i++) {
        range r = parabola(part[i].u, part[i].a, part[i].b);
        g->lo[i] = r.lo, g->hi[i] = r.hi;
        if (!dg) continue;
        r = parabola_slope(part[i].u, part[i].du, part[i].a, part[i].b);
        dg->lo[i] = r.lo, dg->hi[i] = r.hi;
    }
    return FO_OK;
}

// ----------------------------------------------------------------------------------- the jumps

static bool approaching(const fo_state *s)
{
    double closing = s->x[V2] - s->x[V1];
    return gap(s, s->x) < pi ? closing > 0 : closing < 0;
}

// Conservation of momentum and energy, equations (5.13) and (5.14) of the source.
static void collide(fo_state *s)
{
    double v1 = s->x[V1], v2 = s->x[V2], ratio = s->p[M2] / s->p[M1];
    s->x[V1] = ((1 - ratio) * v1 + 2 * ratio * v2) / (1 + ratio);
    s->x[V2] = (2 * v1 + (ratio - 1) * v2) / (1 + ratio);
    s->d[COLLISIONS]++;
}

// The pendulums meet at the bottom and are nearly at rest: the end of the motion.
static bool settled(const fo_state *s)
{
    double near = 0.75 * s->p[ANGLE];
    return fabs(s->x[Y1]) < near && fabs(s->x[Y2]) < near && fabs(s->x[V1]) < 0.25 &&
           fabs(s->x[V2]) < 0.25;
}

// An angle that leaves [-pi, pi] comes in at the other end; sign: how winding makes up for it.
static bool pass_top(fo_state *s, int y, int v, double sign)
{
    double turn = s->x[y] > 0 ? 1 : -1;
    if (!(s->x[v] * turn > 0)) return false;
    s->x[y] -= 2 * pi * turn;
    s->d[WINDING] += sign * turn;
    return true;
}

static void tap(fo_state *s, int v, double change)
{
    s->x[v] += change;
    double y1_y2 = s->x[Y1] - s->x[Y2];
    // Just after a collision the guard is still at zero and would not fire again.
    bool touching = foi_fmin(above(s, y1_y2), below(s, y1_y2)) < contact;
    if (touching && approaching(s)) collide(s);
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    const double *p = s->p;
    if (m->kind == FO_SCHEDULED) {
        bool first = m->index == 0;
        s->d[first ? GIVEN1 : GIVEN2] = p[first ? T1 : T2];
        tap(s, first ? V1 : V2, p[first ? TAP1 : TAP2]);
    } else if (m->kind == FO_EXTERNAL) {
        bool first = m->index == 0;
        tap(s, first ? V1 : V2, m->value / (p[first ? M1 : M2] * p[LENGTH]));
    } else if (m->kind == FO_GUARD && m->index == COLLISION) {
        // They part already where smallest_angle was raised from outside, or a tap came first.
        if (!approaching(s))
            e->unchanged = true;
        else if (settled(s))
            e->stop = true;
        else
            collide(s);
    } else if (m->kind == FO_GUARD) {
        bool first = m->index == TOP1;
        e->unchanged = !pass_top(s, first ? Y1 : Y2, first ? V1 : V2, first ? 1 : -1);
    }
    return FO_OK;
}

static double due(const fo_state *s, double t, double change, double given)
{
    return change != 0 && t >= 0 && t >= s->t && t > given ? t : INFINITY;
}

static fo_next next(const void *model, const fo_state *s)
{
    (void)model;
    double first = due(s, s->p[T1], s->p[TAP1], s->d[GIVEN1]);
    double second = due(s, s->p[T2], s->p[TAP2], s->d[GIVEN2]);
    return first <= second ? (fo_next){first, 0} : (fo_next){second, 1};
}

// ----------------------------------------------------------------------------------- the start

static fo_status check(const fo_state *s)
{
    const double *p = s->p, *x = s->x;
    if (!(p[M1] > 0)) return fo_refuse(s, "m1 must be positive, is %g", p[M1]);
    if (!(p[M2] > 0)) return fo_refuse(s, "m2 must be positive, is %g", p[M2]);
    if (!(p[C1] >= 0)) return fo_refuse(s, "c1 must not be negative, is %g", p[C1]);
    if (!(p[C2] >= 0)) return fo_refuse(s, "c2 must not be negative, is %g", p[C2]);
    if (!(p[LENGTH] > 0)) return fo_refuse(s, "l must be positive, is %g", p[LENGTH]);
    if (!(p[GRAVITY] >= 0)) return fo_refuse(s, "g must not be negative, is %g", p[GRAVITY]);
    if (!(p[ANGLE] >= 0 && p[ANGLE] < pi))
        return fo_refuse(s, "smallest_angle must lie in [0, pi), is %g", p[ANGLE]);
    if (!(fabs(x[Y1]) <= pi)) return fo_refuse(s, "y1 must lie in [-pi, pi], is %g", x[Y1]);
    if (!(fabs(x[Y2]) <= pi)) return fo_refuse(s, "y2 must lie in [-pi, pi], is %g", x[Y2]);
    return FO_OK;
}

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    fo_status status = check(s);
    if (status != FO_OK) return status;
    // On which side of two is one? Where they start at one point: on the side to which it moves.
    double side = s->x[Y1] - s->x[Y2], a[2];
    accelerations(s->p, s->x, a);
    if (side == 0) side = s->x[V1] - s->x[V2];
    if (side == 0) side = a[0] - a[1];
    s->d[WINDING] = side < 0 ? 1 : 0;
    double y1_y2 = s->x[Y1] - s->x[Y2];
    if (above(s, y1_y2) < 0 || below(s, y1_y2) < 0)
        return fo_refuse(s,
                         "the pendulums must start at least smallest_angle = %g apart; y1 = %g and "
                         "y2 = %g are not",
                         s->p[ANGLE], s->x[Y1], s->x[Y2]);
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)model, (void)t;
    const double *p = s->p;
    accelerations(p, x, y);
    y[2] = gap(s, x);
    double kinetic = p[M1] * x[V1] * x[V1] + p[M2] * x[V2] * x[V2];
    y[3] = p[LENGTH] * p[LENGTH] * kinetic / 2 +
           p[GRAVITY] * p[LENGTH] * (p[M1] * (1 - foi_cos(x[Y1])) + p[M2] * (1 - foi_cos(x[Y2])));
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .guards = guards,
    .guard_bounds = guard_bounds,
    .next = next,
    .jump = jump,
    .observe = observe,
};

static const fo_description about = {
    .name = "double-pendulum",
    .about = "two pendulums on one point that collide and can be tapped",
    .equations = "yn' = vn,  vn' = -cn/mn vn - g/l sin yn,  n = 1, 2\n"
                 "gap = y1 - y2 + 2 pi winding\n"
                 "when gap reaches smallest_angle or 2 pi - smallest_angle (r = m2/m1):\n"
                 "    v1 := ((1 - r) v1 + 2 r v2) / (1 + r)\n"
                 "    v2 := (2 v1 + (r - 1) v2) / (1 + r)\n"
                 "when yn leaves [-pi, pi]: yn := yn -+ 2 pi\n"
                 "at tn: vn := vn + tapn",
    .states = FO_VARIABLES({"y1", "rad", -2, "angle of one from straight down"},
                           {"y2", "rad", 2, "angle of two"},
                           {"v1", "rad/s", 0, "angular velocity of one"},
                           {"v2", "rad/s", 0, "angular velocity of two"}),
    .discretes = FO_VARIABLES({"winding", NULL, 0, "gap = y1 - y2 + 2 pi winding"},
                              {"collisions", NULL, 0, "so far"},
                              {"given1", "s", -1, "t1 of the tap that was given; -1: none"},
                              {"given2", "s", -1, "t2 of the tap that was given; -1: none"}),
    .outputs = FO_VARIABLES({"a1", "rad/s^2", 0, "angular acceleration of one"},
                            {"a2", "rad/s^2", 0, "angular acceleration of two"},
                            {"gap", "rad", 0, "from two to one, counterclockwise"},
                            {"energy", "J", 0, "of both, motion and height"}),
    .parameters = FO_VARIABLES({"m1", "kg", 0.5, "mass of one", FO_POSITIVE},
                               {"m2", "kg", 0.3, "mass of two", FO_POSITIVE},
                               {"c1", "kg/s", 0.1, "damping of one", FO_NOT_NEGATIVE},
                               {"c2", "kg/s", 0.1, "damping of two", FO_NOT_NEGATIVE},
                               {"l", "m", 0.5, "length of both", FO_POSITIVE},
                               {"g", "m/s^2", 9.8, "acceleration of gravity", FO_NOT_NEGATIVE},
                               {"smallest_angle", "rad", 0, "where the bobs touch, in [0, pi)"},
                               {"t1", "s", 0, "when one is tapped; negative: never"},
                               {"tap1", "rad/s", 0, "change of v1 by the tap; 0: no tap"},
                               {"t2", "s", 0, "when two is tapped; negative: never"},
                               {"tap2", "rad/s", 0, "change of v2 by the tap; 0: no tap"}),
    .guards = FO_GUARDS(
        {"collision", FO_FALLING,
         "gap <= smallest_angle or gap >= 2 pi - smallest_angle: exchange of momentum, or "
         "the end when both hang nearly at rest",
         .bounded = true},
        {"top1", FO_FALLING, "|y1| >= pi: y1 := y1 -+ 2 pi", .bounded = true},
        {"top2", FO_FALLING, "|y2| >= pi: y2 := y2 -+ 2 pi", .bounded = true}),
    .moments = FO_EVENTS({"timed_tap1", NULL, "at t1: v1 := v1 + tap1"},
                         {"timed_tap2", NULL, "at t2: v2 := v2 + tap2"}),
    .events = FO_EVENTS({"tap1", "kg m/s", "a tap on one with momentum p: v1 := v1 + p/(m1 l)"},
                        {"tap2", "kg m/s", "a tap on two with momentum p: v2 := v2 + p/(m2 l)"}),
    .pairs = 2,
};

static const char *const plot[] = {"y1", "y2", NULL};

extern const fo_compiled_model gallery_double_pendulum;
const fo_compiled_model gallery_double_pendulum = {
    .system = {&type, &about, NULL},
    .stop = 15,
    .interval = 0.02,
    .plot = plot,
};
