/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cc/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cc_need_clang(void)
{
    struct sam_error error;
    SCOPED_TEXT *text = cc_assembly("__kernel void k(void) {}", &error);
    if (!text && strstr(error.text, "apt install"))
        test_skip_all("%s", error.text);
    if (!text)
        fail_msg("%s", error.text);
}

char *cc_assembly(const char *source, struct sam_error *error)
{
    char path[] = "/tmp/samite-cc-XXXXXX.cl", *text, *messages;
    const int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, source, strlen(source)), strlen(source));
    close(fd);
    size_t size;
    struct sam_cc_options options = {.size = sizeof options, .no_cache = true};
    char standard[8];
    if (sscanf(source, "// %7[CL.0-9]", standard) == 1)
        options.standard = standard;
    sam_cc_compile(&options, path, &text, &size, &messages, error);
    if (messages && *messages)
        fprintf(stderr, "%s", strstr(messages, "error") ? messages : "");
    sam_text_free(messages);
    unlink(path);
    return text;
}

struct sam_image *cc_image_or_error(const char *source, struct sam_error *error)
{
    struct sam_asm_options options = {.size = sizeof options, .base = SAM_CODE_BASE, .lines = true};
    struct sam_image *image = NULL;
    char *text = cc_assembly(source, error), *messages = NULL;
    if (!text)
        return NULL;
    options.prologue = sam_gpu_start_code();
    options.prologue_name = "<start code>";
    assert_int_equal(sam_isa_parse("ventus", &options.isa, error), SAM_OK);
    if (sam_assemble(&options, "k.s", text, strlen(text), &image, &messages, error) != SAM_OK)
        fail_msg("%.2000s", messages);
    sam_text_free(messages);
    sam_text_free(text);
    return image;
}

struct sam_image *cc_image(const char *source)
{
    struct sam_error error = {0};
    struct sam_image *image = cc_image_or_error(source, &error);
    if (!image)
        fail_msg("%s\n%.3000s", error.text, source);
    return image;
}

uint64_t cc_run_buffers(const struct sam_image *image, const struct cc_launch *l,
                        const struct cc_buffer *buffers, size_t count)
{
    struct sam_gpu *gpu;
    struct sam_launch launch;
    SCOPED(sam_gpu_result) result = {0};
    uint32_t args[64] = {0};
    const struct sam_gpu_options options = {.size = sizeof options,
                                            .strict_lds = true,
                                            .simt_stack_limit = l->lanes,
                                            .print = l->print};
    assert_true(4 * count + l->args_size <= sizeof args);
    succeeds(sam_gpu_new, &options, &gpu);
    succeeds(sam_gpu_load, gpu, image);
    for (size_t i = 0; i < count; i++) {
        args[i] = (uint32_t)buffers[i].count;
        if (!buffers[i].in)
            continue;
        const size_t size = 4 * buffers[i].count;
        succeeds(sam_gpu_alloc, gpu, (uint32_t)size, &args[i]);
        succeeds(sam_gpu_write, gpu, args[i], buffers[i].in, size);
    }
    if (l->args_size)
        memcpy(&args[count], l->args, l->args_size);
    const struct sam_kernel kernel = {.name = l->kernel,
                                      .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                      .block = {l->block[0], l->block[1], l->block[2]},
                                      .lanes = l->lanes,
                                      .args = args,
                                      .args_size = 4 * count + l->args_size,
                                      .print_size = l->print_size};
    succeeds(sam_gpu_prepare, gpu, image, &kernel, &launch);
    if (launch.lds_size == SAM_LDS_SIZE)
        launch.lds_size = launch.warps * 1024;
    succeeds(sam_gpu_launch, gpu, &launch, &result);
    for (size_t i = 0; i < count; i++)
        if (buffers[i].out)
            succeeds(sam_gpu_read, gpu, args[i], buffers[i].out, 4 * buffers[i].count);
    const uint64_t insns = result.stats.warp_insns;
    sam_gpu_free(gpu);
    return insns;
}

uint64_t cc_run(const struct sam_image *image, const struct cc_launch *launch, uint32_t *out,
                size_t out_words, const uint32_t *in, size_t in_words)
{
    const struct cc_buffer buffers[] = {{out, out, out_words}, {in, NULL, in_words}};
    return cc_run_buffers(image, launch, buffers, 2);
}

enum { N = CC_ITEMS, IN = CC_IN };

static void make_input(uint32_t *in)
{
    uint32_t state = 12345;
    for (int i = 0; i < IN; i++) {
        state = state * 1664525 + 1013904223;
        in[i] = i % 7 == 0 ? state >> 28 : i % 5 == 0 ? (uint32_t) - (int32_t)(state >> 25) : state;
    }
}

void cc_check(const char *source, unsigned words,
              void (*expect)(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block))
{
    static const uint32_t blocks[] = {32, 60, 20, 240}, lanes[] = {32, 8};
    SCOPED_IMAGE *image = cc_image(source);
    uint32_t in[IN], *out = malloc(4 * N * words), *want = malloc(4 * N * words);
    make_input(in);
    for (int b = 0; b < 4; b++)
        for (int l = 0; l < 2; l++) {
            const uint32_t n = N, groups = (N + blocks[b] - 1) / blocks[b];
            if (groups * blocks[b] != N && blocks[b] != 32)
                continue;
            const uint32_t count = groups * blocks[b] < N ? groups * blocks[b] : N;
            const struct cc_launch launch = {.kernel = "k",
                                             .grid = {N / blocks[b], 1, 1},
                                             .block = {blocks[b], 1, 1},
                                             .lanes = lanes[l],
                                             .args = &n,
                                             .args_size = 4};
            memset(out, 0, 4 * N * words);
            memset(want, 0, 4 * N * words);
            for (uint32_t i = 0; i < count / blocks[b] * blocks[b] && i < N / blocks[b] * blocks[b];
                 i++)
                expect(want + i * words, in, i, blocks[b]);
            cc_run(image, &launch, out, N * words, in, IN);
            for (uint32_t i = 0; i < N * words; i++)
                if (out[i] != want[i])
                    fail_msg("block %u, %u lanes: word %u of work-item %u: 0x%08x, expected "
                             "0x%08x\n%s",
                             blocks[b], lanes[l], i % words, i / words, out[i], want[i], source);
        }
    free(out);
    free(want);
}
