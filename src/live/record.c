// A recording: all that the result of a live run depends on, as lines of text. Numbers are written
// with all their digits.
//
//     foliot live recording 1
//     model pendulum            the name in its description
//     opened models/my.mo       by which name or path; the line may be missing
//     seed 0
//     solver dp45               as it was asked for; "-": chosen
//     run START STOP STEP RTOL ATOL FIRST MAX MIN ZENO SCALE
//     more SUBSTEPS EPSILON MAX_STEPS MAX_JUMPS
//     number walls.Gain 50      what was set when the model was opened, a line each; in names a
//                               space is written %20, a % is %25
//     start m 0.5               what was set before the start, a line each
//     begin
//     12.5 event tap 0.3        at t = 12.5; until then nothing but time has passed
//     12.5 event+ tap 0.3       the same, after all that has happened at t = 12.5
//     13 set m 0.4              or set+
//     14 method rk4 0.04 1e-3   from here on another method: its name, step and rtol
//     14 accuracy rtol 1e-3     from here on rtol, atol, min-step or max-step is this
//     15.5 back 2               the run went back to t = 15.5: of the lines after `begin`, without
//                               those that earlier backs have undone, the first 2 remain
//     20 end 0123456789abcdef   the end, and a hash of all bits of the state
//
// The times of the lines are simulated times. A file without its last line is of a run that was
// cut off; all before is good.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/whole_write.h"
#include "live/internal.h"
#include "math/math.h"

// ----------------------------------------------------------------------------------------- hashes

// FNV-1a.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

// Numbers, with one bit pattern for all that are none: machines differ in the sign of 0/0.
static uint64_t hash_numbers(uint64_t hash, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double plain = foi_plain(x[i]);
        hash = hash_bytes(hash, &plain, sizeof plain);
    }
    return hash;
}

uint64_t fo_simulation_hash(const fo_simulation *sim)
{
    const fo_state *s = fo_simulation_state(sim);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_bytes(hash, &s->t, sizeof s->t);
    hash = hash_numbers(hash, s->x, s->shape.states);
    hash = hash_numbers(hash, s->d, s->shape.discretes);
    hash = hash_numbers(hash, s->u, s->shape.inputs);
    hash = hash_numbers(hash, s->p, s->shape.parameters);
    // what cannot be copied may hold addresses, which are others in another process
    bool plain = !fo_simulation_system(sim).type->no_snapshot;
    if (s->shape.memory && plain) hash = hash_bytes(hash, s->memory, s->shape.memory);
    return hash;
}

// ---------------------------------------------------------------------------------------- writing

static void put_number(FILE *out, double value)
{
    char text[32];
    foi_number_text(value, text);
    fprintf(out, " %s", text);
}

static void put_time(FILE *out, double t)
{
    char text[32];
    foi_number_text(t, text);
    fputs(text, out);
}

static void put_name(FILE *out, const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == ' ' || *c == '%')
            fputs(*c == ' ' ? "%20" : "%25", out);
        else
            fputc(*c, out);
}

// What differs from the description's start values: set by the user before the start.
static void put_starts(FILE *out, const fo_variables *list, const double *values)
{
    for (size_t i = 0; i < list->count; i++) {
        if (memcmp(&values[i], &list->list[i].start, sizeof *values) == 0) continue;
        fputs("start ", out);
        put_name(out, list->list[i].name);
        put_number(out, values[i]);
        fputc('\n', out);
    }
}

static void put_setting(FILE *out, const fo_setting *setting)
{
    fputs("number ", out);
    put_name(out, setting->name);
    put_number(out, setting->value);
    fputc('\n', out);
}

// A name that no line of a recording can hold is left out.
static void put_opened(FILE *out, const char *opened)
{
    enum { LONGEST = 300 }; // three letters each at most
    if (!opened || !*opened || strlen(opened) > LONGEST) return;
    for (const char *c = opened; *c; c++)
        if ((unsigned char)*c < ' ') return;
    fputs("opened ", out);
    put_name(out, opened);
    fputc('\n', out);
}

static void put_head(FILE *out, const fo_live *live)
{
    const fo_run_def *run = &live->def.run;
    const fo_description *about = live->def.system.about;
    const fo_state *s = fo_simulation_state(live->sim);
    const double numbers[] = {run->start,      run->stop,     run->step,     run->rtol, run->atol,
                              run->first_step, run->max_step, run->min_step, run->zeno, run->scale};
    fputs("foliot live recording 1\nmodel ", out);
    put_name(out, about->name);
    fputc('\n', out);
    put_opened(out, live->def.opened);
    fprintf(out, "seed %" PRIu64 "\nsolver %s\nrun", run->seed, run->solver ? run->solver : "-");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) put_number(out, numbers[i]);
    fprintf(out, "\nmore %" PRIu32, run->substeps);
    put_number(out, run->epsilon);
    fprintf(out, " %" PRIu64 " %" PRIu32 "\n", run->max_steps, run->max_jumps);
    for (size_t i = 0; i < live->def.setting_count; i++) put_setting(out, &live->def.settings[i]);
    put_starts(out, &about->parameters, s->p);
    put_starts(out, &about->inputs, s->u);
    put_starts(out, &about->states, s->x);
    put_starts(out, &about->discretes, s->d);
    fputs("begin\n", out);
}

fo_status fo_live_record_to(fo_live *live, FILE *stream, const char *name)
{
    if (live->phase != FO_LIVE_NEW || live->record.file)
        return fo_fail(&live->message, FO_ERROR_ARGUMENT,
                       "a recording must begin before the run, and only once");
    live->record.file = stream;
    snprintf(live->record.path, sizeof live->record.path, "%s", name);
    return FO_OK;
}

fo_status fo_live_record(fo_live *live, const char *path)
{
    struct stat about; // a device is written to as it is
    bool device = stat(path, &about) == 0 && S_ISCHR(about.st_mode);
    FILE *file = device ? fopen(path, "we") : foi_file_make(path, NULL, NULL, NULL, &live->message);
    if (!file && device)
        return fo_fail(&live->message, FO_ERROR_INPUT, "cannot write %s: %s", path,
                       strerror(errno));
    if (!file) return live->message.status;
    FILE *whole = foi_whole_stream(file, false); // a killed run leaves whole lines
    fo_status status = whole ? fo_live_record_to(live, whole, path)
                             : fo_fail(&live->message, FO_ERROR_MEMORY, "no memory for %s", path);
    if (fo_failed(status)) fclose(whole ? whole : file);
    return status;
}

fo_status foi_record_begin(fo_live *live)
{
    FILE *out = live->record.file;
    if (!out) return FO_OK;
    put_head(out, live);
    if (fflush(out) == 0) return FO_OK;
    fo_fail(&live->message, FO_ERROR_INPUT, "writing %s failed: %s", live->record.path,
            strerror(errno));
    live->record.file = NULL; // it has ended, and that is said once
    fclose(out);
    return FO_ERROR_INPUT;
}

// A whole line, and in the file as soon as it is one: what a killed run leaves can be replayed.
static void end_line(FILE *out)
{
    fputc('\n', out);
    fflush(out);
}

void foi_record_act(fo_live *live, const foi_act *act)
{
    FILE *out = live->record.file;
    live->record.lines++;
    if (!out) return;
    put_time(out, act->t);
    fprintf(out, " %s%s ", act->verb == FO_LIVE_EVENT ? "event" : "set", act->late ? "+" : "");
    put_name(out, act->name);
    put_number(out, act->value);
    end_line(out);
}

void foi_record_method(fo_live *live, const char *solver, double step, double rtol)
{
    FILE *out = live->record.file;
    live->record.lines++;
    if (!out) return;
    put_time(out, fo_simulation_time(live->sim));
    fprintf(out, " method %s", solver);
    put_number(out, step);
    put_number(out, rtol);
    end_line(out);
}

void foi_record_accuracy(fo_live *live, const char *name, double value)
{
    FILE *out = live->record.file;
    live->record.lines++;
    if (!out) return;
    put_time(out, fo_simulation_time(live->sim));
    fprintf(out, " accuracy %s", name);
    put_number(out, value);
    end_line(out);
}

void foi_record_back(fo_live *live, double t, uint64_t keep)
{
    FILE *out = live->record.file;
    live->record.lines = keep;
    if (!out) return;
    put_time(out, t);
    fprintf(out, " back %" PRIu64, keep);
    end_line(out);
}

fo_status fo_live_record_end(fo_live *live)
{
    FILE *out = live->record.file;
    if (!out) return FO_OK;
    live->record.file = NULL;
    if (live->phase != FO_LIVE_FAILED && live->phase != FO_LIVE_NEW) {
        put_time(out, fo_simulation_time(live->sim));
        fprintf(out, " end %016" PRIx64 "\n", fo_simulation_hash(live->sim));
    }
    errno = 0;
    bool written = fflush(out) == 0 && !ferror(out);
    if (fclose(out) != 0) written = false;
    if (written) return FO_OK;
    return fo_fail(&live->message, FO_ERROR_INPUT, "writing %s failed: %s", live->record.path,
                   errno ? strerror(errno) : "the disk may be full");
}
