// The desk as a WebAssembly module: what a host calls, see docs/web.md. Addresses are offsets into
// the module's memory. Clocks and counts come as doubles, which JavaScript has.
#include <foliot/desk.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

fo_desk *EXPORT(desk_open)(double memory, double patience);
void EXPORT(desk_close)(fo_desk *desk);
size_t EXPORT(desk_give)(fo_desk *desk, const void *bytes, size_t count);
int EXPORT(desk_work)(fo_desk *desk, double clock, double units);
size_t EXPORT(desk_take)(fo_desk *desk, void *buffer, size_t room);
void *EXPORT(memory_new)(size_t size);
void EXPORT(memory_free)(void *block);
void EXPORT(desk_more)(void);

// Functions of the modules that the engine writes: the host instantiates them.
#define IMPORT(name) __attribute__((import_module("foliot"), import_name(#name))) host_##name

uint32_t IMPORT(instantiate)(const uint8_t *module, size_t size, uint32_t count);
void IMPORT(release)(uint32_t first, uint32_t count);
void IMPORT(more)(void);

// Functions that the second module has (tools/wasm_split.mjs) come here first.
void desk_more(void)
{
    static bool loaded;
    if (loaded) return;
    host_more();
    loaded = true;
}

static uint32_t instantiate(void *self, const uint8_t *module, size_t size, uint32_t count)
{
    (void)self;
    return host_instantiate(module, size, count);
}

static void release(void *self, uint32_t first, uint32_t count)
{
    (void)self;
    host_release(first, count);
}

static const fo_module_host host = {.instantiate = instantiate, .release = release};

// A translation is one piece here: beyond so many nanoseconds it is ended, and others are answered.
static const double usual_patience = 2e9;

static int64_t now(void *self)
{
    struct timespec t;
    (void)self;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000 * (int64_t)t.tv_sec + t.tv_nsec;
}

// The host may give files: documents of the gallery, and packages for texts.
static const char *const folders[] = {"/gallery", NULL};
static const char *const libraries[] = {"/libraries", NULL};

// A desk that takes so many bytes of memory at most (0: as many as it usually may); NULL where
// there are not as many. A translation may take so many nanoseconds (0: as many as it usually may).
fo_desk *desk_open(double memory, double patience)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.table = fo_compiled_models();
    def.folders = folders;
    def.libraries = libraries;
    def.host = &host;
    def.patience = (int64_t)(patience >= 1 && patience < 1e18 ? patience : usual_patience);
    def.now = now;
    if (memory >= 1 && memory < 4e9) def.memory = (size_t)memory;
    return fo_desk_create(&def, &why);
}

void desk_close(fo_desk *desk)
{
    fo_desk_destroy(desk);
}

size_t desk_give(fo_desk *desk, const void *bytes, size_t count)
{
    return fo_desk_give(desk, bytes, count);
}

// Returns what there is to do: 0 nothing, 1 more, 2 nothing before output is taken.
int desk_work(fo_desk *desk, double clock, double units)
{
    const double most = 9007199254740992; // 2^53
    if (!(clock > -most && clock < most)) clock = 0;
    if (!(units >= 0 && units < most)) units = 0;
    return fo_desk_work(desk, (int64_t)clock, (uint64_t)units);
}

size_t desk_take(fo_desk *desk, void *buffer, size_t room)
{
    return fo_desk_take(desk, buffer, room);
}

void *memory_new(size_t size)
{
    return malloc(size);
}

void memory_free(void *block)
{
    free(block);
}
