/// Every document of models/ as a unit, driven by the functions of the binary (tests/fmi/drive.h):
/// to be run under sanitizers as well.
#include "test.h"

#ifdef FOLIOT_UNIT // otherwise this build exports nothing

#include <glob.h>

#include "../fmi/drive.h"

TEST(every_document_is_driven)
{
    glob_t found = {0};
    int units = 0;
    REQUIRE(drive_load(FOLIOT_UNIT));
    REQUIRE(glob(FOLIOT_SOURCE_DIR "/models/*/*.mo", 0, NULL, &found) == 0);
    REQUIRE(glob(FOLIOT_SOURCE_DIR "/models/*/*.json", GLOB_APPEND, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        units += drive_document(found.gl_pathv[i], 0.01, 30);
    printf("  %d of %zu documents are units\n", units, found.gl_pathc);
    CHECK(units >= 50);
    globfree(&found);
}

#else

TEST(every_document_is_driven)
{
    printf("  no units are exported in this build\n");
}

#endif

TEST_MAIN(TEST_ENTRY(every_document_is_driven))
