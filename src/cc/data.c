/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and variables of the program: __constant tables and strings in .rodata, variables of
 * the program in .data, __local variables as offsets in the workgroup's local memory. */
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"

enum sam_status sam_cc_globals_find(struct cc *cc)
{
    size_t count = 0;
    for (llvm_ref g = cc->ll.GetFirstGlobal(cc->module); g; g = cc->ll.GetNextGlobal(g))
        count++;
    cc->globals = sam_alloc(count + 1, sizeof(llvm_ref));
    cc->local_at = sam_alloc(count + 1, sizeof *cc->local_at);
    cc->used = sam_alloc(count + 1, 1);
    if (!cc->globals || !cc->local_at || !cc->used)
        return sam_fail_memory(cc->error);
    for (llvm_ref g = cc->ll.GetFirstGlobal(cc->module); g; g = cc->ll.GetNextGlobal(g))
        cc->globals[cc->global_count++] = g;
    return SAM_OK;
}

uint32_t sam_cc_global_index(struct cc *cc, llvm_ref global)
{
    uint32_t i = 0;
    while (i < cc->global_count && cc->globals[i] != global)
        i++;
    if (i < cc->global_count && !cc->used[i])
        cc->used[i] = 1;
    return i;
}

/* Local memory is laid out for each kernel anew, as its variables are met. */
uint32_t sam_cc_local_offset(struct cc *cc, llvm_ref global)
{
    const uint32_t i = sam_cc_global_index(cc, global);
    if (cc->local_at[i])
        return cc->local_at[i] - 1;
    llvm_ref type = cc->ll.GlobalGetValueType(global);
    const uint32_t align = cc->ll.GetAlignment(global) < 4 ? 4 : cc->ll.GetAlignment(global);
    cc->local_size = (cc->local_size + align - 1) & ~(align - 1);
    cc->local_at[i] = cc->local_size + 1;
    const uint64_t size = cc->ll.ABISizeOfType(cc->layout, type);
    cc->local_size += size > 1 << 20 ? 1 << 20 : (uint32_t)size;
    return cc->local_at[i] - 1;
}

static enum sam_status write_value(struct cc *cc, struct sam_buffer *out, llvm_ref value)
{
    llvm_ref type = cc->ll.TypeOf(value);
    const int kind = cc->ll.GetTypeKind(type), what = cc->ll.GetValueKind(value);
    const uint64_t size = cc->ll.ABISizeOfType(cc->layout, type);
    if (kind == LL_ARRAY || kind == LL_VECTOR || kind == LL_STRUCT) {
        const bool data = what == LL_DATA_ARRAY || what == LL_DATA_VECTOR;
        const bool zero = what == LL_ZERO_AGGREGATE || what == LL_UNDEF || what == LL_POISON;
        const unsigned count = zero                ? 0
                               : kind == LL_STRUCT ? cc->ll.CountStructElementTypes(type)
                               : kind == LL_VECTOR ? cc->ll.GetVectorSize(type)
                                                   : cc->ll.GetArrayLength(type);
        uint64_t at = 0;
        for (unsigned i = 0; i < count; i++) {
            llvm_ref element =
                data ? cc->ll.GetElementAsConstant(value, i) : cc->ll.GetOperand(value, i);
            llvm_ref element_type = cc->ll.TypeOf(element);
            const uint64_t to =
                kind == LL_STRUCT ? cc->ll.OffsetOfElement(cc->layout, type, i) : at;
            if (to > at)
                sam_buffer_printf(out, "\t.zero\t%llu\n", (unsigned long long)(to - at));
            const enum sam_status status = write_value(cc, out, element);
            if (status != SAM_OK)
                return status;
            at = to + cc->ll.ABISizeOfType(cc->layout, element_type);
        }
        if (at < size)
            sam_buffer_printf(out, "\t.zero\t%llu\n", (unsigned long long)(size - at));
        return SAM_OK;
    }
    struct cc_function f = {.cc = cc, .slot_count = 1};
    llvm_ref empty = NULL;
    f.value_slots = &empty;
    const char *const directives[] = {[1] = ".byte", [2] = ".half", [4] = ".word"};
    struct cc_part parts[CC_MAX_PARTS];
    const unsigned n = sam_cc_parts(cc, type, 0, parts, 0);
    if (n == 0)
        return sam_fail(cc->error, SAM_ERR_INPUT, "a constant of a type that is not supported");
    for (unsigned i = 0; i < n; i++) {
        const struct cc_opnd o = sam_cc_part(&f, value, i);
        sam_buffer_printf(out, "\t%s\t", directives[parts[i].bytes]);
        if (o.kind == CC_SYMBOL)
            sam_buffer_printf(out, ".Lg%u%+d\n", o.reg, o.imm);
        else
            sam_buffer_printf(out, "%u\n",
                              parts[i].bytes == 4   ? (uint32_t)o.imm
                              : parts[i].bytes == 2 ? (uint32_t)o.imm & 65535
                                                    : (uint32_t)o.imm & 255);
    }
    return SAM_OK;
}

enum sam_status sam_cc_globals_write(struct cc *cc)
{
    enum sam_status status = SAM_OK;
    /* a table may name another one: until no more are found */
    for (bool more = true; more && status == SAM_OK;) {
        more = false;
        for (size_t i = 0; i < cc->global_count && status == SAM_OK; i++) {
            llvm_ref g = cc->globals[i], value = cc->ll.GetInitializer(g);
            if (cc->used[i] != 1 || !value ||
                cc->ll.GetPointerAddressSpace(cc->ll.TypeOf(g)) == AS_LOCAL)
                continue;
            struct sam_buffer *out = cc->ll.IsGlobalConstant(g) ? &cc->read_only : &cc->data;
            const unsigned align = cc->ll.GetAlignment(g) < 4 ? 4 : cc->ll.GetAlignment(g);
            sam_buffer_printf(out, "\t.balign\t%u\n.Lg%zu:\n", align, i);
            status = write_value(cc, out, value);
            cc->used[i] = 2;
            more = true;
        }
    }
    return status;
}
