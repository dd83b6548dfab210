/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"
#include "machine/machine.h"

#include <pthread.h>
#include <stdlib.h>

#define CHUNK_BITS 16
#define CHUNK_SIZE (UINT64_C(1) << CHUNK_BITS)

#define SLAB_CHUNKS 64 /* chunks allocated together; the host zero-fills pages on first touch */

#define SLAB_SIZE (SLAB_CHUNKS * CHUNK_SIZE)

/* Total size of buffers from which new slabs use huge pages. The host zeroes a huge page as a
 * whole, which takes as long as 25 to 500 faults on small pages. */
#define DENSE_BYTES  (UINT64_C(1) << 19)
#define DENSE_CHUNKS 4 /* chunks per such slab: large buffers may be sparsely used */

struct slab {
    struct slab *next;
    uint8_t *bytes;
    unsigned used; /* chunks in use */
    bool dense;
};

/* A hash table of chunks with open addressing; chunks never move. Threads look up chunks without a
 * lock: a slot's number, which is atomic, is set after its bytes. */
struct slot {
    uint64_t number; /* 1 + address >> CHUNK_BITS; 0: free slot */
    uint8_t *bytes;
};

struct table {
    struct table *smaller; /* replaced by it; other threads may still read that */
    size_t count;          /* number of slots, a power of two */
    struct slot slots[];
};

struct sam_memory {
    struct sam_memory_rules rules;
    struct table *table;        /* atomic */
    struct sam_region *regions; /* sorted, disjoint */
    size_t region_count;
    size_t region_capacity;
    uint8_t apart[SAM_APART]; /* keeps mutable fields off the cache line of read-only ones */
    pthread_mutex_t lock;     /* to add chunks */
    size_t used;              /* slots in use */
    struct slab *slabs;       /* newest first */
};

/* Returns NULL on out-of-memory. */
static struct table *new_table(size_t count, struct table *smaller)
{
    struct table *table = sam_alloc(1, sizeof *table + count * sizeof *table->slots);
    if (table) {
        table->smaller = smaller;
        table->count = count;
    }
    return table;
}

struct sam_memory *sam_memory_new(const struct sam_memory_rules *rules)
{
    struct sam_memory *memory = sam_alloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->rules = *rules;
    memory->table = new_table(64, NULL);
    if (!memory->table || pthread_mutex_init(&memory->lock, NULL) != 0) {
        free(memory->table);
        free(memory);
        return NULL;
    }
    return memory;
}

void sam_memory_free(struct sam_memory *memory)
{
    if (!memory)
        return;
    for (struct slab *slab = memory->slabs, *next; slab; slab = next) {
        next = slab->next;
        sam_pages_free(slab->bytes, SLAB_SIZE);
        free(slab);
    }
    for (struct table *table = memory->table, *smaller; table; table = smaller) {
        smaller = table->smaller;
        free(table);
    }
    free(memory->regions);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

const struct sam_memory_rules *sam_memory_rules(const struct sam_memory *memory)
{
    return &memory->rules;
}

/* Index of the first region that ends above `address`. */
static size_t region_above(const struct sam_memory *memory, uint64_t address)
{
    size_t low = 0;
    SAM_SEARCH(low, memory->region_count, i,
               memory->regions[i].base + (memory->regions[i].size - 1) < address);
    return low;
}

const struct sam_region *sam_memory_find(const struct sam_memory *memory, uint64_t address)
{
    size_t at = region_above(memory, address);
    if (at < memory->region_count && memory->regions[at].base <= address)
        return &memory->regions[at];
    return NULL;
}

const struct sam_region *sam_memory_next(const struct sam_memory *memory, uint64_t address)
{
    size_t at = region_above(memory, address);
    return at < memory->region_count ? &memory->regions[at] : NULL;
}

void sam_memory_set_slack(struct sam_memory *memory, uint64_t base, uint64_t slack)
{
    memory->regions[region_above(memory, base)].slack = slack;
}

void sam_memory_set_input(struct sam_memory *memory, uint64_t base, unsigned input)
{
    memory->regions[region_above(memory, base)].input = input;
}

static enum sam_status check_wrap(uint64_t base, uint64_t size, struct sam_error *error)
{
    if (size && size - 1 > UINT64_MAX - base)
        return sam_fail(error, SAM_ERR_USAGE, "buffer 0x%llx..+0x%llx wraps the address space",
                        (unsigned long long)base, (unsigned long long)size);
    return SAM_OK;
}

/* Insert a region before the one at index `at`. */
static enum sam_status insert_region(struct sam_memory *memory, size_t at, uint64_t base,
                                     uint64_t size, struct sam_error *error)
{
    void *grown = sam_grow(memory->regions, memory->region_count, &memory->region_capacity,
                           sizeof *memory->regions);
    if (!grown)
        return sam_fail_memory(error);
    memory->regions = grown;
    memmove(memory->regions + at + 1, memory->regions + at,
            (memory->region_count - at) * sizeof *memory->regions);
    memory->regions[at] = (struct sam_region){.base = base, .size = size};
    memory->region_count++;
    return SAM_OK;
}

enum sam_status sam_memory_map(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error)
{
    enum sam_status status = check_wrap(base, size, error);
    if (status != SAM_OK || size == 0)
        return status;
    size_t at = region_above(memory, base);
    struct sam_region *r = at < memory->region_count ? &memory->regions[at] : NULL;
    if (r && r->base <= base && size <= r->size - (base - r->base))
        return SAM_OK;
    bool grows = r && r->base == base;
    const struct sam_region *next = grows ? (at + 1 < memory->region_count ? r + 1 : NULL) : r;
    if (next && next->base <= base + (size - 1))
        return sam_fail(error, SAM_ERR_USAGE,
                        "buffer 0x%llx..+0x%llx overlaps buffer 0x%llx..+0x%llx",
                        (unsigned long long)base, (unsigned long long)size,
                        (unsigned long long)next->base, (unsigned long long)next->size);
    if (grows) {
        r->size = size;
        return SAM_OK;
    }
    return insert_region(memory, at, base, size, error);
}

enum sam_status sam_memory_add(struct sam_memory *memory, uint64_t base, uint64_t size,
                               struct sam_error *error)
{
    enum sam_status status = check_wrap(base, size, error);
    if (status != SAM_OK || size == 0)
        return status;
    uint64_t last = base + (size - 1);
    size_t at = region_above(memory, base ? base - 1 : 0), end = at;
    while (end < memory->region_count &&
           memory->regions[end].base <= (last == UINT64_MAX ? last : last + 1)) {
        const struct sam_region *r = &memory->regions[end++];
        uint64_t r_last = r->base + (r->size - 1);
        base = r->base < base ? r->base : base;
        last = r_last > last ? r_last : last;
    }
    if (at == end)
        return insert_region(memory, at, base, size, error);
    if (base == 0 && last == UINT64_MAX)
        return sam_fail(error, SAM_ERR_USAGE, "a buffer of all 2^64 bytes");
    memory->regions[at] = (struct sam_region){.base = base, .size = last - base + 1};
    memmove(memory->regions + at + 1, memory->regions + end,
            (memory->region_count - end) * sizeof *memory->regions);
    memory->region_count -= end - at - 1;
    return SAM_OK;
}

/* The size of the part of [address, address + size) in the first chunk. */
static size_t chunk_part(uint64_t address, uint64_t size)
{
    uint64_t rest = CHUNK_SIZE - (address & (CHUNK_SIZE - 1));
    return (size_t)(size < rest ? size : rest);
}

/* The slot of a chunk, or the free slot for it. */
static struct slot *find_slot(struct table *table, uint64_t number)
{
    const size_t mask = table->count - 1;
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        const uint64_t its = __atomic_load_n(&table->slots[at].number, __ATOMIC_ACQUIRE);
        if (!its || its == number)
            return &table->slots[at];
    }
}

/* Host address of the byte at `address` if its chunk is allocated, else NULL. */
static uint8_t *find_host(struct sam_memory *memory, uint64_t address)
{
    const uint64_t number = (address >> CHUNK_BITS) + 1;
    struct table *table = __atomic_load_n(&memory->table, __ATOMIC_ACQUIRE);
    const struct slot *slot = find_slot(table, number);
    if (__atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != number)
        return NULL; /* another thread may just have filled the free slot */
    return slot->bytes + (address & (CHUNK_SIZE - 1));
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return !size || (!bytes[0] && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Zero bytes of one chunk. Also releases the first and last page if the rest of it is zero. */
static void release_part(uint8_t *host, size_t size)
{
    const size_t head = (uintptr_t)host & (SAM_PAGE_SIZE - 1);
    const size_t tail = -((uintptr_t)host + size) & (SAM_PAGE_SIZE - 1);
    if (is_zero(host - head, head)) {
        host -= head;
        size += head;
    }
    if (is_zero(host + size, tail))
        size += tail;
    sam_pages_clear(host, size);
}

void sam_memory_clear(struct sam_memory *memory, uint64_t base, uint64_t size)
{
    while (size) {
        const size_t part = chunk_part(base, size);
        uint8_t *host = find_host(memory, base);
        if (host)
            release_part(host, part);
        base += part;
        size -= part;
    }
}

enum sam_status sam_memory_unmap(struct sam_memory *memory, uint64_t base, struct sam_error *error)
{
    const size_t at = region_above(memory, base);
    if (at == memory->region_count || memory->regions[at].base != base)
        return sam_fail(error, SAM_ERR_USAGE, "no buffer begins at 0x%llx",
                        (unsigned long long)base);
    sam_memory_clear(memory, base, memory->regions[at].size);
    memmove(memory->regions + at, memory->regions + at + 1,
            (memory->region_count - at - 1) * sizeof *memory->regions);
    memory->region_count--;
    return SAM_OK;
}

uint64_t sam_memory_gap(const struct sam_memory *memory, uint64_t from, uint64_t limit,
                        uint64_t size, uint64_t guard)
{
    const uint64_t align = SAM_PAGE_SIZE;
    uint64_t at = (from + align - 1) / align * align;
    const uint64_t before = at < guard ? 0 : at - guard;
    for (size_t i = region_above(memory, before); i < memory->region_count; i++) {
        const struct sam_region *r = &memory->regions[i];
        if (r->base >= at && r->base - at >= size + guard)
            break;
        const uint64_t last = r->base + (r->size - 1);
        if (last >= limit)
            return 0;
        at = (last + guard + align) / align * align;
    }
    return at <= limit && limit - at >= size ? at : 0;
}

static bool grow_table(struct sam_memory *memory)
{
    struct table *old = memory->table, *grown = new_table(old->count * 2, old);
    if (!grown)
        return false;
    for (size_t i = 0; i < old->count; i++)
        if (old->slots[i].number)
            *find_slot(grown, old->slots[i].number) = old->slots[i];
    __atomic_store_n(&memory->table, grown, __ATOMIC_RELEASE);
    return true;
}

static bool is_dense(const struct sam_memory *memory)
{
    uint64_t size = 0;
    if (memory->used < DENSE_CHUNKS)
        return false;
    for (size_t i = 0; i < memory->region_count && size < DENSE_BYTES; i++)
        size += memory->regions[i].size;
    return size >= DENSE_BYTES;
}

static uint8_t *new_chunk(struct sam_memory *memory)
{
    struct slab *slab = memory->slabs;
    const bool dense = (slab && slab->dense) || is_dense(memory);
    if (!slab || slab->used == SLAB_CHUNKS || slab->dense != dense) {
        slab = sam_alloc(1, sizeof *slab);
        uint8_t *bytes = dense ? sam_pages_new_dense(SLAB_SIZE) : sam_pages_new(SLAB_SIZE);
        if (!slab || !bytes) {
            sam_pages_free(bytes, SLAB_SIZE);
            free(slab);
            return NULL;
        }
        *slab = (struct slab){.next = memory->slabs, .bytes = bytes, .dense = dense};
        memory->slabs = slab;
    }
    return slab->bytes + CHUNK_SIZE * slab->used++;
}

/* Allocate the chunk of `address` unless another thread has. */
static void add_chunk(struct sam_memory *memory, uint64_t address)
{
    const uint64_t number = (address >> CHUNK_BITS) + 1;
    pthread_mutex_lock(&memory->lock);
    if (memory->used * 2 < memory->table->count || grow_table(memory)) {
        struct slot *slot = find_slot(memory->table, number);
        if (!slot->number && (slot->bytes = new_chunk(memory))) {
            __atomic_store_n(&slot->number, number, __ATOMIC_RELEASE);
            memory->used++;
        }
    }
    pthread_mutex_unlock(&memory->lock);
}

uint8_t *sam_memory_host(struct sam_memory *memory, uint64_t address)
{
    uint8_t *host = find_host(memory, address);
    if (host)
        return host;
    add_chunk(memory, address);
    return find_host(memory, address);
}

uint8_t *sam_memory_run(struct sam_memory *memory, uint64_t address, size_t *size)
{
    uint8_t *host = sam_memory_host(memory, address);
    size_t run = chunk_part(address, *size);
    while (host && run < *size && sam_memory_host(memory, address + run) == host + run)
        run += chunk_part(address + run, *size - run);
    *size = run;
    return host;
}

bool sam_memory_write(struct sam_memory *memory, uint64_t address, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size) {
        size_t part = chunk_part(address, size);
        uint8_t *host = sam_memory_host(memory, address);
        if (!host)
            return false;
        memcpy(host, from, part);
        from += part;
        address += part;
        size -= part;
    }
    return true;
}

void sam_memory_read(struct sam_memory *memory, uint64_t address, void *data, size_t size)
{
    uint8_t *to = data;
    while (size) {
        size_t part = chunk_part(address, size);
        const uint8_t *host = find_host(memory, address);
        if (host)
            memcpy(to, host, part);
        else
            memset(to, 0, part);
        to += part;
        address += part;
        size -= part;
    }
}

uint64_t sam_memory_skip_untouched(struct sam_memory *memory, uint64_t address, uint64_t end)
{
    while (address < end && !find_host(memory, address))
        address += chunk_part(address, end - address);
    return address;
}

bool sam_tlb_init(struct sam_tlb *tlb)
{
    tlb->entries = sam_pages_new(SAM_TLB_ENTRIES * sizeof *tlb->entries);
    return tlb->entries != NULL;
}

void sam_tlb_release(struct sam_tlb *tlb)
{
    sam_pages_free(tlb->entries, SAM_TLB_ENTRIES * sizeof *tlb->entries);
    tlb->entries = NULL;
}

void sam_tlb_clear(struct sam_tlb *tlb)
{
    sam_pages_clear(tlb->entries, SAM_TLB_ENTRIES * sizeof *tlb->entries);
    tlb->gap.size = 0;
    tlb->exhausted = false;
}
