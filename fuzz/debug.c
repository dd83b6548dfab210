/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the debugger, one per line. Nothing outside is accessed: the debugger is sealed. */
#include "launch.h"

#include <stdio.h>
#include <string.h>

#include "debugger.h"
#include "samite/samite.h"

enum { LINES = 24 };

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
    struct run_session opened = {
        .gpu = m.gpu, .launch = &m.launch, .image = m.image, .name = "k", .count = 1, .text = out};
    struct debug *debug = debug_new(&options);
    FUZZ_CHECK(out && text && debug);
    memcpy(text, data, size);
    text[size] = '\0';
    opened.session = open_session(&m);
    FUZZ_CHECK(debug_attach(debug, &opened, &error) == SAM_OK);
    run_lines(debug, text);
    debug_detach(debug);
    debug_free(debug);
    close_machine(&m, opened.session);
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
