/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a plan with its figures by step, and a plan as text. */
#ifndef SAM_NETWORK_MEASURE_H
#define SAM_NETWORK_MEASURE_H

#include "network/plan.h"
#include "samite/network.h"

/* Run the plan, and with raw_weights once more. `figures` may be NULL. */
enum sam_status sam_net_measure(struct net_plan *plan,
                                const struct sam_network_run_options *options,
                                const void *const *inputs, void *const *outputs,
                                struct sam_network_figures **figures, struct sam_error *error);

/* emit.c: what sam_network_list and sam_network_emit give. */
enum sam_status sam_net_plan_text(const struct net_plan *plan, char **text,
                                  struct sam_error *error);
enum sam_status sam_net_plan_emit(const struct net_plan *plan, const char *folder,
                                  struct sam_error *error);

#endif
