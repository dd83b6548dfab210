/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cache.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 64, ENTRY_LIMIT = 1 << 28 };

void sam_cache_add(struct sam_cache_key *key, const void *data, size_t size)
{
    const uint64_t both[3] = {key->high, key->low, size};
    const XXH128_hash_t head = XXH3_128bits(both, sizeof both);
    const XXH128_hash_t rest = XXH3_128bits_withSeed(data, size, head.low64);
    key->high = head.high64 ^ rest.high64;
    key->low = head.low64 + rest.low64;
}

/* The folder of a kind. Returns its length; 0: no home. */
static size_t folder_of(const char *kind, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return 0;
    const int length = snprintf(path, PATH_SIZE, "%s%s/samite/%s", given ? cache : home,
                                given ? "" : "/.cache", kind);
    return length < 0 || length + NAME_SIZE > PATH_SIZE ? 0 : (size_t)length;
}

static void make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* Whether `path` is the user's, of this type, and no one else's to write. */
static bool is_own(const char *path, mode_t type, mode_t others)
{
    struct stat status;
    return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type &&
           status.st_uid == geteuid() && !(status.st_mode & others);
}

static bool is_own_folder(const char *path)
{
    return is_own(path, S_IFDIR, S_IWGRP | S_IWOTH);
}

bool sam_cache_exists(const char *kind)
{
    char path[PATH_SIZE];
    return folder_of(kind, path) && is_own_folder(path);
}

static void add_name(char *path, size_t length, const struct sam_cache_key *key)
{
    snprintf(path + length, NAME_SIZE, "/%016llx%016llx", (unsigned long long)key->high,
             (unsigned long long)key->low);
}

bool sam_cache_get(const char *kind, const struct sam_cache_key *key, struct sam_buffer *out)
{
    char path[PATH_SIZE];
    struct sam_buffer file = {0};
    struct sam_error error;
    uint64_t sum = 0;
    const size_t length = folder_of(kind, path);
    if (!length || !is_own_folder(path))
        return false;
    add_name(path, length, key);
    bool good = is_own(path, S_IFREG, S_IWOTH) &&
                sam_file_read(path, ENTRY_LIMIT, &file, &error) == SAM_OK && file.size > sizeof sum;
    if (good) {
        memcpy(&sum, file.data, sizeof sum);
        good = sum == XXH3_64bits(file.data + sizeof sum, file.size - sizeof sum) &&
               sam_buffer_append(out, file.data + sizeof sum, file.size - sizeof sum);
    }
    sam_buffer_free(&file);
    return good;
}

/* The bytes of all entries; the path of the oldest. */
static uint64_t measure(const char *folder, char *oldest)
{
    DIR *entries = opendir(folder);
    uint64_t sum = 0;
    struct timespec first = {0};
    *oldest = '\0';
    for (const struct dirent *e; entries && (e = readdir(entries));) {
        char path[PATH_SIZE];
        struct stat status;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (length < 0 || (size_t)length >= sizeof path || lstat(path, &status) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        const struct timespec *at = &status.st_mtim;
        sum += (uint64_t)status.st_size;
        if (!*oldest || at->tv_sec < first.tv_sec ||
            (at->tv_sec == first.tv_sec && at->tv_nsec < first.tv_nsec)) {
            first = *at;
            memcpy(oldest, path, (size_t)length + 1);
        }
    }
    if (entries)
        closedir(entries);
    return sum;
}

void sam_cache_put(const char *kind, const struct sam_cache_key *key, const void *data, size_t size)
{
    char path[PATH_SIZE], oldest[PATH_SIZE];
    struct sam_buffer file = {0};
    struct sam_error error;
    const uint64_t sum = XXH3_64bits(data, size);
    const size_t length = folder_of(kind, path);
    if (!length)
        return;
    make_folders(path);
    if (!is_own_folder(path))
        return;
    while (measure(path, oldest) + size > SAM_CACHE_LIMIT && *oldest && unlink(oldest) == 0) {
    }
    add_name(path, length, key);
    if (size < SAM_CACHE_LIMIT && sam_buffer_append(&file, &sum, sizeof sum) &&
        sam_buffer_append(&file, data, size))
        (void)sam_file_write(path, file.data, file.size, &error);
    sam_buffer_free(&file);
}
