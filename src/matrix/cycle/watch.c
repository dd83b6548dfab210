/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of the model: uops as Konata rows and Perfetto slices, the bus as a waveform and as
 * lines of text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix/cycle/watch.h"
#include "trace/timeline.h"

/* The names of the manual. Outputs of the unit are dsa_pad_*, inputs pad_dsa_*; the input that the
 * manual prints without pad_ has both names (the last row). */
static const struct sam_vcd_signal signals[] = {
    {"pad_dsa_req_rready", 1},
    {"dsa_pad_req_rvalid", 1},
    {"dsa_pad_req_raddr", 40},
    {"dsa_pad_req_rlen", 2},
    {"dsa_pad_req_rid", 5},
    {"dsa_pad_resp_rready", 1},
    {"pad_dsa_resp_rvalid", 1},
    {"pad_dsa_resp_rid", 5},
    {"pad_dsa_resp_rdata", 128},
    {"pad_dsa_resp_rlast", 1},
    {"pad_dsa_req_wready", 1},
    {"dsa_pad_req_wvalid", 1},
    {"dsa_pad_req_waddr", 40},
    {"dsa_pad_req_wlen", 2},
    {"dsa_pad_req_wid", 5},
    {"dsa_pad_req_fullline", 1},
    {"dsa_pad_resp_wready", 1},
    {"pad_dsa_resp_wvalid", 1},
    {"pad_dsa_resp_wid", 5},
    {"pad_dsa_req_wdready", 1},
    {"dsa_pad_req_wdvalid", 1},
    {"dsa_pad_req_wdata", 128},
    {"dsa_pad_req_wstrb", 16},
    {"dsa_pad_req_wlast", 1},
    {"dsa_req_rready", 1},
    /* not in the manual's tables: busMask of each beat, and the port of instructions (3.1) */
    {"busMask_rdata", 0},
    {"busMask_wdata", 0},
    {"cmu_dsa_req_valid", 1},
    {"dsa_cmu_req_ready", 1},
    {"cmu_dsa_req_inst", 32},
    {"cmu_dsa_req_rs1", 64},
    {"cmu_dsa_req_rs2", 64},
    {"dsa_cmu_resp_valid", 1},
    {"dsa_cmu_resp_wb", 1},
    {"dsa_cmu_resp_data", 64},
};

/* After the tracks of the hart and its engines. A uop of each pipe starts per cycle, and more than
 * a hundred are never under way. */
enum { FIRST_TRACK = 16, LANES = 128 };
static const char *const pipes[] = {"m.load", "m.store", "m.mma", "m.pointwise"};

struct sam_mxu_watch {
    struct sam_mxu_watch_options options;
    struct sam_perfetto_lanes lanes[SAM_COUNT(pipes)];
    struct sam_konata konata;
    struct sam_vcd vcd;
    struct sam_vcd_signal signals[SAM_COUNT(signals)]; /* with the widths of the configuration */
    uint64_t cycles;
    bool failed;
};

static void describe(const struct sam_mxu_watch *w, const struct sam_mxu_record *r, char *label,
                     char *detail, size_t size)
{
    char insn[96];
    sam_disassemble(&w->options.isa, r->word, r->pc, 0, NULL, insn, sizeof insn);
    snprintf(label, size, "%" PRIx64 ": %s [%u/%u]", r->pc, insn, r->uop + 1, r->uops);
    if (r->kind == SAM_M_KIND_MMA)
        snprintf(detail, size, "C from row %u, column %u; block %u of ms1, %u of m%u, %u of m%u",
                 r->mma.m, r->mma.n, r->mma.block_1, r->mma.block_2, r->mma.reg_2,
                 r->mma.c[0].block, r->mma.c[0].reg);
    else if (r->kind == SAM_M_KIND_POINTWISE)
        snprintf(detail, size, "row %u", r->uop);
    else
        snprintf(detail, size, "row %u, bytes %u..%u, %s", r->move.row, r->move.k,
                 r->move.k + r->move.size - 1u, r->move.zero ? "cleared" : "one line");
}

static void show_row(struct sam_mxu_watch *w, const struct sam_mxu_record *r)
{
    struct sam_konata_stage stages[8];
    unsigned count = 0;
    char label[160], detail[160];
    const uint64_t t = r->issued;
#define STAGE(lane, name, from, to)                                                                \
    stages[count++] = (struct sam_konata_stage){lane, name, from, to}
    STAGE(0, "DSA", r->accepted, r->accepted + 1);
    STAGE(0, "Slt", r->accepted + 1, t);
    STAGE(0, "Iss", t, t + 1);
    STAGE(2, "RF", t, t + 1);
    if (r->kind == SAM_M_KIND_MMA) {
        const uint64_t tree = t + 1 + w->options.tree_stages;
        STAGE(0, "Tre", t + 1, tree);
        STAGE(0, "Acc", tree, r->written);
    } else if (r->request) {
        STAGE(0, "Req", t + 1, r->request + 1);
        STAGE(0, "Mem", r->request + 1, r->written);
    } else {
        STAGE(0, "Exe", t + 1, r->written);
    }
    STAGE(0, "WB", r->written, r->written + 1);
    if (r->waited != SAM_MXU_EMPTY && r->waited != SAM_MXU_BUSY)
        STAGE(1, sam_mxu_state_name(r->waited), r->accepted + 1, t);
#undef STAGE
    describe(w, r, label, detail, sizeof label);
    sam_konata_row(&w->konata, label, detail, stages, count);
}

static unsigned lane_of(struct sam_mxu_watch *w, unsigned pipe, uint64_t start, uint64_t end)
{
    return sam_perfetto_lane(w->options.perfetto, &w->lanes[pipe], FIRST_TRACK + pipe * LANES,
                             LANES, pipes[pipe], start, end);
}

static void on_uop(void *context, const struct sam_mxu_record *r)
{
    struct sam_mxu_watch *w = context;
    if (w->options.konata.write)
        show_row(w, r);
    if (w->options.perfetto) {
        char label[160], detail[160];
        describe(w, r, label, detail, sizeof label);
        const struct sam_perfetto_arg arg = {"uop", detail, 0};
        const uint64_t end = r->written + 1;
        const struct sam_perfetto_slice slice = {.track = lane_of(w, r->kind, r->issued, end),
                                                 .name = label,
                                                 .category = "matrix",
                                                 .start = r->issued,
                                                 .end = end,
                                                 .args = &arg,
                                                 .arg_count = 1};
        w->failed |= !sam_perfetto_slice(w->options.perfetto, &slice);
    }
}

static struct sam_vcd_value bytes_value(const uint8_t bytes[16])
{
    return (struct sam_vcd_value){sam_le32(bytes) | (uint64_t)sam_le32(bytes + 4) << 32,
                                  sam_le32(bytes + 8) | (uint64_t)sam_le32(bytes + 12) << 32};
}

static void show_wave(struct sam_mxu_watch *w, uint64_t cycle, const struct sam_mxu_bus *b)
{
    const struct sam_vcd_value values[] = {
        {b->rready, 0},
        {b->rvalid, 0},
        {b->raddr, 0},
        {b->rlen, 0},
        {b->rid, 0},
        {1, 0},
        {b->resp_rvalid, 0},
        {b->resp_rid, 0},
        bytes_value(b->rdata),
        {b->resp_rlast, 0},
        {b->wready, 0},
        {b->wvalid, 0},
        {b->waddr, 0},
        {b->wlen, 0},
        {b->wid, 0},
        {b->fullline, 0},
        {1, 0},
        {b->resp_wvalid, 0},
        {b->resp_wid, 0},
        {b->wdready, 0},
        {b->wdvalid, 0},
        bytes_value(b->wdata),
        {b->wstrb, 0},
        {b->wdlast, 0},
        {b->rready, 0},
        {b->rbusmask, 0},
        {b->wbusmask, 0},
        {b->dsa_valid, 0},
        {b->dsa_ready, 0},
        {b->dsa.word, 0},
        {b->dsa.rs1, 0},
        {b->dsa.rs2, 0},
        {b->dsa_resp_valid, 0},
        {b->dsa_resp_wb, 0},
        {b->dsa_resp_data, 0},
    };
    sam_vcd_cycle(&w->vcd, cycle, values);
}

static void put_data(struct sam_buffer *line, const uint8_t bytes[16])
{
    for (unsigned i = 16; i-- > 0;)
        sam_buffer_printf(line, "%02x", bytes[i]);
}

/* Print one line per handshake. */
static void show_lines(struct sam_mxu_watch *w, uint64_t cycle, const struct sam_mxu_bus *b)
{
    struct sam_buffer line = {0};
    const int digits = (int)(128 / w->options.elewidth + 3) / 4;
    if (b->rvalid && b->rready)
        sam_buffer_printf(&line,
                          "%8" PRIu64 " read  id %2u addr %010" PRIx64 " beats %u mask %u..%u\n",
                          cycle, b->rid, b->raddr, b->rlen + 1u, b->rmask.first, b->rmask.last);
    if (b->resp_rvalid) {
        sam_buffer_printf(&line, "%8" PRIu64 " rdata id %2u ", cycle, b->resp_rid);
        put_data(&line, b->rdata);
        sam_buffer_printf(&line, " busMask %0*x%s\n", digits, b->rbusmask,
                          b->resp_rlast ? " last" : "");
    }
    if (b->wvalid && b->wready)
        sam_buffer_printf(&line,
                          "%8" PRIu64 " write id %2u addr %010" PRIx64 " beats %u mask %u..%u%s\n",
                          cycle, b->wid, b->waddr, b->wlen + 1u, b->wmask.first, b->wmask.last,
                          b->fullline ? " full line" : "");
    if (b->wdvalid && b->wdready) {
        sam_buffer_printf(&line, "%8" PRIu64 " wdata ", cycle);
        put_data(&line, b->wdata);
        sam_buffer_printf(&line, " busMask %0*x strobes %04x%s\n", digits, b->wbusmask, b->wstrb,
                          b->wdlast ? " last" : "");
    }
    if (b->resp_wvalid)
        sam_buffer_printf(&line, "%8" PRIu64 " wdone id %2u\n", cycle, b->resp_wid);
    const struct sam_sink *sink = &w->options.bus;
    if (line.size && (line.failed || !sink->write(sink->context, line.data, line.size)))
        w->failed = true;
    sam_buffer_free(&line);
}

static void on_cycle(void *context, uint64_t cycle, const struct sam_mxu_bus *bus)
{
    struct sam_mxu_watch *w = context;
    w->cycles = cycle + 1;
    if (w->options.vcd.write)
        show_wave(w, cycle, bus);
    if (w->options.bus.write)
        show_lines(w, cycle, bus);
}

struct sam_mxu_watch *sam_mxu_watch_new(const struct sam_mxu_watch_options *options,
                                        struct sam_mxu_observer *observer)
{
    struct sam_mxu_watch *w = sam_alloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->options = *options;
    for (unsigned i = 0; i < SAM_COUNT(signals); i++) {
        w->signals[i] = signals[i];
        if (signals[i].width == 0)
            w->signals[i].width = 128 / options->elewidth;
        else if (signals[i].width == 64)
            w->signals[i].width = options->isa.xlen;
    }
    if (options->vcd.write &&
        !sam_vcd_init(&w->vcd, &options->vcd, "mxu", w->signals, SAM_COUNT(signals))) {
        free(w);
        return NULL;
    }
    for (unsigned i = 0; options->perfetto && i < SAM_COUNT(pipes); i++)
        lane_of(w, i, 0, 0);
    *observer = (struct sam_mxu_observer){.context = w};
    if (options->konata.write || options->perfetto)
        observer->uop = on_uop;
    if (options->vcd.write || options->bus.write)
        observer->cycle = on_cycle;
    return w;
}

void sam_mxu_watch_close(struct sam_mxu_watch *w)
{
    if (w)
        w->options.perfetto = NULL;
}

bool sam_mxu_watch_end(struct sam_mxu_watch *w)
{
    if (!w)
        return true;
    bool good = !w->failed;
    if (w->options.konata.write)
        good &= sam_konata_write(&w->konata, &w->options.konata);
    if (w->options.vcd.write)
        good &= sam_vcd_end(&w->vcd, w->cycles);
    sam_konata_free(&w->konata);
    for (unsigned i = 0; i < SAM_COUNT(pipes); i++)
        sam_perfetto_lanes_free(&w->lanes[i]);
    free(w);
    return good;
}
