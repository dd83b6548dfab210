/* SPDX-License-Identifier: Apache-2.0 */
/* Hot loops as machine code. The interpreter counts backward branches (hot.c); a loop that is hot
 * is described as a `struct sam_jit_loop` (hot_loop.c) and translated by libsamite-jit.so, which is
 * loaded on demand (jit.c). The translation consists of the bodies of the interpreter's own
 * handlers, so no instruction has a second meaning. Traps, misses of the TLB and the end of a
 * budget are left to the interpreter, at a micro-op and with all state written back. */
#ifndef SAM_JIT_H
#define SAM_JIT_H

#include "machine/machine.h"

enum { SAM_JIT_WORDS = SAM_PAGE_OPS / 64 };

/* Uses of an instruction's operands. */
enum {
    SAM_JIT_FLOAT = 1,    /* may raise the host's floating-point flags */
    SAM_JIT_READS_VD = 2, /* the vector register of the result is a source, too */
    SAM_JIT_V1 = 4,       /* vector registers in the fields rs1, rs2 */
    SAM_JIT_V2 = 8,
    SAM_JIT_X1 = 16, /* scalar registers there */
    SAM_JIT_X2 = 32,
};

/* A loop within a page. Compared as bytes: unused fields are zero. */
struct sam_jit_loop {
    uint64_t page_pc;
    uint32_t lanes; /* 0: not a warp */
    uint32_t xlen;
    uint32_t head;   /* index of the only micro-op at which it is entered */
    uint32_t splits; /* 1: the SIMT mask may change */
    uint8_t modes[SAM_JIT_MODES];
    uint64_t frm_plain;
    uint64_t inside[SAM_JIT_WORDS]; /* its instructions; all others leave it */
    uint64_t lands[SAM_JIT_WORDS];  /* of them: where indirect jumps have landed */
    uint64_t x_written, v_written[4];
    struct sam_uop uops[SAM_PAGE_OPS]; /* fn NULL */
    uint16_t ops[SAM_PAGE_OPS];        /* enum sam_op */
    uint8_t acts[SAM_PAGE_OPS];        /* enum sam_act */
    uint8_t uses[SAM_PAGE_OPS];
};

/* Whether an instruction of this enum sam_act may change the SIMT mask or stack. */
static inline bool sam_jit_moves_lanes(unsigned act)
{
    return act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN || act == SAM_ACT_RPC;
}

static inline bool sam_jit_has(const struct sam_jit_loop *loop, unsigned index)
{
    return index < SAM_PAGE_OPS && (loop->inside[index / 64] >> index % 64 & 1);
}

/* Whether a jalr returns from a function. */
static inline bool sam_jit_returns(const struct sam_uop *jalr)
{
    return jalr->rd == SAM_X_SINK && (jalr->rs1 == 1 || jalr->rs1 == 5);
}

/* A translation, entered at the loop's head. Returns the micro-op of c->ops with which to continue,
 * c->loop_entry and c->loop_left being set; + SAM_JIT_PLAIN: with its own handler, not with the one
 * in the micro-op; + SAM_JIT_FAR: after an indirect jump out of the translation. */
typedef uintptr_t sam_jit_code(struct sam_core *c, const struct sam_uop *op,
                               const struct sam_uop *entry, int64_t left);
enum { SAM_JIT_PLAIN = 1, SAM_JIT_FAR = 2, SAM_JIT_FLAGS = 3 };

/* Machine code and its constants, for any page-aligned address. */
struct sam_jit_image {
    uint8_t *bytes; /* allocated */
    size_t size;
    size_t entry; /* offset of the code's first instruction */
};

/* The interface of libsamite-jit.so, which exports one as SAM_JIT_SYMBOL. */
struct sam_jit_library {
    const char *version; /* of samite: must be the same */
    size_t loop_size, core_size;
    /* Translate for the host's instruction level (enum sam_cpu_level). Returns false if it cannot,
     * or soon after *stop is set by another thread. */
    bool (*translate)(const struct sam_jit_loop *loop, unsigned level, const bool *stop,
                      struct sam_jit_image *image);
};
#define SAM_JIT_SYMBOL "sam_jit_library"

/* --- jit.c */

/* Reads SAMITE_JIT: "auto" translates on a thread of its own, "wait" while the program waits; each
 * may be followed by ",N", the executions of a backward branch that make its loop hot. NULL:
 * anything else, or out of memory. The library is loaded when a loop is hot. */
struct sam_jit *sam_jit_new(void);
/* Waits for the thread. No code may be used any more. */
void sam_jit_free(struct sam_jit *jit);
uint32_t sam_jit_threshold(const struct sam_jit *jit);
/* Instructions after which backward branches are counted, so that programs that end before are as
 * fast as without translation. */
uint64_t sam_jit_patience(const struct sam_jit *jit);
/* Whether translations may have been kept on disk. */
bool sam_jit_keeps(const struct sam_jit *jit);
/* Loops translated so far, with those kept from another run. Any thread. */
unsigned sam_jit_count(struct sam_jit *jit);

struct sam_jit_region {
    sam_jit_code *code; /* once it is ready; next to what is compared before it is entered */
    struct sam_jit_loop loop;
    void *mapping;
    size_t size;
    int state; /* enum sam_jit_state, atomic */
    struct sam_jit_region *next;
};
/* ABSENT: not kept on disk, and not to be translated yet. */
enum sam_jit_state { SAM_JIT_ABSENT, SAM_JIT_PENDING, SAM_JIT_READY, SAM_JIT_FAILED };
/* The region of a loop, translated before, kept on disk or, if `translates`, translated from now
 * on. NULL: out of memory. Any thread. */
struct sam_jit_region *sam_jit_find(struct sam_jit *jit, const struct sam_jit_loop *loop,
                                    bool translates);
static inline enum sam_jit_state sam_jit_state(const struct sam_jit_region *region)
{
    return (enum sam_jit_state)__atomic_load_n(&region->state, __ATOMIC_ACQUIRE);
}

/* --- jit_kept.c: images on disk, by the loop, the host's level, the version and the library that
 * made them. `path` names the library. */
bool sam_jit_get_kept(const char *path, const struct sam_jit_loop *loop,
                      struct sam_jit_image *image);
void sam_jit_keep(const char *path, const struct sam_jit_library *library,
                  const struct sam_jit_loop *loop, const struct sam_jit_image *image);
#define SAM_JIT_KEPT "jit" /* kind of entry (base/cache.h) */

/* --- hot_loop.c */

struct code_page;
/* The natural loop of `head`, or of an instruction that straight code leads to from there, in the
 * modes of `c`; indirect jumps go to `lands`. It may be entered before `head`. False: nothing
 * worth translating. */
bool sam_hot_find_loop(const struct sam_core *c, const struct code_page *page, unsigned head,
                       const uint64_t *lands, struct sam_jit_loop *loop);
/* The instruction at this index if its handler is its own, or only counts it; else 0. */
enum sam_op sam_hot_op(const struct code_page *page, unsigned index);

#endif
