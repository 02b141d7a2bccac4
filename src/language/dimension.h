/// The dimension of a unit: exponents of m, kg, s, A, K, mol and cd. Scales and offsets (mm, degC)
/// do not matter, and rad, sr and "1" have none of them.
#ifndef FOI_DIMENSION_H
#define FOI_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>

enum { FOI_UNIT_BASES = 7 };

typedef struct foi_dimension {
    bool known; ///< false: of what has no unit, or one that cannot be read
    double e[FOI_UNIT_BASES];
    const char *text; ///< as it was declared, if it was; otherwise NULL
} foi_dimension;

/// "kg.m/s2"; NULL or what cannot be read gives an unknown one. The text is borrowed.
foi_dimension foi_read_unit(const char *text);
/// As it was declared, or else written into `text`: "m.kg/s2".
const char *foi_unit_text(const foi_dimension *u, char *text, size_t size);
bool foi_same_dimension(const foi_dimension *a, const foi_dimension *b);

#endif
