/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of the published pages compile as they are printed:
 *
 *     #include <pto/pto-inst.hpp>
 *     using namespace pto;
 *
 * The namespace is that of samite/tile.hpp. An operation that fails throws pto::Error; when nobody
 * catches it, its message is printed and the program ends with status 1. */
#ifndef PTO_INST_HPP
#define PTO_INST_HPP

#include "common/pto_instr.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace samite
{
namespace detail
{

[[noreturn]] inline void end_with_message();
inline const std::terminate_handler end_before = std::set_terminate(end_with_message);

[[noreturn]] inline void end_with_message()
{
    try {
        if (std::current_exception())
            std::rethrow_exception(std::current_exception());
    } catch (const Error &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", error.what());
        std::_Exit(1);
    } catch (...) {
    }
    if (end_before)
        end_before();
    std::abort();
}

} // namespace detail
} // namespace samite

#endif
