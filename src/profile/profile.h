/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of profile/: counts by instruction, filled by machines and printed by writers. */
#ifndef SAM_PROFILE_H
#define SAM_PROFILE_H

#include "base/base.h"
#include "isa/isa.h"
#include "samite/profile.h"

/* rows.c: find or add the row of an instruction, valid until the next call. Returns NULL on
 * out-of-memory. */
struct sam_profile_row *sam_profile_at(struct sam_profile *profile, uint64_t pc, uint32_t word,
                                       uint32_t prefix);
/* Add all counts of `from`. Returns false on out-of-memory. */
bool sam_profile_merge(struct sam_profile *profile, const struct sam_profile *from);
/* Subtract the counts of `part`, which were added before. Returns false on out-of-memory. */
bool sam_profile_subtract(struct sam_profile *profile, const struct sam_profile *part);
/* Add cycles to an existing row. Returns false on out-of-memory. */
bool sam_profile_add_cycles(struct sam_profile *profile, uint64_t pc, uint32_t word,
                            uint32_t prefix, const uint64_t cycles[SAM_GPUTIME_REASONS]);

/* tables.c: rows, lines and functions for the writers. */

/* Counts of several instructions. */
struct sam_profile_sum {
    uint64_t count, lanes, slots, vector_lanes, vector_slots;
    uint64_t diverged, global_insns, lds_insns, accesses, lines, conflicts;
    uint64_t cycles, reasons[SAM_GPUTIME_REASONS];
};
void sam_profile_sum_add(struct sam_profile_sum *sum, const struct sam_profile_row *row);
/* The two largest reasons, in at most 32 bytes: "load 61%, raw 20%"; "" without cycles. */
void sam_profile_waits(const struct sam_profile_sum *sum, char *text, size_t size);

struct sam_profile_line {
    const char *file; /* NULL without line information */
    uint32_t line;
    const char *text; /* trimmed; NULL if the file cannot be read */
    struct sam_profile_sum sum;
};

struct sam_profile_function {
    const char *name; /* NULL: no symbol */
    struct sam_profile_sum sum;
};

/* A row with its disassembly, line and function. */
struct sam_profile_insn {
    const struct sam_profile_row *row;
    size_t line, function; /* indices below */
    char text[96];         /* disassembled */
};

struct sam_profile_source {
    const char *file;
    char *text; /* NULL if not readable */
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
    bool timed;          /* has cycles, which weigh shares and order */
    bool reasoned;       /* those of warps: the model says why an instruction did not issue */
    bool has_lines;      /* at least one instruction has a line */
    const char *problem; /* why no instruction has one, or NULL */
};

enum sam_status sam_profile_tables_make(struct sam_profile *profile,
                                        const struct sam_profile_options *options,
                                        struct sam_profile_tables *tables, struct sam_error *error);
void sam_profile_tables_free(struct sam_profile_tables *tables);
/* The basis of shares: cycles if there are any, or instructions. */
static inline uint64_t sam_profile_weight(const struct sam_profile_tables *tables,
                                          const struct sam_profile_sum *sum)
{
    return tables->timed ? sum->cycles : sum->count;
}
/* The phrase after the totals in the heading. */
static inline const char *sam_profile_of(const struct sam_profile_tables *tables)
{
    return tables->warps ? " of warps" : "";
}
/* part / whole in percent; 0 if `whole` is. */
double sam_profile_percent(uint64_t part, uint64_t whole);

/* text.c, json.c, html.c: append to `out`. */
void sam_profile_put_text(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_folded(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_json(const struct sam_profile_tables *tables, struct sam_buffer *out);
void sam_profile_put_html(const struct sam_profile_tables *tables, struct sam_buffer *out);

#endif
