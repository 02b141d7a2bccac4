/// What a model consists of while it is read: values, components, instances and functions, and
/// where an expression is understood.
#ifndef FOI_INSTANCE_H
#define FOI_INSTANCE_H

#include "equations/flat.h"
#include "language/syntax.h"

enum {
    FOI_MOST_RANK = 8,                ///< dimensions of an array
    FOI_MOST_ELEMENTS = 1 << 24,      ///< of one array
    FOI_DEEPEST = 1200,               ///< nested expansions of all kinds
    FOI_DEEPEST_MODEL = 100,          ///< models in models, bases of bases, packages in packages
    FOI_MOST_FUNCTIONS = 2000,        ///< functions, each size counted
    FOI_LARGEST_EXPRESSION = 4000000, ///< nodes of one flat expression
};

typedef struct foi_component foi_component;
typedef struct foi_instance foi_instance;
typedef struct foi_frame foi_frame;

/// An array of flat expressions, row by row; rank 0 is a scalar. A record has no elements of its
/// own but fields, each with the record's dims before its own.
typedef struct foi_value {
    foi_flat_type type;
    foi_class *record;   ///< of a record: its class
    foi_class *literals; ///< of an enumeration: its class
    uint32_t rank, dims[FOI_MOST_RANK];
    uint32_t count;                     ///< product of dims
    const foi_flat_expr *one;           ///< of a scalar
    const foi_flat_expr *const *list;   ///< of an array
    struct foi_value *fields;           ///< of a record, as many as its class has members
    const struct foi_closure *function; ///< a function as an argument
} foi_value;

/// A function as an argument, with inputs that are given already; see closure.c.
typedef struct foi_closure {
    foi_class *c;
    struct foi_instance *self; ///< through which the function is named, or NULL
    uint32_t count;
    const char *const *names;
    const foi_value *values;
} foi_closure;

/// A name that stands for a value: loop variables, arguments of defaults.
typedef struct foi_scope {
    const char *name;
    foi_value value;
    const struct foi_scope *outer;
    const foi_class *of; ///< the function or record whose member it is; NULL: of a loop
} foi_scope;

/// Where an expression is understood: among the components of `self`, then in the classes around
/// the one in which it was written.
typedef struct foi_context {
    foi_instance *self; ///< NULL: no components, only constants of packages
    foi_class *lexical;
    const foi_scope *scope;
    foi_frame *frame;   ///< inside of a function or an algorithm: where locals live
    uint32_t end_value; ///< what `end` means; 0 outside of subscripts
    bool in_when, in_initial;
    bool in_clocked; ///< in a when of a clock
    bool in_loop;    ///< that stays a loop, so that it can be left
} foi_context;

/// A modification that applies to a component, and where its expressions are understood. An
/// element of an array of models takes its part of the value: `indices`, from 0.
typedef struct foi_layer {
    const foi_modifier *modifier;
    foi_context context;
    const uint32_t *indices;
    uint32_t index_count;
    bool each, is_final;
    bool own; ///< of the declaration or the bases of its class, not of who uses that class
    const struct foi_layer *weaker;
} foi_layer;

/// A component of an instance: a built-in variable, a model or an array of either.
struct foi_component {
    const foi_member *member;
    foi_instance *parent;
    enum { FOI_NEW, FOI_SIZING, FOI_SIZED, FOI_BROKEN } sizing;
    enum { FOI_UNBOUND, FOI_BINDING, FOI_BOUND, FOI_BIND_FAILED } binding;
    bool absent;    ///< its condition is false
    bool connected; ///< of an expandable connector: a connection names it
    foi_class *type;
    foi_variability variability; ///< with that of what it is in
    foi_causality causality;
    bool flow, is_protected;
    uint32_t rank, dims[FOI_MOST_RANK], count;
    uint32_t by_name;              ///< bit i: dimension i is an enumeration or Boolean
    foi_instance **elements;       ///< of models
    foi_flat_variable **variables; ///< of built-in types; NULL for String
    const foi_flat_expr **nodes;   ///< of built-in types: what a reference becomes
    const foi_flat_array *array;   ///< for subscripts of the run, when first needed
    const foi_layer *layers;
    const foi_value *given; ///< of an input of a function: the argument
    const char *name;       ///< full, without its own subscripts
};

/// A model in the model.
struct foi_instance {
    foi_class *c;
    foi_component *parent;     ///< NULL at the top
    const char *name;          ///< full; "" at the top
    foi_component *components; ///< one for each member of the class
    uint32_t count;            ///< of these
    const foi_layer *layers;
    foi_frame *frame; ///< of a function: its locals
    bool is_package;  ///< holds constants only
    uint32_t depth;
    uint32_t index; ///< which element of its component
};

/// Locals of a function or an algorithm.
struct foi_frame {
    foi_flat_variable **locals;
    uint32_t count;
    bool function;
};

/// A function for given sizes.
typedef struct foi_special {
    foi_class *c;
    foi_flat_function *function;
    foi_instance *instance;
    foi_frame frame;
    const int64_t *key; ///< ranks, sizes and known integers of its inputs
    uint32_t key_count;
    const foi_value *results; ///< one for each output
    uint32_t result_count;
    struct foi_special **calls; ///< functions that its body calls
    uint32_t call_count;
    uint32_t called_in; ///< the last look in which anything but a function has called it
    bool made;          ///< its variables are there
    bool expanded;      ///< its body is, or is being made
    bool visited;
    bool optional; ///< only what annotations say needs it: it may be wrong
    bool broken;   ///< and is
} foi_special;

#endif
