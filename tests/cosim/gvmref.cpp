/* SPDX-License-Identifier: Apache-2.0 */
/* libgvmref as the RTL's checker calls it: a program of several warps with a barrier and branches
 * that diverge, stepped in random orders. Every step must be what the commit log of a plain launch
 * says of that instruction, register by register, and a wrong call must be refused. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "random.h"
#include "samite/samite.h"
#include "ventus/gvmref.h"

namespace
{

const uint32_t DATA = 0x90000000, GROUPS = 3, WARPS = 3, LANES = 8;

const char text[] = "  csrr s0, wid\n"
                    "  csrr t0, gdx\n"
                    "  slli t1, t0, 1\n"
                    "  add t0, t0, t1\n"
                    "  add s0, s0, t0\n"
                    "  li s1, 0x90000000\n"
                    "  slli t0, s0, 5\n"
                    "  add s1, s1, t0\n"
                    "  vid.v v1\n"
                    "  vmv.v.x v2, s0\n"
                    "  vadd.vv v40, v1, v2\n"
                    "  vadd.vi v3, v40, 5\n"
                    "  la t2, join\n"
                    "  setrpc x0, t2, 0\n"
                    "  vblt v1, v2, low\n"
                    "  vmul.vv v6, v1, v1\n"
                    "  j join\n"
                    "low: vadd.vi v6, v1, 9\n"
                    "join: join\n"
                    "  vsll.vi v7, v1, 2\n"
                    "  vadd.vx v7, v7, s1\n"
                    "  vsw12.v v6, 0(v7)\n"
                    "  barrier 1\n"
                    "  addi t3, s0, 1\n"
                    "  barrier 1\n"
                    "  csrr t0, wid\n"
                    "  slli t0, t0, 5\n"
                    "  sub t0, s1, t0\n" /* what warp 0 of the same workgroup has stored */
                    "  vsll.vi v8, v1, 2\n"
                    "  vadd.vx v8, v8, t0\n"
                    "  vlw12.v v9, 0(v8)\n"
                    "  sw t3, 1024(s1)\n"
                    "  lw a0, 1024(s1)\n"
                    "  endprg\n";

int cases, bad;

void check(bool good, const char *name)
{
    cases++;
    bad += !good;
    std::printf("%sok %d - %s\n", good ? "" : "not ", cases, name);
}

[[noreturn]] void die(const char *what)
{
    std::printf("Bail out! %s\n", what);
    std::exit(1);
}

void must(enum sam_status status, const struct sam_error &error)
{
    if (status != SAM_OK)
        die(error.text);
}

/* An instruction as the log has it. */
struct commit {
    uint32_t pc, word;
    int x = -1, v = -1; /* registers written */
    uint32_t x_value = 0, mask = 0;
    uint32_t lanes[32] = {};
};

using warp_name = std::pair<uint32_t, uint32_t>; /* workgroup, warp */

bool collect(void *context, const void *data, size_t size)
{
    static_cast<std::string *>(context)->append(static_cast<const char *>(data), size);
    return true;
}

/* "core   W: 3 0xPC (0xWORD) ..." with " xN  0xVALUE" or " vN  MASK 0xLANE LANE ...", the highest
 * lane first. */
std::map<warp_name, std::vector<commit>> read_log(const std::string &log)
{
    std::map<warp_name, std::vector<commit>> commits;
    uint32_t workgroup = 0, ended = 0;
    for (size_t at = 0; at < log.size();) {
        const size_t end = log.find('\n', at);
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        commit c;
        unsigned warp;
        int used;
        if (std::sscanf(line.c_str(), "core %u: 3 0x%x (0x%x)%n", &warp, &c.pc, &c.word, &used) !=
            3)
            continue;
        std::vector<std::string> words;
        const char *rest = line.c_str() + used;
        for (char word[64]; std::sscanf(rest, "%63s%n", word, &used) == 1; rest += used)
            words.emplace_back(word);
        for (size_t i = 0; i + 1 < words.size(); i++) {
            if (std::sscanf(words[i].c_str(), "x%d", &c.x) == 1)
                c.x_value = (uint32_t)std::strtoul(words[i + 1].c_str(), nullptr, 16);
            if (std::sscanf(words[i].c_str(), "v%d", &c.v) == 1) {
                c.mask = (uint32_t)std::strtoul(words[i + 1].c_str(), nullptr, 16);
                for (uint32_t lane = 0; lane < LANES; lane++)
                    c.lanes[LANES - 1 - lane] =
                        (uint32_t)std::strtoul(words.at(i + 2 + lane).c_str(), nullptr, 16);
                break;
            }
        }
        commits[{workgroup, warp}].push_back(c);
        if (c.word == 0x400b && ++ended == WARPS) {
            workgroup++;
            ended = 0;
        }
    }
    return commits;
}

struct sam_image *assemble()
{
    struct sam_error error = {};
    struct sam_asm_options options = {};
    struct sam_image *image = nullptr;
    char *messages = nullptr;
    options.base = SAM_CODE_BASE;
    must(sam_isa_parse("ventus", &options.isa, &error), error);
    if (sam_assemble(&options, "test.s", text, strlen(text), &image, &messages, &error) != SAM_OK)
        die(messages);
    sam_text_free(messages);
    return image;
}

std::map<warp_name, std::vector<commit>> plain_launch(const struct sam_image *image)
{
    struct sam_error error = {};
    struct sam_gpu *gpu;
    std::string log;
    struct sam_gpu_options options = {};
    options.size = sizeof options;
    options.log = {collect, &log};
    must(sam_gpu_new(&options, &gpu, &error), error);
    must(sam_gpu_load(gpu, image, &error), error);
    must(sam_gpu_map(gpu, DATA, 8192, &error), error);
    struct sam_launch launch = {};
    launch.start = SAM_CODE_BASE;
    launch.grid[0] = GROUPS;
    launch.grid[1] = launch.grid[2] = 1;
    launch.lanes = LANES;
    launch.warps = WARPS;
    must(sam_gpu_launch(gpu, &launch, nullptr, &error), error);
    sam_gpu_free(gpu);
    return read_log(log);
}

/* Twelve words, as the driver passes them. */
std::vector<uint64_t> metadata()
{
    return {0, GROUPS, 1, 1, LANES, WARPS, 0, 0, 0, 32, 64, 0};
}

bool is_same(const gvmref_result &result, const commit &c)
{
    if (result.pc != c.pc || result.word != c.word)
        return false;
    if (c.v >= 0) {
        bool same = result.insn.write == GVMREF_VECTOR && (int)result.insn.vector.index == c.v;
        for (uint32_t lane = 0; lane < LANES; lane++)
            same = same && result.insn.vector.values.at(lane) == c.lanes[lane];
        return same && result.insn.vector.mask == c.mask;
    }
    if (c.x > 0)
        return result.insn.write == GVMREF_SCALAR && (int)result.insn.scalar.index == c.x &&
               result.insn.scalar.value == c.x_value;
    return result.insn.write == GVMREF_OTHER;
}

const uint32_t BARRIER_MASK = 0xfe00707f;

bool is_barrier(uint32_t word, uint32_t barrier)
{
    return (word & BARRIER_MASK) == (barrier & BARRIER_MASK);
}

/* One launch in a random order. `first` is its first workgroup. */
bool step_all(std::map<warp_name, std::vector<commit>> &commits, uint32_t first, uint32_t barrier,
              uint64_t *seed)
{
    std::map<warp_name, size_t> at;
    std::map<warp_name, std::vector<uint32_t>> x;
    std::vector<warp_name> live;
    std::vector<uint32_t> arrived(GROUPS), releases(GROUPS);
    std::map<warp_name, uint32_t> waits; /* releases of the workgroup when it arrived, plus one */
    for (auto &item : commits) {
        live.push_back(item.first);
        x[item.first].resize(64);
    }
    while (!live.empty()) {
        const size_t pick = test_below(seed, live.size());
        const warp_name name = live[pick];
        const uint32_t group = name.first, id = first + group;
        const std::vector<commit> &list = commits[name];
        commit expected = list[at[name]];
        /* A warp that waits is still at its barrier, and so is one that was released meanwhile:
         * that step only takes it over. */
        const bool waiting = waits[name] != 0;
        if (waiting)
            expected = list[at[name] - 1];
        if (gvmref_get_next_pc(id, name.second) != expected.pc)
            return false;
        gvmref_result result;
        gvmref_step(id, name.second, &result);
        if (!is_same(result, expected)) {
            std::printf("# workgroup %u warp %u: pc %08x word %08x, expected %08x %08x\n", id,
                        name.second, (unsigned)result.pc, result.word, expected.pc, expected.word);
            return false;
        }
        if (waiting) {
            if (waits[name] - 1 != releases[group])
                waits[name] = 0;
            continue;
        }
        at[name]++;
        if (expected.x > 0)
            x[name][(size_t)expected.x] = expected.x_value;
        gvmref_file file;
        gvmref_get_xreg(&file, id, name.second);
        for (size_t i = 0; i < 64; i++)
            if (file.x[i] != x[name][i])
                return false;
        if (is_barrier(expected.word, barrier)) {
            if (++arrived[group] == WARPS) {
                arrived[group] = 0;
                releases[group]++;
            } else {
                waits[name] = releases[group] + 1;
            }
        }
        if (at[name] == list.size()) {
            live.erase(live.begin() + (long)pick);
            bool more = false;
            for (const warp_name &other : live)
                more = more || other.first == group;
            if (result.done != !more)
                return false;
        }
    }
    return true;
}

std::string elf_file(const struct sam_image *image)
{
    struct sam_error error = {};
    std::string path = "/tmp/samite-gvmref-XXXXXX";
    const int fd = mkstemp(path.data());
    FILE *file = fd < 0 ? nullptr : fdopen(fd, "wb");
    void *bytes;
    size_t size;
    if (!file)
        die("no temporary file");
    must(sam_elf_make(image, &bytes, &size, &error), error);
    if (std::fwrite(bytes, 1, size, file) != size || std::fclose(file) != 0)
        die("cannot write the temporary file");
    std::free(bytes);
    return path;
}

} // namespace

int main()
{
    uint64_t seed = test_seed();
    struct sam_image *image = assemble();
    auto commits = plain_launch(image);
    uint32_t barrier = 0;
    for (const commit &c : commits[{0, 0}])
        if ((c.word & 0x7f) == 0x0b && (c.word >> 12 & 7) == 4 && c.word != 0x400b)
            barrier = c.word;
    check(commits.size() == GROUPS * WARPS && barrier != 0, "the log of a plain launch");
    const std::string path = elf_file(image);
    uint64_t address = 0;
    auto meta = metadata();

    check(gvmref_vt_buf_alloc(4096, &address, 0, 0, 0) == -1, "a buffer before the device is open");
    check(gvmref_vt_dev_close() == -1, "closing what is not open");
    check(gvmref_vt_dev_open() == 0, "open");
    check(gvmref_vt_dev_open() == -1, "open twice");
    check(gvmref_vt_start(meta.data(), 0) == -1, "a launch without a program");
    check(gvmref_vt_buf_alloc_fixed(8192, DATA, 0, 0, 0) == 0, "a buffer at its address");
    check(gvmref_vt_buf_alloc_fixed(4096, DATA + 4096, 0, 0, 0) == -1, "a buffer within another");
    check(gvmref_vt_buf_alloc(4096, &address, 0, 0, 0) == 0 && address >= DATA + 8192 &&
              address % 4096 == 0,
          "a buffer");
    const uint32_t word = 7;
    check(gvmref_vt_copy_to_dev(address, &word, 4, 0, 0) == 0, "a copy");
    check(gvmref_vt_copy_to_dev(address + 4094, &word, 4, 0, 0) == -1, "a copy beyond the buffer");
    check(gvmref_vt_one_buf_free(4096, &address, 0, 0) == 0, "freed");
    check(gvmref_vt_one_buf_free(4096, &address, 0, 0) == -1, "freed twice");
    check(gvmref_vt_upload_kernel_file("nosuch.elf", 0) == -1, "a program that is missing");
    check(gvmref_vt_upload_kernel_file(path.c_str(), 0) == 0, "a program");
    check(gvmref_vt_start(nullptr, 0) == -1, "a launch without metadata");

    bool same = true;
    uint32_t first = 0;
    for (int i = 0; i < 20 && same; i++, first += GROUPS) {
        same = gvmref_vt_start(meta.data(), 0) == 0 && step_all(commits, first, barrier, &seed) &&
               gvmref_vt_kernel_finish() == 0;
    }
    check(same, "20 launches in random orders");

    /* Registers that the hardware did not clear. */
    check(gvmref_vt_start(meta.data(), 0) == 0, "one more launch");
    gvmref_found found;
    found.x = {1, 2, 3, 4, 5};
    check(gvmref_set_warp_xreg(first, 1, 5, found) == 0, "registers set");
    check(gvmref_set_warp_xreg(first, 1, 6, found) == -1, "more registers than values");
    check(gvmref_set_warp_xreg(first + GROUPS, 0, 5, found) == -1, "of no workgroup");
    gvmref_file file;
    gvmref_get_xreg(&file, first, 1);
    check(file.x[0] == 0 && file.x[1] == 2 && file.x[4] == 5 && file.x[5] == 0, "registers read");
    check(gvmref_vt_kernel_finish() == -1, "the launch has not ended");
    check(gvmref_vt_buf_alloc(4096, &address, 0, 0, 0) == -1, "a buffer during a launch");
    gvmref_result result;
    gvmref_step(first + GROUPS, 0, &result);
    check(result.pc == 0 && result.word == 0 && result.done == 0, "a step of no workgroup");
    gvmref_step(first, WARPS, &result);
    check(result.pc == 0 && gvmref_get_next_pc(first, WARPS) == 0, "a step of no warp");
    check(gvmref_vt_dev_close() == 0, "closed");
    check(gvmref_get_next_pc(first, 0) == 0, "a step after the end");

    std::remove(path.c_str());
    sam_image_free(image);
    std::printf("1..%d\n", cases);
    return bad != 0;
}
