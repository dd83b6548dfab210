/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_run.h"

#include "assemble.h"
#include "lower/hart.h"
#include "lower/op_map.h"
#include "must.h"
#include "reference/ventus_ref.h"

enum { MOST = 24, METADATA = 0x92000000, WORDS = 0x92001000, FAILURE = 0x92002000 };

/* A tile or scalar argument of the function. */
struct given {
    uint32_t value;
    const struct sam_tile_ty *type;
    uint64_t rows, cols;     /* of a tile */
    uint8_t *before, *after; /* its valid rectangle, on the executor; a scalar's bits */
    uint8_t *room;           /* all its memory, before the run on the GPU */
    struct sam_array array;
};

struct function {
    struct kernel_run *run;
    const char *text;
    struct sam_tile_program *p;
    struct given given[MOST];
    size_t count;
    struct lower l;
    struct lower_state state;
    struct sam_tile_report report;
    struct sam_lower_kernel kernels[LOWER_GROUP];
    struct sam_image *image;
    struct sam_error error; /* of the executor */
    enum sam_status status;
};

void kernel_run_open(struct kernel_run *run, uint64_t seed)
{
    *run = (struct kernel_run){.seed = seed};
    succeeds(sam_gpu_new, NULL, &run->gpu);
    succeeds(sam_gpu_map, run->gpu, SAM_SYSTEM_L1M, 0x100000);
    succeeds(sam_gpu_map, run->gpu, METADATA, 0x3000);
}

void kernel_run_close(struct kernel_run *run)
{
    sam_gpu_free(run->gpu);
}

/* Fail after printing the case itself, which is too long for a message of cmocka. */
#define FAIL(f, ...)                                                                               \
    do {                                                                                           \
        fprintf(stderr, "%s\n%s\n", (f)->text, sam_buffer_text(&(f)->l.gpu));                      \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

/* --- the executor */

static size_t tile_bytes(const struct sam_tile_type *type)
{
    return (size_t)type->rows * type->cols * sam_dtype_size(type->dtype);
}

static void make_arguments(struct function *f, uint32_t rows, uint32_t cols,
                           kernel_element *element, void *context)
{
    const struct sam_tile_func *func = &f->p->funcs[0];
    uint64_t *seed = &f->run->seed;
    f->count = func->arg_count;
    assert_true(f->count <= MOST);
    for (size_t i = 0; i < f->count; i++) {
        struct given *g = &f->given[i];
        g->value = f->p->ids[func->args + i];
        g->type = sam_tile_ty(f->p, g->value);
        bool tile = g->type->kind == SAM_TILE_KIND_TILE;
        const struct sam_tile_type *type = &g->type->tile;
        enum sam_dtype dtype = tile ? type->dtype : g->type->dtype;
        size_t size = sam_dtype_size(dtype);
        if (tile) {
            g->rows = type->valid_rows >= 0 ? (uint64_t)type->valid_rows : rows;
            g->cols = type->valid_cols >= 0 ? (uint64_t)type->valid_cols : cols;
            g->room = malloc(tile_bytes(type));
            for (size_t k = 0; k < tile_bytes(type); k++)
                g->room[k] = (uint8_t)test_random(seed);
        }
        size_t count = tile ? g->rows * g->cols : 1;
        g->before = calloc(count + 1, 8);
        g->after = calloc(count + 1, 8);
        for (size_t k = 0; k < count; k++)
            test_set(g->before, k, dtype,
                     element ? element(context, f->p->values[g->value].name, k, dtype)
                             : test_element(seed, dtype));
        memcpy(g->after, g->before, count * size);
        g->array = (struct sam_array){.data = g->after,
                                      .count = count,
                                      .dtype = dtype,
                                      .rank = 2,
                                      .shape = {g->rows, g->cols}};
        for (size_t r = 0; tile && r < g->rows; r++)
            memcpy(g->room + r * type->cols * size, g->before + r * g->cols * size, g->cols * size);
    }
}

static void execute(struct function *f)
{
    struct sam_tile_argument arguments[MOST] = {{0}};
    struct sam_tile_options options = {.size = sizeof options,
                                       .nan = f->run->nan,
                                       .outside = f->run->outside,
                                       .sum_order = SAM_TILE_SUM_SYSTEM};
    for (size_t i = 0; i < f->count; i++) {
        bool tile = f->given[i].type->kind == SAM_TILE_KIND_TILE;
        arguments[i].output = arguments[i].inout = tile;
        if (tile) {
            arguments[i].array = &f->given[i].array;
        } else {
            arguments[i].is_scalar = true;
            arguments[i].dtype = f->given[i].type->dtype;
            memcpy(&arguments[i].bits, f->given[i].before, sam_dtype_size(arguments[i].dtype));
        }
    }
    f->status = sam_tile_run(f->p, 0, arguments, f->count, &options, NULL, &f->error);
}

/* --- the GPU */

static void write_kernels(struct function *f)
{
    struct lower *l = &f->l;
    const struct sam_tile_func *func = &f->p->funcs[0];
    f->report.program = f->p;
    *l = (struct lower){.p = f->p, .f = func, .report = &f->report, .state = &f->state};
    f->state.yields = LOWER_NO_SLOT;
    f->state.begun = sam_alloc(f->p->op_count + 1, sizeof *f->state.begun);
    assert_non_null(f->state.begun);
    l->options.nan = f->run->nan;
    l->options.outside = f->run->outside;
    assert_int_equal(sam_tile_flow(f->p, func, &l->flow), SAM_OK);
    assert_int_equal(sam_tile_plan(f->p, func, &l->flow, SAM_TILE_A5, &f->report, &l->plan),
                     SAM_OK);
    assert_int_equal(f->report.report.errors, 0);
    assert_true(sam_lower_read_in_place(l) && sam_lower_values(l));
    struct sam_lower_kernel *k = NULL;
    for (uint32_t at = func->body; at != SAM_TILE_NONE; at = f->p->ops[at].next) {
        int64_t number;
        if (f->p->ops[at].code == SAM_TILE_CONSTANT) {
            uint32_t value = f->p->ids[f->p->ops[at].results];
            assert_true(sam_tile_constant(f->p, value, &number));
            sam_lower_know(l, value, number);
        }
        if (f->p->ops[at].code < SAM_TILE_FIRST_OP)
            continue;
        if (!k || !sam_lower_can_fuse(l, k, at)) {
            assert_true(l->kernels < LOWER_GROUP);
            k = &f->kernels[l->kernels];
            *k = (struct sam_lower_kernel){0};
            snprintf(k->name, sizeof k->name, "k%u", l->kernels++);
            assert_true(sam_lower_can_fuse(l, k, at));
        }
        k->ops[k->op_count++] = at;
    }
    for (unsigned i = 0; i < l->kernels; i++)
        sam_lower_kernel(l, &f->kernels[i]);
    sam_lower_routines(l);
    f->run->kernels = l->kernels;
    assert_false(l->gpu.failed);
}

static uint32_t address_of(const struct function *f, uint32_t value)
{
    return LOWER_VEC + (uint32_t)sam_tile_place_find(&f->l.plan, value)->offset;
}

static const struct given *given_of(const struct function *f, uint32_t value)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->given[i].value == value)
            return &f->given[i];
    return NULL;
}

static uint32_t word_of(const struct function *f, const struct lower_word *w)
{
    const struct given *g = given_of(f, w->value);
    const struct sam_tile_type *type = &sam_tile_ty(f->p, w->value)->tile;
    uint32_t bits;
    switch (w->kind) {
    case LOWER_WORD_ADDRESS: return address_of(f, w->value);
    case LOWER_WORD_PITCH: return type->cols * (uint32_t)sam_dtype_size(type->dtype);
    case LOWER_WORD_ROWS: return (uint32_t)g->rows;
    case LOWER_WORD_COLS: return (uint32_t)g->cols;
    case LOWER_WORD_BITS: memcpy(&bits, g->before, 4); return bits;
    case LOWER_WORD_NUMBER: return w->number;
    case LOWER_WORD_FAILURE: return FAILURE;
    default: return 0; /* of a window: these functions have none */
    }
}

/* One of the two machines. */
struct device {
    struct sam_gpu *gpu;
    struct ref_gpu *reference;
};

static void put(const struct device *d, uint32_t address, const void *data, size_t size)
{
    if (d->reference)
        ref_gpu_write(d->reference, address, data, size);
    else
        succeeds(sam_gpu_write, d->gpu, address, data, size);
}

static void get(const struct device *d, uint32_t address, void *data, size_t size)
{
    if (d->reference)
        ref_gpu_read(d->reference, address, data, size);
    else
        succeeds(sam_gpu_read, d->gpu, address, data, size);
}

static void launch(struct function *f, const struct device *d, const struct sam_lower_kernel *k)
{
    uint32_t words[LOWER_WORDS] = {0}, metadata[16] = {0};
    struct sam_error error = {0};
    for (unsigned i = 0; i < k->word_count; i++)
        words[i] = word_of(f, &k->words[i]);
    metadata[0] = (uint32_t)sam_image_find(f->image, k->name)->value;
    metadata[1] = WORDS;
    put(d, METADATA, metadata, sizeof metadata);
    put(d, WORDS, words, sizeof words);
    struct sam_launch launch = {.start = (uint32_t)sam_image_find(f->image, "_start")->value,
                                .metadata = METADATA,
                                .grid = {k->workgroups, 1, 1},
                                .lanes = 32,
                                .warps = k->warps,
                                .lds_size = 1024 * k->warps + k->lds_bytes,
                                .pds_size = 4,
                                .pds_base = METADATA,
                                .image = f->image};
    struct ref_result result;
    if (!d->reference) {
        if (sam_gpu_launch(d->gpu, &launch, NULL, &error))
            FAIL(f, "%s", error.text);
        return;
    }
    if (!ref_gpu_launch(d->reference, &launch, &result))
        FAIL(f, "the reference machine traps at 0x%x", result.trap.pc);
    ref_result_free(&result);
}

/* --- results */

/* Whether some tile is empty: then nothing is written, not even padding. */
static bool has_empty(const struct function *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->given[i].room && !(f->given[i].rows && f->given[i].cols))
            return true;
    return false;
}

static void compare_tile(const struct function *f, const struct device *d, const struct given *g)
{
    const struct sam_tile_type *type = &g->type->tile;
    size_t size = sam_dtype_size(type->dtype), bytes = tile_bytes(type);
    FREED uint8_t *got = malloc(bytes);
    bool fills = strstr(f->text, "tfillpad") != NULL;
    bool padded = f->p->values[g->value].name[0] == 'd' && type->pad != SAM_TILE_PAD_null &&
                  (fills || (f->run->outside == SAM_TILE_PAD_VALUE && !has_empty(f)));
    get(d, address_of(f, g->value), got, bytes);
    for (size_t i = 0; i < type->rows; i++)
        for (size_t j = 0; j < type->cols; j++) {
            bool inside = i < g->rows && j < g->cols;
            uint64_t want = inside   ? test_bits(g->after, i * g->cols + j, type->dtype)
                            : padded ? sam_tile_pad_bits(type, SAM_TILE_PAGE)
                                     : test_bits(g->room, i * type->cols + j, type->dtype);
            uint64_t mask = UINT64_MAX >> (64 - 8 * size);
            uint64_t bits = test_bits(got, i * type->cols + j, type->dtype);
            if (bits != (want & mask))
                FAIL(f, "%%%s[%zu,%zu] is 0x%" PRIx64 ": expected 0x%" PRIx64 " (%s)",
                     f->p->values[g->value].name, i, j, bits, want & mask,
                     d->reference ? "reference" : "gpu");
        }
}

static void run_on(struct function *f, const struct device *d)
{
    uint32_t record[LOWER_FAILURE_WORDS] = {0, UINT32_MAX, 0};
    put(d, FAILURE, record, sizeof record);
    for (size_t i = 0; i < f->count; i++)
        if (f->given[i].room)
            put(d, address_of(f, f->given[i].value), f->given[i].room,
                tile_bytes(&f->given[i].type->tile));
    for (unsigned i = 0; i < f->l.kernels; i++) {
        launch(f, d, &f->kernels[i]);
        get(d, FAILURE, record, sizeof record);
        if (record[LOWER_FAILURE_NUMBER])
            break;
    }
    if (f->status != SAM_OK) {
        uint32_t columns = record[LOWER_FAILURE_COLUMNS], at = record[LOWER_FAILURE_ELEMENT];
        if (!record[LOWER_FAILURE_NUMBER] || !columns)
            FAIL(f, "the kernels do not fail: %s", f->error.text);
        FREED char *place = formatted("[%u,%u]", at / columns, at % columns);
        if (!strstr(f->error.text, place))
            FAIL(f, "the kernels fail at %s: %s", place, f->error.text);
        return;
    }
    if (record[LOWER_FAILURE_NUMBER])
        FAIL(f, "the kernels fail at element %u", record[LOWER_FAILURE_ELEMENT]);
    for (size_t i = 0; i < f->count; i++)
        if (f->given[i].room)
            compare_tile(f, d, &f->given[i]);
}

static void run_on_reference(struct function *f)
{
    struct sam_gpu_options options = {.size = sizeof options};
    struct device d = {.reference = ref_gpu_new(&options)};
    ref_gpu_map(d.reference, SAM_SYSTEM_L1M, 0x100000);
    ref_gpu_map(d.reference, METADATA, 0x3000);
    for (size_t i = 0; i < f->image->section_count; i++) {
        const struct sam_section *s = &f->image->sections[i];
        ref_gpu_map(d.reference, (uint32_t)s->address, s->size);
        ref_gpu_write(d.reference, (uint32_t)s->address, s->data, s->data_size);
    }
    run_on(f, &d);
    ref_gpu_free(d.reference);
}

static void finish(struct function *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->given[i].before);
        free(f->given[i].after);
        free(f->given[i].room);
    }
    sam_tile_flow_free(&f->l.flow);
    sam_tile_plan_free(&f->l.plan);
    sam_tile_report_free(&f->report);
    for (size_t i = 0; i < f->state.failures.count; i++)
        free(f->state.failures.items[i]);
    for (size_t i = 0; i < f->state.remark_count; i++)
        free(f->state.remarks[i].text);
    free(f->state.failures.items);
    free(f->state.remarks);
    sam_lower_inflight_free(&f->state.inflight);
    sam_buffer_free(&f->state.slots);
    sam_buffer_free(&f->state.setup);
    sam_buffer_free(&f->l.hart);
    sam_buffer_free(&f->l.data);
    free(f->l.values);
    free(f->l.in_place);
    sam_lower_op_map_free(f->state.op_map);
    free(f->state.begun);
    sam_buffer_free(&f->l.gpu);
    sam_image_free(f->image);
    sam_tile_program_free(f->p);
}

void kernel_run_compare(struct kernel_run *run, const char *text, uint32_t rows, uint32_t cols,
                        kernel_element *element, void *context)
{
    FREED struct function *f = calloc(1, sizeof *f);
    *f = (struct function){.run = run, .text = text};
    f->p = test_parse("case.pto", text, strlen(text));
    make_arguments(f, rows, cols, element, context);
    execute(f);
    if (f->status != SAM_OK && f->status != SAM_ERR_TRAP)
        fail_msg("%s\n%s", f->error.text, text);
    write_kernels(f);
    f->image =
        test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), sam_buffer_text(&f->l.gpu));
    succeeds(sam_gpu_load, run->gpu, f->image);
    struct device d = {.gpu = run->gpu};
    run_on(f, &d);
    if (run->reference)
        run_on_reference(f);
    succeeds(sam_gpu_unmap, run->gpu, SAM_CODE_BASE);
    finish(f);
}
