/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of machine/: memory, the software TLB, the scalar core, decoded code and traps.
 *
 * A core runs micro-ops: each instruction is decoded once, when it is first reached, into a handler
 * pointer and operands. A handler does its work and tail-calls the next handler (threads.h). Memory
 * accesses go through a software TLB: one entry per 4 KiB page holds the host address and how many
 * bytes of the page may be read and written, so the common access is a load, a compare and the
 * access itself. Bounds, local memory, address translation and self-modifying code are all
 * implemented by how entries are filled. */
#ifndef SAM_MACHINE_H
#define SAM_MACHINE_H

#include "base/base.h"
#include "isa/isa.h"

#define SAM_PAGE_SIZE 4096u
#define SAM_PAGE_OPS  1024u /* instructions per page */
#define SAM_X_SINK    64u   /* the register that absorbs writes to x0 */

/* ---------------------------------------------------------------- physical memory (memory.c) */

/* Buffers, i.e. which bytes exist, and the bytes themselves, in chunks allocated on first touch.
 * Thread-safe, except for mapping. */
struct sam_memory;

struct sam_region {
    uint64_t base;
    uint64_t size;
    uint64_t slack; /* padding at the end, up to a page boundary */
    unsigned input; /* 1 + the index of a buffer whose first store is reported; 0: not one */
};

/* Rules for mapping memory. */
struct sam_memory_rules {
    unsigned bits; /* address width: 32 or 64 */
    /* Overlapping or adjacent ranges become one buffer, and programs take whole pages. False:
     * overlap is an error, and buffers have exactly the bytes requested. */
    bool joins;
    struct sam_region window;    /* local memory, never mapped; size 0: none */
    struct sam_region registers; /* control registers, never mapped */
};

/* Copies `rules`. Returns NULL on out-of-memory. */
struct sam_memory *sam_memory_new(const struct sam_memory_rules *rules);
void sam_memory_free(struct sam_memory *memory);
const struct sam_memory_rules *sam_memory_rules(const struct sam_memory *memory);
/* Add a buffer. It may lie inside an existing buffer, or extend one that has the same base; any
 * other overlap, or wrapping around, is an error. */
enum sam_status sam_memory_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* Add a buffer and coalesce it with those that it overlaps or adjoins. */
enum sam_status sam_memory_add(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* Remove the buffer at `base`. Its bytes become zero and their host memory is released. */
enum sam_status sam_memory_unmap(struct sam_memory *memory, uint64_t base, struct sam_error *error);
/* The buffer that holds `address`, or NULL. */
const struct sam_region *sam_memory_find(const struct sam_memory *memory, uint64_t address);
/* The lowest buffer that ends above `address`, or NULL. */
const struct sam_region *sam_memory_next(const struct sam_memory *memory, uint64_t address);
/* The first page at or above `from` with `size` free bytes and `guard` more on either side; 0 if
 * there is none below `limit`. */
uint64_t sam_memory_gap(const struct sam_memory *memory, uint64_t from, uint64_t limit,
                        uint64_t size, uint64_t guard);
/* Set the slack at the end of the buffer at `base`; the index of its input. */
void sam_memory_set_slack(struct sam_memory *memory, uint64_t base, uint64_t slack);
void sam_memory_set_input(struct sam_memory *memory, uint64_t base, unsigned input);
/* Host address of the byte at `address`, contiguous to the end of its page. Returns NULL on
 * out-of-memory. */
uint8_t *sam_memory_host(struct sam_memory *memory, uint64_t address);
/* Host address of the byte at `address`; *size is reduced to the number of bytes contiguous on the
 * host. */
uint8_t *sam_memory_run(struct sam_memory *memory, uint64_t address, size_t *size);
/* Zero bytes, regardless of buffers, and release whole pages to the host. */
void sam_memory_clear(struct sam_memory *memory, uint64_t base, uint64_t size);
/* Copy in or out, regardless of buffers. Return false on out-of-memory. */
bool sam_memory_write(struct sam_memory *memory, uint64_t address, const void *data, size_t size);
void sam_memory_read(struct sam_memory *memory, uint64_t address, void *data, size_t size);
/* The first address in address..end - 1 whose chunk is allocated; `end`: none is. */
uint64_t sam_memory_skip_untouched(struct sam_memory *memory, uint64_t address, uint64_t end);
/* The bytes of the page at `base` up to the end of the region; 0 if the region begins inside the
 * page. */
static inline uint16_t sam_region_limit(const struct sam_region *region, uint64_t base)
{
    if (region->base > base)
        return 0;
    const uint64_t rest = region->size - (base - region->base);
    return (uint16_t)(rest < SAM_PAGE_SIZE ? rest : SAM_PAGE_SIZE);
}

/* ------------------------------------------------- what the owner of a machine does (host.c) */

/* Map `size` bytes at `base` according to the memory's rules. SAM_ERR_USAGE: beyond the address
 * space, in a window, or an overlap. */
enum sam_status sam_host_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                             struct sam_error *error);
/* Map `size` bytes at the first page boundary from `from` on that leaves a free page on either
 * side. SAM_ERR_USAGE: no free range. */
enum sam_status sam_host_alloc(struct sam_memory *memory, uint64_t from, uint64_t size,
                               uint64_t *address, struct sam_error *error);
/* Map `size` bytes, followed by slack up to a page boundary or the next buffer: at *address or, if
 * it is 0, at the first page from `from` on where whole pages are free. */
enum sam_status sam_host_alloc_pages(struct sam_memory *memory, uint64_t from, uint64_t size,
                                     uint64_t *address, struct sam_error *error);
/* Copy in or out within one buffer, else SAM_ERR_USAGE. A read into NULL only checks the range.
 * Writes invalidate `code`, if a core runs from this memory; else NULL. */
struct sam_code;
enum sam_status sam_host_write(struct sam_memory *memory, struct sam_code *code, uint64_t address,
                               const void *data, size_t size, struct sam_error *error);
enum sam_status sam_host_read(struct sam_memory *memory, uint64_t address, void *data, size_t size,
                              struct sam_error *error);
/* Map the unmapped bytes of the range; unless the memory joins ranges, each free range becomes a
 * buffer. */
enum sam_status sam_host_cover(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* Map the sections of a program in whole pages, at their link and load addresses, in a memory that
 * joins ranges. Copies nothing. */
enum sam_status sam_host_plan(struct sam_memory *plan, const struct sam_image *image,
                              struct sam_error *error);
/* Invalidate decoded code, unless `code` is NULL, after bytes have changed. */
void sam_host_invalidate_code(struct sam_code *code, uint64_t address, uint64_t size);
/* Map every section of a program and copy its data in, also to its load address if different.
 * SAM_ERR_INPUT: a section beyond the address space. */
enum sam_status sam_host_load(struct sam_memory *memory, struct sam_code *code,
                              const struct sam_image *image, struct sam_error *error);

/* ------------------------------------------------------------------------- causes and traps */

/* RISC-V causes; the machine's own from SAM_CAUSE_CUSTOM on. */
enum sam_cause {
    SAM_CAUSE_FETCH_MISALIGNED = 0,
    SAM_CAUSE_FETCH_ACCESS = 1,
    SAM_CAUSE_ILLEGAL = 2,
    SAM_CAUSE_BREAKPOINT = 3,
    SAM_CAUSE_LOAD_MISALIGNED = 4,
    SAM_CAUSE_LOAD_ACCESS = 5,
    SAM_CAUSE_STORE_MISALIGNED = 6,
    SAM_CAUSE_STORE_ACCESS = 7,
    SAM_CAUSE_ECALL = 11,
    SAM_CAUSE_FETCH_PAGE = 12,
    SAM_CAUSE_LOAD_PAGE = 13,
    SAM_CAUSE_STORE_PAGE = 15,
    SAM_CAUSE_CUSTOM = 24, /* first cause of the machine */
};

/* SAM_ATOMIC, a load and a store, is only for sam_access_slow: a TLB resolves it as a store. */
enum sam_access { SAM_FETCH, SAM_LOAD, SAM_STORE, SAM_ATOMIC };

struct sam_fault {
    unsigned cause;
    uint64_t address; /* or another tval */
};

/* The cause of an access fault. */
static inline unsigned sam_access_cause(enum sam_access access)
{
    return access == SAM_FETCH  ? SAM_CAUSE_FETCH_ACCESS
           : access == SAM_LOAD ? SAM_CAUSE_LOAD_ACCESS
                                : SAM_CAUSE_STORE_ACCESS;
}

/* Text of a fault (fault.c): "misaligned load from 0x80000001". Addresses have at least `digits`
 * digits; `outside` explains an access fault: ", outside every buffer"; NULL: ", which cannot be
 * read" or "written". */
void sam_fault_text(const struct sam_fault *fault, unsigned digits, const char *outside, char *text,
                    size_t size);
/* "pc 0x80000004 <start+0x4>"; `image` may be NULL. */
void sam_fault_put_pc(struct sam_buffer *out, const struct sam_image *image, uint64_t pc,
                      unsigned digits);
/* " (0x0002a2fb) vlw12.v v5, 0(v5)"; nothing when `word` is 0. */
void sam_fault_put_word(struct sam_buffer *out, const struct sam_isa *isa,
                        const struct sam_image *image, uint64_t pc, uint32_t word);

/* ------------------------------------------------------------------------------ software TLB */

struct sam_tlb_entry {
    uint8_t *host;       /* the page's bytes */
    uint16_t read_limit; /* bytes of the page that may be read, from its start: 0..4096 */
    uint16_t write_limit;
    uint32_t tag; /* upper address bits, if XLEN is 64 */
};

#define SAM_TLB_ENTRIES (UINT32_C(1) << 20) /* a 32-bit address space */

/* Machines with a watched word end the write_limit of its page before the word. Stores to the
 * writable bytes after the word look here before they resolve. */
struct sam_tlb_gap {
    uint64_t base;
    uint8_t *host; /* address of the byte at base */
    uint32_t size; /* 0: none */
};

/* In a translation, where nothing changes the TLB: the page that an instruction accessed last and
 * that may be accessed as a whole. */
struct sam_last_page {
    uint64_t base; /* ~0: none */
    uint8_t *host; /* of address 0, if it were in the page */
};

struct sam_watches; /* watch.h */
struct sam_journal; /* journal.h */

struct sam_tlb {
    struct sam_tlb_entry *entries; /* SAM_TLB_ENTRIES of them, direct-mapped */
    struct sam_tlb_gap gap;
    struct sam_watches *watches; /* NULL: none */
    struct sam_journal *journal; /* NULL: none */
    bool exhausted;              /* out of host memory: not the program's fault */
    bool asks_slack;             /* stop the core after the next access to a buffer's slack */
    bool reports; /* the last access resolved is reported: to slack or, if `input`, the first store
                     to a page of it */
    unsigned input; /* sam_region.input, until the report is made; 0: slack */
    /* Resolve an aligned access, within one page, that misses the TLB: returns its host address, or
     * NULL with *fault set. May fill the entry, so that the next access hits. */
    uint8_t *(*resolve)(struct sam_tlb *tlb, uint64_t address, unsigned size,
                        enum sam_access access, struct sam_fault *fault);
};

/* Have all stores to the page at `page_base` resolve. */
static inline void sam_tlb_protect(struct sam_tlb *tlb, uint64_t page_base)
{
    tlb->entries[(uint32_t)page_base / SAM_PAGE_SIZE].write_limit = 0;
    if (tlb->gap.base - page_base < SAM_PAGE_SIZE)
        tlb->gap.size = 0;
}

bool sam_tlb_init(struct sam_tlb *tlb);
void sam_tlb_release(struct sam_tlb *tlb);
/* Empty the TLB. */
void sam_tlb_clear(struct sam_tlb *tlb);

/* ------------------------------------------------------------------------------------- core */

struct sam_core;
struct sam_uop;

/* `entry` is the first micro-op of the block that contains `op`, `left` the instruction budget at
 * `entry`: instructions are counted only at the ends of blocks. */
typedef const struct sam_uop *sam_handler(struct sam_core *c, const struct sam_uop *op,
                                          const struct sam_uop *entry, int64_t left);

struct sam_uop {
    sam_handler *fn;
    union {
        struct {
            uint8_t rd, rs1, rs2;
            uint8_t rs3; /* third source, or SAM_UOP_* flags of vector instructions */
            int32_t imm; /* immediate; of a near branch, the target's index in its page */
        };
        const struct sam_uop *link; /* of a prefix: the modified instruction, out of line */
    };
};

/* Flags in rs3, of instructions with a vm field and of vector branches. */
enum {
    SAM_UOP_VM = 1,  /* unmasked */
    SAM_UOP_ODD = 2, /* has an odd vector register, illegal under LMUL 2 */
    SAM_UOP_FAR = 4, /* the target is on another page: imm is its distance in bytes */
};

enum sam_exit {
    SAM_EXIT_BUDGET, /* budget used up; pc is the next instruction */
    SAM_EXIT_TRAP,   /* pc is the instruction that trapped */
    SAM_EXIT_EVENT,  /* core->event, set by the machine; pc is the next instruction */
    SAM_EXIT_STOP,   /* at a breakpoint, or at a prefix before one; or an instrumented handler has
                        stopped before its instruction */
};

/* Bits of core->event: the last instruction accessed watched memory. The machine defines lower
 * bits. The event is 0 until an instruction sets it, which ends the run. */
#define SAM_EVENT_WATCH 0x100u
/* The last instruction made an access that the TLB reports; cause, tval and fault_lane describe
 * it. */
#define SAM_EVENT_REPORT 0x200u

struct sam_code;

/* Indices of core->unit: units that may be attached to a core. */
enum { SAM_UNIT_TENSOR, SAM_UNIT_MATRIX, SAM_UNITS };

struct sam_core {
    union {
        uint32_t x32[SAM_X_SINK + 8];
        uint64_t x64[SAM_X_SINK + 8];
    };
    const struct sam_uop *ops; /* of the running page */
    union {
        struct sam_counters *counters; /* of the running page, if instrumented (instrument.h) */
        struct sam_last_page *last;    /* of the running instruction, in a translation */
    };
    uint64_t page_pc;              /* address of the running page */
    struct sam_tlb_entry *entries; /* tlb->entries */
    struct sam_tlb *tlb;
    struct sam_code *code;
    uint64_t line_pc;  /* pc of the out-of-line micro-op */
    uint8_t frm;       /* frm CSR, 0..7 */
    uint8_t fflags;    /* accrued flags, excluding the host's sticky flags */
    uint8_t frm_plain; /* frm is round-to-nearest-even */
    bool reserved;     /* lr/sc */
    uint64_t reservation;
    uint64_t reserved_value;
    /* valid between runs */
    uint64_t pc;
    uint64_t retired; /* instructions before the run */
    int64_t quantum;  /* `left` at the start of the run */
    enum sam_exit exit;
    unsigned event;
    unsigned cause;
    uint64_t tval;
    uint32_t fault_lane;             /* UINT32_MAX: none */
    const struct sam_uop *end_op;    /* where the run ended, ... */
    const struct sam_uop *end_entry; /* ... in the block from here on; NULL: at a jump */
    /* handler arguments, in builds without tail calls */
    const struct sam_uop *loop_entry;
    int64_t loop_left;
    void *unit[SAM_UNITS]; /* private to their handlers */
    /* machine CSRs */
    uint64_t hartid, mstatus, mtvec, mscratch, mepc, mcause, mtval;
    bool stepping;           /* within sam_core_step */
    bool scalar;             /* the TLB is resolving an access of a scalar instruction, */
    bool atomic;             /* which also loads; */
    uint64_t accessed_at;    /* instructions retired before it */
    uint32_t pending_prefix; /* single-stepping: the prefix just executed, or 0 */
};

/* Clear all registers and set pc. */
void sam_core_init(struct sam_core *core, struct sam_tlb *tlb, struct sam_code *code, uint64_t pc);
/* Run at least one instruction, and stop at the end of a block after `budget` of them, at most
 * SAM_CORE_STRAIGHT later. Preserves the caller's floating-point environment. */
enum { SAM_CORE_STRAIGHT = 1024 };
enum sam_exit sam_core_run(struct sam_core *core, int64_t budget);
/* sam_core_run for callers within sam_host_fp_enter; the host's floating-point flags are clear
 * before and after. */
enum sam_exit sam_core_run_entered(struct sam_core *core, int64_t budget);
/* Run exactly one instruction; a prefix counts as one and affects the next step. `insn`, unless
 * NULL, receives it, with op SAM_OP_ILLEGAL if it could not be fetched or decoded. */
enum sam_exit sam_core_step(struct sam_core *core, struct sam_insn *insn);
/* Register `number`, zero-extended. `narrow`: RV32. */
static inline uint64_t sam_core_x(const struct sam_core *core, bool narrow, unsigned number)
{
    return narrow ? core->x32[number] : core->x64[number];
}
/* Ignores writes to x0. */
static inline void sam_core_set_x(struct sam_core *core, bool narrow, unsigned number,
                                  uint64_t value)
{
    if (number && narrow)
        core->x32[number] = (uint32_t)value;
    else if (number)
        core->x64[number] = value;
}
/* Bits of mstatus. RISC-V Privileged 3.1.6. */
enum {
    SAM_MSTATUS_MIE = 1 << 3,
    SAM_MSTATUS_MPIE = 1 << 7,
    SAM_MSTATUS_VS = 3 << 9,
    SAM_MSTATUS_MPP = 3 << 11,
    SAM_MSTATUS_FS = 3 << 13,
};

/* Access the CSRs common to all cores. `instret`: instructions before the one that reads; `next`:
 * before the one after the write. Return false for an illegal access: no such CSR, or a write to a
 * read-only one. */
bool sam_core_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
bool sam_core_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);

/* ------------------------------------------------------------------------------ decoded code */

enum { SAM_CSR_WORD = 0x800, SAM_CSR_WORDS = 16 };

/* A machine: its ISA, handlers, CSRs and events. */
struct sam_machine {
    struct sam_isa isa;
    sam_handler *handlers[SAM_OP_COUNT];      /* NULL: illegal instruction */
    sam_handler *far_handlers[SAM_OP_COUNT];  /* scalar branches whose target is on another page */
    sam_handler *pair_handlers[SAM_OP_COUNT]; /* under REGPAIR */
    /* For read-only CSRs stored as a word of the core: SAM_CSR_WORDS offsets into the core, from
     * CSR SAM_CSR_WORD on; 0: not such a CSR. NULL: there are none. */
    const uint16_t *csr_words;
    /* The handler of a pair of consecutive instructions, or NULL. */
    sam_handler *(*pair_of)(enum sam_op first, enum sam_op second);
    /* The machine's own CSRs, tried first; NULL or false: not one of them. */
    bool (*csr_read)(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
    bool (*csr_write)(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);
    /* Of warps, for translation: their lanes (0: not a warp), and where in the core's struct
     * SAM_JIT_MODES bytes lie that choose between the paths of vector instructions. */
    uint32_t lanes;
    size_t modes;
};
enum { SAM_JIT_MODES = 4, SAM_JIT_FIXED = 2 /* of them: no branch changes these */ };

/* Install the scalar handlers for machine->isa.xlen. */
void sam_machine_init_scalar(struct sam_machine *machine);

/* Decoded code, used by one host thread. */
struct sam_code *sam_code_new(const struct sam_machine *machine, struct sam_tlb *tlb);
void sam_code_free(struct sam_code *code);
/* Invalidate decoded instructions overlapping [address, address + size), which lies in one page. */
void sam_code_store(struct sam_code *code, uint64_t address, unsigned size);
/* Stop runs at `pc`. A run that starts there stops at once: single-step over it. An address added
 * twice must be removed twice. Returns false on out-of-memory. */
bool sam_code_add_breakpoint(struct sam_code *code, uint64_t pc);
void sam_code_remove_breakpoint(struct sam_code *code, uint64_t pc);
bool sam_code_is_breakpoint(const struct sam_code *code, uint64_t pc);
/* Runs stop at breakpoints (the default), or pass them. */
void sam_code_enable_breakpoints(struct sam_code *code, bool enable);
/* Call `visit` with the address of each decoded page. */
void sam_code_each_page(const struct sam_code *code, void (*visit)(void *context, uint64_t pc),
                        void *context);
/* A number that changes whenever a page is decoded or stored to. */
uint64_t sam_code_changes(const struct sam_code *code);
/* Have hot loops translated (jit.h), before anything is decoded. `jit` must outlive the code; NULL:
 * not at all. */
struct sam_jit;
void sam_code_translate(struct sam_code *code, struct sam_jit *jit);
/* Invalidate all decoded code. */
void sam_code_reset(struct sam_code *code);
/* The fetchable part of a page: page[begin] to page[end - 1]. */
struct sam_code_part {
    const uint8_t *page;
    uint32_t begin, end;
};
/* Invalidate instructions whose words have changed, after memory was written between runs without
 * notice. `look` returns the part of the page at or after `pc`; all zero: none. */
void sam_code_refresh(struct sam_code *code,
                      struct sam_code_part (*look)(void *context, uint64_t pc), void *context);
/* Whether this page is decoded. Its write_limit must then stay 0, so that stores resolve. */
bool sam_code_has(const struct sam_code *code, uint64_t address);
const struct sam_machine *sam_code_machine(const struct sam_code *code);
/* Whether the ISA is RV32. */
static inline bool sam_code_is_narrow(const struct sam_code *code)
{
    return sam_code_machine(code)->isa.xlen == 32;
}
/* 1 + the highest vector register that decoded instructions can write; higher registers have their
 * initial value. */
unsigned sam_code_vectors(const struct sam_code *code);
/* Note a write to a vector register from outside the program. */
void sam_code_use_vector(struct sam_code *code, unsigned number);
/* Fetch the instruction word at `pc`. Returns false with *fault set. */
bool sam_code_fetch(const struct sam_core *core, uint64_t pc, uint32_t *word,
                    struct sam_fault *fault);
/* sam_decode with a cache. Returns false for an illegal instruction. */
bool sam_code_decode(struct sam_code *code, uint32_t word, uint32_t prefix, struct sam_insn *insn);

/* Whether `op` is in the running page, including the micro-op after its end. */
static inline bool sam_uop_in_page(const struct sam_core *c, const struct sam_uop *op)
{
    return (uintptr_t)op - (uintptr_t)c->ops < (SAM_PAGE_OPS + 1) * sizeof *op;
}

/* The instruction word of a micro-op, for reports; 0 if it cannot be fetched any more. */
uint32_t sam_uop_word(struct sam_core *c, const struct sam_uop *op);
/* Decode the instruction of a micro-op again, for handlers that need all of it (REGPAIR). */
bool sam_uop_insn(struct sam_core *c, const struct sam_uop *op, struct sam_insn *insn);

#endif
