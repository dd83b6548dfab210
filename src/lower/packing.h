/* SPDX-License-Identifier: Apache-2.0 */
/* The packed arguments of a function while it is lowered. */
#ifndef SAM_LOWER_PACKING_H
#define SAM_LOWER_PACKING_H

#include "lower/hart.h"

/* Tensors up to PACKING_SMALL bytes keep a staging area of their own, as long as PACKING_SMALL_ROOM
 * lasts. All others share the remainder, in slots: three, or two if a window needs more. */
enum {
    PACKING_SMALL = 16 << 10,
    PACKING_SMALL_ROOM = (LOWER_ENDING - LOWER_STAGING) / 4,
    PACKING_ROOM = LOWER_ENDING - LOWER_STAGING - PACKING_SMALL_ROOM,
    PACKING_SLOTS = 3
};

struct lower_packed {
    uint32_t pointer; /* the argument's value */
    uint64_t base;    /* address of element 0, above 4 GiB */
    uint64_t count;   /* of elements */
    bool windows;     /* any elements are decoded by themselves */
    bool small;       /* it has room of its own */
    bool asked;       /* it is decoded from the start on */
};

struct lower_packing {
    struct lower_packed *items;
    size_t count;
    uint32_t slots;  /* that share PACKING_ROOM */
    int64_t slot;    /* bytes of one */
    uint32_t room;   /* next free small area */
    uint32_t delta;  /* slot: offset from an element of `window` to its decoded copy, */
    uint32_t pitch;  /* slot: elements from a row of the copy to the next */
    uint32_t window; /* the staged window, or SAM_TILE_NONE */
    enum {
        PACKING_AS_IT_IS,
        PACKING_KNOWN,  /* `known` elements */
        PACKING_IN_SLOT /* at run time: the slot `pitch` */
    } pitched;          /* the pitch of its copy */
    int64_t known;
    bool stages; /* .Lstage is used */
    bool hints;  /* the program has prefetches of its own */
};

/* Returns the number of slots that suit the windows of the program's packed weights; `values`: of
 * the arguments, which need not be bound yet. */
uint32_t sam_lower_slots_for(const struct lower *l, const uint32_t *values);
/* Returns whether the window is of weights packed as windows; `values`: of the arguments, which
 * need not be bound yet. */
bool sam_lower_has_windows(const struct lower *l, const uint32_t *values, uint32_t window);

#endif
