/// Documents of structures: what the files that read them share.
#ifndef FOI_STRUCTURE_DOCUMENT_H
#define FOI_STRUCTURE_DOCUMENT_H

#include "base/json_read.h"
#include "structure/read.h"
#include "structure/structure.h"

struct fo_structure_document {
    fo_structure *structure;
    fo_hamiltonian *hamiltonian;
    foi_experiment run;
    char **texts; ///< solver and plot
    size_t text_count, text_room;
    const char **plot;
    const fo_allocator *allocator;
};

/// A node that a value names: its name, or its number from 1.
uint32_t foi_read_node(foi_reader *r, const fo_structure *s, const foi_json_value *v);
/// true, or a text of letters x, y, z.
unsigned foi_read_fixed(foi_reader *r, const foi_json_value *object, const char *key);
void foi_read_nodes(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_springs(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_matrix(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_lattices(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_parts(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_changes(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_ports(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_bends(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_volumes(foi_reader *r, fo_structure *s, const foi_json_value *root);
void foi_read_skins(foi_reader *r, fo_structure *s, const foi_json_value *root);
fo_hamiltonian *foi_read_hamiltonian(foi_reader *r, const foi_json_value *root);
/// Writes the members of a Hamiltonian's document.
void foi_hamiltonian_put(foi_json_writer *w, const fo_hamiltonian *h);

#endif
