/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum of a 16x16 tile, both tiles at addresses of the vector memory.
 * cc tile_manual.c $(pkg-config --cflags --libs samite) */
#include <samite/samite.h>
#include <stdio.h>

static struct sam_event example_manual(struct sam_tile_core *core, const float *values,
                                       float *minimum)
{
    struct sam_tile src = SAM_TILE(vec, f32, 16, 16);
    struct sam_tile dst = SAM_TILE(vec, f32, 1, 16);
    sam_tassign(&src, 0x1000);
    sam_tassign(&dst, 0x2000);
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
        return fprintf(stderr, "tile_manual: %s\n", error.text), 2;

    struct sam_event done = example_manual(core, values[0], minimum);
    for (int j = 0; j < 16; j++)
        printf("%g%s", (double)minimum[j], j < 15 ? " " : "\n");
    struct sam_event empty = example_manual(core, NULL, minimum);
    printf("%s\n", empty.text);
    sam_tile_core_free(core);
    return done.status == SAM_OK && minimum[15] == -15 && empty.status == SAM_ERR_TRAP ? 0 : 1;
}
