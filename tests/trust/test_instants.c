// Piecewise linear models whose breakpoints coincide, exactly or but for rounding errors: whole
// parts, relations, abs, min and max that turn at one instant, some of them zero at the start. The
// models come from a generator, their truth was computed with exact rationals. Some of each kind
// that was counted wrong are among them: a guard that others carry to zero at an instant (the first
// one), one that is zero at the start while the whole parts are not known yet, and conditions that
// can never be true.
#include <stdio.h>

#include "trust/rises.h"

typedef struct piecewise {
    double stop;
    int rises[2];
    double z;
    const char *states, *equations, *when, *other, *rate;
} piecewise;

static const piecewise all[] = {
    {5.1428571428571432,
     {0, 0},
     10.208686224489796,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = (-1); y0 = floor(div(x0, 1.4)); y1 = floor(floor(rem(x0, 1.4)));",
     "(-1)*(0.35*floor(x0/0.35)) >= abs((x0 + 0.35) - 0.7)",
     "floor((x0 + (-0.35))/0.7) >= 0.0035",
     "(if floor((x0 + (-2.8))/0.35) > 0.7 then abs(x0 - 0.7) else abs((x0 + 0.175)))"},
    {7.1428571428571432,
     {0, 4},
     27.891156462585034,
     "Real x0(start=(1/3), fixed=true);",
     "der(x0) = 1; y0 = floor((x0 + rem((x0 + 0.45), 0.3))); y1 = floor(ceil((x0 + "
     "0.2)/0.9));",
     "floor((x0 + (-0.9))) <= abs(x0)",
     "(if sign((x0 + 0.45) - 1.2) >= 0.81 then mod(x0, 0.9) else 1.2*floor((x0 + "
     "0.1)/1.2)) <= (mod(x0, 1.2) + mod(x0, 1.2))",
     "(if (ceil(x0/0.3) >= 0.45 or mod((x0 + 0.9), 0.9) > 0.3) then (if rem(x0, 1.2) > "
     "0.2 then x0 else abs((x0 + 0.2) - 0.2)) else (x0 - (div(x0, 1.2))))"},
    {3.1428571428571428,
     {0, 2},
     2.3366326530612245,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 1; y0 = floor(max(floor((x0 + 0.7)/1.4), ceil((x0 + 0.7)/0.35))); y1 = "
     "floor(floor(mod((x0 + (-4.2)), 1.4)));",
     "(x0 - (x0)) > 0.34965",
     "rem((x0 + 4.2), 0.7) < floor(mod((x0 + 0.7), 1.4))",
     "(mod((x0 + 0.7), 0.35) + abs(floor(x0/1.4)))"},
    {7.1428571428571432,
     {0, 0},
     75.625,
     "Real x0(start=0, fixed=true);",
     "der(x0) = 2; y0 = floor((mod((x0 + 1), 0.5) + mod((time + 1), 4))); y1 = floor((if "
     "mod(time, 1) > x0 then mod((time + 3), 2) else (x0 + (-2))));",
     "((div(time, 1) > 3 and mod(x0, 1) >= 0.5) and div(time, 1) < 0.04)",
     "(if abs(x0 - 4) > 3 then floor((time + (-1))/4) else integer((time + 2)/4)) <= (if "
     "mod((time + 1), 4) >= 3.996 then integer((time + 0.5)/2) else floor(x0/4))",
     "((time - (sign(x0 - 6))) + min(abs((time + 1) - 16), floor((x0 + 2)/1)))"},
    {5.1428571428571432,
     {0, 0},
     20.75829931972789,
     "Real x0(start=(1/3), fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 2; der(x1) = 1; y0 = floor(abs(x0 - 1.05)); y1 = floor(max(floor((x0 + "
     "0.35)/0.7), floor((x0 + 0.7)/0.7)));",
     "max(integer(x0/0.35), mod((x0 + 0.7), 0.35)) < 0.315",
     "(not (not floor((x0 + 1.4)/0.7) < 0.315))",
     "abs((div(x0, 1.4) + rem(x1, 1.4)))"},
    {7.1428571428571432,
     {0, 0},
     -89.785714285714292,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 1; y0 = floor(floor(floor((x0 + 0.25)/0.5))); y1 = floor((mod(x0, 4) + "
     "0.5*floor(x0/0.5)));",
     "2*(4*floor((x0 + (-3))/4)) <= (if abs(x0 - 8) < 6 then mod((x0 + 0.25), 0.5) else "
     "0.5*floor(x0/0.5))",
     "(div((x0 + 2), 4) - (integer(x0/1))) < 6",
     "(mod(x0, 2) - ((floor((x0 + 6)/1) + (x0 + 1.5))))"},
    {5.1428571428571432,
     {0, 0},
     -3.8412698412698414,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 0.3; y0 = floor(abs(x0)); y1 = floor(floor(abs(x0 - 1)));",
     "(mod(x0, (2/3)) > (2/3) and (floor((x0 + 1)/1) < (1/3) and div((x0 + (2/3)), 2) >= "
     "0.666))",
     "floor(mod(x0, 1)) <= (if mod((x0 + (2/3)), (2/3)) < 0.01 then mod(x0, (2/3)) else "
     "abs(x0 - 2))",
     "2*((-1)*(div(x0, (2/3))))"},
    {7.1428571428571432,
     {0, 0},
     -5.9285714285714288,
     "Real x0(start=0, fixed=true); Real x1(start=(-1), fixed=true);",
     "der(x0) = 1; der(x1) = (-1); y0 = floor((if div((x0 + (-2)), 2) <= ceil(x0/4) then "
     "mod(x0, 0.5) else x0)); y1 = floor((mod(x1, 2) + floor((x1 + 1)/2)));",
     "((floor(x0/4) < 1*floor(x1/1) and sign(x0 - 2) < 0.45) or sign((x1 + (-6)) - 4) < "
     "1.8)",
     "((ceil(x1/0.5) > 0.02 or mod(x0, 1) < div(x1, 4)) and integer(x0/1) >= x0)",
     "min(abs(x0), floor(ceil((x1 + 2)/2)))"},
    {7.1428571428571432,
     {1, 3},
     19.714285714285715,
     "Real x0(start=0.5, fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 0.5; der(x1) = 2; y0 = floor((sign((x0 + 2) - 1.5) - (mod((x1 + (-2)), "
     "0.5)))); y1 = floor((div(x1, 4) + mod(x1, 4)));",
     "min(integer((x0 + (-8))/4), 4*floor((x0 + 2)/4)) > (sign(x1 - 2) - ((x1 + 1)))",
     "(if rem(x0, 1) <= mod(x1, 4) then floor(x0/4) else abs((x1 + 2) - 1)) < (sign(x1 - "
     "16) + abs((x0 + 4) - 1.5))",
     "abs(max(integer((x0 + 1)/1), x0))"},
    {5.1428571428571432,
     {1, 0},
     8.9387755102040813,
     "Real x0(start=0, fixed=true);",
     "der(x0) = (-1); y0 = floor(abs(floor((x0 + 2)/4))); y1 = floor(2*(1*floor(x0/1)));",
     "((rem(x0, 4) > ceil(x0/2) or floor((x0 + 0.25)/0.5) > 2) or (mod((x0 + (-8)), 4) < "
     "0.005 and (x0 + 1) <= (x0 + 0.5)))",
     "rem(x0, 4) >= (if x0 <= 2 then abs(x0 - 2) else sign(x0 - 6))",
     "abs((ceil(x0/2) - (x0)))"},
    {5.1428571428571432,
     {6, 0},
     12.095238095238095,
     "Real x0(start=0, fixed=true); Real x1(start=(-1), fixed=true);",
     "der(x0) = 0.3; der(x1) = 2; y0 = floor(((x1 + 1) + (x1 + 1))); y1 = "
     "floor(abs(mod((x0 + 1), 4)));",
     "((x1 + 2) >= mod((x1 + 0.25), 2) and mod(x1, 2) >= 0.9)",
     "floor(sign(x0 - 1.5)) >= (mod((x0 + (-6)), 0.5) + div(x0, 1))",
     "integer((x0 + 2)/1)"},
    {5.1428571428571432,
     {0, 0},
     1.2551020408163265,
     "Real x0(start=0, fixed=true);",
     "der(x0) = 0.5; y0 = floor(floor(ceil((x0 + 2)/0.5))); y1 = floor(max(rem(x0, 2), "
     "sign((x0 + 1) - 16)));",
     "(ceil((x0 + 1)/0.5) - (ceil(x0/4))) < 1.5",
     "floor(sign(x0 - 2)) < 0.45",
     "mod((x0 + 0.5), 0.5)"},
    {5.1428571428571432,
     {1, 0},
     6.9523809523809526,
     "Real x0(start=0, fixed=true);",
     "der(x0) = 0.3; y0 = floor(3*(sign((x0 + 1) - 8))); y1 = floor((if integer(x0/2) >= "
     "abs(x0 - 6) then ceil(x0/2) else rem((x0 + 3), 2)));",
     "(if floor((x0 + 1)/4) < integer(x0/4) then ceil(x0/1) else mod((x0 + 2), 0.5)) < "
     "floor(x0)",
     "floor((x0 + 0.25)) <= 4",
     "floor((mod((x0 + 2), 1) + ceil(x0/1)))"},
    {7.1428571428571432,
     {7, 0},
     7.1428571428571432,
     "Real x0(start=0, fixed=true);",
     "der(x0) = (-1); y0 = floor(abs(floor((x0 + (-4))/2))); y1 = floor(((x0 + (-1.5)) - "
     "(ceil((x0 + (-1))/0.5))));",
     "max(ceil(x0/2), mod((x0 + 0.25), 1)) >= 0.999",
     "mod(x0, 2) >= 2",
     "abs((if sign((x0 + 4) - 2) > 1.8 then sign(x0 - 1) else sign((x0 + 3) - 1)))"},
    {7.1428571428571432,
     {1, 4},
     9.3265306122448983,
     "Real x0(start=0, fixed=true); Real x1(start=(-1), fixed=true);",
     "der(x0) = 1; der(x1) = 0.3; y0 = floor(abs(1*floor(x0/1))); y1 = floor((mod(x1, 1) "
     "+ div(x0, 0.5)));",
     "abs(integer(x0/2)) >= (if 2*floor((x0 + (-4))/2) >= 1.8 then abs(x0 - 4) else "
     "mod(x0, 4))",
     "abs(mod(x1, 0.5)) < 0.4995",
     "0.5*((if (x0 + 2) >= x1 then abs(x0 - 6) else integer(x1/4)))"},
    {7.1428571428571432,
     {0, 0},
     6.6376417233560092,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 0.5; y0 = floor((sign(x0 - 3) + rem(x0, 2))); y1 = floor(abs(rem(x0, "
     "(1/3))));",
     "min(floor(x0/(2/3)), ceil((x0 + (-1))/2)) >= (integer(x0/(1/3)) + rem(x0, (2/3)))",
     "(if mod(x0, (1/3)) <= (x0 + 0.5) then floor((x0 + (1/6))/(2/3)) else mod(x0, 2)) < "
     "(1/3)",
     "max((if rem((x0 + (-4/3)), 1) <= 1 then sign(x0 - (2/3)) else mod((x0 + (-2)), "
     "(2/3))), (if mod((x0 + (-3)), (2/3)) <= integer((x0 + 0.5)/(2/3)) then rem(x0, 2) "
     "else rem(x0, 2)))"},
    {5.1428571428571432,
     {0, 0},
     -8.2930612244897954,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = (-1); y0 = floor((rem((x0 + (-1.4)), 1.4) + div((x0 + 0.7), 0.35))); y1 = "
     "floor((ceil((x0 + 0.175)/0.7) - (div(x0, 1.4))));",
     "(not floor((x0 + 2.1)/0.35) <= rem((x0 + 0.35), 0.7))",
     "(not (floor(x0/1.4) >= 0.6993 and abs((x0 + (-0.7)) - 2.8) <= 0.63))",
     "max((floor((x0 + 0.7)/0.35) - (mod(x0, 1.4))), (if (x0 + (-0.35)) <= sign((x0 + "
     "0.7) - 0.35) then (x0 + 0.35) else 0.7*floor(x0/0.7)))"},
    {7.1428571428571432,
     {1, 3},
     154.51132653061225,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 1; y0 = floor(floor(x0)); y1 = floor((if div((x0 + 0.35), 0.35) >= 0.175 "
     "then div(x0, 0.35) else sign(x0 - 4.2)));",
     "(1.4*floor(x0/1.4) > mod((x0 + (-1.4)), 0.35) and (ceil((x0 + 0.35)/0.7) < 0.6993 "
     "or (x0 + (-4.2)) >= 0.525))",
     "((mod((x0 + 0.35), 0.35) > 0.6993 and integer((x0 + 2.1)/0.35) > 0.35) or (rem((x0 "
     "+ 0.35), 1.4) < sign(x0 - 0.35) or ceil(x0/1.4) < floor(x0/0.7)))",
     "3*((ceil((x0 + 0.175)/0.7) + abs((x0 + (-1.4)) - 2.1)))"},
    {3.1428571428571428,
     {0, 0},
     0.57806122448979591,
     "Real x0(start=0.5, fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 0.3; der(x1) = 1; y0 = floor((mod((x0 + 0.175), 1.4) - (abs((x0 + "
     "(-1.05)) - 1.4)))); y1 = floor((if floor(x1/1.4) < 2.1 then rem(x1, 0.7) else "
     "integer((x0 + 0.175)/0.35)));",
     "(not (rem(x1, 0.35) <= floor((x1 + 1.05)/0.35) and mod(x1, 0.35) < integer((x0 + "
     "0.7)/1.4)))",
     "(not (mod((x0 + (-1.4)), 1.4) >= 0.0035 or (x0 + (-2.1)) < 1.4))",
     "(if (div(x0, 0.7) < mod((x1 + 0.175), 0.35) or integer((x0 + 0.35)/0.35) <= 0.35) "
     "then abs(abs((x0 + 0.7) - 1.05)) else abs(mod(x0, 0.35)))"},
    {3.1428571428571428,
     {0, 0},
     0.93224489795918364,
     "Real x0(start=(1/3), fixed=true); Real x1(start=(1/3), fixed=true);",
     "der(x0) = (-1); der(x1) = 1; y0 = floor(floor(mod(x1, 0.3))); y1 = "
     "floor(floor(div(x0, 0.6)));",
     "mod(x1, 0.2) < 0.2",
     "(-1)*(abs((x0 + 0.3) - 0.3)) >= (rem((x1 + (-1.2)), 0.1) + 0.2*floor((x0 + "
     "(-1.8))/0.2))",
     "3*(max(floor((x0 + 0.1)/0.6), mod((x0 + 0.6), 0.2)))"},
    {5.1428571428571432,
     {0, 1},
     -17.958545918367346,
     "Real x0(start=0.5, fixed=true); Real x1(start=0, fixed=true);",
     "der(x0) = 0.5; der(x1) = 1; y0 = floor(4*floor((x1 + (-4))/4)); y1 = "
     "floor(abs(rem((time + 1), 4)));",
     "mod((time + (-0.5)), 0.5) <= 1.998",
     "((x0 + 1) <= time and (integer(x1/4) < 0.75 and ceil((x0 + 0.5)/4) > 0.01))",
     "(max(mod((time + 0.25), 4), abs(x1 - 4)) - (floor(abs((x1 + (-8)) - 1))))"},
    {7.1428571428571432,
     {0, 0},
     12.571428571428571,
     "Real x0(start=(-1), fixed=true); Real x1(start=(-1), fixed=true);",
     "der(x0) = 2; der(x1) = 1; y0 = floor((if abs(time - 8) > 6 then abs((time + (-3)) - "
     "4) else abs((x1 + (-6)) - 0.5))); y1 = floor(floor((x1 + 0.25)));",
     "2*(time) <= floor(sign((time + 0.5) - 0.5))",
     "abs(x1) >= (if div(time, 2) > 1.8 then (time + 1) else div(x0, 0.5))",
     "abs(min(div(x0, 1), 4*floor(x1/4)))"},
    {7.1428571428571432,
     {0, 2},
     10.285714285714286,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = 1; y0 = floor((if (x0 + 1) <= integer(x0/4) then ceil((x0 + 1)/1) else "
     "integer(x0/4))); y1 = floor(abs(rem(x0, 1)));",
     "(x0 - (ceil((time + (-0.5))/2))) >= min(div(x0, 4), mod(x0, 2))",
     "max(floor(time/4), mod((time + (-6)), 2)) >= 0.5",
     "floor((time + 4)/4)"},
    {7.1428571428571432,
     {1, 3},
     52.157142857142858,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 1; y0 = floor(floor(sign((x0 + 2) - 4))); y1 = floor((mod((x0 + (-6)), 4) "
     "+ 2*floor(x0/2)));",
     "(if sign((x0 + 0.25) - 4) >= rem(x0, 4) then abs((x0 + 8) - 4) else floor(x0/1)) >= "
     "0.4995",
     "mod((x0 + 2), 1) >= 0.5*(rem(x0, 2))",
     "((integer((x0 + 2)/1) + floor(x0/2)) + floor(abs(x0 - 4)))"},
    {3.1428571428571428,
     {0, 0},
     0,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 0.3; y0 = floor(mod((x0 + 2), 0.5)); y1 = floor(0.5*(sign((x0 + 0.5) - "
     "0.5)));",
     "(1*floor((x0 + 2)/1) - (integer((x0 + 4)/4))) >= 0.005",
     "3*((x0 + 12)) <= 2",
     "(if x0 <= (x0 + 2) then (-1)*(floor((x0 + 1)/4)) else floor(x0/1))"},
    {3.1428571428571428,
     {0, 0},
     4.5816326530612246,
     "Real x0(start=(-1), fixed=true); Real x1(start=0, fixed=true);",
     "der(x0) = 1; der(x1) = 1; y0 = floor(mod((x1 + 0.5), 0.5)); y1 = floor((sign((x1 + "
     "(-0.5)) - 2) - (abs((x0 + (-1.5)) - 2))));",
     "(-1)*((x0 + 0.5)) > 0.9",
     "(not div(x0, 4) <= x0)",
     "(if floor((x1 + 1)/2) < x1 then (if mod((x1 + 2), 4) > x0 then (x0 + 2) else "
     "mod((x0 + 0.5), 1)) else (if mod(x0, 0.5) >= 1.8 then floor(x1/0.5) else abs(x0 - "
     "1)))"},
    {5.1428571428571432,
     {0, 1},
     10.527612244897959,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = 1; y0 = floor(floor(rem((time + 0.25), 4))); y1 = floor((if mod((time + "
     "(-1.5)), 4) <= mod(time, 2) then mod((x0 + 1), 2) else rem((x0 + 2), 4)));",
     "((floor(time/4) >= ceil(x0/0.5) or x0 > 0.999) and (floor((x0 + 6)/0.5) < sign(x0 - "
     "4) and time < 0.5))",
     "(if time >= 1 then sign(time - 3) else (x0 + 0.5)) <= 0.04",
     "3*((if mod((x0 + 0.5), 4) < 0.999 then abs(time - 2) else mod(time, 1)))"},
    {3.1428571428571428,
     {0, 1},
     0.0056249999999999998,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = 2; y0 = floor(floor(mod((x0 + 1.8), 1.2))); y1 = floor(3*(div(x0, 0.3)));",
     "(mod(x0, 0.2) + rem(x0, 0.3)) < 0.81",
     "(integer((x0 + (-3.6))/0.3) + mod(x0, 0.3)) >= 0.45",
     "(if (floor(x0/1.2) >= 0.9*floor((x0 + 0.45)/0.9) and rem((x0 + 2.7), 0.3) <= abs(x0 "
     "- 0.2)) then (if (x0 + 0.1) >= 0.27 then rem(x0, 0.3) else (x0 + 0.1)) else "
     "floor(mod(x0, 0.2)))"},
    {3.1428571428571428,
     {0, 1},
     6.6530612244897958,
     "Real x0(start=0, fixed=true);",
     "der(x0) = 0.3; y0 = floor((if x0 >= 3.996 then x0 else abs(x0 - 8))); y1 = "
     "floor((sign(x0 - 8) + 1*floor(x0/1)));",
     "(if div(x0, 4) >= 0.9 then div(x0, 1) else abs((time + 4) - 8)) > 3",
     "abs((x0 + 0.5)) > (if div((time + 1), 4) < 0.5 then div((time + 4), 4) else "
     "sign((x0 + 1) - 4))",
     "mod((time + 2), 4)"},
    {7.1428571428571432,
     {3, 0},
     30.034013605442176,
     "Real x0(start=0.5, fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 0.5; der(x1) = (-1); y0 = floor(2*floor((x0 + 2)/2)); y1 = floor((if "
     "integer((x1 + 4)/(1/3)) < abs(x0 - 4) then (x0 + 3) else x1));",
     "(abs(x0 - 3) >= rem((x1 + 2), 2) and (not mod(x1, 2) <= 1.5))",
     "abs(2*floor(x1/2)) > (if mod((x1 + 2), (2/3)) < floor(x0/1) then x1 else mod((x1 + "
     "0.5), 1))",
     "(if mod(x1, (1/3)) <= 1 then (if div(x0, 2) >= integer((x0 + (1/3))/(1/3)) then x1 "
     "else abs((x1 + (2/3)) - 1)) else abs(mod(x0, (1/3))))"},
    {7.1428571428571432,
     {1, 0},
     -149.29336734693877,
     "Real x0(start=(-0.3), fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 1; der(x1) = 0.3; y0 = floor(rem(x0, 0.35)); y1 = floor((if x0 >= 0.014 "
     "then abs(x1 - 4.2) else mod(x0, 0.35)));",
     "floor(ceil((x0 + 0.35)/1.4)) <= min(ceil((x0 + 0.7)/0.7), ceil(x0/0.7))",
     "(not (mod((x0 + 0.175), 1.4) > div((x1 + (-2.8)), 0.7) or (x0 + (-1.4)) < "
     "integer((x1 + 0.7)/1.4)))",
     "((mod((x1 + 4.2), 0.7) + x1) - ((ceil((x0 + 4.2)/0.35) + mod(x0, 0.35))))"},
    {5.1428571428571432,
     {1, 0},
     3.3333333333333335,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = 0.3; y0 = floor((ceil((x0 + (-8))/0.5) - (rem(x0, 2)))); y1 = "
     "floor((floor((x0 + 2)/1) + floor((x0 + 0.5)/0.5)));",
     "(if rem((x0 + (-4)), 4) <= mod(x0, 4) then integer((x0 + 0.25)/1) else mod((x0 + "
     "0.5), 0.5)) > mod((x0 + (-0.5)), 1)",
     "(if sign(x0 - 12) > rem((x0 + 0.25), 1) then x0 else 0.5*floor(x0/0.5)) < 0.01",
     "floor((if div(x0, 1) < 1.8 then x0 else mod(x0, 0.5)))"},
    {5.1428571428571432,
     {1, 0},
     2.3608163265306121,
     "Real x0(start=(1/3), fixed=true);",
     "der(x0) = 0.5; y0 = floor((if div((x0 + (-1.2)), 0.3) >= 0.6 then ceil(x0/1.2) else "
     "floor(x0/0.9))); y1 = floor(max(x0, rem((x0 + 0.15), 1.2)));",
     "(rem((x0 + 0.45), 0.2) + (x0 + (-0.4))) >= 0.1",
     "floor(x0) <= 0.009",
     "mod(x0, 0.9)"},
    {5.1428571428571432,
     {0, 2},
     6.4285714285714288,
     "Real x0(start=0.5, fixed=true); Real x1(start=0, fixed=true);",
     "der(x0) = 0.5; der(x1) = (-1); y0 = floor(abs(ceil(x1/0.5))); y1 = floor(floor(x1));",
     "abs(floor(x0/0.5)) >= (if abs((x1 + 1) - 8) > ceil((x1 + (-6))/2) then rem(x1, 4) "
     "else abs(x0 - 3))",
     "(if mod(x1, 2) > 1.8 then 0.5*floor(x0/0.5) else floor((x1 + 0.25)/1)) >= sign((x0 "
     "+ 2) - 12)",
     "(if mod((x1 + 1), 2) < div(x1, 4) then (if (x0 + 0.25) > 1 then mod(x1, 4) else (x1 "
     "+ 8)) else floor(div(x0, 1)))"},
    {7.1428571428571432,
     {1, 1},
     27.921666666666667,
     "Real x0(start=(1/3), fixed=true); Real x1(start=(-0.3), fixed=true);",
     "der(x0) = 1; der(x1) = 0.5; y0 = floor(abs(0.7*floor((x1 + 1.4)/0.7))); y1 = "
     "floor(floor((x0 + 0.7)/0.7));",
     "(abs(x0 - 1.4) - (mod(x1, 0.35))) <= 0.007",
     "(ceil(x1/1.4) - (mod((x1 + 0.7), 0.35))) >= 1.05",
     "0.7*floor((x0 + 0.35)/0.7)"},
    {3.1428571428571428,
     {1, 1},
     4.0357142857142856,
     "Real x0(start=0.5, fixed=true); Real x1(start=0, fixed=true);",
     "der(x0) = 1; der(x1) = 2; y0 = floor((if mod(x1, 2) <= 6 then x1 else "
     "floor(x0/2))); y1 = floor((if integer((x1 + 0.25)/0.5) > 1.8 then mod(x0, 0.5) else "
     "mod(x0, 4)));",
     "(mod(x1, 1) >= 0.5*floor(x1/0.5) or 0.5*floor(x1/0.5) >= 3)",
     "(if floor(x1/2) < div((x0 + (-1.5)), 4) then integer(x0/1) else x0) >= 3.6",
     "((integer((x0 + 0.25)/1) + mod(x0, 1)) - ((if ceil((x1 + 0.5)/4) < 0.5*floor((x1 + "
     "(-12))/0.5) then x0 else mod(x0, 2))))"},
    {5.1428571428571432,
     {0, 1},
     1.260204081632653,
     "Real x0(start=0.5, fixed=true);",
     "der(x0) = 1; y0 = floor(max(mod(x0, 2), time)); y1 = floor(0.5*(sign(x0 - 1)));",
     "(rem(x0, 2) - (abs(time - 16))) >= (abs(x0 - 1) - (rem(x0, 2)))",
     "(if rem(x0, 1) > 1.5 then floor(x0/1) else time) > 1",
     "min(abs(integer((x0 + 1)/0.5)), abs(rem((x0 + 1.5), 0.5)))"},
    {7.1428571428571432,
     {0, 2},
     1.9428571428571428,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 0.5; y0 = floor((if rem(x0, 1.4) >= 1.4 then abs((x0 + (-1.4)) - 2.1) "
     "else mod(x0, 1.4))); y1 = floor(floor(mod(x0, 0.7)));",
     "(x0 <= integer((x0 + 0.7)/0.35) or (mod(x0, 0.35) <= div((x0 + 0.7), 1.4) or "
     "floor(x0/0.35) < 1.4))",
     "((integer((x0 + 0.175)/1.4) <= rem(x0, 0.35) and abs((x0 + 0.175) - 1.4) >= 0.175) "
     "or floor(x0/1.4) > 0.35)",
     "floor((if div(x0, 0.35) >= abs(x0 - 2.8) then rem((x0 + 2.1), 1.4) else mod((x0 + "
     "0.7), 1.4)))"},
    {7.1428571428571432,
     {8, 2},
     31.108027210884355,
     "Real x0(start=(1/3), fixed=true);",
     "der(x0) = 1; y0 = floor(abs(0.9*floor((x0 + 0.6)/0.9))); y1 = floor((sign(x0 - 1.2) "
     "+ div((x0 + 0.15), 0.9)));",
     "((not rem((x0 + 0.9), 0.9) < 0.18) and sign((x0 + 1.2) - 0.6) <= sign((x0 + 0.1) - "
     "0.2))",
     "(if mod((x0 + 1.8), 0.9) < 0.2997 then (x0 + 0.6) else abs(x0 - 3.6)) >= "
     "floor(mod((x0 + 2.7), 1.2))",
     "abs((rem((x0 + 0.1), 0.9) + x0))"},
    {5.1428571428571432,
     {1, 1},
     5.2493877551020409,
     "Real x0(start=(-0.3), fixed=true);",
     "der(x0) = 0.5; y0 = floor((if rem(x0, (2/3)) >= 0.01 then rem((x0 + 0.5), 1) else "
     "abs(x0 - 4))); y1 = floor((mod(x0, (2/3)) + floor((x0 + 1)/1)));",
     "(div(x0, (1/3)) >= rem((x0 + 3), (1/3)) and (abs(x0 - (1/3)) <= (1/150) and "
     "integer((x0 + 1)/(1/3)) >= mod(x0, (2/3))))",
     "mod((x0 + 0.5), 2) > (1/6)",
     "(if x0 < (x0 + (1/3)) then abs(x0) else (if mod((x0 + (4/3)), (1/3)) <= ceil((x0 + "
     "0.5)/(2/3)) then abs((x0 + (-2/3)) - 2) else div(x0, (1/3))))"},
};

static void write_model(char *text, size_t size, const piecewise *c)
{
    int length =
        snprintf(text, size,
                 "model A\n%s Real y0, y1, z(start = 0, fixed = true);\n"
                 "discrete Integer n0(start = 0, fixed = true), n1(start = 0, fixed = true);\n"
                 "discrete Real s0(start = 0, fixed = true), s1(start = 0, fixed = true);\n"
                 "equation\n%s\n"
                 "when %s then n0 = pre(n0) + 1; s0 = pre(s0) + y0; end when;\n"
                 "when %s then n1 = pre(n1) + 1; s1 = pre(s1) + y1; end when;\n"
                 "der(z) = %s;\nend A;\n",
                 c->states, c->equations, c->when, c->other, c->rate);
    CHECK(length > 0 && (size_t)length < size);
}

static void count(const piecewise *c, const char *solver)
{
    char text[2048];
    write_model(text, sizeof text, c);
    check_rises(text, (rises){c->stop, {c->rises[0], c->rises[1]}, c->z}, solver);
}

TEST(rises_are_those_of_exact_rationals)
{
    static const char *const solvers[] = {NULL, "dop853", "radau5"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
            if (test_count(0, 1) || i % 3 == k) count(&all[i], solvers[k]); // each by one at least
}

TEST_MAIN(TEST_ENTRY(rises_are_those_of_exact_rationals))
