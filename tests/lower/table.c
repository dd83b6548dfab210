/* SPDX-License-Identifier: Apache-2.0 */
/* The table of docs/tile-lowering.md: the code of each operation for tiles of 16x64 elements, in
 * kernels 16x1024. It is generated from the lowered programs and compared with the page;
 * SAMITE_WRITE=1 updates the page. */
#include "tile/tile_test.h"

#include <ctype.h>

#include "tile/tile.h"

enum { TYPES = 4 };
static const enum sam_dtype types[TYPES] = {SAM_F32, SAM_F16, SAM_I32, SAM_I8};
static const char heading[] = "| operation | f32 | f16 | i32 | i8 |\n|---|---|---|---|---|\n";

/* --- one operation as a program */

struct shape {
    const char *loc;
    unsigned rows, cols;
    int valid; /* columns; 0: all */
};

/* A tile of a single column has room for 32 bytes in each row. */
static void write_type(struct sam_buffer *out, const struct shape *s, enum sam_dtype dtype,
                       const char *more)
{
    const unsigned least = 32 / (unsigned)sam_dtype_size(dtype);
    sam_buffer_printf(out, "!pto.tile<%s, %ux%ux%s", s->loc, s->rows,
                      s->valid == 1 ? least : s->cols, sam_tile_dtype_name(dtype));
    if (s->valid)
        sam_buffer_printf(out, ", valid=%ux%d", s->rows, s->valid);
    sam_buffer_printf(out, "%s>", more);
}

static const struct shape whole = {"vec", 16, 64, 0}, column = {"vec", 16, 8, 1},
                          row = {"vec", 1, 64, 0};

static struct shape source_shape(const struct sam_tile_row *op, size_t index)
{
    switch (op->family) {
    case SAM_TILE_ROWEXPAND: return column;
    case SAM_TILE_COLEXPAND: return row;
    case SAM_TILE_ROWEXPAND2: return index ? column : whole;
    case SAM_TILE_COLEXPAND2: return index ? row : whole;
    case SAM_TILE_INSERT: return (struct shape){"vec", 8, 32, 0};
    case SAM_TILE_HISTOGRAM: return index ? (struct shape){"vec", 16, 32, 1} : whole;
    case SAM_TILE_MERGE: return row;
    case SAM_TILE_MATMUL:
    case SAM_TILE_MATMUL_BIAS:
        return index == 0   ? (struct shape){"left", 16, 64, 0}
               : index == 1 ? (struct shape){"right", 64, 32, 0}
                            : (struct shape){"mat", 1, 32, 0};
    case SAM_TILE_MATMUL_ACC:
        return index == 0   ? (struct shape){"acc", 16, 32, 0}
               : index == 1 ? (struct shape){"left", 16, 64, 0}
                            : (struct shape){"right", 64, 32, 0};
    default: return whole;
    }
}

static struct shape destination_shape(const struct sam_tile_row *op)
{
    switch (op->family) {
    case SAM_TILE_COLFOLD:
    case SAM_TILE_COLARG: return row;
    case SAM_TILE_ROWFOLD:
    case SAM_TILE_ROWARG: return column;
    case SAM_TILE_HISTOGRAM: return (struct shape){"vec", 16, 256, 0};
    case SAM_TILE_MERGE: return (struct shape){"vec", 1, 128, 0};
    case SAM_TILE_TRANS: return (struct shape){"vec", 64, 32, 16};
    case SAM_TILE_RESHAPE: return (struct shape){"vec", 32, 32, 0};
    case SAM_TILE_EXTRACT: return (struct shape){"vec", 8, 32, 0};
    case SAM_TILE_CONCAT: return (struct shape){"vec", 16, 128, 0};
    case SAM_TILE_MATMUL:
    case SAM_TILE_MATMUL_ACC:
    case SAM_TILE_MATMUL_BIAS: return (struct shape){"acc", 16, 32, 0};
    default: return whole;
    }
}

static enum sam_dtype sum_of(enum sam_dtype dtype)
{
    return sam_tile_is_real(dtype) ? SAM_F32 : SAM_I32;
}

static bool is_product(const struct sam_tile_row *op)
{
    return sam_tile_family(op)->pipe == SAM_TILE_PIPE_MATRIX;
}

static enum sam_dtype source_dtype(const struct sam_tile_row *op, size_t index,
                                   enum sam_dtype dtype)
{
    if ((op->family == SAM_TILE_SEL && index == 0) || (op->family == SAM_TILE_HISTOGRAM && index))
        return SAM_U8;
    if (op->family == SAM_TILE_HISTOGRAM)
        return SAM_U32;
    if ((op->family == SAM_TILE_GATHER || op->family == SAM_TILE_SCATTER) && index)
        return SAM_I32;
    if ((op->family == SAM_TILE_DEQUANT && index != 1) ||
        (op->family == SAM_TILE_QUANT && index == 2))
        return SAM_I8;
    const bool sum = (op->family == SAM_TILE_MATMUL_ACC && index == 0) ||
                     (op->family == SAM_TILE_MATMUL_BIAS && index == 2);
    return sum ? sum_of(dtype) : dtype;
}

static enum sam_dtype destination_dtype(const struct sam_tile_row *op, enum sam_dtype dtype)
{
    if (is_product(op))
        return sum_of(dtype);
    if (op->family == SAM_TILE_COLARG || op->family == SAM_TILE_ROWARG)
        return SAM_I32;
    if (op->family == SAM_TILE_CVT)
        return sam_tile_is_real(dtype) ? SAM_I32 : SAM_F32;
    if (op->family == SAM_TILE_QUANT)
        return SAM_I8;
    if (op->family == SAM_TILE_HISTOGRAM)
        return SAM_U32;
    return op->family == SAM_TILE_CMP ? SAM_U8 : dtype;
}

static bool takes(const struct sam_tile_row *op, enum sam_dtype dtype)
{
    if (strncmp(op->name, "mgather", 7) == 0 || op->family == SAM_TILE_SPREAD)
        return false; /* with partitions: picked.c */
    if (op->family == SAM_TILE_IMAGE)
        return false; /* of constants: generated.c */
    if (op->family == SAM_TILE_QUANT || op->family == SAM_TILE_DEQUANT)
        return dtype == SAM_F32;
    if (op->family == SAM_TILE_HISTOGRAM)
        return dtype == SAM_I32; /* as ui32 */
    switch (op->dtypes) {
    case SAM_TILE_REAL: return sam_tile_is_real(dtype);
    case SAM_TILE_WHOLE:
    case SAM_TILE_BITS: return !sam_tile_is_real(dtype);
    case SAM_TILE_FACTOR: return sam_tile_is_real(dtype) || dtype == SAM_I8;
    case SAM_TILE_SCALED: return false; /* of other dtypes: generated_matmul.c */
    case SAM_TILE_ORDER:
    case SAM_TILE_SHORT:
    case SAM_TILE_CONVERTED:
    case SAM_TILE_BASIC:
    case SAM_TILE_INDEXED:
    case SAM_TILE_ANY: break;
    }
    return true;
}

/* Kernels have rows of 1024 elements, so that they have loops. */
static struct shape widened(const struct sam_tile_row *op, struct shape s)
{
    switch (op->family) {
    case SAM_TILE_MOV:
    case SAM_TILE_TRANS:
    case SAM_TILE_RESHAPE:
    case SAM_TILE_EXTRACT:
    case SAM_TILE_INSERT:
    case SAM_TILE_CONCAT:
    case SAM_TILE_MATMUL:
    case SAM_TILE_MATMUL_ACC:
    case SAM_TILE_MATMUL_BIAS:
    case SAM_TILE_PEER:
    case SAM_TILE_HISTOGRAM: return s;
    default: s.cols *= s.valid ? 1 : 16; return s;
    }
}

static void write_move(struct sam_buffer *out, const struct sam_tile_row *op, enum sam_dtype dtype)
{
    const char *name = sam_tile_dtype_name(dtype);
    const bool load = op->family == SAM_TILE_LOAD;
    sam_buffer_printf(out,
                      "func.func @f(%%x: !pto.ptr<%s>) {\n"
                      "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
                      "%%c16 = arith.constant 16 : index\n%%c64 = arith.constant 64 : index\n"
                      "%%v = pto.make_tensor_view %%x, shape = [%%c16, %%c64], strides = [%%c64, "
                      "%%c1] : !pto.tensor_view<16x64x%s>\n"
                      "%%p = pto.partition_view %%v, offsets = [%%c0, %%c0], sizes = [%%c16, "
                      "%%c64] : !pto.tensor_view<16x64x%s> -> "
                      "!pto.partition_tensor_view<16x64x%s>\n",
                      name, name, name, name);
    sam_buffer_puts(out, "%t = pto.alloc_tile : ");
    write_type(out, &whole, dtype, "");
    sam_buffer_puts(out, "\npto.tload ins(%p : ");
    sam_buffer_printf(out, "!pto.partition_tensor_view<16x64x%s>) outs(%%t : ", name);
    write_type(out, &whole, dtype, "");
    sam_buffer_puts(out, ")\n");
    if (!load) {
        sam_buffer_puts(out, "pto.tstore ins(%t : ");
        write_type(out, &whole, dtype, "");
        sam_buffer_printf(out, ") outs(%%p : !pto.partition_tensor_view<16x64x%s>)\n", name);
    }
    sam_buffer_puts(out, "return }\n");
}

static void write_program(struct sam_buffer *out, const struct sam_tile_row *op,
                          enum sam_dtype dtype)
{
    struct shape to = widened(op, destination_shape(op));
    const bool vector = strncmp(op->name, "tgemv", 5) == 0; /* products of a row */
    to.rows = vector ? 1 : to.rows;
    if (op->family == SAM_TILE_LOAD || op->family == SAM_TILE_STORE) {
        write_move(out, op, dtype);
        return;
    }
    sam_buffer_printf(out, "%s ins(", op->name);
    for (size_t i = 0; i < op->count; i++)
        sam_buffer_printf(out, "%s%%%c", i ? ", " : "", (char)('a' + (int)i));
    const enum sam_tile_attribute attribute = sam_tile_family(op)->attribute;
    sam_buffer_puts(out, attribute == SAM_TILE_ATTRIBUTE_CMP ? " {cmp = lt} : " : " : ");
    for (size_t i = 0; i < op->count; i++) {
        struct shape from = widened(op, source_shape(op, i));
        from.rows = vector && strcmp(from.loc, "right") != 0 ? 1 : from.rows;
        sam_buffer_puts(out, i ? ", " : "");
        if (op->sources[i] == 'i')
            sam_buffer_puts(out, "index");
        else if (op->sources[i] == 's')
            sam_buffer_puts(out, sam_tile_dtype_name(source_dtype(op, i, dtype)));
        else
            write_type(out, &from, source_dtype(op, i, dtype), "");
    }
    sam_buffer_puts(out, ") outs(%d : ");
    write_type(out, &to, destination_dtype(op, dtype),
               op->family == SAM_TILE_FILLPAD ? ", pad=1" : "");
    sam_buffer_puts(out, ")\n");
}

/* --- generated code */

struct loop {
    const char *start, *end;
    unsigned instructions;
    unsigned loads, stores; /* of vectors: a loop may take several per iteration */
    char routine[40];       /* called routine, or "" */
};

/* From a label to the branch back to it; false: there is none. */
static bool read_loop(const char *label, struct loop *loop)
{
    const size_t size = strcspn(label, ":\n");
    *loop = (struct loop){.start = label};
    for (const char *line = strchr(label, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, "\n");
        if (line[0] != '\t' && line[0] != '.')
            return false; /* the next kernel, or a routine */
        if (line[0] != '\t' || line[1] == '#')
            continue;
        loop->instructions++;
        loop->stores += memcmp(line, "\tvse", 4) == 0 && isdigit((unsigned char)line[4]);
        loop->loads += memcmp(line, "\tvle", 4) == 0;
        if (memcmp(line, "\tjal ra, ", 9) == 0)
            snprintf(loop->routine, sizeof loop->routine, "%.*s", (int)length - 9, line + 9);
        if ((line[1] == 'b' || line[1] == 'j') && length > size &&
            memcmp(line + length - size, label, size) == 0 && line[length - size - 1] == ' ') {
            loop->end = line;
            return true;
        }
    }
    return false;
}

/* The longest innermost loop of a kernel. */
static struct loop innermost(const char *text, const char *kernel)
{
    struct loop loops[16], best = {0};
    size_t count = 0;
    const char *at = strstr(text, kernel);
    assert_non_null(at);
    while ((at = strstr(at + 1, "\n.L")) && count < SAM_COUNT(loops))
        count += read_loop(at + 1, &loops[count]);
    for (size_t i = 0; i < count; i++) {
        bool inner = true;
        for (size_t k = 0; k < count; k++)
            inner &= k == i || loops[k].start < loops[i].start || loops[k].end > loops[i].end;
        if (inner && loops[i].instructions > best.instructions)
            best = loops[i];
    }
    return best;
}

static void describe(struct sam_buffer *cell, const struct sam_tile_lowered *made, const char *name)
{
    struct sam_tile_lowered_note note;
    for (size_t i = 0; sam_tile_lowered_note(made, i, &note); i++) {
        if (strcmp(note.name, name) != 0)
            continue;
        if (strncmp(note.text, "kernel ", 7) != 0) {
            const char *text =
                strncmp(note.text, "TensorLoad: ", 12) == 0 ? note.text + 12 : note.text;
            sam_buffer_printf(cell, "%s%s", cell->size ? "; " : "", text);
            continue;
        }
        const struct loop loop = innermost(sam_tile_lowered_gpu(made), "\nk0:");
        const unsigned vectors = loop.stores ? loop.stores : loop.loads ? loop.loads : 1;
        sam_buffer_printf(cell, "kernel, %u", (loop.instructions + vectors - 1) / vectors);
        if (loop.routine[0])
            sam_buffer_printf(cell, " and `%s`", loop.routine);
        if (!loop.instructions)
            fail_msg("%s: no loop in\n%s", name, sam_tile_lowered_gpu(made));
    }
}

static void lower_one(struct sam_buffer *out, const struct sam_tile_row *op, enum sam_dtype dtype)
{
    SCOPED(sam_buffer) text = {0}, cell = {0};
    struct sam_array array = {
        .dtype = sam_dtype_npy(dtype), .rank = 1, .shape = {1024}, .count = 1024};
    struct sam_tile_argument arguments[4];
    struct sam_tile_lowered *made;
    struct sam_error error = {0};
    FREED char *messages = NULL;
    size_t count = 0;
    uint32_t data[1024] = {0};
    array.data = data;
    write_program(&text, op, dtype);
    struct sam_tile_program *p = test_parse(op->name, sam_buffer_text(&text), text.size);
    if (op->family == SAM_TILE_LOAD || op->family == SAM_TILE_STORE)
        arguments[count++] = (struct sam_tile_argument){.array = &array};
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < op->count; i++)
        if (op->sources[i] == 's' || op->sources[i] == 'i')
            arguments[count++] = (struct sam_tile_argument){
                .name = names[i],
                .is_scalar = true,
                .dtype = op->sources[i] == 'i' ? SAM_I64 : source_dtype(op, i, dtype)};
    if (sam_tile_lower(p, 0, arguments, count, NULL, &made, &messages, &error) != SAM_OK)
        fail_msg("%s%s\n%s", sam_buffer_text(&text), messages ? messages : "", error.text);
    describe(&cell, made, op->name);
    if (!cell.size)
        fail_msg("%s: no note", sam_buffer_text(&text));
    sam_buffer_puts(out, sam_buffer_text(&cell));
    sam_tile_lowered_free(made);
    sam_tile_program_free(p);
}

static void write_table(struct sam_buffer *out)
{
    sam_buffer_puts(out, heading);
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++) {
        const struct sam_tile_row *op = sam_tile_row(code);
        sam_buffer_printf(out, "| `%s` |", op->name);
        for (size_t i = 0; i < TYPES; i++) {
            sam_buffer_puts(out, " ");
            if (takes(op, types[i]))
                lower_one(out, op, types[i]);
            sam_buffer_puts(out, takes(op, types[i]) ? " |" : "|");
        }
        sam_buffer_puts(out, "\n");
    }
}

/* --- the page */

TEST(test_page)
{
    SCOPED(sam_buffer) table = {0};
    char path[1024], *page;
    size_t size;
    write_table(&table);
    snprintf(path, sizeof path, "%s/docs/tile-lowering.md", getenv("SAMITE_SOURCE"));
    assert_int_equal(sam_file_load(path, 1 << 20, &page, &size, NULL), SAM_OK);
    char *old = strstr(page, heading), *end = old;
    assert_non_null(old);
    while (*end == '|')
        end = strchr(end, '\n') + 1;
    const bool same = (size_t)(end - old) == table.size && memcmp(old, table.data, table.size) == 0;
    if (!same && getenv("SAMITE_WRITE")) {
        SCOPED(sam_buffer) out = {0};
        sam_buffer_append(&out, page, (size_t)(old - page));
        sam_buffer_append(&out, table.data, table.size);
        sam_buffer_puts(&out, end);
        assert_int_equal(sam_file_write(path, out.data, out.size, NULL), SAM_OK);
    } else if (!same) {
        fail_msg("docs/tile-lowering.md has another table: run this test with SAMITE_WRITE=1\n%s",
                 sam_buffer_text(&table));
    }
    free(page);
}
