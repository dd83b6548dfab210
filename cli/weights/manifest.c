/* SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include <stdlib.h>

enum { MAX_TEXT = 1 << 28, MAX_SHARD = INT32_MAX };

/* Load the files of a group, concatenated; their size must match that of its tensors. */
static bool load_group(const char *path, const struct sam_tfjs_group *group, uint8_t **bytes,
                       struct sam_error *error)
{
    const int folder = (int)(cli_base_name(path) - path);
    uint64_t used = 0;
    *bytes = NULL;
    for (size_t i = 0; i < group->path_count; i++) {
        size_t size;
        char *place = cli_text("%.*s%s", folder, path, group->paths[i]), *shard = NULL;
        if (!place)
            return cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
        bool loaded = sam_file_load(place, MAX_SHARD, &shard, &size, error) == SAM_OK;
        free(place);
        if (!loaded)
            return false;
        uint8_t *grown = realloc(*bytes, (size_t)used + size + 1);
        if (grown) {
            memcpy(grown + used, shard, size);
            *bytes = grown;
            used += size;
        }
        free(shard);
        if (!grown)
            return cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
    }
    if (used == group->size)
        return true;
    return cli_fail(
        error, SAM_ERR_INPUT, path, "a group (%.200s%s) has %llu bytes: its weights need %llu",
        group->path_count ? group->paths[0] : "none", group->path_count > 1 ? ", ..." : "",
        (unsigned long long)used, (unsigned long long)group->size);
}

/* Copy the tensors of group `g` to their places. */
static bool take_group(const char *path, struct weights_manifest *m, size_t g,
                       struct sam_error *error)
{
    uint8_t *bytes;
    bool good = load_group(path, &m->tfjs.groups[g], &bytes, error);
    for (size_t i = 0; good && i < m->tfjs.count; i++)
        if (m->tfjs.stored[i].group == g)
            sam_tfjs_take(&m->tfjs, i, bytes, m->data + (m->at[i] - m->data));
    free(bytes);
    return good;
}

bool weights_manifest_load(const char *path, struct weights_manifest *m, struct sam_error *error)
{
    char *text;
    size_t size;
    *m = (struct weights_manifest){0};
    if (sam_file_load(path, MAX_TEXT, &text, &size, error) != SAM_OK)
        return false;
    bool good = sam_tfjs_parse(text, size, path, &m->tfjs, error) == SAM_OK;
    free(text);
    if (!good)
        return false;
    uint64_t all = 0;
    for (size_t i = 0; i < m->tfjs.count; i++)
        if (__builtin_add_overflow(all, m->tfjs.tensors[i].size, &all) || all > SIZE_MAX / 2)
            return cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
    m->data = malloc((size_t)all + 1); /* pages are touched only as data arrives */
    m->at = calloc(m->tfjs.count + 1, sizeof *m->at);
    if (!m->data || !m->at)
        return cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
    all = 0;
    for (size_t i = 0; i < m->tfjs.count; all += m->tfjs.tensors[i++].size)
        m->at[i] = m->data + all;
    for (size_t g = 0; good && g < m->tfjs.group_count; g++)
        good = take_group(path, m, g, error);
    return good;
}

void weights_manifest_free(struct weights_manifest *m)
{
    sam_tfjs_free(&m->tfjs);
    free(m->data);
    free(m->at);
    *m = (struct weights_manifest){0};
}
