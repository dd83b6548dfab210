/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumented handlers of an observer of warps. The observer first defines
 *
 *   OBSERVER                             the prefix of its names
 *   OBSERVER_on_block(c, entry, past)    a block has run up to `past`; its last instruction may be
 *                                        about to run
 *   OBSERVER_on_split(c, counters)       a vector branch, SAM_HOOK_SPLIT, is about to run
 *   OBSERVER_on_masked(c, op, counters)  SAM_HOOK_MASKED
 *   OBSERVER_on_scalar(c, op, counters)  a scalar memory access
 *   OBSERVER_on_lanes(c, op, counters)   a vector memory access
 *
 * The last two return whether the access may be a store to code. Such a store ends its block, so
 * that the block is recorded before its code changes. */

#define OBSERVE_PASTE(a, b) a##_##b
#define OBSERVE_NAME(a, b)  OBSERVE_PASTE(a, b)
#define EVENT(event)        OBSERVE_NAME(OBSERVER, on_##event)
#define HOOK(name)          OBSERVE_NAME(OBSERVER, name)

SAM_HANDLER(HOOK(block_end))
{
    SAM_INSTRUMENT_END_BLOCK(EVENT(block));
    SAM_PROCEED(SAM_COUNTERS);
}

SAM_HANDLER(HOOK(page_end))
{
    SAM_LEAVE_PAGE(EVENT(block));
    SAM_PROCEED(SAM_COUNTERS);
}

SAM_HANDLER(HOOK(split))
{
    SAM_INSTRUMENT_END_BLOCK(EVENT(block));
    EVENT(split)(c, SAM_COUNTERS);
    SAM_PROCEED(SAM_COUNTERS);
}

SAM_HANDLER(HOOK(split_apart))
{
    struct sam_counters *counters = sam_counters_of(c, op);
    EVENT(split)(c, counters);
    SAM_PROCEED(counters);
}

SAM_HANDLER(HOOK(masked))
{
    struct sam_counters *counters = sam_counters_of(c, op);
    EVENT(masked)(c, op, counters);
    SAM_PROCEED(counters);
}

#define LOAD_AND_STORE(load, store, event)                                                         \
    SAM_HANDLER(HOOK(load))                                                                        \
    {                                                                                              \
        struct sam_counters *counters = sam_counters_of(c, op);                                    \
        EVENT(event)(c, op, counters);                                                             \
        SAM_PROCEED(counters);                                                                     \
    }                                                                                              \
    SAM_HANDLER(HOOK(store))                                                                       \
    {                                                                                              \
        struct sam_counters *counters = SAM_COUNTERS;                                              \
        if (EVENT(event)(c, op, counters))                                                         \
            SAM_INSTRUMENT_END_BLOCK(EVENT(block));                                                \
        SAM_PROCEED(counters);                                                                     \
    }
LOAD_AND_STORE(load, store, scalar)
LOAD_AND_STORE(lanes_load, lanes_store, lanes)

static sam_handler *const HOOK(hooks)[SAM_HOOKS] = {
    [SAM_HOOK_BLOCK_END] = HOOK(block_end),
    [SAM_HOOK_PAGE_END] = HOOK(page_end),
    [SAM_HOOK_SPLIT] = HOOK(split),
    [SAM_HOOK_SPLIT_APART] = HOOK(split_apart),
    [SAM_HOOK_MASKED] = HOOK(masked),
    [SAM_HOOK_LOAD] = HOOK(load),
    [SAM_HOOK_STORE] = HOOK(store),
    [SAM_HOOK_PAIR_LOAD] = HOOK(load),
    [SAM_HOOK_PAIR_STORE] = HOOK(store),
    [SAM_HOOK_LANES_LOAD] = HOOK(lanes_load),
    [SAM_HOOK_LANES_STORE] = HOOK(lanes_store),
};

#undef LOAD_AND_STORE
#undef OBSERVER
#undef OBSERVE_PASTE
#undef OBSERVE_NAME
#undef EVENT
#undef HOOK
