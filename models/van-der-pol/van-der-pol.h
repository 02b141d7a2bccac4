/// The van der Pol oscillator, shared by its two gallery entries.
#ifndef GALLERY_VAN_DER_POL_H
#define GALLERY_VAN_DER_POL_H

#include "gallery.h"

/// States x and v, one parameter mu.
extern const fo_system_type van_der_pol_type;

#define VAN_DER_POL_EQUATIONS "x' = v\nv' = mu (1 - x^2) v - x"
#define VAN_DER_POL_STATES \
    FO_VARIABLES({"x", NULL, 2, "current, scaled"}, {"v", "1/s", 0, "its rate of change"})

#endif
