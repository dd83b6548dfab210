/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of all parts, by prefix and name. */
#include "system/unit.h"

#include <stdlib.h>

#include "energy/energy.h"
#include "hart/core.h"

static const struct sam_key own_keys[] = {
    {{"launch_cycles", "100", "0..1000000", 0, 1000000,
      "cycles from the turn of a launch to its first warp"},
     offsetof(struct sam_system_config, launch_cycles),
     1,
     SAM_KEY_NUMBER},
    {{"queue", "16", "1..1024", 1, 1024, "records that wait in a queue before a store does"},
     offsetof(struct sam_system_config, queue),
     1,
     SAM_KEY_NUMBER},
};

enum { TL, MX, QUEUES, MEM = QUEUES + SAM_SYSTEM_QUEUES, ENERGY, OWN, PARTS };
enum { GPU = QUEUES + SAM_SYSTEM_GPU_QUEUE };

static const char *prefix_of(unsigned part)
{
    static const char *const prefixes[PARTS] = {
        [TL] = "tl.", [MX] = "mx.", [MEM] = "mem.", [ENERGY] = "energy.", [OWN] = ""};
    return prefixes[part] ? prefixes[part] : sam_system_units[part - QUEUES].unit->prefix;
}

static struct sam_keys keys_of(struct sam_system_config *config, unsigned part)
{
    switch (part) {
    case TL: return sam_engines_keys(&config->tl);
    case MX: return sam_mxu_keys(&config->mx);
    case MEM: return sam_memtime_keys(&config->mem);
    case ENERGY: return sam_energy_keys(&config->energy, true);
    case OWN: return (struct sam_keys){own_keys, SAM_COUNT(own_keys), config};
    default: return sam_system_units[part - QUEUES].unit->keys(config);
    }
}

void sam_system_config_defaults(struct sam_system_config *config)
{
    *config = (struct sam_system_config){0};
    for (unsigned part = 0; part < PARTS; part++) {
        const struct sam_keys keys = keys_of(config, part);
        sam_keys_defaults(&keys);
    }
    sam_gputime_config_init(&config->gpu);
    config->mx.mlen = 0;
}

enum sam_status sam_system_config_new(struct sam_system_config **config, struct sam_error *error)
{
    if (!config)
        return sam_fail_null(error, "config");
    *config = sam_alloc(1, sizeof **config);
    if (!*config)
        return sam_fail_memory(error);
    sam_system_config_defaults(*config);
    return SAM_OK;
}

void sam_system_config_free(struct sam_system_config *config)
{
    free(config);
}

/* A line of the GPU is at most two of the L2. */
enum { GPU_LINE = 2 * SAM_MEMTIME_LINE };

/* The system's own parameters in place of one of a part that works alone, for its L2, its memory or
 * its host. NULL: the parameter counts. */
static const char *replacement(unsigned part, const char *name, size_t size)
{
    static const struct {
        unsigned part;
        const char *name, *by; /* name: "l2_*" for all that begin so */
    } rows[] = {
        {MX, "mem_latency", "mem."},
        {MX, "merge_cycles", "mem."},
        {MX, "l2_kib", "mem."},
        {MX, "miss_latency", "mem."},
        {GPU, "l2_*", "mem."},
        {GPU, "mem_*", "mem."},
        {GPU, "request_latency", "launch_cycles"},
        {GPU, "reply_latency", "launch_cycles"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const size_t begins = strcspn(rows[i].name, "*");
        if (part == rows[i].part && size >= begins && memcmp(name, rows[i].name, begins) == 0 &&
            (size == begins || rows[i].name[begins]))
            return rows[i].by;
    }
    return NULL;
}

const struct sam_parameter *sam_system_parameter(size_t index, const char **prefix)
{
    struct sam_system_config none;
    for (unsigned part = 0; part < PARTS; part++) {
        const struct sam_keys keys = keys_of(&none, part);
        *prefix = prefix_of(part);
        for (size_t i = 0; i < keys.count; i++) {
            const struct sam_parameter *p = &keys.rows[i].parameter;
            if (!replacement(part, p->name, strlen(p->name)) && index-- == 0)
                return p;
        }
    }
    return NULL;
}

/* The part with the prefix of the word; PARTS if the prefix is unknown. */
static unsigned part_of(const char *word)
{
    const char *point = memchr(word, '.', strcspn(word, "=,"));
    if (point && memchr(point + 1, '.', strcspn(point + 1, "=,"))) /* gpu.energy.NAME */
        return PARTS;
    for (unsigned part = 0; point && part < OWN; part++)
        if (strlen(prefix_of(part)) == (size_t)(point - word) + 1 &&
            memcmp(prefix_of(part), word, (size_t)(point - word)) == 0)
            return part;
    return point ? PARTS : OWN;
}

/* The last part with a parameter of this name, given without a prefix; PARTS if there is none. */
static unsigned owner_of(struct sam_system_config *config, const char *word)
{
    const size_t size = strcspn(word, "=,");
    for (unsigned part = PARTS; part-- > 0;) {
        const struct sam_keys keys = keys_of(config, part);
        for (size_t i = 0; i < keys.count; i++)
            if (strlen(keys.rows[i].parameter.name) == size &&
                memcmp(keys.rows[i].parameter.name, word, size) == 0 &&
                !replacement(part, word, size))
                return part;
    }
    return PARTS;
}

static enum sam_status set_part(struct sam_system_config *config, unsigned part, const char *text,
                                struct sam_error *error)
{
    struct sam_error inside;
    const struct sam_keys keys = keys_of(config, part);
    const enum sam_status status = part == GPU ? sam_gputime_config_set(&config->gpu, text, &inside)
                                               : sam_keys_set(&keys, 1, text, &inside);
    if (status == SAM_OK)
        return SAM_OK;
    /* "mem.dram_bytes=0: expected ...", or "mem: unknown parameter ..." */
    bool names = false;
    for (const char *at = text; *at && !names; at += strcspn(at, ","), at += *at == ',')
        names = strncmp(inside.text, at, strcspn(at, "=,")) == 0;
    return names || part == OWN
               ? sam_fail(error, status, "%s%s", prefix_of(part), inside.text)
               : sam_fail(error, status, "%.*s: %s", (int)strlen(prefix_of(part)) - 1,
                          prefix_of(part), inside.text);
}

static enum sam_status fail_prefix(const char *text, size_t size, struct sam_error *error)
{
    char known[128] = "";
    for (unsigned part = 0, used = 0; part < OWN; part++)
        used += (unsigned)sam_format(known + used, sizeof known - used, "%s%s",
                                     part == 0        ? ""
                                     : part + 1 < OWN ? ", "
                                                      : " or ",
                                     prefix_of(part));
    return sam_fail(error, SAM_ERR_USAGE, "%.*s: expected a name that begins with %s",
                    (int)(size < 80 ? size : 80), text, known);
}

enum sam_status sam_system_config_set(struct sam_system_config *config, const char *text,
                                      struct sam_error *error)
{
    if (SAM_LACKS(error, config, text))
        return SAM_ERR_USAGE;
    struct sam_system_config copy = *config;
    struct sam_buffer words[PARTS] = {{0}};
    enum sam_status status = SAM_OK;
    bool good = true;
    while (status == SAM_OK && *text) {
        const size_t size = strcspn(text, ",");
        const unsigned part = part_of(text);
        if (part == PARTS) {
            status = fail_prefix(text, size, error);
            break;
        }
        const unsigned owner = part == OWN ? owner_of(&copy, text) : part;
        if (owner != part && owner != PARTS) {
            status = sam_fail(error, SAM_ERR_USAGE, "%.*s: expected %s%.*s",
                              (int)(size < 80 ? size : 80), text, prefix_of(owner),
                              (int)(size < 80 ? size : 80), text);
            break;
        }
        const size_t skip = strlen(prefix_of(part));
        const char *by = replacement(part, text + skip, strcspn(text + skip, "=,"));
        if (by) {
            status =
                sam_fail(error, SAM_ERR_USAGE, "%.*s: has no effect in a system: expected %s%s",
                         (int)(size < 80 ? size : 80), text,
                         by[strlen(by) - 1] == '.' ? "a parameter that begins with " : "", by);
            break;
        }
        good &= sam_buffer_printf(&words[part], "%s%.*s", words[part].size ? "," : "",
                                  (int)(size - skip), text + skip);
        text += size + (text[size] == ',');
    }
    for (unsigned part = 0; part < PARTS; part++) {
        if (status == SAM_OK && !good)
            status = sam_fail_memory(error);
        if (status == SAM_OK && words[part].size)
            status = set_part(&copy, part, sam_buffer_text(&words[part]), error);
        sam_buffer_free(&words[part]);
    }
    if (status == SAM_OK)
        *config = copy;
    return status;
}

static uint64_t value_of(const struct sam_key *key, const void *config)
{
    const char *at = (const char *)config + key->at;
    switch (key->kind) {
    case SAM_KEY_SWITCH: return *(const bool *)(const void *)at;
    case SAM_KEY_WIDE: return *(const uint64_t *)(const void *)at;
    default: return *(const uint32_t *)(const void *)at;
    }
}

bool sam_system_config_get(const struct sam_system_config *config, const char *name,
                           uint64_t *value)
{
    if (!config || !name || !value)
        return false;
    struct sam_system_config copy = *config; /* keys_of wants one that is not const */
    for (unsigned part = 0; part < PARTS; part++) {
        const struct sam_keys keys = keys_of(&copy, part);
        const size_t size = strlen(prefix_of(part));
        for (size_t i = 0; strncmp(name, prefix_of(part), size) == 0 && i < keys.count; i++)
            if (strcmp(keys.rows[i].parameter.name, name + size) == 0) {
                *value = value_of(&keys.rows[i], keys.config);
                return true;
            }
    }
    return false;
}

/* The status of a part's own check, whose message gets the part's name. */
static enum sam_status checked(enum sam_status status, unsigned part,
                               const struct sam_error *inside, struct sam_error *error)
{
    return status == SAM_OK ? SAM_OK
                            : sam_fail(error, status, "%.*s: %s", (int)strlen(prefix_of(part)) - 1,
                                       prefix_of(part), inside->text);
}

enum sam_status sam_system_config_check(struct sam_system_config *config, unsigned mlen,
                                        struct sam_error *error)
{
    if (mlen && config->mx.mlen && config->mx.mlen != mlen)
        return sam_fail(error, SAM_ERR_USAGE, "mx.mlen=%u: the hart's MLEN is %u", config->mx.mlen,
                        mlen);
    if (mlen)
        config->mx.mlen = mlen;
    else if (!config->mx.mlen)
        config->mx.mlen = 512;
    struct sam_error in;
    enum sam_status status = checked(sam_engines_check(&config->tl, &in), TL, &in, error);
    if (status == SAM_OK)
        status = checked(sam_mxu_config_check(&config->mx, &in), MX, &in, error);
    const struct sam_gputime_config *gpu = &config->gpu;
    const bool long_line = gpu->line_bytes > GPU_LINE;
    if (status == SAM_OK && (long_line || gpu->icache_line_bytes > GPU_LINE))
        status = sam_fail(error, SAM_ERR_USAGE, "gpu.%sline_bytes=%u: expected at most %d",
                          long_line ? "" : "icache_",
                          long_line ? gpu->line_bytes : gpu->icache_line_bytes, GPU_LINE);
    config->gpu.l2_line_bytes = GPU_LINE; /* for the check: the L2 is not the GPU's */
    if (status == SAM_OK)
        status = checked(sam_gputime_config_check(gpu, &in), GPU, &in, error);
    return status == SAM_OK ? checked(sam_memtime_levels_check(&config->mem, &in), MEM, &in, error)
                            : status;
}
