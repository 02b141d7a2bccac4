/* Runs the unit in a library in Co-Simulation (FMI 3) and prints the bits of its states at the
   communication points; in the middle its state is written as bytes and read again. For Windows and
   for POSIX:

     windows <library> <resources> <token> <step> <count> <states> */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN(path)          ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(path)          dlopen(path, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

enum { MOST = 16 };

static void say(void *self, int status, const char *category, const char *text)
{
    (void)self, (void)category;
    if (status > 1) fprintf(stderr, "%s\n", text);
}

static void *find(void *library, const char *name)
{
    void *function = FIND(library, name);
    if (!function) {
        fprintf(stderr, "there is no %s\n", name);
        exit(2);
    }
    return function;
}

/* The state to bytes, and from them into the instance again. */
static int to_bytes_and_back(void *library, void *u)
{
    int (*get)(void *, void **) = find(library, "fmi3GetFMUState");
    int (*set)(void *, void *) = find(library, "fmi3SetFMUState");
    int (*release)(void *, void **) = find(library, "fmi3FreeFMUState");
    int (*size_of)(void *, void *, size_t *) = find(library, "fmi3SerializedFMUStateSize");
    int (*write)(void *, void *, uint8_t *, size_t) = find(library, "fmi3SerializeFMUState");
    int (*read)(void *, const uint8_t *, size_t, void **) =
        find(library, "fmi3DeserializeFMUState");
    void *one = NULL, *two = NULL;
    size_t size = 0;
    if (get(u, &one) || size_of(u, one, &size)) return 1;
    uint8_t *bytes = malloc(size + 1);
    int status = !bytes || write(u, one, bytes, size) || read(u, bytes, size, &two) || set(u, two);
    free(bytes);
    release(u, &one);
    release(u, &two);
    return status;
}

int main(int argc, char **argv)
{
    void *library = argc == 7 ? OPEN(argv[1]) : NULL;
    if (!library) return 1;
    void *(*make)(const char *, const char *, const char *, bool, bool, bool, bool,
                  const uint32_t *, size_t, void *, void *, void *) =
        find(library, "fmi3InstantiateCoSimulation");
    int (*enter)(void *, bool, double, double, bool, double) =
        find(library, "fmi3EnterInitializationMode");
    int (*leave)(void *) = find(library, "fmi3ExitInitializationMode");
    int (*step)(void *, double, double, bool, bool *, bool *, bool *, double *) =
        find(library, "fmi3DoStep");
    int (*get)(void *, const uint32_t *, size_t, double *, size_t) =
        find(library, "fmi3GetFloat64");
    void (*release)(void *) = find(library, "fmi3FreeInstance");
    void *u = make("unit", argv[3], argv[2], false, false, false, false, NULL, 0, NULL, (void *)say,
                   NULL);
    double h = atof(argv[4]);
    int count = atoi(argv[5]), n = atoi(argv[6]);
    if (!u || n > MOST || enter(u, false, 0, 0, false, 0) || leave(u)) return 3;
    for (int k = 0; k < count; k++) {
        bool event, terminate, early;
        double last, x[MOST];
        uint32_t r[MOST];
        if (step(u, k * h, h, false, &event, &terminate, &early, &last)) return 4;
        if (k == count / 2 && to_bytes_and_back(library, u)) return 5;
        for (int i = 0; i < n; i++) r[i] = 1u << 24 | (uint32_t)i;
        if (get(u, r, (size_t)n, x, (size_t)n)) return 6;
        for (int i = 0; i < n; i++) {
            union {
                double number;
                uint32_t half[2];
            } bits = {x[i]};
            printf("%08x%08x ", (unsigned)bits.half[1], (unsigned)bits.half[0]);
        }
        printf("\n");
    }
    release(u);
    return 0;
}
