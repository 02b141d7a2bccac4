/// Keys of the live view: each becomes a line as on standard input.
#ifndef CLI_LIVE_KEYS_H
#define CLI_LIVE_KEYS_H

#include <foliot/foliot.h>
#include <stdbool.h>
#include <termios.h>

enum { KEYS_LINE = 128 };

typedef struct keys {
    fo_system system;
    bool raw; ///< the terminal gives single keys
    struct termios before;
    double strength;     ///< of events
    fo_reference *items; ///< parameters and inputs that can be changed in a run; owned
    uint32_t count;      ///< of them
    uint32_t selected;   ///< one of them
    double *values;      ///< as they were set last; owned
    size_t pending_used; ///< letters of an escape sequence so far
} keys;

/// Asks the terminal for single keys. `state` gives the parameters' values.
bool keys_begin(keys *k, fo_system system, const fo_state *state);
/// Gives it back as it was.
void keys_end(keys *k);
/// The same for a while, and back.
void keys_rest(keys *k);
bool keys_wake(keys *k);

/// One byte from the terminal. True when `line` (KEYS_LINE bytes) is something to be told.
/// `speed` is the present one.
bool keys_take(keys *k, char byte, double speed, char *line);

/// "m [kg] = 0.4 |---o---|" in at most `width` columns; "" where nothing can be changed. Returns
/// `text`.
const char *keys_slider(const keys *k, int width, char *text, size_t size);

#endif
