/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the debugger, one per line, on a launch of two warps that diverge and meet at a
 * barrier. Nothing outside is accessed: the debugger is sealed, and the launch may run few
 * instructions. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "debugger.h"
#include "samite/samite.h"

enum { LINES = 24 };

static const char kernel[] = ".global k\n"
                             "k:  lw t0, 0(a0)\n"
                             "    vid.v v1\n"
                             "    li t1, 2\n"
                             "    vmv.v.x v2, t1\n"
                             "    setrpc t2, .Ljoin\n"
                             "    vbgeu v1, v2, .Lbig\n"
                             "    vadd.vi v3, v1, 10\n"
                             "    j .Ljoin\n"
                             ".Lbig: vadd.vi v3, v1, 5\n"
                             ".Ljoin: join\n"
                             "    barrier 1\n"
                             "    vsll.vi v4, v1, 2\n"
                             "    vadd.vx v4, v4, t0\n"
                             "    vsw12.v v3, 0(v4)\n"
                             "    ret\n";

struct machine {
    struct sam_gpu *gpu;
    struct sam_image *image;
    struct sam_launch launch;
};

static struct machine open_machine(void)
{
    static const uint32_t arguments[1] = {SAM_BUFFER_BASE};
    struct machine m = {0};
    struct sam_error error;
    struct sam_asm_options options = {.size = sizeof options,
                                      .base = SAM_CODE_BASE,
                                      .lines = true,
                                      .prologue = sam_gpu_start_code(),
                                      .prologue_name = "<start code>"};
    const struct sam_gpu_options limits = {.size = sizeof limits, .max_insns = 500};
    const struct sam_kernel k = {.name = "k",
                                 .grid = {2, 1, 1},
                                 .block = {8, 1, 1},
                                 .lanes = 4,
                                 .args = arguments,
                                 .args_size = sizeof arguments};
    char *messages = NULL;
    uint32_t address;
    FUZZ_CHECK(sam_isa_parse("ventus", &options.isa, &error) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "k.s", kernel, strlen(kernel), &m.image, &messages, &error) ==
               SAM_OK);
    sam_text_free(messages);
    FUZZ_CHECK(sam_gpu_new(&limits, &m.gpu, &error) == SAM_OK);
    FUZZ_CHECK(sam_gpu_load(m.gpu, m.image, &error) == SAM_OK);
    FUZZ_CHECK(sam_gpu_alloc(m.gpu, 64, &address, &error) == SAM_OK && address == arguments[0]);
    FUZZ_CHECK(sam_gpu_prepare(m.gpu, m.image, &k, &m.launch, &error) == SAM_OK);
    return m;
}

/* Each line succeeds, or fails with a one-line error. */
static void run_lines(struct debug *debug, char *text)
{
    char *rest = text;
    for (unsigned i = 0; i < LINES && rest; i++) {
        struct sam_error error = {.text = ""};
        char *line = strsep(&rest, "\n");
        if (debug_execute(debug, line, &error) != SAM_OK)
            FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct debug_options options = {.sealed = true};
    struct machine m = open_machine();
    struct sam_error error;
    FILE *out = fopen("/dev/null", "w");
    char *text = malloc(size + 1);
    const struct sam_session_options keep = {.size = sizeof keep, .keep_ended = true};
    struct run_session opened = {
        .gpu = m.gpu, .launch = &m.launch, .image = m.image, .name = "k", .count = 1, .text = out};
    struct debug *debug = debug_new(&options);
    FUZZ_CHECK(out && text && debug);
    memcpy(text, data, size);
    text[size] = '\0';
    FUZZ_CHECK(sam_session_open(m.gpu, &m.launch, &keep, &opened.session, &error) == SAM_OK);
    FUZZ_CHECK(debug_attach(debug, &opened, &error) == SAM_OK);
    run_lines(debug, text);
    debug_detach(debug);
    debug_free(debug);
    sam_session_close(opened.session);
    sam_gpu_free(m.gpu);
    sam_image_free(m.image);
    fclose(out);
    free(text);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const scripts[] = {
        "break k.s:8 warp 0 lane 3 if v3[3] > 7\ntbreak k\nwatch *(int *)0x90000004 if any(v3 == "
        "1)\n"
        "rwatch 0x90000000:8\ninfo breakpoints\ncontinue 2\ncondition 1 v1[0] == 0\nignore 2 3\n"
        "disable 1-2\nenable\nrun\nrcontinue\ndelete 3 1\ncontinue\n",
        "step 3\nstepi 30\nnext\nnexti\nuntil k.s:12\nstack\ninfo "
        "lanes\nreconverge\nrelease\nfinish\n"
        "rstepi 2\nrstep\ngoto 10\nsnapshot\nscope warp\ncontinue\nrestore 2\nrecord\n",
        "print v3\np/x x5 + a0 * 2\np $1[2] ? 1.5f : bf16(0x4049)\nset v3[1] = 7\nset $i = k\n"
        "set *(short *)0x90000002 = -1\nset mask = 3\nset pc = k + 4\nset fflags = 0x1f\n"
        "x/4xw 0x90000000\nx/3i pc\nx/s 0x90000000\nx/2gf a0\ndisplay/i pc\ndisplay "
        "v3[$lane]\nstepi\n"
        "undisplay 1\np all(v3) && *k != {char}k\n",
        "info warps all\ninfo registers\ninfo registers v csr a0\ninfo line k.s:9\ninfo symbol pc\n"
        "info launch\ninfo buffers\ninfo source\nwarp 1\nworkgroup 1\nlane 2\nlist k\nlist 3,5\n"
        "list -\ndisassemble k,+16\nbt\nhelp info warps\nhelp\necho a\\n\nsource x\nquit\n",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        char name[2] = {(char)('0' + i)};
        add(context, name, scripts[i], strlen(scripts[i]));
    }
}
