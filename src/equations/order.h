/// A system of equations in the order of its solution.
///
/// Columns are what is unknown: leaves VARIABLE(v) and PRE(v). Rows are equations left = right.
/// Every row is matched with the column that it is solved for; rows that need each other's columns
/// form a block.
#ifndef FOI_ORDER_H
#define FOI_ORDER_H

#include "equations/equations.h"
#include "equations/matching.h"

typedef struct foi_row {
    foi_node left, right;
    foi_place place;
    uint32_t equation; ///< which of the model's; FOI_NOTHING: made for the purpose
    uint32_t column;   ///< the one it must be solved for, or FOI_NOTHING
} foi_row;

typedef struct foi_order {
    foi_equations *e;
    foi_node *columns; ///< leaves
    size_t column_count, column_room;
    uint32_t *variable_column, *pre_column; ///< per variable, or FOI_NOTHING
    foi_row *rows;
    size_t row_count, row_room;
    foi_incidence incidence;
    foi_matching matching;
    foi_blocks blocks;
    uint32_t *place; ///< per column, FOI_NOTHING between uses: work space of tearing
    uint32_t *compared, *compared_start; ///< per relation: discretes that a turn may change in it
    size_t compared_count, compared_room;
    bool whole; ///< small loops are not torn: all their variables are wanted as unknowns
} foi_order;

fo_status foi_order_begin(foi_order *o, foi_equations *e);
void foi_order_end(foi_order *o);
/// Adds an unknown: VARIABLE(v), or with `pre` PRE(v). Before the first row.
fo_status foi_order_column(foi_order *o, uint32_t variable, bool pre);
fo_status foi_order_row(foi_order *o, foi_row row);
/// Takes back the last row.
void foi_order_drop(foi_order *o);
/// The column of a leaf, or FOI_NOTHING.
uint32_t foi_order_column_of(const foi_order *o, foi_node leaf);
/// "`x`" or "`pre(x)`". Returns `text`.
const char *foi_order_name(foi_order *o, uint32_t column, char *text, size_t size);

/// Sorts into blocks what is matched in full. FO_ERROR_MODEL with the names where it is not.
fo_status foi_order_sort(foi_order *o);

/// Puts rows after those of what their relations compare, where that is possible. See renew.c.
fo_status foi_order_renewed(foi_order *o);

/// Says which equations and which variables are too many or too few, after a matching.
fo_status foi_order_explain(foi_order *o);

/// The order of a model's run: computed parameters and equations, without the states.
fo_status foi_order_of_run(foi_order *o, foi_equations *e);

#endif
