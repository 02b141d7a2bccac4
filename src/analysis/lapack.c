// LAPACK's dgeevx: balanced, eigenvalues only. Its Fortran interface has been the same since 1992;
// lengths of character arguments follow the others, as compilers pass them.
#include "analysis/lapack.h"

#include <dlfcn.h>
#include <string.h>

#include "base/memory.h"

typedef void geevx(const char *balance, const char *left, const char *right, const char *sense,
                   const int *n, double *a, const int *lda, double *re, double *im, double *vl,
                   const int *ldvl, double *vr, const int *ldvr, int *low, int *high, double *scale,
                   double *norm, double *value_condition, double *vector_condition, double *work,
                   const int *size, int *iwork, int *info, size_t, size_t, size_t, size_t);

static void *load(geevx **function)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so",
                                        "liblapack.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        void *found = handle ? dlsym(handle, "dgeevx_") : NULL;
        memcpy(function, &found, sizeof found); // ISO C has no cast for it
        if (found) return handle;
        if (handle) dlclose(handle);
    }
    return NULL;
}

static int call(geevx *f, int n, double *a, double *re, double *im, double *work, int size)
{
    const int one = 1;
    int low, high, ignored = 0, info = 0;
    double norm, none = 0, *scale = work + size;
    f("B", "N", "N", "N", &n, a, &n, re, im, &none, &one, &none, &one, &low, &high, scale, &norm,
      &none, &none, work, &size, &ignored, &info, 1, 1, 1, 1);
    return info;
}

fo_status foi_lapack_eigenvalues(size_t n, double *a, double *re, double *im)
{
    enum { MOST = 20000, BLOCK = 64 };
    geevx *f;
    if (n == 0 || n > MOST) return FO_ERROR_UNFIT;
    void *handle = load(&f);
    if (!handle) return FO_ERROR_UNFIT;
    int size = (int)n * BLOCK;
    double *work = foi_new(NULL, (size_t)size + n + 1, sizeof *work);
    int info = work ? call(f, (int)n, a, re, im, work, size) : -1;
    foi_free(NULL, work);
    dlclose(handle);
    if (!work) return FO_ERROR_UNFIT;
    return info == 0 ? FO_OK : FO_ERROR_CONVERGE;
}
