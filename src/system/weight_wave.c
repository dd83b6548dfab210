/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit as a waveform: the handshakes of its ports, its buffers, and what it works on. */
#include <stdlib.h>

#include "system/stages.h"
#include "trace/timeline.h"

enum signal {
    STATE,
    RECORD,
    FETCH_VALID,
    FETCH_ADDRESS,
    WRITE_VALID,
    WRITE_ADDRESS,
    INPUT_LINES,
    OUTPUT_LINES,
    FETCHES,
    WRITES,
    SIGNALS
};
static const struct sam_vcd_signal signals[SIGNALS] = {
    [STATE] = {"state", 4},
    [RECORD] = {"record", 32},
    [FETCH_VALID] = {"fetch_valid", 1},
    [FETCH_ADDRESS] = {"fetch_address", 40},
    [WRITE_VALID] = {"write_valid", 1},
    [WRITE_ADDRESS] = {"write_address", 40},
    [INPUT_LINES] = {"input_lines", 11},
    [OUTPUT_LINES] = {"output_lines", 11},
    [FETCHES] = {"fetches_unanswered", 9},
    [WRITES] = {"writes_unanswered", 9},
};

struct system_weight_wave {
    struct sam_vcd vcd;
    struct sam_vcd_value now[SIGNALS];
    uint64_t next; /* cycle after the last one written */
};

struct system_weight_wave *sam_system_weight_wave_new(const struct sam_sink *sink)
{
    struct system_weight_wave *wave = sam_alloc(1, sizeof *wave);
    if (wave && sam_vcd_init(&wave->vcd, sink, "weights", signals, SIGNALS))
        return wave;
    free(wave);
    return NULL;
}

/* A handshake takes one cycle: it is over in the next one, even if nothing else happens then. */
static void end_handshakes(struct system_weight_wave *wave, uint64_t now)
{
    if (wave->next == 0 || wave->next >= now ||
        !(wave->now[FETCH_VALID].low | wave->now[WRITE_VALID].low))
        return;
    wave->now[FETCH_VALID].low = wave->now[WRITE_VALID].low = 0;
    sam_vcd_cycle(&wave->vcd, wave->next, wave->now);
}

void sam_system_weight_wave_cycle(struct system_weight_wave *wave, const struct system_stages *s,
                                  uint64_t now)
{
    if (now < wave->next)
        return;
    end_handshakes(wave, now);
    const struct system_asked *fetch = &s->asked[0], *write = &s->asked[1];
    const struct system_job *job = s->first && s->first->running ? s->first : NULL;
    const uint64_t values[SIGNALS] = {
        [STATE] = s->reason,
        [RECORD] = job ? job->number : UINT32_MAX,
        [FETCH_VALID] = fetch->bytes && fetch->cycle == now,
        [FETCH_ADDRESS] = fetch->address,
        [WRITE_VALID] = write->bytes && write->cycle == now,
        [WRITE_ADDRESS] = write->address,
        [INPUT_LINES] = s->held,
        [OUTPUT_LINES] = s->pending,
        [FETCHES] = s->reads.count,
        [WRITES] = s->writes.count,
    };
    for (unsigned i = 0; i < SIGNALS; i++)
        wave->now[i].low = values[i];
    sam_vcd_cycle(&wave->vcd, now, wave->now);
    wave->next = now + 1;
}

bool sam_system_weight_wave_end(struct system_weight_wave *wave, uint64_t cycles)
{
    end_handshakes(wave, cycles);
    const bool good = sam_vcd_end(&wave->vcd, cycles);
    free(wave);
    return good;
}
