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
 * Where an error is an argument it may be NULL, and so may a list of sources or events: there are
 * none. Any other NULL where a core, a tile or an array is wanted is SAM_ERR_USAGE. A core and its
 * tiles belong to one thread. */
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

/* profile, nan, outside and plain of `options` hold for all operations. NULL or all zeros:
 * profile a5, NaN as numbers ask, what is outside stays. SAM_ERR_USAGE: a number that none of them
 * has; SAM_ERR_MEMORY. */
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
 * merely has no place any more. The tile may be placed again. NULL is fine. */
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

/* Operations by number: in the order of sam_tile_op_describe. */
enum sam_tile_opcode {
    SAM_TILE_OP_TLOAD,
    SAM_TILE_OP_TSTORE,
    SAM_TILE_OP_TCOLSUM,
    SAM_TILE_OP_TCOLPROD,
    SAM_TILE_OP_TCOLMAX,
    SAM_TILE_OP_TCOLMIN,
    SAM_TILE_OP_TCOLARGMAX,
    SAM_TILE_OP_TCOLARGMIN,
    SAM_TILE_OP_TROWSUM,
    SAM_TILE_OP_TROWPROD,
    SAM_TILE_OP_TROWMAX,
    SAM_TILE_OP_TROWMIN,
    SAM_TILE_OP_TROWARGMAX,
    SAM_TILE_OP_TROWARGMIN,
    SAM_TILE_OP_TROWEXPAND,
    SAM_TILE_OP_TROWEXPANDADD,
    SAM_TILE_OP_TROWEXPANDSUB,
    SAM_TILE_OP_TROWEXPANDMUL,
    SAM_TILE_OP_TROWEXPANDDIV,
    SAM_TILE_OP_TROWEXPANDMAX,
    SAM_TILE_OP_TROWEXPANDMIN,
    SAM_TILE_OP_TROWEXPANDEXPDIF,
    SAM_TILE_OP_TCOLEXPAND,
    SAM_TILE_OP_TCOLEXPANDADD,
    SAM_TILE_OP_TCOLEXPANDSUB,
    SAM_TILE_OP_TCOLEXPANDMUL,
    SAM_TILE_OP_TCOLEXPANDDIV,
    SAM_TILE_OP_TCOLEXPANDMAX,
    SAM_TILE_OP_TCOLEXPANDMIN,
    SAM_TILE_OP_TCOLEXPANDEXPDIF,
    SAM_TILE_OP_TADD,
    SAM_TILE_OP_TSUB,
    SAM_TILE_OP_TMUL,
    SAM_TILE_OP_TDIV,
    SAM_TILE_OP_TREM,
    SAM_TILE_OP_TMIN,
    SAM_TILE_OP_TMAX,
    SAM_TILE_OP_TAND,
    SAM_TILE_OP_TOR,
    SAM_TILE_OP_TXOR,
    SAM_TILE_OP_TSHL,
    SAM_TILE_OP_TSHR,
    SAM_TILE_OP_TPRELU,
    SAM_TILE_OP_TADDS,
    SAM_TILE_OP_TSUBS,
    SAM_TILE_OP_TMULS,
    SAM_TILE_OP_TDIVS,
    SAM_TILE_OP_TREMS,
    SAM_TILE_OP_TMINS,
    SAM_TILE_OP_TMAXS,
    SAM_TILE_OP_TANDS,
    SAM_TILE_OP_TORS,
    SAM_TILE_OP_TXORS,
    SAM_TILE_OP_TSHLS,
    SAM_TILE_OP_TSHRS,
    SAM_TILE_OP_TLRELU,
    SAM_TILE_OP_TAXPY,
    SAM_TILE_OP_TEXPANDS,
    SAM_TILE_OP_TABS,
    SAM_TILE_OP_TNEG,
    SAM_TILE_OP_TRELU,
    SAM_TILE_OP_TNOT,
    SAM_TILE_OP_TEXP,
    SAM_TILE_OP_TLOG,
    SAM_TILE_OP_TSQRT,
    SAM_TILE_OP_TRSQRT,
    SAM_TILE_OP_TRECIP,
    SAM_TILE_OP_TCMP,
    SAM_TILE_OP_TCMPS,
    SAM_TILE_OP_TSEL,
    SAM_TILE_OP_TSELS,
    SAM_TILE_OP_TCVT,
    SAM_TILE_OP_TMOV,
    SAM_TILE_OP_TTRANS,
    SAM_TILE_OP_TRESHAPE,
    SAM_TILE_OP_TEXTRACT,
    SAM_TILE_OP_TINSERT,
    SAM_TILE_OP_TFILLPAD,
    SAM_TILE_OP_TCONCAT,
    SAM_TILE_OP_TCI,
    SAM_TILE_OP_TMATMUL,
    SAM_TILE_OP_TMATMUL_ACC,
    SAM_TILE_OP_TMATMUL_BIAS
};

/* What the calls below come to. `sources` and `events` end with NULL; dst is placed beside the
 * first source when it is nowhere yet. `scalar` is rounded to a floating-point dtype of dst (tcmps:
 * of the source); an integer one takes whole numbers in its range, others are SAM_ERR_USAGE.
 * `attribute`: enum sam_tile_compare of tcmp and tcmps, enum sam_tile_round of tcvt, 0 elsewhere.
 */
SAM_API struct sam_event sam_tile_call(enum sam_tile_opcode op, struct sam_tile *dst,
                                       struct sam_tile *const *sources, double scalar,
                                       unsigned attribute, const struct sam_event *const *events);
/* The same for the name of an operation, "tcolmin". */
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
#define SAM_TILE_CALL_T_(code, dst, a, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TT_(code, dst, a, b, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTT_(code, dst, a, b, c, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b, c), 0, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TS_(code, dst, a, scalar, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a), scalar, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_S_(code, dst, scalar, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, ((struct sam_tile *const[]){NULL}), scalar, 0, \
                   SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTS_(code, dst, a, b, scalar, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b), scalar, 0, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_AT_(name, dst, a, row, col, ...) \
    sam_tile_apply_at(name, dst, a, row, col, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_VIEW_(load, tile, view, ...) \
    sam_tile_apply_view(load, tile, view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_ATTRIBUTE_(code, dst, list, scalar, attribute, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, list, scalar, attribute, SAM_TILE_EVENTS_(__VA_ARGS__))

/* sam_tload(&tile, &view, events...), sam_tstore(&view, &tile, events...) */
#define sam_tload(dst, ...) SAM_TILE_CALL_VIEW_(true, dst, __VA_ARGS__, NULL)
#define sam_tstore(view, ...) SAM_TILE_CALL_STORE_(view, __VA_ARGS__, NULL)
#define SAM_TILE_CALL_STORE_(view, src, ...) SAM_TILE_CALL_VIEW_(false, src, view, __VA_ARGS__)
/* sam_tsync(core, events...) */
#define sam_tsync(...) SAM_TILE_SYNC_(__VA_ARGS__, NULL)
#define SAM_TILE_SYNC_(core, ...) sam_tile_sync(core, SAM_TILE_EVENTS_(__VA_ARGS__))

/* sam_tcolsum(&dst, &a, events...) */

#define sam_tcolsum(dst, ...) SAM_TILE_CALL_T_(TCOLSUM, dst, __VA_ARGS__, NULL)
#define sam_tcolprod(dst, ...) SAM_TILE_CALL_T_(TCOLPROD, dst, __VA_ARGS__, NULL)
#define sam_tcolmax(dst, ...) SAM_TILE_CALL_T_(TCOLMAX, dst, __VA_ARGS__, NULL)
#define sam_tcolmin(dst, ...) SAM_TILE_CALL_T_(TCOLMIN, dst, __VA_ARGS__, NULL)
#define sam_tcolargmax(dst, ...) SAM_TILE_CALL_T_(TCOLARGMAX, dst, __VA_ARGS__, NULL)
#define sam_tcolargmin(dst, ...) SAM_TILE_CALL_T_(TCOLARGMIN, dst, __VA_ARGS__, NULL)
#define sam_trowsum(dst, ...) SAM_TILE_CALL_T_(TROWSUM, dst, __VA_ARGS__, NULL)
#define sam_trowprod(dst, ...) SAM_TILE_CALL_T_(TROWPROD, dst, __VA_ARGS__, NULL)
#define sam_trowmax(dst, ...) SAM_TILE_CALL_T_(TROWMAX, dst, __VA_ARGS__, NULL)
#define sam_trowmin(dst, ...) SAM_TILE_CALL_T_(TROWMIN, dst, __VA_ARGS__, NULL)
#define sam_trowargmax(dst, ...) SAM_TILE_CALL_T_(TROWARGMAX, dst, __VA_ARGS__, NULL)
#define sam_trowargmin(dst, ...) SAM_TILE_CALL_T_(TROWARGMIN, dst, __VA_ARGS__, NULL)
#define sam_trowexpand(dst, ...) SAM_TILE_CALL_T_(TROWEXPAND, dst, __VA_ARGS__, NULL)
#define sam_tcolexpand(dst, ...) SAM_TILE_CALL_T_(TCOLEXPAND, dst, __VA_ARGS__, NULL)
#define sam_tabs(dst, ...) SAM_TILE_CALL_T_(TABS, dst, __VA_ARGS__, NULL)
#define sam_tneg(dst, ...) SAM_TILE_CALL_T_(TNEG, dst, __VA_ARGS__, NULL)
#define sam_trelu(dst, ...) SAM_TILE_CALL_T_(TRELU, dst, __VA_ARGS__, NULL)
#define sam_tnot(dst, ...) SAM_TILE_CALL_T_(TNOT, dst, __VA_ARGS__, NULL)
#define sam_texp(dst, ...) SAM_TILE_CALL_T_(TEXP, dst, __VA_ARGS__, NULL)
#define sam_tlog(dst, ...) SAM_TILE_CALL_T_(TLOG, dst, __VA_ARGS__, NULL)
#define sam_tsqrt(dst, ...) SAM_TILE_CALL_T_(TSQRT, dst, __VA_ARGS__, NULL)
#define sam_trsqrt(dst, ...) SAM_TILE_CALL_T_(TRSQRT, dst, __VA_ARGS__, NULL)
#define sam_trecip(dst, ...) SAM_TILE_CALL_T_(TRECIP, dst, __VA_ARGS__, NULL)
#define sam_tmov(dst, ...) SAM_TILE_CALL_T_(TMOV, dst, __VA_ARGS__, NULL)
#define sam_ttrans(dst, ...) SAM_TILE_CALL_T_(TTRANS, dst, __VA_ARGS__, NULL)
#define sam_treshape(dst, ...) SAM_TILE_CALL_T_(TRESHAPE, dst, __VA_ARGS__, NULL)
#define sam_tfillpad(dst, ...) SAM_TILE_CALL_T_(TFILLPAD, dst, __VA_ARGS__, NULL)

/* sam_tadd(&dst, &a, &b, events...) */
#define sam_trowexpandadd(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDADD, dst, __VA_ARGS__, NULL)
#define sam_trowexpandsub(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDSUB, dst, __VA_ARGS__, NULL)
#define sam_trowexpandmul(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDMUL, dst, __VA_ARGS__, NULL)
#define sam_trowexpanddiv(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDDIV, dst, __VA_ARGS__, NULL)
#define sam_trowexpandmax(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDMAX, dst, __VA_ARGS__, NULL)
#define sam_trowexpandmin(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDMIN, dst, __VA_ARGS__, NULL)
#define sam_trowexpandexpdif(dst, ...) SAM_TILE_CALL_TT_(TROWEXPANDEXPDIF, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandadd(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDADD, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandsub(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDSUB, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmul(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDMUL, dst, __VA_ARGS__, NULL)
#define sam_tcolexpanddiv(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDDIV, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmax(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDMAX, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandmin(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDMIN, dst, __VA_ARGS__, NULL)
#define sam_tcolexpandexpdif(dst, ...) SAM_TILE_CALL_TT_(TCOLEXPANDEXPDIF, dst, __VA_ARGS__, NULL)
#define sam_tadd(dst, ...) SAM_TILE_CALL_TT_(TADD, dst, __VA_ARGS__, NULL)
#define sam_tsub(dst, ...) SAM_TILE_CALL_TT_(TSUB, dst, __VA_ARGS__, NULL)
#define sam_tmul(dst, ...) SAM_TILE_CALL_TT_(TMUL, dst, __VA_ARGS__, NULL)
#define sam_tdiv(dst, ...) SAM_TILE_CALL_TT_(TDIV, dst, __VA_ARGS__, NULL)
#define sam_trem(dst, ...) SAM_TILE_CALL_TT_(TREM, dst, __VA_ARGS__, NULL)
#define sam_tmin(dst, ...) SAM_TILE_CALL_TT_(TMIN, dst, __VA_ARGS__, NULL)
#define sam_tmax(dst, ...) SAM_TILE_CALL_TT_(TMAX, dst, __VA_ARGS__, NULL)
#define sam_tand(dst, ...) SAM_TILE_CALL_TT_(TAND, dst, __VA_ARGS__, NULL)
#define sam_tor(dst, ...) SAM_TILE_CALL_TT_(TOR, dst, __VA_ARGS__, NULL)
#define sam_txor(dst, ...) SAM_TILE_CALL_TT_(TXOR, dst, __VA_ARGS__, NULL)
#define sam_tshl(dst, ...) SAM_TILE_CALL_TT_(TSHL, dst, __VA_ARGS__, NULL)
#define sam_tshr(dst, ...) SAM_TILE_CALL_TT_(TSHR, dst, __VA_ARGS__, NULL)
#define sam_tprelu(dst, ...) SAM_TILE_CALL_TT_(TPRELU, dst, __VA_ARGS__, NULL)
#define sam_tconcat(dst, ...) SAM_TILE_CALL_TT_(TCONCAT, dst, __VA_ARGS__, NULL)
#define sam_tmatmul(dst, ...) SAM_TILE_CALL_TT_(TMATMUL, dst, __VA_ARGS__, NULL)

/* sam_tsel(&dst, &mask, &a, &b, events...) */
#define sam_tsel(dst, ...) SAM_TILE_CALL_TTT_(TSEL, dst, __VA_ARGS__, NULL)
#define sam_tmatmul_acc(dst, ...) SAM_TILE_CALL_TTT_(TMATMUL_ACC, dst, __VA_ARGS__, NULL)
#define sam_tmatmul_bias(dst, ...) SAM_TILE_CALL_TTT_(TMATMUL_BIAS, dst, __VA_ARGS__, NULL)

/* sam_tadds(&dst, &a, scalar, events...), sam_tsels(&dst, &mask, &a, scalar, events...) */
#define sam_tsels(dst, ...) SAM_TILE_CALL_TTS_(TSELS, dst, __VA_ARGS__, NULL)
#define sam_tadds(dst, ...) SAM_TILE_CALL_TS_(TADDS, dst, __VA_ARGS__, NULL)
#define sam_tsubs(dst, ...) SAM_TILE_CALL_TS_(TSUBS, dst, __VA_ARGS__, NULL)
#define sam_tmuls(dst, ...) SAM_TILE_CALL_TS_(TMULS, dst, __VA_ARGS__, NULL)
#define sam_tdivs(dst, ...) SAM_TILE_CALL_TS_(TDIVS, dst, __VA_ARGS__, NULL)
#define sam_trems(dst, ...) SAM_TILE_CALL_TS_(TREMS, dst, __VA_ARGS__, NULL)
#define sam_tmins(dst, ...) SAM_TILE_CALL_TS_(TMINS, dst, __VA_ARGS__, NULL)
#define sam_tmaxs(dst, ...) SAM_TILE_CALL_TS_(TMAXS, dst, __VA_ARGS__, NULL)
#define sam_tands(dst, ...) SAM_TILE_CALL_TS_(TANDS, dst, __VA_ARGS__, NULL)
#define sam_tors(dst, ...) SAM_TILE_CALL_TS_(TORS, dst, __VA_ARGS__, NULL)
#define sam_txors(dst, ...) SAM_TILE_CALL_TS_(TXORS, dst, __VA_ARGS__, NULL)
#define sam_tshls(dst, ...) SAM_TILE_CALL_TS_(TSHLS, dst, __VA_ARGS__, NULL)
#define sam_tshrs(dst, ...) SAM_TILE_CALL_TS_(TSHRS, dst, __VA_ARGS__, NULL)
#define sam_tlrelu(dst, ...) SAM_TILE_CALL_TS_(TLRELU, dst, __VA_ARGS__, NULL)
#define sam_taxpy(dst, ...) SAM_TILE_CALL_TS_(TAXPY, dst, __VA_ARGS__, NULL)

/* sam_texpands(&dst, scalar, events...); dst is on a core already: sam_tile_place_on */
#define sam_texpands(dst, ...) SAM_TILE_CALL_S_(TEXPANDS, dst, __VA_ARGS__, NULL)
#define sam_tci(dst, ...)      SAM_TILE_CALL_S_(TCI, dst, __VA_ARGS__, NULL)

/* sam_tcmp(&dst, &a, &b, SAM_TILE_LT, events...), sam_tcmps(&dst, &a, scalar, SAM_TILE_LT, events...) */
#define sam_tcmp(dst, a, b, ...) \
    SAM_TILE_CALL_ATTRIBUTE_(TCMP, dst, SAM_TILE_LIST_(a, b), 0, __VA_ARGS__, NULL)
#define sam_tcmps(dst, a, scalar, ...) \
    SAM_TILE_CALL_ATTRIBUTE_(TCMPS, dst, SAM_TILE_LIST_(a), scalar, __VA_ARGS__, NULL)
/* sam_tcvt(&dst, &a, SAM_TILE_RINT, events...) */
#define sam_tcvt(dst, src, ...) \
    SAM_TILE_CALL_ATTRIBUTE_(TCVT, dst, SAM_TILE_LIST_(src), 0, __VA_ARGS__, NULL)
/* sam_textract(&dst, &src, row, col, events...), from [row,col] of src; tinsert: to it of dst */
#define sam_textract(dst, ...) SAM_TILE_CALL_AT_("textract", dst, __VA_ARGS__, NULL)
#define sam_tinsert(dst, ...)  SAM_TILE_CALL_AT_("tinsert", dst, __VA_ARGS__, NULL)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
