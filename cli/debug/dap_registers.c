/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes, registers, the SIMT stack and local memory as variables of the Debug Adapter Protocol. */
#include <stdlib.h>

#include "dap.h"

enum { TL_COUNT = 32, TL_BYTES = 1024, M_COUNT = 8, SHOWN_V = 32, WARP_STACK = 1024 };

/* The location of each lane; the first row is the lane whose variables are shown, and can be set.
 */
static void list_lanes(struct dap_list *list)
{
    struct debug *d = list->dap->debug;
    struct sam_session_warp warp;
    uint64_t pcs[SAM_MAX_LANES];
    char name[32], place[512], text[600];
    if (debug_lane_pcs(d, &warp, pcs, NULL) != SAM_OK)
        return;
    dap_add_expression(list, "selected", "$lane", 0, 0);
    for (uint32_t i = 0; i < d->shape.lanes; i++) {
        snprintf(name, sizeof name, "lane %u", i);
        source_describe(d, pcs[i], place, sizeof place);
        snprintf(text, sizeof text, "%s%s",
                 warp.mask >> i & 1 ? "active at "
                 : pcs[i]           ? "waits at "
                                    : "never started",
                 pcs[i] ? place : "");
        dap_add(list, name, text, "", dap_reference(list, DAP_LANE + i), 0);
    }
}

static bool is_zero(struct debug *d, const char *expression)
{
    struct value value;
    return debug_evaluate(d, expression, &value, NULL) != SAM_OK || value_is_zero(&value);
}

/* v0 to v31, and those above that are used; whole, or the element of a lane. */
static void list_vectors(struct dap_list *list, bool whole)
{
    struct debug *d = list->dap->debug;
    char name[16], expression[32];
    for (unsigned i = 0; i < d->shape.v_count; i++) {
        snprintf(name, sizeof name, "$v%u", i);
        if (i >= SHOWN_V && is_zero(d, name))
            continue;
        snprintf(expression, sizeof expression, whole ? "%s" : "%s[%u]", name, d->focus.lane);
        dap_add_expression(list, name + 1, expression, whole ? dap_reference(list, DAP_V + i) : 0,
                           whole ? d->shape.lanes : 0);
    }
}

/* The lanes of a register; the values of inactive ones in parentheses. */
static void list_vector(struct dap_list *list, unsigned v)
{
    struct debug *d = list->dap->debug;
    char name[16], expression[32], text[200], shown[208];
    struct value value;
    snprintf(expression, sizeof expression, "$v%u", v);
    if (debug_evaluate(d, expression, &value, NULL) != SAM_OK)
        return;
    if (value_looks_float(&value))
        value_view(&value, SAM_F32);
    for (unsigned i = 0; i < value.count; i++) {
        snprintf(name, sizeof name, "[%u]", i);
        snprintf(expression, sizeof expression, "$v%u[%u]", v, i);
        value_text(&value, i, 0, d->image, text, sizeof text);
        snprintf(shown, sizeof shown, value.active >> i & 1 ? "%s" : "(%s)", text);
        dap_add(list, name, shown, expression, 0, 0);
    }
}

static void list_scalars(struct dap_list *list)
{
    struct debug *d = list->dap->debug;
    char name[32], expression[16];
    dap_add_expression(list, "pc", "$pc", 0, 0);
    if (d->shape.v_count)
        dap_add_expression(list, "mask", "$mask", 0, 0);
    for (unsigned i = 0; i < d->shape.x_count; i++) {
        snprintf(expression, sizeof expression, "$x%u", i);
        if (i >= 32 && is_zero(d, expression))
            continue;
        snprintf(name, sizeof name, "x%u%s%s", i, i < 32 ? " " : "", debug_abi_name(i));
        dap_add_expression(list, name, expression, 0, 0);
    }
}

static void list_csrs(struct dap_list *list)
{
    struct debug *d = list->dap->debug;
    struct sam_csr_entry entry;
    char expression[64];
    for (size_t i = 0; sam_csr_entry_get(&d->shape.isa, i, &entry); i++) {
        uint64_t bits;
        if (sam_session_csr(d->session, d->focus.workgroup, d->focus.warp, entry.address, &bits,
                            NULL) != SAM_OK)
            continue;
        snprintf(expression, sizeof expression, "$%.60s", entry.name);
        dap_add_expression(list, entry.name, expression, 0, 0);
    }
}

static void list_stack(struct dap_list *list)
{
    struct debug *d = list->dap->debug;
    struct sam_stack_entry *entries = NULL;
    size_t depth = 0;
    char name[24], lanes[40], place[512], join[512], text[1200];
    if (!d->shape.v_count || stack_read(d, &entries, &depth, NULL) != SAM_OK)
        depth = 0;
    for (size_t i = depth; i-- > 0;) {
        snprintf(name, sizeof name, "[%zu]", i);
        snprintf(lanes, sizeof lanes, " no lanes");
        if (entries[i].mask)
            stop_name_lanes(entries[i].mask, lanes, sizeof lanes);
        source_describe(d, entries[i].pc, place, sizeof place);
        source_describe(d, entries[i].rpc, join, sizeof join);
        snprintf(text, sizeof text, "%s at %s, until the join %s", lanes + 1, place, join);
        dap_add(list, name, text, "", 0, 0);
    }
    free(entries);
}

/* Range `index` of the local memory that the launch declares: what follows the stacks of the warps,
 * then the local: arguments; all of the window where it declares none. False: no more. */
static bool declared_range(const struct debug *d, size_t index, uint64_t *address, uint64_t *size)
{
    const struct run_arguments *a = d->run->arguments;
    const struct sam_launch *launch = d->run->launch;
    const uint64_t stacks = launch ? (uint64_t)launch->warps * WARP_STACK : 0;
    bool declares = launch && launch->lds_size < SAM_LDS_SIZE;
    *address = SAM_LDS_BASE;
    *size = launch ? launch->lds_size : 0;
    for (size_t i = 0; a && i < a->count; i++)
        declares |= a->items[i].kind == RUN_LOCAL;
    if (declares) {
        *address += stacks;
        *size = *size<SAM_LDS_SIZE && * size> stacks ? *size - stacks : 0;
    }
    if (!index--)
        return true;
    for (size_t i = 0; a && i < a->count; i++) {
        *address = a->items[i].bits;
        *size = a->items[i].size;
        if (a->items[i].kind == RUN_LOCAL && !index--)
            return true;
    }
    return false;
}

uint64_t dap_local_words(const struct debug *d)
{
    uint64_t address, size, words = 0;
    for (size_t i = 0; declared_range(d, i, &address, &size); i++)
        words += size / 4;
    return words;
}

/* Words; the rows before the window, or the one that is wanted, are skipped at once. */
static void list_memory(struct dap_list *list)
{
    struct debug *d = list->dap->debug;
    char name[32], expression[48];
    uint64_t address, size, wanted = 0;
    if (list->wanted) {
        const char *at = list->wanted;
        if (debug_number(d, &at, "the address", &wanted, NULL) != SAM_OK)
            return;
    }
    for (size_t i = 0; declared_range(d, i, &address, &size); i++) {
        const uint64_t words = size / 4, begun = list->index;
        uint64_t first = list->start > begun ? list->start - begun : 0, end = list->end - begun;
        if (list->wanted) {
            first = wanted < address ? words : (wanted - address) / 4;
            end = first + 1;
        }
        for (uint64_t k = first; k < words && k < end; k++) {
            const unsigned long long at = address + 4 * k;
            list->index = begun + k;
            snprintf(name, sizeof name, "0x%08llx", at);
            snprintf(expression, sizeof expression, "*(int *)%s", name);
            dap_add_expression(list, name, expression, 0, 0);
        }
        list->index = begun + words;
        if (!list->wanted && list->end <= list->index)
            return;
    }
}

/* The registers of the TensorLoad and the matrix unit, as far as the hart has them. */
static void list_units(struct dap_list *list)
{
    const struct sam_hart *hart = list->dap->debug->run->hart;
    char name[16];
    for (unsigned i = 0; hart && i < TL_COUNT && sam_hart_tl(hart, i); i++) {
        snprintf(name, sizeof name, "tl%u", i);
        dap_add(list, name, "1024 bytes", "", dap_reference(list, DAP_UNIT + i), TL_BYTES);
    }
    for (unsigned i = 0; hart && i < M_COUNT && sam_hart_m_size(hart); i++) {
        char text[32];
        snprintf(name, sizeof name, "m%u", i);
        snprintf(text, sizeof text, "%u bytes", (unsigned)sam_hart_m_size(hart));
        dap_add(list, name, text, "", dap_reference(list, DAP_UNIT + TL_COUNT + i),
                sam_hart_m_size(hart));
    }
}

static void list_unit(struct dap_list *list, unsigned number)
{
    const struct sam_hart *hart = list->dap->debug->run->hart;
    const bool tl = number < TL_COUNT;
    char name[16], expression[32];
    if (!hart || (tl ? !sam_hart_tl(hart, number) : !sam_hart_m_size(hart)))
        return;
    const unsigned size = tl ? TL_BYTES : (unsigned)sam_hart_m_size(hart);
    for (unsigned i = 0; i < size; i++) {
        snprintf(name, sizeof name, "[%u]", i);
        snprintf(expression, sizeof expression, "%s%u[%u]", tl ? "tl" : "m",
                 tl ? number : number - TL_COUNT, i);
        dap_add_expression(list, name, expression, 0, 0);
    }
}

void dap_list_registers(struct dap_list *list, unsigned what)
{
    const struct debug *d = list->dap->debug;
    switch (what) {
    case DAP_LANES:
        if (d->shape.v_count)
            list_lanes(list);
        return;
    case DAP_SCALARS: list_scalars(list); return;
    case DAP_VECTORS: list_vectors(list, true); return;
    case DAP_CSRS: list_csrs(list); return;
    case DAP_STACK: list_stack(list); return;
    case DAP_LOCAL_MEMORY: list_memory(list); return;
    case DAP_UNITS: list_units(list); return;
    default: break;
    }
    if (what >= DAP_V && what < DAP_V + d->shape.v_count)
        list_vector(list, what - DAP_V);
    else if (what >= DAP_LANE && what < DAP_LANE + d->shape.lanes && d->shape.v_count)
        list_vectors(list, false);
    else if (what >= DAP_UNIT && what < DAP_UNIT + TL_COUNT + M_COUNT)
        list_unit(list, what - DAP_UNIT);
}
