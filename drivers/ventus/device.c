/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions: handles, tasks, the lock of a device. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* -------------------------------------------------------------------------------- handles */

/* The open devices of the process. A handle is a number that is never reused, not an address, so
 * that a closed or invalid handle is recognised. The interface has no context argument, so this
 * is a global variable. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t unused; /* a device lost its last user */
    struct device *first;
    unsigned serial;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .unused = PTHREAD_COND_INITIALIZER};

/* A forked process has none of the threads that run launches, and locks may be held: it starts
 * without devices, and its parent's devices are closed to it. */
static void before_fork(void)
{
    pthread_mutex_lock(&registry.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&registry.lock);
}

static void in_child(void)
{
    pthread_mutex_init(&registry.lock, NULL);
    pthread_cond_init(&registry.unused, NULL);
    registry.first = NULL;
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

enum { HANDLE_STEP = 16 };
#define HANDLE_BASE UINT32_C(0x5a000000)

/* The link to the device of a handle; NULL: there is none. Call with the registry's lock held. */
static struct device **find_link(const void *handle)
{
    struct device **link = &registry.first;
    while (*link && (*link)->handle != (uintptr_t)handle)
        link = &(*link)->next;
    return *link ? link : NULL;
}

/* The device of a handle, locked; NULL, with a message, if no open device has it. */
static struct device *acquire(const void *handle, const char *function)
{
    pthread_mutex_lock(&registry.lock);
    struct device **link = find_link(handle);
    struct device *device = link ? *link : NULL;
    if (device)
        device->users++;
    pthread_mutex_unlock(&registry.lock);
    if (device)
        pthread_mutex_lock(&device->lock);
    else
        complain("%s: %p is not an open device", function, handle);
    return device;
}

/* pocl ignores most results, so SAMITE_ABORT ends the process after the message. */
static int release(struct device *device, int code)
{
    if (code != 0 && device->environment.abort)
        abort();
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_lock(&registry.lock);
    if (--device->users == 0)
        pthread_cond_broadcast(&registry.unused);
    pthread_mutex_unlock(&registry.lock);
    return code;
}

/* The same, after all queued launches have run. */
static struct device *acquire_idle(const void *handle, const char *function)
{
    struct device *device = acquire(handle, function);
    if (device)
        queue_drain(device);
    return device;
}

/* ---------------------------------------------------------------------------------- tasks */

static struct task *find_task(const struct device *device, uint64_t id)
{
    for (size_t i = 0; i < device->task_count; i++)
        if (device->tasks[i].id == id)
            return &device->tasks[i];
    return NULL;
}

/* The address space of a task. NULL, after a message, if the task is unknown. */
static struct space *space_of(const struct device *device, uint64_t id, const char *function)
{
    const struct task *task = find_task(device, id);
    if (!task)
        complain("%s: no task %lld", function, (long long)id);
    return task ? task->space : NULL;
}

static int add_task(struct device *device, uint64_t id)
{
    void *grown =
        grow(device->tasks, device->task_count, &device->task_capacity, sizeof *device->tasks);
    if (!grown)
        return -1;
    device->tasks = grown;
    struct space *space = device->shared ? device->shared : space_new(&device->environment);
    if (!space)
        return -1;
    device->tasks[device->task_count++] = (struct task){id, space};
    return 0;
}

static void drop_task(struct device *device, struct task *task)
{
    if (task->space == device->shared)
        space_free_task(task->space, task->id);
    else
        space_free(task->space);
    *task = device->tasks[--device->task_count];
}

/* -------------------------------------------------------------------------------- opening */

static void device_free(struct device *device)
{
    if (!device)
        return;
    while (device->task_count)
        drop_task(device, &device->tasks[device->task_count - 1]);
    space_free(device->shared);
    if (device->log)
        fclose(device->log);
    measure_close(device);
    struct sam_gpu_result result = {.stats = device->total};
    sam_gpu_result_free(&result);
    environment_free(&device->environment);
    free(device->tasks);
    free(device->queue);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static struct device *device_new(void)
{
    struct device *device = calloc(1, sizeof *device);
    if (!device || pthread_mutex_init(&device->lock, NULL) != 0) {
        free(device);
        return complain("out of memory"), NULL;
    }
    bool good = environment_read(&device->environment);
    good = good && measure_open(device) == 0;
    if (good && !device->environment.sv39)
        good = (device->shared = space_new(&device->environment)) != NULL;
    if (good && add_task(device, 0) == 0)
        return device;
    device_free(device);
    return NULL;
}

int vt_dev_open(void **handle)
{
    if (!handle)
        return complain("vt_dev_open: no place for the handle");
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct device *device = device_new();
    if (!device)
        return -1;
    pthread_mutex_lock(&registry.lock);
    device->serial = ++registry.serial;
    device->handle = HANDLE_BASE + (uintptr_t)device->serial * HANDLE_STEP;
    device->next = registry.first;
    registry.first = device;
    pthread_mutex_unlock(&registry.lock);
    *handle = (void *)device->handle; /* NOLINT(performance-no-int-to-ptr): opaque to callers */
    return 0;
}

int vt_dev_close(void *handle)
{
    pthread_mutex_lock(&registry.lock);
    struct device **link = find_link(handle);
    struct device *device = link ? *link : NULL;
    if (device) { /* no longer found; calls in progress finish */
        *link = device->next;
        while (device->users)
            pthread_cond_wait(&registry.unused, &registry.lock);
    }
    pthread_mutex_unlock(&registry.lock);
    if (!device)
        return complain("vt_dev_close: %p is not an open device", handle);
    queue_drain(device);
    device_free(device);
    return 0;
}

int vt_dev_caps(void **handle, uint64_t id, uint64_t *value)
{
    if (!handle || !value)
        return complain("vt_dev_caps: no place for the handle or the value");
    struct device *device = acquire(*handle, "vt_dev_caps");
    if (!device)
        return -1;
    const uint64_t values[] = {
        [VT_CAPS_VERSION] = 0,
        [VT_CAPS_MAX_CORES] = device->environment.jobs,
        [VT_CAPS_MAX_WARPS] = SAM_MAX_WARPS,
        [VT_CAPS_MAX_THREADS] = SAM_MAX_LANES,
        [VT_CAPS_CACHE_LINE_SIZE] = 64,
        [VT_CAPS_LOCAL_MEM_SIZE] = SAM_LDS_SIZE,
        [VT_CAPS_ALLOC_BASE_ADDR] = SAM_BUFFER_BASE,
        [VT_CAPS_KERNEL_BASE_ADDR] = SAM_CODE_BASE,
    };
    int code = 0;
    if (id < sizeof values / sizeof values[0])
        *value = values[id];
    else
        code = complain("vt_dev_caps: no capability %llu: expected 0 to 7", (unsigned long long)id);
    return release(device, code);
}

/* --------------------------------------------------------------------------------- memory */

int vt_root_mem_alloc(void *handle, int task)
{
    struct device *device = acquire_idle(handle, "vt_root_mem_alloc");
    if (!device)
        return -1;
    int code = 0;
    if (task < 0)
        code = complain("vt_root_mem_alloc: task %d: expected 0 or above", task);
    else if (!find_task(device, (uint64_t)task))
        code = add_task(device, (uint64_t)task);
    return release(device, code);
}

int vt_root_mem_free(void *handle, int task)
{
    struct device *device = acquire_idle(handle, "vt_root_mem_free");
    if (!device)
        return -1;
    const bool known = space_of(device, (uint64_t)(int64_t)task, "vt_root_mem_free") != NULL;
    if (known)
        drop_task(device, find_task(device, (uint64_t)(int64_t)task));
    return release(device, known ? 0 : -1);
}

int vt_buf_alloc(void *handle, uint64_t size, uint64_t *address, int type, uint64_t task,
                 uint64_t kernel)
{
    (void)type, (void)kernel;
    struct device *device = acquire_idle(handle, "vt_buf_alloc");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_buf_alloc");
    int code = -1;
    if (space)
        code = address ? space_alloc(space, size, task, address)
                       : complain("vt_buf_alloc: no place for the address");
    return release(device, code);
}

int vt_buf_free(void *handle, uint64_t size, const uint64_t *address, uint64_t task,
                uint64_t kernel)
{
    (void)size, (void)address, (void)kernel;
    struct device *device = acquire_idle(handle, "vt_buf_free");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_buf_free");
    if (space)
        space_free_task(space, task);
    return release(device, space ? 0 : -1);
}

int vt_one_buf_free(void *handle, uint64_t size, const uint64_t *address, uint64_t task,
                    uint64_t kernel)
{
    (void)kernel;
    struct device *device = acquire_idle(handle, "vt_one_buf_free");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_one_buf_free");
    int code = -1;
    if (space && (!address || size == 0))
        complain("vt_one_buf_free: %s", address ? "a size of 0" : "no address");
    else if (space)
        code = space_free_buffer(space, *address, task);
    return release(device, code);
}

int vt_copy_to_dev(void *handle, uint64_t address, const void *data, uint64_t size, uint64_t task,
                   uint64_t kernel)
{
    (void)kernel;
    struct device *device = acquire_idle(handle, "vt_copy_to_dev");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_copy_to_dev");
    return release(device, space ? space_copy_in(space, address, data, size, task) : -1);
}

int vt_copy_from_dev(void *handle, uint64_t address, void *data, uint64_t size, uint64_t task,
                     uint64_t kernel)
{
    (void)kernel;
    struct device *device = acquire_idle(handle, "vt_copy_from_dev");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_copy_from_dev");
    return release(device, space ? space_copy_out(space, address, data, size, task) : -1);
}

/* ------------------------------------------------------------------------------- programs */

int vt_upload_kernel_file(void *handle, const char *path, int task)
{
    struct device *device = acquire_idle(handle, "vt_upload_kernel_file");
    if (!device)
        return -1;
    struct space *space = space_of(device, (uint64_t)(int64_t)task, "vt_upload_kernel_file");
    const int code = space ? program_upload_file(space, path, "vt_upload_kernel_file") : -1;
    return release(device, code);
}

int vt_upload_kernel_bytes(void *handle, const void *bytes, uint64_t size, int task)
{
    struct device *device = acquire_idle(handle, "vt_upload_kernel_bytes");
    if (!device)
        return -1;
    struct space *space = space_of(device, (uint64_t)(int64_t)task, "vt_upload_kernel_bytes");
    void *copy = NULL;
    int code = -1;
    if (space && (!bytes || size == 0 || size > MAX_PROGRAM))
        complain("vt_upload_kernel_bytes: a program of %llu bytes at %p: expected 1 to %d",
                 (unsigned long long)size, bytes, MAX_PROGRAM);
    else if (space && !(copy = malloc(size)))
        complain("out of memory");
    else if (space) {
        memcpy(copy, bytes, size);
        code = program_upload(space, copy, size, NULL);
    }
    return release(device, code);
}

/* ------------------------------------------------------------------------------- launches */

int vt_start(void *handle, void *metadata, uint64_t task)
{
    struct device *device = acquire(handle, "vt_start");
    if (!device)
        return -1;
    struct space *space = space_of(device, task, "vt_start");
    int code = -1;
    if (space && !metadata) {
        complain("vt_start: no metadata");
    } else if (space) {
        uint64_t meta[VT_META_WORDS];
        memcpy(meta, metadata, sizeof meta);
        code = queue_check(device, space, meta);
        if (code == 0)
            code = queue_add(device, space, meta);
    }
    return release(device, code);
}

static int wait(void *handle, const char *function)
{
    struct device *device = acquire_idle(handle, function);
    return device ? release(device, queue_settle(device)) : -1;
}

int vt_ready_wait(void *handle, uint64_t milliseconds)
{
    (void)milliseconds;
    return wait(handle, "vt_ready_wait");
}

int vt_finish_all_kernel(void *handle, void *queue)
{
    (void)queue;
    return wait(handle, "vt_finish_all_kernel");
}

int vt_dump_perf(void *handle, FILE *stream)
{
    struct device *device = acquire_idle(handle, "vt_dump_perf");
    if (!device)
        return -1;
    if (!stream)
        return release(device, complain("vt_dump_perf: no stream"));
    queue_report(device, stream);
    return release(device, ferror(stream) ? complain("vt_dump_perf: cannot write") : 0);
}
