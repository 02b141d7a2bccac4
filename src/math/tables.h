/// The tables that tools/math_tables makes; what a row holds is said in tables.c.
#ifndef FOI_MATH_TABLES_H
#define FOI_MATH_TABLES_H

#include <stdint.h>

extern const double foi_exp_table[256];  ///< 128 rows of 2
extern const double foi_log_table[768];  ///< 256 rows of 3
extern const double foi_log2_table[512]; ///< 256 rows of 2
extern const double foi_trig_table[512]; ///< 128 rows of 4
extern const uint32_t foi_two_over_pi[40];
extern const double foi_atan_table[480]; ///< 160 rows of 3
extern const double foi_erf_table[44 * 14];
extern const double foi_erfcx_table[46 * 16];
extern const double foi_gamma_table[36 * 15];

#endif
