/// Functions that are written once and compiled for each constant with which they are called: a
/// tableau, a number of states, an operation. A small build (FOI_SMALL: what is sent over a
/// network) has one code for all of them, with the same bits; so has one under sanitizers
/// (FOI_SANITIZED), whose checks would otherwise be expanded with every constant.
#ifndef FOI_INLINE_H
#define FOI_INLINE_H

#if defined FOI_SMALL || defined FOI_SANITIZED
#define FOI_INLINE static inline
#else
#define FOI_INLINE static inline __attribute__((always_inline))
#endif

#endif
