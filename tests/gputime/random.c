/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: the model and the plain implementation in reference/ take the same cycles,
 * with every instruction in every stage in the same cycle; results do not depend on the
 * observer. The kernels are those of one seed unless SAMITE_SEED gives another; SAMITE_CASES:
 * how many of each preset, without memory instructions, with them, and with some parameters
 * changed. */

#include "test.h"

#include "kernel.h"
#include "reference/gputime_ref.h"

struct history {
    struct sam_gputime_record *of;
    size_t count, capacity;
};

static void remember(void *context, const struct sam_gputime_record *record)
{
    struct history *h = context;
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 256;
        h->of = realloc(h->of, h->capacity * sizeof *h->of);
        assert_non_null(h->of);
    }
    h->of[h->count++] = *record;
}

static int by_number(const void *a, const void *b)
{
    const struct sam_gputime_record *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

static void print_record(const char *who, const struct sam_gputime_record *r)
{
    print_message("# %-9s %llu: sm %u workgroup %u warp %u pc %x %s: issue %llu, execution %llu, "
                  "write-back %llu\n",
                  who, (unsigned long long)r->number, r->sm, r->workgroup, r->warp, r->pc,
                  sam_insn_rows[r->insn->op].mnemonic, (unsigned long long)r->issued,
                  (unsigned long long)r->executed, (unsigned long long)r->written);
}

static bool is_same(const struct sam_gputime_record *a, const struct sam_gputime_record *b)
{
    return a->sm == b->sm && a->slot == b->slot && a->workgroup == b->workgroup &&
           a->warp == b->warp && a->pc == b->pc && a->unit == b->unit && a->issued == b->issued &&
           a->executed == b->executed && a->written == b->written;
}

/* Of the instructions that left both pipelines before the end. */
static unsigned compare_histories(struct history *model, struct history *plain)
{
    unsigned wrong = 0;
    qsort(model->of, model->count, sizeof *model->of, by_number);
    qsort(plain->of, plain->count, sizeof *plain->of, by_number);
    for (size_t i = 0, k = 0; i < model->count && k < plain->count && wrong < 4;) {
        const struct sam_gputime_record *a = &model->of[i], *b = &plain->of[k];
        if (a->number == b->number && !is_same(a, b)) {
            print_record("model", a);
            print_record("reference", b);
            wrong++;
        }
        i += a->number <= b->number;
        k += b->number <= a->number;
    }
    return wrong;
}

/* Without an observer, SMs are simulated separately: the results are equal in every field. */
static bool is_same_result(const struct sam_gputime_result *a, const struct sam_gputime_result *b)
{
    return a->cycles == b->cycles && a->launch_cycles == b->launch_cycles && a->insns == b->insns &&
           a->counted_insns == b->counted_insns && a->sms == b->sms && a->slots == b->slots &&
           a->row_count == b->row_count && a->l2_busy == b->l2_busy &&
           a->dram_reads == b->dram_reads && a->dram_writes == b->dram_writes &&
           a->dram_bytes_read == b->dram_bytes_read &&
           a->dram_bytes_written == b->dram_bytes_written && a->dram_busy == b->dram_busy &&
           memcmp(&a->l2, &b->l2, sizeof a->l2) == 0 &&
           memcmp(a->sm, b->sm, a->sms * sizeof *a->sm) == 0 &&
           memcmp(a->warp_slots, b->warp_slots,
                  (size_t)a->sms * a->slots * sizeof *a->warp_slots) == 0 &&
           memcmp(a->rows, b->rows, a->row_count * sizeof *a->rows) == 0;
}

/* `machine`: its preset and other parameters. */
static void compare(const char *machine, const struct sam_gputime_config *config, struct kernel *k,
                    uint64_t seed)
{
    struct history histories[2] = {{0}};
    struct gputime_ref_result plain;
    struct sam_gputime_result model, unobserved;
    struct sam_gputime_source source = kernel_source(k);
    const struct sam_gputime_observer observer = {.context = &histories[0], .record = remember};
    const struct gputime_ref_watcher watcher = {&histories[1], remember};
    succeeds(sam_gputime_run, config, &k->launch, &source, &observer, &model);
    source = kernel_source(k);
    succeeds(sam_gputime_run, config, &k->launch, &source, NULL, &unobserved);
    if (!is_same_result(&model, &unobserved))
        fail_msg("SAMITE_SEED=0x%" PRIx64 ", %s: without an observer, other results", seed,
                 machine);
    sam_gputime_result_free(&unobserved);
    source = kernel_source(k);
    gputime_ref_run(config, &k->launch, &source, &watcher, &plain);
    if (compare_histories(&histories[0], &histories[1]) || model.cycles != plain.cycles ||
        model.insns != plain.insns)
        fail_msg("SAMITE_SEED=0x%" PRIx64 ", %s: %" PRIu64 " cycles, the reference has %" PRIu64
                 "; %" PRIu64 " instructions and %" PRIu64,
                 seed, machine, model.cycles, plain.cycles, model.insns, plain.insns);
    sam_gputime_result_free(&model);
    free(histories[0].of);
    free(histories[1].of);
}

struct machine {
    const char *preset;
    bool with_memory;
    unsigned changes; /* parameters to draw again */
};

/* Draw parameters, and add them to `names`: small numbers and powers of two; impossible values keep
 * the default. */
static void change(struct sam_gputime_config *config, unsigned changes, uint64_t *seed,
                   struct sam_buffer *names)
{
    size_t count = 0;
    while (sam_gputime_parameter(count))
        count++;
    for (unsigned i = 0; i < changes; i++) {
        const struct sam_parameter *p = sam_gputime_parameter(test_below(seed, count));
        const uint64_t power = UINT64_C(1) << test_below(seed, 10);
        const uint64_t number = p->low + test_below(seed, 13);
        struct sam_gputime_config changed = *config;
        struct sam_error why;
        FREED char *text = formatted("%s=%" PRIu64, p->name, test_below(seed, 4) ? number : power);
        if (sam_gputime_config_set(&changed, text, &why) == SAM_OK &&
            sam_gputime_config_check(&changed, &why) == SAM_OK) {
            *config = changed;
            sam_buffer_printf(names, " %s", text);
        }
    }
}

static void random_kernels(void **state)
{
    const struct machine *machine = *state;
    const uint64_t cases = test_number("SAMITE_CASES", 60);
    uint64_t seed = test_number("SAMITE_SEED", 5);
    struct sam_gputime_config preset, config;
    unsigned ran = 0;
    sam_gputime_config_init(&preset);
    FREED char *text = formatted("preset=%s", machine->preset);
    succeeds(sam_gputime_config_set, &preset, text);
    for (uint64_t i = 0; i < cases; i++) {
        struct sam_error error;
        SCOPED(kernel) k;
        const uint64_t start = seed;
        struct sam_buffer names = {0};
        config = preset;
        sam_buffer_puts(&names, machine->preset);
        change(&config, machine->changes, &seed, &names);
        kernel_random(&k, &seed, machine->with_memory);
        if (sam_gputime_check(&config, &k.launch, &error) == SAM_OK) {
            compare(sam_buffer_text(&names), &config, &k, start);
            ran++;
        }
        sam_buffer_free(&names);
    }
    assert_true(ran > cases / 2);
}

/* Two loads overlap each other and the end of the launch: the LSU is busy up to the end. */
static void loads_at_the_end(void **state)
{
    (void)state;
    uint64_t seed = UINT64_C(0xa0b4357118aa37b6);
    const uint64_t start = seed;
    struct sam_gputime_config config;
    SCOPED(kernel) k;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, "preset=systemc");
    kernel_random(&k, &seed, true);
    compare("systemc", &config, &k, start);
}

PROLOGUE
{
    static const struct {
        const char *name;
        struct machine machine;
    } rows[] = {
        {"rtl", {"rtl", false, 0}},
        {"rtl_with_memory", {"rtl", true, 0}},
        {"verilog", {"verilog", false, 0}},
        {"verilog_with_memory", {"verilog", true, 0}},
        {"systemc", {"systemc", false, 0}},
        {"systemc_with_memory", {"systemc", true, 0}},
        {"rtl_changed", {"rtl", true, 3}},
        {"verilog_changed", {"verilog", true, 3}},
        {"systemc_changed", {"systemc", true, 3}},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++)
        test_add(random_kernels, &rows[i].machine, "%s", rows[i].name);
    test_add(loads_at_the_end, NULL, "loads_at_the_end");
}
