/// Foliot: a simulator of things that flow and jump.
#ifndef FOLIOT_H
#define FOLIOT_H

#include "analysis.h"   // IWYU pragma: export
#include "checkpoint.h" // IWYU pragma: export
#include "desk.h"       // IWYU pragma: export
#include "diagram.h"    // IWYU pragma: export
#include "ensemble.h"   // IWYU pragma: export
#include "field.h"      // IWYU pragma: export
#include "fmi.h"        // IWYU pragma: export
#include "gnuplot.h"    // IWYU pragma: export
#include "language.h"   // IWYU pragma: export
#include "live.h"       // IWYU pragma: export
#include "memory.h"     // IWYU pragma: export
#include "model.h"      // IWYU pragma: export
#include "node.h"       // IWYU pragma: export
#include "process.h"    // IWYU pragma: export
#include "program.h"    // IWYU pragma: export
#include "random.h"     // IWYU pragma: export
#include "report.h"     // IWYU pragma: export
#include "share.h"      // IWYU pragma: export
#include "simulation.h" // IWYU pragma: export
#include "solver.h"     // IWYU pragma: export
#include "statistics.h" // IWYU pragma: export
#include "status.h"     // IWYU pragma: export
#include "structure.h"  // IWYU pragma: export
#include "system.h"     // IWYU pragma: export
#include "tdma.h"       // IWYU pragma: export
#include "threads.h"    // IWYU pragma: export
#include "trace.h"      // IWYU pragma: export
#include "version.h"    // IWYU pragma: export
#include "world.h"      // IWYU pragma: export

#endif
