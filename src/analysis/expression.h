/// Expressions of a measure: numbers, signals, functions, and quantities of a whole run.
///
/// A measure has two levels. Inside of a reducer, as in integral(u^2), names are signals at one
/// instant; outside names are the values of reducers, and a bare signal is its value at the end.
#ifndef FOI_ANALYSIS_EXPRESSION_H
#define FOI_ANALYSIS_EXPRESSION_H

#include <foliot/system.h>

enum { FOI_EXPRESSION_DEPTH = 64 };

typedef struct foi_term {
    int op;        ///< of the machine in expression.c
    double number; ///< of a constant
    size_t index;  ///< of a signal or a reducer
} foi_term;

/// In postfix order.
typedef struct foi_expression {
    foi_term *terms;
    size_t count;
} foi_expression;

/// Where names of an expression lead.
typedef struct foi_scope {
    void *self;
    /// The index of a signal; FO_ERROR_ARGUMENT for an unknown one.
    fo_status (*signal)(void *self, const char *name, size_t *index, fo_message *why);
    /// A call of a name that is no function: `*at` stands after its bracket, and behind the closing
    /// one afterwards. NULL: there are none.
    fo_status (*reducer)(void *self, const char *name, const char **at, size_t *index, bool *known,
                         fo_message *why);
} foi_scope;

/// Reads an expression from *at; it ends at a comma, a closing bracket or the text's end.
fo_status foi_expression_read(foi_expression *e, const char **at, const foi_scope *scope,
                              const fo_allocator *allocator, fo_message *why);
void foi_expression_destroy(foi_expression *e, const fo_allocator *allocator);
/// Its value for these values of signals (inside) or reducers (outside).
double foi_expression_value(const foi_expression *e, const double *signals, const double *reducers);
/// Reads a name or a quoted text at *at into `name`; false: there is none, or it is too long.
bool foi_read_name(const char **at, char *name, size_t size);
void foi_skip_spaces(const char **at);

#endif
