/* SPDX-License-Identifier: Apache-2.0 */
/* Translations kept on disk. An entry names the library that made it, as a file of a certain size
 * and time, so that those of another build are not used. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cache.h"
#include "base/cpu.h"
#include "machine/jit.h"
#include "samite/version.h"

/* Before the path of the library and the image. */
struct kept {
    uint64_t size, inode; /* of the library */
    int64_t seconds, nanoseconds;
    uint64_t path_size, entry;
};

static struct sam_cache_key key_of(const char *path, const struct sam_jit_loop *loop)
{
    struct sam_cache_key key = {0};
    const unsigned level = sam_cpu_level();
    sam_cache_add(&key, sam_version(), strlen(sam_version()));
    sam_cache_add(&key, path, strlen(path));
    sam_cache_add(&key, &level, sizeof level);
    sam_cache_add(&key, loop, sizeof *loop);
    return key;
}

static bool describe(const char *file, struct kept *kept)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return false;
    kept->size = (uint64_t)status.st_size;
    kept->inode = (uint64_t)status.st_ino;
    kept->seconds = (int64_t)status.st_mtim.tv_sec;
    kept->nanoseconds = (int64_t)status.st_mtim.tv_nsec;
    return true;
}

/* Whether the file with the given path, of the entry's making, is still there. */
static bool is_current(const struct kept *kept, const char *path)
{
    struct kept now = *kept;
    char *file = sam_alloc(1, (size_t)kept->path_size + 1);
    if (!file)
        return false;
    memcpy(file, path, (size_t)kept->path_size);
    const bool same = describe(file, &now) && now.size == kept->size && now.inode == kept->inode &&
                      now.seconds == kept->seconds && now.nanoseconds == kept->nanoseconds;
    free(file);
    return same;
}

bool sam_jit_get_kept(const char *path, const struct sam_jit_loop *loop,
                      struct sam_jit_image *image)
{
    const struct sam_cache_key key = key_of(path, loop);
    struct sam_buffer entry = {0};
    struct kept kept;
    *image = (struct sam_jit_image){0};
    if (sam_cache_get(SAM_JIT_KEPT, &key, &entry) && entry.size > sizeof kept) {
        memcpy(&kept, entry.data, sizeof kept);
        const char *rest = (const char *)entry.data + sizeof kept;
        const size_t size = entry.size - sizeof kept;
        if (kept.path_size < size && kept.entry < size - kept.path_size &&
            is_current(&kept, rest)) {
            image->size = size - (size_t)kept.path_size;
            image->entry = (size_t)kept.entry;
            image->bytes = sam_alloc(1, image->size);
        }
        if (image->bytes)
            memcpy(image->bytes, rest + kept.path_size, image->size);
    }
    sam_buffer_free(&entry);
    return image->bytes != NULL;
}

void sam_jit_keep(const char *path, const struct sam_jit_library *library,
                  const struct sam_jit_loop *loop, const struct sam_jit_image *image)
{
    Dl_info info;
    struct kept kept = {.entry = image->entry};
    struct sam_buffer entry = {0};
    if (!dladdr(library, &info) || !info.dli_fname || !describe(info.dli_fname, &kept))
        return;
    kept.path_size = strlen(info.dli_fname);
    const struct sam_cache_key key = key_of(path, loop);
    if (sam_buffer_append(&entry, &kept, sizeof kept) &&
        sam_buffer_append(&entry, info.dli_fname, (size_t)kept.path_size) &&
        sam_buffer_append(&entry, image->bytes, image->size))
        sam_cache_put(SAM_JIT_KEPT, &key, entry.data, entry.size);
    sam_buffer_free(&entry);
}
