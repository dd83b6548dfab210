/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumented handlers of warps, for the observers that need them to be fast; sanitize.c has
 * its own. Selected for the host's instruction set. */
#ifndef SAM_SIMT_OBSERVE_H
#define SAM_SIMT_OBSERVE_H

#include "simt/simt.h"

struct sam_hooks {
    sam_handler *count[SAM_HOOKS];  /* statistics and profiles: count.h */
    sam_handler *replay[SAM_HOOKS]; /* the recording for a time model: replay.h */
    /* Write REPLAY_LANES of the addresses at[lane] whose lane is in `bits`; the lanes are named
     * unless they are `usual`. Returns the end. */
    uint8_t *(*put)(uint8_t *out, const uint32_t at[SAM_LANES], uint32_t bits, uint32_t usual);
};

void sam_hooks_fill(struct sam_hooks *hooks);

#endif
