/* SPDX-License-Identifier: Apache-2.0 */
/* Open a launch as a session: step a warp, run to a breakpoint and a watchpoint, change a register,
 * go back in time, and run to the end.
 * cc session.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>
#include <string.h>

/* out[i] = i * i, two warps */
static const char source[] = "square:\n"
                             "    lw      a1, 0(a0)\n"
                             "    csrr    t0, tid\n"
                             "    vid.v   v1\n"
                             "    vadd.vx v1, v1, t0\n"
                             "multiply:\n"
                             "    vmul.vv v2, v1, v1\n"
                             "    vsll.vi v3, v1, 2\n"
                             "    vadd.vx v3, v3, a1\n"
                             "    vsw12.v v2, 0(v3)\n"
                             "    ret\n";

static int fail(const struct sam_error *error)
{
    return fprintf(stderr, "session: %s\n", error->text), 1;
}

int main(void)
{
    struct sam_error error = {0};
    struct sam_asm_options options = {.base = SAM_CODE_BASE};
    struct sam_image *image = NULL;
    struct sam_gpu *gpu = NULL;
    struct sam_launch launch;
    char text[2048], *messages = NULL;
    uint32_t out, squares[64], lanes[SAM_MAX_LANES];
    snprintf(text, sizeof text, "%s\n%s", sam_gpu_start_code(), source);
    if (sam_isa_parse("ventus", &options.isa, &error) ||
        sam_assemble(&options, "square.s", text, strlen(text), &image, &messages, &error) ||
        sam_gpu_new(NULL, &gpu, &error) || sam_gpu_load(gpu, image, &error) ||
        sam_gpu_alloc(gpu, sizeof squares, &out, &error))
        return fail(&error);
    struct sam_kernel kernel = {
        .name = "square", .grid = {1, 1, 1}, .block = {64, 1, 1}, .args = &out, .args_size = 4};
    struct sam_session *session;
    if (sam_gpu_prepare(gpu, image, &kernel, &launch, &error) ||
        sam_session_open(gpu, &launch, NULL, &session, &error) ||
        sam_session_record(session, 0, &error))
        return fail(&error);

    struct sam_step step;
    if (sam_session_step(session, 0, 1, &step, &error))
        return fail(&error);
    printf("warp 1 at 0x%08llx: x%u = 0x%llx\n", (unsigned long long)step.pc, step.x,
           (unsigned long long)step.x_value[0]);

    /* to the multiplication of warp 1; its lane 3 is to do item 36 instead of 35 */
    unsigned point, watch;
    struct sam_session_stop stop;
    struct sam_session_break at = {
        .pc = sam_image_find(image, "multiply")->value, .has_warp = true, .warp = 1};
    if (sam_session_add_break(session, &at, &point, &error) ||
        sam_session_run(session, NULL, &stop, &error) ||
        sam_session_v(session, stop.workgroup, stop.warp, 1, lanes, &error))
        return fail(&error);
    printf("breakpoint after %llu instructions: v1[3] = %u\n",
           (unsigned long long)sam_session_time(session), lanes[3]);
    lanes[3] = 36;
    if (sam_session_set_v(session, 0, 1, 1, 1u << 3, lanes, &error))
        return fail(&error);

    /* who writes out[40]? */
    struct sam_session_watch of = {.address = out + 4 * 40, .size = 4};
    if (sam_session_add_watch(session, &of, &watch, &error) ||
        sam_session_run(session, NULL, &stop, &error))
        return fail(&error);
    printf("warp %u stores %llu to 0x%08llx at 0x%08llx\n", stop.warp,
           (unsigned long long)stop.after, (unsigned long long)stop.address,
           (unsigned long long)stop.access_pc);

    /* and back: before the store, the word is still 0 */
    if (sam_session_goto(session, sam_session_time(session) - 1, &error) ||
        sam_session_read(session, 0, out + 4 * 40, squares, 4, &error))
        return fail(&error);
    printf("one instruction earlier it is %u\n", squares[0]);

    if (sam_session_finish(session, NULL, &error) ||
        sam_gpu_read(gpu, out, squares, sizeof squares, &error))
        return fail(&error);
    printf("40 squared is %u; nobody has squared 35: %u\n", squares[40], squares[35]);
    sam_session_close(session);
    sam_text_free(messages);
    sam_gpu_free(gpu), sam_image_free(image);
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return squares[40] == 1600 && squares[35] == 0 ? 0 : 1;
}
