/// XML as FMUs need it: elements and attributes, one pass. Document types and their entities are
/// refused, text between elements is passed over.
#ifndef FOI_XML_H
#define FOI_XML_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct foi_xml_attribute {
    const char *name, *value; ///< with entities resolved
} foi_xml_attribute;

/// An element that begins. Valid during the call.
typedef struct foi_xml_element {
    const char *name;
    const foi_xml_attribute *attributes;
    size_t count;
    uint32_t line;
    uint32_t depth; ///< 1: the root
} foi_xml_element;

typedef struct foi_xml_def {
    const char *file; ///< for messages
    const char *text;
    size_t length;
    void *self;
    fo_status (*begin)(void *self, const foi_xml_element *e, fo_message *why);
    fo_status (*end)(void *self, const char *name, fo_message *why); ///< may be NULL
    const fo_allocator *allocator;
} foi_xml_def;

/// Reads a document. FO_OK, what a function returned, FO_ERROR_FORMAT or FO_ERROR_MEMORY; messages
/// begin with file:line.
fo_status foi_xml_read(const foi_xml_def *def, fo_message *why);

/// The value of an attribute; NULL: it is not there.
const char *foi_xml_get(const foi_xml_element *e, const char *name);

#endif
