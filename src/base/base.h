/* SPDX-License-Identifier: Apache-2.0 */
/* The face of base/: errors, growing buffers, strings and numbers, files. Knows nothing above. */
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
#define SAM_LIKELY(x)    __builtin_expect(!!(x), 1)
#define SAM_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define SAM_NOINLINE     __attribute__((noinline))

/* Record a failure in `error` (may be NULL) and return `status`. */
enum sam_status sam_fail(struct sam_error *error, enum sam_status status, const char *format, ...)
    SAM_PRINTF(3, 4);
enum sam_status sam_fail_memory(struct sam_error *error);
/* SAM_ERR_USAGE: the caller passed NULL for `what`. */
enum sam_status sam_fail_null(struct sam_error *error, const char *what);
/* Whether one of the pointers (at most five) is NULL, which `error` then says of the first: the
 * caller returns SAM_ERR_USAGE. The names in the message are the arguments as written. */
#define SAM_LACKS(error, ...)                                                                      \
    sam_lacks((error), #__VA_ARGS__, (const void *const[5]){__VA_ARGS__},                          \
              sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
bool sam_lacks(struct sam_error *error, const char *names, const void *const *pointers,
               size_t count);
#ifdef __clang_analyzer__ /* It looks at one file at a time and cannot see what these return. */
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

/* The section that holds `address`: the last non-empty one that begins at or before it. NULL: there
 * is none. */
const struct sam_section *sam_image_section_at(const struct sam_image *image, uint64_t address);

/* Where the Ventus compiler records what each kernel needs (docs/ventus-rulings.md 5.2). */
#define SAM_RESOURCE_SECTION ".rodata.ventus.resource"
enum { SAM_RESOURCE_BYTES = 8 }; /* of a kernel */
/* The contents of that section become the image's resources. False: out of memory. */
bool sam_image_add_resources(struct sam_image *image, const uint8_t *bytes, size_t size);
/* Those of the kernel at this address, in a finished image. Where it is not known which kernel a
 * record is about: the most that one names; zero: nothing is known. */
struct sam_kernel_resource sam_image_resource(const struct sam_image *image, uint64_t kernel);

/* Line information under construction: rows in any order. An all-zero one is empty. */
struct sam_lines {
    struct sam_line_row *rows;
    size_t count, capacity;
    char **files;
    size_t file_count, file_capacity;
    struct sam_names *names; /* of the files */
};
/* The number of `file` (which is copied) among the image's files. False: out of memory. */
bool sam_lines_file(struct sam_lines *lines, const char *file, uint32_t *number);
/* Code from line `line` of that file begins at `address`; line 0: the line is unknown. A later row
 * for the same address replaces an earlier one. */
bool sam_lines_add(struct sam_lines *lines, uint64_t address, uint32_t file, uint32_t line);
/* Code ends at `address`; what begins there is not affected. */
bool sam_lines_end(struct sam_lines *lines, uint64_t address);
/* Move the rows into an image that has no line information. False: out of memory. */
bool sam_lines_finish(struct sam_lines *lines, struct sam_image *image);
void sam_lines_free(struct sam_lines *lines);

/* The options a caller gave, which begin with their size (status.h), as the `size` bytes of
 * `options`; `first` is their size in release 0.1. `given` may be NULL: all zero. */
enum sam_status sam_options_take(void *options, size_t size, size_t first, const void *given,
                                 struct sam_error *error);

/* --- growing byte buffer; also the string builder. `data` is NUL-terminated past `size`. Once an
 * allocation fails, `failed` is set and further appends do nothing, so one check at the end
 * suffices. */
struct sam_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};
void sam_buffer_free(struct sam_buffer *buffer);
bool sam_buffer_append(struct sam_buffer *buffer, const void *bytes, size_t size);
/* Append `size` bytes of value `fill`. */
bool sam_buffer_fill(struct sam_buffer *buffer, uint8_t fill, size_t size);
bool sam_buffer_printf(struct sam_buffer *buffer, const char *format, ...) SAM_PRINTF(2, 3);
bool sam_buffer_puts(struct sam_buffer *buffer, const char *text);
/* Outside text, made safe to show: what a terminal could take for a command and what is not UTF-8
 * is replaced, bytes below 32 with `control`, others with '?'. Returns the number of characters. */
size_t sam_buffer_plain(struct sam_buffer *buffer, const char *text, size_t size, char control);
/* `digits` hexadecimal digits, at least 1 and at most 16, with leading zeros. Logs print millions
 * of them. */
bool sam_buffer_hex(struct sam_buffer *buffer, uint64_t value, unsigned digits);
/* The text built so far (never NULL; "" when empty). */
const char *sam_buffer_text(const struct sam_buffer *buffer);

/* --- allocation with the size checked: count * size never wraps. NULL when it does not fit. */
void *sam_alloc(size_t count, size_t size); /* zeroed */
/* Room for one more element in a growing array: returns the array, which may have moved, with
 * *capacity > count; or NULL, and the old array is still valid. */
void *sam_grow(void *array, size_t count, size_t *capacity, size_t size);
/* Zero `size` bytes by the C library: what compilers expand for a size that they know can take
 * several times as long. */
static inline void sam_clear(void *at, size_t size)
{
    __asm__("" : "+r"(size));
    memset(at, 0, size);
}
/* Large, sparsely used memory: page-aligned, zero, allocated by the host only where it is touched.
 * NULL when it does not fit. */
void *sam_pages_new(size_t size);
/* The same for memory that will be used as a whole: in large pages where the host has them, which
 * saves hundreds of page faults per MiB but takes 2 MiB at the first touch. */
void *sam_pages_new_dense(size_t size);
void sam_pages_free(void *pages, size_t size);
/* Zero part of such memory; the whole host pages in it go back to the host. */
void sam_pages_clear(void *bytes, size_t size);
char *sam_strdup(const char *text);
char *sam_strndup(const char *text, size_t size);

/* --- numbers beyond samite/text.h: `count` comma-separated ones at most; *found of them. */
bool sam_parse_u64_list(const char *text, uint64_t *values, size_t count, size_t *found);

/* --- numbers and their text as in the C locale, whatever locale the host program has set. */
double sam_strtod(const char *text, char **end);
float sam_strtof(const char *text, char **end);
int sam_format(char *text, size_t size, const char *format, ...) SAM_PRINTF(3, 4);
int sam_format_list(char *text, size_t size, const char *format, va_list list) SAM_PRINTF(3, 0);

/* --- names to values, a hash table. An all-zero one is empty. Names are not copied: they must
 * outlive the table. */
struct sam_names {
    struct sam_names_slot *slots;
    size_t count, capacity;
};
/* The value of `name`, `size` bytes; NULL: there is none. */
void *sam_names_find(const struct sam_names *names, const char *name, size_t size);
/* Set the value of `name`, which must not be NULL. False: out of memory. */
bool sam_names_add(struct sam_names *names, const char *name, size_t size, void *value);
/* Iterate over the values, in no particular order: *at is 0 at first. NULL after the last. */
void *sam_names_next(const struct sam_names *names, size_t *at);
void sam_names_free(struct sam_names *names);

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

/* --- files, beside samite/file.h. "-" is standard input or output. A file larger than `limit`
 * bytes is refused. The caller frees the buffer, also after a failure. */
enum sam_status sam_file_read(const char *path, uint64_t limit, struct sam_buffer *out,
                              struct sam_error *error);
/* The same, for files whose beginning tells what they are. `look` sees what has been read so far,
 * block by block, until it sets *enough: the number of bytes to read at most. When it fails,
 * reading stops. */
typedef enum sam_status sam_file_look(void *context, const struct sam_buffer *file,
                                      uint64_t *enough, struct sam_error *error);
enum sam_status sam_file_read_seen(const char *path, uint64_t limit, sam_file_look *look,
                                   void *context, struct sam_buffer *out, struct sam_error *error);
/* Write all or nothing: into a temporary file beside `path`, then rename it. */
enum sam_status sam_file_write(const char *path, const void *data, size_t size,
                               struct sam_error *error);

#endif
