/* SPDX-License-Identifier: Apache-2.0 */
/* Types. Text between '<' and '>' is not tokenized: 0x32xf32 would be a hexadecimal number. */
#include <stdio.h>

#include "tile/text/parse.h"

static bool is_text(const struct token *t, const char *text)
{
    return t->size == strlen(text) && memcmp(t->text, text, t->size) == 0;
}

static bool parse_dim(const char *text, size_t size, int64_t *dim)
{
    if (size == 1 && text[0] == '?') {
        *dim = SAM_TILE_DYNAMIC;
        return true;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || value > INT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *dim = (int64_t)value;
    return size > 0 && value <= INT32_MAX;
}

static bool is_any(const void *context, enum sam_dtype dtype)
{
    (void)context, (void)dtype;
    return true;
}

static bool parse_dtype(struct parser *parser, struct sam_tile_pos pos, const char *text,
                        size_t size, enum sam_dtype *dtype)
{
    char names[SAM_TILE_DTYPE_TEXT];
    *dtype = sam_tile_dtype_find(text, size);
    if (*dtype != SAM_DTYPES)
        return true;
    *dtype = SAM_F32;
    return PARSE_FAIL(parser, pos, "expected a dtype (%s), found '%.*s'",
                      sam_tile_dtype_list(is_any, NULL, names), (int)size, text);
}

/* "16x?xf32": dimensions, followed by a dtype unless `dtype` is NULL. */
static bool parse_dims(struct parser *parser, const struct token *t, int64_t *dims, uint32_t most,
                       uint32_t *rank, enum sam_dtype *dtype)
{
    const char *at = t->text, *end = t->text + t->size;
    *rank = 0;
    while (at < end) {
        const char *x = memchr(at, 'x', (size_t)(end - at));
        const char *stop = x ? x : end;
        struct sam_tile_pos pos = {t->pos.line, t->pos.column + (uint32_t)(at - t->text)};
        size_t size = (size_t)(stop - at);
        if (dtype && !x)
            return parse_dtype(parser, pos, at, size, dtype);
        if (*rank == most)
            return PARSE_FAIL(parser, pos, "more than %u dimensions", most);
        if (!parse_dim(at, size, &dims[*rank]))
            return PARSE_FAIL(parser, pos,
                              "expected a dimension from 0 to 2147483647 or '?', found '%.*s'",
                              (int)size, at);
        ++*rank;
        at = x ? x + 1 : end;
    }
    if (dtype)
        return PARSE_FAIL(parser, t->pos, "expected dimensions and a dtype, as 16x64xf32");
    return true;
}

static bool open_angle(struct parser *parser)
{
    if (sam_tile_parse_peek(parser) != '<')
        return PARSE_FAIL(parser, parser->token.pos, "expected '<' after %.*s",
                          (int)parser->token.size, parser->token.text);
    sam_tile_parse_skip_char(parser);
    return true;
}

/* Close a type: skip '>' and read the next token. */
static bool close_angle(struct parser *parser)
{
    if (sam_tile_parse_peek(parser) != '>') {
        struct token here = sam_tile_parse_chars(parser, "");
        return PARSE_FAIL(parser, here.pos, "expected '>' at the end of the type");
    }
    sam_tile_parse_skip_char(parser);
    sam_tile_parse_next(parser);
    return true;
}

enum tile_key {
    KEY_LOC,
    KEY_DTYPE,
    KEY_ROWS,
    KEY_COLS,
    KEY_V_ROW,
    KEY_V_COL,
    KEY_VALID,
    KEY_BLAYOUT,
    KEY_SLAYOUT,
    KEY_FRACTAL,
    KEY_PAD,
    KEYS
};
static const char *const keys[] = {"loc",   "dtype",   "rows",    "cols",    "v_row", "v_col",
                                   "valid", "blayout", "slayout", "fractal", "pad",   NULL};

struct tile_text {
    struct sam_tile_type type;
    int64_t rows, cols;
    bool given[KEYS];
};

static bool parse_location(struct parser *parser, const struct token *t, struct sam_tile_type *type)
{
    int loc = sam_tile_word(sam_tile_loc_names, t->text, t->size);
    if (is_text(t, "bias") || is_text(t, "scaling"))
        return PARSE_FAIL(parser, t->pos, "tiles in %.*s are not supported", (int)t->size, t->text);
    if (loc < 0)
        return PARSE_FAIL(parser, t->pos,
                          "expected a memory (vec, mat, left, right, acc), found '%.*s'",
                          (int)t->size, t->text);
    type->loc = (enum sam_tile_loc)loc;
    return true;
}

static bool parse_number(struct parser *parser, const struct token *t, const char *key,
                         int64_t *value)
{
    return parse_dim(t->text, t->size, value) ||
           PARSE_FAIL(parser, t->pos, "%s: expected a number%s, found '%.*s'", key,
                      key[0] == 'v' ? " or '?'" : "", (int)t->size, t->text);
}

static bool parse_layout(struct parser *parser, const struct token *t, bool boxed,
                         enum sam_tile_layout *layout)
{
    int found = sam_tile_word(sam_tile_layout_names, t->text, t->size);
    if (found < 0 || (!boxed && found == SAM_TILE_none_box))
        return PARSE_FAIL(parser, t->pos, "expected %srow_major or col_major, found '%.*s'",
                          boxed ? "none_box, " : "", (int)t->size, t->text);
    *layout = (enum sam_tile_layout)found;
    return true;
}

static bool parse_pad(struct parser *parser, const struct token *t, enum sam_tile_pad *pad)
{
    static const char *const names[] = {"null", "zero", "max", "min", NULL};
    int found = sam_tile_word(names, t->text, t->size);
    if (found < 0 && t->size == 1 && t->text[0] >= '0' && t->text[0] <= '3')
        found = t->text[0] - '0';
    if (found < 0)
        return PARSE_FAIL(parser, t->pos,
                          "pad: expected 0 to 3 or null, zero, max, min, found '%.*s'",
                          (int)t->size, t->text);
    *pad = (enum sam_tile_pad)found;
    return true;
}

static bool parse_key(struct parser *parser, enum tile_key key, const struct token *t,
                      struct tile_text *tile)
{
    struct sam_tile_type *type = &tile->type;
    int64_t number = 0, valid[2];
    uint32_t rank;
    switch (key) {
    case KEY_LOC: return parse_location(parser, t, type);
    case KEY_DTYPE: return parse_dtype(parser, t->pos, t->text, t->size, &type->dtype);
    case KEY_ROWS: return parse_number(parser, t, "rows", &tile->rows);
    case KEY_COLS: return parse_number(parser, t, "cols", &tile->cols);
    case KEY_V_ROW: return parse_number(parser, t, "v_row", &type->valid_rows);
    case KEY_V_COL: return parse_number(parser, t, "v_col", &type->valid_cols);
    case KEY_VALID:
        if (!parse_dims(parser, t, valid, 2, &rank, NULL))
            return false;
        if (rank != 2)
            return PARSE_FAIL(parser, t->pos, "valid: expected rows and columns, as 15x?");
        type->valid_rows = valid[0];
        type->valid_cols = valid[1];
        return true;
    case KEY_BLAYOUT: return parse_layout(parser, t, false, &type->blayout);
    case KEY_SLAYOUT: return parse_layout(parser, t, true, &type->slayout);
    case KEY_FRACTAL:
        if (!parse_number(parser, t, "fractal", &number))
            return false;
        type->fractal = (uint16_t)number;
        return number == 32 || number == 512 || number == 1024 ||
               PARSE_FAIL(parser, t->pos, "fractal: expected 32, 512 or 1024, found '%.*s'",
                          (int)t->size, t->text);
    case KEY_PAD: return parse_pad(parser, t, &type->pad);
    case KEYS: break;
    }
    return false;
}

/* Returns whether a key was given before, possibly in another spelling. */
static bool is_given(const struct tile_text *tile, enum tile_key key)
{
    return tile->given[key] ||
           (key == KEY_VALID && (tile->given[KEY_V_ROW] || tile->given[KEY_V_COL])) ||
           ((key == KEY_V_ROW || key == KEY_V_COL) && tile->given[KEY_VALID]);
}

static bool parse_tile_key(struct parser *parser, const struct token *name, struct tile_text *tile)
{
    int key = sam_tile_word(keys, name->text, name->size);
    if (key < 0)
        return PARSE_FAIL(
            parser, name->pos,
            "unknown key '%.*s'; there are loc, dtype, rows, cols, v_row, v_col, valid, "
            "blayout, slayout, fractal, pad",
            (int)name->size, name->text);
    if (is_given(tile, (enum tile_key)key))
        return PARSE_FAIL(parser, name->pos, "'%s' is given twice", keys[key]);
    tile->given[key] = true;
    sam_tile_parse_skip_char(parser);
    struct token value = sam_tile_parse_chars(parser, "?");
    return parse_key(parser, (enum tile_key)key, &value, tile);
}

/* `vec` or `16x64xf32` */
static bool parse_positional(struct parser *parser, const struct token *t, unsigned index,
                             struct tile_text *tile)
{
    int64_t dims[2];
    uint32_t rank;
    if (index == 0) {
        tile->given[KEY_LOC] = true;
        return parse_location(parser, t, &tile->type);
    }
    if (index > 1 || is_given(tile, KEY_ROWS) || is_given(tile, KEY_COLS) ||
        is_given(tile, KEY_DTYPE))
        return PARSE_FAIL(parser, t->pos, "expected KEY=VALUE, found '%.*s'", (int)t->size,
                          t->text);
    if (!parse_dims(parser, t, dims, 2, &rank, &tile->type.dtype))
        return false;
    if (rank != 2 || dims[0] < 0 || dims[1] < 0)
        return PARSE_FAIL(parser, t->pos,
                          "a tile has two dimensions that are numbers, as 16x64xf32");
    tile->rows = dims[0];
    tile->cols = dims[1];
    tile->given[KEY_ROWS] = tile->given[KEY_COLS] = tile->given[KEY_DTYPE] = true;
    return true;
}

static bool parse_tile_items(struct parser *parser, struct tile_text *tile)
{
    unsigned positional = 0;
    do {
        struct token t = sam_tile_parse_chars(parser, "?");
        if (t.size == 0 && sam_tile_parse_peek(parser) == '.')
            return PARSE_FAIL(parser, t.pos,
                              "'<...>' stands for a type; write one, as "
                              "!pto.tile<vec, 16x16xf32>");
        if (t.size == 0)
            return PARSE_FAIL(parser, t.pos, "expected a memory, a shape or KEY=VALUE");
        bool keyed = sam_tile_parse_peek(parser) == '=';
        if (keyed ? !parse_tile_key(parser, &t, tile)
                  : !parse_positional(parser, &t, positional++, tile))
            return false;
        if (sam_tile_parse_peek(parser) != ',')
            return true;
        sam_tile_parse_skip_char(parser);
    } while (true);
}

static bool parse_tile_type(struct parser *parser, struct sam_tile_ty *type)
{
    struct sam_tile_pos pos = parser->token.pos;
    struct tile_text tile = {.type = {.blayout = SAM_TILE_row_major, .fractal = 512}};
    if (!open_angle(parser) || !parse_tile_items(parser, &tile))
        return false;
    static const enum tile_key needed[] = {KEY_LOC, KEY_DTYPE, KEY_ROWS, KEY_COLS};
    for (size_t i = 0; i < SAM_COUNT(needed); i++)
        if (!tile.given[needed[i]])
            return PARSE_FAIL(parser, pos, "the tile type has no %s", keys[needed[i]]);
    if (tile.rows <= 0 || tile.cols <= 0)
        return PARSE_FAIL(parser, pos, "a tile has at least a row and a column");
    tile.type.rows = (uint32_t)tile.rows;
    tile.type.cols = (uint32_t)tile.cols;
    if (!is_given(&tile, KEY_V_ROW))
        tile.type.valid_rows = tile.rows;
    if (!is_given(&tile, KEY_V_COL))
        tile.type.valid_cols = tile.cols;
    type->kind = SAM_TILE_KIND_TILE;
    type->tile = tile.type;
    return close_angle(parser);
}

static bool parse_ptr_type(struct parser *parser, struct sam_tile_ty *type)
{
    if (!open_angle(parser))
        return false;
    struct token t = sam_tile_parse_chars(parser, "");
    type->kind = SAM_TILE_KIND_PTR;
    return parse_dtype(parser, t.pos, t.text, t.size, &type->dtype) && close_angle(parser);
}

static bool parse_view_type(struct parser *parser, bool partition, struct sam_tile_ty *type)
{
    if (!open_angle(parser))
        return false;
    struct token t = sam_tile_parse_chars(parser, "?");
    type->kind = partition ? SAM_TILE_KIND_PART : SAM_TILE_KIND_VIEW;
    if (!parse_dims(parser, &t, type->dims, SAM_TILE_RANK, &type->rank, &type->dtype))
        return false;
    if (type->rank == 0)
        return PARSE_FAIL(parser, t.pos, "expected at least one dimension");
    return close_angle(parser);
}

bool sam_tile_parse_type(struct parser *parser, struct sam_tile_ty *type)
{
    struct token *t = &parser->token;
    char found[80];
    *type = (struct sam_tile_ty){0};
    if (t->kind == TOKEN_TYPE) {
        if (is_text(t, "!pto.tile") || is_text(t, "!pto.tile_buf"))
            return parse_tile_type(parser, type);
        if (is_text(t, "!pto.ptr"))
            return parse_ptr_type(parser, type);
        if (is_text(t, "!pto.tensor_view") || is_text(t, "!pto.partition_tensor_view"))
            return parse_view_type(parser, t->text[5] == 'p', type);
        if (is_text(t, "!pto.event")) {
            type->kind = SAM_TILE_KIND_EVENT;
            sam_tile_parse_next(parser);
            return true;
        }
    } else if (t->kind == TOKEN_WORD) {
        enum sam_dtype dtype = sam_tile_dtype_find(t->text, t->size);
        type->kind = dtype != SAM_DTYPES   ? SAM_TILE_KIND_SCALAR
                     : is_text(t, "index") ? SAM_TILE_KIND_INDEX
                     : is_text(t, "i1")    ? SAM_TILE_KIND_BOOL
                                           : SAM_TILE_KIND_UNKNOWN;
        type->dtype = dtype != SAM_DTYPES ? dtype : SAM_F32;
        if (type->kind != SAM_TILE_KIND_UNKNOWN) {
            sam_tile_parse_next(parser);
            return true;
        }
    }
    return PARSE_FAIL(
        parser, t->pos,
        "expected a type (!pto.tile<...>, !pto.tile_buf<...>, !pto.ptr<...>, "
        "!pto.tensor_view<...>, !pto.partition_tensor_view<...>, !pto.event, index, i1, "
        "f32, i32, ...), found %s",
        sam_tile_parse_found(parser, found, sizeof found));
}
