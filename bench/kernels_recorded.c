/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_recorded.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "gputime/recorded.h"

/* --- images */

/* The data of start code is within this distance of the code. */
enum { CODE_SPACE = 0x10000 };

/* The entry is the first word of the metadata buffer. */
static enum sam_status add_kernel(struct sam_image *image, const struct recorded *recorded,
                                  const char *name, struct sam_error *error)
{
    const uint32_t *metadata = recorded_words(recorded, recorded->metadata.metadata_base, 4);
    if (!metadata)
        return sam_fail(error, SAM_ERR_INPUT, "%s: no metadata buffer at 0x%08" PRIx64, name,
                        recorded->metadata.metadata_base);
    char copy[32];
    snprintf(copy, sizeof copy, "%s", name);
    const struct sam_symbol symbol = {.name = copy,
                                      .value = *metadata,
                                      .global = true,
                                      .function = true,
                                      .section_relative = true};
    return sam_image_add_symbol(image, &symbol, error);
}

static enum sam_status add_code(struct sam_image *image, const struct recorded *recorded,
                                const struct recorded_program *program, struct sam_error *error)
{
    const struct sam_metadata *m = &recorded->metadata;
    uint64_t size = 0;
    for (size_t i = 0; i < m->buffer_count; i++)
        if (m->buffers[i].base == m->start)
            size = m->buffers[i].size;
    const uint32_t *words = recorded_words(recorded, m->start, size);
    if (!words || size == 0 || size > CODE_SPACE)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%" PRIu64 " bytes of code at 0x%08" PRIx64 ": expected 1 to %d", size,
                        m->start, CODE_SPACE);
    uint8_t bytes[CODE_SPACE] = {0};
    for (uint64_t at = 0; at < size; at += 4)
        sam_put_le32(bytes + at, words[at / 4]);
    if (program->constant_address)
        sam_put_le32(bytes + (program->constant_address - m->start) % CODE_SPACE,
                     check_float_bits(program->constant));
    char name[] = ".text";
    const struct sam_section section = {.name = name,
                                        .address = m->start,
                                        .size = CODE_SPACE,
                                        .data_size = CODE_SPACE,
                                        .data = bytes,
                                        .execute = true,
                                        .write = true};
    image->entry = m->start;
    return sam_image_add_section(image, &section, error);
}

/* Number `i` of the program's launches; the first one's code is the program. */
static enum sam_status add_launch(struct sam_image *image, const char *folder,
                                  const struct recorded_program *program, size_t i,
                                  struct sam_error *error)
{
    struct recorded recorded;
    enum sam_status status = recorded_open(folder, program->launches[i].path, &recorded, error);
    if (status != SAM_OK)
        return status;
    if (i == 0)
        status = add_code(image, &recorded, program, error);
    if (status == SAM_OK)
        status = add_kernel(image, &recorded, program->launches[i].kernel, error);
    recorded_close(&recorded);
    return status;
}

enum sam_status recorded_program_image(const char *folder, const struct recorded_program *program,
                                       struct sam_image **image, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    *image = sam_image_new(32);
    if (!*image)
        return sam_fail_memory(error);
    for (size_t i = 0; i < SAM_COUNT(program->launches) && status == SAM_OK; i++)
        if (program->launches[i].path)
            status = add_launch(*image, folder, program, i, error);
    if (status == SAM_OK)
        status = sam_image_finish(*image, error);
    if (status != SAM_OK)
        sam_image_free(*image);
    return status;
}

/* --- the programs */

static void run_vecadd(struct check *check)
{
    const uint32_t n = check->config.size;
    const float *a = check_random_floats(check, n), *b = check_random_floats(check, n);
    float *want = check_words(check, n), *got = check_words(check, n);
    for (uint32_t i = 0; i < n; i++)
        want[i] = a[i] + b[i];
    const uint32_t args[] = {check_buffer(check, a, n), check_buffer(check, b, n),
                             check_buffer(check, NULL, n)};
    check_launch_items(check, "vecadd", n, UINT32_MAX, args, 3);
    check_read(check, args[2], got, n);
    check_equal(check, "c", got, want, n);
}

/* The distances of places, latitude and longitude, from one place. */
static void run_nn(struct check *check)
{
    const uint32_t n = check->config.size;
    const float latitude = 30, longitude = 90;
    float *places = check_words(check, (size_t)n * 2), *got = check_words(check, n);
    double *want = check_doubles(check, n);
    for (uint32_t i = 0; i < n; i++) {
        places[2 * i] = 90 * check_random_float(check);
        places[2 * i + 1] = 180 * check_random_float(check);
        want[i] = hypot((double)latitude - places[2 * i], (double)longitude - places[2 * i + 1]);
    }
    const uint32_t args[] = {check_buffer(check, places, (size_t)n * 2),
                             check_buffer(check, NULL, n), n, check_float_bits(latitude),
                             check_float_bits(longitude)};
    check_launch_items(check, "NearestNeighbor", n, UINT32_MAX, args, 5);
    check_read(check, args[1], got, n);
    check_close(check, "distance", got, want, n, 2); /* four roundings */
}

/* Breadth-first search from vertex 0: the first kernel visits the neighbours of every frontier
 * vertex, the second makes them the next frontier and reports whether there are any. */
static void run_bfs(struct check *check)
{
    const uint32_t n = check->config.size;
    uint32_t *row = check_words(check, (size_t)n + 1), *col = check_words(check, CHECK_EDGES(n));
    uint32_t *nodes = check_words(check, (size_t)n * 2), *want = check_words(check, n);
    uint32_t *cost = check_words(check, n), *front = check_words(check, n / 4 + 1);
    const uint32_t edges = check_graph(check, n, row, col);
    check_search(check, row, col, n, want);
    for (uint32_t v = 0; v < n; v++) {
        nodes[2 * v] = row[v];
        nodes[2 * v + 1] = row[v + 1] - row[v];
        cost[v] = v ? UINT32_MAX : 0;
    }
    const size_t flags = (size_t)n / 4 + 1; /* words of a byte per vertex */
    const uint32_t device_nodes = check_buffer(check, nodes, (size_t)n * 2);
    const uint32_t device_edges = check_buffer(check, col, edges);
    const uint32_t next = check_buffer(check, front, flags);
    front[0] = 1; /* vertex 0 */
    const uint32_t now = check_buffer(check, front, flags);
    const uint32_t visited = check_buffer(check, front, flags);
    const uint32_t device_cost = check_buffer(check, cost, n);
    uint32_t more = 0;
    const uint32_t device_more = check_buffer(check, &more, 1);
    const uint32_t visit[] = {device_nodes, device_edges, now, next, visited, device_cost, n};
    const uint32_t advance[] = {now, next, visited, device_more, n};
    for (uint32_t level = 0; (level == 0 || more) && level < n && !check->status; level++) {
        check_launch_items(check, "BFS_1", n, UINT32_MAX, visit, 7);
        more = 0;
        check_write(check, device_more, &more, 1);
        check_launch_items(check, "BFS_2", n, UINT32_MAX, advance, 5);
        check_read(check, device_more, &more, 1);
    }
    check_read(check, device_cost, cost, n);
    check_equal(check, "cost", cost, want, n);
}

enum { FEATURES = 34, CLUSTERS = 5, MOST_STEPS = 10 };

static double distance(const float *point, const float *centre)
{
    double sum = 0;
    for (unsigned f = 0; f < FEATURES; f++)
        sum += ((double)point[f] - centre[f]) * ((double)point[f] - centre[f]);
    return sum;
}

/* The nearest centre of each point; `got` if it is equally near up to rounding. */
static void nearest(const float *points, const float *centres, uint32_t n, const uint32_t *got,
                    uint32_t *want)
{
    for (uint32_t i = 0; i < n; i++) {
        const float *point = points + (size_t)i * FEATURES;
        double least = INFINITY;
        for (uint32_t k = 0; k < CLUSTERS; k++) {
            const double d = distance(point, centres + k * FEATURES);
            want[i] = d < least ? k : want[i];
            least = d < least ? d : least;
        }
        if (got[i] < CLUSTERS && distance(point, centres + got[i] * FEATURES) < 1.00001 * least)
            want[i] = got[i];
    }
}

/* The means of the members of each cluster; an empty cluster stays where it is. */
static void move(const float *points, const uint32_t *member, uint32_t n, float *centres)
{
    double sums[CLUSTERS][FEATURES] = {{0}};
    uint32_t counts[CLUSTERS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        counts[member[i]]++;
        for (unsigned f = 0; f < FEATURES; f++)
            sums[member[i]][f] += points[(size_t)i * FEATURES + f];
    }
    for (unsigned k = 0; k < CLUSTERS; k++)
        for (unsigned f = 0; f < FEATURES && counts[k]; f++)
            centres[k * FEATURES + f] = (float)(sums[k][f] / counts[k]);
}

/* Steps of k-means up to the first that moves no point, or a limit. The first kernel transposes
 * the points, the second finds the nearest centre of each; the host moves the centres. */
static void run_kmeans(struct check *check)
{
    const uint32_t n = check->config.size;
    const size_t features = (size_t)n * FEATURES;
    const float *points = check_random_floats(check, features);
    float *centres = check_words(check, CLUSTERS * FEATURES);
    uint32_t *member = check_words(check, n), *want = check_words(check, n);
    uint32_t *before = check_words(check, n);
    memcpy(centres, points, CLUSTERS * FEATURES * sizeof *centres);
    const uint32_t swap[] = {check_buffer(check, points, features),
                             check_buffer(check, NULL, features), n, FEATURES};
    const uint32_t device_centres = check_buffer(check, centres, CLUSTERS * FEATURES);
    const uint32_t device_member = check_buffer(check, NULL, n);
    const uint32_t step[] = {swap[1], device_centres, device_member, n, CLUSTERS, FEATURES, 0, 0};
    check_launch_items(check, "kmeans_swap", n, UINT32_MAX, swap, 4);
    for (unsigned i = 0; i < MOST_STEPS && !check->status && check->report->pass; i++) {
        check_write(check, device_centres, centres, CLUSTERS * FEATURES);
        check_launch_items(check, "kmeans_kernel_c", n, UINT32_MAX, step, 8);
        check_read(check, device_member, member, n);
        nearest(points, centres, n, member, want);
        check_equal(check, "membership", member, want, n);
        if (i && memcmp(before, member, n * sizeof *member) == 0)
            break;
        memcpy(before, member, n * sizeof *member);
        move(points, want, n, centres);
    }
}

/* Row i of `a` minus a multiple of row t, for the i below t, and `b` likewise; `m` receives the
 * multiples. The kernel's product and sum are fused. */
static void eliminate(uint32_t n, uint32_t t, float *m, float *a, float *b)
{
    for (uint32_t i = t + 1; i < n; i++) {
        m[i * n + t] = a[i * n + t] / a[t * n + t];
        for (uint32_t k = t; k < n; k++)
            a[i * n + k] = fmaf(-m[i * n + t], a[t * n + k], a[i * n + k]);
        b[i] = fmaf(-m[i * n + t], b[t], b[i]);
    }
}

/* Gaussian elimination of n equations, two launches per unknown. */
static void run_gaussian(struct check *check)
{
    const uint32_t n = check->config.size, tile = check_tile(check);
    const size_t cells = (size_t)n * n;
    float *a = check_random_floats(check, cells), *b = check_random_floats(check, n);
    float *m = check_words(check, cells), *got = check_words(check, cells);
    for (uint32_t i = 0; i < n; i++)
        a[i * n + i] += (float)n; /* no pivot is small */
    const uint32_t device_m = check_buffer(check, m, cells);
    const uint32_t device_a = check_buffer(check, a, cells);
    const uint32_t device_b = check_buffer(check, b, n);
    const uint32_t tiles = check_ceil_div(n, tile);
    const uint32_t grid[] = {tiles, tiles}, block[] = {tile, tile};
    for (uint32_t t = 0; t + 1 < n; t++) {
        const uint32_t args[] = {device_m, device_a, device_b, n, t};
        check_launch_items(check, "Fan1", n, UINT32_MAX, args, 5);
        check_launch(check, "Fan2", grid, block, args, 5);
        eliminate(n, t, m, a, b);
    }
    check_read(check, device_m, got, cells);
    check_equal(check, "m", got, m, cells);
    check_read(check, device_a, got, cells);
    check_equal(check, "a", got, a, cells);
    check_read(check, device_b, got, n);
    check_equal(check, "b", got, b, n);
}

/* vecadd does not compare its index with a size, which is a multiple of the workgroup's. kmeans
 * begins its search for the least distance at the largest number. */
const struct recorded_program recorded_programs[] = {
    {
        .name = "vecadd",
        .size = 65536,
        .run = run_vecadd,
        .loop = "mem_unit",
        .launches = {{"vecadd", RECORDED_RODINIA "vecadd/4w32t/vecadd_0"}},
    },
    {
        .name = "nn",
        .size = 42764,
        .run = run_nn,
        .loop = "alu_float",
        .launches = {{"NearestNeighbor", RECORDED_RODINIA "nn/orig/NearestNeighbor_0"}},
    },
    {
        .name = "bfs",
        .size = 65536,
        .run = run_bfs,
        .loop = "divergent",
        .launches = {{"BFS_1", RECORDED_RODINIA "bfs/4x32/BFS_1_0"},
                     {"BFS_2", RECORDED_RODINIA "bfs/4x32/BFS_2_0"}},
    },
    {
        .name = "kmeans",
        .size = 4096,
        .run = run_kmeans,
        .loop = "alu_float",
        .launches = {{"kmeans_kernel_c", RECORDED_RODINIA "kmeans/1024/kmeans_kernel_c_0"},
                     {"kmeans_swap", RECORDED_RODINIA "kmeans/1024/kmeans_swap_0"}},
        .constant_address = 0x80003008,
        .constant = FLT_MAX,
    },
    {
        .name = "gaussian",
        .size = 64,
        .run = run_gaussian,
        .loop = "alu_float",
        .launches = {{"Fan1", RECORDED_RODINIA "gaussian/4x8/Fan1_0"},
                     {"Fan2", RECORDED_RODINIA "gaussian/4x8/Fan2_0"}},
    },
};
const size_t recorded_program_count = SAM_COUNT(recorded_programs);
