// What a page looks at besides rows: all states of a live model, a text as the engine sees it; and
// how programs are run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"
#include "language/language.h"

// ------------------------------------------------------------------------------------ live states

enum { MOST_STATES = 1 << 17 }; // of one answer: a megabyte

static bool read_part(foi_desk_request *q, uint32_t states, uint32_t *from, uint32_t *count)
{
    double first = foi_desk_whole(q, "from", 0, 0, states);
    double many = foi_desk_whole(q, "count", states - first, 0, FOI_DESK_MOST);
    if (many > states - first)
        foi_desk_refuse(q, "argument",
                        "\"from\" and \"count\" must lie within the model's %u states", states);
    else if (many > MOST_STATES)
        foi_desk_refuse(q, "limit", "more than %d states: ask for a part of them", MOST_STATES);
    if (foi_desk_refused(q)) return false;
    *from = (uint32_t)first, *count = (uint32_t)many;
    return true;
}

// One row: the time, then the states of the part. Fields have far more of them than signals.
void foi_desk_look(foi_desk_request *q)
{
    const fo_allocator *a = q->desk->allocator;
    foi_desk_live *l = foi_desk_find_live(q);
    if (!l) return;
    fo_simulation *sim = fo_live_simulation(l->live);
    uint32_t from, count;
    uint32_t states = fo_simulation_state(sim)->shape.states;
    if (!read_part(q, states, &from, &count)) return;
    uint32_t *signals = foi_new(a, (size_t)count + 1, sizeof *signals);
    double *values;
    if (signals) {
        signals[0] = UINT32_MAX;
        for (uint32_t i = 0; i < count; i++) signals[i + 1] = from + i;
        foi_frame f = {.kind = FOI_FRAME_LIVE,
                       .handle = l->handle,
                       .first = from,
                       .columns = count + 1,
                       .rows = 1,
                       .signals = signals};
        q->frame = foi_frame_create(a, &f, &values, &q->frame_size);
    }
    foi_free(a, signals);
    if (!q->frame) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    values[0] = fo_simulation_time(sim);
    for (uint32_t i = 0; i < count; i++)
        values[i + 1] = fo_simulation_value(sim, (fo_reference){FO_STATE, from + i});
    foi_desk_put(&q->answer, "t", values[0]);
    foi_json_put_number(&q->answer, "states", states);
}

// ------------------------------------------------------------------------------- views of a text

static const struct {
    const char *name;
    fo_text_view view;
} views[] = {{"flat", FO_TEXT_EQUATIONS}, {"sorted", FO_TEXT_SORTED}, {"c", FO_TEXT_C}};

static void print_view(foi_desk_request *q, const fo_text_model *text, fo_text_view view)
{
    foi_flat_writer page = {.allocator = q->desk->allocator,
                            .most = q->desk->def.output / 4,
                            .go_on = foi_desk_go_on,
                            .go_on_self = q->desk};
    bool may = foi_desk_anywhere(q->desk, true);
    fo_status status = foi_text_model_write(text, view, &page, &q->why);
    if (status == FO_OK) foi_json_put_text(&q->answer, "text", page.text);
    foi_desk_anywhere(q->desk, may);
    if (page.exceeded)
        foi_desk_refuse(q, "limit", "it has more than %zu bytes, too many for one answer",
                        page.most);
    else if (status != FO_OK)
        foi_desk_fail(q, status);
    foi_free(q->desk->allocator, page.text);
}

// The flat model, the order of solution, or the program as C.
void foi_desk_view(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    const char *name = foi_desk_text(q, "view");
    size_t i = 0;
    while (name && i < FO_COUNT(views) && strcmp(views[i].name, name) != 0) i++;
    if (!name || i == FO_COUNT(views))
        foi_desk_refuse(q, "argument", "\"view\" must be flat, sorted or c");
    if (!d || foi_desk_refused(q)) return;
    foi_desk_model *m = foi_desk_model_of(q->desk, d);
    if (!m)
        foi_desk_fail(q, FO_ERROR_MEMORY);
    else if (fo_failed(fo_model_status(m->model)))
        foi_desk_refuse_model(q, m);
    else if (!fo_model_text(m->model))
        foi_desk_refuse(q, "unfit", "only Modelica texts (*.mo) have this view");
    else if (foi_desk_model_enter(q->desk, m)) {
        foi_desk_model_share(m);
        print_view(q, fo_model_text(m->model), views[i].view);
        foi_desk_model_exit(m);
        foi_desk_model_leave(q->desk, m);
    }
}

// ------------------------------------------------------------------------------------- programs

// The bits are the same either way.
void foi_desk_program(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    const char *way = foi_desk_text(q, "way");
    bool machine = way && strcmp(way, "machine") == 0;
    if (!machine && (!way || strcmp(way, "bytecode") != 0))
        foi_desk_refuse(q, "argument", "\"way\" must be bytecode or machine");
    if (foi_desk_refused(q)) return;
    fo_way wanted = machine ? FO_WAY_AUTO : FO_WAY_BYTECODE;
    if (wanted != desk->way)
        for (size_t i = 0; i < desk->document_count; i++)
            desk->documents[i]->dirty = desk->documents[i]->unheard = true;
    desk->way = wanted;
    foi_json_put_text(&q->answer, "way", way);
}
