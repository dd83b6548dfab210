/* SPDX-License-Identifier: Apache-2.0 */
#include "served.h"

#include "test.h"

/* Two warps of 8 lanes: each stores its number, they meet at a barrier, and warp 0 adds them up.
 * Lanes above 3 take another path meanwhile. */
const char two_warps[] = "        lui     s0, 0x90000\n"   /* 80000000 */
                         "        csrr    s1, wid\n"       /* 04 */
                         "        lui     s3, 0x70000\n"   /* 08 */
                         "        slli    t0, s1, 2\n"     /* 0c */
                         "        add     t0, t0, s0\n"    /* 10 */
                         "        addi    t1, s1, 65\n"    /* 14 */
                         "        vid.v   v1\n"            /* 18 */
                         "        vmv.v.i v2, 3\n"         /* 1c */
                         "        auipc   t4, 0\n"         /* 20 */
                         "        addi    t4, t4, 24\n"    /* 24 */
                         "        setrpc  zero, t4, 0\n"   /* 28 */
                         "        vblt    v2, v1, high\n"  /* 2c */
                         "        vadd.vi v3, v1, 1\n"     /* 30 */
                         "        join    zero, zero, 0\n" /* 34 */
                         "high:   join    zero, zero, 0\n" /* 38 */
                         "store:  sw      t1, 0(t0)\n"     /* 3c */
                         "        sw      t1, 64(s3)\n"    /* 40 */
                         "meet:   barrier x0, x0, 0\n"     /* 44 */
                         "        bnez    s1, out\n"       /* 48 */
                         "        lw      t2, 4(s0)\n"     /* 4c */
                         "        add     t2, t2, t1\n"    /* 50 */
                         "        sw      t2, 8(s0)\n"     /* 54 */
                         "out:    endprg\n";               /* 58 */

struct served *open_served(const char *text, uint32_t warps, uint32_t groups)
{
    struct served *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->program = program_new(text, 8);
    s->program.launch.warps = warps;
    s->program.launch.grid[0] = groups;
    s->options.size = sizeof s->options;
    return s;
}

void serve(struct served *s)
{
    struct sam_gdb *gdb;
    succeeds(sam_gpu_set_options, s->program.gpu, &s->program.options);
    succeeds(sam_session_open, s->program.gpu, &s->program.launch, NULL, &s->session);
    const struct sam_gdb_transport transport = client_transport(&s->client);
    succeeds(sam_gdb_open, &transport, &s->options, &gdb);
    s->status = sam_gdb_serve(gdb, s->session, true, &s->result, &s->error);
    sam_gdb_close(gdb);
}

void close_served(struct served *s)
{
    client_free(&s->client);
    sam_session_close(s->session);
    program_free(&s->program);
    free(s);
}

void talk(struct served *s, const char *const (*talks)[2])
{
    struct client *c = &s->client;
    for (size_t i = 0; talks[i][0]; i++)
        client_packet(c, talks[i][0]);
    client_packet(c, "k");
    serve(s);
    for (size_t i = 0; talks[i][0]; i++) {
        print_message("# %s: %s\n", talks[i][0], talks[i][1]);
        client_skip_console(c);
        client_expect(c, talks[i][1]);
    }
    client_expect_end(c);
    must(s->status, &s->error);
}
