/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a launch as seen by the race check: for each byte of memory, the kinds of access
 * and the first instruction of each, as a session of the same launch records them. */

#include "test.h"

#include "samite/session.h"
#include "simt/program.h"
#include "system/race_watch.h"

/* Per kind of access, 1 + the pc of the first instruction; 1 for a fetch. */
struct byte {
    uint32_t first[SAM_SYSTEM_FETCH + 1];
};

/* Parts of memory that the launch may access. */
enum { CODE_BYTES = 0x1000, PDS_BYTES = 0x10000 };
struct picture {
    struct byte data[DATA_SIZE], pds[PDS_BYTES], code[CODE_BYTES];
    bool reserves; /* the previous instruction, recorded, is lr or sc */
};

static struct byte *byte_at(struct picture *p, uint32_t address)
{
    if (address - DATA < DATA_SIZE)
        return &p->data[address - DATA];
    if (address - PDS < PDS_BYTES)
        return &p->pds[address - PDS];
    if (address - SAM_CODE_BASE < CODE_BYTES)
        return &p->code[address - SAM_CODE_BASE];
    return NULL;
}

static void paint(struct picture *p, enum sam_system_access kind, uint32_t address, uint64_t size,
                  uint32_t mark)
{
    for (uint64_t i = 0; i < size; i++) {
        struct byte *byte = byte_at(p, (uint32_t)(address + i));
        if (byte && !byte->first[kind])
            byte->first[kind] = mark;
    }
}

static bool record(void *context, struct sam_session *session, const struct sam_step *step)
{
    struct picture *p = context;
    (void)session;
    paint(p, SAM_SYSTEM_FETCH, (uint32_t)step->pc, 4, 1);
    const uint32_t opcode = step->word & 0x7f, function = step->word >> 27;
    const bool reserves = opcode == 0x2f && (function == 2 || function == 3); /* lr, sc */
    for (unsigned i = 0; i < step->access_count; i++) {
        const struct sam_step_access *a = &step->access[i];
        paint(p,
              reserves || (a->load && a->store) ? SAM_SYSTEM_ATOMIC
              : a->store                        ? SAM_SYSTEM_STORE
                                                : SAM_SYSTEM_LOAD,
              (uint32_t)a->address, a->size, (uint32_t)step->pc + 1);
    }
    return true;
}

static void hear(void *context, const struct sam_system_race *race)
{
    const struct sam_system_race_side *side = &race->in_flight;
    assert_int_equal(side->agent, SAM_SYSTEM_BY_GPU);
    assert_int_equal(side->number, 1);
    assert_int_equal(side->record, 0x1000);
    if (race->address < 0x1040)
        return; /* the launch record */
    assert_false(race->address - SAM_LDS_BASE < SAM_LDS_SIZE);
    assert_int_equal(side->has_pc, side->access != SAM_SYSTEM_FETCH);
    paint(context, side->access, (uint32_t)race->address, race->size, (uint32_t)side->pc + 1);
}

static void compare(const struct byte *a, const struct byte *b, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k <= SAM_SYSTEM_FETCH; k++) {
            /* a load and a fetch of the same byte count as one */
            const bool both = (k == SAM_SYSTEM_LOAD || k == SAM_SYSTEM_FETCH) &&
                              b[i].first[SAM_SYSTEM_LOAD] && b[i].first[SAM_SYSTEM_FETCH];
            if (a[i].first[k] != b[i].first[k] && !both)
                fail_msg("%s+0x%zx, %s: %x, not %x", what, i,
                         sam_system_access_name((enum sam_system_access)k), a[i].first[k],
                         b[i].first[k]);
        }
}

static void expect_same(const char *text, uint32_t warps, uint32_t workgroups, bool by_turns)
{
    struct picture *heard = sam_pages_new(sizeof *heard), *recorded = sam_pages_new(sizeof *heard);
    struct sam_system_watch *watch =
        sam_system_watch_new(&(struct sam_system_races_options){.racing = hear, .context = heard});
    SCOPED(program) p = program_new(text, 4);
    struct sam_session *session = NULL;
    struct sam_session_stop stop;
    const struct sam_session_run run = {.size = sizeof run, .each = record, .context = recorded};
    assert_non_null(watch);
    p.launch.warps = warps;
    p.launch.grid[0] = workgroups;
    p.launch.lds_size = 4096;
    p.options =
        (struct sam_gpu_options){.size = sizeof p.options,
                                 .sanitizer = sam_system_watch_gpu(watch),
                                 .schedule = by_turns ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN};
    sam_system_watch_submit(watch, SAM_SYSTEM_BY_GPU, 0x1000, 64, 0);
    program_pass(&p);
    sam_system_watch_ended(watch, SAM_SYSTEM_BY_GPU, 0);
    sam_system_watch_submit(watch, SAM_SYSTEM_BY_GPU, 0x1000, 64, 0);
    program_pass(&p);
    sam_system_races_access(sam_system_watch_races(watch),
                            &(struct system_race_access){.agent = SAM_SYSTEM_BY_HART,
                                                         .kind = SAM_SYSTEM_STORE,
                                                         .size = UINT64_C(1) << 32});
    SCOPED(program) q = program_new(text, 4);
    q.launch.warps = warps;
    q.launch.grid[0] = workgroups;
    q.launch.lds_size = 4096;
    q.options = (struct sam_gpu_options){
        .size = sizeof q.options, .schedule = by_turns ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN};
    succeeds(sam_gpu_set_options, q.gpu, &q.options);
    succeeds(sam_session_open, q.gpu, &q.launch, NULL, &session);
    succeeds(sam_session_run, session, &run, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    sam_session_close(session);
    compare(heard->data, recorded->data, DATA_SIZE, "data");
    compare(heard->pds, recorded->pds, PDS_BYTES, "private memory");
    compare(heard->code, recorded->code, CODE_BYTES, "code");
    sam_system_watch_free(watch);
    sam_pages_free(heard, sizeof *heard);
    sam_pages_free(recorded, sizeof *recorded);
}

/* s0: DATA and 1024 bytes per warp, s2: warp, s3: workgroup; v1: lane, v3: each lane's word. */
#define START                                                                                      \
    "li s0, 0x90000000\ncsrr s2, wid\ncsrr s3, wgid\nslli t0, s2, 10\nadd s0, s0, t0\n"            \
    "slli t0, s3, 13\nadd s0, s0, t0\nvid.v v1\nvsll.vi v2, v1, 2\nvadd.vx v3, v2, s0\n"           \
    "li s1, 0x90020000\n"
#define END "endprg\n"

static const char *const texts[] = {
    START "lw t0, 0(s0)\nsw t0, 8(s0)\nlb t0, 17(s0)\nsh t0, 22(s0)\nlbu t0, 22(s0)\n" END,
    START "li t0, 3\namoadd.w t1, t0, (s1)\namoswap.w zero, t0, (s0)\nlr.w t1, (s1)\n"
          "sc.w t1, t0, (s1)\nlw t1, 0(s1)\n" END,
    START "vle32.v v5, (s0)\nvse32.v v5, (s1)\nvle8.v v6, (s1)\naddi t1, s0, 64\n"
          "vse16.v v6, (t1)\n" END,
    START "li t2, 12\nvlse32.v v5, (s0), t2\nli t2, -8\naddi t1, s0, 256\nvsse32.v v5, (t1), t2\n"
          "li t2, 3\nvsse8.v v5, (t1), t2\nli t2, 0\nvlse32.v v5, (s1), t2\n" END,
    START "vsll.vi v9, v1, 3\nvrsub.vi v9, v9, 24\nvluxei32.v v5, (s0), v9\naddi t1, s0, 128\n"
          "vsuxei32.v v5, (t1), v9\nvadd.vi v8, v3, 1\nvsb12.v v5, 64(v8)\nvlh12.v v6, 2(v3)\n" END,
    START "vmv.v.i v4, 1\nvmslt.vx v0, v1, s2\nvse32.v v4, (s0), v0.t\nvmseq.vi v0, v1, 2\n"
          "vlw12.v v5, 32(v3)\naddi t1, s0, 64\nvle32.v v5, (t1), v0.t\n" END,
    /* private memory, whose words interleave; pairs of words */
    START "vmv.v.i v5, 8\nvsw.v v1, 0(v5)\nvlw.v v6, 0(v5)\nvsb.v v1, 5(v5)\n"
          "regpair zero, zero, 0\nvsw.v v6, 16(v5)\nregpair zero, zero, 0\nvsw12.v v6, 0(v3)\n"
          "regpair zero, zero, 0\nvlw12.v v6, 128(v3)\n" END,
    /* diverging lanes, and local memory, which no other agent accesses */
    START "vmv.v.i v5, 2\nlla t0, 1f\nsetrpc zero, t0, 0\nvbge v1, v5, 1f\nvsw12.v v1, 0(v3)\n"
          "1: join\ncsrr t1, lds\nvadd.vx v7, v2, t1\nvsw12.v v1, 0(v7)\nvlw12.v v6, 0(v7)\n"
          "sw s2, 512(t1)\nbarrier x0, x0, 0\nvsw12.v v6, 256(v3)\n" END,
    /* two registers at once */
    START "vsetvli t0, zero, e32, m2, ta, ma\nvle32.v v8, (s0)\naddi t1, s0, 64\n"
          "vse32.v v8, (t1)\n" END,
    /* it reads its own code, in a loop */
    START "li t0, 0x80000000\nli t1, 20\n1: lw t2, 0(t0)\naddi t0, t0, 4\naddi t1, t1, -1\n"
          "bnez t1, 1b\nregext zero, zero, 0\nsw t2, 0(s0)\n" END,
};

TEST(what_is_heard_is_what_is_accessed)
{
    for (size_t i = 0; i < SAM_COUNT(texts); i++)
        for (unsigned by_turns = 0; by_turns < 2; by_turns++) {
            expect_same(texts[i], 1, 1, by_turns);
            expect_same(texts[i], 2, 2, by_turns);
        }
}
