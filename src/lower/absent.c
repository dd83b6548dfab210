/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that nothing lowers yet. */
#include "lower/lower.h"

void lower_fold(struct lower *l, struct lower_kernel *kernel)
{
    const struct sam_tile_op *op = &l->p->ops[kernel->ops[0]];
    lower_refuse(l, op, "%s cannot be lowered yet", sam_tile_code_name(op->code));
}
