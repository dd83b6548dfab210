/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum of a 16x16 tile: once placed by the core, once at addresses of the vector memory.
 * cc tile.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>

/* Without values src stays unwritten, and the operation reports what is missing. */
static struct sam_event column_minimum(struct sam_tile_core *core, struct sam_tile *dst,
                                       struct sam_tile *src, const float *values, float *minimum)
{
    if (values)
        sam_tile_fill(core, src, values, NULL);
    struct sam_event done = sam_tcolmin(dst, src);
    if (done.status == SAM_OK)
        sam_tile_read(dst, minimum, NULL);
    return done;
}

static struct sam_event example_auto(struct sam_tile_core *core, const float *values,
                                     float *minimum)
{
    struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
    return column_minimum(core, &dst, &src, values, minimum);
}

static struct sam_event example_manual(struct sam_tile_core *core, const float *values,
                                       float *minimum)
{
    struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
    sam_tassign(&src, 0x1000);
    sam_tassign(&dst, 0x2000);
    return column_minimum(core, &dst, &src, values, minimum);
}

typedef struct sam_event example(struct sam_tile_core *core, const float *values, float *minimum);

static bool show(const char *name, example *run, const float *values)
{
    float minimum[16] = {0};
    struct sam_tile_core *core;
    struct sam_error error;
    if (sam_tile_core_new(NULL, &core, &error) != SAM_OK)
        return fprintf(stderr, "tile: %s\n", error.text), false;
    struct sam_event done = run(core, values, minimum), empty = run(core, NULL, minimum);
    printf("%s:", name);
    for (int j = 0; j < 16; j++)
        printf(" %g", (double)minimum[j]);
    printf("\n%s\n", empty.text);
    sam_tile_core_free(core);
    return done.status == SAM_OK && minimum[15] == -15 && empty.status == SAM_ERR_TRAP;
}

int main(void)
{
    float values[16][16];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            values[i][j] = (float)((i - j) * (i - j) - j);
    bool good = show("auto", example_auto, values[0]);
    good = show("manual", example_manual, values[0]) && good;
    if (fflush(stdout) != 0)
        return perror("standard output"), 2;
    return good ? 0 : 1;
}
