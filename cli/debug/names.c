/* SPDX-License-Identifier: Apache-2.0 */
/* The values of names in the launch: reads and writes. */
#include <search.h>
#include <stdlib.h>

#include "debugger.h"

enum { TL_BYTES = 1024, M_FIRST = 32 };

const char *debug_abi_name(unsigned number)
{
    static const char *const names[] = {
        "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    };
    return number < sizeof names / sizeof names[0] ? names[number] : "";
}

enum sam_status debug_warp(struct debug *d, struct sam_session_warp *warp, struct sam_error *error)
{
    const enum sam_status status =
        sam_session_warp(d->session, d->focus.workgroup, d->focus.warp, warp, error);
    if (status != SAM_OK)
        warp->state = SAM_WARP_ENDED;
    return status;
}

struct sam_session_warp debug_warp_now(struct debug *d)
{
    struct sam_session_warp warp;
    debug_warp(d, &warp, NULL);
    return warp;
}

uint64_t debug_pc(struct debug *d)
{
    return debug_warp_now(d).pc;
}

uint64_t debug_address(const struct debug *d, uint64_t address)
{
    return d->shape.isa.xlen == 32 ? address & UINT32_MAX : address;
}

uint32_t debug_all_lanes(const struct debug *d)
{
    return (uint32_t)(UINT64_MAX >> (64 - d->shape.lanes));
}

/* The number after a letter: "x31". False: another kind of name. */
static bool numbered(const char *name, const char *letters, unsigned *number)
{
    const size_t size = strlen(letters);
    uint64_t value;
    if (strncmp(name, letters, size) != 0 || name[size] < '0' || name[size] > '9' ||
        (name[size] == '0' && name[size + 1]) || strlen(name) > size + 3 ||
        !sam_parse_u64(name + size, &value))
        return false;
    *number = (unsigned)value;
    return true;
}

static enum sam_dtype word_type(const struct debug *d)
{
    return d->shape.isa.xlen == 32 ? SAM_I32 : SAM_I64;
}

static enum sam_status scalar(struct debug *d, unsigned number, struct value *value,
                              struct sam_error *error)
{
    uint64_t bits = 0;
    const enum sam_status status =
        sam_session_x(d->session, d->focus.workgroup, d->focus.warp, number, &bits, error);
    *value = value_integer(word_type(d), bits);
    value->place = (struct place){.kind = PLACE_X, .number = number};
    return status;
}

static enum sam_status vector(struct debug *d, unsigned number, struct value *value,
                              struct sam_error *error)
{
    uint32_t lanes[SAM_MAX_LANES] = {0};
    struct sam_session_warp warp;
    enum sam_status status =
        debug_warp(d, &warp, error)
            ?: sam_session_v(d->session, d->focus.workgroup, d->focus.warp, number, lanes, error);
    *value = value_integer(SAM_I32, 0);
    value->is_vector = true;
    value->count = d->shape.lanes;
    value->active = warp.mask;
    value->place = (struct place){.kind = PLACE_V, .number = number};
    for (unsigned i = 0; i < value->count; i++)
        value->bits[i] = lanes[i];
    return status;
}

/* tl3, m2: to be indexed. */
static bool unit_register(struct debug *d, const char *name, struct value *value)
{
    unsigned number;
    const struct sam_hart *hart = d->run->hart;
    const bool tl = numbered(name, "tl", &number);
    if (!hart || (!tl && !numbered(name, "m", &number)) || number > (tl ? 31 : 7) ||
        (tl ? !sam_hart_tl(hart, number) : !sam_hart_m_size(hart)))
        return false;
    *value = value_integer(SAM_U8, 0);
    value->place = (struct place){.kind = PLACE_BYTES, .number = tl ? number : M_FIRST + number};
    return true;
}

static enum sam_status byte_of(void *context, const struct place *place, struct value *value,
                               struct sam_error *error)
{
    struct debug *d = context;
    const bool tl = place->number < M_FIRST;
    const unsigned size = tl ? TL_BYTES : sam_hart_m_size(d->run->hart);
    if (place->index >= size)
        return cli_refuse(error, "byte %u: the register has %u", place->index, size);
    const uint8_t *bytes = tl ? sam_hart_tl(d->run->hart, place->number)
                              : sam_hart_m(d->run->hart, place->number - M_FIRST);
    *value = value_integer(SAM_U8, bytes[place->index]);
    value->place = *place;
    value->place.kind = PLACE_BYTE;
    return SAM_OK;
}

/* Registers: x5, a0, v3, tl1, pc, mask. */
static bool a_register(struct debug *d, const char *name, struct value *value,
                       enum sam_status *status, struct sam_error *error)
{
    unsigned number;
    const int abi = sam_hart_register(name);
    struct sam_session_warp warp;
    *status = SAM_OK;
    if (numbered(name, "x", &number) && number < d->shape.x_count)
        *status = scalar(d, number, value, error);
    else if (abi >= 0)
        *status = scalar(d, (unsigned)abi, value, error);
    else if (numbered(name, "v", &number) && number < d->shape.v_count)
        *status = vector(d, number, value, error);
    else if (unit_register(d, name, value))
        return true;
    else if (strcmp(name, "pc") == 0) {
        *status = debug_warp(d, &warp, error);
        *value = value_address(d->shape.isa.xlen, warp.pc);
        value->place.kind = PLACE_PC;
    } else if (strcmp(name, "mask") == 0 && d->shape.v_count) {
        *status = debug_warp(d, &warp, error);
        *value = value_integer(SAM_U32, warp.mask);
        value->place.kind = PLACE_MASK;
    } else
        return false;
    return true;
}

static bool csr(struct debug *d, const char *name, struct value *value, enum sam_status *status,
                struct sam_error *error)
{
    struct sam_csr_entry entry;
    uint64_t bits = 0;
    if (!sam_csr_entry_find(&d->shape.isa, name, &entry))
        return false;
    *status =
        sam_session_csr(d->session, d->focus.workgroup, d->focus.warp, entry.address, &bits, error);
    *value = value_integer(d->shape.isa.xlen == 32 ? SAM_U32 : SAM_U64, bits);
    value->place = (struct place){.kind = PLACE_CSR, .number = entry.address};
    return true;
}

/* Compares names, or user values, whose first member is the name. */
static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* $lane, $_, $3, $, $name */
static bool dollar_name(struct debug *d, const char *name, struct value *value,
                        enum sam_status *status, struct sam_error *error)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"lane", d->focus.lane},
        {"warp", d->focus.warp},
        {"workgroup", d->focus.workgroup},
        {"time", sam_session_time(d->session)},
    };
    uint64_t number = d->last_value;
    *status = SAM_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *value = value_integer(SAM_I64, numbers[i].value);
            return true;
        }
    if (strcmp(name, "_") == 0) {
        *value = value_address(d->shape.isa.xlen, d->examine_at);
        return true;
    }
    if (!*name || sam_parse_u64(name, &number) || strcmp(name, "$") == 0) {
        number -= name[0] == '$' && number != 0;
        if (number == 0 || number > d->last_value || d->last_value - number >= DEBUG_HISTORY)
            *status = cli_refuse(error, "$%s: the history has no such value", name);
        else
            *value = d->history[number % DEBUG_HISTORY];
        return true;
    }
    struct user_value *const *user = tfind(name, &d->users, by_name);
    if (!user)
        return false;
    *value = (*user)->value;
    value->place.kind = PLACE_USER;
    snprintf(value->place.name, sizeof value->place.name, "%s", name);
    return true;
}

const char *debug_near_symbol(struct debug *d, const char *name, char *text, size_t size)
{
    struct cli_near near = {.wanted = name};
    for (size_t i = 0; d->image && i < d->image->symbol_count; i++)
        cli_near_offer(&near, d->image->symbols[i].name);
    snprintf(text, size, "%s", cli_near_text(&near));
    return text;
}

static enum sam_status symbol(void *context, const char *name, struct value *value,
                              struct sam_error *error)
{
    struct debug *d = context;
    char near[240];
    const struct sam_symbol *found = d->image ? sam_image_find(d->image, name) : NULL;
    if (!found)
        return cli_refuse(error, "no symbol '%s'%s", name,
                          debug_near_symbol(d, name, near, sizeof near));
    *value = value_address(d->shape.isa.xlen, found->value);
    if (!found->section_relative)
        value->pointee = SAM_DTYPES; /* a number, as of .equ */
    return SAM_OK;
}

static enum sam_status find(void *context, const char *name, bool dollar, struct value *value,
                            struct sam_error *error)
{
    struct debug *d = context;
    enum sam_status status;
    char near[240];
    if (!dollar && debug_find_variable(d, name, value, &status, error))
        return status;
    if (a_register(d, name, value, &status, error))
        return status;
    if (dollar && dollar_name(d, name, value, &status, error))
        return status;
    if (!dollar && d->image && sam_image_find(d->image, name))
        return symbol(d, name, value, error);
    if (csr(d, name, value, &status, error))
        return status;
    if (dollar)
        return cli_refuse(error, "no register or value '$%s' (set $%s = ... makes one)", name,
                          name);
    return cli_refuse(error, "no register, CSR or symbol '%s'%s", name,
                      debug_near_symbol(d, name, near, sizeof near));
}

static struct sam_session_lane lane_of(const struct debug *d)
{
    return (struct sam_session_lane){d->focus.workgroup, d->focus.warp, d->focus.lane};
}

static enum sam_status read_memory(void *context, uint64_t address, void *data, size_t size,
                                   struct sam_error *error)
{
    struct debug *d = context;
    return sam_session_read_lane(d->session, lane_of(d), address, data, size, error);
}

static enum sam_status private_address(void *context, uint64_t offset, uint64_t *address,
                                       struct sam_error *error)
{
    struct debug *d = context;
    if (!d->shape.v_count)
        return cli_refuse(error, "private(): a hart has no private memory");
    if (offset > UINT32_MAX)
        return cli_refuse(error, "private(0x%llx): expected an offset of 32 bits",
                          (unsigned long long)offset);
    return sam_session_private(d->session, d->focus.workgroup, d->focus.warp, d->focus.lane,
                               (uint32_t)offset, address, error);
}

/* The lanes of the warp, and those that are active; the focus turns to one. */
static bool lanes(void *context, unsigned *count, uint32_t *active, unsigned *focus)
{
    struct debug *d = context;
    struct sam_session_warp warp;
    if (!d->shape.v_count || debug_warp(d, &warp, NULL) != SAM_OK)
        return false;
    *count = d->shape.lanes;
    *active = warp.mask;
    *focus = d->focus.lane;
    return true;
}

static void turn(void *context, unsigned lane)
{
    struct debug *d = context;
    d->focus.lane = lane;
}

void debug_names(struct debug *d)
{
    d->names = (struct expr_names){
        .context = d,
        .xlen = d->shape.isa.xlen,
        .find = find,
        .symbol = symbol,
        .read = read_memory,
        .byte = byte_of,
        .private_ = private_address,
        .lanes = lanes,
        .turn = turn,
    };
}

/* --------------------------------------------------------------------------------- writing */

static enum sam_status set_user(struct debug *d, const char *name, const struct value *value,
                                struct sam_error *error)
{
    struct user_value *const *found = tfind(name, &d->users, by_name);
    struct user_value *user = found ? *found : calloc(1, sizeof *user);
    if (!user)
        return cli_refuse_memory(error);
    if (!found) {
        snprintf(user->name, sizeof user->name, "%s", name);
        if (!tsearch(user, &d->users, by_name)) {
            free(user);
            return cli_refuse_memory(error);
        }
    }
    user->value = *value;
    user->value.place.kind = PLACE_NONE;
    return SAM_OK;
}

static enum sam_status set_mask(struct debug *d, uint32_t mask, struct sam_error *error)
{
    struct sam_stack_entry *entries;
    size_t depth = 0;
    const enum sam_status status =
        stack_read(d, &entries, &depth, error)
            ?: sam_session_set_stack(d->session, d->focus.workgroup, d->focus.warp, mask, entries,
                                     depth, error);
    free(entries);
    return status;
}

static enum sam_status set_memory(struct debug *d, const struct value *place, uint64_t bits,
                                  struct sam_error *error)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return sam_session_write_lane(d->session, lane_of(d), place->place.address, bytes,
                                  sam_dtype_size(place->type), error);
}

enum sam_status debug_assign(struct debug *d, const struct value *to, const struct value *given,
                             struct sam_error *error)
{
    const uint32_t g = d->focus.workgroup, w = d->focus.warp;
    const struct place *place = &to->place;
    struct value value = *given;
    uint32_t lanes[SAM_MAX_LANES] = {0};
    if (place->kind == PLACE_USER)
        return set_user(d, place->name, given, error);
    if (place->kind != PLACE_V || value.place.kind == PLACE_BYTES) {
        const enum sam_status status = value_single(&value, "the new value", error);
        if (status != SAM_OK)
            return status;
    }
    if (value_is_register(to) && sam_dtype_class(value.type) == SAM_CLASS_FLOAT) {
        value_convert(&value, SAM_F32); /* the bits of a float */
        value_view(&value, SAM_I32);
    }
    value_convert(&value, to->type);
    for (unsigned i = 0; i < SAM_MAX_LANES; i++)
        lanes[i] = (uint32_t)value.bits[value.is_vector ? i : 0];
    switch (place->kind) {
    case PLACE_X: return sam_session_set_x(d->session, g, w, place->number, value.bits[0], error);
    case PLACE_V:
        return sam_session_set_v(d->session, g, w, place->number, debug_all_lanes(d), lanes, error);
    case PLACE_LANE:
        return sam_session_set_v(d->session, g, w, place->number, UINT32_C(1) << place->index,
                                 lanes, error);
    case PLACE_CSR:
        return sam_session_set_csr(d->session, g, w, place->number, value.bits[0], error);
    case PLACE_PC: return sam_session_set_pc(d->session, g, w, value.bits[0], error);
    case PLACE_MASK: return set_mask(d, lanes[0], error);
    case PLACE_MEMORY: return set_memory(d, to, value.bits[0], error);
    case PLACE_BYTES:
    case PLACE_BYTE: return cli_refuse(error, "registers of the tensor units cannot be set here");
    default:
        return cli_refuse(error, "not something that can be set: expected a register, a lane, "
                                 "a CSR, memory (*ADDR) or $name");
    }
}

uint64_t debug_keep(struct debug *d, const struct value *value)
{
    d->last_value++;
    d->history[d->last_value % DEBUG_HISTORY] = *value;
    d->history[d->last_value % DEBUG_HISTORY].place.kind = PLACE_NONE;
    return d->last_value;
}
