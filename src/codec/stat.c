/* SPDX-License-Identifier: Apache-2.0 */
/* Estimate of the packed size, with the packer's own counting. */
#include <math.h>

#include "codec/chunk.h"

enum { WINDOW = 1 << 16 }; /* elements per entropy estimate */

/* Call `add` with the symbols of each plane of every window. */
struct walk {
    void (*add)(struct walk *walk, unsigned plane, const uint8_t *symbols, size_t count);
    const struct sam_codec_ops *ops;
    const struct sam_layout *layout;
    /* of the statistics */
    double bits; /* of the coded planes */
    double rest; /* of the other planes */
    /* of the counter */
    unsigned wanted;
    uint64_t *counts;
};

static enum sam_status walk_planes(struct walk *walk, enum sam_layout_id id, const uint8_t *data,
                                   uint64_t size, const struct sam_codec_options *options,
                                   struct sam_error *error)
{
    const struct sam_layout *l = walk->layout;
    uint8_t *planes[SAM_MAX_PLANES];
    uint8_t *memory = sam_codec_alloc(options->allocator, (size_t)WINDOW * 2 * SAM_MAX_ELEMENT);
    if (!memory)
        return sam_fail_memory(error);
    for (uint64_t left = size / l->element; left;) {
        size_t count = left < WINDOW ? (size_t)left : WINDOW;
        uint8_t *at = memory;
        for (size_t p = 0; p < l->plane_count; p++) {
            planes[p] = at;
            at += sam_plane_size(&l->plane[p], count);
        }
        walk->ops->split(id, data, count, planes);
        for (unsigned p = 0; p < l->plane_count; p++)
            walk->add(walk, p, planes[p], sam_plane_size(&l->plane[p], count));
        data += count * l->element;
        left -= count;
    }
    sam_codec_free(options->allocator, memory);
    return SAM_OK;
}

static void add_entropy(struct walk *walk, unsigned plane, const uint8_t *symbols, size_t count)
{
    uint32_t counts[256] = {0};
    double bits = 0, whole = 8 * (double)count;
    walk->ops->count(symbols, count, counts);
    for (unsigned s = 0; s < 256; s++)
        if (counts[s])
            bits += (double)counts[s] * log2((double)count / counts[s]);
    if (plane < walk->layout->coded_count)
        walk->bits += bits;
    else
        walk->rest += bits > whole * SAM_NOISE / 100 ? whole : bits;
}

static void add_counts(struct walk *walk, unsigned plane, const uint8_t *symbols, size_t count)
{
    uint32_t counts[256] = {0};
    if (plane != walk->wanted)
        return;
    walk->ops->count(symbols, count, counts);
    for (unsigned s = 0; s < 256; s++)
        walk->counts[s] += counts[s];
}

/* Validate the arguments. `out` is the caller's result pointer. */
static enum sam_status check(enum sam_dtype type, const void *data, uint64_t size,
                             const struct sam_codec_options *given,
                             struct sam_codec_options *options, const void *out,
                             struct sam_error *error)
{
    if (!out || (!data && size))
        return sam_fail_null(error, out ? "data" : "the result");
    if ((size_t)type >= SAM_DTYPES)
        return sam_fail(error, SAM_ERR_USAGE, "unknown element type %d", (int)type);
    enum sam_status status = sam_codec_options_take(options, given, error);
    if (status != SAM_OK)
        return status;
    const struct sam_layout *layout = sam_layout_of(sam_layout_for(type, options));
    if (size % layout->element)
        return sam_fail(error, SAM_ERR_USAGE, "%llu bytes are not a whole number of elements",
                        (unsigned long long)size);
    return SAM_OK;
}

enum sam_status sam_weight_stat(enum sam_dtype type, const void *data, uint64_t size,
                                const struct sam_codec_options *given, struct sam_weight_stat *stat,
                                struct sam_error *error)
{
    struct sam_codec_options options = {0};
    enum sam_status status = check(type, data, size, given, &options, stat, error);
    if (status != SAM_OK)
        return status;
    enum sam_layout_id id = sam_layout_for(type, &options);
    const struct sam_layout *l = sam_layout_of(id);
    struct walk walk = {.add = add_entropy, .ops = sam_codec_ops(options.level), .layout = l};
    status = walk_planes(&walk, id, data, size, &options, error);
    if (status != SAM_OK)
        return status;
    double width = (double)sam_dtype_bits(type);
    double elements = (double)size * 8 / width;
    *stat = (struct sam_weight_stat){
        .layout = options.window && sam_dtype_bits(type) == 4 ? "verbatim" /* nothing to gain */
                                                              : sam_layout_name(id, options.window),
        .planes = l->plane_count,
        .coded = l->coded_count,
        .elements = (uint64_t)elements,
        .entropy = size ? walk.bits / elements : 0,
        .width = width,
    };
    stat->bound = stat->entropy + (size ? walk.rest / elements : 0);
    return SAM_OK;
}

enum sam_status sam_layout_count(enum sam_layout_id id, const uint8_t *data, uint64_t size,
                                 const struct sam_codec_options *options, unsigned plane,
                                 uint64_t counts[256], struct sam_error *error)
{
    struct walk walk = {.add = add_counts,
                        .ops = sam_codec_ops(options->level),
                        .layout = sam_layout_of(id),
                        .wanted = plane};
    walk.counts = counts;
    return walk_planes(&walk, id, data, size, options, error);
}

enum sam_status sam_weight_count(enum sam_dtype type, const void *data, uint64_t size,
                                 const struct sam_codec_options *given, unsigned plane,
                                 uint64_t counts[256], struct sam_error *error)
{
    struct sam_codec_options options = {0};
    enum sam_status status = check(type, data, size, given, &options, counts, error);
    if (status != SAM_OK)
        return status;
    enum sam_layout_id id = sam_layout_for(type, &options);
    memset(counts, 0, 256 * sizeof *counts);
    if (plane >= sam_layout_of(id)->coded_count)
        return sam_fail(error, SAM_ERR_USAGE, "there is no coded plane %u", plane);
    return sam_layout_count(id, data, size, &options, plane, counts, error);
}
