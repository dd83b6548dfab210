/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch. In an optimised build a handler tail-calls the next one, which compiles to a jump; in
 * debug and sanitizer builds, where compilers do not guarantee that, it returns the next micro-op
 * to a loop. Only this file differs between the two. */
#ifndef SAM_THREADS_H
#define SAM_THREADS_H

#include "machine/machine.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SAM_SANITIZED 1
#elif defined(__has_feature)
#define SAM_SANITIZED                                                                              \
    (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                        \
     __has_feature(thread_sanitizer))
#else
#define SAM_SANITIZED 0
#endif

/* The handlers as bitcode for src/jit: they return the next micro-op, or NULL to leave. */
#if !defined(SAM_TRANSLATED)
#define SAM_TRANSLATED 0
#endif

#if !defined(SAM_TAIL_CALLS)
#if !SAM_TRANSLATED && defined(__OPTIMIZE__) && !SAM_SANITIZED && !defined(SAM_NO_TAIL_CALLS)
#define SAM_TAIL_CALLS 1
#else
#define SAM_TAIL_CALLS 0
#endif
#endif

#if defined(__clang__) && SAM_TAIL_CALLS
#define SAM_MUSTTAIL __attribute__((musttail))
#else
#define SAM_MUSTTAIL
#endif

#define SAM_HANDLER_ARGS                                                                           \
    struct sam_core *c, const struct sam_uop *op, const struct sam_uop *entry, int64_t left
#define SAM_HANDLER(name) static const struct sam_uop *name(SAM_HANDLER_ARGS)

#if SAM_TAIL_CALLS
#define SAM_GO(next) SAM_MUSTTAIL return (next)->fn(c, (next), entry, left)
#else
#define SAM_GO(next) return c->loop_entry = entry, c->loop_left = left, (next)
#endif

/* Continue with the next instruction. */
#define SAM_NEXT() SAM_GO(op + 1)

/* Continue at a micro-op of the same page. */
#define SAM_JUMP(target)                                                                           \
    do {                                                                                           \
        left -= op - entry + 1;                                                                    \
        entry = (target);                                                                          \
        if (SAM_UNLIKELY(left <= 0))                                                               \
            return sam_stop_at(c, entry, left);                                                    \
        SAM_GO(entry);                                                                             \
    } while (0)

/* Continue at any pc, passed in c->pc: tail calls need the same signature. */
#define SAM_JUMP_PC(target)                                                                        \
    do {                                                                                           \
        c->pc = (target);                                                                          \
        SAM_MUSTTAIL return sam_go_to(c, op, entry, left);                                         \
    } while (0)

/* Trap. SAM_TRAP_SET: with c->cause and c->tval already set. */
#define SAM_TRAP(why, value)                                                                       \
    do {                                                                                           \
        c->cause = (why);                                                                          \
        c->tval = (value);                                                                         \
        SAM_TRAP_SET();                                                                            \
    } while (0)
#define SAM_TRAP_SET() SAM_MUSTTAIL return sam_stop_trap(c, op, entry, left)
/* Trap as illegal. Fetches the word out of line, so that handlers need no stack frame. */
#define SAM_TRAP_ILLEGAL() SAM_MUSTTAIL return sam_stop_illegal(c, op, entry, left)

const struct sam_uop *sam_stop_at(struct sam_core *c, const struct sam_uop *next, int64_t left);
/* Stop before `op`: SAM_EXIT_STOP. */
const struct sam_uop *sam_stop_before(struct sam_core *c, const struct sam_uop *op,
                                      const struct sam_uop *entry, int64_t left);
/* Jump from `op` to c->pc. */
const struct sam_uop *sam_go_to(struct sam_core *c, const struct sam_uop *op,
                                const struct sam_uop *entry, int64_t left);
const struct sam_uop *sam_stop_trap(struct sam_core *c, const struct sam_uop *op,
                                    const struct sam_uop *entry, int64_t left);
const struct sam_uop *sam_stop_illegal(struct sam_core *c, const struct sam_uop *op,
                                       const struct sam_uop *entry, int64_t left);
/* Stop with an event after the instruction, which is counted; the next one is at `next_pc`. */
const struct sam_uop *sam_stop_event(struct sam_core *c, const struct sam_uop *op,
                                     const struct sam_uop *entry, int64_t left, unsigned event,
                                     uint64_t next_pc);

/* The pc of a micro-op: computed from its index in the page or, out of line, as recorded on
 * entry. */
static inline uint64_t sam_pc_of(const struct sam_core *c, const struct sam_uop *op)
{
    uintptr_t offset = (uintptr_t)op - (uintptr_t)c->ops;
    return offset < SAM_PAGE_OPS * sizeof *op ? c->page_pc + offset / sizeof *op * 4 : c->line_pc;
}

/* Instructions retired before `op`. */
static inline uint64_t sam_retired_at(const struct sam_core *c, const struct sam_uop *op,
                                      const struct sam_uop *entry, int64_t left)
{
    return c->retired + (uint64_t)(c->quantum - left + (op - entry));
}

/* A condition that holds and is not tested. */
#if SAM_TRANSLATED
#define SAM_ASSUME(condition) __builtin_assume(condition)
#else
#define SAM_ASSUME(condition) (void)0
#endif

/* The host address of an access if it is aligned and in the page last accessed, else NULL. */
static inline uint8_t *sam_last_find(const struct sam_core *c, uint64_t address, unsigned size)
{
    if (!SAM_TRANSLATED ||
        SAM_UNLIKELY((address & ~(uint64_t)(SAM_PAGE_SIZE - size)) != c->last->base))
        return NULL;
    uint8_t *host = (uint8_t *)((uintptr_t)c->last->host + (uintptr_t)address);
    SAM_ASSUME(host);
    return host;
}

static inline void sam_last_set(const struct sam_core *c, uint64_t address, uint32_t limit,
                                uint8_t *page)
{
    if (!SAM_TRANSLATED || limit != SAM_PAGE_SIZE)
        return;
    c->last->base = address & ~(uint64_t)(SAM_PAGE_SIZE - 1);
    c->last->host = (uint8_t *)((uintptr_t)page - (uintptr_t)c->last->base);
}

/* --- memory, the fast path. NULL: use sam_access_slow. XLEN 32. */
static inline uint8_t *sam_fast32(const struct sam_core *c, uint32_t address, unsigned size,
                                  bool write)
{
    uint8_t *last = sam_last_find(c, address, size);
    if (SAM_LIKELY(last))
        return last;
    const struct sam_tlb_entry *page = &c->entries[address >> 12];
    uint32_t offset = address & (SAM_PAGE_SIZE - 1);
    uint32_t limit = write ? page->write_limit : page->read_limit;
    if (SAM_LIKELY(offset + size <= limit && !(address & (size - 1)))) {
        SAM_ASSUME(page->host);
        sam_last_set(c, address, limit, page->host);
        return page->host + offset;
    }
    return NULL;
}

static inline uint8_t *sam_fast64(const struct sam_core *c, uint64_t address, unsigned size,
                                  bool write)
{
    uint8_t *last = sam_last_find(c, address, size);
    if (SAM_LIKELY(last))
        return last;
    const struct sam_tlb_entry *page = &c->entries[(uint32_t)address >> 12];
    uint32_t offset = (uint32_t)address & (SAM_PAGE_SIZE - 1);
    uint32_t limit = write ? page->write_limit : page->read_limit;
    if (SAM_LIKELY(page->tag == (uint32_t)(address >> 32) && offset + size <= limit &&
                   !(address & (size - 1)))) {
        SAM_ASSUME(page->host);
        sam_last_set(c, address, limit, page->host);
        return page->host + offset;
    }
    return NULL;
}

/* A store that misses the TLB but lies after a watched word. NULL: use sam_access_slow. */
static inline uint8_t *sam_fast_gap(const struct sam_core *c, uint64_t address, unsigned size)
{
    const struct sam_tlb_gap *gap = &c->tlb->gap;
    const uint64_t offset = address - gap->base;
    if (offset < gap->size && gap->size - offset >= size && !(address & (size - 1)))
        return gap->host + offset;
    return NULL;
}

/* Check alignment, then resolve. Returns NULL with c->cause and c->tval set. */
uint8_t *sam_access_slow(struct sam_core *c, uint64_t address, unsigned size,
                         enum sam_access access);

#endif
