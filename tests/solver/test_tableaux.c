/// Order conditions of every tableau, over all rooted trees up to order 8 (and of order p + 1, some
/// of which must fail: the order that a method states is the one it has).
///
/// Butcher: a tree is a root with subtrees s_1..s_m. With u_i(root alone) = 1 and
/// u_i(t) = product over its subtrees s of sum_j a_ij u_j(s), the condition of t is
/// sum_i b_i u_i(t) = 1 / gamma(t), gamma(t) = order(t) * product of gamma(s).
#include <math.h>
#include <string.h>

#include "solver/erk_tableaux.h"
#include "test.h"

enum { ORDER_MAX = 9, TREES_MAX = 600 };

typedef struct tree {
    int order;
    double gamma;
    double u[FOI_STAGES_MAX];  // of the tree
    double au[FOI_STAGES_MAX]; // sum_j a_ij u_j: what it contributes as a subtree
} tree;

typedef struct forest {
    const foi_tableau *T;
    tree trees[TREES_MAX];
    int count, first[ORDER_MAX + 2]; // trees of order p are first[p]..first[p + 1]
} forest;

static void add(forest *f, int order, double gamma, const double *u)
{
    tree *t = &f->trees[f->count++];
    t->order = order;
    t->gamma = gamma * order;
    memcpy(t->u, u, sizeof t->u);
    for (int i = 0; i < f->T->stages; i++) {
        t->au[i] = 0;
        for (int j = 0; j < i; j++) t->au[i] += f->T->a[i][j] * u[j];
    }
}

// All multisets of subtrees, in falling order of their index, that have `left` nodes together.
static void grow(forest *f, int order, int left, int largest, double gamma, const double *u)
{
    if (left == 0) {
        add(f, order, gamma, u);
        return;
    }
    for (int s = largest; s >= 0; s--) {
        const tree *sub = &f->trees[s];
        if (sub->order > left) continue;
        double v[FOI_STAGES_MAX] = {0};
        for (int i = 0; i < f->T->stages; i++) v[i] = u[i] * sub->au[i];
        grow(f, order, left - sub->order, s, gamma * sub->gamma, v);
    }
}

static void plant(forest *f, const foi_tableau *T, int order)
{
    double one[FOI_STAGES_MAX];
    for (int i = 0; i < FOI_STAGES_MAX; i++) one[i] = 1;
    f->T = T, f->count = 0;
    for (int p = 1; p <= order; p++) {
        f->first[p] = f->count;
        grow(f, p, p - 1, f->count - 1, 1, one);
        f->first[p + 1] = f->count;
    }
}

// The largest defect of the conditions of order p.
static double defect(const forest *f, const double *b, int p)
{
    double largest = 0;
    for (int k = f->first[p]; k < f->first[p + 1]; k++) {
        double sum = 0;
        for (int i = 0; i < f->T->stages; i++) sum += b[i] * f->trees[k].u[i];
        largest = fmax(largest, fabs(sum - 1 / f->trees[k].gamma));
    }
    return largest;
}

static void check_order(const char *name, const char *what, const forest *f, const double *b,
                        int order)
{
    for (int p = 1; p <= order; p++)
        if (!(defect(f, b, p) < 2e-13))
            test_fail(name, 0, "%s: conditions of order %d missed by %g", what, p, defect(f, b, p));
    if (!(defect(f, b, order + 1) > 1e-6))
        test_fail(name, 0, "%s: conditions of order %d hold, more than is stated", what, order + 1);
}

static void check_tableau(const char *name, const foi_tableau *T)
{
    static forest f;
    plant(&f, T, ORDER_MAX);
    for (int i = 0; i < T->stages; i++) {
        double sum = 0;
        for (int j = 0; j < FOI_STAGES_MAX; j++) {
            sum += T->a[i][j];
            if (j >= i && T->a[i][j] != 0) test_fail(name, 0, "a[%d][%d] is not explicit", i, j);
        }
        CHECK_NEAR(sum, T->c[i], 1e-14);
    }
    check_order(name, "solution", &f, T->b, T->order);
    if (T->fsal)
        for (int j = 0; j < T->stages; j++) CHECK(T->a[T->stages - 1][j] == T->b[j]);
    if (!T->embedded) return;
    double b[FOI_STAGES_MAX], b3[FOI_STAGES_MAX];
    for (int j = 0; j < FOI_STAGES_MAX; j++) b[j] = T->b[j] - T->e[j], b3[j] = T->b[j] - T->e3[j];
    check_order(name, "embedded", &f, b, T->embedded);
    if (T->two_errors) check_order(name, "second embedded", &f, b3, 3);
    for (int j = 0; j < FOI_STAGES_MAX; j++) b3[j] = T->b[j] - T->e6[j];
    if (T->two_errors) check_order(name, "third embedded", &f, b3, 6);
}

TEST(trees_are_counted)
{
    static forest f;
    static const int expected[] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286}; // Cayley
    plant(&f, &foi_tableau_rk4, ORDER_MAX);
    for (int p = 1; p <= ORDER_MAX; p++) CHECK_INT(f.first[p + 1] - f.first[p], expected[p]);
}

TEST(fixed_step_tableaux)
{
    check_tableau("euler", &foi_tableau_euler);
    check_tableau("midpoint", &foi_tableau_midpoint);
    check_tableau("heun", &foi_tableau_heun);
    check_tableau("rk4", &foi_tableau_rk4);
}

TEST(adaptive_tableaux)
{
    check_tableau("bs23", &foi_tableau_bs23);
    check_tableau("rkf45", &foi_tableau_rkf45);
    check_tableau("rke", &foi_tableau_rke);
    check_tableau("rkn34", &foi_tableau_rkn34);
    check_tableau("dp45", &foi_tableau_dp45);
    check_tableau("rkv56", &foi_tableau_rkv56);
    check_tableau("dop853", &foi_tableau_dop853);
}

TEST(a_wrong_coefficient_is_found)
{
    static forest f;
    foi_tableau wrong = foi_tableau_dp45;
    wrong.a[4][2] += 1e-9;
    plant(&f, &wrong, ORDER_MAX);
    CHECK(defect(&f, wrong.b, 5) > 1e-12);
}

TEST_MAIN(TEST_ENTRY(trees_are_counted), TEST_ENTRY(fixed_step_tableaux),
          TEST_ENTRY(adaptive_tableaux), TEST_ENTRY(a_wrong_coefficient_is_found))
