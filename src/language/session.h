/// One loading of a model: the state that the rooms of the language share.
///
/// The way: source.c reads and parses files; lookup.c finds names and works out inheritance;
/// instance.c makes the components of the model, when they are needed; expression.c and its
/// neighbours turn written expressions into arrays of flat ones; equation.c, statement.c and
/// connect.c make the flat model of it.
///
/// Functions that return bool report their own messages: false means "wrong, and said so", or that
/// memory is lacking, which the arenas remember.
#ifndef FOI_SESSION_H
#define FOI_SESSION_H

#include <string.h>

#include "base/stack.h"
#include "equations/outside.h"
#include "language/instance.h"
#include "language/language.h"
#include "language/lexer.h"
#include "language/syntax.h"

typedef struct foi_graph foi_graph;
typedef struct foi_session foi_session;

typedef struct foi_source {
    const char *name, *text;
    size_t length;
    bool library; ///< it comes from a folder of libraries, or is built in
} foi_source;

/// Where equations go: to the model, or to a branch of an if-equation.
typedef struct foi_sink {
    foi_flat_equation *equations;
    uint32_t count;
    foi_flat_assert *asserts;
    uint32_t assert_count;
} foi_sink;

/// What random generators become in a moment; see draw.c.
typedef struct foi_draws {
    const foi_flat_expr **targets, **values;
    uint32_t target_count, value_count;
} foi_draws;

/// A stream variable of a connector; see stream.c.
typedef struct foi_stream {
    foi_flat_variable *variable, *flow;
    foi_flat_variable *inward; ///< inStream of it, when that is asked for
    bool done;
} foi_stream;

/// An assignment of a String; see text_variable.c.
typedef struct foi_text_source foi_text_source;

/// What must have one dimension; see units.c. `right` NULL: only what is in the left one.
typedef struct foi_alike {
    const foi_flat_expr *left, *right;
    foi_place place;
    const char *what;
    bool equation; ///< of two sides; otherwise a variable and its start value, or the like
} foi_alike;

/// Two variables that are connected; see connect.c.
typedef struct foi_connection {
    uint32_t a, b; ///< variable index times 2, plus 1 on the outside
    bool flow, stream;
    bool a_source, b_source; ///< it gives the value: an output inside, an input outside
    foi_place place;
} foi_connection;

struct foi_session {
    const foi_language_def *def;
    foi_arena arena;
    foi_names names;
    foi_messages *messages;
    foi_flat *flat;
    foi_source *sources;
    uint32_t source_count;
    foi_class root; ///< the unnamed package of all files
    foi_class *real, *integer, *boolean, *string, *state_select, *assertion_level;
    foi_class *external_object, *clock;
    const char *name_time;
    bool library_tried;
    bool in_library;  ///< what is read now comes from a folder of libraries
    fo_status status; ///< FO_ERROR_INPUT when a file could not be read

    foi_class *reviewed; ///< the class that is looked at
    bool apart;          ///< the text says that it lies in a package, which is not there
    bool review;         ///< the classes of a text are looked at, not run; see review.c
    uint32_t look;       ///< which of them
    bool lacks;          ///< of the class that is looked at: something is missing, and findings
    size_t before;       ///< from this one on do not count
    bool unvalued;       ///< a parameter has no value
    bool unsized; ///< and one of them may decide sizes, conditions or texts, or a size is zero

    uint64_t work;
    bool hopeless;           ///< a limit was reached: stop soon
    int depth, constructing; ///< nested expansions; records among them
    foi_stack_limit stack;   ///< of the machine, for these
    foi_special **specials;
    uint32_t special_count, special_done;
    bool bodies_failed; ///< one of their bodies is wrong
    bool annotating;    ///< what an annotation says is looked at: it may be wrong
    bool uses_initial;  ///< initial() occurs, other than as the condition of a when
    struct foi_made_object {
        const foi_ast *e;
        const foi_instance *self;
    } * objects; ///< external ones, where they were made; see outside.c
    uint32_t object_count;
    bool clocked; ///< operators of clocks occur; see clock.c
    struct foi_clocked_when {
        const foi_flat_expr *clock;
        uint32_t from, to; ///< its equations in `main`
    } * clocked_whens;
    uint32_t clocked_count;
    struct foi_machines *machines; ///< of states; NULL: no text names their operators
    foi_graph *graph;              ///< of connections; see structure.c
    foi_instance **buses;          ///< expandable connectors that are in none; see expandable.c
    uint32_t bus_count;
    bool grown;                        ///< they are complete
    const char *file_name, *file_text; ///< the last file that was read; see seen.c
    size_t file_length;
    double file_line;                 ///< the next of its lines, from 1; see lines.c
    size_t file_at;                   ///< and where that begins
    size_t beyond;                    ///< errors that were subscripts which are not there
    struct foi_kept_matrix *matrices; ///< of files, in the order in which they were read
    uint32_t matrix_count;
    struct foi_kept_numbers *kept_numbers; ///< of tables in the text; see table.c
    uint32_t numbers_count;
    struct foi_kept_curve *curves; ///< of tables
    uint32_t curve_count;
    foi_stream *streams;
    uint32_t stream_count;
    foi_connection *connections;
    uint32_t connection_count;
    foi_flat_variable **variables; ///< in the order in which they were made
    uint32_t variable_count;
    foi_special *special;       ///< whose body is being expanded
    const foi_instance *within; ///< the instance that is looked at, for messages; or NULL
    foi_instance *top;          ///< the model
    uint32_t top_room;          ///< how many components it may still get; see foi_declare_inner
    foi_sink main, initial, *sink;
    struct foi_reinit {
        foi_flat_variable *variable;
        foi_place place;
    } * reinits;
    uint32_t reinit_count;
    foi_text_source *texts; ///< what gives the Strings of the model their texts
    foi_alike *alike;       ///< in what the user has written; see units.c
    uint32_t alike_count;
    foi_draws draws;           ///< of the statement that is being expanded; see draw.c
    uint32_t draw_count;       ///< calls of random generators so far
    uint32_t partials;         ///< derivatives of functions that others call; see partial.c
    uint32_t rate_count;       ///< derivatives of functions that may stay functions
    foi_flat_variable **flows; ///< of connectors; those of the model itself have flow_top
    bool *flow_top;
    uint32_t flow_count, flow_top_count;
    struct {
        const foi_ast *expression;
        const foi_instance *self;
        const foi_class *lexical;
        foi_value value;
    } memo[64]; ///< arrays that many elements take their parts of
};

// session.c

__attribute__((format(printf, 3, 4))) bool foi_error(foi_session *s, foi_place place,
                                                     const char *format, ...);
__attribute__((format(printf, 3, 4))) void foi_warning(foi_session *s, foi_place place,
                                                       const char *format, ...);
__attribute__((format(printf, 3, 4))) void foi_note(foi_session *s, foi_place place,
                                                    const char *format, ...);
/// Enters a nested expansion; false when too deep or when all work is spent. Leave: s->depth--.
bool foi_enter(foi_session *s, foi_place place);
/// Counts `amount` of work; false, with a message, when too much.
bool foi_work(foi_session *s, foi_place place, uint64_t amount);
/// An interned constant text.
const char *foi_name(foi_session *s, const char *text);

// units.c

/// Notes what must have one dimension and is not among the equations as it was written: the value
/// of an attribute or a declaration (`what`: "start", "value"), or a branch of an if-equation
/// (NULL).
bool foi_note_alike(foi_session *s, const foi_flat_expr *left, const foi_flat_expr *right,
                    foi_place place, const char *what);
/// What is equated, compared, assigned or handed over in what the user has written has one
/// dimension, where both are known.
bool foi_check_units(foi_session *s);

// source.c

/// Reads and parses `def->path` or `def->text`; the classes of that file come back.
bool foi_load_main(foi_session *s, foi_class ***classes, uint32_t *count);
/// Looks for a class in the folder of a package, or for the root in the folders of libraries.
foi_class *foi_load_missing(foi_session *s, foi_class *in, const char *name);
/// The text of a file in a folder; NULL, without a message, where there is none.
const char *foi_read_beside(foi_session *s, const char *folder, const char *name, size_t *length);
/// Does a class come from a file of its own, in the folder of the class around it?
bool foi_is_beside(const foi_class *c);

// lookup.c

/// What a name means: a class, a component of a class (a constant of a package), or an imported
/// literal of an enumeration.
typedef struct foi_found {
    foi_class *c;
    foi_class *owner; ///< of the component
    const foi_member *member;
    const char *literal; ///< of the enumeration `c`
} foi_found;

/// The class `name` in `c` or its bases; NULL without a message.
foi_class *foi_find_in_class(foi_session *s, foi_class *c, const char *name);
/// What a simple name means at a place in the classes; all NULL when nothing.
foi_found foi_lookup(foi_session *s, foi_class *lexical, const char *name);
/// The meaning that a text has as the analysed class `c` or as a base of it; NULL: it is none.
const foi_class *foi_as_base(const foi_class *c, const foi_class *text);
/// The instance of `lexical`, or of a class with that base, that `self` is or is in: what a short
/// class that is written there, model M = A(k = p), means by p. NULL: there is none.
foi_instance *foi_instance_around(foi_instance *self, const foi_class *lexical);
/// The loop variable, argument or field that a simple name means there; NULL: none.
const foi_scope *foi_in_scope(const foi_context *ctx, const char *name);
/// The component of `ctx->self` that a simple name means there; NULL: none. The text of a base
/// knows the members of the base, not those that a class which extends it adds.
foi_component *foi_seen(const foi_context *ctx, const char *name);
/// Does a built-in function's name mean another one there: in a class around, in a base of one, or
/// imported?
bool foi_is_shadowed(foi_session *s, foi_class *lexical, const char *name);
/// The class that a dotted name means; NULL after a message that calls it `what`.
foi_class *foi_find_class(foi_session *s, foi_class *lexical, const foi_ref *ref, const char *what);
/// "; did you mean 'x'?" for a name that was not found there, or "".
const char *foi_hint(foi_session *s, const foi_instance *self, foi_class *lexical,
                     const char *name);
/// The same for a name that is not in a class.
const char *foi_hint_in(foi_session *s, const foi_class *c, const char *name);

// environment.c

/// The text that a class is a meaning of.
static inline foi_class *foi_origin(foi_class *c)
{
    return c->origin ? c->origin : c;
}
/// The meaning of a class among other classes around it, and with other meanings of names in it.
/// NULL: memory is lacking.
foi_class *foi_specialise(foi_session *s, foi_class *c, foi_class *around,
                          const foi_override *overrides, uint32_t count);
/// The text of a base as a constant of the package `in` sees it: its names are those of the
/// package, where that has them. NULL: memory is lacking.
foi_class *foi_view(foi_session *s, foi_class *text, foi_class *in);
/// Where the modifications and sizes of a short class are understood: it is no scope by itself.
foi_class *foi_written_around(foi_session *s, foi_class *c);
/// Do the modifications or sizes of a short class depend on names?
bool foi_mentions_names(const foi_class *c);
/// A type that the package inherits: what an extends clause says about it, as in
/// Temperature(min = T_min), is understood in the package. NULL: memory is lacking.
foi_class *foi_type_seen_from(foi_session *s, foi_class *type, foi_class *in);
/// Has a replaceable class all that its own constrainedby clause promises?
bool foi_keeps_promise(foi_session *s, foi_class *c);
/// The class with the redeclarations of classes among these modifications, strongest first.
foi_class *foi_redeclare_classes(foi_session *s, foi_class *c, const foi_layer *layers);
/// The type of a component with the inner classes of the models around it in the place of its outer
/// ones.
foi_class *foi_take_inner_classes(foi_session *s, const foi_component *component, foi_class *c);
/// The base of an extends clause, without redeclarations.
foi_class *foi_base_plain(foi_session *s, foi_class *c, foi_extends *e);
/// The base of an extends clause, as it is for the class that has the clause; NULL after a message,
/// or while it is being looked up.
foi_class *foi_base_of(foi_session *s, foi_class *c, foi_extends *e);
/// A class that is written out as `redeclare model Name ... end Name`, with what was said of the
/// class that it redeclares. NULL: memory is lacking.
foi_class *foi_kept_element(foi_session *s, foi_class *c);
/// Are the two the same record, or do they have the same components?
bool foi_same_record(const foi_class *a, const foi_class *b);

// analysis.c

/// Works out the members, bases and built-in type of a class.
bool foi_analyse(foi_session *s, foi_class *c);
/// A member of an analysed class, or NULL.
const foi_member *foi_find_member(const foi_class *c, const char *name);
/// Makes the table of names anew, for members that all have different ones.
bool foi_index_members(foi_session *s, foi_class *c);
/// Does it come from a folder of libraries?
bool foi_of_library(const foi_class *c);
/// "A.B.C"
const char *foi_class_path(foi_session *s, const foi_class *c);
/// "model", "function", ...
const char *foi_class_word(const foi_class *c);

// rules.c

/// May a class extend this one?
bool foi_check_base(foi_session *s, const foi_class *c, const foi_class *base, foi_place place);
/// Does a class have what its kind may not have?
bool foi_check_contents(foi_session *s, const foi_class *c);
bool foi_check_literal(foi_session *s, const foi_literal *literal);
/// Can something of class `c` stand where one of class `like` is expected: has it its components?
bool foi_has_all_of(foi_session *s, foi_class *c, foi_class *like, const char **missing);
/// The dimensions that a type has by itself: type V = Real[3].
uint32_t foi_type_rank(const foi_class *t);
/// Does an outer component say no more than its inner one does?
bool foi_check_outer(foi_session *s, foi_component *outer, foi_component *inner);
/// Do the prefixes of a component fit its type?
bool foi_check_prefixes(foi_session *s, const foi_component *c);
/// May the member take the place of an inherited one, the class that of an inherited class?
bool foi_check_redeclared(foi_session *s, const foi_member *old, const foi_member *m);
bool foi_check_class_redeclared(foi_session *s, const foi_class *old, const foi_class *own);
/// No value, and no redeclaration, is given twice in a modification.
bool foi_check_once(foi_session *s, const foi_modifier *m);

// checks.c

/// The highest variability of what occurs in an expression.
foi_variability foi_variability_of(const foi_flat_expr *e);
/// "a parameter"
const char *foi_variability_word(foi_variability v);
/// Has the class constants and classes only?
bool foi_is_package_like(foi_session *s, foi_class *c);
/// Is `inside` written in the text of c, or of what inherits it?
bool foi_is_within(const foi_class *inside, const foi_class *c);
/// Has a connector as many flows as potentials?
bool foi_check_balance(foi_session *s, const foi_component *c);
/// What is connected: equal parameters, inputs and outputs among themselves, connectors of the
/// model and of its components, flows that can be summed.
bool foi_check_equal(foi_session *s, foi_place place, const foi_component *a, uint32_t i,
                     const foi_component *b, uint32_t k);
bool foi_check_causal(foi_session *s, foi_place place, const foi_component *a,
                      const foi_component *b);
bool foi_check_form(foi_session *s, const foi_context *ctx, const foi_ref *ref);
bool foi_check_sum(foi_session *s, foi_place place, const foi_component *c);
/// One source in each set; `parent` is work space.
bool foi_check_sources(foi_session *s, uint32_t *parent, uint32_t nodes);

// same.c

/// Are two declarations of one name written alike, but for words that are only for people?
bool foi_same_expression(const foi_ast *a, const foi_ast *b);
/// Are two names written alike, subscripts too?
bool foi_same_ref(const foi_ref *a, const foi_ref *b);
bool foi_same_declaration(const foi_declaration *a, const foi_declaration *b);
bool foi_same_but_attributes(const foi_declaration *a, const foi_declaration *b);
/// Do two members that are written alike mean the same, each where it is written, and do the
/// extends clauses on the two ways say the same about them?
bool foi_same_class(foi_session *s, foi_class *a, foi_class *b);
bool foi_same_meaning(foi_session *s, const foi_member *a, const foi_member *b);

// instance.c

foi_instance *foi_make_instance(foi_session *s, foi_class *c, foi_component *parent,
                                const char *name, const foi_layer *layers, foi_frame *frame);
/// NULL when there is none of this name.
foi_component *foi_component_of(const foi_instance *instance, const char *name);
/// A component that is only `outer` stands for the `inner` one of its name in a model around;
/// NULL after a message. Any other component is itself.
foi_component *foi_inner(foi_session *s, foi_component *component);
/// An outer component can have no modifications, whoever makes them.
bool foi_check_outer_unmodified(foi_session *s, foi_component *outer);
/// The model itself, with room for inner components that nobody declares. NULL: no memory.
foi_instance *foi_make_top(foi_session *s, foi_class *c);
/// The inner component of an outer one that has none: it is declared in the model, with a warning
/// (Modelica 3.6, section 5.4). NULL: that cannot be done.
foi_component *foi_declare_inner(foi_session *s, foi_component *outer);
/// What the name of a component means in the class that declares it: where it is `inner outer` it
/// stands for the one around, and only what lies inside of it sees the one that it is itself.
foi_component *foi_named(foi_session *s, foi_component *component);
/// Is it only a name for an inner component?
static inline bool foi_is_outer(const foi_component *c)
{
    return c->member->declaration->outer && !c->member->declaration->inner;
}
/// Is it a variable of the model of type String? Its text is found by foi_find_texts.
static inline bool foi_is_text(const foi_component *c)
{
    return c->nodes && !c->variables && c->variability > FOI_PARAMETER;
}
/// Whether variables have such an attribute: start, fixed, unit.
bool foi_is_attribute(const char *name);
/// Finds out type, presence and size, and makes elements or variables.
bool foi_size(foi_session *s, foi_component *component);
/// The instance that holds the constants of a package.
foi_instance *foi_package_instance(foi_session *s, foi_class *c);
/// The modifications of `name` among layers, strongest first.
const foi_layer *foi_layers_for(foi_session *s, const foi_layer *layers, const char *name,
                                const foi_layer *weaker);

// attribute.c

/// Gives parameters and constants their bindings.
bool foi_bind(foi_session *s, foi_component *component);
/// Start, fixed, min, max, nominal and units of the variables of a component.
bool foi_set_attributes(foi_session *s, foi_component *component);
/// Only its unit: of a variable of a function.
bool foi_set_unit(foi_session *s, foi_component *component);
/// The start values of a variable of type String, where nothing else has given them.
bool foi_start_texts(foi_session *s, foi_component *c, const foi_flat_expr **start);
/// The value that the declaration or a modification gives; found false: none does.
bool foi_binding_value(foi_session *s, foi_component *component, bool *found, foi_value *value,
                       foi_place *place);

// value.c

static inline const foi_flat_expr *foi_item(const foi_value *v, uint32_t i)
{
    return v->rank ? v->list[i] : v->one;
}
foi_value foi_scalar(const foi_flat_expr *e);
/// An array to be filled: *list has room for all elements (of a scalar too).
bool foi_new_array(foi_session *s, foi_place place, foi_flat_type type, uint32_t rank,
                   const uint32_t *dims, foi_value *value, const foi_flat_expr ***list);
/// As that, and like `v` in what it is.
bool foi_new_like(foi_session *s, foi_place place, const foi_value *v, uint32_t rank,
                  const uint32_t *dims, foi_value *value, const foi_flat_expr ***list);
/// v[indices...]: the first dimensions go.
bool foi_part_of(foi_session *s, foi_place place, const foi_value *v, const uint32_t *indices,
                 uint32_t count, foi_value *part);
bool foi_same_size(const foi_value *a, const foi_value *b);
/// Elements to Real where the other type is Real; false, with a message, when they do not fit.
bool foi_convert(foi_session *s, foi_place place, foi_value *v, foi_flat_type type,
                 foi_class *literals, const char *what);
/// "Real[3, 2]", for messages; in the arena.
const char *foi_type_text(foi_session *s, const foi_value *v);
/// The components of a record in the order, and with the class, of another one that has the same
/// names. What is no record stays.
bool foi_as_record(foi_session *s, foi_place place, foi_class *like, foi_value *v);
/// Joins values along a new first dimension.
bool foi_stack(foi_session *s, foi_place place, foi_value *items, uint32_t count, foi_value *value);
/// The elements of a value in order, those of records field by field for each element.
bool foi_flatten_value(foi_session *s, const foi_value *v, const foi_flat_expr ***list,
                       uint32_t *count);
/// a + b + c ... with a depth that grows as the logarithm.
const foi_flat_expr *foi_join(foi_session *s, foi_flat_op op, const foi_flat_expr *const *list,
                              uint32_t count);

// expression.c

bool foi_expand(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value);
/// The two values of a choice as one; they must be alike.
bool foi_merge(foi_session *s, foi_place place, const foi_flat_expr *condition, const foi_value *a,
               const foi_value *b, foi_value *out);
/// A scalar of this type (Integer becomes Real).
bool foi_expand_scalar(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_flat_type type,
                       const char *what, const foi_flat_expr **out);
/// A value that is known now; parameters that it uses become structural.
bool foi_expand_known(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_flat_type type,
                      const char *what, double *value);
/// Whether all arrays that give a loop its range agree.
bool foi_check_ranges(foi_session *s, const foi_context *ctx, const foi_iterator *it);
/// What a loop's variable becomes, one after the other.
bool foi_iterator_values(foi_session *s, const foi_context *ctx, const foi_iterator *it,
                         foi_value *values);
/// Calls `act` for each combination of the iterators' values.
typedef bool foi_loop_body(foi_session *s, const foi_context *ctx, void *data);
bool foi_loop(foi_session *s, const foi_context *ctx, const foi_iterator *iterators, uint32_t count,
              foi_loop_body *act, void *data);

/// The condition as a literal when structural parameters decide it already; otherwise itself.
const foi_flat_expr *foi_decided(foi_session *s, const foi_flat_expr *condition);

// operator.c

bool foi_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a, foi_value *out);
bool foi_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                const foi_value *a, const foi_value *b, foi_value *out);

// external.c

/// The external code that is the body of a function, or NULL.
const foi_external *foi_external_of(const foi_class *c);
/// Calls it: a function of ours with the same meaning. *outside: there is none, and C of others may
/// be called.
bool foi_external_call(foi_session *s, foi_place place, foi_class *c, const foi_value *values,
                       uint32_t count, const foi_value **results, uint32_t *result_count,
                       bool *outside);

// annotated.c

/// What the annotation of a function says about its derivatives and inverses, for these arguments.
/// What is wrong there is a warning.
bool foi_annotate(foi_session *s, foi_special *f, const foi_value *values, uint32_t count);
/// When all functions are made: leaves out what cannot be used.
void foi_annotate_end(foi_session *s);
/// The function for such arguments.
bool foi_special_for(foi_session *s, foi_place place, foi_class *c, foi_value *values,
                     uint32_t count, foi_special **out);

// own.c

/// The function of ours that stands for an external one, as one operation of the run; NULL: none.
foi_own_function *foi_own_of(const char *name);
/// Is this call made by it? Small ones are written out.
bool foi_is_own_call(const char *name, const foi_value *values, uint32_t count);

// draw.c

/// Calls of the library's random generator with a state of its own. *handled: it is one.
bool foi_draw(foi_session *s, const foi_context *ctx, foi_place place, foi_class *c,
              const foi_value *values, uint32_t count, bool *handled, const foi_value **results,
              uint32_t *result_count);

// outside.c

/// Makes a function that is C of others known, when its variables are.
bool foi_outside_declare(foi_session *s, foi_special *f);
/// Compiles and loads all that are known and not loaded.
bool foi_outside_compile(foi_session *s);
/// Makes functions of the language known that may stay functions.
bool foi_outside_keep(foi_session *s);
/// The value of an external object, from the call of its constructor.
bool foi_make_object(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                     foi_value *value);

// interpret.c

/// Does a function have texts as inputs or outputs?
bool foi_works_with_texts(foi_session *s, foi_class *c);
/// Has it arrays that are assigned with sizes that change?
bool foi_changes_sizes(foi_session *s, foi_class *c);
/// Carries a function out now. *done false: an argument is not known.
bool foi_interpret(foi_session *s, foi_place place, foi_class *c, const foi_value *values,
                   const foi_value **results, uint32_t *count, bool *done);

// text.c

/// String(value, options).
bool foi_string_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out);
/// The text that follows from parameters, which then decide: as a constant. What follows from the
/// run stays as it is. NULL: memory is lacking.
const foi_flat_expr *foi_settled_text(foi_session *s, const foi_flat_expr *e);
/// a == b, or a <> b, of texts of which one is that of a value of the run.
bool foi_compare_texts(foi_session *s, foi_place place, bool equal, const foi_flat_expr *a,
                       const foi_flat_expr *b, foi_value *out);
/// Are two texts the same at all times?
bool foi_same_text(const foi_flat_expr *a, const foi_flat_expr *b);

// text_variable.c

/// Finds the texts of a variable of type String.
bool foi_find_texts(foi_session *s, foi_component *c);
/// Is this the left side of an equation or assignment that the formula was made of? Then it is done
/// with these assignments; none: nothing is left of it.
bool foi_text_assigned(foi_session *s, const foi_ast *left, const foi_flat_expr *formula,
                       const foi_flat_expr *const **targets, const foi_flat_expr *const **values,
                       uint32_t *count);
/// pre() of a text. NULL: memory is lacking.
const foi_flat_expr *foi_text_before(foi_session *s, const foi_flat_expr *text);

// complex.c

bool foi_is_complex_class(const foi_class *c);
/// A value of that record.
bool foi_is_complex(const foi_value *v);
bool foi_complex_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                       foi_value *out);
/// One of the two is Complex, the other Complex or a number.
bool foi_complex_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                        const foi_value *a, const foi_value *b, foi_value *out);

// reference.c

bool foi_expand_ref(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_value *value);
/// All fields of a record or connector.
bool foi_instance_value(foi_session *s, foi_place place, foi_instance *instance, foi_value *value);
/// A connector, or a variable of one.
typedef struct foi_port {
    foi_component *component; ///< of a built-in type: its element `index`
    uint32_t index;
    foi_instance *instance; ///< otherwise
} foi_port;
/// What a reference to connectors means, one for each element. `outside`: it belongs to the model
/// itself; `absent`: its condition is false.
bool foi_expand_ports(foi_session *s, const foi_context *ctx, const foi_ref *ref, foi_port **ports,
                      uint32_t *count, bool *outside, bool *absent);

// call.c

bool foi_expand_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *value);
/// All results of a call of a function of the model; for (a, b) = f(x).
bool foi_expand_results(foi_session *s, const foi_context *ctx, const foi_ast *e,
                        const foi_value **results, uint32_t *count);

/// The argument with this name, or at this place among those without a name; NULL: not given.
const foi_ast *foi_call_argument(const foi_ast *e, uint32_t place, const char *name);
/// The built-in function of this name when it works element by element; FOI_FN_COUNT: none.
foi_flat_builtin foi_scalar_function(const char *name);

/// The function or record that is called; NULL after a message.
foi_class *foi_called_class(foi_session *s, const foi_context *ctx, const foi_ast *e,
                            foi_instance **self);

// distribution.c

/// spatialDistribution(): its two results.
bool foi_distribution_call(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           const foi_value **results);

// overload.c

/// Operators of operator records: *handled, where an operand is one.
bool foi_overloaded_binary(foi_session *s, foi_place place, foi_flat_op op, bool elementwise,
                           const foi_value *a, const foi_value *b, bool *handled, foi_value *out);
bool foi_overloaded_unary(foi_session *s, foi_place place, foi_flat_op op, const foi_value *a,
                          bool *handled, foi_value *out);
/// sum(v) by the operators '+' and '0'.
bool foi_overloaded_sum(foi_session *s, foi_place place, const foi_value *v, bool *handled,
                        foi_value *out);
/// String(v) of a record.
bool foi_overloaded_text(foi_session *s, const foi_context *ctx, const foi_ast *e,
                         const foi_value *v, foi_value *out);
/// The constructor that fits a call of the record's name.
bool foi_overloaded_construct(foi_session *s, const foi_context *ctx, const foi_ast *e,
                              foi_class *c, bool *handled, foi_value *out);

// redeclare.c

/// The type that a component has by its declaration, or by the strongest redeclaration; its layers
/// become those that count for that type.
bool foi_find_declared_type(foi_session *s, foi_component *c);
/// redeclare parameter Type name: what is said beside the type counts, too.
bool foi_take_prefixes(foi_session *s, foi_component *c);

// slice.c

/// i, an Integer of the run, where the run checks that it lies in 1..size: the number of one of
/// what `name` has.
const foi_flat_expr *foi_number_within(foi_session *s, const char *name, uint32_t size,
                                       const foi_flat_expr *i);
/// E(i) of an enumeration: the literal of that number.
bool foi_literal_of_number(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                           foi_value *value);
/// x[i : i + 2] where i is known in the run only: *handled, if it is that.
bool foi_moving_slice(foi_session *s, const foi_context *ctx, const foi_ref *ref, bool *handled,
                      foi_value *value);

// closure.c

/// The function that an input of the function around stands for; NULL: the name is no such input.
const foi_value *foi_functional_input(const foi_context *ctx, const foi_ref *ref);
/// An input of a function that was given a function: it has no type and no variables.
bool foi_is_handed_over(const foi_component *c);
/// A function as an argument.
bool foi_expand_function(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out);
/// Is the type of a component a function?
bool foi_is_functional(foi_session *s, const foi_member *m);
/// Does it fit the input `m`?
bool foi_check_function(foi_session *s, foi_place place, const foi_member *m, const foi_value *v);
/// The function with what it was given in locals that are added to the list.
bool foi_hide_function(foi_session *s, const char *name, const foi_value *v,
                       foi_flat_variable ***locals, uint32_t *count, foi_value *out);

// array.c

/// Array functions: true in *handled when `name` is one.
bool foi_array_function(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                        bool *handled, foi_value *value);

// initial_order.c

/// Statements that give variables of a function their first values, each after those of what it is
/// made of. False, with a message, where one follows from itself.
bool foi_order_values(foi_session *s, foi_flat_statement **list, uint32_t count, uint32_t locals);

// function.c

/// `self`: the instance through which the function is named; NULL: none. A function without results
/// gives *count = 0 and one result all the same, an Integer 0, unless its body is elsewhere.
bool foi_call_function(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                       foi_instance *self, const foi_value **results, uint32_t *count);
/// The same for a function that was handed over.
bool foi_call_closure(foi_session *s, const foi_context *ctx, const foi_ast *e,
                      const foi_closure *f, const foi_value **results, uint32_t *count);
/// The same with values for the first inputs.
bool foi_call_values(foi_session *s, const foi_context *ctx, foi_place place, foi_class *c,
                     const foi_value *values, uint32_t count, const foi_value **results,
                     uint32_t *result_count);
/// The default of an input of a function or a field of a record: what short classes and extends
/// clauses say, else its declaration; NULL: none. *there: where it is understood.
const foi_ast *foi_default_value(foi_session *s, foi_instance *self, const foi_member *m,
                                 foi_context *there);
/// Expands the bodies of all functions that were called.
bool foi_finish_functions(foi_session *s);
/// Makes the bodies of the functions that have been called so far.
bool foi_expand_bodies(foi_session *s);
/// The value of an expression before the run, through functions too; see foi_flat_evaluate.
bool foi_known(foi_session *s, const foi_flat_expr *e, bool mark, double *value);

// shape.c

/// Does a name occur in the expression?
bool foi_has_names(const foi_ast *e);
/// Does a name occur in an expression, other than where its size is asked for?
bool foi_mentions(const foi_ast *e, const char *name);

/// Does a size in the body of a loop depend on its variable?
bool foi_body_shapes(const foi_branch_ast *body, const char *name);
/// May sizes in this function follow from the values of its arguments?
bool foi_values_matter(foi_session *s, foi_class *c);
/// What is assigned to a variable of a function as a whole, before anything else is; NULL: nothing.
/// `text` is the class, it or a base, where that is written.
const foi_ast *foi_first_assigned(const foi_class *c, const char *name, foi_class **text);
/// Is a variable of a function assigned in its algorithm?
bool foi_is_assigned(const foi_class *c, const char *name);

// equation.c

/// Adds left = right, element by element, to the sink.
bool foi_add_equation(foi_session *s, foi_place place, const foi_value *left,
                      const foi_value *right);
/// The equations and algorithms of an instance, those of its bases first.
bool foi_expand_sections(foi_session *s, foi_instance *instance);
bool foi_add_assert(foi_session *s, const foi_flat_assert *assertion);

// assigned.c

/// Marks the variables that the left sides of a model's algorithm name.
void foi_mark_left_sides(const foi_context *ctx, foi_equation_ast *const *items, uint32_t count);

// statement.c

bool foi_expand_statements(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                           uint32_t count, foi_flat_block *block);
/// A call without results, for what it checks: an assertion that holds when the call comes back.
bool foi_called(foi_session *s, const foi_value *done, const foi_flat_expr **condition,
                const foi_flat_expr **message);
bool foi_expand_assert(foi_session *s, const foi_context *ctx, const foi_ast *call,
                       foi_flat_assert *assertion);
/// The conditions of a when: one, or those of a vector.
bool foi_expand_conditions(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           foi_flat_branch *branch);

// connect.c

/// Union and find: the smaller number is the root.
uint32_t foi_root_of(uint32_t *parent, uint32_t i);
bool foi_unite(uint32_t *parent, uint32_t a, uint32_t b);
bool foi_connect(foi_session *s, const foi_context *ctx, const foi_equation_ast *e);
/// The equations of all connections.
bool foi_finish_connections(foi_session *s);
/// Notes the flow variables of a component.
bool foi_note_flows(foi_session *s, const foi_component *c);

// deselect.c

/// Does a modification of an extends clause say `break name`?
bool foi_is_left_out(const foi_modifier *m, const char *name);
/// What is not inherited must be there.
bool foi_check_left_out(foi_session *s, const foi_class *base, const foi_modifier *m);
/// Is a connection not inherited, or one of a component that is not?
bool foi_is_connection_left_out(const foi_context *ctx, const foi_equation_ast *e);

// clock.c

/// Operators of clocks.
bool foi_clock_call(foi_session *s, const foi_context *ctx, const foi_ast *e, const char *name,
                    bool *handled, foi_value *out);
/// Makes ordinary whens of clocked partitions, when all equations are there.
bool foi_resolve_clocks(foi_session *s);

// machine.c

/// Gets ready to collect state machines, where a text that was read names their operators.
void foi_machines_begin(foi_session *s);
/// All that the instance gives to the model lies between these two.
uint32_t foi_machine_open(foi_session *s, const foi_instance *instance);
void foi_machine_close(foi_session *s, uint32_t span);
/// transition(...) and initialState(...): *handled, if it is one.
bool foi_machine_equation(foi_session *s, const foi_context *ctx, const foi_ast *e, bool *handled);
/// activeState(state), ticksInState(), timeInState().
bool foi_machine_call(foi_session *s, const foi_context *ctx, const foi_ast *e, int operation,
                      foi_value *out);
/// Which states there are, and what belongs to them: before connections are made equations.
bool foi_form_machines(foi_session *s);
/// Makes clocked equations of state machines, when all equations are there.
bool foi_resolve_machines(foi_session *s);

// stream.c

/// inStream and actualStream.
bool foi_stream_call(foi_session *s, const foi_context *ctx, const foi_ast *e, bool actual,
                     foi_value *out);
/// Notes the stream variables of a component.
bool foi_note_streams(foi_session *s, const foi_component *c);
/// The equations of stream variables: sets of connected nodes, each linked from its root.
bool foi_finish_streams(foi_session *s, const uint32_t *next, const uint32_t *root, uint32_t nodes);

// expandable.c

/// Is it an expandable connector?
bool foi_is_bus(const foi_class *c);
/// Adds to the expandable connectors of the model what is connected to them.
bool foi_grow_buses(foi_session *s, foi_instance *top);

// structure.c

/// What is done with the connections of a model, and with calls of Connections.
typedef struct foi_visitor {
    bool (*connect)(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, void *data);
    bool (*call)(foi_session *s, const foi_context *ctx, const foi_ast *call, void *data);
    void *data;
} foi_visitor;

/// Visits all connections of an instance and of what is in it.
bool foi_visit(foi_session *s, foi_instance *instance, const foi_visitor *v);
/// Finds out what is connected with what: after all components are made, before equations.
bool foi_survey(foi_session *s, foi_instance *top);
/// The function by which a record is overconstrained; NULL: it is not.
foi_class *foi_equality_constraint(foi_session *s, foi_class *c);
/// Is the next connection of these two records one that the spanning tree leaves out?
bool foi_is_broken(foi_session *s, const void *a, const void *b);
/// Connections.isRoot, rooted, cardinality.
bool foi_structure_call(foi_session *s, const foi_context *ctx, const foi_ast *e, bool *handled,
                        foi_value *out);

// flatten.c

bool foi_flatten(foi_session *s, foi_class *c);
/// The same of any analysed class that has components, be it one that cannot be run by itself.
bool foi_flatten_whole(foi_session *s, foi_class *c);

// partial.c

/// The base of `c`, function c = der(f, x): a function that is written as the partial derivative of
/// f, whatever class f is where c stands. NULL after a message.
foi_class *foi_derivative_of_function(foi_session *s, foi_class *c, foi_class *f);

// names.c

/// Are the names in the text of a class declared, as far as that can be said without an instance?
bool foi_check_names(foi_session *s, foi_class *c);

// review.c

/// What only a class that is used, or extended, can have (a value, an inner component, a body) is
/// missing. False: the class must have it, and the caller says so. True: it is being reviewed; what
/// is found from now on may follow from what is missing, and does not count.
bool foi_lacks(foi_session *s);
/// The same of what may come through its connectors or inputs only: a clock.
bool foi_lacks_outside(foi_session *s);
/// Looks at these classes and at those in them, but for the one of this path (NULL: none is left
/// out); `whole` gets the models that are complete. False when memory is lacking.
bool foi_review_classes(foi_session *s, const char *but, foi_class *const *classes, uint32_t count,
                        fo_text_review *about, foi_whole_visit *whole, void *self);
/// The same of one class, wherever it is written.
bool foi_review_class(foi_session *s, foi_class *c, fo_text_review *about, foi_whole_visit *whole,
                      void *self);

/* event.c */

/// Inputs of the model that are named events: `input Boolean tap annotation(__Foliot_event(value =
/// p))`.
bool foi_declare_events(foi_session *s, foi_instance *top);

/* unit.c */

/// Components that units of other tools compute: `annotation(__Foliot_fmu(file = "engine.fmu"))` of
/// their block.
bool foi_declare_units(foi_session *s, foi_instance *top);

#endif
