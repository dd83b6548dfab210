/* SPDX-License-Identifier: Apache-2.0 */
/* The staging area of packed weights: its slots in the data of the hart, and the routines that fill
 * them. */
#ifndef SAM_LOWER_STAGING_H
#define SAM_LOWER_STAGING_H

#include "lower/lower.h"

/* 64-bit words of the descriptor of a tensor. */
enum {
    STAGING_ENTRY, /* its index in the directory; setup replaces it by the address */
    STAGING_ELEMENTS,
    STAGING_SHIFT,  /* log2 of the bytes of an element as output */
    STAGING_TYPE,   /* of the output, as the weight unit has it */
    STAGING_SLOTS,  /* those that it is decoded into: */
    STAGING_WHOLE,  /* from the first window on that no other has room for, this one */
    STAGING_WINDOWS /* 1: it is packed as windows */
};

/* Room for decoded elements: at symbol `name`, or if that is "" at address `room`. */
struct lower_staging_slot {
    const char *name;
    uint64_t room, bytes;
};
/* Emit a group of slots, whose rooms follow each other. */
void sam_lower_staging_slots(struct lower *l, const char *label,
                             const struct lower_staging_slot *slots, size_t count);

/* Emit setup code: the first slot of the group has, soon, the first elements of a tensor, asked for
 * before the program. */
void sam_lower_staging_claim(struct lower *l, const char *slots, const char *descriptor,
                             uint64_t elements);

/* Emit the routines, after the last instruction. Arguments of both: a0, descriptor; a1, a2, the
 * range of elements of a window; a3, elements from it to the window after it in its slowest
 * dimension; a5, the end of the elements that a loop will load, or of those to ask for, or 0; a6,
 * rows of the window, each of a7 elements, at a distance of a4, s2 elements apart in the copy; or
 * a6 = 0. .Lstage waits until the elements are there and returns the address that element 0 would
 * have in a0, the distance of rows in a4 and t0 = 0; on failure a0 and t0 hold the weight unit's
 * status. .Lprefetch has them decoded if a slot is free for them. */
void sam_lower_staging_routine(struct lower *l);

#endif
