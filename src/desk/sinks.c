#include "desk/sinks.h"

#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"
#include "model/model.h"

#ifndef FOI_COROUTINE_ASYNCIFY
// The C library is not left in the middle.
static fo_status write_row(void *self, const fo_row *row, fo_message *why)
{
    const foi_sinks *s = self;
    bool may = foi_desk_anywhere(s->desk, false);
    fo_status status = s->model ? s->observer.row(s->observer.self, row, why) : FO_OK;
    foi_desk_anywhere(s->desk, may);
    return status;
}

static bool writes(const foi_sinks *s, const char *path)
{
    for (size_t i = 0; s->model && i < s->count; i++)
        if (strcmp(s->paths[i], path) == 0) return true;
    return false;
}

// Two would write over each other.
static void refuse_written(foi_desk_request *q, const char *path)
{
    const fo_desk *desk = q->desk;
    for (size_t i = 0; i < desk->run_count; i++)
        if (writes(&desk->runs[i]->sinks, path)) {
            foi_desk_refuse(q, "input", "run %llu writes the file '%.200s', and is not over",
                            (unsigned long long)desk->runs[i]->handle, path);
            return;
        }
}

bool foi_sinks_begin(foi_desk_request *q, foi_sinks *s, fo_model *model, fo_observer *observer)
{
    const fo_allocator *allocator = q->desk->allocator;
    size_t count = fo_model_file_count(model);
    *s = (foi_sinks){.desk = q->desk};
    if (!q->desk->def.write_files || !fo_model_observer(model, &s->observer)) return false;
    for (size_t i = 0; i < count; i++) refuse_written(q, fo_model_file(model, i));
    if (foi_desk_refused(q)) return false;
    if (fo_failed(fo_model_check_files(model, &q->why))) {
        foi_desk_fail(q, q->why.status);
        return false;
    }
    s->paths = foi_new(allocator, count, sizeof *s->paths);
    for (; s->paths && s->count < count; s->count++) {
        s->paths[s->count] = foi_copy_text(allocator, fo_model_file(model, s->count));
        if (!s->paths[s->count]) break;
    }
    if (!s->paths || s->count < count) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    s->model = model;
    *observer = s->observer;
    observer->self = s, observer->row = write_row;
    return true;
}

fo_status foi_sinks_end(foi_sinks *s, fo_message *why)
{
    fo_model *model = s->model;
    if (!model) return FO_OK;
    fo_status status = fo_model_finish(model, why);
    size_t made = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (foi_model_has_made(model, i))
            s->paths[made++] = s->paths[i];
        else
            foi_free(s->desk->allocator, s->paths[i]);
    }
    s->model = NULL, s->count = made;
    return status;
}

static bool is_made(const foi_sinks *s, size_t index)
{
    return !s->model || foi_model_has_made(s->model, index);
}
#else
// A page has no files: a document that names one is not opened there, and who writes them is not
// in its module.
bool foi_sinks_begin(foi_desk_request *q, foi_sinks *s, fo_model *model, fo_observer *observer)
{
    (void)model, (void)observer;
    *s = (foi_sinks){.desk = q->desk};
    return false;
}

fo_status foi_sinks_end(foi_sinks *s, fo_message *why)
{
    (void)s, (void)why;
    return FO_OK;
}

static bool is_made(const foi_sinks *s, size_t index)
{
    return index < s->count;
}
#endif

void foi_sinks_free(foi_sinks *s)
{
    fo_message why;
    foi_sinks_end(s, &why);
    for (size_t i = 0; i < s->count; i++) foi_free(s->desk->allocator, s->paths[i]);
    if (s->desk) foi_free(s->desk->allocator, s->paths);
    s->paths = NULL, s->count = 0;
}

// Of a run: those that it has made so far. Of a document: those that its sinks name.
void foi_desk_files(foi_desk_request *q)
{
    if (foi_json_member(q->body, "run")) {
        const foi_desk_run *r = foi_desk_find_run(q, foi_desk_handle(q, "run"));
        if (!r) return;
        foi_json_open(&q->answer, "files", '[', true);
        for (size_t i = 0; i < r->sinks.count; i++)
            if (is_made(&r->sinks, i)) foi_json_put_text(&q->answer, NULL, r->sinks.paths[i]);
        foi_json_close(&q->answer, ']');
        return;
    }
    foi_desk_document *d = foi_desk_find_document(q);
    foi_desk_model *m = d ? foi_desk_model_of(q->desk, d) : NULL;
    if (d && !m) foi_desk_fail(q, FO_ERROR_MEMORY);
    if (!m) return;
    foi_json_open(&q->answer, "files", '[', true);
    for (size_t i = 0; i < fo_model_file_count(m->model); i++)
        foi_json_put_text(&q->answer, NULL, fo_model_file(m->model, i));
    foi_json_close(&q->answer, ']');
}
