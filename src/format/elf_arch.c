/* SPDX-License-Identifier: Apache-2.0 */
/* The ISA string of an ELF file: Tag_RISCV_arch of its attributes (RISC-V ELF psABI, 9.2). A vendor
 * section has subsections; the one for the whole file counts. */
#include <stdlib.h>

#include "format/bytes.h"
#include "format/format.h"

enum { TAG_FILE = 1, TAG_ARCH = 5, LONGEST = 512 };

/* Take a NUL-terminated string; returns NULL if there is none. */
static const char *take_text(struct sam_bytes *b)
{
    const char *text = (const char *)b->at;
    const uint8_t *nul = memchr(b->at, 0, sam_bytes_left(b));
    if (nul)
        b->at = nul + 1;
    return nul ? text : NULL;
}

/* Take a part with a length field. The length includes the `before` bytes in front of it. */
static bool take_part(struct sam_bytes *b, size_t before, struct sam_bytes *part)
{
    if (sam_bytes_left(b) < 4)
        return false;
    const uint64_t size = sam_le32(b->at);
    if (size < before + 4 || size - before > sam_bytes_left(b))
        return false;
    *part = (struct sam_bytes){b->at + 4, b->at + (size - before), false};
    b->at = part->end;
    return true;
}

/* Even tags have a number, odd tags a string. */
static const char *find_arch(struct sam_bytes file)
{
    for (;;) {
        const uint64_t tag = sam_bytes_uleb(&file);
        const char *text = tag & 1 ? take_text(&file) : NULL;
        if (!(tag & 1))
            sam_bytes_uleb(&file);
        if (file.damaged || (tag & 1 && !text))
            return NULL;
        if (tag == TAG_ARCH)
            return strlen(text) <= LONGEST ? text : NULL;
    }
}

const char *sam_elf_arch(const uint8_t *data, size_t size)
{
    struct sam_bytes all = {data, data + size, false}, vendor, part;
    if (size == 0 || *all.at++ != 'A')
        return NULL;
    while (take_part(&all, 0, &vendor)) {
        const char *name = take_text(&vendor);
        if (!name || strcmp(name, "riscv") != 0)
            continue;
        for (;;) {
            const uint8_t *start = vendor.at;
            const uint64_t tag = sam_bytes_uleb(&vendor);
            if (vendor.damaged || !take_part(&vendor, (size_t)(vendor.at - start), &part))
                break;
            const char *arch = tag == TAG_FILE ? find_arch(part) : NULL;
            if (arch)
                return arch;
        }
    }
    return NULL;
}
