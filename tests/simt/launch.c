/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a launch: its progress, the locations of its warps at an early end, its commit log;
 * the limit of instructions; and programs loaded at other addresses than they run at. */
#include "program.h"

#include "test.h"

struct told {
    struct sam_gpu_progress last;
    unsigned count;
    uint64_t stop_at; /* workgroups done, 0: never */
    bool stop_early;  /* at the first report */
    volatile int stop;
};

/* Counts rise, by one workgroup at most. */
static void note(void *context, const struct sam_gpu_progress *p)
{
    struct told *told = context;
    if (p->done < told->last.done || p->done > told->last.done + 1 ||
        p->warp_insns < told->last.warp_insns)
        fail_msg("%llu workgroups after %llu", (unsigned long long)p->done,
                 (unsigned long long)told->last.done);
    told->last = *p;
    told->count++;
    if (told->stop_early || (told->stop_at && p->done >= told->stop_at))
        told->stop = 1;
}

static const char count_down[] = "        li      t0, 1000\n"
                                 "1:      addi    t0, t0, -1\n"
                                 "        bnez    t0, 1b\n"
                                 "        endprg\n";

TEST(progress)
{
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        struct told told = {0};
        SCOPED(program) p = program_new(count_down, 8);
        p.options.jobs = jobs;
        p.options.progress = note;
        p.options.progress_context = &told;
        p.launch.grid[0] = 40;
        p.launch.warps = 4;
        program_pass(&p);
        assert_int_equal(told.last.done, 40);
        assert_int_equal(told.last.workgroups, 40);
        assert_int_equal(told.count, 40); /* one per workgroup: none is long */
        assert_int_equal(told.last.warp_insns, p.result.stats.warp_insns);
        assert_int_equal(p.result.place_count, 0);
    }
    /* one long workgroup reports as well */
    struct told told = {0};
    SCOPED(program) p = program_new("here: j here\n", 8);
    p.options.progress = note;
    p.options.progress_context = &told;
    p.options.max_insns = 1000000;
    program_trap(&p, SAM_TRAP_BUDGET);
    assert_true(told.count >= 14 && told.count <= 16);
    assert_int_equal(told.last.done, 0);
}

/* The stop comes with the end of the second workgroup: the third does not begin. */
TEST(places_of_a_stop)
{
    struct told told = {.stop_at = 2};
    struct program p = program_new(count_down, 8);
    p.options.progress = note;
    p.options.progress_context = &told;
    p.options.stop = &told.stop;
    p.launch.grid[1] = 5;
    assert_int_equal(program_run(&p), SAM_ERR_STOPPED);
    assert_string_equal(p.error.text, "stopped after 2 of 5 workgroups");
    assert_int_equal(p.result.place_count, 0);
    program_free(&p);
    /* within a workgroup, at the first report after its instructions: warp 0 waits, warp 1 has
     * used its time slice in the loop, warp 2 has not begun */
    told = (struct told){.stop_early = true};
    p = program_new("        csrr    t0, wid\n"
                    "        bnez    t0, over\n"
                    "wait:   barrier x0, x0, 0\n"
                    "over:   j       over\n",
                    8);
    p.options.progress = note;
    p.options.progress_context = &told;
    p.options.stop = &told.stop;
    p.launch.warps = 3;
    assert_int_equal(program_run(&p), SAM_ERR_STOPPED);
    assert_int_equal(p.result.place_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct sam_warp_place *place = &p.result.places[i];
        assert_int_equal(place->warp, i);
        assert_int_equal(place->waits, i == 0);
        assert_int_equal(place->pc, i == 0   ? program_symbol(&p, "wait")
                                    : i == 1 ? program_symbol(&p, "over")
                                             : SAM_CODE_BASE);
    }
    program_free(&p);
}

TEST(places_of_a_deadlock)
{
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        SCOPED(program) p = program_new("        csrr    t0, wid\n"
                                        "        beqz    t0, other\n"
                                        "        li      t1, 3\n"
                                        "        beq     t0, t1, over\n"
                                        "first:  barrier x0, x0, 0\n"
                                        "over:   endprg\n"
                                        "other:  nop\n"
                                        "there:  barrier x0, x0, 0\n"
                                        "        endprg\n",
                                        8);
        p.options.jobs = jobs;
        p.launch.grid[0] = 6;
        p.launch.warps = 5;
        program_trap(&p, SAM_TRAP_DEADLOCK);
        assert_int_equal(p.result.trap.workgroup, 0);
        static const uint32_t warps[] = {0, 1, 2, 4};
        assert_int_equal(p.result.place_count, SAM_COUNT(warps));
        for (size_t i = 0; i < SAM_COUNT(warps); i++) {
            const struct sam_warp_place *place = &p.result.places[i];
            assert_int_equal(place->workgroup, 0);
            assert_int_equal(place->warp, warps[i]);
            assert_true(place->waits);
            assert_int_equal(place->pc, program_symbol(&p, i == 0 ? "there" : "first"));
        }
    }
}

/* Workgroups from number `first` on fail, the others record that they ran. On any workers, the
 * first failure is reported, all workgroups before it have run, and every started one is
 * counted. */
TEST(many_workgroups_fail)
{
    enum { GROUPS = 1500 };
    for (unsigned i = 0; i < 60; i++) {
        const unsigned jobs = 1 + i % 4;
        const uint32_t first = i * 71 % GROUPS;
        SCOPED(program) p = program_new("        csrr    t0, gdx\n"
                                        "        li      t1, 0x90000000\n"
                                        "        lw      t2, 0(t1)\n"
                                        "        bltu    t0, t2, good\n"
                                        "        lw      t2, 1(t1)\n"
                                        "good:   li      t3, 2000\n"
                                        "1:      addi    t3, t3, -1\n"
                                        "        bnez    t3, 1b\n"
                                        "        slli    t0, t0, 2\n"
                                        "        add     t1, t1, t0\n"
                                        "        li      t2, 1\n"
                                        "        sw      t2, 4(t1)\n"
                                        "        endprg\n",
                                        8);
        program_set(&p, DATA, first);
        if (i % 3) /* no prints */
            program_set(&p, KERNEL + 52, 0);
        p.options.jobs = jobs;
        p.launch.grid[0] = GROUPS;
        program_trap(&p, SAM_TRAP_LOAD_MISALIGNED);
        assert_int_equal(p.result.trap.workgroup, first);
        uint32_t ran = 0;
        for (uint32_t k = 0; k < GROUPS; k++)
            ran += program_word(&p, DATA + 4 + 4 * k);
        assert_int_equal(ran, first);
        assert_true(p.result.stats.workgroups > first);
        assert_true(p.result.stats.workgroups <= first + jobs);
    }
}

/* The argument buffer named by a prepared launch. */
TEST(prepared_arguments)
{
    SCOPED(program) p = program_new("k: endprg\n", 8);
    const uint32_t words[] = {1, 2, 3};
    struct sam_launch launch;
    struct sam_kernel kernel = {
        .name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = words, .args_size = 12};
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &launch);
    assert_int_equal(launch.args_size, 12);
    assert_int_equal(program_word(&p, launch.args + 8), 3);
    kernel.args_size = 0;
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &launch);
    assert_int_equal(launch.args, 0);
    assert_int_equal(launch.args_size, 0);
}

/* A section has its bytes at its run address and at its load address, and nowhere else. */
TEST(load_addresses)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct sam_section section = {.name = ".data",
                                        .address = 0xa0000000,
                                        .size = 16,
                                        .data_size = 8,
                                        .data = (uint8_t *)bytes,
                                        .load_offset = -UINT64_C(0x1000)};
    struct sam_error error;
    struct sam_gpu *gpu;
    SCOPED_IMAGE *image = sam_image_new(32);
    uint8_t got[9];
    assert_non_null(image);
    succeeds(sam_image_add_section, image, &section);
    succeeds(sam_image_finish, image);
    succeeds(sam_gpu_new, NULL, &gpu);
    succeeds(sam_gpu_load, gpu, image);
    succeeds(sam_gpu_read, gpu, 0x9ffff000, got, 8);
    assert_memory_equal(got, bytes, 8);
    assert_int_equal(sam_gpu_read(gpu, 0x9ffff000, got, 9, &error), SAM_ERR_USAGE);
    succeeds(sam_gpu_read, gpu, 0xa0000000, got, 9);
    assert_memory_equal(got, bytes, 8);
    succeeds(sam_gpu_read, gpu, 0xa0000000, NULL, 16);
    sam_gpu_free(gpu);
    /* a load address above 4 GiB, impossible in a 32-bit ELF file */
    image->sections[0].load_offset = UINT64_C(1) << 32;
    succeeds(sam_gpu_new, NULL, &gpu);
    assert_int_equal(sam_gpu_load(gpu, image, &error), SAM_ERR_INPUT);
    assert_string_equal(error.text, "section .data at 0x1a0000000: above 4 GiB");
    sam_gpu_free(gpu);
}

static bool collect(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

/* Workgroups of one GPU that change in size: each warp finds its registers and local memory
 * zeroed, and leaves them changed. */
TEST(changing_warps)
{
    static const uint32_t warps[] = {4, 1, 8, 8, 2, 40, 3, 40};
    SCOPED(program) p = program_new("        li      t0, 0x90000000\n"
                                    "        csrr    t1, lds\n"
                                    "        csrr    t2, wid\n"
                                    "        slli    t2, t2, 7\n"
                                    "        add     t1, t1, t2\n"
                                    "        csrr    t3, gdx\n"
                                    "        slli    t3, t3, 13\n"
                                    "        add     t2, t2, t3\n"
                                    "        add     t0, t0, t2\n"
                                    "        vle32.v v2, (t1)\n"
                                    "        vadd.vv v2, v2, v40\n"
                                    "        vadd.vx v2, v2, s3\n"
                                    "        vadd.vi v2, v2, 1\n"
                                    "        vse32.v v2, (t0)\n"
                                    "        li      s3, 5\n"
                                    "        vmv.v.x v40, s3\n"
                                    "        vse32.v v40, (t1)\n"
                                    "        endprg\n",
                                    32);
    p.launch.pds_size = 0;
    p.launch.lds_size = 8192;
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        p.options.jobs = jobs;
        for (size_t i = 0; i < SAM_COUNT(warps); i++) {
            const uint32_t groups = 1 + (uint32_t)i % 5;
            p.launch.warps = warps[i];
            p.launch.grid[0] = groups;
            program_pass(&p);
            for (uint32_t k = 0; k < groups * 64 * 32; k++) {
                const uint32_t address = DATA + 4 * k;
                assert_int_equal(program_word(&p, address), k % (64 * 32) < warps[i] * 32 ? 1 : 0);
                program_set(&p, address, 0);
            }
        }
    }
}

/* As in the public simulator: after a vector branch, npc is the warp's next pc, whether all
 * lanes went there or some; after a join that pops, the path popped; after another join, the old
 * npc. Instructions that set vl write vstart, too. */
TEST(commit_log)
{
    static const char *const lines[] = {
        "(0x0d02f057) c8_vstart 0x00000000 c3104_vl 0x00000004 c3105_vtype 0x000000d0\n",
        "3 0x8000001c (0x0011485b) c8_vstart 0x00000000 e32 m1 l4 current mask:\t00000001 "
        "current npc:\t8000002c stack size: 2\n",
        "3 0x80000030 (0x0000205b) current mask:\t0000000e current npc:\t80000020 stack size: 1\n",
        "3 0x80000030 (0x0000205b) current mask:\t0000000f current npc:\t80000030 stack size: 0\n",
        "3 0x80000030 (0x0000205b) current mask:\t0000000f current npc:\t80000030 stack size: 0\n",
        "3 0x80000034 (0x0011c65b) c8_vstart 0x00000000 e32 m1 l4 current mask:\t0000000f "
        "current npc:\t80000038 stack size: 0\n",
        "3 0x80000038 (0x0011d45b) c8_vstart 0x00000000 e32 m1 l4 current mask:\t0000000f "
        "current npc:\t80000040 stack size: 0\n",
    };
    SCOPED(sam_buffer) log = {0};
    SCOPED(program) p = program_new("        li      t0, 4\n"
                                    "        vsetvli zero, t0, e32, m1, ta, ma\n"
                                    "        vid.v   v1\n"
                                    "        vmv.v.i v2, 1\n"
                                    "        la      t1, meet\n"
                                    "        setrpc  zero, t1, 0\n"
                                    "        vblt    v1, v2, few\n"
                                    "        nop\n"
                                    "        nop\n"
                                    "        j       meet\n"
                                    "few:    nop\n"
                                    "meet:   join\n"
                                    "        vblt    v1, v3, end\n"
                                    "        vbge    v1, v3, end\n"
                                    "        nop\n"
                                    "end:    endprg\n",
                                    4);
    p.options.log = (struct sam_sink){collect, &log};
    program_pass(&p);
    const char *at = sam_buffer_text(&log);
    for (size_t i = 0; i < SAM_COUNT(lines); i++) {
        const char *found = strstr(at, lines[i]);
        if (!found)
            fail_msg("no '%s' in %s", lines[i], at);
        at = found + strlen(lines[i]);
    }
}

/* The limit is exact, also in straight-line code, however the launch runs. */
TEST(limits)
{
    static const uint32_t limits[] = {1, 2, 3, 1020, 1024, 1030, 2047, 2048, 5000};
    SCOPED(program) p = program_new("1:      .rept   1500\n"
                                    "        addi    t0, t0, 1\n"
                                    "        .endr\n"
                                    "        j       1b\n",
                                    8);
    p.launch.warps = 2;
    for (size_t i = 0; i < SAM_COUNT(limits); i++) {
        for (unsigned way = 0; way < 3; way++) {
            const uint32_t run = limits[i] % 1501;
            p.options.max_insns = limits[i];
            p.options.collect_stats = way == 1;
            p.options.schedule = way == 2 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN;
            program_trap(&p, SAM_TRAP_BUDGET);
            assert_int_equal(p.result.trap.tval, limits[i]);
            assert_int_equal(p.result.trap.pc, SAM_CODE_BASE + 4 * run);
            assert_int_equal(p.result.trap.warp, 0);
            /* with time slices of one instruction, warp 1 has run as many */
            assert_int_equal(p.result.stats.warp_insns, way == 2 ? 2 * limits[i] : limits[i]);
        }
    }
}
