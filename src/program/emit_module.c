/// The module of a program's functions. It imports from "foliot"
///
///     memory     of the engine
///     table      of its functions: what the module calls and what it gives is called through it
///     base       i32, where in the table the module's functions are to be put
///
/// and puts its functions there when it is instantiated. Their numbers are function pointers of the
/// engine.
#include <string.h>

#include "program/emit_wasm.h"

static void put(foi_bytes *b, uint32_t byte)
{
    foi_put_u8(b, (uint8_t)byte);
}

/// A section in work.
typedef struct section {
    foi_bytes *out;
    foi_bytes inside;
    uint32_t number;
} section;

static void close_section(section *s)
{
    put(s->out, s->number);
    foi_put_leb(s->out, s->inside.count);
    foi_bytes_put(s->out, s->inside.list, s->inside.count);
    if (s->inside.failed) s->out->failed = true;
    foi_bytes_free(&s->inside);
}

static void put_name(foi_bytes *b, const char *name)
{
    foi_put_leb(b, strlen(name));
    foi_bytes_put(b, name, strlen(name));
}

static void put_type(foi_bytes *b, uint32_t parameter, uint32_t count, uint32_t result)
{
    put(b, 0x60), foi_put_leb(b, count);
    for (uint32_t i = 0; i < count; i++) put(b, parameter);
    put(b, result ? 1 : 0);
    if (result) put(b, result);
}

static void put_types(foi_bytes *out)
{
    section s = {.out = out, .inside = {.allocator = out->allocator}, .number = 1};
    foi_bytes *b = &s.inside;
    foi_put_leb(b, FOI_TYPES);
    put_type(b, FOI_WASM_I32, 2, FOI_WASM_I32); // a task
    put_type(b, FOI_WASM_I32, 2, 0);            // a loop
    put_type(b, FOI_WASM_I32, 1, 0);            // a try
    put_type(b, FOI_WASM_F64, 1, FOI_WASM_F64);
    put_type(b, FOI_WASM_F64, 2, FOI_WASM_F64);
    put_type(b, FOI_WASM_I32, 4, FOI_WASM_I32); // solve
    put_type(b, FOI_WASM_I32, 6, 0);            // foi_lanes
    close_section(&s);
}

static void put_imports(foi_bytes *out)
{
    section s = {.out = out, .inside = {.allocator = out->allocator}, .number = 2};
    foi_bytes *b = &s.inside;
    foi_put_leb(b, 3);
    put_name(b, "foliot"), put_name(b, "memory");
    put(b, 0x02), put(b, 0), foi_put_leb(b, 0);
    put_name(b, "foliot"), put_name(b, "table");
    put(b, 0x01), put(b, 0x70), put(b, 0), foi_put_leb(b, 0);
    put_name(b, "foliot"), put_name(b, "base");
    put(b, 0x03), put(b, FOI_WASM_I32), put(b, 0);
    close_section(&s);
}

static void put_functions(foi_bytes *out, const foi_maker *m)
{
    section types = {.out = out, .inside = {.allocator = out->allocator}, .number = 3};
    section places = {.out = out, .inside = {.allocator = out->allocator}, .number = 9};
    foi_put_leb(&types.inside, m->functions);
    for (uint32_t i = 0; i < m->functions; i++) put(&types.inside, m->type[i]);
    close_section(&types);
    foi_put_leb(&places.inside, 1);
    put(&places.inside, 0), put(&places.inside, FOI_WASM_GLOBAL), put(&places.inside, 0);
    put(&places.inside, FOI_WASM_END);
    foi_put_leb(&places.inside, m->functions);
    for (uint32_t i = 0; i < m->functions; i++) foi_put_leb(&places.inside, i);
    close_section(&places);
}

void foi_wasm_module(foi_maker *m)
{
    static const uint8_t magic[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
    foi_bytes out = {.allocator = m->allocator};
    section code = {.out = &out, .inside = {.allocator = m->allocator}, .number = 10};
    foi_bytes_put(&out, magic, sizeof magic);
    put_types(&out);
    put_imports(&out);
    put_functions(&out, m);
    foi_put_leb(&code.inside, m->functions);
    for (uint32_t i = 0; i < m->functions; i++) {
        size_t from = m->function[i];
        size_t to = i + 1 < m->functions ? m->function[i + 1] : m->code.count;
        foi_put_leb(&code.inside, to - from);
        foi_bytes_put(&code.inside, m->code.list + from, to - from);
    }
    close_section(&code);
    if (out.failed) m->failed = true;
    foi_bytes_free(&m->code);
    m->code = out;
}
