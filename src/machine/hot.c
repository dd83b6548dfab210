/* SPDX-License-Identifier: Apache-2.0 */
/* Counts backward branches and barriers, and enters translated loops. Both are handlers in decoded
 * code: without a jit, code is what it would be without this file. */
#include <stdlib.h>

#include "machine/jit.h"
#include "machine/page.h"
#include "machine/threads.h"

enum {
    VERSIONS = 2, /* of a loop, for different modes */
    /* Translations kept on disk are looked for after LOOK_AFTER instructions, for loops that are
     * executed LOOK_FOR times from then on. */
    LOOK_AFTER = 1 << 22,
    LOOK_FOR = 256,
    FAR_WEIGHT = 16, /* of an indirect jump, in executions of a backward branch */
    /* A translation that after TRIAL entries has executed fewer than LEAST instructions in each
     * is given up: the interpreter is faster than copying registers in and out. */
    TRIAL = 1024,
    LEAST = 12,
};

struct page_hot {
    struct sam_jit_region *regions[SAM_PAGE_OPS][VERSIONS]; /* entered at this instruction */
    unsigned entered;                                       /* of them */
    struct sam_jit_region *pending[SAM_PAGE_OPS];           /* by head: being translated */
    uint16_t counted[SAM_PAGE_OPS]; /* the branch whose handler counts it, or 0 */
    uint32_t counts[SAM_PAGE_OPS], misses[SAM_PAGE_OPS];
    uint32_t entries[SAM_PAGE_OPS];  /* of the translation here, in this trial */
    uint64_t executed[SAM_PAGE_OPS]; /* instructions in them */
    uint64_t lands[SAM_JIT_WORDS];   /* where indirect jumps out of a translation have landed */
};

void sam_code_translate(struct sam_code *code, struct sam_jit *jit)
{
    code->jit = jit;
    if (jit)
        sam_hot_proceed(code);
}

static struct code_page *page_of(const struct sam_core *c)
{
    return (struct code_page *)(uintptr_t)c->ops; /* its first member */
}

enum sam_op sam_hot_op(const struct code_page *page, unsigned index)
{
    return (enum sam_op)(page->hot && page->hot->counted[index] ? page->hot->counted[index]
                                                                : page->plain[index]);
}

bool sam_hot_holds(const struct code_page *page, unsigned index)
{
    return page->hot && (page->hot->counted[index] || page->hot->regions[index][0]);
}

static sam_handler op_count, op_enter;

/* Have the instruction before this one run alone. */
static void split_pair(const struct sam_code *code, struct code_page *page, unsigned index)
{
    if (index && page->plain[index - 1] && !sam_hot_holds(page, index - 1))
        page->ops[index - 1].fn = code->machine->handlers[page->plain[index - 1]];
}

static void pair_again(const struct sam_code *code, struct code_page *page, unsigned index)
{
    sam_page_pair(code->machine, page, index);
    if (index)
        sam_page_pair(code->machine, page, index - 1);
}

/* The head of the loop that executions of this instruction count for: where a branch goes back to,
 * or what follows a barrier. SAM_PAGE_OPS: it counts for none. */
static unsigned head_of(enum sam_op op, const struct sam_uop *uop, unsigned index)
{
    const unsigned act = op ? sam_insn_rows[op].does.act : SAM_ACT_ALU;
    const bool near = act == SAM_ACT_BRANCH || op == SAM_OP_jal ||
                      (act == SAM_ACT_SPLIT && !(uop->rs3 & SAM_UOP_FAR));
    if (near && uop->imm >= 0 && uop->imm <= (int)index)
        return (unsigned)uop->imm;
    return op == SAM_OP_barrier ? index + 1 : SAM_PAGE_OPS;
}

void sam_hot_watch(const struct sam_code *code, struct code_page *page, unsigned index)
{
    const enum sam_op op = (enum sam_op)page->plain[index];
    if (code->hot.stage == SAM_HOT_WAITS || code->instrumentation ||
        head_of(op, &page->ops[index], index) == SAM_PAGE_OPS)
        return;
    if (!page->hot && !(page->hot = sam_alloc(1, sizeof *page->hot)))
        return;
    page->hot->counted[index] = (uint16_t)op;
    page->hot->counts[index] = 0;
    page->plain[index] = 0;
    page->ops[index].fn = op_count;
    split_pair(code, page, index);
}

/* Count the backward branches of all decoded code from now on. */
static void begin(struct sam_code *code, unsigned stage, uint32_t threshold)
{
    code->hot.stage = stage;
    code->hot.threshold = threshold;
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (struct code_page *page = code->pages[i]; page; page = page->next)
            for (unsigned index = 0; index < SAM_PAGE_OPS; index++)
                sam_hot_watch(code, page, index);
}

void sam_hot_proceed(struct sam_code *code)
{
    struct sam_hot *hot = &code->hot;
    const uint64_t patience = sam_jit_patience(code->jit);
    const bool looks = sam_jit_keeps(code->jit) && patience > LOOK_AFTER;
    hot->next_stage = patience;
    if (hot->insns >= patience) {
        hot->next_stage = UINT64_MAX;
        begin(code, SAM_HOT_COUNTS, sam_jit_threshold(code->jit));
    } else if (hot->insns >= LOOK_AFTER && looks) {
        begin(code, SAM_HOT_LOOKS, LOOK_FOR);
    } else if (looks) {
        hot->next_stage = LOOK_AFTER;
    }
}

static void count_no_more(const struct sam_code *code, struct code_page *page, unsigned index)
{
    const uint16_t op = page->hot->counted[index];
    if (!op)
        return;
    page->hot->counted[index] = 0;
    page->plain[index] = op;
    page->ops[index].fn = code->machine->handlers[op];
    pair_again(code, page, index);
}

static void leave_out(const struct sam_code *code, struct code_page *page, unsigned head)
{
    for (unsigned k = 0; k < VERSIONS; k++)
        page->hot->regions[head][k] = NULL;
    page->hot->entered--;
    page->ops[head].fn = code->machine->handlers[page->plain[head]];
    pair_again(code, page, head);
}

void sam_hot_forget(const struct sam_code *code, struct code_page *page, unsigned index)
{
    struct page_hot *hot = page->hot;
    for (unsigned head = 0; hot && hot->entered && head < SAM_PAGE_OPS; head++)
        for (unsigned k = 0; k < VERSIONS; k++) {
            const struct sam_jit_region *region = hot->regions[head][k];
            if (!region || !(sam_jit_has(&region->loop, index) ||
                             (index && sam_jit_has(&region->loop, index - 1))))
                continue;
            leave_out(code, page, head);
            break;
        }
    for (unsigned head = 0; hot && head < SAM_PAGE_OPS; head++)
        if (hot->pending[head] && sam_jit_has(&hot->pending[head]->loop, index))
            hot->pending[head] = NULL;
    if (hot)
        hot->counted[index] = 0;
}

/* Whether the two loops are entered in the same modes. */
static bool is_as(const struct sam_jit_loop *a, const struct sam_jit_loop *b)
{
    return memcmp(a->modes, b->modes, sizeof a->modes) == 0 && a->frm_plain == b->frm_plain;
}

static void install(const struct sam_code *code, struct code_page *page,
                    struct sam_jit_region *region)
{
    struct page_hot *hot = page->hot;
    const unsigned head = region->loop.head;
    for (unsigned k = 0; k < VERSIONS; k++)
        if (hot->regions[head][k] == region)
            return;
    count_no_more(code, page, head);
    hot->entered += !hot->regions[head][0];
    if (hot->regions[head][0] && !is_as(&hot->regions[head][0]->loop, &region->loop))
        hot->regions[head][1] = hot->regions[head][0];
    hot->regions[head][0] = region;
    page->ops[head].fn = op_enter;
    split_pair(code, page, head);
}

/* Have the loop of `head` translated in the core's modes. Returns false while it is pending. */
static bool translate(struct sam_core *c, struct code_page *page, unsigned head)
{
    struct sam_jit_region *region = page->hot->pending[head];
    if (!region) {
        struct sam_jit_loop *loop = malloc(sizeof *loop);
        if (loop && sam_hot_find_loop(c, page, head, page->hot->lands, loop))
            region = sam_jit_find(c->code->jit, loop, c->code->hot.stage == SAM_HOT_COUNTS);
        free(loop);
    }
    page->hot->pending[head] = NULL;
    if (region && sam_jit_state(region) == SAM_JIT_PENDING) {
        page->hot->pending[head] = region;
        return false;
    }
    if (region && sam_jit_state(region) == SAM_JIT_READY)
        install(c->code, page, region);
    return true;
}

static SAM_NOINLINE void reached(struct sam_core *c, struct code_page *page, unsigned index,
                                 unsigned head)
{
    /* A loop with barriers becomes hot first: those who come to it for the first time enter it
     * at its own head. */
    const uint64_t threshold = (uint64_t)c->code->hot.threshold
                               << (page->hot->counted[index] == SAM_OP_barrier);
    if (page->hot->counts[index] < threshold)
        return;
    if (translate(c, page, head))
        count_no_more(c->code, page, index);
    else /* look again later */
        page->hot->counts[index] = threshold > 1024 ? (uint32_t)(threshold - 1024) : 0;
}

/* The handler of a backward branch or barrier. */
static const struct sam_uop *op_count(SAM_HANDLER_ARGS)
{
    struct code_page *page = page_of(c);
    const unsigned index = (unsigned)(op - page->ops);
    const enum sam_op plain = (enum sam_op)page->hot->counted[index];
    if (SAM_UNLIKELY(++page->hot->counts[index] >= c->code->hot.threshold))
        reached(c, page, index, head_of(plain, op, index));
    SAM_MUSTTAIL return c->code->machine->handlers[plain](c, op, entry, left);
}

/* Translate again once the translation has been missed often, or left by indirect jumps. */
static SAM_NOINLINE void miss(struct sam_core *c, struct code_page *page, unsigned head,
                              unsigned weight)
{
    if ((page->hot->misses[head] += weight) < c->code->hot.threshold)
        return;
    page->hot->misses[head] = 0;
    translate(c, page, head);
}

static bool is_in_modes(const struct sam_core *c, const struct sam_jit_loop *loop)
{
    if (!loop->lanes)
        return true;
    const char *modes = (const char *)c + c->code->machine->modes;
    return (loop->splits ? memcmp(loop->modes, modes, SAM_JIT_FIXED) == 0 /* the rest changes */
                         : memcmp(loop->modes, modes, SAM_JIT_MODES) == 0) &&
           loop->frm_plain == c->frm_plain;
}

/* The translation of the loop at this instruction, in the core's modes. */
static inline const struct sam_jit_region *region_at(const struct sam_core *c,
                                                     const struct sam_uop *op)
{
    struct sam_jit_region *const *regions = page_of(c)->hot->regions[op - page_of(c)->ops];
    for (unsigned k = 0; k < VERSIONS; k++)
        if (regions[k] && is_in_modes(c, &regions[k]->loop))
            return regions[k];
    return NULL;
}

/* There is none. */
static SAM_NOINLINE const struct sam_uop *pass(SAM_HANDLER_ARGS)
{
    struct code_page *page = page_of(c);
    const unsigned head = (unsigned)(op - page->ops);
    if (!page->hot->regions[head][VERSIONS - 1])
        miss(c, page, head, 1);
    SAM_MUSTTAIL return c->code->machine->handlers[page->plain[head]](c, op, entry, left);
}

/* The loop at `head` was left with flags in the address of the next micro-op. */
static SAM_NOINLINE const struct sam_uop *leave(struct sam_core *c, const struct sam_uop *head,
                                                uintptr_t next)
{
    struct code_page *page = page_of(c);
    const struct sam_uop *op = (const struct sam_uop *)(next & ~(uintptr_t)SAM_JIT_FLAGS);
    const size_t index = (size_t)(op - page->ops);
    if (next & SAM_JIT_FAR) {
        page->hot->lands[index / 64] |= UINT64_C(1) << index % 64;
        miss(c, page, (unsigned)(head - page->ops), FAR_WEIGHT);
    }
    return op;
}

/* The end of a trial. */
static SAM_NOINLINE void judge(const struct sam_code *code, struct code_page *page, unsigned head)
{
    struct page_hot *hot = page->hot;
    if (hot->executed[head] < TRIAL * LEAST && hot->regions[head][0])
        leave_out(code, page, head);
    hot->executed[head] = hot->entries[head] = 0;
}

/* The handler at the head of a translated loop. */
static const struct sam_uop *op_enter(SAM_HANDLER_ARGS)
{
    const struct sam_jit_region *region = region_at(c, op);
    if (SAM_UNLIKELY(!region))
        SAM_MUSTTAIL return pass(c, op, entry, left);
    struct code_page *page = page_of(c);
    const size_t head = (size_t)(op - page->ops);
    const int64_t before = left - (op - entry);
    const uintptr_t next = region->code(c, op, entry, left);
    page->hot->executed[head] += (uint64_t)(before - c->loop_left);
    if (SAM_UNLIKELY(++page->hot->entries[head] >= TRIAL))
        judge(c->code, page, (unsigned)head);
    if (SAM_UNLIKELY(next & SAM_JIT_FLAGS))
        op = leave(c, op, next);
    else
        op = (const struct sam_uop *)next;
    entry = c->loop_entry;
    left = c->loop_left;
    if (SAM_UNLIKELY(next & SAM_JIT_PLAIN))
        SAM_MUSTTAIL return c->code->machine
            ->handlers[sam_hot_op(page, (unsigned)(op - page->ops))](c, op, entry, left);
    SAM_GO(op);
}
