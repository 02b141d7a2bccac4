/// Threads as POSIX names them, also where a program has one thread only: there locks are never
/// contended, a condition is never waited for, and a thread that is asked for cannot be had.
/// Whoever wants threads does without them then, as where the system gives no more.
#ifndef FOI_THREADS_H
#define FOI_THREADS_H

#ifndef __wasm__
#include <pthread.h>
#else

#include <errno.h>
#include <stddef.h>

typedef struct foi_no_thread {
    char nothing;
} foi_no_thread;

#define pthread_t           foi_no_thread
#define pthread_attr_t      foi_no_thread
#define pthread_mutex_t     foi_no_thread
#define pthread_mutexattr_t foi_no_thread
#define pthread_cond_t      foi_no_thread
#define pthread_condattr_t  foi_no_thread
#define PTHREAD_MUTEX_INITIALIZER \
    {                             \
        0                         \
    }
enum { PTHREAD_PRIO_INHERIT = 1 };

#define FOI_DOES_NOTHING(name, ...)     \
    static inline int name(__VA_ARGS__) \
    {                                   \
        return 0;                       \
    }
#define FOI_UNUSED __attribute__((unused))
FOI_DOES_NOTHING(pthread_mutexattr_init, FOI_UNUSED foi_no_thread *kind)
FOI_DOES_NOTHING(pthread_mutexattr_setprotocol, FOI_UNUSED foi_no_thread *kind,
                 FOI_UNUSED int protocol)
FOI_DOES_NOTHING(pthread_mutexattr_destroy, FOI_UNUSED foi_no_thread *kind)
FOI_DOES_NOTHING(pthread_mutex_init, FOI_UNUSED foi_no_thread *lock,
                 FOI_UNUSED const foi_no_thread *kind)
FOI_DOES_NOTHING(pthread_mutex_lock, FOI_UNUSED foi_no_thread *lock)
FOI_DOES_NOTHING(pthread_mutex_unlock, FOI_UNUSED foi_no_thread *lock)
FOI_DOES_NOTHING(pthread_mutex_destroy, FOI_UNUSED foi_no_thread *lock)
FOI_DOES_NOTHING(pthread_cond_init, FOI_UNUSED foi_no_thread *c,
                 FOI_UNUSED const foi_no_thread *kind)
FOI_DOES_NOTHING(pthread_cond_signal, FOI_UNUSED foi_no_thread *c)
FOI_DOES_NOTHING(pthread_cond_broadcast, FOI_UNUSED foi_no_thread *c)
FOI_DOES_NOTHING(pthread_cond_destroy, FOI_UNUSED foi_no_thread *c)
FOI_DOES_NOTHING(pthread_join, FOI_UNUSED foi_no_thread thread, FOI_UNUSED void **result)
#undef FOI_DOES_NOTHING

// Nobody is there who could wake the caller: a program that waits here would wait for ever.
static inline int pthread_cond_wait(FOI_UNUSED foi_no_thread *c, FOI_UNUSED foi_no_thread *lock)
{
    __builtin_trap();
}

static inline int pthread_create(FOI_UNUSED foi_no_thread *thread,
                                 FOI_UNUSED const foi_no_thread *attributes,
                                 FOI_UNUSED void *(*begin)(void *), FOI_UNUSED void *argument)
{
    return EAGAIN;
}
#undef FOI_UNUSED

#endif
#endif
