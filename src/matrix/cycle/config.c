/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters by name, with their ranges, and the constraints between them. */
#include <stdio.h>

#include "matrix/cycle/cycle.h"

enum kind { NUMBER, POWER /* of two, or 0 if that is the lowest value */, SWITCH, SEED, REGISTERS };

static const struct key {
    struct sam_mxu_parameter parameter;
    size_t at; /* in struct sam_mxu_config, of a number */
    unsigned low, high;
    enum kind kind;
} keys[] = {
#define KEY(name, value, low, high, kind, meaning)                                                 \
    {                                                                                              \
        {#name, value, #low ".." #high, meaning}, offsetof(struct sam_mxu_config, name), low,      \
            high, kind                                                                             \
    }
    KEY(mlen, "512", 128, 512, POWER, "bits of a row of a register: 128, 256, 512"),
    KEY(mpara, "4", 1, 16, POWER, "rows of C per uop, a power of two"),
    KEY(npara, "4", 1, 16, POWER, "columns of C per uop, a power of two"),
    KEY(elewidth, "16", 8, 64, POWER, "bits per mask bit of loads and stores: 8, 16, 32, 64"),
    KEY(rows_m_block, "mpara", 1, 16, POWER, "rows of a block of ms1"),
    KEY(rows_n_block, "npara", 1, 16, POWER, "rows of a block of ms2"),
    KEY(step_m, "mpara", 1, 16, POWER, "rows that the outer counter advances: mpara or 1"),
    KEY(slots, "4", 1, 16, NUMBER, "instruction slots"),
    KEY(tree_stages, "6", 1, 32, NUMBER, "stages of the multiplier tree"),
    KEY(acc_latency, "4", 1, 16, NUMBER, "cycles of the accumulating adder"),
    KEY(wb_bypass, "0", 0, 1, SWITCH,
        "1: an accumulation may start in the cycle of the write-back"),
    KEY(ld_queue, "8", 1, 32, NUMBER, "outstanding reads"),
    KEY(st_queue, "8", 1, 32, NUMBER, "outstanding writes"),
    KEY(mem_latency, "20", 1, 1000, NUMBER, "cycles from a request to its first beat"),
    KEY(ooo_window, "1", 1, 32, NUMBER, "oldest requests among which the memory may answer any"),
    KEY(beat_cycles, "1", 1, 64, NUMBER, "cycles per beat of 16 bytes"),
    KEY(merge_cycles, "4", 0, 64, NUMBER, "cycles to merge a write of part of a line"),
    KEY(l2_kib, "0", 0, 4096, POWER, "size of the L2, a power of two; 0: every line hits"),
    KEY(miss_latency, "100", 0, 1000, NUMBER, "extra cycles for a line that misses the L2"),
    KEY(ports, "1", 0, 1, SWITCH, "1: a port of a register moves one block per cycle"),
    KEY(stall, "0", 0, 90, NUMBER, "per cent of cycles in which a bus channel is not ready"),
    {{"seed", "1", "64 bits", "for the random choices of ooo_window and stall"}, 0, 0, 0, SEED},
    {{"acc_regs", "all", "0:4, ...",
      "registers that may be md of a multiplication but not its sources"},
     0,
     0,
     0,
     REGISTERS},
#undef KEY
};

const struct sam_mxu_parameter *sam_mxu_parameter(size_t index)
{
    return index < SAM_COUNT(keys) ? &keys[index].parameter : NULL;
}

void sam_mxu_config_init(struct sam_mxu_config *config, unsigned mlen)
{
    *config = (struct sam_mxu_config){
        .mlen = mlen ? mlen : 512,
        .mpara = 4,
        .npara = 4,
        .elewidth = 16,
        .slots = 4,
        .tree_stages = 6,
        .acc_latency = 4,
        .ld_queue = 8,
        .st_queue = 8,
        .mem_latency = 20,
        .ooo_window = 1,
        .beat_cycles = 1,
        .merge_cycles = 4,
        .miss_latency = 100,
        .ports = true,
        .seed = 1,
        .acc_regs = 0xff,
    };
}

static const struct key *find_key(const char *name, size_t size)
{
    for (size_t i = 0; i < SAM_COUNT(keys); i++)
        if (strlen(keys[i].parameter.name) == size &&
            memcmp(keys[i].parameter.name, name, size) == 0)
            return &keys[i];
    return NULL;
}

static enum sam_status unknown_key(const char *name, size_t size, struct sam_error *error)
{
    char known[256];
    size_t used = 0;
    for (size_t i = 0; i < SAM_COUNT(keys) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", keys[i].parameter.name);
    return sam_fail(error, SAM_ERR_USAGE, "unknown key '%.*s' (known:%s)", (int)size, name, known);
}

static bool is_legal(const struct key *key, uint64_t value)
{
    return value >= key->low && value <= key->high &&
           !(key->kind == POWER && (value & (value - 1)));
}

static enum sam_status bad_value(const struct key *key, const char *value, struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_USAGE, "%s=%s: expected %s%u to %u", key->parameter.name, value,
                    key->kind == POWER ? "a power of two from " : "", key->low, key->high);
}

/* "0:4" */
static bool read_registers(const char *text, uint32_t *set)
{
    *set = 0;
    for (;; text++) {
        if (*text < '0' || *text > '7')
            return false;
        *set |= 1u << (*text++ - '0');
        if (*text != ':')
            return *text == '\0';
    }
}

static enum sam_status set_one(struct sam_mxu_config *config, const char *name, size_t size,
                               const char *value, struct sam_error *error)
{
    const struct key *key = find_key(name, size);
    uint64_t number = 0;
    bool is_number = sam_parse_u64(value, &number);
    if (!key)
        return unknown_key(name, size, error);
    switch (key->kind) {
    case NUMBER:
    case POWER:
        if (!is_number || !is_legal(key, number))
            return bad_value(key, value, error);
        *(unsigned *)(void *)((char *)config + key->at) = (unsigned)number;
        break;
    case SWITCH:
        if (!is_number || number > 1)
            return sam_fail(error, SAM_ERR_USAGE, "%s=%s: expected 0 or 1", key->parameter.name,
                            value);
        *(bool *)(void *)((char *)config + key->at) = number != 0;
        break;
    case SEED:
        if (!is_number)
            return sam_fail(error, SAM_ERR_USAGE, "seed=%s: expected a number of 64 bits", value);
        config->seed = number;
        break;
    case REGISTERS:
        if (!read_registers(value, &config->acc_regs))
            return sam_fail(error, SAM_ERR_USAGE,
                            "acc_regs=%s: expected registers 0 to 7, such as 0:4", value);
        break;
    }
    return SAM_OK;
}

enum sam_status sam_mxu_config_set(struct sam_mxu_config *config, const char *text,
                                   struct sam_error *error)
{
    while (*text) {
        char word[64];
        size_t size = strcspn(text, ",");
        const char *equals = memchr(text, '=', size);
        if (!equals || size >= sizeof word)
            return sam_fail(error, SAM_ERR_USAGE, "'%.*s': expected KEY=VALUE", (int)size, text);
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        size_t name = (size_t)(equals - text);
        enum sam_status status = set_one(config, word, name, word + name + 1, error);
        if (status != SAM_OK)
            return status;
        text += size + (text[size] == ',');
    }
    return SAM_OK;
}

enum sam_status sam_mxu_config_check(struct sam_mxu_config *c, struct sam_error *error)
{
    const unsigned rows = c->mlen / 32;
    c->step_m = c->step_m ? c->step_m : c->mpara;
    c->rows_m_block = c->rows_m_block ? c->rows_m_block : c->mpara;
    c->rows_n_block = c->rows_n_block ? c->rows_n_block : c->npara;
    for (size_t i = 0; i < SAM_COUNT(keys); i++) {
        if (keys[i].kind != NUMBER && keys[i].kind != POWER)
            continue;
        const unsigned value = *(const unsigned *)(const void *)((const char *)c + keys[i].at);
        char text[16];
        snprintf(text, sizeof text, "%u", value);
        if (!is_legal(&keys[i], value))
            return bad_value(&keys[i], text, error);
    }
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
