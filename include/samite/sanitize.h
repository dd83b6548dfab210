/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of Ventus kernels while they run: races between warps and workgroups, use of undefined
 * values, accesses outside what a launch declares, misuse of barriers and of the SIMT stack
 * (docs/sanitizer.md).
 *
 *   struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_ALL);
 *   options.sanitizer = sanitizer;                         struct sam_gpu_options
 *   sam_gpu_launch(...);                                   launches add up
 *   findings = sam_sanitizer_findings(sanitizer, &count);
 *   sam_sanitizer_free(sanitizer);
 *
 * A launch computes the same with a sanitizer as without it and returns the same status (except
 * that SAM_SANITIZE_BOUNDS reports traps of options.strict_lds, and continues), but runs on
 * one worker, whatever options.jobs says: findings do not depend on it. A sanitizer is used by one
 * thread at a time. Since 0.2. */
#ifndef SAMITE_SANITIZE_H
#define SAMITE_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "isa.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_sanitizer;

/* The checks, as a set of bits. */
enum {
    SAM_SANITIZE_RACE = 1,
    SAM_SANITIZE_INIT = 2,
    SAM_SANITIZE_BOUNDS = 4,
    SAM_SANITIZE_SYNC = 8,
    SAM_SANITIZE_ALL = 15,
};

/* Kinds of findings; docs/sanitizer.md defines each. */
enum sam_finding_kind {
    /* race: sides[0] is the access at which it was found, sides[1] an earlier one */
    SAM_FINDING_RACE_LOCAL,  /* warps of a workgroup, local memory, no barrier between */
    SAM_FINDING_RACE_WARPS,  /* warps of a workgroup, global memory, no barrier between */
    SAM_FINDING_RACE_GROUPS, /* different workgroups */
    SAM_FINDING_RACE_LANES,  /* lanes of one instruction that store different values */
    /* sync */
    SAM_FINDING_BARRIER_SKIPPED, /* sides[1]: the end of a warp that did not arrive */
    SAM_FINDING_BARRIER_MASKED,  /* sides[1]: the branch at which lanes left */
    SAM_FINDING_RPC_UNUSED,      /* sides[1]: the one that replaced it, or the end of the warp */
    SAM_FINDING_JOIN_MISSING,    /* a branch that diverged; sides[1]: the instruction at its rpc */
    SAM_FINDING_JOIN_UNREACHED,  /* a branch that diverged; sides[1]: where the warp ended */
    /* init: `used` is the register whose undefined bits were used; they derive from `unwritten`, or
     * from memory at `address`, loaded by sides[1] */
    SAM_FINDING_INIT_ADDRESS, /* an address of memory */
    SAM_FINDING_INIT_BRANCH,  /* a branch */
    SAM_FINDING_INIT_TARGET,  /* the target of a jump, or of setrpc */
    SAM_FINDING_INIT_MASK,    /* v0 as a mask */
    SAM_FINDING_INIT_CONTROL, /* a CSR, or vl and vtype */
    SAM_FINDING_INIT_STORE,   /* a store to memory that the host may read */
    SAM_FINDING_INIT_CHECK,   /* the host compares memory (sam_sanitizer_check_memory) */
    /* bounds: `near` is the closest object that the kernel may access */
    SAM_FINDING_BOUNDS_LOCAL,    /* local memory that the launch does not declare */
    SAM_FINDING_BOUNDS_PRIVATE,  /* beyond the thread's private memory: `address` counts from its
                                  * start. Such an access traps */
    SAM_FINDING_BOUNDS_OTHER,    /* private memory of another workgroup */
    SAM_FINDING_BOUNDS_GAP,      /* outside every buffer. It traps unless options.loose_bounds */
    SAM_FINDING_BOUNDS_REGISTER, /* `used` is beyond the near.size registers that are declared */
    SAM_FINDING_KINDS
};

enum sam_finding_access {
    SAM_FINDING_NO_ACCESS,
    SAM_FINDING_LOAD,
    SAM_FINDING_STORE,
    SAM_FINDING_ATOMIC,
};

/* One of the two instructions that a finding is about. */
struct sam_finding_side {
    bool known;         /* false: there is no second side */
    uint32_t workgroup; /* linear id, x fastest */
    uint32_t warp;
    uint32_t lane; /* UINT32_MAX: a scalar instruction, or all lanes */
    bool surplus;  /* the lane has no work-item: the workgroup is not a multiple of the warp */
    uint32_t pc, word;
    uint32_t prefix; /* word of the REGEXT, ... before it; 0: none */
    enum sam_finding_access access;
};

/* A buffer's name, for reports. */
struct sam_sanitizer_buffer {
    uint32_t base;
    uint64_t size;    /* bytes */
    const char *name; /* copied */
    bool output;      /* its bytes are undefined until a kernel or the host writes them */
};

struct sam_finding_register {
    char file; /* 'x' or 'v'; 0: none */
    uint8_t number;
};

struct sam_finding_object {
    uint32_t base;
    uint64_t size; /* bytes; 0: none */
    char name[48];
};

/* Findings of one kind with the same instructions on both sides, in either order, are one: the
 * first one represents all. */
struct sam_finding {
    enum sam_finding_kind kind;
    unsigned check; /* one of SAM_SANITIZE_* */
    struct sam_finding_side sides[2];
    bool has_address;
    uint32_t address; /* of the lowest byte concerned, as the program uses it */
    uint32_t size;    /* bytes of the access */
    uint32_t rpc;     /* SAM_FINDING_JOIN_*: the reconvergence point */
    uint64_t count;   /* how often, this one included */
    /* init and bounds only */
    struct sam_finding_register used, unwritten;
    uint32_t lanes; /* of a vector instruction: those concerned */
    struct sam_finding_object near;
};

/* Performs the checks in the set `checks` (SAM_SANITIZE_*, at least one). NULL: out of memory, or
 * no such checks. */
SAM_API struct sam_sanitizer *sam_sanitizer_new(unsigned checks);
SAM_API void sam_sanitizer_free(struct sam_sanitizer *sanitizer); /* may be NULL */
SAM_API unsigned sam_sanitizer_checks(const struct sam_sanitizer *sanitizer);

/* Name a buffer for reports; a later one that overlaps it has precedence. */
SAM_API enum sam_status sam_sanitizer_add_buffer(struct sam_sanitizer *sanitizer,
                                                 const struct sam_sanitizer_buffer *buffer,
                                                 struct sam_error *error);

/* Scalar and vector registers of a warp in the launches that follow, for SAM_SANITIZE_BOUNDS; 0: as
 * the image of a launch says for its kernel (image.h). */
SAM_API void sam_sanitizer_declare_registers(struct sam_sanitizer *sanitizer, uint32_t sgprs,
                                             uint32_t vgprs);

/* The host is about to compare these bytes with what it expects: a use of those that nothing has
 * written, which SAM_SANITIZE_INIT reports. */
SAM_API enum sam_status sam_sanitizer_check_memory(struct sam_sanitizer *sanitizer, uint32_t base,
                                                   uint64_t size, struct sam_error *error);

/* The *count findings so far, by check and then in the order of finding. Valid until the next
 * launch or sam_sanitizer_forget. At most 1,000 of each check are kept. */
SAM_API const struct sam_finding *sam_sanitizer_findings(struct sam_sanitizer *sanitizer,
                                                         size_t *count);
/* Forget the findings; names of buffers stay. */
SAM_API void sam_sanitizer_forget(struct sam_sanitizer *sanitizer);

/* "race", "init", "bounds" or "sync"; NULL: no such check. */
SAM_API const char *sam_sanitizer_check_name(unsigned check);
/* A finding's kind in a few words: "race in local memory". Never NULL. */
SAM_API const char *sam_finding_kind_name(enum sam_finding_kind kind);
/* The location of a finding's address: "buffer out+0x10", "local memory+0x400", "private
 * memory", or "" without an address. */
SAM_API void sam_sanitizer_place(const struct sam_sanitizer *sanitizer,
                                 const struct sam_finding *finding, char *text, size_t size);

struct sam_sanitizer_print {
    size_t size;                   /* sizeof of this struct (status.h) */
    const struct sam_isa *isa;     /* for the disassembly; NULL: ventus */
    const struct sam_image *image; /* symbols and line information; may be NULL */
    unsigned top;                  /* findings of each check, 0 = 20; the rest is counted */
};
/* The findings as text, which is freed with sam_text_free; empty without findings. */
SAM_API enum sam_status sam_sanitizer_print(struct sam_sanitizer *sanitizer,
                                            const struct sam_sanitizer_print *options, char **text,
                                            struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
