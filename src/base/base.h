/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of base/: errors, growing buffers, strings and numbers, files. Depends on nothing else.
 */
#ifndef SAM_BASE_H
#define SAM_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "samite/file.h"
#include "samite/image.h"
#include "samite/status.h"
#include "samite/text.h"

#define SAM_COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* Binary search: raise `low` to the first index below `count` for which `before`, an expression of
 * `i`, is false. It is true up to some index, and false from there on. */
#define SAM_SEARCH(low, count, i, before)                                                          \
    for (size_t high_ = (count); (low) < high_;) {                                                 \
        const size_t i = (low) + (high_ - (low)) / 2;                                              \
        if (before)                                                                                \
            (low) = i + 1;                                                                         \
        else                                                                                       \
            high_ = i;                                                                             \
    }
#define SAM_LIKELY(x)   __builtin_expect(!!(x), 1)
#define SAM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SAM_NOINLINE    __attribute__((noinline))

/* Record a failure in `error` (may be NULL) and return `status`. */
enum sam_status sam_fail(struct sam_error *error, enum sam_status status, const char *format, ...)
    SAM_PRINTF(3, 4);
enum sam_status sam_fail_memory(struct sam_error *error);
/* Returns SAM_ERR_USAGE, with the message that `what` is NULL. */
enum sam_status sam_fail_null(struct sam_error *error, const char *what);
/* Returns whether one of the pointers (at most five) is NULL, and reports the first in `error`,
 * named as written here. The caller returns SAM_ERR_USAGE. */
#define SAM_LACKS(error, ...)                                                                      \
    sam_lacks((error), #__VA_ARGS__, (const void *const[5]){__VA_ARGS__},                          \
              sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
bool sam_lacks(struct sam_error *error, const char *names, const void *const *pointers,
               size_t count);
#ifdef __clang_analyzer__ /* It analyzes one file at a time and cannot see these return values. */
#define sam_fail(error, status, ...) (sam_fail((error), (status), __VA_ARGS__), (status))
#define sam_fail_memory(error)       (sam_fail_memory(error), SAM_ERR_MEMORY)
#define sam_fail_null(error, what)   (sam_fail_null((error), (what)), SAM_ERR_USAGE)
static inline bool sam_lacks_seen(struct sam_error *error, const char *names,
                                  const void *const pointers[5], size_t count)
{
    return (count > 0 && !pointers[0]) || (count > 1 && !pointers[1]) ||
           (count > 2 && !pointers[2]) || (count > 3 && !pointers[3]) ||
           (count > 4 && !pointers[4]) || (!names && error);
}
#define sam_lacks sam_lacks_seen
#endif

/* Returns the section that contains `address`, or NULL: the last non-empty one that begins at or
 * before it. */
const struct sam_section *sam_image_section_at(const struct sam_image *image, uint64_t address);

/* Kernel resource records of the Ventus compiler (docs/ventus-rulings.md 5.2). */
#define SAM_RESOURCE_SECTION ".rodata.ventus.resource"
enum { SAM_RESOURCE_BYTES = 8 }; /* per kernel */
/* Set the image's resources from the section's contents. Returns false on out-of-memory. */
bool sam_image_add_resources(struct sam_image *image, const uint8_t *bytes, size_t size);
/* Returns the resources of the kernel at this address in a finished image. If its record cannot be
 * identified: the maximum over all records; zero if there are none. */
struct sam_kernel_resource sam_image_resource(const struct sam_image *image, uint64_t kernel);

/* Line information under construction, rows in any order. Initially all zero. */
struct sam_lines {
    struct sam_line_row *rows;
    size_t count, capacity;
    char **files;
    size_t file_count, file_capacity;
    struct sam_names *names; /* of files */
};
/* Returns in *number the image's number of `file`, which is copied. False on out-of-memory. */
bool sam_lines_file(struct sam_lines *lines, const char *file, uint32_t *number);
/* Code at `address` comes from line `line` of the file; line 0 means unknown. A later row for the
 * same address replaces an earlier one. */
bool sam_lines_add(struct sam_lines *lines, uint64_t address, uint32_t file, uint32_t line);
/* Code ends at `address`; rows that begin there are unaffected. */
bool sam_lines_end(struct sam_lines *lines, uint64_t address);
/* Move the rows into an image without line information. Returns false on out-of-memory. */
bool sam_lines_finish(struct sam_lines *lines, struct sam_image *image);
void sam_lines_free(struct sam_lines *lines);

/* Copy a caller's options, which begin with their size (status.h), to the `size` bytes of
 * `options`; `first` is their size in release 0.1. `given` may be NULL for defaults (all zero). */
enum sam_status sam_options_take(void *options, size_t size, size_t first, const void *given,
                                 struct sam_error *error);

/* --- growing byte buffer and string builder. `data` is NUL-terminated past `size`. After an
 * allocation failure `failed` is set and further appends do nothing, so one check at the end
 * suffices. */
struct sam_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};
void sam_buffer_free(struct sam_buffer *buffer);
/* Reserve `extra` bytes and the final NUL. */
bool sam_buffer_reserve(struct sam_buffer *buffer, size_t extra);
bool sam_buffer_append(struct sam_buffer *buffer, const void *bytes, size_t size);
/* Append `size` bytes of value `fill`. */
bool sam_buffer_fill(struct sam_buffer *buffer, uint8_t fill, size_t size);
bool sam_buffer_printf(struct sam_buffer *buffer, const char *format, ...) SAM_PRINTF(2, 3);
bool sam_buffer_puts(struct sam_buffer *buffer, const char *text);
/* Append outside text, escaped for display: terminal control characters and invalid UTF-8 are
 * replaced, bytes below 32 by `control`, others by '?'. Returns the number of characters. */
size_t sam_buffer_plain(struct sam_buffer *buffer, const char *text, size_t size, char control);
/* Append `digits` hexadecimal digits, 1 to 16, with leading zeros. Logs print millions of them. */
bool sam_buffer_hex(struct sam_buffer *buffer, uint64_t value, unsigned digits);
/* The buffer's text, never NULL. */
const char *sam_buffer_text(const struct sam_buffer *buffer);

/* --- allocation with overflow checks; return NULL on overflow. */
void *sam_alloc(size_t count, size_t size); /* zeroed */
/* Ensure room for one more element in a growing array. Returns the array, possibly moved, with
 * *capacity > count; or NULL, and the old array stays valid. */
void *sam_grow(void *array, size_t count, size_t *capacity, size_t size);
/* Zero `size` bytes by the C library. Compilers inline a constant size with code that can be
 * several times slower. */
static inline void sam_clear(void *at, size_t size)
{
    __asm__("" : "+r"(size));
    memset(at, 0, size);
}
/* Allocate large, sparsely used memory: page-aligned, zero, backed by the host only where touched.
 * Returns NULL on failure. */
void *sam_pages_new(size_t size);
/* Allocate memory that will be used densely, in large pages if the host has them. That saves
 * hundreds of page faults per MiB but takes 2 MiB at the first touch. */
void *sam_pages_new_dense(size_t size);
void sam_pages_free(void *pages, size_t size);
/* Zero part of such memory; whole host pages are returned to the host. */
void sam_pages_clear(void *bytes, size_t size);
/* Allocations that are freed together; NULL when out of memory. Initially all zero. */
struct sam_blocks {
    struct sam_block *first;
};
void *sam_blocks_take(struct sam_blocks *blocks, size_t count, size_t size); /* zeroed */
/* A copy of `size` bytes, NUL-terminated. */
char *sam_blocks_text(struct sam_blocks *blocks, const void *text, size_t size);
void sam_blocks_free(struct sam_blocks *blocks);
char *sam_strdup(const char *text);
char *sam_strndup(const char *text, size_t size);

/* --- number conversion in the C locale, whatever the host program's locale. */
double sam_strtod(const char *text, char **end);
float sam_strtof(const char *text, char **end);
int sam_format(char *text, size_t size, const char *format, ...) SAM_PRINTF(3, 4);
int sam_format_list(char *text, size_t size, const char *format, va_list list) SAM_PRINTF(3, 0);

/* --- hash table from names to values. Initially all zero. Names are not copied and must outlive
 * the table. */
struct sam_names {
    struct sam_names_slot *slots;
    size_t count, capacity;
};
/* Returns the value of a name of `size` bytes, or NULL. */
void *sam_names_find(const struct sam_names *names, const char *name, size_t size);
/* Set the value of a name; it must not be NULL. Returns false on out-of-memory. */
bool sam_names_add(struct sam_names *names, const char *name, size_t size, void *value);
/* Iterate over the values in unspecified order; *at is initially 0. Returns NULL after the last. */
void *sam_names_next(const struct sam_names *names, size_t *at);
void sam_names_free(struct sam_names *names);

/* The greatest common divisor. */
static inline uint64_t sam_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static inline int32_t sam_sext32(uint32_t value, unsigned bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static inline uint32_t sam_bits(uint32_t word, unsigned high, unsigned low)
{
    return (word >> low) & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static inline uint16_t sam_le16(const void *bytes)
{
    const uint8_t *b = bytes;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t sam_le32(const void *bytes)
{
    const uint8_t *b = bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void sam_put_le16(void *bytes, uint16_t value)
{
    uint8_t *b = bytes;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
}

static inline void sam_put_le32(void *bytes, uint32_t value)
{
    uint8_t *b = bytes;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
    b[3] = (uint8_t)(value >> 24);
}

static inline uint64_t sam_le64(const void *bytes)
{
    const uint8_t *b = bytes;
    return sam_le32(b) | (uint64_t)sam_le32(b + 4) << 32;
}

static inline void sam_put_le64(void *bytes, uint64_t value)
{
    uint8_t *b = bytes;
    sam_put_le32(b, (uint32_t)value);
    sam_put_le32(b + 4, (uint32_t)(value >> 32));
}

static inline uint32_t sam_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float sam_bits_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- files, in addition to samite/file.h. "-" is standard input or output. A file larger than
 * `limit` bytes is an error. The caller frees the buffer, also after a failure. */
enum sam_status sam_file_read(const char *path, uint64_t limit, struct sam_buffer *out,
                              struct sam_error *error);
/* Read a file whose type its beginning determines. `look` sees the bytes read so far, block by
 * block, until it sets *enough, the maximum number of bytes to read. If it fails, reading stops. */
typedef enum sam_status sam_file_look(void *context, const struct sam_buffer *file,
                                      uint64_t *enough, struct sam_error *error);
enum sam_status sam_file_read_seen(const char *path, uint64_t limit, sam_file_look *look,
                                   void *context, struct sam_buffer *out, struct sam_error *error);
/* Write a file atomically: to a temporary next to `path`, then rename. */
enum sam_status sam_file_write(const char *path, const void *data, size_t size,
                               struct sam_error *error);

#endif
