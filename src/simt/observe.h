/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumented handlers of warps, selected for the host's instruction level; sanitize.c has its
 * own. */
#ifndef SAM_SIMT_OBSERVE_H
#define SAM_SIMT_OBSERVE_H

#include "simt/simt.h"

struct sam_hooks {
    sam_handler *count[SAM_HOOKS];  /* statistics and profiles: count.h */
    sam_handler *replay[SAM_HOOKS]; /* recording for a time model: replay.h */
    /* Encode REPLAY_LANES: the addresses at[lane] of the lanes in `bits`, and `bits` unless it
     * equals `usual`. Returns the end of the output. */
    uint8_t *(*put)(uint8_t *out, const uint32_t at[SAM_LANES], uint32_t bits, uint32_t usual);
    char *(*put_lanes)(char *to, const uint32_t words[SAM_LANES], unsigned lanes); /* trace.h */
};

void sam_hooks_fill(struct sam_hooks *hooks);

#endif
