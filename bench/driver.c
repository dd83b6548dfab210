/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of Ventus' own software: launches of one workgroup, with the calls of pocl's device
 * for each (buffers for arguments, private memory and metadata; the program uploaded again). The
 * reference is the same launch through the library, which keeps all of them. Then a graph
 * search, and the cost of each environment variable that observes launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "samite/samite.h"
#include "samite/ventus_driver.h"

enum { LANES = 32, PRIVATE = 4096, ARGS = 64 };

enum { NODES = 65536, EDGES = 6 * NODES, LOCAL = 256 }; /* of the search */

static const char text[] = "_start: csrr    t0, knl\n"
                           "        lw      t0, 4(t0)\n" /* arguments */
                           "        lw      t1, 0(t0)\n"
                           "        vid.v   v1\n"
                           "        vsll.vi v1, v1, 2\n"
                           "        vadd.vx v1, v1, t1\n"
                           "        vsw12.v v1, 0(v1)\n"
                           "        endprg\n";

struct subject {
    struct sam_image *image;
    void *elf;
    size_t elf_size;
    void *device;  /* of the driver */
    uint64_t data; /* a buffer in it */
    struct sam_gpu *gpu;
    struct sam_launch launch;
};

static bool assemble(struct subject *s, const char *source, const char *prologue)
{
    struct sam_error error;
    const char *const folders[] = {KERNEL_DIR};
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = SAM_CODE_BASE,
                                      .prologue = prologue,
                                      .prologue_name = "start",
                                      .include_paths = folders,
                                      .include_count = 1};
    char *messages = NULL;
    const bool good = sam_isa_parse("ventus", &options.isa, &error) == SAM_OK &&
                      sam_assemble(&options, "driver.s", source, strlen(source), &s->image,
                                   &messages, &error) == SAM_OK &&
                      sam_elf_make(s->image, &s->elf, &s->elf_size, &error) == SAM_OK;
    sam_text_free(messages);
    return good;
}

static bool open_library(struct subject *s)
{
    struct sam_error error;
    uint32_t data, args, knl;
    if (sam_gpu_new(NULL, &s->gpu, &error) != SAM_OK ||
        sam_gpu_load(s->gpu, s->image, &error) != SAM_OK ||
        sam_gpu_alloc(s->gpu, 4 * LANES, &data, &error) != SAM_OK ||
        sam_gpu_alloc(s->gpu, ARGS, &args, &error) != SAM_OK ||
        sam_gpu_alloc(s->gpu, 64, &knl, &error) != SAM_OK)
        return false;
    const uint32_t metadata[2] = {SAM_CODE_BASE, args};
    s->launch = (struct sam_launch){
        .start = SAM_CODE_BASE, .grid = {1, 1, 1}, .lanes = LANES, .warps = 1, .metadata = knl};
    return sam_gpu_write(s->gpu, args, &data, sizeof data, &error) == SAM_OK &&
           sam_gpu_write(s->gpu, knl, metadata, sizeof metadata, &error) == SAM_OK;
}

static double by_library(void *context, uint64_t rounds)
{
    struct subject *s = context;
    struct sam_error error;
    for (uint64_t i = 0; i < rounds; i++)
        if (sam_gpu_launch(s->gpu, &s->launch, NULL, &error) != SAM_OK)
            return -1;
    return (double)rounds;
}

static bool buffer(struct subject *s, uint64_t size, const void *data, uint64_t bytes,
                   uint64_t *address)
{
    return vt_buf_alloc(s->device, size, address, 0, 0, 0) == 0 &&
           (!data || vt_copy_to_dev(s->device, *address, data, bytes, 0, 0) == 0);
}

static bool launch_once(struct subject *s)
{
    uint64_t args, pds, knl;
    const uint32_t data = (uint32_t)s->data;
    if (!buffer(s, ARGS, &data, sizeof data, &args) ||
        vt_upload_kernel_bytes(s->device, s->elf, s->elf_size, 0) != 0 ||
        !buffer(s, (uint64_t)PRIVATE * LANES, NULL, 0, &pds))
        return false;
    const uint32_t words[9] = {SAM_CODE_BASE, (uint32_t)args, 1, LANES, 1, 1, LANES, 1, 1};
    if (!buffer(s, sizeof words, words, sizeof words, &knl))
        return false;
    uint64_t metadata[VT_META_WORDS] = {0, 1, 1, 1, LANES, 1, knl, 4096, PRIVATE, 64, 64, pds};
    return vt_start(s->device, metadata, 0) == 0 && vt_ready_wait(s->device, 1000) == 0 &&
           vt_one_buf_free(s->device, 1, &knl, 0, 0) == 0 &&
           vt_one_buf_free(s->device, 1, &pds, 0, 0) == 0 &&
           vt_one_buf_free(s->device, 1, &args, 0, 0) == 0;
}

static double by_driver(void *context, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        if (!launch_once(context))
            return -1;
    return (double)rounds;
}

/* ---------------------------------------------------------------------------------- a search */

struct search {
    struct subject subject;
    char folder[256], program[288];
    uint32_t entry[2]; /* of the kernels */
    uint32_t row[NODES + 1], column[EDGES];
    uint64_t buffers[5]; /* row, column, distance, next, changed */
};

static void make_graph(struct search *s)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < EDGES; i++) {
        random = random * 1664525 + 1013904223;
        s->column[i] = random / 65536 % NODES;
    }
    for (uint32_t v = 0; v <= NODES; v++)
        s->row[v] = v * (EDGES / NODES);
}

static bool make_search(struct search *s)
{
    struct sam_error error;
    const char *temporary = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe) */
    snprintf(s->folder, sizeof s->folder, "%s/samite-bench-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(s->folder) ||
        !assemble(&s->subject, "\t.include \"bfs.s\"\n", sam_gpu_start_code()))
        return false;
    const char *const names[2] = {"bfs_level", "bfs_commit"};
    for (int i = 0; i < 2; i++)
        s->entry[i] = (uint32_t)sam_image_find(s->subject.image, names[i])->value;
    make_graph(s);
    snprintf(s->program, sizeof s->program, "%s/bfs.riscv", s->folder);
    return sam_file_save(s->program, s->subject.elf, s->subject.elf_size, &error) == SAM_OK;
}

static bool open_search(struct search *s)
{
    struct subject *d = &s->subject;
    const uint64_t sizes[5] = {sizeof s->row, sizeof s->column, 4 * NODES, 4 * NODES, 4};
    bool good = vt_dev_open(&d->device) == 0;
    for (int i = 0; good && i < 5; i++)
        good = buffer(d, sizes[i],
                      i == 0   ? s->row
                      : i == 1 ? s->column
                               : NULL,
                      sizes[i], &s->buffers[i]);
    return good;
}

static bool launch_kernel(struct search *s, int kernel, const uint32_t *args, uint32_t count)
{
    struct subject *d = &s->subject;
    uint64_t args_at, pds, knl;
    if (!buffer(d, 4 * count, args, 4 * count, &args_at) ||
        vt_upload_kernel_file(d->device, s->program, 0) != 0 ||
        !buffer(d, (uint64_t)PRIVATE * NODES, NULL, 0, &pds))
        return false;
    const uint32_t words[16] = {s->entry[kernel], (uint32_t)args_at, 1, NODES, 1, 1, LOCAL, 1, 1};
    if (!buffer(d, sizeof words, words, sizeof words, &knl))
        return false;
    uint64_t metadata[VT_META_WORDS] = {0,   NODES / LOCAL, 1,       1,  LANES, LOCAL / LANES,
                                        knl, 4096,          PRIVATE, 64, 64,    pds};
    return vt_start(d->device, metadata, 0) == 0 && vt_ready_wait(d->device, 1000) == 0 &&
           vt_one_buf_free(d->device, 1, &knl, 0, 0) == 0 &&
           vt_one_buf_free(d->device, 1, &pds, 0, 0) == 0 &&
           vt_one_buf_free(d->device, 1, &args_at, 0, 0) == 0;
}

static bool search_once(struct search *s)
{
    static uint32_t distance[NODES];
    struct subject *d = &s->subject;
    memset(distance + 1, 0xff, sizeof distance - sizeof distance[0]);
    uint32_t again =
        vt_copy_to_dev(d->device, s->buffers[2], distance, sizeof distance, 0, 0) == 0 &&
        vt_copy_to_dev(d->device, s->buffers[3], distance, sizeof distance, 0, 0) == 0;
    bool good = again;
    for (uint32_t level = 0; good && again; level++) {
        const uint32_t step[] = {(uint32_t)s->buffers[0],
                                 (uint32_t)s->buffers[1],
                                 (uint32_t)s->buffers[2],
                                 (uint32_t)s->buffers[3],
                                 NODES,
                                 level};
        const uint32_t commit[] = {(uint32_t)s->buffers[2], (uint32_t)s->buffers[3],
                                   (uint32_t)s->buffers[4], NODES};
        again = 0;
        good = launch_kernel(s, 0, step, 6) &&
               vt_copy_to_dev(d->device, s->buffers[4], &again, 4, 0, 0) == 0 &&
               launch_kernel(s, 1, commit, 4) &&
               vt_copy_from_dev(d->device, s->buffers[4], &again, 4, 0, 0) == 0;
    }
    return good;
}

static double searches(void *context, uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds; i++)
        if (!search_once(context))
            return -1;
    return (double)rounds;
}

/* The search plain, then with each variable; the ratio is the cost. */
static bool compare_variables(struct bench *bench)
{
    struct search *s = calloc(1, sizeof *s);
    char recorded[288], command[288];
    bool good = s && make_search(s);
    if (good)
        snprintf(recorded, sizeof recorded, "%s/recorded", s->folder);
    const struct {
        const char *name, *variable, *value;
    } rows[] = {
        {"bfs of 65,536 nodes", "SAMITE_JOBS", "1"},
        {"the same, SAMITE_STATS=1", "SAMITE_STATS", "1"},
        {"the same, SAMITE_RECORD", "SAMITE_RECORD", recorded},
        {"the same, SAMITE_LOG=auto", "SAMITE_LOG", "auto"},
        {"the same, SAMITE_CYCLES=1", "SAMITE_CYCLES", "1"},
    };
    double plain = 0;
    fflush(stderr);
    const int messages = dup(STDERR_FILENO);
    for (size_t i = 0; good && i < sizeof rows / sizeof rows[0]; i++) {
        if (!bench_wants(bench, rows[i].name) && (i || bench_lists(bench)))
            continue;
        setenv(rows[i].variable, rows[i].value, 1); /* NOLINT(concurrency-mt-unsafe) */
        good = open_search(s);
        unsetenv(rows[i].variable);                       /* NOLINT(concurrency-mt-unsafe) */
        good = good && freopen("/dev/null", "w", stderr); /* reports of each launch */
        const double figure =
            bench_time(bench, rows[i].name, "ms", 1e-3, searches, s, i ? plain : 0);
        fflush(stderr);
        dup2(messages, STDERR_FILENO);
        plain = i ? plain : figure;
        if (s->subject.device)
            vt_dev_close(s->subject.device);
    }
    close(messages);
    if (s) {
        snprintf(command, sizeof command, "rm -rf %s", s->folder);
        good = system(command) == 0 && good; /* NOLINT(concurrency-mt-unsafe) */
        sam_image_free(s->subject.image);
        free(s->subject.elf);
    }
    free(s);
    return good;
}

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Launches through the Ventus driver");
    struct subject s = {0};
    bool good = assemble(&s, text, NULL) && open_library(&s) && vt_dev_open(&s.device) == 0 &&
                buffer(&s, 4 * LANES, NULL, 0, &s.data);
    if (!good)
        fprintf(stderr, "driver: cannot be set up\n");
    else
        bench_rate(
            bench, "launches of one workgroup", "launches/s", 1, by_driver, &s,
            bench_rate(bench, "the same, through the library", "launches/s", 1, by_library, &s, 0));
    if (s.device)
        vt_dev_close(s.device);
    sam_gpu_free(s.gpu);
    sam_image_free(s.image);
    free(s.elf);
    good = compare_variables(bench) && good;
    const int code = bench_close(bench);
    return good ? code : 1;
}
