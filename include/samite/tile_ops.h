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
 * After the operands, events to wait for: sam_tcolmin(&dst, &src, &loaded). docs/tile.md
 * describes the operations with their shapes and dtypes; calls check the same rules before they
 * run. Calls are macros, for C11 and C++11; tile.hpp has the same operations on typed tiles.
 *
 * Operations run when they are called. Events matter if tiles have addresses (sam_tassign): an
 * operation that did not wait for what another pipe does to its tiles fails, as it does in a
 * program.
 *
 * An `error` argument may be NULL, and so may a list of sources or events, which is then empty. Any
 * other NULL core, tile or array is SAM_ERR_USAGE. A core and its tiles belong to one thread. */
#ifndef SAMITE_TILE_OPS_H
#define SAMITE_TILE_OPS_H

#include "tile.h"

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

/* Memories of one core, and the modes of its operations. */
struct sam_tile_core;

struct sam_tile {
    struct sam_tile_type type;  /* valid sizes may be changed before use */
    struct sam_tile_core *core; /* where it lives; set when it is placed */
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

/* The result of an operation. SAM_ERR_USAGE: the call itself is wrong; SAM_ERR_TRAP: the operation
 * failed (shapes, dtypes, elements that were not written, a missing wait) and wrote nothing;
 * SAM_ERR_MEMORY. An operation that waits for an event that failed fails with it. */
struct sam_event {
    enum sam_status status;
    enum sam_tile_pipe pipe; /* of the operation */
    uint64_t time;           /* operations that the pipe had begun by then */
    char text[240];          /* of the error; "" when status is SAM_OK */
};

/* profile, nan, outside and plain of `options` hold for all operations. NULL or all zeros:
 * profile a5, SAM_TILE_NAN_NUMBER, SAM_TILE_PAD_KEEP. SAM_ERR_USAGE: a value outside its
 * enumeration; SAM_ERR_MEMORY. */
SAM_API enum sam_status sam_tile_core_new(const struct sam_tile_options *options,
                                          struct sam_tile_core **core, struct sam_error *error);
/* Tiles on the core must not be used afterwards. NULL is allowed. */
SAM_API void sam_tile_core_free(struct sam_tile_core *core);
/* Counts of the core so far. */
SAM_API void sam_tile_core_stats(const struct sam_tile_core *core, struct sam_tile_stats *stats);

/* Put a tile at a byte of its memory: a multiple of 32. If one tile on a core
 * has an address, all need one; otherwise the core places them. A core without tiles, since they
 * have been released, takes either. SAM_ERR_USAGE: the address is not a
 * multiple of 32, or the tile is in use. Whether it fits its memory is checked at its first use. */
SAM_API enum sam_status sam_tassign(struct sam_tile *tile, uint64_t address);
/* Fill the valid rectangle from `values`: valid_rows x valid_cols elements of the tile's dtype
 * (bf16 as uint16_t, f16 as its bits, those of 4 bits as pairs, a row from a byte on), row by row
 * without gaps. Places the tile on the core. The
 * host waits for all operations. SAM_ERR_USAGE: an invalid type; SAM_ERR_TRAP: no room. */
SAM_API enum sam_status sam_tile_fill(struct sam_tile_core *core, struct sam_tile *tile,
                                      const void *values, struct sam_error *error);
/* Place a tile without filling it: for a destination whose operation has no source tile (tload,
 * texpands, tci). If there are source tiles, the operation places its destination. */
SAM_API enum sam_status sam_tile_place_on(struct sam_tile_core *core, struct sam_tile *tile,
                                          struct sam_error *error);
/* Read the valid rectangle into `values`, laid out as for sam_tile_fill. SAM_ERR_TRAP if an element
 * was never written. */
SAM_API enum sam_status sam_tile_read(const struct sam_tile *tile, void *values,
                                      struct sam_error *error);
/* Release the tile's memory; its content is lost. A window only loses its place. The tile may be
 * placed again. NULL is allowed. */
SAM_API void sam_tile_release(struct sam_tile *tile);

/* Place `window`, which has a type but no place yet, over the part of `tile` that begins at
 * [row,col]. Both see the same elements; the window lives no longer than the tile. SAM_ERR_USAGE if
 * memory, dtype or layout differ, or it does not start at a multiple of 32 bytes. */
SAM_API enum sam_status sam_tsubview(struct sam_tile *window, const struct sam_tile *tile,
                                     uint32_t row, uint32_t col, struct sam_error *error);

/* A window of an array in global memory: element [i,j,...] is number offset + i * strides[0] +
 * j * strides[1] + ... of `data`, which has `count`; of 4 bits, two are in a byte, the first in its
 * low half. The last dimension becomes the columns of a
 * tile, the others its rows, in order. */
struct sam_tile_view {
    void *data; /* the caller's; tstore writes to it */
    uint64_t count;
    enum sam_dtype dtype;
    uint32_t rank; /* 1 to 5 */
    int64_t offset, shape[5], strides[5];
};

/* Images, and the filter that timg2col moves over them. Each number is at most 65535, at least 1,
 * of `pad` 0. A source has a row per pixel, image by image, in each by groups of channels, then by
 * lines; its columns are the channels of a group. */
struct sam_tile_image {
    uint32_t height, width, filter_height, filter_width, stride_height, stride_width;
    uint32_t dilation_height, dilation_width, pad_top, pad_bottom, pad_left, pad_right;
    uint32_t channels;
};

/* The calls below expand to this. `sources` and `events` end with NULL; dst is placed on the core
 * of the first source if it has no place yet. `scalar` is rounded to a floating-point dtype of
 * dst (tcmps: of the source); for an integer dtype it must be a whole number in range, else
 * SAM_ERR_USAGE. `attribute`: of tcmp and tcmps enum sam_tile_compare (plus SAM_TILE_PACKED: a mask
 * of bits), of tsel and tsels 1 for such a mask, of tci enum sam_tile_order, of tcvt, tquant and
 * tdequant enum sam_tile_round (of tquant, plus SAM_TILE_WRAP: without saturation), of ttri
 * enum sam_tile_triangle, of tsort, tmrgsort enum sam_tile_order, of thistogram the byte, 0 to 3;
 * elsewhere 0. */
SAM_API struct sam_event sam_tile_call(enum sam_tile_opcode op, struct sam_tile *dst,
                                       struct sam_tile *const *sources, double scalar,
                                       unsigned attribute, const struct sam_event *const *events);
/* The same with all `count` scalars and indices of the operation, in their order. Since 0.2. */
SAM_API struct sam_event sam_tile_call_numbers(enum sam_tile_opcode op, struct sam_tile *dst,
                                               struct sam_tile *const *sources,
                                               const double *numbers, size_t count,
                                               unsigned attribute,
                                               const struct sam_event *const *events);
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
/* The same for operations on a view, which is the destination of some: `dst` is then NULL. Since
 * 0.2. */
SAM_API struct sam_event sam_tile_call_view(enum sam_tile_opcode op, struct sam_tile *dst,
                                            struct sam_tile *const *sources,
                                            const struct sam_tile_view *view,
                                            const struct sam_event *const *events);
/* All pipes wait for the events; without events, for everything started before. */
SAM_API struct sam_event sam_tile_sync(struct sam_tile_core *core,
                                       const struct sam_event *const *events);

/* Operations as calls: the destination, the sources in the order of the table in docs/tile.md, the
 * attribute of an operation that has one, events to wait for:
 *     sam_tadd(&dst, &a, &b), sam_tadds(&dst, &a, 2.5, &loaded), sam_tsels(&dst, &mask, &a, 0)
 *     sam_texpands(&dst, 1): dst is on a core already (sam_tile_place_on)
 *     sam_tcmp(&dst, &a, &b, SAM_TILE_LT), sam_tcvt(&dst, &a, SAM_TILE_RINT)
 *     sam_tquant(&dst, &a, 0.5, 3, SAM_TILE_RINT), sam_ttri(&dst, 0, SAM_TILE_LOWER)
 *     sam_textract(&dst, &src, row, col), from [row,col] of src; sam_tinsert to it of dst
 *     sam_timg2col(&dst, &src, row, col, &image): from [row,col] of the matrix on
 *     sam_mgather(&dst, &view, &index), sam_mscatter(&view, &src, &index)
 *     sam_tload(&tile, &view), sam_tstore(&view, &tile), sam_tsync(core, &event) */
#include "tile_calls.h"

/* clang-format off */
#define sam_tload(dst, ...) SAM_TILE_CALL_VIEW_(true, dst, __VA_ARGS__, NULL)
#define sam_tstore(view, ...) SAM_TILE_CALL_STORE_(view, __VA_ARGS__, NULL)
#define sam_timg2col(dst, ...) SAM_TILE_CALL_IMAGE_(dst, __VA_ARGS__, NULL)
#define sam_tsync(...) SAM_TILE_SYNC_(__VA_ARGS__, NULL)

/* Their expansions, named by their sources (tile_calls.h); A: with an attribute. */
#ifdef __cplusplus /* arrays that live as long as the call */
#define SAM_TILE_LIST_(...)   (std::initializer_list<struct sam_tile *>{__VA_ARGS__, NULL}.begin())
#define SAM_TILE_NO_LIST_     (std::initializer_list<struct sam_tile *>{NULL}.begin())
#define SAM_TILE_EVENTS_(...) (std::initializer_list<const struct sam_event *>{__VA_ARGS__}.begin())
#define SAM_TILE_NUMBERS_(...) (std::initializer_list<double>{__VA_ARGS__}.begin())
#define SAM_TILE_COUNT_(...)   (std::initializer_list<double>{__VA_ARGS__}.size())
#else
#define SAM_TILE_LIST_(...)   ((struct sam_tile *const[]){__VA_ARGS__, NULL})
#define SAM_TILE_NO_LIST_     ((struct sam_tile *const[]){NULL})
#define SAM_TILE_EVENTS_(...) ((const struct sam_event *const[]){__VA_ARGS__})
#define SAM_TILE_NUMBERS_(...) ((const double[]){__VA_ARGS__})
#define SAM_TILE_COUNT_(...)   (sizeof(SAM_TILE_NUMBERS_(__VA_ARGS__)) / sizeof(double))
#endif
#define SAM_TILE_CALL_(code, dst, list, scalar, attribute, ...) \
    sam_tile_call(SAM_TILE_OP_##code, dst, list, scalar, attribute, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_T_(code, dst, a, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a), 0, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TT_(code, dst, a, b, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b), 0, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TTT_(code, dst, a, b, c, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b, c), 0, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TTTT_(code, dst, a, b, c, d, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b, c, d), 0, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TTTTT_(code, dst, a, b, c, d, e, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b, c, d, e), 0, 0, __VA_ARGS__)
#define SAM_TILE_CALL_S_(code, dst, scalar, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_NO_LIST_, scalar, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TS_(code, dst, a, scalar, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a), scalar, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TTS_(code, dst, a, b, scalar, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b), scalar, 0, __VA_ARGS__)
#define SAM_TILE_CALL_TA_(code, dst, a, attribute, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a), 0, attribute, __VA_ARGS__)
#define SAM_TILE_CALL_TTA_(code, dst, a, b, attribute, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a, b), 0, attribute, __VA_ARGS__)
#define SAM_TILE_CALL_TSA_(code, dst, a, scalar, attribute, ...) \
    SAM_TILE_CALL_(code, dst, SAM_TILE_LIST_(a), scalar, attribute, __VA_ARGS__)
#define SAM_TILE_CALL_NUMBERS_(code, dst, list, attribute, events, ...) \
    sam_tile_call_numbers(SAM_TILE_OP_##code, dst, list, SAM_TILE_NUMBERS_(__VA_ARGS__), \
                          SAM_TILE_COUNT_(__VA_ARGS__), attribute, events)
#define SAM_TILE_CALL_TI_(code, dst, a, index, ...) \
    SAM_TILE_CALL_NUMBERS_(code, dst, SAM_TILE_LIST_(a), 0, SAM_TILE_EVENTS_(__VA_ARGS__), index)
#define SAM_TILE_CALL_TIA_(code, dst, a, index, attribute, ...) \
    SAM_TILE_CALL_NUMBERS_(code, dst, SAM_TILE_LIST_(a), attribute, SAM_TILE_EVENTS_(__VA_ARGS__), index)
#define SAM_TILE_CALL_IA_(code, dst, index, attribute, ...) \
    SAM_TILE_CALL_NUMBERS_(code, dst, SAM_TILE_NO_LIST_, attribute, SAM_TILE_EVENTS_(__VA_ARGS__), index)
#define SAM_TILE_CALL_TSSA_(code, dst, a, first, second, attribute, ...) \
    SAM_TILE_CALL_NUMBERS_(code, dst, SAM_TILE_LIST_(a), attribute, SAM_TILE_EVENTS_(__VA_ARGS__), first, second)
#define SAM_TILE_IMAGE_(i) \
    (i).height, (i).width, (i).filter_height, (i).filter_width, (i).stride_height, (i).stride_width, \
        (i).dilation_height, (i).dilation_width, (i).pad_top, (i).pad_bottom, (i).pad_left, \
        (i).pad_right, (i).channels
#define SAM_TILE_CALL_IMAGE_(dst, a, row, col, image, ...) \
    SAM_TILE_CALL_NUMBERS_(TIMG2COL, dst, SAM_TILE_LIST_(a), 0, SAM_TILE_EVENTS_(__VA_ARGS__), row, col, \
                           SAM_TILE_IMAGE_(*(image)))
#define SAM_TILE_CALL_TII_(name, dst, a, row, col, ...) \
    sam_tile_apply_at(name, dst, a, row, col, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_VT_(code, dst, view, a, ...) \
    sam_tile_call_view(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a), view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_VTT_(code, dst, view, a, b, ...) \
    sam_tile_call_view(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b), view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_VTTT_(code, dst, view, a, b, c, ...) \
    sam_tile_call_view(SAM_TILE_OP_##code, dst, SAM_TILE_LIST_(a, b, c), view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_TTV_(code, view, ...) SAM_TILE_CALL_VTT_(code, NULL, view, __VA_ARGS__)
#define SAM_TILE_CALL_TTTV_(code, view, ...) SAM_TILE_CALL_VTTT_(code, NULL, view, __VA_ARGS__)
#define SAM_TILE_CALL_VIEW_(load, tile, view, ...) \
    sam_tile_apply_view(load, tile, view, SAM_TILE_EVENTS_(__VA_ARGS__))
#define SAM_TILE_CALL_STORE_(view, src, ...) SAM_TILE_CALL_VIEW_(false, src, view, __VA_ARGS__)
#define SAM_TILE_SYNC_(core, ...) sam_tile_sync(core, SAM_TILE_EVENTS_(__VA_ARGS__))
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
