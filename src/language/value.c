/// Arrays of flat expressions.
#include <string.h>

#include "language/session.h"

foi_value foi_scalar(const foi_flat_expr *e)
{
    return (foi_value){.type = e ? e->type : FOI_REAL, .count = 1, .one = e};
}

static bool count_of(foi_session *s, foi_place place, uint32_t rank, const uint32_t *dims,
                     uint32_t *count)
{
    uint64_t n = 1;
    if (rank > FOI_MOST_RANK)
        return foi_error(s, place, "an array has at most %d dimensions", FOI_MOST_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        n *= dims[i];
        if (n > FOI_MOST_ELEMENTS)
            return foi_error(s, place, "an array has at most %d elements", FOI_MOST_ELEMENTS);
    }
    *count = (uint32_t)n;
    return foi_work(s, place, n);
}

bool foi_new_array(foi_session *s, foi_place place, foi_flat_type type, uint32_t rank,
                   const uint32_t *dims, foi_value *value, const foi_flat_expr ***list)
{
    *value = (foi_value){.type = type, .rank = rank};
    if (!count_of(s, place, rank, dims, &value->count)) return false;
    for (uint32_t i = 0; i < rank; i++) value->dims[i] = dims[i];
    *list = foi_arena_new(&s->arena, value->count, sizeof **list);
    value->list = *list;
    return *list;
}

bool foi_new_like(foi_session *s, foi_place place, const foi_value *v, uint32_t rank,
                  const uint32_t *dims, foi_value *value, const foi_flat_expr ***list)
{
    foi_class *literals = v->literals;
    if (!foi_new_array(s, place, v->type, rank, dims, value, list)) return false;
    value->literals = literals;
    return true;
}

// A record's parts are those of its fields.
static bool record_part(foi_session *s, foi_place place, const foi_value *v,
                        const uint32_t *indices, uint32_t count, foi_value *part)
{
    uint32_t n = v->record->member_count;
    foi_value *fields = foi_arena_new(&s->arena, n, sizeof *fields);
    if (!fields) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!foi_part_of(s, place, &v->fields[i], indices, count, &fields[i])) return false;
    *part = (foi_value){.record = v->record, .rank = v->rank - count, .count = 1, .fields = fields};
    for (uint32_t i = 0; i < part->rank; i++) {
        part->dims[i] = v->dims[count + i];
        part->count *= part->dims[i];
    }
    return true;
}

bool foi_part_of(foi_session *s, foi_place place, const foi_value *v, const uint32_t *indices,
                 uint32_t count, foi_value *part)
{
    if (count > v->rank)
        return foi_error(s, place, "%u subscripts for an array of %u dimensions", count, v->rank);
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] >= v->dims[i])
            return foi_error(s, place, "subscript %u is beyond the size %u", indices[i] + 1,
                             v->dims[i]);
    if (v->record) return record_part(s, place, v, indices, count, part);
    uint32_t stride = v->count, offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        stride = v->dims[i] ? stride / v->dims[i] : 0;
        offset += indices[i] * stride;
    }
    foi_value p = {.type = v->type, .literals = v->literals, .rank = v->rank - count};
    p.count = 1;
    for (uint32_t i = 0; i < p.rank; i++) p.dims[i] = v->dims[count + i], p.count *= p.dims[i];
    if (p.rank)
        p.list = v->list + offset;
    else
        p.one = foi_item(v, offset);
    *part = p;
    return true;
}

bool foi_same_size(const foi_value *a, const foi_value *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

const char *foi_type_text(foi_session *s, const foi_value *v)
{
    static const char *const names[] = {"Real", "Integer", "Boolean", "String"};
    const char *text = v->record     ? v->record->name
                       : v->literals ? v->literals->name
                                     : names[v->type];
    for (uint32_t i = 0; text && i < v->rank; i++)
        text = foi_arena_print(&s->arena, i ? "%s, %u" : "%s[%u", text, v->dims[i]);
    if (text && v->rank) text = foi_arena_print(&s->arena, "%s]", text);
    return text ? text : "";
}

bool foi_convert(foi_session *s, foi_place place, foi_value *v, foi_flat_type type,
                 foi_class *literals, const char *what)
{
    if (!v->record && v->type == type && v->literals == literals) return true;
    bool fits = !v->record && type == FOI_REAL && v->type == FOI_INTEGER && !v->literals;
    if (!fits) {
        if (v->count == 0 && !v->record) {
            v->type = type, v->literals = literals;
            return true;
        }
        foi_value wanted = {.type = type, .literals = literals};
        return foi_error(s, place, "%s must be %s, not %s", what, foi_type_text(s, &wanted),
                         foi_type_text(s, v));
    }
    if (v->rank == 0) {
        v->one = foi_flat_as_real(s->flat, v->one);
        v->type = FOI_REAL;
        return v->one;
    }
    const foi_flat_expr **list = foi_arena_new(&s->arena, v->count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (!(list[i] = foi_flat_as_real(s->flat, v->list[i]))) return false;
    v->list = list, v->type = FOI_REAL;
    return true;
}

static bool stack_records(foi_session *s, foi_place place, const foi_value *items, uint32_t count,
                          foi_value *value)
{
    uint32_t n = items[0].record->member_count;
    foi_value *fields = foi_arena_new(&s->arena, n, sizeof *fields);
    foi_value *column = foi_arena_new(&s->arena, count, sizeof *column);
    if (!fields || !column) return false;
    for (uint32_t f = 0; f < n; f++) {
        for (uint32_t i = 0; i < count; i++) column[i] = items[i].fields[f];
        if (!foi_stack(s, place, column, count, &fields[f])) return false;
    }
    *value = items[0];
    memmove(value->dims + 1, items[0].dims, items[0].rank * sizeof value->dims[0]);
    value->rank++;
    value->dims[0] = count, value->count = items[0].count * count;
    value->fields = fields;
    return true;
}

// Where the component of this name is in a record; the number of its components: nowhere.
static uint32_t place_in(const foi_class *record, const char *name)
{
    uint32_t i = 0;
    while (i < record->member_count && record->members[i].declaration->name != name) i++;
    return i;
}

bool foi_as_record(foi_session *s, foi_place place, foi_class *like, foi_value *v)
{
    if (!like || !v->record || v->record == like || v->record->is_object || like->is_object)
        return true;
    if (!foi_analyse(s, like) || like->builtin || v->record->member_count != like->member_count)
        return true; // said where it matters
    if (!foi_enter(s, place)) return false;
    foi_value *fields = foi_arena_new(&s->arena, like->member_count, sizeof *fields);
    bool right = fields;
    for (uint32_t i = 0; right && i < like->member_count; i++) {
        foi_declaration *d = like->members[i].declaration;
        uint32_t k = place_in(v->record, d->name);
        if (k == like->member_count) {
            right = foi_error(s, place, "record '%s' has no '%s', which '%s' has", v->record->name,
                              d->name, like->name);
            break;
        }
        fields[i] = v->fields[k];
        if (!fields[i].record) continue;
        if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
        right = d->resolved && foi_as_record(s, place, d->resolved, &fields[i]);
    }
    s->depth--;
    if (right) v->record = like, v->fields = fields;
    return right;
}

static bool check_stack(foi_session *s, foi_place place, foi_value *items, uint32_t count,
                        foi_value *like)
{
    for (uint32_t i = 1; i < count; i++)
        if (!foi_as_record(s, place, items[0].record, &items[i])) return false;
    *like = items[0];
    if (like->rank >= FOI_MOST_RANK)
        return foi_error(s, place, "an array has at most %d dimensions", FOI_MOST_RANK);
    for (uint32_t i = 1; i < count; i++) {
        const foi_value *v = &items[i];
        bool numbers = !v->record && !like->record && !v->literals && !like->literals &&
                       v->type <= FOI_INTEGER && like->type <= FOI_INTEGER;
        bool same = foi_same_record(v->record, like->record) && v->literals == like->literals &&
                    v->type == like->type;
        if (!foi_same_size(v, like) || !(numbers || same))
            return foi_error(
                s, place,
                "the elements of an array must have the same type and size, not %s and %s",
                foi_type_text(s, &items[0]), foi_type_text(s, v));
        if (v->type == FOI_REAL) like->type = FOI_REAL;
    }
    return true;
}

bool foi_stack(foi_session *s, foi_place place, foi_value *items, uint32_t count, foi_value *value)
{
    if (count == 0) {
        const foi_flat_expr **none;
        return foi_new_array(s, place, FOI_REAL, 1, (uint32_t[]){0}, value, &none);
    }
    foi_value like;
    if (!check_stack(s, place, items, count, &like)) return false;
    if (like.record) return stack_records(s, place, items, count, value);
    uint32_t dims[FOI_MOST_RANK] = {count};
    memcpy(dims + 1, like.dims, like.rank * sizeof dims[0]);
    const foi_flat_expr **list;
    if (!foi_new_like(s, place, &like, like.rank + 1, dims, value, &list)) return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < like.count; j++) {
            const foi_flat_expr *e = foi_item(&items[i], j);
            if (like.type == FOI_REAL) e = foi_flat_as_real(s->flat, e);
            if (!e) return false;
            *list++ = e;
        }
    return true;
}

bool foi_flatten_value(foi_session *s, const foi_value *v, const foi_flat_expr ***list,
                       uint32_t *count)
{
    for (uint32_t i = 0; v->function && i < v->function->count; i++)
        if (!foi_flatten_value(s, &v->function->values[i], list, count)) return false;
    if (!v->record) {
        for (uint32_t i = 0; i < v->count; i++) {
            const foi_flat_expr **slot = foi_arena_add(&s->arena, list, count, sizeof *slot);
            if (!slot) return false;
            *slot = foi_item(v, i);
        }
        return true;
    }
    if (v->rank == 0) {
        for (uint32_t f = 0; f < v->record->member_count; f++)
            if (!foi_flatten_value(s, &v->fields[f], list, count)) return false;
        return true;
    }
    for (uint32_t i = 0; i < v->dims[0]; i++) {
        foi_value part;
        if (!foi_part_of(s, (foi_place){0}, v, &i, 1, &part) ||
            !foi_flatten_value(s, &part, list, count))
            return false;
    }
    return true;
}

const foi_flat_expr *foi_join(foi_session *s, foi_flat_op op, const foi_flat_expr *const *list,
                              uint32_t count)
{
    // short sums from the left, as one writes them; long ones by halves
    if (count > 8) {
        uint32_t half = count / 2;
        return foi_flat_binary(s->flat, op, foi_join(s, op, list, half),
                               foi_join(s, op, list + half, count - half));
    }
    const foi_flat_expr *sum = list[0];
    for (uint32_t i = 1; i < count; i++) sum = foi_flat_binary(s->flat, op, sum, list[i]);
    return sum;
}
