/// The syntax tree: what was written, before any name is looked up.
///
/// Identifiers are interned: two equal ones are the same pointer. Lists are arrays with a count.
/// Everything lives in the arena of the session and keeps its place.
#ifndef FOI_SYNTAX_H
#define FOI_SYNTAX_H

#include "equations/flat.h"

typedef struct foi_class foi_class;
typedef struct foi_ast foi_ast;
typedef struct foi_modifier foi_modifier;
typedef struct foi_equation_ast foi_equation_ast;

/// A part of a dotted name, with subscripts: `arm[2]`.
typedef struct foi_part {
    const char *name;
    foi_ast *const *subscripts;
    uint32_t count;
    foi_place place;
} foi_part;

/// A dotted name: `plant.arm[2].phi`; `global` when it starts with a dot.
typedef struct foi_ref {
    const foi_part *parts;
    uint32_t count;
    bool global;
    foi_place place;
} foi_ref;

/// `name in range`; range NULL: all subscripts that fit.
typedef struct foi_iterator {
    const char *name;
    foi_ast *range;
    foi_ast *
        *others; ///< of one without a range of its own: those of other arrays, of the same size
    uint32_t other_count;
    foi_place place;
} foi_iterator;

typedef enum foi_ast_kind {
    FOI_AST_REAL,
    FOI_AST_INTEGER,
    FOI_AST_STRING,
    FOI_AST_BOOLEAN,
    FOI_AST_REF,
    FOI_AST_CALL,     ///< ref(items); names[i] not NULL: a named argument
    FOI_AST_ARRAY,    ///< {items}, or {items[0] for iterators}
    FOI_AST_MATRIX,   ///< [row; row]: items are FOI_AST_ROW
    FOI_AST_ROW,      ///< one row of a matrix
    FOI_AST_RANGE,    ///< items: first, last or first, step, last
    FOI_AST_TUPLE,    ///< (items); an item may be NULL
    FOI_AST_PICK,     ///< (items[0])[items[1], ...]
    FOI_AST_UNARY,    ///< op item
    FOI_AST_BINARY,   ///< item op item
    FOI_AST_IF,       ///< items: condition, value, condition, value, ..., value
    FOI_AST_END,      ///< `end` in a subscript
    FOI_AST_FUNCTION, ///< function ref(names = items): a function as an argument, some inputs given
    FOI_AST_COLON,    ///< `:` in a subscript
} foi_ast_kind;

struct foi_ast {
    foi_ast_kind kind;
    foi_flat_op op;   ///< of UNARY and BINARY; a unary plus is FOI_OP_ADD
    bool elementwise; ///< .+ .- .* ./ .^; of RANGE: that of a loop which does not say it
    foi_place place;  ///< of its first letter; of BINARY: of the operator
    uint32_t depth;
    uint32_t count;
    foi_ast *const *items;
    union {
        double number; ///< BOOLEAN: 0 or 1
        const char *text;
        struct {
            const foi_ref *ref;
            const char *const *names; ///< of CALL, as many as items; NULL: none is named
        };
    };
    const foi_iterator *iterators; ///< of ARRAY and CALL: `for` inside
    uint32_t iterator_count;
};

/// One argument of a modification: `each final name(...) = value`. A dotted name has become nested
/// modifications.
typedef struct foi_argument {
    const char *name;
    bool each, is_final;
    const foi_modifier *modifier;
    foi_place place;
} foi_argument;

/// `break name` or `break connect(from, to)` of an extends clause: what is not inherited.
typedef struct foi_break {
    const char *name; ///< NULL: of a connection
    const foi_ref *from, *to;
    foi_place place;
} foi_break;

/// `(arguments) = value`.
struct foi_modifier {
    const foi_argument *arguments;
    uint32_t count;
    const foi_break *breaks; ///< of an extends clause
    uint32_t break_count;
    foi_ast *value;
    bool removes;                           ///< `= break`: the value that there is does not count
    const foi_ref *type;                    ///< of a redeclaration: the new type
    const struct foi_declaration *prefixes; ///< with these before it; NULL: none is written
    foi_class *defined;       ///< or the class that is written there; has its own name and place
    const foi_modifier *kept; ///< what its constrainedby clause says: it counts for later ones, too
    bool is_class;            ///< which is that of a class, not of a component
    bool replaceable;         ///< another redeclaration may follow
    const foi_ref *constraint; ///< the class of its constrainedby clause
    foi_ast *const *dims;      ///< of a component: its sizes, if they are said
    uint32_t rank;
    foi_place place; ///< of the value, when there is one
};

/// A declared component.
typedef struct foi_declaration {
    const char *name, *description;
    const foi_ref *type;
    foi_ast *const *dims; ///< those after the type come first
    uint32_t rank;
    foi_class *sized_in; ///< where they are written; NULL: in `owner`
    const foi_modifier *modifier, *annotation;
    foi_ast *condition;
    foi_variability variability; ///< FOI_CONTINUOUS when nothing is said
    foi_causality causality;
    bool causality_of_type; ///< it is not written here: type U = input Real
    bool flow, stream, is_final, is_protected, inner, outer, replaceable, redeclare;
    bool made;                 ///< an inner one that nobody declares; see inner.c
    const foi_modifier *kept;  ///< of a replaceable one: what counts for a redeclaration, too; the
                               ///< modifier, or that of a constrainedby clause
    const foi_ref *constraint; ///< the class of a constrainedby clause; NULL: its own type
    foi_place place;
    foi_class *owner;
    foi_class *resolved; ///< the type, once it was looked up
} foi_declaration;

typedef struct foi_extends {
    const foi_ref *base; ///< NULL of `class extends`: the inherited class of the same name
    const foi_modifier *modifier;
    foi_place place;
    bool is_protected;
    bool busy;           ///< being looked up: lookups inside do not look here
    foi_class *resolved; ///< the base, once it was looked up
} foi_extends;

typedef struct foi_import {
    const char *name; ///< the local name; NULL: all names of `path`
    const foi_ref *path;
    foi_place place;
} foi_import;

typedef enum foi_equation_kind {
    FOI_EQ_EQUAL,   ///< left = right; of statements: left := right
    FOI_EQ_CONNECT, ///< left, right
    FOI_EQ_IF,
    FOI_EQ_FOR,
    FOI_EQ_WHILE,
    FOI_EQ_WHEN,
    FOI_EQ_CALL, ///< left: assert, terminate, reinit or a function without result
    FOI_EQ_BREAK,
    FOI_EQ_RETURN,
} foi_equation_kind;

typedef struct foi_branch_ast {
    foi_ast *condition; ///< NULL: else
    foi_equation_ast *const *body;
    uint32_t count;
    foi_place place;
} foi_branch_ast;

/// An equation or a statement.
struct foi_equation_ast {
    foi_equation_kind kind;
    foi_ast *left, *right;
    const foi_branch_ast *branches; ///< of FOR and WHILE one
    uint32_t branch_count;
    const foi_iterator *iterators; ///< of FOR
    uint32_t iterator_count;
    foi_place place;
};

typedef struct foi_section {
    bool algorithm, initial;
    foi_equation_ast *const *items;
    uint32_t count;
    foi_place place;
} foi_section;

typedef enum foi_class_kind {
    FOI_CLASS_CLASS,
    FOI_CLASS_MODEL,
    FOI_CLASS_BLOCK,
    FOI_CLASS_TYPE,
    FOI_CLASS_CONNECTOR,
    FOI_CLASS_RECORD,
    FOI_CLASS_FUNCTION,
    FOI_CLASS_PACKAGE,
    FOI_CLASS_OPERATOR, ///< functions of an operator record: operator '*' ... end '*'
    FOI_CLASS_BUILTIN,  ///< Real, Integer, Boolean, String
} foi_class_kind;

typedef struct foi_literal {
    const char *name;
    foi_place place;
} foi_literal;

/// external "C" result = name(arguments)
typedef struct foi_external {
    const char *language, *name; ///< NULL: not said
    const foi_ast *result;
    const foi_ast *call; ///< NULL: all inputs in their order
    const foi_modifier *annotation;
    foi_place place;
} foi_external;

/// A component of a class after inheritance.
typedef struct foi_member {
    foi_declaration *declaration;
    const struct foi_inherited *through; ///< the modifications of extends clauses, strongest first
    const struct foi_member *replaced;   ///< the inherited one whose place a `redeclare` has taken
    bool is_protected;
} foi_member;

typedef struct foi_inherited {
    const foi_modifier *modifier;
    foi_class *lexical;        ///< the class that wrote the extends clause
    struct foi_instance *self; ///< where its expressions are understood; NULL: in what inherits
    bool outside;              ///< of a short class: not among the components of what it names
    const struct foi_inherited *weaker;
} foi_inherited;

/// What a name of a class means instead, in a class and its bases: a redeclaration.
typedef struct foi_override {
    const char *name;
    foi_class *c;
} foi_override;

/// The derivative of a function by an input.
typedef struct foi_derivative {
    const char *by;
    foi_class *c;
} foi_derivative;

struct foi_class {
    foi_class_kind kind;
    const char *name, *description;
    foi_class *enclosing;
    bool partial, encapsulated, is_protected, is_final, replaceable, redeclare;
    bool inner, outer, has_outer; ///< of classes; some of its classes are outer
    bool constrained;             ///< by a clause of its own
    const foi_ref *constraint;    ///< the class of that clause
    bool keeps;                   ///< made to keep what was said of a class that was redeclared
    const foi_class *clause;      ///< which is the constrainedby clause of a redeclaration
    bool expandable;              ///< a connector that grows by what is connected
    bool deselects;               ///< it, or a base, does not inherit something: `break`
    bool is_operator;             ///< an operator record or operator function
    bool is_short;                ///< class A = B(...)
    const char *const *by;        ///< of function F = der(f, x, y), which extends f: x and y
    uint32_t by_count;
    foi_derivative *derivatives; ///< of a function: those that are written, see partial.c
    uint32_t derivative_count;
    const char *refused;          ///< a construct outside of the subset: "external code"
    foi_place refused_place;      ///< where that is written
    const foi_modifier *kept;     ///< of a replaceable one: what counts for a redeclaration, too
    bool is_object;               ///< an external object whose functions are C of others
    const foi_external *external; ///< of a function: the code elsewhere that is its body
    foi_causality causality;      ///< of a short class: `connector U = input Real`
    foi_place place;
    const char *folder; ///< of a package in a directory: where its other classes are
    bool in_library;    ///< which is one of the folders of libraries

    foi_declaration *const *declarations;
    uint32_t declaration_count;
    foi_class **classes;
    uint32_t class_count;
    foi_extends *extends; ///< a short class has one
    uint32_t extends_count;
    const foi_import *imports;
    uint32_t import_count;
    const foi_section *sections;
    uint32_t section_count;
    const foi_literal *literals;
    uint32_t literal_count;
    foi_ast *const *dims; ///< of a short class
    uint32_t rank;
    const foi_modifier *annotation;

    // One text can mean different things: in a package that inherits it, or with classes that were
    // redeclared. Each meaning is a copy of its own; see environment.c.
    foi_class *origin; ///< the text's own class; NULL: this is it
    foi_class *stands; ///< of a view: the package in which its names are looked up; see foi_view
    foi_class *around; ///< where names that are not here are looked up instead of in `enclosing`
    const foi_override *overrides;
    uint32_t override_count;
    foi_class **copies; ///< of the origin: all that were made
    uint32_t copy_count;
    foi_class **views; ///< of a package: of its bases, see foi_view
    uint32_t view_count;
    struct foi_instance *bound; ///< of a redeclaration: where its modifications are understood
    const char **missing;       ///< names that were looked for in its folder, in vain
    uint32_t missing_count;

    // found out by analysis, when it is first needed
    enum { FOI_NOT_ANALYSED, FOI_ANALYSING, FOI_ANALYSED, FOI_ANALYSIS_FAILED } analysis;
    foi_class *builtin; ///< Real, Integer, Boolean, String or the enumeration that this is
    const foi_inherited *attributes; ///< modifications of the built-in type, strongest first
    foi_member *members;
    uint32_t member_count;
    struct foi_member_slot {
        const char *name; ///< NULL: the place is free
        uint32_t member;
    } * member_table; ///< by their names
    uint32_t member_table_size;
    foi_class **ancestors; ///< bases first, itself last
    uint32_t ancestor_count;
    uint8_t values_matter; ///< of a function: 0: not asked, 1: no, 2: sizes follow from arguments;
                           ///< 3: being asked
    foi_flat_type type;    ///< of a built-in class
    const char *const *literal_names;
    struct foi_instance *constants; ///< of a package: where its constants live
};

#endif
