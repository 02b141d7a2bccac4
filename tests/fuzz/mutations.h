/// Mutations that know the language a little: they work on words, brackets and statements, and put
/// in what is likely to meet something that was not thought of.
#ifndef FUZZ_MUTATIONS_H
#define FUZZ_MUTATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static const char *const expressions[] = {
    "x",
    "y",
    "der(x)",
    "pre(x)",
    "time",
    "-1",
    "0",
    "1e300",
    "delay(x, 0.1)",
    "spatialDistribution(x, y, time, true)",
    "{1, 2}",
    "[1, 2; 3]",
    "(if x > 0 then 1 else 2)",
    "x[1:end]",
    "x[:, 1]",
    "sample(0, 0.1)",
    "activeState(a)",
    "timeInState()",
    "Clock(x > 0, 0.1)",
    "initial()",
    "terminal()",
    "f(x)",
    "{i for i in 1:3}",
    "sum(x)",
    "size(x, 1)",
    "fill(1, 2, 0)",
    "zeros(0)",
    "1:0:3",
    "noEvent(x < 0)",
    "smooth(1, x)",
    "mod(x, 0)",
    "sqrt(-x)",
    "\"text\"",
    "String(x)",
    "true",
    "not y",
    "x .* y",
    "x^x",
    "a.b.c",
    "'q'",
    "edge(y)",
    "change(y)",
    "floor(x)",
    "x/0",
    "cat(1, {1}, x)",
    "max(x, y)",
    "homotopy(x, 1)",
    "delay(x, 0.1)",
    "spatialDistribution(x, y, time, true)",
    "Modelica.Constants.pi",
};

static const char *const statements[] = {
    "der(x) = 1;",
    "x = y;",
    "x + y = 1;",
    "when x > 0 then y = 1; end when;",
    "when time > 0.1 then reinit(x, 0); end when;",
    "when time > 0.1 then reinit(x, 2*x); elsewhen x == y then reinit(x, 1); end when;",
    "replaceable model K = M(x = 2*n); K k(redeclare model L = B);",
    "redeclare model L = M(x = 2);",
    "replaceable M h(redeclare model L = B) constrainedby M(x = 3);",
    "parameter String s = \"n\" + String(n);",
    "if x > 0 then y = 1; else y = 2; end if;",
    "for i in 1:3 loop x[i] = i; end for;",
    "connect(a, b);",
    "assert(x > 0, \"x\");",
    "terminate(\"end\");",
    "algorithm x := 1;",
    "equation",
    "initial equation x = 0;",
    "Real x;",
    "Real z[2](each start = 1);",
    "parameter Integer n = 2;",
    "Boolean b(start = true);",
    "extends M;",
    "import P.*;",
    "replaceable model L = M;",
    "constant Real k = 3;",
    "M m(x = 1);",
    "function f input Real u; output Real v; algorithm v := u; end f;",
    "annotation(derivative(noDerivative = u) = f, inverse(u = f(v)));",
    "while x < 3 loop x := x + 1; end while;",
    "return;",
    "break;",
    "when {initial(), sample(0, 0.1)} then n = pre(n) + 1; end when;",
    "initialState(a);",
    "transition(a, b, ticksInState() >= 2, immediate = false);",
    "transition(b, a, previous(x) > 1, reset = false, synchronize = true, priority = 2);",
    "when Clock(n, 10) then n = previous(n) + 1; end when;",
    "record R Real a; Real b; end R;",
    "type E = enumeration(a, b);",
    "E e = max(E(n), E.a);",
    "Real q = ({x, 1, 2}*2)[n];",
    "final replaceable M g(x = 2);",
    "redeclare replaceable parameter Real p = 2;",
    "model B = M(x = 3);",
    "extends B(x = 4);",
    "connector C Real e; flow Real f; end C;",
    "inner Real w = 1;",
    "outer Real w;",
    "input Real u;",
    "discrete Real d;",
    "protected",
    "annotation(experiment(StopTime = 2));",
};

typedef struct cut {
    size_t begin, end;
} cut;

static size_t pick(unsigned *seed, size_t count)
{
    return count ? (size_t)rand_r(seed) % count : 0;
}

static int is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A word, a number or a sign, somewhere.
static cut find_word(const uint8_t *data, size_t size, unsigned *seed)
{
    cut c = {pick(seed, size), 0};
    if (!size) return c;
    while (c.begin > 0 && is_word(data[c.begin]) && is_word(data[c.begin - 1])) c.begin--;
    c.end = c.begin + 1;
    while (c.end < size && is_word(data[c.begin]) && is_word(data[c.end])) c.end++;
    return c;
}

// From one ';' to the next, or a bracket with all that is in it.
static cut find_piece(const uint8_t *data, size_t size, unsigned *seed)
{
    cut c = {pick(seed, size), 0};
    while (c.begin > 0 && data[c.begin - 1] != ';' && data[c.begin] != '(') c.begin--;
    c.end = c.begin;
    int depth = 0, bracket = size && data[c.begin] == '(';
    for (; c.end < size; c.end++) {
        depth += data[c.end] == '(', depth -= data[c.end] == ')';
        if (bracket ? depth == 0 : data[c.end] == ';') break;
    }
    if (c.end < size) c.end++;
    return c;
}

// Puts `text` in the place of what is cut out; nothing changes when there is no room.
static size_t replace(uint8_t *data, size_t size, size_t most, cut c, const char *text, size_t n)
{
    if (size - (c.end - c.begin) + n > most) return size;
    char *copy = foi_new(NULL, n + 1, 1);
    if (!copy) return size;
    if (n) memcpy(copy, text, n); // it may be a part of the data
    memmove(data + c.begin + n, data + c.end, size - c.end);
    if (n) memcpy(data + c.begin, copy, n);
    foi_free(NULL, copy);
    return size - (c.end - c.begin) + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    cut word = find_word(data, size, &seed), other = find_word(data, size, &seed);
    cut piece = find_piece(data, size, &seed), from = find_piece(data, size, &seed);
    const char *text;
    switch (pick(&seed, 8)) {
    case 0: return replace(data, size, most, word, "", 0);
    case 1: return replace(data, size, most, piece, "", 0);
    case 2:
        return replace(data, size, most, word, (const char *)data + other.begin,
                       other.end - other.begin);
    case 3:
        piece.end = piece.begin; // beside it, not in its place
        return replace(data, size, most, piece, (const char *)data + from.begin,
                       from.end - from.begin);
    case 4:
        text = expressions[pick(&seed, sizeof expressions / sizeof *expressions)];
        return replace(data, size, most, word, text, strlen(text));
    case 5:
        text = statements[pick(&seed, sizeof statements / sizeof *statements)];
        piece.end = piece.begin;
        return replace(data, size, most, piece, text, strlen(text));
    case 6:
        return replace(data, size, most, piece, (const char *)data + from.begin,
                       from.end - from.begin);
    default: return LLVMFuzzerMutate(data, size, most);
    }
}

#endif
