/// The version: of these headers, and of the library that a program runs with.
#ifndef FOLIOT_VERSION_H
#define FOLIOT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/// Before 1.0 a new minor version may change the interface; the library's soname has it.
#define FO_VERSION_MAJOR 0
#define FO_VERSION_MINOR 2
#define FO_VERSION_PATCH 0
#define FO_VERSION       "0.2.0"

/// The version of the library at run time, as FO_VERSION is written. A program that was compiled
/// with other headers than its library's can tell by comparing the two.
const char *fo_version(void);

#ifdef __cplusplus
}
#endif
#endif
