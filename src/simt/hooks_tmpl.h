/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumented handlers at one instruction level of the host; FILL stores them in a table. */
#include "simt/access_tmpl.h"
#include "simt/count_tmpl.h"
#include "simt/replay_tmpl.h"

void FILL(struct sam_hooks *hooks);
void FILL(struct sam_hooks *hooks)
{
    /* cppcheck-suppress pointerSize */
    memcpy(hooks->count, count_hooks, sizeof hooks->count);
    /* Pairs are counted word by word, like lanes. */
    hooks->count[SAM_HOOK_PAIR_LOAD] = count_lanes_load;
    hooks->count[SAM_HOOK_PAIR_STORE] = count_lanes_store;
    /* cppcheck-suppress pointerSize */
    memcpy(hooks->replay, replay_hooks, sizeof hooks->replay);
    hooks->put = put;
    hooks->put_lanes = sam_commit_put_lanes;
}
