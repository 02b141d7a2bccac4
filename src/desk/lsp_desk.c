// A language server and its desk: requests, and what comes back.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "desk/lsp.h"

foi_json_writer foi_lsp_ask(const fo_lsp *l, const char *what)
{
    foi_json_writer w = {.allocator = l->allocator};
    foi_json_open(&w, NULL, '{', true);
    foi_json_put_text(&w, "do", what);
    return w;
}

// All that the desk has said, into l->said.
static void take_all(fo_lsp *l)
{
    enum { SOME = 65536 };
    for (size_t got = 1; got;) {
        if (!foi_array_room(l->allocator, &l->said, &l->said_room, l->said_used + SOME, 1)) return;
        got = fo_desk_take(l->desk, l->said + l->said_used, SOME);
        l->said_used += got;
    }
}

// Reads the lines that are whole. The answer to request `id`, if it is there; to be destroyed.
static foi_json *hear(fo_lsp *l, double id)
{
    foi_json *found = NULL;
    take_all(l);
    const char *at = l->said, *end = l->said + l->said_used;
    for (const char *stop; at < end && (stop = memchr(at, '\n', (size_t)(end - at)));
         at = stop + 1) {
        foi_json_def def = {
            .name = "desk", .text = at, .length = (size_t)(stop - at), .allocator = l->allocator};
        foi_json *line = foi_json_read(&def, NULL);
        const foi_json_value *root = line ? foi_json_root(line) : NULL;
        const char *on = root ? foi_lsp_text(root, "on") : NULL;
        if (on && strcmp(on, "diagnostics") == 0) foi_lsp_publish(l, root);
        if (root && !on && !found && foi_lsp_number(root, "id") == id) {
            found = line;
            continue;
        }
        if (root && !on) foi_lsp_answer(l, root);
        foi_json_destroy(line);
    }
    if (at != l->said) memmove(l->said, at, (size_t)(end - at));
    l->said_used = (size_t)(end - at);
    return found;
}

void foi_lsp_hear(fo_lsp *l)
{
    foi_json_destroy(hear(l, NAN));
}

double foi_lsp_give(fo_lsp *l, foi_json_writer *request)
{
    double id = ++l->ids;
    foi_json_put_number(request, "id", id);
    foi_json_close(request, '}');
    size_t given = request->failed ? request->length : 0;
    while (given < request->length) {
        size_t taken = fo_desk_give(l->desk, request->text + given, request->length - given);
        if (!taken) break;
        given += taken;
    }
    bool whole = !request->failed && given == request->length;
    foi_json_writer_destroy(request);
    return whole ? id : NAN;
}

foi_json *foi_lsp_call(fo_lsp *l, foi_json_writer *request)
{
    double id = foi_lsp_give(l, request);
    if (isnan(id)) return NULL;
    // one unit at a time: messages, and what is asked of texts before all other work
    foi_json *answer = NULL;
    fo_desk_state state = FO_DESK_MORE;
    while (!answer && state != FO_DESK_IDLE) {
        state = fo_desk_work(l->desk, 0, 1);
        answer = hear(l, id);
    }
    return answer;
}
