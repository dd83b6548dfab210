/* SPDX-License-Identifier: Apache-2.0 */
/* Runs clang as a program. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/portable.h"
#include "cc/cc.h"

/* Write `input` to fds[0] and read fds[1] and fds[2] until they end. */
static bool exchange(int fds[3], const struct sam_buffer *input, struct sam_buffer *out,
                     struct sam_buffer *messages)
{
    struct sam_buffer *to[3] = {NULL, out, messages};
    size_t sent = 0;
    char bytes[65536];
    while (fds[1] >= 0 || fds[2] >= 0) {
        struct pollfd polled[3] = {{fds[0], POLLOUT, 0}, {fds[1], POLLIN, 0}, {fds[2], POLLIN, 0}};
        if (poll(polled, 3, -1) < 0 && errno != EINTR)
            return false;
        if (fds[0] >= 0 && polled[0].revents) {
            const size_t rest = input ? input->size - sent : 0;
            const ssize_t n =
                rest ? write(fds[0], input->data + sent, rest < 65536 ? rest : 65536) : 0;
            if (n > 0)
                sent += (size_t)n;
            if (n <= 0 || sent == input->size) {
                close(fds[0]);
                fds[0] = -1;
            }
        }
        for (int i = 1; i < 3; i++) {
            if (fds[i] < 0 || !polled[i].revents)
                continue;
            const ssize_t n = read(fds[i], bytes, sizeof bytes);
            if (n > 0 && !sam_buffer_append(to[i], bytes, (size_t)n))
                return false;
            if (n == 0 || (n < 0 && errno != EINTR)) {
                close(fds[i]);
                fds[i] = -1;
            }
        }
    }
    return true;
}

/* Run a program, found in PATH; *status is that of waitpid. Returns 0 or an errno. */
static int run(const char *const *argv, const struct sam_buffer *input, struct sam_buffer *out,
               struct sam_buffer *messages, int *status)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, code = 0;
    for (int i = 0; i < 3 && !code; i++)
        if (sam_file_pipe(pipes[i]) != 0)
            code = errno;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&actions, pipes[i][i != 0], i);
    pid_t child = -1;
    if (!code)
        code = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    int fds[3];
    for (int i = 0; i < 3; i++) {
        fds[i] = pipes[i][i == 0];
        if (pipes[i][i != 0] >= 0)
            close(pipes[i][i != 0]);
    }
    /* A child that ends early must not end this process by SIGPIPE. */
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    if (!code && !exchange(fds, input, out, messages))
        code = errno ? errno : ENOMEM;
    if (!sigismember(&before, SIGPIPE))
        sam_file_drop_sigpipe();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (child > 0)
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            continue;
    return code;
}

/* `said`: the program's own message, if it could be started. */
static enum sam_status no_clang(const char *path, int code, const char *said,
                                struct sam_error *error)
{
    if (code == ENOENT || (code == 0 && !*said))
        return sam_fail(error, SAM_ERR_INPUT,
                        "no program '%s': OpenCL C needs clang 14 to 19: apt install clang "
                        "(SAMITE_CLANG chooses one)",
                        path);
    return sam_fail(error, SAM_ERR_IO, "cannot run %s: %.*s", path,
                    code ? INT_MAX : (int)strcspn(said, "\n"), code ? strerror(code) : said);
}

enum sam_status sam_cc_clang_find(struct cc_clang *clang, struct sam_error *error)
{
    const char *chosen = getenv("SAMITE_CLANG");
    snprintf(clang->path, sizeof clang->path, "%s", chosen && *chosen ? chosen : "clang");
    struct sam_buffer out = {0}, messages = {0};
    int status = 0;
    const int code =
        run((const char *const[]){clang->path, "--version", NULL}, NULL, &out, &messages, &status);
    const char *version = strstr(sam_buffer_text(&out), "clang version ");
    clang->major = version ? (unsigned)strtoul(version + 14, NULL, 10) : 0;
    snprintf(clang->version, sizeof clang->version, "%.*s",
             (int)strcspn(sam_buffer_text(&out), "\n"), sam_buffer_text(&out));
    sam_buffer_free(&out);
    enum sam_status found = SAM_OK;
    if (code || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
        found = no_clang(clang->path, code, sam_buffer_text(&messages), error);
    else if (clang->major < 14 || clang->major > 19)
        found = sam_fail(error, SAM_ERR_INPUT, "%s: %s %u: expected clang 14 to 19", clang->path,
                         version ? "version" : "not clang: version", clang->major);
    sam_buffer_free(&messages);
    return found;
}

enum sam_status sam_cc_clang_run(const struct cc_clang *clang, const char *const *more,
                                 const char *path, const struct sam_buffer *text,
                                 struct sam_buffer *out, struct sam_buffer *messages,
                                 struct sam_error *error)
{
    /* Without what the machine or the library does not have: clang itself refuses it, and its macro
     * is not defined, so that sources take their other way. */
    static const char device[] =
        "-cl-ext=-cl_khr_fp64,-cl_khr_fp16,-cl_khr_3d_image_writes,-__opencl_c_fp64,"
        "-__opencl_c_images,-__opencl_c_read_write_images,-__opencl_c_3d_image_writes,"
        "-cl_khr_depth_images,-cl_khr_gl_msaa_sharing,-cl_khr_mipmap_image,"
        "-cl_khr_mipmap_image_writes,-cl_khr_srgb_image_writes,-cl_khr_int64_base_atomics,"
        "-cl_khr_int64_extended_atomics,-cl_khr_subgroups,-__opencl_c_subgroups,"
        "-cl_intel_subgroups,-cl_intel_subgroups_short,"
        "-cl_intel_device_side_avc_motion_estimation,-cl_amd_media_ops,-cl_amd_media_ops2,"
        "-cl_arm_integer_dot_product_int8,-cl_arm_integer_dot_product_accumulate_int8,"
        "-cl_arm_integer_dot_product_accumulate_int16,"
        "-cl_arm_integer_dot_product_accumulate_saturate_int8,"
        "-__opencl_c_device_enqueue,-__opencl_c_pipes";
    static const char *const flags[] = {
        "-x", "cl", "-target", "spir-unknown-unknown", "-Xclang", "-finclude-default-header",
        "-Xclang", device, "-U__IMAGE_SUPPORT__", "-Xclang",
        /* A jump out of a scope would go by a switch at its end, which parts lanes. */
        "-disable-lifetime-markers", "-fno-builtin", "-fno-color-diagnostics", "-fno-vectorize",
        "-fno-slp-vectorize", "-Wno-unused-command-line-argument",
        "-Wno-format" /* %f takes a float here; print.c checks types */};
    const char *argv[512];
    size_t count = 0;
    argv[count++] = clang->path;
    for (size_t i = 0; i < SAM_COUNT(flags); i++)
        argv[count++] = flags[i];
    for (; *more; more++) {
        if (count == SAM_COUNT(argv) - 4)
            return sam_fail(error, SAM_ERR_USAGE, "more than 480 options for clang");
        argv[count++] = *more;
    }
    argv[count++] = "-o";
    argv[count++] = "-";
    argv[count++] = path ? path : "-";
    argv[count] = NULL;
    int status = 0;
    const int code = run(argv, text, out, messages, &status);
    if (code)
        return no_clang(clang->path, code, "", error);
    if (out->failed || messages->failed)
        return sam_fail_memory(error);
    if (!WIFEXITED(status))
        return sam_fail(error, SAM_ERR_INPUT, "%s: ended by signal %d", clang->path,
                        WTERMSIG(status));
    if (WEXITSTATUS(status) == 0)
        return SAM_OK;
    const char *first = strstr(sam_buffer_text(messages), "error: ");
    const int length = first ? (int)strcspn(first, "\n") : 0;
    return sam_fail(error, SAM_ERR_INPUT, "%s: clang: %.*s", path ? path : "<stdin>",
                    first ? length : 6, first ? first : "failed");
}
