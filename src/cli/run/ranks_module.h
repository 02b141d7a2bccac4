/// The part over MPI: a module that is loaded when the program was started on several ranks, so
/// that nothing else needs MPI.
#ifndef CLI_RANKS_MODULE_H
#define CLI_RANKS_MODULE_H

#include <foliot/cluster.h>
#include <stdbool.h>
#include <stddef.h>

/// The functions of foliot/cluster.h that the program uses.
typedef struct ranks_module {
    __typeof__(fo_cluster_create) *create;
    __typeof__(fo_cluster_destroy) *destroy;
    __typeof__(fo_cluster_finish) *finish;
    __typeof__(fo_cluster_system) *system;
    __typeof__(fo_cluster_carry) *carry;
    __typeof__(fo_cluster_load) *load;
    __typeof__(fo_cluster_ranks) *ranks;
    __typeof__(fo_cluster_cuts) *cuts;
    __typeof__(fo_cluster_costs) *costs;
    __typeof__(fo_cluster_capacity) *capacity;
    __typeof__(fo_cluster_know) *know;
    __typeof__(fo_cluster_join) *join;
    __typeof__(fo_cluster_exchange) *exchange;
} ranks_module;

/// Loads it; it stays until the program ends. False: `why` gets the reason.
bool ranks_module_load(ranks_module *m, char *why, size_t size);

#endif
