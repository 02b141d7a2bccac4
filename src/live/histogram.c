// A histogram of times: every power of two of nanoseconds is cut into 32 equal buckets, so that
// memory is bounded and a quantile is right to one part in 32, from a nanosecond to hours.
#include <foliot/live.h>

enum { PARTS = 32, PART_BITS = 5 };

// Times below 32 ns have buckets of their own; then exponent e >= 5 and the five bits after the
// leading one.
static unsigned bucket_of(uint64_t ns)
{
    if (ns < PARTS) return (unsigned)ns;
    unsigned exponent = 63 - (unsigned)__builtin_clzll(ns);
    unsigned part = (unsigned)(ns >> (exponent - PART_BITS)) & (PARTS - 1);
    unsigned bucket = (exponent - PART_BITS + 1) * PARTS + part;
    return bucket < FO_LIVE_BUCKETS ? bucket : FO_LIVE_BUCKETS - 1;
}

// The largest time of a bucket [s].
static double upper_end(unsigned bucket)
{
    if (bucket < PARTS) return 1e-9 * bucket;
    unsigned exponent = bucket / PARTS - 1 + PART_BITS;
    uint64_t part = PARTS + bucket % PARTS;
    return 1e-9 * (double)(((part + 1) << (exponent - PART_BITS)) - 1);
}

void fo_live_histogram_add(fo_live_histogram *h, int64_t ns)
{
    if (ns < 0) ns = 0;
    double seconds = 1e-9 * (double)ns;
    h->count++;
    h->sum += seconds;
    if (seconds > h->worst) h->worst = seconds;
    h->bucket[bucket_of((uint64_t)ns)]++;
}

double fo_live_histogram_quantile(const fo_live_histogram *h, double p)
{
    uint64_t wanted = (uint64_t)(p * (double)h->count), seen = 0;
    for (unsigned i = 0; i < FO_LIVE_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen <= wanted && seen < h->count) continue;
        double end = upper_end(i);
        return i < FO_LIVE_BUCKETS - 1 && end < h->worst ? end : h->worst;
    }
    return 0;
}
