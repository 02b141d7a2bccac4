// There is no NLopt in a page.
#include <string.h>

#include "analysis/optimize.h"

uint32_t fo_nlopt_version(void)
{
    return 0;
}

bool foi_method_uses_slopes(const char *name)
{
    return strcmp(name, "descent") == 0 || strcmp(name, "slsqp") == 0 || strcmp(name, "ccsaq") == 0;
}

fo_status foi_nlopt(foi_search *s, const char *name, double tolerance, fo_message *why)
{
    (void)s, (void)tolerance;
    return fo_fail(why, FO_ERROR_UNFIT, "the method %s needs the library NLopt, which is not here",
                   name);
}
