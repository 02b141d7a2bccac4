/// Replications on several ranks.
#ifndef FOI_ENSEMBLE_RANKS_H
#define FOI_ENSEMBLE_RANKS_H

#include <foliot/ensemble.h>

/// fo_replicate where the definition has ranks.
fo_status foi_replicate_on_ranks(const fo_replicate_def *def, fo_message *why);

#endif
