#include "report/palette.h"

#include <math.h>
#include <stddef.h>

// Viridis, and ColorBrewer's RdBu from blue: both keep their order for people who do not tell red
// from green, and in grey (RdBu by the distance from white).
static const foi_colour rising[] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                    {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                    {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
static const foi_colour signs[] = {{5, 48, 97},     {33, 102, 172},  {67, 147, 195},
                                   {146, 197, 222}, {247, 247, 247}, {244, 165, 130},
                                   {214, 96, 77},   {178, 24, 43},   {103, 0, 31}};
enum { STOPS = 9 };

static uint8_t between(uint8_t a, uint8_t b, double part)
{
    return (uint8_t)lround(a + part * ((double)b - a));
}

static foi_colour at(const foi_colour *stops, double part)
{
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    double place = part * (STOPS - 1);
    int i = place >= STOPS - 1 ? STOPS - 2 : (int)place;
    const foi_colour *a = &stops[i], *b = a + 1;
    double rest = place - i;
    return (foi_colour){between(a->r, b->r, rest), between(a->g, b->g, rest),
                        between(a->b, b->b, rest)};
}

foi_colour foi_palette(double value, double lo, double hi)
{
    if (!isfinite(value)) return (foi_colour){128, 128, 128};
    if (lo < 0 && hi > 0) {
        double most = fmax(-lo, hi);
        return at(signs, 0.5 + value / most / 2);
    }
    return at(rising, hi > lo ? (value - lo) / (hi - lo) : 0.5);
}

static int level(uint8_t c)
{
    return c < 48 ? 0 : c < 115 ? 1 : (c - 35) / 40;
}

static int distance(foi_colour c, int r, int g, int b)
{
    return (c.r - r) * (c.r - r) + (c.g - g) * (c.g - g) + (c.b - b) * (c.b - b);
}

int foi_colour_256(foi_colour c)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    int r = level(c.r), g = level(c.g), b = level(c.b), mean = (c.r + c.g + c.b) / 3;
    int grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, shade = 8 + 10 * grey;
    bool cube = distance(c, levels[r], levels[g], levels[b]) <= distance(c, shade, shade, shade);
    return cube ? 16 + 36 * r + 6 * g + b : 232 + grey;
}
