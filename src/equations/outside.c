#include "equations/outside.h"

#include <math.h>
#include <string.h>

#if defined(__unix__) && !defined(__wasm__)

#include <pthread.h>

// Code of others is not known to be safe in threads, and one object of it may be loaded for
// several models.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t foi_outside_text(foi_outside *o, const char *text)
{
    for (uint32_t i = 0; i < o->text_count; i++)
        if (strcmp(o->texts[i], text) == 0) return i;
    const char *own = foi_arena_text(o->arena, text, strlen(text));
    const char **slot = foi_arena_add(o->arena, &o->texts, &o->text_count, sizeof *slot);
    if (!own || !slot) return FOI_NO_TEXT;
    *slot = own;
    return o->text_count - 1;
}

// ------------------------------------------------------------------------------------------ calls

static bool enter(foi_outside *o, const foi_outside_function *f, const double *in, double *out)
{
    if (f->entry && f->entry(o->handles, o->texts, in, out) == 0) return true;
    fo_fail(&o->why, FO_ERROR_MODEL, "external function '%s': %.300s", f->name,
            f->entry ? f->said : "it is not compiled");
    return false;
}

static bool make_object(foi_outside *o, double number)
{
    uint32_t at = (uint32_t)number;
    if (!(number >= 0 && number < o->object_count)) {
        fo_fail(&o->why, FO_ERROR_MODEL, "an external object is used that does not exist");
        return false;
    }
    foi_outside_object *object = o->objects[at];
    if (object->made) return true;
    double nothing[1];
    if (object->failed || !enter(o, o->functions[object->make], object->in, nothing)) {
        object->failed = true;
        return false;
    }
    object->made = o->handles[at] != NULL;
    if (!object->made)
        fo_fail(&o->why, FO_ERROR_MODEL, "the constructor of the external object '%s' gives none",
                object->name);
    return object->made;
}

// A function of ours keeps nothing, so that threads need not wait for each other.
static bool run_own(foi_outside *o, const foi_outside_function *f, const double *in, double *out)
{
    const char *said = "";
    if (f->own(f, in, out, &said)) return true;
    pthread_mutex_lock(&lock);
    fo_fail(&o->why, FO_ERROR_MODEL, "'%s': %.300s", f->name, said);
    pthread_mutex_unlock(&lock);
    return false;
}

bool foi_outside_run(foi_outside *o, uint32_t number, const double *in, double *out)
{
    const foi_outside_function *f = o->functions[number];
    bool good = true;
    if (f->own) return run_own(o, f, in, out);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; good && f->is_object && i < f->inputs; i++)
        if (f->is_object[i]) good = make_object(o, in[i]);
    good = good && enter(o, f, in, out);
    pthread_mutex_unlock(&lock);
    return good;
}

void foi_outside_close(foi_outside *o)
{
    if (!o) return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = o->object_count; i-- > 0;) {
        double in[1] = {i}, nothing[1];
        if (o->objects[i]->made) enter(o, o->functions[o->objects[i]->destroy], in, nothing);
        o->objects[i]->made = false;
    }
    pthread_mutex_unlock(&lock);
    for (uint32_t i = o->unit_count; i-- > 0;) foi_c_unit_close(o->units[i]);
    o->unit_count = 0;
}

// ------------------------------------------------------------------------------------------ frames

enum { FRAME, NUMBER, MADE, HEAD }; ///< of what a call leaves

static double number_of(const void *address)
{
    return (double)(uintptr_t)address;
}

static void *address_of(double number)
{
    return number > 0 ? (void *)(uintptr_t)number : NULL; // what is no number is no address
}

double foi_outside_frame(foi_cell *frame, foi_outside *o)
{
    *frame = (foi_cell){number_of(frame), 0, number_of(o)};
    return frame->base;
}

uint32_t foi_outside_cells(const foi_outside_function *f)
{
    return (HEAD + f->inputs + 2 * f->outputs + 2) / 3 + 1;
}

// What a call leaves: head | outputs | inputs | room for other outputs. Arguments stand in the list
// from the last to the first, which says whether it is called at all.
static double call(foi_cell *frame, const foi_cell *list, uint32_t number, double *to)
{
    foi_outside *o = address_of(frame->value);
    const foi_outside_function *f = o->functions[number];
    double *out = to + HEAD, *in = out + f->outputs;
    for (uint32_t i = f->inputs; i-- > 0;) in[i] = list->value, list = address_of(list->before);
    to[FRAME] = number_of(frame), to[NUMBER] = number, to[MADE] = list->value;
    for (uint32_t i = 0; i < f->outputs; i++) out[i] = 0;
    if (list->value == 0 || foi_outside_run(o, number, in, out)) return number_of(to);
    for (uint32_t i = 0; i < f->outputs; i++) out[i] = NAN;
    frame->before = number + 1.0;
    return number_of(to);
}

// A central difference. The step is the root of third order of the rounding error, relative to the
// argument, or to 1 where that is smaller. What fails there is not known, and no error.
static double difference(double *at, uint32_t which)
{
    const foi_cell *frame = address_of(at[FRAME]);
    foi_outside *o = address_of(frame->value);
    uint32_t number = (uint32_t)at[NUMBER];
    const foi_outside_function *f = o->functions[number];
    double *in = at + HEAD + f->outputs, *out = in + f->inputs, y[2], at_side[2];
    double *x = &in[which % f->inputs], middle = *x, h = 6.06e-6 * fmax(fabs(middle), 1);
    bool good = true;
    if (at[MADE] == 0) return 0;
    for (int side = 0; side < 2; side++) {
        *x = at_side[side] = side ? middle + h : middle - h;
        good = good && foi_outside_run(o, number, in, out);
        y[side] = out[which / f->inputs];
    }
    *x = middle;
    return good ? (y[1] - y[0]) / (at_side[1] - at_side[0]) : NAN;
}

double foi_outside_step(double a, double b, double c)
{
    foi_cell *at = address_of(a);
    if (!at || !(c >= 0)) return NAN;
    uint64_t kind = (uint64_t)c % FOI_OUTSIDE_KINDS, place = (uint64_t)c / FOI_OUTSIDE_KINDS;
    if (kind == FOI_OUTSIDE_RESULT) return ((const double *)at)[HEAD + (size_t)b];
    if (kind == FOI_OUTSIDE_DIFFERENCE) return difference((double *)at, (uint32_t)b);
    foi_cell *frame = address_of(at->base), *mine = frame + place;
    if (kind == FOI_OUTSIDE_CALL) return call(frame, at, (uint32_t)b, (double *)mine);
    *mine = (foi_cell){at->base, a, b};
    return number_of(mine);
}

#else

uint32_t foi_outside_text(foi_outside *o, const char *text)
{
    (void)o, (void)text;
    return FOI_NO_TEXT;
}

bool foi_outside_run(foi_outside *o, uint32_t number, const double *in, double *out)
{
    (void)o, (void)number, (void)in, (void)out;
    return false;
}

void foi_outside_close(foi_outside *o)
{
    (void)o;
}

double foi_outside_frame(foi_cell *frame, foi_outside *o)
{
    (void)frame, (void)o;
    return 0;
}

uint32_t foi_outside_cells(const foi_outside_function *f)
{
    (void)f;
    return 0;
}

double foi_outside_step(double a, double b, double c)
{
    (void)a, (void)b, (void)c;
    return NAN;
}

#endif
