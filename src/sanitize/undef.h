/* SPDX-License-Identifier: Apache-2.0 */
/* Use of what nothing has written: registers and bytes of memory have a shadow with one bit for
 * each of theirs, set where it is undefined. Copies, spills and arithmetic pass undefined bits on;
 * an address, a branch, a lane mask, a control register and a store to memory that the host may
 * read are uses, and are reported. What has been reported counts as defined from then on.
 *
 * Before a warp starts all of its registers but x0 are undefined. An instruction is shown here
 * before it runs. */
#ifndef SAM_SANITIZE_UNDEF_H
#define SAM_SANITIZE_UNDEF_H

#include "sanitize/sanitize.h"
#include "sanitize/undef_memory.h"
#include "sanitize/undef_rules.h"

enum { UNDEF_LANES = SAM_MAX_LANES, UNDEF_XREGS = 64, UNDEF_VREGS = 256 };

/* The registers of a warp. */
struct undef_warp {
    uint32_t x[UNDEF_XREGS]; /* undefined bits */
    undef_origin x_origin[UNDEF_XREGS];
    uint32_t lanes[UNDEF_VREGS];             /* lanes with undefined bits; of these, ... */
    uint32_t fresh[UNDEF_VREGS];             /* ... those that were never written: all bits are */
    uint32_t bits[UNDEF_VREGS][UNDEF_LANES]; /* of the others */
    undef_origin origin[UNDEF_VREGS][UNDEF_LANES]; /* likewise */
};

enum undef_use {
    UNDEF_USE_ADDRESS,
    UNDEF_USE_BRANCH,
    UNDEF_USE_TARGET,  /* of a jump, or setrpc */
    UNDEF_USE_MASK,    /* v0 decides which lanes act */
    UNDEF_USE_CONTROL, /* a CSR, vl and vtype */
    UNDEF_USE_STORE,
    UNDEF_USE_CHECK, /* the host compares memory */
};

/* What a value derives from that nothing has written. */
enum undef_cause { UNDEF_UNKNOWN, UNDEF_REGISTER_X, UNDEF_REGISTER_V, UNDEF_MEMORY };

struct undef_source_of {
    enum undef_cause cause;
    uint32_t number;              /* of the register */
    uint32_t address, size;       /* of the memory, */
    struct sam_finding_side side; /* and the instruction that loaded it */
};

struct undef_finding {
    enum undef_use use;
    bool vector;      /* the register is one */
    uint8_t reg;      /* that was used; of an atomic instruction's memory operand: as `memory` */
    bool memory;      /* not a register: memory at `address` */
    uint32_t lanes;   /* of a vector instruction: those that used it */
    uint32_t lane;    /* the lowest of them; UINT32_MAX: a scalar instruction */
    uint32_t address; /* of a store */
    struct undef_source_of from;
};

typedef void sam_undef_report(void *context, const struct sam_sanitize_op *op,
                              const struct undef_finding *finding);

/* Loads of undefined memory by the running workgroup. */
struct undef_origins {
    struct undef_loaded {
        uint32_t address, size;
        uint32_t generation; /* the slot is free in any other */
        struct sam_finding_side side;
    } * slots;
    uint32_t count, generation;
};

struct undef {
    struct undef_memory memory;
    struct undef_row rows[SAM_OP_COUNT];
    struct undef_origins origins;
    sam_undef_report *report;
    void *context;
};

/* False: out of memory. */
bool sam_undef_init(struct undef *undef, sam_undef_report *report, void *context);
void sam_undef_free(struct undef *undef);
/* A workgroup begins: its memory is undefined. */
void sam_undef_group(struct undef *undef);
/* The registers of a warp that starts. */
void sam_undef_start(struct undef_warp *warp);
void sam_undef_step(struct undef *undef, struct undef_warp *warp, const struct sam_sanitize_op *op);
struct undef_source_of sam_undef_from(const struct undef *undef, undef_origin origin);

#endif
