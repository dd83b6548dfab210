/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of files named by what they were made from. An entry begins with the hash of the rest, so
 * that a damaged one is none; it appears by a rename. Nothing depends on the cache being there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cc/cc.h"

void sam_cc_hash_add(struct cc_hash *hash, const void *data, size_t size)
{
    const uint64_t both[3] = {hash->high, hash->low, size};
    const XXH128_hash_t head = XXH3_128bits(both, sizeof both);
    const XXH128_hash_t rest = XXH3_128bits_withSeed(data, size, head.low64);
    hash->high = head.high64 ^ rest.high64;
    hash->low = head.low64 + rest.low64;
}

/* The path of an entry, its folder created; false: no home. */
static bool path_of(const struct cc_hash *hash, char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return false;
    const int length =
        snprintf(path, size, "%s%s/samite/cc", given ? cache : home, given ? "" : "/.cache");
    if (length < 0 || (size_t)length + 64 > size)
        return false;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0777);
    snprintf(path + length, size - (size_t)length, "/%016llx%016llx",
             (unsigned long long)hash->high, (unsigned long long)hash->low);
    return true;
}

bool sam_cc_cache_get(const struct cc_hash *hash, struct sam_buffer *out)
{
    char path[4096];
    struct sam_buffer file = {0};
    struct sam_error error;
    struct stat status;
    uint64_t sum = 0;
    bool good = path_of(hash, path, sizeof path) && stat(path, &status) == 0 &&
                sam_file_read(path, 1 << 28, &file, &error) == SAM_OK && file.size > sizeof sum;
    if (good) {
        memcpy(&sum, file.data, sizeof sum);
        good = sum == XXH3_64bits(file.data + sizeof sum, file.size - sizeof sum) &&
               sam_buffer_append(out, file.data + sizeof sum, file.size - sizeof sum);
    }
    sam_buffer_free(&file);
    return good;
}

void sam_cc_cache_put(const struct cc_hash *hash, const void *data, size_t size)
{
    char path[4096];
    struct sam_buffer file = {0};
    struct sam_error error;
    const uint64_t sum = XXH3_64bits(data, size);
    if (path_of(hash, path, sizeof path) && sam_buffer_append(&file, &sum, sizeof sum) &&
        sam_buffer_append(&file, data, size))
        (void)sam_file_write(path, file.data, file.size, &error);
    sam_buffer_free(&file);
}
