/* SPDX-License-Identifier: Apache-2.0 */
/* An address space: buffers and copies. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { PAGE = 4096, DIRTY_BYTES = (1 << 20) / 8 };

struct space *space_new(const struct environment *environment)
{
    struct sam_error error;
    struct space *space = calloc(1, sizeof *space);
    if (space && environment->record && !(space->dirty = calloc(DIRTY_BYTES, 1))) {
        free(space);
        space = NULL;
    }
    if (!space)
        return complain("out of memory"), NULL;
    space->strict = environment->strict;
    if (sam_gpu_new(NULL, &space->gpu, &error) == SAM_OK)
        return space;
    complain("%s", error.text);
    space_free(space);
    return NULL;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    sam_gpu_free(space->gpu);
    program_free(&space->program);
    free(space->buffers);
    free(space->locals);
    free(space->dirty);
    free(space);
}

/* Index of the first buffer that begins above `address`. */
static size_t buffer_above(const struct space *space, uint64_t address)
{
    size_t low = 0, high = space->buffer_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (space->buffers[middle].address > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The task's buffer that holds `address`; NULL: there is none. */
static struct buffer *find_buffer(struct space *space, uint64_t address, uint64_t task)
{
    const size_t above = buffer_above(space, address);
    struct buffer *buffer = above ? &space->buffers[above - 1] : NULL;
    return buffer && address - buffer->address < buffer->size && buffer->task == task ? buffer
                                                                                      : NULL;
}

/* Room for one more buffer of `size` bytes. */
static int make_room(struct space *space, uint64_t size)
{
    if (size == 0 || size > UINT32_MAX)
        return complain("a buffer of %llu bytes: expected 1 to 2^32 - 1", (unsigned long long)size);
    void *grown =
        grow(space->buffers, space->buffer_count, &space->buffer_capacity, sizeof *space->buffers);
    if (!grown)
        return -1;
    space->buffers = grown;
    return 0;
}

static void add_buffer(struct space *space, uint32_t address, uint64_t size, uint64_t task)
{
    const size_t above = buffer_above(space, address);
    memmove(space->buffers + above + 1, space->buffers + above,
            (space->buffer_count++ - above) * sizeof *space->buffers);
    space->buffers[above] =
        (struct buffer){.address = address, .size = (uint32_t)size, .task = task, .fresh = true};
    space->has_tables = false;
}

int space_alloc(struct space *space, uint64_t size, uint64_t task, uint64_t *address)
{
    struct sam_error error;
    uint32_t at = 0;
    if (make_room(space, size) != 0)
        return -1;
    if ((space->strict ? sam_gpu_alloc(space->gpu, (uint32_t)size, &at, &error)
                       : sam_gpu_alloc_pages(space->gpu, size, &at, &error)) != SAM_OK)
        return complain("%s", error.text);
    add_buffer(space, at, size, task);
    *address = at;
    return 0;
}

/* Whether some buffer has one of the bytes. */
static bool is_taken(const struct space *space, uint64_t address, uint64_t size)
{
    const size_t above = buffer_above(space, address + size - 1);
    const struct buffer *below = above ? &space->buffers[above - 1] : NULL;
    return below && (uint64_t)below->address + below->size > address;
}

int space_alloc_at(struct space *space, uint64_t size, uint64_t task, uint64_t address)
{
    struct sam_error error;
    if (make_room(space, size) != 0)
        return -1;
    if (address > UINT32_MAX || size > UINT64_C(0x100000000) - address)
        return complain("a buffer of 0x%llx bytes at 0x%llx: expected one within 32 bits",
                        (unsigned long long)size, (unsigned long long)address);
    if (is_taken(space, address, size))
        return complain("a buffer of 0x%llx bytes at 0x%llx overlaps another",
                        (unsigned long long)size, (unsigned long long)address);
    uint32_t at = (uint32_t)address;
    if ((space->strict || at == 0 ? sam_gpu_map(space->gpu, at, size, &error)
                                  : sam_gpu_alloc_pages(space->gpu, size, &at, &error)) != SAM_OK)
        return complain("%s", error.text);
    add_buffer(space, (uint32_t)address, size, task);
    return 0;
}

static void drop_buffer(struct space *space, size_t index)
{
    sam_gpu_unmap(space->gpu, space->buffers[index].address, NULL);
    memmove(space->buffers + index, space->buffers + index + 1,
            (--space->buffer_count - index) * sizeof *space->buffers);
    space->has_tables = false;
}

int space_free_buffer(struct space *space, uint64_t address, uint64_t task)
{
    const struct buffer *buffer = find_buffer(space, address, task);
    if (!buffer || buffer->address != address)
        return complain("no buffer of task %llu begins at 0x%llx", (unsigned long long)task,
                        (unsigned long long)address);
    drop_buffer(space, (size_t)(buffer - space->buffers));
    return 0;
}

void space_free_task(struct space *space, uint64_t task)
{
    for (size_t i = space->buffer_count; i-- > 0;)
        if (space->buffers[i].task == task)
            drop_buffer(space, i);
}

/* ---------------------------------------------------------------------------------- copies */

static bool in_window(uint64_t address, uint64_t size)
{
    const uint64_t offset = address - SAM_LDS_BASE;
    return offset < SAM_LDS_SIZE && size <= SAM_LDS_SIZE - offset;
}

/* Whether the bytes are the task's: in one of its buffers, or below all buffers, where programs
 * lie; the machine knows the program's bounds. */
static bool may_copy(struct space *space, uint64_t address, uint64_t size, uint64_t task)
{
    const struct buffer *buffer = find_buffer(space, address, task);
    if (buffer)
        return size <= buffer->size - (address - buffer->address);
    return address < SAM_BUFFER_BASE && size <= SAM_BUFFER_BASE - address;
}

static int check_copy(struct space *space, const char *what, uint64_t address, const void *data,
                      uint64_t size, uint64_t task)
{
    if (size == 0 || !data)
        return complain("%s: %s", what, data ? "0 bytes" : "the host's address is NULL");
    if (!may_copy(space, address, size, task))
        return complain("%s of 0x%llx bytes at 0x%llx: not in one buffer of task %llu", what,
                        (unsigned long long)size, (unsigned long long)address,
                        (unsigned long long)task);
    return 0;
}

static int note_local(struct space *space, uint64_t address, uint64_t size)
{
    if (!space->dirty)
        return 0;
    void *grown =
        grow(space->locals, space->local_count, &space->local_capacity, sizeof *space->locals);
    if (!grown)
        return -1;
    space->locals = grown;
    space->locals[space->local_count++] = (struct local){(uint32_t)address, (uint32_t)size};
    return 0;
}

int space_copy_in(struct space *space, uint64_t address, const void *data, uint64_t size,
                  uint64_t task)
{
    struct sam_error error;
    if (size && in_window(address, size))
        return note_local(space, address, size);
    if (check_copy(space, "vt_copy_to_dev", address, data, size, task) != 0)
        return -1;
    if (sam_gpu_write(space->gpu, (uint32_t)address, data, size, &error) != SAM_OK)
        return complain("vt_copy_to_dev: %s", error.text);
    struct buffer *buffer = find_buffer(space, address, task);
    if (buffer)
        buffer->fresh = false;
    return 0;
}

int space_copy_out(struct space *space, uint64_t address, void *data, uint64_t size, uint64_t task)
{
    struct sam_error error;
    if (size && in_window(address, size))
        return 0;
    if (check_copy(space, "vt_copy_from_dev", address, data, size, task) != 0)
        return -1;
    if (sam_gpu_read(space->gpu, (uint32_t)address, data, size, &error) != SAM_OK)
        return complain("vt_copy_from_dev: %s", error.text);
    return 0;
}

/* -------------------------------------------------------------------------------- launches */

int space_launch(const struct space *space, const uint64_t *meta, struct sam_launch *launch,
                 const char *function)
{
    if (!space->program.image)
        return complain("%s: no program has been uploaded", function);
    for (int i = VT_META_GRID; i < VT_META_WORDS; i++)
        if (meta[i] > UINT32_MAX)
            return complain("%s: word %d of the metadata is 0x%llx: more than 32 bits", function, i,
                            (unsigned long long)meta[i]);
    if (meta[VT_META_LDS_SIZE] > SAM_LDS_SIZE)
        return complain("%s: local memory of 0x%llx bytes: at most 0x%x", function,
                        (unsigned long long)meta[VT_META_LDS_SIZE], (unsigned)SAM_LDS_SIZE);
    *launch = (struct sam_launch){
        .start = SAM_CODE_BASE,
        .metadata = (uint32_t)meta[VT_META_METADATA],
        .grid = {(uint32_t)meta[VT_META_GRID], (uint32_t)meta[VT_META_GRID + 1],
                 (uint32_t)meta[VT_META_GRID + 2]},
        .lanes = (uint32_t)meta[VT_META_LANES],
        .warps = (uint32_t)meta[VT_META_WARPS],
        .lds_size = (uint32_t)meta[VT_META_LDS_SIZE],
        .pds_size = (uint32_t)meta[VT_META_PDS_SIZE],
        .pds_base = (uint32_t)meta[VT_META_PDS_BASE],
        .image = space->program.image,
    };
    return 0;
}

struct sam_trap *space_past_end(const struct space *space, struct sam_trap *trap)
{
    return space->strict ? NULL : trap;
}

void space_tell_past_end(struct space *space, const struct sam_trap *trap, const char *name)
{
    char text[512];
    if (space->strict || trap->kind == SAM_TRAP_NONE)
        return;
    const size_t above = buffer_above(space, trap->tval);
    const struct buffer *buffer = above ? &space->buffers[above - 1] : NULL;
    sam_trap_describe(trap, space->program.image, text, sizeof text);
    const char *where = strchr(text, ';');
    complain("%s: %s 0x%08x, past the end of the buffer 0x%08x..+0x%x%s", name,
             trap->kind == SAM_TRAP_LOAD_FAULT ? "load from" : "store to", (unsigned)trap->tval,
             buffer ? buffer->address : 0, buffer ? buffer->size : 0, where ? where : "");
}

int space_build_tables(struct space *space)
{
    struct sam_error error;
    if (space->has_tables)
        return 0;
    if (sam_gpu_build_sv39(space->gpu, space->program.image, &space->ptbr, &error) != SAM_OK)
        return complain("%s", error.text);
    space->has_tables = true;
    return 0;
}
