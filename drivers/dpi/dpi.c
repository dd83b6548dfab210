/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of samite_pkg.sv: samite/cosim.h as functions of numbers, as passed by DPI. The
 * types are those of svdpi.h (chandle is a pointer, a packed vector an array of words), which is
 * not needed to build this. Messages go to standard error, once each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/cosim.h"
#include "samite/format.h"

#define DPI __attribute__((visibility("default")))

struct dpi {
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_session *session;
    struct sam_cosim *cosim;
    bool told; /* the first difference */
};

DPI void *samite_dpi_open(void);
DPI void samite_dpi_close(void *h);
DPI int samite_dpi_program(void *h, const char *path);
DPI int samite_dpi_map(void *h, unsigned address, unsigned bytes);
DPI int samite_dpi_poke(void *h, unsigned address, unsigned value);
DPI int samite_dpi_peek(void *h, unsigned address, unsigned *value);
DPI int samite_dpi_start(void *h, unsigned start, unsigned knl, unsigned grid_x, unsigned grid_y,
                         unsigned grid_z, unsigned lanes, unsigned warps, unsigned pds_bytes,
                         unsigned pds_base);
DPI int samite_dpi_commit(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word);
DPI int samite_dpi_commit_x(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word,
                            unsigned index, unsigned value);
DPI int samite_dpi_commit_v(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word,
                            unsigned index, unsigned lanes, const uint32_t *values);
DPI unsigned samite_dpi_next_pc(void *h, unsigned workgroup, unsigned warp);
DPI int samite_dpi_finish(void *h);

/* 1, or 0 after a message. */
static int done(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fprintf(stderr, "samite: error: %s\n", error->text);
    return status == SAM_OK;
}

static int missing(const char *what)
{
    fprintf(stderr, "samite: error: %s\n", what);
    return 0;
}

/* ----------------------------------------------------------------------------- the machine */

void *samite_dpi_open(void)
{
    struct sam_error error;
    struct dpi *dpi = calloc(1, sizeof *dpi);
    if (!dpi) {
        missing("out of memory");
        return NULL;
    }
    if (!done(sam_gpu_new(NULL, &dpi->gpu, &error), &error)) {
        free(dpi);
        return NULL;
    }
    return dpi;
}

static void end_launch(struct dpi *dpi)
{
    sam_cosim_close(dpi->cosim);
    sam_session_close(dpi->session);
    dpi->cosim = NULL;
    dpi->session = NULL;
    dpi->told = false;
}

void samite_dpi_close(void *h)
{
    struct dpi *dpi = h;
    if (!dpi)
        return;
    end_launch(dpi);
    sam_gpu_free(dpi->gpu);
    sam_image_free(dpi->image);
    free(dpi);
}

int samite_dpi_program(void *h, const char *path)
{
    struct dpi *dpi = h;
    struct sam_error error;
    struct sam_image *image;
    if (!dpi)
        return missing("samite_dpi_program: no machine: call samite_dpi_open first");
    if (!done(sam_elf_read(path, &image, &error), &error))
        return 0;
    end_launch(dpi);
    sam_image_free(dpi->image);
    dpi->image = image;
    return done(sam_gpu_load(dpi->gpu, image, &error), &error);
}

int samite_dpi_map(void *h, unsigned address, unsigned bytes)
{
    struct dpi *dpi = h;
    struct sam_error error;
    return dpi ? done(sam_gpu_map(dpi->gpu, address, bytes, &error), &error)
               : missing("samite_dpi_map: no machine: call samite_dpi_open first");
}

int samite_dpi_poke(void *h, unsigned address, unsigned value)
{
    struct dpi *dpi = h;
    struct sam_error error;
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    return dpi ? done(sam_gpu_write(dpi->gpu, address, bytes, sizeof bytes, &error), &error)
               : missing("samite_dpi_poke: no machine: call samite_dpi_open first");
}

int samite_dpi_peek(void *h, unsigned address, unsigned *value)
{
    struct dpi *dpi = h;
    struct sam_error error;
    uint8_t b[4];
    *value = 0;
    if (!dpi)
        return missing("samite_dpi_peek: no machine: call samite_dpi_open first");
    if (!done(sam_gpu_read(dpi->gpu, address, b, sizeof b, &error), &error))
        return 0;
    *value = b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24;
    return 1;
}

int samite_dpi_start(void *h, unsigned start, unsigned knl, unsigned grid_x, unsigned grid_y,
                     unsigned grid_z, unsigned lanes, unsigned warps, unsigned pds_bytes,
                     unsigned pds_base)
{
    struct dpi *dpi = h;
    struct sam_error error;
    if (!dpi)
        return missing("samite_dpi_start: no machine: call samite_dpi_open first");
    end_launch(dpi);
    const struct sam_launch launch = {.start = start,
                                      .metadata = knl,
                                      .grid = {grid_x, grid_y, grid_z},
                                      .lanes = lanes,
                                      .warps = warps,
                                      .pds_size = pds_bytes,
                                      .pds_base = pds_base,
                                      .image = dpi->image};
    return done(sam_session_open(dpi->gpu, &launch, NULL, &dpi->session, &error), &error) &&
           done(sam_cosim_open(dpi->session, NULL, &dpi->cosim, &error), &error);
}

/* --------------------------------------------------------------------------------- commits */

/* Report the first difference. Returns whether there is none. */
static int tell(struct dpi *dpi, bool same)
{
    if (!same && !dpi->told) {
        fputs(sam_cosim_report(dpi->cosim), stderr);
        dpi->told = true;
    }
    return same;
}

static int compare(struct dpi *dpi, const struct sam_cosim_commit *commit)
{
    struct sam_error error;
    bool same;
    if (!dpi || !dpi->cosim)
        return missing("a commit without a launch: call samite_dpi_start first");
    return done(sam_cosim_compare(dpi->cosim, commit, &same, &error), &error) && tell(dpi, same);
}

int samite_dpi_commit(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word)
{
    const struct sam_cosim_commit commit = {
        .workgroup = workgroup, .warp = warp, .pc = pc, .word = word, .write = SAM_COSIM_NONE};
    return compare(h, &commit);
}

int samite_dpi_commit_x(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word,
                        unsigned index, unsigned value)
{
    const struct sam_cosim_commit commit = {.workgroup = workgroup,
                                            .warp = warp,
                                            .pc = pc,
                                            .word = word,
                                            .write = SAM_COSIM_X,
                                            .index = index,
                                            .x = {value}};
    return compare(h, &commit);
}

int samite_dpi_commit_v(void *h, unsigned workgroup, unsigned warp, unsigned pc, unsigned word,
                        unsigned index, unsigned lanes, const uint32_t *values)
{
    struct sam_cosim_commit commit = {.workgroup = workgroup,
                                      .warp = warp,
                                      .pc = pc,
                                      .word = word,
                                      .write = SAM_COSIM_V,
                                      .index = index,
                                      .lanes = {lanes}};
    memcpy(commit.v[0], values, sizeof commit.v[0]);
    return compare(h, &commit);
}

unsigned samite_dpi_next_pc(void *h, unsigned workgroup, unsigned warp)
{
    struct dpi *dpi = h;
    struct sam_error error;
    struct sam_session_warp state;
    if (!dpi || !dpi->session)
        return (unsigned)missing("samite_dpi_next_pc: no launch: call samite_dpi_start first") - 1;
    if (sam_session_warp(dpi->session, workgroup, warp, &state, &error) != SAM_OK ||
        state.state == SAM_WARP_ENDED)
        return UINT32_MAX;
    return (unsigned)state.pc;
}

int samite_dpi_finish(void *h)
{
    struct dpi *dpi = h;
    struct sam_error error;
    bool same;
    if (!dpi || !dpi->cosim)
        return missing("samite_dpi_finish: no launch: call samite_dpi_start first");
    return done(sam_cosim_finish(dpi->cosim, &same, &error), &error) && tell(dpi, same);
}
