/* SPDX-License-Identifier: Apache-2.0 */
/* The race check against a second opinion: random programs run in a session that records every
 * access, and all pairs of accesses are compared by the definition in docs/sanitizer.md. The
 * racing bytes must be the same under either schedule of the sanitized launch. */

#include "test.h"

#include "samite/session.h"
#include "sanitize/race.h"
#include "simt/program.h"

static const uint8_t zeros[128];

enum { REGION = 64, MAX_WARPS = 3, MAX_GROUPS = 3, LANES = 4 };

/* ------------------------------------------------------------------------ random programs */

struct source {
    char text[16384];
    size_t used;
    uint64_t *random;
    unsigned labels;
};

static void SAM_PRINTF(2, 3) put(struct source *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    s->used += (size_t)vsnprintf(s->text + s->used, sizeof s->text - s->used, format, list);
    va_end(list);
    assert_true(s->used < sizeof s->text);
}

static unsigned below(struct source *s, unsigned bound)
{
    return (unsigned)test_below(s->random, bound);
}

/* One of few numbers, zero most often: t6 = a * wid + b * workgroup + c * turn + d. */
static void put_scalar(struct source *s)
{
    put(s, "li t6, %u\n", below(s, 4));
    for (unsigned i = 0; i < 3; i++)
        if (below(s, 3) == 0)
            put(s, "li t5, %u\nmul t5, t5, %s\nadd t6, t6, t5\n", below(s, 4),
                i == 0   ? "s2"
                : i == 1 ? "s3"
                         : "s4");
}

/* v2: an offset within the region that is a multiple of `size`, plus the base in `base`. */
static void put_addresses(struct source *s, unsigned size, const char *base)
{
    static const unsigned steps[] = {0, 0, 1, 1, 1, 2, 3};
    put_scalar(s);
    put(s, "li t5, %u\nvmul.vx v2, v1, t5\nvadd.vx v2, v2, t6\n",
        steps[below(s, sizeof steps / sizeof *steps)]);
    put(s, "li t5, %u\nvmul.vx v2, v2, t5\n", size);
    put(s, "li t5, %u\nvand.vx v2, v2, t5\nvadd.vx v2, v2, %s\n", REGION - size, base);
}

/* v3: few different values, which share some bytes. */
static void put_values(struct source *s)
{
    static const uint32_t factors[] = {0, 0, 1, 0x100, 0x10001, 0x01010101};
    put_scalar(s);
    put(s, "li t5, %u\nvmul.vx v3, v1, t5\nvadd.vx v3, v3, t6\nvand.vi v3, v3, %u\n", below(s, 2),
        below(s, 4));
    put(s, "li t5, 0x%x\nvmul.vx v3, v3, t5\n",
        factors[below(s, sizeof factors / sizeof *factors)]);
}

static void put_vector_access(struct source *s, const char *base)
{
    static const char widths[] = "bhww";
    const unsigned form = below(s, 8), at = form < 4 ? 3 : below(s, 4);
    const unsigned size = at == 0 ? 1 : at == 1 ? 2 : 4;
    put_addresses(s, size, base);
    put_values(s);
    switch (form) {
    case 0:
        put(s, "vmsne.vi v0, v1, %u\nvsub.vx v2, v2, %s\n", below(s, 4), base);
        put(s, "vsuxei32.v v3, (%s), v2, v0.t\n", base);
        break;
    case 1:
        put(s, "vmv.x.s t6, v2\nandi t6, t6, -16\nli t4, %u\nvsse32.v v3, (t6), t4\n",
            4 * below(s, 3));
        break;
    case 2: put(s, "vmv.x.s t6, v2\nandi t6, t6, -16\nvle16.v v4, (t6)\n"); break;
    case 3: put(s, "regpair x0, x0, 0\nvsw12.v v6, 0(v2)\n"); break;
    default:
        if (below(s, 5) < 3)
            put(s, "vs%c12.v v3, 0(v2)\n", widths[at]);
        else
            put(s, "vl%c12.v v4, 0(v2)\n", widths[at]);
    }
}

static void put_scalar_access(struct source *s, const char *base)
{
    static const char *const rows[] = {
        "lw a0, 0(t6)",
        "sw t3, 0(t6)",
        "lb a0, 1(t6)",
        "sb t3, 2(t6)",
        "lh a0, 2(t6)",
        "sh t3, 0(t6)",
        "amoadd.w a0, t3, (t6)",
        "amoswap.w a0, t3, (t6)",
        "lr.w a0, (t6)",
        "sc.w a0, t3, (t6)",
        "amoor.w a0, t3, (t6)",
        "regpair x0, x0, 0\nsw t3, 0(t6)",
        "amoswap.w a0, zero, (t6)",
    };
    put_scalar(s);
    put(s, "andi t3, t6, %u\n", below(s, 3));
    put_scalar(s);
    put(s, "slli t6, t6, 2\nandi t6, t6, %u\nadd t6, t6, %s\n", REGION - 4, base);
    put(s, "%s\n", rows[below(s, sizeof rows / sizeof *rows)]);
}

static void put_access(struct source *s)
{
    const char *base = below(s, 2) ? "s0" : "s1";
    const unsigned label = s->labels++;
    const bool some = below(s, 3) == 0;
    if (some)
        put(s, "li t5, %u\n%s %s, t5, .L%u\n", below(s, 3), below(s, 2) ? "beq" : "bne",
            below(s, 3) ? "s2" : "s3", label);
    if (below(s, 3) == 0)
        put_scalar_access(s, base);
    else
        put_vector_access(s, base);
    if (some)
        put(s, ".L%u:\n", label);
}

static void put_program(struct source *s)
{
    put(s, "li s0, 0x%x\ncsrr s1, lds\ncsrr s2, wid\ncsrr s3, wgid\nli s4, 0\nvid.v v1\n", DATA);
    put(s, "vmv.v.i v6, 1\nvid.v v7\n");
    for (unsigned stage = 1 + below(s, 4); stage > 0; stage--) {
        const unsigned turns = below(s, 3) == 0 ? 2 : 1, label = s->labels++;
        put(s, "li s4, 0\n.L%u:\n", label);
        for (unsigned i = 1 + below(s, 4); i > 0; i--)
            put_access(s);
        if (turns == 2 && below(s, 2))
            put(s, "barrier 1\n");
        put(s, "addi s4, s4, 1\nli t5, %u\nbltu s4, t5, .L%u\n", turns, label);
        if (below(s, 6) == 0) {
            const unsigned rest = s->labels++;
            put(s, "li t5, %u\nbne s2, t5, .L%u\nendprg\n.L%u:\n", below(s, 3), rest, rest);
        }
        put(s, below(s, 4) ? "barrier 1\n" : "barriersub 1\n");
    }
    put(s, "endprg\n");
}

/* -------------------------------------------------------------------------- every access */

struct access {
    uint32_t workgroup, warp, lane, epoch;
    uint64_t instance; /* of the instruction */
    uint32_t address, size;
    uint64_t value;
    bool store, atomic;
    uint32_t own, shared; /* the locks held, by is_local << 16 | word of the region */
};

struct trace {
    struct access *items;
    size_t count, room;
    uint32_t epochs[MAX_GROUPS][MAX_WARPS];
    uint64_t instances;
    uint32_t own[MAX_GROUPS][MAX_WARPS], shared[MAX_GROUPS]; /* held now */
    uint32_t reserved[MAX_GROUPS][MAX_WARPS];                /* value read by lr.w */
    uint32_t barriers[MAX_GROUPS];                           /* passed */
};

enum { GLOBAL_LOCKS = 0xffff };

/* A barrier passes locks in global memory to the workgroup. */
static void pass_locks(struct trace *t, uint32_t g, uint32_t epoch)
{
    for (uint32_t i = 0; i < MAX_WARPS && epoch > t->barriers[g]; i++) {
        t->shared[g] |= t->own[g][i] & GLOBAL_LOCKS;
        t->own[g][i] = 0;
    }
    t->barriers[g] = epoch;
}

static void clear_lock(struct trace *t, uint32_t g, uint32_t lock)
{
    for (uint32_t i = 0; i < MAX_WARPS; i++)
        t->own[g][i] &= ~lock;
    t->shared[g] &= ~lock;
}

static bool is_local(uint32_t address)
{
    return address - SAM_LDS_BASE < SAM_LDS_SIZE;
}

/* Locks: zero becomes something else by a swap, an `or` or an sc.w; zero again by any atomic. */
static void follow_locks(struct trace *t, struct sam_session *session, const struct sam_step *step)
{
    const struct sam_step_access *a = &step->access[0];
    const uint32_t g = step->workgroup, w = step->warp, act = step->word >> 27;
    const uint32_t local = is_local((uint32_t)a->address);
    const uint32_t lock = UINT32_C(1)
                          << ((local ? 16 : 0) + (a->address - (local ? SAM_LDS_BASE : DATA)) / 4);
    uint64_t found = 0;
    succeeds(sam_session_x, session, g, w, 10, &found);
    if (act == 2)
        t->reserved[g][w] = (uint32_t)found;
    if (act == 2 || (act == 3 && found != 0))
        return;
    if (act == 3)
        found = t->reserved[g][w];
    if (found == 0 && a->value && (act == 1 || act == 3 || act == 8)) {
        clear_lock(t, g, lock);
        t->own[g][w] |= lock;
    } else if (!a->value) {
        clear_lock(t, g, lock);
    }
}

static bool record(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct trace *t = context;
    const bool atomic = (step->word & 0x7f) == 0x2f, lr = atomic && step->word >> 27 == 2;
    t->instances++;
    if (step->access_count)
        pass_locks(t, step->workgroup, t->epochs[step->workgroup][step->warp]);
    for (unsigned i = 0; i < step->access_count; i++) {
        const struct sam_step_access *a = &step->access[i];
        if (t->count == t->room) {
            t->room = t->room ? 2 * t->room : 256;
            t->items = realloc(t->items, t->room * sizeof *t->items);
            assert_non_null(t->items);
        }
        t->items[t->count++] = (struct access){
            .workgroup = step->workgroup,
            .warp = step->warp,
            .lane = a->lane,
            .epoch = t->epochs[step->workgroup][step->warp],
            .instance = t->instances,
            .address = (uint32_t)a->address,
            .size = a->size,
            .value = a->value,
            .store = atomic ? !lr : a->store,
            .atomic = atomic,
            .own = t->own[step->workgroup][step->warp],
            .shared = t->shared[step->workgroup],
        };
    }
    if (atomic)
        follow_locks(t, session, step);
    if (step->word == 0x0400c00b || (step->word & 0xfe00707f) == 0x0400400b)
        t->epochs[step->workgroup][step->warp]++; /* after a barrier */
    return true;
}

static unsigned byte_of(const struct access *a, uint32_t at)
{
    return (unsigned)(a->value >> 8 * (at - a->address)) & 0xff;
}

static bool races(const struct access *a, const struct access *b, uint32_t at)
{
    const bool plain = !a->atomic && !b->atomic, stores = a->store && b->store;
    if (at - a->address >= a->size || at - b->address >= b->size || (!a->store && !b->store))
        return false;
    const bool differ = byte_of(a, at) != byte_of(b, at);
    if (a->instance == b->instance)
        return plain && stores && a->lane != b->lane && differ;
    if (a->workgroup == b->workgroup ? a->warp == b->warp || a->epoch != b->epoch : is_local(at))
        return false;
    if (a->workgroup == b->workgroup ? a->own & b->own
                                     : (a->own | a->shared) & (b->own | b->shared) & GLOBAL_LOCKS)
        return false;
    const bool locked = a->own | a->shared | b->own | b->shared;
    return plain ? !stores || differ || locked : !(a->atomic && b->atomic);
}

/* Whether a byte of the region at `base` races. */
typedef bool racing_bytes[REGION + 32];

static void find_races(const struct trace *t, uint32_t base, racing_bytes racing)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < i; k++)
            for (uint32_t at = base; at < base + sizeof(racing_bytes); at++)
                if (races(&t->items[i], &t->items[k], at))
                    racing[at - base] = true;
}

/* ------------------------------------------------------------------------- the sanitizer */

struct found {
    racing_bytes global, local;
    bool outside;
};

static void note(void *context, uint32_t address, uint8_t bytes)
{
    struct found *found = context;
    const bool local = is_local(address);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t at = address + i - (local ? SAM_LDS_BASE : DATA);
        if (!(bytes >> i & 1))
            continue;
        if (at < sizeof found->global)
            (local ? found->local : found->global)[at] = true;
        else
            found->outside = true;
    }
}

static void sanitize(struct program *p, enum sam_schedule schedule, struct found *found)
{
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_RACE);
    size_t count;
    assert_non_null(sanitizer);
    memset(found, 0, sizeof *found);
    sanitizer->race->racing = note;
    sanitizer->race->racing_context = found;
    p->options = (struct sam_gpu_options){
        .size = sizeof p->options, .schedule = schedule, .sanitizer = sanitizer, .jobs = 2};
    program_pass(p);
    sam_sanitizer_findings(sanitizer, &count);
    bool any = false;
    for (size_t i = 0; i < sizeof found->global; i++)
        any |= found->global[i] | found->local[i];
    assert_int_equal(any, count != 0);
    sam_sanitizer_free(sanitizer);
}

static void expect_equal(const racing_bytes got, const racing_bytes expected, const char *what,
                         const char *text)
{
    for (unsigned i = 0; i < sizeof(racing_bytes); i++)
        if (got[i] != expected[i])
            fail_msg("%s memory, byte %u: %s, by all pairs %s\n%s", what, i,
                     got[i] ? "races" : "does not race", expected[i] ? "races" : "does not", text);
}

static unsigned count_races(const racing_bytes racing)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof(racing_bytes); i++)
        count += racing[i];
    return count;
}

TEST(the_racing_bytes_are_those_of_all_pairs)
{
    uint64_t random = test_seed();
    unsigned with = 0, without = 0, racing = 0;
    for (uint64_t n = test_number("SAMITE_CASES", 600); n > 0; n--) {
        struct source source = {.random = &random};
        struct trace trace = {0};
        struct found expected = {0}, found;
        struct sam_session *session = NULL;
        put_program(&source);
        SCOPED(program) p = program_new(source.text, LANES);
        p.launch.warps = 1 + below(&source, MAX_WARPS);
        p.launch.grid[0] = 1 + below(&source, MAX_GROUPS);
        const struct sam_session_run run = {.size = sizeof run, .each = record, .context = &trace};
        for (int schedule = SAM_SCHEDULE_RUN; schedule <= SAM_SCHEDULE_RR1; schedule++) {
            trace = (struct trace){.items = trace.items, .room = trace.room};
            memset(&expected, 0, sizeof expected);
            p.options = (struct sam_gpu_options){
                .size = sizeof p.options, .schedule = (enum sam_schedule)schedule, .jobs = 1};
            succeeds(sam_gpu_set_options, p.gpu, &p.options);
            succeeds(sam_gpu_write, p.gpu, DATA, zeros, sizeof zeros);
            succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
            succeeds(sam_session_run, session, &run, NULL);
            sam_session_close(session);
            /* Local memory: each workgroup's own, all at the same addresses. */
            find_races(&trace, DATA, expected.global);
            find_races(&trace, SAM_LDS_BASE, expected.local);
            succeeds(sam_gpu_write, p.gpu, DATA, zeros, sizeof zeros);
            sanitize(&p, (enum sam_schedule)schedule, &found);
            assert_false(found.outside);
            expect_equal(found.global, expected.global, "global", source.text);
            expect_equal(found.local, expected.local, "local", source.text);
        }
        const unsigned bytes = count_races(expected.global) + count_races(expected.local);
        with += bytes != 0;
        without += bytes == 0;
        racing += bytes;
        free(trace.items);
    }
    printf("# %u programs race for %u bytes, %u do not\n", with, racing, without);
    assert_true(with && without);
}
