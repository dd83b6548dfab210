/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints: addresses whose micro-op stops the run (op_stop). */
#include "machine/page.h"

/* The index of the first breakpoint at pc or above. */
static size_t find_breakpoint(const struct sam_code *code, uint64_t pc)
{
    size_t low = 0;
    SAM_SEARCH(low, code->breakpoint_count, i, code->breakpoints[i] < pc);
    return low;
}

static bool has_breakpoint(const struct sam_code *code, uint64_t pc)
{
    const size_t at = find_breakpoint(code, pc);
    return at < code->breakpoint_count && code->breakpoints[at] == pc;
}

bool sam_code_add_breakpoint(struct sam_code *code, uint64_t pc)
{
    void *grown =
        sam_grow(code->breakpoints, code->breakpoint_count, &code->breakpoint_capacity, sizeof pc);
    if (!grown)
        return false;
    code->breakpoints = grown;
    const size_t at = find_breakpoint(code, pc);
    memmove(&code->breakpoints[at + 1], &code->breakpoints[at],
            (code->breakpoint_count - at) * sizeof pc);
    code->breakpoints[at] = pc;
    code->breakpoint_count++;
    sam_code_redecode(code, pc);
    return true;
}

void sam_code_remove_breakpoint(struct sam_code *code, uint64_t pc)
{
    if (!has_breakpoint(code, pc))
        return;
    const size_t at = find_breakpoint(code, pc);
    code->breakpoint_count--;
    memmove(&code->breakpoints[at], &code->breakpoints[at + 1],
            (code->breakpoint_count - at) * sizeof pc);
    sam_code_redecode(code, pc);
}

bool sam_code_is_breakpoint(const struct sam_code *code, uint64_t pc)
{
    return code->breakpoints_enabled && has_breakpoint(code, pc);
}

void sam_code_enable_breakpoints(struct sam_code *code, bool enable)
{
    if (code->breakpoints_enabled == enable)
        return;
    code->breakpoints_enabled = enable;
    for (size_t i = 0; i < code->breakpoint_count; i++)
        sam_code_redecode(code, code->breakpoints[i]);
}
