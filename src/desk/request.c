// What requests and answers are made of.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "desk/desk.h"

void foi_desk_refuse(foi_desk_request *q, const char *code, const char *format, ...)
{
    if (foi_desk_refused(q)) return;
    va_list arguments;
    q->code = code;
    q->why.status = FO_ERROR_ARGUMENT;
    va_start(arguments, format);
    vsnprintf(q->why.text, sizeof q->why.text, format, arguments);
    va_end(arguments);
}

void foi_desk_fail(foi_desk_request *q, fo_status status)
{
    if (foi_desk_refused(q)) return;
    if (!q->why.text[0]) fo_fail(&q->why, status, "%s", fo_status_text(status));
    q->why.status = status;
    q->code = foi_desk_status(status);
}

bool foi_desk_refused(const foi_desk_request *q)
{
    return q->code || fo_failed(q->read.status);
}

const char *foi_desk_status(fo_status status)
{
    switch (status) {
    case FO_OK:
    case FO_REACHED: return "reached";
    case FO_STOPPED: return "stopped";
    case FO_RETRY:
    case FO_PAUSED: return "running";
    case FO_ERROR_MEMORY: return "memory";
    case FO_ERROR_ARGUMENT: return "argument";
    case FO_ERROR_MODEL: return "model";
    case FO_ERROR_NUMBER: return "number";
    case FO_ERROR_STEP: return "step";
    case FO_ERROR_CONVERGE: return "converge";
    case FO_ERROR_JUMPS: return "jumps";
    case FO_ERROR_ZENO: return "zeno";
    case FO_ERROR_UNFIT: return "unfit";
    case FO_ERROR_INPUT: return "input";
    case FO_ERROR_FORMAT: return "format";
    case FO_ERROR_CANCELLED: return "cancelled";
    case FO_ERROR: break;
    }
    return "unknown";
}

void foi_desk_put(foi_json_writer *w, const char *key, double value)
{
    if (isfinite(value))
        foi_json_put_number(w, key, value);
    else
        foi_json_put_null(w, key);
}

uint64_t foi_desk_handle(foi_desk_request *q, const char *key)
{
    if (!foi_json_member(q->body, key)) foi_desk_refuse(q, "argument", "\"%s\" is missing", key);
    double value = foi_desk_whole(q, key, 0, 0, FOI_DESK_MOST);
    return foi_desk_refused(q) ? 0 : (uint64_t)value;
}

double foi_desk_number(foi_desk_request *q, const char *key, double usual)
{
    const foi_json_value *v = foi_json_member(q->body, key);
    if (v && v->kind != FOI_JSON_NUMBER)
        foi_desk_refuse(q, "argument", "\"%s\" must be a number, not %s", key,
                        foi_json_kind_text(v->kind));
    return v && v->kind == FOI_JSON_NUMBER ? v->number : usual;
}

double foi_desk_whole(foi_desk_request *q, const char *key, double usual, double least, double most)
{
    const foi_json_value *v = foi_json_member(q->body, key);
    if (!v) return usual;
    if (v->kind == FOI_JSON_NUMBER && v->number >= least && v->number <= most &&
        v->number == floor(v->number))
        return v->number;
    foi_desk_refuse(q, "argument", "\"%s\" must be a whole number from %.17g to %.17g", key, least,
                    most);
    return usual;
}

uint64_t foi_desk_seed(foi_desk_request *q, uint64_t usual)
{
    bool given = foi_json_member(q->body, "seed");
    return given ? (uint64_t)foi_desk_whole(q, "seed", 0, 0, FOI_DESK_MOST) : usual;
}

void foi_desk_check_moves(foi_desk_request *q, const char *name, double length, double start,
                          double stop)
{
    double far = fmax(fabs(start), fabs(stop));
    volatile double later = far + length, before = far - length; // as they are stored
    if (!(length >= 0))
        foi_desk_refuse(q, "argument", "%s must not be negative", name);
    else if (length > 0 && !(later > far && before < far))
        foi_desk_refuse(q, "argument",
                        "%s of %g is too short to move time: about t = %g it is known to %.2g",
                        name, length, far, nextafter(far, INFINITY) - far);
}

const char *foi_desk_text(foi_desk_request *q, const char *key)
{
    const foi_json_value *v = foi_json_member(q->body, key);
    if (!v) return NULL;
    if (v->kind == FOI_JSON_TEXT && strlen(v->text) == v->length) return v->text;
    foi_desk_refuse(q, "argument", "\"%s\" must be a text", key);
    return NULL;
}

foi_desk_document *foi_desk_find_document(foi_desk_request *q)
{
    uint64_t handle = foi_desk_handle(q, "doc");
    if (foi_desk_refused(q)) return NULL;
    for (size_t i = 0; i < q->desk->document_count; i++)
        if (q->desk->documents[i]->handle == handle) return q->desk->documents[i];
    foi_desk_refuse(q, "stale", "there is no document %llu", (unsigned long long)handle);
    return NULL;
}

foi_desk_run *foi_desk_find_run(foi_desk_request *q, uint64_t handle)
{
    if (foi_desk_refused(q)) return NULL;
    for (size_t i = 0; i < q->desk->run_count; i++)
        if (q->desk->runs[i]->handle == handle) return q->desk->runs[i];
    foi_desk_refuse(q, "stale", "there is no run %llu", (unsigned long long)handle);
    return NULL;
}

foi_desk_live *foi_desk_find_live(foi_desk_request *q)
{
    uint64_t handle = foi_desk_handle(q, "live");
    if (foi_desk_refused(q)) return NULL;
    for (size_t i = 0; i < q->desk->live_count; i++)
        if (q->desk->lives[i]->handle == handle) return q->desk->lives[i];
    foi_desk_refuse(q, "stale", "there is no live model %llu", (unsigned long long)handle);
    return NULL;
}
