// A program of somebody else: a wave that ranks share, of which the first prints one value in bits.
#include <foliot/cluster.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *text)
{
    printf("%s\n", text);
    return 1;
}

int main(void)
{
    fo_message why = {0};
    fo_field_def def = fo_default_field_def();
    def.dimensions = 2;
    def.size[0] = def.size[1] = 16;
    def.length[0] = def.length[1] = 1;
    def.method = FO_FIELD_LEAPFROG;
    double start[256] = {[100] = 1}, values[256] = {0};
    def.start = start;
    fo_field *field = fo_field_create(&def, &why);
    fo_cluster *cluster = field ? fo_cluster_create(field, &(fo_cluster_def){0}, &why) : NULL;
    if (!cluster) return fail(why.text);
    fo_run_def run = fo_default_run_def();
    run.solver = "own", run.step = 0.01, run.stop = 0.5;
    fo_simulation *sim = fo_simulation_create(fo_cluster_system(cluster), &run, &why);
    if (!sim) return fail(why.text);
    if (fo_failed(fo_cluster_carry(cluster, sim, run.stop)))
        return fail(fo_simulation_message(sim)->text);
    bool first = fo_cluster_rank(cluster) == 0;
    if (fo_cluster_gather(cluster, sim, first ? values : NULL, &why)) return fail(why.text);
    uint64_t bits;
    memcpy(&bits, &values[99], sizeof bits);
    if (first) printf("%016" PRIx64 "\n", bits);
    fo_simulation_destroy(sim);
    fo_cluster_destroy(cluster);
    fo_field_destroy(field);
    fo_cluster_finish();
    return first && values[99] == 0;
}
