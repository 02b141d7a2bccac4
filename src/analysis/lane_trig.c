// Sine and cosine in the source of lanes: the core of math/trig.h, operation by operation, so that
// a vector of angles never leaves the registers. What the core leaves to others (huge angles, and
// those near a multiple of pi/64) goes to the scalar function, number by number.
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
    "#if LANES == 8\n#define BOTH(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, "
    "7)\n#endif\n"
    "INLINED struct row row_at(const double *table, M at)\n{\n"
    "    struct quarter a = turn(table + at[0], table + at[1], table + at[2], table + at[3]);\n"
    "#if LANES == 8\n"
    "    struct quarter b = turn(table + at[4], table + at[5], table + at[6], table + at[7]);\n"
    "    return (struct row){BOTH(a.s, b.s), BOTH(a.sl, b.sl), BOTH(a.c, b.c), BOTH(a.cl, b.cl)};\n"
    "#else\n"
    "    return (struct row){a.s, a.sl, a.c, a.cl};\n"
    "#endif\n}\n"
    "#else\n"
    "INLINED struct row row_at(const double *table, M at)\n{\n"
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
    "    struct row y = row_at(functions->table, (((M)shifted + quarter) & 127) * 4);\n"
    "    V u = r * r, r1 = (V)((M)r & ~0xFFFFFFLL), r2 = (r - r1) + rl;\n"
    "    V lead = y.c * r1, hi = y.s + lead, lo = (y.s - hi) + lead;\n"
    "    V cosine = u * (COS_2 + u * (COS_4 + u * COS_6));\n"
    "    V sine = r * u * (SIN_3 + u * (SIN_5 + u * SIN_7));\n"
    "    V small = y.sl + y.s * cosine;\n"
    "    small += y.c * (r2 + sine) + y.cl * (r + sine);\n"
    "    return hi + (lo + small);\n}\n"
    "INLINED V v_sin(V x)\n{\n"
    "    M bad;\n"
    "    V y = trig(x, (M)(V){0}, &bad);\n"
    "    if (any(bad)) return v_one(sin_, x);\n"
    "    return choose(v_fabs(x) < 0x1p-27, x, y);\n}\n"
    "INLINED V v_cos(V x)\n{\n"
    "    M bad;\n"
    "    V y = trig(x, (M)(V){0} + 32, &bad);\n"
    "    return any(bad) ? v_one(cos_, x) : y;\n}\n";

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
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        foi_flat_write(out, "#define %s ", numbers[i].name);
        foi_source_number(out, numbers[i].value);
        foi_flat_write(out, "\n");
    }
    foi_flat_write(out, "%s%s", rows, core);
}
