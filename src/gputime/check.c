/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of configurations and launches. */
#include "gputime/gputime.h"

#include <inttypes.h>

/* Reject two values that exclude each other. */
static enum sam_status refuse(struct sam_error *error, const char *name, uint64_t value,
                              const char *other, uint64_t limit, const char *cause)
{
    return sam_fail(error, SAM_ERR_USAGE, "%s=%" PRIu64 ", %s=%" PRIu64 ": %s", name, value, other,
                    limit, cause);
}

enum sam_status sam_gputime_config_check(const struct sam_gputime_config *config,
                                         struct sam_error *error)
{
    if (!config)
        return sam_fail_null(error, "config");
    struct sam_gputime_config copy = *config;
    const struct sam_keys keys = sam_gputime_keys(&copy);
    const enum sam_status status = sam_keys_check(&keys, error);
    if (status != SAM_OK)
        return status;
    const struct sam_gputime_config *c = config;
    const uint32_t icache_line = sam_gputime_icache_line(c), l2_line = sam_gputime_l2_line(c);
    const uint64_t smallest = (uint64_t)c->icache_ways * icache_line;
    if (c->icache_bytes && c->icache_bytes < smallest)
        return refuse(error, "icache_bytes", c->icache_bytes, "icache_ways", c->icache_ways,
                      "smaller than a line per way");
    if (c->icache_bytes && !c->fetch_ports)
        return refuse(error, "fetch_ports", 0, "icache_bytes", c->icache_bytes,
                      "without a port, expected an I-cache that always hits (0)");
    if (c->collectors_warp > c->collectors)
        return refuse(error, "collectors_warp", c->collectors_warp, "collectors", c->collectors,
                      "a warp can hold no more than there are");
    if (c->groups_wait && c->fold_prefix)
        return refuse(error, "groups_wait", 1, "fold_prefix", 1,
                      "a prefix that is folded is of no group");
    if (c->groups_wait && !c->decode_latency)
        return refuse(error, "groups_wait", 1, "decode_latency", 0,
                      "a group is taken up between the I-cache's reply and the issue");
    if (c->bank_echo && c->collect_read < 2)
        return refuse(error, "bank_echo", 1, "collect_read", c->collect_read,
                      "a request stays in its collector for a cycle after its grant");
    if (c->fetch_width > icache_line / 4)
        return refuse(error, "fetch_width", c->fetch_width,
                      c->icache_line_bytes ? "icache_line_bytes" : "line_bytes", icache_line,
                      "a fetch lies within a line");
    if (l2_line < c->line_bytes)
        return refuse(error, "l2_line_bytes", l2_line, "line_bytes", c->line_bytes,
                      "a line of the L1 lies within a line of the L2");
    if (c->icache_bytes && l2_line < icache_line)
        return refuse(error, c->l2_line_bytes ? "l2_line_bytes" : "line_bytes", l2_line,
                      "icache_line_bytes", icache_line,
                      "a line of the I-cache lies within a line of the L2");
    return SAM_OK;
}

enum sam_status sam_gputime_check(const struct sam_gputime_config *config,
                                  const struct sam_gputime_launch *launch, struct sam_error *error)
{
    if (SAM_LACKS(error, config, launch))
        return SAM_ERR_USAGE;
    const enum sam_status status = sam_gputime_config_check(config, error);
    if (status != SAM_OK)
        return status;
    if (launch->workgroups == 0 || launch->warps == 0 || launch->lanes == 0)
        return sam_fail(error, SAM_ERR_USAGE,
                        "%" PRIu32 " workgroups of %" PRIu32 " warps of %" PRIu32
                        " lanes: expected at least one of each",
                        launch->workgroups, launch->warps, launch->lanes);
    const struct {
        const char *needs, *name;
        uint64_t need, have;
        bool unlimited;
    } limits[] = {
        {"a warp of %" PRIu64 " lanes", "threads", launch->lanes,
         config->threads ? config->threads : 32, false},
        {"a workgroup of %" PRIu64 " warps", "warps", launch->warps, config->warps, false},
        {"a workgroup with %" PRIu64 " scalar registers", "sgprs",
         (uint64_t)launch->sgprs * launch->warps, config->sgprs, config->sgprs == 0},
        {"a workgroup with %" PRIu64 " vector registers", "vgprs",
         (uint64_t)launch->vgprs * launch->warps, config->vgprs, config->vgprs == 0},
        {"a workgroup with %" PRIu64 " bytes of local memory", "lds_bytes", launch->lds_bytes,
         config->lds_bytes, false},
    };
    for (size_t i = 0; i < SAM_COUNT(limits); i++)
        if (!limits[i].unlimited && limits[i].need > limits[i].have) {
            char what[96];
            sam_format(what, sizeof what, limits[i].needs, limits[i].need);
            return sam_fail(error, SAM_ERR_USAGE, "%s fits no SM: %s=%" PRIu64, what,
                            limits[i].name, limits[i].have);
        }
    return SAM_OK;
}
