/* SPDX-License-Identifier: Apache-2.0 */
/* The ISA string of an ELF file: Tag_RISCV_arch of its attributes (RISC-V ELF psABI, 9.2). A vendor
 * section has subsections; the one for the whole file counts. */
#include <stdlib.h>

#include "format/format.h"

enum { TAG_FILE = 1, TAG_ARCH = 5, LONGEST = 512 };

struct bytes {
    const uint8_t *at, *end;
};

static size_t left(const struct bytes *b)
{
    return (size_t)(b->end - b->at);
}

static bool take_uleb(struct bytes *b, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; left(b) && shift < 63; shift += 7) {
        const uint8_t byte = *b->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Take a NUL-terminated string; returns NULL if there is none. */
static const char *take_text(struct bytes *b)
{
    const char *text = (const char *)b->at;
    const uint8_t *nul = memchr(b->at, 0, left(b));
    if (nul)
        b->at = nul + 1;
    return nul ? text : NULL;
}

/* Take a part with a length field. The length includes the `before` bytes in front of it. */
static bool take_part(struct bytes *b, size_t before, struct bytes *part)
{
    if (left(b) < 4)
        return false;
    const uint64_t size = sam_le32(b->at);
    if (size < before + 4 || size - before > left(b))
        return false;
    *part = (struct bytes){b->at + 4, b->at + (size - before)};
    b->at = part->end;
    return true;
}

/* Even tags have a number, odd tags a string. */
static const char *find_arch(struct bytes file)
{
    uint64_t tag, number;
    while (take_uleb(&file, &tag)) {
        const char *text = NULL;
        if (tag & 1 ? !(text = take_text(&file)) : !take_uleb(&file, &number))
            break;
        if (tag == TAG_ARCH)
            return strlen(text) <= LONGEST ? text : NULL;
    }
    return NULL;
}

const char *sam_elf_arch(const uint8_t *data, size_t size)
{
    struct bytes all = {data, data + size}, vendor, part;
    if (size == 0 || *all.at++ != 'A')
        return NULL;
    while (take_part(&all, 0, &vendor)) {
        const char *name = take_text(&vendor);
        if (!name || strcmp(name, "riscv") != 0)
            continue;
        uint64_t tag;
        for (;;) {
            const uint8_t *start = vendor.at;
            if (!take_uleb(&vendor, &tag) ||
                !take_part(&vendor, (size_t)(vendor.at - start), &part))
                break;
            const char *arch = tag == TAG_FILE ? find_arch(part) : NULL;
            if (arch)
                return arch;
        }
    }
    return NULL;
}
