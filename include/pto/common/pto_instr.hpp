/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on typed tiles of samite/tile.hpp under the name that the published pages use. */
#ifndef PTO_COMMON_PTO_INSTR_HPP
#define PTO_COMMON_PTO_INSTR_HPP

#include <samite/tile.hpp>

/* Before the result of an operation's declaration. */
#define PTO_INST inline

namespace pto = samite;

#endif
