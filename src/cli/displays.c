#include "cli/displays.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t width_of(const fo_diagram_seen *s)
{
    return (size_t)s->rows * s->columns * (s->is_complex ? 2 : 1);
}

static bool is_display(const fo_diagram_seen *s)
{
    return strcmp(s->type, "Display") == 0;
}

static void count_displays(displays *d, const fo_diagram *diagram)
{
    fo_diagram_seen seen;
    for (size_t i = 0; fo_diagram_sink(diagram, i, &seen); i++)
        if (is_display(&seen)) d->list_count++, d->count += width_of(&seen);
}

static void list_displays(displays *d, const fo_diagram *diagram)
{
    fo_diagram_seen seen;
    size_t at = 0, value = 0;
    for (size_t i = 0; fo_diagram_sink(diagram, i, &seen); i++) {
        if (!is_display(&seen)) continue;
        d->list[at++] = seen;
        for (uint32_t j = 0; j < width_of(&seen); j++)
            d->signals[value++] = (fo_reference){FO_OUTPUT, seen.output + j};
    }
}

bool displays_make(displays *d, const fo_model *m)
{
    const fo_diagram *diagram = fo_model_diagram(m);
    *d = (displays){.any = false};
    if (diagram) count_displays(d, diagram);
    if (!d->list_count) return true;
    d->list = calloc(d->list_count, sizeof *d->list);
    d->signals = calloc(d->count + 1, sizeof *d->signals);
    d->values = calloc(d->count + 1, sizeof *d->values);
    pthread_mutex_init(&d->lock, NULL);
    if (d->list && d->signals && d->values) {
        list_displays(d, diagram);
        return true;
    }
    displays_free(d);
    return false;
}

void displays_free(displays *d)
{
    if (d->list_count) pthread_mutex_destroy(&d->lock);
    free(d->list);
    free(d->signals);
    free(d->values);
    *d = (displays){.any = false};
}

void displays_read(displays *d, fo_simulation *sim)
{
    for (size_t i = 0; i < d->count; i++) d->values[i] = fo_simulation_value(sim, d->signals[i]);
    d->any = d->count;
}

static fo_status keep(void *self, const fo_row *row, fo_message *why)
{
    displays *d = self;
    (void)why;
    pthread_mutex_lock(&d->lock);
    memcpy(d->values, row->values, d->count * sizeof *d->values);
    d->any = true;
    pthread_mutex_unlock(&d->lock);
    return FO_OK;
}

fo_observer displays_observer(displays *d, double interval)
{
    return (fo_observer){.self = d,
                         .row = keep,
                         .signals = d->signals,
                         .signal_count = d->count,
                         .interval = interval};
}

/// A text that is written until it is full.
typedef struct page {
    char *text;
    size_t size, used;
    int digits;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(p->text + p->used, p->size - p->used, format, arguments);
    va_end(arguments);
    p->used += (size_t)(more > 0 ? more : 0);
    if (p->used >= p->size) p->used = p->size - 1;
}

static void put_element(page *p, const fo_diagram_seen *s, const double *v)
{
    if (s->is_boolean)
        put(p, "%s", *v != 0 ? "true" : "false");
    else if (s->is_complex)
        put(p, "%.*g%+.*gi", p->digits, v[0], p->digits, v[1]);
    else
        put(p, "%.*g", p->digits, *v);
}

static void put_display(page *p, const fo_diagram_seen *s, const double *v)
{
    uint32_t count = s->rows * s->columns;
    char name[512];
    foi_text_escape(s->node, "", name, sizeof name);
    put(p, "%s%s = ", p->used ? ", " : "", name);
    if (count != 1) put(p, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(p, i % s->columns ? " " : "; ");
        put_element(p, s, v + (s->is_complex ? 2 : 1) * i);
    }
    if (count != 1) put(p, "]");
}

void displays_text(displays *d, int digits, char *text, size_t size)
{
    page p = {text, size, 0, digits};
    *text = 0;
    if (!d->list_count) return;
    const double *at = d->values;
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; d->any && i < d->list_count; at += width_of(&d->list[i++]))
        put_display(&p, &d->list[i], at);
    pthread_mutex_unlock(&d->lock);
}
