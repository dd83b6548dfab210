/* SPDX-License-Identifier: Apache-2.0 */
/* Assemble a kernel, run it on a Ventus GPGPU, read the result; then let it fail.
 * cc launch.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>
#include <string.h>

/* out[i] = i * i, one workgroup */
static const char source[] = "square:\n"
                             "    lw      a1, 0(a0)\n"
                             "    csrr    t0, tid\n"
                             "    vid.v   v1\n"
                             "    vadd.vx v1, v1, t0\n"
                             "    vmul.vv v2, v1, v1\n"
                             "    vsll.vi v3, v1, 2\n"
                             "    vadd.vx v3, v3, a1\n"
                             "    vsw12.v v2, 0(v3)\n"
                             "    ret\n";

int main(void)
{
    struct sam_error error = {0};
    struct sam_asm_options options = {.base = SAM_CODE_BASE};
    struct sam_image *image = NULL;
    struct sam_gpu *gpu = NULL;
    struct sam_launch launch;
    struct sam_gpu_result result = {0};
    char text[2048], *messages = NULL;
    uint32_t out, squares[64];
    snprintf(text, sizeof text, "%s\n%s", sam_gpu_start_code(), source);

    if (sam_isa_parse("ventus", &options.isa, &error) ||
        sam_assemble(&options, "square.s", text, strlen(text), &image, &messages, &error) ||
        sam_gpu_new(NULL, &gpu, &error) || sam_gpu_load(gpu, image, &error) ||
        sam_gpu_alloc(gpu, sizeof squares, &out, &error))
        return fprintf(stderr, "launch: %s\n", error.text), 2;

    struct sam_kernel kernel = {
        .name = "square", .grid = {1, 1, 1}, .block = {64, 1, 1}, .args = &out, .args_size = 4};
    if (sam_gpu_prepare(gpu, image, &kernel, &launch, &error) ||
        sam_gpu_launch(gpu, &launch, &result, &error) ||
        sam_gpu_read(gpu, out, squares, sizeof squares, &error))
        return fprintf(stderr, "launch: %s\n", error.text), 1;
    printf("63 squared is %u; %llu instructions in %llu warps\n", squares[63],
           (unsigned long long)result.stats.warp_insns, (unsigned long long)result.stats.warps);
    sam_gpu_result_free(&result);

    kernel.block[0] = 96; /* one warp more than fits the buffer: a trap is an ordinary result */
    if (sam_gpu_prepare(gpu, image, &kernel, &launch, &error) == SAM_OK &&
        sam_gpu_launch(gpu, &launch, &result, &error) == SAM_ERR_TRAP)
        printf("%s\nwarp %u, lane %u, address 0x%08llx\n", error.text, result.trap.warp,
               result.trap.lane, (unsigned long long)result.trap.tval);
    bool as_expected = result.trap.kind == SAM_TRAP_STORE_FAULT && squares[63] == 63 * 63;
    sam_gpu_result_free(&result), sam_text_free(messages);
    sam_gpu_free(gpu), sam_image_free(image);
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return as_expected ? 0 : 1;
}
