/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the source, for debuggers. While instructions are selected, LLVM's notes on the
 * value of a variable are kept with the instruction that follows (track.c); once registers are
 * assigned, values are followed through the blocks (locate.c) and described as DWARF (dwarf.c). */
#ifndef CC_DEBUG_H
#define CC_DEBUG_H

#include "cc/cc.h"

enum cc_piece_kind {
    CC_PIECE_VALUE,    /* a constant: imm */
    CC_PIECE_SYMBOL,   /* the address .Lg<reg> + imm */
    CC_PIECE_REGISTER, /* a register: virtual in notes, of the machine in locations */
    CC_PIECE_SUM,      /* a register plus imm */
    CC_PIECE_PRIVATE,  /* private memory from imm on */
    CC_PIECE_ARGUMENT  /* the argument buffer from imm on */
};

/* Bytes of a variable and their location. Machine registers: vectors, then scalars. */
struct cc_piece {
    uint32_t offset, size, kind, reg;
    int32_t imm;
};

enum { CC_MAX_PIECES = 64, CC_SCALARS = 256, CC_MACHINE = CC_SCALARS + 64 };

/* Bytes [from, to) of a variable are in `count` pieces from now on, the others nowhere. */
struct cc_note {
    uint32_t variable, from, to, first, count;
    uint32_t next; /* note + 1, or 0 */
};

/* A block or a function of the source; with the location of the call, if that was inlined. */
struct cc_scope {
    llvm_ref scope, call; /* metadata */
    uint32_t parent;      /* CC_NO: the kernel itself */
};

struct cc_variable {
    llvm_ref variable, call; /* metadata */
    uint32_t scope, size;
};

struct cc_type {
    llvm_ref metadata;
};

struct cc_location {
    uint32_t first, count; /* pieces */
    uint32_t next;         /* with the same hash: location + 1, or 0 */
};

/* Variable `of` is at a location, or code of scope `of` runs, between two labels .Ld<n>. */
struct cc_range {
    uint32_t of, location, from, to;
};

struct cc_debug {
    struct cc *cc;
    /* of a kernel */
    struct cc_note *notes;
    struct cc_piece *pieces;
    struct cc_scope *scopes;
    struct cc_variable *variables;
    struct cc_location *locations; /* 0: nowhere */
    uint32_t by_hash[4096];        /* location + 1, or 0 */
    struct cc_range *ranges, *runs;
    size_t note_count, note_room, piece_count, piece_room, scope_count, scope_room, variable_count,
        variable_room, location_count, location_room, range_count, range_room, run_count, run_room;
    uint32_t *in; /* the state before each block: see locate.c */
    /* of the program */
    struct cc_type *types;
    size_t type_count, type_room;
    struct sam_buffer info, lists, spans; /* .debug_info, .debug_loc, .debug_ranges */
    uint32_t span_label;
    bool failed;
};

/* Append an item to a list of struct cc_debug; returns its number, or CC_NO. */
#define CC_DEBUG_ADD(d, list, ...)                                                                 \
    ((d)->list##s = sam_cc_debug_room((d), (d)->list##s, (d)->list##_count, &(d)->list##_room,     \
                                      sizeof *(d)->list##s),                                       \
     (d)->failed ? CC_NO                                                                           \
                 : ((d)->list##s[(d)->list##_count] = __VA_ARGS__, (uint32_t)(d)->list##_count++))
void *sam_cc_debug_room(struct cc_debug *d, void *items, size_t count, size_t *room, size_t size);

/* --- track.c */
/* A call of llvm.dbg.*, in the block that is selected. */
void sam_cc_debug_note(struct cc_function *f, llvm_ref call);
/* The scope of an instruction of LLVM + 1, or 0. */
uint32_t sam_cc_debug_scope(struct cc_debug *d, llvm_ref insn);
/* Two lists of notes in a row. */
uint32_t sam_cc_debug_join(struct cc_function *f, uint32_t first, uint32_t second);
/* Bytes of a type; 0: none, or not known. */
uint32_t sam_cc_debug_size(struct cc *cc, llvm_ref type);
/* Operands of a metadata node; NULL where there are none. Returns their number. */
unsigned sam_cc_debug_operands(struct cc *cc, llvm_ref node, llvm_ref *operands, unsigned room);
llvm_ref sam_cc_debug_operand(struct cc *cc, llvm_ref node, unsigned index); /* as metadata */

/* --- locate.c */
/* Follow variables through a function whose registers are assigned, in the order of its blocks. */
struct cc_locating {
    struct cc_function *f;
    struct cc_debug *d;
    uint32_t *now;  /* the state here */
    uint32_t *open; /* location of each variable since label since[v] */
    uint32_t *since;
    uint32_t scope, scope_since;
};
bool sam_cc_locate(struct cc_locating *l, struct cc_function *f);
void sam_cc_locate_block(struct cc_locating *l, uint32_t block);
void sam_cc_locate_notes(struct cc_locating *l, uint32_t notes);
/* Before an instruction: write a label if a variable is elsewhere from here on, or another scope
 * begins. */
void sam_cc_locate_mark(struct cc_locating *l, struct sam_buffer *out, uint32_t scope);
void sam_cc_locate_insn(struct cc_locating *l, struct cc_insn *insn);
void sam_cc_locate_end(struct cc_locating *l, struct sam_buffer *out);

/* --- dwarf.c */
void sam_cc_dwarf_kernel(struct cc_function *f);
void sam_cc_dwarf_finish(struct cc *cc, struct sam_buffer *out);
/* Forget what belongs to a kernel. */
void sam_cc_debug_reset(struct cc_debug *d);
void sam_cc_debug_free(struct cc_debug *d);
#endif
