/// Ctrl-C: a run ends cleanly.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/// From now on the first SIGINT or SIGTERM is only noted; the next one ends the program as usual.
void interrupt_watch(void);
/// From now on the program ends 0.15 s after such a signal, wherever it is, unless interrupt_obeyed
/// is called before: the signal was seen, and files are being closed.
void interrupt_insist(void);
void interrupt_obeyed(void);
/// The signal that came; 0: none.
int interrupt_signal(void);

#endif
