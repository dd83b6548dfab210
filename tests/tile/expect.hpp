/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of the test programs in C++: each prints what was wrong and counts it. */
#ifndef TILE_EXPECT_HPP
#define TILE_EXPECT_HPP

#include <cstdio>
#include <string>

#include <samite/tile.hpp>

static int wrong;

static void expect(bool good, const char *what)
{
    if (!good)
        wrong++, std::printf("%s\n", what);
}

template <typename Call> static std::string message(Call call)
{
    try {
        call();
    } catch (const samite::Error &error) {
        return error.what();
    }
    return "";
}

#endif
