/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing the commit logs of two runs of a Ventus program, warp by warp, in whatever order their
 * warps are interleaved.
 *
 * Two forms are read; docs/ventus.md#comparing-logs describes them. The form of an instruction
 * simulator, which Samite's own log has too, shows every instruction. That of the hardware (RTL and
 * the cycle simulator) shows the registers that are written, and not always in program order: with
 * one on either side, each register's writes are compared in their order, active lanes only.
 * Since 0.2. */
#ifndef SAMITE_LOGDIFF_H
#define SAMITE_LOGDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sam_log_form {
    SAM_LOG_ISA, /* two lines per instruction: "core   0: 3 0x80000058 (0x0002a303) x6  0x..." */
    SAM_LOG_RTL, /* one line per register write: "SM 0 warp 3 0x80000194 ... x 001 80000198" */
};

/* Why lines, or records in them, were not compared. */
enum sam_log_ignored {
    SAM_LOG_OTHER,         /* not of the log's form: messages, dumps of the SIMT stack, noise */
    SAM_LOG_ROM,           /* the simulator's boot ROM at 0x1000 */
    SAM_LOG_AFTER_END,     /* of a warp after its endprg */
    SAM_LOG_REPEATED,      /* a barrier that still waits */
    SAM_LOG_EXECUTED,      /* "Executed N times" */
    SAM_LOG_INCOMPLETE,    /* an instruction that never committed, a line that is cut off */
    SAM_LOG_NO_REGISTER,   /* hardware: no register is written */
    SAM_LOG_X0,            /* hardware: a write to x0 */
    SAM_LOG_MACHINE_CSR,   /* hardware: the value of mstatus, which each machine chooses */
    SAM_LOG_IGNORED_KINDS, /* how many there are */
};

/* One of them in words, "boot ROM"; NULL for a number that is none. */
SAM_API const char *sam_log_ignored_name(enum sam_log_ignored kind);

/* A line of a log. */
struct sam_log_line {
    size_t line;      /* from 1; 0: none */
    const char *text; /* within the caller's text, without the line break */
    size_t size;
};

struct sam_logdiff_side {
    enum sam_log_form form;
    size_t records; /* instructions or register writes that were read */
    size_t warps;   /* each warp of each workgroup */
    size_t ignored[SAM_LOG_IGNORED_KINDS];
    size_t first_other;       /* the first line counted as SAM_LOG_OTHER, 0: none */
    struct sam_log_line line; /* of the first difference; none: this log has no more of the warp */
};

#define SAM_LOGDIFF_COMMON 16

struct sam_logdiff {
    bool equal;
    struct sam_logdiff_side side[2];
    size_t compared;  /* warps that are in both logs */
    size_t differing; /* of them */
    size_t only[2];   /* warps that one log alone has */
    /* The first difference, by its place in the first log. */
    uint32_t warp;      /* within its workgroup */
    bool has_group;     /* the program has read the workgroup's coordinates: */
    uint32_t group[3];  /* these */
    uint32_t workgroup; /* how many workgroups of this warp the log showed before */
    char what[160];     /* "x6 is 0x00000001: 0x00000002 in the other log" */
    /* The last records of the warp before it that both have, oldest first, as the first log has
     * them. */
    struct sam_log_line common[SAM_LOGDIFF_COMMON];
    size_t common_count;
};

/* Compare two logs. SAM_OK whether they are equal or not. SAM_ERR_INPUT: a log holds no record;
 * `error` names it. The texts need no terminator; lines of the result point into them. */
SAM_API enum sam_status sam_log_compare(const char *first, size_t first_size,
                                        const char *first_name, const char *second,
                                        size_t second_size, const char *second_name,
                                        struct sam_logdiff *diff, struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
