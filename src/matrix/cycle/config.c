/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters by name, with their ranges, and the constraints between them. */
#include "matrix/cycle/cycle.h"

static const struct sam_key keys[] = {
#define ROW(name, value, low, high, kind, meaning)                                                 \
    SAM_KEY(#name, value, low, high, struct sam_mxu_config, name, 1, SAM_KEY_##kind, meaning)
    ROW(mlen, 512, 128, 512, POWER, "bits of a row of a register: 128, 256, 512"),
    ROW(mpara, 4, 1, 16, POWER, "rows of C per uop, a power of two"),
    ROW(npara, 4, 1, 16, POWER, "columns of C per uop, a power of two"),
    ROW(elewidth, 16, 8, 64, POWER, "bits per mask bit of loads and stores: 8, 16, 32, 64"),
    ROW(rows_m_block, mpara, 1, 16, POWER, "rows of a block of ms1"),
    ROW(rows_n_block, npara, 1, 16, POWER, "rows of a block of ms2"),
    ROW(step_m, mpara, 1, 16, POWER, "rows that the outer counter advances: mpara or 1"),
    ROW(slots, 4, 1, 16, NUMBER, "instruction slots"),
    ROW(tree_stages, 6, 1, 32, NUMBER, "stages of the multiplier tree"),
    ROW(acc_latency, 4, 1, 16, NUMBER, "cycles of the accumulating adder"),
    ROW(wb_bypass, 0, 0, 1, SWITCH, "1: an accumulation may start in the cycle of the write-back"),
    ROW(ld_queue, 8, 1, 32, NUMBER, "outstanding reads"),
    ROW(st_queue, 8, 1, 32, NUMBER, "outstanding writes"),
    ROW(mem_latency, 20, 1, 1000, NUMBER, "cycles from a request to its first beat"),
    ROW(ooo_window, 1, 1, 32, NUMBER, "oldest requests among which the memory may answer any"),
    ROW(beat_cycles, 1, 1, 64, NUMBER, "cycles per beat of 16 bytes"),
    ROW(merge_cycles, 4, 0, 64, NUMBER, "cycles to merge a write of part of a line"),
    ROW(l2_kib, 0, 0, 4096, POWER, "size of the L2, a power of two; 0: every line hits"),
    ROW(miss_latency, 100, 0, 1000, NUMBER, "extra cycles for a line that misses the L2"),
    ROW(ports, 1, 0, 1, SWITCH, "1: a port of a register moves one block per cycle"),
    ROW(stall, 0, 0, 90, NUMBER, "per cent of cycles in which a bus channel is not ready"),
#undef ROW
    {{"load_widen", "none", "none|e4m3|e5m2", 0, 0,
      "loads of 16 bits read elements of this type and widen them to fp16: an extension"},
     offsetof(struct sam_mxu_config, load_widen),
     1,
     SAM_KEY_WORD},
    {{"seed", "1", "64 bits", 0, 0, "for the random choices of ooo_window and stall"},
     offsetof(struct sam_mxu_config, seed),
     1,
     SAM_KEY_WIDE},
};

const struct sam_parameter *sam_mxu_parameter(size_t index)
{
    return index < SAM_COUNT(keys) ? &keys[index].parameter : NULL;
}

struct sam_keys sam_mxu_keys(struct sam_mxu_config *config)
{
    return (struct sam_keys){keys, SAM_COUNT(keys), config};
}

void sam_mxu_config_init(struct sam_mxu_config *config, unsigned mlen)
{
    const struct sam_keys table = sam_mxu_keys(config);
    memset(config, 0, sizeof *config);
    sam_keys_defaults(&table);
    config->mlen = mlen ? mlen : config->mlen;
}

enum sam_status sam_mxu_config_set(struct sam_mxu_config *config, const char *text,
                                   struct sam_error *error)
{
    if (SAM_LACKS(error, config, text))
        return SAM_ERR_USAGE;
    const struct sam_keys table = sam_mxu_keys(config);
    return sam_keys_set(&table, 1, text, error);
}

enum sam_status sam_mxu_config_check(struct sam_mxu_config *c, struct sam_error *error)
{
    if (!c)
        return sam_fail_null(error, "config");
    const unsigned rows = c->mlen / 32;
    c->step_m = c->step_m ? c->step_m : c->mpara;
    c->rows_m_block = c->rows_m_block ? c->rows_m_block : c->mpara;
    c->rows_n_block = c->rows_n_block ? c->rows_n_block : c->npara;
    const struct sam_keys table = sam_mxu_keys(c);
    enum sam_status status = sam_keys_check(&table, error);
    if (status != SAM_OK)
        return status;
    const struct {
        const char *name;
        unsigned value;
    } limited[] = {{"mpara", c->mpara},
                   {"npara", c->npara},
                   {"rows_m_block", c->rows_m_block},
                   {"rows_n_block", c->rows_n_block}};
    for (size_t i = 0; i < SAM_COUNT(limited); i++)
        if (limited[i].value > rows)
            return sam_fail(error, SAM_ERR_USAGE, "%s=%u: a register of MLEN %u has %u rows",
                            limited[i].name, limited[i].value, c->mlen, rows);
    if (c->step_m != 1 && c->step_m != c->mpara)
        return sam_fail(error, SAM_ERR_USAGE, "step_m=%u: expected 1 or mpara (%u)", c->step_m,
                        c->mpara);
    if (c->step_m == c->mpara && c->step_m != 1 &&
        (c->rows_m_block != c->mpara || c->rows_n_block != c->npara))
        return sam_fail(error, SAM_ERR_USAGE,
                        "rows_m_block=%u, rows_n_block=%u: a uop reads one block, "
                        "so they are mpara and npara (%u, %u) unless step_m is 1",
                        c->rows_m_block, c->rows_n_block, c->mpara, c->npara);
    return SAM_OK;
}
