/// First values: of several solutions the one nearest to the start values.
#include "program/newton.h"

fo_status foi_newton_nearest(foi_newton_state *w)
{
    foi_newton_place(w, 0);
    return foi_newton_iterate(w);
}
