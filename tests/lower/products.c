/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/products.h"

static const char *const suffixes[] = {"", "_acc", "_bias"};

/* A tile of another memory with elements from an array, through mat. */
static struct writer_tile load(struct writer *w, const char *loc, enum sam_dtype dtype,
                               unsigned rows, unsigned cols)
{
    char name[16], type[160];
    struct writer_tile mat = {.loc = "mat",
                              .dtype = dtype,
                              .valid_rows = rows,
                              .valid_cols = cols,
                              .by_columns = writer_below(w, 2),
                              .empty = true};
    struct writer_tile t = mat;
    writer_tile(w, &mat);
    writer_window(w, dtype, rows, cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, mat.name, mat.type);
    if (strcmp(loc, "mat") == 0)
        return mat;
    t.loc = loc;
    t.by_columns = writer_below(w, 2);
    writer_tile(w, &t);
    writer_put(w, "pto.tmov ins(%s : %s) outs(%s : %s)\n", mat.name, mat.type, t.name, t.type);
    return t;
}

void products_write(struct writer *w, bool vector, unsigned kind, const enum sam_dtype of[2],
                    unsigned depth, const struct writer_tile *d, const struct writer_tile *start)
{
    const enum sam_dtype sum = products_sum(of[0]);
    struct writer_tile left = load(w, "left", of[0], d->valid_rows, depth);
    struct writer_tile right = load(w, "right", of[1], depth, d->valid_cols);
    struct writer_tile bias = {0};
    if (kind == 2)
        bias = load(w, "mat", sum, 1 + writer_below(w, 2), d->valid_cols);
    writer_put(w, "pto.%s%s ins(", vector ? "tgemv" : "tmatmul", suffixes[kind]);
    if (kind == 1)
        writer_put(w, "%s, ", start->name);
    writer_put(w, "%s, %s", left.name, right.name);
    if (kind == 2)
        writer_put(w, ", %s", bias.name);
    writer_put(w, " : ");
    if (kind == 1)
        writer_put(w, "%s, ", start->type);
    writer_put(w, "%s, %s", left.type, right.type);
    if (kind == 2)
        writer_put(w, ", %s", bias.type);
    writer_put(w, ") outs(%s : %s)\n", d->name, d->type);
}

/* A factor in left or right, and its scales in mat. */
static void load_scaled(struct writer *w, enum sam_dtype dtype, bool right, unsigned lines,
                        unsigned depth, struct writer_tile pair[2])
{
    const unsigned length = dtype == SAM_U8 ? depth / 2 : depth, blocks = (depth + 31) / 32;
    const bool has = dtype != SAM_F16 && dtype != SAM_BF16;
    struct writer_tile t;
    char name[16], type[160];
    t = (struct writer_tile){.loc = right ? "right" : "left",
                             .dtype = dtype,
                             .valid_rows = right ? length : lines,
                             .valid_cols = right ? lines : length,
                             .by_columns = dtype == SAM_U8 ? right : writer_below(w, 2),
                             .empty = true};
    struct writer_tile mat = t;
    mat.loc = "mat";
    mat.by_columns = writer_below(w, 2);
    writer_tile(w, &mat);
    writer_window(w, dtype, mat.valid_rows, mat.valid_cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, mat.name, mat.type);
    writer_tile(w, &t);
    writer_put(w, "pto.tmov ins(%s : %s) outs(%s : %s)\n", mat.name, mat.type, t.name, t.type);
    pair[0] = t;
    t = (struct writer_tile){.loc = "mat",
                             .dtype = SAM_E8M0,
                             .valid_rows = !has    ? 0
                                           : right ? blocks
                                                   : lines,
                             .valid_cols = right ? lines : blocks,
                             .empty = true};
    writer_tile(w, &t);
    writer_window(w, SAM_E8M0, t.valid_rows, t.valid_cols, false, name, type);
    writer_put(w, "pto.tload ins(%s : %s) outs(%s : %s)\n", name, type, t.name, t.type);
    pair[1] = t;
}

void products_write_scaled(struct writer *w, unsigned kind, const enum sam_dtype of[2],
                           unsigned depth, const struct writer_tile *d)
{
    struct writer_tile all[6];
    size_t count = 0;
    if (kind == 1)
        all[count++] = *d;
    load_scaled(w, of[0], false, d->valid_rows, depth, all + count);
    load_scaled(w, of[1], true, d->valid_cols, depth, all + count + 2);
    count += 4;
    if (kind == 2)
        all[count++] = load(w, "mat", SAM_F32, 1 + writer_below(w, 2), d->valid_cols);
    writer_put(w, "pto.%s_mx%s ins(", d->valid_rows == 1 ? "tgemv" : "tmatmul", suffixes[kind]);
    for (size_t i = 0; i < count; i++)
        writer_put(w, "%s%s", i ? ", " : "", all[i].name);
    for (size_t i = 0; i < count; i++)
        writer_put(w, "%s%s", i ? ", " : " : ", all[i].type);
    writer_put(w, ") outs(%s : %s)\n", d->name, d->type);
}

void products_write_any(struct writer *w, const struct sam_tile_row *op)
{
    const bool scaled = sam_tile_is_scaled(op), vector = op->name[1] == 'g';
    const unsigned kind = strstr(op->name, "_acc") ? 1 : strstr(op->name, "_bias") ? 2 : 0;
    const unsigned length = (1 + writer_below(w, 5)) * 8;
    const unsigned lines = vector ? 1 : 2 + writer_below(w, 38);
    const unsigned depth = 2 * (writer_below(w, 20) ? 1 + writer_below(w, 40) : 0);
    const unsigned n = writer_below(w, 49);
    const enum sam_dtype unit = products_units[n % SAM_COUNT(products_units)];
    enum sam_dtype of[2] = {unit, unit};
    if (scaled)
        of[0] = products_scaled[n % 7], of[1] = products_scaled[n / 7];
    else if (writer_below(w, 3) == 0)
        memcpy(of, products_others[n % SAM_COUNT(products_others)], sizeof of);
    struct writer_tile d = {.loc = "acc",
                            .dtype = scaled ? SAM_F32 : products_sum(of[0]),
                            .by_columns = !vector && writer_below(w, 3) == 0,
                            .empty = true};
    d.rows = d.valid_rows = d.by_columns ? length : lines;
    d.cols = d.valid_cols = d.by_columns ? lines : length;
    writer_tile(w, &d);
    for (unsigned i = kind == 1 ? 0 : kind; i <= kind; i++)
        if (scaled)
            products_write_scaled(w, i, of, depth, &d);
        else
            products_write(w, vector, i, of, depth, &d, &d);
    writer_show(w, &d);
}
