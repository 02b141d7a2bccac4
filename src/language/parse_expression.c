/// Expressions: from the loosest operation to the tightest.
#include <string.h>

#include "language/parser.h"

static foi_ast *new_node(foi_parser *p, foi_ast_kind kind, foi_place place)
{
    foi_ast *e = foi_arena_new(p->arena, 1, sizeof *e);
    if (e) e->kind = kind, e->place = place, e->depth = 1;
    return e;
}

// Gives a node its items and its depth; a tree that is too deep is refused.
static foi_ast *with_items(foi_parser *p, foi_ast *e, foi_ast *const *items, uint32_t count)
{
    if (!e) return NULL;
    e->items = items, e->count = count;
    for (uint32_t i = 0; i < count; i++)
        if (items[i] && items[i]->depth >= e->depth) e->depth = items[i]->depth + 1;
    if (e->depth <= FOI_DEEPEST_EXPRESSION) return e;
    foi_parse_error(p, e->place, "the expression has more than %d operations in one chain",
                    FOI_DEEPEST_EXPRESSION);
    return NULL;
}

static bool add_item(foi_parser *p, foi_ast ***items, uint32_t *count, foi_ast *item)
{
    foi_ast **slot = foi_arena_add(p->arena, items, count, sizeof *slot);
    if (slot) *slot = item;
    return slot;
}

static foi_ast *binary(foi_parser *p, foi_flat_op op, bool elementwise, foi_place place,
                       foi_ast *left, foi_ast *right)
{
    if (!left || !right) return NULL;
    foi_ast **items = foi_arena_new(p->arena, 2, sizeof *items);
    foi_ast *e = new_node(p, FOI_AST_BINARY, place);
    if (!e || !items) return NULL;
    e->op = op, e->elementwise = elementwise;
    items[0] = left, items[1] = right;
    return with_items(p, e, items, 2);
}

static foi_ast *unary(foi_parser *p, foi_flat_op op, foi_place place, foi_ast *item)
{
    if (!item) return NULL;
    foi_ast **items = foi_arena_new(p->arena, 1, sizeof *items);
    foi_ast *e = new_node(p, FOI_AST_UNARY, place);
    if (!e || !items) return NULL;
    e->op = op;
    items[0] = item;
    return with_items(p, e, items, 1);
}

bool foi_parse_iterators(foi_parser *p, const foi_iterator **list, uint32_t *count)
{
    foi_iterator *iterators = NULL;
    do {
        foi_place place = p->token.place;
        const char *name = foi_parse_ident(p, "the name of a loop variable");
        if (!name) return false;
        foi_ast *range = NULL;
        if (foi_parse_take(p, FOI_WORD_IN) && !(range = foi_parse_expression(p))) return false;
        foi_iterator *it = foi_arena_add(p->arena, &iterators, count, sizeof *it);
        if (!it) return false;
        *it = (foi_iterator){.name = name, .range = range, .place = place};
    } while (foi_parse_take(p, ','));
    *list = iterators;
    return true;
}

static foi_ast *subscript(foi_parser *p)
{
    bool alone = p->ahead.kind == ',' || p->ahead.kind == ']';
    if (p->token.kind != ':' || !alone) return foi_parse_expression(p);
    foi_ast *e = new_node(p, FOI_AST_COLON, p->token.place);
    foi_parse_advance(p);
    return e;
}

bool foi_parse_subscripts(foi_parser *p, foi_ast *const **list, uint32_t *count)
{
    *list = NULL, *count = 0;
    if (!foi_parse_take(p, '[')) return true;
    foi_ast **items = NULL;
    p->subscripts++;
    do {
        foi_ast *item = subscript(p);
        if (!item || !add_item(p, &items, count, item)) return p->subscripts--, false;
    } while (foi_parse_take(p, ','));
    p->subscripts--;
    *list = items;
    return foi_parse_need(p, ']', "after the subscripts");
}

foi_ref *foi_parse_ref(foi_parser *p, bool subscripts, const char *what)
{
    foi_ref *ref = foi_arena_new(p->arena, 1, sizeof *ref);
    if (!ref) return NULL;
    ref->place = p->token.place;
    ref->global = foi_parse_take(p, '.');
    foi_part *parts = NULL;
    do {
        foi_part part = {.place = p->token.place};
        part.name = foi_parse_ident(p, what);
        if (!part.name) return NULL;
        if (subscripts && !foi_parse_subscripts(p, &part.subscripts, &part.count)) return NULL;
        // an import may go on with ".*" or ".{": that is for the caller
        bool last = p->token.kind != '.' || p->ahead.kind == '{' || p->ahead.kind == '*';
        foi_part *slot;
        if (last && !ref->count) // most names are simple, and take no more than they need
            ref->count = 1, slot = parts = foi_arena_new(p->arena, 1, sizeof *slot);
        else
            slot = foi_arena_add(p->arena, &parts, &ref->count, sizeof *slot);
        if (!slot) return NULL;
        *slot = part;
        if (last) break;
        foi_parse_advance(p);
    } while (true);
    ref->parts = parts;
    return ref;
}

static foi_ast *call_arguments(foi_parser *p, foi_ast *call);

// function f(a = 2): a function with some of its inputs given.
static foi_ast *function_argument(foi_parser *p)
{
    foi_ast *e = new_node(p, FOI_AST_FUNCTION, p->token.place);
    foi_parse_advance(p);
    if (!e || !(e->ref = foi_parse_ref(p, false, "the name of a function"))) return NULL;
    if (!foi_parse_need(p, '(', "after the name of the function") || !foi_parse_enter(p))
        return NULL;
    e = call_arguments(p, e);
    p->depth--;
    return e;
}

static bool call_argument(foi_parser *p, foi_ast *call, foi_ast ***items, const char ***names,
                          uint32_t *name_count)
{
    const char *name = NULL;
    if (p->token.kind == FOI_TOKEN_IDENT && p->ahead.kind == '=') {
        name = p->token.text;
        foi_parse_advance(p);
        foi_parse_advance(p);
    } else if (call->names) {
        foi_parse_error(p, p->token.place, "arguments without a name come before the named ones");
        return false;
    }
    foi_ast *item =
        p->token.kind == FOI_WORD_FUNCTION ? function_argument(p) : foi_parse_expression(p);
    if (!item || !add_item(p, items, &call->count, item)) return false;
    const char **slot = foi_arena_add(p->arena, names, name_count, sizeof *slot);
    if (!slot) return false;
    *slot = name;
    if (name) call->names = *names;
    return true;
}

// The arguments of a call, after its '('.
static foi_ast *call_arguments(foi_parser *p, foi_ast *call)
{
    foi_ast **items = NULL;
    const char **names = NULL;
    uint32_t name_count = 0;
    int outside = p->subscripts;
    while (p->token.kind != ')') {
        if (!call_argument(p, call, &items, &names, &name_count)) return NULL;
        if (call->count == 1 && foi_parse_take(p, FOI_WORD_FOR)) {
            if (!foi_parse_iterators(p, &call->iterators, &call->iterator_count) ||
                !foi_parse_ranges(p, call->iterators, call->iterator_count, items[0], NULL))
                return NULL;
            break;
        }
        if (!foi_parse_take(p, ',')) break;
    }
    p->subscripts = outside;
    if (call->names) call->names = names;
    if (!foi_parse_need(p, ')', "after the arguments")) return NULL;
    return with_items(p, call, items, call->count);
}

static foi_ast *reference(foi_parser *p)
{
    foi_place place = p->token.place;
    foi_ref *ref;
    if (p->token.kind == FOI_WORD_DER || p->token.kind == FOI_WORD_INITIAL) {
        foi_part *part = foi_arena_new(p->arena, 1, sizeof *part);
        ref = foi_arena_new(p->arena, 1, sizeof *ref);
        if (!ref || !part) return NULL;
        part->name = foi_intern(p->names, p->token.start, p->token.length);
        part->place = place;
        *ref = (foi_ref){.parts = part, .count = 1, .place = place};
        foi_parse_advance(p);
        if (p->token.kind != '(') {
            foi_parse_expected(p, "'(' after this operator");
            return NULL;
        }
        if (!part->name) return NULL;
    } else if (!(ref = foi_parse_ref(p, true, "a name"))) {
        return NULL;
    }
    bool call = foi_parse_take(p, '(');
    foi_ast *e = new_node(p, call ? FOI_AST_CALL : FOI_AST_REF, place);
    if (!e) return NULL;
    e->ref = ref;
    for (uint32_t i = 0; i < ref->count; i++)
        for (uint32_t j = 0; j < ref->parts[i].count; j++)
            if (ref->parts[i].subscripts[j]->depth >= e->depth)
                e->depth = ref->parts[i].subscripts[j]->depth + 1;
    return call ? call_arguments(p, e) : e;
}

// (a)[i, j]
static foi_ast *picked(foi_parser *p, foi_ast *of)
{
    foi_ast *const *subscripts;
    foi_ast **items = NULL;
    uint32_t count, all = 0;
    foi_ast *e = new_node(p, FOI_AST_PICK, of->place);
    if (!e || !foi_parse_subscripts(p, &subscripts, &count) || !add_item(p, &items, &all, of))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!add_item(p, &items, &all, subscripts[i])) return NULL;
    return with_items(p, e, items, all);
}

// (a), (a, b), (a, , b): one item is itself.
static foi_ast *bracket(foi_parser *p)
{
    foi_ast *e = new_node(p, FOI_AST_TUPLE, p->token.place);
    foi_ast **items = NULL;
    uint32_t count = 0;
    foi_parse_advance(p);
    while (e && p->token.kind != ')') {
        foi_ast *item = NULL;
        if (p->token.kind != ',' && !(item = foi_parse_expression(p))) return NULL;
        if (!add_item(p, &items, &count, item)) return NULL;
        if (!foi_parse_take(p, ',')) break;
        if (p->token.kind == ')' && !add_item(p, &items, &count, NULL)) return NULL;
    }
    if (!foi_parse_need(p, ')', "to close the parenthesis")) return NULL;
    if (count == 1 && items[0]) return p->token.kind == '[' ? picked(p, items[0]) : items[0];
    return with_items(p, e, items, count);
}

static foi_ast *braces(foi_parser *p)
{
    foi_ast *e = new_node(p, FOI_AST_ARRAY, p->token.place);
    foi_ast **items = NULL;
    uint32_t count = 0;
    foi_parse_advance(p);
    if (p->token.kind == '}') {
        foi_parse_expected(p, "an expression: an array needs at least one element");
        return NULL;
    }
    do {
        foi_ast *item = foi_parse_expression(p);
        if (!e || !item || !add_item(p, &items, &count, item)) return NULL;
        if (count == 1 && foi_parse_take(p, FOI_WORD_FOR)) {
            if (!foi_parse_iterators(p, &e->iterators, &e->iterator_count) ||
                !foi_parse_ranges(p, e->iterators, e->iterator_count, items[0], NULL))
                return NULL;
            break;
        }
    } while (foi_parse_take(p, ','));
    if (!foi_parse_need(p, '}', "to close the array")) return NULL;
    return with_items(p, e, items, count);
}

static foi_ast *matrix_row(foi_parser *p)
{
    foi_ast *row = new_node(p, FOI_AST_ROW, p->token.place);
    foi_ast **items = NULL;
    uint32_t count = 0;
    do {
        foi_ast *item = foi_parse_expression(p);
        if (!row || !item || !add_item(p, &items, &count, item)) return NULL;
    } while (foi_parse_take(p, ','));
    return with_items(p, row, items, count);
}

static foi_ast *matrix(foi_parser *p)
{
    foi_ast *e = new_node(p, FOI_AST_MATRIX, p->token.place);
    foi_ast **rows = NULL;
    uint32_t count = 0;
    foi_parse_advance(p);
    do {
        foi_ast *row = matrix_row(p);
        if (!e || !row || !add_item(p, &rows, &count, row)) return NULL;
    } while (foi_parse_take(p, ';'));
    if (!foi_parse_need(p, ']', "to close the matrix")) return NULL;
    return with_items(p, e, rows, count);
}

static foi_ast *literal(foi_parser *p, foi_ast_kind kind)
{
    foi_ast *e = new_node(p, kind, p->token.place);
    if (!e) return NULL;
    if (kind == FOI_AST_STRING)
        e->text = p->token.text;
    else
        e->number = kind == FOI_AST_BOOLEAN ? p->token.kind == FOI_WORD_TRUE : p->token.number;
    foi_parse_advance(p);
    return e;
}

static foi_ast *primary(foi_parser *p)
{
    switch (p->token.kind) {
    case FOI_TOKEN_REAL: return literal(p, FOI_AST_REAL);
    case FOI_TOKEN_INTEGER: return literal(p, FOI_AST_INTEGER);
    case FOI_TOKEN_STRING: return literal(p, FOI_AST_STRING);
    case FOI_WORD_TRUE:
    case FOI_WORD_FALSE: return literal(p, FOI_AST_BOOLEAN);
    case FOI_TOKEN_IDENT:
    case FOI_WORD_DER:
    case FOI_WORD_INITIAL:
    case '.': return reference(p);
    case '(': return bracket(p);
    case '{': return braces(p);
    case '[': return matrix(p);
    case FOI_WORD_END:
        if (p->subscripts) {
            foi_ast *e = new_node(p, FOI_AST_END, p->token.place);
            foi_parse_advance(p);
            return e;
        }
        break;
    default: break;
    }
    foi_parse_expected(p, "an expression");
    return NULL;
}

static foi_ast *factor(foi_parser *p)
{
    foi_ast *base = primary(p);
    bool elementwise = p->token.kind == FOI_TOKEN_DOT_POWER;
    if (!base || (p->token.kind != '^' && !elementwise)) return base;
    foi_place place = p->token.place;
    foi_parse_advance(p);
    foi_ast *power = binary(p, FOI_OP_POWER, elementwise, place, base, primary(p));
    if (power && (p->token.kind == '^' || p->token.kind == FOI_TOKEN_DOT_POWER)) {
        foi_parse_error(p, p->token.place, "a^b^c has two meanings: use parentheses");
        return NULL;
    }
    return power;
}

static foi_ast *term(foi_parser *p)
{
    foi_ast *e = factor(p);
    while (e) {
        int kind = p->token.kind;
        bool times = kind == '*' || kind == FOI_TOKEN_DOT_MULTIPLY;
        if (!times && kind != '/' && kind != FOI_TOKEN_DOT_DIVIDE) break;
        foi_place place = p->token.place;
        foi_parse_advance(p);
        e = binary(p, times ? FOI_OP_MULTIPLY : FOI_OP_DIVIDE, kind >= FOI_TOKEN_DOT_ADD, place, e,
                   factor(p));
    }
    return e;
}

static bool is_add(int kind)
{
    return kind == '+' || kind == '-' || kind == FOI_TOKEN_DOT_ADD ||
           kind == FOI_TOKEN_DOT_SUBTRACT;
}

static foi_ast *arithmetic(foi_parser *p)
{
    foi_place place = p->token.place;
    foi_ast *e;
    if (is_add(p->token.kind)) {
        bool minus = p->token.kind == '-' || p->token.kind == FOI_TOKEN_DOT_SUBTRACT;
        foi_parse_advance(p);
        e = unary(p, minus ? FOI_OP_NEGATE : FOI_OP_ADD, place, term(p));
    } else {
        e = term(p);
    }
    while (e && is_add(p->token.kind)) {
        int kind = p->token.kind;
        place = p->token.place;
        foi_parse_advance(p);
        if (is_add(p->token.kind)) {
            foi_parse_error(p, p->token.place, "two signs in a row: use parentheses");
            return NULL;
        }
        bool plus = kind == '+' || kind == FOI_TOKEN_DOT_ADD;
        e = binary(p, plus ? FOI_OP_ADD : FOI_OP_SUBTRACT, kind >= FOI_TOKEN_DOT_ADD, place, e,
                   term(p));
    }
    return e;
}

static foi_ast *relation(foi_parser *p)
{
    static const struct {
        int kind;
        foi_flat_op op;
    } table[] = {{'<', FOI_OP_LESS},
                 {'>', FOI_OP_GREATER},
                 {FOI_TOKEN_LESS_EQUAL, FOI_OP_LESS_EQUAL},
                 {FOI_TOKEN_GREATER_EQUAL, FOI_OP_GREATER_EQUAL},
                 {FOI_TOKEN_EQUAL, FOI_OP_EQUAL},
                 {FOI_TOKEN_NOT_EQUAL, FOI_OP_NOT_EQUAL}};
    foi_ast *e = arithmetic(p);
    for (size_t i = 0; e && i < sizeof table / sizeof table[0]; i++) {
        if (p->token.kind != table[i].kind) continue;
        foi_place place = p->token.place;
        foi_parse_advance(p);
        return binary(p, table[i].op, false, place, e, arithmetic(p));
    }
    return e;
}

static foi_ast *negation(foi_parser *p)
{
    foi_place place = p->token.place;
    if (!foi_parse_take(p, FOI_WORD_NOT)) return relation(p);
    return unary(p, FOI_OP_NOT, place, relation(p));
}

static foi_ast *conjunction(foi_parser *p)
{
    foi_ast *e = negation(p);
    while (e && p->token.kind == FOI_WORD_AND) {
        foi_place place = p->token.place;
        foi_parse_advance(p);
        e = binary(p, FOI_OP_AND, false, place, e, negation(p));
    }
    return e;
}

static foi_ast *disjunction(foi_parser *p)
{
    foi_ast *e = conjunction(p);
    while (e && p->token.kind == FOI_WORD_OR) {
        foi_place place = p->token.place;
        foi_parse_advance(p);
        e = binary(p, FOI_OP_OR, false, place, e, conjunction(p));
    }
    return e;
}

static foi_ast *range(foi_parser *p)
{
    foi_ast *first = disjunction(p);
    if (!first || p->token.kind != ':') return first;
    foi_ast *e = new_node(p, FOI_AST_RANGE, first->place);
    foi_ast **items = foi_arena_new(p->arena, 3, sizeof *items);
    if (!e || !items) return NULL;
    uint32_t count = 0;
    items[count++] = first;
    while (count < 3 && foi_parse_take(p, ':')) {
        items[count] = disjunction(p);
        if (!items[count++]) return NULL;
    }
    return with_items(p, e, items, count);
}

static foi_ast *conditional(foi_parser *p)
{
    foi_ast *e = new_node(p, FOI_AST_IF, p->token.place);
    foi_ast **items = NULL, *item;
    uint32_t count = 0;
    do {
        foi_parse_advance(p);
        item = foi_parse_expression(p);
        if (!e || !item || !add_item(p, &items, &count, item)) return NULL;
        if (!foi_parse_need(p, FOI_WORD_THEN, "after the condition")) return NULL;
        item = foi_parse_expression(p);
        if (!item || !add_item(p, &items, &count, item)) return NULL;
    } while (p->token.kind == FOI_WORD_ELSEIF);
    if (!foi_parse_need(p, FOI_WORD_ELSE, "in the if-expression")) return NULL;
    item = foi_parse_expression(p);
    if (!item || !add_item(p, &items, &count, item)) return NULL;
    return with_items(p, e, items, count);
}

foi_ast *foi_parse_expression(foi_parser *p)
{
    if (!foi_parse_enter(p)) return NULL;
    foi_ast *e = p->token.kind == FOI_WORD_IF ? conditional(p) : range(p);
    p->depth--;
    return e;
}
