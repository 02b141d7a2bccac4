/// A node's part of the field, carried step by step between exchanges of its faces.
#ifndef FOI_TDMA_SHARE_H
#define FOI_TDMA_SHARE_H

#include "cluster/slots/partition.h"

typedef struct foi_tdma_part foi_tdma_part;

/// NULL on failure.
foi_tdma_part *foi_tdma_part_create(const fo_field *whole, const foi_tdma_share *share, double step,
                                    const fo_allocator *allocator, fo_message *why);
void foi_tdma_part_destroy(foi_tdma_part *part);

/// Numbers of a node that its neighbours read: one for leapfrog without internal damping, all of
/// its states otherwise.
uint32_t foi_tdma_variables(const fo_field *f);
/// Where between two steps a halo is wanted: 0 at the step's start, 1 at its end.
double foi_tdma_halo_moment(const fo_field *f);

/// Numbers that go over a side.
uint32_t foi_tdma_face_size(const foi_tdma_part *part, int side);
void foi_tdma_face_get(const foi_tdma_part *part, int side, double *values);
void foi_tdma_halo_put(foi_tdma_part *part, int side, const double *values);
/// One step.
fo_status foi_tdma_part_advance(foi_tdma_part *part, fo_message *why);
/// The value of a probe of the whole field; false when the part does not own its node.
bool foi_tdma_part_probe(const foi_tdma_part *part, uint32_t probe, double *value);
uint32_t foi_tdma_part_nodes(const foi_tdma_part *part);

#endif
