// The distributed run against the same field on one machine.
#include <math.h>

#include "cluster/slots/master.h"
#include "field/field.h"

static void compare_row(const fo_tdma_master *m, const foi_tdma_part *single, uint64_t cycle,
                        fo_tdma_error *errors)
{
    const double *row = fo_tdma_master_row(m, cycle);
    for (uint32_t i = 0; i < m->field->def.probe_count; i++) {
        double value = NAN;
        foi_tdma_part_probe(single, i, &value);
        errors[i].largest = fmax(errors[i].largest, fabs(value));
        if (isnan(row[i])) {
            errors[i].missing++;
            continue;
        }
        double error = fabs(row[i] - value);
        errors[i].worst = fmax(errors[i].worst, error);
        errors[i].mean += error * error;
    }
}

fo_status fo_tdma_master_compare(const fo_tdma_master *m, fo_tdma_error *errors, fo_message *why)
{
    uint32_t parts[3] = {1, 1, 1};
    foi_tdma_share all;
    fo_status status = foi_tdma_partition(m->field, 1, parts, &all, why);
    if (status) return status;
    foi_tdma_part *single =
        foi_tdma_part_create(m->field, &all, m->plan.step, m->def.allocator, why);
    if (!single) return FO_ERROR_MEMORY;
    for (uint32_t i = 0; i < m->field->def.probe_count; i++) errors[i] = (fo_tdma_error){0};
    for (uint64_t cycle = 0; cycle <= m->cycles && !status; cycle++) {
        compare_row(m, single, cycle, errors);
        for (uint32_t i = 0; i < m->plan.steps && cycle < m->cycles && !status; i++)
            status = foi_tdma_part_advance(single, why);
    }
    for (uint32_t i = 0; i < m->field->def.probe_count; i++) {
        double rows = (double)(m->cycles + 1 - errors[i].missing);
        errors[i].mean = rows > 0 ? sqrt(errors[i].mean / rows) : 0;
    }
    foi_tdma_part_destroy(single);
    return status;
}
