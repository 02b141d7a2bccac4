/// Documents of structures: what the files that read them share.
#ifndef FOI_STRUCTURE_DOCUMENT_H
#define FOI_STRUCTURE_DOCUMENT_H

#include "structure/fields.h"

struct fo_structure_document {
    fo_structure *structure;
    fo_hamiltonian *hamiltonian;
    fo_structure_run run;
    char **texts; ///< solver and plot
    size_t text_count, text_room;
    const char **plot;
    const fo_allocator *allocator;
};

/// A node that a value names: its name, or its number from 1.
fo_status foi_read_node(const foi_fields *f, const fo_structure *s, const foi_json_value *v,
                        uint32_t *node);
/// true, or a text of letters x, y, z.
fo_status foi_read_fixed(const foi_fields *f, const foi_json_value *object, const char *key,
                         unsigned *fixed);
fo_status foi_read_nodes(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_springs(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_matrix(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_lattices(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_parts(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_changes(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_status foi_read_ports(const foi_fields *f, fo_structure *s, const foi_json_value *root);
fo_hamiltonian *foi_read_hamiltonian(const foi_fields *f, const foi_json_value *root);

#endif
