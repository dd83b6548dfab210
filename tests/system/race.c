/* SPDX-License-Identifier: Apache-2.0 */
/* The race check of a system, on streams of events. The second opinion keeps every access and
 * compares each byte of a new one with all of them. */

#include "test.h"

#include "system/race.h"

/* -------------------------------------------------------------------------- second opinion */

struct event {
    struct system_race_access access;
    uint64_t number; /* of the submission */
};

struct bench {
    struct sam_system_races *races;
    struct event *events; /* of the queues */
    size_t count, capacity;
    uint64_t submitted[SAM_SYSTEM_QUEUES], ended[SAM_SYSTEM_QUEUES];
    struct sam_system_race *told; /* for the current access */
    size_t told_count, told_capacity;
    uint64_t total;
};

static void hear(void *context, const struct sam_system_race *race)
{
    struct bench *b = context;
    b->told = sam_grow(b->told, b->told_count, &b->told_capacity, sizeof *b->told);
    assert_non_null(b->told);
    b->told[b->told_count++] = *race;
}

static void begin(struct bench *b, size_t most, size_t first_sweep)
{
    *b = (struct bench){0};
    b->races = sam_system_races_new(&(struct sam_system_races_options){
        .most = most, .first_sweep = first_sweep, .racing = hear, .context = b});
    assert_non_null(b->races);
}

static void end(struct bench *b)
{
    sam_system_races_free(b->races);
    free(b->events);
    free(b->told);
}

/* Index of the agent's queue; -1: it has none. */
static int queue_of(enum sam_system_agent agent)
{
    return agent == SAM_SYSTEM_BY_GPU ? 0 : agent == SAM_SYSTEM_BY_WEIGHTS ? 1 : -1;
}

static bool covers(const struct event *e, uint32_t byte)
{
    return (uint32_t)(byte - (uint32_t)e->access.address) < e->access.size;
}

static bool reads(enum sam_system_access kind)
{
    return kind == SAM_SYSTEM_LOAD || kind == SAM_SYSTEM_FETCH;
}

/* Ruling 4, and that atomics are atomic to each other. */
static bool races(const struct bench *b, const struct event *e,
                  const struct system_race_access *access)
{
    const enum sam_system_access x = e->access.kind, y = access->kind;
    const int q = queue_of(e->access.agent);
    return q != queue_of(access->agent) && e->number > b->ended[q] && !(reads(x) && reads(y)) &&
           !(x == SAM_SYSTEM_ATOMIC && y == SAM_SYSTEM_ATOMIC);
}

static bool same_class(enum sam_system_access a, enum sam_system_access b)
{
    return a == b || (reads(a) && reads(b));
}

/* Records that the byte races with `e`, once: with the last submission that accessed it in this
 * way, at its first access. */
static void expect_told(const struct bench *b, const struct event *e, uint32_t byte)
{
    unsigned found = 0;
    const struct event *best = e;
    for (size_t i = 0; i < b->count; i++) {
        const struct event *other = &b->events[i];
        if (other->access.agent == e->access.agent &&
            same_class(other->access.kind, e->access.kind) && covers(other, byte) &&
            other->number > best->number)
            best = other;
    }
    for (size_t i = 0; i < b->count; i++) /* the first of that submission */
        if (b->events[i].number == best->number && b->events[i].access.agent == e->access.agent &&
            same_class(b->events[i].access.kind, e->access.kind) && covers(&b->events[i], byte)) {
            best = &b->events[i];
            break;
        }
    for (size_t i = 0; i < b->told_count; i++) {
        const struct sam_system_race *race = &b->told[i];
        if (race->in_flight.agent != best->access.agent ||
            !same_class(race->in_flight.access, best->access.kind) ||
            (uint32_t)(byte - (uint32_t)race->address) >= race->size)
            continue;
        found++;
        assert_int_equal(race->in_flight.number, best->number - 1);
        assert_int_equal(race->in_flight.pc, best->access.pc);
        assert_int_equal(race->in_flight.access, best->access.kind);
    }
    assert_int_equal(found, 1);
}

static void access_memory(struct bench *b, const struct system_race_access *access)
{
    const int q = queue_of(access->agent);
    uint64_t bytes = 0, told = 0; /* of each conflicting queue and class */
    b->told_count = 0;
    sam_system_races_access(b->races, access);
    for (uint64_t i = 0; i < access->size; i++) {
        const uint32_t byte = (uint32_t)(access->address + i);
        unsigned seen = 0; /* bit: one agent and class */
        for (size_t k = 0; k < b->count; k++) {
            const struct event *e = &b->events[k];
            if (!covers(e, byte) || !races(b, e, access))
                continue;
            const enum sam_system_access class_ =
                reads(e->access.kind) ? SAM_SYSTEM_LOAD : e->access.kind;
            const unsigned bit = 1u << (4 * e->access.agent + class_);
            if (seen & bit)
                continue;
            seen |= bit;
            bytes++;
            expect_told(b, e, byte);
        }
    }
    for (size_t i = 0; i < b->told_count; i++)
        told += b->told[i].size;
    assert_int_equal(told, bytes);
    b->total += bytes;
    if (q < 0)
        return;
    b->events = sam_grow(b->events, b->count, &b->capacity, sizeof *b->events);
    assert_non_null(b->events);
    b->events[b->count++] = (struct event){*access, b->submitted[q]};
}

static void submit(struct bench *b, enum sam_system_agent agent, uint64_t record, uint64_t pc)
{
    const int q = queue_of(agent);
    assert_int_equal(sam_system_races_submit(b->races, agent, record, pc), ++b->submitted[q]);
}

static void ended(struct bench *b, enum sam_system_agent agent, uint64_t count)
{
    const int q = queue_of(agent);
    sam_system_races_ended(b->races, agent, count);
    if (count > b->ended[q])
        b->ended[q] = count;
}

/* ------------------------------------------------------------------------- random streams */

static struct system_race_access random_access(uint64_t *random, uint64_t spread)
{
    static const uint64_t bases[] = {0x10000000, 0x10000ff0, 0x90000000, 0xfffffff8};
    struct system_race_access access = {
        .agent = (enum sam_system_agent)test_below(random, 5),
        .kind = (enum sam_system_access)test_below(random, 4),
        .has_pc = true,
        .pc = 0x80000000 + 4 * test_below(random, 40) + 1024 * test_below(random, 2),
        .address = bases[test_below(random, 4)] + test_below(random, spread),
        .size = 1 + test_below(random, 16),
    };
    if (test_below(random, 20) == 0)
        access.size = test_below(random, 400);
    if (test_below(random, 300) == 0)
        access.size = 4000 + test_below(random, 5000);
    return access;
}

static void stream(uint64_t *random, unsigned events, uint64_t spread, size_t first_sweep,
                   unsigned waits)
{
    struct bench b;
    begin(&b, 0, first_sweep);
    for (unsigned i = 0; i < events; i++) {
        const enum sam_system_agent queue =
            test_below(random, 2) ? SAM_SYSTEM_BY_GPU : SAM_SYSTEM_BY_WEIGHTS;
        const int q = queue_of(queue);
        const uint64_t what = test_below(random, waits);
        if (what < 8 || !b.submitted[q]) {
            submit(&b, queue, 64 * i, 4 * i);
        } else if (what == 8) {
            ended(&b, queue, b.submitted[q]);
        } else if (what < 12) {
            ended(&b, queue, test_below(random, b.submitted[q] + 1));
        } else {
            struct system_race_access access = random_access(random, spread);
            if (queue_of(access.agent) < 0 || b.submitted[queue_of(access.agent)])
                access_memory(&b, &access);
        }
    }
    assert_int_equal(sam_system_races_check(b.races, NULL), SAM_OK);
    assert_true(b.total > 0);
    end(&b);
}

TEST(random_streams_agree_with_the_second_opinion)
{
    uint64_t random = test_seed();
    for (unsigned i = 0; i < 120; i++)
        stream(&random, 300, 8 + test_below(&random, 200), 1 + test_below(&random, 100), 100);
}

/* Ranges and their owners are dropped and renumbered many times. */
TEST(long_streams_agree_with_the_second_opinion)
{
    uint64_t random = test_seed();
    stream(&random, 3000, 9000, 64, 400);
    stream(&random, 3000, 3000, 0, 2000);
}

/* --------------------------------------------------------------------------- single cases */

static struct system_race_access made(enum sam_system_agent agent, enum sam_system_access kind,
                                      uint64_t pc, uint64_t address, uint64_t size)
{
    return (struct system_race_access){agent, kind, true, pc, address, size};
}

static void access_as(struct bench *b, enum sam_system_agent agent, enum sam_system_access kind,
                      uint64_t pc, uint64_t address, uint64_t size)
{
    const struct system_race_access access = made(agent, kind, pc, address, size);
    access_memory(b, &access);
}

static size_t found(const struct bench *b, const struct sam_system_race **list)
{
    uint64_t dropped;
    size_t count;
    *list = sam_system_races_found(b->races, &count, &dropped);
    return count;
}

TEST(a_loop_over_a_result_is_one_race)
{
    struct bench b;
    const struct sam_system_race *list;
    begin(&b, 0, 0);
    submit(&b, SAM_SYSTEM_BY_GPU, 0x40001000, 0x40000010);
    access_as(&b, SAM_SYSTEM_BY_GPU, SAM_SYSTEM_STORE, 0x80000020, 0x90000000, 256);
    for (unsigned i = 0; i < 100; i++) {
        access_as(&b, SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, 0x40000030, 0x90000010 + 4 * i, 4);
    }
    assert_int_equal(found(&b, &list), 1);
    assert_int_equal(list[0].address, 0x90000010);
    assert_int_equal(list[0].size, 240);
    assert_int_equal(list[0].count, 60);
    assert_int_equal(list[0].access.agent, SAM_SYSTEM_BY_HART);
    assert_int_equal(list[0].access.pc, 0x40000030);
    assert_int_equal(list[0].in_flight.agent, SAM_SYSTEM_BY_GPU);
    assert_int_equal(list[0].in_flight.number, 0);
    assert_int_equal(list[0].in_flight.record, 0x40001000);
    assert_int_equal(list[0].in_flight.submitted_pc, 0x40000010);
    end(&b);
}

/* Of several launches, on separate bytes: the first range, and the extent of all. */
TEST(a_loop_of_launches_is_one_race)
{
    struct bench b;
    const struct sam_system_race *list;
    begin(&b, 0, 0);
    for (unsigned i = 0; i < 10; i++) {
        const uint64_t at = 0x90000000 + 0x1800 * ((i + 5) % 10);
        submit(&b, SAM_SYSTEM_BY_GPU, 0x40001000 + 64 * i, 0x40000010);
        access_as(&b, SAM_SYSTEM_BY_GPU, SAM_SYSTEM_STORE, 0x80000020, at, 16);
        access_as(&b, SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, 0x40000030, at + 4, 4);
    }
    assert_int_equal(found(&b, &list), 1);
    assert_int_equal(list[0].address, 0x90000000 + 0x1800 * 5 + 4);
    assert_int_equal(list[0].size, 4);
    assert_int_equal(list[0].low, 0x90000004);
    assert_int_equal(list[0].high, 0x90000000 + 0x1800 * 9 + 7);
    assert_int_equal(list[0].count, 10);
    assert_int_equal(list[0].in_flight.number, 0);
    end(&b);
}

TEST(a_wait_for_one_queue_is_none_for_the_other)
{
    struct bench b;
    const struct sam_system_race *list;
    begin(&b, 0, 0);
    submit(&b, SAM_SYSTEM_BY_WEIGHTS, 0x1000, 0x10);
    access_as(&b, SAM_SYSTEM_BY_WEIGHTS, SAM_SYSTEM_STORE, 0, 0x18000000, 64);
    submit(&b, SAM_SYSTEM_BY_GPU, 0x2000, 0x20);
    ended(&b, SAM_SYSTEM_BY_GPU, 1);
    access_as(&b, SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, 0x30, 0x1800003c, 16);
    assert_int_equal(found(&b, &list), 1);
    assert_int_equal(list[0].address, 0x1800003c);
    assert_int_equal(list[0].size, 4);
    ended(&b, SAM_SYSTEM_BY_WEIGHTS, 1);
    access_as(&b, SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_LOAD, 0x30, 0x1800003c, 16);
    assert_int_equal(found(&b, &list), 1);
    end(&b);
}

TEST(one_queue_orders_itself_and_two_do_not)
{
    struct bench b;
    const struct sam_system_race *list;
    begin(&b, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        submit(&b, SAM_SYSTEM_BY_GPU, 0x1000, 0x10);
        access_as(&b, SAM_SYSTEM_BY_GPU, SAM_SYSTEM_STORE, 0x80000000, 0x90000000, 128);
    }
    assert_int_equal(found(&b, &list), 0);
    submit(&b, SAM_SYSTEM_BY_WEIGHTS, 0x2000, 0x20);
    ended(&b, SAM_SYSTEM_BY_GPU, 2);
    access_as(&b, SAM_SYSTEM_BY_WEIGHTS, SAM_SYSTEM_LOAD, 0, 0x90000000, 128);
    assert_int_equal(found(&b, &list), 1);
    assert_int_equal(list[0].in_flight.number, 2);
    assert_int_equal(list[0].access.number, 0);
    end(&b);
}

TEST(atomics_do_not_race_with_each_other)
{
    struct bench b;
    const struct sam_system_race *list;
    begin(&b, 0, 0);
    submit(&b, SAM_SYSTEM_BY_GPU, 0x1000, 0x10);
    access_as(&b, SAM_SYSTEM_BY_GPU, SAM_SYSTEM_ATOMIC, 0x80000000, 0x90000000, 4);
    access_as(&b, SAM_SYSTEM_BY_HART, SAM_SYSTEM_ATOMIC, 0x40000000, 0x90000000, 4);
    assert_int_equal(found(&b, &list), 0);
    access_as(&b, SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, 0x40000004, 0x90000000, 4);
    assert_int_equal(found(&b, &list), 1);
    end(&b);
}

TEST(findings_beyond_those_kept_are_counted)
{
    struct bench b;
    uint64_t dropped;
    size_t count;
    begin(&b, 0, 0);
    submit(&b, SAM_SYSTEM_BY_GPU, 0x1000, 0x10);
    access_as(&b, SAM_SYSTEM_BY_GPU, SAM_SYSTEM_STORE, 0x80000000, 0x90000000, 0x4000);
    for (unsigned i = 0; i < SAM_SYSTEM_RACES_KEPT + 20; i++) {
        access_as(&b, SAM_SYSTEM_BY_HART, SAM_SYSTEM_LOAD, 0x40000000 + 4 * i, 0x90000000, 4);
    }
    sam_system_races_found(b.races, &count, &dropped);
    assert_int_equal(count, SAM_SYSTEM_RACES_KEPT);
    assert_int_equal(dropped, 20);
    end(&b);
}

/* Separate words, in ever more launches: kept as long as none has ended. */
TEST(more_ranges_than_are_kept_are_refused)
{
    for (unsigned waits = 0; waits < 2; waits++) {
        struct sam_system_races *r =
            sam_system_races_new(&(struct sam_system_races_options){.most = 20000});
        struct sam_error error = {0};
        assert_non_null(r);
        for (unsigned i = 0; i < 100000; i++) {
            const struct system_race_access write =
                made(SAM_SYSTEM_BY_GPU, SAM_SYSTEM_STORE, 0x80000000, 0x90000000 + 8 * i, 4);
            const uint64_t number = sam_system_races_submit(r, SAM_SYSTEM_BY_GPU, 0x1000, 0x10);
            if (waits && number > 5)
                sam_system_races_ended(r, SAM_SYSTEM_BY_GPU, number - 5);
            sam_system_races_access(r, &write);
        }
        if (waits) {
            succeeds(sam_system_races_check, r);
        } else {
            assert_int_equal(sam_system_races_check(r, &error), SAM_ERR_TRAP);
            assert_string_equal(error.text,
                                "the race check keeps at most 20000 ranges of memory in flight: "
                                "wait for launches and records more often");
        }
        sam_system_races_free(r);
    }
}

static const struct sam_image *no_image(void *context, enum sam_system_agent agent, uint64_t pc)
{
    (void)context, (void)agent, (void)pc;
    return NULL;
}

TEST(a_report_names_both_sides)
{
    struct bench b;
    SCOPED(sam_buffer) text = {0};
    begin(&b, 0, 0);
    submit(&b, SAM_SYSTEM_BY_WEIGHTS, 0x40002000, 0x40000100);
    sam_system_races_access(b.races, &(struct system_race_access){.agent = SAM_SYSTEM_BY_WEIGHTS,
                                                                  .kind = SAM_SYSTEM_STORE,
                                                                  .address = 0x18000000,
                                                                  .size = 0x1000});
    submit(&b, SAM_SYSTEM_BY_GPU, 0x40003000, 0x40000110);
    const struct system_race_access load =
        made(SAM_SYSTEM_BY_GPU, SAM_SYSTEM_LOAD, 0x80000040, 0x18000ffe, 4);
    const struct system_race_access store =
        made(SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_STORE, 0x40000120, 0x18000000, 1);
    sam_system_races_access(b.races, &load);
    sam_system_races_access(b.races, &store);
    sam_system_races_put(&text, b.races, no_image, NULL, 0);
    assert_string_equal(
        sam_buffer_text(&text),
        "race: 2 bytes at 0x18000ffe to 0x18000fff\n"
        "  load by GPU launch 0 at pc 0x80000040, record at 0x40003000, submitted at pc "
        "0x40000110\n"
        "  store by weight record 0 at 0x40002000, submitted at pc 0x40000100, not waited for\n"
        "race: 1 byte at 0x18000000\n"
        "  store by the TensorLoad unit at pc 0x40000120\n"
        "  store by weight record 0 at 0x40002000, submitted at pc 0x40000100, not waited for\n");
    text.size = 0;
    sam_system_races_put(&text, b.races, no_image, NULL, 1);
    assert_non_null(strstr(sam_buffer_text(&text), "for\n1 more race\n"));
    end(&b);
}
