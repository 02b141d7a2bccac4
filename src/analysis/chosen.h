/// Whether a system chooses its states while it runs.
#ifndef FOI_ANALYSIS_CHOSEN_H
#define FOI_ANALYSIS_CHOSEN_H

#include <foliot/system.h>

/// Its rates are computed on the constraints between them, along a way from the last point at which
/// it has settled: far from that they are expensive, or not to be had.
bool foi_system_chooses(fo_system system);

#endif
