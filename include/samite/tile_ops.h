/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations as C calls: tiles are values, an operation takes its destination first and
 * returns an event.
 *
 *     struct sam_tile_core *core;
 *     sam_tile_core_new(NULL, &core, &error);
 *     struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
 *     struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
 *     sam_tile_fill(core, &src, values, &error);
 *     struct sam_event done = sam_tcolmin(&dst, &src);
 *     if (done.status != SAM_OK)
 *         puts(done.text);
 *     sam_tile_read(&dst, minimum, &error);
 *     sam_tile_core_free(core);
 *
 * Behind the operands, events to wait for: sam_tcolmin(&dst, &src, &loaded). What an operation
 * means, its shapes and dtypes: docs/tile.md; the same rules are checked here, before it runs.
 * Calls are macros, of C11 (not of C++: compound literals).
 *
 * Operations run when they are called; events matter where tiles have addresses (sam_tassign): an
 * operation that did not wait for what another pipe does to its tiles fails, as a program does.
 *
 * Where an error is an argument it may be NULL. A core and its tiles belong to one thread. */
#ifndef SAMITE_TILE_OPS_H
#define SAMITE_TILE_OPS_H

#include "tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memories of one core, and the modes of its operations. */
struct sam_tile_core;

struct sam_tile {
    struct sam_tile_type type;  /* valid sizes may be changed before use */
    struct sam_tile_core *core; /* where it lives, once something was put into it */
    uint64_t offset;            /* bytes into its memory, or SAM_TILE_UNPLACED */
    bool assigned;              /* by sam_tassign */
    uint32_t pitch; /* of a window: elements from line to line of its tile; 0: the tile's own */
};

#define SAM_TILE_UNPLACED UINT64_MAX

/* The tile of rows x cols elements, all of them valid: SAM_TILE(vec, f32, 16, 16). */
#define SAM_TILE(loc, dtype, rows, cols) SAM_TILE_VALID(loc, dtype, rows, cols, rows, cols)
/* The same with a smaller valid rectangle. */
#define SAM_TILE_VALID(loc, dtype, rows, cols, valid_rows, valid_cols)                             \
    {                                                                                              \
        {SAM_TILE_##loc,                                                                           \
         SAM_TILE_##dtype,                                                                         \
         rows,                                                                                     \
         cols,                                                                                     \
         valid_rows,                                                                               \
         valid_cols,                                                                               \
         SAM_TILE_row_major,                                                                       \
         SAM_TILE_none_box,                                                                        \
         512,                                                                                      \
         SAM_TILE_PAD_null},                                                                       \
            NULL, SAM_TILE_UNPLACED, false, 0                                                      \
    }

/* What an operation returns. SAM_ERR_USAGE: the call itself is wrong; SAM_ERR_TRAP: the operation
 * cannot be done (shapes, dtypes, elements that nothing wrote, a missing wait), nothing was
 * written; SAM_ERR_MEMORY. An operation that waits for an event that failed fails with it. */
struct sam_event {
    enum sam_status status;
    enum sam_tile_pipe pipe; /* that the operation is of, and */
    uint64_t time;           /* how many operations that pipe has begun by then */
    char text[240];          /* of the error; "" when status is SAM_OK */
};

/* profile, nan, outside and plain of `options` hold for all operations. NULL: profile a2a3 (the
 * first), NaN as numbers ask, what is outside stays. SAM_ERR_MEMORY. */
SAM_API enum sam_status sam_tile_core_new(const struct sam_tile_options *options,
                                          struct sam_tile_core **core, struct sam_error *error);
/* Tiles that live on the core must not be used any more. NULL is fine. */
SAM_API void sam_tile_core_free(struct sam_tile_core *core);
/* What ran on the core so far. */
SAM_API void sam_tile_core_stats(const struct sam_tile_core *core, struct sam_tile_stats *stats);

/* Put a tile at a byte of its memory: a multiple of 32. As in program text, where one tile has an
 * address all need one; the others are placed by the core. SAM_ERR_USAGE: another address, or the
 * tile is in use. Whether it fits into its memory is seen when it is used first. */
SAM_API enum sam_status sam_tassign(struct sam_tile *tile, uint64_t address);
/* The valid rectangle from `values`: valid_rows x valid_cols elements of the tile's dtype (bf16 as
 * uint16_t, f16 as its bits), row by row without gaps. Places the tile on the core. The host waits
 * for all operations. SAM_ERR_USAGE: a type that cannot be; SAM_ERR_TRAP: no room. */
SAM_API enum sam_status sam_tile_fill(struct sam_tile_core *core, struct sam_tile *tile,
                                      const void *values, struct sam_error *error);
/* Place a tile without filling it: for a destination whose operation has no source tile (tload,
 * texpands, tci). A destination beside sources is placed by the operation. */
SAM_API enum sam_status sam_tile_place_on(struct sam_tile_core *core, struct sam_tile *tile,
                                          struct sam_error *error);
/* The valid rectangle into `values`, as sam_tile_fill has them. SAM_ERR_TRAP when an element was
 * never written. */
SAM_API enum sam_status sam_tile_read(const struct sam_tile *tile, void *values,
                                      struct sam_error *error);
/* The tile's memory may be used by others; its content is lost. Of a window nothing is lost: it
 * merely has no place any more. The tile may be placed again. */
SAM_API void sam_tile_release(struct sam_tile *tile);

/* Make `window`, which has its type but no place yet, the part of `tile` that begins at [row,col]:
 * of the same memory, dtype and layout, at a multiple of 32 bytes. Both see the same elements; the
 * window ends with the tile. SAM_ERR_USAGE. */
SAM_API enum sam_status sam_tsubview(struct sam_tile *window, const struct sam_tile *tile,
                                     uint32_t row, uint32_t col, struct sam_error *error);

/* A window of an array in global memory: element [i,j,...] is number offset + i * strides[0] +
 * j * strides[1] + ... of `data`, which has `count`. A tile has its last dimension as columns and
 * those before as rows, in order. */
struct sam_tile_view {
    void *data; /* the caller's; tstore writes to it */
    uint64_t count;
    enum sam_tile_dtype dtype;
    uint32_t rank; /* 1 to 5 */
    int64_t offset, shape[5], strides[5];
};

/* What the calls below come to. `sources` and `events` end with NULL; dst is placed beside the
 * first source when it is nowhere yet. `scalar` is rounded to a floating-point dtype of dst (tcmps:
 * of the source); an integer one takes whole numbers in its range, others are SAM_ERR_USAGE.
 * `attribute`: enum sam_tile_compare of tcmp and tcmps, enum sam_tile_round of tcvt, 0 elsewhere.
 */
SAM_API struct sam_event sam_tile_apply(const char *name, struct sam_tile *dst,
                                        struct sam_tile *const *sources, double scalar,
                                        unsigned attribute, const struct sam_event *const *events);
/* The same for textract and tinsert, and for tload and tstore. */
SAM_API struct sam_event sam_tile_apply_at(const char *name, struct sam_tile *dst,
                                           struct sam_tile *src, int64_t row, int64_t col,
                                           const struct sam_event *const *events);
SAM_API struct sam_event sam_tile_apply_view(bool load, struct sam_tile *tile,
                                             const struct sam_tile_view *view,
                                             const struct sam_event *const *events);
/* Every pipe waits for the events; for all that began before when there is none. */
SAM_API struct sam_event sam_tile_sync(struct sam_tile_core *core,
                                       const struct sam_event *const *events);

/* clang-format off */
#define SAM_TILE_LIST_(...)   ((struct sam_tile *const[]){__VA_ARGS__, NULL})
#define SAM_TILE_EVENTS_(...) ((const struct sam_event *const[]){__VA_ARGS__})
#define SAM_TILE_CALL_T_(name, dst, a, ...) \
    sam_tile_apply(name, dst, SAM_TILE_LIST_(a), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TT_(name, dst, a, b, ...) \
    sam_tile_apply(name, dst, SAM_TILE_LIST_(a, b), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTT_(name, dst, a, b, c, ...) \
    sam_tile_apply(name, dst, SAM_TILE_LIST_(a, b, c), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TS_(name, dst, a, scalar, ...) \
    sam_tile_apply(name, dst, SAM_TILE_LIST_(a), scalar, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_S_(name, dst, scalar, ...) \
    sam_tile_apply(name, dst, ((struct sam_tile *const[]){NULL}), scalar, 0, \
                   SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTS_(name, dst, a, b, scalar, ...) \
    sam_tile_apply(name, dst, SAM_TILE_LIST_(a, b), scalar, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_AT_(name, dst, a, row, col, ...) \
    sam_tile_apply_at(name, dst, a, row, col, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_VIEW_(load, tile, view, ...) \
    sam_tile_apply_view(load, tile, view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_ATTRIBUTE_(name, dst, list, scalar, attribute, ...) \
    sam_tile_apply(name, dst, list, scalar, attribute, SAM_TILE_EVENTS_(__VA_ARGS__))

/* sam_tload(&tile, &view, events...), sam_tstore(&view, &tile, events...) */
#define sam_tload(dst, ...) SAM_TILE_CALL_VIEW_(true, dst, __VA_ARGS__, NULL)
#define sam_tstore(view, ...) SAM_TILE_CALL_STORE_(view, __VA_ARGS__, NULL)
#define SAM_TILE_CALL_STORE_(view, src, ...) SAM_TILE_CALL_VIEW_(false, src, view, __VA_ARGS__)
/* sam_tsync(core, events...) */
#define sam_tsync(...) SAM_TILE_SYNC_(__VA_ARGS__, NULL)
#define SAM_TILE_SYNC_(core, ...) sam_tile_sync(core, SAM_TILE_EVENTS_(__VA_ARGS__))

/* sam_tcolsum(&dst, &a, events...) */

#define sam_tcolsum(dst, ...) SAM_TILE_CALL_T_("tcolsum", dst, __VA_ARGS__, NULL)
#define sam_tcolprod(dst, ...) SAM_TILE_CALL_T_("tcolprod", dst, __VA_ARGS__, NULL)
#define sam_tcolmax(dst, ...) SAM_TILE_CALL_T_("tcolmax", dst, __VA_ARGS__, NULL)
#define sam_tcolmin(dst, ...) SAM_TILE_CALL_T_("tcolmin", dst, __VA_ARGS__, NULL)
#define sam_tcolargmax(dst, ...) SAM_TILE_CALL_T_("tcolargmax", dst, __VA_ARGS__, NULL)
#define sam_tcolargmin(dst, ...) SAM_TILE_CALL_T_("tcolargmin", dst, __VA_ARGS__, NULL)
#define sam_trowsum(dst, ...) SAM_TILE_CALL_T_("trowsum", dst, __VA_ARGS__, NULL)
#define sam_trowprod(dst, ...) SAM_TILE_CALL_T_("trowprod", dst, __VA_ARGS__, NULL)
#define sam_trowmax(dst, ...) SAM_TILE_CALL_T_("trowmax", dst, __VA_ARGS__, NULL)
#define sam_trowmin(dst, ...) SAM_TILE_CALL_T_("trowmin", dst, __VA_ARGS__, NULL)
#define sam_trowargmax(dst, ...) SAM_TILE_CALL_T_("trowargmax", dst, __VA_ARGS__, NULL)
#define sam_trowargmin(dst, ...) SAM_TILE_CALL_T_("trowargmin", dst, __VA_ARGS__, NULL)
#define sam_trowexpand(dst, ...) SAM_TILE_CALL_T_("trowexpand", dst, __VA_ARGS__, NULL)
#define sam_tcolexpand(dst, ...) SAM_TILE_CALL_T_("tcolexpand", dst, __VA_ARGS__, NULL)
#define sam_tabs(dst, ...) SAM_TILE_CALL_T_("tabs", dst, __VA_ARGS__, NULL)
#define sam_tneg(dst, ...) SAM_TILE_CALL_T_("tneg", dst, __VA_ARGS__, NULL)
#define sam_trelu(dst, ...) SAM_TILE_CALL_T_("trelu", dst, __VA_ARGS__, NULL)
#define sam_tnot(dst, ...) SAM_TILE_CALL_T_("tnot", dst, __VA_ARGS__, NULL)
#define sam_texp(dst, ...) SAM_TILE_CALL_T_("texp", dst, __VA_ARGS__, NULL)
#define sam_tlog(dst, ...) SAM_TILE_CALL_T_("tlog", dst, __VA_ARGS__, NULL)
#define sam_tsqrt(dst, ...) SAM_TILE_CALL_T_("tsqrt", dst, __VA_ARGS__, NULL)
#define sam_trsqrt(dst, ...) SAM_TILE_CALL_T_("trsqrt", dst, __VA_ARGS__, NULL)
#define sam_trecip(dst, ...) SAM_TILE_CALL_T_("trecip", dst, __VA_ARGS__, NULL)
#define sam_tmov(dst, ...) SAM_TILE_CALL_T_("tmov", dst, __VA_ARGS__, NULL)
#define sam_ttrans(dst, ...) SAM_TILE_CALL_T_("ttrans", dst, __VA_ARGS__, NULL)
#define sam_treshape(dst, ...) SAM_TILE_CALL_T_("treshape", dst, __VA_ARGS__, NULL)
#define sam_tfillpad(dst, ...) SAM_TILE_CALL_T_("tfillpad", dst, __VA_ARGS__, NULL)

/* sam_tadd(&dst, &a, &b, events...) */
#define sam_trowexpandadd(dst, ...) SAM_TILE_CALL_TT_("trowexpandadd", dst, __VA_ARGS__, NULL)
#define sam_trowexpandsub(dst, ...) SAM_TILE_CALL_TT_("trowexpandsub", dst, __VA_ARGS__, NULL)
#define sam_trowexpandmul(dst, ...) SAM_TILE_CALL_TT_("trowexpandmul", dst, __VA_ARGS__, NULL)
#define sam_trowexpanddiv(dst, ...) SAM_TILE_CALL_TT_("trowexpanddiv", dst, __VA_ARGS__, NULL)
#define sam_trowexpandmax(dst, ...) SAM_TILE_CALL_TT_("trowexpandmax", dst, __VA_ARGS__, NULL)
#define sam_trowexpandmin(dst, ...) SAM_TILE_CALL_TT_("trowexpandmin", dst, __VA_ARGS__, NULL)
#define sam_trowexpandexpdif(dst, ...) SAM_TILE_CALL_TT_("trowexpandexpdif", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandadd(dst, ...) SAM_TILE_CALL_TT_("tcolexpandadd", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandsub(dst, ...) SAM_TILE_CALL_TT_("tcolexpandsub", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmul(dst, ...) SAM_TILE_CALL_TT_("tcolexpandmul", dst, __VA_ARGS__, NULL)
#define sam_tcolexpanddiv(dst, ...) SAM_TILE_CALL_TT_("tcolexpanddiv", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmax(dst, ...) SAM_TILE_CALL_TT_("tcolexpandmax", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmin(dst, ...) SAM_TILE_CALL_TT_("tcolexpandmin", dst, __VA_ARGS__, NULL)
#define sam_tcolexpandexpdif(dst, ...) SAM_TILE_CALL_TT_("tcolexpandexpdif", dst, __VA_ARGS__, NULL)
#define sam_tadd(dst, ...) SAM_TILE_CALL_TT_("tadd", dst, __VA_ARGS__, NULL)
#define sam_tsub(dst, ...) SAM_TILE_CALL_TT_("tsub", dst, __VA_ARGS__, NULL)
#define sam_tmul(dst, ...) SAM_TILE_CALL_TT_("tmul", dst, __VA_ARGS__, NULL)
#define sam_tdiv(dst, ...) SAM_TILE_CALL_TT_("tdiv", dst, __VA_ARGS__, NULL)
#define sam_trem(dst, ...) SAM_TILE_CALL_TT_("trem", dst, __VA_ARGS__, NULL)
#define sam_tmin(dst, ...) SAM_TILE_CALL_TT_("tmin", dst, __VA_ARGS__, NULL)
#define sam_tmax(dst, ...) SAM_TILE_CALL_TT_("tmax", dst, __VA_ARGS__, NULL)
#define sam_tand(dst, ...) SAM_TILE_CALL_TT_("tand", dst, __VA_ARGS__, NULL)
#define sam_tor(dst, ...) SAM_TILE_CALL_TT_("tor", dst, __VA_ARGS__, NULL)
#define sam_txor(dst, ...) SAM_TILE_CALL_TT_("txor", dst, __VA_ARGS__, NULL)
#define sam_tshl(dst, ...) SAM_TILE_CALL_TT_("tshl", dst, __VA_ARGS__, NULL)
#define sam_tshr(dst, ...) SAM_TILE_CALL_TT_("tshr", dst, __VA_ARGS__, NULL)
#define sam_tprelu(dst, ...) SAM_TILE_CALL_TT_("tprelu", dst, __VA_ARGS__, NULL)
#define sam_tconcat(dst, ...) SAM_TILE_CALL_TT_("tconcat", dst, __VA_ARGS__, NULL)
#define sam_tmatmul(dst, ...) SAM_TILE_CALL_TT_("tmatmul", dst, __VA_ARGS__, NULL)

/* sam_tsel(&dst, &mask, &a, &b, events...) */
#define sam_tsel(dst, ...) SAM_TILE_CALL_TTT_("tsel", dst, __VA_ARGS__, NULL)
#define sam_tmatmul_acc(dst, ...) SAM_TILE_CALL_TTT_("tmatmul_acc", dst, __VA_ARGS__, NULL)
#define sam_tmatmul_bias(dst, ...) SAM_TILE_CALL_TTT_("tmatmul_bias", dst, __VA_ARGS__, NULL)

/* sam_tadds(&dst, &a, scalar, events...), sam_tsels(&dst, &mask, &a, scalar, events...) */
#define sam_tsels(dst, ...) SAM_TILE_CALL_TTS_("tsels", dst, __VA_ARGS__, NULL)
#define sam_tadds(dst, ...) SAM_TILE_CALL_TS_("tadds", dst, __VA_ARGS__, NULL)
#define sam_tsubs(dst, ...) SAM_TILE_CALL_TS_("tsubs", dst, __VA_ARGS__, NULL)
#define sam_tmuls(dst, ...) SAM_TILE_CALL_TS_("tmuls", dst, __VA_ARGS__, NULL)
#define sam_tdivs(dst, ...) SAM_TILE_CALL_TS_("tdivs", dst, __VA_ARGS__, NULL)
#define sam_trems(dst, ...) SAM_TILE_CALL_TS_("trems", dst, __VA_ARGS__, NULL)
#define sam_tmins(dst, ...) SAM_TILE_CALL_TS_("tmins", dst, __VA_ARGS__, NULL)
#define sam_tmaxs(dst, ...) SAM_TILE_CALL_TS_("tmaxs", dst, __VA_ARGS__, NULL)
#define sam_tands(dst, ...) SAM_TILE_CALL_TS_("tands", dst, __VA_ARGS__, NULL)
#define sam_tors(dst, ...) SAM_TILE_CALL_TS_("tors", dst, __VA_ARGS__, NULL)
#define sam_txors(dst, ...) SAM_TILE_CALL_TS_("txors", dst, __VA_ARGS__, NULL)
#define sam_tshls(dst, ...) SAM_TILE_CALL_TS_("tshls", dst, __VA_ARGS__, NULL)
#define sam_tshrs(dst, ...) SAM_TILE_CALL_TS_("tshrs", dst, __VA_ARGS__, NULL)
#define sam_tlrelu(dst, ...) SAM_TILE_CALL_TS_("tlrelu", dst, __VA_ARGS__, NULL)
#define sam_taxpy(dst, ...) SAM_TILE_CALL_TS_("taxpy", dst, __VA_ARGS__, NULL)

/* sam_texpands(&dst, scalar, events...); dst is on a core already: sam_tile_place_on */
#define sam_texpands(dst, ...) SAM_TILE_CALL_S_("texpands", dst, __VA_ARGS__, NULL)
#define sam_tci(dst, ...)      SAM_TILE_CALL_S_("tci", dst, __VA_ARGS__, NULL)

/* sam_tcmp(&dst, &a, &b, SAM_TILE_LT, events...), sam_tcmps(&dst, &a, scalar, SAM_TILE_LT, events...) */
#define sam_tcmp(dst, a, b, ...) \
    SAM_TILE_CALL_ATTRIBUTE_("tcmp", dst, SAM_TILE_LIST_(a, b), 0, __VA_ARGS__, NULL)
#define sam_tcmps(dst, a, scalar, ...) \
    SAM_TILE_CALL_ATTRIBUTE_("tcmps", dst, SAM_TILE_LIST_(a), scalar, __VA_ARGS__, NULL)
/* sam_tcvt(&dst, &a, SAM_TILE_RINT, events...) */
#define sam_tcvt(dst, src, ...) \
    SAM_TILE_CALL_ATTRIBUTE_("tcvt", dst, SAM_TILE_LIST_(src), 0, __VA_ARGS__, NULL)
/* sam_textract(&dst, &src, row, col, events...), from [row,col] of src; tinsert: to it of dst */
#define sam_textract(dst, ...) SAM_TILE_CALL_AT_("textract", dst, __VA_ARGS__, NULL)
#define sam_tinsert(dst, ...)  SAM_TILE_CALL_AT_("tinsert", dst, __VA_ARGS__, NULL)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
