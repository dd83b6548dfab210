/* SPDX-License-Identifier: Apache-2.0 */
/* Livelock detection: a program polls a control register while nothing in its system is in flight,
 * and its loop changes nothing. */
#include "hart/core.h"

#include <stdio.h>

enum { ATTEMPT = 4096 }; /* instructions within which a loop must repeat its state */

void sam_hart_livelock_check(struct sam_hart *hart)
{
    if (hart->livelock.left)
        return;
    hart->livelock.asked = true;
    hart->core.event |= SAM_EVENT_LIVELOCK;
}

void sam_hart_livelock_cancel(struct sam_hart *hart)
{
    hart->livelock.asked = false;
    hart->livelock.left = 0;
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

enum sam_status sam_hart_livelock_turn(struct sam_hart *hart, struct sam_hart_result *result,
                                       struct sam_error *error)
{
    struct sam_hart_livelock *livelock = &hart->livelock;
    struct sam_hart_record record;
    if (livelock->asked) {
        livelock->asked = false;
        livelock->left = ATTEMPT;
        livelock->state.count = 0;
        sam_livelock_begin(&livelock->state, &hart->core);
    }
    const enum sam_status status = sam_hart_turn(hart, 1, &record, result, error);
    if (livelock->left == 0 || --livelock->left == 0 || status != SAM_OK ||
        result->end != SAM_HART_STEPPED || record.has_tensor || record.has_matrix) {
        sam_hart_livelock_cancel(hart);
        return status;
    }
    switch (sam_livelock_step(&livelock->state, &hart->core, &record.step)) {
    case SAM_LIVELOCK_REPEATS: sam_hart_livelock_cancel(hart); return tell(hart, result, error);
    case SAM_LIVELOCK_UNKNOWN: sam_hart_livelock_cancel(hart); break;
    default: break;
    }
    return status;
}
