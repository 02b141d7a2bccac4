// The van der Pol oscillator with mu = 1000: slow drifts between sudden jumps, very stiff.
#include "van-der-pol/van-der-pol.h"

static const fo_description about = {
    .name = "van-der-pol-stiff",
    .about = "the van der Pol oscillator with mu = 1000: stiff",
    .equations = VAN_DER_POL_EQUATIONS,
    .states = VAN_DER_POL_STATES,
    .parameters = FO_VARIABLES({"mu", "1/s", 1000, "strength of the damping, >= 0"}),
    .pairs = 1,
    .stiff = true,
};

static const char *const plot[] = {"x", NULL};

extern const fo_compiled_model gallery_van_der_pol_stiff;
const fo_compiled_model gallery_van_der_pol_stiff = {
    .system = {&van_der_pol_type, &about, NULL},
    .stop = 2000,
    .interval = 4,
    .plot = plot,
};
