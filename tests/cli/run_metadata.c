/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` on files of the Ventus driver: chains of launches, their pokes and dumps, older
 * files, symbols of an ELF file, and damaged or missing files. */

#include "assemble.h"
#include "cli/dap_client.h"

enum { KNL = 0x90003000, PDS = 0x90004000, DATA = 0x90000000, ITEMS = 16 };

struct launch_files {
    uint32_t arguments; /* address */
    uint32_t addend;
    bool first; /* provides the buffer's data */
    bool local; /* places a buffer in local memory */
    bool older; /* no start_addr */
};

/* A pair of files for addn over 16 items from DATA: 2 warps of 8. */
static void write_pair(const char *name, const struct launch_files *f)
{
    struct sam_buffer text = {0};
    char path[64];
    SCOPED_IMAGE *image = test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), addn);
    const struct sam_section *code = &image->sections[0];
    const struct sam_metadata_buffer buffers[] = {{DATA, f->first ? 4 * ITEMS : 0, 4 * ITEMS},
                                                  {f->arguments, 8, 8},
                                                  {SAM_CODE_BASE, code->data_size, 0x10000000},
                                                  {PDS, 0, 0x1000},
                                                  {KNL, 64, 64},
                                                  {0x7ffff000, f->local ? 8 : 0, 0x1000}};
    const uint64_t values[] = {0x80000000, 0,      1,   1,  1,  8,   2,
                               KNL,        0x1000, 256, 32, 32, PDS, SAM_COUNT(buffers)};
    for (size_t i = f->older; i < SAM_COUNT(values); i++)
        sam_buffer_printf(&text, "%08x\n%08x\n", (unsigned)values[i], (unsigned)(values[i] >> 32));
    for (size_t i = 0; i < SAM_COUNT(buffers); i++)
        sam_buffer_printf(&text, "%08x // base\n00000000\n", (unsigned)buffers[i].base);
    for (size_t i = 0; i < SAM_COUNT(buffers); i++)
        sam_buffer_printf(&text, "%08x // size\r\n00000000\n", (unsigned)buffers[i].size);
    for (size_t i = 0; i < SAM_COUNT(buffers); i++)
        sam_buffer_printf(&text, "%08x\n00000000\n", (unsigned)buffers[i].allocated);
    snprintf(path, sizeof path, "%s.metadata", name);
    write_text(path, sam_buffer_text(&text));
    sam_buffer_free(&text);

    for (unsigned i = 0; f->first && i < ITEMS; i++)
        sam_buffer_printf(&text, "%08x\n", i * 100);
    sam_buffer_printf(&text, "%08x\n%08x\n", DATA, f->addend);
    for (size_t i = 0; i < code->data_size; i += 4)
        sam_buffer_printf(&text, "%08x\n", sam_le32(code->data + i));
    const struct sam_symbol *entry = sam_image_find(image, "addn");
    assert_non_null(entry);
    sam_buffer_printf(&text, "%08x\n%08x\n", (unsigned)entry->value, f->arguments);
    for (int i = 2; i < 16; i++)
        sam_buffer_printf(&text, "00000000\n");
    if (f->local)
        sam_buffer_printf(&text, "00000000\n00000001\n");
    snprintf(path, sizeof path, "%s.data", name);
    write_text(path, sam_buffer_text(&text));
    sam_buffer_free(&text);
}

static void expect_items(const char *name, uint32_t first_item, uint32_t addend)
{
    SCOPED(sam_buffer) file = read_file(name);
    assert_int_equal(file.size, 4 * ITEMS);
    assert_int_equal(sam_le32(file.data), first_item);
    for (unsigned i = 1; i < ITEMS; i++)
        assert_int_equal(sam_le32(file.data + 4 * i), i * 100 + addend);
}

TEST(a_chain_of_launches)
{
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    write_pair("two", &(struct launch_files){.arguments = 0x90002000, .addend = 20});
    expect_parts(
        expect_success("one.metadata one.data --dump 0x90000000:64:one.bin two.metadata two.data "
                       "--dump 0x90000000:64:two.bin --log l%n.log"),
        "launch 0: one, grid 1x1x1, 2 warps of 8: done, ",
        "launch 1: two, grid 1x1x1, 2 warps of 8: done, ", NULL);
    expect_items("one.bin", 1, 1);
    expect_items("two.bin", 21, 21);
    struct sam_buffer first = read_file("l0.log"), second = read_file("l1.log");
    assert_true(first.size > 1000 && first.size == second.size);
    /* the log of both launches is the concatenation of their logs */
    struct sam_buffer out =
        expect_success("one.metadata one.data two.metadata two.data --log both.log");
    SCOPED(sam_buffer) both = read_file("both.log");
    assert_int_equal(both.size, first.size + second.size);
    assert_memory_equal(both.data, first.data, first.size);
    sam_buffer_free(&out);
    sam_buffer_free(&first);
    sam_buffer_free(&second);
}

/* samite debug goes from launch to launch, with the same breakpoints. */
TEST(debugging_a_chain)
{
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    write_pair("two", &(struct launch_files){.arguments = 0x90002000, .addend = 20});
    command_verb = "debug";
    expect_parts(
        expect_success(
            "one.metadata one.data --dump 0x90000000:64:first.bin two.metadata two.data "
            "--dump 0x90000000:64:second.bin --batch -ex 'watch 0x90000000' -ex continue -ex "
            "continue "
            "-ex continue -ex continue -ex 'p *0x90000000' -ex 'info buffers' -ex continue"),
        "New value = 1 (0x00000001)", "[launch 0 (one) has ended after ",
        "; continue goes on to the next]", "New value = 21 (0x00000015)", "$1 = 21\n",
        "buffer 1 of the recording", "[launch 1 (two) has ended after ", NULL);
    expect_items("first.bin", 1, 1);
    expect_items("second.bin", 21, 21);
    /* Quit in the first launch: the second does not run, and nothing is written. */
    expect_runs("one.metadata one.data two.metadata two.data "
                "--dump 0x90000000:64:third.bin --batch -ex continue");
    assert_false(exists("third.bin"));
    command_verb = "run";
}

/* An editor's session goes through all launches, with the same breakpoints. */
TEST(a_chain_in_an_editor)
{
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    write_pair("two", &(struct launch_files){.arguments = 0x90002000, .addend = 20});
    client_begin();
    launches("{'args':['one.metadata','one.data','two.metadata','two.data','--dump',"
             "'0x90000000:64:end.bin'],'stopAtEnd':true}");
    asks("setInstructionBreakpoints",
         "{'breakpoints':[{'instructionReference':'0x80000000','condition':'warp 1'}]}");
    asks("configurationDone", "{}");
    stops("instruction breakpoint");
    asks("continue", "{'threadId':1}");
    stops("instruction breakpoint"); /* of the second launch */
    asks("continue", "{'threadId':1}");
    assert_string_equal(text_at(event("stopped"), "description"), "the program has ended");
    asks("continue", "{'threadId':1}");
    assert_int_equal(number_at(event("exited"), "exitCode"), 0);
    event("terminated");
    client_end();
    expect_items("end.bin", 21, 21);
}

TEST(pokes_in_a_chain)
{
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    write_pair("two", &(struct launch_files){.arguments = 0x90002000, .addend = 20});
    /* shared data between the launches; an argument for the second one, overriding its file;
     * after both, memory that no kernel accesses */
    expect_parts(
        expect_success("one.metadata one.data --poke 0x90000000=5000 --poke 0x90002004=300 "
                       "--dump 0x90002000:8:early.bin two.metadata two.data --poke 0x90000004=401 "
                       "--dump 0x90000000:64:two.bin"),
        NULL);
    struct sam_buffer early = read_file("early.bin");
    assert_int_equal(sam_le32(early.data + 4), 300); /* effective immediately */
    sam_buffer_free(&early);
    SCOPED(sam_buffer) two = read_file("two.bin");
    assert_int_equal(sam_le32(two.data), 5300);
    assert_int_equal(sam_le32(two.data + 4), 401);
    assert_int_equal(sam_le32(two.data + 8), 200 + 1 + 300);
}

TEST(older_files_and_local_buffers)
{
    write_pair("old", &(struct launch_files){
                          .arguments = 0x90001000, .addend = 1, .first = true, .older = true});
    struct outcome o = run("old.metadata old.data --dump 0x90000000:64:old.bin");
    assert_int_equal(o.code, 0);
    expect_part(&o.err, "note: old.metadata: no start_addr (older form)");
    expect_items("old.bin", 1, 1);
    done(&o);
    write_pair("lds", &(struct launch_files){
                          .arguments = 0x90001000, .addend = 1, .first = true, .local = true});
    o = run("lds.metadata lds.data --dump 0x90000000:64:lds.bin");
    assert_int_equal(o.code, 0);
    expect_part(&o.err, "note: lds.data: buffer 5 at 0x7ffff000 is local memory");
    expect_items("lds.bin", 1, 1);
    done(&o);
}

TEST(symbols_of_an_elf)
{
    char path[128];
    SCOPED_IMAGE *image = sam_image_new(32);
    static const uint8_t constant[] = {1, 2, 3, 4};
    assert_non_null(image);
    const struct sam_section sections[] = {
        {.name = ".text", .address = 0x80000000, .size = 256, .execute = true},
        {.name = ".rodata",
         .address = 0x80001000,
         .size = 4,
         .data_size = 4,
         .data = (uint8_t *)constant}};
    succeeds(sam_image_add_section, image, &sections[0]);
    succeeds(sam_image_add_section, image, &sections[1]);
    struct sam_image *code = test_assemble("ventus", SAM_CODE_BASE, sam_gpu_start_code(), addn);
    const struct sam_symbol *entry = sam_image_find(code, "addn");
    assert_non_null(entry);
    const struct sam_symbol symbol = {
        .name = (char *)"its_name",
        .value = entry->value,
        .size = 8,
        .global = true,
        .function = true,
        .section_relative = true,
    };
    sam_image_free(code);
    succeeds(sam_image_add_symbol, image, &symbol);
    succeeds(sam_image_finish, image);
    FREED void *elf = NULL;
    size_t size;
    succeeds(sam_elf_make, image, &elf, &size);
    snprintf(path, sizeof path, "%s/k.elf", directory);
    succeeds(sam_file_save, path, elf, size);
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    expect_parts(expect_success("one.metadata one.data --elf k.elf --dump 0x80001000:4:rodata.bin"),
                 "launch 0: its_name, ", NULL);
    SCOPED(sam_buffer) bytes = read_file("rodata.bin");
    assert_memory_equal(bytes.data, constant, 4);
}

/* .data has its bytes at its load address, from which start code copies them, and at its own. */
TEST(load_addresses)
{
    static const char source[] = "        lui     a1, 0x80001 # the load address\n"
                                 "        lui     a2, 0x80002\n"
                                 "        lw      a0, 0(a1)\n"
                                 "        lw      a3, 0(a2)\n"
                                 "        bne     a0, a3, 1f\n"
                                 "        li      a7, 93\n"
                                 "1:      ecall\n"
                                 "        .data\n"
                                 "        .balign 4096\n"
                                 "        .word 77\n";
    struct sam_image *image = test_assemble("rv32im_zicsr", SAM_HART_CODE_BASE, NULL, source);
    char path[128];
    FREED void *elf = NULL;
    size_t size;
    struct sam_section *data = &image->sections[image->section_count - 1];
    data->load_offset = -UINT64_C(0x1000);
    data->address = 0x80002000;
    succeeds(sam_elf_make, image, &elf, &size);
    snprintf(path, sizeof path, "%s/load.elf", directory);
    succeeds(sam_file_save, path, elf, size);
    expect_failure("load.elf -q --machine tensor", 77, "load.elf: exit code 77");
    sam_image_free(image);
}

TEST(bad_files)
{
    write_pair("one", &(struct launch_files){.arguments = 0x90001000, .addend = 1, .first = true});
    struct sam_buffer text = read_file("one.data");
    text.data[9 * 20] = '\0';
    write_text("short.data", (char *)text.data);
    text.data[9 * 3 + 2] = 'g';
    write_text("wrong.data", (char *)text.data);
    sam_buffer_free(&text);
    text = read_file("one.metadata");
    text.data[9 * 27] = '\0';
    write_text("short.metadata", (char *)text.data);
    sam_buffer_free(&text);
    /* also after a good pair: nothing runs, nothing is written */
    static const char *const before[] = {"",
                                         "one.metadata one.data --dump 0x90000000:4:never.bin "};
    for (size_t i = 0; i < 2; i++) {
        char words[256];
        static const struct {
            const char *words;
            const char *part;
        } cases[] = {
            {"one.metadata short.data", "short.data: ends in buffer 2 at 0x80000000: "},
            {"one.metadata wrong.data", "wrong.data:4: '00"},
            {"short.metadata one.data", "short.metadata: 27 numbers"},
            {"one.data one.metadata", "one.data: "},
            {"none.metadata one.data", "none.metadata: cannot open"},
            {"one.metadata none.data", "none.data: cannot open"},
            {"one.metadata one.data --elf addn.s", "addn.s: not an ELF file"},
            {"one.metadata one.data --elf none.elf", "none.elf: cannot open"},
            {"one.metadata one.data --dump 0x1000:4:x.bin", "--dump: access of 0x4 bytes"},
            {"one.metadata one.data --poke 0x7ffffffe=1", "--poke 0x7ffffffe: buffer "},
        };
        for (size_t k = 0; k < SAM_COUNT(cases); k++) {
            snprintf(words, sizeof words, "%s%s", before[i], cases[k].words);
            expect_failure(words, 2, cases[k].part);
        }
    }
    assert_false(exists("never.bin"));
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    write_text("addn.s", addn);
    return 0;
}

TEST_GROUP(set_up, remove_directory)
