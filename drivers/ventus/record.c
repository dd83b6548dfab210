/* SPDX-License-Identifier: Apache-2.0 */
/* SAMITE_RECORD: each launch as NNNN-KERNEL.metadata and .data, which `samite run` repeats alone or
 * as a sequence, and each program as program-N.elf, for its symbols.
 *
 * A recording holds all memory visible to the launch. Trailing zeros are dropped, except in
 * pages that earlier launches of the sequence may have written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver.h"

enum { PAGE = 4096, CHUNK = 1 << 16, TEXT = 9 /* of a word of data */ };

/* A range of memory, as in .metadata. */
struct range {
    uint64_t base, size, allocated;
    bool zero; /* a fresh buffer */
};

struct ranges {
    struct range *items;
    size_t count, capacity;
};

static int add_range(struct ranges *ranges, uint64_t base, uint64_t allocated)
{
    void *grown = grow(ranges->items, ranges->count, &ranges->capacity, sizeof *ranges->items);
    if (!grown)
        return -1;
    ranges->items = grown;
    ranges->items[ranges->count++] = (struct range){.base = base, .allocated = allocated};
    return 0;
}

/* The program's sections and the buffers of all tasks. */
static int list_memory(const struct space *space, struct ranges *ranges)
{
    const struct sam_image *image = space->program.image;
    int code = 0;
    for (size_t i = 0; image && i < image->section_count && code == 0; i++) {
        const struct sam_section *s = &image->sections[i];
        if (s->size)
            code = add_range(ranges, s->address, s->size);
        if (s->load_offset && s->data_size && code == 0)
            code = add_range(ranges, (uint32_t)(s->address + s->load_offset), s->data_size);
    }
    for (size_t i = 0; i < space->buffer_count && code == 0; i++) {
        const uint64_t size = space->buffers[i].size, whole = (size + PAGE - 1) / PAGE * PAGE;
        code = add_range(ranges, space->buffers[i].address, space->strict ? size : whole);
        if (code == 0)
            ranges->items[ranges->count - 1].zero = space->buffers[i].fresh;
    }
    return code;
}

static int by_address(const void *a, const void *b)
{
    const struct local *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Local memory written by the host, as buffers without data: overlaps joined. */
static int list_locals(struct space *space, struct ranges *ranges)
{
    const size_t first = ranges->count;
    if (space->local_count)
        qsort(space->locals, space->local_count, sizeof *space->locals, by_address);
    for (size_t i = 0; i < space->local_count; i++) {
        const struct local *l = &space->locals[i];
        struct range *last = ranges->count > first ? &ranges->items[ranges->count - 1] : NULL;
        const uint64_t end = (uint64_t)l->address + l->size;
        if (!last || l->address >= last->base + last->allocated) {
            if (add_range(ranges, l->address, l->size) != 0)
                return -1;
        } else if (end > last->base + last->allocated) {
            last->allocated = end - last->base;
        }
    }
    return 0;
}

/* ----------------------------------------------------------------------------- zero pages */

static bool is_dirty(const struct space *space, uint64_t page)
{
    return space->dirty[page / 8] >> page % 8 & 1;
}

/* Mark the pages of a range with non-zero bytes. */
static int mark_dirty(struct space *space, const struct range *range)
{
    static const uint8_t zeros[PAGE];
    struct sam_error error;
    uint8_t bytes[PAGE];
    uint64_t at = range->base;
    const uint64_t end = range->base + range->allocated;
    while ((at = sam_gpu_skip_untouched(space->gpu, at, end)) < end) {
        const uint64_t page = at / PAGE, next = (page + 1) * PAGE;
        const size_t size = (size_t)((next < end ? next : end) - at);
        if (!is_dirty(space, page)) {
            if (sam_gpu_read(space->gpu, (uint32_t)at, bytes, size, &error) != SAM_OK)
                return complain("%s", error.text);
            if (memcmp(bytes, zeros, size) != 0)
                space->dirty[page / 8] |= (uint8_t)(1 << page % 8);
        }
        at = next;
    }
    return 0;
}

/* Bytes of a range up to the end of its last dirty page. */
static uint64_t dirty_size(const struct space *space, const struct range *range)
{
    const uint64_t end = range->base + range->allocated;
    uint64_t page = (end + PAGE - 1) / PAGE;
    while (page > range->base / PAGE && !is_dirty(space, page - 1))
        page--;
    const uint64_t last = page * PAGE < end ? page * PAGE : end;
    return last > range->base ? last - range->base : 0;
}

int record_result(struct space *space)
{
    struct ranges ranges = {0};
    for (size_t i = 0; i < space->buffer_count; i++)
        space->buffers[i].fresh = false;
    int code = list_memory(space, &ranges);
    for (size_t i = 0; i < ranges.count && code == 0; i++)
        code = mark_dirty(space, &ranges.items[i]);
    free(ranges.items);
    return code;
}

/* ------------------------------------------------------------------------------------ files */

static bool write_word(struct sam_output *output, uint32_t word)
{
    char text[TEXT + 1];
    snprintf(text, sizeof text, "%08x\n", (unsigned)word);
    return sam_output_write(output, text, TEXT);
}

static bool write_pair(struct sam_output *output, uint64_t value)
{
    return write_word(output, (uint32_t)value) && write_word(output, (uint32_t)(value >> 32));
}

/* The format is in docs/ventus-rulings.md. */
static bool write_metadata(struct sam_output *output, const struct sam_launch *launch,
                           const uint64_t *meta, const struct ranges *ranges)
{
    bool good = write_pair(output, launch->start);
    for (size_t i = 0; i < VT_META_WORDS; i++)
        good = good && write_pair(output, meta[i]);
    good = good && write_pair(output, ranges->count);
    for (size_t i = 0; i < ranges->count; i++)
        good = good && write_pair(output, ranges->items[i].base);
    for (size_t i = 0; i < ranges->count; i++)
        good = good && write_pair(output, ranges->items[i].size);
    for (size_t i = 0; i < ranges->count; i++)
        good = good && write_pair(output, ranges->items[i].allocated);
    return good;
}

static const char digits[] = "0123456789abcdef";

/* The words of a range; the last one is padded with zeros. */
static bool write_range(struct sam_output *output, const struct space *space,
                        const struct range *range)
{
    char pairs[256][2];
    for (unsigned i = 0; i < 256; i++) {
        pairs[i][0] = digits[i >> 4];
        pairs[i][1] = digits[i & 15];
    }
    uint8_t bytes[CHUNK];
    char text[CHUNK / 4 * TEXT];
    for (uint64_t done = 0; done < range->size; done += CHUNK) {
        const size_t size = (size_t)(range->size - done < CHUNK ? range->size - done : CHUNK);
        const size_t words = (size + 3) / 4;
        memset(bytes + size, 0, 4 * words - size);
        if (sam_gpu_read(space->gpu, (uint32_t)(range->base + done), bytes, size, NULL) != SAM_OK)
            return false;
        for (size_t w = 0; w < words; w++) {
            for (size_t b = 0; b < 4; b++)
                memcpy(text + w * TEXT + 2 * b, pairs[bytes[4 * w + 3 - b]], 2);
            text[w * TEXT + 8] = '\n';
        }
        if (!sam_output_write(output, text, words * TEXT))
            return false;
    }
    return true;
}

static bool write_data(struct sam_output *output, const struct space *space,
                       const struct ranges *ranges)
{
    bool good = true;
    for (size_t i = 0; i < ranges->count && good; i++)
        good = write_range(output, space, &ranges->items[i]);
    return good;
}

/* A file of the recording: NAME, or d2-NAME for a second device of the process. NULL on
 * out-of-memory. */
static char *name_file(const struct device *device, const char *name)
{
    char head[32] = "", *path;
    if (device->serial > 1)
        snprintf(head, sizeof head, "d%u-", device->serial);
    return asprintf(&path, "%s/%s%s", device->environment.record, head, name) < 0 ? NULL : path;
}

static int make_folder(const char *path)
{
    char text[128];
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return complain("SAMITE_RECORD=%s: %s", path, strerror_r(errno, text, sizeof text));
}

static struct sam_output *open_file(const struct device *device, const char *name)
{
    struct sam_error error;
    struct sam_output *output = NULL;
    char *path = name_file(device, name);
    if (!path)
        complain("out of memory");
    else if (sam_output_open(path, &output, &error) != SAM_OK)
        complain("%s", error.text);
    free(path);
    return output;
}

/* Close a file whose content is complete, or drop it. */
static int close_file(struct sam_output *output, bool complete)
{
    struct sam_error error;
    if (!complete && !sam_output_failed(output)) {
        sam_output_abort(output);
        return complain("the recording cannot read the device's memory");
    }
    return sam_output_commit(output, &error) == SAM_OK ? 0 : complain("%s", error.text);
}

static int write_program(struct device *device, struct program *program)
{
    char name[32];
    if (!program->is_elf || program->record)
        return 0;
    snprintf(name, sizeof name, "program-%u.elf", device->programs + 1);
    struct sam_output *output = open_file(device, name);
    if (!output)
        return -1;
    program->record = ++device->programs;
    return close_file(output, sam_output_write(output, program->bytes, program->size));
}

/* The kernel's name, made safe for a file name. */
static void plain_name(const char *kernel, char *name, size_t size)
{
    size_t i = 0;
    for (; kernel[i] && i + 1 < size; i++) {
        const char c = kernel[i];
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        name[i] = c;
        if (!plain)
            name[i] = '-';
    }
    name[i] = '\0';
}

static int write_files(struct device *device, const struct space *space,
                       const struct sam_launch *launch, const uint64_t *meta, const char *kernel,
                       const struct ranges *ranges)
{
    char plain[64], name[96];
    plain_name(kernel, plain, sizeof plain);
    snprintf(name, sizeof name, "%04u-%s.metadata", device->launches, plain);
    struct sam_output *output = open_file(device, name);
    if (!output || close_file(output, write_metadata(output, launch, meta, ranges)) != 0)
        return -1;
    snprintf(name, sizeof name, "%04u-%s.data", device->launches, plain);
    output = open_file(device, name);
    return output ? close_file(output, write_data(output, space, ranges)) : -1;
}

int record_launch(struct device *device, struct space *space, const struct sam_launch *launch,
                  const uint64_t *meta, const char *kernel)
{
    struct ranges ranges = {0};
    int code = make_folder(device->environment.record);
    if (code == 0)
        code = write_program(device, &space->program);
    if (code == 0)
        code = list_memory(space, &ranges);
    for (size_t i = 0; i < ranges.count && code == 0; i++) {
        if (!ranges.items[i].zero)
            code = mark_dirty(space, &ranges.items[i]);
        ranges.items[i].size = dirty_size(space, &ranges.items[i]);
    }
    if (code == 0)
        code = list_locals(space, &ranges);
    if (code == 0)
        code = write_files(device, space, launch, meta, kernel, &ranges);
    free(ranges.items);
    return code;
}
