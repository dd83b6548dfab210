/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the report writers. */
#ifndef SAM_GPUTIME_REPORT_H
#define SAM_GPUTIME_REPORT_H

#include "gputime/gputime.h"
#include "samite/gputime_report.h"
#include "tree/tree.h"

enum { SAM_GPUTIME_MOST_FINDINGS = 8 };

/* An observation about the launch, with a remedy. */
struct sam_gputime_finding {
    const char *name;                  /* a reason, or "occupancy", "lines", ... */
    double share;                      /* of the cycles or slots it limits: 0 to 1 */
    const struct sam_gputime_row *row; /* the worst instruction, or NULL */
    char text[400];                    /* one sentence, without the instruction */
};

struct sam_gputime_facts {
    const struct sam_gputime_result *result;
    struct sam_gputime_config config;
    const struct sam_image *image;
    struct sam_isa isa;
    uint64_t slots[SAM_GPUTIME_REASONS];                   /* of all warp slots together */
    uint64_t resident;                                     /* slot cycles with a warp */
    uint64_t unit[SAM_GPUTIME_UNITS][SAM_GPUTIME_REASONS]; /* of all SMs together */
    uint64_t uses[SAM_GPUTIME_UNITS];
    struct sam_gputime_sm sum; /* counts of all SMs; no reasons and units */
    struct sam_gputime_finding findings[SAM_GPUTIME_MOST_FINDINGS];
    size_t finding_count;
    struct sam_energy energy;
};

double sam_gputime_share(uint64_t part, uint64_t whole);
/* Cycles of warps with the instruction as the next one. */
uint64_t sam_gputime_row_cycles(const struct sam_gputime_row *row);
/* "0x80000148 <sgemm+0xc8> sgemm.s:113 vfmacc.vv v14, v16, v17" */
void sam_gputime_place(const struct sam_gputime_facts *facts, const struct sam_gputime_row *row,
                       struct sam_buffer *out);
/* The disassembly, or "" if the word is unknown. */
void sam_gputime_text(const struct sam_gputime_facts *facts, const struct sam_gputime_row *row,
                      char *text, size_t size);
/* findings.c: fill facts->findings, the largest first. */
void sam_gputime_find(struct sam_gputime_facts *facts);
/* report_tree.c: the figures as a tree, which is the JSON document; NULL: no memory. The text has a
 * short list of instructions of its own. */
json_t *sam_gputime_tree(const struct sam_gputime_facts *facts, bool with_insns);
json_t *sam_gputime_cache_tree(const struct sam_gputime_cache *cache);
json_t *sam_gputime_reasons_tree(const uint64_t reasons[SAM_GPUTIME_REASONS]);
/* report_text.c: the report as lines over that tree, once the second has added to it. */
extern const char sam_gputime_lines[];
json_t *sam_gputime_text_tree(const struct sam_gputime_facts *facts, json_t *root);

#endif
