/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAM_NETWORK_PACK_H
#define SAM_NETWORK_PACK_H

#include "network/plan.h"

/* Pack the arrays that have names into plan->packed. `window`: in the layout of windows. */
enum sam_status sam_net_plan_pack(struct net_plan *plan, bool window, struct sam_error *error);

#endif
