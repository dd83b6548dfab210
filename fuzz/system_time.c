/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a system in time: a text is rejected with one line, or makes a machine on which
 * a small program ends with the same values as without timing, and all cycles are accounted for. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "samite/samite.h"
#include "system/config.h"

static const char kernel[] = ".globl _start\n"
                             "_start: li s0, 0x80000000\n"
                             "vid.v v1\n"
                             "vsll.vi v2, v1, 2\n"
                             "vadd.vx v3, v2, s0\n"
                             "vlw12.v v4, 256(v3)\n"
                             "vsw12.v v4, 256(v3)\n"
                             "endprg\n"
                             ".space 1024\n";
static const char text_of[] =
    "li s1, 0x02001000\nla s3, record\nsw s3, 0(s1)\nsw s3, 0(s1)\nsw s3, 0(s1)\n"
    "li s4, 0x02002000\nla s5, count\nsw s5, 0(s4)\nsw s5, 0(s4)\nlw s6, 16(s1)\nlw s7, 16(s4)\n"
    "li s2, 0x02000000\nsw zero, 4(s2)\n"
    ".data\n.balign 64\n"
    "record: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0\n"
    "count: .word 2, 2, 2, data, 256, counters, 1024, 0, 0, 128, 0, 0, 0, 2, 128, 0\n"
    "data: .space 256\ncounters: .space 1024\n";

static struct sam_image *assemble(const char *isa, uint64_t base, const char *text)
{
    struct sam_asm_options options = {.size = sizeof options, .base = base};
    struct sam_image *image = NULL;
    struct sam_error error;
    char *messages = NULL;
    FUZZ_CHECK(sam_isa_parse(isa, &options.isa, &error) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "f.s", text, strlen(text), &image, &messages, &error) ==
               SAM_OK);
    sam_text_free(messages);
    return image;
}

static void check_figures(struct sam_system *system)
{
    struct sam_system_figures *f;
    FUZZ_CHECK(sam_system_measure(system, &f, NULL) == SAM_OK);
    for (size_t i = 0; i < f->row_count;) {
        const struct sam_system_row *first = &f->rows[i];
        uint64_t sum = 0;
        for (; i < f->row_count && strcmp(f->rows[i].unit, first->unit) == 0 &&
               f->rows[i].number == first->number;
             i++)
            sum += f->rows[i].cycles;
        FUZZ_CHECK(sum == f->cycles);
    }
    FUZZ_CHECK(f->launch_count == 3 && f->records == 2);
    sam_system_figures_free(f);
}

static void run(const struct sam_system_config *config)
{
    static struct sam_image *program, *kernels;
    const struct sam_system_timing timing = {.size = sizeof timing, .config = config};
    struct sam_hart_options hart = {.size = sizeof hart};
    const struct sam_system_options options = {
        .size = sizeof options, .hart = &hart, .timing = &timing};
    struct sam_system *system;
    struct sam_system_result result;
    struct sam_error error;
    if (!program) {
        program =
            assemble("rv32ima_zicsr_zfinx_xtensorload_xmatrix", SAM_SYSTEM_CODE_BASE, text_of);
        kernels = assemble("ventus", SAM_CODE_BASE, kernel);
    }
    FUZZ_CHECK(sam_isa_parse("rv32ima_zicsr_zfinx_xtensorload_xmatrix", &hart.isa, &error) ==
               SAM_OK);
    if (sam_system_new(&options, &system, &error) != SAM_OK)
        return; /* parameters that exclude each other */
    FUZZ_CHECK(sam_system_load_gpu(system, kernels, &error) == SAM_OK);
    FUZZ_CHECK(sam_system_load(system, program, &error) == SAM_OK);
    if (sam_system_run(system, &result, &error) == SAM_OK) {
        FUZZ_CHECK(sam_hart_x(sam_system_hart(system), 22) == 0);
        FUZZ_CHECK(sam_hart_x(sam_system_hart(system), 23) == 0);
        check_figures(system);
    } else {
        FUZZ_CHECK(strstr(error.text, "fits no SM"));
    }
    sam_system_free(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    struct sam_system_config *config;
    struct sam_error error;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (sam_system_config_new(&config, &error) != SAM_OK)
        return 0;
    if (sam_system_config_set(config, text, &error) != SAM_OK)
        FUZZ_CHECK(error.text[0] && (!strchr(error.text, '\n') || strchr(text, '\n')));
    else if (config->mem.l2_size <= 1u << 22) /* larger ones take long to clear */
        run(config);
    sam_system_config_free(config);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const seeds[] = {
        "launch_cycles=0,queue=1",
        "mem.dram_bytes=1,mem.l2_size=1024,mem.l2_ways=16,mem.l2_bytes=3",
        "gpu.preset=verilog,gpu.sms=3,gpu.l1_miss_latency=0",
        "wu.requests=1,wu.count_symbols=1024,wu.code_items=64,wu.raw=1",
        "tl.queue=1,tl.issue=2,mx.slots=1,mx.mlen=128",
        "mem.link_base=0x40000000,mem.link_size=0x10000000,mem.link_bytes=1",
        "mem.l2_size=64,mem.l2_ways=16",
        "dram_bytes=2",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        add(context, name, seeds[i], strlen(seeds[i]));
    }
}
