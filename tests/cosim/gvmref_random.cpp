/* SPDX-License-Identifier: Apache-2.0 */
/* libgvmref under random calls, right and wrong ones, as many as SAMITE_CASES says: each returns 0
 * or -1, launches of random sizes whose warps are stepped in any order end, and a process that
 * forks goes on in both. */
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "random.h"
#include "samite/samite.h"
#include "ventus/gvmref.h"

namespace
{

const char text[] = "  csrr t0, knl\n"
                    "  lw t1, 4(t0)\n"
                    "  csrr t2, wid\n"
                    "  vid.v v1\n"
                    "  vadd.vx v2, v1, t2\n"
                    "  vsll.vi v3, v1, 2\n"
                    "  vadd.vx v3, v3, t1\n"
                    "  barrier x0, x0, 0\n"
                    "  vsw12.v v2, 0(v3)\n"
                    "  vlw12.v v4, 0(v3)\n"
                    "  endprg\n";

uint64_t state;
const char *path;
uint32_t first, groups, warps; /* of the launch; groups 0: none */
uint32_t knl, out, pds;
uint64_t refused;

uint64_t below(uint64_t bound)
{
    return test_below(&state, bound);
}

uint64_t any()
{
    static const uint64_t edges[] = {0,          1,          0x70000000, 0x80000000,
                                     0x90000000, UINT32_MAX, 1ull << 32, UINT64_MAX};
    return below(2) ? edges[below(8)] : test_random(&state) >> below(64);
}

[[noreturn]] void die(const std::string &what)
{
    std::printf("not ok 1 - %s\n", what.c_str());
    std::exit(1);
}

bool told(int code)
{
    if (code != 0 && code != -1)
        die("a call returned " + std::to_string(code));
    refused += code != 0;
    return code == 0;
}

void need(bool good, const char *what)
{
    if (!good)
        die(what);
}

void step_once(uint32_t workgroup, uint32_t warp)
{
    gvmref_result result;
    gvmref_step(workgroup, warp, &result);
    need(result.done == 0 || result.done == 1, "done");
}

/* Step the warps of the launch in any order until all have ended. */
void run_to_end()
{
    for (uint32_t g = 0; g < groups; g++) {
        gvmref_result result = {};
        for (unsigned steps = 0; !result.done; steps++) {
            need(steps < 100000, "a workgroup does not end");
            gvmref_step(first + g, (uint32_t)below(warps), &result);
        }
    }
    need(gvmref_vt_kernel_finish() == 0, "a launch ends when its workgroups have");
}

void begin_launch(bool wrong)
{
    uint64_t meta[12] = {
        0,    1 + below(3), 1,  1 + below(2), 4ull << below(4), 1 + below(4), knl, 4096,
        4096, 64,           64, pds};
    if (wrong)
        meta[below(12)] = any();
    if (meta[1] * meta[5] > 1 << 12 || meta[2] > 2 || meta[3] > 2)
        return;
    const bool running = groups && gvmref_vt_kernel_finish() != 0;
    const uint32_t count = groups;
    if (!told(gvmref_vt_start(wrong && !below(9) ? nullptr : meta, 0))) {
        need(wrong || running, "a right launch starts");
        groups = running ? groups : 0;
        first += running ? 0 : count;
        return;
    }
    need(!running, "a launch is refused while another runs");
    first += count;
    groups = (uint32_t)(meta[1] * meta[2] * meta[3]);
    warps = (uint32_t)meta[5];
}

void call()
{
    uint64_t address = any();
    uint8_t bytes[64] = {};
    gvmref_file file;
    const uint32_t workgroup =
        below(4) && groups ? first + (uint32_t)below(groups) : (uint32_t)any();
    const uint32_t warp = below(4) && warps ? (uint32_t)below(warps) : (uint32_t)any();
    switch (below(12)) {
    case 0:
        if (told(gvmref_vt_buf_alloc(below(4) ? 1 + below(9000) : any(), &address, 0, 5, 0)))
            told(gvmref_vt_one_buf_free(1, &address, 5, 0));
        break;
    case 1:
        if (told(gvmref_vt_buf_alloc_fixed(1 + below(9000), address, 0, 5, 0)))
            told(gvmref_vt_buf_free(0, nullptr, 5, 0));
        break;
    case 2:
        told(gvmref_vt_copy_to_dev(below(2) ? out + below(64) : address | 1ull << 40, bytes,
                                   below(65), 0, 0));
        break;
    case 3: told(gvmref_vt_upload_kernel_file(below(3) ? path : "absent", 0)); break;
    case 4: told(gvmref_vt_one_buf_free(1, below(2) ? &address : nullptr, 6, 0)); break;
    case 5:
        told(gvmref_set_warp_xreg(workgroup, warp, (uint32_t)below(70),
                                  {std::vector<uint64_t>(below(70), 7)}));
        break;
    case 6: gvmref_get_next_pc(workgroup, warp); break;
    case 7: gvmref_get_xreg(&file, workgroup, warp); break;
    case 8: told(gvmref_vt_kernel_finish()); break;
    case 9: told(below(2) ? gvmref_vt_dev_open() : 0); break;
    default: step_once(workgroup, warp); break;
    }
}

void open_device()
{
    uint64_t at[3];
    need(gvmref_vt_dev_open() == 0, "open");
    for (uint64_t &a : at)
        need(gvmref_vt_buf_alloc(4096 * 32 * 16, &a, 0, 0, 0) == 0, "a buffer");
    knl = (uint32_t)at[0];
    out = (uint32_t)at[1];
    pds = (uint32_t)at[2];
    const uint32_t words[16] = {0x80000000, out};
    need(gvmref_vt_copy_to_dev(knl, words, sizeof words, 0, 0) == 0, "a copy");
    need(gvmref_vt_upload_kernel_file(path, 0) == 0, "a program");
    first = groups = warps = 0;
}

void round_of_calls(uint64_t count)
{
    open_device();
    for (uint64_t i = 0; i < count; i++) {
        if (below(20) == 0)
            begin_launch(below(3) == 0);
        call();
    }
    told(gvmref_vt_dev_close());
    open_device();
    begin_launch(false);
    run_to_end();
    begin_launch(false);
    const pid_t child = fork();
    run_to_end();
    if (child == 0)
        _exit(0);
    int status = -1;
    need(waitpid(child, &status, 0) == child && status == 0, "a child goes on");
    need(gvmref_vt_dev_close() == 0, "close");
}

void save_program(const char *name)
{
    struct sam_error error = {};
    struct sam_asm_options options = {};
    struct sam_image *image = nullptr;
    char *messages = nullptr;
    void *bytes = nullptr;
    size_t size = 0;
    options.base = SAM_CODE_BASE;
    if (sam_isa_parse("ventus", &options.isa, &error) != SAM_OK ||
        sam_assemble(&options, "random.s", text, sizeof text - 1, &image, &messages, &error) !=
            SAM_OK ||
        sam_elf_make(image, &bytes, &size, &error) != SAM_OK ||
        sam_file_save(name, bytes, size, &error) != SAM_OK)
        die(messages ? messages : error.text);
    sam_text_free(messages);
    sam_image_free(image);
    std::free(bytes);
}

} /* namespace */

int main()
{
    char name[] = "/tmp/samite-gvmref-XXXXXX";
    close(mkstemp(name));
    path = name;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("1..1\n");
    state = test_seed();
    if (!std::freopen("/dev/null", "w", stderr)) /* a message for each call that is refused */
        die("/dev/null");
    save_program(name);
    const uint64_t cases = test_number("SAMITE_CASES", 3000);
    for (uint64_t done = 0; done < cases; done += std::min<uint64_t>(1000, cases - done))
        round_of_calls(std::min<uint64_t>(1000, cases - done));
    unlink(name);
    std::printf("# %llu calls, %llu refused\n", (unsigned long long)cases,
                (unsigned long long)refused);
    std::printf("ok 1 - random calls\n");
    return 0;
}
