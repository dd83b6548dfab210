/* SPDX-License-Identifier: Apache-2.0 */
/* A program that polls a control register in vain: when its system has nothing in flight, and its
 * loop changes nothing, it never ends. */
#include "hart/core.h"

#include <stdio.h>

enum { ATTEMPT = 4096 }; /* instructions in which a loop must repeat itself */

void sam_hart_suspect(struct sam_hart *hart)
{
    if (hart->idle.left)
        return;
    hart->idle.asked = true;
    hart->core.event |= SAM_EVENT_IDLE;
}

void sam_hart_acquit(struct sam_hart *hart)
{
    hart->idle.asked = false;
    hart->idle.left = 0;
}

static enum sam_status tell(struct sam_hart *hart, struct sam_hart_result *result,
                            struct sam_error *error)
{
    struct sam_buffer out = {0};
    sam_buffer_printf(&out,
                      "deadlock: the program waits for control register 0x%08llx to change, and "
                      "nothing is in flight; ",
                      (unsigned long long)hart->port_address);
    sam_fault_put_pc(&out, hart->image, sam_hart_pc(hart), 0);
    snprintf(result->text, sizeof result->text, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
    result->end = SAM_HART_DEADLOCK;
    result->pc = sam_hart_pc(hart);
    return sam_fail(error, SAM_ERR_TRAP, "%s", result->text);
}

enum sam_status sam_hart_idle_turn(struct sam_hart *hart, struct sam_hart_result *result,
                                   struct sam_error *error)
{
    struct sam_hart_idle *idle = &hart->idle;
    struct sam_hart_record record;
    if (idle->asked) {
        idle->asked = false;
        idle->left = ATTEMPT;
        idle->spin.count = 0;
        sam_spin_begin(&idle->spin, &hart->core);
    }
    const enum sam_status status = sam_hart_turn(hart, 1, &record, result, error);
    if (idle->left == 0 || --idle->left == 0 || status != SAM_OK ||
        result->end != SAM_HART_STEPPED || record.has_tensor || record.has_matrix) {
        sam_hart_acquit(hart);
        return status;
    }
    switch (sam_spin_step(&idle->spin, &hart->core, &record.step)) {
    case SAM_SPIN_REPEATS: sam_hart_acquit(hart); return tell(hart, result, error);
    case SAM_SPIN_OTHER: sam_hart_acquit(hart); break;
    default: break;
    }
    return status;
}
