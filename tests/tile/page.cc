/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ of the published page: its two examples, whose sources nobody writes, its declaration,
 * and what surrounds them: events, tensors, 16-bit floats. Prints "ok", or what was wrong; with an
 * argument, lets the error of an example end the program. */
#include <pto/pto-inst.hpp>

#include "expect.hpp"

void example_auto();
void example_manual();

/* clang-format off */
namespace samite
{
template <typename TileDataOut, typename TileDataIn, typename... WaitEvents>
PTO_INST RecordEvent TCOLMIN(TileDataOut &dst, TileDataIn &src, WaitEvents &... events);
}
/* clang-format on */

using namespace pto;

/* The examples with values in their sources, and tiles of both kinds one after the other. */
template <typename T> static void minimum(bool manual)
{
    Tile<TileType::Vec, T, 16, 16> src;
    Tile<TileType::Vec, T, 1, 16> dst;
    std::vector<T> values(256);
    for (size_t i = 0; i < 256; i++)
        values[i] = T(int(i * 37 % 101) - 50);
    if (manual) {
        TASSIGN(src, 0x1000);
        TASSIGN(dst, 0x2000);
    }
    src.fill(values);
    const RecordEvent first = TCOLMIN(dst, src);
    RecordEvent second = TCOLMIN(dst, src, first);
    TCOLMIN(dst, src, TCOLMIN(dst, src, second), first, second);
    bool good = dst.GetValidCol() == src.GetValidCol();
    for (size_t j = 0; j < 16; j++) {
        T least = values[j];
        for (size_t i = 1; i < 16; i++)
            least = values[i * 16 + j] < least ? values[i * 16 + j] : least;
        good = good && dst.read()[j] == least;
    }
    expect(good, "the minimum of columns");
}

static void events()
{
    std::vector<half> in(256), out(16);
    for (size_t i = 0; i < 256; i++)
        in[i] = half(i) / 8;
    Tile<TileType::Vec, half, 16, 16> src;
    Tile<TileType::Vec, half, 1, 16> dst;
    TASSIGN(src, 0x1000);
    TASSIGN(dst, 0x2000);
    GlobalTensor<half, Shape<16, 16>> from(in.data());
    GlobalTensor<half, Shape<1, DYNAMIC>, Stride<16, DYNAMIC>> to(out.data(), {16}, {1});
    Event<Op::TLOAD, Op::TCOLMIN> loaded;
    Event<Op::TCOLMIN, Op::TSTORE> least;
    expect(message([&] {
               TLOAD(src, from);
               TCOLMIN(dst, src);
           }).find("without waiting for the tload pipe") != std::string::npos,
           "a missing wait");
    TSYNC();
    loaded = TLOAD(src, from);
    least = TCOLMIN(dst, src, loaded);
    TSTORE(to, dst, least);
    TSYNC();
    expect(out[0] == half(0) && out[9] == half(1.125), "tensors");
    expect(message([&] { loaded = TCOLMIN(dst, src); }).find("Event: ") == 0,
           "an event of another operation");
    expect(message([&] {
               GlobalTensor<half, Shape<DYNAMIC, 16>> t(in.data());
           }).find("as many numbers") == 0,
           "a dynamic size that is not given");
    GlobalTensor<half, Shape<16, 16>> small(in.data(), {}, {}, 255);
    TSYNC();
    expect(message([&] { TLOAD(src, small); }).find("which has 255") != std::string::npos,
           "a tensor that is larger than its array");
    std::vector<half> back(256);
    GlobalTensor<half, Shape<16, 16>, Stride<DYNAMIC, 1>> rows(back.data(), {}, {-16}, 256, 240);
    TSYNC();
    TSTORE(rows, src);
    expect(back[0] == in[240] && back[255] == in[15], "rows from the last to the first");
    expect(message([&] {
               GlobalTensor<half, Shape<16, 16>, Stride<16, DYNAMIC>> t(in.data(), {}, {-1});
           }).find("GlobalTensor: with a negative stride") == 0,
           "a negative stride");
}

/* Every 16-bit value to float and back; floats around the midpoints, against tcvt. */
template <typename T> static void numbers(const char *name)
{
    bool good = true;
    Tile<TileType::Vec, float, 8, 1024> wide;
    Tile<TileType::Vec, T, 8, 1024> narrow;
    for (uint32_t first = 0; first < 0x10000; first += 8192) {
        std::vector<T> values(8192);
        for (uint32_t i = 0; i < 8192; i++)
            values[i] = T::from_bits(uint16_t(first + i));
        narrow.fill(values);
        TCVT(wide, narrow, SAM_TILE_RINT);
        std::vector<float> widened = wide.read();
        for (uint32_t i = 0; i < 8192; i++) {
            const float value = values[i];
            const bool nan = value != value;
            good = good && (nan ? widened[i] != widened[i] : value == widened[i]) &&
                   (nan || T(value).bits == values[i].bits);
            uint32_t bits;
            std::memcpy(&bits, &value, 4);
            bits += (i * 2654435761U >> 30) + (i % 2 ? 0xfff : 0x7fff);
            std::memcpy(&widened[i], &bits, 4);
        }
        wide.fill(widened);
        TCVT(narrow, wide, SAM_TILE_RINT);
        for (uint32_t i = 0; i < 8192; i++)
            good = good && T(widened[i]).bits == narrow.read()[i].bits;
    }
    T sum = 1.5;
    sum += 2;
    sum *= sum;
    sum -= T(0.25F);
    sum /= 2;
    good = good && sum == 6 && T(1) + T(2) == 3.0F && -T(3) < 0 && T(7) > 6.5;
    /* 1 + 2^-k + 2^-40: through float it would be a tie */
    good = good && T(1 + 0x1p-11 + 0x1p-40).bits == T(1 + 0x1p-11F + 0x1p-20F).bits &&
           T(1 + 0x1p-8 + 0x1p-40).bits == T(1 + 0x1p-8F + 0x1p-20F).bits;
    expect(good, name);
}

int main(int argc, char **)
{
    if (argc > 1)
        example_auto();
    const std::string unwritten = "tcolmin reads src[0,0] before it is written";
    expect(message(example_auto) == unwritten && message(example_manual) == unwritten,
           "the examples as printed");
    const std::string failed = message([] {
        for (int i = 0; i < 4; i++) {
            minimum<float>(i % 2);
            minimum<half>(i % 2);
            minimum<bfloat16_t>(i % 2);
            minimum<int16_t>(i % 2);
        }
        events();
        numbers<half>("half");
        numbers<bfloat16_t>("bfloat16_t");
    });
    expect(failed.empty(), failed.c_str());
    if (!wrong)
        std::printf("ok\n");
    return wrong != 0;
}
