/// One look at what is held from an instant on: what its parts share. See hold_look.c.
#ifndef FOI_LOOK_H
#define FOI_LOOK_H

#include "simulation/hold.h"

/// What may be held from this instant on.
typedef struct foi_look {
    foi_surface slide[FOI_MOST_HELD], rest[FOI_MOST_HELD];
    bool was_slide[FOI_MOST_HELD], was_rest[FOI_MOST_HELD];
    bool only_beside[FOI_MOST_HELD]; ///< slides only together with another guard
    bool passes[FOI_MOST_HELD];      ///< goes on by itself, and is looked at beside others
    bool ended[FOI_MOST_HELD], rest_ended[FOI_MOST_HELD]; ///< whose end was located here
    uint32_t slides, rests;
    foi_touching hop[FOI_MOST_RESTS]; ///< what is known of the contacts of `rest`
    foi_touch_list touch;             ///< all that may rest
    bool fired;                       ///< some of them had their jumps once more
    bool stuck;                       ///< the model cannot go on by itself
    double limit; ///< of impacts or crossings that accumulate; the present otherwise
    bool zeno;    ///< they do
    bool last;    ///< and the next ones could not be told from this one
    uint32_t zeno_guard;
} foi_look;
/// What the simulation has said so far, which attempts that fail may not change. Usually nothing,
/// and nothing is copied then: every event comes here.
typedef struct foi_said {
    bool nothing;
    fo_message message;
} foi_said;
/* hold_look.c */

void foi_look_keep_said(const struct fo_simulation *sim, foi_said *before);
void foi_look_say_again(struct fo_simulation *sim, const foi_said *before);
/// What cannot be evaluated where it is only tried does not hold anything.
fo_status foi_look_tried(struct fo_simulation *sim, const foi_said *before, fo_status status);
/// The jumps of this instant have left the states as they were.
bool foi_look_unmoved(const struct fo_simulation *sim);
/// Moments of guard i accumulate at `limit`, too.
bool foi_look_companion(const struct fo_simulation *sim, uint32_t i, double limit);
/// They accumulate, and nothing holds anything there.
fo_status foi_look_no_rest(foi_hold *h, const foi_look *l);

/* look_slide.c */

/// False when there are too many.
bool foi_look_add_slide(foi_look *l, uint32_t guard, int side, bool was);
fo_status foi_look_gather_slides(foi_hold *h, foi_look *l, bool start);
/// Which of the candidates are slid upon: h->surface, [0, slides).
fo_status foi_look_try_slides(foi_hold *h, foi_look *l);

/* look_rest.c */

/// A guard that has acted at this instant, or before and is still at zero, or accumulates; l may be
/// NULL.
bool foi_look_may_touch(const struct fo_simulation *sim, const foi_look *l, uint32_t i);
/// At the start: adds guard i to what touches if it is a contact that is closed there.
fo_status foi_look_touches_at_start(foi_hold *h, foi_look *l, uint32_t i);
/// Lets all impacts of the instant happen. *stop as in foi_happen.
fo_status foi_look_gather_rests(foi_hold *h, foi_look *l, bool start, bool *stop);
/// Which of the candidates rest: h->surface, after the slides.
fo_status foi_look_try_rests(foi_hold *h, foi_look *l);

#endif
