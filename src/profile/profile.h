/* SPDX-License-Identifier: Apache-2.0 */
/* The face of profile/: counts by instruction, which machines fill and writers show. */
#ifndef SAM_PROFILE_H
#define SAM_PROFILE_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/profile.h"

/* rows.c: the row of an instruction, made when it is new. NULL: out of memory. Valid until the next
 * call. */
struct sam_profile_row *sam_profile_at(struct sam_profile *profile, uint64_t pc, uint32_t word,
                                       uint32_t prefix);
/* Add all counts of `from`. False: out of memory. */
bool sam_profile_merge(struct sam_profile *profile, const struct sam_profile *from);
/* Take away the counts of `part`, which were added before. False: out of memory. */
bool sam_profile_subtract(struct sam_profile *profile, const struct sam_profile *part);
/* Add cycles to the row of an instruction, which has one. False: out of memory. */
bool sam_profile_add_cycles(struct sam_profile *profile, uint64_t pc, uint32_t word,
                            uint32_t prefix, const uint64_t cycles[SAM_GPUTIME_REASONS]);
/* The rows in no order. */
const struct sam_profile_row *sam_profile_each(const struct sam_profile *profile, size_t *count);

/* tables.c: what the writers show. */

/* Counts of several instructions. */
struct sam_profile_sum {
    uint64_t count, lanes, slots, vector_lanes, vector_slots;
    uint64_t diverged, global_insns, lds_insns, accesses, lines, conflicts;
    uint64_t cycles, reasons[SAM_GPUTIME_REASONS];
};
void sam_profile_sum_add(struct sam_profile_sum *sum, const struct sam_profile_row *row);
/* "load 61%, raw 20%": what most of the cycles were spent with, in at most 32 bytes; "" without. */
void sam_profile_waits(const struct sam_profile_sum *sum, char *text, size_t size);

struct sam_profile_line {
    const char *file; /* NULL: code without line information */
    uint32_t line;
    const char *text; /* without blanks before and after; NULL: not readable */
    struct sam_profile_sum sum;
};

struct sam_profile_function {
    const char *name; /* NULL: no symbol */
    struct sam_profile_sum sum;
};

/* An instruction, with what is known about it. */
struct sam_profile_insn {
    const struct sam_profile_row *row;
    size_t line, function; /* indices below */
    char text[96];         /* disassembled */
};

struct sam_profile_source {
    const char *file;
    char *text; /* NULL: not readable */
    size_t line_count;
    char **lines; /* into text, as NUL-terminated lines */
};

struct sam_profile_tables {
    struct sam_profile_sum sum;
    struct sam_profile_insn *insns; /* by pc */
    size_t insn_count;
    struct sam_profile_line *lines; /* by weight */
    size_t line_count;
    struct sam_profile_function *functions; /* by weight */
    size_t function_count;
    struct sam_profile_source *sources; /* of the lines */
    size_t source_count;
    size_t *hottest; /* indices of insns, by weight */
    const char *title;
    unsigned top;
    bool warps;          /* of a GPU; otherwise of a hart */
    bool timed;          /* there are cycles, and shares and orders are by them */
    bool has_lines;      /* at least one instruction has one */
    const char *problem; /* why there are none, or NULL */
};

enum sam_status sam_profile_tables_make(struct sam_profile *profile,
                                        const struct sam_profile_options *options,
                                        struct sam_profile_tables *tables, struct sam_error *error);
void sam_profile_tables_free(struct sam_profile_tables *tables);
/* What shares are of: cycles, or instructions. */
static inline uint64_t sam_profile_weight(const struct sam_profile_tables *tables,
                                          const struct sam_profile_sum *sum)
{
    return tables->timed ? sum->cycles : sum->count;
}
/* What follows numbers of instructions and cycles in the heading. */
static inline const char *sam_profile_of(const struct sam_profile_tables *tables)
{
    return tables->warps ? " of warps" : "";
}
/* part / whole in percent; 0 of nothing. */
double sam_profile_percent(uint64_t part, uint64_t whole);

/* text.c, json.c, html.c: append to `out`. */
void sam_profile_put_text(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_folded(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_json(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_html(const struct sam_profile_tables *tables, struct sam_buffer *out);

#endif
