/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs on the system (system.h): a function of a tile program, with its arguments, becomes
 * a program of the hart, with kernels for the GPU. docs/tile-lowering.md has what each operation
 * becomes; its results are those of sam_tile_run, bit for bit, with the sums of sum_order
 * SAM_TILE_SUM_SYSTEM.
 *
 *   sam_tile_lower(program, 0, arguments, count, NULL, &lowered, &messages, &error);
 *   sam_system_new(NULL, &system, &error);
 *   sam_tile_lowered_load(lowered, system, &error);
 *   sam_system_run(system, &result, &error);
 *   if (sam_tile_lowered_failure(lowered, system, &error) == SAM_OK)
 *       sam_tile_lowered_fetch(lowered, system, &error);
 *
 * Reads of elements that nothing has written, and missing waits, are not found here: sam_tile_run
 * finds them. Since 0.2. */
#ifndef SAMITE_TILE_LOWER_H
#define SAMITE_TILE_LOWER_H

#include "system.h"
#include "tile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_tile_lower_options {
    size_t size; /* sizeof of this struct (status.h) */
    enum sam_tile_profile profile;
    enum sam_tile_nan nan;
    enum sam_tile_outside outside;
    unsigned mlen; /* of the matrix unit; 0: 512, whose order of sums is that of sum_order */
    unsigned sms;  /* of the GPU; 0: 2 */
    /* A packed file (codec.h), for arguments with `packed`; or NULL. It must outlive the result.
     * The system that runs the program needs the same file: sam_system_load_weights. */
    const void *weights;
    size_t weights_size;
    /* Lower without arguments (there must be none), to look at the programs: they cannot be loaded.
     */
    bool unbound;
    uint32_t acc_regs; /* of the hart (hart.h); 0: all */
    /* Lower the program as written: loops stay loops, operations keep their order and tiles their
     * room. */
    bool in_order;
    enum sam_tile_dialect dialect;
    /* For a system that runs several programs, one after the other: both parts of this one begin
     * this far after their usual addresses, a multiple of 4 KiB, where nothing is mapped. The
     * system does not attribute its work to operations. 0: the only program. */
    uint32_t offset;
    /* The first packed argument of the program after this one, or NULL. Its first elements are
     * asked for when this program has all weights that it needs. That program has `asked`. */
    const struct sam_tile_argument *next;
    bool asked;
    unsigned warps; /* of a workgroup, at most; 0: 8 */
    /* Of the system that runs the program: mlen, sms and warps that are 0 are as mx.mlen, gpu.sms
     * and gpu.warps. NULL: the defaults. */
    const struct sam_system_config *config;
};

/* A lowered function. */
struct sam_tile_lowered;

/* Lower a function. Arrays and scalars are those of sam_tile_run: their types, shapes and places
 * count here, their contents when the program is loaded; they must outlive the result. Every array
 * has an address of its own from 0x90000000 on. `options` may be NULL (all zero).
 * *messages (never NULL after SAM_OK or SAM_ERR_INPUT; freed with free()) holds all errors, each
 * with its line and a caret. SAM_ERR_INPUT: the check failed, an argument does not fit, a tile is
 * outside the memories of the system, or an operation cannot be lowered; SAM_ERR_USAGE: arrays that
 * overlap in part, or options out of range. */
SAM_API enum sam_status sam_tile_lower(const struct sam_tile_program *program, size_t function,
                                       const struct sam_tile_argument *arguments, size_t count,
                                       const struct sam_tile_lower_options *options,
                                       struct sam_tile_lowered **lowered, char **messages,
                                       struct sam_error *error);
SAM_API void sam_tile_lowered_free(struct sam_tile_lowered *lowered);

/* The programs as assembly: of the hart (RV64, from SAM_SYSTEM_CODE_BASE on), and of the GPU, with
 * its start code (from 0x80000000 on). They belong to `lowered`. */
SAM_API const char *sam_tile_lowered_hart(const struct sam_tile_lowered *lowered);
SAM_API const char *sam_tile_lowered_gpu(const struct sam_tile_lowered *lowered);
/* The same, assembled, with line information: SAM_ERR_INPUT cannot happen unless lowering has a
 * defect. The images belong to `lowered`. */
SAM_API enum sam_status sam_tile_lowered_images(struct sam_tile_lowered *lowered,
                                                const struct sam_image **hart,
                                                const struct sam_image **gpu,
                                                struct sam_error *error);

/* Load both programs into a system without programs, map the arrays and copy them there. It must be
 * an RV64 system whose options have the mlen, acc_regs and sms of the lowering, and 1 MiB of L1M
 * and L0M. One with an offset may follow another, after sam_system_unload. */
SAM_API enum sam_status sam_tile_lowered_load(struct sam_tile_lowered *lowered,
                                              struct sam_system *system, struct sam_error *error);
/* The result of a lowered program, after its system has ended with an exit: SAM_ERR_TRAP with
 * the message of sam_tile_run if it failed. */
SAM_API enum sam_status sam_tile_lowered_failure(const struct sam_tile_lowered *lowered,
                                                 struct sam_system *system,
                                                 struct sam_error *error);
/* Bytes from the offset of the programs to one at which another can begin; loaded programs only. */
SAM_API uint32_t sam_tile_lowered_room(const struct sam_tile_lowered *lowered);
/* Copy what the program has written into the arrays of the arguments. */
SAM_API enum sam_status sam_tile_lowered_fetch(const struct sam_tile_lowered *lowered,
                                               struct sam_system *system, struct sam_error *error);

/* Write hart.s, gpu.s, the arrays (NumPy files), the packed weights and `run`, a shell script with
 * the command that runs them, into a folder, which must exist. */
SAM_API enum sam_status sam_tile_lowered_emit(const struct sam_tile_lowered *lowered,
                                              const char *folder, struct sam_error *error);

/* Notes on the code of an operation, in the order of lowering; false after the last. `text` is a
 * sentence; an operation may have several. */
struct sam_tile_lowered_note {
    uint32_t line, column; /* of the operation */
    const char *name;      /* "tload" */
    const char *text;
};
SAM_API bool sam_tile_lowered_note(const struct sam_tile_lowered *lowered, size_t index,
                                   struct sam_tile_lowered_note *note);

/* The lines of the tile program, each followed by what it became: its notes, and how many
 * instructions of the hart it has. `figures` of a system in time that has run it add what they
 * took; NULL: none. *text is freed with sam_text_free. SAM_ERR_USAGE: figures of another program.
 */
SAM_API enum sam_status sam_tile_lowered_explain(struct sam_tile_lowered *lowered,
                                                 const struct sam_system_figures *figures,
                                                 char **text, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
