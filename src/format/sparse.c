/* SPDX-License-Identifier: Apache-2.0 */
/* Files with holes. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/sparse.h"

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Skip a hole of a sparse file, up to `most` bytes. Returns its size, or 0 if there is none or the
 * host cannot tell. */
static size_t skip_hole(FILE *file, size_t most)
{
#ifdef SEEK_DATA
    struct stat status;
    const off_t at = ftello(file);
    if (at < 0 || fstat(fileno(file), &status) != 0 || status.st_size < at)
        return 0;
    const uint64_t left = (uint64_t)(status.st_size - at);
    const off_t end = at + (off_t)(most < left ? most : left);
    off_t data = lseek(fileno(file), at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        data = end; /* hole up to the end of the file */
    data = data > end ? end : data < at ? at : data;
    return fseeko(file, data, SEEK_SET) == 0 ? (size_t)(data - at) : 0;
#else
    (void)file, (void)most;
    return 0;
#endif
}

size_t sam_sparse_read(FILE *file, uint8_t *out, size_t size)
{
    uint8_t block[65536];
    size_t done = 0, got = 1;
    while (done < size && got) {
        got = fread(block, 1, size - done < sizeof block ? size - done : sizeof block, file);
        const bool zero = got && is_zero(block, got);
        if (got && !zero)
            memcpy(out + done, block, got);
        done += got;
        if (zero)
            done += skip_hole(file, size - done);
    }
    return done;
}
