// Random chains of up to six links, longer than in the tests, by several solvers.
#include <stdlib.h>

#include "program/chain.h"

TEST(random_chains_keep_their_energy)
{
    static const struct {
        const char *name;
        double within;
    } solvers[] = {{NULL, 2e-6},    {"dp45", 1e-5},   {"rkv56", 1e-5},
                   {"adams", 1e-4}, {"radau5", 1e-5}, {"rodas4", 1e-4}};
    const char *count = getenv("FOLIOT_SOAK_CHAINS");
    uint64_t most = count ? strtoull(count, NULL, 10) : 1000;
    for (uint64_t seed = 1000; seed < 1000 + most; seed++) {
        chain c = random_chain(seed);
        fo_run_def def = fo_default_run_def();
        size_t k = seed / 6 % (sizeof solvers / sizeof solvers[0]);
        def.stop = 20, def.rtol = 1e-8, def.solver = solvers[k].name;
        double error = energy_error(&c, def, 100);
        if (!(error < solvers[k].within))
            test_fail(__FILE__, __LINE__, "chain %u, %s: energy %g", (unsigned)seed,
                      def.solver ? def.solver : "chosen", error);
    }
}

TEST_MAIN(TEST_ENTRY(random_chains_keep_their_energy))
