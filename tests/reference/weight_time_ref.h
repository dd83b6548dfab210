/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of the weight unit in time (docs/decoder.md): every step of every part with
 * the lines that it needs, uses up and completes, byte by byte, and every cycle of each stage. */
#ifndef WEIGHT_TIME_REF_H
#define WEIGHT_TIME_REF_H

#include "system/weight_time.h"

enum { WREF_RECORDS = 64, WREF_ANSWERS = 1 << 16, WREF_KEPT = 64 };

/* Bytes within a line, to fetch or to write, which steps `begins` to `ends` of its part use. */
struct wref_line {
    uint64_t address, bytes, begins, ends;
    size_t flow, order;
    uint64_t answer; /* 0: not fetched yet */
};

struct wref_part {
    unsigned record, kind, lead_kind;
    uint64_t steps, work, lead, keep;
    bool barrier, ahead, guess, chain, streams;
    struct wref_line *reads, *writes; /* in the order of steps, then flows */
    size_t read_count, write_count, read_next, write_next, flows;
    bool is_looked_up, is_kept;
    uint64_t arrived; /* last answer */
    uint64_t step;    /* in work */
    bool led;
};

struct wref {
    struct system_weight_config config;
    struct sam_memtime_port port;
    unsigned number; /* of the port's units */
    struct wref_record {
        uint64_t from;
        struct wref_part *parts;
        size_t count;
        bool begun;
        uint64_t written, reads[2], writes[2];
    } records[WREF_RECORDS];
    unsigned submitted, begun, ended;
    struct wref_place {
        unsigned record;
        size_t part;
        uint64_t step;
    } fetch, work, write;
    uint64_t reads[WREF_ANSWERS], writes[WREF_ANSWERS]; /* answers outstanding or past */
    unsigned read_count, write_count;
    uint64_t barrier, held, pending;
    struct {
        uint64_t name, at, used;
    } kept[WREF_KEPT], tables[WREF_KEPT];
    uint64_t uses;
    bool coded; /* the last block decoded, by something else than windows */
    bool busy;
    unsigned kind;
    uint64_t left; /* cycles of the work */
    bool leads;
    uint64_t cycles[SYSTEM_STAGE_CYCLES];
};

/* A record that may begin in cycle `from`. Fails the test when memory is short. */
void wref_submit(struct wref *w, const struct system_weight_work *work, uint64_t from);
/* Live through cycle `now`: all of them, in order. */
void wref_tick(struct wref *w, uint64_t now);
void wref_free(struct wref *w);

#endif
