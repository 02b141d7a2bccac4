/// What the files of continuous and discrete nodes share.
#ifndef FOI_NODE_CONTINUOUS_H
#define FOI_NODE_CONTINUOUS_H

#include "diagram/node.h"

extern const foi_node_type foi_integrator, foi_state_space, foi_transfer_function, foi_zero_pole,
    foi_transport_delay, foi_variable_delay;
extern const foi_node_type foi_discrete_state_space, foi_discrete_transfer_function,
    foi_discrete_zero_pole, foi_discrete_filter;

/// Keeps the input, expanded to the output's shape, as own memory.
void foi_keep_input(const foi_node *n, foi_run *r);
/// For nodes whose own memory is their next output, with the initial value as parameter 0.
fo_status foi_type_delay(foi_build *b, foi_node *n);
void foi_start_delay(const foi_node *n, foi_run *r);
void foi_output_own(const foi_node *n, foi_run *r);

#endif
