/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/threads.h"

#define XLEN 32
#define X(n) c->x32[n]
#define FAST sam_fast32
#define FILL sam_fill_scalar32
typedef uint32_t ux_t;
typedef int32_t sx_t;
#include "machine/scalar_tmpl.h"
