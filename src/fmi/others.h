/// What a group was made of, for whoever goes on with a run of it.
#ifndef FOI_FMU_OTHERS_H
#define FOI_FMU_OTHERS_H

#include <foliot/fmi.h>

/// The hash of all files beside the document that the group was made of: units, parameter sets.
fo_status foi_group_others(const fo_fmu_group *group, uint64_t *hash, fo_message *why);

#endif
