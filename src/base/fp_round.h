/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding decisions, independent of the significand width. */
#ifndef SAM_FP_ROUND_H
#define SAM_FP_ROUND_H

#include "base/fp.h"

/* Returns whether a magnitude rounds up, given whether the integer below it is odd, and whether the
 * remainder is non-zero, at least half, more than half. */
static inline bool sam_fp_rounds_away(enum sam_round round, bool sign, bool odd, bool any,
                                      bool at_least_half, bool above_half)
{
    switch (round) {
    case SAM_RNE: return above_half || (at_least_half && odd);
    case SAM_RTZ: return false;
    case SAM_RDN: return sign && any;
    case SAM_RUP: return !sign && any;
    case SAM_RMM: return at_least_half;
    }
    return false;
}

/* Returns whether overflow gives infinity instead of the largest finite value. */
static inline bool sam_fp_overflows_away(enum sam_round round, bool sign)
{
    return round == SAM_RNE || round == SAM_RMM || round == (sign ? SAM_RDN : SAM_RUP);
}

#endif
