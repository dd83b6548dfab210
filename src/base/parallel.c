/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

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

/* ------------------------------------------------------------------------------------- crews */

struct member {
    struct sam_parallel_crew *crew;
    struct worker worker;
    pthread_t id;
};

struct sam_parallel_crew {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    struct task *task;   /* NULL: none that may still be joined */
    unsigned wanted;     /* members below this number join it, */
    unsigned long tasks; /* once */
    unsigned busy;       /* members that have */
    unsigned count;      /* members, from number 1 on */
    bool dismissed;
    struct member members[SAM_MAX_THREADS];
};

static void *serve(void *argument)
{
    struct member *member = argument;
    struct sam_parallel_crew *crew = member->crew;
    unsigned long seen = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->dismissed &&
               (!crew->task || crew->tasks == seen || member->worker.index >= crew->wanted))
            pthread_cond_wait(&crew->begins, &crew->lock);
        if (crew->dismissed)
            break;
        seen = crew->tasks;
        member->worker.task = crew->task;
        crew->busy++;
        pthread_mutex_unlock(&crew->lock);
        run(&member->worker);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->ends);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

struct sam_parallel_crew *sam_parallel_crew_new(void)
{
    struct sam_parallel_crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    crew->count = 1; /* the caller is number 0 */
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begins, NULL);
    pthread_cond_init(&crew->ends, NULL);
    return crew;
}

void sam_parallel_crew_run(struct sam_parallel_crew *crew, unsigned threads, size_t count,
                           void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    struct task task = {.work = work, .context = context, .count = count};
    struct worker own = {&task, 0};
    if (threads > SAM_MAX_THREADS)
        threads = SAM_MAX_THREADS;
    if (threads > count)
        threads = (unsigned)count;
    atomic_init(&task.next, 0);
    pthread_mutex_lock(&crew->lock);
    for (; crew->count < threads; crew->count++) {
        struct member *member = &crew->members[crew->count];
        *member = (struct member){.crew = crew, .worker = {NULL, crew->count}};
        if (pthread_create(&member->id, NULL, serve, member) != 0)
            break;
    }
    crew->task = threads > 1 ? &task : NULL;
    crew->wanted = threads;
    crew->tasks++;
    pthread_mutex_unlock(&crew->lock);
    if (threads > 1)
        pthread_cond_broadcast(&crew->begins);
    run(&own);
    /* Nothing is left: who has not joined need not. */
    pthread_mutex_lock(&crew->lock);
    crew->task = NULL;
    while (crew->busy)
        pthread_cond_wait(&crew->ends, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void sam_parallel_crew_free(struct sam_parallel_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->dismissed = true;
    pthread_mutex_unlock(&crew->lock);
    pthread_cond_broadcast(&crew->begins);
    while (--crew->count > 0)
        pthread_join(crew->members[crew->count].id, NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->begins);
    pthread_cond_destroy(&crew->ends);
    free(crew);
}
