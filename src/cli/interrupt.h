/// Ctrl-C: a run ends cleanly.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/// From now on the first SIGINT or SIGTERM is noted, and the program ends 0.1 to 0.16 s after it,
/// wherever it is, unless interrupt_obeyed is called before: the signal was seen, and files are
/// being closed. The next such signal ends the program as usual.
void interrupt_watch(void);
void interrupt_obeyed(void);
/// All is computed and gets written: a signal waits for that, and the next one ends the program.
void interrupt_writing(void);
/// What is to be done where the program is ended so; it may do only what a signal may.
void interrupt_leave_by(void (*leave)(void));
/// The signal that came; 0: none.
int interrupt_signal(void);
/// Whether one came more than so many seconds ago.
bool interrupt_overdue(double seconds);

#endif
