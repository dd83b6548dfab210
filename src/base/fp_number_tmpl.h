/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacked numbers, for each width of significand. Define before including:
 *   SIG                the type of a significand, unsigned
 *   SIG_BITS           its width
 *   LEADING_ZEROS(sig) of a significand other than 0
 */
#include "base/fp_round.h"

/* The number (-1)^sign * sig * 2^exp; sig = 0 for zero. An inexact result has its lowest bit set
 * (sticky), far below the rounding position. */
struct number {
    bool sign;
    int exp;
    SIG sig;
};

/* Position of the highest bit of a normalised sig: a sum of two still fits. */
#define TOP (SIG_BITS - 2)

static SIG shift_right_jam(SIG sig, int count)
{
    if (count > SIG_BITS - 1)
        return sig != 0;
    return sig >> count | ((sig & (((SIG)1 << count) - 1)) != 0);
}

static struct number normalise(struct number n)
{
    if (n.sig == 0)
        return n;
    int left = LEADING_ZEROS(n.sig) - (SIG_BITS - 1 - TOP);
    n.sig = left < 0 ? shift_right_jam(n.sig, -left) : n.sig << left;
    n.exp -= left;
    return n;
}

/* Round sig / 2^drop to an integer, 0 < drop < SIG_BITS. */
static SIG round_off(bool sign, SIG sig, int drop, enum sam_round round)
{
    SIG kept = sig >> drop, half = (SIG)1 << (drop - 1);
    SIG rest = sig & (2 * half - 1);
    return kept + sam_fp_rounds_away(round, sign, kept & 1, rest != 0, rest >= half, rest > half);
}

/* a + b of normalised numbers, unrounded. If the highest bits are two or more places apart, at most
 * one bit cancels, and the sticky bit stays far below the rounding position. If they are closer, no
 * bit is lost, because a product has 15 bits of headroom. */
static struct number sum_of(struct number a, struct number b, enum sam_round round)
{
    if (a.sig == 0 && b.sig == 0)
        return (struct number){.sign = a.sign == b.sign ? a.sign : round == SAM_RDN};
    if (a.sig == 0 || (b.sig != 0 && a.exp < b.exp)) {
        struct number swap = a;
        a = b;
        b = swap;
    }
    b.sig = shift_right_jam(b.sig, b.sig ? a.exp - b.exp : 0);
    if (a.sign == b.sign) {
        a.sig += b.sig;
    } else if (a.sig == b.sig) {
        return (struct number){.sign = round == SAM_RDN};
    } else {
        a.sign ^= a.sig < b.sig;
        a.sig = a.sig > b.sig ? a.sig - b.sig : b.sig - a.sig;
    }
    return a;
}
