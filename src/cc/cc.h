/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler of OpenCL C kernels, inside the folder. clang turns a source into bitcode
 * (clang.c), LLVM links it with the library of builtins and optimises it (module.c); of each kernel
 * the control flow (flow.c) and what is the same in all lanes (uniform.c) are found, instructions
 * selected (select*.c), loops and ways to barriers given one end where lanes would part (loops.c),
 * registers assigned (alloc.c, spill.c), and assembly is written (emit.c, data.c). */
#ifndef CC_CC_H
#define CC_CC_H

#include "base/base.h"
#include "cc/llvm.h"
#include "samite/cc.h"

/* CSRs of Ventus (docs/ventus-rulings.md) */
enum {
    SAM_CC_CSR_TID = 0x800,
    SAM_CC_CSR_NUMW = 0x801,
    SAM_CC_CSR_KNL = 0x803,
    SAM_CC_CSR_LDS = 0x806,
    SAM_CC_CSR_PRINT = 0x80b
};

/* Address spaces of clang's spir target. */
enum { AS_PRIVATE, AS_GLOBAL, AS_CONSTANT, AS_LOCAL, AS_GENERIC, AS_MIXED };

enum { CC_MAX_PARTS = 1024, CC_MAX_WORDS = 64, CC_PRINT_BYTES = 512 };

/* --- llvm.c */
enum sam_status sam_cc_llvm_load(unsigned major, struct llvm *llvm, struct sam_error *error);

/* --- clang.c */
struct cc_clang {
    char path[512];
    char version[160]; /* its first line */
    unsigned major;
};
/* Find the clang to use and its version. */
enum sam_status sam_cc_clang_find(struct cc_clang *clang, struct sam_error *error);
/* Run clang with the flags of the target and `more` (NULL at its end) on the file `path`, or on
 * `text` as standard input when `path` is NULL; `out` receives its standard output, `messages` its
 * standard error. */
enum sam_status sam_cc_clang_run(const struct cc_clang *clang, const char *const *more,
                                 const char *path, const struct sam_buffer *text,
                                 struct sam_buffer *out, struct sam_buffer *messages,
                                 struct sam_error *error);

/* --- the library of builtins as text, made from the files of lib/ */
extern const char sam_cc_library[];
extern const char sam_cc_build[]; /* changes with the compiler */

/* --- a module */
struct cc {
    struct llvm ll;
    unsigned major; /* its version */
    const struct sam_cc_options *options;
    const char *path; /* of the source, for messages */
    struct sam_error *error;
    llvm_ref context, module, layout;
    llvm_ref library;      /* whose functions the module may call */
    struct sam_buffer out; /* assembly */
    struct sam_buffer read_only, data, resources, signatures;
    char **files; /* that .loc names by number from 1 */
    size_t file_count;
    llvm_ref *globals;  /* by label .Lg<index> */
    uint32_t *local_at; /* of __local variables: their offset + 1 in this kernel, or 0 */
    uint8_t *used;      /* globals that must be written: 1; 2: they are */
    size_t global_count;
    uint32_t local_size;
    unsigned label;         /* the next free number */
    struct cc_debug *debug; /* NULL: variables are not described */
};

/* Fails with "file:line: what": the location of an instruction or function; without one, the name
 * of the source. */
enum sam_status sam_cc_refuse(struct cc *cc, llvm_ref where, const char *format, ...)
    SAM_PRINTF(3, 4);

/* --- module.c: parse, link, prepare and optimise; check what is refused */
/* clang's bitcode of the library, made ready to be linked. */
enum sam_status sam_cc_module_ready(struct cc *cc, const struct sam_buffer *raw,
                                    struct sam_buffer *ready);
enum sam_status sam_cc_module_open(struct cc *cc, const struct sam_buffer *user,
                                   const struct sam_buffer *library);
void sam_cc_module_close(struct cc *cc);
/* A call of a library function, at the position of `builder`; NULL: there is none. */
llvm_ref sam_cc_call_builtin(struct cc *cc, llvm_ref builder, const char *name, llvm_ref *arguments,
                             unsigned count);
/* print.c: replace calls of printf by those of the library. */
enum sam_status sam_cc_expand_printf(struct cc *cc, llvm_ref call);
/* After inlining: one buffer for all printf calls of the kernel. */
void sam_cc_print_buffer(struct cc *cc, llvm_ref kernel);
/* data.c: number the globals; then write those that lie in memory. */
enum sam_status sam_cc_globals_find(struct cc *cc);
enum sam_status sam_cc_globals_write(struct cc *cc);
uint32_t sam_cc_global_index(struct cc *cc, llvm_ref global);
uint32_t sam_cc_local_offset(struct cc *cc, llvm_ref global);
/* signature.c: refuse arguments of types that kernels cannot have; a line for the kernel: its
 * arguments with their layout in the argument buffer. */
enum sam_status sam_cc_signature_check(struct cc *cc, llvm_ref function);
void sam_cc_signature_write(struct cc *cc, llvm_ref function);
/* reqd_work_group_size, or zeros. */
void sam_cc_required_size(struct cc *cc, llvm_ref function, uint32_t size[3]);
const char *sam_cc_argument_name(struct cc *cc, llvm_ref function, unsigned index, int *length);
/* The metadata of a function or variable of the module, as a value; NULL: none of this name. */
llvm_ref sam_cc_metadata(struct cc *cc, llvm_ref global, const char *name);
/* The offset of argument `index`. */
uint32_t sam_cc_argument_at(struct cc *cc, llvm_ref function, unsigned index);

/* The words of a value: each at most 4 bytes wide. */
struct cc_part {
    uint32_t offset;
    uint8_t bytes;
    uint8_t bits; /* 1 to 32 */
};
/* Returns the number of parts, or 0: too many, or a type that is refused. */
unsigned sam_cc_parts(struct cc *cc, llvm_ref type, uint32_t at, struct cc_part *parts,
                      unsigned count);

/* --- operands and instructions of the machine */
enum cc_kind {
    CC_NONE,
    CC_IMM,    /* a constant: imm */
    CC_SYMBOL, /* the address of .Lg<reg>, plus imm */
    CC_S,      /* scalar register: reg, a virtual one; plus imm where a pointer is meant */
    CC_V,      /* vector register */
    CC_X,      /* a machine's scalar register */
    CC_V0      /* the mask */
};

struct cc_opnd {
    uint8_t kind;
    uint32_t reg;
    int32_t imm;
};

enum cc_form {
    CC_OP,     /* name d, a, b, c */
    CC_ACC,    /* name d, a, b: d is also read */
    CC_MASKED, /* as CC_OP, with the mask v0 at the end */
    CC_LOAD,   /* name d, b(a) */
    CC_STORE,  /* name d, b(a): d is read */
    CC_COPY,   /* d = a */
    CC_LOOP,   /* several instructions; d, t are written while a, b, c, e are still read */
    CC_FORMS
};

enum { CC_TEMPS = 6 };

struct cc_insn {
    const char *name;
    uint8_t form;
    bool effect; /* must stay although nothing reads d */
    bool early;  /* CC_LOOP */
    uint32_t line, file;
    uint32_t notes, scope; /* debug.h: of variables, before it; of its code + 1 */
    struct cc_opnd d, a, b, c, e;
    struct cc_opnd t[CC_TEMPS]; /* of CC_LOOP */
    const char *load;           /* of a CC_LOOP that copies memory; NULL: it fills it with b */
    uint32_t more, step;        /* its elements and their size */
};

enum cc_end { CC_RETURN, CC_JUMP, CC_BRANCH, CC_SPLIT };

struct cc_block {
    struct cc_insn *insns;
    size_t count, room;
    uint32_t notes; /* after all of them; for the next one that is put there */
    /* Its end. CC_BRANCH is a scalar branch, CC_SPLIT a vector branch: name a, b, next[0], else
     * next[1]. */
    uint8_t end;
    const char *name;
    struct cc_opnd a, b;
    uint32_t next[2];
    uint32_t rpc;           /* of CC_SPLIT: the block at which its lanes meet */
    struct cc_opnd address; /* of CC_SPLIT in a loop: the register with the address of rpc */
    uint32_t line, file;
    uint32_t loop;         /* innermost loop, or CC_NO_LOOP */
    uint32_t place, below; /* in the tree of dominators; the blocks that it dominates */
    bool join;             /* some branch meets here */
};

#define CC_NO    UINT32_MAX
#define CC_LABEL 0x80000000u /* of a CC_SYMBOL: a block of the function */

struct cc_loop {
    uint32_t header, parent, depth;
    bool apart; /* lanes may leave it in different iterations */
};

/* A value of LLVM and its operands. */
struct cc_value {
    llvm_ref ref;
    uint32_t block;
    bool divergent;
    bool done; /* its instruction has been selected */
    unsigned count;
    struct cc_opnd *parts;
};

struct cc_function {
    struct cc *cc;
    llvm_ref ref;
    const char *name;
    struct cc_block *blocks; /* the first `ir_blocks` are those of LLVM */
    uint32_t block_count, block_room, ir_blocks;
    llvm_ref *ir;    /* their references */
    uint32_t exit;   /* the one block that returns */
    uint32_t *order; /* blocks as they are written */
    uint32_t order_count;
    uint32_t *pdom; /* immediate post-dominators */
    struct cc_loop *loops;
    uint32_t loop_count;
    struct cc_value *values;
    uint32_t value_count;
    llvm_ref *value_slots; /* hash table of references */
    uint32_t *value_ids;
    uint32_t slot_count;
    uint8_t *is_vector; /* of virtual registers */
    uint32_t *def_block;
    uint32_t *def_insn;
    uint32_t reg_count, reg_room;
    uint8_t *machine;                                /* the register of each */
    struct cc_opnd arguments, knl, lane, local_base; /* CC_NONE: not needed yet */
    struct cc_opnd metadata[16];
    uint32_t required[3]; /* reqd_work_group_size, or 0 */
    uint32_t private_size;
    unsigned vgprs, sgprs;
    uint32_t block;             /* being selected */
    uint32_t line, file, scope; /* of the instruction that is selected */
    /* value numbering */
    struct cc_cse {
        uint32_t block, insn, next;
    } * cse;
    uint32_t cse_count, cse_room;
    uint32_t *cse_slots;       /* index + 1; `slot_count` of them */
    uint32_t mask_block, mask; /* the condition that v0 holds in this block */
    bool failed;               /* memory has run out */
    bool in_vectors;           /* uniform values too: scalar registers do not suffice */
    bool crowded;              /* so it must be */
    uint32_t spills;
};

/* --- flow.c */
enum sam_status sam_cc_flow_read(struct cc_function *f);
uint32_t sam_cc_block_new(struct cc_function *f, uint32_t loop);
/* Post-dominators of the blocks as they are now. */
bool sam_cc_flow_pdom(struct cc_function *f);
/* f->order: blocks as they are to be written, loops together. */
bool sam_cc_flow_order(struct cc_function *f);
bool sam_cc_loop_holds(const struct cc_function *f, uint32_t loop, uint32_t block);
uint32_t sam_cc_block_of(const struct cc_function *f, llvm_ref block);
bool sam_cc_dominates(const struct cc_function *f, uint32_t a, uint32_t b);
unsigned sam_cc_next(const struct cc_block *b, uint32_t next[2]);
uint32_t sam_cc_depth(const struct cc_function *f, uint32_t block);

/* --- uniform.c */
bool sam_cc_values_read(struct cc_function *f);
bool sam_cc_uniform(struct cc_function *f);
struct cc_value *sam_cc_value(const struct cc_function *f, llvm_ref ref); /* NULL: a constant */

/* --- build.c: instructions, in the block being selected */
struct cc_opnd sam_cc_imm(int64_t value);
struct cc_opnd sam_cc_new(struct cc_function *f, bool vector);
struct cc_insn *sam_cc_put(struct cc_function *f, uint32_t block, struct cc_insn insn);
/* A scalar or a vector register with the value; `plain`: without a pending addend. */
struct cc_opnd sam_cc_scalar(struct cc_function *f, struct cc_opnd a);
struct cc_opnd sam_cc_vector(struct cc_function *f, struct cc_opnd a);
struct cc_opnd sam_cc_plain(struct cc_function *f, struct cc_opnd a);
/* An instruction without effects; the same one that dominates is used again. */
struct cc_opnd sam_cc_pure(struct cc_function *f, bool vector, const char *name, struct cc_opnd a,
                           struct cc_opnd b, struct cc_opnd c);
enum cc_op {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_MULH,
    OP_MULHU,
    OP_DIV,
    OP_DIVU,
    OP_REM,
    OP_REMU,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_SLL,
    OP_SRL,
    OP_SRA,
    OP_MIN,
    OP_MINU,
    OP_MAX,
    OP_MAXU,
    OP_FADD,
    OP_FSUB,
    OP_FMUL,
    OP_FDIV,
    OP_FMIN,
    OP_FMAX,
    OP_SGNJ,
    OP_SGNJN,
    OP_SGNJX,
    OP_COUNT
};
struct cc_opnd sam_cc_op(struct cc_function *f, enum cc_op op, struct cc_opnd a, struct cc_opnd b);
enum cc_unary {
    UN_SQRT,
    UN_EXP,
    UN_REC7,
    UN_RSQRT7,
    UN_CLASS,
    UN_F2I,
    UN_F2U,
    UN_F2I_RTZ,
    UN_F2U_RTZ,
    UN_I2F,
    UN_U2F,
    UN_ZEXT8,
    UN_ZEXT16,
    UN_SEXT8,
    UN_SEXT16
};
struct cc_opnd sam_cc_unary(struct cc_function *f, enum cc_unary op, struct cc_opnd a);
struct cc_opnd sam_cc_fma(struct cc_function *f, struct cc_opnd a, struct cc_opnd b,
                          struct cc_opnd c);
/* 0 or 1. `pred`: LL_EQ ...; with `mask`, a vector result may be CC_V0. */
struct cc_opnd sam_cc_icmp(struct cc_function *f, int pred, struct cc_opnd a, struct cc_opnd b);
struct cc_opnd sam_cc_fcmp(struct cc_function *f, int pred, struct cc_opnd a, struct cc_opnd b);
/* Exchange the operands; returns the predicate that compares them so. */
int sam_cc_swap(int pred, struct cc_opnd *a, struct cc_opnd *b);
struct cc_opnd sam_cc_select(struct cc_function *f, struct cc_opnd cond, struct cc_opnd a,
                             struct cc_opnd b);
struct cc_opnd sam_cc_extend(struct cc_function *f, struct cc_opnd a, unsigned bits, bool sign);
void sam_cc_copy(struct cc_function *f, uint32_t block, struct cc_opnd d, struct cc_opnd a);

/* --- select.c, memory.c, call.c, value.c */
enum sam_status sam_cc_select_all(struct cc_function *f);
/* The operand of part `i` of a value; constants included. */
struct cc_opnd sam_cc_part(struct cc_function *f, llvm_ref value, unsigned i);
/* The same with its pending addend added; the upper bits of narrow integers are anything. */
struct cc_opnd sam_cc_use(struct cc_function *f, llvm_ref value, unsigned i);
void sam_cc_set(struct cc_function *f, llvm_ref value, unsigned i, struct cc_opnd part);
enum sam_status sam_cc_select_memory(struct cc_function *f, llvm_ref insn, int opcode);
enum sam_status sam_cc_select_call(struct cc_function *f, llvm_ref insn);
enum sam_status sam_cc_select_gep(struct cc_function *f, llvm_ref insn);
enum sam_status sam_cc_atomic(struct cc_function *f, llvm_ref insn, const char *name,
                              struct cc_opnd address, struct cc_opnd value,
                              struct cc_opnd expected);
struct cc_opnd sam_cc_lane(struct cc_function *f);       /* of the work-item in its group */
struct cc_opnd sam_cc_local_base(struct cc_function *f); /* of __local variables */
enum sam_status sam_cc_copy_bytes(struct cc_function *f, llvm_ref insn, bool fill, bool overlap);
/* Load or store a part at an address of a space, whose alignment is known. */
struct cc_opnd sam_cc_load(struct cc_function *f, unsigned space, struct cc_opnd address,
                           const struct cc_part *part, bool sign, unsigned align);
void sam_cc_store(struct cc_function *f, unsigned space, struct cc_opnd address,
                  const struct cc_part *part, struct cc_opnd value, unsigned align);
unsigned sam_cc_space(struct cc_function *f, llvm_ref pointer);
unsigned sam_cc_bits(struct cc *cc, llvm_ref type); /* of an integer or of a vector's elements */

/* --- wide.c: integers of `n` words */
unsigned sam_cc_words(unsigned bits); /* of an integer of `bits` bits: at least 1 */
/* Element `at` of a value, its highest word extended to 32 bits; returns its words. */
unsigned sam_cc_wide_use(struct cc_function *f, llvm_ref value, unsigned at, bool sign,
                         struct cc_opnd *out);
struct cc_opnd sam_cc_wide_icmp(struct cc_function *f, int pred, unsigned n,
                                const struct cc_opnd *a, const struct cc_opnd *b);
void sam_cc_wide_shift(struct cc_function *f, int opcode, unsigned n, const struct cc_opnd *value,
                       struct cc_opnd by, struct cc_opnd *out);
/* False: a division that is not by a power of two. */
bool sam_cc_wide_op(struct cc_function *f, int opcode, unsigned n, const struct cc_opnd *a,
                    const struct cc_opnd *b, struct cc_opnd *out);
/* An addition, subtraction or multiplication; returns whether the result wrapped. */
struct cc_opnd sam_cc_wide_overflow(struct cc_function *f, int opcode, bool sign, unsigned n,
                                    const struct cc_opnd *a, const struct cc_opnd *b,
                                    struct cc_opnd *out);
enum sam_status sam_cc_select_wide(struct cc_function *f, llvm_ref insn, int opcode, unsigned at);

/* --- spill.c */
struct cc_spill {
    bool spilled;
    const char *constant; /* the instruction that makes the value; NULL: not a constant */
    struct cc_opnd of;    /* the operand of `scalar` if given, else of `constant` */
    const char *scalar;   /* the instruction that makes the operand of `constant`, or NULL */
    uint32_t start, end;  /* it is alive between these positions only */
    uint32_t slot;
};
/* Find the registers that hold constants; false: memory has run out. */
bool sam_cc_constants(const struct cc_function *f, struct cc_spill *spills);
/* Rewrite the function without the registers that are spilled. */
enum sam_status sam_cc_spill(struct cc_function *f, struct cc_spill *spills,
                             uint32_t *scalar_bytes);

/* --- loops.c, alloc.c, emit.c */
bool sam_cc_lanes_meet(struct cc_function *f);
enum sam_status sam_cc_allocate(struct cc_function *f);
void sam_cc_emit(struct cc_function *f);
/* Call `use` for each register that an instruction reads, `def` for each that it writes. */
typedef void cc_visit(void *context, struct cc_opnd *reg, bool write);
void sam_cc_visit(struct cc_insn *insn, cc_visit *visit, void *context);
#endif
