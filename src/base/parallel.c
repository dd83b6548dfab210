/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Time a thread spins for new work before it sleeps. Waking a thread takes the host 5 to 50 us,
 * part of it in the waking thread. */
#define LOOK_NS 50000

struct member {
    struct sam_parallel_crew *crew;
    struct worker worker;
    pthread_t id;
};

struct sam_parallel_crew {
    pthread_mutex_t lock; /* guards the fields below; atomics are also read without it */
    pthread_cond_t begins, ends;
    struct task *task;  /* NULL if no task can be joined */
    unsigned wanted;    /* members with a lower number join the task, once */
    atomic_ulong tasks; /* number of the latest */
    atomic_uint busy;   /* members that have joined the task */
    unsigned calls;     /* sam_parallel_crew_call */
    unsigned count;     /* members, numbered from 1 */
    atomic_bool dismissed;
    long processors; /* of the host: spinning is harmful if there are too few */
    pid_t process;   /* owner of the members */
    struct member members[SAM_MAX_THREADS];
};

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Spin until `over` is true or the time is up, if the host can run `threads` threads. */
static void look_for(struct sam_parallel_crew *crew, unsigned threads,
                     bool (*over)(struct sam_parallel_crew *crew, unsigned long seen),
                     unsigned long seen)
{
    enum { LOOKS = 64 };
    if (threads > crew->processors)
        return;
    for (const long long end = now() + LOOK_NS; now() < end;) {
        for (int i = 0; i < LOOKS; i++) {
            if (over(crew, seen))
                return;
            rest();
        }
    }
}

static bool has_begun(struct sam_parallel_crew *crew, unsigned long seen)
{
    return atomic_load_explicit(&crew->tasks, memory_order_relaxed) != seen ||
           atomic_load_explicit(&crew->dismissed, memory_order_relaxed);
}

static bool has_ended(struct sam_parallel_crew *crew, unsigned long seen)
{
    (void)seen;
    return atomic_load_explicit(&crew->busy, memory_order_relaxed) == 0;
}

static void *serve(void *argument);

/* Start one more member, up to `threads` including the caller. Requires the lock. */
static void grow(struct sam_parallel_crew *crew, unsigned threads)
{
    if (crew->count >= threads)
        return;
    struct member *member = &crew->members[crew->count];
    *member = (struct member){.crew = crew, .worker = {NULL, crew->count}};
    if (pthread_create(&member->id, NULL, serve, member) == 0)
        crew->count++;
}

/* Wait for a task that the member has not seen. Requires the lock. Returns false on shutdown. */
static bool await(struct member *member, unsigned long seen)
{
    struct sam_parallel_crew *crew = member->crew;
    unsigned calls = crew->calls - 1;
    while (!crew->dismissed &&
           (!crew->task || crew->tasks == seen || member->worker.index >= crew->wanted)) {
        if (calls == crew->calls) {
            pthread_cond_wait(&crew->begins, &crew->lock);
            continue;
        }
        calls = crew->calls;
        const unsigned threads = crew->count;
        const unsigned long last = crew->tasks;
        pthread_mutex_unlock(&crew->lock);
        look_for(crew, threads, has_begun, last);
        pthread_mutex_lock(&crew->lock);
    }
    return !crew->dismissed;
}

static void *serve(void *argument)
{
    struct member *member = argument;
    struct sam_parallel_crew *crew = member->crew;
    unsigned long seen = 0;
    free(malloc(1)); /* let the C library set up a heap for the thread */
    pthread_mutex_lock(&crew->lock);
    while (await(member, seen)) {
        seen = crew->tasks;
        member->worker.task = crew->task;
        crew->busy++;
        grow(crew, crew->wanted); /* members start each other, so that the caller need not start
                                     all */
        pthread_mutex_unlock(&crew->lock);
        run(&member->worker);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->ends);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* A crew without members. */
static void begin(struct sam_parallel_crew *crew)
{
    crew->count = 1; /* the caller is number 0 */
    crew->processors = sysconf(_SC_NPROCESSORS_ONLN);
    crew->process = getpid();
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begins, NULL);
    pthread_cond_init(&crew->ends, NULL);
}

/* A forked process has the crew but not its threads, one of which may have held the lock: start
 * over. */
static void follow_fork(struct sam_parallel_crew *crew)
{
    if (crew->process == getpid())
        return;
    memset(crew, 0, sizeof *crew);
    begin(crew);
}

struct sam_parallel_crew *sam_parallel_crew_new(void)
{
    struct sam_parallel_crew *crew = calloc(1, sizeof *crew);
    if (crew)
        begin(crew);
    return crew;
}

void sam_parallel_crew_call(struct sam_parallel_crew *crew)
{
    follow_fork(crew);
    pthread_mutex_lock(&crew->lock);
    grow(crew, 2);
    crew->calls++;
    pthread_mutex_unlock(&crew->lock);
    pthread_cond_broadcast(&crew->begins);
}

void sam_parallel_crew_run(struct sam_parallel_crew *crew, unsigned threads, size_t count,
                           void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    struct task task = {.work = work, .context = context, .count = count};
    struct worker own = {&task, 0};
    follow_fork(crew);
    if (threads > SAM_MAX_THREADS)
        threads = SAM_MAX_THREADS;
    if (threads > count)
        threads = (unsigned)count;
    atomic_init(&task.next, 0);
    pthread_mutex_lock(&crew->lock);
    grow(crew, threads < 2 ? threads : 2);
    crew->task = threads > 1 ? &task : NULL;
    crew->wanted = threads;
    crew->tasks++;
    pthread_mutex_unlock(&crew->lock);
    if (threads > 1)
        pthread_cond_broadcast(&crew->begins);
    run(&own);
    /* No work is left: members that have not joined need not. */
    pthread_mutex_lock(&crew->lock);
    crew->task = NULL;
    const unsigned busy = crew->busy;
    pthread_mutex_unlock(&crew->lock);
    if (!busy)
        return;
    look_for(crew, busy + 1, has_ended, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy)
        pthread_cond_wait(&crew->ends, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void sam_parallel_crew_free(struct sam_parallel_crew *crew)
{
    if (!crew)
        return;
    follow_fork(crew);
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
