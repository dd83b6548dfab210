/* SPDX-License-Identifier: Apache-2.0 */
/* The check for uninitialized values. Registers and bytes of memory have shadow state: one bit per
 * bit, set if it is undefined. Copies, spills and arithmetic propagate undefined bits. Addresses,
 * branches, lane masks, control registers and stores to memory that the host may read are uses,
 * which are reported; a value that has been reported counts as defined.
 *
 * When a warp starts, all of its registers except x0 are undefined. Instructions are checked before
 * they run. */
#ifndef SAM_SANITIZE_UNDEF_H
#define SAM_SANITIZE_UNDEF_H

#include "sanitize/sanitize.h"
#include "sanitize/undef_memory.h"
#include "sanitize/undef_rules.h"

enum { UNDEF_LANES = SAM_MAX_LANES, UNDEF_XREGS = 64, UNDEF_VREGS = 256 };

/* Shadow registers of a warp. */
struct undef_warp {
    uint32_t x[UNDEF_XREGS]; /* undefined bits */
    undef_origin x_origin[UNDEF_XREGS];
    uint32_t lanes[UNDEF_VREGS];             /* lanes with undefined bits; among them ... */
    uint32_t fresh[UNDEF_VREGS];             /* ... those never written: every bit is undefined */
    uint32_t bits[UNDEF_VREGS][UNDEF_LANES]; /* undefined bits of the other lanes */
    undef_origin origin[UNDEF_VREGS][UNDEF_LANES]; /* of the other lanes */
};

enum undef_use {
    UNDEF_USE_ADDRESS,
    UNDEF_USE_BRANCH,
    UNDEF_USE_TARGET,  /* the target of a jump or setrpc */
    UNDEF_USE_MASK,    /* v0 as a mask */
    UNDEF_USE_CONTROL, /* a CSR, vl or vtype */
    UNDEF_USE_STORE,
    UNDEF_USE_CHECK, /* compared by the host */
};

/* The origin of an undefined value. */
enum undef_cause { UNDEF_UNKNOWN, UNDEF_REGISTER_X, UNDEF_REGISTER_V, UNDEF_MEMORY };

struct undef_source_of {
    enum undef_cause cause;
    uint32_t number;              /* register number */
    uint32_t address, size;       /* memory operand, */
    struct sam_finding_side side; /* and the instruction that loaded it */
};

struct undef_finding {
    enum undef_use use;
    bool vector;      /* a vector register */
    uint8_t reg;      /* the register used; of an atomic's memory operand: see `memory` */
    bool memory;      /* memory at `address`, not a register */
    uint32_t lanes;   /* vector instructions: lanes that use it */
    uint32_t lane;    /* the lowest of them; UINT32_MAX: a scalar instruction */
    uint32_t address; /* address of a store */
    struct undef_source_of from;
};

typedef void sam_undef_report(void *context, const struct sam_sanitize_op *op,
                              const struct undef_finding *finding);

/* Loads of undefined memory by the running workgroup. */
struct undef_origins {
    struct undef_loaded {
        uint32_t address, size;
        uint32_t generation; /* a slot of another generation is free */
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

/* Returns false on out-of-memory. */
bool sam_undef_init(struct undef *undef, sam_undef_report *report, void *context);
void sam_undef_free(struct undef *undef);
/* Start a workgroup: its local and private memory is undefined. */
void sam_undef_group(struct undef *undef);
/* The shadow registers of a warp that starts. */
void sam_undef_start(struct undef_warp *warp);
void sam_undef_step(struct undef *undef, struct undef_warp *warp, const struct sam_sanitize_op *op);
struct undef_source_of sam_undef_from(const struct undef *undef, undef_origin origin);

#endif
