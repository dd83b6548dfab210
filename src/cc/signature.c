/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a kernel: where its arguments lie in the argument buffer (pointers in 4 bytes,
 * other values at their own alignment, at least 4), and the lines that describe them to `samite
 * run`. */
#include <string.h>

#include "cc/cc.h"

static void layout(struct cc *cc, llvm_ref function, unsigned index, uint32_t *size,
                   uint32_t *align)
{
    const unsigned kind = cc->ll.GetEnumAttributeKindForName("byval", 5);
    llvm_ref type = cc->ll.TypeOf(cc->ll.GetParam(function, index));
    llvm_ref attribute = cc->ll.GetEnumAttributeAtIndex(function, index + 1, kind);
    if (attribute)
        type = cc->ll.GetTypeAttributeValue(attribute);
    *size = (uint32_t)cc->ll.ABISizeOfType(cc->layout, type);
    *align = cc->ll.ABIAlignmentOfType(cc->layout, type);
    *align = *align < 4 ? 4 : *align;
}

uint32_t sam_cc_argument_at(struct cc *cc, llvm_ref function, unsigned index)
{
    uint32_t at = 0, size = 0, align;
    for (unsigned i = 0; i <= index; i++) {
        at += size;
        layout(cc, function, i, &size, &align);
        at = (at + align - 1) & ~(align - 1);
    }
    return at;
}

llvm_ref sam_cc_metadata(struct cc *cc, llvm_ref global, const char *name)
{
    size_t count;
    llvm_ref entries = cc->ll.GlobalCopyAllMetadata(global, &count), found = NULL;
    const unsigned kind = cc->ll.GetMDKindIDInContext(cc->context, name, (unsigned)strlen(name));
    for (unsigned i = 0; i < count; i++)
        if (cc->ll.ValueMetadataEntriesGetKind(entries, i) == kind)
            found = cc->ll.MetadataAsValue(cc->context,
                                           cc->ll.ValueMetadataEntriesGetMetadata(entries, i));
    cc->ll.DisposeValueMetadataEntries(entries);
    return found;
}

/* The string that node `name` of the function has for argument `index`. */
static const char *string(struct cc *cc, llvm_ref function, const char *name, unsigned index,
                          int *length)
{
    llvm_ref node = sam_cc_metadata(cc, function, name), operands[256];
    unsigned size = 0;
    *length = 0;
    if (!node || cc->ll.GetMDNodeNumOperands(node) > SAM_COUNT(operands) ||
        index >= cc->ll.GetMDNodeNumOperands(node))
        return "";
    cc->ll.GetMDNodeOperands(node, operands);
    const char *text = operands[index] ? cc->ll.GetMDString(operands[index], &size) : NULL;
    *length = (int)size;
    return text ? text : "";
}

/* The type as in the source; where that is another name of a scalar, or of a pointer to one, the
 * scalar's own. */
static const char *type_of(struct cc *cc, llvm_ref function, unsigned index, int *length)
{
    static const char *const scalars[] = {"char", "uchar", "short", "ushort", "int",
                                          "uint", "long",  "ulong", "float"};
    int size;
    const char *base = string(cc, function, "kernel_arg_base_type", index, &size);
    *length = size;
    while (size > 0 && base[size - 1] == '*')
        size--;
    for (size_t i = 0; i < SAM_COUNT(scalars); i++)
        if (strlen(scalars[i]) == (size_t)size && memcmp(base, scalars[i], (size_t)size) == 0)
            return base;
    return string(cc, function, "kernel_arg_type", index, length);
}

const char *sam_cc_argument_name(struct cc *cc, llvm_ref function, unsigned index, int *length)
{
    return string(cc, function, "kernel_arg_name", index, length);
}

void sam_cc_required_size(struct cc *cc, llvm_ref function, uint32_t size[3])
{
    llvm_ref node = sam_cc_metadata(cc, function, "reqd_work_group_size"), operands[3];
    size[0] = size[1] = size[2] = 0;
    if (!node || cc->ll.GetMDNodeNumOperands(node) != 3)
        return;
    cc->ll.GetMDNodeOperands(node, operands);
    for (int i = 0; i < 3; i++)
        size[i] = (uint32_t)cc->ll.ConstIntGetZExtValue(operands[i]);
}

/* The address space of an argument; 0: a value. */
static unsigned space_of(struct cc *cc, llvm_ref function, unsigned i)
{
    llvm_ref type = cc->ll.TypeOf(cc->ll.GetParam(function, i));
    return cc->ll.GetTypeKind(type) == LL_POINTER ? cc->ll.GetPointerAddressSpace(type) : 0;
}

enum sam_status sam_cc_signature_check(struct cc *cc, llvm_ref function)
{
    for (unsigned i = 0; i < cc->ll.CountParams(function); i++) {
        int size;
        const char *type = string(cc, function, "kernel_arg_type", i, &size);
        if (strncmp(type, "image", 5) == 0 || strncmp(type, "sampler", 7) == 0)
            return sam_cc_refuse(cc, function, "argument %u is %.*s: images are not supported", i,
                                 size, type);
        if (space_of(cc, function, i) > AS_LOCAL)
            return sam_cc_refuse(cc, function,
                                 "argument %u: expected a pointer to __global, "
                                 "__constant or __local memory",
                                 i);
    }
    return SAM_OK;
}

void sam_cc_signature_write(struct cc *cc, llvm_ref function)
{
    static const char *const spaces[] = {"value", "global", "constant", "local", "generic"};
    size_t size;
    uint32_t required[3];
    sam_cc_required_size(cc, function, required);
    sam_buffer_printf(&cc->signatures, "kernel %s %u %u %u\\n",
                      cc->ll.GetValueName2(function, &size), required[0], required[1], required[2]);
    for (unsigned i = 0; i < cc->ll.CountParams(function); i++) {
        uint32_t bytes, align;
        int type_size, name_size;
        const unsigned space = space_of(cc, function, i);
        const char *type_name = type_of(cc, function, i, &type_size);
        const char *name = sam_cc_argument_name(cc, function, i, &name_size);
        layout(cc, function, i, &bytes, &align);
        sam_buffer_printf(&cc->signatures, "arg %s %u %u %.*s|%.*s\\n",
                          spaces[space < SAM_COUNT(spaces) ? space : 4], bytes,
                          sam_cc_argument_at(cc, function, i), type_size, type_name, name_size,
                          name);
    }
}
