/// Matrices of numbers in files of other programs, read from their bytes: tables in text, columns
/// with a delimiter between them, and MAT-files of MATLAB (versions 4, 6 and 7).
#ifndef FOI_MATRIX_H
#define FOI_MATRIX_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct foi_matrix_file {
    const char *name; ///< how it ends says what it is: .mat, .csv, or else a text with `#1`
    const char *bytes;
    size_t length;
    char delimiter;   ///< of .csv; 0: a comma
    uint32_t skipped; ///< lines of .csv before the first row
} foi_matrix_file;

typedef struct foi_matrix {
    uint32_t rows, columns;
    const double *items; ///< row by row, in the arena
    uint32_t longer;     ///< the line of a text at which numbers follow that it is not said to have
} foi_matrix;

/// Reads the matrix of that name; "a.b" is field b of structure a of a MAT-file, and a .csv has one
/// only, whatever its name. False with a message. Every number is finite, and takes at least a byte
/// of the file or of what that unpacks to (at most 256 MiB).
bool foi_matrix_read(const foi_matrix_file *file, const char *name, foi_arena *arena,
                     foi_matrix *matrix, fo_message *why);

/* matrix_mat.c */

bool foi_matrix_read_mat(const foi_matrix_file *file, const char *name, foi_arena *arena,
                         foi_matrix *matrix, fo_message *why);

#endif
