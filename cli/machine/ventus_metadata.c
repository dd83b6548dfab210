/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run a.metadata a.data ...`: launches recorded by the Ventus driver, in one memory. All
 * files are read and checked before anything runs. A buffer named by several launches is one
 * buffer, of the largest of their sizes; overlapping buffers of different launches (memory freed
 * and allocated again) are joined. */
#include <stdlib.h>

#include "machine/machine.h"

enum { MAX_METADATA = 16 << 20 };
#define MAX_DATA (UINT64_C(10) << 30)

struct region {
    uint64_t base, end;
};

static bool is_local(const struct sam_metadata_buffer *buffer)
{
    return buffer->base - SAM_LDS_BASE < SAM_LDS_SIZE;
}

static int read_pair(struct run *run, const struct run_step *step, struct ventus_pair *pair)
{
    char *text;
    size_t size, count;
    if (sam_file_load(step->path, MAX_METADATA, &text, &size, &run->error) != SAM_OK)
        return cli_report(&run->error);
    enum sam_status status =
        cli_expect_text(step->path, text, size, "text of a .metadata file", &run->error);
    if (status == SAM_OK)
        status = sam_metadata_parse(text, size, step->path, &pair->metadata, &run->error);
    free(text);
    if (status != SAM_OK)
        return cli_report(&run->error);
    if (!pair->metadata.has_start)
        cli_note("%s: no start_addr (older form): starts at 0x%llx", step->path,
                 (unsigned long long)pair->metadata.start);
    if (sam_file_load(step->data, MAX_DATA, &text, &size, &run->error) != SAM_OK)
        return cli_report(&run->error);
    status =
        sam_data_parse(text, size, step->data, &pair->metadata, &pair->words, &count, &run->error);
    free(text);
    return cli_code(status, &run->error);
}

static int by_base(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* Map every buffer of every launch. Local memory belongs to the workgroups and is always mapped. */
static int map_buffers(struct run *run, const struct ventus_pair *pairs, size_t count)
{
    size_t total = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        total += pairs[i].metadata.buffer_count;
    struct region *regions = calloc(total + 1, sizeof *regions);
    if (!regions)
        return cli_no_memory();
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < pairs[i].metadata.buffer_count; b++) {
            const struct sam_metadata_buffer *buffer = &pairs[i].metadata.buffers[b];
            if (buffer->allocated && !is_local(buffer))
                regions[used++] = (struct region){buffer->base, buffer->base + buffer->allocated};
        }
    }
    qsort(regions, used, sizeof *regions, by_base);
    int code = CLI_OK;
    for (size_t i = 0; i < used && code == CLI_OK;) {
        struct region joined = regions[i];
        for (i++; i < used && regions[i].base < joined.end; i++)
            if (regions[i].end > joined.end)
                joined.end = regions[i].end;
        if (sam_gpu_map(run->ventus->gpu, (uint32_t)joined.base, joined.end - joined.base,
                        &run->error) != SAM_OK)
            code = cli_report(&run->error);
    }
    free(regions);
    return code;
}

/* Write the words of a pair to its buffers; they are converted to bytes in place. */
static int write_data(struct run *run, const struct run_step *step, struct ventus_pair *pair)
{
    const uint32_t *next = pair->words;
    for (size_t b = 0; b < pair->metadata.buffer_count; b++) {
        const struct sam_metadata_buffer *buffer = &pair->metadata.buffers[b];
        size_t count = (size_t)((buffer->size + 3) / 4);
        uint8_t *bytes = (uint8_t *)(void *)(pair->words + (next - pair->words));
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            uint32_t word = next[i];
            any |= word != 0;
            for (int k = 0; k < 4; k++)
                bytes[4 * i + (size_t)k] = (uint8_t)(word >> 8 * k);
        }
        next += count;
        if (is_local(buffer)) {
            if (any)
                cli_note("%s: buffer %zu at 0x%llx is local memory, which starts as "
                         "zeros; its data is not used",
                         step->data, b, (unsigned long long)buffer->base);
        } else if (buffer->size && sam_gpu_write(run->ventus->gpu, (uint32_t)buffer->base, bytes,
                                                 (size_t)buffer->size, &run->error) != SAM_OK) {
            return cli_report(&run->error);
        }
    }
    free(pair->words);
    pair->words = NULL;
    return CLI_OK;
}

/* The name of the kernel: the symbol at the entry given in the metadata buffer, or the file's
 * name. */
static void kernel_name(struct run *run, const struct sam_launch *launch, const char *path,
                        char *name, size_t size)
{
    const struct sam_symbol *symbol = sam_gpu_find_kernel(run->ventus->gpu, launch);
    if (symbol) {
        snprintf(name, size, "%s", symbol->name);
        return;
    }
    const char *base = cli_base_name(path), *dot = strstr(base, ".metadata");
    snprintf(name, size, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

/* The room for private memory in this launch's own buffer, which may be part of a larger, joined
 * one. */
static uint64_t pds_room(const struct sam_metadata *m)
{
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *b = &m->buffers[i];
        if (m->pds_base >= b->base && m->pds_base - b->base < b->allocated)
            return b->base + b->allocated - m->pds_base;
    }
    return 0;
}

/* Reports number the buffers of a launch as its file does. */
static int name_buffers(struct run *run, const struct sam_metadata *m)
{
    int code = CLI_OK;
    for (size_t i = 0; i < m->buffer_count && code == CLI_OK; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        code = ventus_name_buffer(run, m->buffers[i].base, m->buffers[i].allocated, number, false);
    }
    return code;
}

static int launch_pair(struct run *run, const struct run_step *step, const struct ventus_pair *pair)
{
    const struct sam_metadata *m = &pair->metadata;
    struct sam_launch launch = {
        .start = (uint32_t)m->start,
        .metadata = (uint32_t)m->metadata_base,
        .grid = {(uint32_t)m->grid[0], (uint32_t)m->grid[1], (uint32_t)m->grid[2]},
        .lanes = (uint32_t)m->lanes,
        .warps = (uint32_t)m->warps,
        .lds_size = (uint32_t)m->lds_size,
        .pds_size = (uint32_t)m->pds_size,
        .pds_base = (uint32_t)m->pds_base,
        .image = run->image,
    };
    char name[128];
    run->ventus->pds_room = pds_room(m);
    run->ventus->metadata = m;
    run->ventus->timing.sgprs = (uint32_t)m->sgprs;
    run->ventus->timing.vgprs = (uint32_t)m->vgprs;
    if (run->ventus->sanitizer)
        sam_sanitizer_declare_registers(run->ventus->sanitizer, run->ventus->timing.sgprs,
                                        run->ventus->timing.vgprs);
    kernel_name(run, &launch, step->path, name, sizeof name);
    return name_buffers(run, m) ?: ventus_launch(run, &launch, name, step->path);
}

/* Execute the steps in order. A poke takes effect at its step, and again after the data of the
 * next launch is written, so that the kernel sees it. */
int ventus_run_pairs(struct run *run)
{
    struct ventus_pair *pairs = run->ventus->pairs;
    const struct run_request *request = run->request;
    int code = CLI_OK;
    size_t pending = 0; /* first step since the last launch */
    for (size_t i = 0; i < request->steps.count && code == CLI_OK; i++) {
        const struct run_step *step = &request->steps.items[i];
        if (cli_stopped())
            return cli_report_stop();
        switch (step->kind) {
        case RUN_POKE: code = ventus_poke(run, step); break;
        case RUN_DUMP: code = run_dump(run, &step->dump); break;
        case RUN_FILE:
            code = write_data(run, step, pairs);
            for (; pending < i && code == CLI_OK; pending++)
                if (request->steps.items[pending].kind == RUN_POKE)
                    code = ventus_poke(run, &request->steps.items[pending]);
            code = code ?: launch_pair(run, step, pairs);
            pending = i + 1;
            pairs++;
            break;
        }
    }
    return code;
}

int ventus_open_pairs(struct run *run)
{
    const struct run_request *request = run->request;
    struct ventus *v = run->ventus;
    v->pairs = calloc(request->steps.count + 1, sizeof *v->pairs);
    int code = v->pairs ? CLI_OK : cli_no_memory();
    for (size_t i = 0; i < request->steps.count && code == CLI_OK; i++)
        if (request->steps.items[i].kind == RUN_FILE)
            code = read_pair(run, &request->steps.items[i], &v->pairs[v->pair_count++]);
    if (code == CLI_OK && v->asked->elf)
        code = cli_code(sam_elf_read(v->asked->elf, &run->image, &run->error), &run->error);
    code = code ?: ventus_create(run) ?: map_buffers(run, v->pairs, v->pair_count);
    /* After the buffers: the program lies within the larger code buffer. */
    if (code == CLI_OK && run->image)
        code = cli_code(sam_gpu_load(v->gpu, run->image, &run->error), &run->error);
    return code ?: ventus_check_steps(run);
}

void ventus_close_pairs(struct ventus *v)
{
    for (size_t i = 0; i < v->pair_count; i++) {
        sam_metadata_free(&v->pairs[i].metadata);
        free(v->pairs[i].words);
    }
    free(v->pairs);
}
