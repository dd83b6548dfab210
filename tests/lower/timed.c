/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/timed.h"

#include <inttypes.h>

#include "streams.h"

/* ---------------------------------------------------------------------------------- running */

static struct sam_system_figures *run(const struct lowered *x, struct sam_tile_lowered *made,
                                      struct sam_buffer *timeline)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    const struct sam_gpu_options gpu = {.size = sizeof gpu, .jobs = 1};
    struct sam_hart_options hart = {
        .size = sizeof hart, .mlen = x->options.mlen, .acc_regs = x->options.acc_regs};
    if (timeline)
        hart.timeline = test_sink(timeline);
    const struct sam_system_options options = {
        .size = sizeof options, .gpu = &gpu, .hart = &hart, .timing = &timing};
    struct sam_system_figures *figures = NULL;
    struct sam_system *system;
    struct sam_error error;
    if (sam_system_new(&options, &system, &error) != SAM_OK ||
        sam_tile_lowered_load(made, system, &error) != SAM_OK ||
        (x->options.weights &&
         sam_system_load_weights(system, x->options.weights, x->options.weights_size, 0, &error)) ||
        sam_system_run(system, NULL, &error) != SAM_OK ||
        sam_tile_lowered_failure(made, system, &error) != SAM_OK ||
        sam_system_measure(system, &figures, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, x->text);
    if (timeline)
        assert_int_equal(sam_system_end_timeline(system, &error), SAM_OK);
    sam_system_free(system);
    return figures;
}

static struct sam_tile_stats execute(const struct lowered *x)
{
    SCOPED_PROGRAM *p = test_parse("x", x->text, strlen(x->text));
    struct sam_tile_stats stats;
    struct sam_error error;
    SCOPED(lowered) y;
    const struct sam_tile_options options = {.size = sizeof options,
                                             .profile = x->options.profile,
                                             .nan = x->options.nan,
                                             .outside = x->options.outside,
                                             .sum_order = SAM_TILE_SUM_SYSTEM};
    lowered_copy(x, &y);
    for (size_t i = 0; i < y.count; i++)
        y.arguments[i].packed = NULL;
    if (sam_tile_run(p, 0, y.arguments, y.count, &options, &stats, &error) != SAM_OK)
        fail_msg("%s\n%s", error.text, x->text);
    return stats;
}

/* ---------------------------------------------------------------------------------- figures */

static uint64_t row_of(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    for (size_t i = 0; i < f->row_count; i++)
        if (strcmp(f->rows[i].unit, unit) == 0 && strcmp(f->rows[i].reason, reason) == 0)
            return f->rows[i].cycles;
    fail_msg("no row %s of %s", reason, unit);
    return 0;
}

static void check_pipes(const struct sam_system_figures *f, const struct sam_tile_stats *stats)
{
    uint64_t work[SAM_TILE_PIPES] = {0};
    assert_int_equal(f->pipe_count, SAM_TILE_PIPES);
    for (size_t i = 0; i < f->pipe_count; i++) {
        const struct sam_system_pipe *p = &f->pipes[i];
        uint64_t sum = 0;
        for (unsigned k = 0; k < SAM_SYSTEM_PIPE_CYCLES; k++)
            sum += p->cycles[k];
        assert_string_equal(p->name, sam_tile_pipe_name((enum sam_tile_pipe)i));
        assert_int_equal(sum, f->cycles);
        assert_int_equal(p->operations, stats->by_pipe[i].ops);
        assert_true(p->slices <= p->operations);
    }
    for (size_t i = 0; i + 1 < f->operation_count; i++)
        if (f->operations[i].operation->pipe < SAM_TILE_PIPES)
            work[f->operations[i].operation->pipe] += f->operations[i].work;
    for (size_t i = 0; i < f->pipe_count; i++) /* operations may overlap */
        assert_true(f->pipes[i].cycles[SAM_SYSTEM_PIPE_BUSY] <= work[i]);
}

static void check_operations(const struct sam_system_figures *f, const struct sam_tile_stats *stats)
{
    uint64_t cycles = 0, instructions = 0, counted = 0;
    for (size_t i = 0; i < f->operation_count; i++) {
        const struct sam_system_operation_time *t = &f->operations[i];
        cycles += t->cycles;
        instructions += t->instructions;
        assert_true(t->leader == i || t->work == 0);
        assert_int_equal(f->operations[t->leader].leader, t->leader);
    }
    assert_int_equal(instructions, f->instructions);
    assert_int_equal(cycles, f->cycles - row_of(f, "hart", "done"));
    for (size_t op = 0; op < SAM_TILE_OPS; op++) {
        struct sam_tile_op_text text;
        uint64_t count = 0;
        assert_true(sam_tile_op_describe(op, &text));
        for (size_t i = 0; i + 1 < f->operation_count; i++)
            if (strcmp(f->operations[i].operation->name, text.name) == 0)
                count += f->operations[i].count;
        if (count != stats->by_op[op].ops)
            fail_msg("%s: %" PRIu64 " times, %" PRIu64 " by the executor", text.name, count,
                     stats->by_op[op].ops);
        counted += count;
    }
    assert_true(counted > 0 && counted <= stats->tile_ops);
}

/* Instructions stepped or not. */
static void check_same(const struct sam_system_figures *a, const struct sam_system_figures *b)
{
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->pipe_count, b->pipe_count);
    assert_int_equal(a->operation_count, b->operation_count);
    for (size_t i = 0; i < a->pipe_count; i++)
        assert_memory_equal(&a->pipes[i], &b->pipes[i], sizeof a->pipes[i]);
    for (size_t i = 0; i < a->operation_count; i++)
        assert_memory_equal(&a->operations[i], &b->operations[i], sizeof a->operations[i]);
}

/* The number before a word. */
static uint64_t before(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    assert_non_null(at);
    while (at > line && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
        at--;
    return strtoull(at, NULL, 10);
}

/* The lines of samite tile explain add up to the totals. */
static void check_explanation(const struct timed *t)
{
    const struct sam_system_figures *f = t->figures;
    uint64_t run = 0, cycles = 0, work = 0, read = 0, figures = 0, bytes = 0;
    char *text;
    succeeds(sam_tile_lowered_explain, t->made, f, &text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "      | ", 8) != 0)
            continue;
        if (strstr(line, " run, ")) {
            run += before(line, " run, ");
            cycles += before(line, " cycle");
        } else if (strstr(line, " bytes read, ")) {
            work += before(line, " cycle");
            read += before(line, " bytes read, ");
        }
    }
    for (size_t i = 0; i < f->operation_count; i++) {
        figures += f->operations[i].work;
        bytes += f->operations[i].read;
    }
    assert_int_equal(run, f->instructions);
    assert_int_equal(cycles, f->cycles - row_of(f, "hart", "done"));
    assert_int_equal(work, figures);
    assert_int_equal(read, bytes);
    sam_text_free(text);
}

/* --------------------------------------------------------------------------------- timeline */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t number_of(const json_t *object, const char *key)
{
    assert_true(json_is_integer(json_object_get(object, key)));
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static bool is_of_program(const json_t *event, char phase)
{
    return text_of(event, "ph")[0] == phase && number_of(event, "pid") == 2;
}

static uint64_t end_of(const json_t *slice)
{
    return number_of(slice, "ts") + number_of(slice, "dur");
}

static int by_time(const void *x, const void *y)
{
    const json_t *const *a = x, *const *b = y;
    const uint64_t one = number_of(*a, "ts"), other = number_of(*b, "ts");
    return (one > other) - (one < other);
}

/* The slices of the program in order of time. */
static const json_t **find_slices(const struct timed *t, size_t *count)
{
    const json_t *events = json_object_get(t->root, "traceEvents"), *event;
    const json_t **slices = calloc(json_array_size(events) + 1, sizeof(void *));
    size_t i;
    *count = 0;
    json_array_foreach(events, i, event) if (is_of_program(event, 'X')) slices[(*count)++] = event;
    qsort(slices, *count, sizeof(void *), by_time);
    return slices;
}

/* The name of each track begins with that of its pipe. */
static void check_tracks(const json_t *events, const json_t *slice)
{
    const json_t *event;
    unsigned found = 0;
    size_t i;
    json_array_foreach(events, i, event)
    {
        if (!is_of_program(event, 'M') || strcmp(text_of(event, "name"), "thread_name") != 0 ||
            number_of(event, "tid") != number_of(slice, "tid"))
            continue;
        const char *name = text_of(json_object_get(event, "args"), "name");
        const char *pipe = text_of(slice, "cat");
        assert_int_equal(strncmp(name, pipe, strlen(pipe)), 0);
        found++;
    }
    assert_int_equal(found, 1);
}

/* No two slices of a track overlap; their total is the busy cycles of the pipe. */
static void check_overlap(const struct sam_system_figures *f, const json_t **slices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && number_of(slices[k], "ts") < end_of(slices[i]); k++)
            assert_true(number_of(slices[i], "tid") != number_of(slices[k], "tid"));
    for (size_t p = 0; p < f->pipe_count; p++) {
        uint64_t busy = 0, until = 0, kernels = 0;
        for (size_t i = 0; i < count; i++) {
            const uint64_t from = number_of(slices[i], "ts"), to = end_of(slices[i]);
            if (strcmp(text_of(slices[i], "cat"), f->pipes[p].name) != 0)
                continue;
            busy += to > until ? to - (from > until ? from : until) : 0;
            until = to > until ? to : until;
            if (!json_object_get(json_object_get(slices[i], "args"), "launch"))
                continue;
            assert_true(from >= kernels); /* launches are in order, one after another */
            kernels = to;
        }
        assert_int_equal(busy, f->pipes[p].cycles[SAM_SYSTEM_PIPE_BUSY]);
    }
}

/* Executions by the names of slices, "tmul 40, tadd 41". */
static void check_names(const struct sam_tile_stats *stats, const json_t **slices, size_t count)
{
    uint64_t ops[SAM_TILE_OPS] = {0};
    for (size_t i = 0; i < count; i++) {
        for (const char *at = text_of(slices[i], "name"); *at;) {
            const size_t size = strcspn(at, " ");
            struct sam_tile_op_text text;
            size_t op = 0;
            while (sam_tile_op_describe(op, &text) &&
                   (strlen(text.name) != size || memcmp(text.name, at, size) != 0))
                op++;
            assert_true(op < SAM_TILE_OPS);
            ops[op]++;
            at += strcspn(at, ",");
            at += strspn(at, ", ");
        }
    }
    for (size_t op = 0; op < SAM_TILE_OPS; op++)
        assert_int_equal(ops[op], stats->by_op[op].ops);
}

static void check_args(const struct sam_system_figures *f, const struct sam_tile_stats *stats,
                       const json_t **slices, size_t count)
{
    uint64_t read[SAM_TILE_PIPES] = {0}, written[SAM_TILE_PIPES] = {0};
    for (size_t i = 0; i < count; i++) {
        const json_t *args = json_object_get(slices[i], "args");
        unsigned pipe = 0;
        while (strcmp(f->pipes[pipe].name, text_of(slices[i], "cat")) != 0)
            pipe++;
        read[pipe] += number_of(args, "bytes read");
        written[pipe] += number_of(args, "bytes written");
        if (number_of(slices[i], "dur"))
            assert_true(number_of(args, "issued") < number_of(slices[i], "ts"));
    }
    for (size_t p = 0; p < f->pipe_count; p++) {
        assert_int_equal(read[p], f->pipes[p].read);
        assert_int_equal(written[p], f->pipes[p].written);
    }
    /* Copies in the background of a product are work of the product. */
    const uint64_t behind = written[SAM_TILE_PIPE_MATRIX];
    assert_true(written[SAM_TILE_PIPE_LOAD] + behind >= stats->loaded);
    assert_true(written[SAM_TILE_PIPE_STORE] + behind >= stats->stored);
}

static int by_number(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* An operation begins and ends with work of some unit, as shown on the units' tracks. */
static void check_work(const json_t *events, const json_t **slices, size_t count)
{
    const json_t *event, *done;
    size_t i, units = 0;
    FREED uint64_t *starts = calloc(json_array_size(events), sizeof *starts);
    FREED uint64_t *ends = calloc(json_array_size(events), sizeof *ends);
    assert_true(starts && ends);
    json_array_foreach(events, i, event)
    {
        const char *kind = text_of(event, "cat");
        if (text_of(event, "ph")[0] != 'X' || number_of(event, "pid") != 1 ||
            (strcmp(kind, "busy") != 0 && strcmp(kind, "matrix") != 0))
            continue;
        done = json_object_get(json_object_get(event, "args"), "done");
        starts[units] = number_of(event, "ts");
        ends[units++] = done ? (uint64_t)json_integer_value(done) : end_of(event);
    }
    qsort(starts, units, sizeof *starts, by_number);
    qsort(ends, units, sizeof *ends, by_number);
    for (i = 0; i < count; i++) {
        const uint64_t start = number_of(slices[i], "ts"), end = end_of(slices[i]);
        if (start == end)
            continue;
        assert_non_null(bsearch(&start, starts, units, sizeof start, by_number));
        assert_non_null(bsearch(&end, ends, units, sizeof end, by_number));
    }
}

/* The slice that contains an end of an arrow. */
static const json_t *slice_at(const json_t **slices, size_t count, const json_t *end)
{
    const uint64_t at = number_of(end, "ts");
    const json_t *found = NULL;
    for (size_t i = 0; i < count && number_of(slices[i], "ts") <= at; i++)
        if (number_of(slices[i], "tid") == number_of(end, "tid") &&
            (at < end_of(slices[i]) || at == number_of(slices[i], "ts")))
            found = slices[i];
    assert_non_null(found);
    return found;
}

/* Call `visit` with the ends of each arrow and their slices. */
static void each_arrow(const struct timed *t,
                       void (*visit)(void *context, const json_t *const ends[2],
                                     const json_t *const slices[2]),
                       void *context)
{
    size_t count, i, k;
    const json_t *events = json_object_get(t->root, "traceEvents"), *from, *to;
    const json_t **slices = find_slices(t, &count);
    json_array_foreach(events, i, from)
    {
        unsigned heads = 0;
        if (!is_of_program(from, 's'))
            continue;
        json_array_foreach(events, k, to)
        {
            if (!is_of_program(to, 'f') || number_of(to, "id") != number_of(from, "id"))
                continue;
            heads++;
            visit(context, (const json_t *const[]){from, to},
                  (const json_t *const[]){slice_at(slices, count, from),
                                          slice_at(slices, count, to)});
        }
        assert_int_equal(heads, 1);
    }
    free(slices);
}

/* A waiting operation ends after the operation it waits for. A launch begins after it, since the
 * hart waits. */
static void check_arrow(void *context, const json_t *const ends[2], const json_t *const slices[2])
{
    const bool waits = json_object_get(json_object_get(slices[0], "args"), "launch");
    unsigned *count = context;
    ++*count;
    assert_true(number_of(ends[0], "ts") <= number_of(ends[1], "ts"));
    assert_true(number_of(ends[1], "ts") >= end_of(slices[0]));
    if (waits)
        assert_true(number_of(slices[1], "ts") >= end_of(slices[0]));
}

static void check_timeline(const struct timed *t, const struct sam_tile_stats *stats)
{
    const json_t *events = json_object_get(t->root, "traceEvents"), *event;
    size_t count, i;
    unsigned arrows = 0, starts = 0, ends = 0;
    const json_t **slices = find_slices(t, &count);
    for (i = 0; i < count && i < 100; i++)
        check_tracks(events, slices[i]);
    check_overlap(t->figures, slices, count);
    check_names(stats, slices, count);
    check_args(t->figures, stats, slices, count);
    check_work(events, slices, count);
    free(slices);
    each_arrow(t, check_arrow, &arrows);
    json_array_foreach(events, i, event)
    {
        starts += is_of_program(event, 's');
        ends += is_of_program(event, 'f');
    }
    assert_int_equal(starts, arrows);
    assert_int_equal(ends, arrows);
}

static void put_arrow(void *context, const json_t *const ends[2], const json_t *const slices[2])
{
    (void)ends;
    sam_buffer_printf(context, "%s -> %s\n", text_of(slices[0], "name"),
                      text_of(slices[1], "name"));
}

struct sam_buffer timed_arrows(const struct timed *t)
{
    struct sam_buffer out = {0};
    each_arrow(t, put_arrow, &out);
    return out;
}

/* ------------------------------------------------------------------------------ all programs */

void timed_run(struct lowered *x, struct timed *t)
{
    SCOPED(sam_buffer) timeline = {0};
    const struct sam_tile_stats stats = execute(x);
    json_error_t error;
    t->made = lowered_make(x);
    t->figures = run(x, t->made, NULL);
    struct sam_system_figures *shown = run(x, t->made, &timeline);
    t->root = json_loadb((char *)timeline.data, timeline.size, JSON_REJECT_DUPLICATES, &error);
    if (!t->root)
        fail_msg("line %d: %s", error.line, error.text);
    check_same(t->figures, shown);
    check_pipes(t->figures, &stats);
    check_operations(t->figures, &stats);
    check_explanation(t);
    check_timeline(t, &stats);
    sam_system_figures_free(shown);
}

void timed_free(struct timed *t)
{
    json_decref(t->root);
    sam_system_figures_free(t->figures);
    sam_tile_lowered_free(t->made);
}
