/* SPDX-License-Identifier: Apache-2.0 */
#include "system_ref.h"

#include <stdlib.h>

/* Addresses of docs/system.md, spelled out: a reference does not read the machine's table. */
enum {
    CONTROL = 0x02000000,
    CONTROL_BYTES = 0x3000,
    EXIT = 0x02000004,
    GPU_SUBMIT = 0x02001000,
    GPU_SUBMITTED = 0x02001004,
    GPU_DONE = 0x02001008,
    GPU_STATUS = 0x0200100c,
    GPU_WAIT = 0x02001010,
};

static bool word_at(const struct psys *s, uint64_t address, uint32_t *word)
{
    *word = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *byte = tref_byte(&s->h.t, address + i);
        if (!byte)
            return false;
        *word |= (uint32_t)*byte << 8 * i;
    }
    return true;
}

static enum href_end submit(struct psys *s, uint32_t record)
{
    uint32_t words[16];
    struct ref_result result;
    for (unsigned i = 0; i < 16; i++)
        if (record % 4 || !word_at(s, record + 4 * i, &words[i]) || (i >= 10 && words[i]))
            return HREF_TRAP;
    const struct sam_launch launch = {.start = words[0],
                                      .metadata = words[1],
                                      .grid = {words[2], words[3], words[4]},
                                      .lanes = words[5],
                                      .warps = words[6],
                                      .lds_size = words[7],
                                      .pds_size = words[8],
                                      .pds_base = words[9]};
    const bool good = ref_gpu_launch(s->gpu, &launch, &result);
    s->launches++;
    s->trap = result.trap;
    ref_result_free(&result);
    return good ? HREF_RUNS : HREF_TRAP;
}

static enum href_end control(void *context, uint64_t address, bool is_store, uint32_t *value)
{
    struct psys *s = context;
    if (is_store && address == EXIT) {
        s->exit_code = *value;
        return HREF_EXIT;
    }
    if (is_store)
        return address == GPU_SUBMIT ? submit(s, *value) : HREF_TRAP;
    switch (address) {
    case GPU_SUBMITTED:
    case GPU_DONE: *value = s->launches; return HREF_RUNS;
    case GPU_STATUS:
    case GPU_WAIT: *value = 0; return HREF_RUNS; /* a failed launch ends the run */
    default: return HREF_TRAP;
    }
}

void psys_open(struct psys *s)
{
    const struct sam_gpu_options options = {.size = sizeof options};
    *s = (struct psys){.gpu = ref_gpu_new(&options)};
    s->h.t.xlen = 64;
    s->h.control.base = CONTROL;
    s->h.control.size = CONTROL_BYTES;
    s->h.control.context = s;
    s->h.control.access = control;
}

void psys_close(struct psys *s)
{
    ref_gpu_free(s->gpu);
}

void psys_add(struct psys *s, uint64_t base, uint8_t *bytes, uint64_t size)
{
    if (s->h.t.region_count == TREF_REGIONS)
        abort();
    struct tref_region *r = &s->h.t.regions[s->h.t.region_count++];
    r->base = base;
    r->size = size;
    r->bytes = bytes;
}

void psys_share(struct psys *s, uint64_t base, uint8_t *bytes, uint64_t size)
{
    psys_add(s, base, bytes, size);
    ref_gpu_share(s->gpu, (uint32_t)base, bytes, size);
}

enum href_end psys_run(struct psys *s, uint64_t instructions)
{
    enum href_end end = HREF_RUNS;
    while (instructions-- && end == HREF_RUNS)
        end = href_step(&s->h);
    return end;
}
