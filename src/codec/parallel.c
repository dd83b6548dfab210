/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "codec/chunk.h"

enum { MAX_THREADS = 256 };

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
    struct worker workers[MAX_THREADS];
    pthread_t ids[MAX_THREADS];
    unsigned started = 0;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
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

void *sam_codec_alloc(const struct sam_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX - SAM_ALIGN)
        return NULL;
    size = (size + SAM_ALIGN) / SAM_ALIGN * SAM_ALIGN; /* never 0 */
    return allocator ? allocator->allocate(allocator->context, size)
                     : aligned_alloc(SAM_ALIGN, size);
}

void sam_codec_free(const struct sam_allocator *allocator, void *memory)
{
    if (memory && allocator)
        allocator->release(allocator->context, memory);
    else
        free(memory);
}
