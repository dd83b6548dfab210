/* SPDX-License-Identifier: Apache-2.0 */
/* Variables from DWARF, through libdw if the library is built with it. */
#include "samite/variables.h"

#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "format/format.h"
#include "samite/format.h"

#if SAM_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

struct sam_variables {
    void *bytes; /* an ELF file made of the image */
    Elf *elf;
    Dwarf *dwarf;
};

enum sam_status sam_variables_open(const struct sam_image *image, struct sam_variables **variables,
                                   struct sam_error *error)
{
    size_t size;
    if (variables)
        *variables = NULL;
    if (SAM_LACKS(error, image, variables))
        return SAM_ERR_USAGE;
    if (!image->debug_count)
        return SAM_OK;
    struct sam_variables *v = sam_alloc(1, sizeof *v);
    if (!v)
        return sam_fail_memory(error);
    enum sam_status status = sam_elf_make(image, &v->bytes, &size, error);
    if (status == SAM_OK) {
        v->elf = elf_memory(v->bytes, size);
        v->dwarf = v->elf ? dwarf_begin_elf(v->elf, DWARF_C_READ, NULL) : NULL;
    }
    if (status != SAM_OK || !v->dwarf) {
        sam_variables_close(v);
        return status; /* no DWARF, no variables */
    }
    *variables = v;
    return SAM_OK;
}

void sam_variables_close(struct sam_variables *v)
{
    if (!v)
        return;
    if (v->dwarf)
        dwarf_end(v->dwarf);
    elf_end(v->elf);
    free(v->bytes);
    free(v);
}

/* --- types */

/* The type that an entry refers to, without names and qualifiers. */
static bool type_of(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attribute), type))
        return false;
    for (int depth = 0; depth < 64; depth++) {
        const int tag = dwarf_tag(type);
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_restrict_type)
            return true;
        if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attribute), type))
            return false;
    }
    return false;
}

static bool number_type(Dwarf_Die *type, enum sam_dtype *dtype)
{
    static const enum sam_dtype signs[] = {SAM_I8, SAM_I16, SAM_I32, SAM_I64},
                                plain[] = {SAM_U8, SAM_U16, SAM_U32, SAM_U64};
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0, size = 0;
    if (dwarf_formudata(dwarf_attr(type, DW_AT_byte_size, &attribute), &size) != 0)
        return false;
    dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding);
    if (dwarf_tag(type) == DW_TAG_enumeration_type)
        encoding = DW_ATE_signed;
    const unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    if (log == 4)
        return false;
    if (encoding == DW_ATE_float)
        *dtype = size == 2 ? SAM_F16 : size == 4 ? SAM_F32 : SAM_F64;
    else
        *dtype =
            encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? signs[log] : plain[log];
    return encoding != DW_ATE_float || size > 1;
}

struct adding {
    struct sam_variable *variable;
    unsigned depth;
};

static void add_fields(struct adding *a, Dwarf_Die *type, const char *path, uint64_t offset);

static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static void add_elements(struct adding *a, Dwarf_Die *type, const char *path, uint64_t offset)
{
    Dwarf_Die element;
    char text[64];
    if (!type_of(type, &element))
        return;
    const uint64_t all = size_of(type), each = size_of(&element);
    for (uint64_t i = 0; each && (i + 1) * each <= all && i < SAM_VARIABLE_PIECES; i++) {
        snprintf(text, sizeof text, "%.40s[%u]", path, (unsigned)i);
        add_fields(a, &element, text, offset + i * each);
    }
}

static void add_members(struct adding *a, Dwarf_Die *type, const char *path, uint64_t offset)
{
    Dwarf_Die member, of;
    char text[64];
    for (int next = dwarf_child(type, &member); next == 0;
         next = dwarf_siblingof(&member, &member)) {
        Dwarf_Attribute attribute;
        Dwarf_Word at = 0;
        const char *name = dwarf_diename(&member);
        if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &of))
            continue;
        dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &at);
        snprintf(text, sizeof text, "%.30s.%.30s", path, name ? name : "");
        add_fields(a, &of, text, offset + at);
    }
}

static void add_fields(struct adding *a, Dwarf_Die *type, const char *path, uint64_t offset)
{
    struct sam_variable *v = a->variable;
    struct sam_variable_field field = {.offset = (uint32_t)offset, .pointee = SAM_OPAQUE};
    const int tag = dwarf_tag(type);
    Dwarf_Die to;
    if (v->field_count == SAM_VARIABLE_PIECES || a->depth == 8 || offset > UINT32_MAX)
        return;
    a->depth++;
    if (tag == DW_TAG_array_type) {
        add_elements(a, type, path, offset);
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
        add_members(a, type, path, offset);
    } else if (tag == DW_TAG_pointer_type) {
        const uint64_t size = size_of(type);
        field.pointer = true;
        field.type = size == 8 ? SAM_U64 : SAM_U32;
        if (type_of(type, &to) && !number_type(&to, &field.pointee))
            field.pointee = SAM_OPAQUE;
    }
    if (tag == DW_TAG_pointer_type || (tag == DW_TAG_base_type && number_type(type, &field.type)) ||
        (tag == DW_TAG_enumeration_type && number_type(type, &field.type))) {
        snprintf(field.path, sizeof field.path, "%s", path);
        v->fields[v->field_count++] = field;
    }
    a->depth--;
}

/* --- locations */

/* Read the operators from *at on up to DW_OP_piece or the end. */
static void read_piece(const Dwarf_Op *ops, size_t count, size_t *at,
                       struct sam_variable_piece *piece)
{
    bool known = true, any = false, value = false;
    *piece = (struct sam_variable_piece){.kind = SAM_PIECE_NOWHERE};
    for (; *at < count && ops[*at].atom != DW_OP_piece; ++*at) {
        const Dwarf_Op *op = &ops[*at];
        any = true;
        switch (op->atom) {
        case DW_OP_addr:
            piece->kind = SAM_PIECE_MEMORY;
            piece->value = op->number;
            break;
        case DW_OP_const1u:
        case DW_OP_const2u:
        case DW_OP_const4u:
        case DW_OP_const8u:
        case DW_OP_constu:
            piece->kind = SAM_PIECE_VALUE;
            piece->value = op->number;
            break;
        case DW_OP_deref:
            known &= piece->kind == SAM_PIECE_MEMORY;
            piece->kind = SAM_PIECE_SUM;
            break;
        case DW_OP_plus_uconst:
            if (piece->kind == SAM_PIECE_SUM)
                piece->add += op->number;
            else
                piece->value += op->number;
            break;
        case DW_OP_stack_value:
            value = true;
            if (piece->kind == SAM_PIECE_MEMORY)
                piece->kind = SAM_PIECE_VALUE;
            break;
        default: known = false; break;
        }
    }
    if (!known || !any || (piece->kind != SAM_PIECE_MEMORY && !value))
        piece->kind = SAM_PIECE_NOWHERE;
}

static void read_location(Dwarf_Die *die, uint64_t pc, struct sam_variable *v)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count = 0, at = 0;
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1)
        return;
    while (at < count && v->piece_count < SAM_VARIABLE_PIECES) {
        struct sam_variable_piece *piece = &v->pieces[v->piece_count++];
        read_piece(ops, count, &at, piece);
        piece->size = at < count ? (uint32_t)ops[at].number : v->size;
        at++;
    }
}

/* The compilation unit that has code at an address. */
static bool unit_at(Dwarf *dwarf, uint64_t pc, Dwarf_Die *unit)
{
    Dwarf_Off at = 0, next;
    size_t header;
    while (dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(dwarf, at + header, unit) && dwarf_haspc(unit, pc) > 0)
            return true;
        at = next;
    }
    return false;
}

bool sam_variables_at(struct sam_variables *v, uint64_t pc, size_t index, struct sam_variable *out)
{
    Dwarf_Die unit, *scopes, child, type;
    bool found = false;
    if (!v || !out || !unit_at(v->dwarf, pc, &unit))
        return false;
    const int count = dwarf_getscopes(&unit, pc, &scopes);
    size_t seen = 0;
    for (int i = 0; i < count && !found; i++) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_compile_unit)
            break;
        for (int next = dwarf_child(&scopes[i], &child); next == 0 && !found;
             next = dwarf_siblingof(&child, &child)) {
            const int tag = dwarf_tag(&child);
            const char *name = dwarf_diename(&child);
            if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !name ||
                seen++ != index)
                continue;
            *out = (struct sam_variable){.parameter = tag == DW_TAG_formal_parameter};
            snprintf(out->name, sizeof out->name, "%s", name);
            found = true;
            if (!type_of(&child, &type))
                continue;
            struct adding a = {.variable = out};
            out->array = dwarf_tag(&type) == DW_TAG_array_type;
            out->size = (uint32_t)size_of(&type);
            add_fields(&a, &type, "", 0);
            read_location(&child, pc, out);
        }
    }
    if (count > 0)
        free(scopes);
    return found;
}

#else

enum sam_status sam_variables_open(const struct sam_image *image, struct sam_variables **variables,
                                   struct sam_error *error)
{
    if (SAM_LACKS(error, image, variables))
        return SAM_ERR_USAGE;
    *variables = NULL;
    return SAM_OK;
}

void sam_variables_close(struct sam_variables *variables)
{
    (void)variables;
}

bool sam_variables_at(struct sam_variables *variables, uint64_t pc, size_t index,
                      struct sam_variable *variable)
{
    (void)variables;
    (void)pc;
    (void)index;
    (void)variable;
    return false;
}

#endif
