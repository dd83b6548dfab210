/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel output: a buffer in memory, printed as it fills. Ventus 2.2, CSR_PRINT. */
#include <stdlib.h>

#include "simt/simt.h"

/* Whether all lower workgroups have ended. Workgroups are handed out in order, so the lowest
 * running one never waits. */
static bool is_first(const struct sam_run *run, uint32_t workgroup)
{
    for (unsigned i = 0; i < run->worker_count; i++)
        if (run->workers[i].busy && run->workers[i].group->workgroup < workgroup)
            return false;
    return true;
}

void sam_run_wait_turn(struct sam_worker *worker)
{
    struct sam_run *run = worker->run;
    if (worker->group->has_turn)
        return;
    pthread_mutex_lock(&run->lock);
    while (!is_first(run, worker->group->workgroup))
        pthread_cond_wait(&run->turn, &run->lock);
    pthread_mutex_unlock(&run->lock);
    worker->group->has_turn = true;
}

/* Write bytes to the sink, each line prefixed with "[workgroup.warp] " if requested. */
static bool print_bytes(struct sam_run *run, const struct sam_warp *warp, const char *text,
                        size_t size)
{
    const struct sam_gpu_options *options = &run->gpu->options;
    struct sam_buffer out = {0};
    for (size_t i = 0; i < size; i++) {
        if (options->print_prefix && !run->print_line_open)
            sam_buffer_printf(&out, "[%u.%u] ", warp->wgid, warp->wid);
        run->print_line_open = text[i] != '\n';
        sam_buffer_append(&out, text + i, 1);
    }
    bool ok = !out.failed && (!options->print.write ||
                              options->print.write(options->print.context, out.data, out.size));
    sam_buffer_free(&out);
    return ok;
}

bool sam_run_print(struct sam_worker *worker, struct sam_warp *warp)
{
    struct sam_run *run = worker->run;
    warp->print = 0;
    if (run->print_size < 4)
        return true; /* the launch has no print buffer */
    sam_run_wait_turn(worker);
    uint8_t word[4];
    struct sam_memory *memory = run->gpu->memory;
    sam_memory_read(memory, run->print_base, word, 4);
    uint32_t index = sam_le32(word), room = run->print_size - 4;
    if (index > room) {
        sam_run_fail(worker, warp, SAM_CAUSE_PRINT, index);
        return false;
    }
    uint32_t from = run->print_shown <= index ? run->print_shown : 0;
    char *text = malloc(index - from + 1);
    if (!text) {
        sam_run_fail_host(run, SAM_ERR_MEMORY, "out of memory");
        return false;
    }
    sam_memory_read(memory, (uint64_t)run->print_base + 4 + from, text, index - from);
    const bool logged = !worker->log || sam_warp_log_flush(worker->log);
    const bool ok =
        sam_worker_repeats(worker) || (logged && print_bytes(run, warp, text, index - from));
    sam_run_called_back(worker);
    if (!ok)
        sam_run_fail_host(run, SAM_ERR_IO,
                          logged ? "cannot write the kernel's prints" : SAM_WARP_LOG_REFUSED);
    free(text);
    run->print_shown = index;
    return ok;
}
