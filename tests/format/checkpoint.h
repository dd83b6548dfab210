/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch checkpoints built from parts: pickles by opcode, and zip archives. */
#ifndef TEST_FORMAT_CHECKPOINT_H
#define TEST_FORMAT_CHECKPOINT_H

#include "base/base.h"

/* --- pickles */
static inline void put_le(struct sam_buffer *b, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    sam_put_le64(bytes, value);
    sam_buffer_append(b, bytes, size);
}

static inline void pickle_op(struct sam_buffer *p, const char *opcodes)
{
    sam_buffer_puts(p, opcodes);
}

static inline void pickle_text(struct sam_buffer *p, const char *text)
{
    pickle_op(p, "X");
    put_le(p, strlen(text), 4);
    sam_buffer_puts(p, text);
}

static inline void pickle_int(struct sam_buffer *p, uint64_t value)
{
    if (value < 256) {
        pickle_op(p, "K");
        put_le(p, value, 1);
    } else if (value < 65536) {
        pickle_op(p, "M");
        put_le(p, value, 2);
    } else {
        pickle_op(p, "\x8a\x08"); /* LONG1 of eight bytes */
        put_le(p, value, 8);
    }
}

static inline void pickle_ints(struct sam_buffer *p, size_t count, const uint64_t *values)
{
    pickle_op(p, "(");
    for (size_t i = 0; i < count; i++)
        pickle_int(p, values[i]);
    pickle_op(p, "t");
}

/* The persistent id of a storage: "FloatStorage", "0", elements. */
static inline void pickle_storage(struct sam_buffer *p, const char *type, const char *key,
                                  uint64_t elements)
{
    pickle_op(p, "(");
    pickle_text(p, "storage");
    sam_buffer_printf(p, "c%s\n%s\n", strcmp(type, "UntypedStorage") ? "torch" : "torch.storage",
                      type);
    pickle_text(p, key);
    pickle_text(p, "cpu");
    pickle_int(p, elements);
    pickle_op(p, "tQ");
}

/* A tensor as torch.save writes it; `dtype` is NULL, or the name for _rebuild_tensor_v3. */
struct pickled {
    const char *type, *key;
    uint64_t elements, offset;
    size_t rank;
    const uint64_t *shape, *stride;
    const char *dtype;
};
static inline void pickle_tensor(struct sam_buffer *p, const struct pickled *t)
{
    sam_buffer_printf(p, "ctorch._utils\n_rebuild_tensor_v%d\n(", t->dtype ? 3 : 2);
    pickle_storage(p, t->type, t->key, t->elements);
    pickle_int(p, t->offset);
    pickle_ints(p, t->rank, t->shape);
    pickle_ints(p, t->rank, t->stride);
    pickle_op(p, "\x89"); /* False */
    pickle_op(p, "ccollections\nOrderedDict\n)R");
    if (t->dtype)
        sam_buffer_printf(p, "ctorch\n%s\n", t->dtype);
    pickle_op(p, "tR");
}

/* An empty OrderedDict; its items follow between pickle_op("(") and pickle_op("u"). */
static inline struct sam_buffer pickle_begin(void)
{
    struct sam_buffer p = {0};
    pickle_op(&p, "\x80\x02");
    pickle_op(&p, "ccollections\nOrderedDict\n");
    pickle_op(&p, ")R(");
    return p;
}

/* --- zip archives of stored entries */
struct zip {
    struct sam_buffer file, directory;
    uint64_t count;
    bool zip64; /* every size and offset in zip64 fields, and the record at the end */
    uint16_t method, flags;
};

static inline void zip_add(struct zip *z, const char *name, const void *bytes, size_t size)
{
    const uint64_t at = z->file.size;
    const size_t length = strlen(name);
    put_le(&z->file, 0x04034b50, 4);
    put_le(&z->file, z->zip64 ? 45 : 20, 2);
    put_le(&z->file, z->flags, 2);
    put_le(&z->file, z->method, 2);
    put_le(&z->file, 0, 8); /* time, date, CRC */
    put_le(&z->file, z->zip64 ? UINT32_MAX : size, 4);
    put_le(&z->file, z->zip64 ? UINT32_MAX : size, 4);
    put_le(&z->file, length, 2);
    /* As PyTorch does: a padding field aligns the contents to 64 bytes. */
    const size_t before = z->file.size + 2 + length + 4 + (z->zip64 ? 20 : 0);
    const size_t padding = (size_t)-before % 64;
    put_le(&z->file, 4 + padding + (z->zip64 ? 20 : 0), 2);
    sam_buffer_puts(&z->file, name);
    if (z->zip64) {
        put_le(&z->file, 1, 2);
        put_le(&z->file, 16, 2);
        put_le(&z->file, size, 8);
        put_le(&z->file, size, 8);
    }
    put_le(&z->file, 0x4246, 2);
    put_le(&z->file, padding, 2);
    sam_buffer_fill(&z->file, 'Z', padding);
    if (size)
        sam_buffer_append(&z->file, bytes, size);

    struct sam_buffer *d = &z->directory;
    put_le(d, 0x02014b50, 4);
    put_le(d, 0, 4); /* versions */
    put_le(d, z->flags, 2);
    put_le(d, z->method, 2);
    put_le(d, 0, 8);
    put_le(d, z->zip64 ? UINT32_MAX : size, 4);
    put_le(d, z->zip64 ? UINT32_MAX : size, 4);
    put_le(d, length, 2);
    put_le(d, z->zip64 ? 28 : 0, 2);
    put_le(d, 0, 8); /* comment, disk, attributes */
    put_le(d, 0, 2);
    put_le(d, z->zip64 ? UINT32_MAX : at, 4);
    sam_buffer_puts(d, name);
    if (z->zip64) {
        put_le(d, 1, 2);
        put_le(d, 24, 2);
        put_le(d, size, 8);
        put_le(d, size, 8);
        put_le(d, at, 8);
    }
    z->count++;
}

/* The archive; takes ownership of *z. */
static inline struct sam_buffer zip_end(struct zip *z)
{
    const uint64_t at = z->file.size, size = z->directory.size;
    sam_buffer_append(&z->file, sam_buffer_text(&z->directory), z->directory.size);
    if (z->zip64) {
        const uint64_t end = z->file.size;
        put_le(&z->file, 0x06064b50, 4);
        put_le(&z->file, 44, 8);
        put_le(&z->file, 0, 4);
        put_le(&z->file, 0, 8); /* disks */
        put_le(&z->file, z->count, 8);
        put_le(&z->file, z->count, 8);
        put_le(&z->file, size, 8);
        put_le(&z->file, at, 8);
        put_le(&z->file, 0x07064b50, 4);
        put_le(&z->file, 0, 4);
        put_le(&z->file, end, 8);
        put_le(&z->file, 1, 4);
    }
    put_le(&z->file, 0x06054b50, 4);
    put_le(&z->file, 0, 4);
    put_le(&z->file, z->zip64 ? UINT16_MAX : z->count, 2);
    put_le(&z->file, z->zip64 ? UINT16_MAX : z->count, 2);
    put_le(&z->file, z->zip64 ? UINT32_MAX : size, 4);
    put_le(&z->file, z->zip64 ? UINT32_MAX : at, 4);
    put_le(&z->file, 0, 2);
    sam_buffer_free(&z->directory);
    return z->file;
}

#endif
