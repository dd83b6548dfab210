/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/cpu.h"

struct task {
    void (*work)(void *context, size_t i, unsigned worker);
    void *context;
    size_t count;
    atomic_size_t next;
};

struct worker {
    struct task *task;
    unsigned index;
};

static void *run(void *argument)
{
    const struct worker *worker = argument;
    struct task *task = worker->task;
    for (size_t i; (i = atomic_fetch_add(&task->next, 1)) < task->count;)
        task->work(task->context, i, worker->index);
    return NULL;
}

void sam_parallel(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    struct task task = {.work = work, .context = context, .count = count};
    struct worker workers[SAM_MAX_THREADS];
    pthread_t ids[SAM_MAX_THREADS];
    unsigned started = 0;
    if (threads > SAM_MAX_THREADS)
        threads = SAM_MAX_THREADS;
    atomic_init(&task.next, 0);
    for (unsigned i = 0; i < threads || i == 0; i++)
        workers[i] = (struct worker){&task, i};
    while (started + 1 < threads && started + 1 < count &&
           pthread_create(&ids[started], NULL, run, &workers[started + 1]) == 0)
        started++;
    run(&workers[0]);
    while (started > 0)
        pthread_join(ids[--started], NULL);
}
