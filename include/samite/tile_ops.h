/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations as C calls: tiles are values, an operation takes its destination first and
 * returns an event.
 *
 *     struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
 *     struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
 *     sam_tile_fill(core, &src, values);
 *     struct sam_event done = sam_tcolmin(&dst, &src);
 *     if (done.status != SAM_OK)
 *         puts(done.text);
 *
 * Behind the operands, events to wait for: sam_tcolmin(&dst, &src, &loaded). What an operation
 * means, its shapes and dtypes: docs/tile.md; the same rules are checked here, before it runs.
 * Calls are macros, of C11. */
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
            NULL, SAM_TILE_UNPLACED, false                                                         \
    }

/* What an operation returns; has its text when status is not SAM_OK. */
struct sam_event {
    enum sam_status status;
    unsigned pipe;
    uint64_t time;
    char text[240];
};

/* profile, nan, outside and plain of `options` (NULL: zeros) hold for all operations. */
SAM_API enum sam_status sam_tile_core_new(const struct sam_tile_options *options,
                                          struct sam_tile_core **core, struct sam_error *error);
/* Tiles that live on the core must not be used any more. NULL is fine. */
SAM_API void sam_tile_core_free(struct sam_tile_core *core);

/* Put a tile at a byte of its memory: a multiple of 32. As in program text, where one tile has an
 * address all need one; the others are placed by the core. Fails on a tile in use. */
SAM_API enum sam_status sam_tassign(struct sam_tile *tile, uint64_t address);
/* The valid rectangle from `values`, row by row. Places the tile on the core. */
SAM_API enum sam_status sam_tile_fill(struct sam_tile_core *core, struct sam_tile *tile,
                                      const void *values, struct sam_error *error);
/* Place a tile without filling it: for a destination whose operation has no source tile. */
SAM_API enum sam_status sam_tile_place_on(struct sam_tile_core *core, struct sam_tile *tile,
                                          struct sam_error *error);
/* The valid rectangle into `values`. SAM_ERR_TRAP when an element was never written. */
SAM_API enum sam_status sam_tile_read(const struct sam_tile *tile, void *values,
                                      struct sam_error *error);
/* The tile's memory may be used by others; its content is lost. */
SAM_API void sam_tile_release(struct sam_tile *tile);

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
    SAM_TILE_OP_TMATMUL_BIAS,
    SAM_TILE_OPS
};

/* What the calls below come to. `sources` and `events` end with NULL; dst is placed beside the
 * first source when it is nowhere yet. `scalar` is rounded to the dtype of dst. `attribute`: an
 * enum of tcmp (0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge) or tcvt (0 to even, 1 away from zero, 2 floor,
 * 3 ceil, 4 truncate). */
SAM_API struct sam_event sam_tile_call(enum sam_tile_opcode op, struct sam_tile *dst,
                                       struct sam_tile *const *sources, double scalar,
                                       unsigned attribute, const struct sam_event *const *events);
/* The same for the name of an operation, "tcolmin". */
SAM_API struct sam_event sam_tile_apply(const char *name, struct sam_tile *dst,
                                        struct sam_tile *const *sources, double scalar,
                                        unsigned attribute, const struct sam_event *const *events);

/* clang-format off */
#define SAM_TILE_LIST_(...)   ((struct sam_tile *const[]){__VA_ARGS__, NULL})
#define SAM_TILE_EVENTS_(...) ((const struct sam_event *const[]){__VA_ARGS__})
#define SAM_TILE_CALL_T_(code, dst, a, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a), 0, 0, \
                  SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TT_(code, dst, a, b, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b), 0, 0, \
                  SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTT_(code, dst, a, b, c, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b, c), 0, 0, \
                  SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TS_(code, dst, a, scalar, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a), scalar, 0, \
                  SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_S_(code, dst, scalar, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, ((struct sam_tile *const[]){NULL}), scalar, 0, \
                  SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_ATTRIBUTE_(code, dst, list, attribute, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, list, 0, attribute, SAM_TILE_EVENTS_(__VA_ARGS__))

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

#define sam_tsel(dst, ...) SAM_TILE_CALL_TTT_(TSEL, dst, __VA_ARGS__, NULL)
#define sam_tmatmul_acc(dst, ...) SAM_TILE_CALL_TTT_(TMATMUL_ACC, dst, __VA_ARGS__, NULL)
#define sam_tmatmul_bias(dst, ...) SAM_TILE_CALL_TTT_(TMATMUL_BIAS, dst, __VA_ARGS__, NULL)

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

#define sam_texpands(dst, ...) SAM_TILE_CALL_S_(TEXPANDS, dst, __VA_ARGS__, NULL)
#define sam_tci(dst, ...)      SAM_TILE_CALL_S_(TCI, dst, __VA_ARGS__, NULL)
#define sam_tcmp(dst, a, b, ...)                                                                   \
    SAM_TILE_CALL_ATTRIBUTE_(TCMP, dst, SAM_TILE_LIST_(a, b), __VA_ARGS__, NULL)
#define sam_tcvt(dst, src, ...)                                                                    \
    SAM_TILE_CALL_ATTRIBUTE_(TCVT, dst, SAM_TILE_LIST_(src), __VA_ARGS__, NULL)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
