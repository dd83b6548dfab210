/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: images written and read again. */

#include "test.h"

#include "format/elf_image.h"

static void same_memory(const struct sam_image *a, const struct sam_image *b)
{
    for (size_t i = 0; i < a->section_count; i++) {
        const struct sam_section *s = &a->sections[i];
        for (uint64_t at = 0; at < s->size; at += at < s->data_size + 64 ? 1 : 4093)
            if (elf_byte_at(b, s->address + at) != elf_byte_at(a, s->address + at))
                fail_msg("%s + 0x%llx differs", s->name, (unsigned long long)at);
    }
}

static void same_symbols(const struct sam_image *a, const struct sam_image *b)
{
    assert_int_equal(a->symbol_count, b->symbol_count);
    for (size_t i = 0; i < a->symbol_count; i++) {
        const struct sam_symbol *x = &a->symbols[i], *y = &b->symbols[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->value, y->value);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->global, y->global);
        assert_int_equal(x->function, y->function);
        assert_int_equal(x->section_relative, y->section_relative);
    }
}

TEST(round_trip)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_image *image = elf_sample(xlen), *back;
        struct elf_file f = elf_file_of(image);
        succeeds(sam_elf_parse, f.bytes, f.size, "a.elf", &back);
        assert_int_equal(back->xlen, xlen);
        assert_int_equal(back->entry, image->entry);
        same_memory(image, back);
        same_memory(back, image);
        same_symbols(image, back);
        assert_int_equal(back->resource_count, 2);
        assert_memory_equal(back->resources, image->resources, 2 * sizeof *image->resources);
        /* .data is cut where its zeros begin */
        assert_int_equal(back->section_count, 5);
        static const char *const names[] = {".text", ".rodata", ".data", ".data", ".bss"};
        for (size_t i = 0; i < 5; i++) {
            assert_string_equal(back->sections[i].name, names[i]);
            assert_int_equal(back->sections[i].execute, i == 0);
            assert_int_equal(back->sections[i].write, i >= 2);
        }
        assert_int_equal(back->sections[2].size, 4);
        assert_int_equal(back->sections[3].data_size, 0);
        assert_int_equal(back->sections[4].data_size, 0);
        sam_image_free(back);
        sam_image_free(image);
        free(f.bytes);
    }
}

TEST(random_round_trips)
{
    uint64_t random = test_seed();
    for (int round = 0; round < 300; round++) {
        SCOPED_IMAGE *image = sam_image_new(test_below(&random, 2) ? 32 : 64), *back, *again;
        uint64_t at = 0x80000000 + test_below(&random, 5000);
        assert_non_null(image);
        size_t sections = 1 + test_below(&random, 12);
        for (size_t i = 0; i < sections; i++) {
            uint8_t data[300];
            char name[32];
            size_t size = 1 + test_below(&random, 400), filled = test_below(&random, 301);
            for (size_t b = 0; b < sizeof data; b++)
                data[b] = (uint8_t)test_random(&random);
            filled = filled < size ? filled : size;
            snprintf(name, sizeof name, ".s%zu", i);
            elf_add_section(image, name, at, size, filled ? data : NULL, filled,
                            i % 3 == 0 ? "x" : "w");
            snprintf(name, sizeof name, "s%zu_%d", i, round);
            elf_add_symbol(image, name, at + test_below(&random, size), i % 2 ? "g" : "f");
            at += size + (test_below(&random, 2) ? test_below(&random, 10000) : 0);
        }
        image->entry = test_random(&random) & UINT32_MAX;
        succeeds(sam_image_finish, image);
        struct elf_file f = elf_file_of(image);
        succeeds(sam_elf_parse, f.bytes, f.size, "a.elf", &back);
        assert_int_equal(back->entry, image->entry);
        same_memory(image, back);
        same_memory(back, image);
        same_symbols(image, back);
        /* an image that was read is written back unchanged */
        struct elf_file g = elf_file_of(back);
        succeeds(sam_elf_parse, g.bytes, g.size, "a.elf", &again);
        assert_int_equal(again->section_count, back->section_count);
        for (size_t i = 0; i < back->section_count; i++) {
            assert_string_equal(again->sections[i].name, back->sections[i].name);
            assert_int_equal(again->sections[i].address, back->sections[i].address);
            assert_int_equal(again->sections[i].size, back->sections[i].size);
        }
        free(f.bytes);
        free(g.bytes);
    }
}

/* .data has its bytes after .rodata, from which start code copies them; the zeros after them
 * have no load address. */
TEST(load_addresses)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        SCOPED_IMAGE *image = elf_sample(xlen);
        struct sam_image *back;
        struct sam_error error;
        image->sections[2].load_offset = 0x100;
        image->sections[0].load_offset = -UINT64_C(0x70000000); /* below its address */
        succeeds(sam_image_finish, image);
        struct elf_file f = elf_file_of(image);
        succeeds(sam_elf_parse, f.bytes, f.size, "a.elf", &back);
        assert_int_equal(back->section_count, 5);
        assert_int_equal(back->sections[0].load_offset, -UINT64_C(0x70000000));
        assert_int_equal(back->sections[1].load_offset, 0);
        assert_int_equal(back->sections[2].load_offset, 0x100);
        sam_image_free(back);
        free(f.bytes);

        image->sections[2].load_offset = -UINT64_C(4); /* its bytes overlap those of .rodata */
        assert_int_equal(sam_image_finish(image, &error), SAM_ERR_INPUT);
        assert_string_equal(error.text,
                            "load address of section .rodata or .data overlaps the other at "
                            "0x80000010");
        image->sections[2].load_offset = UINT64_MAX - 0x80000014 - 2;
        assert_int_equal(sam_image_finish(image, &error), SAM_ERR_INPUT);
        assert_string_equal(error.text, "section .data: 0x4 bytes at load address "
                                        "0xfffffffffffffffd wrap around");
    }
}

TEST(images_that_cannot_be_written)
{
    void *data;
    size_t size;
    SCOPED_IMAGE *image = sam_image_new(16);
    assert_non_null(image);
    must_fail(SAM_ERR_USAGE, "xlen 16: expected 32 or 64", sam_elf_make, image, &data, &size);
    image->xlen = 32;
    elf_add_section(image, ".far", 0xfffffffe, 3, NULL, 0, "");
    must_fail(SAM_ERR_USAGE, "section .far (0x3 bytes at 0xfffffffe) does not fit", sam_elf_make,
              image, &data, &size);
    image->sections[0].size = 2;
    succeeds(sam_elf_make, image, &data, &size);
    free(data);
    for (int i = 0; i < 16000; i++)
        elf_add_section(image, ".s", (uint64_t)i, 1, NULL, 0, "");
    must_fail(SAM_ERR_USAGE, "16001 sections", sam_elf_make, image, &data, &size);
    assert_null(data);
}
