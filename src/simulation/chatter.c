/// A run that takes for ever says why.
///
/// A relay behind a fast lag, der(x) = u, der(u) = -1e6*(u - (if x > 0 then -1 else 1)), switches
/// every microsecond for good: that is its solution, a limit cycle, and not time that creeps. It is
/// followed to its end, but whoever waits for that is told which guard it is, how often it
/// switches, and what helps. Nothing is changed by it.
#include <math.h>

#include "simulation/internal.h"

void foi_chatter_note(fo_simulation *sim, const fo_moment *m)
{
    foi_chatter *c = &sim->chatter;
    double t = sim->state.s.t, scale = foi_run_scale(&sim->def);
    bool near = c->count && t - c->last <= 1e-6 * scale;
    if (!near) c->from = t, c->count = 0;
    c->last = t, c->count++;
    if (c->said || c->count < FOI_CHATTER_MANY || !(t > c->from)) return;
    c->said = true;
    double rate = c->count / (t - c->from), rest = (sim->def.stop - t) * rate;
    fo_note(&sim->state.s,
            "'%s' chatters: %d moments in a row from t = %.9g to t = %.9g, %.3g a second; if that "
            "goes on, %.3g more will follow. Where what is fast behind the switch does not matter, "
            "leave it out: the solution then slides. Otherwise give the switch a width "
            "(hysteresis, or a slope between its two values)",
            m->name, FOI_CHATTER_MANY, c->from, t, rate, rest);
}
