/* SPDX-License-Identifier: Apache-2.0 */
/* --part: the share of one process in work divided among several, each started with the same
 * command. All compute the same split, and none writes files of another. */
#ifndef PART_H
#define PART_H

#include "cli.h"

/* Part `index` of `count`, from 1; count 0: --part was not given, the process does everything. */
struct cli_part {
    unsigned index, count;
};
enum { CLI_MOST_PARTS = 65536 };

/* "2/8", or "auto": from the environment set by a launcher. */
cli_parse cli_parse_part;
#define CLI_PART(type, member)                                                                     \
    CLI_ROW(type, member, "part", CLI_PARSE, "I/N|auto",                                           \
            "do part I (from 1) of N, each of which is a process of its own; auto: as Open MPI, "  \
            "PMI, PALS, Slurm or a Slurm array says",                                              \
            .parse = cli_parse_part)

/* The suffix of the name of a part of one file; for printf. */
#define CLI_PART_SUFFIX ".part-%u-of-%u"

/* The files that belong to the part: the largest goes first, to the part with the least so far (of
 * equals the lowest); files of one size in the order of their names. Free with free(); NULL on
 * out-of-memory. */
bool *cli_part_files(const struct cli_part *part, char *const *paths, size_t count);

/* --- the parts of an output folder keep records in it until all of them are done:
 * .samite-part-I-of-N, locked by its process while it works */
#define CLI_PART_RECORD ".samite-part-"
struct cli_claim {
    char *folder, *path; /* of the record */
    const struct cli_part *part;
    uint64_t plan; /* the same in all parts of a run */
    int file;
};
/* Claim a part: rejected if another process has it, if it is done already (unless `force`), or
 * if records of other parts belong to another run. False with `error` filled. */
bool cli_claim_open(struct cli_claim *claim, const char *folder, const struct cli_part *part,
                    uint64_t plan, bool force, struct sam_error *error);
/* The part is done, or has failed. The last one done removes all records. */
bool cli_claim_close(struct cli_claim *claim, bool done, struct sam_error *error);
/* Whether no part of `folder` is unfinished; false with `error` naming one. */
bool cli_claims_are_over(const char *folder, struct sam_error *error);

/* A hash of the settings that the parts must share: begin with 0 and add everything. */
uint64_t cli_plan_add(uint64_t plan, const void *data, size_t size);

#endif
