#include "fmi/fall.h"

#include <math.h>
#include <string.h>

enum { STEADY = 6 };

static foi_fall *falls_of(const fo_fmu *f, const fo_state *s)
{
    const foi_unit *u = &f->unit;
    return (foi_fall *)(void *)(foi_fmu_bytes((fo_fmu *)f, s) + 2 * f->room +
                                (u->u.values + 2 * (size_t)u->y.values + u->p.values) *
                                    sizeof(double));
}

size_t foi_fall_size(const fo_fmu *f)
{
    bool flows = !f->unit.cosimulation && !f->unit.scheduled;
    return flows ? f->unit.about.indicators * sizeof(foi_fall) : 0;
}

void foi_fall_begin(fo_fmu *f, const fo_state *s)
{
    foi_fall *list = falls_of(f, s);
    for (uint32_t i = 0; i < f->unit.about.indicators; i++)
        list[i] = (foi_fall){.last = s->t, .ratio = INFINITY, .check = INFINITY};
}

static void count(foi_fall *c, double t, int way)
{
    if (c->way != way) *c = (foi_fall){.last = t, .ratio = INFINITY, .way = way};
    c->check = INFINITY;
    double interval = t - c->last;
    if (!(interval > 0)) return;
    double ratio = c->interval > 0 ? interval / c->interval : INFINITY;
    bool steady = ratio < 0.9999 && fabs(ratio - c->ratio) <= 0.25 * ratio;
    c->steady = steady ? c->steady + 1 : 0;
    c->last = t, c->interval = interval, c->ratio = ratio;
}

// How fast the indicators change after the event, by a difference over a small part of the hop.
static fo_status arm(fo_fmu *f, fo_state *s, uint32_t i)
{
    foi_unit *u = &f->unit;
    foi_fall *c = &falls_of(f, s)[i];
    double by = c->interval / 256, *x = u->work;
    fo_status status = foi_fmu_look(f, s, s->t, s->x);
    if (status != FO_OK) return status;
    double z = u->guards[i];
    for (uint32_t k = 0; k < u->x.values; k++) x[k] = s->x[k] + by * u->rates[k];
    status = foi_fmu_look(f, s, s->t + by, x);
    double slope = (u->guards[i] - z) / by;
    if (status != FO_OK || !(c->way * z >= 0) || !(c->way * slope < 0)) return status;
    c->z = z, c->reach = 0.125 * fabs(slope) * c->interval;
    c->check = s->t + 2 * c->interval;
    return status;
}

fo_status foi_fall_note(fo_fmu *f, fo_state *s, const fo_moment *m, bool jumped)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < m->with_count && status == FO_OK; k++) {
        uint32_t i = m->with[k].guard;
        int way = m->with[k].direction == FO_RISING ? 1 : -1;
        if (i >= f->unit.about.indicators) continue;
        foi_fall *c = &falls_of(f, s)[i];
        if (!jumped) { // on its way back, or of another kind
            c->check = INFINITY;
            continue;
        }
        count(c, s->t, way);
        if (c->steady >= STEADY) status = arm(f, s, i);
    }
    return status == FO_RETRY ? FO_OK : status;
}

double foi_fall_next(const fo_fmu *f, const fo_state *s)
{
    const foi_fall *list = falls_of(f, s);
    double t = INFINITY;
    for (uint32_t i = 0; i < f->unit.about.indicators; i++) t = fmin(t, list[i].check);
    return t;
}

fo_status foi_fall_check(fo_fmu *f, fo_state *s)
{
    foi_fall *list = falls_of(f, s);
    fo_status status = foi_fmu_look(f, s, s->t, s->x);
    for (uint32_t i = 0; i < f->unit.about.indicators && status == FO_OK; i++) {
        foi_fall *c = &list[i];
        if (!(c->check <= s->t)) continue;
        c->check = INFINITY, c->steady = 0;
        if (!(c->way * (f->unit.guards[i] - c->z) > c->reach)) continue;
        return fo_refuse(s,
                         "%s: moments of indicator[%u] accumulate, and after the last one at t = "
                         "%.15g the FMU goes on behind its zero; stop before, or let the unit rest",
                         f->unit.about.file, i + 1, c->last);
    }
    return status;
}
