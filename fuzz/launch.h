/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of two warps that diverge and meet at a barrier, for the debugger and its protocol. It
 * may run few instructions. */
#ifndef FUZZ_LAUNCH_H
#define FUZZ_LAUNCH_H

#include "fuzz.h"

#include <string.h>

#include "cli.h"
#include "samite/samite.h"

static const char kernel[] = ".global k\n"
                             "k:  lw t0, 0(a0)\n"
                             "    vid.v v1\n"
                             "    li t1, 2\n"
                             "    vmv.v.x v2, t1\n"
                             "    setrpc t2, .Ljoin\n"
                             "    vbgeu v1, v2, .Lbig\n"
                             "    vadd.vi v3, v1, 10\n"
                             "    j .Ljoin\n"
                             ".Lbig: vadd.vi v3, v1, 5\n"
                             ".Ljoin: join\n"
                             "    barrier 1\n"
                             "    vsll.vi v4, v1, 2\n"
                             "    vadd.vx v4, v4, t0\n"
                             "    vsw12.v v3, 0(v4)\n"
                             "    ret\n";

struct machine {
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_launch launch;
};

static struct machine open_machine(void)
{
    static const uint32_t arguments[1] = {SAM_BUFFER_BASE};
    struct machine m = {0};
    struct sam_error error;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = SAM_CODE_BASE,
                                      .lines = true,
                                      .prologue = sam_gpu_start_code(),
                                      .prologue_name = "<start code>"};
    const struct sam_gpu_options limits = {
        .size = sizeof limits, .max_insns = 500, .stop = cli_stop_flag()};
    const struct sam_kernel k = {.name = "k",
                                 .grid = {2, 1, 1},
                                 .block = {8, 1, 1},
                                 .lanes = 4,
                                 .args = arguments,
                                 .args_size = sizeof arguments};
    char *messages = NULL;
    uint32_t address;
    FUZZ_CHECK(sam_isa_parse("ventus", &options.isa, &error) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "k.s", kernel, strlen(kernel), &m.image, &messages, &error) ==
               SAM_OK);
    sam_text_free(messages);
    FUZZ_CHECK(sam_gpu_new(&limits, &m.gpu, &error) == SAM_OK);
    FUZZ_CHECK(sam_gpu_load(m.gpu, m.image, &error) == SAM_OK);
    FUZZ_CHECK(sam_gpu_alloc(m.gpu, 64, &address, &error) == SAM_OK && address == arguments[0]);
    FUZZ_CHECK(sam_gpu_prepare(m.gpu, m.image, &k, &m.launch, &error) == SAM_OK);
    return m;
}

static struct sam_session *open_session(const struct machine *m)
{
    const struct sam_session_options keep = {.size = sizeof keep, .keep_ended = true};
    struct sam_session *session;
    struct sam_error error;
    FUZZ_CHECK(sam_session_open(m->gpu, &m->launch, &keep, &session, &error) == SAM_OK);
    return session;
}

static void close_machine(const struct machine *m, struct sam_session *session)
{
    sam_session_close(session);
    sam_gpu_free(m->gpu);
    sam_image_free(m->image);
}

#endif
