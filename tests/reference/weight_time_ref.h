/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of the weight unit in time (docs/system-rulings.md, "Weight records"):
 * every cycle of each of its stages, one after the other. */
#ifndef WEIGHT_TIME_REF_H
#define WEIGHT_TIME_REF_H

#include "system/weight_time.h"

enum { WREF_RECORDS = 64, WREF_STAGES = 3, WREF_LINES = 4096 };

struct wref_part {
    unsigned record;
    uint64_t address[WREF_STAGES], bytes[WREF_STAGES]; /* of fetch and write */
    uint64_t work[SYSTEM_STAGE_WORKS];
    bool streams;
};

struct wref_stage {
    const struct wref_part *part; /* NULL: none */
    uint64_t lines, sent;
    uint64_t answers[WREF_LINES];
    uint64_t worked;
};

struct wref {
    struct system_weight_config config;
    struct sam_memtime_port port;
    unsigned number; /* of the port's units */
    struct wref_record {
        uint64_t from;
        struct wref_part *parts;
        size_t count, left;
        bool begun;
    } records[WREF_RECORDS];
    unsigned submitted, begun, ended, entering;
    size_t next; /* part of `entering` */
    struct wref_stage stage[WREF_STAGES];
    uint64_t cycles[SYSTEM_STAGE_CYCLES];
};

/* A record that may begin in cycle `from`. Fails the test when memory is short. */
void wref_submit(struct wref *w, const struct system_weight_work *work, uint64_t from);
/* Live through cycle `now`: all of them, in order. */
void wref_tick(struct wref *w, uint64_t now);
void wref_free(struct wref *w);

#endif
