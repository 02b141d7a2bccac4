/// Runs that ranks share: who is there, and what everyone found.
#include <foliot/cluster.h>
#include <limits.h>
#include <mpi.h>

fo_status fo_cluster_join(uint32_t *rank, uint32_t *ranks, fo_message *why)
{
    int started, level, own, count;
    MPI_Initialized(&started);
    if (!started && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return fo_fail(why, FO_ERROR_UNFIT, "MPI could not be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *rank = (uint32_t)own, *ranks = (uint32_t)count;
    return FO_OK;
}

fo_status fo_cluster_exchange(const void *mine, void *all, size_t bytes, fo_message *why)
{
    if (bytes > INT_MAX)
        return fo_fail(why, FO_ERROR_ARGUMENT, "at most %d bytes can be exchanged at once",
                       INT_MAX);
    int size = (int)bytes;
    if (MPI_Allgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS)
        return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT, "the exchange between the ranks failed (MPI_Allgather)");
}
