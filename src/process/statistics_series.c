#include <foliot/statistics.h>
#include <math.h>

#include "base/array.h"

struct fo_series {
    const fo_allocator *allocator;
    double *times, *values;
    size_t count, room_times, room_values;
};

fo_series *fo_series_create(const fo_allocator *allocator)
{
    fo_series *s = foi_new(allocator, 1, sizeof *s);
    if (s) s->allocator = allocator;
    return s;
}

void fo_series_destroy(fo_series *s)
{
    if (!s) return;
    foi_free(s->allocator, s->times);
    foi_free(s->allocator, s->values);
    foi_free(s->allocator, s);
}

fo_status fo_series_add(fo_series *s, double time, double value, fo_message *why)
{
    size_t n = s->count;
    if (!isfinite(time) || (n > 0 && time < s->times[n - 1]))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the times of a series must not fall: %.17g comes after %.17g", time,
                       n > 0 ? s->times[n - 1] : 0.0);
    if (!foi_array_room(s->allocator, &s->times, &s->room_times, n + 1, sizeof *s->times) ||
        !foi_array_room(s->allocator, &s->values, &s->room_values, n + 1, sizeof *s->values))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %zu points of a series", n + 1);
    s->times[n] = time, s->values[n] = value;
    s->count++;
    return FO_OK;
}

size_t fo_series_count(const fo_series *s)
{
    return s->count;
}

const double *fo_series_times(const fo_series *s)
{
    return s->times;
}

const double *fo_series_values(const fo_series *s)
{
    return s->values;
}

double fo_series_at(const fo_series *s, double time, bool held)
{
    if (s->count == 0 || !(time >= s->times[0] && time <= s->times[s->count - 1])) return NAN;
    size_t low = 0, high = s->count; // times[low] <= time < times[high]
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    double before = s->values[low];
    if (held || high == s->count || s->times[low] == time) return before;
    double part = (time - s->times[low]) / (s->times[high] - s->times[low]);
    return before + part * (s->values[high] - before);
}

double fo_series_mean(const fo_series *s, bool held)
{
    if (s->count == 0) return NAN;
    double sum = 0, span = s->times[s->count - 1] - s->times[0];
    if (span == 0) return s->values[s->count - 1];
    for (size_t i = 0; i + 1 < s->count; i++) {
        double height = held ? s->values[i] : 0.5 * (s->values[i] + s->values[i + 1]);
        sum += height * ((s->times[i + 1] - s->times[i]) / span);
    }
    return sum;
}
