/* A binary for test FMUs of both versions, with four models and faults on demand. The token says
   what it is: "ball", or "ball/crash/GetDerivatives" for one that dies in that function; faults are
   crash, kill, hang, error, once, fatal, discard, exit, fork, daemon, nan and endless. The models
   are those of the importer's reference values:

     ball       h' = v, v' = g; at h <= 0 v becomes -e v, and it rests below 0.1 m/s
     dahlquist  x' = -k x
     vdp        x0' = x1, x1' = mu (1 - x0^2) x1 - x0
     stair      a counter that goes up every second, and ends the run at 10

   Co-Simulation takes Euler steps. */
#include <float.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };

typedef struct self {
    double t, x[2], p[2], at;
    int model, counter;
    int64_t whole;
    uint64_t natural;
    bool rests;
    char token[80];
} self;

// A daemon as the books have it, which nobody's signals but the last reach; its number goes into
// the file that the environment names. Then its maker ends as the environment says.
static void become_daemon(void)
{
    const char *path = getenv("FOLIOT_TEST_DAEMON"), *then = getenv("FOLIOT_TEST_DAEMON_THEN");
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork()) _exit(0);
        for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
        FILE *file = path ? fopen(path, "w") : NULL;
        if (file) fprintf(file, "%d\n", (int)getpid());
        if (file) fclose(file);
        for (;;) pause();
    }
    waitpid(child, NULL, 0);
    for (FILE *file = NULL; path && !file; usleep(100)) // until it is one
        if ((file = fopen(path, "r")) != NULL) {
            int c = fgetc(file);
            fclose(file);
            if (c == EOF)
                file = NULL;
            else
                break;
        }
    if (then && strcmp(then, "crash") == 0) *(volatile int *)8 = 1;
    if (then && strcmp(then, "exit") == 0) _exit(3);
    if (then && strcmp(then, "kill") == 0) kill(getpid(), SIGKILL);
    while (then && strcmp(then, "hang") == 0) usleep(1000);
}

static int fault(const self *s, const char *function)
{
    const char *kind = strchr(s->token, '/'), *where = kind ? strchr(kind + 1, '/') : NULL;
    if (!where || strcmp(where + 1, function) != 0) return OK;
    if (strncmp(kind, "/crash/", 7) == 0) *(volatile int *)8 = 1;
    if (strncmp(kind, "/exit/", 6) == 0) _exit(3);
    if (strncmp(kind, "/kill/", 6) == 0) kill(getpid(), SIGKILL);
    if (strncmp(kind, "/hang/", 6) == 0)
        for (;;) usleep(1000);
    static int calls; // once: the third call forks, and both return; or it alone fails
    if (strncmp(kind, "/fork/", 6) == 0 && ++calls == 3 && fork() < 0) return ERROR;
    if (strncmp(kind, "/daemon/", 8) == 0 && ++calls == 3) become_daemon();
    if (strncmp(kind, "/once/", 6) == 0) return ++calls == 3 ? ERROR : OK;
    if (strncmp(kind, "/error/", 7) == 0) return ERROR;
    if (strncmp(kind, "/fatal/", 7) == 0) return FATAL;
    return strncmp(kind, "/discard/", 9) == 0 ? DISCARD : OK;
}
#define MAY_FAIL(function)               \
    do {                                 \
        int failed = fault(s, function); \
        if (failed) return failed;       \
    } while (0)

static int states(const self *s)
{
    return s->model == 1 ? 1 : s->model == 3 ? 0 : 2;
}

static self *make(const char *token)
{
    static const char *const names[] = {"ball", "dahlquist", "vdp", "stair"};
    self *s = calloc(1, sizeof *s);
    snprintf(s->token, sizeof s->token, "%s", token);
    s->model = -1;
    for (int i = 0; i < 4; i++)
        if (strncmp(token, names[i], strlen(names[i])) == 0) s->model = i;
    if (s->model < 0) {
        free(s);
        return NULL;
    }
    s->x[0] = s->model == 2 ? 2 : 1, s->counter = 1;
    s->p[0] = s->model == 0 ? -9.81 : 1, s->p[1] = 0.7;
    fault(s, "Instantiate");
    return s;
}

static void rates(const self *s, double *dx)
{
    if (s->model == 0) dx[0] = s->x[1], dx[1] = s->rests ? 0 : s->p[0];
    if (s->model == 1) dx[0] = -s->p[0] * s->x[0];
    if (s->model == 2)
        dx[0] = s->x[1], dx[1] = s->p[0] * ((1 - s->x[0] * s->x[0]) * s->x[1]) - s->x[0];
    if (strstr(s->token, "/nan/")) dx[0] = 0 * (1 / (s->t - s->t));
}

static bool event(self *s)
{
    if (s->model == 0 && s->x[0] <= 0 && s->x[1] < 0) {
        s->x[0] = DBL_MIN, s->x[1] *= -s->p[1];
        if (s->x[1] < 0.1) s->x[1] = 0, s->rests = true;
        return true;
    }
    if (s->model == 3 && s->t >= s->counter * (1 - 1e-12)) s->counter++;
    return false;
}

static int advance(self *s, double t, double h, bool *end)
{
    static const double steps[] = {0.001, 0.1, 0.01, 0.2};
    double step = steps[s->model], dx[2];
    double stop = t + h + step * 1e-5;
    while (s->at + step < stop) {
        rates(s, dx);
        for (int i = 0; i < states(s); i++) s->x[i] += step * dx[i];
        s->at += step, s->t = s->at;
        event(s);
        if (s->model == 3 && s->counter >= 10) {
            *end = true;
            return OK;
        }
    }
    return OK;
}

static int get(const self *s, uint32_t r, double *v)
{
    double dx[2] = {0};
    rates(s, dx);
    if (r == 0) *v = s->t;
    if (r == 1 || r == 3) *v = s->x[r / 2];
    if (r == 2 || r == 4) *v = dx[r / 2 - 1];
    if (r == 5 || r == 6) *v = s->p[r - 5];
    return r <= 7 ? OK : ERROR;
}

static int set(self *s, uint32_t r, double v)
{
    if (r == 1 || r == 3) s->x[r / 2] = v;
    if (r == 5 || r == 6) s->p[r - 5] = v;
    return r <= 7 ? OK : ERROR;
}

static double indicator(const self *s)
{
    return s->x[0];
}

/* ---- what both versions have, with their names ---- */

#define BOTH(v, STATE)                                                             \
    const char *fmi##v##GetVersion(void)                                           \
    {                                                                              \
        return #v ".0";                                                            \
    }                                                                              \
    void fmi##v##FreeInstance(self *s)                                             \
    {                                                                              \
        fault(s, "FreeInstance");                                                  \
        free(s);                                                                   \
    }                                                                              \
    int fmi##v##ExitInitializationMode(self *s)                                    \
    {                                                                              \
        MAY_FAIL("ExitInitializationMode");                                        \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##Terminate(self *s)                                                 \
    {                                                                              \
        MAY_FAIL("Terminate");                                                     \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##EnterEventMode(self *s)                                            \
    {                                                                              \
        MAY_FAIL("EnterEventMode");                                                \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##EnterContinuousTimeMode(self *s)                                   \
    {                                                                              \
        MAY_FAIL("EnterContinuousTimeMode");                                       \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##SetTime(self *s, double t)                                         \
    {                                                                              \
        MAY_FAIL("SetTime");                                                       \
        s->t = t;                                                                  \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##SetContinuousStates(self *s, const double *x, size_t n)            \
    {                                                                              \
        MAY_FAIL("SetContinuousStates");                                           \
        memcpy(s->x, x, n * sizeof *x);                                            \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##GetContinuousStates(self *s, double *x, size_t n)                  \
    {                                                                              \
        MAY_FAIL("GetContinuousStates");                                           \
        memcpy(x, s->x, n * sizeof *x);                                            \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##GetEventIndicators(self *s, double *z, size_t n)                   \
    {                                                                              \
        MAY_FAIL("GetEventIndicators");                                            \
        if (n) z[0] = indicator(s);                                                \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##GetFMU##STATE(self *s, void **copy)                                \
    {                                                                              \
        MAY_FAIL("GetFMUState");                                                   \
        *copy = malloc(sizeof *s);                                                 \
        memcpy(*copy, s, sizeof *s);                                               \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##SetFMU##STATE(self *s, void *copy)                                 \
    {                                                                              \
        MAY_FAIL("SetFMUState");                                                   \
        memcpy(s, copy, sizeof *s);                                                \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##FreeFMU##STATE(self *s, void **copy)                               \
    {                                                                              \
        MAY_FAIL("FreeFMUState");                                                  \
        free(*copy);                                                               \
        *copy = NULL;                                                              \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##SerializedFMU##STATE##Size(self *s, void *copy, size_t *size)      \
    {                                                                              \
        (void)copy;                                                                \
        MAY_FAIL("SerializedFMUStateSize");                                        \
        *size = sizeof *s;                                                         \
        return OK;                                                                 \
    }                                                                              \
    int fmi##v##SerializeFMU##STATE(self *s, void *copy, char *bytes, size_t size) \
    {                                                                              \
        MAY_FAIL("SerializeFMUState");                                             \
        memcpy(bytes, copy, size);                                                 \
        return OK;                                                                 \
    }
BOTH(2, state)
BOTH(3, State)

static int deserialize(const char *bytes, size_t size, void **copy)
{
    *copy = malloc(size);
    memcpy(*copy, bytes, size);
    return OK;
}

/* ---- 2.0 ---- */

typedef struct info {
    int need, terminate, nominals, values, defined;
    double next;
} info;

self *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const void *callbacks, int visible, int logging)
{
    (void)name, (void)type, (void)resources, (void)callbacks, (void)visible, (void)logging;
    return make(guid);
}
int fmi2SetupExperiment(self *s, int a, double b, double start, int c, double d)
{
    (void)a, (void)b, (void)c, (void)d;
    MAY_FAIL("SetupExperiment");
    s->t = s->at = start;
    return OK;
}
int fmi2EnterInitializationMode(self *s)
{
    MAY_FAIL("EnterInitializationMode");
    return OK;
}
int fmi2GetReal(self *s, const uint32_t *r, size_t n, double *v)
{
    MAY_FAIL("GetReal");
    for (size_t i = 0; i < n; i++) get(s, r[i], v + i);
    return OK;
}
int fmi2SetReal(self *s, const uint32_t *r, size_t n, const double *v)
{
    MAY_FAIL("SetReal");
    for (size_t i = 0; i < n; i++) set(s, r[i], v[i]);
    return OK;
}
int fmi2GetInteger(self *s, const uint32_t *r, size_t n, int *v)
{
    (void)r;
    for (size_t i = 0; i < n; i++) v[i] = s->counter;
    return OK;
}
int fmi2SetInteger(self *s)
{
    return s ? ERROR : OK;
}
int fmi2GetBoolean(self *s)
{
    return s ? ERROR : OK;
}
int fmi2SetBoolean(self *s)
{
    return s ? ERROR : OK;
}
int fmi2DeSerializeFMUstate(self *s, const char *bytes, size_t size, void **copy)
{
    MAY_FAIL("DeserializeFMUState");
    return deserialize(bytes, size, copy);
}
int fmi2NewDiscreteStates(self *s, info *i)
{
    MAY_FAIL("NewDiscreteStates");
    *i = (info){.values = event(s), .need = strstr(s->token, "/endless/") != NULL};
    i->terminate = s->model == 3 && s->counter >= 10;
    i->defined = s->model == 3, i->next = s->counter;
    return OK;
}
int fmi2CompletedIntegratorStep(self *s, int a, int *event_mode, int *terminate)
{
    (void)a;
    MAY_FAIL("CompletedIntegratorStep");
    *event_mode = *terminate = 0;
    return OK;
}
int fmi2GetDerivatives(self *s, double *dx, size_t n)
{
    (void)n;
    MAY_FAIL("GetDerivatives");
    rates(s, dx);
    return OK;
}
int fmi2DoStep(self *s, double t, double h, int a)
{
    (void)a;
    bool end = false;
    MAY_FAIL("DoStep");
    advance(s, t, h, &end);
    return end ? DISCARD : OK;
}
int fmi2GetRealStatus(self *s, int kind, double *v)
{
    (void)kind;
    *v = s->t;
    return OK;
}
int fmi2GetBooleanStatus(self *s, int kind, int *v)
{
    (void)kind;
    *v = s->counter >= 10;
    return OK;
}

/* ---- 3.0 ---- */

self *fmi3InstantiateModelExchange(const char *name, const char *token)
{
    (void)name;
    return make(token);
}
self *fmi3InstantiateCoSimulation(const char *name, const char *token)
{
    (void)name;
    return make(token);
}
int fmi3EnterInitializationMode(self *s, bool a, double b, double start, bool c, double d)
{
    (void)a, (void)b, (void)c, (void)d;
    MAY_FAIL("EnterInitializationMode");
    s->t = s->at = start;
    return OK;
}
int fmi3GetFloat64(self *s, const uint32_t *r, size_t n, double *v, size_t count)
{
    (void)count;
    return fmi2GetReal(s, r, n, v);
}
int fmi3SetFloat64(self *s, const uint32_t *r, size_t n, const double *v, size_t count)
{
    (void)count;
    return fmi2SetReal(s, r, n, v);
}
int fmi3GetInt32(self *s, const uint32_t *r, size_t n, int *v, size_t count)
{
    (void)count;
    return fmi2GetInteger(s, r, n, v);
}
int fmi3SetInt32(self *s)
{
    return s ? ERROR : OK;
}
// Integers of 64 bits: 8 goes through to 10, and 9 to 11; 7 tells whether both are the largest.
int fmi3GetInt64(self *s, const uint32_t *r, size_t n, int64_t *v, size_t count)
{
    (void)r, (void)count;
    for (size_t i = 0; i < n; i++) v[i] = s->whole;
    return OK;
}
int fmi3SetInt64(self *s, const uint32_t *r, size_t n, const int64_t *v, size_t count)
{
    (void)r, (void)count;
    for (size_t i = 0; i < n; i++) s->whole = v[i];
    s->counter = s->whole == INT64_MAX && s->natural == UINT64_MAX;
    return OK;
}
int fmi3GetUInt64(self *s, const uint32_t *r, size_t n, uint64_t *v, size_t count)
{
    (void)r, (void)count;
    for (size_t i = 0; i < n; i++) v[i] = s->natural;
    return OK;
}
int fmi3SetUInt64(self *s, const uint32_t *r, size_t n, const uint64_t *v, size_t count)
{
    (void)r, (void)count;
    for (size_t i = 0; i < n; i++) s->natural = v[i];
    s->counter = s->whole == INT64_MAX && s->natural == UINT64_MAX;
    return OK;
}
int fmi3DeserializeFMUState(self *s, const char *bytes, size_t size, void **copy)
{
    MAY_FAIL("DeserializeFMUState");
    return deserialize(bytes, size, copy);
}
int fmi3UpdateDiscreteStates(self *s, bool *need, bool *terminate, bool *nominals, bool *values,
                             bool *defined, double *next)
{
    info i;
    MAY_FAIL("UpdateDiscreteStates");
    fmi2NewDiscreteStates(s, &i);
    *need = i.need, *terminate = i.terminate, *nominals = false, *values = i.values;
    *defined = i.defined, *next = i.next;
    return OK;
}
int fmi3CompletedIntegratorStep(self *s, bool a, bool *event_mode, bool *terminate)
{
    (void)a;
    MAY_FAIL("CompletedIntegratorStep");
    *event_mode = *terminate = false;
    return OK;
}
int fmi3GetContinuousStateDerivatives(self *s, double *dx, size_t n)
{
    (void)n;
    MAY_FAIL("GetContinuousStateDerivatives");
    rates(s, dx);
    return OK;
}
int fmi3DoStep(self *s, double t, double h, bool a, bool *ev, bool *terminate, bool *early,
               double *last)
{
    (void)a;
    bool end = false;
    MAY_FAIL("DoStep");
    *ev = *early = false;
    advance(s, t, h, &end);
    *terminate = end, *last = end ? s->t : t + h;
    return OK;
}
