/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the translator, keeps what it made, and runs it on a thread of its own. */
#include "machine/jit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cache.h"
#include "base/cpu.h"
#include "machine/fpenv.h"
#include "samite/jit.h"
#include "samite/version.h"

enum {
    THRESHOLD = 20000,
    PATIENCE = 8192, /* instructions per execution of the threshold */
};

struct sam_jit {
    bool waits, keeps;
    uint32_t threshold;
    char *path;           /* of the library */
    pthread_mutex_t lock; /* guards the fields below, except `ends` */
    pthread_cond_t more;
    const struct sam_jit_library *library; /* once loaded */
    bool loaded;                           /* or it cannot be */
    bool started;
    bool ends; /* atomic */
    pthread_t thread;
    struct sam_jit_region *regions; /* the newest first */
};

static const char *library_path(void)
{
    const char *given = getenv("SAMITE_JIT_LIBRARY");
    return given ? given : "libsamite-jit.so";
}

/* The library stays loaded: it may be in use by another, and to load it takes long. */
static enum sam_status load(const char *path, const struct sam_jit_library **out,
                            struct sam_error *error)
{
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *out = NULL;
    if (!loaded) {
        const char *reason = dlerror();
        return sam_fail(error, SAM_ERR_IO, "%s", reason ? reason : path);
    }
    const struct sam_jit_library *library = dlsym(loaded, SAM_JIT_SYMBOL);
    if (library && strcmp(library->version, sam_version()) == 0 &&
        library->loop_size == sizeof(struct sam_jit_loop) &&
        library->core_size == sizeof(struct sam_core)) {
        *out = library;
        return SAM_OK;
    }
    if (!library)
        sam_fail(error, SAM_ERR_INPUT, "%s: expected the symbol %s", path, SAM_JIT_SYMBOL);
    else
        sam_fail(error, SAM_ERR_INPUT, "%s: of samite %s, expected this build of %s", path,
                 library->version, sam_version());
    dlclose(loaded);
    return SAM_ERR_INPUT;
}

enum sam_status sam_jit_check(struct sam_error *error)
{
    const struct sam_jit_library *library;
    return load(library_path(), &library, error);
}

/* Map the image as code. */
static bool map(struct sam_jit_region *region, const struct sam_jit_image *image)
{
    void *bytes =
        mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    memcpy(bytes, image->bytes, image->size);
    if (mprotect(bytes, image->size, PROT_READ | PROT_EXEC) != 0) {
        munmap(bytes, image->size);
        return false;
    }
    region->mapping = bytes;
    region->size = image->size;
    region->code = (sam_jit_code *)((uintptr_t)bytes + image->entry);
    return true;
}

static void set_state(struct sam_jit_region *region, enum sam_jit_state state)
{
    __atomic_store_n(&region->state, state, __ATOMIC_RELEASE);
}

/* Only one thread translates at a time. */
static void translate(struct sam_jit *jit, struct sam_jit_region *region)
{
    struct sam_jit_image image = {0};
    if (!jit->loaded)
        load(jit->path, &jit->library, NULL);
    jit->loaded = true;
    const bool done =
        jit->library && jit->library->translate(&region->loop, sam_cpu_level(), &jit->ends, &image);
    if (done)
        sam_jit_keep(jit->path, jit->library, &region->loop, &image);
    set_state(region, done && map(region, &image) ? SAM_JIT_READY : SAM_JIT_FAILED);
    free(image.bytes);
}

/* The oldest region that is not translated yet. */
static struct sam_jit_region *pending(const struct sam_jit *jit)
{
    struct sam_jit_region *oldest = NULL;
    for (struct sam_jit_region *r = jit->regions; r; r = r->next)
        if (sam_jit_state(r) == SAM_JIT_PENDING)
            oldest = r;
    return oldest;
}

static void *work(void *context)
{
    struct sam_jit *jit = context;
    pthread_mutex_lock(&jit->lock);
    while (!__atomic_load_n(&jit->ends, __ATOMIC_RELAXED)) {
        struct sam_jit_region *region = pending(jit);
        if (!region) {
            pthread_cond_wait(&jit->more, &jit->lock);
            continue;
        }
        pthread_mutex_unlock(&jit->lock);
        translate(jit, region);
        pthread_mutex_lock(&jit->lock);
    }
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

/* "wait", "auto" or either with ",N". */
static bool parse(struct sam_jit *jit, const char *text)
{
    if (strncmp(text, "auto", 4) != 0 && strncmp(text, "wait", 4) != 0)
        return false;
    jit->waits = text[0] == 'w';
    jit->threshold = THRESHOLD;
    if (!text[4])
        return true;
    uint64_t number = 0;
    const char *at = text + 5;
    for (; text[4] == ',' && *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    jit->threshold = (uint32_t)number;
    return at != text + 5 && !*at && number && number <= UINT32_MAX;
}

struct sam_jit *sam_jit_new(void)
{
    const char *text = getenv("SAMITE_JIT");
    struct sam_jit *jit = text ? sam_alloc(1, sizeof *jit) : NULL;
    if (!jit)
        return NULL;
    jit->path = sam_strdup(library_path());
    if (!jit->path || !parse(jit, text)) {
        free(jit->path);
        free(jit);
        return NULL;
    }
    jit->keeps = sam_cache_exists(SAM_JIT_KEPT);
    pthread_mutex_init(&jit->lock, NULL);
    pthread_cond_init(&jit->more, NULL);
    return jit;
}

void sam_jit_free(struct sam_jit *jit)
{
    if (!jit)
        return;
    pthread_mutex_lock(&jit->lock);
    __atomic_store_n(&jit->ends, true, __ATOMIC_RELAXED);
    pthread_cond_signal(&jit->more);
    pthread_mutex_unlock(&jit->lock);
    if (jit->started)
        pthread_join(jit->thread, NULL);
    for (struct sam_jit_region *r = jit->regions, *next; r; r = next) {
        next = r->next;
        if (r->mapping)
            munmap(r->mapping, r->size);
        free(r);
    }
    pthread_mutex_destroy(&jit->lock);
    pthread_cond_destroy(&jit->more);
    free(jit->path);
    free(jit);
}

uint32_t sam_jit_threshold(const struct sam_jit *jit)
{
    return jit->threshold;
}

uint64_t sam_jit_patience(const struct sam_jit *jit)
{
    return jit->waits ? 0 : (uint64_t)(jit->threshold - 1) * PATIENCE;
}

bool sam_jit_keeps(const struct sam_jit *jit)
{
    return jit->keeps;
}

unsigned sam_jit_count(struct sam_jit *jit)
{
    unsigned count = 0;
    pthread_mutex_lock(&jit->lock);
    for (const struct sam_jit_region *r = jit->regions; r; r = r->next)
        count += sam_jit_state(r) == SAM_JIT_READY;
    pthread_mutex_unlock(&jit->lock);
    return count;
}

/* Add a region, with the lock held. */
static struct sam_jit_region *add(struct sam_jit *jit, const struct sam_jit_loop *loop)
{
    struct sam_jit_image image = {0};
    struct sam_jit_region *region = sam_alloc(1, sizeof *region);
    if (!region)
        return NULL;
    region->loop = *loop;
    region->next = jit->regions;
    jit->regions = region;
    if (jit->keeps && sam_jit_get_kept(jit->path, loop, &image) && map(region, &image))
        set_state(region, SAM_JIT_READY);
    free(image.bytes);
    return region;
}

/* Have a region translated, with the lock held. */
static void begin(struct sam_jit *jit, struct sam_jit_region *region)
{
    set_state(region, SAM_JIT_PENDING);
    if (jit->waits) {
        const sam_host_fp host = sam_host_fp_enter(); /* the program's flags */
        translate(jit, region);
        sam_host_fp_leave(host);
        return;
    }
    if (!jit->started)
        jit->started = pthread_create(&jit->thread, NULL, work, jit) == 0;
    pthread_cond_signal(&jit->more);
}

struct sam_jit_region *sam_jit_find(struct sam_jit *jit, const struct sam_jit_loop *loop,
                                    bool translates)
{
    pthread_mutex_lock(&jit->lock);
    struct sam_jit_region *region = jit->regions;
    /* Loops are cleared before they are filled.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
    while (region && memcmp(&region->loop, loop, sizeof *loop) != 0)
        region = region->next;
    if (!region)
        region = add(jit, loop);
    if (region && translates && sam_jit_state(region) == SAM_JIT_ABSENT)
        begin(jit, region);
    pthread_mutex_unlock(&jit->lock);
    return region;
}
