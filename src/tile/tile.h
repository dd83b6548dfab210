/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of tile/: the program in memory and the declarations its stages share. text/ parses and
 * prints programs, check/ verifies them and places tiles, core/ executes programs and the calls of
 * tile_ops.h. This folder has the tables, types, elements, messages, spans and hazards. */
#ifndef SAM_TILE_INTERNAL_H
#define SAM_TILE_INTERNAL_H

#include "base/base.h"
#include "base/dtype.h"
#include "base/report.h"
#include "samite/tile.h"

#define SAM_TILE_NONE UINT32_MAX /* no value, op or function */
enum { SAM_TILE_RANK = 5 };
enum { SAM_TILE_OPERANDS = 17 }; /* of an operation with ins(...) and outs(...), at most */

/* --- types of values */
enum sam_tile_kind {
    SAM_TILE_KIND_UNKNOWN, /* a free name without a type yet */
    SAM_TILE_KIND_INDEX,
    SAM_TILE_KIND_BOOL, /* i1 */
    SAM_TILE_KIND_SCALAR,
    SAM_TILE_KIND_PTR,
    SAM_TILE_KIND_VIEW,
    SAM_TILE_KIND_PART,
    SAM_TILE_KIND_TILE,
    SAM_TILE_KIND_EVENT,
};

struct sam_tile_ty {
    enum sam_tile_kind kind;
    enum sam_dtype dtype; /* of a scalar, pointer, view or partition */
    uint32_t rank;
    int64_t dims[SAM_TILE_RANK]; /* or SAM_TILE_DYNAMIC */
    struct sam_tile_type tile;
};

/* --- operations */
enum sam_tile_code {
    /* with their own syntax */
    SAM_TILE_ALLOC,  /* [address] [valid rows] [valid cols], flags in `attribute` */
    SAM_TILE_VIEW,   /* pointer, shape, strides */
    SAM_TILE_PART,   /* view, offsets, sizes */
    SAM_TILE_ASSIGN, /* tile; `literal` is the address */
    SAM_TILE_REBIND, /* tile, address: a second tile at the address */
    SAM_TILE_SUBSET, /* tile, row and column, rows and columns: a window of a tile */
    SAM_TILE_SHAPE,  /* tile, valid rows, valid cols */
    SAM_TILE_RECORD, /* `attribute` is the pipe */
    SAM_TILE_WAIT,   /* events */
    SAM_TILE_BARRIER,
    SAM_TILE_PREFETCH, /* partition: a hint that it will be loaded */
    SAM_TILE_CONSTANT, /* `literal` */
    SAM_TILE_ADDI,
    SAM_TILE_SUBI,
    SAM_TILE_MULI,
    SAM_TILE_DIVSI,
    SAM_TILE_REMSI,
    SAM_TILE_CMPI, /* `attribute` is the predicate */
    SAM_TILE_CAST,
    SAM_TILE_SELECT,
    SAM_TILE_FOR,
    SAM_TILE_IF,
    SAM_TILE_YIELD,
    SAM_TILE_RETURN,
/* with ins(...) and outs(...); the destination is the last operand */
#define TILE_OP(code, name, sources, family, function, dtypes, meaning) SAM_TILE_##code,
#include "tile/ops.def"
    SAM_TILE_CODES,
    SAM_TILE_FIRST_OP = SAM_TILE_TLOAD
};

enum sam_tile_family_id {
#define TILE_FAMILY(id, ...) SAM_TILE_##id,
#include "tile/families.def"
    SAM_TILE_FAMILIES
};

/* Columns of families.def. */
enum sam_tile_tiles { SAM_TILE_TILES_VECTOR, SAM_TILE_TILES_ANYWHERE };
enum sam_tile_own { SAM_TILE_OWN_NONE, SAM_TILE_OWN_DST, SAM_TILE_OWN_FIRST, SAM_TILE_OWN_ALL };
enum sam_tile_reads {
    SAM_TILE_READS_WHOLE,
    SAM_TILE_READS_LAST_ROW,
    SAM_TILE_READS_LAST_COLUMN,
    SAM_TILE_READS_ITSELF
};
enum sam_tile_writes {
    SAM_TILE_WRITES_VALID,
    SAM_TILE_WRITES_ROW,
    SAM_TILE_WRITES_COLUMN,
    SAM_TILE_WRITES_ROOM,
    SAM_TILE_WRITES_UPDATED,
    SAM_TILE_WRITES_PART,
    SAM_TILE_WRITES_ARRAY
};
enum sam_tile_in_place { SAM_TILE_IN_PLACE_NEVER, SAM_TILE_IN_PLACE_FIRST, SAM_TILE_IN_PLACE_ANY };
enum sam_tile_attribute {
    SAM_TILE_ATTRIBUTE_NONE,
    SAM_TILE_ATTRIBUTE_CMP,
    SAM_TILE_ATTRIBUTE_ROUND,
    SAM_TILE_ATTRIBUTE_QUANT,
    SAM_TILE_ATTRIBUTE_TRI,
    SAM_TILE_ATTRIBUTE_BYTE,
    SAM_TILE_ATTRIBUTE_ORDER,
    SAM_TILE_ATTRIBUTE_STEP,
    SAM_TILE_ATTRIBUTE_MASK
};

struct sam_tile_family {
    enum sam_tile_pipe pipe;
    enum sam_tile_tiles tiles;
    enum sam_tile_own own;
    enum sam_tile_reads reads;
    enum sam_tile_writes writes;
    enum sam_tile_in_place in_place;
    enum sam_tile_attribute attribute;
};
extern const struct sam_tile_family sam_tile_families[SAM_TILE_FAMILIES];

/* `{key = word}` of an operation. */
struct sam_tile_attribute_text {
    const char *key, *choices; /* for messages; NULL without an attribute */
    const char *const *words;  /* NULL-terminated */
    unsigned count;
};
extern const struct sam_tile_attribute_text sam_tile_attributes[];

enum sam_tile_function {
    SAM_TILE_FN_NONE,
#define TILE_FUNCTION(id, real, whole) SAM_TILE_FN_##id,
#include "tile/functions.def"
};

/* The function in a dialect. */
static inline enum sam_tile_function sam_tile_function_in(enum sam_tile_dialect dialect,
                                                          enum sam_tile_function function)
{
    if (dialect != SAM_TILE_SPEC)
        return function;
    return function == SAM_TILE_FN_REM   ? SAM_TILE_FN_MOD
           : function == SAM_TILE_FN_NEG ? SAM_TILE_FN_FLIP
           : function == SAM_TILE_FN_ABS ? SAM_TILE_FN_CLEAR
                                         : function;
}

/* Legal dtypes of an operation: those of the profile, its floats or integers, matrix factors,
 * scaled ones, or all including those that are only moved. */
enum sam_tile_class {
    SAM_TILE_ORDER, /* floats and integers of every operation: not those of sam_tile_is_special */
    SAM_TILE_REAL,
    SAM_TILE_WHOLE,
    SAM_TILE_BITS,  /* all integers */
    SAM_TILE_SHORT, /* all of at most 32 bits */
    SAM_TILE_BASIC, /* all that are computed on elsewhere than in products */
    SAM_TILE_CONVERTED,
    SAM_TILE_FACTOR,
    SAM_TILE_SCALED,
    SAM_TILE_INDEXED, /* all but those of 4 bits */
    SAM_TILE_ANY
};

struct sam_tile_row {
    const char *name, *sources;
    uint8_t count; /* of sources */
    enum sam_tile_family_id family;
    enum sam_tile_function function;
    enum sam_tile_class dtypes;
    const char *meaning;
};
extern const struct sam_tile_row sam_tile_rows[];
/* The row of a code from SAM_TILE_FIRST_OP on. */
static inline const struct sam_tile_row *sam_tile_row(unsigned code)
{
    return &sam_tile_rows[code - SAM_TILE_FIRST_OP];
}
static inline const struct sam_tile_family *sam_tile_family(const struct sam_tile_row *row)
{
    return &sam_tile_families[row->family];
}
/* Of products: d starts as the first source; as a row, the last source; the factors are sources
 * `acc` and `acc` + 1, or have scales, each after it. */
static inline bool sam_tile_accumulates(const struct sam_tile_row *row)
{
    return row->family == SAM_TILE_MATMUL_ACC || row->family == SAM_TILE_MATMUL_MX_ACC;
}
static inline bool sam_tile_has_bias(const struct sam_tile_row *row)
{
    return row->family == SAM_TILE_MATMUL_BIAS || row->family == SAM_TILE_MATMUL_MX_BIAS;
}
static inline bool sam_tile_is_scaled(const struct sam_tile_row *row)
{
    return row->dtypes == SAM_TILE_SCALED;
}
/* The attribute of a row; key NULL if there is none. */
static inline const struct sam_tile_attribute_text *
sam_tile_attribute(const struct sam_tile_row *row)
{
    return &sam_tile_attributes[sam_tile_family(row)->attribute];
}
/* Find the code of a name of `size` characters, without "pto."; SAM_TILE_CODES if unknown. */
unsigned sam_tile_code_find(const char *name, size_t size);
/* The name of a code, with "arith." or "scf.", without "pto.". */
const char *sam_tile_code_name(unsigned code);
/* Returns whether the operation is of the pto dialect: its name has the prefix "pto.", except in
 * the flat syntax. */
bool sam_tile_code_is_pto(unsigned code);
/* Returns the known name nearest to an unknown one, or NULL. */
const char *sam_tile_nearest(const char *name, size_t size);
/* Returns whether the operation keeps part of its destination, which then cannot be newly
 * allocated. */
static inline bool sam_tile_updates(const struct sam_tile_row *row)
{
    enum sam_tile_writes writes = sam_tile_family(row)->writes;
    return writes == SAM_TILE_WRITES_UPDATED || writes == SAM_TILE_WRITES_PART;
}
/* Returns whether the destination is an array window instead of a tile. */
static inline bool sam_tile_stores(const struct sam_tile_row *row)
{
    return sam_tile_family(row)->writes == SAM_TILE_WRITES_ARRAY;
}
/* The array window that an operation writes: the number of the operand, or SAM_TILE_NONE. */
static inline uint32_t sam_tile_window_written(const struct sam_tile_row *row)
{
    return sam_tile_stores(row) ? row->count : row->family == SAM_TILE_EXCHANGE ? 0 : SAM_TILE_NONE;
}
static inline bool sam_tile_writes_operand(const struct sam_tile_row *row, size_t index)
{
    return index == row->count || index == sam_tile_window_written(row);
}
/* Returns whether a scalar has the dtype of the first source instead of the destination's. */
static inline bool sam_tile_scalar_of_source(const struct sam_tile_row *row)
{
    return sam_tile_family(row)->own == SAM_TILE_OWN_DST;
}
/* Returns whether source `index` may be the destination itself. */
static inline bool sam_tile_in_place(const struct sam_tile_row *row, size_t index)
{
    enum sam_tile_in_place in_place = sam_tile_family(row)->in_place;
    return in_place == SAM_TILE_IN_PLACE_ANY || (in_place == SAM_TILE_IN_PLACE_FIRST && index == 0);
}

/* The operand whose empty valid rectangle makes the operation a no-op, or SAM_TILE_NONE. */
static inline uint32_t sam_tile_emptied_by(const struct sam_tile_row *row)
{
    const enum sam_tile_writes writes = sam_tile_family(row)->writes;
    if (writes == SAM_TILE_WRITES_ROOM)
        return SAM_TILE_NONE;
    return writes == SAM_TILE_WRITES_ROW || writes == SAM_TILE_WRITES_COLUMN ? 0 : row->count;
}

/* Returns whether the mask that it writes or reads has a bit per element: bit j % 8 of byte [i, j /
 * 8]. */
static inline bool sam_tile_is_packed(const struct sam_tile_row *row, unsigned attribute)
{
    return (row->family == SAM_TILE_CMP && attribute >= SAM_TILE_PACKED) ||
           (row->family == SAM_TILE_SEL && attribute);
}

static inline enum sam_tile_pipe sam_tile_pipe(unsigned code)
{
    return sam_tile_family(sam_tile_row(code))->pipe;
}

/* Words of an attribute: `{cmp = lt}`, `{round = floor}`, cmpi's predicate, a pipe. */
extern const char *const sam_tile_profile_names[]; /* this list and those below are NULL-
                                                      terminated */
extern const char *const sam_tile_compare_names[],
    *const sam_tile_cmpi_names[],
        *const sam_tile_round_names[],
            *const sam_tile_pipe_names[],
                *const sam_tile_loc_names[],
                    *const sam_tile_layout_names[]; /* each ended by NULL */
/* Returns the index in a list of words, or -1. */
int sam_tile_word(const char *const *words, const char *text, size_t size);

/* --- the program */
struct sam_tile_pos {
    uint32_t line, column; /* from 1; 0: no position */
};

struct sam_tile_operand {
    uint32_t value;
    struct sam_tile_pos pos;
};

enum { SAM_TILE_HAS_ADDRESS = 1, SAM_TILE_HAS_ROWS = 2, SAM_TILE_HAS_COLS = 4 };

struct sam_tile_op {
    unsigned code;
    unsigned attribute;
    int64_t literal;
    struct sam_tile_pos pos;
    uint32_t operands, operand_count; /* in `operands` */
    uint32_t results, result_count;   /* in `ids` */
    uint32_t params, param_count;     /* parameters of a loop body, in `ids` */
    uint32_t body[2];                 /* first op, or SAM_TILE_NONE */
    uint32_t next;                    /* in its block */
    char *comment;                    /* comment lines before or after it, or NULL */
    char *tail[2];                    /* comments at the end of its bodies, or NULL */
    char *attributes;                 /* those of other dialects, `x.y = 1, x.z`, or NULL */
};

struct sam_tile_value {
    char *name;
    struct sam_tile_ty type;
    struct sam_tile_pos pos;  /* definition; line 0: an argument of bare operations */
    struct sam_tile_pos seen; /* first use of the name */
    uint32_t op;              /* the defining op; SAM_TILE_NONE: an argument */
};

struct sam_tile_func {
    char *name; /* "" for bare operations */
    char *comment, *tail;
    char *attributes; /* with braces, or NULL */
    struct sam_tile_pos pos;
    uint32_t args, arg_count; /* in `ids` */
    uint32_t body;
    uint32_t first_value, value_count;
    bool bare;
};

struct sam_tile_program {
    char *name, *text;
    size_t size;
    bool module;
    char *attributes;  /* of the module, with braces, or NULL */
    char *comments[3]; /* before the module, at its end, at the end of the file */
    struct sam_tile_func *funcs;
    size_t func_count, func_capacity;
    struct sam_tile_op *ops;
    size_t op_count, op_capacity;
    struct sam_tile_value *values;
    size_t value_count, value_capacity;
    struct sam_tile_operand *operands;
    size_t operand_count, operand_capacity;
    uint32_t *ids;
    size_t id_count, id_capacity;
};

static inline uint32_t sam_tile_arg(const struct sam_tile_program *p, const struct sam_tile_op *op,
                                    size_t i)
{
    return p->operands[op->operands + i].value;
}
static inline const struct sam_tile_ty *sam_tile_ty(const struct sam_tile_program *p, uint32_t id)
{
    return &p->values[id].type;
}

/* --- type.c; dtypes are the dtype.def rows with a name in tile programs */
static inline bool sam_tile_has_dtype(enum sam_dtype dtype)
{
    return sam_dtype_exists(dtype) && sam_dtype_table[dtype].tile;
}
/* Of a tile dtype: whether two elements share a byte, the first in its low half; the bytes of an
 * element by itself, then in the low half of one; those of n elements that follow each other;
 * whether it is a float; whether it has negative values. */
static inline bool sam_tile_is_paired(enum sam_dtype dtype)
{
    return sam_dtype_table[dtype].bits == 4;
}
static inline size_t sam_tile_size(enum sam_dtype dtype)
{
    return (sam_dtype_table[dtype].bits + 7u) / 8;
}
static inline uint64_t sam_tile_length(enum sam_dtype dtype, uint64_t n)
{
    return sam_tile_is_paired(dtype) ? n / 2 + n % 2 : n * sam_tile_size(dtype);
}
/* The elements of an array that represents those of `dtype`: a byte may be two. */
static inline size_t sam_tile_elements(const struct sam_array *array, enum sam_dtype dtype)
{
    return array->count * (sam_tile_is_paired(dtype) && array->dtype != dtype ? 2 : 1);
}
/* Element k of those from `at` on, of 4 bits. */
static inline uint8_t sam_tile_half(const uint8_t *at, uint64_t k)
{
    return at[k / 2] >> (k % 2 * 4) & 15;
}
static inline void sam_tile_set_half(uint8_t *at, uint64_t k, uint8_t bits)
{
    at[k / 2] = (uint8_t)((at[k / 2] & (k % 2 ? 15 : 240)) | bits << (k % 2 * 4));
}
static inline bool sam_tile_is_real(enum sam_dtype dtype)
{
    return sam_dtype_table[dtype].class == SAM_CLASS_FLOAT;
}
/* Of a float: whether it is computed as f64. */
static inline bool sam_tile_is_wide(enum sam_dtype dtype)
{
    return sam_tile_size(dtype) == 8 || sam_dtype_table[dtype].fp.unused;
}
/* Of a dtype that some operations take. */
static inline bool sam_tile_is_special(enum sam_dtype dtype)
{
    return sam_tile_is_wide(dtype) || (sam_tile_is_real(dtype) && sam_tile_size(dtype) == 1);
}
static inline bool sam_tile_is_signed(enum sam_dtype dtype)
{
    return sam_dtype_table[dtype].class != SAM_CLASS_UINT;
}
/* Returns SAM_DTYPES if tiles have no such dtype. */
enum sam_dtype sam_tile_dtype_find(const char *name, size_t size);
/* Longest list of dtype names, for messages. The list has the dtypes for which `wanted` is true. */
enum { SAM_TILE_DTYPE_TEXT = 120 };
const char *sam_tile_dtype_list(bool (*wanted)(const void *context, enum sam_dtype dtype),
                                const void *context, char text[SAM_TILE_DTYPE_TEXT]);
/* Returns the first field of a caller's type that is out of range ("memory", "dtype", ...), or
 * NULL. */
const char *sam_tile_type_fault(const struct sam_tile_type *type);
/* Returns SAM_ERR_USAGE for an undefined enumerator. */
enum sam_status sam_tile_check_profile(enum sam_tile_profile profile, struct sam_error *error);
/* Size of the options in the first release. */
#define SAM_TILE_OPTIONS_FIRST offsetof(struct sam_tile_options, sum_order)
enum sam_status sam_tile_check_options(const struct sam_tile_options *options,
                                       struct sam_error *error);
/* Limits without a profile limit: bytes of a tile, size of a memory. */
#define SAM_TILE_LARGEST (UINT64_C(1) << 40)
/* Bytes of a whole tile; UINT64_MAX on overflow. */
uint64_t sam_tile_bytes(const struct sam_tile_type *type);
static inline bool sam_tile_type_equal(const struct sam_tile_type *a, const struct sam_tile_type *b)
{
    /* branch-free: types are usually equal */
    uint64_t valid = (uint64_t)((a->valid_rows ^ b->valid_rows) | (a->valid_cols ^ b->valid_cols));
    uint32_t room =
        (a->loc ^ b->loc) | (a->dtype ^ b->dtype) | (a->rows ^ b->rows) | (a->cols ^ b->cols);
    uint32_t layout = (a->blayout ^ b->blayout) | (a->slayout ^ b->slayout) | (a->pad ^ b->pad) |
                      (uint32_t)(a->fractal ^ b->fractal);
    return (valid | room | layout) == 0;
}
/* Returns whether source `index` may share its start with the destination, given equal valid
 * rectangles, which such an operation requires. */
bool sam_tile_may_be_one(const struct sam_tile_row *row, size_t index,
                         const struct sam_tile_type *source,
                         const struct sam_tile_type *destination);
bool sam_tile_ty_equal(const struct sam_tile_ty *a, const struct sam_tile_ty *b);
/* Print a tile as `!pto.tile_buf<...>`, or as the short `!pto.tile<...>`. */
void sam_tile_ty_print(struct sam_buffer *out, const struct sam_tile_ty *type, bool short_name);
const char *sam_tile_ty_text(const struct sam_tile_ty *type, char *text, size_t size);

/* --- report.c: messages with source line and caret */
struct sam_tile_report {
    const struct sam_tile_program *program; /* name and text; NULL: messages have no position */
    struct sam_report report;
};
void sam_tile_report_free(struct sam_tile_report *report);
void sam_tile_error(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                    ...) SAM_PRINTF(3, 4);
void sam_tile_warning(struct sam_tile_report *report, struct sam_tile_pos pos, const char *format,
                      ...) SAM_PRINTF(3, 4);
/* Returns all messages, malloc'ed for the caller and ordered by line; SAM_ERR_INPUT if there is an
 * error. */
enum sam_status sam_tile_report_end(struct sam_tile_report *report, char **messages,
                                    struct sam_error *error);

/* --- check_op.c: verification of one operation; valid sizes may be unknown */
enum sam_tile_relation {
    SAM_TILE_EQUAL,   /* a == b */
    SAM_TILE_AT_MOST, /* a <= b */
    SAM_TILE_SOME_IF  /* a != 0 || b == 0 */
};

/* Symbolic sizes: callbacks for a caller that names unknown sizes by negative numbers. */
struct sam_tile_unknown {
    void *context;
    /* Returns a name for a * b or a + b; at least one operand is a name. */
    int64_t (*combine)(void *context, bool product, int64_t a, int64_t b);
    /* Defer a relation of sizes to run time. The message has names in braces. */
    void (*later)(void *context, enum sam_tile_relation relation, int64_t a, int64_t b,
                  const char *text);
};

struct sam_tile_verifier {
    enum sam_tile_profile profile;
    enum sam_tile_dialect dialect;
    unsigned attribute; /* of the operation */
    struct sam_tile_report *report;
    const struct sam_tile_unknown *unknown; /* NULL: unknown sizes pass */
};
/* `types`: of the operands, destination last. */
void sam_tile_verify_op(const struct sam_tile_verifier *verifier, unsigned code,
                        const struct sam_tile_ty *const *types,
                        const struct sam_tile_pos *positions, struct sam_tile_pos pos);
/* infer.c: infer the valid rows and columns of the destination from the sources, as numbers or
 * names of `others`. Without `others`, an unknown size is any number other than SAM_TILE_DYNAMIC,
 * which means not determined. */
void sam_tile_infer(enum sam_tile_profile profile, unsigned code, unsigned attribute,
                    const struct sam_tile_ty *const *types, const struct sam_tile_unknown *others,
                    int64_t valid[2]);
/* Returns whether the operation determines this size of its destination, which is allocated just
 * before it. */
bool sam_tile_is_inferred(const struct sam_tile_program *program, const struct sam_tile_op *op,
                          bool cols);
/* Verify a tile type: line size, valid rectangle, layouts, capacity. */
void sam_tile_verify_type(const struct sam_tile_verifier *verifier,
                          const struct sam_tile_type *type, struct sam_tile_pos pos);

/* The diagonal of ttri, the columns of a group of tsort (0: those of SAM_TILE_GROUP), and the
 * messages on others. */
enum { SAM_TILE_MOST_DIAGONAL = 65535, SAM_TILE_MOST_GROUP = 64, SAM_TILE_GROUP = 32 };
#define SAM_TILE_DIAGONAL_TEXT(name, number) name ": diagonal " number ": expected -65535 to 65535"
#define SAM_TILE_GROUP_TEXT(name, number)    name ": groups of " number " columns: expected 0 to 64"

/* --- image.c: the geometry of timg2col */
enum { SAM_TILE_IMAGE_NUMBERS = 13, SAM_TILE_MOST_IMAGE = 65535 };
struct sam_tile_geometry {
    int64_t height, width, filter_height, filter_width, stride_height, stride_width;
    int64_t dilation_height, dilation_width, pad_top, pad_bottom, pad_left, pad_right, channels;
    int64_t images, groups, group; /* groups of channels, and channels of each, in an image */
    int64_t down, across;          /* places of the filter */
    int64_t rows, cols;            /* of the matrix */
};
/* From the numbers after the position, and the valid sizes of the source. Returns false with a
 * message, which begins with `name`, if they do not fit together. */
bool sam_tile_geometry(struct sam_tile_geometry *geometry,
                       const int64_t numbers[SAM_TILE_IMAGE_NUMBERS], int64_t rows, int64_t cols,
                       const char *name, char *text, size_t size);
/* The message on a window that leaves the matrix: from, count, of. */
#define SAM_TILE_IMAGE_TEXT(name, what, from, count, of)                                           \
    name ": " count " " what " from " from " leave the matrix, which has " of

/* --- value.c: elements */
/* Bits of the nearest value of a float dtype; NaN is canonical. */
uint64_t sam_tile_real_bits(enum sam_dtype dtype, double value, enum sam_tile_round round);
double sam_tile_real_value(enum sam_dtype dtype, uint64_t bits);
/* Format the shortest decimal that reads back as these bits, as "1.0", or "inf" or "nan" with sign.
 */
enum { SAM_TILE_REAL_TEXT = 40 };
const char *sam_tile_real_text(enum sam_dtype dtype, uint64_t bits, char text[SAM_TILE_REAL_TEXT]);
/* Convert n elements to and from the computed form: float (exact) or int64_t. Stores round to
 * nearest even, and wrap integers. */
void sam_tile_read_reals(enum sam_dtype dtype, const void *from, size_t n, float *to);
void sam_tile_write_reals(enum sam_dtype dtype, void *to, size_t n, const float *from);
void sam_tile_read_ints(enum sam_dtype dtype, const void *from, size_t n, int64_t *to);
void sam_tile_write_ints(enum sam_dtype dtype, void *to, size_t n, const int64_t *from);
/* The bits of a pad value. */
uint64_t sam_tile_pad_bits(const struct sam_tile_type *type, enum sam_tile_dialect dialect);
/* Evaluate an operation on scalars: its operands, or its literal. Returns false for a division by
 * zero. */
bool sam_tile_eval(const struct sam_tile_op *op, const struct sam_tile_ty *type,
                   const int64_t in[3], int64_t *value);
/* Convert n elements of up to 32 bits. */
void sam_tile_convert(enum sam_dtype to, void *out, enum sam_dtype from, const void *in, size_t n,
                      enum sam_tile_round round);

#endif
