/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction sets: selecting, assembling and disassembling them. One table per family
 * (src/isa/<family>.def) drives all of it and `samite isa`. The functions keep no state between
 * calls: they may be called from any thread, on images that no other thread is changing. */
#ifndef SAMITE_ISA_H
#define SAMITE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Extensions as bits of struct sam_isa.extensions. */
enum sam_extension {
    SAM_EXT_I = 1 << 0,
    SAM_EXT_M = 1 << 1,
    SAM_EXT_A = 1 << 2,
    SAM_EXT_ZICSR = 1 << 3,
    SAM_EXT_ZFINX = 1 << 4,
    SAM_EXT_ZVE32F = 1 << 5,
    SAM_EXT_XVENTUS = 1 << 6,
    SAM_EXT_XTENSORLOAD = 1 << 7,
    SAM_EXT_XMATRIX = 1 << 8,
};

struct sam_isa {
    unsigned xlen; /* 32 or 64 */
    unsigned extensions;
};

/* Parse an ISA string in the RISC-V convention ("rv32im_zicsr_zfinx_zve32f_xventus", case folded),
 * or one of the short names "ventus" (rv32ima_zicsr_zfinx_zve32f_xventus) and "tensor"
 * (rv64im_zicsr_zfinx_xtensorload_xmatrix). Versions ("m2p0") are skipped, zifencei and zicntr are
 * part of every hart. SAM_ERR_USAGE names the part that is not understood, or, for a string that
 * asks for more than is implemented ("rv32gc"), what is missing. xventus cannot be combined with
 * xtensorload (both use CUSTOM-2) or xmatrix (both use CUSTOM-1). */
SAM_API enum sam_status sam_isa_parse(const char *text, struct sam_isa *isa,
                                      struct sam_error *error);
/* The canonical ISA string, written to `text` (truncated to `size`, always terminated). */
SAM_API void sam_isa_format(const struct sam_isa *isa, char *text, size_t size);

/* Disassemble one word at `pc` into `text` (truncated to `size`). The text assembles back to the
 * word; an unknown word becomes ".word 0x...". `prefix` is the preceding word of the REGEXT/REGPAIR
 * family, or 0. Symbols of `image` (may be NULL) are shown for targets. Returns false for an
 * unknown word. */
SAM_API bool sam_disassemble(const struct sam_isa *isa, uint32_t word, uint64_t pc, uint32_t prefix,
                             const struct sam_image *image, char *text, size_t size);

/* The whole image as assembly text: sections with their addresses, symbols as labels, code
 * disassembled with the address and word after each line, data as numbers. sam_assemble turns it
 * back into the same bytes at the same addresses. *text is freed with sam_text_free. */
SAM_API enum sam_status sam_disassemble_image(const struct sam_isa *isa,
                                              const struct sam_image *image, char **text,
                                              struct sam_error *error);

struct sam_asm_options {
    size_t size; /* sizeof of this struct; 0: as in 0.1 (status.h) */
    struct sam_isa isa;
    uint64_t base;              /* address of the first section, .text */
    const char *const *defines; /* "NAME=VALUE" or "NAME", like .equ before line 1 */
    size_t define_count;
    const char *const *include_paths;
    size_t include_count;
    uint64_t max_expanded; /* limit of the characters that macros, repetitions and included files
                              produce; 1/64 of it limits the statements of macros and repetitions;
                              0: 64 MiB */
    char **listing; /* not NULL: *listing receives the listing, each statement with its address and
                       words; NULL after a failure. Freed with sam_text_free */
    /* not NULL: called with `reads_context` and the path of each file that .include reads */
    void (*reads)(void *context, const char *path);
    void *reads_context;
    /* Since 0.2. */
    bool lines; /* record which line each instruction comes from (sam_image_line_at): in a macro
                   that of its call, in a repetition or an included file its own */
    /* not NULL: assembled before `text`, with line numbers of its own, as a file called
     * `prologue_name`: the start code of a kernel */
    const char *prologue, *prologue_name;
};

/* Assemble `size` bytes of text called `name` (for messages). On failure *messages holds every
 * error and warning, each as "file:line:col: error: ..." with the source line and a caret, and
 * `error` holds the first error. *messages (never NULL after the call) is freed with sam_text_free;
 * it may hold warnings after success. */
SAM_API enum sam_status sam_assemble(const struct sam_asm_options *options, const char *name,
                                     const char *text, size_t size, struct sam_image **image,
                                     char **messages, struct sam_error *error);
SAM_API void sam_text_free(char *text); /* may be NULL */

/* --- the tables, for reading */
struct sam_isa_field {
    char name[24]; /* "rs1", "imm[10:5]"; fixed bits: their value, "0110011"; ignored bits: "-" */
    unsigned high, low;
    bool fixed;
};

struct sam_isa_entry {
    const char *mnemonic;
    char operands[96];     /* "rd, offset[11:0](rs1)" */
    const char *family;    /* "Zicsr: control and status registers" */
    char extensions[64];   /* that enable it: "zicsr", "i, rv64 only" */
    const char *meaning;   /* of an instruction; NULL for a pseudo-instruction */
    const char *expansion; /* of a pseudo-instruction, as in the tables; else NULL */
    const char *source;    /* manual and section */
    uint32_t match, mask;
    struct sam_isa_field fields[16]; /* from bit 31 down to 0 */
    size_t field_count;
};

/* Entry `index` of the instruction tables, pseudo-instructions last; false past the end. */
SAM_API bool sam_isa_entry_get(size_t index, struct sam_isa_entry *entry);
/* The instructions that a pseudo-instruction becomes, in the names of its operands: "slli rd, rs1,
 * 24; srai rd, rd, 24"; "" for an instruction. Truncated to `size`, always terminated.
 * Since 0.2. */
SAM_API void sam_isa_entry_expansion(const struct sam_isa_entry *entry, char *text, size_t size);
/* Whether `isa` includes the entry. */
SAM_API bool sam_isa_entry_is_on(const struct sam_isa *isa, size_t index);

struct sam_csr_entry {
    const char *name;
    const char *meaning;
    unsigned address;
    char extensions[64]; /* "" = always */
    char aliases[96];    /* other names the assembler accepts: "a, b"; "" = none */
};

/* CSR `index` under `isa`, in the order of the table; false past the end. Rows of disabled
 * extensions are skipped. */
SAM_API bool sam_csr_entry_get(const struct sam_isa *isa, size_t index,
                               struct sam_csr_entry *entry);
/* The assembler's warning about a program that uses this name of a CSR: "the load's mask alone:
 * ..." for a name that the manual gives to loads and stores alike. NULL: nothing. Since 0.2. */
SAM_API const char *sam_csr_name_note(const struct sam_isa *isa, const char *name);
/* The CSR that the assembler knows as `name` under `isa`, in any spelling; false: none. */
SAM_API bool sam_csr_entry_find(const struct sam_isa *isa, const char *name,
                                struct sam_csr_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
