// Stacks that are too small: the process is named, whatever is asked of the system.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/coroutine.h"
#include "scene.h"

// Goes so many bytes down and, when it is to, holds there.
__attribute__((noinline)) static char sink(fo_world *w, ptrdiff_t bytes, const volatile char *top,
                                           bool hold)
{
    volatile char room[64];
    for (size_t i = 0; i < sizeof room; i++) room[i] = (char)bytes;
    if (top - room < bytes)
        room[1] = sink(w, bytes, top, hold);
    else if (hold)
        fo_hold(w, 1);
    return room[0];
}

/// How the digger digs.
typedef struct dig {
    ptrdiff_t deep;
    bool hold; ///< down there
    size_t stack;
} dig;

static void digger(fo_world *w, void *self)
{
    const dig *d = self;
    volatile char top = 1;
    top = sink(w, d->deep, &top, d->hold);
    fo_hold(w, 1);
}

static void digs(fo_world *w, void *self)
{
    fo_hold(w, 1);
    fo_process_def neighbour = {"neighbour", digger, &(dig){10}, .stack = ((dig *)self)->stack};
    fo_activate(fo_process_make(w, &neighbour));
    fo_process_def def = {"digger", digger, self, .stack = ((dig *)self)->stack};
    fo_activate(fo_process_make(w, &def));
    fo_hold(w, 5);
}

// Checks that it goes well (NULL), or fails with these words.
static void dig_expecting(const fo_world_def *def, dig d, const char *words)
{
    fo_world *w = fo_world_create(def, NULL);
    fo_status status = fo_world_simulate(w, digs, &d);
    CHECK_STATUS(status, words ? FO_ERROR_MEMORY : FO_STOPPED, fo_world_message(w));
    if (words) CHECK_CONTAINS(fo_world_message(w)->text, words);
    fo_world_destroy(w);
}

TEST(what_suspends_itself_too_deep_is_named)
{
    dig_expecting(NULL, (dig){1000, true, 20000}, NULL);
#ifndef FOI_COROUTINE_WATCHED // its frames are larger
    // the 20,000 bytes have become 32 KiB
    dig_expecting(NULL, (dig){29500, true, 20000},
                  "the stack of process 'digger' (#3) is too small: its 3");
#endif
}

// Without a guard page: what fell and came back has left its marks.
TEST(what_fell_and_came_back_is_named)
{
#ifndef FOI_COROUTINE_WATCHED // its stacks are never that small
    dig_expecting(NULL, (dig){300, false, 1900}, NULL);
    dig_expecting(NULL, (dig){1980, false, 1900},
                  "the stack of process 'digger' (#3) is too small: its 20");
    dig_expecting(NULL, (dig){1980, false, 1900}, "at t = 1;");
#endif
}

#ifndef FOI_COROUTINE_WATCHED // sanitizers handle faults themselves
static void check_that_nobody_handles(void)
{
    struct sigaction now;
    CHECK_INT(sigaction(SIGSEGV, NULL, &now), 0);
    CHECK(now.sa_handler == SIG_DFL);
}
#endif

TEST(what_falls_into_the_guard_page_is_named)
{
    const fo_world_def def = {.catch_overflow = true};
    dig_expecting(&def, (dig){1000, false, 20000}, NULL);
#ifndef FOI_COROUTINE_WATCHED
    for (int i = 0; i < 3; i++) { // everything is put back, so that it can be done again
        dig_expecting(&def, (dig){1000000, false, 20000},
                      "the stack of process 'digger' (#3) is too small");
        dig_expecting(&def, (dig){1000000, false, 5000}, "at t = 1;");
        check_that_nobody_handles();
    }
#endif
}

// The same for a world that a simulation of the user's own runs, with and without levels.
TEST(falls_are_caught_in_any_simulation)
{
#ifndef FOI_COROUTINE_WATCHED
    for (int levels = 0; levels < 2; levels++) {
        dig d = {1000000, false, 20000};
        fo_level x = {.rate = 1};
        fo_message why = {0};
        fo_world *w = fo_world_create(&(fo_world_def){.catch_overflow = true}, NULL);
        if (levels) fo_level_start(w, &x);
        fo_spawn(w, "digs", digs, &d);
        fo_run_def def = fo_default_run_def();
        def.stop = 3, def.solver = "rkf45";
        fo_simulation *sim = fo_simulation_create(fo_world_system(w), &def, &why);
        CHECK_STATUS(fo_simulation_advance(sim, 3), FO_ERROR_MEMORY, fo_simulation_message(sim));
        CHECK_CONTAINS(fo_simulation_message(sim)->text, "the stack of process 'digger' (#3)");
        fo_simulation_destroy(sim);
        fo_world_destroy(w);
        check_that_nobody_handles();
    }
#endif
}

#ifndef FOI_COROUTINE_WATCHED
enum { THREADS = 4, ROUNDS = 20 };

// Counts the runs that end as they should.
static void *dig_in_a_thread(void *count)
{
    for (int i = 0; i < ROUNDS; i++) {
        dig d = {1000000, false, 20000};
        fo_world *w = fo_world_create(&(fo_world_def){.catch_overflow = true}, NULL);
        fo_status status = fo_world_simulate(w, digs, &d);
        const char *text = fo_world_message(w)->text;
        *(int *)count += status == FO_ERROR_MEMORY && strstr(text, "process 'digger' (#3)");
        fo_world_destroy(w);
    }
    return NULL;
}

static void on_segv(int number)
{
    _exit(number == SIGSEGV ? 17 : 18);
}

// What happens to a child that does this.
static int end_of(void (*deed)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        deed();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void fall_without_asking(void)
{
    dig d = {1000000, false, 20000};
    fo_world_simulate(fo_world_create(NULL, NULL), digs, &d);
}

static void fall_with_an_own_handler(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = on_segv, .sa_flags = SA_ONSTACK}, NULL);
    if (fo_overflow_handle()) _exit(1); // it is the application's
    fall_without_asking();
}

static void stray(fo_world *w, void *self)
{
    (void)w;
    *(volatile char *)((uintptr_t)self + 8) = 1;
}

static void stray_while_watched(void)
{
    fo_world *w = fo_world_create(&(fo_world_def){.catch_overflow = true}, NULL);
    fo_world_simulate(w, stray, NULL);
}

static void handle_and_stray(void)
{
    fo_overflow_handle();
    stray_while_watched();
}

static void handle_on_threads(void)
{
    pthread_t threads[THREADS];
    int count[THREADS] = {0};
    if (!fo_overflow_handle() || !fo_overflow_handle()) _exit(1);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, dig_in_a_thread, &count[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (count[i] != ROUNDS) _exit(2);
    }
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    if (now.sa_handler == SIG_DFL) _exit(3);
}
#endif

// Nobody's handler is taken over unasked; faults that are no falls stay what they are.
TEST(handlers_belong_to_the_program)
{
#ifndef FOI_COROUTINE_WATCHED
    CHECK_INT(end_of(fall_without_asking), -SIGSEGV);
    CHECK_INT(end_of(fall_with_an_own_handler), 17);
    CHECK_INT(end_of(stray_while_watched), -SIGSEGV);
    CHECK_INT(end_of(handle_and_stray), -SIGSEGV);
    CHECK_INT(end_of(handle_on_threads), 0);
#else
    CHECK(!fo_overflow_handle()); // a sanitizer does it
#endif
}

TEST_MAIN(TEST_ENTRY(what_suspends_itself_too_deep_is_named),
          TEST_ENTRY(what_fell_and_came_back_is_named),
          TEST_ENTRY(what_falls_into_the_guard_page_is_named),
          TEST_ENTRY(falls_are_caught_in_any_simulation),
          TEST_ENTRY(handlers_belong_to_the_program))
