/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum of a 16x16 tile. The core finds a place for both tiles.
 * cc tile_auto.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>

static struct sam_event example_auto(struct sam_tile_core *core, const float *values,
                                     float *minimum)
{
    struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
    if (values)
        sam_tile_fill(core, &src, values, NULL);
    struct sam_event done = sam_tcolmin(&dst, &src);
    if (done.status == SAM_OK)
        sam_tile_read(&dst, minimum, NULL);
    return done;
}

int main(void)
{
    float values[16][16], minimum[16];
    struct sam_tile_core *core;
    struct sam_error error;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            values[i][j] = (float)((i - j) * (i - j) - j);
    if (sam_tile_core_new(NULL, &core, &error) != SAM_OK)
        return fprintf(stderr, "tile_auto: %s\n", error.text), 2;

    struct sam_event done = example_auto(core, values[0], minimum);
    for (int j = 0; j < 16; j++)
        printf("%g%s", (double)minimum[j], j < 15 ? " " : "\n");
    /* Without the line that fills src, the operation reports what is missing. */
    struct sam_event empty = example_auto(core, NULL, minimum);
    printf("%s\n", empty.text);
    sam_tile_core_free(core);
    return done.status == SAM_OK && minimum[15] == -15 && empty.status == SAM_ERR_TRAP ? 0 : 1;
}
