/* SPDX-License-Identifier: Apache-2.0 */
/* The face of machine/: memory, the software TLB, the scalar core, decoded code and traps.
 *
 * A core runs micro-ops: each instruction of a page of code is decoded once, when it is first
 * reached, into a handler pointer and its operands. A handler does its work and tail-calls the next
 * one (threads.h). Memory goes through a software TLB: one entry per 4 KiB page holds the host
 * address and how many bytes of the page may be read and written, so that the common access is a
 * load, a compare and the access itself. Bounds, local memory, translation and stores to code are
 * all handled by how entries are filled. */
#ifndef SAM_MACHINE_H
#define SAM_MACHINE_H

#include "base/base.h"
#include "isa/isa.h"

#define SAM_PAGE_SIZE 4096u
#define SAM_PAGE_OPS  1024u /* instructions per page */
#define SAM_X_SINK    64u   /* register that receives writes to x0 */

/* ---------------------------------------------------------------- physical memory (memory.c) */

/* Buffers (which bytes exist) and the bytes themselves, in chunks allocated on first touch.
 * Thread-safe, except for mapping. */
struct sam_memory;

struct sam_region {
    uint64_t base;
    uint64_t size;
    uint64_t slack; /* padding at its end, to the end of a page */
};

/* What a machine lets its owner map. */
struct sam_memory_rules {
    unsigned bits; /* of an address: 32 or 64 */
    /* Mapped ranges that overlap or touch become one buffer, and programs take whole pages. False:
     * an overlap is an error, and each buffer has exactly the bytes asked for. */
    bool joins;
    struct sam_region window;    /* addresses of local memory, never mapped; size 0: none */
    struct sam_region registers; /* the same of control registers */
};

/* `rules` is copied. NULL: out of memory. */
struct sam_memory *sam_memory_new(const struct sam_memory_rules *rules);
void sam_memory_free(struct sam_memory *memory);
const struct sam_memory_rules *sam_memory_rules(const struct sam_memory *memory);
/* Add a buffer. One inside an existing buffer is fine; a larger one at the start of an existing one
 * extends it. Any other overlap is rejected, as is a buffer that wraps. */
enum sam_status sam_memory_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* The same, but what overlaps or adjoins becomes one buffer. */
enum sam_status sam_memory_add(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* Remove the buffer that begins at `base`. Its bytes become zero, and their memory goes back to the
 * host; bytes around it stay. */
enum sam_status sam_memory_unmap(struct sam_memory *memory, uint64_t base, struct sam_error *error);
/* The buffer that holds `address`, or NULL. */
const struct sam_region *sam_memory_find(const struct sam_memory *memory, uint64_t address);
/* The lowest buffer that ends above `address`, or NULL. */
const struct sam_region *sam_memory_next(const struct sam_memory *memory, uint64_t address);
/* The first page at or above `from` with `size` free bytes, and `guard` more on either side; 0 when
 * there is none below `limit`. */
uint64_t sam_memory_gap(const struct sam_memory *memory, uint64_t from, uint64_t limit,
                        uint64_t size, uint64_t guard);
/* The last bytes of the buffer at `base` are slack. */
void sam_memory_set_slack(struct sam_memory *memory, uint64_t base, uint64_t slack);
/* Host address of the byte at `address`; the rest of its page follows. NULL: host out of memory. */
uint8_t *sam_memory_host(struct sam_memory *memory, uint64_t address);
/* The same; *size, the bytes wanted from `address` on, becomes how many of them follow each other
 * on the host. */
uint8_t *sam_memory_run(struct sam_memory *memory, uint64_t address, size_t *size);
/* Zero bytes, regardless of buffers; the pages in them go back to the host. */
void sam_memory_clear(struct sam_memory *memory, uint64_t base, uint64_t size);
/* Copy in or out, regardless of buffers. False: host out of memory. */
bool sam_memory_write(struct sam_memory *memory, uint64_t address, const void *data, size_t size);
void sam_memory_read(struct sam_memory *memory, uint64_t address, void *data, size_t size);
/* The first address in address..end - 1 whose chunk is allocated; `end`: none is. */
uint64_t sam_memory_skip_untouched(struct sam_memory *memory, uint64_t address, uint64_t end);
/* Bytes from `base`, the start of a page, to the end of the region or the page; 0 when the region,
 * which has bytes in this page, begins later. */
static inline uint16_t sam_region_limit(const struct sam_region *region, uint64_t base)
{
    if (region->base > base)
        return 0;
    const uint64_t rest = region->size - (base - region->base);
    return (uint16_t)(rest < SAM_PAGE_SIZE ? rest : SAM_PAGE_SIZE);
}

/* ------------------------------------------------- what the owner of a machine does (host.c) */

/* Make `size` bytes at `base` a buffer, by the rules of the memory. SAM_ERR_USAGE: past the address
 * space, in the machine's window, or an overlap. */
enum sam_status sam_host_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                             struct sam_error *error);
/* Map `size` bytes at the first page boundary from `from` on where they have a free page on either
 * side. SAM_ERR_USAGE: no room. */
enum sam_status sam_host_alloc(struct sam_memory *memory, uint64_t from, uint64_t size,
                               uint64_t *address, struct sam_error *error);
/* Map `size` bytes, and as slack what follows up to a page boundary or the next buffer: at
 * *address, or, when that is 0, at the first page from `from` on where whole pages are free. */
enum sam_status sam_host_alloc_pages(struct sam_memory *memory, uint64_t from, uint64_t size,
                                     uint64_t *address, struct sam_error *error);
/* Copy in or out; the bytes must lie in one buffer, else SAM_ERR_USAGE. A read into NULL only
 * checks that they do. Writes reach `code`, where a core runs from this memory; else NULL. */
struct sam_code;
enum sam_status sam_host_write(struct sam_memory *memory, struct sam_code *code, uint64_t address,
                               const void *data, size_t size, struct sam_error *error);
enum sam_status sam_host_read(struct sam_memory *memory, uint64_t address, void *data, size_t size,
                              struct sam_error *error);
/* Map those bytes of the range that no buffer has; unless the memory joins ranges, each gap becomes
 * a buffer of its own. */
enum sam_status sam_host_cover(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error);
/* Map the sections of a program in whole pages, where it is linked and where it is loaded, in a
 * memory whose ranges join. Nothing is copied. */
enum sam_status sam_host_plan(struct sam_memory *plan, const struct sam_image *image,
                              struct sam_error *error);
/* Bytes have changed: `code`, unless it is NULL, decodes them again. */
void sam_host_invalidate_code(struct sam_code *code, uint64_t address, uint64_t size);
/* Map every section of a program and copy its data in, also to its load address where that differs.
 * SAM_ERR_INPUT: a section above the address space. */
enum sam_status sam_host_load(struct sam_memory *memory, struct sam_code *code,
                              const struct sam_image *image, struct sam_error *error);

/* ------------------------------------------------------------------------- causes and traps */

/* RISC-V causes, then ours. */
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
    SAM_CAUSE_CUSTOM = 24, /* the machine above defines 24.. */
};

/* SAM_ATOMIC, a load and a store, is one for sam_access_slow only: a TLB resolves a store. */
enum sam_access { SAM_FETCH, SAM_LOAD, SAM_STORE, SAM_ATOMIC };

struct sam_fault {
    unsigned cause;
    uint64_t address; /* or tval of another kind */
};

/* The cause of an access that the machine forbids. */
static inline unsigned sam_access_cause(enum sam_access access)
{
    return access == SAM_FETCH  ? SAM_CAUSE_FETCH_ACCESS
           : access == SAM_LOAD ? SAM_CAUSE_LOAD_ACCESS
                                : SAM_CAUSE_STORE_ACCESS;
}

/* In words (fault.c): "misaligned load from 0x80000001". Addresses have at least `digits` digits;
 * `outside` says what is wrong with the address of an access fault: ", outside every buffer"; NULL:
 * ", which cannot be read" or "written". */
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
    uint16_t read_limit; /* bytes from the page's start that may be read, 0..4096 */
    uint16_t write_limit;
    uint32_t tag; /* upper address bits, XLEN 64 only */
};

#define SAM_TLB_ENTRIES (UINT32_C(1) << 20) /* all of a 32-bit address space */

/* The writable bytes after the word that a machine watches, within its page: the page's write_limit
 * ends before the word, and stores beyond it look here before they go to resolve. */
struct sam_tlb_gap {
    uint64_t base;
    uint8_t *host; /* address of the byte at base */
    uint32_t size; /* 0: none */
};

struct sam_watches; /* watch.h */
struct sam_journal; /* journal.h */

struct sam_tlb {
    struct sam_tlb_entry *entries; /* SAM_TLB_ENTRIES of them, direct-mapped */
    struct sam_tlb_gap gap;
    struct sam_watches *watches; /* NULL: none */
    struct sam_journal *journal; /* NULL: none */
    bool exhausted;  /* the host had no memory for an access: the fault is not the program's */
    bool asks_slack; /* the core is to stop after the next access to a buffer's slack, */
    bool slack;      /* the access just resolved is to slack */
    /* Host address of an access that misses the pages, or NULL with *fault filled. May fill the
     * page's entry, so that the next access hits. Aligned accesses only; they never cross a page.
     */
    uint8_t *(*resolve)(struct sam_tlb *tlb, uint64_t address, unsigned size,
                        enum sam_access access, struct sam_fault *fault);
};

/* Send stores to the page at `page_base` through resolve from now on. */
static inline void sam_tlb_protect(struct sam_tlb *tlb, uint64_t page_base)
{
    tlb->entries[(uint32_t)page_base / SAM_PAGE_SIZE].write_limit = 0;
    if (tlb->gap.base - page_base < SAM_PAGE_SIZE)
        tlb->gap.size = 0;
}

bool sam_tlb_init(struct sam_tlb *tlb);
void sam_tlb_release(struct sam_tlb *tlb);
/* As if it had just been made. */
void sam_tlb_clear(struct sam_tlb *tlb);

/* ------------------------------------------------------------------------------------- core */

struct sam_core;
struct sam_uop;

/* `entry` is the first micro-op of the straight-line run that contains `op`, and `left` the
 * instruction budget remaining at `entry`: counting costs nothing except at jumps. */
typedef const struct sam_uop *sam_handler(struct sam_core *c, const struct sam_uop *op,
                                          const struct sam_uop *entry, int64_t left);

struct sam_uop {
    sam_handler *fn;
    union {
        struct {
            uint8_t rd, rs1, rs2;
            uint8_t rs3; /* third source, or SAM_UOP_* flags of vector instructions */
            int32_t imm; /* immediate; for a near branch, the index of the target in its page */
        };
        const struct sam_uop *link; /* of a prefix: the out-of-line instruction it modifies */
    };
};

/* Flags in rs3 of instructions with a vm field or a vector branch. */
enum {
    SAM_UOP_VM = 1,  /* unmasked */
    SAM_UOP_ODD = 2, /* names an odd vector register, illegal under LMUL 2 */
    SAM_UOP_FAR = 4, /* the branch leaves its page: imm is the offset in bytes */
};

enum sam_exit {
    SAM_EXIT_BUDGET, /* `left` is used up; pc is the next instruction */
    SAM_EXIT_TRAP,   /* pc is the instruction that failed */
    SAM_EXIT_EVENT,  /* raised by the machine: core->event says which; pc is the next instruction */
    SAM_EXIT_STOP,   /* pc has reached a breakpoint, not run yet; or a prefix
                        directly before one; or an instruction that a stand-in stops before */
};

/* Bit of core->event: an instruction has accessed watched memory. The machine above defines those
 * below. While a core runs its event is 0, until an instruction ends the run by setting it. */
#define SAM_EVENT_WATCH 0x100u
/* The same: it has accessed a buffer's slack; core->cause, tval and fault_lane are those of a fault
 * there. */
#define SAM_EVENT_SLACK 0x200u

struct sam_code;

/* Units that may be attached to a core: indices into core->unit. */
enum { SAM_UNIT_TENSOR, SAM_UNIT_MATRIX, SAM_UNITS };

struct sam_core {
    union {
        uint32_t x32[SAM_X_SINK + 8];
        uint64_t x64[SAM_X_SINK + 8];
    };
    const struct sam_uop *ops;     /* of the running page */
    struct sam_counters *counters; /* of the running page, in instrumented code (instrument.h) */
    uint64_t page_pc;              /* address of that page */
    struct sam_tlb_entry *entries; /* tlb->entries */
    struct sam_tlb *tlb;
    struct sam_code *code;
    uint64_t line_pc;  /* pc of an out-of-line micro-op */
    uint8_t frm;       /* rounding mode CSR, 0..7 */
    uint8_t fflags;    /* raised so far, not counting the host's sticky flags */
    uint8_t frm_plain; /* frm is round-to-nearest-even */
    bool reserved;     /* lr/sc */
    uint64_t reservation;
    uint64_t reserved_value;
    /* between runs */
    uint64_t pc;
    uint64_t retired; /* instructions up to the start of the run */
    int64_t quantum;  /* `left` at the start of the run */
    enum sam_exit exit;
    unsigned event;
    unsigned cause;
    uint64_t tval;
    uint32_t fault_lane;             /* UINT32_MAX: none */
    const struct sam_uop *end_op;    /* that the run has ended at, ... */
    const struct sam_uop *end_entry; /* ... of this straight-line run; NULL: at a jump */
    /* handler arguments, in builds without tail calls */
    const struct sam_uop *loop_entry;
    int64_t loop_left;
    void *unit[SAM_UNITS]; /* state of the attached units, each known to its handlers */
    /* machine CSRs */
    uint64_t hartid, mstatus, mtvec, mscratch, mepc, mcause, mtval;
    bool stepping;           /* within sam_core_step */
    bool scalar;             /* what the TLB resolves is the access of a scalar instruction, */
    bool atomic;             /* and a load as well; */
    uint64_t accessed_at;    /* instructions retired before it */
    uint32_t pending_prefix; /* single-stepping: the prefix word just executed, or 0 */
};

/* Reset to zero registers and `pc`. */
void sam_core_init(struct sam_core *core, struct sam_tlb *tlb, struct sam_code *code, uint64_t pc);
/* Run at least one instruction and stop soon after `budget` of them: at the end of a straight-line
 * run, at most SAM_CORE_STRAIGHT later. The caller's floating-point flags and rounding mode are
 * preserved. */
enum { SAM_CORE_STRAIGHT = 1024 };
enum sam_exit sam_core_run(struct sam_core *core, int64_t budget);
/* The same within sam_host_fp_enter: the host's floating-point flags are clear before and after. */
enum sam_exit sam_core_run_entered(struct sam_core *core, int64_t budget);
/* Run exactly one instruction; a prefix counts as one and takes effect on the next step. `insn`,
 * when not NULL, receives it; its op is SAM_OP_ILLEGAL when it could not be fetched or decoded. */
enum sam_exit sam_core_step(struct sam_core *core, struct sam_insn *insn);
/* Register `number`, zero-extended; `narrow`: the core is RV32. */
static inline uint64_t sam_core_x(const struct sam_core *core, bool narrow, unsigned number)
{
    return narrow ? core->x32[number] : core->x64[number];
}
/* x0 stays 0. */
static inline void sam_core_set_x(struct sam_core *core, bool narrow, unsigned number,
                                  uint64_t value)
{
    if (number && narrow)
        core->x32[number] = (uint32_t)value;
    else if (number)
        core->x64[number] = value;
}
/* fflags as the program would read it. Only between runs. */
static inline unsigned sam_core_fflags(const struct sam_core *core)
{
    return core->fflags;
}

/* Bits of mstatus. RISC-V Privileged 3.1.6. */
enum {
    SAM_MSTATUS_MIE = 1 << 3,
    SAM_MSTATUS_MPIE = 1 << 7,
    SAM_MSTATUS_VS = 3 << 9,
    SAM_MSTATUS_MPP = 3 << 11,
    SAM_MSTATUS_FS = 3 << 13,
};

/* CSRs every core has: address -> value. `instret` counts the instructions before the one that
 * reads, `next` those before the one that follows the write. False: no such CSR, or a write to a
 * read-only one; an illegal instruction. */
bool sam_core_csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
bool sam_core_csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);

/* ------------------------------------------------------------------------------ decoded code */

enum { SAM_CSR_WORD = 0x800, SAM_CSR_WORDS = 16 };

/* What a machine provides: its ISA, a handler for each instruction, its own CSRs and events. */
struct sam_machine {
    struct sam_isa isa;
    sam_handler *handlers[SAM_OP_COUNT];      /* NULL: illegal */
    sam_handler *far_handlers[SAM_OP_COUNT];  /* scalar branches that leave their page */
    sam_handler *pair_handlers[SAM_OP_COUNT]; /* under REGPAIR */
    /* Read-only CSRs that are a word of the core: SAM_CSR_WORDS offsets of it, for the CSRs from
     * SAM_CSR_WORD on; 0: not one of these. NULL: none. */
    const uint16_t *csr_words;
    /* A handler for two consecutive instructions; NULL: none. */
    sam_handler *(*pair_of)(enum sam_op first, enum sam_op second);
    /* CSRs, tried before the common ones; NULL or false: not one of the machine's. */
    bool (*csr_read)(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value);
    bool (*csr_write)(struct sam_core *core, unsigned address, uint64_t next, uint64_t value);
};

/* Fill the scalar handlers for machine->isa.xlen. */
void sam_machine_init_scalar(struct sam_machine *machine);

/* The pages of code decoded by one host thread. */
struct sam_code *sam_code_new(const struct sam_machine *machine, struct sam_tlb *tlb);
void sam_code_free(struct sam_code *code);
/* `size` bytes at `address` (in one page) are being stored: if they are code, decode it again. */
void sam_code_store(struct sam_code *code, uint64_t address, unsigned size);
/* Stop runs that reach `pc`; one that starts there stops immediately (step over it). An address
 * added twice must be removed twice. False: out of memory. */
bool sam_code_add_breakpoint(struct sam_code *code, uint64_t pc);
void sam_code_remove_breakpoint(struct sam_code *code, uint64_t pc);
bool sam_code_is_breakpoint(const struct sam_code *code, uint64_t pc);
/* Runs stop at breakpoints (the default), or pass them. */
void sam_code_enable_breakpoints(struct sam_code *code, bool enable);
/* Call `visit` with the address of each page that is decoded. */
void sam_code_each_page(const struct sam_code *code, void (*visit)(void *context, uint64_t pc),
                        void *context);
/* A number that changes whenever a page is added to those, or bytes of one are stored to. */
uint64_t sam_code_changes(const struct sam_code *code);
/* Decode everything again: the memory behind it was changed as a whole. */
void sam_code_reset(struct sam_code *code);
/* Bytes of a page that can be fetched: page[begin] to page[end - 1]. */
struct sam_code_part {
    const uint8_t *page;
    uint32_t begin, end;
};
/* Between two runs, others may have written memory unseen: forget decoded instructions of other
 * words than those there are. `look` finds the part of the page that `pc` is in or that follows it;
 * all zero: none. */
void sam_code_refresh(struct sam_code *code,
                      struct sam_code_part (*look)(void *context, uint64_t pc), void *context);
/* Whether this page is decoded. Stores to it must then go through resolve: its write_limit stays 0.
 */
bool sam_code_has(const struct sam_code *code, uint64_t address);
const struct sam_machine *sam_code_machine(const struct sam_code *code);
/* RV32. */
static inline bool sam_code_is_narrow(const struct sam_code *code)
{
    return sam_code_machine(code)->isa.xlen == 32;
}
/* One more than the highest vector register that decoded instructions can write; registers above it
 * still have their initial value. */
unsigned sam_code_vectors(const struct sam_code *code);
/* Somebody else writes this one. */
void sam_code_use_vector(struct sam_code *code, unsigned number);
/* The instruction at `pc` as words: false when it cannot be fetched. */
bool sam_code_fetch(const struct sam_core *core, uint64_t pc, uint32_t *word,
                    struct sam_fault *fault);
/* sam_decode with a cache. False: illegal. */
bool sam_code_decode(struct sam_code *code, uint32_t word, uint32_t prefix, struct sam_insn *insn);

/* Whether a micro-op belongs to the running page, the end of the page included. */
static inline bool sam_uop_in_page(const struct sam_core *c, const struct sam_uop *op)
{
    return (uintptr_t)op - (uintptr_t)c->ops < (SAM_PAGE_OPS + 1) * sizeof *op;
}

/* The instruction word of a micro-op, for reports; 0 when it can no longer be fetched. */
uint32_t sam_uop_word(struct sam_core *c, const struct sam_uop *op);
/* The complete instruction, for handlers that need more than the micro-op (REGPAIR). */
bool sam_uop_insn(struct sam_core *c, const struct sam_uop *op, struct sam_insn *insn);

#endif
