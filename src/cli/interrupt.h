/// Ctrl-C: a run ends cleanly.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/// From now on the first SIGINT or SIGTERM is only noted; the next one ends the program as usual.
void interrupt_watch(void);
/// The signal that came; 0: none.
int interrupt_signal(void);

#endif
