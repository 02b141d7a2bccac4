// Sine and cosine in the source of lanes: the core of math/trig.h, operation by operation, so that
// a vector of angles never leaves the registers. What the core leaves to others (huge angles, and
// those near a multiple of pi/64) goes to the scalar function, number by number. Where a product
// and a sum are one instruction, the way of math/trig_quick.h comes before it, which has the bits
// of the core where it is sure of them: the proof is there. Near zero (k = 0) its sum is x and what
// x is multiplied with, as there.
#include "analysis/lane_source.h"
#include "math/constants.h"
#include "math/trig.h"
#include "program/source.h"

// Rows of the table lie side by side: with four lanes or eight they are loaded whole and turned.
static const char rows[] =
    "typedef double Q __attribute__((vector_size(32), aligned(8)));\n"
    "struct row { V s, sl, c, cl; };\n"
    "#if LANES >= 4 && defined(__has_builtin)\n#if __has_builtin(__builtin_shufflevector)\n"
    "#define TURNED\n#endif\n#endif\n"
    "#ifdef TURNED\n"
    "struct quarter { Q s, sl, c, cl; };\n"
    "INLINED struct quarter turn(const double *a, const double *b, const double *c, const double "
    "*d)\n{\n"
    "    const Q r0 = *(const Q *)a, r1 = *(const Q *)b, r2 = *(const Q *)c, r3 = *(const Q *)d;\n"
    "    const Q low01 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6);\n"
    "    const Q high01 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);\n"
    "    const Q low23 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6);\n"
    "    const Q high23 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);\n"
    "    return (struct quarter){__builtin_shufflevector(low01, low23, 0, 1, 4, 5),\n"
    "                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),\n"
    "                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),\n"
    "                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};\n}\n"
    "#if LANES == 8\n"
    // rows 0 and 2 in one vector, 1 and 3, 4 and 6, 5 and 7: then two turns bring all in order
    "INLINED V both(const double *a, const double *b)\n"
    "{ return __builtin_shufflevector(*(const Q *)a, *(const Q *)b, 0, 1, 2, 3, 4, 5, 6, 7); }\n"
    "#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)\n"
    "#define HIGH(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)\n"
    "#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)\n"
    "#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)\n"
    "INLINED struct row row_at(const double *table, M k)\n{\n"
    "#ifdef PACKED\n"
    // eight bytes go through one register, and 32 bytes have a row
    "    const unsigned long long at = PACKED(k);\n"
    "    const char *from = (const char *)table;\n"
    "#define ROW(i) (const double *)(from + (i ? at >> (8 * i - 5) & 0xfe0 : at << 5 & 0xfe0))\n"
    "#else\n"
    "    const M at = (k & 127) * 4;\n"
    "#define ROW(i) table + at[i]\n"
    "#endif\n"
    "    V a = both(ROW(0), ROW(2)), b = both(ROW(1), ROW(3));\n"
    "    V c = both(ROW(4), ROW(6)), d = both(ROW(5), ROW(7));\n"
    "    V low = LOW(a, b), high = HIGH(a, b), low2 = LOW(c, d), high2 = HIGH(c, d);\n"
    "    return (struct row){FIRST(low, low2), FIRST(high, high2), SECOND(low, low2),\n"
    "                        SECOND(high, high2)};\n}\n"
    "#else\n"
    "INLINED struct row row_at(const double *table, M k)\n{\n"
    "    const M at = (k & 127) * 4;\n"
    "    struct quarter a = turn(table + at[0], table + at[1], table + at[2], table + at[3]);\n"
    "    return (struct row){a.s, a.sl, a.c, a.cl};\n}\n"
    "#endif\n"
    "#else\n"
    "INLINED struct row row_at(const double *table, M k)\n{\n"
    "    const M at = (k & 127) * 4;\n"
    "    struct row y;\n"
    "    for (int i = 0; i < W; i++) {\n"
    "        const double *from = table + at[i];\n"
    "        y.s[i] = from[0], y.sl[i] = from[1], y.c[i] = from[2], y.cl[i] = from[3];\n"
    "    }\n"
    "    return y;\n}\n"
    "#endif\n";

static const char core[] =
    "INLINED V trig(V x, M quarter, M *bad)\n{\n"
    "    V shifted = x * TRIG_PER + 0x1.8p52, k = shifted - 0x1.8p52;\n"
    "    V a = x - k * TRIG_STEP_1, b = k * TRIG_STEP_2, c = k * TRIG_STEP_3;\n"
    "    V t = a - b, tl = (a - t) - b, r0 = t - c, rest = ((t - r0) - c) + tl;\n"
    "    V r = r0 + rest, rl = (r0 - r) + rest;\n"
    "    *bad = (v_fabs(x) >= TRIG_OK) | (x != x) | ((v_fabs(r0) < 0x1p-30) & (k != 0.0));\n"
    "    struct row y = row_at(functions->table, (M)shifted + quarter);\n"
    "    V u = r * r, r1 = (V)((M)r & ~0xFFFFFFLL), r2 = (r - r1) + rl;\n"
    "    V lead = y.c * r1, hi = y.s + lead, lo = (y.s - hi) + lead;\n"
    "    V cosine = u * (COS_2 + u * (COS_4 + u * COS_6));\n"
    "    V sine = r * u * (SIN_3 + u * (SIN_5 + u * SIN_7));\n"
    "    V small = y.sl + y.s * cosine;\n"
    "    small += y.c * (r2 + sine) + y.cl * (r + sine);\n"
    "    return hi + (lo + small);\n}\n"
    "SLOWLY V core_sin(V x)\n{\n"
    "    M bad;\n"
    "    V y = trig(x, (M)(V){0}, &bad);\n"
    "    if (any(bad)) return v_one(sin_, x);\n"
    "    return choose(v_fabs(x) < 0x1p-27, x, y);\n}\n"
    "SLOWLY V core_cos(V x)\n{\n"
    "    M bad;\n"
    "    V y = trig(x, (M)(V){0} + 32, &bad);\n"
    "    return any(bad) ? v_one(cos_, x) : y;\n}\n";

static const char quick[] =
    "#ifdef v_fma\n"
    "#define SERIES(u, c1, c2, c3) v_fma(u * u, EVERY(c3), v_fma(u, EVERY(c2), EVERY(c1)))\n"
    "#define EVERY(c) ((V){0} + (c))\n"
    "INLINED V quick(V x, M quarter, M *sure)\n{\n"
    "    V square = x * x, shifted = v_fma(x, EVERY(TRIG_PER), EVERY(0x1.8p52));\n"
    "    V k = shifted - 0x1.8p52, a = v_fma(-k, EVERY(TRIG_STEP_1), x);\n"
    "    V bc = v_fma(k, EVERY(TRIG_STEP_2), k * TRIG_STEP_3), t = a - bc, u = t * t;\n"
    "    V tail = (a - t) - bc;\n"
    "    struct row y = row_at(functions->table, (M)shifted + quarter);\n"
    "    V lead = v_fma(y.c, t, y.s), rest = v_fma(y.c, t, y.s - lead);\n"
    "    V linear = v_fma(y.c, tail, v_fma(y.cl, t, y.sl));\n"
    "    V second = SERIES(u, COS_2, COS_4, COS_6), third = SERIES(u, SIN_3, SIN_5, SIN_7);\n"
    "    V low = v_fma(y.s * u, second, linear) + v_fma((y.c + y.cl) * t * u, third, rest);\n"
    "    V doubt = v_fma(u, v_fma(y.s, EVERY(0x1.8p-50), lead * 0x1.8p-51), lead * 0x1p-64);\n"
    "    M near = (square < 0x1p16) & (u < INSIDE);\n"
    "    near &= (lead * lead >= 0x1p-24) | ((square < INSIDE) & (square > 0.0));\n"
    "    *sure = near & (lead + (low - doubt) == lead + (low + doubt));\n"
    "    return lead + low;\n}\n"
    "INLINED V v_sin(V x)\n{\n"
    "    M sure;\n"
    "    V y = quick(x, (M)(V){0}, &sure);\n"
    "    return __builtin_expect(ALL_OF(sure), 1) ? y : core_sin(x);\n}\n"
    "INLINED V v_cos(V x)\n{\n"
    "    M sure;\n"
    "    V y = quick(x, (M)(V){0} + 32, &sure);\n"
    "    return __builtin_expect(ALL_OF(sure), 1) ? y : core_cos(x);\n}\n"
    "#else\n"
    "#define v_sin core_sin\n#define v_cos core_cos\n"
    "#endif\n";

void foi_lane_trig(foi_flat_writer *out)
{
    static const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"TRIG_OK", FOI_TRIG_OK},
        {"TRIG_PER", FOI_TRIG_PER},
        {"TRIG_STEP_1", FOI_TRIG_STEP_1},
        {"TRIG_STEP_2", FOI_TRIG_STEP_2},
        {"TRIG_STEP_3", FOI_TRIG_STEP_3},
        {"SIN_3", FOI_SIN_3},
        {"SIN_5", FOI_SIN_5},
        {"SIN_7", FOI_SIN_7},
        {"COS_2", FOI_COS_2},
        {"COS_4", FOI_COS_4},
        {"COS_6", FOI_COS_6},
        {"INSIDE", FOI_TRIG_INSIDE},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        foi_flat_write(out, "#define %s ", numbers[i].name);
        foi_source_number(out, numbers[i].value);
        foi_flat_write(out, "\n");
    }
    foi_flat_write(out, "%s%s%s", rows, core, quick);
}
