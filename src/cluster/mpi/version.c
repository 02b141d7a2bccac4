/// Of which version the module over MPI is: the program loads none but its own.
#include <foliot/version.h>

#include "cluster/mpi/cluster.h"

const char foi_mpi_version[] = FO_VERSION;
