/* SPDX-License-Identifier: Apache-2.0 */
/* All instrumented handlers of one level of the host's instruction set; FILL enters them in a
 * table. */
#include "simt/access_tmpl.h"
#include "simt/count_tmpl.h"
#include "simt/replay_tmpl.h"

void FILL(struct sam_hooks *hooks);
void FILL(struct sam_hooks *hooks)
{
    memcpy(hooks->count, count_hooks, sizeof hooks->count);
    /* Their words are counted one by one. */
    hooks->count[SAM_HOOK_PAIR_LOAD] = count_lanes_load;
    hooks->count[SAM_HOOK_PAIR_STORE] = count_lanes_store;
    memcpy(hooks->replay, replay_hooks, sizeof hooks->replay);
    hooks->put = put;
}
