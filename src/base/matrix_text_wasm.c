// There are no files of others in a page.
#include "base/matrix.h"

bool foi_matrix_read(const foi_matrix_file *file, const char *name, foi_arena *arena,
                     foi_matrix *matrix, fo_message *why)
{
    (void)name, (void)arena, (void)matrix;
    fo_fail(why, FO_ERROR_UNFIT, "'%s' cannot be read here", file->name);
    return false;
}
