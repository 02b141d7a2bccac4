#include "base/text.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Optimal string alignment (Damerau-Levenshtein without overlapping swaps), three rows at a time.
int foi_edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= n; j++) last[j] = j;
    for (int i = 1; i <= m; i++) {
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int ai = tolower((unsigned char)a[i - 1]), bj = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (ai != bj));
            if (i > 1 && j > 1 && ai == tolower((unsigned char)b[j - 2]) &&
                bj == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last, last = now, now = spare;
    }
    return last[n];
}

foi_nearest foi_nearest_to(const char *wanted)
{
    return (foi_nearest){.wanted = wanted, .distance = 1000};
}

void foi_nearest_try(foi_nearest *n, const char *candidate)
{
    int distance = foi_edit_distance(n->wanted, candidate);
    // "pend" is nearer to "pendulum" than its missing letters count
    size_t length = strlen(n->wanted);
    if (length >= 2 && strncmp(n->wanted, candidate, length) == 0) distance = 1;
    if (distance >= n->distance) return;
    n->distance = distance;
    snprintf(n->best, sizeof n->best, "%s", candidate);
}

const char *foi_nearest_hint(foi_nearest *n)
{
    int length = (int)strnlen(n->wanted, LONGEST);
    n->hint[0] = 0;
    if (n->best[0] && n->distance <= least(1 + length / 3, 3))
        snprintf(n->hint, sizeof n->hint, "; did you mean '%s'?", n->best);
    return n->hint;
}

// The next letter that counts: blanks behind a bracket or a comma inside of brackets do not.
static char next_letter(const char **at, int *depth)
{
    char letter = *(*at)++;
    *depth += letter == '[' ? 1 : letter == ']' && *depth ? -1 : 0;
    while (*depth && (letter == '[' || letter == ',') && **at == ' ') ++*at;
    return letter;
}

bool foi_one_name(const char *a, const char *b)
{
    int depth = 0, other = 0;
    for (;;) {
        char x = next_letter(&a, &depth), y = next_letter(&b, &other);
        if (x != y) return false;
        if (!x) return true;
    }
}
