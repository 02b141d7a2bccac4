#include <foliot/version.h>

const char *fo_version(void)
{
    return FO_VERSION;
}
