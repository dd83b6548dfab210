/* SPDX-License-Identifier: Apache-2.0 */
/* Ventus .metadata and .data (docs/ventus-rulings.md, launch): text with one number of eight
 * hexadecimal digits per line. People annotate these files, so text after a number is a comment,
 * and empty and comment lines are skipped. A number with fewer than eight digits is truncated,
 * which is an error. */
#include <stdlib.h>

#include "base/ascii.h"
#include "format/format.h"
#include "samite/format.h"

enum {
    FIXED_NEW = 14, /* 64-bit values before the buffers, including start_addr */
    FIXED_OLD = 13, /* without */
    MAX_WARPS = 1024,
};

#define ADDRESSES   (UINT64_C(1) << 32)
#define LDS_BASE    UINT64_C(0x70000000)
#define LDS_END     UINT64_C(0x80000000)
#define START_OLDER UINT64_C(0x80000000)

struct lines {
    const char *text;
    size_t size;
    size_t at;
    size_t line; /* of the last number read */
    const char *name;
    struct sam_error *error;
};

static bool is_comment(char c)
{
    return c == '/' || c == '#' || c == ';';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static struct lines lines_of(const char *text, size_t size, const char *name,
                             struct sam_error *error)
{
    bool mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* UTF-8 byte order mark */
    return (struct lines){text, size, mark ? 3 : 0, 0, name, error};
}

/* Report a line without a number; control characters are not echoed. */
static enum sam_status not_a_number(const struct lines *l, size_t start)
{
    char shown[24];
    size_t length = 0;
    for (size_t i = start; i < l->size && l->text[i] != '\n' && length < sizeof shown - 1; i++) {
        char c = l->text[i];
        if (c == '\r')
            break;
        shown[length++] = c >= ' ' && c <= '~' ? c : '?';
    }
    shown[length] = '\0';
    return sam_fail(l->error, SAM_ERR_INPUT, "%s:%zu: '%s' is not a number of 8 hexadecimal digits",
                    l->name, l->line, shown);
}

/* Read the next number; sets *found to false at the end of the text. */
static enum sam_status next_number(struct lines *l, uint32_t *value, bool *found)
{
    *found = false;
    while (l->at < l->size) {
        const char *text = l->text;
        size_t at = l->at;
        l->line++;
        while (at < l->size && is_space(text[at]))
            at++;
        size_t start = at;
        uint32_t sum = 0;
        for (; at < l->size && sam_hex_digit(text[at]) < 16 && at - start < 9; at++)
            sum = sum << 4 | sam_hex_digit(text[at]);
        bool ended = at == l->size || text[at] == '\n' || is_space(text[at]);
        bool blank = at == start && (ended || is_comment(text[at]));
        if (!blank && (at - start != 8 || !(ended || is_comment(text[at]))))
            return not_a_number(l, start);
        const char *end = at < l->size ? memchr(text + at, '\n', l->size - at) : NULL;
        l->at = end ? (size_t)(end - text) + 1 : l->size;
        if (!blank) {
            *value = sum;
            *found = true;
            return SAM_OK;
        }
    }
    return SAM_OK;
}

/* Read all numbers of a .metadata file in pairs, low word first. */
static enum sam_status read_values(struct lines *l, uint64_t **values, size_t *count)
{
    size_t capacity = 0, words = 0;
    uint32_t low = 0, word;
    bool found;
    *values = NULL;
    *count = 0;
    for (;;) {
        enum sam_status status = next_number(l, &word, &found);
        if (status != SAM_OK)
            return status;
        if (!found)
            break;
        if (words++ % 2 == 0) {
            low = word;
            continue;
        }
        uint64_t *grown = sam_grow(*values, *count, &capacity, sizeof **values);
        if (!grown)
            return sam_fail_memory(l->error);
        *values = grown;
        (*values)[(*count)++] = (uint64_t)word << 32 | low;
    }
    if (words % 2)
        return sam_fail(l->error, SAM_ERR_INPUT,
                        "%s: %zu numbers; each value takes two, so one is missing or superfluous",
                        l->name, words);
    return SAM_OK;
}

/* Determine the number of values before the buffers. The total tells the two forms apart: 14 and 13
 * differ modulo 3. A truncated new file with one value missing has an old file's total, but starts
 * with an address where the old form has a small number. */
static enum sam_status detect_form(const struct lines *l, const uint64_t *values, size_t count,
                                   size_t *fixed)
{
    size_t likely = count && values[0] < 0x1000 ? FIXED_OLD : FIXED_NEW;
    *fixed = count % 3 == FIXED_OLD % 3 ? FIXED_OLD : FIXED_NEW;
    if (count >= *fixed && count % 3 == *fixed % 3 && values[*fixed - 1] == (count - *fixed) / 3 &&
        (*fixed == FIXED_NEW || likely == FIXED_OLD))
        return SAM_OK;
    if (count < likely)
        return sam_fail(l->error, SAM_ERR_INPUT,
                        "%s: %zu numbers; at least %zu precede the buffers", l->name, 2 * count,
                        2 * likely);
    uint64_t buffers = values[likely - 1];
    if (buffers >= ADDRESSES)
        return sam_fail(l->error, SAM_ERR_INPUT,
                        "%s: num_buffer is 0x%llx: a number above it is missing or superfluous",
                        l->name, (unsigned long long)buffers);
    return sam_fail(l->error, SAM_ERR_INPUT,
                    "%s: %zu numbers, but num_buffer %llu requires 2*(%zu+3*%llu) = %llu", l->name,
                    2 * count, (unsigned long long)buffers, likely, (unsigned long long)buffers,
                    (unsigned long long)(2 * (likely + 3 * buffers)));
}

struct range {
    const char *name;
    uint64_t value;
    uint64_t low;
    uint64_t high;
};

static enum sam_status check_fields(const struct lines *l, const struct sam_metadata *m)
{
    uint64_t word = ADDRESSES - 1;
    const struct range ranges[] = {
        {"start_addr", m->start, 0, word},
        {"kernel_size x", m->grid[0], 1, word},
        {"kernel_size y", m->grid[1], 1, word},
        {"kernel_size z", m->grid[2], 1, word},
        {"wg_size (warps per workgroup)", m->warps, 1, MAX_WARPS},
        {"metaDataBaseAddr", m->metadata_base, 0, word},
        {"ldsSize", m->lds_size, 0, LDS_END - LDS_BASE},
        {"pdsSize", m->pds_size, 0, word},
        {"sgprUsage", m->sgprs, 0, word},
        {"vgprUsage", m->vgprs, 0, word},
        {"pdsBaseAddr", m->pds_base, 0, word},
    };
    for (size_t i = 0; i < SAM_COUNT(ranges); i++)
        if (ranges[i].value < ranges[i].low || ranges[i].value > ranges[i].high)
            return sam_fail(l->error, SAM_ERR_INPUT, "%s: %s is 0x%llx, expected 0x%llx..0x%llx",
                            l->name, ranges[i].name, (unsigned long long)ranges[i].value,
                            (unsigned long long)ranges[i].low, (unsigned long long)ranges[i].high);
    if (m->lanes != 4 && m->lanes != 8 && m->lanes != 16 && m->lanes != 32)
        return sam_fail(l->error, SAM_ERR_INPUT,
                        "%s: wf_size (threads per warp) is %llu, expected 4, 8, 16 or 32", l->name,
                        (unsigned long long)m->lanes);
    if (m->grid[0] * m->grid[1] > word || m->grid[0] * m->grid[1] * m->grid[2] > word)
        return sam_fail(l->error, SAM_ERR_INPUT,
                        "%s: kernel_size %llu x %llu x %llu is more than 2^32-1 workgroups",
                        l->name, (unsigned long long)m->grid[0], (unsigned long long)m->grid[1],
                        (unsigned long long)m->grid[2]);
    return SAM_OK;
}

/* A buffer's base and index, for sorting. */
struct place {
    uint64_t base;
    uint64_t end;
    size_t index;
};

static int by_base(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static enum sam_status check_overlaps(const struct lines *l, const struct sam_metadata *m)
{
    size_t used = 0;
    struct place *places = sam_alloc(m->buffer_count, sizeof *places);
    if (!places)
        return sam_fail_memory(l->error);
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *b = &m->buffers[i];
        if (b->allocated)
            places[used++] = (struct place){b->base, b->base + b->allocated, i};
    }
    qsort(places, used, sizeof *places, by_base);
    enum sam_status status = SAM_OK;
    for (size_t i = 1; i < used && status == SAM_OK; i++) {
        const struct place *a = &places[i - 1], *b = &places[i];
        if (b->base < a->end)
            status = sam_fail(l->error, SAM_ERR_INPUT,
                              "%s: buffers %zu (0x%llx..0x%llx) and %zu (0x%llx..0x%llx) overlap",
                              l->name, a->index, (unsigned long long)a->base,
                              (unsigned long long)a->end - 1, b->index, (unsigned long long)b->base,
                              (unsigned long long)b->end - 1);
    }
    free(places);
    return status;
}

static enum sam_status check_buffers(const struct lines *l, const struct sam_metadata *m)
{
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct sam_metadata_buffer *b = &m->buffers[i];
        unsigned long long base = b->base, size = b->size, allocated = b->allocated;
        if (base >= ADDRESSES || allocated > ADDRESSES - base)
            return sam_fail(l->error, SAM_ERR_INPUT,
                            "%s: buffer %zu (0x%llx bytes at 0x%llx) ends above 4 GiB", l->name, i,
                            allocated, base);
        if (size > allocated)
            return sam_fail(l->error, SAM_ERR_INPUT,
                            "%s: buffer %zu at 0x%llx has 0x%llx bytes of data but an allocsize of "
                            "0x%llx",
                            l->name, i, base, size, allocated);
        if (base < LDS_END && base + allocated > LDS_BASE &&
            (base < LDS_BASE || base + allocated > LDS_END))
            return sam_fail(l->error, SAM_ERR_INPUT,
                            "%s: buffer %zu (0x%llx bytes at 0x%llx) reaches into or out of local "
                            "memory (0x70000000..0x7fffffff)",
                            l->name, i, allocated, base);
    }
    return check_overlaps(l, m);
}

static enum sam_status fill(const struct lines *l, const uint64_t *values, size_t count,
                            struct sam_metadata *m)
{
    size_t fixed;
    enum sam_status status = detect_form(l, values, count, &fixed);
    if (status != SAM_OK)
        return status;
    m->has_start = fixed == FIXED_NEW;
    m->start = m->has_start ? values[0] : START_OLDER;
    const uint64_t *v = values + (fixed - FIXED_OLD);
    m->kernel_id = v[0];
    memcpy(m->grid, v + 1, sizeof m->grid);
    m->lanes = v[4];
    m->warps = v[5];
    m->metadata_base = v[6];
    m->lds_size = v[7];
    m->pds_size = v[8];
    m->sgprs = v[9];
    m->vgprs = v[10];
    m->pds_base = v[11];
    m->buffer_count = (size_t)v[12];
    m->buffers = sam_alloc(m->buffer_count, sizeof *m->buffers);
    if (!m->buffers)
        return sam_fail_memory(l->error);
    for (size_t i = 0; i < m->buffer_count; i++)
        m->buffers[i] = (struct sam_metadata_buffer){
            .base = v[13 + i],
            .size = v[13 + m->buffer_count + i],
            .allocated = v[13 + 2 * m->buffer_count + i],
        };
    status = check_fields(l, m);
    return status == SAM_OK ? check_buffers(l, m) : status;
}

enum sam_status sam_metadata_parse(const char *text, size_t size, const char *name,
                                   struct sam_metadata *metadata, struct sam_error *error)
{
    if (metadata)
        *metadata = (struct sam_metadata){0};
    if (SAM_LACKS(error, metadata, name))
        return SAM_ERR_USAGE;
    if (!text && size)
        return sam_fail_null(error, "text");
    struct lines l = lines_of(text, size, name, error);
    uint64_t *values;
    size_t count;
    enum sam_status status = read_values(&l, &values, &count);
    if (status == SAM_OK)
        status = fill(&l, values, count, metadata);
    if (status != SAM_OK)
        sam_metadata_free(metadata);
    free(values);
    return status;
}

void sam_metadata_free(struct sam_metadata *metadata)
{
    if (!metadata)
        return;
    free(metadata->buffers);
    *metadata = (struct sam_metadata){0};
}

enum sam_status sam_data_parse(const char *text, size_t size, const char *name,
                               const struct sam_metadata *metadata, uint32_t **words, size_t *count,
                               struct sam_error *error)
{
    if (words)
        *words = NULL;
    if (SAM_LACKS(error, metadata, words, count, name))
        return SAM_ERR_USAGE;
    if (!text && size)
        return sam_fail_null(error, "text");
    struct lines l = lines_of(text, size, name, error);
    /* Allocate by the size of the text, not by what the metadata claims: 8 digits per word. */
    uint32_t *out = sam_alloc(size / 8, sizeof *out), extra;
    size_t total = 0;
    bool found = true;
    *count = 0;
    if (!out)
        return sam_fail_memory(error);
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < metadata->buffer_count && status == SAM_OK; i++) {
        uint64_t bytes = metadata->buffers[i].size, got = 0;
        uint64_t promised = bytes / 4 + (bytes % 4 != 0);
        while (got < promised && found && status == SAM_OK) {
            status = next_number(&l, &extra, &found);
            if (status == SAM_OK && found) {
                out[total++] = extra;
                got++;
            }
        }
        if (status == SAM_OK && got < promised)
            status = sam_fail(error, SAM_ERR_INPUT,
                              "%s: ends in buffer %zu at 0x%llx: %llu words announced, %llu found",
                              name, i, (unsigned long long)metadata->buffers[i].base,
                              (unsigned long long)promised, (unsigned long long)got);
    }
    if (status == SAM_OK)
        status = next_number(&l, &extra, &found);
    if (status == SAM_OK && found)
        status = sam_fail(error, SAM_ERR_INPUT,
                          "%s:%zu: more data than the buffers hold (%zu words expected)", name,
                          l.line, total);
    if (status != SAM_OK) {
        free(out);
        return status;
    }
    *words = out;
    *count = total;
    return SAM_OK;
}
