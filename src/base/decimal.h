/// Doubles as the shortest decimal text that reads back to the same bits, fast.
#ifndef FOI_DECIMAL_H
#define FOI_DECIMAL_H

enum { FOI_DECIMAL_SIZE = 32 }; ///< room for any number's text and its final 0

/// Writes `value` into `text` (FOI_DECIMAL_SIZE bytes): "0.1", "-1e-9", "nan", "inf", "-inf".
/// Returns the length.
int foi_number_text(double value, char *text);

#endif
