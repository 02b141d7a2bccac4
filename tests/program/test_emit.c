// Machine code of our own gives the bits of the bytecode machine and of cc: for random programs of
// all operations and random inputs, however few registers there are, and for every model of the
// gallery. Where it is not to be had a program stays in the bytecode machine and says why.
#include "emit_random.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/simple.h"

static const foi_target *const targets[] = {
#if defined(__x86_64__)
    &foi_target_sse2, &foi_target_avx
#elif defined(__aarch64__)
    &foi_target_arm
#else
    NULL
#endif
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static bool is_here(const foi_target *target)
{
    const foi_target *best = foi_target_here();
    return target && best && (target == best || target == &foi_target_sse2);
}

// Sanitizers and emulators make it slow.
static long many(long count)
{
    return count / test_count(10, 1);
}

/// A program in one way, with what it was compared by.
typedef struct tally {
    long compared, wrong, programs;
} tally;

static void compare(foi_program *g, const foi_emit_def *def, uint64_t seed, int points, tally *sum)
{
    fo_message why = {0};
    foi_native *n = foi_emit_native(g, def, &why);
    if (!n) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return;
    }
    long wrong = emit_differences(g, n, seed, points, &sum->compared);
    if (wrong)
        test_fail(__FILE__, __LINE__, "%ld results differ: seed %llu, %s, %u registers", wrong,
                  (unsigned long long)seed, def->target->name, def->registers);
    sum->wrong += wrong, sum->programs++;
    foi_native_free(n);
}

static void compare_all(uint64_t seed, const emit_shape *shape, int points, tally *sum)
{
    foi_program *g = emit_program(seed, shape);
    REQUIRE(g);
    uint32_t step = test_is_slow() && shape->operations > 1000 ? 7 : 1;
    for (size_t t = 0; t < TARGETS; t++) {
        if (!is_here(targets[t])) continue;
        for (uint32_t registers = 2; registers <= 16; registers += step) {
            foi_emit_def def = {.target = targets[t], .everything = true};
            def.registers = registers <= 15 ? registers : 0;
            compare(g, &def, seed, points, sum);
        }
    }
    foi_program_destroy(g);
}

TEST(every_operation_has_its_bits)
{
    tally sum = {0};
    emit_shape shape = {.states = 3, .discretes = 2, .results = 3, .operations = 4};
    for (uint64_t seed = 1; seed <= (uint64_t)many(150) && sum.wrong < 5; seed++)
        compare_all(seed, &shape, 40, &sum);
    fprintf(stderr, "    %ld programs, %ld results\n", sum.programs, sum.compared);
    CHECK(sum.compared > many(100000) || !foi_target_here());
}

TEST(long_programs_have_their_bits)
{
    tally sum = {0};
    for (uint64_t seed = 1001; seed <= 1000 + (uint64_t)many(30) && sum.wrong < 5; seed++) {
        emit_shape shape = {.states = 8, .discretes = 5, .results = 12, .operations = 300};
        shape.plain = seed % 2;
        compare_all(seed, &shape, 5, &sum);
    }
    fprintf(stderr, "    %ld programs, %ld results\n", sum.programs, sum.compared);
}

// Longer than what a function may keep: made one result after the other.
TEST(large_programs_have_their_bits)
{
    tally sum = {0};
    for (uint64_t seed = 1501; seed <= 1502; seed++) {
        emit_shape shape = {.states = 40, .discretes = 9, .results = 150, .operations = 9000};
        shape.plain = seed % 2;
        foi_program *g = emit_program(seed, &shape);
        REQUIRE(g);
        CHECK(g->codes[FOI_TASK_OBSERVE].count > FOI_FRAME_MOST);
        foi_program_destroy(g);
        compare_all(seed, &shape, 2, &sum);
    }
    fprintf(stderr, "    %ld programs, %ld results\n", sum.programs, sum.compared);
}

// All values of one layer are made before those of the next in the bytecode, 3000 of them; a result
// needs a few of each.
TEST(large_models_become_machine_code)
{
    enum { STATES = 3000, LAYERS = 3 };
    static foi_node made[STATES], next[STATES];
    foi_graph graph;
    fo_message why = {0};
    if (!foi_target_here()) return;
    REQUIRE(foi_graph_begin(&graph, NULL));
    for (uint32_t i = 0; i < STATES; i++) made[i] = foi_leaf_of(&graph, FOI_LEAF_STATE, i);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t i = 0; i < STATES; i++) { // of different kinds, or they would be lanes
            foi_node b = foi_constant(&graph, 0.5 + i), a = made[(i + layer) % STATES];
            next[i] = i % 2   ? foi_add(&graph, foi_multiply(&graph, made[i], b), a)
                      : i % 3 ? foi_divide(&graph, b, foi_add(&graph, made[i], a))
                              : foi_make(&graph, FOI_G_COS, foi_multiply(&graph, a, made[i]), b, b);
        }
        memcpy(made, next, sizeof made);
    }
    foi_flow_def def = {.name = "large", .graph = &graph, .states = STATES, .rate = made};
    foi_program *g = foi_program_create_flow(&def, &why);
    foi_graph_end(&graph);
    REQUIRE(g);
    CHECK(!g->codes[FOI_TASK_RATES].wide);
    tally sum = {0};
    compare(g, &(foi_emit_def){.target = foi_target_here()}, 5, 2, &sum);
    CHECK(sum.compared >= 2 * STATES);
    foi_program_destroy(g);
}

TEST(arrays_have_their_bits)
{
    tally sum = {0};
    long wide = 0;
    for (uint64_t seed = 2001; seed <= 2080 && sum.wrong < 5; seed++) {
        emit_shape shape = {.states = 13 + seed % 30, .discretes = 5, .results = 7};
        shape.operations = 2 + seed % 9, shape.lanes = shape.states, shape.plain = seed % 3 > 0;
        foi_program *g = emit_program(seed, &shape);
        wide += g && g->codes[FOI_TASK_RATES].wide;
        foi_program_destroy(g);
        compare_all(seed, &shape, 3, &sum);
    }
    fprintf(stderr, "    %ld programs, %ld results, %ld of 80 wide\n", sum.programs, sum.compared,
            wide);
    CHECK(wide > 40);
}

// One of each operation, over everything that is special.
static foi_program *all_operations(void)
{
    foi_graph graph;
    fo_message why = {0};
    foi_node output[FOI_G_COUNT], rate;
    uint32_t count = 0;
    if (!foi_graph_begin(&graph, NULL)) return NULL;
    foi_node a = foi_leaf_of(&graph, FOI_LEAF_DISCRETE, 0);
    foi_node b = foi_leaf_of(&graph, FOI_LEAF_DISCRETE, 1);
    foi_node c = foi_leaf_of(&graph, FOI_LEAF_DISCRETE, 2);
    for (int op = FOI_G_LEAF + 1; op < FOI_G_OUTSIDE; op++)
        output[count++] = foi_make(&graph, (foi_op)op, a, b, c);
    rate = a;
    foi_flow_def def = {.name = "all", .graph = &graph, .states = 1, .discretes = 3};
    def.rate = &rate, def.output = output, def.outputs = count;
    foi_program *g = foi_program_create_flow(&def, &why);
    foi_graph_end(&graph);
    return g;
}

TEST(every_operation_on_every_special_value)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2,
                                    -3,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1p-1022,
                                    -0x1.8p-1040,
                                    0x1p52,
                                    -0x1p53,
                                    4503599627370495.5,
                                    -1e308,
                                    1e308,
                                    0x1.fffffffffffffp1023};
    enum { VALUES = sizeof values / sizeof values[0] };
    foi_program *g = all_operations();
    REQUIRE(g);
    const foi_code *code = &g->codes[FOI_TASK_OBSERVE];
    CHECK_INT(code->result_count, FOI_G_OUTSIDE - FOI_G_LEAF - 1);
    double *r = calloc(g->registers, sizeof *r), y[FOI_G_COUNT], z[FOI_G_COUNT], x = 0;
    double *d = r + g->layout.at[FOI_LEAF_DISCRETE];
    for (size_t t = 0; t < TARGETS; t++) {
        if (!is_here(targets[t])) continue;
        foi_emit_def def = {.target = targets[t]};
        foi_native *n = foi_emit_native(g, &def, NULL);
        REQUIRE(n);
        for (size_t i = 0; i < VALUES * VALUES * 3; i++) {
            foi_run run = {.r = r, .x = &x, .y = y};
            d[0] = values[i % VALUES], d[1] = values[i / VALUES % VALUES];
            d[2] = values[(i / VALUES / VALUES + i) % VALUES];
            foi_code_run(code, &run);
            run.y = z;
            n->functions->run[FOI_TASK_OBSERVE](code, &run);
            for (uint32_t k = 0; k < code->result_count; k++)
                if (!emit_same(y[k], z[k]))
                    test_fail(__FILE__, __LINE__, "%s of %a, %a, %a: %a in bytecode, %a in %s",
                              foi_op_text((foi_op)(FOI_G_LEAF + 1 + k)), d[0], d[1], d[2], y[k],
                              z[k], targets[t]->name);
        }
        foi_native_free(n);
    }
    free(r);
    foi_program_destroy(g);
}

// --------------------------------------------------------------------------- through the compiler

// Under an emulator the compiler is that of another machine.
static bool have_compiler(void)
{
#ifdef __x86_64__
    return system("cc --version > /dev/null 2>&1") == 0;
#else
    return false;
#endif
}

static char folder[32]; ///< of what is compiled

static bool make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/foliot-test-XXXXXX");
    return mkdtemp(folder) != NULL;
}

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

TEST(the_compiler_gives_these_bits)
{
    tally sum = {0};
    fo_message why = {0};
    if (!have_compiler()) return;
    REQUIRE(make_folder());
    for (uint64_t seed = 3001; seed <= (uint64_t)test_count(3003, 3012) && sum.wrong < 5; seed++) {
        emit_shape shape = {.states = 4, .discretes = 3, .results = 8, .operations = 60};
        if (seed % 3 == 0) shape = (emit_shape){21, 5, 7, 6, false, 21};
        foi_program *g = emit_program(seed, &shape);
        REQUIRE(g);
        CHECK_STATUS(foi_program_compile(g, folder, &why), FO_OK, &why);
        const foi_native *n = atomic_load(&g->native);
        if (n) sum.wrong += emit_differences(g, n, seed, 30, &sum.compared);
        foi_program_destroy(g);
    }
    CHECK_INT(sum.wrong, 0);
    fprintf(stderr, "    %ld results\n", sum.compared);
    remove_folder();
}

// ------------------------------------------------------------------------------------ the gallery

enum { MOST_VALUES = 600 };

/// Where a run has come to.
typedef struct outcome {
    double values[MOST_VALUES];
    size_t count;
    uint64_t steps, moments;
    fo_status status;
    bool program, there;
} outcome;

static void run_model(const char *path, fo_way way, outcome *out)
{
    fo_model_def def = fo_default_model_def();
    fo_model *m = NULL;
    def.name = path, def.program.way = way, def.program.folder = folder;
    *out = (outcome){.count = 0};
    if (fo_model_open(&def, &m) != FO_OK) {
        fo_model_close(m);
        return;
    }
    fo_system system = fo_model_system(m);
    fo_run_def run = fo_model_run_def(m);
    run.max_steps = 3000;
    out->program = fo_is_program(system);
    out->there = out->program && fo_program_way(system) == way;
    fo_simulation *sim = out->there ? fo_simulation_create(system, &run, NULL) : NULL;
    if (sim) {
        out->status = fo_simulation_advance(sim, run.stop);
        size_t count = 0;
        const fo_reference *rows = fo_model_rows(m, &count);
        for (size_t i = 0; i < count && i < MOST_VALUES; i++)
            out->values[out->count++] = foi_plain(fo_simulation_value(sim, rows[i]));
        fo_statistics s = fo_simulation_statistics(sim);
        out->steps = s.steps, out->moments = s.moments;
    }
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

static void compare_models(const char *path, int *counts)
{
    static outcome first, other;
    fo_way last = have_compiler() ? FO_WAY_NATIVE : FO_WAY_MEMORY;
    run_model(path, FO_WAY_BYTECODE, &first);
    if (!first.program) return;
    for (fo_way way = FO_WAY_MEMORY; way <= last; way++) {
        run_model(path, way, &other);
        if (!other.there) continue; // no compiler, or another processor
        counts[way]++;
        if (first.status != other.status || first.count != other.count ||
            first.steps != other.steps || first.moments != other.moments ||
            memcmp(first.values, other.values, first.count * sizeof(double)) != 0)
            test_fail(__FILE__, __LINE__, "%s: way %d gives other bits", path, (int)way);
    }
}

static void compare_folder(const char *path, int depth, int *counts)
{
    char file[1000];
    DIR *directory = opendir(path);
    if (!directory) return;
    for (struct dirent *e; (e = readdir(directory));) {
        size_t n = strlen(e->d_name);
        if (e->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%.700s/%.200s", path, e->d_name);
        bool text = n > 3 && strcmp(e->d_name + n - 3, ".mo") == 0;
        bool document = n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
        if (text || document) {
            if (counts[FO_WAY_BYTECODE]++ % test_count(4, 1) == 0) compare_models(file, counts);
        } else if (depth)
            compare_folder(file, depth - 1, counts);
    }
    closedir(directory);
}

TEST(every_model_of_the_gallery_has_the_same_bits)
{
    int counts[FO_WAY_NATIVE + 1] = {0};
    REQUIRE(make_folder());
    compare_folder(FOLIOT_SOURCE_DIR "/models", 2, counts);
    fprintf(stderr, "    %d models as machine code, %d through cc\n", counts[FO_WAY_MEMORY],
            counts[FO_WAY_NATIVE]);
    CHECK(counts[FO_WAY_MEMORY] >= test_count(1, 30) || !foi_target_here());
    CHECK(counts[FO_WAY_NATIVE] >= test_count(1, 30) || !have_compiler());
    remove_folder();
}

// ----------------------------------------------------------------------------------- strict steps

// Rates that jump and have kinks at times and places that the solver is not told: tries fail by
// far, and what lies under them is gone through in strict steps.
static void write_kinks(emit_random *r, bool many, char *text, size_t size)
{
    int n = many ? 20 + (int)emit_below(r, 30) : 1 + (int)emit_below(r, 5);
    double when = 0.1 + 0.01 * emit_below(r, 80), k = 5 + emit_below(r, 40);
    snprintf(text, size,
             "model Kinks\n"
             "  constant Integer n = %d;\n"
             "  parameter Real k = %g, c = %g;\n"
             "  Real x[n](start = {0.1*i for i in 1:n}, each fixed = true);\n"
             "equation\n"
             "  der(x[1]) = noEvent(if time > c then -k*x[1] else k) - noEvent(abs(x[1] - 0.5));\n"
             "  for i in 2:n loop\n"
             "    der(x[i]) = k*(x[i-1] - x[i]) + 30*noEvent(abs(x[i] - x[i-1] - 0.3));\n"
             "  end for;\n"
             "end Kinks;\n",
             n, k, when);
}

static fo_statistics run_kinks(const char *text, fo_way way, double *x)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "text", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    fo_statistics said = {0};
    fo_program_def program = fo_default_program_def();
    program.way = way;
    if (!m) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (m && fo_program_run_as(fo_text_model_system(m), &program, &why) == FO_OK) {
        fo_run_def run = fo_default_run_def();
        run.stop = 1, run.solver = "dp45", run.rtol = run.atol = 1e-7;
        fo_simulation *sim = fo_simulation_create(fo_text_model_system(m), &run, NULL);
        if (sim && fo_simulation_advance(sim, run.stop) == FO_REACHED) {
            const fo_state *s = fo_simulation_state(sim);
            said = fo_simulation_statistics(sim);
            memcpy(x, s->x, s->shape.states * sizeof *x);
        }
        fo_simulation_destroy(sim);
    }
    fo_text_model_close(m);
    return said;
}

TEST(strict_steps_have_their_bits)
{
    emit_random r = {77};
    uint64_t refused = 0;
    if (!foi_target_here()) return;
    for (int i = 0; i < 24; i++) {
        char text[1000];
        double x[64] = {0}, y[64] = {0};
        write_kinks(&r, i % 2, text, sizeof text);
        fo_statistics a = run_kinks(text, FO_WAY_BYTECODE, x);
        fo_statistics b = run_kinks(text, FO_WAY_MEMORY, y);
        CHECK(a.steps > 0);
        CHECK_INT(b.steps, a.steps);
        CHECK_INT(b.rejected, a.rejected);
        CHECK_INT(b.rates, a.rates);
        CHECK(memcmp(x, y, sizeof x) == 0);
        refused += a.rejected;
    }
    CHECK(refused > 24);
}

// ------------------------------------------------------------------------------- where it is
// refused

TEST(without_memory_there_is_none)
{
    emit_shape shapes[] = {{3, 2, 3, 20, false, 0}, {13, 5, 3, 5, false, 13}};
    if (!foi_target_here()) return;
    for (int i = 0; i < 2; i++) {
        foi_program *g = emit_program(77, &shapes[i]);
        foi_native *n = NULL;
        long fail_at = 1;
        REQUIRE(g);
        for (; !n && fail_at < 1000; fail_at++) {
            test_memory memory;
            fo_message why = {0};
            test_memory_init(&memory, fail_at);
            foi_emit_def def = {.allocator = &memory.allocator, .everything = true};
            n = foi_emit_native(g, &def, &why);
            if (!n) CHECK_INT(why.status, FO_ERROR_MEMORY);
            if (n) foi_native_free(n);
            CHECK_INT(memory.live, 0);
        }
        CHECK(n && fail_at > 10);
        foi_program_destroy(g);
    }
}

/// A host that notes what it was given.
typedef struct noting_host {
    uint32_t answer, count, released;
    size_t size;
    bool module; ///< it was one
} noting_host;

static uint32_t note_module(void *self, const uint8_t *module, size_t size, uint32_t count)
{
    static const uint8_t magic[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
    noting_host *h = self;
    h->size = size, h->count = count;
    h->module = size > sizeof magic && memcmp(module, magic, sizeof magic) == 0;
    return h->answer;
}

static void note_release(void *self, uint32_t first, uint32_t count)
{
    noting_host *h = self;
    h->released = first == h->answer ? count : 0;
}

// The functions are not called here: tests/embed does that, where there is an engine for them.
TEST(a_module_goes_to_its_host)
{
    emit_shape shape = {13, 5, 3, 5, false, 13};
    noting_host noted = {.answer = 77};
    fo_module_host host = {&noted, note_module, note_release};
    foi_emit_def def = {.target = &foi_target_wasm, .everything = true, .host = &host};
    foi_program *g = emit_program(77, &shape);
    fo_message why = {0};
    foi_native *n = NULL;
    REQUIRE(g);
    for (long fail_at = 1; !n && fail_at < 1000; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        def.allocator = &memory.allocator;
        n = foi_emit_native(g, &def, &why);
        if (!n) CHECK_INT(why.status, FO_ERROR_MEMORY);
        if (n) foi_native_free(n);
        CHECK_INT(memory.live, 0);
    }
    CHECK(n && noted.module && noted.count > 3 && noted.size > 500);
    CHECK_INT(noted.released, noted.count);
    noted.answer = 0, def.allocator = NULL;
    CHECK(!foi_emit_native(g, &def, &why));
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "the host does not instantiate");
    def.host = NULL;
    CHECK(!foi_emit_native(g, &def, &why));
    CHECK_CONTAINS(why.text, "no host");
    foi_program_destroy(g);
}

static const char lorenz[] = "real x 1 fixed\n"
                             "real y 1 fixed\n"
                             "real z 1 fixed\n"
                             "eq der(x) = 10*(y - x)\n"
                             "eq der(y) = x*(28 - z) - y\n"
                             "eq der(z) = x*y - 8/3*z\n";

// Linux 6.3 can refuse pages that become executable.
static bool refuse_gain(void)
{
    enum { REFUSE_GAIN = 65 }; // PR_SET_MDWE
    return prctl(REFUSE_GAIN, 1, 0, 0, 0) == 0;
}

// Older ones, and sandboxes, filter calls: mprotect that makes pages executable is not permitted.
static bool filter_calls(void)
{
    enum { ARGUMENT = offsetof(struct seccomp_data, args[2]) };
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// In a process that may not make pages executable. Its exit status says what went wrong.
static int run_refused(bool (*refuse)(void))
{
    if (!refuse()) return 0; // not on this system
    simple r;
    char story[300];
    fo_message why = {0};
    fo_run_def def = simple_def(1);
    if (!simple_begin(&r, lorenz, &def)) return 1;
    fo_program_def program = fo_default_program_def();
    program.way = FO_WAY_MEMORY;
    fo_system system = foi_program_system(r.program);
    if (fo_program_run_as(system, &program, &why) != FO_ERROR_UNFIT) return 2;
    if (!strstr(why.text, "the system refuses")) return 3;
    if (fo_program_way(system) != FO_WAY_BYTECODE) return 4;
    if (fo_simulation_advance(r.sim, 1) != FO_REACHED) return 5;
    fo_program_story(system, story, sizeof story);
    if (!strstr(story, "bytecode (the system refuses")) return 6;
    program.way = FO_WAY_AUTO;
    if (fo_program_run_as(system, &program, &why) != FO_OK || !r.program->worker) return 7;
    program.late = -1; // nobody waits to compile
    if (fo_program_run_as(system, &program, &why) != FO_OK || r.program->worker) return 8;
    if (fo_program_way(system) != FO_WAY_BYTECODE) return 9;
    simple_end(&r);
    return 0;
}

static void check_refused(bool (*refuse)(void))
{
    int result = 0;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(run_refused(refuse));
    REQUIRE(waitpid(child, &result, 0) == child);
    CHECK(WIFEXITED(result));
    CHECK_INT(WEXITSTATUS(result), 0);
}

TEST(a_system_that_refuses_gets_bytecode)
{
    if (!foi_target_here()) return;
    check_refused(refuse_gain);
    check_refused(filter_calls);
}

// Pages of code are there, and none of the process can be written and run.
TEST(no_page_is_writable_and_executable)
{
    emit_shape shape = {3, 2, 3, 20, false, 0};
    if (!foi_target_here()) return;
    foi_program *g = emit_program(77, &shape);
    foi_emit_def def = {.everything = true};
    foi_native *n = g ? foi_emit_native(g, &def, NULL) : NULL;
    REQUIRE(n);
    // Opened now: emulators list the pages as they are when the file is opened.
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    uintptr_t code = (uintptr_t)n->functions->run[FOI_TASK_RATES];
    char line[1000], rights[5];
    unsigned long from, to;
    bool found = false;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3) continue;
        CHECK(!(strchr(rights, 'w') && strchr(rights, 'x')));
        if (code >= from && code < to) found = strncmp(rights, "r-x", 3) == 0;
    }
    CHECK(found);
    fclose(maps);
    foi_native_free(n);
    foi_program_destroy(g);
}

// More values at once than a function may keep on the stack.
TEST(what_cannot_be_emitted_says_why)
{
    enum { VALUES = 3000 };
    foi_graph graph;
    fo_message why = {0};
    static foi_node made[VALUES];
    if (!foi_target_here()) return;
    REQUIRE(foi_graph_begin(&graph, NULL));
    foi_node x = foi_leaf_of(&graph, FOI_LEAF_STATE, 0), rate = foi_constant(&graph, 0);
    foi_node y = foi_leaf_of(&graph, FOI_LEAF_STATE, 1);
    // a chain that is needed from its end to its beginning
    for (int i = 0; i < VALUES; i++)
        made[i] = i ? foi_multiply(&graph, foi_add(&graph, made[i - 1], y), x) : x;
    for (int i = VALUES; i-- > 0;) rate = foi_add(&graph, foi_divide(&graph, rate, y), made[i]);
    foi_node rates[2] = {rate, x};
    foi_flow_def def = {.name = "long", .graph = &graph, .states = 2, .rate = rates};
    foi_program *g = foi_program_create_flow(&def, &why);
    foi_graph_end(&graph);
    REQUIRE(g);
    foi_emit_def how = {0};
    foi_native *n = foi_emit_native(g, &how, &why);
    CHECK(!n);
    CHECK_INT(why.status, FO_ERROR_UNFIT);
    CHECK_CONTAINS(why.text, "too many values are needed at once");
    if (n) foi_native_free(n);
    foi_program_destroy(g);
}

TEST_MAIN(TEST_ENTRY(every_operation_on_every_special_value),
          TEST_ENTRY(every_operation_has_its_bits), TEST_ENTRY(long_programs_have_their_bits),
          TEST_ENTRY(large_programs_have_their_bits), TEST_ENTRY(large_models_become_machine_code),
          TEST_ENTRY(arrays_have_their_bits), TEST_ENTRY(the_compiler_gives_these_bits),
          TEST_ENTRY(every_model_of_the_gallery_has_the_same_bits),
          TEST_ENTRY(strict_steps_have_their_bits), TEST_ENTRY(without_memory_there_is_none),
          TEST_ENTRY(a_module_goes_to_its_host), TEST_ENTRY(a_system_that_refuses_gets_bytecode),
          TEST_ENTRY(no_page_is_writable_and_executable),
          TEST_ENTRY(what_cannot_be_emitted_says_why))
