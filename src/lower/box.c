/* SPDX-License-Identifier: Apache-2.0 */
/* Box copies on TensorLoad. If all sizes are compile-time constants, the operator planner (src/ops)
 * cuts the box into blocks, and equal boxes share one emitted routine. Otherwise fixed routines
 * copy lines of bytes, or 32 elements at a time, in program order. */
#include "lower/box.h"
#include "lower/hart.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ops/plan.h"

/* --- affine numbers */

struct lower_affine sam_lower_times(const struct lower_affine *a, const struct lower_affine *b)
{
    int64_t known;
    if (lower_is_known(a, &known)) {
        struct lower_affine product = *b;
        product.offset *= known;
        product.scale *= known;
        if (!known)
            product.count = 0;
        return product;
    }
    if (lower_is_known(b, &known))
        return sam_lower_times(b, a);
    struct lower_affine product = *a;
    product.scale *= b->scale;
    for (unsigned i = 0; i < b->count && product.count < LOWER_FACTORS; i++)
        product.factors[product.count++] = b->factors[i];
    return product;
}

static struct lower_affine factor(enum lower_factor_kind kind, uint32_t value, unsigned dimension)
{
    struct lower_affine number = {.scale = 1, .count = 1};
    number.factors[0].kind = kind;
    number.factors[0].value = value;
    number.factors[0].dimension = dimension;
    return number;
}

struct lower_affine sam_lower_valid(const struct lower *l, uint32_t tile, bool rows)
{
    uint32_t known;
    if (sam_lower_known(l, tile, rows ? LOWER_ROWS : LOWER_COLS, &known))
        return lower_is(known);
    return factor(rows ? LOWER_FACTOR_ROWS : LOWER_FACTOR_COLS, tile, 0);
}

struct lower_affine sam_lower_of_window(const struct lower *l, uint32_t window, unsigned dimension,
                                        bool stride)
{
    int64_t known;
    if (sam_lower_window_known(l, window, dimension, stride, &known))
        return lower_is(known);
    return factor(stride ? LOWER_FACTOR_STRIDE : LOWER_FACTOR_SIZE, window, dimension);
}

static void put_factor(struct lower *l, const char *reg, const struct lower_affine *number,
                       unsigned i)
{
    uint32_t value = number->factors[i].value;
    unsigned dimension = number->factors[i].dimension;
    switch (number->factors[i].kind) {
    case LOWER_FACTOR_ROWS: sam_lower_field(l, reg, value, LOWER_ROWS); break;
    case LOWER_FACTOR_COLS: sam_lower_field(l, reg, value, LOWER_COLS); break;
    case LOWER_FACTOR_SIZE: sam_lower_window_size(l, reg, value, dimension); break;
    case LOWER_FACTOR_STRIDE: sam_lower_window_stride(l, reg, value, dimension); break;
    }
}

static void add_known(struct lower *l, const char *reg, int64_t number)
{
    if (number >= -2048 && number < 2048) {
        if (number)
            sam_lower_hart(l, "addi %s, %s, %" PRId64, reg, reg, number);
    } else {
        sam_lower_hart(l, "li t0, %" PRId64 "; add %s, %s, t0", number, reg, reg);
    }
}

void sam_lower_put(struct lower *l, const char *reg, const struct lower_affine *number,
                   int64_t times)
{
    int64_t known, scale = number->scale * times;
    if (lower_is_known(number, &known)) {
        sam_lower_hart(l, "li %s, %" PRId64, reg, known * times);
        return;
    }
    put_factor(l, reg, number, 0);
    for (unsigned i = 1; i < number->count; i++) {
        put_factor(l, "t0", number, i);
        sam_lower_hart(l, "mul %s, %s, t0", reg, reg);
    }
    if (scale > 0 && !(scale & (scale - 1))) {
        if (scale > 1)
            sam_lower_hart(l, "slli %s, %s, %d", reg, reg, __builtin_ctzll((uint64_t)scale));
    } else {
        sam_lower_hart(l, "li t0, %" PRId64 "; mul %s, %s, t0", scale, reg, reg);
    }
    add_known(l, reg, number->offset * times);
}

void sam_lower_add(struct lower *l, const char *reg, const struct lower_affine *number,
                   uint32_t element)
{
    int64_t known;
    if (lower_is_known(number, &known)) {
        add_known(l, reg, known * (int64_t)element);
        return;
    }
    sam_lower_put(l, "t1", number, element);
    sam_lower_hart(l, "add %s, %s, t1", reg, reg);
}

/* --- routines */

struct routine {
    struct sam_box box; /* normalized */
    bool slow;          /* has a version for the background */
    bool plain;         /* changes only registers that such a version may change */
    uint64_t bits;      /* fill pattern */
    struct sam_plan_figures figures;
};

struct lower_boxes {
    struct routine *routines;
    size_t count, capacity;
    struct sam_buffer text;
    struct sam_plan_figures figures; /* of the boxes since the last note */
    unsigned unknown;                /* boxes since the last note with run-time sizes */
    bool in_use[LOWER_ALL_ROUTINES];
    uint64_t *patterns; /* fill patterns in the data section */
    size_t pattern_count, pattern_capacity;
};

static struct lower_boxes *boxes(struct lower *l)
{
    if (!l->boxes)
        l->boxes = calloc(1, sizeof *l->boxes);
    if (!l->boxes)
        l->hart.failed = true;
    return l->boxes;
}

void sam_lower_box_call(struct lower *l, enum lower_box_routine routine)
{
    static const char *const names[LOWER_BOX_ROUTINES] = {"lines", "elements", "fills",
                                                          "runs",  "widen",    "halves"};
    struct lower_boxes *b = boxes(l);
    if (b)
        b->in_use[routine] = true;
    sam_lower_hart(l, "call .L%s", names[routine]);
    if (b)
        b->unknown += routine != LOWER_WIDEN && routine != LOWER_HALVES;
}

bool sam_lower_box_first(struct lower *l, unsigned routine, struct sam_buffer **text)
{
    struct lower_boxes *b = boxes(l);
    bool first = b && !b->in_use[routine];
    if (first) {
        b->in_use[routine] = true;
        *text = &b->text;
    }
    return first;
}

void sam_lower_box_routines(struct lower *l)
{
    struct lower_boxes *b = l->boxes;
    if (!b)
        return;
    for (unsigned i = 0; i < LOWER_BOX_ROUTINES; i++)
        if (b->in_use[i])
            sam_lower_code(&b->text, "%s", sam_lower_box_texts[i]);
    sam_buffer_puts(&l->hart, sam_buffer_text(&b->text));
    l->hart.failed |= b->text.failed;
    sam_buffer_free(&b->text);
    free(b->routines);
    free(b->patterns);
    free(b);
    l->boxes = NULL;
}

/* --- compile-time sizes */

static bool same_box(const struct sam_box *a, const struct sam_box *b)
{
    if (a->rank != b->rank || a->unit != b->unit || a->constant != b->constant)
        return false;
    for (unsigned i = 0; i < a->rank; i++)
        if (a->dim[i].n != b->dim[i].n || a->dim[i].in != b->dim[i].in ||
            a->dim[i].out != b->dim[i].out)
            return false;
    return true;
}

/* Append the text of a routine; in a `slow` one (background.c) the product continues after each
 * store.
 */
static void append_routine(struct sam_buffer *out, const char *text, bool slow)
{
    while (*text) {
        const size_t size = strcspn(text, "\n") + 1;
        sam_buffer_append(out, text, size);
        if (slow && size > 13 && memcmp(text, "    tl.store ", 13) == 0)
            sam_buffer_puts(out, "    jal     tp, .Lissued\n");
        text += size;
    }
}

static enum sam_status write_routine(struct lower_boxes *b, struct routine *routine,
                                     uint32_t element, size_t number, bool slow)
{
    const struct sam_box *box = &routine->box;
    struct sam_buffer text = {0};
    struct sam_error error;
    struct sam_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return SAM_ERR_MEMORY;
    plan->inputs = 1;
    plan->element = element;
    for (unsigned i = 0; i < element; i++)
        plan->fill[i] = (uint8_t)(routine->bits >> 8 * i);
    enum sam_status status = sam_plan_box(plan, box, &error);
    if (status == SAM_OK) {
        const char *name = slow ? "slow" : "box";
        char label[32];
        snprintf(label, sizeof label, ".L%s%zu_", name, number);
        sam_buffer_printf(&b->text, "\n# %" PRIu64 " bytes from t2 to t3\n.L%s%zu:\n",
                          sam_box_bytes(box), name, number);
        sam_plan_emit(plan, label, box->constant ? "t3" : "t2", "t3", &text);
        sam_buffer_puts(&text, "    ret\n");
        append_routine(&b->text, sam_buffer_text(&text), slow);
        routine->plain = !strstr(sam_buffer_text(&text), " a2, ") &&
                         !strstr(sam_buffer_text(&text), " a4, ") &&
                         !strstr(sam_buffer_text(&text), " s6, ");
        sam_plan_count(plan, &routine->figures);
    }
    b->text.failed |= text.failed;
    sam_buffer_free(&text);
    sam_plan_free(plan);
    return status;
}

/* The routine of a box, or NULL if it is empty. */
static struct routine *find_routine(struct lower *l, struct sam_box *box, uint64_t bits,
                                    uint32_t element)
{
    struct lower_boxes *b = boxes(l);
    if (!b || !sam_box_bytes(box))
        return NULL;
    if (box->constant)
        for (unsigned i = 0; i < box->rank; i++)
            box->dim[i].in = box->dim[i].out;
    sam_box_normalize(box);
    size_t i = 0;
    while (i < b->count && (b->routines[i].bits != bits || !same_box(&b->routines[i].box, box)))
        i++;
    if (i == b->count) {
        struct routine *routines =
            sam_grow(b->routines, b->count, &b->capacity, sizeof *b->routines);
        if (routines) {
            b->routines = routines;
            routines[b->count++] = (struct routine){.box = *box, .bits = bits};
        }
        if (!routines || write_routine(b, &routines[i], element, i, false) != SAM_OK) {
            l->hart.failed = true;
            return NULL;
        }
    }
    return &b->routines[i];
}

static void call_routine(struct lower *l, struct sam_box *box, uint64_t bits, uint32_t element)
{
    struct routine *r = find_routine(l, box, bits, element);
    struct lower_boxes *b = l->boxes;
    if (!r)
        return;
    const size_t i = (size_t)(r - b->routines);
    const struct sam_plan_figures *f = &r->figures;
    if (l->state->defers) {
        if (!r->slow && write_routine(b, r, element, i, true) != SAM_OK)
            l->hart.failed = true;
        r->slow = true;
        sam_lower_defer_copy(l, i);
    } else {
        sam_lower_hart(l, "call .Lbox%zu", i);
    }
    b->figures.loads += f->loads;
    b->figures.stores += f->stores;
    b->figures.concats += f->concats;
    b->figures.xposes += f->xposes;
}

static void add_count(struct sam_buffer *text, uint64_t count, const char *name)
{
    if (count)
        sam_buffer_printf(text, "%s%" PRIu64 " %s%s", text->size ? ", " : "", count, name,
                          count > 1 ? "s" : "");
}

void sam_lower_box_note(struct lower *l, const struct sam_tile_op *op)
{
    struct lower_boxes *b = l->boxes;
    struct sam_buffer text = {0};
    if (!b)
        return;
    add_count(&text, b->figures.loads, "load");
    add_count(&text, b->figures.concats, "concatenation");
    add_count(&text, b->figures.xposes, "transposition");
    add_count(&text, b->figures.stores, "store");
    if (b->unknown)
        sam_buffer_printf(&text, "%ssizes known at run time", text.size ? ", " : "");
    if (text.size)
        sam_lower_note(l, op, "TensorLoad: %s", sam_buffer_text(&text));
    l->hart.failed |= text.failed;
    sam_buffer_free(&text);
    b->figures = (struct sam_plan_figures){0};
    b->unknown = 0;
}

/* Returns whether destination elements are distinct: each dimension's step covers the whole extent
 * of the dimensions with smaller steps. */
static bool apart(const struct sam_box *box)
{
    struct sam_box sorted = *box;
    int64_t extent = (int64_t)box->unit;
    for (unsigned done = 0; done < sorted.rank; done++) {
        unsigned least = done;
        for (unsigned i = done; i < sorted.rank; i++)
            if (llabs(sorted.dim[i].out) < llabs(sorted.dim[least].out))
                least = i;
        struct sam_dim dim = sorted.dim[least];
        sorted.dim[least] = sorted.dim[done];
        if (dim.n > 1 && llabs(dim.out) < extent)
            return false;
        extent += (int64_t)(dim.n - 1) * llabs(dim.out);
    }
    return true;
}

static bool known_box(const struct sam_lower_box *box, bool constant, struct sam_box *made)
{
    const int64_t e = box->element;
    *made = (struct sam_box){.rank = box->rank, .unit = box->element, .constant = constant};
    for (unsigned i = 0; i < box->rank; i++) {
        int64_t n, from = 0, to;
        if (!lower_is_known(&box->dim[i].n, &n) || !lower_is_known(&box->dim[i].to, &to) ||
            (!constant && !lower_is_known(&box->dim[i].from, &from)))
            return false;
        made->dim[i] = (struct sam_dim){(uint64_t)n, n > 1 ? from * e : 0, n > 1 ? to * e : 0};
    }
    return true;
}

/* --- run-time sizes */

static bool is_one(const struct lower_affine *number)
{
    int64_t known;
    return lower_is_known(number, &known) && known == 1;
}

/* Drop dimensions of size 1, but keep at least two. */
static struct sam_lower_box used_dims(const struct sam_lower_box *box)
{
    struct sam_lower_box used = {
        .element = box->element, .halves = box->halves, .ordered = box->ordered};
    unsigned missing = 2;
    for (unsigned i = 0; i < box->rank && missing; i++)
        missing -= !is_one(&box->dim[i].n);
    for (unsigned i = 0; i < missing; i++)
        used.dim[used.rank++].n = lower_is(1);
    for (unsigned i = 0; i < box->rank; i++)
        if (!is_one(&box->dim[i].n))
            used.dim[used.rank++] = box->dim[i];
    return used;
}

bool sam_lower_joined(const struct lower_dim *dim)
{
    return is_one(&dim->from) && is_one(&dim->to);
}

static bool is_run(const struct lower_dim *dim, bool constant)
{
    return (constant || is_one(&dim->from)) && is_one(&dim->to);
}

/* Open loops over all dimensions except the last two. */
static void open_loops(struct lower *l, const struct sam_lower_box *box, unsigned top)
{
    unsigned loops = box->rank - 2;
    if (loops)
        sam_lower_hart(l, "mv s5, t2; mv s8, t3");
    for (unsigned k = 0; k < loops; k++) {
        char counter[8];
        snprintf(counter, sizeof counter, "s%u", 2 + k);
        sam_lower_put(l, counter, &box->dim[k].n, 1);
        sam_lower_hart(l, ".L%u:", top + k);
        if (k + 1 < loops)
            sam_lower_hart(l, "mv s%u, s%u; mv s%u, s%u", 6 + k, 5 + k, 9 + k, 8 + k);
        else
            sam_lower_hart(l, "mv t2, s%u; mv t3, s%u", 5 + k, 8 + k);
    }
}

static void close_loops(struct lower *l, const struct sam_lower_box *box, unsigned top,
                        bool constant)
{
    for (unsigned k = box->rank - 2; k-- > 0;) {
        char from[8], to[8];
        snprintf(from, sizeof from, "s%u", 5 + k);
        snprintf(to, sizeof to, "s%u", 8 + k);
        if (!constant)
            sam_lower_add(l, from, &box->dim[k].from, box->element);
        sam_lower_add(l, to, &box->dim[k].to, box->element);
        sam_lower_hart(l, "addi s%u, s%u, -1; bnez s%u, .L%u", 2 + k, 2 + k, 2 + k, top + k);
    }
}

/* t2 = the address of 1 KiB filled with the pattern. */
static void put_pattern(struct lower *l, uint64_t bits, uint32_t element)
{
    struct lower_boxes *b = boxes(l);
    if (!b)
        return;
    bits &= UINT64_MAX >> (64 - 8 * element);
    for (uint32_t size = element; size < 8; size *= 2)
        bits |= bits << 8 * size;
    size_t i = 0;
    while (i < b->pattern_count && b->patterns[i] != bits)
        i++;
    if (i == b->pattern_count) {
        uint64_t *patterns =
            sam_grow(b->patterns, b->pattern_count, &b->pattern_capacity, sizeof *patterns);
        if (!patterns) {
            l->hart.failed = true;
            return;
        }
        b->patterns = patterns;
        patterns[b->pattern_count++] = bits;
        sam_buffer_printf(&l->data,
                          "    .balign 8\n.Lpattern%zu:\n    .fill 128, 8, 0x%016" PRIx64 "\n", i,
                          bits);
    }
    sam_lower_hart(l, "lla t2, .Lpattern%zu", i);
}

/* Copy the last two dimensions; the last one is the line. */
static void call_lines(struct lower *l, const struct sam_lower_box *box, bool constant)
{
    const struct lower_dim *line = &box->dim[box->rank - 1], *lines = &box->dim[box->rank - 2];
    bool run = is_run(line, constant) && !box->halves;
    if (constant && box->halves)
        sam_lower_hart(l, "slli t2, t2, 1; li a2, 0");
    if (!constant)
        sam_lower_put(l, "a2", &lines->from, box->element);
    sam_lower_put(l, "a3", &lines->to, box->element);
    sam_lower_put(l, "a4", &lines->n, 1);
    sam_lower_put(l, "a5", &line->n, run ? box->element : 1);
    if (run) {
        sam_lower_box_call(l, constant ? LOWER_FILLS : LOWER_LINES);
        return;
    }
    if (constant)
        sam_lower_hart(l, "li a6, 0");
    else
        sam_lower_put(l, "a6", &line->from, 1);
    sam_lower_put(l, "a7", &line->to, 1);
    if (box->halves) {
        sam_lower_box_call(l, LOWER_HALVES);
        return;
    }
    sam_lower_hart(l, "li t4, %u", box->element);
    sam_lower_box_call(l, LOWER_ELEMENTS);
}

static void move_unknown(struct lower *l, const struct sam_lower_box *given, bool constant,
                         uint64_t bits)
{
    struct sam_lower_box box = used_dims(given);
    struct lower_dim *line = &box.dim[box.rank - 1], *lines = &box.dim[box.rank - 2];
    int64_t known;
    if (!is_run(line, constant) && is_run(lines, constant) && !box.ordered) {
        struct lower_dim dim = *line;
        *line = *lines;
        *lines = dim;
    }
    unsigned skip = sam_lower_label(l), top = sam_lower_label(l);
    for (unsigned k = 3; k < box.rank; k++)
        sam_lower_label(l);
    for (unsigned i = 0; i < box.rank; i++)
        if (lower_is_known(&box.dim[i].n, &known) && !known)
            return;
    for (unsigned i = 0; i < box.rank; i++)
        if (!lower_is_known(&box.dim[i].n, &known)) {
            sam_lower_put(l, "t1", &box.dim[i].n, 1);
            sam_lower_hart(l, "beqz t1, .L%u", skip);
        }
    if (constant)
        put_pattern(l, bits, box.element);
    open_loops(l, &box, top);
    call_lines(l, &box, constant);
    close_loops(l, &box, top, constant);
    sam_lower_hart(l, ".L%u:", skip);
}

/* Returns whether the bytes of elements of 4 bits can be copied: lines of pairs. */
static bool whole_bytes(const struct sam_lower_box *box, struct sam_lower_box *bytes)
{
    const struct lower_dim *line = &box->dim[box->rank - 1];
    int64_t n, from, to;
    *bytes = *box;
    bytes->halves = false;
    if (!sam_lower_joined(line) || !lower_is_known(&line->n, &n) || n % 2)
        return false;
    bytes->dim[box->rank - 1].n = lower_is(n / 2);
    for (unsigned i = 0; i + 1 < box->rank; i++) {
        if (!lower_is_known(&box->dim[i].n, &n) || !lower_is_known(&box->dim[i].from, &from) ||
            !lower_is_known(&box->dim[i].to, &to) || (n > 1 && (from % 2 || to % 2)))
            return false;
        bytes->dim[i].from = lower_is(from / 2);
        bytes->dim[i].to = lower_is(to / 2);
    }
    return true;
}

/* Elements of 4 bits: bytes, if the copy starts at bytes, or one by one. */
static void move_halves(struct lower *l, const struct sam_lower_box *box)
{
    struct sam_lower_box bytes;
    const unsigned halves = sam_lower_label(l), end = sam_lower_label(l);
    const bool whole = whole_bytes(box, &bytes);
    if (whole) {
        sam_lower_hart(l,
                       "or t0, t2, t3; andi t0, t0, 1; bnez t0, .L%u; srli t2, t2, 1; "
                       "srli t3, t3, 1",
                       halves);
        sam_lower_box(l, &bytes);
        sam_lower_hart(l, "j .L%u; .L%u:", end, halves);
    }
    move_unknown(l, box, false, 0);
    if (whole)
        sam_lower_hart(l, ".L%u:", end);
}

void sam_lower_box(struct lower *l, const struct sam_lower_box *box)
{
    struct sam_box made;
    if (box->halves)
        move_halves(l, box);
    else if (known_box(box, false, &made) && (!box->ordered || apart(&made)))
        call_routine(l, &made, 0, box->element);
    else
        move_unknown(l, box, false, 0);
}

bool sam_lower_box_is_plain(struct lower *l, const struct sam_lower_box *box)
{
    struct sam_box made;
    const struct routine *r =
        !box->halves && known_box(box, false, &made) && (!box->ordered || apart(&made))
            ? find_routine(l, &made, 0, box->element)
            : NULL;
    return r && r->plain && !r->figures.concats;
}

void sam_lower_box_fill(struct lower *l, const struct sam_lower_box *box, uint64_t bits)
{
    struct sam_box made;
    if (!box->halves && known_box(box, true, &made))
        call_routine(l, &made, bits, box->element);
    else
        move_unknown(l, box, true, bits);
}
