/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of Ventus' own software: launches of one workgroup, with the calls that pocl's device
 * makes for each (buffers for arguments, private memory and metadata; the program uploaded again).
 * The reference is the same launch through the library, which keeps all of them. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "samite/samite.h"
#include "samite/ventus_driver.h"

enum { LANES = 32, PRIVATE = 4096, ARGS = 64 };

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

static bool assemble(struct subject *s)
{
    struct sam_error error;
    struct sam_asm_options options = {.base = SAM_CODE_BASE};
    char *messages = NULL;
    const bool good = sam_isa_parse("ventus", &options.isa, &error) == SAM_OK &&
                      sam_assemble(&options, "driver.s", text, sizeof text - 1, &s->image,
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

int main(int argc, char **argv)
{
    struct bench *bench = bench_open(argc, argv, "Launches through the Ventus driver");
    struct subject s = {0};
    const bool good = assemble(&s) && open_library(&s) && vt_dev_open(&s.device) == 0 &&
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
    const int code = bench_close(bench);
    return good ? code : 1;
}
