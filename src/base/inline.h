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

/// Functions that are seldom called: what calls them needs no registers and no room for what they
/// do, and they stand elsewhere in the program.
#define FOI_SELDOM __attribute__((noinline))
/// The same where a run ends, or nearly.
#define FOI_FAILING __attribute__((noinline, cold))

#endif
