/// terminalsAndIcons/ of an exported unit.
#ifndef CLI_FMU_TERMINALS_H
#define CLI_FMU_TERMINALS_H

#include <foliot/system.h>

/// terminalsAndIcons.xml: the icon, and a terminal for each power port: an input NAME with an
/// output NAME.flow or NAME.effort, as structures have them. NULL: no memory.
char *fmu_terminals(fo_system system);
/// The icon: a foliot, 64 x 64 points.
extern const unsigned char fmu_icon[127];
extern const char fmu_icon_drawn[];

#endif
