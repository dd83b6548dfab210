/* SPDX-License-Identifier: Apache-2.0 */
/* Files written by parts next to their output: NAME.part-I-of-N. */
#include <stdlib.h>

#include "weights.h"

size_t weights_part_stem(const char *name)
{
    unsigned index, count;
    int end = 0;
    size_t length = strlen(name), at = length;
    while (at > 0 && strncmp(name + at, ".part-", 6) != 0)
        at--;
    if (at == 0 || sscanf(name + at, ".part-%5u-of-%5u%n", &index, &count, &end) != 2 ||
        at + (size_t)end != length)
        return 0;
    return at;
}

bool weights_find_parts(const char *name, struct weights_list *list, struct sam_error *error)
{
    struct weights_list beside;
    const char *slash = strrchr(name, '/');
    char *folder = slash ? strndup(name, (size_t)(slash - name) + 1) : strdup("./");
    if (!folder)
        return cli_fail(error, SAM_ERR_MEMORY, name, "out of memory");
    const bool listed = weights_list(folder, &beside, error);
    free(folder);
    if (!listed)
        return false;
    const size_t skipped = slash ? 0 : 2; /* "./" */
    size_t kept = 0;
    for (size_t i = 0; i < beside.count; i++) {
        char *path = beside.paths[i] + skipped;
        if (weights_part_stem(path) == strlen(name) && strncmp(path, name, strlen(name)) == 0) {
            memmove(beside.paths[i], path, strlen(path) + 1);
            beside.paths[kept++] = beside.paths[i];
        } else {
            free(beside.paths[i]);
        }
    }
    beside.count = kept;
    *list = beside;
    if (kept)
        return true;
    weights_list_free(list);
    return cli_fail(error, SAM_ERR_INPUT, name, "no parts of it (NAME.part-I-of-N)");
}
