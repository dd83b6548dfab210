/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels under the sanitizer: those of kernels/ have no findings, and bugs planted in copies of
 * them are found, with the right instructions on both sides. */
#include "test.h"

#include "mutants.h"
#include <check.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct planted {
    struct mutant mutant;
    enum sam_finding_kind kind;
    /* Parts of the source lines of both sides, in either order; NULL: start code, or no such
     * side. */
    const char *lines[2];
    /* init: the register used, and the one never written; bounds: part of the neighbour's
     * description. NULL: any. */
    const char *used, *unwritten, *near;
    uint32_t local; /* local memory declared by the launch, besides stacks; 0: all */
};

static const struct planted planted[] = {
    /* Loads of a tile may still be in flight while others overwrite it, and the reverse. */
    {{"sgemm", "barrier 1                       # the tiles", "nop # the tiles"},
     SAM_FINDING_RACE_LOCAL,
     .lines = {"vsw12.v v17, 0(v11)", "vlw12.v v17, 0(v19)"}},
    {{"sgemm", "barrier 1                       # everyone", "nop # everyone"},
     SAM_FINDING_RACE_LOCAL,
     .lines = {"vsw12.v v17, 0(v11)", "vlw12.v v17, 0(v19)"}},
    {{"reduce", "barrier 1", "nop"},
     SAM_FINDING_RACE_LOCAL,
     .lines = {"vsw12.v v3, 0(v6)", "vlw12.v v5, 0(v5)"}},
    {{"scan", "barrier 1\n    slli", "nop\n    slli"},
     SAM_FINDING_RACE_LOCAL,
     .lines = {"vsw12.v v3, 0(v6)", "vlw12.v v5, 0(v5)"}},
    {{"transpose", "barrier 1", "nop"},
     SAM_FINDING_RACE_LOCAL,
     .lines = {"vsw12.v v7, 0(v9)", "vlw12.v v9, 0(v9)"}},
    /* Workgroups add to the bins without atomic instructions. */
    {{"histogram", "amoadd.w zero, t2, (t3)", "lw t4, 0(t3); add t4, t4, t2; sw t4, 0(t3)"},
     SAM_FINDING_RACE_GROUPS,
     .lines = {"sw t4, 0(t3)", "lw t4, 0(t3)"}},
    /* A transposed index: lanes of one row write to the same address. */
    {{"transpose", "vadd.vv v7, v7, v6\n    vsll.vi v7, v7, 2\n    vadd.vx v7, v7, a2",
      "vsll.vi v7, v7, 2\n    vadd.vx v7, v7, a2"},
     SAM_FINDING_RACE_LANES,
     .lines = {"vsw12.v v9, 0(v7)", "vsw12.v v9, 0(v7)"}},
    /* Warps without an element do not wait for the others. */
    {{"reduce", "    lla     s0, .Lfolded",
      "    csrr t1, wid; beqz t1, 7f; ret; 7: lla s0, .Lfolded"},
     SAM_FINDING_BARRIER_SKIPPED,
     .lines = {"barrier 1", NULL}},
    {{"transpose", "vsw12.v v7, 0(v9)", "vsw12.v v7, 0(v9); barrier 1"},
     SAM_FINDING_BARRIER_MASKED,
     .lines = {"barrier 1", "vbeq    v8, v5, .Lloaded"}},
    {{"matadd", "vbgeu   v4, v6, .Lcolumn", "nop"},
     SAM_FINDING_RPC_UNUSED,
     .lines = {"setrpc  t0, .Lcolumn", NULL}},
    {{"diverge", ".Lmixed:\n    join", ".Lmixed:\n    nop"},
     SAM_FINDING_JOIN_MISSING,
     .lines = {"vbeq    v6, v10, .Lplus", "nop"}},
    {{"matadd", "vlw12.v v8, 0(v8)", "ret"},
     SAM_FINDING_JOIN_UNREACHED,
     .lines = {"vbgeu   v4, v6, .Lcolumn", NULL}},
    /* The accumulator is not cleared. */
    {{"sgemm", "vmv.v.i v14, 0  ", "nop # "},
     SAM_FINDING_INIT_STORE,
     .lines = {"vsw12.v v14, 0(v16)", NULL},
     .used = "v14",
     .unwritten = "v14"},
    /* Only one path of a branch writes the register that both read. */
    {{"diverge",
      "vxor.vv v4, v4, v3\n    j       .Lmixed\n.Lplus:\n    vadd.vv v4, v4, v3\n.Lmixed:\n    "
      "join",
      "vxor.vv v12, v4, v3\n    j       .Lmixed\n.Lplus:\n    vadd.vv v4, v4, v3\n.Lmixed:\n    "
      "join\n"
      "    vmv.v.v v4, v12"},
     SAM_FINDING_INIT_STORE,
     .lines = {"vsw12.v v4, 0(v2)", NULL},
     .used = "v4",
     .unwritten = "v12"},
    /* Local memory is read before it is written. */
    {{"reduce", "vsw12.v v3, 0(v6)", "nop"},
     SAM_FINDING_INIT_STORE,
     .lines = {"amoadd.w zero, t2, (a2)", "vlw12.v v5, 0(v5)"},
     .used = "t2"},
    /* The output is read instead of an input; a missing index, condition and result. */
    {{"vecadd", "vlw12.v v6, 0(v6)", "vlw12.v v6, 0(v7)"},
     SAM_FINDING_INIT_STORE,
     .lines = {"vsw12.v v5, 0(v7)", "vlw12.v v6, 0(v7)"},
     .used = "v5"},
    {{"vecadd", "vadd.vx v5, v2, a1", "vadd.vx v5, v12, a1"},
     SAM_FINDING_INIT_ADDRESS,
     .lines = {"vlw12.v v5, 0(v5)", NULL},
     .used = "v5",
     .unwritten = "v12"},
    {{"diverge", "vmv.v.i v10, 0", "nop"},
     SAM_FINDING_INIT_BRANCH,
     .lines = {"vbeq    v3, v10, .Ldone", NULL},
     .used = "v10",
     .unwritten = "v10"},
    {{"vecadd", "vsw12.v v5, 0(v7)", "nop"}, SAM_FINDING_INIT_CHECK, .lines = {NULL, NULL}},
    /* 1 KiB past local memory; past private memory; past the end of the arrays. */
    {{"reduce", "add     s2, s2, t2", "add     s2, s2, t2; addi s2, s2, 1024"},
     SAM_FINDING_BOUNDS_LOCAL,
     .lines = {"vsw12.v v3, 0(v6)", NULL},
     .near = "the launch's local memory",
     .local = 256},
    {{"spill", ".equ    BYTES, 128", ".equ    BYTES, 160"},
     SAM_FINDING_BOUNDS_PRIVATE,
     .lines = {"vsb.v   v8, BYTES(v6)", NULL},
     .near = "the thread's private memory"},
    {{"vecadd", "vmsltu.vx v4, v2, a4", "vmv.v.i v4, 1"},
     SAM_FINDING_BOUNDS_GAP,
     .lines = {"vlw12.v v5, 0(v5)", NULL},
     .near = "buffer 0"},
};

/* -------------------------------------------------------------------------------- findings */

struct looked {
    const struct planted *expected;
    struct sam_sanitizer *sanitizer;
    bool found;
    char *text; /* all findings */
};

/* Line `number` of the file, or "". */
static void read_line(const char *path, uint32_t number, char *line, int size)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    for (uint32_t i = 0; file && i < number; i++)
        if (!fgets(line, size, file))
            line[0] = '\0';
    if (file)
        fclose(file);
}

static bool is_at(const struct sam_finding_side *side, const struct sam_image *image,
                  const char *expected)
{
    char line[512];
    uint32_t number = 0;
    const char *file = side->known ? sam_image_line_at(image, side->pc, &number) : NULL;
    read_line(file ? file : "", number, line, sizeof line);
    return expected ? strstr(line, expected) != NULL : strstr(line, "barrier") == NULL;
}

static bool is_register(const struct sam_finding_register *reg, const char *expected)
{
    static const char *const temporary[] = {[5] = "t0", [6] = "t1", [7] = "t2"};
    if (reg->file == 'x')
        return reg->number < COUNT(temporary) && temporary[reg->number] &&
               strcmp(temporary[reg->number], expected) == 0;
    FREED char *name = formatted("v%u", reg->number);
    return reg->file && strcmp(name, expected) == 0;
}

static bool is_what(const struct sam_finding *f, const struct planted *expected)
{
    return f->kind == expected->kind &&
           (!expected->used || is_register(&f->used, expected->used)) &&
           (!expected->unwritten || is_register(&f->unwritten, expected->unwritten)) &&
           (!expected->near || strstr(f->near.name, expected->near));
}

static void look(void *context, const struct sam_image *image)
{
    struct looked *looked = context;
    const struct sam_sanitizer_print options = {.size = sizeof options, .image = image, .top = 50};
    size_t count;
    const struct sam_finding *f = sam_sanitizer_findings(looked->sanitizer, &count);
    for (size_t i = 0; looked->expected && i < count; i++) {
        const char *const *lines = looked->expected->lines;
        for (unsigned k = 0; k < 2; k++)
            looked->found |= is_what(&f[i], looked->expected) &&
                             is_at(&f[i].sides[0], image, lines[k]) &&
                             is_at(&f[i].sides[1], image, lines[!k]);
    }
    succeeds(sam_sanitizer_print, looked->sanitizer, &options, &looked->text);
}

/* A launch that declares its local memory. */
static enum sam_status launch(void *context, struct sam_gpu *gpu, const struct sam_launch *asked,
                              struct sam_gpu_result *result, struct sam_error *error)
{
    const struct looked *looked = context;
    struct sam_launch declared = *asked;
    declared.lds_size = asked->warps * 1024 + looked->expected->local;
    return sam_gpu_launch(gpu, &declared, result, error);
}

/* Run a kernel from `dir`; `looked` receives the findings. */
static void run(const struct kernel_check *kernel, struct check_config config,
                struct check_report *report, struct looked *looked)
{
    struct sam_error error = {0};
    looked->sanitizer = sam_sanitizer_new(SAM_SANITIZE_ALL);
    assert_non_null(looked->sanitizer);
    config.sanitizer = looked->sanitizer;
    config.look = look;
    config.context = looked;
    if (looked->expected && looked->expected->local)
        config.launch = launch;
    const enum sam_status status = kernel_check_run(kernel, &config, report, &error);
    if (status != SAM_OK && status != SAM_ERR_TRAP)
        fail_msg("%s: %s", kernel->name, error.text);
    sam_sanitizer_free(looked->sanitizer);
}

static void a_planted_bug_is_found(void **state)
{
    const struct planted *bug = *state;
    struct mutant_file file;
    struct check_report report;
    struct looked looked = {.expected = bug};
    mutant_write(&bug->mutant, &file);
    run(kernel_check_find(bug->mutant.kernel),
        (struct check_config){
            .size = 333, .lanes = 8, .block = 64, .max_insns = 1000000, .dir = file.dir},
        &report, &looked);
    mutant_remove(&file);
    if (!looked.found)
        fail_msg("'%s' for '%s' is not found: %s", bug->mutant.to, bug->mutant.from, looked.text);
    sam_text_free(looked.text);
}

/* Results equal those without the sanitizer, and there are no findings. */
static void a_kernel_is_clean(void **state)
{
    static const uint32_t lanes[] = {4, 8, 16, 32}, blocks[] = {20, 64, 100};
    const struct kernel_check *kernel = *state;
    for (size_t l = 0; l < COUNT(lanes); l++) {
        for (size_t b = 0; b < COUNT(blocks); b++) {
            const struct check_config config = {.size = 333,
                                                .lanes = lanes[l],
                                                .block = blocks[b],
                                                .jobs = 2,
                                                .max_insns = 1000000,
                                                .dir = KERNEL_DIR};
            struct check_report plain, report;
            struct looked looked = {0};
            run(kernel, config, &report, &looked);
            if (looked.text[0])
                fail_msg("%s of %u lanes, block %u: %s", kernel->name, lanes[l], blocks[b],
                         looked.text);
            sam_text_free(looked.text);
            succeeds(kernel_check_run, kernel, &config, &plain);
            assert_true(report.pass);
            assert_true(report.digest == plain.digest);
            assert_true(report.warp_insns == plain.warp_insns);
        }
    }
}

PROLOGUE
{
    for (size_t i = 0; i < kernel_check_count; i++)
        test_add(a_kernel_is_clean, &kernel_checks[i], "%s is clean", kernel_checks[i].name);
    for (size_t i = 0; i < COUNT(planted); i++)
        test_add(a_planted_bug_is_found, &planted[i], "%s with '%s' for '%s' is found",
                 planted[i].mutant.kernel, planted[i].mutant.to, planted[i].mutant.from);
}
