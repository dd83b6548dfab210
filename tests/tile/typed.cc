/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation on typed tiles compiles; the macros of tile_ops.h compile as C++; and both give
 * what plain loops do. Prints "ok", or what was wrong. */
#include <cmath>

#include "expect.hpp"

namespace samite
{
/* One instance of each. */
using F = Tile<TileType::Vec, float, 16, 16>;
#define SAMITE_TILE_T_(name, lower, vec, same)        template RecordEvent name(F &, F &);
#define SAMITE_TILE_TT_(name, lower, vec, same)       template RecordEvent name(F &, F &, F &);
#define SAMITE_TILE_TTT_(name, lower, vec, same)      template RecordEvent name(F &, F &, F &, F &);
#define SAMITE_TILE_S_(name, lower, vec, same)        template RecordEvent name(F &, double);
#define SAMITE_TILE_TS_(name, lower, vec, same)       template RecordEvent name(F &, F &, double);
#define SAMITE_TILE_TTS_(name, lower, vec, same)      template RecordEvent name(F &, F &, F &, double);
#define SAMITE_TILE_TA_(name, lower, vec, same, how)  template RecordEvent name(F &, F &, how);
#define SAMITE_TILE_TTA_(name, lower, vec, same, how) template RecordEvent name(F &, F &, F &, how);
#define SAMITE_TILE_TSA_(name, lower, vec, same, how)                                              \
    template RecordEvent name(F &, F &, double, how);
#define SAMITE_TILE_TSSA_(name, lower, vec, same, how)                                             \
    template RecordEvent name(F &, F &, double, double, how);
#define SAMITE_TILE_TI_(name, lower, vec, same)      template RecordEvent name(F &, F &, int64_t);
#define SAMITE_TILE_IA_(name, lower, vec, same, how) template RecordEvent name(F &, int64_t, how);
#define SAMITE_TILE_TII_(name, lower, vec, same)                                                   \
    template RecordEvent name(F &, F &, int64_t, int64_t);
#define SAMITE_TILE_TTTT_(name, lower, vec, same)                                                  \
    template RecordEvent name(F &, F &, F &, F &, F &);
#define SAMITE_TILE_TTTTT_(name, lower, vec, same)                                                 \
    template RecordEvent name(F &, F &, F &, F &, F &, F &);
#define SAMITE_TILE_TIA_(name, lower, vec, same, how)                                              \
    template RecordEvent name(F &, F &, int64_t, how);
#define SAMITE_TILE_VT_(name, lower, vec, same)                                                    \
    template RecordEvent name(F &, const sam_tile_view &, F &);
#define SAMITE_TILE_VTT_(name, lower, vec, same)                                                   \
    template RecordEvent name(F &, const sam_tile_view &, F &, F &);
#define SAMITE_TILE_VTTT_(name, lower, vec, same)                                                  \
    template RecordEvent name(F &, const sam_tile_view &, F &, F &, F &);
#define SAMITE_TILE_TTV_(name, lower, vec, same)                                                   \
    template RecordEvent name(const sam_tile_view &, F &, F &);
#define SAMITE_TILE_TTTV_(name, lower, vec, same)                                                  \
    template RecordEvent name(const sam_tile_view &, F &, F &, F &);
#include <samite/tile_calls.hpp>
} // namespace samite

using namespace samite;

static std::vector<float> ramp(size_t count)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = float(i * 37 % 101) - 50;
    return values;
}

static void typed()
{
    const std::vector<float> a = ramp(256);
    F x, y, z;
    Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 1> sums;
    Tile<TileType::Vec, int32_t, 1, 16> where;
    Tile<TileType::Vec, uint8_t, 16, 32, BLayout::RowMajor, 16, 16> mask;
    x.fill(a);
    TROWSUM(sums, x);
    TCOLARGMIN(where, x);
    TEXPANDS(y, 2);
    TMUL(y, x, y);
    TCMP(mask, x, y, SAM_TILE_LT);
    TSEL(z, mask, x, y);
    bool good = true;
    for (size_t i = 0; i < 16; i++) {
        float sum = a[i * 16];
        size_t least = 0;
        for (size_t j = 1; j < 16; j++) {
            sum += a[i * 16 + j];
            least = a[j * 16 + i] < a[least * 16 + i] ? j : least;
        }
        good = good && sums.read()[i] == sum && where.read()[i] == int32_t(least);
    }
    for (size_t i = 0; i < 256; i++)
        good = good && z.read()[i] == std::fmin(a[i], 2 * a[i]);
    expect(good, "typed tiles differ from loops");
    Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, DYNAMIC, 16> some(3, 16), more(0, 16);
    some.fill(ramp(48));
    expect(some.GetValidRow() == 3 && some.read() == ramp(48) && more.read().empty(),
           "valid sizes at run time");
    expect(message([] {
               Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, DYNAMIC, 8> t(9, 8);
           }) == "valid sizes that the tile's type excludes",
           "too many valid rows");
}

/* Tiles that the core places, and tiles at addresses, on the core of the thread. */
static void modes()
{
    const std::vector<float> values = ramp(256);
    std::vector<float> least[2];
    for (int i = 0; i < 4; i++) {
        F src;
        Tile<TileType::Vec, float, 1, 16> dst;
        if (i % 2) {
            TASSIGN(src, 0x1000);
            TASSIGN(dst, 0x2000);
        }
        src.fill(values);
        TCOLMIN(dst, src);
        least[i % 2] = dst.read();
        F other;
        if (i % 2 == 0)
            TASSIGN(other, 0x4000);
        expect(message([&] { other.fill(values); }).find("either all tiles") == 0,
               "tiles of both kinds at once");
    }
    expect(!least[0].empty() && least[0] == least[1], "placed tiles and tiles at addresses");
}

static void products()
{
    Core core;
    CoreScope here(core);
    std::vector<float> a = ramp(256), c(256), sum(256);
    Tile<TileType::Mat, float, 16, 16> mat;
    Tile<TileType::Left, float, 16, 16> left;
    Tile<TileType::Right, float, 16, 16> right;
    Tile<TileType::Acc, float, 16, 16> acc;
    F out;
    RecordEvent loaded = TLOAD(mat, view(a.data(), a.size(), 16, 16, 16));
    TMOV(left, mat, loaded);
    TMOV(right, mat);
    TMATMUL(acc, left, right);
    TMOV(out, acc);
    TSTORE(view(c.data(), c.size(), 16, 16, 16), out);
    TSYNC();
    for (size_t i = 0; i < 256; i++)
        for (size_t k = 0; k < 16; k++)
            sum[i] += a[i / 16 * 16 + k] * a[k * 16 + i % 16];
    expect(c == sum, "a product differs from loops");
    expect(core.stats().tile_ops == 6 && Core::current().get() == core.get(), "counts of a core");
}

static void windows()
{
    F tile;
    Tile<TileType::Vec, float, 4, 8> window, copy;
    tile.fill(ramp(256));
    TSUBVIEW(window, tile, 2, 8);
    TEXTRACT(copy, tile, 2, 8);
    expect(window.read() == copy.read() && copy.read()[0] == ramp(256)[2 * 16 + 8], "a window");
    expect(message([&] { TSUBVIEW(window, tile, 14, 0); }) != "", "a window outside");
    F src, dst;
    TASSIGN(src, 0x1000);
    expect(message([&] { TASSIGN(dst, 7); }) ==
               "TASSIGN: a multiple of 32, before the tile is used",
           "an address that is not aligned");
}

/* Elements of arrays by byte, sorted rows, images, factors with scales. */
static void irregular()
{
    std::vector<float> array = ramp(64);
    const std::vector<float> before = array;
    const sam_tile_view all{array.data(), array.size(), SAM_TILE_f32, 1, 0, {64}, {1}};
    Tile<TileType::Vec, float, 1, 8> x, y, z;
    Tile<TileType::Vec, uint32_t, 1, 8> at;
    at.fill(std::vector<uint32_t>{0, 8, 4, 252, 16, 12, 40, 20});
    RecordEvent got = MGATHER(x, all, at);
    expect(x.read()[3] == before[63], "MGATHER");
    TADDS(y, x, 1, got);
    MGATHER_CAS(z, all, at, x, y);
    expect(z.read() == x.read() && array[2] == before[2] + 1, "MGATHER_CAS");
    MSCATTER(all, x, at);
    expect(array == before, "MSCATTER");
    TSORT(z, at, x, 4, SAM_TILE_DESCENDING);
    expect(z.read()[0] >= z.read()[1] && x.read()[at.read()[0]] == z.read()[0], "TSORT");

    Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 9, 1> pixels;
    Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 4, 4> places;
    pixels.fill(ramp(9));
    TIMG2COL(places, pixels, 0, 0, sam_tile_image{3, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1});
    expect(places.read()[6] == ramp(9)[4], "TIMG2COL");

    Tile<TileType::Mat, float8_e4m3_t, 16, 32> factor;
    Tile<TileType::Left, float8_e4m3_t, 16, 32> left;
    Tile<TileType::Right, float8_e4m3_t, 32, 32, BLayout::RowMajor, 32, 16> right;
    Tile<TileType::Mat, float8_e4m3_t, 32, 32, BLayout::RowMajor, 32, 16> other;
    Tile<TileType::Mat, float8_e8m0_t, 16, 32, BLayout::RowMajor, 16, 1> down;
    Tile<TileType::Mat, float8_e8m0_t, 1, 32, BLayout::RowMajor, 1, 16> across;
    Tile<TileType::Acc, float, 16, 16> sum;
    F out;
    factor.fill(std::vector<float8_e4m3_t>(512, {0x38})); /* 1 */
    other.fill(std::vector<float8_e4m3_t>(512, {0x40}));  /* 2 */
    down.fill(std::vector<float8_e8m0_t>(16, {126}));     /* 1/2 */
    across.fill(std::vector<float8_e8m0_t>(16, {128}));   /* 2 */
    TMOV(left, factor);
    TMOV(right, other);
    TMATMUL_MX(sum, left, down, right, across);
    TMOV(out, sum);
    expect(out.read() == std::vector<float>(256, 64), "TMATMUL_MX");
}

/* Elements of 4 bits, of which a value of the type has two. */
static void halves()
{
    using Pair = float4_e2m1x2_t;
    Tile<TileType::Vec, Pair, 2, 64, BLayout::RowMajor, 2, 3> x, y;
    Tile<TileType::Vec, float, 2, 8, BLayout::RowMajor, 2, 3> wide;
    Pair from[4] = {{0x21}, {0xf3}, {0x54}, {0x06}}; /* 0.5 1 1.5, 2 3 4 */
    Pair to[4] = {};
    TLOAD(x, GlobalTensor<Pair, Shape<2, 3>>(from));
    TCVT(wide, x, SAM_TILE_RINT);
    expect(wide.read() == std::vector<float>{0.5F, 1, 1.5F, 2, 3, 4}, "TCVT from pairs");
    TCVT(y, wide, SAM_TILE_RINT);
    TSTORE(GlobalTensor<Pair, Shape<2, 3>>(to), y);
    expect(to[0].bits == 0x21 && to[1].bits == 3 && to[2].bits == 0x54 && to[3].bits == 6,
           "TSTORE of pairs");
    y.fill({{0x10}, {0x02}, {0x43}, {0x05}});
    TMOV(x, y);
    expect(x.read()[2].bits == 0x43 && x.read().size() == 4, "TMOV of pairs");
}

/* Forms of the specification: f64, 64-bit integers, f32 results of f16, columns without padding,
 * indices of uint32_t. */
static void wide()
{
    Tile<TileType::Vec, double, 4, 8> x, y;
    Tile<TileType::Vec, double, 1, 8> row;
    x.fill(std::vector<double>(32, 0.1));
    row.fill(std::vector<double>(8, 0.2));
    TCOLEXPANDADD(y, x, row);
    expect(y.read() == std::vector<double>(32, 0.1 + 0.2), "TCOLEXPANDADD of double");
    Tile<TileType::Vec, int64_t, 4, 8> bits, more;
    TEXPANDS(bits, 3);
    TSHLS(more, bits, 40);
    expect(more.read() == std::vector<int64_t>(32, int64_t(3) << 40), "TSHLS of int64_t");
    Tile<TileType::Vec, half, 4, 16> h;
    Tile<TileType::Vec, half, 4, 1> column;
    Tile<TileType::Vec, float, 4, 16> e;
    h.fill(std::vector<half>(64, half(1)));
    column.fill(std::vector<half>(4, half(1)));
    TROWEXPANDEXPDIF(e, h, column);
    expect(e.read() == std::vector<float>(64, 1), "TROWEXPANDEXPDIF of half to float");
    Tile<TileType::Vec, uint32_t, 4, 1> at;
    TROWARGMAX(at, h);
    expect(at.read() == std::vector<uint32_t>(4, 0), "TROWARGMAX to uint32_t");
}

/* The calls of C. */
static void calls()
{
    sam_tile_core *core;
    sam_error error;
    expect(sam_tile_core_new(nullptr, &core, &error) == SAM_OK, "a core");
    struct sam_tile a = SAM_TILE(vec, f32, 16, 16), b = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile c = SAM_TILE(vec, i32, 16, 16), part = SAM_TILE(vec, f32, 4, 8);
    const std::vector<float> values = ramp(256);
    std::vector<int32_t> whole(256);
    sam_tile_fill(core, &a, values.data(), &error);
    sam_tile_place_on(core, &b, &error);
    sam_event done = sam_texpands(&b, 0.5);
    done = sam_tadd(&b, &a, &b, &done);
    done = sam_tadds(&b, &b, 0.25);
    done = sam_tcvt(&c, &b, SAM_TILE_FLOOR, &done);
    done = sam_textract(&part, &a, 0, 8, &done);
    done = sam_tsync(core, &done);
    expect(done.status == SAM_OK && sam_tile_read(&c, whole.data(), &error) == SAM_OK, done.text);
    bool good = true;
    for (size_t i = 0; i < 256; i++)
        good = good && whole[i] == int32_t(values[i]);
    expect(good, "calls differ from loops");
    sam_tile_core_free(core);
}

int main()
{
    const std::string failed = message([] {
        typed();
        modes();
        products();
        windows();
        irregular();
        wide();
        halves();
        calls();
    });
    expect(failed.empty(), failed.c_str());
    if (!wrong)
        std::printf("ok\n");
    return wrong != 0;
}
