/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in global memory, typed, for TLOAD and TSTORE of tile.hpp, which includes this:
 *
 *     GlobalTensor<float, Shape<16, 64>> a(data);
 *     GlobalTensor<float, Shape<DYNAMIC, 64>, Stride<128, 1>> b(data, {rows}); */
#ifndef SAMITE_TILE_GLOBAL_HPP
#define SAMITE_TILE_GLOBAL_HPP

#include <array>
#include <cstddef>
#include <initializer_list>

namespace samite
{

namespace detail
{

/* One to five numbers, those that are DYNAMIC from the constructor, in order. */
template <int64_t... Values> class numbers
{
  public:
    static constexpr size_t rank = sizeof...(Values);
    static constexpr size_t unknown = ((Values == DYNAMIC ? 1 : 0) + ... + 0);
    static_assert(rank >= 1 && rank <= 5, "one to five dimensions");
    numbers(std::initializer_list<int64_t> values = {})
    {
        check(values.size() == unknown ? SAM_OK : SAM_ERR_USAGE,
              "as many numbers as the type has DYNAMIC ones");
        const int64_t *next = values.begin();
        for (int64_t &value : all)
            if (value == DYNAMIC)
                value = *next++;
    }
    int64_t operator[](size_t i) const
    {
        return all[i];
    }

  private:
    std::array<int64_t, rank> all{{Values...}};
};

} // namespace detail

template <int64_t... Sizes> struct Shape : detail::numbers<Sizes...> {
    using detail::numbers<Sizes...>::numbers;
    static_assert(((Sizes >= DYNAMIC) && ...), "sizes are not negative");
};
/* In elements. */
template <int64_t... Steps> struct Stride : detail::numbers<Steps...> {
    using detail::numbers<Steps...>::numbers;
};
/* The rows of a GlobalTensor follow each other without gaps, except those of pairs, which start at
 * bytes. */
struct Dense {
};

template <typename T, typename ShapeOf, typename StrideOf = Dense> class GlobalTensor
{
  public:
    using DType = T;
    static constexpr size_t rank = ShapeOf::rank;

    /* An array as large as shape and strides, which are not negative then, need. */
    explicit GlobalTensor(T *data, const ShapeOf &shape = {}, const StrideOf &stride = {})
        : GlobalTensor(data, shape, stride, 0)
    {
        window_.count = 1;
        for (size_t i = 0; i < rank; i++) {
            detail::check(window_.strides[i] >= 0 ? SAM_OK : SAM_ERR_USAGE,
                          "GlobalTensor: with a negative stride, give the number of elements");
            window_.count += uint64_t(window_.shape[i] ? window_.shape[i] - 1 : 0) *
                             uint64_t(window_.strides[i]);
        }
    }
    /* An array of `count` elements; element [0, 0, ...] is number `offset`. */
    GlobalTensor(T *data, const ShapeOf &shape, const StrideOf &stride, uint64_t count,
                 int64_t offset = 0)
        : data_(data), window_{data,           count,  detail::dtype<std::remove_const_t<T>>::value,
                               rank,           offset, {0, 0, 0, 0, 0},
                               {0, 0, 0, 0, 0}}
    {
        for (size_t i = 0; i < rank; i++)
            window_.shape[i] = shape[i];
        if constexpr (std::is_same_v<StrideOf, Dense>) {
            int64_t step = 1;
            for (size_t i = rank; i-- > 0; step *= window_.shape[i]) {
                step += detail::is_pair<T> && i + 2 == rank ? step % 2 : 0; /* rows of bytes */
                window_.strides[i] = step;
            }
        } else {
            static_assert(StrideOf::rank == rank, "GlobalTensor: a stride for each dimension");
            for (size_t i = 0; i < rank; i++)
                window_.strides[i] = stride[i];
        }
    }
    T *data() const
    {
        return data_;
    }
    int64_t GetShape(size_t i) const
    {
        return window_.shape[i];
    }
    int64_t GetStride(size_t i) const
    {
        return window_.strides[i];
    }
    const sam_tile_view &view() const
    {
        return window_;
    }

  private:
    T *data_;
    sam_tile_view window_;
};

} // namespace samite

#endif
