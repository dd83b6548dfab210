/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction counts by location: counts for each pc, shown on the disassembly and on the source
 * (docs/profile.md).
 *
 *   struct sam_profile *profile = sam_profile_new();
 *   options.profile = profile;                             sam_gpu_options or sam_hart_options
 *   sam_gpu_launch(...);                                   launches add up
 *   sam_profile_print(profile, SAM_PROFILE_HTML, &(struct sam_profile_options){...}, &text,
 * &error); sam_text_free(text); sam_profile_free(profile);
 *
 * A profile is used by one thread at a time. Since 0.2. */
#ifndef SAMITE_PROFILE_H
#define SAMITE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gputime.h"
#include "image.h"
#include "isa.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_profile;

/* Counts of one instruction, without executions that trapped. */
struct sam_profile_row {
    uint64_t pc;
    uint32_t word;
    uint32_t prefix; /* word of the REGEXT, ... before it, which has a row of its own; 0: none */
    bool vector;
    uint64_t count;    /* how often a warp ran it */
    uint64_t lanes;    /* active lanes over all those times; of a scalar instruction `count` */
    uint64_t slots;    /* lanes that there were, active or not; of a scalar instruction `count` */
    uint64_t diverged; /* vector branches after which both sides had lanes */
    uint64_t global_insns; /* times that it accessed global memory, or local memory (LDS), in at */
    uint64_t lds_insns;    /* least one lane */
    uint64_t accesses;     /* elements accessed; by TensorLoad and matrix instructions, ranges */
    uint64_t lines;        /* distinct 64-byte lines over all accesses to global memory */
    uint64_t conflicts;    /* passes beyond the first over all accesses to local memory: lanes that
                              access one bank of a line of 128 bytes, further lines */
    /* Of timed launches (struct sam_gpu_timing): cycles that warps spent with it as their next
     * instruction, by enum sam_gputime_reason; SAM_GPUTIME_BUSY: they issued it. On a tensor hart
     * with a cycle model: the cycles until its next instruction, all as SAM_GPUTIME_BUSY. */
    uint64_t cycles[SAM_GPUTIME_REASONS];
};

/* Empty; NULL when memory runs out. */
SAM_API struct sam_profile *sam_profile_new(void);
SAM_API void sam_profile_free(struct sam_profile *profile); /* may be NULL */
/* The rows, by pc, word and prefix; *count of them. They are valid until the profile changes. */
SAM_API const struct sam_profile_row *sam_profile_rows(struct sam_profile *profile, size_t *count);

enum sam_profile_format {
    SAM_PROFILE_TEXT,   /* tables: functions, source lines, instructions, hottest first: by
                              cycles, where there are any, else by count */
    SAM_PROFILE_JSON,   /* the rows, lines and functions for programs */
    SAM_PROFILE_FOLDED, /* a line per instruction, "kernel;function;file:line;insn count", as
                           flame graph tools read them; with cycles: those instead of the count */
    SAM_PROFILE_HTML,   /* one page without outside references */
};

/* The format that a file's name asks for: .txt, .json, .folded or .html at its end, and text for
 * "-". False: none of them. */
SAM_API bool sam_profile_format_of(const char *path, enum sam_profile_format *format);

struct sam_profile_options {
    size_t size;                   /* sizeof of this struct (status.h) */
    const struct sam_isa *isa;     /* for the disassembly; NULL: ventus */
    const struct sam_image *image; /* symbols and line information; may be NULL */
    const char *title;             /* the kernel or program; NULL: none */
    unsigned top;                  /* rows of each table of the text, 0 = 20 */
};

/* The profile as text, which is freed with sam_text_free. Source files are read from the paths of
 * the image's line information, where they are readable. SAM_ERR_USAGE: no such format. */
SAM_API enum sam_status sam_profile_print(struct sam_profile *profile,
                                          enum sam_profile_format format,
                                          const struct sam_profile_options *options, char **text,
                                          struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
