/// The matrix of Staal's figure 11 (docs/sources.md): masses, stiffnesses and lengths.
#include <math.h>

#include "structure/structure.h"

static fo_status add_masses(fo_structure *s, const double *matrix, uint32_t n,
                            const double *positions, fo_message *why)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n && status == FO_OK; i++) {
        fo_structure_node node = {.mass = matrix[(size_t)i * n + i]};
        for (int k = 0; k < s->dim; k++)
            node.position[k] = positions[(size_t)i * (size_t)s->dim + (size_t)k];
        status = fo_structure_add_node(s, &node, NULL, why);
        if (status == FO_ERROR_ARGUMENT) fo_message_prefix(why, "row %u: ", i + 1);
    }
    return status;
}

fo_status fo_structure_add_matrix(fo_structure *s, const double *matrix, uint32_t n,
                                  const double *positions, fo_message *why)
{
    uint32_t first = s->nodes;
    fo_status status = add_masses(s, matrix, n, positions, why);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i && status == FO_OK; j++) {
            double k = matrix[(size_t)i * n + j], length = matrix[(size_t)j * n + i];
            if (k == 0 && length == 0) continue;
            fo_spring_def spring = {.a = first + j, .b = first + i, .k = k, .length = length};
            status = fo_structure_add_spring(s, &spring, NULL, why);
            if (status == FO_ERROR_ARGUMENT)
                fo_message_prefix(why, "row %u, column %u: ", i + 1, j + 1);
        }
    return status;
}

static fo_status unfit(fo_message *why, const char *what)
{
    return fo_fail(
        why, FO_ERROR_UNFIT,
        "the matrix has masses and springs with the energy 'squares' only: it cannot show %s",
        what);
}

fo_status fo_structure_matrix(const fo_structure *s, double *matrix, fo_message *why)
{
    size_t n = s->nodes;
    if (s->bend_count || s->volume_count || s->skin_count)
        return unfit(why, "bending, volumes and skins");
    for (size_t i = 0; i < n * n; i++) matrix[i] = 0;
    for (size_t i = 0; i < n; i++) matrix[i * n + i] = s->mass[i];
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *p = &s->springs[i];
        size_t low = p->a < p->b ? p->a : p->b, high = p->a < p->b ? p->b : p->a;
        if (p->energy != FO_SPRING_SQUARES) return unfit(why, "springs with the energy 'lengths'");
        if (matrix[high * n + low] != 0) return unfit(why, "two springs between the same nodes");
        matrix[high * n + low] = p->k;
        matrix[low * n + high] = p->d;
    }
    return FO_OK;
}
