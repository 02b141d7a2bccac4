/// The small built-in library: constants, units and functions under the names that many models
/// use. A library found in a folder takes its place.
#ifndef FOI_LIBRARY_H
#define FOI_LIBRARY_H

/// The text in pieces, ended with NULL.
extern const char *const foi_library_texts[];

/// Functions that answer external ones of the library, in the package __Foliot_External; the same.
extern const char *const foi_answer_texts[];

#endif
