/// Implicit steps on several ranks: the matrix over the whole grid, solved by hypre's methods for
/// structured grids.
///
/// A row is diag d - c lap d + v . grad d. Without advection it is divided by c and multiplied by
/// the weight of its node (half for each mirroring side), which makes the matrix symmetric:
/// conjugate gradients with a multigrid (PFMG) as preconditioner. Otherwise GMRES. PFMG wants
/// periodic axes to have a power of two of nodes; elsewhere the diagonal is the preconditioner.
#include <math.h>

#include "cluster/mpi/cluster.h"
#include "field/part.h"

#ifdef FOI_WITH_HYPRE

#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_struct_ls.h>

enum { MOST = 500 }; ///< iterations of one solution

struct foi_hypre {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix a;
    HYPRE_StructVector b, x;
    HYPRE_StructSolver solver, multigrid;
    HYPRE_Int low[3], high[3];
    int entries;
    bool symmetric, coarse; ///< conjugate gradients; PFMG
    bool solves;            ///< the solver exists
    double *values;         ///< of the rank's rows, entry by entry
    double *scale;          ///< of each row
    double *side;           ///< right side and solution
};

// ----------------------------------------------------------------------------------------- making

static bool is_symmetric(const fo_field *f)
{
    if (f->def.equation == FO_FIELD_WAVE) return f->b2.least >= 0 && f->c2.least + f->b2.least > 0;
    bool advects = false;
    for (int axis = 0; axis < 3; axis++) advects |= f->def.velocity[axis] != 0;
    return !advects && f->d.least > 0;
}

static void make_grid(const fo_cluster *c, foi_hypre *m)
{
    const fo_field *f = c->f;
    HYPRE_Int dimensions = (HYPRE_Int)f->def.dimensions, period[3] = {0, 0, 0};
    m->coarse = true;
    if (dimensions == 1) dimensions = 2; // PFMG has two or three; the second has one node
    for (int axis = 0; axis < dimensions; axis++) {
        uint32_t n = f->n[axis];
        m->low[axis] = (HYPRE_Int)c->share.box.first[axis];
        m->high[axis] = m->low[axis] + (HYPRE_Int)c->share.box.n[axis] - 1;
        if (axis >= (int)f->def.dimensions || f->box.reach[2 * axis] != FOI_WRAP) continue;
        period[axis] = (HYPRE_Int)n;
        m->coarse &= (n & (n - 1)) == 0;
    }
    HYPRE_StructGridCreate(c->comm, dimensions, &m->grid);
    HYPRE_StructGridSetExtents(m->grid, m->low, m->high);
    HYPRE_StructGridSetPeriodic(m->grid, period);
    HYPRE_StructGridAssemble(m->grid);
    m->entries = 1 + 2 * dimensions;
    HYPRE_StructStencilCreate(dimensions, m->entries, &m->stencil);
    for (int entry = 0; entry < m->entries; entry++) {
        HYPRE_Int offset[3] = {0, 0, 0};
        if (entry) offset[(entry - 1) / 2] = entry % 2 ? -1 : 1;
        HYPRE_StructStencilSetElement(m->stencil, entry, offset);
    }
    HYPRE_StructMatrixCreate(c->comm, m->grid, m->stencil, &m->a);
    HYPRE_StructMatrixInitialize(m->a);
    HYPRE_StructVectorCreate(c->comm, m->grid, &m->b);
    HYPRE_StructVectorInitialize(m->b);
    HYPRE_StructVectorCreate(c->comm, m->grid, &m->x);
    HYPRE_StructVectorInitialize(m->x);
}

foi_hypre *foi_hypre_create(fo_cluster *c, fo_message *why)
{
    size_t n = c->share.nodes;
    foi_hypre *m = foi_new(c->allocator, 1, sizeof *m);
    fo_status status = m ? FO_OK : FO_ERROR_MEMORY;
    c->hypre = m;
    if (m) {
        m->symmetric = is_symmetric(c->f);
        m->values = foi_new(c->allocator, 7 * n, sizeof(double));
        m->scale = foi_new(c->allocator, n, sizeof(double));
        m->side = foi_new(c->allocator, n, sizeof(double));
        if (!m->values || !m->scale || !m->side) status = FO_ERROR_MEMORY;
    }
    if (status) fo_fail(why, status, "no memory for the matrix of rank %d", c->rank);
    status = foi_agree(c, status, 0, why);
    if (status) {
        foi_hypre_destroy(c);
        return NULL;
    }
    HYPRE_Init();
    foi_watchdog *w = foi_watchdog_begin(c, "the grid of the matrix");
    make_grid(c, m);
    foi_watchdog_end(c, w);
    return m;
}

static void destroy_solver(foi_hypre *m)
{
    if (!m->solves) return;
    if (m->symmetric)
        HYPRE_StructPCGDestroy(m->solver);
    else
        HYPRE_StructGMRESDestroy(m->solver);
    if (m->coarse) HYPRE_StructPFMGDestroy(m->multigrid);
    m->solves = false;
}

void foi_hypre_destroy(fo_cluster *c)
{
    foi_hypre *m = c->hypre;
    if (!m) return;
    c->hypre = NULL;
    destroy_solver(m);
    if (m->grid) {
        HYPRE_StructVectorDestroy(m->x);
        HYPRE_StructVectorDestroy(m->b);
        HYPRE_StructMatrixDestroy(m->a);
        HYPRE_StructStencilDestroy(m->stencil);
        HYPRE_StructGridDestroy(m->grid);
    }
    foi_free(c->allocator, m->values);
    foi_free(c->allocator, m->scale);
    foi_free(c->allocator, m->side);
    foi_free(c->allocator, m);
}

// --------------------------------------------------------------------------------------- the
// matrix

static void make_solver(const fo_cluster *c, foi_hypre *m)
{
    const fo_field *f = c->f;
    double tolerance = f->def.work ? 0 : f->def.tolerance > 0 ? f->def.tolerance : 1e-10;
    HYPRE_Int most = f->def.work ? (HYPRE_Int)f->def.work : MOST;
    HYPRE_PtrToStructSolverFcn apply = HYPRE_StructDiagScale, setup = HYPRE_StructDiagScaleSetup;
    if (m->coarse) {
        HYPRE_StructPFMGCreate(c->comm, &m->multigrid);
        HYPRE_StructPFMGSetMaxIter(m->multigrid, 1);
        HYPRE_StructPFMGSetTol(m->multigrid, 0);
        HYPRE_StructPFMGSetZeroGuess(m->multigrid);
        HYPRE_StructPFMGSetRelaxType(m->multigrid, 1);
        apply = HYPRE_StructPFMGSolve, setup = HYPRE_StructPFMGSetup;
    }
    if (m->symmetric) {
        HYPRE_StructPCGCreate(c->comm, &m->solver);
        HYPRE_StructPCGSetTol(m->solver, tolerance);
        HYPRE_StructPCGSetMaxIter(m->solver, most);
        HYPRE_StructPCGSetTwoNorm(m->solver, 1);
        HYPRE_StructPCGSetPrecond(m->solver, apply, setup, m->multigrid);
        HYPRE_StructPCGSetup(m->solver, m->a, m->b, m->x);
    } else {
        HYPRE_StructGMRESCreate(c->comm, &m->solver);
        HYPRE_StructGMRESSetTol(m->solver, tolerance);
        HYPRE_StructGMRESSetMaxIter(m->solver, most);
        HYPRE_StructGMRESSetPrecond(m->solver, apply, setup, m->multigrid);
        HYPRE_StructGMRESSetup(m->solver, m->a, m->b, m->x);
    }
    m->solves = true;
}

// Everybody must be there before the library waits for them.
static fo_status assemble(fo_cluster *c, const fo_state *s, const char *what)
{
    MPI_Request request;
    MPI_Ibarrier(c->comm, &request);
    return foi_wait(c, &request, 1, NULL, what, s->message);
}

fo_status foi_hypre_matrix(void *self, const fo_state *s, const double *diag, const double *factor)
{
    fo_cluster *c = self;
    foi_hypre *m = c->hypre;
    HYPRE_Int entries[7] = {0, 1, 2, 3, 4, 5, 6};
    fo_status status = assemble(c, s, "the matrix");
    if (status) return status;
    for (uint32_t i = 0; i < c->share.nodes; i++) {
        double *row = m->values + (size_t)i * (size_t)m->entries;
        m->scale[i] = foi_part_row(c->f, c->share.node[i], diag[i], factor[i], m->symmetric, row);
    }
    foi_watchdog *w = foi_watchdog_begin(c, "the matrix");
    HYPRE_StructMatrixSetBoxValues(m->a, m->low, m->high, m->entries, entries, m->values);
    HYPRE_StructMatrixAssemble(m->a);
    destroy_solver(m);
    make_solver(c, m);
    foi_watchdog_end(c, w);
    HYPRE_ClearAllErrors();
    return FO_OK;
}

static double run_solver(foi_hypre *m)
{
    double rest = 0;
    if (m->symmetric) {
        HYPRE_StructPCGSolve(m->solver, m->a, m->b, m->x);
        HYPRE_StructPCGGetFinalRelativeResidualNorm(m->solver, &rest);
    } else {
        HYPRE_StructGMRESSolve(m->solver, m->a, m->b, m->x);
        HYPRE_StructGMRESGetFinalRelativeResidualNorm(m->solver, &rest);
    }
    HYPRE_ClearAllErrors(); // a residual that is too large is what it tells, and is looked at here
    return rest;
}

// Right sides are scaled to 1: the library takes very small ones for nothing.
fo_status foi_hypre_solve(void *self, const fo_state *s, const double *b, double *d)
{
    fo_cluster *c = self;
    foi_hypre *m = c->hypre;
    double tolerance = c->f->def.tolerance > 0 ? c->f->def.tolerance : 1e-10, most = 0;
    for (uint32_t i = 0; i < c->share.nodes; i++) {
        m->side[i] = m->scale[i] * b[i];
        most = fmax(most, fabs(m->side[i]));
        d[i] = 0;
    }
    fo_status status = foi_cluster_link.most(c, s, &most, 1);
    if (status || most == 0) return status;
    for (uint32_t i = 0; i < c->share.nodes; i++) m->side[i] /= most;
    foi_watchdog *w = foi_watchdog_begin(c, "the solution of an implicit step");
    HYPRE_StructVectorSetBoxValues(m->b, m->low, m->high, m->side);
    HYPRE_StructVectorAssemble(m->b);
    HYPRE_StructVectorSetBoxValues(m->x, m->low, m->high, d);
    HYPRE_StructVectorAssemble(m->x);
    double rest = run_solver(m);
    HYPRE_StructVectorGetBoxValues(m->x, m->low, m->high, d);
    foi_watchdog_end(c, w);
    for (uint32_t i = 0; i < c->share.nodes; i++)
        d[i] = c->f->still[c->share.node[i]] ? 0 : most * d[i];
    return c->f->def.work || rest <= tolerance ? FO_OK : FO_ERROR_CONVERGE;
}

#else

foi_hypre *foi_hypre_create(fo_cluster *c, fo_message *why)
{
    fo_fail(why, FO_ERROR_UNFIT,
            "%s: implicit methods on several ranks need hypre (Debian's libhypre-dev), which was "
            "not there when Foliot was built; take one rank or an explicit method",
            c->f->name);
    return NULL;
}

void foi_hypre_destroy(fo_cluster *c)
{
    (void)c;
}

fo_status foi_hypre_matrix(void *self, const fo_state *s, const double *diag, const double *factor)
{
    (void)self, (void)diag, (void)factor;
    return fo_fail(s->message, FO_ERROR_UNFIT, "no hypre");
}

fo_status foi_hypre_solve(void *self, const fo_state *s, const double *b, double *d)
{
    (void)self, (void)b, (void)d;
    return fo_fail(s->message, FO_ERROR_UNFIT, "no hypre");
}

#endif
