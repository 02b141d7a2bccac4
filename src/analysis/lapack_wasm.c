// There is no LAPACK in a page.
#include "analysis/lapack.h"

fo_status foi_lapack_eigenvalues(size_t n, double *a, double *re, double *im)
{
    (void)n, (void)a, (void)re, (void)im;
    return FO_ERROR_UNFIT;
}
