/* SPDX-License-Identifier: Apache-2.0 */
/* The format of a file given where text was expected: by its first bytes, for messages. */
#include <string.h>

#include "cli.h"
#include "files.h"
#include "samite/cc.h"

static const struct kind {
    const char *magic; /* the first bytes */
    size_t size;
    const char *name;
    const char *use; /* where the command takes such a file; NULL: see `expected` */
} kinds[] = {
#define KIND(magic, name, use)                                                                     \
    {                                                                                              \
        magic, sizeof magic - 1, name, use                                                         \
    }
    KIND("\177ELF", "an ELF file", NULL),
    KIND("\x93NUMPY", "a NumPy array", "an argument: --arg in:FILE.npy"),
    KIND("\x89SMW\r\n\x1a\n", "packed weights", "an argument: --arg packed:FILE.smw:TENSOR"),
    KIND("GGUF", "a GGUF model", "samite pack, info and stat read it"),
    KIND("PK\3\4", "a zip archive", "samite pack and info read those of PyTorch"),
    KIND("!<arch>\n", "an archive of object files", "link it into an executable"),
    KIND("BC\xc0\xde", "LLVM bitcode", "compile it to an executable"),
#undef KIND
};

enum sam_status cli_expect_text(const char *name, const char *data, size_t size,
                                const char *expected, struct sam_error *error)
{
    static const struct kind source = {.name = "OpenCL C", .use = "samite cc compiles it"};
    for (size_t i = 0; i <= sizeof kinds / sizeof kinds[0]; i++) {
        const bool last = i == sizeof kinds / sizeof kinds[0];
        const struct kind *kind = last ? &source : &kinds[i];
        if (last ? !sam_cc_is_source(name)
                 : size < kind->size || memcmp(data, kind->magic, kind->size) != 0)
            continue;
        error->status = SAM_ERR_INPUT;
        snprintf(error->text, sizeof error->text, "%.400s: %s%s%s%s: expected %s", name, kind->name,
                 kind->use ? " (" : "", kind->use ? kind->use : "", kind->use ? ")" : "", expected);
        return SAM_ERR_INPUT;
    }
    return SAM_OK;
}
