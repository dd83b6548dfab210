/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of session.h, cosim.h and profile.h: NULL, zero counts, sizes. */
#include "program.h"

#include "test.h"

#include "samite/cosim.h"
#include "samite/profile.h"
#include "samite/session.h"

struct fixture {
    struct program program;
    struct sam_session *session;
};

static struct fixture make(void)
{
    struct fixture f = {.program = program_new("nop\nnop\nendprg\n", 8)};
    succeeds(sam_session_open, f.program.gpu, &f.program.launch, NULL, &f.session);
    return f;
}

static void release(struct fixture *f)
{
    sam_session_close(f->session);
    program_free(&f->program);
}

TEST(opening)
{
    struct fixture f = make();
    struct sam_gpu *gpu = f.program.gpu;
    const struct sam_launch *launch = &f.program.launch, none = {0};
    const uint32_t far[] = {7}, twice[] = {0, 0};
    const struct sam_session_options bad[] = {
        {.size = 3},
        {.size = sizeof bad[0], .workgroups = far, .workgroup_count = 1},
        {.size = sizeof bad[0], .workgroups = twice, .workgroup_count = 2},
    };
    struct sam_session *session = (struct sam_session *)1;
    refuses(sam_session_open, NULL, launch, NULL, &session);
    assert_null(session);
    refuses(sam_session_open, gpu, NULL, NULL, &session);
    refuses(sam_session_open, gpu, launch, NULL, NULL);
    refuses_with("0 threads", sam_session_open, gpu, &none, NULL, &session);
    for (size_t i = 0; i < SAM_COUNT(bad); i++)
        refuses(sam_session_open, gpu, launch, &bad[i], &session);
    assert_null(session);
    struct sam_hart *hart;
    struct sam_session *other;
    assert_int_equal(sam_hart_new(NULL, &hart, NULL), SAM_OK);
    refuses(sam_session_open_hart, NULL, &session);
    refuses(sam_session_open_hart, hart, NULL);
    assert_int_equal(sam_session_open_hart(hart, &session, NULL), SAM_OK);
    refuses(sam_session_open_hart, hart, &other); /* it has one */
    refuses(sam_session_finish, session, NULL);   /* a hart has no launch */
    sam_session_close(session);
    sam_hart_free(hart);
    sam_session_close(NULL);
    release(&f);
}

TEST(inspecting)
{
    struct fixture f = make();
    struct sam_session *s = f.session;
    struct sam_session_shape shape;
    struct sam_session_warp warp;
    struct sam_stack_entry entry;
    uint64_t value;
    uint32_t lanes[SAM_MAX_LANES], word;
    size_t depth;
    refuses(sam_session_shape, NULL, &shape);
    refuses(sam_session_shape, s, NULL);
    assert_int_equal(sam_session_workgroup(NULL, 0), UINT32_MAX);
    assert_int_equal(sam_session_workgroup(s, 1), UINT32_MAX);
    assert_int_equal(sam_session_workgroup_state(NULL, 0), SAM_SESSION_ABSENT);
    assert_int_equal(sam_session_workgroup_state(s, 1), SAM_SESSION_ABSENT);
    assert_int_equal(sam_session_time(NULL), 0);
    refuses(sam_session_warp, NULL, 0, 0, &warp);
    refuses(sam_session_warp, s, 0, 0, NULL);
    refuses_with("workgroup 1", sam_session_warp, s, 1, 0, &warp);
    refuses(sam_session_warp, s, 0, 1, &warp);
    refuses(sam_session_x, NULL, 0, 0, 1, &value);
    refuses(sam_session_x, s, 0, 0, 1, NULL);
    refuses_with("x64", sam_session_x, s, 0, 0, 64, &value);
    refuses(sam_session_v, NULL, 0, 0, 1, lanes);
    refuses(sam_session_v, s, 0, 0, 1, NULL);
    refuses_with("v256", sam_session_v, s, 0, 0, 256, lanes);
    refuses(sam_session_csr, NULL, 0, 0, 0x300, &value);
    refuses(sam_session_csr, s, 0, 0, 0x300, NULL);
    refuses(sam_session_csr, s, 0, 0, 0xfff, &value);
    refuses(sam_session_stack, NULL, 0, 0, &entry, 1, &depth);
    refuses(sam_session_stack, s, 0, 0, NULL, 1, &depth);
    refuses(sam_session_stack, s, 0, 0, &entry, 1, NULL);
    assert_int_equal(sam_session_stack(s, 0, 0, NULL, 0, &depth, NULL), SAM_OK);
    refuses(sam_session_private, NULL, 0, 0, 0, 0, &value);
    refuses(sam_session_private, s, 0, 0, 0, 0, NULL);
    refuses(sam_session_private, s, 0, 0, 8, 0, &value);
    refuses(sam_session_private, s, 0, 0, 0, UINT32_MAX, &value);
    refuses(sam_session_read, NULL, 0, DATA, &word, 4);
    refuses(sam_session_read, s, 1, DATA, &word, 4);
    static const uint64_t nowhere[] = {0, DATA + DATA_SIZE - 2, UINT64_C(0x190000000),
                                       SAM_LDS_BASE + SAM_LDS_SIZE - 2};
    for (size_t i = 0; i < SAM_COUNT(nowhere); i++)
        refuses_with("not in one", sam_session_read, s, 0, nowhere[i], &word, 4);
    refuses(sam_session_read, s, 0, DATA, NULL, SIZE_MAX);
    assert_int_equal(sam_session_read(s, 0, DATA, NULL, 4, NULL), SAM_OK); /* it is there */
    release(&f);
}

TEST(changing)
{
    struct fixture f = make();
    struct sam_session *s = f.session;
    const uint32_t lanes[SAM_MAX_LANES] = {0};
    const struct sam_stack_entry entry = {0};
    refuses(sam_session_set_pc, NULL, 0, 0, SAM_CODE_BASE);
    refuses(sam_session_set_pc, s, 0, 0, SAM_CODE_BASE + 2);
    refuses(sam_session_set_x, NULL, 0, 0, 1, 0);
    refuses(sam_session_set_x, s, 0, 0, 64, 0);
    refuses(sam_session_set_v, NULL, 0, 0, 1, 1, lanes);
    refuses(sam_session_set_v, s, 0, 0, 1, 1, NULL);
    refuses(sam_session_set_v, s, 0, 0, 256, 1, lanes);
    refuses(sam_session_set_csr, NULL, 0, 0, 0x300, 0);
    refuses(sam_session_set_csr, s, 0, 0, 0xfff, 0);
    refuses(sam_session_set_stack, NULL, 0, 0, 1, &entry, 1);
    refuses(sam_session_set_stack, s, 0, 0, 1, NULL, 1);
    refuses(sam_session_set_stack, s, 0, 0, 1u << 8, &entry, 1); /* lane 8 of 8 */
    refuses(sam_session_set_stack, s, 0, 0, 1, &entry, SIZE_MAX);
    const struct sam_session_lane lane = {.lane = 1}, no_lane = {.lane = 99},
                                  no_warp = {.warp = 99};
    const uint32_t vector[SAM_MAX_LANES] = {7, 0x01020304, 9};
    uint8_t byte = 0x55, bytes[8];
    uint64_t scalar;
    uint32_t now[SAM_MAX_LANES] = {0};
    refuses(sam_session_read_lane, NULL, lane, SAM_LANE_V, bytes, 4);
    refuses(sam_session_write_lane, NULL, lane, SAM_LANE_V, bytes, 4);
    refuses(sam_session_read_lane, s, no_lane, SAM_LANE_V, bytes, 4);
    refuses(sam_session_read_lane, s, no_warp, SAM_LANE_V, bytes, 4);
    refuses(sam_session_read_lane, s, lane, SAM_LANE_FIRST - 4, bytes, 4);
    refuses(sam_session_read_lane, s, lane, UINT64_C(1) << 32, bytes, 4);
    refuses(sam_session_read_lane, s, lane, SAM_LANE_X + 4 * 64 - 4, bytes, 8);
    succeeds(sam_session_set_v, s, 0, 0, 200, 7, vector);
    succeeds(sam_session_set_x, s, 0, 0, 33, 0x11223344);
    succeeds(sam_session_read_lane, s, lane, SAM_LANE_V + 800, bytes, 4);
    assert_memory_equal(bytes, "\4\3\2\1", 4);
    succeeds(sam_session_write_lane, s, lane, SAM_LANE_V + 802, &byte, 1);
    succeeds(sam_session_write_lane, s, lane, SAM_LANE_X + 133, &byte, 1);
    succeeds(sam_session_v, s, 0, 0, 200, now);
    assert_true(now[0] == 7 && now[1] == 0x01550304 && now[2] == 9);
    succeeds(sam_session_x, s, 0, 0, 33, &scalar);
    assert_int_equal(scalar, 0x11225544);
    const uint32_t arguments = DATA, argument = 0x0a0b0c0d;
    succeeds(sam_session_csr, s, 0, 0, 0x803, &scalar); /* the metadata */
    succeeds(sam_session_write, s, 0, scalar + 4, &arguments, 4);
    succeeds(sam_session_write, s, 0, DATA, &argument, 4);
    succeeds(sam_session_read_lane, s, lane, SAM_LANE_ARGUMENTS, bytes, 4);
    assert_memory_equal(bytes, "\15\14\13\12", 4);
    refuses(sam_session_write, NULL, 0, DATA, lanes, 4);
    refuses(sam_session_write, s, 0, DATA, NULL, 4);
    refuses_with("not in one", sam_session_write, s, 0, 0x1000, lanes, 4);
    release(&f);
}

TEST(running)
{
    struct fixture f = make();
    struct sam_session *s = f.session;
    const struct sam_session_run sized = {.size = 3};
    const struct sam_session_run scope = {.size = sizeof scope, .scope = (enum sam_session_scope)3};
    const struct sam_session_run warp = {.size = sizeof warp, .scope = SAM_SCOPE_WARP, .warp = 1};
    const struct sam_session_break at = {.pc = SAM_CODE_BASE}, odd = {.pc = 2};
    const struct sam_session_watch of = {.address = DATA, .size = 4}, empty = {.address = DATA},
                                   beyond = {.address = UINT64_MAX, .size = 2};
    unsigned id;
    refuses(sam_session_step, NULL, 0, 0, NULL);
    refuses_with("warp 1", sam_session_step, s, 0, 1, NULL);
    refuses(sam_session_run, NULL, NULL, NULL);
    refuses(sam_session_run, s, &sized, NULL);
    refuses_with("scope 3", sam_session_run, s, &scope, NULL);
    refuses(sam_session_run, s, &warp, NULL);
    refuses(sam_session_finish, NULL, NULL);
    refuses(sam_session_add_break, NULL, &at, &id);
    refuses(sam_session_add_break, s, NULL, &id);
    refuses(sam_session_add_break, s, &at, NULL);
    refuses_with("multiple of 4", sam_session_add_break, s, &odd, &id);
    refuses(sam_session_add_watch, NULL, &of, &id);
    refuses(sam_session_add_watch, s, NULL, &id);
    refuses(sam_session_add_watch, s, &of, NULL);
    refuses_with("1 byte", sam_session_add_watch, s, &empty, &id);
    refuses(sam_session_add_watch, s, &beyond, &id);
    refuses(sam_session_remove, NULL, 1);
    refuses(sam_session_remove, s, 1);
    release(&f);
}

TEST(going_back)
{
    struct fixture f = make();
    struct sam_session *s = f.session;
    struct sam_session_stop stop;
    unsigned id;
    refuses(sam_session_snapshot, NULL, &id);
    refuses(sam_session_snapshot, s, NULL);
    refuses(sam_session_restore, NULL, 1);
    refuses(sam_session_restore, s, 1);
    refuses(sam_session_drop, NULL, 1);
    refuses(sam_session_drop, s, 0);
    refuses(sam_session_record, NULL, 0);
    refuses(sam_session_goto, NULL, 0);
    refuses(sam_session_goto, s, 5);
    refuses(sam_session_back, NULL, &stop);
    refuses(sam_session_back, s, NULL); /* nothing is recorded */
    refuses(sam_session_back_before, NULL, &stop);
    refuses(sam_session_back_before, s, NULL);
    refuses(sam_session_back_warp, NULL, 0, 0, &stop);
    refuses(sam_session_back_warp, s, 0, 0, NULL);
    release(&f);
}

TEST(lockstep)
{
    struct fixture f = make();
    const struct sam_cosim_options sized = {.size = 3};
    const struct sam_cosim_commit many = {.count = 3},
                                  unknown = {.write = (enum sam_cosim_write)99};
    struct sam_cosim *cosim = (struct sam_cosim *)1;
    bool same;
    refuses(sam_cosim_open, NULL, NULL, &cosim);
    assert_null(cosim);
    refuses(sam_cosim_open, f.session, NULL, NULL);
    refuses(sam_cosim_open, f.session, &sized, &cosim);
    assert_int_equal(sam_cosim_open(f.session, NULL, &cosim, NULL), SAM_OK);
    refuses(sam_cosim_compare, NULL, &many, &same);
    refuses(sam_cosim_compare, cosim, NULL, &same);
    refuses(sam_cosim_compare, cosim, &many, &same);
    refuses(sam_cosim_compare, cosim, &unknown, NULL);
    refuses(sam_cosim_finish, NULL, &same);
    assert_string_equal(sam_cosim_report(NULL), "");
    assert_int_equal(sam_cosim_count(NULL), 0);
    sam_cosim_close(cosim);
    sam_cosim_close(NULL);
    release(&f);
}

TEST(profiles)
{
    struct sam_profile *profile = sam_profile_new();
    const struct sam_profile_options sized = {.size = 3};
    enum sam_profile_format format;
    size_t count;
    char *text = (char *)1;
    refuses(sam_profile_print, NULL, SAM_PROFILE_TEXT, NULL, &text);
    assert_null(text);
    refuses(sam_profile_print, profile, SAM_PROFILE_TEXT, NULL, NULL);
    refuses(sam_profile_print, profile, (enum sam_profile_format)4, NULL, &text);
    refuses(sam_profile_print, profile, SAM_PROFILE_TEXT, &sized, &text);
    sam_profile_rows(profile, &count);
    assert_int_equal(count, 0);
    assert_false(sam_profile_format_of("p.xml", &format));
    sam_profile_free(profile);
    sam_profile_free(NULL);
}

TEST(descriptions)
{
    struct sam_gpu_stats total = {0};
    char text[4];
    sam_image_describe(NULL, 0x80000000, text, sizeof text); /* cut off */
    assert_int_equal(strlen(text), 3);
    assert_int_equal(sam_gpu_stats_add(&total, &total, NULL), SAM_OK); /* nothing and nothing */
}
