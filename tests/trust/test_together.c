// Relations and whole parts that turn at one instant, exactly or but for rounding errors, turn
// together: no `when` sees some of them turned and others not. The models come from a generator of
// piecewise linear functions whose breakpoints coincide; their truth was computed with exact
// rationals. Each was counted wrong when moments of one instant came one after the other.
#include "trust/rises.h"

typedef struct coincident {
    double stop;
    int rises[2];
    double z;
    const char *text;
} coincident;

static const coincident all[] = {
    {20,
     {10, 0},
     20,
     "model A\n"
     "Real x(start = 0, fixed = true), y, z(start = 0, fixed = true);\n"
     "discrete Integer n0(start = 0, fixed = true), n1(start = 0, fixed = true);\n"
     "equation\n"
     "der(x) = 1; der(z) = 1; n1 = 0;\n"
     "y = if mod(x, 2) < 1 then mod(x, 1) else 1 - mod(x, 1);\n"
     "when y > 0.9999 then n0 = pre(n0) + 1; end when;\n"
     "end A;\n"},
    // a sample that comes with a state: the whole part of x is that of after
    {7.5,
     {28, 0},
     7.5,
     "model A\n"
     "Real x(start = 0, fixed = true), y, z(start = 0, fixed = true);\n"
     "discrete Integer n0(start = 0, fixed = true), n1(start = 0, fixed = true);\n"
     "equation\n"
     "der(x) = 1; der(z) = 1; n1 = 0; y = floor(x);\n"
     "when sample(0, 1) then n0 = pre(n0) + integer(y + 0.5); end when;\n"
     "end A;\n"},
    {7.1428571428571432,
     {0, 0},
     75.625,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 2;\n"
     "y0 = floor((mod((x0 + 1), 0.5) + mod((time + 1), 4)));\n"
     "when ((div(time, 1) > 3 and mod(x0, 1) >= 0.5) and div(time, 1) < 0.04) then n0 = pre(n0)+1; "
     "s0 = pre(s0) + y0; end when;\n"
     "y1 = floor((if mod(time, 1) > x0 then mod((time + 3), 2) else (x0 + (-2))));\n"
     "when (if abs(x0 - 4) > 3 then floor((time + (-1))/4) else integer((time + 2)/4)) <= (if "
     "mod((time + 1), 4) >= 3.996 then integer((time + 0.5)/2) else floor(x0/4)) then n1 = "
     "pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = ((time - (sign(x0 - 6))) + min(abs((time + 1) - 16), floor((x0 + 2)/1)));\n"
     "end A;\n"},
    {5.1428571428571432,
     {0, 0},
     -1.510204081632653,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = (-1);\n"
     "y0 = floor(abs(sign((x0 + (-1)) - 0.5)));\n"
     "when abs(mod(x0, 1)) >= floor(abs((x0 + 1) - 2)) then n0 = pre(n0)+1; s0 = pre(s0) + y0; end "
     "when;\n"
     "y1 = floor(abs(rem((x0 + 1), 0.5)));\n"
     "when (((x0 + (-8)) <= mod((x0 + 1), 1) and 4*floor(x0/4) > mod(x0, 2)) and rem(x0, 2) > "
     "mod(x0, 0.5)) then n1 = pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = rem((x0 + 1), 1);\n"
     "end A;\n"},
    {5.1428571428571432,
     {0, 0},
     20.75829931972789,
     "model A\n"
     "Real x0(start=(1/3), fixed=true);\n"
     "Real x1(start=(-0.3), fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 2;\n"
     "der(x1) = 1;\n"
     "y0 = floor(abs(x0 - 1.05));\n"
     "when max(integer(x0/0.35), mod((x0 + 0.7), 0.35)) < 0.315 then n0 = pre(n0)+1; s0 = pre(s0) "
     "+ y0; end when;\n"
     "y1 = floor(max(floor((x0 + 0.35)/0.7), floor((x0 + 0.7)/0.7)));\n"
     "when (not (not floor((x0 + 1.4)/0.7) < 0.315)) then n1 = pre(n1)+1; s1 = pre(s1) + y1; end "
     "when;\n"
     "der(z) = abs((div(x0, 1.4) + rem(x1, 1.4)));\n"
     "end A;\n"},
    {7.1428571428571432,
     {0, 0},
     -89.785714285714292,
     "model A\n"
     "Real x0(start=(-0.3), fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 1;\n"
     "y0 = floor(floor(floor((x0 + 0.25)/0.5)));\n"
     "when 2*(4*floor((x0 + (-3))/4)) <= (if abs(x0 - 8) < 6 then mod((x0 + 0.25), 0.5) else "
     "0.5*floor(x0/0.5)) then n0 = pre(n0)+1; s0 = pre(s0) + y0; end when;\n"
     "y1 = floor((mod(x0, 4) + 0.5*floor(x0/0.5)));\n"
     "when (div((x0 + 2), 4) - (integer(x0/1))) < 6 then n1 = pre(n1)+1; s1 = pre(s1) + y1; end "
     "when;\n"
     "der(z) = (mod(x0, 2) - ((floor((x0 + 6)/1) + (x0 + 1.5))));\n"
     "end A;\n"},
    {5.1428571428571432,
     {0, 0},
     -3.8412698412698414,
     "model A\n"
     "Real x0(start=(-0.3), fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 0.3;\n"
     "y0 = floor(abs(x0));\n"
     "when (mod(x0, (2/3)) > (2/3) and (floor((x0 + 1)/1) < (1/3) and div((x0 + (2/3)), 2) >= "
     "0.666)) then n0 = pre(n0)+1; s0 = pre(s0) + y0; end when;\n"
     "y1 = floor(floor(abs(x0 - 1)));\n"
     "when floor(mod(x0, 1)) <= (if mod((x0 + (2/3)), (2/3)) < 0.01 then mod(x0, (2/3)) else "
     "abs(x0 - 2)) then n1 = pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = 2*((-1)*(div(x0, (2/3))));\n"
     "end A;\n"},
    {5.1428571428571432,
     {1, 0},
     8.9387755102040813,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = (-1);\n"
     "y0 = floor(abs(floor((x0 + 2)/4)));\n"
     "when ((rem(x0, 4) > ceil(x0/2) or floor((x0 + 0.25)/0.5) > 2) or (mod((x0 + (-8)), 4) < "
     "0.005 and (x0 + 1) <= (x0 + 0.5))) then n0 = pre(n0)+1; s0 = pre(s0) + y0; end when;\n"
     "y1 = floor(2*(1*floor(x0/1)));\n"
     "when rem(x0, 4) >= (if x0 <= 2 then abs(x0 - 2) else sign(x0 - 6)) then n1 = pre(n1)+1; s1 = "
     "pre(s1) + y1; end when;\n"
     "der(z) = abs((ceil(x0/2) - (x0)));\n"
     "end A;\n"},
    {5.1428571428571432,
     {6, 0},
     12.095238095238095,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "Real x1(start=(-1), fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 0.3;\n"
     "der(x1) = 2;\n"
     "y0 = floor(((x1 + 1) + (x1 + 1)));\n"
     "when ((x1 + 2) >= mod((x1 + 0.25), 2) and mod(x1, 2) >= 0.9) then n0 = pre(n0)+1; s0 = "
     "pre(s0) + y0; end when;\n"
     "y1 = floor(abs(mod((x0 + 1), 4)));\n"
     "when floor(sign(x0 - 1.5)) >= (mod((x0 + (-6)), 0.5) + div(x0, 1)) then n1 = pre(n1)+1; s1 = "
     "pre(s1) + y1; end when;\n"
     "der(z) = integer((x0 + 2)/1);\n"
     "end A;\n"},
    {5.1428571428571432,
     {0, 0},
     1.2551020408163265,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 0.5;\n"
     "y0 = floor(floor(ceil((x0 + 2)/0.5)));\n"
     "when (ceil((x0 + 1)/0.5) - (ceil(x0/4))) < 1.5 then n0 = pre(n0)+1; s0 = pre(s0) + y0; end "
     "when;\n"
     "y1 = floor(max(rem(x0, 2), sign((x0 + 1) - 16)));\n"
     "when floor(sign(x0 - 2)) < 0.45 then n1 = pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = mod((x0 + 0.5), 0.5);\n"
     "end A;\n"},
    {5.1428571428571432,
     {1, 0},
     6.9523809523809526,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = 0.3;\n"
     "y0 = floor(3*(sign((x0 + 1) - 8)));\n"
     "when (if floor((x0 + 1)/4) < integer(x0/4) then ceil(x0/1) else mod((x0 + 2), 0.5)) < "
     "floor(x0) then n0 = pre(n0)+1; s0 = pre(s0) + y0; end when;\n"
     "y1 = floor((if integer(x0/2) >= abs(x0 - 6) then ceil(x0/2) else rem((x0 + 3), 2)));\n"
     "when floor((x0 + 0.25)) <= 4 then n1 = pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = floor((mod((x0 + 2), 1) + ceil(x0/1)));\n"
     "end A;\n"},
    {7.1428571428571432,
     {7, 0},
     7.1428571428571432,
     "model A\n"
     "Real x0(start=0, fixed=true);\n"
     "discrete Integer n0(start=0, fixed=true); discrete Real s0(start=0, fixed=true); Real y0;\n"
     "discrete Integer n1(start=0, fixed=true); discrete Real s1(start=0, fixed=true); Real y1;\n"
     "Real z(start=0, fixed=true);\n"
     "equation\n"
     "der(x0) = (-1);\n"
     "y0 = floor(abs(floor((x0 + (-4))/2)));\n"
     "when max(ceil(x0/2), mod((x0 + 0.25), 1)) >= 0.999 then n0 = pre(n0)+1; s0 = pre(s0) + y0; "
     "end when;\n"
     "y1 = floor(((x0 + (-1.5)) - (ceil((x0 + (-1))/0.5))));\n"
     "when mod(x0, 2) >= 2 then n1 = pre(n1)+1; s1 = pre(s1) + y1; end when;\n"
     "der(z) = abs((if sign((x0 + 4) - 2) > 1.8 then sign(x0 - 1) else sign((x0 + 3) - 1)));\n"
     "end A;\n"},
};

static void count(const coincident *c, const char *solver)
{
    check_rises(c->text, (rises){c->stop, {c->rises[0], c->rises[1]}, c->z}, solver);
}

TEST(what_turns_at_one_instant_turns_together)
{
    static const char *const solvers[] = {NULL, "dop853", "adams", "radau5", "rodas4"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) count(&all[i], solvers[k]);
}

TEST_MAIN(TEST_ENTRY(what_turns_at_one_instant_turns_together))
