/// Pages of code. They are written first and run then, never both at once; a system that allows
/// neither the mapping nor the change refuses, and the program stays in the bytecode machine.
#if defined(__unix__) && !defined(__wasm__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#endif

#include <string.h>

#include "program/emit.h"

#if defined(__unix__) && !defined(__wasm__)

#include <errno.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static bool refuse(foi_pages *p, const char *what, fo_message *why)
{
    int cause = errno;
    foi_pages_free(p);
    fo_fail(why, FO_ERROR_UNFIT, "the system refuses %s: %s", what, strerror(cause));
    return false;
}

bool foi_pages_make(foi_pages *p, const foi_bytes *code, const foi_pool *pool, fo_message *why)
{
    size_t before = whole_pages(8 * (size_t)pool->count);
    *p = (foi_pages){.size = before + whole_pages(code->count)};
    p->at = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->at == MAP_FAILED) {
        p->at = NULL;
        return refuse(p, "memory for machine code", why);
    }
    uint8_t *start = (uint8_t *)p->at + before;
    for (uint32_t i = 0; i < pool->count; i++)
        memcpy(start - 8 * ((size_t)i + 1), &pool->word[i], 8);
    if (code->count) memcpy(start, code->list, code->count);
    if (mprotect(p->at, p->size, PROT_READ | PROT_EXEC) != 0)
        return refuse(p, "to run machine code that was made here", why);
    __builtin___clear_cache((char *)start, (char *)start + code->count);
    p->code = start;
    return true;
}

void foi_pages_free(foi_pages *p)
{
    if (p->at) munmap(p->at, p->size);
    *p = (foi_pages){0};
}

#else

bool foi_pages_make(foi_pages *p, const foi_bytes *code, const foi_pool *pool, fo_message *why)
{
    (void)code, (void)pool;
    *p = (foi_pages){0};
    fo_fail(why, FO_ERROR_UNFIT, "there are no pages of code here");
    return false;
}

void foi_pages_free(foi_pages *p)
{
    *p = (foi_pages){0};
}

#endif
