/// sin and cos with fewer operations one after the other than foi_trig_sum, and the same bits:
/// where it is not sure that both are rounded to one double, in one of two hundred, that is asked.
///
/// A template. Before it is included: QUICK, the name of the function; QUICK_FOR, its target;
/// QUICK_ADD(a, b, c) for a b + c, rounded once or twice; QUICK_HEAD(a, t), a part of t whose
/// product with the 24 bits of C is exact, or is rounded with the sum.
///
///     x = k pi/64 + t + tail,  t + tail = a - bc,  u = t^2
///     sin x = S + C head + C tail + (s u) (c2 + c4 u + c6 u^2) + (C t u) (s3 + s5 u + s7 u^2)
///
/// How far the sum here can be from that of foi_trig_sum, with R the size of the result, e = 2^-53,
/// |x| < 256, R >= 2^-12 and |t| < pi/128 by so much that k is the same however x 64/pi is rounded:
/// - a, a - head and S + C head = lead + rest are exact, or rounded by less than 2^-100. What is
///   rounded in bc, tail and the linear terms is below 2^-77 together, and so below 2^-65 R.
/// - A = |S| u/2 and B = |C t| u/6 <= R u/6 are the terms of second and third order. There and here
///   A has up to 7 e in it and B 10 e, from the roundings of t, u and all that is multiplied; their
///   sums add 2 and 3 e of A + B, the last of them that with the doubt. In all 19 e A + 25 e B, at
///   most u e (9.5 |S| + 4.2 R).
/// QUICK_DOUBT has more than that. Rounding is monotonic: where both ends of the doubt become one
/// double, so does all between them. tests/math compares the bits.
#define QUICK_DOUBT(u, s, sum) ((u) * (0x1.8p-50 * (s) + 0x1.8p-51 * (sum)) + 0x1p-64 * (sum))

#define QUICK_INSIDE(square) ((square) < FOI_TRIG_INSIDE)
/// c1 + c2 u + c3 u^2
#define QUICK_SERIES(u, c1, c2, c3)  QUICK_ADD((u) * (u), c3, QUICK_ADD(u, c2, c1))
#define QUICK_SURE(lead, low, doubt) ((lead) + ((low) - (doubt)) == (lead) + ((low) + (doubt)))

/// The sine (turn = 0) or cosine (turn = 32) of x, or false.
QUICK_FOR FOI_CORE int QUICK(double x, uint64_t turn, double *y)
{
    double square = x * x;
    if (turn == 0 && QUICK_INSIDE(square)) { // k = 0: S = 0, C = 1, and nothing is rounded in t
        double small = x * square * QUICK_SERIES(square, FOI_SIN_3, FOI_SIN_5, FOI_SIN_7);
        *y = x + small;
        return square > 0 && QUICK_SURE(x, small, QUICK_DOUBT(square, 0, x)); // zero has a sign
    }
    double shifted = QUICK_ADD(x, FOI_TRIG_PER, 0x1.8p52), k = shifted - 0x1.8p52;
    double a = QUICK_ADD(-k, FOI_TRIG_STEP_1, x);
    double bc = QUICK_ADD(k, FOI_TRIG_STEP_2, k * FOI_TRIG_STEP_3);
    double t = a - bc, u = t * t, head = QUICK_HEAD(a, t), tail = (a - head) - bc;
    const double *row = foi_trig_table + ((foi_bits(shifted) + turn) & 127) * 4;
    double s = row[0], c = row[2];
    double lead = QUICK_ADD(c, head, s), rest = QUICK_ADD(c, head, s - lead);
    double linear = QUICK_ADD(c, tail, QUICK_ADD(row[3], t, row[1]));
    double second = QUICK_SERIES(u, FOI_COS_2, FOI_COS_4, FOI_COS_6);
    double third = QUICK_SERIES(u, FOI_SIN_3, FOI_SIN_5, FOI_SIN_7);
    double low = QUICK_ADD(s * u, second, linear) + QUICK_ADD((c + row[3]) * t * u, third, rest);
    *y = lead + low;
    int near = square < 0x1p16 && QUICK_INSIDE(u) && lead * lead >= 0x1p-24;
    return near && QUICK_SURE(lead, low, QUICK_DOUBT(u, s, lead));
}

#undef QUICK_SURE
#undef QUICK_SERIES
#undef QUICK_INSIDE
#undef QUICK_DOUBT
#undef QUICK
#undef QUICK_FOR
#undef QUICK_ADD
#undef QUICK_HEAD
