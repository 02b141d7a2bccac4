/// Doubles as the shortest decimal text that reads back to the same bits, fast.
#ifndef FOI_DECIMAL_H
#define FOI_DECIMAL_H

#include <stdint.h>

enum {
    FOI_POWER_MIN = -292, ///< the smallest power of ten that a double asks for
    FOI_POWER_MAX = 324,
    FOI_POWERS = FOI_POWER_MAX - FOI_POWER_MIN + 1,
    FOI_DECIMAL_SIZE = 32, ///< room for any number's text and its final 0
};

/// The powers of ten in 126 bits: 10^e = (high * 2^63 + low) * 2^r, rounded up.
typedef struct foi_powers {
    uint64_t high[FOI_POWERS], low[FOI_POWERS];
} foi_powers;

/// Computes the table; takes about a tenth of a millisecond.
void foi_powers_fill(foi_powers *powers);

/// Writes `value` into `text` (FOI_DECIMAL_SIZE bytes): "0.1", "-1e-9", "nan", "inf", "-inf".
/// Returns the length.
int foi_decimal_text(const foi_powers *powers, double value, char *text);

#endif
