/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as one lane sees it. */
#include "base/base.h"
#include "samite/session.h"

enum { NUMW = 0x801, KNL = 0x803, LDS = 0x806, KNL_ARGUMENTS = 4, STACK = 1024, ACCESS = 4096 };

struct lane {
    struct sam_session *session;
    uint32_t workgroup, warp, lane;
    struct sam_error *error;
};

/* The bytes from `address` on that lie in one word of a register or in one piece of memory: at most
 * `size`. *memory: where that is; 0: register `number`, of vectors or scalars. */
static enum sam_status find(const struct lane *l, uint32_t address, size_t *size, uint64_t *memory,
                            bool *vector, unsigned *number)
{
    const uint32_t offset = address & 0xffff, word = address & 3;
    uint64_t metadata = 0;
    uint8_t base[4];
    enum sam_status status = SAM_OK;
    *memory = 0;
    if (*size > 4 - word)
        *size = 4 - word;
    if (address - SAM_LANE_PRIVATE < 0x10000) {
        status = sam_session_private(l->session, l->workgroup, l->warp, l->lane, offset - word,
                                     memory, l->error);
        *memory += word;
    } else if (address - SAM_LANE_ARGUMENTS < 0x10000) {
        status = sam_session_csr(l->session, l->workgroup, l->warp, KNL, &metadata, l->error);
        if (status == SAM_OK)
            status = sam_session_read(l->session, l->workgroup, metadata + KNL_ARGUMENTS, base,
                                      sizeof base, l->error);
        *memory = status == SAM_OK ? sam_le32(base) + offset : 0;
    } else if (address - SAM_LANE_LOCAL < 0xf000) {
        uint64_t warps = 0;
        status = sam_session_csr(l->session, l->workgroup, l->warp, LDS, memory, l->error);
        if (status == SAM_OK)
            status = sam_session_csr(l->session, l->workgroup, l->warp, NUMW, &warps, l->error);
        *memory += warps * STACK + offset;
    } else if (address - SAM_LANE_V < 4 * 256) {
        *vector = true;
        *number = (address - SAM_LANE_V) / 4;
    } else if (address - SAM_LANE_X < 4 * 64) {
        *vector = false;
        *number = (address - SAM_LANE_X) / 4;
    } else {
        return sam_fail(l->error, SAM_ERR_USAGE, "0x%x: nothing of a lane is there", address);
    }
    return status;
}

/* Read a register of the lane, or write it. */
static enum sam_status access_register(const struct lane *l, bool vector, unsigned number,
                                       uint32_t *value, bool write)
{
    uint32_t lanes[SAM_MAX_LANES] = {0};
    uint64_t scalar = *value;
    enum sam_status status;
    if (vector && write) {
        lanes[l->lane] = *value;
        return sam_session_set_v(l->session, l->workgroup, l->warp, number, UINT32_C(1) << l->lane,
                                 lanes, l->error);
    }
    if (write)
        return sam_session_set_x(l->session, l->workgroup, l->warp, number, scalar, l->error);
    if (vector)
        status = sam_session_v(l->session, l->workgroup, l->warp, number, lanes, l->error);
    else
        status = sam_session_x(l->session, l->workgroup, l->warp, number, &scalar, l->error);
    *value = vector ? lanes[l->lane] : (uint32_t)scalar;
    return status;
}

static enum sam_status access_lane(const struct lane *l, uint64_t address, uint8_t *bytes,
                                   size_t size, bool write)
{
    enum sam_status status = SAM_OK;
    size_t part;
    for (size_t at = 0; at < size && status == SAM_OK; at += part) {
        const uint32_t here = (uint32_t)(address + at), word = here & 3;
        uint64_t memory;
        uint8_t held[4];
        uint32_t value = 0;
        bool vector = false;
        unsigned number = 0;
        part = size - at;
        status = find(l, here, &part, &memory, &vector, &number);
        if (status != SAM_OK)
            break;
        if (memory) {
            status = write ? sam_session_write(l->session, l->workgroup, memory, bytes + at, part,
                                               l->error)
                           : sam_session_read(l->session, l->workgroup, memory, bytes + at, part,
                                              l->error);
            continue;
        }
        status = access_register(l, vector, number, &value, false);
        sam_put_le32(held, value);
        memcpy(write ? held + word : bytes + at, write ? bytes + at : held + word, part);
        value = sam_le32(held);
        if (write && status == SAM_OK)
            status = access_register(l, vector, number, &value, true);
    }
    return status;
}

static enum sam_status access(struct sam_session *session, struct sam_session_lane at,
                              uint64_t address, uint8_t *data, size_t size, bool write,
                              struct sam_error *error)
{
    struct sam_session_shape shape;
    const struct lane l = {session, at.workgroup, at.warp, at.lane, error};
    enum sam_status status =
        write ? sam_session_write(session, at.workgroup, address, data, size, error)
              : sam_session_read(session, at.workgroup, address, data, size, error);
    if (status == SAM_OK || !session || address < SAM_LANE_FIRST || address > UINT32_MAX ||
        size > ACCESS || size > UINT32_MAX - address + 1)
        return status;
    if (sam_session_shape(session, &shape, error) != SAM_OK || !shape.v_count ||
        at.lane >= shape.lanes || (size && !data))
        return status;
    return access_lane(&l, address, data, size, write);
}

enum sam_status sam_session_read_lane(struct sam_session *session, struct sam_session_lane lane,
                                      uint64_t address, void *data, size_t size,
                                      struct sam_error *error)
{
    return access(session, lane, address, data, size, false, error);
}

enum sam_status sam_session_write_lane(struct sam_session *session, struct sam_session_lane lane,
                                       uint64_t address, const void *data, size_t size,
                                       struct sam_error *error)
{
    return access(session, lane, address, (uint8_t *)(uintptr_t)data, size, true, error);
}
