// The wave of bench_field in PETSc: a DMDA over the sheet, u and v as degrees of freedom of one
// vector, and TS with its symplectic Euler method, which for this equation is leapfrog.
//
//     peer_wave_petsc <nodes per side> <steps>      prints nanoseconds per node and step
#include <petscdm.h>
#include <petscdmda.h>
#include <petscts.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sheet {
    DM grid;
    PetscReal c2; ///< (speed / distance of nodes) squared
} sheet;

/// u' = v
static PetscErrorCode position_rates(TS ts, PetscReal t, Vec v, Vec rate, void *self)
{
    (void)ts, (void)t, (void)self;
    return VecCopy(v, rate);
}

/// v' = c^2 lap u, with the sides held at zero
static PetscErrorCode velocity_rates(TS ts, PetscReal t, Vec u, Vec rate, void *self)
{
    const sheet *s = self;
    PetscInt x, y, m, n, side;
    const PetscScalar **a;
    PetscScalar **r;
    Vec local;
    (void)ts, (void)t;
    PetscFunctionBeginUser;
    PetscCall(DMDAGetInfo(s->grid, NULL, &side, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                          NULL, NULL, NULL));
    PetscCall(DMGetLocalVector(s->grid, &local));
    PetscCall(DMGlobalToLocal(s->grid, u, INSERT_VALUES, local));
    PetscCall(DMDAGetCorners(s->grid, &x, &y, NULL, &m, &n, NULL));
    PetscCall(DMDAVecGetArrayRead(s->grid, local, &a));
    PetscCall(DMDAVecGetArray(s->grid, rate, &r));
    for (PetscInt j = y; j < y + n; j++)
        for (PetscInt i = x; i < x + m; i++)
            r[j][i] =
                i == 0 || j == 0 || i == side - 1 || j == side - 1
                    ? 0
                    : s->c2 * (a[j][i - 1] + a[j][i + 1] + a[j - 1][i] + a[j + 1][i] - 4 * a[j][i]);
    PetscCall(DMDAVecRestoreArray(s->grid, rate, &r));
    PetscCall(DMDAVecRestoreArrayRead(s->grid, local, &a));
    PetscCall(DMRestoreLocalVector(s->grid, &local));
    PetscFunctionReturn(0);
}

static PetscErrorCode run(PetscInt side, PetscInt steps, double *seconds)
{
    sheet s = {NULL, 1};
    PetscInt nodes = side * side;
    PetscLogDouble begun, ended;
    IS positions, velocities;
    Vec x;
    TS ts;
    PetscFunctionBeginUser;
    PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                           side, side, 1, 1, 1, 1, NULL, NULL, &s.grid));
    PetscCall(DMSetUp(s.grid));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 2 * nodes, &x));
    PetscCall(VecSet(x, 0));
    PetscCall(VecSetValue(x, nodes / 2 + side / 2, 1, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, nodes, 0, 1, &positions));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, nodes, nodes, 1, &velocities));
    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(TSSetType(ts, TSBASICSYMPLECTIC));
    PetscCall(TSBasicSymplecticSetType(ts, TSBASICSYMPLECTICSIEULER));
    PetscCall(TSRHSSplitSetIS(ts, "position", positions));
    PetscCall(TSRHSSplitSetIS(ts, "momentum", velocities));
    PetscCall(TSRHSSplitSetRHSFunction(ts, "position", NULL, position_rates, &s));
    PetscCall(TSRHSSplitSetRHSFunction(ts, "momentum", NULL, velocity_rates, &s));
    PetscCall(TSSetTimeStep(ts, 0.5));
    PetscCall(TSSetMaxSteps(ts, 1));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSolve(ts, x)); // makes its vectors
    PetscCall(TSSetMaxSteps(ts, 1 + steps));
    PetscCall(PetscTime(&begun));
    PetscCall(TSSolve(ts, x));
    PetscCall(PetscTime(&ended));
    *seconds = ended - begun;
    PetscCall(TSDestroy(&ts));
    PetscCall(ISDestroy(&positions));
    PetscCall(ISDestroy(&velocities));
    PetscCall(VecDestroy(&x));
    PetscCall(DMDestroy(&s.grid));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 8;
    double seconds = 0;
    if (PetscInitializeNoArguments()) return 1;
    if (run(side, steps, &seconds)) return 1;
    printf("%.6g\n", seconds * 1e9 / steps / side / side);
    return PetscFinalize() ? 1 : 0;
}
