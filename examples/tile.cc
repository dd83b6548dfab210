/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum of a 16x16 tile on typed tiles: once placed by the core, once at addresses.
 * c++ -std=c++17 tile.cc $(pkg-config --cflags --libs samite) */
#include <cstdio>
#include <samite/tile.hpp>

using namespace samite;
using SrcT = Tile<TileType::Vec, float, 16, 16>;
using DstT = Tile<TileType::Vec, float, 1, 16>;

static std::vector<float> example_auto(const std::vector<float> &values)
{
    SrcT src;
    DstT dst;
    src.fill(values);
    TCOLMIN(dst, src);
    return dst.read();
}

static std::vector<float> example_manual(const std::vector<float> &values)
{
    SrcT src;
    DstT dst;
    TASSIGN(src, 0x1000);
    TASSIGN(dst, 0x2000);
    src.fill(values);
    RecordEvent least = TCOLMIN(dst, src);
    TADDS(dst, dst, 1, least);
    return dst.read();
}

static void print(const char *name, const std::vector<float> &values)
{
    std::printf("%s:", name);
    for (float value : values)
        std::printf(" %g", double(value));
    std::printf("\n");
}

int main()
{
    std::vector<float> values(256);
    for (int i = 0; i < 256; i++)
        values[size_t(i)] = float((i / 16 - i % 16) * (i / 16 - i % 16) - i % 16);
    try {
        print("auto", example_auto(values));
        print("manual", example_manual(values));
        SrcT src;
        DstT dst;
        TCOLMIN(dst, src); /* nobody has written src */
    } catch (const Error &error) {
        std::printf("%s\n", error.what());
        if (std::fflush(stdout) != 0)
            return std::perror("standard output"), 2;
        return error.status == SAM_ERR_TRAP ? 0 : 1;
    }
    return 1;
}
