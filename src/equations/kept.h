/// Functions of the language that stay functions; see kept.c.
#ifndef FOI_KEPT_H
#define FOI_KEPT_H

#include "equations/flat.h"
#include "equations/outside.h"

/// May it be one operation, and is it worth it? Once all bodies are made.
bool foi_may_stay(foi_flat_function *f);
/// Does it mean nothing but its arguments?
bool foi_is_pure(foi_flat_function *f);
/// Carries it out.
foi_own_function foi_kept_call;
/// Its derivative: of all inputs and the derivatives of those that are Real, all results that are.
foi_own_function foi_kept_rate;
/// The same, but where it searches, or calls what does: good for the pace of Newton's method.
foi_own_function foi_kept_pace;
/// Those that may do stay from now on: what is known about their derivatives is that.
void foi_let_stay(const foi_flat *flat);

#endif
