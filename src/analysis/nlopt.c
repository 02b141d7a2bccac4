// NLopt, loaded when it is wanted: the library is used without being linked with it, so that
// nothing else needs it. Its interface in C has been the same since version 2.0; names of
// algorithms are known to it since 2.7.
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "analysis/optimize.h"
#include "base/memory.h"

typedef double function(unsigned n, const double *z, double *gradient, void *self);
typedef void functions(unsigned m, double *c, unsigned n, const double *z, double *gradient,
                       void *self);

/// What is used of it.
typedef struct nlopt {
    void *handle;
    void *(*create)(int algorithm, unsigned n);
    void (*destroy)(void *opt);
    int (*from_string)(const char *name);
    int (*optimize)(void *opt, double *z, double *f);
    int (*set_objective)(void *opt, function *f, void *self);
    int (*set_low)(void *opt, const double *low);
    int (*set_high)(void *opt, const double *high);
    int (*add_unequal)(void *opt, unsigned m, functions *c, void *self, const double *tolerance);
    int (*add_equal)(void *opt, unsigned m, functions *c, void *self, const double *tolerance);
    int (*set_xtol)(void *opt, double tolerance);
    int (*set_ftol)(void *opt, double tolerance);
    int (*set_maxeval)(void *opt, int most);
    int (*set_step)(void *opt, double step);
    int (*force_stop)(void *opt);
    void (*seed)(unsigned long seed);
    void (*version)(int *major, int *minor, int *patch);
} nlopt;

static bool find_all(nlopt *l)
{
    const struct {
        const char *name;
        void *to;
    } list[] = {
        {"nlopt_create", &l->create},
        {"nlopt_destroy", &l->destroy},
        {"nlopt_algorithm_from_string", &l->from_string},
        {"nlopt_optimize", &l->optimize},
        {"nlopt_set_min_objective", &l->set_objective},
        {"nlopt_set_lower_bounds", &l->set_low},
        {"nlopt_set_upper_bounds", &l->set_high},
        {"nlopt_add_inequality_mconstraint", &l->add_unequal},
        {"nlopt_add_equality_mconstraint", &l->add_equal},
        {"nlopt_set_xtol_abs1", &l->set_xtol},
        {"nlopt_set_ftol_rel", &l->set_ftol},
        {"nlopt_set_maxeval", &l->set_maxeval},
        {"nlopt_set_initial_step1", &l->set_step},
        {"nlopt_force_stop", &l->force_stop},
        {"nlopt_srand", &l->seed},
        {"nlopt_version", &l->version},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        void *found = dlsym(l->handle, list[i].name);
        if (!found) return false;
        memcpy(list[i].to, &found, sizeof found); // ISO C has no cast for it
    }
    return true;
}

static bool load(nlopt *l)
{
    static const char *const names[] = {"libnlopt.so.1", "libnlopt.so.0", "libnlopt.so",
                                        "libnlopt.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        l->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (l->handle && find_all(l)) return true;
        if (l->handle) dlclose(l->handle);
    }
    return false;
}

uint32_t fo_nlopt_version(void)
{
    nlopt l = {0};
    int major = 0, minor = 0, patch = 0;
    if (!load(&l)) return 0;
    l.version(&major, &minor, &patch);
    dlclose(l.handle);
    return (uint32_t)(10000 * major + 100 * minor + patch);
}

// --------------------------------------------------------------------------------------- callbacks

typedef struct job {
    foi_search *s;
    const nlopt *l;
    void *opt;
    bool equal; ///< which conditions
    struct job *other;
} job;

// A run that failed is worse than all that did not.
static double seen(const foi_search *s)
{
    if (!isnan(s->f)) return s->f;
    return isfinite(s->worst) ? s->worst + fabs(s->worst) + 1 : 1e300;
}

static double objective(unsigned n, const double *z, double *gradient, void *self)
{
    job *j = self;
    (void)n;
    bool good = gradient ? foi_search_slopes(j->s, z) : foi_search_look(j->s, z);
    if (good && gradient) good = foi_search_look(j->s, z);
    if (!good) j->l->force_stop(j->opt);
    if (gradient) memcpy(gradient, j->s->df, j->s->n * sizeof *gradient);
    return seen(j->s);
}

static void conditions(unsigned m, double *c, unsigned n, const double *z, double *gradient,
                       void *self)
{
    job *j = self;
    foi_search *s = j->s;
    unsigned at = 0;
    bool good = gradient ? foi_search_slopes(s, z) : true;
    if (good) good = foi_search_look(s, z);
    if (!good) j->l->force_stop(j->opt);
    for (size_t i = 0; i < s->m && at < m; i++) {
        if (s->equal[i] != j->equal) continue;
        if (gradient) memcpy(gradient + (size_t)at * n, s->dc + i * s->n, n * sizeof *gradient);
        c[at++] = s->c[i];
    }
}

static const struct {
    const char *name, *nlopt;
    bool slopes, conditions, equal;
} methods[] = {
    {"slsqp", "LD_SLSQP", true, true, true},    {"ccsaq", "LD_CCSAQ", true, true, false},
    {"cobyla", "LN_COBYLA", false, true, true}, {"bobyqa", "LN_BOBYQA", false, false, false},
    {"isres", "GN_ISRES", false, true, true},   {"crs", "GN_CRS2_LM", false, false, false},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

bool foi_method_uses_slopes(const char *name)
{
    for (size_t i = 0; i < METHODS; i++)
        if (strcmp(methods[i].name, name) == 0) return methods[i].slopes;
    return strcmp(name, "descent") == 0;
}

static size_t count(const foi_search *s, bool equal)
{
    size_t found = 0;
    for (size_t i = 0; i < s->m; i++) found += s->equal[i] == equal;
    return found;
}

static fo_status fits(const foi_search *s, size_t which, fo_message *why)
{
    const char *name = methods[which].name;
    bool global = methods[which].nlopt[0] == 'G', bounded = true;
    for (size_t i = 0; i < s->n; i++) bounded &= s->bounded[i];
    if (s->m && !methods[which].conditions)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the method %s takes no constraints; cobyla and slsqp do", name);
    if (count(s, true) && !methods[which].equal)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the method %s takes no equality constraints; cobyla and slsqp do", name);
    if (global && !bounded)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the method %s needs bounds for everything that is adjusted", name);
    if (s->n < 2 && strcmp(name, "bobyqa") == 0)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the method bobyqa needs two adjusted parameters or more");
    return FO_OK;
}

static fo_status set_up(const nlopt *l, void *opt, foi_search *s, job *unequal, job *equal,
                        bool global, double tolerance)
{
    double tolerances[256];
    size_t a = count(s, false), b = count(s, true);
    for (size_t i = 0; i < 256; i++) tolerances[i] = FOI_VIOLATION / 2;
    bool good = a <= 256 && b <= 256 && l->set_low(opt, s->low) > 0 &&
                l->set_high(opt, s->high) > 0 && l->set_objective(opt, objective, unequal) > 0;
    if (good && a) good = l->add_unequal(opt, (unsigned)a, conditions, unequal, tolerances) > 0;
    if (good && b) good = l->add_equal(opt, (unsigned)b, conditions, equal, tolerances) > 0;
    l->set_xtol(opt, tolerance);
    l->set_ftol(opt, 1e-15);
    l->set_step(opt, 0.1);
    uint64_t most = s->most < 1000000000 ? s->most : 1000000000;
    if (global && most > 400 * (s->n + 2)) most = 400 * (s->n + 2); // a local method goes on
    l->set_maxeval(opt, (int)most);
    l->seed((unsigned long)s->def->seed);
    return good ? FO_OK : FO_ERROR_MEMORY;
}

fo_status foi_nlopt(foi_search *s, const char *name, double tolerance, fo_message *why)
{
    nlopt l = {0};
    size_t which = 0;
    while (which < METHODS && strcmp(methods[which].name, name) != 0) which++;
    if (which == METHODS)
        return fo_fail(
            why, FO_ERROR_ARGUMENT,
            "there is no method '%s'; there are slsqp, ccsaq, cobyla, bobyqa, isres, crs, "
            "descent and line",
            name);
    fo_status status = fits(s, which, why);
    if (status != FO_OK) return status;
    if (!load(&l))
        return fo_fail(why, FO_ERROR_UNFIT,
                       "the method %s needs the library NLopt, 2.7 or later, which is not there "
                       "(Debian: libnlopt0)",
                       name);
    void *opt = l.create(l.from_string(methods[which].nlopt), (unsigned)s->n);
    double *z = foi_new(s->allocator, s->n + 1, sizeof *z), f;
    job unequal = {s, &l, opt, false, NULL}, equal = {s, &l, opt, true, NULL};
    status = opt && z
                 ? set_up(&l, opt, s, &unequal, &equal, methods[which].nlopt[0] == 'G', tolerance)
                 : FO_ERROR_MEMORY;
    if (status == FO_OK) {
        memcpy(z, s->z, s->n * sizeof *z);
        int result = l.optimize(opt, z, &f);
        status = s->ended != FO_OK           ? s->ended
                 : result > 0 && result != 5 ? FO_OK
                                             : FO_ERROR_CONVERGE;
    }
    if (status == FO_ERROR_MEMORY) fo_fail(why, status, "no memory for a search");
    foi_free(s->allocator, z);
    if (opt) l.destroy(opt);
    dlclose(l.handle);
    return status;
}
