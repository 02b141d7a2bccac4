/// Following the solutions of loops from step to step.
///
/// Nonlinear equations may have several solutions; a run is on one of them, and stays there as long
/// as it is continuous. So the solution at a point (t, x, u) is not any one that Newton's method
/// finds there, but the end of the way from the last step,
///
///     (t, x, u)(theta) = (t0, x0, u0) + theta ((t, x, u) - (t0, x0, u0)),     theta from 0 to 1.
///
/// The way is gone in parts. Newton's method finds the solution at a part's end from a prediction,
/// and the part is accepted if it is proved that both ends are points of one branch (branch.c);
/// otherwise the part is halved. So nothing depends on how good predictions are, but time.
///
/// Where there is no proof however short the part is, one of these is true:
///
///   - the equations themselves jump there (noEvent): the solution that is found is taken;
///   - the Jacobian is singular at a point, as v |v| = p is at rest. The part is then so short
///     (2^-40 of the way) that a solution which has not moved by more than a quarter of what it has
///     moved before is taken for the same one, and so is one that does not move at all;
///   - the branch ends: the point is refused, and so is the step, or the run. Where all loops are
///     proved to have one solution only beyond the end, whatever branch it is of (nearest_proof.c),
///     there is no choice, and it is taken: a trigger with positive feedback turns over. Only
///     where there are no states: a step that saw rates of both sides would come to neither.
///
/// Loops that cannot be enclosed (more than 64 unknowns, delays inside) are sampled: a part is
/// accepted if its end is where it was predicted.
///
/// Proofs cost several times as much as solutions. So after each step one is made for a box around
/// the point, as far as the next step is likely to go: for all (t, x, u) in it there is one
/// solution in a box of unknowns. A solution that is found in there is the one.
///
///     memory:   known | x0 | u0 | d, p, held of then | per loop: it has one solution only |
///               per loop: it has a box | box: known, reach, stride, t, x and u, y (lower, upper)
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/branch.h"
#include "program/program.h"

enum {
    MOST_PARTS = 100000, ///< of one way
    MOST_RATES = 200,    ///< of one in a step that may be refused
    MOST_LEAVING =
        4000, ///< before a way beyond the end of the branch is looked for, which takes longer
    MOST_SHORTEST = 64, ///< of one, without a proof
    SAMPLED_PARTS = 64,
};
static const double shortest = 0x1p-40;

/// Which kinds of what is given do not flow, and must be what they were.
static const foi_leaf fixed[] = {FOI_LEAF_DISCRETE, FOI_LEAF_PARAMETER, FOI_LEAF_HELD};

typedef struct walk {
    const foi_program *g;
    const fo_state *s;
    foi_task task;
    const foi_code *code;
    const foi_given *goal;
    double *results;
    // memory
    double *known, *x0, *u0, *fixed, *unique;
    double *boxed;         ///< per loop: there is a box for it
    double *box, *reach;   ///< whether there is one; how far it goes, in last steps
    double *stride;        ///< how long parts were in the last step [s]; 0: not known
    double *t_box, *x_box; ///< lower ends, then upper ones; of states and inputs
    double *y_box;
    const double *last, *tilt;
    double since;
    // scratch
    double *x, *u;      ///< a point of the way
    double *from, *to;  ///< solutions at the ends of a part
    double *guess;      ///< where the next is looked for
    double *before;     ///< the solution one part earlier
    double *rho, *work; ///< of a proof
    double *parts;      ///< how many the last way had
    foi_enclosed *r;
    //
    double theta, earlier; ///< where the part begins, and the one before it
    uint32_t failed;       ///< the loop that is not proved
    bool any;              ///< there is one solution only
    bool brief;            ///< solutions are looked for where they are predicted only
    bool only;             ///< solutions are taken that are the only ones
    int unproved;          ///< parts that were accepted nevertheless
} walk;

// ------------------------------------------------------------------------------------------ room

static uint32_t count_of(const foi_program *g, foi_leaf kind)
{
    return g->layout.count[kind];
}

static size_t fixed_count(const foi_program *g)
{
    size_t n = 0;
    for (size_t k = 0; k < FO_COUNT(fixed); k++) n += count_of(g, fixed[k]);
    return n;
}

static size_t flowing(const foi_program *g)
{
    return (size_t)count_of(g, FOI_LEAF_STATE) + count_of(g, FOI_LEAF_INPUT);
}

size_t foi_follow_memory(const foi_program *g)
{
    size_t box = 5 + 2 * (flowing(g) + g->guesses) + g->loops;
    return g->about.follows ? 1 + flowing(g) + fixed_count(g) + g->loops + box : 0;
}

static void proof_room(const foi_program *g, size_t *work, size_t *registers)
{
    *work = *registers = 0;
    for (int task = 0; task < FOI_TASKS; task++) {
        const foi_code *code = &g->codes[task];
        if (!foi_code_is_followed(code)) continue;
        size_t needs = foi_branch_work(code);
        if (needs > *work) *work = needs;
        if (code->registers > *registers) *registers = code->registers;
    }
}

size_t foi_follow_scratch(const foi_program *g)
{
    size_t work, registers;
    if (!g->about.follows) return 0;
    proof_room(g, &work, &registers);
    return foi_enclose_work(registers) + work + flowing(g) + 5 * (size_t)g->guesses + 1;
}

bool foi_code_is_followed(const foi_code *code)
{
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (foi_loop_is_followed(&code->loops[i])) return true;
    return false;
}

static walk walk_of(const foi_program *g, const fo_state *s)
{
    walk w = {.g = g, .s = s};
    uint32_t n = count_of(g, FOI_LEAF_STATE), m = count_of(g, FOI_LEAF_INPUT), y = g->guesses;
    size_t work, registers;
    proof_room(g, &work, &registers);
    w.known = foi_memory(s, g->follow), w.x0 = w.known + 1, w.u0 = w.x0 + n, w.fixed = w.u0 + m;
    w.unique = w.fixed + fixed_count(g);
    w.boxed = w.unique + g->loops, w.box = w.boxed + g->loops, w.reach = w.box + 1;
    w.stride = w.reach + 1, w.t_box = w.stride + 1, w.x_box = w.t_box + 2,
    w.y_box = w.x_box + 2 * (size_t)(n + m);
    w.last = foi_memory(s, g->guess), w.tilt = foi_memory(s, g->tilt);
    w.since = *foi_memory(s, g->since);
    double *at = foi_program_follow_scratch(g, s);
    w.r = (foi_enclosed *)(void *)at, at += foi_enclose_work(registers);
    w.work = at, w.x = at += work, w.u = at += n, w.from = at += m, w.to = at += y;
    w.guess = at += y, w.before = at += y, w.rho = at += y;
    w.parts = at + y;
    return w;
}

double *foi_follow_found(const foi_program *g, const fo_state *s)
{
    return walk_of(g, s).to;
}

// ----------------------------------------------------------------------------- where it comes from

void foi_follow_forget(const foi_program *g, const fo_state *s)
{
    *walk_of(g, s).known = 0;
}

static bool is_same(const double *a, const double *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

// Nothing has jumped since.
static bool is_steady(const walk *w)
{
    const double *was = w->fixed;
    for (size_t k = 0; k < FO_COUNT(fixed); k++) {
        uint32_t count = count_of(w->g, fixed[k]);
        if (!is_same(was, w->goal->from[fixed[k]], count)) return false;
        was += count;
    }
    return true;
}

// What is given, with all that flows anywhere.
static void fill_anything(walk *w)
{
    const foi_program *g = w->g;
    w->r[g->layout.at[FOI_LEAF_TIME]] = foi_enclosed_anywhere();
    for (uint32_t k = 0; k < w->code->used_count; k++) {
        foi_leaf kind = (foi_leaf)w->code->used[k];
        const double *from = NULL;
        for (size_t i = 0; i < FO_COUNT(fixed); i++)
            if (kind == fixed[i]) from = w->goal->from[kind];
        foi_enclosed *to = w->r + g->layout.at[kind];
        for (uint32_t i = 0; i < count_of(g, kind); i++)
            to[i] = from ? foi_enclosed_constant(from[i]) : foi_enclosed_anywhere();
    }
}

static bool is_unique(const walk *w)
{
    for (uint32_t i = 0; i < w->code->loop_count; i++) {
        const foi_loop_code *l = &w->code->loops[i];
        if (foi_loop_is_followed(l) && w->unique[l->about->number] == 0) return false;
    }
    return true;
}

// All that flows anywhere in the box.
static void fill_box(walk *w)
{
    const foi_program *g = w->g;
    uint32_t n = count_of(g, FOI_LEAF_STATE), m = count_of(g, FOI_LEAF_INPUT), all = n + m;
    foi_interval t = {w->t_box[0], w->t_box[1]};
    w->r[g->layout.at[FOI_LEAF_TIME]] = (foi_enclosed){.range = t, .mid = t};
    for (uint32_t k = 0; k < w->code->used_count; k++) {
        foi_leaf kind = (foi_leaf)w->code->used[k];
        const double *from = w->goal->from[kind];
        foi_enclosed *to = w->r + g->layout.at[kind];
        bool flows = kind == FOI_LEAF_STATE || kind == FOI_LEAF_INPUT;
        const double *lo = w->x_box + (kind == FOI_LEAF_INPUT ? n : 0);
        for (uint32_t i = 0; i < count_of(g, kind); i++) {
            foi_interval x = flows ? (foi_interval){lo[i], lo[i + all]} : FOI_EVERYTHING;
            to[i] = flows  ? (foi_enclosed){.range = x, .mid = x}
                    : from ? foi_enclosed_constant(from[i])
                           : foi_enclosed_anything(FO_NOT_ENCLOSED);
        }
    }
}

// As far as the last step has gone, once more, or a part of that.
static void spread_box(walk *w, double passed)
{
    uint32_t n = count_of(w->g, FOI_LEAF_STATE), m = count_of(w->g, FOI_LEAF_INPUT);
    double t = w->goal->t;
    w->t_box[0] = t, w->t_box[1] = t + 1.5 * *w->reach * passed;
    for (uint32_t i = 0; i < n + m; i++) {
        double x = i < n ? w->goal->from[FOI_LEAF_STATE][i] : w->goal->from[FOI_LEAF_INPUT][i - n];
        double by = 1.5 * *w->reach * fabs(x - (i < n ? w->x0[i] : w->u0[i - n]));
        w->x_box[i] = x - by, w->x_box[n + m + i] = x + by;
    }
}

// The reach is learned: a proof that fails is as expensive as one that does not.
static void make_box(walk *w, double passed)
{
    uint32_t y = w->g->guesses;
    *w->box = 0;
    if (!(passed > 0) || is_unique(w)) return;
    if (!(*w->reach > 0)) *w->reach = 1;
    spread_box(w, passed);
    fill_box(w);
    foi_branch_def def = {w->code, w->r, 0, w->to, w->to, w->rho, w->work, w->unique};
    *w->box = foi_branch_prove(&def, &w->failed) == FOI_BRANCH_SAME;
    *w->reach = *w->box != 0 ? foi_fmin(1, 1.125 * *w->reach) : foi_fmax(0x1p-6, 0.5 * *w->reach);
    for (uint32_t l = 0; l < w->g->loops; l++) w->boxed[l] = 0;
    for (uint32_t l = 0; l < w->code->loop_count && *w->box != 0; l++) {
        const foi_loop_code *loop = &w->code->loops[l];
        if (!foi_loop_is_followed(loop) || w->unique[loop->about->number] != 0) continue;
        w->boxed[loop->about->number] = 1;
        for (uint32_t i = 0; i < loop->count; i++) {
            uint32_t k = loop->guess[i];
            w->y_box[k] = w->to[k] - w->rho[k], w->y_box[k + y] = w->to[k] + w->rho[k];
        }
    }
}

void foi_follow_keep(const foi_program *g, const fo_state *s, const foi_given *now, double passed)
{
    walk w = walk_of(g, s);
    double *to = w.fixed;
    w.code = &g->codes[FOI_TASK_SOLVED], w.goal = now;
    if (*w.known == 0 || !is_steady(&w)) {
        fill_anything(&w);
        foi_branch_find_unique(w.code, w.r, w.work, w.unique);
        passed = 0;
    }
    *w.stride = passed > 0 && *w.parts > 0 ? 1.25 * passed / *w.parts : 0;
    make_box(&w, passed);
    uint32_t n = count_of(g, FOI_LEAF_STATE), m = count_of(g, FOI_LEAF_INPUT);
    if (n) memcpy(w.x0, now->from[FOI_LEAF_STATE], n * sizeof *w.x0);
    if (m) memcpy(w.u0, now->from[FOI_LEAF_INPUT], m * sizeof *w.u0);
    for (size_t k = 0; k < FO_COUNT(fixed); k++) {
        uint32_t count = count_of(g, fixed[k]);
        if (count) memcpy(to, now->from[fixed[k]], count * sizeof *to);
        to += count;
    }
    *w.known = 1;
}

static bool is_at_base(const walk *w)
{
    const foi_given *goal = w->goal;
    return goal->t == w->since &&
           is_same(w->x0, goal->from[FOI_LEAF_STATE], count_of(w->g, FOI_LEAF_STATE)) &&
           is_same(w->u0, goal->from[FOI_LEAF_INPUT], count_of(w->g, FOI_LEAF_INPUT));
}

// ------------------------------------------------------------------------------------- on the way

static double between(double from, double to, double theta)
{
    return theta == 1 ? to : from + theta * (to - from);
}

static double time_at(const walk *w, double theta)
{
    return between(w->since, w->goal->t, theta);
}

// Solves at theta from w->guess; the solution is in w->to, and the results are those of there.
static fo_status solve_at(walk *w, double theta, fo_message *message)
{
    const foi_given *goal = w->goal;
    foi_given now = *goal;
    now.t = time_at(w, theta), now.guesses = w->guess;
    for (uint32_t i = 0; i < count_of(w->g, FOI_LEAF_STATE); i++)
        w->x[i] = between(w->x0[i], goal->from[FOI_LEAF_STATE][i], theta);
    for (uint32_t i = 0; i < count_of(w->g, FOI_LEAF_INPUT); i++)
        w->u[i] = between(w->u0[i], goal->from[FOI_LEAF_INPUT][i], theta);
    now.from[FOI_LEAF_STATE] = w->x, now.from[FOI_LEAF_INPUT] = w->u;
    fo_state quiet = *w->s;
    quiet.message = message;
    memcpy(w->to, w->from, w->g->guesses * sizeof *w->to);
    foi_solving solving = {w->to, w->brief, *w->known == 0, w->any};
    if (w->only) solving.only = w->unique;
    return foi_program_run_once(w->g, &quiet, w->task, &now, &solving, w->results);
}

// On the line through the last two solutions.
static void predict(walk *w, double theta)
{
    bool first = w->theta == w->earlier;
    double ratio = first ? time_at(w, theta) - time_at(w, w->theta)
                         : (theta - w->theta) / (w->theta - w->earlier);
    for (uint32_t i = 0; i < w->g->guesses; i++) {
        double by = ratio * (first ? w->tilt[i] : w->from[i] - w->before[i]);
        w->guess[i] = isfinite(w->from[i] + by) ? w->from[i] + by : w->from[i];
    }
}

static fo_status solve_part(walk *w, double theta)
{
    predict(w, theta);
    fo_status status = solve_at(w, theta, NULL);
    if (status != FO_ERROR_CONVERGE) return status;
    // a prediction may lie where functions are not defined
    memcpy(w->guess, w->from, w->g->guesses * sizeof *w->guess);
    return solve_at(w, theta, NULL);
}

// --------------------------------------------------------------------------------------- judgement

// What is given on the part from theta to `end`.
static void fill_part(walk *w, double end)
{
    const foi_program *g = w->g;
    const foi_given *goal = w->goal;
    w->r[g->layout.at[FOI_LEAF_TIME]] = foi_branch_line(time_at(w, w->theta), time_at(w, end));
    for (uint32_t k = 0; k < w->code->used_count; k++) {
        uint32_t kind = w->code->used[k];
        foi_enclosed *to = w->r + g->layout.at[kind];
        const double *from = goal->from[kind];
        const double *begin = kind == FOI_LEAF_STATE ? w->x0 : w->u0;
        bool flows = kind == FOI_LEAF_STATE || kind == FOI_LEAF_INPUT;
        for (uint32_t i = 0; i < count_of(g, (foi_leaf)kind); i++)
            to[i] = flows  ? foi_branch_line(between(begin[i], from[i], w->theta),
                                             between(begin[i], from[i], end))
                    : from ? foi_enclosed_constant(from[i])
                           : foi_enclosed_anything(FO_NOT_ENCLOSED);
    }
}

static foi_branch judge(walk *w, double end)
{
    fill_part(w, end);
    foi_branch_def def = {w->code, w->r, 1, w->from, w->to, w->rho, w->work, w->unique};
    return foi_branch_prove(&def, &w->failed);
}

/// A test of each unknown of the loops that are followed.
typedef bool test(const walk *w, uint32_t guess);

static bool all(walk *w, test *is)
{
    for (uint32_t l = 0; l < w->code->loop_count; l++) {
        const foi_loop_code *loop = &w->code->loops[l];
        if (!foi_loop_is_followed(loop)) continue;
        w->failed = l;
        for (uint32_t i = 0; i < loop->count; i++)
            if (loop->guess[i] != FOI_NOTHING && !is(w, loop->guess[i])) return false;
    }
    return true;
}

static double larger(const walk *w, uint32_t i)
{
    return foi_fmax(fabs(w->from[i]), fabs(w->to[i]));
}

static bool stands(const walk *w, uint32_t i)
{
    return fabs(w->to[i] - w->from[i]) <= 0x1p-40 * larger(w, i);
}

// It has moved less than before on this way.
static bool is_near(const walk *w, uint32_t i)
{
    double by = fabs(w->to[i] - w->from[i]), moved = fabs(w->from[i] - w->last[i]);
    return by <= 0.25 * moved || stands(w, i);
}

// There is no before: it was nothing.
static bool comes_from_nothing(const walk *w, uint32_t i)
{
    return fabs(w->from[i]) <= 1e-8 * fabs(w->to[i]) || is_near(w, i);
}

// With w->guess the end of the part, and w->to a quarter of it: it is smaller there.
static bool grows(const walk *w, uint32_t i)
{
    bool nothing = fabs(w->from[i]) <= 1e-8 * fabs(w->guess[i]);
    return !nothing || fabs(w->to[i]) <= 0.8 * fabs(w->guess[i]);
}

static bool is_as_predicted(const walk *w, uint32_t i)
{
    double off = fabs(w->to[i] - w->guess[i]), by = fabs(w->to[i] - w->from[i]);
    return off <= 0.25 * by || by <= 0x1p-20 * larger(w, i);
}

// What comes from nothing does so continuously, like the root of what drives it; a jump to another
// branch is as far however short the part is.
static bool has_grown(walk *w, double end)
{
    if (!all(w, comes_from_nothing)) return false;
    memcpy(w->guess, w->to, w->g->guesses * sizeof *w->guess);
    if (solve_at(w, w->theta + (end - w->theta) / 4, NULL) != FO_OK || !all(w, grows)) return false;
    return solve_at(w, end, NULL) == FO_OK;
}

static bool accepts(walk *w, foi_branch found, double end)
{
    double part = end - w->theta;
    switch (found) {
    case FOI_BRANCH_SAME: return true;
    case FOI_BRANCH_JUMPS: return part <= shortest || all(w, stands);
    case FOI_BRANCH_UNBOUNDED: return part <= 1.0 / SAMPLED_PARTS || all(w, is_as_predicted);
    case FOI_BRANCH_UNSURE: break;
    }
    if (all(w, stands)) return true;
    if (part > shortest || w->unproved++ == MOST_SHORTEST) return false;
    return all(w, is_near) || has_grown(w, end);
}

// ---------------------------------------------------------------------------------------- walking

static void go_on(walk *w, double end)
{
    size_t size = w->g->guesses * sizeof *w->from;
    memcpy(w->before, w->from, size);
    memcpy(w->from, w->to, size);
    w->earlier = w->theta, w->theta = end;
}

static bool is_lost(fo_status status)
{
    return status == FO_RETRY || status == FO_ERROR_CONVERGE;
}

static fo_status lost(const walk *w, fo_status status)
{
    const foi_loop_code *loop = &w->code->loops[w->failed];
    const char *more = *w->parts >= MOST_RATES ? "; a shorter longest step may help" : "";
    if (status == FO_ERROR_CONVERGE) return status;
    return fo_fail(w->s->message, FO_ERROR_CONVERGE,
                   "the solution of the step before, `%s` = %.6g at t = %.15g, cannot be followed "
                   "beyond `%s` = %.6g at t = %.15g, in %.0f parts%s",
                   loop->about->unknown[0], w->last[loop->guess[0]], w->since,
                   loop->about->unknown[0], w->from[loop->guess[0]], time_at(w, w->theta),
                   *w->parts, more);
}

// From the base to the goal.
static fo_status go(walk *w, int most)
{
    double way = fabs(w->goal->t - w->since), part = 1;
    if (*w->stride > 0 && way > *w->stride) part = *w->stride / way;
    fo_status status = FO_OK;
    for (int parts = 0; parts < most && w->theta < 1; parts++) {
        double end = foi_fmin(1, w->theta + part);
        if (end == w->theta) break;
        w->brief = part > shortest;
        status = solve_part(w, end);
        if (status != FO_OK && status != FO_ERROR_CONVERGE) return status;
        if (status == FO_OK && accepts(w, judge(w, end), end)) {
            go_on(w, end);
            part *= 2, ++*w->parts;
        } else if (part <= shortest) {
            break;
        } else {
            // where there is no solution at all the end of the branch is near
            part = foi_fmin(part, end - w->theta) / (status == FO_OK ? 2 : 16);
        }
    }
    return w->theta == 1 ? FO_OK : status == FO_OK ? FO_RETRY : status;
}

static bool may_leave(const walk *w)
{
    return count_of(w->g, FOI_LEAF_STATE) == 0 && w->goal->t > w->since;
}

// Where the branch has ended: to the only solution that there is beyond it. False: it is not known
// to be that.
static bool leave(walk *w)
{
    bool found = false;
    if (!may_leave(w)) return false;
    memcpy(w->guess, w->from, w->g->guesses * sizeof *w->guess);
    w->only = true;
    for (double part = shortest, end = 0; !found && end < 1; part *= 4) {
        end = foi_fmin(1, w->theta + part);
        if (end == w->theta || solve_at(w, end, NULL) != FO_OK) continue;
        go_on(w, end);
        w->earlier = end, ++*w->parts, found = true;
    }
    w->only = false;
    return found;
}

static bool is_in_box(const walk *w)
{
    const foi_given *goal = w->goal;
    uint32_t n = count_of(w->g, FOI_LEAF_STATE), m = count_of(w->g, FOI_LEAF_INPUT);
    if (*w->box == 0 || !(goal->t >= w->t_box[0] && goal->t <= w->t_box[1])) return false;
    for (uint32_t i = 0; i < n + m; i++) {
        double x = i < n ? goal->from[FOI_LEAF_STATE][i] : goal->from[FOI_LEAF_INPUT][i - n];
        if (!(x >= w->x_box[i] && x <= w->x_box[n + m + i])) return false;
    }
    return true;
}

// After a solution: whether it is the one of its box.
static bool is_that_of_box(const walk *w)
{
    for (uint32_t l = 0; l < w->code->loop_count; l++) {
        const foi_loop_code *loop = &w->code->loops[l];
        if (!foi_loop_is_followed(loop) || w->unique[loop->about->number] != 0) continue;
        if (w->boxed[loop->about->number] == 0) return false;
        for (uint32_t i = 0; i < loop->count; i++) {
            double y = w->to[loop->guess[i]], lo = w->y_box[loop->guess[i]];
            if (!(y >= lo && y <= w->y_box[loop->guess[i] + w->g->guesses])) return false;
        }
    }
    return true;
}

// From the last solution, without a way: where there is one only, or something has jumped.
static fo_status leap(walk *w, double theta, fo_message *message)
{
    memcpy(w->guess, w->from, w->g->guesses * sizeof *w->guess);
    w->brief = false;
    return solve_at(w, theta, message);
}

fo_status foi_follow(const foi_program *g, const fo_state *s, foi_task task, const foi_given *given,
                     double *results)
{
    walk w = walk_of(g, s);
    w.task = task, w.code = &g->codes[task], w.goal = given, w.results = results;
    memcpy(w.from, w.last, g->guesses * sizeof *w.from);
    *w.parts = 0;
    bool steady = is_steady(&w);
    w.any = *w.known != 0 && steady && is_unique(&w);
    if (*w.known == 0 || is_at_base(&w) || w.any) return leap(&w, 1, s->message);
    if (!steady) {
        fo_status status = leap(&w, 0, s->message);
        if (status != FO_OK) return status;
        memcpy(w.from, w.to, g->guesses * sizeof *w.from);
    }
    w.brief = true;
    if (steady && is_in_box(&w) && solve_part(&w, 1) == FO_OK && is_that_of_box(&w)) {
        *w.parts = 1;
        return FO_OK;
    }
    bool rates = task == FOI_TASK_RATES || task == FOI_TASK_JACOBIAN;
    int most = rates ? MOST_RATES : MOST_PARTS;
    fo_status status = go(&w, may_leave(&w) ? MOST_LEAVING : most);
    while (is_lost(status) && leave(&w)) status = go(&w, most);
    if (is_lost(status) && may_leave(&w)) status = go(&w, most);
    if (!is_lost(status)) return status;
    if (given->t == w.since) { // states were set: it need not be the same branch
        memcpy(w.from, w.last, g->guesses * sizeof *w.from);
        return leap(&w, 1, s->message);
    }
    if (status == FO_ERROR_CONVERGE) status = leap(&w, 1, s->message);
    return lost(&w, status);
}
