/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations on typed tiles, for C++17: the operations of tile_ops.h under the names and in
 * the form of the published pages.
 *
 *     #include <samite/tile.hpp>
 *     using namespace samite;
 *
 *     Tile<TileType::Vec, float, 16, 16> src;
 *     Tile<TileType::Vec, float, 1, 16> dst;
 *     src.fill(values);
 *     TCOLMIN(dst, src);
 *     std::vector<float> minimum = dst.read();
 *
 * What the types already tell (memory, dtypes) is checked by the compiler, the rest when an
 * operation runs; an operation that fails throws Error and has written nothing. Tiles are on the
 * core of their thread: one with default options, or the one that a CoreScope chooses. They belong
 * to that thread, and must not outlive their core. */
#ifndef SAMITE_TILE_HPP
#define SAMITE_TILE_HPP

#include <array>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tile_numbers.hpp"
#include "tile_ops.h"

namespace samite
{

enum class TileType {
    Vec = SAM_TILE_vec,
    Mat = SAM_TILE_mat,
    Left = SAM_TILE_left,
    Right = SAM_TILE_right,
    Acc = SAM_TILE_acc
};
enum class BLayout { RowMajor = SAM_TILE_row_major, ColMajor = SAM_TILE_col_major };
enum class SLayout {
    NoneBox = SAM_TILE_none_box,
    RowMajor = SAM_TILE_row_major,
    ColMajor = SAM_TILE_col_major
};
enum class PadValue {
    Null = SAM_TILE_PAD_null,
    Zero = SAM_TILE_PAD_zero,
    Max = SAM_TILE_PAD_max,
    Min = SAM_TILE_PAD_min
};

/* A valid size that is an argument of the tile's constructor. */
constexpr int64_t DYNAMIC = SAM_TILE_DYNAMIC;

/* An operation that failed: its message, and why (status.h). */
class Error : public std::runtime_error
{
  public:
    Error(sam_status why, const char *text) : std::runtime_error(text), status(why)
    {
    }
    const sam_status status;
};

namespace detail
{

template <typename T> struct dtype;
template <typename T>
constexpr bool is_pair = std::is_same_v<std::remove_const_t<T>, float4_e2m1x2_t> ||
                         std::is_same_v<std::remove_const_t<T>, float4_e1m2x2_t>;
#define SAMITE_DTYPE_(type, name)                                                                  \
    template <> struct dtype<type> {                                                               \
        static constexpr sam_dtype value = SAM_TILE_##name;                                        \
    };
SAMITE_DTYPE_(float, f32)
SAMITE_DTYPE_(double, f64)
SAMITE_DTYPE_(half, f16)
SAMITE_DTYPE_(bfloat16_t, bf16)
SAMITE_DTYPE_(float8_e4m3_t, e4m3)
SAMITE_DTYPE_(float8_e5m2_t, e5m2)
SAMITE_DTYPE_(float8_e8m0_t, e8m0)
SAMITE_DTYPE_(float4_e2m1x2_t, e2m1)
SAMITE_DTYPE_(float4_e1m2x2_t, e1m2)
SAMITE_DTYPE_(int8_t, i8)
SAMITE_DTYPE_(uint8_t, ui8)
SAMITE_DTYPE_(int16_t, i16)
SAMITE_DTYPE_(uint16_t, ui16)
SAMITE_DTYPE_(int32_t, i32)
SAMITE_DTYPE_(uint32_t, ui32)
SAMITE_DTYPE_(int64_t, i64)
SAMITE_DTYPE_(uint64_t, ui64)
#if defined(__FLT16_MAX__) && (defined(__clang__) || __GNUC__ >= 13)
__extension__ typedef _Float16 float16_of_compiler;
SAMITE_DTYPE_(float16_of_compiler, f16)
#endif
#undef SAMITE_DTYPE_

inline void check(sam_status status, const char *text)
{
    if (status != SAM_OK)
        throw Error(status, text);
}

} // namespace detail

/* Operations by name: Op::TCOLMIN. */
enum class Op {
    TLOAD = SAM_TILE_OP_TLOAD,
    TSTORE = SAM_TILE_OP_TSTORE,
    TIMG2COL = SAM_TILE_OP_TIMG2COL,
    TSYNC = SAM_TILE_OPS,
/* clang-format off */
#define SAMITE_TILE_OP_(name, ...) name = SAM_TILE_OP_##name,
#define SAMITE_TILE_T_   SAMITE_TILE_OP_
#define SAMITE_TILE_TT_  SAMITE_TILE_OP_
#define SAMITE_TILE_TTT_ SAMITE_TILE_OP_
#define SAMITE_TILE_TTTT_ SAMITE_TILE_OP_
#define SAMITE_TILE_TTTTT_ SAMITE_TILE_OP_
#define SAMITE_TILE_S_   SAMITE_TILE_OP_
#define SAMITE_TILE_TS_  SAMITE_TILE_OP_
#define SAMITE_TILE_TTS_ SAMITE_TILE_OP_
#define SAMITE_TILE_TA_  SAMITE_TILE_OP_
#define SAMITE_TILE_TTA_ SAMITE_TILE_OP_
#define SAMITE_TILE_TSA_ SAMITE_TILE_OP_
#define SAMITE_TILE_TII_ SAMITE_TILE_OP_
#define SAMITE_TILE_TSSA_ SAMITE_TILE_OP_
#define SAMITE_TILE_VT_ SAMITE_TILE_OP_
#define SAMITE_TILE_VTT_ SAMITE_TILE_OP_
#define SAMITE_TILE_VTTT_ SAMITE_TILE_OP_
#define SAMITE_TILE_TTV_ SAMITE_TILE_OP_
#define SAMITE_TILE_TTTV_ SAMITE_TILE_OP_
#define SAMITE_TILE_TI_ SAMITE_TILE_OP_
#define SAMITE_TILE_TIA_ SAMITE_TILE_OP_
#define SAMITE_TILE_IA_ SAMITE_TILE_OP_
#include "tile_calls.hpp"
#undef SAMITE_TILE_OP_
#undef SAMITE_TILE_T_
#undef SAMITE_TILE_TT_
#undef SAMITE_TILE_TTT_
#undef SAMITE_TILE_TTTT_
#undef SAMITE_TILE_TTTTT_
#undef SAMITE_TILE_S_
#undef SAMITE_TILE_TS_
#undef SAMITE_TILE_TTS_
#undef SAMITE_TILE_TA_
#undef SAMITE_TILE_TTA_
#undef SAMITE_TILE_TSA_
#undef SAMITE_TILE_TII_
#undef SAMITE_TILE_TSSA_
#undef SAMITE_TILE_VT_
#undef SAMITE_TILE_VTT_
#undef SAMITE_TILE_VTTT_
#undef SAMITE_TILE_TTV_
#undef SAMITE_TILE_TTTV_
#undef SAMITE_TILE_TI_
#undef SAMITE_TILE_TIA_
#undef SAMITE_TILE_IA_
    /* clang-format on */
};

/* What an operation returns, for others to wait for. */
struct RecordEvent {
    sam_event event;
    Op op;
};

/* The event of one operation, for one other: the compiler refuses another to wait for it, and a
 * value from another operation than From throws. */
template <Op From, Op To> struct Event : RecordEvent {
    Event() : RecordEvent{{SAM_OK, SAM_TILE_PIPE_LOAD, 0, ""}, From}
    {
    }
    Event(const RecordEvent &made) : RecordEvent(made)
    {
        detail::check(made.op == From ? SAM_OK : SAM_ERR_USAGE,
                      "Event: expected what the operation of its type returns");
    }
};

/* The memories of a core, and the modes of its operations. */
class Core
{
  public:
    explicit Core(const sam_tile_options *options = nullptr)
    {
        sam_error error;
        detail::check(sam_tile_core_new(options, &core_, &error), error.text);
    }
    ~Core()
    {
        sam_tile_core_free(core_);
    }
    Core(const Core &) = delete;
    Core &operator=(const Core &) = delete;
    sam_tile_core *get() const
    {
        return core_;
    }
    sam_tile_stats stats() const
    {
        sam_tile_stats counts;
        sam_tile_core_stats(core_, &counts);
        return counts;
    }

    /* The one that tiles of this thread are placed on. */
    static Core &current()
    {
        if (chosen())
            return *chosen();
        thread_local Core standard;
        return standard;
    }

  private:
    friend class CoreScope;
    static Core *&chosen()
    {
        thread_local Core *core = nullptr;
        return core;
    }
    sam_tile_core *core_ = nullptr;
};

/* While it lives, tiles of this thread are placed on another core. */
class CoreScope
{
  public:
    explicit CoreScope(Core &core) : before_(Core::chosen())
    {
        Core::chosen() = &core;
    }
    ~CoreScope()
    {
        Core::chosen() = before_;
    }
    CoreScope(const CoreScope &) = delete;
    CoreScope &operator=(const CoreScope &) = delete;

  private:
    Core *before_;
};

/* A tile of Rows x Cols elements of T, the leading ValidRows x ValidCols of which hold data. */
template <TileType Memory, typename T, uint32_t Rows, uint32_t Cols,
          BLayout Lines = BLayout::RowMajor, int64_t ValidRows = Rows, int64_t ValidCols = Cols,
          SLayout Box = SLayout::NoneBox, uint16_t Fractal = 512, PadValue Pad = PadValue::Null>
class Tile
{
  public:
    using DType = T;
    static constexpr TileType Loc = Memory;
    static constexpr bool isRowMajor = Lines == BLayout::RowMajor;
    static constexpr SLayout SLayoutOf = Box;
    static_assert(Rows > 0 && Cols > 0, "a tile has rows and columns");
    static_assert(ValidRows >= DYNAMIC && ValidRows <= int64_t(Rows) && ValidCols >= DYNAMIC &&
                      ValidCols <= int64_t(Cols),
                  "the valid rectangle lies within the tile");

    Tile()
    {
        static_assert(ValidRows != DYNAMIC && ValidCols != DYNAMIC, "give the valid sizes");
    }
    /* `?` sizes of the type; the others are those of the type and must be given as such. */
    Tile(int64_t rows, int64_t cols)
    {
        const bool fits = rows >= 0 && rows <= int64_t(Rows) && cols >= 0 &&
                          cols <= int64_t(Cols) && (ValidRows == DYNAMIC || rows == ValidRows) &&
                          (ValidCols == DYNAMIC || cols == ValidCols);
        detail::check(fits ? SAM_OK : SAM_ERR_USAGE, "valid sizes that the tile's type excludes");
        tile_.type.valid_rows = rows;
        tile_.type.valid_cols = cols;
    }
    ~Tile()
    {
        sam_tile_release(&tile_);
    }
    Tile(const Tile &) = delete;
    Tile &operator=(const Tile &) = delete;

    int64_t GetValidRow() const
    {
        return tile_.type.valid_rows;
    }
    int64_t GetValidCol() const
    {
        return tile_.type.valid_cols;
    }

    /* The valid rectangle from and to GetValidRow() x GetValidCol() values, row by row; those of 4
     * bits are in pairs, of which each row has a whole number. */
    void fill(const T *values)
    {
        sam_error error;
        detail::check(sam_tile_fill(core(), &tile_, values, &error), error.text);
    }
    void fill(const std::vector<T> &values)
    {
        const bool whole = values.size() == count();
        detail::check(whole ? SAM_OK : SAM_ERR_USAGE, "as many values as the tile has elements");
        fill(values.data());
    }
    void read(T *values) const
    {
        sam_error error;
        detail::check(sam_tile_read(&tile_, values, &error), error.text);
    }
    std::vector<T> read() const
    {
        std::vector<T> values(count());
        if (!values.empty())
            read(values.data());
        return values;
    }

    /* The tile for calls of tile_ops.h: placed, unless it is a window that is yet to be. */
    sam_tile *get()
    {
        return &tile_;
    }
    sam_tile *placed()
    {
        sam_error error;
        if (!tile_.core)
            detail::check(sam_tile_place_on(core(), &tile_, &error), error.text);
        return &tile_;
    }

  private:
    size_t count() const
    {
        return size_t(GetValidRow() *
                      (detail::is_pair<T> ? (GetValidCol() + 1) / 2 : GetValidCol()));
    }
    static sam_tile_core *core()
    {
        return Core::current().get();
    }
    sam_tile tile_ = {{sam_tile_loc(Memory), detail::dtype<T>::value, Rows, Cols, ValidRows,
                       ValidCols, sam_tile_layout(Lines), sam_tile_layout(Box), Fractal,
                       sam_tile_pad(Pad)},
                      nullptr,
                      SAM_TILE_UNPLACED,
                      false,
                      0};
};

namespace detail
{

/* Whether operation O may wait for an event of this type. */
template <Op O, typename E> struct may_wait : std::is_same<E, RecordEvent> {
};
template <Op O, Op From, Op To> struct may_wait<O, Event<From, To>> : std::bool_constant<O == To> {
};

template <Op O, typename... Events> struct waits {
    static_assert((std::is_base_of_v<RecordEvent, Events> && ...),
                  "after the operands come events to wait for");
    static_assert((may_wait<O, std::remove_const_t<Events>>::value && ...),
                  "the event is for another operation to wait for");
    explicit waits(const Events &...events) : list{&events.event..., nullptr}
    {
    }
    std::array<const sam_event *, sizeof...(Events) + 1> list;
};

inline RecordEvent done(Op op, const sam_event &event)
{
    check(event.status, event.text);
    return {event, op};
}

template <Op O, typename... Events>
RecordEvent call(sam_tile *dst, std::initializer_list<sam_tile *> sources, double scalar,
                 unsigned attribute, const Events &...events)
{
    return done(O, sam_tile_call(sam_tile_opcode(O), dst, sources.begin(), scalar, attribute,
                                 waits<O, Events...>(events...).list.data()));
}

template <Op O, typename... Events>
RecordEvent numbers_call(sam_tile *dst, std::initializer_list<sam_tile *> sources,
                         std::initializer_list<double> numbers, unsigned attribute,
                         const Events &...events)
{
    return done(O, sam_tile_call_numbers(sam_tile_opcode(O), dst, sources.begin(), numbers.begin(),
                                         numbers.size(), attribute,
                                         waits<O, Events...>(events...).list.data()));
}

template <Op O, typename... Events>
RecordEvent at(const char *name, sam_tile *dst, sam_tile *src, int64_t row, int64_t col,
               const Events &...events)
{
    return done(
        O, sam_tile_apply_at(name, dst, src, row, col, waits<O, Events...>(events...).list.data()));
}

/* A window, or a whole tensor. */
inline sam_tile_view window_of(const sam_tile_view &window)
{
    return window;
}
template <typename T> auto window_of(const T &tensor) -> decltype(tensor.view())
{
    return tensor.view();
}

/* dst: NULL for operations into a window. */
template <Op O, typename V, typename... Events>
RecordEvent view_call(sam_tile *dst, const V &window, std::initializer_list<sam_tile *> sources,
                      const Events &...events)
{
    const sam_tile_view view = window_of(window);
    return done(O, sam_tile_call_view(sam_tile_opcode(O), dst, sources.begin(), &view,
                                      waits<O, Events...>(events...).list.data()));
}

template <bool Load, typename... Events>
RecordEvent move(sam_tile *tile, const sam_tile_view &window, const Events &...events)
{
    constexpr Op O = Load ? Op::TLOAD : Op::TSTORE;
    return done(
        O, sam_tile_apply_view(Load, tile, &window, waits<O, Events...>(events...).list.data()));
}

/* What the types of the operands must have in common; A, B, C: sources. */
template <typename D, typename... More>
constexpr bool same_dtype = (std::is_same_v<typename D::DType, typename More::DType> && ...);
template <typename... Tiles> constexpr bool in_vec = ((Tiles::Loc == TileType::Vec) && ...);
template <typename... Tiles>
constexpr bool by_rows = ((Tiles::isRowMajor && Tiles::SLayoutOf == SLayout::NoneBox) && ...);

} // namespace detail

} // namespace samite

#include "tile_global.hpp"

namespace samite
{

/* The address of a tile: a multiple of 32. */
template <typename T> void TASSIGN(T &tile, uint64_t address)
{
    detail::check(sam_tassign(tile.get(), address),
                  "TASSIGN: a multiple of 32, before the tile is used");
}

/* Place `window` over the part of `tile` that begins at [row,col]. */
template <typename W, typename T> void TSUBVIEW(W &window, T &tile, uint32_t row, uint32_t col)
{
    sam_error error;
    detail::check(sam_tsubview(window.get(), tile.placed(), row, col, &error), error.text);
}

/* A window of an array, rows x cols elements, `pitch` from row to row; other windows are made by
 * hand (sam_tile_view). */
template <typename T>
sam_tile_view view(T *data, uint64_t count, int64_t rows, int64_t cols, int64_t pitch,
                   int64_t offset = 0)
{
    return {data,         count,     detail::dtype<std::remove_const_t<T>>::value, 2, offset,
            {rows, cols}, {pitch, 1}};
}

template <typename D, typename... Events>
RecordEvent TLOAD(D &dst, const sam_tile_view &window, const Events &...events)
{
    return detail::move<true>(dst.placed(), window, events...);
}
template <typename D, typename T, typename ShapeOf, typename StrideOf, typename... Events>
RecordEvent TLOAD(D &dst, const GlobalTensor<T, ShapeOf, StrideOf> &from, const Events &...events)
{
    static_assert(std::is_same_v<typename D::DType, std::remove_const_t<T>>,
                  "TLOAD: expected a tile and a tensor of one dtype");
    return detail::move<true>(dst.placed(), from.view(), events...);
}

template <typename A, typename... Events>
RecordEvent TSTORE(const sam_tile_view &window, A &src, const Events &...events)
{
    return detail::move<false>(src.placed(), window, events...);
}
template <typename T, typename ShapeOf, typename StrideOf, typename A, typename... Events>
RecordEvent TSTORE(const GlobalTensor<T, ShapeOf, StrideOf> &to, A &src, const Events &...events)
{
    static_assert(std::is_same_v<typename A::DType, T>,
                  "TSTORE: expected a tile and a tensor of one dtype");
    return detail::move<false>(src.placed(), to.view(), events...);
}

/* A hint that a window will be loaded; nothing happens here. */
template <typename T, typename ShapeOf, typename StrideOf, typename... Events>
void TPREFETCH(const GlobalTensor<T, ShapeOf, StrideOf> &, const Events &...events)
{
    static_assert((std::is_base_of_v<RecordEvent, Events> && ...), "TPREFETCH: expected events");
    ((void)events, ...);
}

/* Wait for events; without events, for everything. */
template <typename... Events> RecordEvent TSYNC(const Events &...events)
{
    static_assert((std::is_base_of_v<RecordEvent, Events> && ...), "TSYNC: expected events");
    const sam_event *list[] = {&events.event..., nullptr};
    return detail::done(Op::TSYNC, sam_tile_sync(Core::current().get(), list));
}

/* The operations, by their sources: T tile, S scalar, I index, A attribute. `vec` and `same` are
 * what holds for the operation: its tiles are in Vec, by rows; they have one dtype. Events to wait
 * for are variables, or, in the second form, results of calls. */
/* clang-format off */
#define SAMITE_TILE_CHECK_(name, vec, same, ...) \
    static_assert(!(vec) || detail::in_vec<__VA_ARGS__>, #name ": expected tiles in Vec"); \
    static_assert(!(vec) || detail::by_rows<__VA_ARGS__>, \
                  #name ": expected tiles that are row-major and not boxed"); \
    static_assert(!(same) || detail::same_dtype<__VA_ARGS__>, #name ": expected tiles of one dtype")
#define SAMITE_TILE_BARE_(...) __VA_ARGS__
/* types, parameters, the arguments of detail::call: lists in parentheses */
#define SAMITE_TILE_FUNCTION_(types, name, parameters, checked, run, arguments) \
    template <SAMITE_TILE_BARE_ types, typename... Events> \
    inline RecordEvent name(SAMITE_TILE_BARE_ parameters, Events &...events) \
    { \
        checked; \
        return detail::run<Op::name>(SAMITE_TILE_BARE_ arguments, events...); \
    } \
    template <SAMITE_TILE_BARE_ types, typename E, typename... Events> \
    inline RecordEvent name(SAMITE_TILE_BARE_ parameters, const E &event, const Events &...events) \
    { \
        checked; \
        return detail::run<Op::name>(SAMITE_TILE_BARE_ arguments, event, events...); \
    }
#define SAMITE_TILE_T_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), call, \
                          (dst.placed(), {a.placed(), nullptr}, 0, 0))
#define SAMITE_TILE_TT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A, typename B), name, (D &dst, A &a, B &b), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B), call, \
                          (dst.placed(), {a.placed(), b.placed(), nullptr}, 0, 0))
#define SAMITE_TILE_TTT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A, typename B, typename C), name, (D &dst, A &a, B &b, C &c), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B, C), call, \
                          (dst.placed(), {a.placed(), b.placed(), c.placed(), nullptr}, 0, 0))
#define SAMITE_TILE_TTTT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename T, typename A, typename B, typename C, typename D), name, \
                          (T &dst, A &a, B &b, C &c, D &d), \
                          SAMITE_TILE_CHECK_(name, vec, same, T, A, B, C, D), call, \
                          (dst.placed(), {a.placed(), b.placed(), c.placed(), d.placed(), nullptr}, 0, 0))
#define SAMITE_TILE_TTTTT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename T, typename A, typename B, typename C, typename D, typename G), \
                          name, (T &dst, A &a, B &b, C &c, D &d, G &e), \
                          SAMITE_TILE_CHECK_(name, vec, same, T, A, B, C, D, G), call, \
                          (dst.placed(), {a.placed(), b.placed(), c.placed(), d.placed(), e.placed(), nullptr}, 0, 0))
#define SAMITE_TILE_S_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D), name, (D &dst, double scalar), \
                          SAMITE_TILE_CHECK_(name, vec, same, D), call, \
                          (dst.placed(), {nullptr}, scalar, 0))
#define SAMITE_TILE_TS_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, double scalar), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), call, \
                          (dst.placed(), {a.placed(), nullptr}, scalar, 0))
#define SAMITE_TILE_TTS_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A, typename B), name, (D &dst, A &a, B &b, double scalar), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B), call, \
                          (dst.placed(), {a.placed(), b.placed(), nullptr}, scalar, 0))
#define SAMITE_TILE_TA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), call, \
                          (dst.placed(), {a.placed(), nullptr}, 0, how))
#define SAMITE_TILE_TTA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D, typename A, typename B), name, (D &dst, A &a, B &b, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B), call, \
                          (dst.placed(), {a.placed(), b.placed(), nullptr}, 0, how))
#define SAMITE_TILE_TSA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, double scalar, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), call, \
                          (dst.placed(), {a.placed(), nullptr}, scalar, how))
#define SAMITE_TILE_TSSA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, double first, double second, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), numbers_call, \
                          (dst.placed(), {a.placed(), nullptr}, {first, second}, how))
#define SAMITE_TILE_VT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename V, typename D, typename A), name, (D &dst, const V &window, A &a), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), view_call, (dst.placed(), window, {a.placed(), nullptr}))
#define SAMITE_TILE_VTT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename V, typename D, typename A, typename B), name, (D &dst, const V &window, A &a, B &b), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B), view_call, (dst.placed(), window, {a.placed(), b.placed(), nullptr}))
#define SAMITE_TILE_VTTT_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename V, typename D, typename A, typename B, typename C), name, (D &dst, const V &window, A &a, B &b, C &c), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A, B, C), view_call, (dst.placed(), window, {a.placed(), b.placed(), c.placed(), nullptr}))
#define SAMITE_TILE_TTV_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename V, typename A, typename B), name, (const V &window, A &a, B &b), \
                          SAMITE_TILE_CHECK_(name, vec, same, A, B), view_call, (nullptr, window, {a.placed(), b.placed(), nullptr}))
#define SAMITE_TILE_TTTV_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename V, typename A, typename B, typename C), name, (const V &window, A &a, B &b, C &c), \
                          SAMITE_TILE_CHECK_(name, vec, same, A, B, C), view_call, (nullptr, window, {a.placed(), b.placed(), c.placed(), nullptr}))
#define SAMITE_TILE_TI_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, int64_t index), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), numbers_call, \
                          (dst.placed(), {a.placed(), nullptr}, {double(index)}, 0))
#define SAMITE_TILE_TIA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, int64_t index, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), numbers_call, \
                          (dst.placed(), {a.placed(), nullptr}, {double(index)}, how))
#define SAMITE_TILE_IA_(name, lower, vec, same, attribute) \
    SAMITE_TILE_FUNCTION_((typename D), name, (D &dst, int64_t index, attribute how), \
                          SAMITE_TILE_CHECK_(name, vec, same, D), numbers_call, \
                          (dst.placed(), {nullptr}, {double(index)}, how))
#define SAMITE_TILE_TII_(name, lower, vec, same) \
    SAMITE_TILE_FUNCTION_((typename D, typename A), name, (D &dst, A &a, int64_t row, int64_t col), \
                          SAMITE_TILE_CHECK_(name, vec, same, D, A), at, \
                          (#lower, dst.placed(), a.placed(), row, col))
/* clang-format on */
#include "tile_calls.hpp"
#undef SAMITE_TILE_CHECK_
#undef SAMITE_TILE_BARE_
#undef SAMITE_TILE_FUNCTION_
#undef SAMITE_TILE_T_
#undef SAMITE_TILE_TT_
#undef SAMITE_TILE_TTT_
#undef SAMITE_TILE_TTTT_
#undef SAMITE_TILE_TTTTT_
#undef SAMITE_TILE_S_
#undef SAMITE_TILE_TS_
#undef SAMITE_TILE_TTS_
#undef SAMITE_TILE_TA_
#undef SAMITE_TILE_TTA_
#undef SAMITE_TILE_TSA_
#undef SAMITE_TILE_TII_
#undef SAMITE_TILE_TSSA_
#undef SAMITE_TILE_VT_
#undef SAMITE_TILE_VTT_
#undef SAMITE_TILE_VTTT_
#undef SAMITE_TILE_TTV_
#undef SAMITE_TILE_TTTV_
#undef SAMITE_TILE_TI_
#undef SAMITE_TILE_TIA_
#undef SAMITE_TILE_IA_

/* From [row,col] on of the matrix with what a filter sees of images. */
template <typename D, typename A, typename... Events>
RecordEvent TIMG2COL(D &dst, A &a, uint32_t row, uint32_t col, const sam_tile_image &image,
                     const Events &...events)
{
    static_assert(detail::in_vec<D, A> && detail::by_rows<D, A> && detail::same_dtype<D, A>,
                  "TIMG2COL: expected tiles in Vec, row-major and not boxed, of one dtype");
    return detail::numbers_call<Op::TIMG2COL>(
        dst.placed(), {a.placed(), nullptr},
        {double(row), double(col), double(image.height), double(image.width),
         double(image.filter_height), double(image.filter_width), double(image.stride_height),
         double(image.stride_width), double(image.dilation_height), double(image.dilation_width),
         double(image.pad_top), double(image.pad_bottom), double(image.pad_left),
         double(image.pad_right), double(image.channels)},
        0, events...);
}

/* The sorted elements, and the columns that they came from. */
template <typename D, typename I, typename A, typename... Events>
RecordEvent TSORT(D &dst, I &columns, A &a, int64_t width, sam_tile_order how,
                  const Events &...events)
{
    static_assert(std::is_same_v<typename I::DType, uint32_t>,
                  "TSORT: expected columns of uint32_t");
    TSORT(columns, a, width, how, events...);
    return TSORT(dst, a, width, how, events...);
}

} // namespace samite

#endif
