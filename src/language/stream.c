/// Stream connectors (Modelica 3.6, chapter 15).
///
/// A stream variable h of a connector is what flows out of its component with the connector's flow
/// m; what would flow in is inStream(h), the mixture of what the others of the connection set give.
/// For each h of which inStream is asked there is a variable of its own, and an equation:
///
///     one inside:              inStream(h) = h
///     two inside:              inStream(h1) = h2
///     one inside, one outside: inStream(h1) = inStream(h2),  h2 = h1
///     else                     inStream(h) = sum(a h') / sum(a),
///
/// over the others of the set: those inside with a = max(-m', eps) and their h', those outside with
/// a = max(m', eps) and inStream(h'). Where `min` says that a flow has one direction, its term is
/// left out or has no eps. eps is small beside the flow's nominal value.
#include <math.h>
#include <string.h>

#include "language/session.h"

// The flow of the connector that a stream variable is in.
static foi_flat_variable *flow_of(foi_session *s, const foi_component *c)
{
    foi_flat_variable *found = NULL;
    for (uint32_t i = 0; i < c->parent->c->member_count; i++) {
        foi_component *other = &c->parent->components[i];
        if (!other->flow || !foi_size(s, other) || !other->variables || other->count != 1) continue;
        if (found) return NULL;
        found = other->variables[0];
    }
    return found;
}

bool foi_note_streams(foi_session *s, const foi_component *c)
{
    if (!c->member->declaration->stream || !c->variables) return true;
    foi_flat_variable *flow = flow_of(s, c);
    if (!flow)
        return foi_error(s, c->member->declaration->place,
                         "the connector of the stream variable '%s' needs one scalar flow",
                         c->name);
    for (uint32_t k = 0; k < c->count; k++) {
        foi_stream *t = foi_arena_add(&s->arena, &s->streams, &s->stream_count, sizeof *t);
        if (!t) return false;
        *t = (foi_stream){.variable = c->variables[k], .flow = flow};
        c->variables[k]->stream = s->stream_count;
    }
    return true;
}

static foi_flat_variable *new_inward(foi_session *s, foi_stream *t)
{
    if (t->inward) return t->inward;
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    if (!v || !slot) return NULL;
    v->name = foi_arena_print(&s->flat->arena, "inStream(%s)", t->variable->name);
    v->type = FOI_REAL, v->variability = FOI_CONTINUOUS, v->place = t->variable->place;
    v->index = s->variable_count - 1, v->is_protected = true;
    v->start = t->variable->start, v->nominal = t->variable->nominal, v->unit = t->variable->unit;
    *slot = v;
    if (!v->name) return NULL;
    return t->inward = v;
}

static foi_stream *argument(foi_session *s, const foi_flat_expr *e)
{
    return e->op == FOI_OP_VARIABLE && e->variable->stream ? &s->streams[e->variable->stream - 1]
                                                           : NULL;
}

bool foi_stream_call(foi_session *s, const foi_context *ctx, const foi_ast *e, bool actual,
                     foi_value *out)
{
    foi_value v;
    const char *name = actual ? "actualStream" : "inStream";
    if (e->count != 1) return foi_error(s, e->place, "'%s' needs 1 argument", name);
    if (!foi_expand(s, ctx, e->items[0], &v)) return false;
    const foi_flat_expr **list;
    foi_value from = v;
    if (v.record || !foi_new_like(s, e->place, &from, v.rank, v.dims, out, &list)) return false;
    for (uint32_t i = 0; i < out->count; i++) {
        foi_stream *t = argument(s, foi_item(&v, i));
        if (!t)
            return foi_error(s, e->items[0]->place, "'%s' needs a stream variable of a connector",
                             name);
        foi_flat_variable *inward = new_inward(s, t);
        list[i] = inward ? foi_flat_of(s->flat, inward) : NULL;
        if (actual && list[i]) {
            const foi_flat_expr *in = foi_flat_binary(
                s->flat, FOI_OP_GREATER, foi_flat_of(s->flat, t->flow), foi_flat_real(s->flat, 0));
            list[i] = foi_flat_if(s->flat, in, list[i], foi_item(&v, i));
        }
        if (!list[i]) return false;
    }
    if (out->rank == 0) out->one = list[0];
    return true;
}

// ------------------------------------------------------------------------------ the equations

static double known_or(foi_session *s, const foi_flat_expr *e, double unless)
{
    double value;
    return e && foi_known(s, e, false, &value) ? value : unless;
}

// max(+-m, eps): how much comes from there; NULL in *weight when nothing can.
static bool weight_of(foi_session *s, const foi_flat_variable *m, bool outside,
                      const foi_flat_expr **weight)
{
    foi_flat *f = s->flat;
    double low = known_or(s, m->min, -INFINITY), high = known_or(s, m->max, INFINITY);
    double eps = 1e-9 * fabs(known_or(s, m->nominal, 1));
    *weight = NULL;
    if (outside ? high <= 0 : low >= 0) return true;
    const foi_flat_expr *flow = foi_flat_of(f, (foi_flat_variable *)m);
    if (!outside) flow = foi_flat_unary(f, FOI_OP_NEGATE, flow);
    const foi_flat_expr *both[] = {flow, foi_flat_real(f, eps)};
    *weight = foi_flat_call_builtin(f, FOI_FN_MAX, 2, both);
    return *weight != NULL;
}

/// Members of a connection set of stream variables: linked by `next`, nodes as in connect.c.
typedef struct mixing {
    foi_session *s;
    const uint32_t *next;
    uint32_t first;
} mixing;

static const foi_flat_expr *given_by(foi_session *s, uint32_t node)
{
    foi_stream *t = &s->streams[s->variables[node / 2]->stream - 1];
    if (!(node & 1)) return foi_flat_of(s->flat, t->variable);
    foi_flat_variable *inward = new_inward(s, t);
    return inward ? foi_flat_of(s->flat, inward) : NULL;
}

// The mixture of all members but one.
static const foi_flat_expr *mixture(const mixing *set, uint32_t but)
{
    foi_session *s = set->s;
    foi_flat *f = s->flat;
    const foi_flat_expr *one = NULL, *sum = NULL, *weights = NULL;
    uint32_t others = 0;
    for (uint32_t i = set->first; i != UINT32_MAX; i = set->next[i]) {
        const foi_flat_expr *weight, *h = i == but ? NULL : given_by(s, i);
        if (i == but) continue;
        const foi_flat_variable *m = s->streams[s->variables[i / 2]->stream - 1].flow;
        if (!h || !weight_of(s, m, i & 1, &weight)) return NULL;
        if (!one) one = h;
        if (!weight) continue;
        one = others++ ? one : h;
        const foi_flat_expr *part = foi_flat_binary(f, FOI_OP_MULTIPLY, weight, h);
        sum = sum ? foi_flat_binary(f, FOI_OP_ADD, sum, part) : part;
        weights = weights ? foi_flat_binary(f, FOI_OP_ADD, weights, weight) : weight;
        if (!sum || !weights) return NULL;
    }
    if (others < 2) return one ? one : foi_flat_of(f, s->variables[but / 2]);
    return foi_flat_binary(f, FOI_OP_DIVIDE, sum, weights);
}

static bool equation(foi_session *s, foi_flat_variable *v, const foi_flat_expr *value)
{
    foi_value left = foi_scalar(foi_flat_of(s->flat, v)), right = foi_scalar(value);
    return left.one && value && foi_add_equation(s, v->place, &left, &right);
}

bool foi_finish_streams(foi_session *s, const uint32_t *next, const uint32_t *root, uint32_t nodes)
{
    // of connectors on the outside: what flows out of the model there
    for (uint32_t i = 1; i < nodes; i += 2) {
        foi_flat_variable *v = s->variables[i / 2];
        mixing one = {s, next, root[i]};
        bool alone = root[i] == i && next[i] == UINT32_MAX;
        if (v->stream && !alone && !equation(s, v, mixture(&one, i))) return false;
    }
    // what flows in may ask for more of the same
    for (uint32_t i = 0; i < s->stream_count; i++) s->streams[i].done = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->stream_count; i++) {
            if (!s->streams[i].inward || s->streams[i].done) continue;
            uint32_t node = s->streams[i].variable->index * 2;
            mixing one = {s, next, root[node]};
            s->streams[i].done = more = true;
            if (!equation(s, s->streams[i].inward, mixture(&one, node))) return false;
        }
    }
    return true;
}
