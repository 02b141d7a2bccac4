/* A binary for test FMUs 3.0 with strings, binaries, clocks and events inside of steps. Modes are
   checked: what the standard forbids in a mode is an error.

   Texts: `said` is the greeting twice, `lock` is the key backwards.
   Scheduled Execution: clock 11 is periodic, 12 triggered, 13 a countdown that clock 11 sets to 1/8
   s at every second tick; n1, n2, n3 count, and `order` gets a decimal digit per tick (1, 2, 3).
   Co-Simulation: y' = slope, from 0; at y = 1 an event puts it back to 0, and the time event at 2.5
   makes the slope 2. Both happen in event mode only. `gain` is a discrete input, added to y in
   event mode when it changes. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR };
enum { BEFORE, INITIALISING, EVENT, STEP, CLOCKS };

typedef struct self {
    int mode, n[3], order, gain, taken;
    bool scheduled, events, full;
    double t, y, slope, countdown;
    char greeting[100], said[220];
    uint8_t key[32], lock[32];
    size_t key_size;
    char lie[40]; /* what it does wrong: the token behind "x/" */
} self;

// All memory that is shared with others.
static void scribble(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long from, to;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/dev/zero") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            memset((void *)from, 0xff, to - from);
    if (maps) fclose(maps);
}

static bool lies(const self *s, const char *what)
{
    return strcmp(s->lie, what) == 0;
}

static self *make(const char *token, bool scheduled, bool events)
{
    self *s = calloc(1, sizeof *s);
    if (strlen(token) > 2) snprintf(s->lie, sizeof s->lie, "%s", token + 2);
    s->scheduled = scheduled, s->events = events, s->slope = 1, s->countdown = -1;
    strcpy(s->greeting, "hello");
    return s;
}
const char *fmi3GetVersion(void)
{
    return "3.0";
}
self *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool logging, bool events, bool early)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return make(token, false, events && early);
}
self *fmi3InstantiateScheduledExecution(const char *name, const char *token)
{
    (void)name;
    return make(token, true, false);
}
void fmi3FreeInstance(self *s)
{
    free(s);
}
int fmi3EnterInitializationMode(self *s, bool a, double b, double start, bool c, double d)
{
    (void)a, (void)b, (void)c, (void)d;
    s->t = start;
    s->mode = INITIALISING;
    return OK;
}
int fmi3ExitInitializationMode(self *s)
{
    s->mode = s->scheduled ? CLOCKS : s->events ? EVENT : STEP;
    return OK;
}
int fmi3Terminate(self *s)
{
    return s ? OK : ERROR;
}
int fmi3EnterEventMode(self *s)
{
    if (s->mode != STEP || !s->events) return ERROR;
    s->mode = EVENT;
    return OK;
}
int fmi3EnterStepMode(self *s)
{
    if (s->mode != EVENT) return ERROR;
    s->mode = STEP;
    return OK;
}
int fmi3UpdateDiscreteStates(self *s, bool *need, bool *terminate, bool *nominals, bool *values,
                             bool *defined, double *next)
{
    if (s->mode != EVENT) return ERROR;
    *need = *terminate = *nominals = *values = false;
    if (s->full) s->y = 0, s->full = false;
    if (s->gain != s->taken) s->y += s->gain - s->taken, s->taken = s->gain;
    if (s->t >= 2.5) s->slope = 2;
    *defined = s->slope == 1, *next = 2.5;
    if (lies(s, "next-nan")) *next = 0 * (1 / (s->t - s->t));
    if (lies(s, "next-past")) *next = s->t - 1;
    if (lies(s, "need-forever")) *need = true;
    return OK;
}
int fmi3DoStep(self *s, double t, double h, bool a, bool *event, bool *terminate, bool *early,
               double *last)
{
    (void)a;
    if (s->mode != STEP || t != s->t || !(h > 0)) return ERROR;
    if (s->events && s->slope == 1 && t + h > 2.5) return ERROR; /* over its time event */
    *terminate = false;
    double room = (1 - s->y) / s->slope;
    *event = *early = s->events && room <= h;
    if (*early) s->full = true;
    double done = *early ? room : h;
    s->y = *early ? 1 : s->y + s->slope * done;
    s->t = *last = *early ? t + done : t + h;
    if (lies(s, "scribble")) scribble();
    if (lies(s, "early-back")) *early = true, *last = t - 1;
    if (lies(s, "early-beyond")) *early = true, *last = t + 2 * h;
    if (lies(s, "early-nan")) *early = true, *last = 0 * (1 / (t - t));
    if (lies(s, "early-forever")) *early = *event = true, *last = t;
    return OK;
}
int fmi3ActivateModelPartition(self *s, uint32_t clock, double t)
{
    int i = (int)clock - 11;
    if (s->mode != CLOCKS || i < 0 || i > 2 || t < s->t) return ERROR;
    s->t = t, s->n[i]++;
    s->order = (s->order * 10 + i + 1) % 1000000;
    if (i == 0 && s->n[0] % 2 == 0) s->countdown = 0.125;
    return OK;
}
int fmi3GetIntervalDecimal(self *s, const uint32_t *r, size_t n, double *intervals, int *qualifiers)
{
    if (n != 1 || r[0] != 13) return ERROR;
    qualifiers[0] = s->countdown >= 0 ? 2 : 1;
    intervals[0] = s->countdown;
    s->countdown = -1;
    if (lies(s, "interval-nan")) qualifiers[0] = 2, intervals[0] = 0 * (1 / (s->t - s->t));
    if (lies(s, "interval-negative")) qualifiers[0] = 2, intervals[0] = -3;
    if (lies(s, "interval-zero")) qualifiers[0] = 2, intervals[0] = 0;
    if (lies(s, "qualifier")) qualifiers[0] = 77;
    return OK;
}
int fmi3GetFloat64(self *s, const uint32_t *r, size_t n, double *v, size_t count)
{
    for (size_t i = 0; i < n && i < count; i++) v[i] = r[i] == 1 ? s->y : s->t;
    return OK;
}
int fmi3SetFloat64(self *s)
{
    return s ? ERROR : OK;
}
int fmi3GetInt32(self *s, const uint32_t *r, size_t n, int *v, size_t count)
{
    if (n != 1 || count != 1) return ERROR;
    *v = *r == 21   ? s->n[0]
         : *r == 22 ? s->n[1]
         : *r == 23 ? s->n[2]
         : *r == 24 ? s->order
                    : s->gain;
    return OK;
}
int fmi3SetInt32(self *s, const uint32_t *r, size_t n, const int *v, size_t count)
{
    if (n != 1 || count != 1 || *r != 25 || s->mode == STEP) return ERROR;
    s->gain = *v;
    if (s->mode != EVENT) s->taken = s->gain;
    return OK;
}
int fmi3SetString(self *s, const uint32_t *r, size_t n, const char *const *v, size_t count)
{
    if (n != 1 || count != 1 || *r != 31 || s->mode != BEFORE) return ERROR;
    snprintf(s->greeting, sizeof s->greeting, "%s", v[0]);
    return OK;
}
int fmi3GetString(self *s, const uint32_t *r, size_t n, const char **v, size_t count)
{
    if (n != 1 || count != 1 || (*r != 31 && *r != 32)) return ERROR;
    snprintf(s->said, sizeof s->said, "%s %s", s->greeting, s->greeting);
    v[0] = *r == 31 ? s->greeting : s->said;
    if (lies(s, "string-null")) v[0] = NULL;
    if (lies(s, "string-wild")) v[0] = (const char *)16;
    return OK;
}
int fmi3SetBinary(self *s, const uint32_t *r, size_t n, const size_t *sizes,
                  const uint8_t *const *v, size_t count)
{
    if (n != 1 || count != 1 || *r != 33 || sizes[0] > sizeof s->key) return ERROR;
    memcpy(s->key, v[0], sizes[0]);
    s->key_size = sizes[0];
    return OK;
}
int fmi3GetBinary(self *s, const uint32_t *r, size_t n, size_t *sizes, const uint8_t **v,
                  size_t count)
{
    if (n != 1 || count != 1 || (*r != 33 && *r != 34)) return ERROR;
    for (size_t i = 0; i < s->key_size; i++) s->lock[i] = s->key[s->key_size - 1 - i];
    sizes[0] = s->key_size, v[0] = *r == 33 ? s->key : s->lock;
    if (lies(s, "binary-huge")) sizes[0] = SIZE_MAX;
    if (lies(s, "binary-wild")) sizes[0] = 10, v[0] = (const uint8_t *)16;
    if (lies(s, "binary-null")) sizes[0] = 10, v[0] = NULL;
    return OK;
}
