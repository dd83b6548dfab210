/* SPDX-License-Identifier: Apache-2.0 */
/* A session's table of workgroups. */
#include <stdlib.h>

#include "simt/session.h"

#define BLOCK SAM_GPU_SESSION_BLOCK

static bool bit(const uint8_t *bits, uint32_t workgroup)
{
    return bits[workgroup % BLOCK / 8] >> workgroup % 8 & 1;
}

static void set_bit(uint8_t *bits, uint32_t workgroup, bool value)
{
    const uint8_t one = (uint8_t)(1u << workgroup % 8);
    uint8_t *byte = &bits[workgroup % BLOCK / 8];
    *byte = (uint8_t)(value ? *byte | one : *byte & ~one);
}

/* The table block of a workgroup. Returns NULL on out-of-memory. */
static struct sam_gpu_session_block *make_block(struct sam_gpu_session *s, uint32_t workgroup)
{
    struct sam_gpu_session_block **block = &s->blocks[workgroup / BLOCK];
    if (!*block)
        *block = sam_alloc(1, sizeof **block);
    return *block;
}

enum sam_session_state sam_gpu_session_state(const struct sam_gpu_session *s, uint32_t workgroup)
{
    const struct sam_gpu_session_block *block =
        workgroup < s->run.workgroups ? s->blocks[workgroup / BLOCK] : NULL;
    if (workgroup >= s->run.workgroups || (s->list && (!block || !bit(block->listed, workgroup))))
        return SAM_SESSION_ABSENT;
    if (block && bit(block->ended, workgroup))
        return SAM_SESSION_ENDED;
    return block && block->groups[workgroup % BLOCK] ? SAM_SESSION_LIVE : SAM_SESSION_NEW;
}

uint32_t sam_gpu_session_nth(const struct sam_session *base, uint64_t index)
{
    const struct sam_gpu_session *s = sam_gpu_session_of(base);
    return index >= s->count ? UINT32_MAX : s->list ? s->list[index] : (uint32_t)index;
}

static void free_group(struct sam_group *group)
{
    if (group)
        sam_group_release(group);
    free(group);
}

/* A new live group. Returns NULL on out-of-memory. */
static struct sam_group *take_group(struct sam_gpu_session *s)
{
    void *grown = sam_grow(s->live, s->live_count, &s->live_capacity, sizeof(struct sam_group *));
    if (!grown)
        return NULL;
    s->live = grown;
    struct sam_group *group = s->spare;
    s->spare = NULL;
    if (!group) {
        group = sam_alloc(1, sizeof *group);
        if (!group || !sam_group_fit(group, &s->run)) {
            free(group);
            return NULL;
        }
    }
    group->index = s->live_count;
    s->live[s->live_count++] = group;
    return group;
}

/* Remove a live group, whose workgroup is new again or has ended. */
void sam_gpu_session_drop_group(struct sam_gpu_session *s, struct sam_group *group)
{
    s->blocks[group->workgroup / BLOCK]->groups[group->workgroup % BLOCK] = NULL;
    s->live[group->index] = s->live[--s->live_count];
    s->live[group->index]->index = group->index;
    if (s->worker.group == group)
        sam_space_enter(&s->worker, NULL);
    sam_space_clear_lds(&s->worker, group);
    free_group(s->spare);
    s->spare = group;
}

struct sam_group *sam_gpu_session_revive(struct sam_gpu_session *s, uint32_t workgroup)
{
    struct sam_gpu_session_block *block = make_block(s, workgroup);
    struct sam_group *group = block ? take_group(s) : NULL;
    if (!group)
        return NULL;
    group->workgroup = workgroup;
    sam_group_start(&s->worker, group);
    block->groups[workgroup % BLOCK] = group;
    return group;
}

void sam_gpu_session_revert(struct sam_gpu_session *s, uint32_t workgroup)
{
    set_bit(s->blocks[workgroup / BLOCK]->ended, workgroup, false);
}

/* Free the part of a workgroup: save the private memory of the live workgroup that uses it. Returns
 * false on out-of-memory. */
static bool clear_part(struct sam_gpu_session *s, uint32_t workgroup)
{
    for (size_t i = 0; s->run.pds_parts && i < s->live_count; i++) {
        struct sam_group *group = s->live[i];
        if (group->workgroup % s->run.pds_parts == workgroup % s->run.pds_parts && !group->away &&
            sam_gpu_session_state(s, group->workgroup) != SAM_SESSION_ENDED)
            return sam_private_park(&s->worker, group);
    }
    return true;
}

bool sam_gpu_session_enter(struct sam_gpu_session *s, struct sam_group *group)
{
    if (group->away && (!clear_part(s, group->workgroup) || !sam_private_return(&s->worker, group)))
        return false;
    sam_space_enter(&s->worker, group);
    return true;
}

/* The group of a workgroup, started if necessary. */
enum sam_status sam_gpu_session_group(struct sam_gpu_session *s, uint32_t workgroup,
                                      struct sam_group **group, struct sam_error *error)
{
    const enum sam_session_state now = sam_gpu_session_state(s, workgroup);
    if (now == SAM_SESSION_ABSENT)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: not in this session", workgroup);
    struct sam_gpu_session_block *block = make_block(s, workgroup);
    *group = block ? block->groups[workgroup % BLOCK] : NULL;
    if (*group)
        return SAM_OK;
    if (now == SAM_SESSION_ENDED)
        return sam_fail(error, SAM_ERR_USAGE, "workgroup %u has ended", workgroup);
    if (!block || !clear_part(s, workgroup) || !sam_private_enter(&s->worker, workgroup) ||
        !(*group = sam_gpu_session_revive(s, workgroup)))
        return sam_fail_memory(error);
    (*group)->has_turn = true; /* a session prints in its own order */
    s->run.next++;
    return SAM_OK;
}

/* Handle the end of a group's last warp. */
void sam_gpu_session_end(struct sam_gpu_session *s, struct sam_group *group)
{
    struct sam_gpu_session_block *block = s->blocks[group->workgroup / BLOCK];
    if (bit(block->ended, group->workgroup))
        return;
    set_bit(block->ended, group->workgroup, true);
    if (s->base.history) {
        void *grown = sam_grow(s->ended, s->ended_count, &s->ended_capacity, sizeof *s->ended);
        s->lost |= !grown;
        s->ended = grown ? grown : s->ended;
        if (grown)
            s->ended[s->ended_count++] = group->workgroup;
    }
    sam_run_tell(&s->worker, 1);
    if (!s->keep)
        sam_gpu_session_drop_group(s, group);
}

struct sam_group *sam_gpu_session_found(struct sam_gpu_session *s, const struct sam_warp *w)
{
    return s->blocks[w->wgid / BLOCK]->groups[w->wgid % BLOCK];
}

/* Select the session's workgroups. */
enum sam_status sam_gpu_session_take_list(struct sam_gpu_session *s,
                                          const struct sam_session_options *options,
                                          struct sam_error *error)
{
    s->count = s->run.workgroups;
    if (!options->workgroups)
        return SAM_OK;
    s->count = options->workgroup_count;
    s->list = sam_alloc(s->count ? s->count : 1, sizeof *s->list);
    if (!s->list)
        return sam_fail_memory(error);
    for (uint64_t i = 0; i < s->count; i++) {
        const uint32_t workgroup = s->list[i] = options->workgroups[i];
        if (workgroup >= s->run.workgroups)
            return sam_fail(error, SAM_ERR_USAGE, "workgroup %u: the launch has %llu", workgroup,
                            (unsigned long long)s->run.workgroups);
        struct sam_gpu_session_block *block = make_block(s, workgroup);
        if (!block)
            return sam_fail_memory(error);
        if (bit(block->listed, workgroup))
            return sam_fail(error, SAM_ERR_USAGE, "workgroup %u is listed twice", workgroup);
        set_bit(block->listed, workgroup, true);
    }
    s->run.progress.workgroups = s->count;
    return SAM_OK;
}

void sam_gpu_session_release_table(struct sam_gpu_session *s)
{
    for (size_t i = 0; i < s->live_count; i++)
        free_group(s->live[i]);
    free_group(s->spare);
    for (size_t i = 0; s->blocks && i < s->block_count; i++)
        free(s->blocks[i]);
    sam_pages_free(s->blocks, s->block_count * sizeof(struct sam_gpu_session_block *));
    free(s->live);
    free(s->list);
    free(s->ended);
}
