/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a system in time. */
#ifndef SAM_SYSTEM_CONFIG_H
#define SAM_SYSTEM_CONFIG_H

#include "gputime/gputime.h"
#include "memtime/memtime.h"
#include "samite/device/layout.h"
#include "samite/engines.h"
#include "samite/mxu.h"
#include "samite/system_time.h"
#include "system/weight_time.h"

struct sam_system_config {
    struct sam_engines_config tl;
    struct sam_mxu_config mx; /* mlen 0: that of the hart */
    struct sam_gputime_config gpu;
    struct system_weight_config wu;
    struct sam_memtime_levels_config mem;
    struct sam_energy_config energy;
    uint64_t own[SAM_SYSTEM_QUEUES][8]; /* structs of parameters that only their unit knows */
    uint32_t launch_cycles;             /* from the end of the last launch to the first warp */
    uint32_t queue;                     /* records that wait in each queue */
};

void sam_system_config_defaults(struct sam_system_config *config);
/* SAM_ERR_USAGE: values that exclude each other. Values that depend on others are filled in; `mlen`
 * is that of the hart's matrix unit. */
enum sam_status sam_system_config_check(struct sam_system_config *config, unsigned mlen,
                                        struct sam_error *error);

#endif
