/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/threads.h"

#define XLEN 64
#define X(n) c->x64[n]
#define FAST sam_fast64
#define FILL sam_fill_scalar64
typedef uint64_t ux_t;
typedef int64_t sx_t;
#include "machine/scalar_tmpl.h"
