#include "program/walk.h"

void foi_loop_lines_run(void *self, double *r)
{
    const foi_loop_lines *l = self;
    for (uint32_t i = l->loop->begin; i < l->loop->end; i++) {
        const foi_instruction *x = &l->code->list[i];
        if (x->op == FOI_I_END) break;
        r[x->to] = foi_op_any((foi_op)x->op, r[x->a], r[x->b], r[x->c]);
    }
}

static void enlarge(size_t *most, size_t size)
{
    if (size > *most) *most = size;
}

foi_walk_room foi_walk_room_of(const foi_program *g)
{
    foi_walk_room room = {.registers = g->layout.total};
    for (int task = 0; task < FOI_TASKS; task++) {
        const foi_code *code = &g->codes[task];
        enlarge(&room.registers, code->registers);
        enlarge(&room.newton, code->newton);
        enlarge(&room.lines, code->all);
        for (uint32_t i = 0; i < code->loop_count; i++)
            enlarge(&room.unknowns, code->loops[i].count);
    }
    return room;
}
