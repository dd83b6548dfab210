/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/debugger_test.h"

#include <unistd.h>

#include "samite/samite.h"

struct debug *debugger;

static const struct debug_options options = {.sealed = true};
static struct sam_gpu *gpu;
static struct sam_hart *hart;
static struct sam_image *image;
static struct sam_launch launch;
static struct run_session opened;
static FILE *out;
static char *text;
static size_t text_size;
static char directory[64];

static void assemble(const char *isa, const char *source, const char *prologue)
{
    struct sam_error error = {.text = ""};
    struct sam_asm_options asm_options = {.size = sizeof asm_options,
                                          .base = SAM_CODE_BASE,
                                          .lines = true,
                                          .prologue = prologue,
                                          .prologue_name = "<start code>"};
    SCOPED_TEXT *messages = NULL;
    assert_int_equal(sam_isa_parse(isa, &asm_options.isa, &error), SAM_OK);
    if (sam_assemble(&asm_options, "k.s", source, strlen(source), &image, &messages, &error) !=
        SAM_OK)
        fail_msg("%s", messages);
}

/* k.s, in a directory of its own, which is the current one. */
static void write_source(const char *source)
{
    if (!directory[0]) {
        snprintf(directory, sizeof directory, "/tmp/samite-debugger-XXXXXX");
        assert_non_null(mkdtemp(directory));
        assert_int_equal(chdir(directory), 0);
    }
    assert_int_equal(sam_file_save("k.s", source, strlen(source), NULL), SAM_OK);
}

int remove_source(void **state)
{
    (void)state;
    unlink("k.s");
    return chdir("/") == 0 ? rmdir(directory) : -1;
}

static void attach(void)
{
    out = open_memstream(&text, &text_size);
    debugger = debug_new(&options);
    assert_non_null(out);
    assert_non_null(debugger);
    opened.text = out;
    opened.image = image;
    opened.count = 1;
    succeeds(debug_attach, debugger, &opened);
}

void begin(const char *source)
{
    struct sam_error error = {.text = ""};
    uint32_t address;
    write_source(source);
    assemble("ventus", source, sam_gpu_start_code());
    struct sam_gpu_options gpu_options = {.size = sizeof gpu_options, .max_insns = 100000};
    assert_int_equal(sam_gpu_new(&gpu_options, &gpu, &error), SAM_OK);
    assert_int_equal(sam_gpu_load(gpu, image, &error), SAM_OK);
    assert_int_equal(sam_gpu_alloc(gpu, 256, &address, &error), SAM_OK);
    struct sam_kernel kernel = {.name = "k",
                                .grid = {2, 1, 1},
                                .block = {8, 1, 1},
                                .lanes = 4,
                                .args = &address,
                                .args_size = 4};
    succeeds(sam_gpu_prepare, gpu, image, &kernel, &launch);
    opened = (struct run_session){.gpu = gpu, .launch = &launch, .name = "k"};
    struct sam_session_options session = {.size = sizeof session, .keep_ended = true};
    assert_int_equal(sam_session_open(gpu, &launch, &session, &opened.session, &error), SAM_OK);
    attach();
}

void begin_hart(const char *source)
{
    struct sam_error error = {.text = ""};
    write_source(source);
    assemble("tensor", source, NULL);
    struct sam_hart_options hart_options = {.size = sizeof hart_options, .max_insns = 100000};
    assert_int_equal(sam_isa_parse("tensor", &hart_options.isa, &error), SAM_OK);
    assert_int_equal(sam_hart_new(&hart_options, &hart, &error), SAM_OK);
    assert_int_equal(sam_hart_load(hart, image, &error), SAM_OK);
    opened = (struct run_session){.hart = hart, .name = "k.s"};
    assert_int_equal(sam_session_open_hart(hart, &opened.session, &error), SAM_OK);
    attach();
}

void finish(void)
{
    debug_detach(debugger);
    debug_free(debugger);
    sam_session_close(opened.session);
    sam_gpu_free(gpu);
    sam_hart_free(hart);
    sam_image_free(image);
    fclose(out);
    free(text);
    gpu = NULL;
    hart = NULL;
    image = NULL;
    text = NULL;
}

/* Run a command from an empty buffer. */
static enum sam_status execute(const char *command, struct sam_error *error)
{
    error->text[0] = '\0';
    rewind(out);
    const enum sam_status status = debug_execute(debugger, command, error);
    fputc('\0', out);
    fflush(out);
    for (const char *c = text; *c; c++)
        if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            fail_msg("%s: prints the control character 0x%02x", command, *c);
    return status;
}

const char *output(const char *command)
{
    struct sam_error error;
    if (execute(command, &error) != SAM_OK)
        fail_msg("%s: %s", command, error.text);
    return text;
}

void prints(const char *command, const char *wanted)
{
    const char *got = output(command);
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: expected\n%s\nfound\n%s", command, wanted, got);
}

void shows(const char *command, const char *part)
{
    const char *got = output(command);
    if (!strstr(got, part))
        fail_msg("%s: expected '%s' in\n%s", command, part, got);
}

void survives(const char *command)
{
    struct sam_error error;
    if (execute(command, &error) != SAM_OK && (!error.text[0] || strchr(error.text, '\n')))
        fail_msg("%s: expected one line of error, found '%s'", command, error.text);
}

void refused(const char *command, const char *part)
{
    struct sam_error error;
    if (execute(command, &error) == SAM_OK)
        fail_msg("%s: expected a refusal, found\n%s", command, text);
    if (!strstr(error.text, part) || strchr(error.text, '\n'))
        fail_msg("%s: expected '%s', found '%s'", command, part, error.text);
}
