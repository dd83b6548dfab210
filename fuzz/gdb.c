/* SPDX-License-Identifier: Apache-2.0 */
/* The remote protocol of GDB, on a small launch or a small program of the hart. The first byte
 * selects: bit 0, raw bytes, otherwise lines sent as packets with valid frames, which pass the
 * checksum; bit 1, the hart; bit 2, with a recording, which is slow to begin. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "samite/samite.h"

enum { RAW = 1, HART = 2, REVERSE = 4, MOST_PACKETS = 200, MOST_INSNS = 300 };

/* Two warps: lanes diverge, the warps meet at a barrier, memory is read and written; then they
 * loop. */
static const char kernel[] = "_start: lui s0, 0x90000\n"
                             "        lui s1, 0x70000\n"
                             "        csrr t0, wid\n"
                             "        slli t1, t0, 2\n"
                             "        add t1, t1, s0\n"
                             "        vid.v v1\n"
                             "        vmv.v.i v2, 1\n"
                             "        auipc t4, 0\n"
                             "        addi t4, t4, 24\n"
                             "        setrpc zero, t4, 0\n"
                             "        vblt v2, v1, high\n"
                             "        vadd.vi v40, v1, 1\n"
                             "        join zero, zero, 0\n"
                             "high:   join zero, zero, 0\n"
                             "loop:   sw t0, 0(t1)\n"
                             "        sw t0, 0(s1)\n"
                             "        barrier x0, x0, 0\n"
                             "        lw t2, 4(s0)\n"
                             "        addi t0, t0, 1\n"
                             "        slti t3, t0, 9\n"
                             "        bnez t3, loop\n"
                             "        endprg\n";
static const char program[] = "_start: li s0, 0x90000000\n"
                              "        li t0, 3\n"
                              "loop:   sw t0, 0(s0)\n"
                              "        lw t1, 0(s0)\n"
                              "        addi t0, t0, -1\n"
                              "        bnez t0, loop\n"
                              "        csrw mscratch, t1\n"
                              "        li a7, 93\n"
                              "        ecall\n";

static struct sam_image *assemble(const char *text, const char *isa)
{
    struct sam_image *image = NULL;
    char *messages = NULL;
    struct sam_error error;
    struct sam_asm_options options = {.base = SAM_CODE_BASE};
    FUZZ_CHECK(sam_isa_parse(isa, &options.isa, &error) == SAM_OK);
    FUZZ_CHECK(sam_assemble(&options, "a.s", text, strlen(text), &image, &messages, &error) ==
               SAM_OK);
    sam_text_free(messages);
    return image;
}

/* ------------------------------------------------------------------------------------ client */

struct client {
    struct sam_buffer said;
    size_t at;
};

static long read_client(void *context, void *bytes, size_t size, unsigned wait)
{
    struct client *c = context;
    const size_t left = c->said.size - c->at, part = left < size ? left : size;
    (void)wait;
    if (!part)
        return -1;
    memcpy(bytes, c->said.data + c->at, part);
    c->at += part;
    return (long)part;
}

/* Every reply is well-formed, whatever the request. */
static bool write_client(void *context, const void *bytes, size_t size)
{
    const char *text = bytes;
    unsigned sum = 0, said = 256;
    (void)context;
    if (size == 0 || (size == 1 && (*text == '+' || *text == '-')))
        return true;
    FUZZ_CHECK(size >= 4 && size <= 16384 + 4 && text[0] == '$' && text[size - 3] == '#');
    for (size_t i = 1; i < size - 3; i++) {
        FUZZ_CHECK(text[i] != '$' && text[i] != '#');
        sum += (uint8_t)text[i];
    }
    const char digits[3] = {text[size - 2], text[size - 1]};
    FUZZ_CHECK(sscanf(digits, "%2x", &said) == 1 && said == (sum & 0xff));
    return true;
}

static void put_packet(struct sam_buffer *out, const uint8_t *bytes, size_t size)
{
    unsigned sum = 0;
    sam_buffer_append(out, "$", 1);
    sam_buffer_append(out, bytes, size);
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    sam_buffer_printf(out, "#%02x+", sum & 0xff);
}

/* Lines as packets; a line that begins with a tab is sent unchanged. */
static void put_lines(struct sam_buffer *out, const uint8_t *data, size_t size)
{
    for (unsigned count = 0; size && count < MOST_PACKETS; count++) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        if (length && data[0] == '\t')
            sam_buffer_append(out, data + 1, length - 1);
        else
            put_packet(out, data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

/* ----------------------------------------------------------------------------------- sessions */

static void serve(struct sam_session *session, struct sam_hart *hart, struct client *client,
                  uint8_t choice)
{
    static const char file[] = "\177ELF and so on";
    struct sam_error error;
    struct sam_gdb *gdb;
    struct sam_gdb_result result;
    const struct sam_gdb_transport transport = {client, read_client, write_client};
    const struct sam_gdb_options options = {.size = sizeof options,
                                            .program = file,
                                            .program_size = sizeof file,
                                            .program_name = "a.elf",
                                            .hart = hart,
                                            .no_reverse = !(choice & REVERSE)};
    FUZZ_CHECK(sam_gdb_open(&transport, &options, &gdb, &error) == SAM_OK);
    if (sam_gdb_serve(gdb, session, true, &result, &error) != SAM_OK)
        FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n'));
    sam_gdb_close(gdb);
}

static void serve_launch(struct client *client, uint8_t choice)
{
    enum { BUFFER = 0x90000000, METADATA = 0x91000000, PRIVATE = 0x92000000 };
    static struct sam_image *image;
    struct sam_gpu *gpu;
    struct sam_session *session;
    struct sam_error error;
    image = image ? image : assemble(kernel, "ventus");
    const struct sam_gpu_options options = {.size = sizeof options, .max_insns = MOST_INSNS};
    const struct sam_launch launch = {.start = SAM_CODE_BASE,
                                      .metadata = METADATA,
                                      .grid = {3, 1, 1},
                                      .lanes = 4,
                                      .warps = 2,
                                      .pds_size = 16,
                                      .pds_base = PRIVATE,
                                      .image = image};
    FUZZ_CHECK(sam_gpu_new(&options, &gpu, &error) == SAM_OK &&
               sam_gpu_load(gpu, image, &error) == SAM_OK &&
               sam_gpu_map(gpu, BUFFER, 4096, &error) == SAM_OK &&
               sam_gpu_map(gpu, METADATA, 64, &error) == SAM_OK &&
               sam_gpu_map(gpu, PRIVATE, 4096, &error) == SAM_OK &&
               sam_session_open(gpu, &launch, NULL, &session, &error) == SAM_OK);
    serve(session, NULL, client, choice);
    sam_session_close(session);
    sam_gpu_free(gpu);
}

static void serve_hart(struct client *client, uint8_t choice)
{
    static struct sam_image *image;
    struct sam_hart *hart;
    struct sam_session *session;
    struct sam_error error;
    struct sam_hart_options options = {.size = sizeof options, .max_insns = MOST_INSNS};
    image = image ? image : assemble(program, "tensor");
    FUZZ_CHECK(sam_isa_parse("tensor", &options.isa, &error) == SAM_OK &&
               sam_hart_new(&options, &hart, &error) == SAM_OK &&
               sam_hart_load(hart, image, &error) == SAM_OK &&
               sam_hart_map(hart, 0x90000000, 4096, &error) == SAM_OK &&
               sam_session_open_hart(hart, &session, &error) == SAM_OK);
    serve(session, hart, client, choice);
    sam_session_close(session);
    sam_hart_free(hart);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client client = {.at = 0};
    if (!size)
        return 0;
    if (data[0] & RAW)
        sam_buffer_append(&client.said, data + 1, size - 1);
    else
        put_lines(&client.said, data + 1, size - 1);
    if (data[0] & HART)
        serve_hart(&client, data[0]);
    else
        serve_launch(&client, data[0]);
    sam_buffer_free(&client.said);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const talks[] = {
        "qSupported:swbreak+;hwbreak+\nvMustReplyEmpty\nQStartNoAckMode\nHg0\nqTStatus\n"
        "qXfer:features:read:target.xml:0,ffb\nqXfer:exec-file:read:a410:0,1000\nvFile:setfs:0\n"
        "vFile:open:2f612e656c66,0,1c0\nvFile:fstat:3\nvFile:pread:3,3fff,0\nvFile:close:3\n"
        "?\nqXfer:threads:read::0,1000\ng\nHc-1\nqAttached\nqOffsets\nD\n",
        "Z0,80000038,4\nvCont;c\np44\nm90000000,20\nvCont;s:1\nz0,80000038,4\n"
        "vCont;r80000038,8000004c:2;c\nqRcmd,7761727073\nqRcmd,737461636b\nHg2\ng\nk\n",
        "Z2,90000000,4\nZ3,90000004,2\nc\nbs\nbc\nc\ns\nbc\nbs\nbs\nc\nC05\nvKill;1\n",
        "P44=01000000020000000300000004000000\nP41=03000000\nP5=78563412\nX90000000,4:ab#c\n"
        "M70000000,4:01020304\nm70000000,4\nP20=00000000\nc\nC0b\n",
        "vCont;c:1\nvCont;s:2\nvCont;s:1;c:2\nqRcmd,6c616e652031\nZ0,80000030,4\nc\n"
        "qRcmd,776f726b67726f75702032\nqfThreadInfo\nT5\nHc5\ns\ns\nqThreadExtraInfo,5\n"
        "qRcmd,6c616e6520616c6c\nqRcmd,6c616e6573\n\t\3\nc\nc\n",
    };
    for (unsigned i = 0; i < SAM_COUNT(talks); i++) {
        const unsigned choices = strstr(talks[i], "bs\n") ? 7 : 3;
        for (unsigned choice = 0; choice < choices; choice++) {
            struct sam_buffer input = {0}, framed = {0};
            const char name[4] = {(char)('0' + i), (char)('0' + choice)};
            const uint8_t first = (uint8_t)choice;
            put_lines(&framed, (const uint8_t *)talks[i], strlen(talks[i]));
            sam_buffer_append(&input, &first, 1);
            if (choice & RAW)
                sam_buffer_append(&input, framed.data, framed.size);
            else
                sam_buffer_puts(&input, talks[i]);
            add(context, name, input.data, input.size);
            sam_buffer_free(&input);
            sam_buffer_free(&framed);
        }
    }
}
